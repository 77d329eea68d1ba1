"""Two sides task by task: flips, figures, and what is left out."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from tests.comparing.made_runs import merged, numbered, runs_of

from assay.comparing import RunSet, compare, compare_several
from assay.errors import InvalidSample, UnknownName
from assay.render.comparison_rows import outcome_lines

# Three gained, one lost, six the same: worked out in docs/reference/statistics.md.
BEFORE = runs_of("v1", numbered([0, 0, 0, 1, 1, 1, 1, 1, 1, 1]))
AFTER = runs_of("v2", numbered([1, 1, 1, 0, 1, 1, 1, 1, 1, 1]))


def test_flips_come_first_losses_before_gains_with_the_runs_to_look_at() -> None:
    found = compare(BEFORE, AFTER)
    assert [(flip.task, flip.way) for flip in found.flips] == [
        ("t03", "broken"),
        ("t00", "fixed"),
        ("t01", "fixed"),
        ("t02", "fixed"),
    ]
    assert found.flips[0].baseline_runs == ("v1-t03-0",)
    assert found.flips[0].candidate_runs == ("v2-t03-0",)
    assert found.flips[0].sentence() == "t03 broken: 1.000 to 0.000"


def test_one_run_a_task_is_compared_by_mcnemar() -> None:
    found = compare(BEFORE, AFTER).headline
    assert found is not None
    assert found.quantity == "success"
    assert (found.baseline.value, found.candidate.value) == (0.7, 0.9)
    assert found.difference == pytest.approx(0.2)
    assert found.p_value == 0.625  # 2 * (1 + 4) / 16
    assert (found.verdict, found.test) == ("cannot_tell", "exact McNemar")
    assert found.needed.new_tasks == 69
    assert found.sentence().startswith(
        "Cannot tell v2 from v1 in success: about 138 more runs (69 new tasks like these)"
    )


def test_several_runs_a_task_are_compared_by_permutation() -> None:
    before = runs_of("a", {f"t{i}": [0, 1] for i in range(8)})
    after = runs_of("b", {f"t{i}": [1, 1] for i in range(8)})
    found = compare(before, after)
    assert found.headline is not None
    assert found.headline.difference == 0.5
    assert found.headline.p_value == 2 / 2**8
    assert found.headline.test == "exact paired permutation"
    assert found.verdict == "better"
    assert found.sentence().startswith("b is better than a in success. Difference +0.500")
    assert (found.baseline_runs, found.candidate_runs) == (16, 16)


def test_less_is_better_where_the_name_says_so() -> None:
    before = runs_of("a", numbered([10.0 + i for i in range(8)]), "seconds")
    after = runs_of("b", numbered([5.0 + i * 1.1 for i in range(8)]), "seconds")
    found = compare(before, after)
    assert found.headline is not None
    assert found.headline.difference == pytest.approx(-4.65)
    assert found.verdict == "better"
    assert found.flips == ()  # no second passes or fails


def test_figures_beside_the_headline_are_corrected_for_their_number() -> None:
    success = numbered([1, 1, 1, 1, 1, 0, 0, 0])
    slow, fast = numbered([9.0, 8, 7, 9, 8, 7, 9, 8]), numbered([1.0, 2, 1, 2, 1, 2, 1, 2])
    cost = numbered([0.5] * 8)
    sides = [
        merged(
            name,
            runs_of(name, success),
            runs_of(name, seconds, "seconds"),
            runs_of(name, cost, "cost_usd"),
        )
        for name, seconds in (("a", slow), ("b", fast))
    ]
    found = compare(*sides)
    assert found.headline is not None
    assert (found.headline.quantity, found.headline.family) == ("success", 1)
    by_name = {figure.quantity: figure for figure in found.figures}
    assert list(by_name) == ["cost_usd", "seconds"]
    # All eight tasks became faster: 2 of 256 patterns, times 2 quantities.
    assert by_name["seconds"].p_value == 2 * 2 / 256
    assert by_name["seconds"].verdict == "better"
    assert by_name["cost_usd"].p_value == 1.0
    assert by_name["cost_usd"].verdict == "cannot_tell"


def test_what_is_not_on_both_sides_is_counted_and_named() -> None:
    before = runs_of("a", {"both": [1], "old": [0], "unscored": [1]})
    after = runs_of("b", {"both": [1], "new": [0], "unscored": [None]})
    found = compare(before, after)
    assert found.only_in_baseline == ("old",)
    assert found.only_in_candidate == ("new",)
    assert found.unscored == ("unscored",)
    assert found.headline is not None
    assert (found.headline.tasks, found.headline.interval) == (1, None)


def test_without_outcomes_the_first_quantity_both_have_decides() -> None:
    sides = [runs_of(name, numbered([0.5, 0.7]), "tool_use") for name in "ab"]
    found = compare(*sides)
    assert found.headline is not None
    assert found.headline.quantity == "tool_use"
    assert found.without_outcome == ("a", "b")
    assert compare(sides[0], AFTER).without_outcome == ("a",)


def judged_by(judge: str | None, runs: RunSet) -> RunSet:
    return RunSet(runs.name, tuple(replace(run, decided_by=judge) for run in runs.runs))


@pytest.mark.parametrize(
    ("judges", "apart"),
    [
        (("a judge", "a judge"), {}),
        (("a judge", None), {}),
        (("a judge", "another"), {"a": ("a judge",), "b": ("another",)}),
    ],
)
def test_who_decided_is_told_where_the_sides_share_no_judge(
    judges: tuple[str, str | None], apart: dict[str, tuple[str, ...]]
) -> None:
    sides = [
        judged_by(judge, runs_of(name, numbered([1, 0])))
        for name, judge in zip("ab", judges, strict=True)
    ]
    found = compare(*sides)
    assert found.judged_apart == compare_several(sides).judged_apart == apart
    told = [line for line in outcome_lines(found) if "decided" in line]
    expected = (
        "outcomes were decided by others on each side (a: a judge; b: another): "
        "are tasks of the same id the same task?"
    )
    assert told == ([expected] if apart else [])


def test_nothing_in_common_is_no_verdict() -> None:
    found = compare(RunSet("a", ()), AFTER)
    assert (found.headline, found.verdict, found.all_figures()) == (None, "cannot_tell", ())
    assert found.sentence() == "Cannot compare v2 with a: they have no value in common."
    assert found.to_dict()["verdict"] == "cannot_tell"


def test_pass_hat_k_can_decide() -> None:
    before = runs_of("a", {f"t{i}": [1, 0] for i in range(6)})
    after = runs_of("b", {f"t{i}": [1, 1] for i in range(6)})
    found = compare(before, after, quantity="pass^2").headline
    assert found is not None
    assert (found.baseline.value, found.candidate.value) == (0.0, 1.0)
    same = compare(before, after, quantity="pass@2").headline
    assert same is not None
    assert (same.baseline.value, same.difference) == (1.0, 0.0)


def test_a_smallest_difference_allows_to_say_that_there_is_none() -> None:
    tasks = {f"t{i}": [1, 0] for i in range(100)}
    found = compare(runs_of("a", tasks), runs_of("b", tasks), smallest=0.1)
    assert found.verdict == "no_difference"
    assert found.sentence().startswith("b and a differ by less than 0.100 in success")


def test_a_metric_is_never_mixed_over_judges() -> None:
    first = runs_of("a", numbered([0.5, 0.6]), "mcp_tool@m1")
    other = runs_of("b", numbered([0.5, 0.6]), "mcp_tool@m2")
    assert compare(first, other).headline is None
    both = merged("a", first, runs_of("a", numbered([0.1, 0.2]), "mcp_tool@m2"))
    with pytest.raises(InvalidSample, match="several judges; name one of mcp_tool@m1, mcp_tool@m2"):
        compare(both, both, quantity="mcp_tool")
    found = compare(first, first, quantity="mcp_tool").headline
    assert found is not None
    assert found.quantity == "mcp_tool@m1"


def test_parts_of_a_metric_are_compared_when_asked_for() -> None:
    part = "mcp_tool/tool_use/valid_call_failure_rate"
    sides = [
        merged(
            name,
            runs_of(name, numbered([0.5] * 8), "mcp_tool"),
            runs_of(name, numbered([rate * i / 8 for i in range(1, 9)]), part),
        )
        for name, rate in (("a", 0.9), ("b", 0.1))
    ]
    assert [figure.quantity for figure in compare(*sides).all_figures()] == ["mcp_tool"]
    found = compare(*sides, quantity=part).headline
    assert found is not None
    assert (found.better, found.verdict) == ("lower", "better")


def test_an_unknown_quantity_names_the_nearest() -> None:
    with pytest.raises(UnknownName, match=r"No quantity named 'sucess'. Did you mean 'success'?"):
        compare(BEFORE, AFTER, quantity="sucess")


def test_a_quantity_that_only_one_side_has_names_the_other() -> None:
    scored = merged("v3", BEFORE, runs_of("v3", numbered([0.5] * 10), "mcp_tool@evidence"))
    with pytest.raises(InvalidSample, match="no run of v2 has a value of mcp_tool"):
        compare(scored, AFTER, quantity="mcp_tool")
    with pytest.raises(InvalidSample, match="no run of v1, v2 has a value of mcp_tool"):
        compare_several([scored, BEFORE, AFTER], quantity="mcp_tool")
    with pytest.raises(InvalidSample, match="has a score of mcp_tool yet: assay score STORE"):
        compare(BEFORE, AFTER, quantity="mcp_tool")
    other = merged("v4", AFTER, runs_of("v4", numbered([0.5] * 10), "mcp_tool@openai"))
    with pytest.raises(InvalidSample, match="no judge gave mcp_tool to all sides: v3 has"):
        compare(scored, other, quantity="mcp_tool")
