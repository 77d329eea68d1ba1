"""What agents, models and tools hand over, as a record can hold it."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from assay.agents.foreign_code import attempt_now
from assay.json_values import without_surrogates
from assay.records import preview

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

# A record has levels of its own above these, and may have no more than `json_values.MAX_DEPTH`.
_MOST_LEVELS = 100
_LONGEST_TEXT = 100_000
_OF_CASE = ("input", "actual_output", "conversation_history", "available_tools", "extra")
_OF_CALL = ("tool", "parameters", "result", "server", "error_message", "call_id")


def recordable(value: object, *, level: int = 0) -> Any:
    """The value as JSON holds it: what fits stays equal, what does not becomes text.

    Half a character or NaN in one turn must not keep that turn, and those written with it, from
    being recorded.
    """
    below = level + 1
    match value:
        case None | bool() | int():
            return value
        case str():
            return without_surrogates(value)
        case float() if isfinite(value):
            return value
        case dict() if level < _MOST_LEVELS:
            return {_text(k): recordable(item, level=below) for k, item in value.items()}
        case list() | tuple() if level < _MOST_LEVELS:
            return [recordable(item, level=below) for item in value]
    return preview(value) if isinstance(value, dict | list | tuple) else _text(value)


def _text(value: object) -> str:
    if isinstance(value, str):
        return without_surrogates(value)
    done = attempt_now(lambda: str(value)[:_LONGEST_TEXT])
    return without_surrogates(done.value) if done.raised is None else preview(value)


def make_recordable(case: AgentTestCase) -> None:
    """Have a case, and each of its calls, hold nothing that cannot be written."""
    for name in _OF_CASE:
        setattr(case, name, recordable(getattr(case, name)))
    for call in case.calls:
        for name in _OF_CALL:
            setattr(call, name, recordable(getattr(call, name)))
