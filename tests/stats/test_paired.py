"""Paired comparison: flips, tests, verdicts, and how many runs more."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats import InvalidSample, Resampling, compare
from assay.stats.pairing import (
    EXACT_SIGN_FLIP,
    MCNEMAR,
    SAMPLED_SIGN_FLIP,
    mcnemar_p_value,
    pair,
    sign_flip_p_value,
    signed_sums,
)
from assay.stats.planning import runs_needed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.stats.samples import Tasks

QUICK = Resampling(resamples=200)
# Darwin's maize: 15 pairs, cross- against self-fertilised, in eighths of an inch. Fisher (The
# Design of Experiments, 1935, section 21) counts 863 of 2^15 sign patterns on either side that
# reach the observed sum of 314.
DARWIN = (49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48)
REVERSED = {
    "better": "worse",
    "worse": "better",
    "cannot_tell": "cannot_tell",
    "no_difference": "no_difference",
}
paired_scores = st.dictionaries(
    st.text("abcdefgh", min_size=1, max_size=2),
    st.tuples(
        st.lists(st.sampled_from([0, 0.5, 1]), min_size=1, max_size=3),
        st.lists(st.sampled_from([0, 0.5, 1]), min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=10,
)


def one_run(outcomes: Iterable[float]) -> dict[str, list[float]]:
    return {f"t{i:03}": [outcome] for i, outcome in enumerate(outcomes)}


def gained_and_lost(gained: int, lost: int, same: int) -> tuple[Any, Any]:
    before = [0] * gained + [1] * lost + [1] * same
    after = [1] * gained + [0] * lost + [1] * same
    return one_run(before), one_run(after)


def test_mcnemar_by_hand() -> None:
    # 8 gained, 2 lost: 2 * (1 + 10 + 45) / 1024.
    assert mcnemar_p_value(8, 2) == pytest.approx(112 / 1024)
    assert mcnemar_p_value(0, 0) == 1


def test_mcnemar_against_statsmodels() -> None:
    reference = pytest.importorskip("statsmodels.stats.contingency_tables").mcnemar
    for gained in range(12):
        for lost in range(12):
            expected = reference([[5, gained], [lost, 7]], exact=True).pvalue
            assert mcnemar_p_value(gained, lost) == pytest.approx(expected, abs=1e-12)


def test_sign_flips_as_fisher_counted_them() -> None:
    p_value, how = sign_flip_p_value(DARWIN)
    assert p_value == pytest.approx(2 * 863 / 2**15)
    assert how == EXACT_SIGN_FLIP


def test_sign_flips_against_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    chance = random.Random(8)
    for size in (3, 7, 12):
        values = [round(chance.gauss(0.3, 1), 2) for _ in range(size)]
        reference = stats.permutation_test(
            (values,), sum, permutation_type="samples", n_resamples=2**size, vectorized=False
        )
        assert sign_flip_p_value(values)[0] == pytest.approx(reference.pvalue, abs=1e-12)


def test_drawn_sign_flips_come_close_to_all_of_them() -> None:
    values = [*DARWIN, 5, -9]  # 17 tasks: one too many to count all patterns
    drawn, how = sign_flip_p_value(values)
    sums = signed_sums(values)
    exact = sum(abs(total) >= abs(sum(values)) for total in sums) / len(sums)
    assert how == SAMPLED_SIGN_FLIP
    assert drawn == pytest.approx(exact, abs=0.01)
    assert sign_flip_p_value(values) == (drawn, how)
    assert sign_flip_p_value(values, seed=1)[0] != drawn


def test_tasks_that_did_not_change_do_not_count() -> None:
    assert sign_flip_p_value([0.5, 0.5, 0.5]) == sign_flip_p_value([0.5, 0, 0.5, 0, 0.5])
    assert sign_flip_p_value([0, 0])[0] == 1


@given(st.lists(st.integers(-8, 8), max_size=10))
def test_a_p_value_is_one_and_the_sign_does_not_matter(values: list[int]) -> None:
    p_value = sign_flip_p_value(values)[0]
    assert 0 < p_value <= 1
    assert sign_flip_p_value([-value for value in values])[0] == p_value


def test_clearly_better_by_hand() -> None:
    before, after = gained_and_lost(9, 0, 11)
    found = compare(before, after, names=("v1", "v2"))
    assert found.verdict == "better"
    assert found.test == MCNEMAR
    assert found.p_value == pytest.approx(2 / 512)
    assert (found.baseline_mean, found.candidate_mean) == (11 / 20, 1.0)
    assert found.difference == pytest.approx(9 / 20)
    assert found.interval is not None
    assert found.interval.low > 0
    assert found.sentence().startswith("v2 is better than v1. Difference +0.450 (95 % interval")
    assert "9 now pass, 0 no longer do" in found.sentence()


def test_flips_come_losses_first_and_by_size() -> None:
    before: Tasks = {"a": [1, 1, 0], "b": [1], "c": [0], "d": [1, 0], "e": [0.2]}
    after: Tasks = {"a": [0, 0, 1], "b": [0], "c": [1], "d": [1, 1], "e": [0.6]}
    found = compare(before, after, how=QUICK)
    # d reached the mark of one half before, so it did not flip.
    assert [(flip.task, flip.gained) for flip in found.flips] == [
        ("b", False),
        ("a", False),
        ("c", True),
        ("e", True),
    ]
    assert found.flips[0].sentence() == "b no longer passes (1.000 to 0.000)"
    strict = compare(before, after, pass_mark=0.9, how=QUICK)
    assert [flip.task for flip in strict.flips] == ["b", "c", "d"]


def test_an_interval_over_zero_crowns_nobody() -> None:
    before, after = gained_and_lost(3, 1, 6)
    found = compare(before, after)
    assert found.verdict == "cannot_tell"
    assert found.interval is not None
    assert found.interval.spans(0)
    # The spread of the differences is (4 - 10 * 0.04) / 9 = 0.4; to see 0.2 four times in five
    # takes 0.4 * (1.95996 + 0.84162)^2 / 0.04 = 78.5 tasks: 69 more, each run on both sides.
    assert (found.needed.new_tasks, found.needed.more_runs) == (69, 138)
    assert "about 138 more runs (69 new tasks like these)" in found.sentence()


def test_the_number_of_tasks_needed_against_statsmodels() -> None:
    power = pytest.importorskip("statsmodels.stats.power").NormalIndPower
    before, after = gained_and_lost(3, 1, 6)
    for smallest in (0.05, 0.1, 0.2):
        expected = power(ddof=0).solve_power(
            effect_size=smallest / 0.4**0.5, alpha=0.05, power=0.8, ratio=0
        )
        found = runs_needed(pair(before, after), smallest=smallest)
        assert found.new_tasks == pytest.approx(expected - 10, abs=1)


def test_a_test_that_cannot_reach_the_level_overrules_the_interval() -> None:
    before, after = gained_and_lost(5, 0, 0)
    found = compare(before, after)
    assert found.interval is not None
    assert found.interval.low > 0  # all five changed alike
    assert found.p_value == 1 / 16
    assert found.verdict == "cannot_tell"
    assert found.needed.new_tasks == 1  # six of six would do: 1 / 32


def test_repeats_help_where_runs_and_not_tasks_differ() -> None:
    # Every task passes half of its runs before and after, in a pattern without net change but one.
    before = {f"t{i}": [0, 1, 0, 1] for i in range(20)}
    after = {f"t{i}": [1, 1, 0, 1] if i < 6 else [0, 1, 0, 1] for i in range(20)}
    needed = runs_needed(pair(before, after), smallest=0.1)
    # Runs vary by 1/3 before and (6 * 1/4 + 14 * 1/3) / 20 = 0.308 after, all of it chance; to
    # see 0.1 takes 0.642 / (20 * (0.1 / 2.80158)^2) = 25.2 runs a task and side.
    assert needed.repeats == 26
    assert needed.more_repeats == 2 * 20 * (26 - 4)
    assert needed.fewest == min(needed.more_runs or 0, needed.more_repeats)


def test_repeats_do_not_help_where_tasks_differ() -> None:
    before = {f"t{i}": [0, 0] if i % 2 else [1, 1] for i in range(20)}
    after = {f"t{i}": [1, 1] if i % 2 else [0, 0] for i in range(20)}
    needed = runs_needed(pair(before, after), smallest=0.05)
    assert needed.repeats is None
    assert needed.more_runs is not None
    assert needed.more_runs > 1000


def test_without_an_observed_difference_the_smallest_must_be_named() -> None:
    before, after = gained_and_lost(2, 2, 6)
    found = compare(before, after)
    assert found.needed.fewest is None
    assert "name the smallest difference that matters" in found.sentence()
    assert compare(before, after, smallest=0.1).needed.fewest is not None


def test_no_difference_is_said_only_where_the_interval_supports_it() -> None:
    before = {f"t{i:03}": [i % 2] for i in range(400)}
    after = {**before, "t000": [1], "t001": [0]}
    assert compare(before, after).verdict == "cannot_tell"
    found = compare(before, after, smallest=0.05)
    assert found.verdict == "no_difference"
    assert "differ by less than 0.050" in found.sentence()
    assert compare(before, after, smallest=0.005).verdict == "cannot_tell"


def test_no_change_in_few_tasks_is_not_equality() -> None:
    same = one_run([1, 0, 1, 1])
    found = compare(same, same, smallest=0.05)
    assert found.verdict == "cannot_tell"
    assert found.interval is not None
    # None of four changed: Wilson leaves z^2 / (4 + z^2) that may.
    assert found.interval.high == pytest.approx(1.959964**2 / (4 + 1.959964**2), abs=1e-6)


def test_only_shared_tasks_with_scores_are_compared() -> None:
    found = compare({"a": [1], "b": [1], "c": [None]}, {"b": [0], "c": [1], "d": [1]}, how=QUICK)
    assert found.tasks == 1
    assert (found.only_in_baseline, found.only_in_candidate) == (("a",), ("c", "d"))
    assert found.interval is None
    assert found.verdict == "cannot_tell"
    assert "3 tasks on one side only left out" in found.sentence()


def test_without_a_shared_task_nothing_is_said() -> None:
    found = compare({"a": [1]}, {"b": [1]})
    assert (found.difference, found.p_value, found.baseline_mean) == (None, None, None)
    assert found.sentence().startswith(
        "Cannot tell candidate from baseline: they share no task with scores."
    )


def test_scores_are_tested_by_permutation() -> None:
    before = {str(i): [0.2, 0.4] for i in range(8)}
    after = {str(i): [0.5, 0.5 + i / 100] for i in range(8)}
    found = compare(before, after)
    assert (found.test, found.verdict) == (EXACT_SIGN_FLIP, "better")
    assert found.p_value == pytest.approx(2 / 256)


@settings(deadline=None)
@given(paired_scores)
def test_the_other_way_round_says_the_opposite(
    scores: Mapping[str, tuple[Sequence[float], Sequence[float]]],
) -> None:
    before = {task: sides[0] for task, sides in scores.items()}
    after = {task: sides[1] for task, sides in scores.items()}
    there = compare(before, after, smallest=0.3, how=Resampling(resamples=100))
    back = compare(after, before, smallest=0.3, how=Resampling(resamples=100))
    assert back.difference == pytest.approx(-(there.difference or 0))
    assert back.p_value == pytest.approx(there.p_value)
    assert back.verdict == REVERSED[there.verdict]
    assert {flip.task for flip in back.flips} == {flip.task for flip in there.flips}
    if there.verdict in {"better", "worse"}:
        assert there.interval is not None
        assert not there.interval.spans(0)


@pytest.mark.parametrize("smallest", [0, -0.1])
def test_a_smallest_difference_is_above_zero(smallest: float) -> None:
    with pytest.raises(InvalidSample, match="smallest: expected a difference above 0"):
        compare({"a": [1]}, {"a": [1]}, smallest=smallest)
