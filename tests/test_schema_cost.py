"""Which schemas may be checked: none that would take for ever, however it refers to itself."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from assay.schema import expansion, explain_misfit, schema_fit, why_too_costly

if TYPE_CHECKING:
    from collections.abc import Callable

SEVEN = "http://json-schema.org/draft-07/schema#"
FOUR = "http://json-schema.org/draft-04/schema#"
TOO_MANY = "the server's schema refers to itself in too many ways to be checked"
WITHOUT_END = "the server's schema refers back to itself without end"
AMBIGUOUS = "the server's schema names its parts in ways too involved to be checked"


def doubling(
    steps: int,
    *,
    keyword: str = "allOf",
    reference: str = "$ref",
    to: Callable[[int], str] = "#/$defs/s{}".format,
    name: Callable[[int], dict[str, str]] = lambda _: {},
    last: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """A schema of so many steps, each of which refers to the next one twice."""
    parts = {
        f"s{i}": {keyword: [{reference: to(i + 1)}, {reference: to(i + 1)}], **name(i)}
        for i in range(steps)
    }
    end = {"type": "object"} if last is None else last
    return {"$ref": to(0), "$defs": {**parts, f"s{steps}": {**end, **name(steps)}}}


COSTLY: dict[str, tuple[Any, str]] = {
    "allOf": (doubling(60), TOO_MANY),
    "anyOf": (doubling(60, keyword="anyOf"), TOO_MANY),
    "oneOf": (doubling(60, keyword="oneOf"), TOO_MANY),
    "dynamic references": (doubling(60, reference="$dynamicRef"), TOO_MANY),
    "anchors": (doubling(60, to="#s{}".format, name=lambda i: {"$anchor": f"s{i}"}), TOO_MANY),
    "ids": (doubling(60, to="s{}.json".format, name=lambda i: {"$id": f"s{i}.json"}), TOO_MANY),
    "ids with a host": (
        doubling(60, to="http://x/s{}".format, name=lambda i: {"$id": f"http://x/s{i}"}),
        TOO_MANY,
    ),
    "anchors of draft 7": (
        doubling(60, to="#s{}".format, name=lambda i: {"$id": f"#s{i}"}) | {"$schema": SEVEN},
        TOO_MANY,
    ),
    "ids of draft 4": (
        doubling(60, to="s{}".format, name=lambda i: {"id": f"s{i}"}) | {"$schema": FOUR},
        TOO_MANY,
    ),
    "escaped paths": (doubling(60, to="#/%24defs/s{}".format), TOO_MANY),
    "itself": ({"$ref": "#"}, WITHOUT_END),
    "itself, by 2019-09": ({"$recursiveRef": "#"}, WITHOUT_END),
    "itself, negated": ({"not": {"$ref": "#"}}, WITHOUT_END),
    "itself, on a condition": ({"dependentSchemas": {"a": {"$ref": "#"}}}, WITHOUT_END),
    "each other": (
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        WITHOUT_END,
    ),
    "a circle below a property": (
        {
            "properties": {"p": {"$ref": "#/$defs/a"}},
            "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}]}},
        },
        WITHOUT_END,
    ),
    "few steps in a circle": (doubling(16, last={"$ref": "#/$defs/s0"}), WITHOUT_END),
    "a name that stands twice": (
        {
            "$ref": "#a",
            "$defs": {"a": {"$anchor": "a"}, "b": {"$id": "b", "not": {"$anchor": "a"}}},
        },
        AMBIGUOUS,
    ),
    "a path inside a schema with its own id": (
        {"allOf": [{"$id": "b", "$ref": "#/$defs/c", "$defs": {"c": {}}}], "$defs": {"c": {}}},
        AMBIGUOUS,
    ),
}


@pytest.mark.parametrize("kind", COSTLY)
def test_a_schema_that_takes_too_long_is_the_servers_fault(kind: str) -> None:
    schema, problem = COSTLY[kind]
    started = time.process_time()
    assert schema_fit(schema, {"a": 1}) == "broken_schema"
    assert explain_misfit(schema, {"a": 1}) == problem
    assert time.process_time() - started < 2


HARMLESS: dict[str, Any] = {
    "a tree": {"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}},
    "a list of itself": {"anyOf": [{"type": "string"}, {"items": {"$ref": "#"}}]},
    "ten steps": doubling(10),
    "a property that is called $ref": {"properties": {"$ref": {"type": "string"}}},
    "an example that looks like a schema": {
        "examples": [{"$ref": "#"}, {"$id": "a"}, {"$id": "a"}]
    },
    "an id property": {"properties": {"id": {"type": "string", "default": "a"}}},
    "references by id": {
        "$id": "http://x/root",
        "properties": {"a": {"$ref": "item"}, "b": {"$ref": "item"}},
        "$defs": {"item": {"$id": "item", "type": ["integer", "object"]}},
    },
    "an anchor of both kinds": {
        "$ref": "#a",
        "$defs": {"a": {"$anchor": "a", "$dynamicAnchor": "a", "type": "object"}},
    },
    "true": True,
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_a_schema_that_people_write_is_checked(kind: str) -> None:
    assert why_too_costly(HARMLESS[kind]) is None
    assert schema_fit(HARMLESS[kind], {"a": 1}) == "fits"


def test_expansion_is_counted_by_hand() -> None:
    shared = {"a": {"$ref": "#/$defs/x"}, "b": {"$ref": "#/$defs/x"}}
    # the schema, `properties`, its two entries, and x for each of them
    assert expansion({"properties": shared, "$defs": {"x": {"type": "string"}}}) == 6
    # the schema and its items, and both once more for the circle
    assert expansion({"items": {"$ref": "#"}}) == 4
    assert expansion({"$ref": "#/nowhere/0"}) == 1
