"""ToolBench and StableToolBench: answers as chains and trees of steps, raw and converted."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "toolbench"
ANSWERED = "answer_generation"
CONVERTED_MARKS = frozenset({"query", "available_tools", "answer"})
DETAILS = "answer_details"
# How ToolBench's servers say that a call went well: an answer, the final one, a new beginning.
GOOD_CODES = frozenset({0, 3, 4})
# Files are named by task and method: `588_CoT@1.json`, `588_DFS_woFilter_w2.json`.
_FILE_NAME = re.compile(r"(?P<task>\d+)_(?P<method>.+)")
# A search tries thousands of steps at most.


def _recognise(recording: Recording) -> float:
    first = dict_or_empty(next(iter(recording.sample), None))
    return 0.95 if _is_answer(first) or _converted(first) else 0.0


def _is_answer(value: dict[str, Any]) -> bool:
    answered = value.get(ANSWERED)
    searched = isinstance(value.get("trys"), list) or isinstance(value.get("tree"), dict)
    return searched and isinstance(answered, dict) and "query" in answered


def _converted(value: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The converted answers of a file by their tasks; none of what is no such file."""
    found = {"": value} if value.keys() >= CONVERTED_MARKS else value
    return found if found and all(map(_is_converted, found.values())) else {}


def _is_converted(value: object) -> bool:
    told = dict_or_empty(value)
    return told.keys() >= CONVERTED_MARKS and DETAILS in dict_or_empty(told["answer"])


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        value = dict_or_empty(document.value)
        if _is_answer(value):
            yield from _raw(value, recording.name, document.position)
        elif converted := _converted(value):
            for task, told in converted.items():
                yield _converted_case(told, task, Source(recording.name, NAME, document.position))
        else:
            yield unexpected(
                recording.name, document.value, "an answer of ToolBench", document.position
            )


def _raw(value: dict[str, Any], name: str, position: int | None) -> Iterator[AgentTestCase]:
    """Each chain that was tried is an attempt; a tree, with all that was tried in it, is one."""
    tries = [objects_in(tried.get("chain")) for tried in objects_in(value.get("trys"))]
    tree = dict_or_empty(dict_or_empty(value.get("tree")).get("tree"))
    attempts = tries or [[tree]]
    for number, nodes in enumerate(attempts, start=1):
        yield _raw_case(value, nodes, Source(name, NAME, position), (number, len(attempts)))


def _raw_case(
    value: dict[str, Any], nodes: list[dict[str, Any]], source: Source, attempt: tuple[int, int]
) -> AgentTestCase:
    answered = value[ANSWERED]
    run = RunBuilder()
    run.user(answered.get("query"))
    _tell_nodes(run, nodes)
    number, count = attempt
    named = _FILE_NAME.fullmatch(PurePath(str(source.path)).stem)
    known = {"win": value.get("win"), "total_tokens": count_or_none(answered.get("total_tokens"))}
    return run.finish(
        run_id=stable_id(NAME, place_id(str(source.path), source.position), number),
        task_id=named["task"] if named else None,
        attempt=number if count > 1 else None,
        actual_output=_final(answered.get("final_answer")) if number == count else None,
        available_tools=objects_in(answered.get("function")) or None,
        framework=NAME,
        source=source,
        extra={**known, **({"method": named["method"]} if named else {})},
    )


def _tell_nodes(run: RunBuilder, nodes: list[dict[str, Any]]) -> None:
    """Tell steps in the order they were made: a chain, or a tree branch by branch."""
    waiting = [(node, "") for node in reversed(nodes)]
    tool = ""
    while waiting:
        node, above = waiting.pop()
        said = text_of(node.get("description"))
        match node.get("node_type"):
            case "Thought":
                run.end_reply()
                run.say(said)
            case "Action":
                tool = above = said
            case "Action Input" if said or above or tool:
                _tell_call(run, above or tool, node)
        children = objects_in(node.get("children"))
        waiting += [(child, above) for child in reversed(children)]


def _tell_call(run: RunBuilder, tool: str, node: dict[str, Any]) -> None:
    run.call(ToolExecutionResult(tool, decode_arguments(node.get("description"))))
    code = count_or_none(node.get("observation_code"))
    value = node.get("observation")
    success = None if code is None else code in GOOD_CODES
    run.result(
        None,
        value,
        tool=tool,
        reported_success=success,
        error_message=text_of(value) or None if success is False else None,
    )


def _converted_case(told: dict[str, Any], task: str, source: Source) -> AgentTestCase:
    answer = dict_or_empty(told["answer"])
    run = RunBuilder()
    run.user(told.get("query"))
    waiting = objects_in(answer[DETAILS])[::-1]
    while waiting:
        node = waiting.pop()
        _tell_detail(run, node)
        waiting += objects_in(node.get("next"))[::-1]
    return run.finish(
        run_id=stable_id(NAME, place_id(str(source.path), source.position), task, told["query"]),
        task_id=task or None,
        actual_output=_final(answer.get("final_answer")),
        available_tools=objects_in(told.get("available_tools")) or None,
        framework=NAME,
        source=source,
        extra={key: answer[key] for key in ("method", "total_steps") if key in answer},
    )


def _tell_detail(run: RunBuilder, node: dict[str, Any]) -> None:
    message = node.get("message")
    if node.get("role") == "tool" and isinstance(message, dict):
        tool = text_at(message, "name") or ""
        run.call(ToolExecutionResult(tool, decode_arguments(message.get("arguments"))))
        came = message.get("response")
        run.result(None, came, tool=tool, reported_success=_is_good(came))
    elif node.get("role") == "assistant":
        run.end_reply()
        run.say(message)
    elif node.get("role") == "system":
        run.system(message)


def _is_good(came: object) -> bool | None:
    """What ToolBench's server says of a call in the error beside its response."""
    told = dict_or_empty(decode_json_text(came) if isinstance(came, str) else came)
    error = told.get("error")
    return not error if isinstance(error, str) and "response" in told else None


def _final(stated: object) -> str | None:
    """The words of a final answer, which is kept as the arguments of the call that gave it."""
    told = decode_json_text(stated) if isinstance(stated, str) else stated
    if isinstance(told, dict):
        return text_at(told, "final_answer")
    return stated if isinstance(stated, str) and stated else None


TOOLBENCH = Format(
    name=NAME,
    title="ToolBench and StableToolBench answers, raw and converted",
    fidelity=(
        "Says by codes how each call went, converted by the error beside the response; tools on "
        "offer are given. Of a search all that was tried is one run. Has no model, no times, no "
        "tokens but a total, and no verdict: `win` says only that an answer was given."
    ),
    recognise=_recognise,
    read=_read,
)
