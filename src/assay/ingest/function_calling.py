"""Data sets for function calling: xLAM's questions with answers, ToolACE's conversations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.errors import NotJson
from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
)
from assay.ingest.listed_calls import listed_calls
from assay.ingest.named_types import with_schema
from assay.ingest.python_literals import decode_loosely
from assay.ingest.recording import Format, Recording
from assay.json_values import json_value
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.chat import Entry
    from assay.test_case import AgentTestCase

NAME = "function-calling"
QUESTION, ANSWERS, TOOLS = "query", "answers", "tools"
SPEAKERS = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "gpt"), "assistant"),
    **dict.fromkeys(("tool", "function", "observation"), "tool"),
    "system": "system",
}
ID_KEYS = ("id", "hash_id", "task_id")
MODEL_KEYS = ("model", "model_name")
_KNOWN_KEYS = frozenset({QUESTION, ANSWERS, TOOLS, "system", "conversations", *MODEL_KEYS})
_LOOKED_AT = 50
_TOOLS_BEGIN = "[{"


def _recognise(recording: Recording) -> float:
    rows = [dict_or_empty(item) for item in recording.first_items(_LOOKED_AT)]
    if rows and all(_is_question(row) for row in rows):
        return 0.9 if any(_answers(row) for row in rows) else 0.0
    return 0.9 if any(_lists_calls(row) for row in rows) else 0.0


def _is_question(row: dict[str, Any]) -> bool:
    return isinstance(row.get(QUESTION), str) and {ANSWERS, TOOLS} <= row.keys()


def _answers(row: dict[str, Any]) -> list[dict[str, Any]]:
    return [call for call in _objects(row.get(ANSWERS)) if text_at(call, "name")]


def _objects(value: object) -> list[dict[str, Any]]:
    return objects_in(decode_loosely(value) if isinstance(value, str) else value)


def _lists_calls(row: dict[str, Any]) -> bool:
    """Whether the model wrote lists of calls in a conversation that begins with its tools."""
    system = text_at(row, "system")
    said = _spoken(row) if system and _TOOLS_BEGIN in system else []
    tools = _tools_in(system) if system and said else []
    names = frozenset(str(tool.get("name")) for tool in tools)
    found = (listed_calls(text, names) for role, text in said if role == "assistant")
    return any(call.tool in names for calls in found for call in calls)


def _spoken(row: dict[str, Any]) -> list[tuple[str, str]]:
    """Who said what in a conversation; none where anybody is a stranger."""
    turns = objects_in(row.get("conversations"))
    said = [(SPEAKERS.get(str(turn.get("from"))), turn.get("value")) for turn in turns]
    known = [(role, text) for role, text in said if role and isinstance(text, str)]
    return known if len(known) == len(turns) else []


def _tools_in(system: str) -> list[dict[str, Any]]:
    """The tools that stand as a list of JSON among the words to the model."""
    begin = system.find(_TOOLS_BEGIN)
    if begin < 0:
        return []
    try:
        value, _ = json.JSONDecoder().raw_decode(system, begin)
        return [tool for tool in objects_in(json_value(value, "")) if text_at(tool, "name")]
    except (ValueError, RecursionError, NotJson):
        return []


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif isinstance(entry.value, dict) and _is_question(entry.value):
            yield _answered(entry, recording.name)
        elif isinstance(entry.value, dict) and _spoken(entry.value):
            yield _conversation(entry, recording.name)
        else:
            yield unexpected(
                recording.name, entry.value, "answers or a conversation", entry.position
            )


def _answered(entry: Entry, name: str) -> AgentTestCase:
    row = entry.value
    run = RunBuilder()
    run.user(row[QUESTION])
    run.assistant(
        calls=[
            ToolExecutionResult(str(call["name"]), decode_arguments(call.get("arguments")))
            for call in _answers(row)
        ]
    )
    return _case(run, entry, name, _objects(row[TOOLS]))


def _conversation(entry: Entry, name: str) -> AgentTestCase:
    run = RunBuilder()
    system = text_at(entry.value, "system") or ""
    tools = _tools_in(system) or _objects(entry.value.get(TOOLS))
    names = frozenset(str(tool.get("name")) for tool in tools)
    run.system(system)
    for role, text in _spoken(entry.value):
        match role:
            case "assistant":
                calls = listed_calls(text, names)
                run.assistant(None if calls else text, calls)
            case "tool":
                _results(run, text)
            case "user":
                run.user(text)
            case _:
                run.system(text)
    return _case(run, entry, name, tools)


def _results(run: RunBuilder, text: str) -> None:
    """Tell what came back: a list with the name of each tool, or words for the next call."""
    listed = [item for item in _objects(text) if text_at(item, "name") and "results" in item]
    for item in listed:
        run.result(None, item["results"], tool=text_at(item, "name"))
    if not listed:
        run.result(None, text)


def _case(run: RunBuilder, entry: Entry, name: str, tools: list[dict[str, Any]]) -> AgentTestCase:
    row = entry.value
    own = next((found for key in ID_KEYS if (found := id_or_none(row.get(key)))), None)
    return run.finish(
        run_id=stable_id(NAME, own, *place_id(name, entry.position)),
        task_id=own,
        model=next((found for key in MODEL_KEYS if (found := text_at(row, key))), None),
        available_tools=[with_schema(tool) for tool in tools] or None,
        source=Source(name, NAME, entry.position),
        extra={k: v for k, v in row.items() if k not in _KNOWN_KEYS and k not in ID_KEYS},
    )


FUNCTION_CALLING = Format(
    name=NAME,
    title="Data sets for function calling: xLAM (APIGen) and ToolACE",
    fidelity=(
        "The calls are those that the data set holds up as right: a model wrote them, nobody says "
        "which. xLAM has no results and no answer; ToolACE's results were made up by a model. No "
        "error flag, times, tokens or outcome. Types that JSON Schema does not know are left open."
    ),
    recognise=_recognise,
    read=_read,
)
