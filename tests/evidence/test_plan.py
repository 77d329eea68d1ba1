"""Plan: what needed what, what could have run at once, repeats, results never used."""

from __future__ import annotations

import pytest
from tests.evidence.made_runs import call, run, sample

from assay.evidence.plan import Repeat, read_plan

# levels, critical path, turns taken, calls that could have run earlier
SAMPLES: list[tuple[int, tuple[int, ...], tuple[int, ...], int, tuple[int, ...]]] = [
    (1, (0, 1), (0, 1), 2, ()),
    (2, (0, 1, 1, 0, 2, 1, 1, 1, 2), (0, 1, 4), 5, (3, 5, 6, 7)),
    (4, (), (), 0, ()),
    (5, (0, 0, 1, 2), (0, 2, 3), 3, ()),
    (6, (0, 0, 0), (0,), 1, ()),
    (9, (0, 1, 2, 3), (0, 1, 2, 3), 4, ()),
    (10, (0, 1, 2, 0, 3), (0, 1, 2, 4), 4, ()),
    (12, (0, 1, 2), (0, 1, 2), 3, ()),
    (13, (0, 1, 2, 2, 2, 2, 3), (0, 1, 5, 6), 7, (3, 4, 5)),
    (15, (0, 1, 0, 1, 2), (0, 1, 4), 3, ()),
    (18, (0, 0, 1, 1, 2), (0, 2, 4), 5, (1, 2, 3, 4)),
]


@pytest.mark.parametrize(("number", "levels", "path", "turns", "early"), SAMPLES)
def test_samples(
    number: int,
    levels: tuple[int, ...],
    path: tuple[int, ...],
    turns: int,
    early: tuple[int, ...],
) -> None:
    plan = read_plan(sample(number))
    assert (plan.levels, plan.critical_path) == (levels, path)
    assert (plan.turns, plan.early) == (turns, early)
    assert plan.least_turns == max(levels, default=-1) + 1


def test_sample_02_shows_which_call_needed_which() -> None:
    assert read_plan(sample(2)).needs == {
        1: (0,),
        2: (0,),
        4: (1, 3),
        5: (3,),
        6: (3,),
        7: (0,),
        8: (7,),
    }


def test_reads_that_need_nothing_could_run_at_once() -> None:
    plan = read_plan(run("Compare a1.txt, b1.txt", *(call("read", {"p": p}, "x") for p in "ab")))
    assert plan.levels == (0, 0)
    assert (plan.turns, plan.least_turns, plan.early) == (2, 1, (1,))


def test_a_write_waits_for_all_before_and_all_wait_for_it() -> None:
    calls = [
        call("read", {"p": "a"}, "x"),
        call("delete_file", {"p": "a"}),
        call("read", {"p": "b"}),
    ]
    plan = read_plan(run("Tidy up", *calls))
    assert plan.levels == (0, 1, 2)
    assert plan.early == ()


@pytest.mark.parametrize("result", [[], {"items": [], "total": 0}, None, "No results found"])
def test_whoever_finds_nothing_must_think_again(result: object) -> None:
    plan = read_plan(run("Look", call("search", {"q": "a"}, result), call("list", {"q": "b"}, "x")))
    assert plan.levels == (0, 1)


def test_whoever_fails_must_think_again() -> None:
    calls = [call("search", {"q": "a"}, failed=True, error="no"), call("list", {"q": "b"}, "x")]
    assert read_plan(run("Look", *calls)).levels == (0, 1)


def test_calls_of_one_turn_did_not_wait_for_each_other() -> None:
    calls = [call("delete_file", {"p": p}, turn=1) for p in "abc"]
    assert read_plan(run("Tidy up", *calls)).levels == (0, 0, 0)


def test_seconds_along_the_critical_path() -> None:
    calls = [call("read", {"p": p}, "x", turn=1) for p in "abc"]
    for seconds, known in zip((1.0, 2.0, 4.0), calls, strict=True):
        known.execution_time = seconds
    plan = read_plan(run("Read", *calls))
    assert plan.total_seconds == 7
    assert plan.critical_seconds == 1
    calls[0].execution_time = None
    assert read_plan(run("Read", *calls)).total_seconds is None


def test_identical_repeats() -> None:
    calls = [
        call("get", {"a": 1, "b": 2}, "x"),
        call("get", {"b": 2, "a": 1}, "x"),
        call("get", {"a": 1, "b": 3}, "x"),
        call("set_a", {"a": 5}),
        call("get", {"a": 1, "b": 2}, "y"),
    ]
    assert read_plan(run("x", *calls)).repeats == (
        Repeat(1, 0, "identical", same_result=True, after_write=False),
        Repeat(4, 0, "identical", same_result=False, after_write=True),
    )


