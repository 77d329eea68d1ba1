"""Expectations: read strictly, written back as they were, refused with a reason."""

from __future__ import annotations

from typing import Any

import pytest

from assay import AgentTestCase, Expectations, ExpectedWrite
from assay.errors import InvalidRecord

WHOLE = {
    "writes": [{"tool": "pay", "arguments": {"id": 1}, "key": ["id"], "values": ["x"], "count": 2}],
    "write_count": 2,
    "forbidden": [{"tool": "delete_*"}, {"target": "users"}],
    "answer": ["42"],
    "extra_writes": "ignore",
}


def test_what_goes_in_comes_out() -> None:
    found = Expectations.from_dict(WHOLE)
    assert found.writes is not None
    assert found.writes[0] == ExpectedWrite("pay", {"id": 1}, ["id"], ["x"], count=2)
    assert found.to_dict() == WHOLE


def test_a_tool_alone_will_do() -> None:
    assert ExpectedWrite.from_dict("pay") == ExpectedWrite("pay")


@pytest.mark.parametrize(
    ("stated", "anything"),
    [
        ({}, False),
        ({"extra_writes": "ignore"}, False),
        ({"writes": []}, True),
        ({"answer": []}, True),
    ],
)
def test_whether_anything_is_stated(stated: dict[str, Any], *, anything: bool) -> None:
    assert Expectations.from_dict(stated).states_anything is anything


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "expected_effects: expected an object, got list"),
        ({"writes": "pay"}, "expected_effects.writes: expected a list of writes, got str 'pay'"),
        ({"writez": []}, "expected_effects.writez: no such field. Did you mean 'writes'?"),
        ({"writes": [{}]}, r"writes\[0\]: says nothing; give it a tool, arguments"),
        ({"writes": [{"tool": 3}]}, r"writes\[0\]\.tool: expected str"),
        ({"writes": [{"tol": "a", "tool": "b"}]}, r"writes\[0\]\.tol: no such field"),
        ({"writes": [{"tool": "a", "count": 0}]}, r"count: expected 1 or more, got 0"),
        ({"writes": [{"tool": "a", "key": ["b"]}]}, "'b' is none of the arguments given"),
        ({"forbidden": [3]}, r"forbidden\[0\]: expected an object, got int 3"),
        ({"write_count": -1}, "write_count: expected 0 or more, got -1"),
        ({"extra_writes": "hide"}, "extra_writes: invalid enum value 'hide'|extra_writes"),
        ({"answer": [4]}, "expected_effects.answer"),
    ],
)
def test_what_cannot_be_meant_is_refused(data: Any, message: str) -> None:
    with pytest.raises(InvalidRecord, match=message):
        Expectations.from_dict(data)


def test_expectations_under_another_name_are_doubted() -> None:
    case = AgentTestCase.from_dict({"input": "a", "actual_output": "b", "expectations": {}})
    assert case.validate() == ["expectations is not a field; did you mean 'expected_effects'?"]
