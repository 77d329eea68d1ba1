"""Several sets at once: Holm's correction, and no winner without proof."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import UnknownName
from assay.stats import Resampling, compare, compare_all, holm

if TYPE_CHECKING:
    from assay.stats.samples import Tasks

QUICK = Resampling(resamples=200)
p_values = st.lists(st.floats(0, 1), max_size=8)


def test_holm_by_hand() -> None:
    # Sorted 0.01, 0.03, 0.04: times 3, 2 and 1, and never below the one before.
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == []


def test_holm_against_statsmodels() -> None:
    reference = pytest.importorskip("statsmodels.stats.multitest").multipletests
    for values in ([0.2], [0.01, 0.02, 0.03, 0.9], [0.5, 0.001, 0.049, 0.05, 0.001]):
        assert holm(values) == pytest.approx(reference(values, method="holm")[1])


@given(p_values)
def test_a_correction_never_helps_and_keeps_the_order(values: list[float]) -> None:
    corrected = holm(values)
    assert all(p <= c <= 1 for p, c in zip(values, corrected, strict=True))
    order = sorted(range(len(values)), key=values.__getitem__)
    assert [corrected[i] for i in order] == sorted(corrected)


def runs(passed: int, of: int = 30) -> dict[str, list[float]]:
    return {f"t{i:02}": [float(i < passed)] for i in range(of)}


def test_a_winner_is_better_than_each_of_the_others() -> None:
    found = compare_all({"low": runs(4), "high": runs(28), "middle": runs(14)}, how=QUICK)
    assert found.winner == "high"
    assert [standing.name for standing in found.standings] == ["high", "middle", "low"]
    assert [(c.baseline, c.candidate) for c in found.comparisons] == [
        ("middle", "high"),
        ("low", "high"),
        ("low", "middle"),
    ]
    # high gained 14, 24 and middle 10 of the others' failures: 2 / 2^14 and so on, corrected.
    expected = holm([2 / 2**14, 2 / 2**24, 2 / 2**10])
    assert [c.p_value for c in found.comparisons] == pytest.approx(expected)
    assert all(c.family == 3 for c in found.comparisons)
    assert "corrected for 3 comparisons" in found.comparisons[0].sentence()
    assert found.sentence().startswith("high is better than each of the others")


def test_nobody_wins_by_a_step_that_may_be_chance() -> None:
    found = compare_all({"a": runs(20), "b": runs(22), "c": runs(5)}, how=QUICK)
    assert found.winner is None
    assert found.standings[0].name == "b"
    assert [c.verdict for c in found.comparisons] == ["cannot_tell", "better", "better"]
    assert found.sentence() == (
        "No winner: 2 of 3 comparisons over 30 tasks tell two sets apart (Holm's correction)."
    )


def test_the_correction_can_take_a_verdict_back() -> None:
    sets = {"a": runs(10), "b": runs(16)}
    assert compare(sets["a"], sets["b"], how=QUICK).verdict == "better"  # p = 1 / 32
    crowded = compare_all({**sets, "c": runs(11), "d": runs(12)}, against="a", how=QUICK)
    assert {c.verdict for c in crowded.comparisons} == {"cannot_tell"}


def test_against_one_of_them_compares_with_that_one_and_crowns_nobody() -> None:
    found = compare_all({"old": runs(4), "x": runs(25), "y": runs(27)}, against="old", how=QUICK)
    assert [(c.baseline, c.candidate) for c in found.comparisons] == [("old", "y"), ("old", "x")]
    assert found.winner is None
    with pytest.raises(UnknownName, match="Did you mean 'old'"):
        compare_all({"old": runs(4), "x": runs(25)}, against="odl")


def test_only_tasks_that_all_have_count() -> None:
    sets: dict[str, Tasks] = {
        "a": runs(3, 10),
        "b": {**runs(5, 10), "more": [1.0]},
        "c": {**runs(2, 9), "t09": [None]},
    }
    found = compare_all(sets, how=QUICK)
    assert (found.tasks, found.left_out) == (9, ("more", "t09"))
    assert {standing.mean.tasks for standing in found.standings} == {9}


@pytest.mark.parametrize("sets", [{}, {"a": runs(3)}, {"a": runs(3), "b": {}}])
def test_one_set_or_none_has_no_winner(sets: dict[str, Tasks]) -> None:
    found = compare_all(sets, how=QUICK)
    assert found.winner is None
    assert found.sentence().startswith("No winner")