def test_arguments_that_were_not_recorded_repeat_none() -> None:
    calls = [call("get", {}), call("get", {})]
    for known in calls:
        known.extra["arguments_recorded"] = False
    assert read_plan(run("x", *calls)).repeats == ()


def test_nearly_identical_repeats() -> None:
    words = "one two three four five six seven eight nine"
    calls = [
        call("ask", {"q": f"{words} ten"}, "x"),
        call("ask", {"q": f"{words} eleven"}, "x"),  # 9 of 11 words
        call("ask", {"q": "one two twelve thirteen"}, "x"),
        call("tell", {"q": f"{words} ten"}, "x"),
    ]
    assert read_plan(run("x", *calls)).repeats == (
        Repeat(1, 0, "nearly identical", same_result=True, after_write=False),
    )


def test_arguments_that_are_not_json_are_compared_all_the_same() -> None:
    calls = [call("get", {"a": {1, 2}}), call("get", {"a": {1, 2}}), call("get", {"a": object()})]
    assert [repeat.call for repeat in read_plan(run("x", *calls)).repeats] == [1]


def test_results_that_nobody_used() -> None:
    calls = [
        call("weather", {"city": "Oslo"}, {"temperature": 21}, turn=1),
        call("news", {"city": "Oslo"}, {"headline": "elephants stroll downtown"}, turn=1),
        call("stock", {"city": "Oslo"}, {"item": "umbrella"}, turn=1),
        call("buy", {"what": "umbrella"}, {"receipt": "R-10001"}, turn=2),
    ]
    plan = read_plan(run("Oslo?", *calls, answer="It has 21 degrees; an umbrella is on its way."))
    assert plan.unused == (1,)


def test_what_was_told_in_the_conversation_was_used() -> None:
    case = run(
        "News?",
        call("news", {}, {"headline": "elephants stroll downtown"}, turn=1),
        answer="Bye.",
        conversation_history=[{"role": "assistant", "content": "There are elephants."}],
    )
    assert read_plan(case).unused == ()


@pytest.mark.parametrize("number", range(1, 21))
def test_the_samples_use_all_they_read(number: int) -> None:
    assert read_plan(sample(number)).unused == ()


@pytest.mark.parametrize("tool", ["transfer_to_human_agents", "click", "finish"])
def test_what_acts_waits_and_need_not_be_used(tool: str) -> None:
    case = run(
        "See to orders 17 and 18.",
        call("get_order", {"order": 17}, {"state": "open"}, turn=1),
        call(tool, {}, "It is done.", turn=2),
        answer="It is open.",
    )
    plan = read_plan(case)
    assert (plan.levels, plan.early, plan.unused) == ((0, 1), (), ())


def test_going_through_a_list_is_use_of_all_of_it() -> None:
    orders = {"orders": ["SO-1001", "SO-1002", "SO-1003"]}
    case = run(
        "Which order is from Bergen?",
        call("list_orders", {}, orders, turn=1),
        call("get_order", {"id": "SO-1001"}, {"place": "Halden"}, turn=2),
        call("get_order", {"id": "SO-1002"}, {"place": "Bergen", "note": "fragile"}, turn=3),
        call("get_weather", {}, {"sky": "overcast"}, turn=4),
        answer="SO-1002, and it is fragile.",
    )
    assert read_plan(case).unused == (3,)


@pytest.mark.parametrize(("answer", "unused"), [("It goes by MIA.", ()), ("It was one.", (0,))])
def test_a_code_of_three_letters_tells_that_a_result_was_used(
    answer: str, unused: tuple[int, ...]
) -> None:
    result = {"stop": "MIA", "note": "one for you"}
    case = run("Where does it stop?", call("get_trip", {}, result), answer=answer)
    assert read_plan(case).unused == unused


def test_a_check_that_only_says_yes_need_not_come_up_again() -> None:
    asked = {"emails": ["ines@example.com"]}
    free = call("check_free", asked, {"free": ["ines@example.com"], "busy": [], "ok": True})
    plan = read_plan(run("Is she free?", free, answer="Yes."))
    assert plan.unused == ()
    told = call("check_free", asked, {"free": [], "busy": ["ines@example.com until Thursday"]})
    assert read_plan(run("Is she free?", told, answer="Yes.")).unused == (0,)
