"""Arguments against schemas: drafts, broken and hostile schemas, hostile arguments."""

from __future__ import annotations

import socket
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.schema import Fit, explain_misfit, explain_misfits, schema_fit

if TYPE_CHECKING:
    from collections.abc import Iterator

OPEN = {
    "type": "object",
    "properties": {"n": {"type": "integer"}, "unit": {"enum": ["c", "f"]}},
    "required": ["n"],
}
CLOSED = {**OPEN, "additionalProperties": False}
DEFS = {
    "type": "object",
    "properties": {"p": {"$ref": "#/$defs/P"}},
    "$defs": {"P": {"type": "object", "required": ["lat"]}},
}
TREE = {"type": "object", "properties": {"child": {"$ref": "#"}}, "additionalProperties": False}

ARGUMENTS: list[tuple[Any, Any, Fit]] = [
    (None, {"anything": 1}, "fits"),
    ({}, {"anything": 1}, "fits"),
    (True, {"anything": 1}, "fits"),
    (False, {}, "violates"),
    (OPEN, {"n": 1}, "fits"),
    (OPEN, {"n": 22.0}, "fits"),
    (OPEN, {"n": 2**70}, "fits"),
    (OPEN, {"n": 1.5}, "violates"),
    (OPEN, {"n": True}, "violates"),
    (OPEN, {"n": "1"}, "violates"),
    (OPEN, {"n": None}, "violates"),
    (OPEN, {"n": 1, "unit": "k"}, "violates"),
    (OPEN, {"n": 1, "zzz": 1}, "fits"),
    (CLOSED, {"n": 1, "zzz": 1}, "violates"),
    (OPEN, {}, "violates"),
    (OPEN, None, "violates"),
    (OPEN, '{"n": 1}', "violates"),
    (OPEN, [], "violates"),
    (DEFS, {"p": {"lat": 1}}, "fits"),
    (DEFS, {"p": {}}, "violates"),
    (TREE, {"child": {"child": {}}}, "fits"),
    (TREE, {"child": {"child": {"leaf": 1}}}, "violates"),
    ({"properties": {"d": {"format": "date"}}}, {"d": "not a date"}, "fits"),
]


@pytest.mark.parametrize(("schema", "arguments", "fit"), ARGUMENTS)
def test_arguments_fit_or_do_not(schema: Any, arguments: Any, fit: Fit) -> None:
    assert schema_fit(schema, arguments) == fit


FOUR = "http://json-schema.org/draft-04/schema#"
SIX = "http://json-schema.org/draft-06/schema#"
SEVEN = "http://json-schema.org/draft-07/schema#"
NINETEEN = "https://json-schema.org/draft/2019-09/schema"
TWENTY = "https://json-schema.org/draft/2020-12/schema"
ABOVE_ZERO_AS_BOOLEAN = {"minimum": 0, "exclusiveMinimum": True}
TUPLE_OF_OLD = {"items": [{"type": "string"}]}
TUPLE_OF_NEW = {"prefixItems": [{"type": "string"}]}
DRAFTS: list[tuple[str | None, dict[str, Any], Any, Fit]] = [
    (FOUR, ABOVE_ZERO_AS_BOOLEAN, 0, "violates"),
    (FOUR.rstrip("#"), ABOVE_ZERO_AS_BOOLEAN, 1, "fits"),
    (SIX, ABOVE_ZERO_AS_BOOLEAN, 1, "broken_schema"),
    (SIX, {"const": 1}, 2, "violates"),
    (FOUR, {"const": 1}, 2, "fits"),
    (SEVEN, {"if": {"const": 1}, "then": False}, 1, "violates"),
    (SIX, {"if": {"const": 1}, "then": False}, 1, "fits"),
    (SEVEN, TUPLE_OF_OLD, [1], "violates"),
    (NINETEEN, TUPLE_OF_OLD, [1], "violates"),
    (NINETEEN, TUPLE_OF_NEW, [1], "fits"),
    (TWENTY, TUPLE_OF_NEW, [1], "violates"),
    (None, TUPLE_OF_NEW, [1], "violates"),
    (None, ABOVE_ZERO_AS_BOOLEAN, 1, "broken_schema"),
    ("http://example.org/my-dialect", TUPLE_OF_NEW, [1], "violates"),
    ("http://json-schema.org/draft-03/schema#", {"type": "integer"}, "x", "violates"),
]


