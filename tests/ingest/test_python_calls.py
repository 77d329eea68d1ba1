"""Calls written as Python are read, and never run."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.ingest.python_calls import LONGEST, python_calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ("f(a=1)", [("f", {"a": 1})]),
        ("\n[f(a='x'), m.g(b=[1, 2])]", [("f", {"a": "x"}), ("m.g", {"b": [1, 2]})]),
        ("f(a=1), g()", [("f", {"a": 1}), ("g", {})]),
        ("f({'a': 1})", [("f", {"a": 1})]),
        ("f(a=None, b=(1, 2), c=-1.5)", [("f", {"a": None, "b": [1, 2], "c": -1.5})]),
        ("f(a=name, b=x.y)", [("f", {"a": "name", "b": "x.y"})]),
        ("f(a={1: 2})", [("f", {"a": "{1: 2}"})]),
        ("f(1, 'x')", [("f", "1, 'x'")]),
        ("f(**rest)", [("f", "**rest")]),
        (r"f(a='\d')", [("f", {"a": r"\d"})]),
        (r"f(a='\ud800')", [("f", {"a": r"'\ud800'"})]),
        (r"f({'\ud800': 1})", [("f", r"{'\ud800': 1}")]),
        ('f(a=f"""{\'\x01\'}""")', []),
        ("[]", []),
        ("", []),
        ("I would call f(a=1).", []),
        ("f(a=1) + 1", []),
        ("[f(a=1), 'text']", []),
        ("(lambda: 0)()", []),
        ("f()()", []),
        ("f(a=", []),
    ],
)
def test_reading(text: str, calls: list[tuple[str, Any]]) -> None:
    assert [(call.tool, call.parameters) for call in python_calls(text)] == calls


@pytest.mark.parametrize(
    "text",
    [
        "[" * 19_000,
        "-" * 19_000 + "1",
        "f(" * 6_000 + ")" * 6_000,
        "f" + ".a" * 9_000 + "()",
        "f(x=" + "1+" * 9_000 + "1)",
        "f(x=" + "9" * 19_000 + ")",
        "f(x=1)" + " " * LONGEST + ",",
        "f(x='\0')",
    ],
)
def test_hostile_text_costs_little(text: str) -> None:
    start = process_time()
    assert len(python_calls(text)) <= 1
    assert process_time() - start < 5


@given(st.text(alphabet="fab(),=[]{}'\"\\:.*-1 \n", max_size=60))
def test_no_text_is_too_odd(text: str) -> None:
    assert isinstance(python_calls(text), list)
