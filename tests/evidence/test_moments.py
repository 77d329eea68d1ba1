"""Dates and times of day in the forms people write them."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.measures import measures_in
from assay.evidence.moments import (
    _MONTH_NUMBERS,
    _MONTH_WORDS,
    DATE_FORMS,
    TIME_FORMS,
    Day,
    dates_in,
    days_in,
    days_near,
    days_of,
    is_edge,
    may_hold_other_dates,
    minute_of,
    minutes_in,
    minutes_in_words,
    minutes_near,
    times_in,
    vaguer,
    weekday_of,
)
from assay.evidence.words import words_of

# One example of each form of the table at least.
DATES: list[tuple[str, str, tuple[Day, ...]]] = [
    ("year first", "2026-03-24", ((2026, 3, 24),)),
    ("year first", "2026/3/4", ((2026, 3, 4),)),
    ("year first", "2026-03-24T18:42:10Z", ((2026, 3, 24),)),
    ("compact", "20260311", ((2026, 3, 11),)),
    ("year last", "3/4/2026", ((2026, 3, 4), (2026, 4, 3))),
    ("year last", "24.03.2026", ((2026, 3, 24),)),
    ("Chinese", "2026年3月17日", ((2026, 3, 17),)),
    ("Chinese", "2026年3月", ((2026, 3, 0),)),
    ("Chinese, no year", "3月20日", ((0, 3, 20),)),
    ("day, month", "24 March 2026", ((2026, 3, 24),)),
    ("day, month", "3rd of Feb", ((0, 2, 3),)),
    ("year last", "05-12-2022", ((2022, 5, 12), (2022, 12, 5))),
    ("day, month", "30. April 2026", ((2026, 4, 30),)),
    ("day, month", "15. März 2026", ((2026, 3, 15),)),
    ("day, month", "5 de mayo de 2026", ((2026, 5, 5),)),
    ("day, month", "14 juillet 2026", ((2026, 7, 14),)),
    ("month, day", "Jul  6", ((0, 7, 6),)),
    ("month, day", "March 24th, 2026", ((2026, 3, 24),)),
    ("month, day", "Sept. 5", ((0, 9, 5),)),
    ("month, year", "July 2025", ((2025, 7, 0),)),
    ("year, month", "2026-03", ((2026, 3, 0),)),
    ("year, month by name", "2015-Jul-19", ((2015, 7, 19),)),
    ("day, month by name", "19-Jul-2015", ((2015, 7, 19),)),
    ("day, month by name", "19/Jul/2015", ((2015, 7, 19),)),
]
TIMES = [
    ("clock", "14:00", 840),
    ("clock", "2:30 pm", 870),
    ("clock", "12:05 AM", 5),
    ("clock", "11:47:00+08:00", 707),
    ("hour", "9 am", 540),
    ("hour", "12pm", 720),
    ("cjk_clock", "10点", 600),
    ("cjk_clock", "3点半", 210),
]


@pytest.mark.parametrize(("form", "text", "days"), DATES, ids=[text for _, text, _ in DATES])
def test_a_date_is_read(form: str, text: str, days: tuple[Day, ...]) -> None:
    assert form in DATE_FORMS
    assert days_of(text) == days
    (found,) = dates_in(f"until {text}, they said")
    assert found.days == days


@pytest.mark.parametrize(("form", "text", "minute"), TIMES, ids=[text for _, text, _ in TIMES])
def test_a_time_is_read(form: str, text: str, minute: int) -> None:
    assert form in TIME_FORMS
    assert minute_of(text) == minute
    assert [found.minute for found in times_in(f"at {text}.")] == [minute]


def test_every_form_has_an_example() -> None:
    assert {form for form, _, _ in DATES} == set(DATE_FORMS)
    assert {form for form, _, _ in TIMES} == set(TIME_FORMS)


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-01",
        "version 2.4.0",
        "10.1.12",
        "in 2026",
        "may be",
        "ratio 3/4",
        "1-2-3",
        "8 marks",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert list(dates_in(text)) == []


@pytest.mark.parametrize("text", ["25:00", "1:2:3:4", "3:1 odds", "16.5", "12:60"])
def test_what_is_no_time(text: str) -> None:
    assert list(times_in(text)) == []


def test_one_date_is_told_once() -> None:
    spans = list(dates_in("from 12 March 2026 to March 15, 2026"))
    assert [span.days for span in spans] == [((2026, 3, 12),), ((2026, 3, 15),)]


def test_a_time_in_the_afternoon_in_chinese() -> None:
    assert [found.minute for found in times_in("下午3点半开会，上午9点签到")] == [930, 540]


def test_a_zone_is_no_time() -> None:
    assert [found.minute for found in times_in("2026-03-20T11:47:00+08:00")] == [707]
    assert [found.minute for found in times_in("14:00-16:00")] == [840, 960]


@settings(deadline=None)
@given(st.dates(min_value=date(1900, 1, 1), max_value=date(2100, 12, 31)))
def test_every_day_is_read_back_from_four_forms(day: date) -> None:
    expected = (day.year, day.month, day.day)
    for text in (
        day.isoformat(),
        f"{day.day} {day:%B} {day.year}",
        f"{day:%b} {day.day}, {day.year}",
        f"{day.year}年{day.month}月{day.day}日",
    ):
        assert days_of(text) == (expected,), text


@settings(deadline=None)
@given(st.dates(min_value=date(1, 1, 1)))
def test_a_week_is_a_step_and_a_day_is_none_from_itself(day: date) -> None:
    near = days_near((day.year, day.month, day.day), [1, 7])
    assert (day.year, day.month, day.day) not in near
    if day <= date.max - timedelta(days=7):
        later = day + timedelta(days=7)
        assert (later.year, later.month, later.day) in near


def test_steps_between_times() -> None:
    assert minutes_near(14 * 60, [60, 45]) == [14 * 60 + 45, 13 * 60 + 15, 15 * 60, 13 * 60]
    assert minutes_near(30, [60]) == [90, 23 * 60 + 30]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("Tenet at 5 pm", {17 * 60}),
        ("I am there at 9 am.", {9 * 60}),
        ("from 5pm", {17 * 60}),
        ("at 10 p.m.", {22 * 60}),
        ("下午3点开会", {15 * 60}),
        ("I am there.", set()),
    ],
)
def test_times_by_halves_of_the_day_are_measured(text: str, minutes: set[int]) -> None:
    assert measures_in(text, words_of(text)).minutes == minutes


def test_a_day_has_its_day_of_the_week() -> None:
    assert weekday_of((2026, 3, 20)) == 4
    assert weekday_of((0, 2, 16)) is None


def test_edges_of_months() -> None:
    assert is_edge((2025, 7, 1))
    assert is_edge((2024, 2, 29))
    assert not is_edge((2025, 2, 29))  # there is no such day
    assert not is_edge((2025, 7, 2))
    assert not is_edge((0, 7, 1))


def test_vaguer_ways_to_say_a_day() -> None:
    assert vaguer((2026, 3, 20)) == ((0, 3, 20), (2026, 3, 0))
    assert vaguer((0, 3, 20)) == ()


@pytest.mark.parametrize(
    ("text", "may"),
    [
        ("2026-03-24T18:42:10Z", False),
        ("24 March", True),
        ("3月20日", True),
        ("24/03/2026", True),
        ("24.03.2026", True),
        ("https://example.com/a/b", False),
        ("64.90 and 12.5", False),
    ],
)
def test_which_texts_may_hold_dates_in_other_forms(text: str, *, may: bool) -> None:
    assert may_hold_other_dates(text, words_of(text)) is may


WRITTEN = [
    *("2026-03-24", "24 March 2026", "March 24, 2026", "Sept. 5", "May, 2025", "may 7", "est 9"),
    *(
        "3月5日",
        "14:30",
        "9 am",
        "下午3点",
        "上午9点",
        "after 12",
        "12/11/2026",
        "MAR. 3",
        "Ber, 4",
    ),
]


@given(st.lists(st.sampled_from(WRITTEN), max_size=6).map("; ".join))
def test_the_days_and_minutes_of_a_text_are_those_of_its_spans(text: str) -> None:
    assert days_in(text) == {day for span in dates_in(text) for day in span.days}
    assert minutes_in(text) == {span.minute for span in times_in(text)}


@pytest.mark.parametrize("month", sorted(_MONTH_WORDS))
@pytest.mark.parametrize("sign", ["", ".", ","])
def test_a_number_after_any_month_is_a_day(month: str, sign: str) -> None:
    (found,) = dates_in(f"on {month}{sign} 2025" if sign == "," else f"on {month}{sign} 7")
    assert found.days[0][1] == _MONTH_NUMBERS[month[:3]]


@pytest.mark.parametrize("month", ["ſeptember", "ſept", "aprıl", "APRİL", "dıciembre"])
def test_letters_that_only_look_like_others_in_capitals_are_read(month: str) -> None:
    assert days_in(f"12 {month} 2024") <= {(2024, 9, 12), (2024, 4, 12), (2024, 12, 12)}
    assert minutes_in_words(f"half past sıx in {month}") == set()


RANGES = [
    ("10–16 March 2026", {(2026, 3, 10), (2026, 3, 16)}),
    ("March 10–16, 2026", {(0, 3, 10), (2026, 3, 10), (2026, 3, 16)}),
    ("from 2 to 5 May", {(0, 5, 2), (0, 5, 5)}),
    ("May 2nd to 5th", {(0, 5, 2), (0, 5, 5)}),
    ("3. bis 7. Mai 2026", {(2026, 5, 3), (2026, 5, 7)}),
    ("3月10日至16日", {(0, 3, 10), (0, 3, 16)}),
    ("2026年12月10-16日", {(2026, 12, 10), (2026, 12, 16)}),
]


@pytest.mark.parametrize(("text", "days"), RANGES, ids=[text for text, _ in RANGES])
def test_both_days_of_a_range_are_read(text: str, days: set[Day]) -> None:
    assert days_in(text) == days
    spans = sorted(dates_in(text))
    assert {day for span in spans for day in span.days} <= days
    assert len(spans) == 2
    # Nothing of it is left to be taken for a number.
    told = "".join(text[span.start : span.end] for span in spans)
    assert sum(map(str.isdigit, told)) == sum(map(str.isdigit, text))


@pytest.mark.parametrize("text", ["pages 10-16", "16-10 March", "10-16", "2024-2025", "10-40 May"])
def test_other_ranges_are_no_dates(text: str) -> None:
    assert not any(len(span.days) and span.start == 0 for span in dates_in(text))


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("下午3点到4点半", {900, 990}),
        ("下午2:00-3:30", {840, 930}),
        ("今晚8点", {1200}),
        ("下午3点开会，4点有空", {900, 240}),
        ("2:30 to 3:15 pm", {870, 915}),
        ("11:30 - 1:15 pm", {690, 795}),
        ("2:30 or 3:15 pm", {150, 915}),
    ],
)
def test_the_half_of_the_day_holds_for_both_times_of_a_range(text: str, minutes: set[int]) -> None:
    assert minutes_in(text) == minutes


@pytest.mark.parametrize("text", ["APR 6.49 %", "May 12.5 metres"])
def test_a_broken_number_is_no_day(text: str) -> None:
    assert list(dates_in(text)) == []