@pytest.mark.parametrize(("draft", "rule", "value", "fit"), DRAFTS)
def test_the_declared_draft_is_used_else_the_newest(
    draft: str | None, rule: dict[str, Any], value: Any, fit: Fit
) -> None:
    declared = {} if draft is None else {"$schema": draft}
    assert schema_fit({**declared, "properties": {"v": rule}}, {"v": value}) == fit


def _cyclic_schema() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"me": schema}
    return schema


def _deep(levels: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(levels):
        found = {"properties": found}
    return found


BROKEN: list[tuple[Any, str]] = [
    ({"type": "objekt"}, "the server's schema is broken: "),
    ({"properties": {"a": {"pattern": "("}}}, 'the server\'s schema is broken: "(" is not a'),
    ({"$ref": "#/$defs/none"}, "the server's schema is broken: Pointer '/$defs/none' does not"),
    ("text", 'a schema is an object or a boolean, not "text"'),
    ([], "a schema is an object or a boolean, not []"),
    (5, "a schema is an object or a boolean, not 5"),
    ({"type": object()}, "the schema is not JSON: "),
    (_cyclic_schema(), "the schema is not JSON: maximum recursion depth exceeded"),
    (_deep(100_000), "the schema is not JSON: maximum recursion depth exceeded"),
]


@pytest.mark.parametrize(("schema", "problem"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_schema_is_told_apart(schema: Any, problem: str) -> None:
    assert schema_fit(schema, {"a": "x"}) == "broken_schema"
    assert explain_misfit(schema, {"a": "x"}).startswith(problem)


@pytest.mark.parametrize(
    ("schema", "arguments", "sentence"),
    [
        (OPEN, {"n": "x"}, '[\'n\']: "x" is not of type "integer"'),
        (OPEN, {}, '"n" is a required property'),
        (TREE, {"child": {"leaf": 1}}, "['child']: Additional properties are not allowed"),
        (OPEN, {"n": {1}}, "the arguments are not JSON: "),
        (OPEN, {"n": 1}, ""),
    ],
)
def test_a_misfit_is_explained_with_its_place(schema: Any, arguments: Any, sentence: str) -> None:
    found = explain_misfit(schema, arguments)
    assert found.startswith(sentence)
    assert bool(found) == bool(sentence)


@pytest.mark.parametrize(
    ("schema", "arguments", "sentence"),
    [
        (
            OPEN,
            {"unit": "k"},
            '"n" is a required property; [\'unit\']: "k" is not one of "c" or "f"',
        ),
        (OPEN, {"n": 1}, ""),
        (OPEN, "text", '"text" is not of type "object"'),
        (OPEN, {"n": float("inf")}, "['n']: "),
        ({"items": {"type": "string"}}, [1, 2, 3, 4], '[0]: 1 is not of type "string"; [1]: 2'),
        ({"type": "nothing"}, {}, "the server's schema is broken"),
    ],
)
def test_all_that_does_not_fit_is_told(schema: Any, arguments: Any, sentence: str) -> None:
    found = explain_misfits(schema, arguments)
    assert found.startswith(sentence)
    assert bool(found) == bool(sentence)
    assert "[3]" not in found  # of many, three


def _cyclic() -> dict[str, Any]:
    found: dict[str, Any] = {"n": 1}
    found["me"] = found
    return found


HOSTILE: list[Any] = [
    _cyclic(),
    {"n": _deep(100_000)},
    {"n": "\ud800"},
    {"n": b"x"},
    {"n": {1}},
    {"n": float("nan")},
    {"n": object()},
]


@pytest.mark.parametrize("arguments", HOSTILE, ids=range(len(HOSTILE)))
def test_arguments_that_are_no_json_do_not_fit(arguments: Any) -> None:
    assert schema_fit(OPEN, arguments) == "violates"
    assert explain_misfit(OPEN, arguments)


@pytest.mark.parametrize("pattern", [r"^(a+)+$", r"^(a|a)*(?!b)$", r"(a)\1(a*)*$"])
def test_a_hostile_pattern_costs_little_time(pattern: str) -> None:
    schema = {"properties": {"n": {"pattern": pattern}}}
    started = time.process_time()
    assert schema_fit(schema, {"n": "a" * 2_000 + "!"}) == "violates"
    assert time.process_time() - started < 5


def test_a_million_misfits_cost_as_little_as_one() -> None:
    schema = {"properties": {"n": {"items": {"type": "string"}}}}
    started = time.process_time()
    problem = "['n'][0]: 1 is not of type \"string\""
    assert explain_misfit(schema, {"n": [1] * 1_000_000}) == problem
    assert explain_misfits(schema, {"n": [1] * 1_000_000}) == problem
    assert time.process_time() - started < 2


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=8,
    )
)
def test_what_does_not_fit_is_explained_and_nothing_else(arguments: Any) -> None:
    fit = schema_fit(TREE, arguments)
    assert fit in {"fits", "violates"}
    assert bool(explain_misfit(TREE, arguments)) == (fit == "violates")


_watched: list[list[str]] = []


def _note(event: str, args: tuple[Any, ...]) -> None:
    if _watched and event in {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname"}:
        _watched[-1].append(f"{event} {args}")


sys.addaudithook(_note)


@contextmanager
def network_watched() -> Iterator[list[str]]:
    """What Python tried to reach meanwhile."""
    _watched.append([])
    try:
        yield _watched[-1]
    finally:
        _watched.pop()


@contextmanager
def listening() -> Iterator[tuple[str, list[str]]]:
    """A server of our own, and who knocked: the validator is compiled code, which no hook sees."""
    knocks: list[str] = []
    server = socket.create_server(("127.0.0.1", 0))

    def accept() -> None:
        while True:
            try:
                peer, address = server.accept()
            except OSError:
                return
            knocks.append(str(address))
            peer.close()

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    host, port = server.getsockname()
    try:
        yield f"http://{host}:{port}", knocks
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(timeout=5)


REMOTE: list[dict[str, Any]] = [
    {"$ref": "{host}/schema.json"},
    {"properties": {"n": {"$ref": "{host}/schema.json#/a"}}},
    {"$id": "{host}/root.json", "properties": {"n": {"$ref": "other.json"}}},
    {"$dynamicRef": "{host}/schema.json#x"},
    {"$schema": NINETEEN, "items": {"$recursiveRef": "#"}, "allOf": [{"$ref": "{host}/s.json"}]},
    {"$schema": FOUR, "id": "{host}/root.json", "properties": {"n": {"$ref": "other.json"}}},
]


@pytest.mark.parametrize("schema", REMOTE, ids=range(len(REMOTE)))
def test_a_remote_reference_is_refused_and_nothing_is_fetched(schema: dict[str, Any]) -> None:
    with listening() as (host, knocks), network_watched() as reached:
        asked = _with_host(schema, host)
        assert schema_fit(asked, {"n": 1}) == "broken_schema"
        assert "retrieving it failed" in explain_misfit(asked, {"n": 1})
    assert reached == []
    assert knocks == []


def _with_host(value: Any, host: str) -> Any:
    if isinstance(value, dict):
        return {key: _with_host(item, host) for key, item in value.items()}
    if isinstance(value, list):
        return [_with_host(item, host) for item in value]
    return value.replace("{host}", host)


@pytest.mark.parametrize("dialect", ["{host}/dialect.json", "{host}/schema#"])
def test_an_unknown_dialect_is_not_fetched(dialect: str) -> None:
    with listening() as (host, knocks), network_watched() as reached:
        schema = {"$schema": dialect.replace("{host}", host), "properties": {"n": {"type": "null"}}}
        assert schema_fit(schema, {"n": 1}) == "violates"
    assert reached == []
    assert knocks == []


def test_no_file_is_read_for_a_reference() -> None:
    problem = explain_misfit({"$ref": "file:///etc/hostname"}, {})
    assert "file:///etc/hostname is remote, and remote schemas are never fetched" in problem


def test_the_listening_server_does_hear_a_knock() -> None:
    with listening() as (host, knocks), network_watched() as reached:
        port = int(host.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=5) as peer:
            peer.recv(1)
    assert len(knocks) == 1
    assert any("socket.connect" in event for event in reached)
