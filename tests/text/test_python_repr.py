"""Pictures of Python values become the values again, or are refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.python_repr import NotPython, parse_repr

texts = st.text(st.characters(exclude_categories=["Cs"]))
plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)


@given(plain)
def test_what_python_pictures_comes_back(value: Any) -> None:
    assert parse_repr(repr(value)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=1 b='x'", {"a": 1, "b": "x"}),
        ("Name(a=1, b=[Other(c=None)])", {"a": 1, "b": [{"c": None}]}),
        ("(1, 2)", [1, 2]),
        ("{1, 2}", [1, 2]),
        ("{1: 'a'}", {"1": "a"}),
        ("set()", []),
        ("Decimal('1.20')", 1.2),
        ("datetime.date(2024, 1, 5)", "2024-01-05"),
        ("datetime.datetime(2024, 1, 5, 7, 30)", "2024-01-05T07:30:00"),
        ("datetime.time(7, 5)", "07:05:00"),
        ("UUID('ab')", "ab"),
        ("<Role.USER: 1>", "<Role.USER: 1>"),
        (r"'\x41\u4e2d\U0001F600\101\q'", "A中😀Aq"),
        (r"r'\n'", r"\n"),
        (r"'\ud800'", "\ufffd"),
        ("1e999", "1e999"),
        ("1_000", 1_000),
    ],
)
def test_forms(text: str, value: Any) -> None:
    assert parse_repr(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "[1",
        "[1}",
        "1 2",
        "a=",
        "{'a': b=1}",
        "{'a': 1, 2}",
        "'open",
        "f(",
        "=",
        "__import__('os')()",
    ],
)
def test_what_is_no_picture_is_refused(text: str) -> None:
    with pytest.raises(NotPython):
        parse_repr(text)


def test_a_cut_picture_keeps_its_beginning() -> None:
    cut = "meta=None content=[TextContent(type='text', text='Error: the que"
    found = parse_repr(cut, forgive_cut=True)
    assert found == {"meta": None, "content": [{"type": "text", "text": "Error: the que"}]}


def test_depth_and_size_are_bounded() -> None:
    with pytest.raises(NotPython, match="levels deep"):
        parse_repr("[" * 100 + "]" * 100)
    with pytest.raises(NotPython, match="parts"):
        parse_repr("[" + "1," * 200_001 + "]")


def test_nothing_is_ever_run() -> None:
    assert parse_repr("__import__('os')") == "os"
