"""The parts of a ToolGym trajectory, whatever its file is like.

There are many, and nearly all are written alike: such a file is decoded straight into its parts.
Any other is decoded as plain data first, and its parts are picked out with patience.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import UNSET, Struct

from assay.ingest.fields import dict_or_empty, objects_in

_NAME = "trajectory_"
# How files laid out for people begin; a file of one line may be one document of many.
_LAID_OUT = b"{\n"


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


class _Execution(Struct):
    final_response: Any = None
    tool_calls: list[RecordedCall] | None = None


class _Document(Struct):
    """A trajectory as ToolGym writes it; anything else does not decode."""

    metadata: dict[str, Any]
    execution: _Execution
    reasoning_trace: list[TraceItem]
    servers: Any = None
    emergency_interception: Any = None
    turns: Any = UNSET


_DECODER = msgspec.json.Decoder(_Document)


def is_trajectory_file(name: str) -> bool:
    """Whether the name of a file is that of a trajectory."""
    return name.startswith(_NAME) and name.endswith(".json")


def decode_quickly(text: bytes) -> Trajectory | None:
    """The trajectory a file's bytes tell; None where it is not written like one."""
    if not text.startswith(_LAID_OUT):
        return None
    try:
        found = _DECODER.decode(text)
        if not text.isascii():
            text.decode()  # what was passed over must be text as well
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if found.turns is not UNSET:
        return None
    metadata, execution = found.metadata, found.execution
    calls = execution.tool_calls or []
    turn = Turn(metadata.get("query"), execution.final_response, calls, trace=found.reasoning_trace)
    return Trajectory(metadata, turn, found.servers, found.emergency_interception)


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
