"""Readable complaints about a record: everything that would make its score doubtful.

What the agent did wrong is no complaint: that is what the score is for.
"""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard

from assay.errors import AssayError, InvalidRecord
from assay.execution import NOT_SAID, MCPExecutionData, ToolExecutionResult
from assay.records import preview
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

_CALLS = "execution_data.tool_executions"
_ALIKE = 0.85
# A slip of the pen is one key among few; a record with thousands of unknown keys carries data.
_UNKNOWN_KEYS = 1_000
_LONGEST_FIELD = 64
# By name: a union that is written where it is used is made anew each time.
_NUMBERS = (int, float)
# What other tools call it.
_OTHER_NAMES = {
    "arguments": "parameters",
    "args": "parameters",
    "tool_executions": "execution_data",
    "tool_calls": "execution_data",
    "output": "actual_output",
    "answer": "actual_output",
    "expectations": "expected_effects",
}


def complaints(case: AgentTestCase) -> list[str]:
    """All that is wrong with a case, in the order of its fields; empty when nothing is."""
    found = [*complaints_of_read_case(case), *_of_json(case)]
    return found or [*_of_types(case)]


def complaints_of_read_case(case: AgentTestCase) -> list[str]:
    """The same for a case that was read from a file: its values are JSON, of the right types."""
    return [
        *_of_texts(case),
        *_of_execution(case.execution_data),
        *_of_tools(case.available_tools),
        *_of_history(case.conversation_history),
        *_of_misspelt_keys(case),
    ]


def refuse_unmeasurable(data: Any) -> None:
    """Raise what keeps the calls of a run from being counted; oddities that can be counted pass."""
    if not isinstance(data, MCPExecutionData):
        raise InvalidRecord(
            f"execution_data must be an MCPExecutionData, got {preview(data)}; "
            "MCPExecutionData.from_dict makes one of a dict"
        )
    problems = (*_of_planning(data.planning_json_compliance), *_of_entries(data.tool_executions))
    if problems:
        raise InvalidRecord(problems[0])


def _of_misspelt_keys(case: AgentTestCase) -> Iterator[str]:
    """Keys that we do not know but that look like one of ours: their values count for nothing."""
    records: list[tuple[str, Any]] = [("", case)]
    if isinstance(case.execution_data, MCPExecutionData):
        records.append(("execution_data.", case.execution_data))
        records += [(f"{_CALLS}[{i}].", call) for i, call in _calls(case.execution_data)]
    for where, record in records:
        for key in islice(record.extra, _UNKNOWN_KEYS) if isinstance(record.extra, dict) else ():
            meant = _meant(key, record) if isinstance(key, str) else None
            if meant is not None:
                yield f"{where}{key} is not a field; did you mean {meant!r}?"


def _meant(key: str, record: Any) -> str | None:
    if len(key) > _LONGEST_FIELD:
        return None
    return _field_like(key, tuple(record.__dataclass_fields__))


@lru_cache(maxsize=4096)
def _field_like(key: str, fields: tuple[str, ...]) -> str | None:
    """Remembered, because the cases of one file have the same unknown keys."""
    if key in _OTHER_NAMES:
        return _OTHER_NAMES[key] if _OTHER_NAMES[key] in fields else None
    close = get_close_matches(key, fields, n=1, cutoff=_ALIKE)
    return close[0] if close else None


def _of_texts(case: AgentTestCase) -> Iterator[str]:
    if not case.input:
        yield "Input cannot be empty"
    if not case.actual_output:
        yield "Actual output cannot be empty"


def _of_execution(data: Any) -> Iterator[str]:
    if data is None:
        return
    if not isinstance(data, MCPExecutionData):
        yield f"execution_data must be an MCPExecutionData, got {preview(data)}"
        return
    if _is_below(data.total_rounds, 1):
        yield "execution_data.total_rounds must be >= 1"
    yield from _of_planning(data.planning_json_compliance)
    yield from _of_entries(data.tool_executions)
    for i, call in _calls(data):
        yield from _of_call(call, f"{_CALLS}[{i}]")
    yield from _of_ids(data)


def _of_planning(planning: Any) -> Iterator[str]:
    if planning is not None and not (_is_number(planning) and 0 <= planning <= 1):
        yield f"execution_data.planning_json_compliance must be between 0 and 1, got {planning!r}"


def _of_entries(calls: Any) -> Iterator[str]:
    if not isinstance(calls, list):
        yield f"{_CALLS} must be a list, got {preview(calls)}"
        return
    for i, call in enumerate(calls):
        if not isinstance(call, ToolExecutionResult):
            yield f"{_CALLS}[{i}] must be a ToolExecutionResult, got {preview(call)}"


def _of_ids(data: MCPExecutionData) -> Iterator[str]:
    calls = [call for _, call in _calls(data)]
    ids = Counter(call.call_id for call in calls if isinstance(call.call_id, str))
    yield from (f"Call id {name!r} occurs {n} times" for name, n in ids.items() if n > 1)
    for call in calls:
        if not isinstance(call.parent_id, str):
            continue
        if call.parent_id == call.call_id:
            yield f"Call id {call.call_id!r} is its own parent"
        elif call.parent_id not in ids:
            yield f"Parent id {call.parent_id!r} names no call of this run"


def _calls(data: Any) -> list[tuple[int, ToolExecutionResult]]:
    listed = data.tool_executions if isinstance(data.tool_executions, list) else []
    return [(i, call) for i, call in enumerate(listed) if isinstance(call, ToolExecutionResult)]


def _of_call(call: ToolExecutionResult, where: str) -> Iterator[str]:
    if not call.tool:
        yield f"{where}.tool cannot be empty"
    # A text is what the agent sent where it sent no object: its mistake, not the record's.
    if not isinstance(call.parameters, dict | str):
        yield f"{where}.parameters must be an object, got {preview(call.parameters)}"
    success: object = call.success
    if not isinstance(success, bool):
        yield f"{where}.success must be true or false, got {preview(success)}"
    if _is_below(call.execution_time, 0):
        yield f"{where}.execution_time cannot be negative, got {call.execution_time}"
    if call.success_rule == NOT_SAID:
        yield f"{where}.success is not recorded; the call counts as failed"


def _of_tools(definitions: Any) -> Iterator[str]:
    try:
        read_tools(definitions)
    except AssayError as exc:
        yield f"available_{exc}"


def _of_history(history: Any) -> Iterator[str]:
    for i, turn in enumerate(history if isinstance(history, list) else []):
        if not isinstance(turn, dict) or "role" not in turn or "content" not in turn:
            yield f"conversation_history[{i}] needs a role and a content, got {preview(turn)}"


def _of_json(case: AgentTestCase) -> Iterator[str]:
    try:
        case.to_dict()
    except AssayError as exc:
        yield str(exc)


def _of_types(case: AgentTestCase) -> Iterator[str]:
    """A value that could be written but not read again: a number for a text, say."""
    try:
        case.from_dict(case.to_dict())
    except AssayError as exc:
        yield str(exc)


def _is_below(value: object, limit: int) -> bool:
    return _is_number(value) and value < limit


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, _NUMBERS)
