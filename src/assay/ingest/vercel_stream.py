"""What the Vercel AI SDK streams: lines with a code (version 4), or events (version 5 and later).

A run is told piece by piece: words, arguments, calls, results, step by step. The parts that
`fullStream` gives and Mastra's chunks have the same names, or nearly so.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import ToolExecutionResult
from assay.ingest.chat import Entry, RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "vercel-ai"
# The codes of version 4, as the events that took their place, and the key for a bare text.
CODES = {
    "0": ("text-delta", "delta"),
    "3": ("error", "errorText"),
    "9": ("tool-input-available", ""),
    "a": ("tool-output-available", ""),
    "b": ("tool-input-start", ""),
    "c": ("tool-input-delta", ""),
    "d": ("finish", ""),
    "e": ("finish-step", ""),
    "f": ("start-step", ""),
    "g": ("reasoning-delta", "delta"),
}
# Data, annotations, sources, files and signatures: no part of the run's work.
SIDE_CODES = frozenset("128hijk")
# Only these streams have events of these names.
OWN_EVENTS = frozenset(
    {"tool-input-start", "tool-input-available", "tool-output-available", "tool-output-error"}
    | {"start-step", "finish-step", "text-start"}
)
CALLS = frozenset({"tool-input-start", "tool-input-available", "tool-input-error", "tool-call"}) | {
    "tool-call-input-streaming-start"  # Mastra's
}
DELTAS = frozenset({"tool-input-delta", "tool-call-delta"})
RESULTS = frozenset({"tool-output-available", "tool-output-error", "tool-output-denied"}) | {
    "tool-result",
    "tool-error",
}
FAILURES = frozenset({"tool-output-error", "tool-output-denied", "tool-error"})
STEPS = frozenset({"start-step", "finish-step", "step-start", "step-finish"})
ENDS = frozenset({"finish", "abort", "error"})
# These begin and end what others tell, or show something that is no part of the run's work.
SIDE_EVENTS = (
    *("start", "text-", "reasoning-", "data-", "source", "file", "message-metadata", "raw"),
    *("tool-input-end", "tool-call-input-streaming-end"),
)
ID_KEYS = ("toolCallId", "id")
INPUT_KEYS = ("input", "args")
OUTPUT_KEYS = ("output", "result", "errorText", "error")
PIECE_KEYS = ("delta", "textDelta", "text")
ARGUMENT_PIECE_KEYS = ("inputTextDelta", "argsTextDelta", "delta")
USAGE_KEYS = ("totalUsage", "usage")
FAILURE_KEYS = ("errorText", "error", "reason")
_CODED = re.compile(rb'[0-9a-k]:[\[{"]')
_LOOKED_AT = 20
_LOOKED_AT_BYTES = 64 * 1024
_LONGEST_LINE = 64 * 1024 * 1024


def _recognise(recording: Recording) -> float:
    if _is_coded(recording):
        return 0.95
    items = recording.first_items(_LOOKED_AT)
    return 0.9 if any(_is_own(item) for item in items) else 0.0


def _is_own(value: object) -> bool:
    """Whether only these streams have such an event; others have steps, but not with these keys."""
    kind, event = _kind(value), dict_or_empty(value)
    return kind in OWN_EVENTS or (kind in STEPS and ("payload" in event or "messageId" in event))


def _kind(value: object) -> str:
    return text_at(dict_or_empty(value), "type") or ""


def _is_coded(recording: Recording) -> bool:
    """Whether a file that is no JSON has a code before the value of each of its first lines."""
    if recording.sample:
        return False
    try:
        with recording.open() as file:
            lines = file.read(_LOOKED_AT_BYTES).splitlines()
    except OSError:
        return False
    said = [line for line in lines[:_LOOKED_AT] if line.strip()]
    return bool(said) and all(_CODED.match(line) for line in said)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told: _Telling | None = None
    for entry in _coded_lines(recording) if _is_coded(recording) else entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        event = dict_or_empty(entry.value)
        asked = objects_in(event.get("messages"))
        if not _kind(event) and not asked:
            yield unexpected(
                recording.name, entry.value, "an event of a stream, with a type", entry.position
            )
            continue
        if told is not None and told.is_over and (asked or _kind(event) in {"start", "start-step"}):
            yield told.case(recording.name)
            told = None
        told = told or _Telling(entry.position)
        if asked:
            told.ask(asked)
        else:
            payload = dict_or_empty(event.get("payload"))
            told.event({**event, **payload, "type": event["type"]})
    if told is not None:
        yield told.case(recording.name)


def _coded_lines(recording: Recording) -> Iterator[Entry | Unreadable]:
    """The lines of version 4 as events; one that cannot be read is reported."""
    try:
        with recording.open() as file:
            lines = iter(lambda: file.readline(_LONGEST_LINE), b"")
            for number, line in enumerate(lines, start=1):
                found = _coded(line) if line.strip() else None
                if found is not None:
                    yield Entry(found, number)
                elif line.strip():
                    said = line.decode(errors="replace").rstrip()
                    yield unexpected(recording.name, said, "a code, a colon and a value", number)
    except OSError as exc:
        yield Unreadable(recording.name, f"cannot be read: {exc.strerror or exc}")


def _coded(line: bytes) -> dict[str, Any] | None:
    code, value = line[:1].decode(errors="replace"), decode_json_text(line[2:])
    if code in SIDE_CODES and value is not None:
        return {"type": f"data-{code}"}
    kind, key = CODES.get(code, ("", ""))
    if not kind or line[1:2] != b":" or value is None:
        return None
    return {**(value if isinstance(value, dict) else {key: value}), "type": kind}


class _Called(NamedTuple):
    """A call, and the pieces of its arguments while they come."""

    call: ToolExecutionResult
    pieces: list[str]


class _Telling:
    """A run told event by event; words and arguments come in pieces."""

    def __init__(self, position: int | None) -> None:
        self.is_over = False
        self._run = RunBuilder()
        self._position = position
        self._known: dict[str, Any] = {}
        self._failure: str | None = None
        self._words: dict[str, list[str]] = {}
        self._calls: list[_Called] = []
        self._open: dict[str, _Called] = {}
        self._in_step = False
        self._came: list[dict[str, Any]] = []
        self._usages: list[object] = []
        self._unread: Counter[str] = Counter()

    def ask(self, messages: list[dict[str, Any]]) -> None:
        """What the front end sent: the last thing that the user said is what this run was asked."""
        said = [message for message in messages if message.get("role") == "user"]
        for message in said[-1:]:
            self._run.user(text_of(message.get("parts") or message.get("content")))

    def event(self, event: dict[str, Any]) -> None:
        kind = _kind(event)
        if kind in {"text-delta", "text", "reasoning-delta", "reasoning"}:
            self._piece(event, "thought" if kind.startswith("reasoning") else "words")
            return
        self._flush()
        if kind in CALLS:
            self._call(event, kind)
        elif kind in DELTAS:
            self._arguments(event)
        elif kind in RESULTS:
            # What comes before the result itself only shows how far the tool has got.
            self._came += [] if event.get("preliminary") is True else [event]
            self._settle(now=not self._in_step)
        elif kind in STEPS or kind in ENDS:
            self._end(event, kind)
        elif not kind.startswith(SIDE_EVENTS):
            self._unread[kind] += 1
        self._known |= {k: event[k] for k in ("messageId", "runId") if text_at(event, k)}
        self._know(dict_or_empty(event.get("messageMetadata")))

    def _piece(self, event: dict[str, Any], side: str) -> None:
        piece = next((p for key in PIECE_KEYS if isinstance(p := event.get(key), str)), "")
        if side not in self._words:
            self._flush()
        self._words.setdefault(side, []).append(piece)

    def _flush(self) -> None:
        self._run.think("".join(self._words.pop("thought", ())))
        self._run.say("".join(self._words.pop("words", ())))

    def _call(self, event: dict[str, Any], kind: str) -> None:
        own_id = _first(event, ID_KEYS)
        known = self._open.get(own_id) or self._begun(event, own_id)
        sent = next((event[key] for key in INPUT_KEYS if key in event), None)
        if sent is not None:
            known.call.parameters = decode_arguments(sent)
            known.pieces.clear()
        if kind == "tool-input-error":
            self._came.append({**event, "type": "tool-output-error"})

    def _begun(self, event: dict[str, Any], own_id: str) -> _Called:
        call = ToolExecutionResult(text_at(event, "toolName") or "", {}, call_id=own_id or None)
        begun = _Called(call, [])
        self._calls.append(begun)
        self._open |= {own_id: begun} if own_id else {}
        self._run.call(call)
        return begun

    def _arguments(self, event: dict[str, Any]) -> None:
        known = self._open.get(_first(event, ID_KEYS))
        if known is not None:
            known.pieces.append(_first(event, ARGUMENT_PIECE_KEYS))

    def _settle(self, *, now: bool) -> None:
        """Tell what came back: in a step only at its end, as its calls were issued together."""
        for event in self._came if now else ():
            self._result(event)
        self._came = [] if now else self._came

    def _result(self, event: dict[str, Any]) -> None:
        failed = _kind(event) in FAILURES
        value = next((event[key] for key in OUTPUT_KEYS if event.get(key) is not None), None)
        own_id = _first(event, ID_KEYS)
        self._open.pop(own_id, None)  # some models number their calls anew in each step
        self._run.result(
            own_id or None,
            value,
            tool=text_at(event, "toolName"),
            reported_success=False if failed else None,
            error_message=text_of(value) or None if failed else None,
        )

    def _end(self, event: dict[str, Any], kind: str) -> None:
        self._settle(now=True)
        self._run.end_reply()
        self._in_step = kind in {"start-step", "step-start"}
        self._know(dict_or_empty(event.get("response")))
        places = (event, dict_or_empty(event.get("output")))
        usage = next((p[k] for p in places for k in USAGE_KEYS if isinstance(p.get(k), dict)), None)
        if kind == "finish" and usage:
            self._usages = [usage]  # the sum of those of the steps
        elif usage:
            self._usages.append(usage)
        self.is_over = self.is_over or kind in ENDS
        if kind in {"error", "abort"}:
            told = (event.get(key) for key in FAILURE_KEYS)
            reasons = (text_at(dict_or_empty(why), "message") or text_of(why) for why in told)
            self._failure = next(filter(None, reasons), kind)

    def _know(self, about: dict[str, Any]) -> None:
        model = text_at(about, "modelId") or text_at(about, "model")
        self._known |= {"model": model} if model else {}
        told = [about[key] for key in USAGE_KEYS if isinstance(about.get(key), dict)]
        self._usages = told[:1] or self._usages

    def case(self, name: str) -> AgentTestCase:
        """The run that the events told of."""
        self._flush()
        self._settle(now=True)
        for call, pieces in self._calls:
            if pieces:
                call.parameters = decode_arguments("".join(pieces))
        own = text_at(self._known, "messageId") or text_at(self._known, "runId")
        return self._run.finish(
            run_id=stable_id(NAME, own, *place_id(name, self._position)),
            model=self._known.get("model"),
            usage=total_usage(self._usages),
            outcome=None
            if self._failure is None
            else RunOutcome(success=False, decided_by=NAME, reason=self._failure),
            source=Source(name, NAME, self._position),
            extra={"unread_events": dict(self._unread)} if self._unread else {},
        )


def _first(event: dict[str, Any], keys: tuple[str, ...]) -> str:
    return next(filter(None, (text_at(event, key) for key in keys)), "")


VERCEL_AI = Format(
    name=NAME,
    title="Streams of the Vercel AI SDK: data streams, UI message streams, stream parts",
    fidelity=(
        "Calls and results as they were streamed; results that failed say so. No question "
        "unless the request stands before it, no times, no tools on offer; model and tokens only "
        "where a step's end or the message's metadata tell them. A stream that ended in an error "
        "is an outcome. Stored messages of the SDK are read as generic."
    ),
    recognise=_recognise,
    read=_read,
)
