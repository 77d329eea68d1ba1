"""Leaves: every scalar of JSON data with its path."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.json_leaves import MAX_DEPTH, as_text, leaf_text, leaves_of, scalars_in

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=20,
)


def test_paths_lead_through_objects_and_lists() -> None:
    data = {"orders": [{"id": "SO-1", "lines": [1, None]}], "odd key": {"a.b": True}}
    assert [(leaf.path, leaf.field, leaf.value) for leaf in leaves_of(data)] == [
        ("$.orders[0].id", "id", "SO-1"),
        ("$.orders[0].lines[0]", "lines", 1),
        ("$.orders[0].lines[1]", "lines", None),
        ("$['odd key']['a.b']", "a.b", True),
    ]


@pytest.mark.parametrize("scalar", ["text", 3, 2.5, None, False])
def test_a_scalar_is_its_own_leaf(scalar: Any) -> None:
    (leaf,) = leaves_of(scalar)
    assert (leaf.path, leaf.value) == ("$", scalar)


@settings(deadline=None)
@given(JSON)
def test_there_are_as_many_leaves_as_scalars(data: Any) -> None:
    def scalars(value: Any) -> int:
        if isinstance(value, dict):
            return sum(map(scalars, value.values()))
        return sum(map(scalars, value)) if isinstance(value, list) else 1

    leaves = leaves_of(data)
    assert len(leaves) == scalars(data)
    assert len({leaf.path for leaf in leaves}) == len(leaves)


def test_data_that_holds_itself_ends() -> None:
    endless: dict[str, Any] = {"a": 1}
    endless["again"] = endless
    assert len(leaves_of(endless)) == MAX_DEPTH


def test_text_of_data_parts_its_numbers() -> None:
    assert as_text({"a": [1, 234]}) == '{"a": [1, 234]}'
    assert as_text("as it is") == "as it is"
    assert as_text(None) == ""
    assert as_text({"a": object()}) == ""


def test_escapes_do_not_stick_to_words() -> None:
    assert as_text({"a": 'one\ntwo "three"'}) == '{"a": "one two "three""}'


def test_an_absurd_integer_has_no_text() -> None:
    assert leaf_text(10**5000) == ""
    assert leaf_text(12) == "12"


@settings(deadline=None)
@given(JSON)
def test_the_text_of_json_holds_every_plain_word_of_it(data: Any) -> None:
    text = as_text({"data": data, "word": "needle"})
    assert "needle" in text
    assert msgspec.json.encode({"data": data})


def test_scalars_are_those_of_the_leaves() -> None:
    value = {"a": [1, {"b": None}, "x"], "c": {"d": (2.5, True)}, "e": []}
    assert sorted(map(repr, scalars_in(value))) == sorted(
        repr(leaf.value) for leaf in leaves_of(value)
    )
    assert list(scalars_in("x")) == ["x"]


def test_scalars_of_what_holds_itself_come_to_an_end() -> None:
    held: list[object] = []
    held += [held, 1]
    assert set(scalars_in(held)) == {1}
