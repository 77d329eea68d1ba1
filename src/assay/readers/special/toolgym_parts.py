"""The parts of a ToolGym trajectory: turns, recorded calls, and the steps of the reasoning trace.

A trace has every step as text. The list of calls beside it is richer but incomplete: a call
that raised, whose server did not load, or that a fault injector took away is in the trace only.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from assay.readers.values import dict_or_empty, objects_in
from assay.text.python_repr import NotPython, parse_repr

if TYPE_CHECKING:
    from collections.abc import Callable

_ACTION = re.compile(r"Using tool `([^`]{0,500})` in server `([^`]{0,500})`")
# Enough of a result to tell it from another, up to where text and its repr differ.
_SAME_START = re.compile(r"[^'\"\\\n]{0,40}")
_TELLING = 8


class TraceItem(Struct, gc=False):
    """One entry of a reasoning trace."""

    type: Any = None
    content: Any = None


class RecordedCall(Struct, gc=False):
    """One call as the file lists it."""

    tool: Any = None
    server: Any = None
    arguments: Any = None
    result: Any = None
    result_preview: Any = None
    duration_seconds: Any = None
    status: Any = None
    error: Any = None
    load_error: Any = None
    dynamically_loaded: Any = None


_CALL_FIELDS = RecordedCall.__struct_fields__


class Turn(Struct):
    """A question, the calls it led to, the trace that tells of them, and the answer."""

    query: Any = None
    answer: Any = None
    calls: list[RecordedCall] = []
    not_calls: list[Any] = []
    trace: list[TraceItem] = []
    results: list[dict[str, Any]] = []


class Trajectory(Struct):
    """A run of one question."""

    metadata: dict[str, Any]
    turn: Turn
    servers: Any = None
    interception: Any = None


def trajectory_from(value: dict[str, Any]) -> Trajectory:
    """The same from plain data, which may be odd anywhere but in its metadata."""
    metadata, execution = value["metadata"], dict_or_empty(value.get("execution"))
    turn = turn_from(
        {
            "query": metadata.get("query"),
            "agent_response": execution.get("final_response"),
            "tool_calls": execution.get("tool_calls"),
            "reasoning_trace": value.get("reasoning_trace"),
        }
    )
    return Trajectory(metadata, turn, value.get("servers"), value.get("emergency_interception"))


def turn_from(value: dict[str, Any]) -> Turn:
    """A turn from plain data; what is no call is kept apart, what is no step is left out."""
    listed = value.get("tool_calls")
    recorded = listed if isinstance(listed, list) else []
    return Turn(
        value.get("query"),
        value.get("agent_response"),
        [RecordedCall(*map(call.get, _CALL_FIELDS)) for call in objects_in(recorded)],
        [item for item in recorded if not isinstance(item, dict)],
        [
            TraceItem(item.get("type"), item.get("content"))
            for item in objects_in(value.get("reasoning_trace"))
        ],
        objects_in(value.get("tool_results")),
    )


class Step(Struct):
    """One step of a trace that called a tool, in the trace's own words."""

    action: str
    thought: str | None = None
    sent: str | None = None
    result: str | None = None

    def target(self) -> tuple[str, str]:
        """The tool and the server that the step names; no server where it names none."""
        named = _ACTION.search(self.action)
        return (named[1], named[2]) if named else (self.action, "")

    def arguments(self) -> Any:
        """The arguments as an object, or their text where it cannot be read."""
        if not self.sent:
            return {}
        try:
            return parse_repr(self.sent)
        except NotPython:
            return self.sent


class Trace(Struct):
    """What a trace says: its steps in order, and the errors of the agent itself."""

    steps: list[Step]
    errors: list[str]


# A call as it was recorded, and the step that tells of it; either may be missing.
Pair: TypeAlias = "tuple[RecordedCall | None, Step | None]"


def read_trace(items: list[TraceItem]) -> Trace:
    """Read a trace; what is no step of it is passed over."""
    trace = Trace([], [])
    step = Step("")
    thought: str | None = None
    for item in items:
        content = item.content
        if not isinstance(content, str):
            continue
        match item.type:
            case "thought":
                thought = content
            case "action":
                step = Step(content, thought)
                trace.steps.append(step)
                thought = None
            case "action input":
                step.sent = content
            case "result":
                step.result = content
            case "error":
                trace.errors.append(content)
    return trace


def pair_calls(recorded: list[RecordedCall], steps: list[Step]) -> list[Pair]:
    """Each recorded call with its step, and each step that left no record, in order."""
    if len(recorded) == len(steps):
        return list(zip(recorded, steps, strict=True))
    for alike in (_is_same, _is_same_tool):
        pairs = _in_order(recorded, steps, alike)
        if pairs is not None:
            return pairs
    return [(call, None) for call in recorded]


def _in_order(
    recorded: list[RecordedCall],
    steps: list[Step],
    alike: Callable[[RecordedCall, Step], bool],
) -> list[Pair] | None:
    """The pairs, if every recorded call finds its step; None otherwise."""
    pairs: list[Pair] = []
    found = 0
    for step in steps:
        if found < len(recorded) and alike(recorded[found], step):
            pairs.append((recorded[found], step))
            found += 1
        else:
            pairs.append((None, step))
    return pairs if found == len(recorded) else None


def _is_same_tool(call: RecordedCall, step: Step) -> bool:
    tool, server = step.target()
    return (_said(call.tool, tool), _said(call.server, server)) == (tool, server)


def _said(value: object, otherwise: str) -> str:
    return value if isinstance(value, str) and value else otherwise


def _is_same(call: RecordedCall, step: Step) -> bool:
    """Same tool, arguments and result: the same call may have failed just before, unrecorded."""
    if not _is_same_tool(call, step):
        return False
    if step.sent is not None and step.arguments() != call.arguments:
        return False
    result = call.result
    if not isinstance(result, str) or step.result is None:
        return True
    start = _SAME_START.match(step.result)
    telling = start[0] if start else ""
    return len(telling) < _TELLING or telling in result
