"""Records with any values in any fields, for properties that hold for all of them."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from hypothesis import strategies as st

from assay import MCPExecutionData, RunOutcome, Source, ToolExecutionResult, Usage
from assay.expectation import Expectations, ExpectedWrite

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
# What each annotation of the records may hold, beside None where it may be missing.
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "str": texts,
    "bool": st.booleans(),
    "int": st.integers(),
    "float": numbers,
    "Any": json_values,
    "list[str]": st.lists(texts, max_size=2),
    "list[Any]": st.lists(json_values, max_size=2),
    "dict[str, Any]": st.dictionaries(texts, json_values, max_size=2),
    "list[dict[str, Any]]": st.lists(st.dictionaries(texts, json_values, max_size=2), max_size=2),
}


def records(cls: Any) -> st.SearchStrategy[Any]:
    """Records of that class with any values in any fields, and keys it does not know."""
    return st.builds(
        cls,
        **{field.name: _values_of(field) for field in fields(cls) if field.name != "extra"},
        extra=st.dictionaries(texts.filter(_is_unknown_to(cls)), json_values, max_size=2),
    )


def _values_of(field: Any) -> st.SearchStrategy[Any]:
    kind = field.type.removesuffix(" | None")
    values = VALUES[kind] if kind in VALUES else st.deferred(lambda: NESTED[kind])
    if kind != field.type:
        values = st.none() | values
    return values if field.default is MISSING else st.just(field.default) | values


def _is_unknown_to(cls: Any) -> Any:
    known = {field.name for field in fields(cls)} - {"extra"} | {"schema_version"}
    return lambda name: name not in known


expected_writes = st.builds(
    ExpectedWrite,
    tool=texts.filter(bool),
    arguments=st.none() | st.dictionaries(texts, json_values, max_size=2),
    values=st.none() | st.lists(json_values, max_size=2),
    target=st.none() | texts,
    count=st.integers(1, 3),
)
NESTED = {
    "Expectations": st.builds(
        Expectations,
        writes=st.none() | st.lists(expected_writes, max_size=2),
        write_count=st.none() | st.integers(0, 5),
        forbidden=st.none() | st.lists(expected_writes, max_size=2),
        answer=st.none() | st.lists(texts, max_size=2),
        extra_writes=st.sampled_from(["count", "ignore"]),
    ),
    "ToolExecutionResult": records(ToolExecutionResult),
    "list[ToolExecutionResult]": st.lists(records(ToolExecutionResult), max_size=2),
    "MCPExecutionData": records(MCPExecutionData),
    "RunOutcome": records(RunOutcome),
    "Usage": records(Usage),
    "Source": records(Source),
}
