"""One limit against one quantity: the three verdicts, and what each stands on."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.comparing.made_runs import numbered, runs_of

from assay.comparing import QUANTITIES, RunSet, quantity_named
from assay.errors import InvalidSettings
from assay.gate.checks import CheckResult, check_limit, check_margin, check_tasks
from assay.gate.room import Room, Strictness, decide
from assay.stats import Resampling, wilson_interval

SUCCESS = QUANTITIES["success"]


def strict(**changes: Any) -> Strictness:
    usual = Strictness("interval", "insufficient", 5, 0.1, Resampling())
    return replace(usual, **changes)


def passing(share: float, n: int = 100) -> RunSet:
    """So many tasks of one run each, this share of them passed."""
    return runs_of("runs", numbered([float(i < share * n) for i in range(n)]))


@pytest.mark.parametrize(
    ("room", "by_interval", "by_value"),
    [
        (Room(0.2, 0.1, 0.3), "pass", "pass"),
        (Room(0.1, 0.0, 0.3), "pass", "pass"),
        (Room(0.1, -0.1, 0.3), "undecided", "pass"),
        (Room(-0.1, -0.3, 0.1), "undecided", "regression"),
        (Room(-0.2, -0.3, -0.1), "regression", "regression"),
        (Room(0.2, None, None), "undecided", "pass"),
        (Room(-1e-12, -0.1, -1e-12), "undecided", "pass"),
    ],
)
def test_every_row_of_the_decision(room: Room, by_interval: str, by_value: str) -> None:
    assert decide(room, strict()) == by_interval
    assert decide(room, strict(bound="value")) == by_value


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.9, "pass"), (0.7, "insufficient"), (0.5, "regression")]
)
def test_a_minimum_holds_the_interval(share: float, verdict: str) -> None:
    found = check_limit(passing(share), SUCCESS, "min", 0.7, strict())
    interval = wilson_interval(round(100 * share), 100)
    assert found.verdict == verdict
    assert (found.value, found.interval) == (share, interval)
    assert (found.tasks, found.runs, found.missing, found.limit) == (100, 100, 0, 0.7)
    assert found.name == "success min 0.7"


@pytest.mark.parametrize(
    ("name", "limit", "told"),
    [
        ("success", 60, "min of success: got 60, but a share lies between 0 and 1: .* such as 0.6"),
        ("failed_call_share", -0.1, "got -0.1, but a share lies between 0 and 1: give one of"),
        ("pass@2", 2.5, "got 2.5, but a chance lies between 0 and 1"),
    ],
)
def test_a_share_has_no_limit_beyond_its_scale(name: str, limit: float, told: str) -> None:
    runs, quantity = passing(0.9), quantity_named(name, ["success"])
    with pytest.raises(InvalidSettings, match=told):
        check_limit(runs, quantity, "min", limit, strict())
    with pytest.raises(InvalidSettings, match="margin of"):
        check_margin(runs, runs, quantity, limit, strict())


def test_what_is_no_share_may_have_any_limit() -> None:
    found = check_limit(passing(0.9), QUANTITIES["seconds"], "max", 60, strict())
    assert "no run has a value of seconds" in found.reason


def test_a_maximum_is_the_mirror_of_a_minimum() -> None:
    for share, verdict in ((0.1, "pass"), (0.3, "insufficient"), (0.5, "regression")):
        assert check_limit(passing(share), SUCCESS, "max", 0.3, strict()).verdict == verdict


def test_undecided_may_pass_but_a_proven_regression_never() -> None:
    lenient = strict(undecided="pass")
    found = check_limit(passing(0.7), SUCCESS, "min", 0.7, lenient)
    assert found.verdict == "pass"
    assert found.reason.startswith("not decided, which passes here; success is 0.700")
    assert check_limit(passing(0.5), SUCCESS, "min", 0.7, lenient).verdict == "regression"


def test_undecided_says_about_how_many_more() -> None:
    found = check_limit(passing(0.6, 50), SUCCESS, "min", 0.5, strict())
    # Variance 0.24 * 50/49 over 0.1 squared, times (1.960 + 0.842) squared: 192.2 tasks.
    assert found.reason.endswith("the limit is at least 0.5; about 143 more tasks would tell")


def test_tasks_that_are_all_alike_say_how_many_more_of_the_same() -> None:
    # Of n passes the Wilson bound is n / (n + 3.8415): 0.9 takes 9 * 3.8415 = 34.6 tasks.
    found = check_limit(passing(1.0, 20), SUCCESS, "min", 0.9, strict())
    assert found.reason.endswith("about 15 more tasks would tell")
    assert check_limit(passing(1.0, 35), SUCCESS, "min", 0.9, strict()).verdict == "pass"
    assert check_limit(passing(1.0, 34), SUCCESS, "min", 0.9, strict()).verdict != "pass"
    same = margin([1.0] * 20, [1.0] * 20, 0.1)
    assert same.verdict == "insufficient"
    assert same.reason.endswith("about 15 more tasks would tell")
    assert margin([1.0] * 35, [1.0] * 35, 0.1).verdict == "pass"


def test_too_few_tasks_are_too_few_whatever_they_say() -> None:
    for settings in (strict(), strict(bound="value"), strict(undecided="pass")):
        found = check_limit(passing(0.0, 4), SUCCESS, "min", 0.7, settings)
        assert found.verdict == "insufficient"
        assert found.reason.startswith("too little data: 4 tasks, at least 5 are needed")
        assert found.was_checked


def test_too_many_runs_without_a_value_are_no_pass() -> None:
    values: list[float | None] = [1.0] * 88 + [None] * 12
    found = check_limit(runs_of("runs", numbered(values)), SUCCESS, "min", 0.5, strict())
    assert found.verdict == "insufficient"
    assert "12 of 100 runs lack the value, at most 10 % may" in found.reason
    assert (found.runs, found.missing) == (88, 12)
    allowed = strict(max_missing=0.12)
    assert (
        check_limit(runs_of("runs", numbered(values)), SUCCESS, "min", 0.5, allowed).verdict
        == "pass"
    )


def test_nothing_to_check_is_not_too_little() -> None:
    found = check_limit(passing(0.5), QUANTITIES["cost_usd"], "max", 1.0, strict())
    assert (found.verdict, found.was_checked) == ("insufficient", False)
    assert found.reason == "no run has a value of cost_usd; recorded are success"
    nobody = runs_of("other", {"elsewhere": [1.0]})
    against = check_margin(passing(0.5), nobody, SUCCESS, 0.1, strict())
    assert (against.verdict, against.was_checked) == ("insufficient", False)
    assert "recorded are" not in against.reason


def margin(
    before: list[float], after: list[float], allowed: float | str, quantity: str = "success"
) -> CheckResult:
    sides = (runs_of("old", numbered(before), quantity), runs_of("new", numbered(after), quantity))
    return check_margin(sides[1], sides[0], QUANTITIES[quantity], allowed, strict())


def test_a_margin_holds_the_interval_of_the_difference() -> None:
    half = [float(i % 2) for i in range(200)]
    bit_worse = [value if i > 20 else 0.0 for i, value in enumerate(half)]
    assert margin(half, half, 0.1).verdict == "pass"
    much = [0.0] * 200
    found = margin(half, much, 0.1)
    assert (found.verdict, found.value, found.baseline, found.limit) == (
        "regression",
        -0.5,
        0.5,
        -0.1,
    )
    found = margin(half, bit_worse, 0.05)  # ten of a hundred passes are lost
    assert found.verdict == "insufficient"
    assert found.value == pytest.approx(-0.05)


def test_a_regression_that_chance_may_explain_is_not_told() -> None:
    """Five tasks can give no p below 2 / 2**5, however far an interval lies from the limit."""
    before, after = [0.10, 0.12, 0.11, 0.13, 0.10], [0.90, 0.80, 0.95, 0.85, 0.70]
    found = margin(before, after, 0.1, "failed_call_share")
    assert found.interval is not None
    assert found.interval.low > 0.1
    assert found.p_value == pytest.approx(2 / 2**5)
    assert found.verdict == "insufficient"


def test_a_margin_of_what_is_better_low_allows_more() -> None:
    before = [10.0 + i % 3 for i in range(60)]
    slower = [value * 1.1 + (i % 2) / 10 for i, value in enumerate(before)]
    assert margin(before, slower, "20%", "seconds").verdict == "pass"
    found = margin(before, slower, "5%", "seconds")
    assert found.verdict == "regression"
    assert found.limit == pytest.approx(0.05 * 11)
    assert found.name == "seconds margin 5%"
    assert margin(slower, before, 0.0, "seconds").verdict == "pass"


def test_a_margin_is_over_shared_tasks_alone() -> None:
    old = runs_of("old", numbered([1.0] * 30))
    new = runs_of("new", numbered([1.0] * 30) | {f"new{i}": [0.0] for i in range(30)})
    found = check_margin(new, old, SUCCESS, 0.2, strict())
    assert (found.tasks, found.value) == (30, 0.0)


def test_passes_of_k_count_the_runs_behind_them() -> None:
    tasks: dict[str, list[float | None]] = {f"t{i}": [1, 1, 0] for i in range(9)}
    found = check_limit(
        runs_of("runs", tasks | {"once": [1]}), quantity_named("pass^2", []), "min", 0.1, strict()
    )
    assert found.value == pytest.approx(1 / 3)  # one pair of three holds two passes
    assert (found.tasks, found.runs) == (9, 27)


def test_tasks_that_were_not_run_are_missed() -> None:
    old, new = runs_of("old", numbered([1.0] * 8)), runs_of("new", numbered([1.0] * 2))
    found = check_tasks(new, old)
    assert (found.verdict, found.missing, found.name) == ("insufficient", 6, "tasks")
    assert found.reason == "6 of 8 tasks of old not run: t02, t03, t04, t05, t06, ..."
    assert check_tasks(old, new).verdict == "pass"


@given(
    st.lists(st.booleans(), min_size=5, max_size=40),
    st.floats(0, 1),
    st.sampled_from(["interval", "value"]),
)
def test_more_passes_never_make_a_minimum_worse(
    flags: list[bool], limit: float, bound: str
) -> None:
    order = {"regression": 0, "insufficient": 1, "pass": 2}
    better = [True, *flags[1:]]
    verdicts = [
        check_limit(
            runs_of("r", numbered([float(flag) for flag in each])),
            SUCCESS,
            "min",
            limit,
            strict(bound=bound),
        ).verdict
        for each in (flags, better)
    ]
    assert order[verdicts[0]] <= order[verdicts[1]]
