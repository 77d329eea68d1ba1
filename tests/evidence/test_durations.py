"""Spans of time told in several units."""

from __future__ import annotations

import pytest
from tests.evidence.made_runs import call, run

from assay.evidence.durations import durations_in, seconds_in
from assay.evidence.grounding import ground_answer

TOLD = [
    ("hours and minutes", "It takes 1 h 27 min.", 5220),
    ("glued", "4h35", 16_500),
    ("glued, with both units", "3h41m", 13_260),
    ("in words", "1 hour and 5 minutes", 3900),
    ("minutes and seconds", "6 minutes 15 seconds", 375),
    ("all three", "1h 2m 3s", 3723),
    ("days and hours", "2 days 3 hours", 183_600),
    ("Chinese", "全程1小时29分钟", 5340),
    ("Chinese, with a measure word", "2个小时5分", 7500),
    ("German", "2 Stunden 5 Minuten", 7500),
]


@pytest.mark.parametrize(("name", "text", "seconds"), TOLD, ids=[row[0] for row in TOLD])
def test_reads_a_span_in_several_units(name: str, text: str, seconds: int) -> None:
    assert [found.seconds for found in durations_in(text)] == [seconds], name


@pytest.mark.parametrize("text", ["A1h30", "at 9:15", "5 hours", "1.2h30", "version 3h06b"])
def test_takes_nothing_else_for_one(text: str) -> None:
    assert list(durations_in(text)) == []


def test_reads_what_a_stopwatch_shows() -> None:
    assert seconds_in("net 01:48:32, pace 5'09\"") == {6512, 309}
    assert seconds_in("at 18:42, on 2026-03-24T18:42:10Z") <= {67_330}


def test_reads_the_form_of_iso_8601() -> None:
    assert seconds_in('{"a": "PT1H29M", "b": "PT45S", "c": "PT"}') == {5340, 45}


@pytest.mark.parametrize(
    ("result", "answer"),
    [
        ({"duration_s": 5220}, "It takes 1 h 27 min."),
        ({"duration": "4h35"}, "It takes 4 hours 35 minutes."),
        ({"duration": "PT4H35M"}, "It takes 275 minutes."),
        ({"duration": "01:29"}, "耗时1小时29分钟。"),
        ({"duration": "2 days 3 hours"}, "It takes 2 days 3 hours."),
        ({"net_time": "01:48:32"}, "成绩1小时48分32秒。"),
    ],
)
def test_a_span_is_backed_in_whatever_units(result: object, answer: str) -> None:
    (claim,) = ground_answer(run("How long?", call("get", {}, result), answer=answer)).claims
    assert claim.status == "supported"


def test_another_span_is_not() -> None:
    (claim,) = ground_answer(
        run("How long?", call("get", {}, {"duration_s": 5220}), answer="It takes 1 h 37 min.")
    ).claims
    assert (claim.text, claim.status) == ("1 h 37 min", "absent")


def statuses(result: object, answer: str) -> dict[str, str]:
    grounding = ground_answer(run("When do I get there?", call("get", {}, result), answer=answer))
    return {claim.text: claim.status for claim in grounding.claims}


def test_a_time_is_reached_from_a_time_and_a_span_beside_it() -> None:
    result = {"leaves": "09:15", "duration_s": 5220}
    assert statuses(result, "It leaves at 09:15, takes 87 minutes and is there at 10:42.") == {
        "09:15": "supported",
        "87": "supported",
        "10:42": "calculated",
    }
    assert (
        statuses(result, "It leaves at 09:15, takes 87 minutes and is there at 10:52.")["10:52"]
        == "absent"
    )


def test_a_time_is_reached_by_a_span_that_the_user_told() -> None:
    def status(answer: str) -> str:
        asked = "Open them at sunrise plus 20 minutes."
        case = run(asked, call("get_sun", {}, {"sunrise": "06:42"}), answer=answer)
        return ground_answer(case).claims[0].status

    assert status("They open at 07:02.") == "calculated"
    assert status("They open at 07:12.") == "absent"


def test_a_day_is_reached_from_a_day_and_a_span_beside_it() -> None:
    result = {"delivered": "2026-03-02", "return_within_days": 30}
    told = "It came on 2 March; you have 30 days, so until {}."
    assert statuses(result, told.format("1 April"))["1 April"] == "calculated"
    assert statuses(result, told.format("1 April 2026"))["1 April 2026"] == "calculated"
    assert statuses(result, told.format("3 April"))["3 April"] == "absent"


def test_numbers_are_reckoned_beside_a_span() -> None:
    found = statuses({"lap": "6 min 15 s"}, "Each lap takes 6 min 15 s, and there are 12 of them.")
    assert found == {"6 min 15 s": "supported", "12": "absent"}


def test_no_day_is_reached_beyond_the_calendar() -> None:
    told = {"start": "2026-03-01", "span": 10_000_000_000}
    found = statuses(told, "From 1 March 2026, 10000000000 days later, until 9 March 2026.")
    assert found["9 March 2026"] == "absent"


def test_a_day_is_reached_by_a_span_that_a_result_tells() -> None:
    policy = {"check_in": "2026-10-02", "policy": "入住前一天18:00前可免费取消"}
    assert statuses(policy, "10月1日18:00前可免费取消")["10月1日"] == "calculated"
    assert statuses(policy, "9月29日18:00前可免费取消")["9月29日"] == "absent"
    undated = {"stay": "10月2日至5日", "policy": "入住前一天18:00前可免费取消"}
    assert statuses(undated, "10月1日18:00前可免费取消")["10月1日"] == "calculated"
    return_by = {"delivered": "2026-03-02", "policy": "within 30 days of delivery"}
    assert statuses(return_by, "Return it by 1 April 2026.")["1 April 2026"] == "calculated"
    assert statuses(return_by, "Return it by 4 April 2026.")["4 April 2026"] == "absent"


def test_finishing_times_are_compared_to_the_second() -> None:
    found = statuses(
        {"first": "1:12:48", "seventh": "1:19:03"},
        "She took 1:19:03, 6 minutes 15 seconds more than 1:12:48.",
    )
    assert found["6 minutes 15 seconds"] == "calculated"


def test_many_figures_take_linear_time() -> None:
    assert list(durations_in("1h" * 50_000)) == []
    assert seconds_in("PT" * 50_000) == frozenset()
