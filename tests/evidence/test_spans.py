"""Spans of time that people speak of."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run

from assay.evidence.provenance import trace_arguments
from assay.evidence.spans import DAY_UNITS, MINUTE_UNITS, WEEKDAYS, Spans, spans_in

MONTH = frozenset(range(28, 32))


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("four nights from 3 May", {4}),
        ("within 5 to 7 business days", {7}),
        ("next week", {7}),
        ("in two weeks", {14}),
        ("a month ago", MONTH),
        ("两个月后", set(range(58, 63))),
        ("six months later", set(range(180, 187))),
        ("half a year", {182, 183}),
        ("三天后", {3}),
        ("出差3天", {3}),
        ("二十一天后", {21}),
        ("twenty days later", {20}),
        ("in twenty-one days", {21}),
        ("1.5 weeks", {10}),
        ("two and a half weeks", {18}),
        ("1,000 days", set()),
        ("a holiday on Friday", set()),
        ("2026年3月20日", set()),
        ("3月20日（周五）", set()),
        ("900 years", set()),
    ],
)
def test_spans_of_days(text: str, days: set[int]) -> None:
    assert spans_in(text).days == days


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("half an hour before", {30}),
        ("a 45-minute walk", {45}),
        ("two hours early", {120}),
        ("2.5 hours early", {150}),
        ("two and a half hours early", {150}),
        ("二十分钟后", {20}),
        ("提前90分钟", {90}),
        ("an hour and a half", {60, 90}),
        ("至少提前一小时", {60}),
        ("提前一个半小时", {90}),
        ("at the last minute of it", {1}),
        ("mining", set()),
    ],
)
def test_spans_of_minutes(text: str, minutes: set[int]) -> None:
    assert spans_in(text).minutes == minutes


@pytest.mark.parametrize(
    ("text", "days", "minutes"),
    [
        ("a few days later", {2, 3, 4, 5, 6, 7}, set()),
        ("in the coming days", {2, 3, 4, 5, 6, 7}, set()),
        ("several weeks", {14, 21, 28, 35, 42, 49}, set()),
        ("三四天", {2, 3, 4, 5, 6, 7}, set()),
        ("a few hours early", set(), {120, 180, 240, 300, 360, 420}),
    ],
)
def test_spans_that_are_left_open(text: str, days: set[int], minutes: set[int]) -> None:
    assert spans_in(text) == Spans(some_days=frozenset(days), some_minutes=frozenset(minutes))


@pytest.mark.parametrize("unit", [unit for unit, (least, _) in DAY_UNITS.items() if least > 1])
def test_every_longer_unit_of_days(unit: str) -> None:
    least, most = DAY_UNITS[unit]
    assert spans_in(f"in 1 {unit}").days == set(range(least, most + 1))


@pytest.mark.parametrize("months", range(1, 20))
def test_no_months_one_after_the_other_are_left_out(months: int) -> None:
    starts = [date(year, month, 1) for year in range(2020, 2030) for month in range(1, 13)]
    lengths = {(end - begin).days for begin, end in zip(starts, starts[months:], strict=False)}
    assert lengths <= spans_in(f"in {months} months").days


@pytest.mark.parametrize("unit", [unit for unit, (least, _) in DAY_UNITS.items() if least == 1])
def test_every_unit_of_one_day(unit: str) -> None:
    assert spans_in(f"in 3 {unit}").days == {3}


@pytest.mark.parametrize("unit", MINUTE_UNITS)
def test_every_unit_of_minutes(unit: str) -> None:
    assert spans_in(f"in 3 {unit}").minutes == {3 * MINUTE_UNITS[unit]}


@pytest.mark.parametrize("name", WEEKDAYS)
def test_every_day_of_the_week(name: str) -> None:
    assert spans_in(f"on {name}").weekdays == {WEEKDAYS[name]}


def test_a_weekend_may_begin_on_friday() -> None:
    assert spans_in("for the weekend").weekdays == {4, 5, 6}


def test_a_day_before_and_after_go_without_saying() -> None:
    assert Spans().days_to(0) == [1]
    assert Spans(days=frozenset({3}), weekdays=frozenset({4})).days_to(0) == [1, 3]
    assert Spans(weekdays=frozenset({4})).days_to(4) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("prompt", "status"),
    [
        ("A room from 2026-05-04, please.", "nowhere"),
        ("A room from 2026-05-04 for three nights, please.", "derived"),
        ("A room from 2026-05-04 until Thursday, please.", "derived"),
        ("A room from 2026-05-04 until Friday, please.", "nowhere"),
    ],
)
def test_a_date_some_days_away_must_have_been_spoken_of(prompt: str, status: str) -> None:
    case = run(prompt, call("search", {"until": "2026-05-07"}, []))
    (value,) = trace_arguments(case).values
    assert value.status == status


@pytest.mark.parametrize(
    ("prompt", "listed", "status"),
    [
        ("Some weeks later, please.", 8, "derived"),
        ("Some weeks later, please.", 9, "nowhere"),
        ("Some weeks after 2026-05-04, please.", 9, "derived"),
        ("Three weeks later, please.", 9, "derived"),
    ],
)
def test_an_open_span_leads_from_a_result_only_if_it_says_few_days(
    prompt: str, listed: int, status: str
) -> None:
    days = [f"2026-05-{4 + i:02}" for i in range(listed)]
    case = run(prompt, call("list", {}, days), call("book", {"day": "2026-05-25"}, {}))
    (value,) = trace_arguments(case).values
    assert value.status == status


@pytest.mark.parametrize(
    ("prompt", "listed", "status"),
    [
        ("A few hours later, please.", 4, "derived"),
        ("A few hours later, please.", 5, "nowhere"),
        ("A few hours after 8:30, please.", 5, "derived"),
        ("Three hours later, please.", 5, "derived"),
    ],
)
def test_an_open_span_leads_from_a_result_only_if_it_says_few_times(
    prompt: str, listed: int, status: str
) -> None:
    times = [f"08:{30 + i}" for i in range(listed)]
    case = run(prompt, call("list", {}, times), call("book", {"time": "11:30"}, {}))
    (value,) = trace_arguments(case).values
    assert value.status == status


@given(st.text(max_size=200))
def test_any_text_has_spans(text: str) -> None:
    found = spans_in(text)
    assert all(0 < days <= 731 for days in found.days | found.some_days)
    assert all(minutes > 0 for minutes in found.minutes | found.some_minutes)


@pytest.mark.parametrize("unit", [*DAY_UNITS, *MINUTE_UNITS, *WEEKDAYS, "hours and a half"])
def test_letters_that_only_look_like_others_in_capitals_name_nothing(unit: str) -> None:
    told = unit.replace("i", "ı").replace("s", "ſ").replace("k", "\u212a")
    assert spans_in(f"3 {told}").minutes <= {180, *spans_in(f"3 {unit}").minutes}
    assert spans_in(f"3 {unit.upper()}") == spans_in(f"3 {unit}")
