"""DSPy's history: what its modules asked a language model, fields between headings.

ReAct asks anew for each step and writes all steps so far into the prompt: requests that have the
same inputs and go on with the steps of an earlier one are one run.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from assay.execution import ToolExecutionResult
from assay.ingest.chat import Entry, RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.exchanges import archived
from assay.ingest.fields import (
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.python_literals import decode_loosely
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "dspy"
# Every entry of the history has these.
OWN_KEYS = frozenset({"messages", "outputs", "kwargs"})
NEXT_TOOL, NEXT_ARGS, NEXT_THOUGHT = "next_tool_name", "next_tool_args", "next_thought"
# Fields of a reply that are no answer.
SIDE_FIELDS = frozenset({"reasoning", "completed", NEXT_TOOL, NEXT_ARGS, NEXT_THOUGHT})
TRAJECTORY = "trajectory"
_HEADING = re.compile(r"^\[\[ ## (\w{1,100}) ## \]\][ \t]*$", re.MULTILINE)
_STEP = re.compile(r"(thought|tool_name|tool_args|observation)_(\d{1,4})")
_LOOKED_AT = 20
_DEMAND = "\n\nRespond with the corresponding output fields"


def _recognise(recording: Recording) -> float:
    items = recording.first_items(_LOOKED_AT)
    if items and all(_is_entry(item) for item in items):
        return 0.9
    taped = [entry for value in recording.sample for entry in _taped(value)]
    return 0.9 if any(NEXT_TOOL in _Request(entry).reply for entry in taped) else 0.0


def _taped(value: Any) -> list[dict[str, Any]]:
    """The requests of recorded traffic as entries, where all of them have DSPy's headings."""
    pairs = [pair for pair in archived(value) if isinstance(pair.get("request"), dict)]
    found = [
        {
            **pair["request"],
            "outputs": [text_at(dict_or_empty(choice.get("message")), "content")],
            "kwargs": {},
            "response_model": pair["response"].get("model"),
            "usage": pair["response"].get("usage"),
        }
        for pair in pairs
        for choice in objects_in(dict_or_empty(pair.get("response")).get("choices"))[:1]
    ]
    has_headings = all("" not in _Request(entry).inputs for entry in found)
    return found if found and len(found) == len(pairs) and has_headings else []


def _is_entry(value: Any) -> bool:
    is_entry = isinstance(value, dict) and value.keys() >= OWN_KEYS
    return is_entry and isinstance(value["outputs"], list)


def fields_in(text: str) -> dict[str, str]:
    """The fields of a prompt or a reply: between headings, or those of a JSON object."""
    decoded = decode_json_text(text)
    if isinstance(decoded, dict):
        return {key: _written(value) for key, value in decoded.items()}
    marks = list(_HEADING.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)] * bool(marks)
    found = ((m[1], text[m.end() : end]) for m, end in zip(marks, ends, strict=True))
    return {name: said.partition(_DEMAND)[0].strip() for name, said in found}


def _written(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told: _Program | None = None
    for entry in _entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif not _is_entry(entry.value):
            yield unexpected(
                recording.name,
                entry.value,
                "an entry of DSPy's history, with messages and outputs",
                entry.position,
            )
        else:
            asked = _Request(entry.value)
            if told is None or not told.goes_on_in(asked):
                if told is not None:
                    yield told.case(recording.name)
                told = _Program(entry.position)
            told.requests.append(asked)
    if told is not None:
        yield told.case(recording.name)


def _entries(recording: Recording) -> Iterator[Entry | Unreadable]:
    taped = [entry for value in recording.sample for entry in _taped(value)]
    if not taped:
        return entries(recording)
    return (Entry(entry, i) for i, entry in enumerate(taped, start=1))


class _Request:
    """One request: its inputs, the steps that it tells of, and the fields of its reply."""

    def __init__(self, entry: dict[str, Any]) -> None:
        self.entry = entry
        said = [m for m in objects_in(entry.get("messages")) if m.get("role") == "user"]
        words = text_of(said[-1].get("content")) if said else text_at(entry, "prompt") or ""
        output = next(iter(entry["outputs"]), None)
        self.answer = text_at(dict_or_empty(output), "text") or text_of(output)
        fields = fields_in(words)
        self.reply = fields_in(self.answer)
        self.inputs = {
            name: text
            for name, text in fields.items()
            if name != TRAJECTORY and not _STEP.fullmatch(name)
        } or {"": words}
        self.steps = _steps(fields)

    def called(self) -> list[dict[str, str]]:
        """The steps, and the one that the reply asks for."""
        asked = self.reply.get(NEXT_TOOL)
        sent = self.reply.get(NEXT_ARGS, "")
        new = {"tool_name": asked, "tool_args": sent, "thought": self.reply.get(NEXT_THOUGHT, "")}
        return [*self.steps, *([{k: v for k, v in new.items() if v}] if asked else [])]


def _steps(fields: dict[str, str]) -> list[dict[str, str]]:
    steps: dict[int, dict[str, str]] = {}
    for name, text in fields.items():
        if (part := _STEP.fullmatch(name)) is not None:
            steps.setdefault(int(part[2]), {})[part[1]] = text
    return [steps[number] for number in sorted(steps)]


class _Program:
    """The requests of one run of a module."""

    def __init__(self, position: int | None) -> None:
        self.requests: list[_Request] = []
        self._position = position

    def goes_on_in(self, later: _Request) -> bool:
        """Whether a request has the same inputs and tells of all steps so far, with their ends."""
        last = self.requests[-1]
        named = [step.get("tool_name") for step in last.called()]
        same = [step.get("tool_name") for step in later.steps[: len(named)]]
        return bool(named) and last.inputs == later.inputs and named == same

    def case(self, name: str) -> AgentTestCase:
        """The run that the requests were made in."""
        run, last = RunBuilder(), self.requests[-1]
        run.user("\n".join(last.inputs.values()))
        for step in last.called():
            run.end_reply()
            run.think(step.get("thought"))
            written, tool = step.get("tool_args", "{}"), step.get("tool_name", "")
            sent = decode_loosely(written)
            run.call(ToolExecutionResult(tool, written if sent is None else sent))
            if "observation" in step:
                run.result(None, step["observation"], tool=tool)
        if NEXT_TOOL not in last.reply:
            run.assistant(_answer(last))
        entries = [request.entry for request in self.requests]
        times = [at for e in entries if (at := epoch_seconds(e.get("timestamp"))) is not None]
        return run.finish(
            run_id=stable_id(
                NAME, entries[0].get("uuid"), *place_id(name, self._position), last.inputs
            ),
            model=text_at(entries[-1], "response_model") or text_at(entries[-1], "model"),
            framework="dspy",
            usage=total_usage(entry.get("usage") for entry in entries),
            started_at=min(times, default=None),
            ended_at=max(times, default=None),
            source=Source(name, NAME, self._position),
        )


def _answer(request: _Request) -> str:
    fields = {name: text for name, text in request.reply.items() if name not in SIDE_FIELDS}
    if len(fields) == 1:
        return next(iter(fields.values()))
    return msgspec.json.encode(fields).decode() if fields else request.answer


DSPY = Format(
    name=NAME,
    title="DSPy's history of requests to a language model",
    fidelity=(
        "The steps of ReAct as its prompts tell them: calls, arguments, what was observed; no "
        "error flag, no times of calls, none in parallel. The question are all inputs of the "
        "module. Requests of several modules that run at the same time may be taken apart wrongly."
    ),
    recognise=_recognise,
    read=_read,
)
