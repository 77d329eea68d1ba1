"""Numbers that are so many times a known one. All answers were worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.factors import factors_in
from assay.evidence.provenance import trace_arguments


@pytest.mark.parametrize(
    ("text", "factors"),
    [
        ("twice as many, then half of it", {2.0, 0.5}),
        ("翻倍，另一个减半", {2.0, 0.5}),
        ("raise it by 15 %", {0.15, 1.15, 0.85}),
        ("3x of it", {3.0}),
        ("three of them", set()),
    ],
)
def test_factors_of_a_text(text: str, factors: set[float]) -> None:
    assert sorted(factors_in(text)) == pytest.approx(sorted(factors))


@pytest.mark.parametrize(
    ("prompt", "result", "value", "expected"),
    [
        ("Raise the maximum to twice its value.", {"max": 8}, 16, "derived"),
        ("Raise the maximum to twice its value.", {"max": 8}, 27, "nowhere"),
        ("Raise the price by 15 %.", {"price": 84.0}, 96.6, "derived"),
        ("Convert 1,800 francs to kroner.", {"rate": 7.9215}, 14258.7, "derived"),
        ("Convert 1,800 francs to kroner.", {"rate": 7.9215}, 14528.7, "nowhere"),
    ],
)
def test_a_known_number_so_many_times(
    prompt: str, result: Any, value: float, expected: str
) -> None:
    calls = call("get", {}, result), call("set", {"value": value})
    assert [found.status for found in trace_arguments(run(prompt, *calls)).values] == [expected]


def test_a_share_may_be_sent_for_a_percentage() -> None:
    def status(expression: str) -> str:
        calls = call("table", {}, "| 2 | 10% | 210 |"), call("calc", {"expression": expression})
        return trace_arguments(run("年终奖48000元", *calls)).values[0].status

    assert status("48000*0.10-210") == "derived"
    assert status("48000*0.25-210") == "partly"
