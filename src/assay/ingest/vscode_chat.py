"""Chat sessions of VS Code: one JSON document, or lines that tell how it changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
)
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.test_case import AgentTestCase

CALL_KIND = "toolInvocationSerialized"
# What a line does to the document: the whole of it, a value set, items appended, a value gone.
WHOLE, SET, APPEND, REMOVE = 0, 1, 2, 3


def is_chat(value: object) -> bool:
    """Whether a value is a session: requests, each with a message and what came of it."""
    requests = dict_or_empty(value).get("requests")
    found = objects_in(requests)
    if not found:
        return isinstance(requests, list) and "responderUsername" in dict_or_empty(value)
    return all("message" in request and "response" in request for request in found[:5])


def replayed(lines: Iterable[Any]) -> Any:
    """The document that the lines of a session make; None where they begin with none."""
    document: Any = None
    for line in lines:
        change = dict_or_empty(line)
        path = change.get("k")
        if change.get("kind") == WHOLE:
            document = change.get("v")
        elif isinstance(path, list) and path and document is not None:
            _change(document, path, change)
    return document


def _change(document: Any, path: list[Any], change: dict[str, Any]) -> None:
    """Change one place of a document; a place that is not there stays as it is."""
    *way, last = path
    for key in way:
        document = _at(document, key)
    kind, value = change.get("kind"), change.get("v")
    if kind == APPEND:
        listed = _at(document, last)
        if isinstance(listed, list) and isinstance(value, list):
            begin = count_or_none(change.get("i"))
            del listed[len(listed) if begin is None else max(begin, 0) :]
            listed.extend(value)
        elif isinstance(document, dict) and isinstance(last, str):
            document[last] = value
    elif isinstance(document, dict) and isinstance(last, str):
        document[last] = None if kind == REMOVE else value
    elif isinstance(document, list) and isinstance(last, int) and 0 <= last <= len(document):
        document[last : last + 1] = [value]


def _at(node: Any, key: Any) -> Any:
    if isinstance(node, dict):
        return node.get(key) if isinstance(key, str) else None
    is_place = isinstance(node, list) and isinstance(key, int) and 0 <= key < len(node)
    return node[key] if is_place else None


def chat_case(session: dict[str, Any], name: str, framework: str) -> AgentTestCase:
    """The run that a session is."""
    run = RunBuilder()
    requests = objects_in(session.get("requests"))
    for request in requests:
        run.user(dict_or_empty(request.get("message")).get("text"))
        rounds = dict_or_empty(dict_or_empty(request.get("result")).get("metadata"))
        if objects_in(rounds.get("toolCallRounds")):
            _add_rounds(run, rounds, _invocations(request))
        else:
            _add_response(run, objects_in(request.get("response")))
    own_id = text_at(session, "sessionId")
    times = [at for r in requests if (at := epoch_seconds(r.get("timestamp"))) is not None]
    models = [model for request in requests if (model := text_at(request, "modelId"))]
    return run.finish(
        run_id=stable_id(framework, own_id, *place_id(name, None)),
        session_id=own_id,
        model=models[-1].removeprefix("copilot/") if models else None,
        framework="vscode-chat",
        started_at=epoch_seconds(session.get("creationDate")) or min(times, default=None),
        ended_at=epoch_seconds(session.get("lastMessageDate")),
        source=Source(name, framework),
    )


def _invocations(request: dict[str, Any]) -> dict[str | None, dict[str, Any]]:
    """The calls that the user was shown, by their ids; the last telling of each counts."""
    items = objects_in(request.get("response"))
    return {text_at(i, "toolCallId"): i for i in items if i.get("kind") == CALL_KIND}


def _add_rounds(
    run: RunBuilder, rounds: dict[str, Any], shown: dict[str | None, dict[str, Any]]
) -> None:
    """What Copilot wrote down of its rounds with the model: words, calls and their results.

    Servers, exit codes and failures are told only where the call was `shown`.
    """
    results = dict_or_empty(rounds.get("toolCallResults"))
    for told in objects_in(rounds["toolCallRounds"]):
        calls = [
            ToolExecutionResult(
                text_at(call, "name") or "",
                decode_arguments(call.get("arguments")),
                server=_server(shown.get(text_at(call, "id"), {})),
                call_id=text_at(call, "id"),
            )
            for call in objects_in(told.get("toolCalls"))
        ]
        run.assistant(told.get("response"), calls)
        for call in calls:
            if call.call_id in results:
                success = _success(shown.get(call.call_id, {}))
                run.result(call.call_id, _shown(results[call.call_id]), reported_success=success)


def _shown(result: Any) -> Any:
    """The words of a result; VS Code keeps each part in an object with a `value`."""
    parts = objects_in(dict_or_empty(result).get("content"))
    texts = [part["value"] for part in parts if isinstance(part.get("value"), str)]
    return "\n".join(texts) if texts and len(texts) == len(parts) else result


def _add_response(run: RunBuilder, items: list[dict[str, Any]]) -> None:
    """What the user was shown: words in pieces and calls, each call told again as it goes on."""
    last = _invocations({"response": items})
    words: list[str] = []
    for item in items:
        if item.get("kind") == "thinking":
            run.think(text_at(item, "value"))
        elif item.get("kind") == CALL_KIND:
            told = last.pop(text_at(item, "toolCallId"), None)
            if told is not None:
                run.say("".join(words))
                words.clear()
                _add_invocation(run, told)
        elif "kind" not in item and isinstance(item.get("value"), str):
            words.append(item["value"])
    run.say("".join(words))
    run.end_reply()


def _add_invocation(run: RunBuilder, item: dict[str, Any]) -> None:
    details = dict_or_empty(item.get("resultDetails"))
    about = dict_or_empty(item.get("toolSpecificData"))
    command = about.get("commandLine", about.get("command"))
    command = dict_or_empty(command).get("original", command)
    sent = details.get("input", about.get("rawInput"))
    run.call(
        ToolExecutionResult(
            text_at(item, "toolId") or "",
            {"command": command} if sent is None and command else decode_arguments(sent),
            server=_server(item),
            call_id=text_at(item, "toolCallId"),
        )
    )
    code = _exit_code(item)
    output = text_at(dict_or_empty(about.get("terminalCommandOutput")), "text")
    shown = details.get("output", output)
    if shown is None and code is None and not details:
        run.end_reply()
        return
    run.result(text_at(item, "toolCallId"), shown, reported_success=_success(item))


def _server(item: dict[str, Any]) -> str | None:
    return text_at(dict_or_empty(item.get("source")), "label")


def _success(item: dict[str, Any]) -> bool | None:
    """Whether a call succeeded: by its flag, or by the exit code of its terminal."""
    flag, code = dict_or_empty(item.get("resultDetails")).get("isError"), _exit_code(item)
    if flag is True or code not in {None, 0}:
        return False
    return True if code == 0 or flag is False else None


def _exit_code(item: dict[str, Any]) -> int | None:
    about = dict_or_empty(item.get("toolSpecificData"))
    return count_or_none(dict_or_empty(about.get("terminalCommandState")).get("exitCode"))
