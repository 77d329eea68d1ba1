"""Values that a schema itself offers."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.schema_values import schema_values

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "unit": {"enum": ["celsius", "fahrenheit"], "default": "kelvin"},
        "version": {"const": 2},
        "sort": {"type": "string", "description": "One of created, updated or 'most-comments'."},
        "city": {"examples": ["Oslo"], "example": "Bergen"},
        "filters": {"type": "array", "items": {"$ref": "#/$defs/filter"}},
    },
    "$defs": {"filter": {"properties": {"op": {"anyOf": [{"enum": ["eq"]}, {"const": "lt"}]}}}},
}


@pytest.mark.parametrize(
    ("field", "value", "keyword"),
    [
        ("unit", "Celsius", "enum"),
        ("unit", "kelvin", "default"),
        ("unit", "rankine", None),
        ("version", 2, "const"),
        ("version", "2", "const"),
        ("sort", "updated", "description"),
        ("sort", "most comments", "description"),
        ("sort", "stars", None),
        ("city", "Oslo", "example"),
        ("city", "Bergen", "example"),
        ("op", "eq", "enum"),
        ("op", "lt", "const"),
    ],
)
def test_the_keyword_that_offers_a_value(field: str, value: Any, keyword: str | None) -> None:
    assert schema_values(SCHEMA)[field].keyword_for(value) == keyword


@pytest.mark.parametrize("schema", [None, True, [], "text", {}, {"properties": 3}, {"a": object()}])
def test_a_schema_that_says_nothing(schema: Any) -> None:
    assert all(not field.offered for field in schema_values(schema).values())


def test_a_schema_that_is_endless_in_breadth_is_read_in_part() -> None:
    wide = {"properties": {f"f{i}": {"enum": [i]} for i in range(50_000)}}
    assert 0 < len(schema_values(wide)) < 50_000
