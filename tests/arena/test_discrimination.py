"""The metrics tell a good agent from an ungrounded, a forgetful and a failing one."""

from __future__ import annotations

import pytest
from bench.discrimination import BEHAVIOURS, EXPECTED, MARKS, PAGE, WHOLE, Row, gather, rows_of

from assay.metrics.chatbot.evaluator import METRICS
from assay.metrics.chatbot.trace_twins import TWINS


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], Row]:
    pytest.importorskip("pydantic_ai", reason="the plain loop needs it")
    return {(row.metric, row.behaviour): row for row in rows_of(gather())}


def test_every_twin_has_an_expectation() -> None:
    assert EXPECTED.keys() == TWINS.keys()


@pytest.mark.timeout(900)
def test_every_metric_tells_apart_what_it_should(rows: dict[tuple[str, str], Row]) -> None:
    missed = [
        place for place, row in rows.items() if row.expected and row.told_apart is not row.expected
    ]
    assert missed == []


def test_each_difference_comes_with_its_interval(rows: dict[tuple[str, str], Row]) -> None:
    for behaviour in BEHAVIOURS:
        whole = rows[WHOLE, behaviour].worded
        assert whole.verdict == "worse"
        assert whole.interval is not None
        assert whole.interval.high < 0


def test_a_forgetful_agent_is_no_less_grounded(rows: dict[tuple[str, str], Row]) -> None:
    grounded = rows["groundedness", "forgetful"].traced
    assert grounded is not None
    assert grounded.difference == 0.0


def test_the_words_alone_praise_what_was_made_up(rows: dict[tuple[str, str], Row]) -> None:
    row = rows["task_completion", "ungrounded"]
    assert row.worded.verdict == "better"
    assert row.traced is not None
    assert row.traced.verdict == "worse"


def test_the_documented_table_has_every_row(rows: dict[tuple[str, str], Row]) -> None:
    shown = PAGE.read_text(encoding="utf-8").partition(MARKS[0])[2].partition(MARKS[1])[0]
    lines = [line.split(" | ")[:2] for line in shown.splitlines() if line.startswith("| ")][1:]
    assert [(metric.removeprefix("| "), behaviour) for metric, behaviour in lines] == list(rows)
    assert {metric for metric, _ in rows} - {WHOLE} <= METRICS.keys()
