"""What a recording tells beside what we ask, kept apart from our own fields.

Files name their facts as they like, and some as we do: `usage`, `outcome`, `context`. One that fits
where we have nothing to say is taken for ours. Beside our own, any other would be lost, or the run
could not be read back.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from assay.errors import AssayError
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.records import KEPT_APART, field_names
from assay.test_case import AgentTestCase

_VERSION = "schema_version"
# The least that a record needs to be read.
_LEAST: dict[Any, dict[str, Any]] = {
    AgentTestCase: {"input": "", "actual_output": None},
    MCPExecutionData: {"tool_executions": []},
    ToolExecutionResult: {"tool": "", "parameters": {}},
}


def keep_apart(case: AgentTestCase) -> AgentTestCase:
    """Rename what else was told of a case and its parts where it cannot stand beside our fields.

    `usage` becomes `recorded_usage`. The case is changed in place, and returned.
    """
    if case.extra:
        _rename(
            case, [key for key in _shared(case) if _is_taken(case, key) or not _fits(case, key)]
        )
    for part in (case.execution_data, case.outcome, case.usage, *case.calls):
        if part is not None and part.extra:
            _rename(part, [k for k in _shared(part) if not (_is_taken(part, k) or _fits(part, k))])
    return case


def _shared(record: Any) -> list[str]:
    """The names that both a field of ours and another fact have."""
    cls: Any = type(record)
    own = _own_names(cls)
    return [] if own.isdisjoint(record.extra) else sorted(own.intersection(record.extra))


def _is_taken(record: Any, key: str) -> bool:
    """Whether a field of ours stands in the way of another fact."""
    cls: Any = type(record)
    is_set = getattr(record, key, None) is not None
    return is_set or key == "source" or key in _always_written(cls)


def _fits(record: Any, key: str) -> bool:
    """Whether a record with that fact can be read back."""
    cls: Any = type(record)
    try:
        cls.from_dict({**_LEAST.get(cls, {}), key: record.extra[key]})
    except AssayError:
        return False
    return True


def _rename(record: Any, keys: list[str]) -> None:
    if not keys:
        return
    kept = {key: value for key, value in record.extra.items() if key not in keys}
    for key in keys:
        name = f"{KEPT_APART}{key}"
        while name in kept:
            name = f"{KEPT_APART}{name}"
        kept[name] = record.extra[key]
    record.extra = kept


@cache
def _always_written(cls: Any) -> frozenset[str]:
    return frozenset(cls.from_dict(_LEAST.get(cls, {})).to_dict()) - {_VERSION}


@cache
def _own_names(cls: Any) -> frozenset[str]:
    return field_names(cls) | ({_VERSION} if cls is AgentTestCase else set())
