"""The calls a run is expected to make, as people write them down.

A reference is a list of calls: names, objects with a name and arguments, or lists of these for
calls that may come in any order among themselves. `{"any_of": [reference, …]}` accepts several.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from assay.errors import InvalidRecord
from assay.execution import ToolExecutionResult
from assay.metrics.stated_calls import ARGUMENT_KEYS, calls_named
from assay.records import preview

# The calls of a group are matched subset by subset, and subsets double with each call.
LARGEST_GROUP = 8


class ExpectedCall(Struct, frozen=True):
    """A call to make; arguments of None accept any, a server of None accepts every one."""

    tool: str
    arguments: dict[str, Any] | None = None
    server: str | None = None


Group = tuple[ExpectedCall, ...]
"""Calls in any order among themselves."""

Reference = tuple[Group, ...]
"""Groups that follow each other; most hold a single call."""


def read_references(expected: Any) -> tuple[Reference, ...]:
    """The accepted references: one for a list of calls, several for `any_of`."""
    if isinstance(expected, list | tuple) and len(expected) == 1 and _is_choice(expected[0]):
        expected = expected[0]
    if not _is_choice(expected):
        return (_reference(expected, "expected_tools"),)
    accepted = expected["any_of"]
    if not isinstance(accepted, list | tuple) or not accepted:
        raise InvalidRecord(f"any_of: expected a list of references, got {preview(accepted)}")
    return tuple(_reference(entry, f"any_of[{i}]") for i, entry in enumerate(accepted))


def _is_choice(entry: Any) -> bool:
    return isinstance(entry, Mapping) and "any_of" in entry


def _reference(entries: Any, where: str) -> Reference:
    if not isinstance(entries, list | tuple):
        raise InvalidRecord(f"{where}: expected a list of calls, got {preview(entries)}")
    return tuple(_group(entry, f"{where}[{i}]") for i, entry in enumerate(entries))


def _group(entry: Any, where: str) -> Group:
    if not isinstance(entry, list | tuple):
        return (_call(entry, where),)
    if not 0 < len(entry) <= LARGEST_GROUP:
        raise InvalidRecord(
            f"{where}: a group holds 1 to {LARGEST_GROUP} calls, got {len(entry)}; "
            'for a longer list that may come in any order use order="any_order"'
        )
    return tuple(_call(one, f"{where}[{i}]") for i, one in enumerate(entry))


def _call(entry: Any, where: str) -> ExpectedCall:
    (call,) = calls_named([entry])
    if not call.tool:
        raise InvalidRecord(f"{where}: an expected call needs a name, got {preview(entry)}")
    if not _states_arguments(entry):
        return ExpectedCall(call.tool, None, call.server)
    if not isinstance(call.parameters, dict):
        raise InvalidRecord(
            f"{where}: expected arguments are an object, got {preview(call.parameters)}"
        )
    return ExpectedCall(call.tool, call.parameters, call.server)


def _states_arguments(entry: Any) -> bool:
    if isinstance(entry, ToolExecutionResult):
        return True
    fields = entry if isinstance(entry, Mapping) else getattr(entry, "__dict__", {})
    inner = fields.get("function")
    fields = inner if isinstance(inner, Mapping) else fields
    return any(fields.get(key) is not None for key in ARGUMENT_KEYS)
