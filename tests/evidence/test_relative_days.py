"""Days as seen from the day of a run, or by the month that somebody named."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.provenance import trace_arguments
from assay.evidence.relative_days import is_of_month, months_named, near_today, speaks_of_time

STARTED = datetime(2026, 3, 17, 9, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    "text", ["see you on Thursday", "本周三开会", "这个月的账单", "上季度", "last week"]
)
def test_speaks_of_a_time_as_seen_from_today(text: str) -> None:
    assert speaks_of_time(text)


@pytest.mark.parametrize("text", ["it was sunny", "周到的服务", "the monitor"])
def test_says_nothing_of_today(text: str) -> None:
    assert not speaks_of_time(text)


def test_a_month_is_near_today_within_a_year() -> None:
    today = date(2026, 3, 17)
    assert near_today((2026, 2, 0), today)
    assert near_today((2025, 3, 0), today)
    assert not near_today((2024, 12, 0), today)


@pytest.mark.parametrize(
    ("text", "months"),
    [
        ("How much in March and Sept.?", {3, 9}),
        ("you may march on", set()),
        ("in May", {5}),
        ("3月的销售额和12月份相比", {3, 12}),
        ("ventas de enero", {1}),
    ],
)
def test_months_are_known_by_their_names(text: str, months: set[int]) -> None:
    assert months_named(text) == months


@pytest.mark.parametrize(
    ("day", "is_so"),
    [
        ((2026, 3, 0), True),
        ((2026, 3, 1), True),
        ((2026, 3, 31), True),
        ((2026, 4, 1), True),
        ((2026, 3, 12), False),
        ((2026, 4, 30), False),
        ((2026, 4, 0), False),
    ],
)
def test_a_month_has_its_bounds(day: tuple[int, int, int], is_so: bool) -> None:
    assert is_of_month(day, {3}) is is_so


def status(prompt: str, arguments: object, *before: object) -> list[str]:
    calls = [call("get", {}, result) for result in before]
    traced = trace_arguments(run(prompt, *calls, call("find", arguments), started_at=STARTED))
    return [value.status for value in traced.values if value.call == len(before)]


def test_the_bounds_of_a_named_month_follow_from_the_day_of_the_run() -> None:
    asked = "How many orders came in February?"
    assert status(asked, {"from": "2026-02-01", "to": "2026-02-28"}) == ["derived", "derived"]
    assert status(asked, {"from": "2026-05-01"}) == ["nowhere"]


def test_this_month_follows_from_the_day_of_the_run() -> None:
    assert status("这个月的账单多少？", {"month": "2026-03"}) == ["derived"]


def test_a_day_without_its_year_is_reckoned_as_one_with() -> None:
    before = {"start": "2026-03-10T14:20"}
    asked = "Move it by two days and tell them."
    assert status(asked, {"text": "It is on 12 March now."}, before) == ["derived"]
    assert status(asked, {"text": "It is on 15 March now."}, before) == ["nowhere"]


def test_a_day_without_its_year_follows_from_the_day_of_the_run() -> None:
    assert status("订下周二的会议室并通知她", {"text": "会议在3月24日。"}) == ["derived"]


def test_a_year_ends_before_the_first_day_of_the_next() -> None:
    asked = "What was the mean in 2024?"
    assert status(asked, {"from": "2024-01-01", "until": "2025-01-01"}) == ["derived", "derived"]
    assert status(asked, {"until": "2022-01-01"}) == ["nowhere"]


def test_tomorrow_is_not_in_two_weeks() -> None:
    assert status("订后天的票", {"date": "2026-03-19"}) == ["derived"]
    assert status("订后天的票", {"date": "2026-03-31"}) == ["nowhere"]
    assert status("订后天的票，下个月回来", {"date": "2026-03-31"}) == ["derived"]
    assert status("Leave tomorrow, stay two weeks.", {"until": "2026-03-31"}) == ["derived"]
