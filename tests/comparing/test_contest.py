"""Several sides at once, with Holm's correction."""

from __future__ import annotations

import pytest
from tests.comparing.made_runs import numbered, runs_of

from assay.comparing import compare_several
from assay.errors import UnknownName

GOOD = runs_of("good", {f"t{i}": [1, 1, 1] for i in range(10)})
FAIR = runs_of("fair", {f"t{i}": [1, 0, 0] for i in range(10)})
POOR = runs_of("poor", {f"t{i}": [0, 0, 0] for i in range(10)})


def test_the_best_is_named_when_each_pair_says_so() -> None:
    found = compare_several([POOR, GOOD, FAIR])
    assert found.winner == "good"
    assert [each.name for each in found.standings] == ["good", "fair", "poor"]
    assert found.sentence() == (
        "good is better than each of the others in success "
        "(3 comparisons over 10 tasks, Holm's correction)."
    )


def test_p_values_are_corrected_as_statsmodels_does() -> None:
    sides = [
        runs_of("a", numbered([1] * 12)),
        runs_of("b", numbered([1] * 5 + [0] * 7)),
        runs_of("c", numbered([1] * 3 + [0] * 9)),
    ]
    found = compare_several(sides)
    # McNemar by hand: 7 of 7, 9 of 9 and 2 of 2 flips one way.
    plain = {("b", "a"): 2 / 2**7, ("c", "a"): 2 / 2**9, ("c", "b"): 2 / 2**2}
    multipletests = pytest.importorskip("statsmodels.stats.multitest").multipletests
    corrected = multipletests(list(plain.values()), method="holm")[1]
    expected = dict(zip(plain, corrected, strict=True))
    assert {pair.names: pair.p_value for pair in found.pairs} == pytest.approx(expected)


def test_less_is_better_where_the_name_says_so() -> None:
    sides = [
        runs_of(name, numbered([base * (8 + i) for i in range(8)]), "tokens")
        for name, base in (("dear", 900.0), ("cheap", 10.0), ("fair", 400.0))
    ]
    found = compare_several(sides)
    assert found.winner == "cheap"
    assert [each.name for each in found.standings] == ["cheap", "fair", "dear"]


def test_no_winner_when_two_cannot_be_told_apart() -> None:
    twin = runs_of("twin", {f"t{i}": [1, 1, 1] for i in range(10)})
    found = compare_several([GOOD, twin, POOR])
    assert found.winner is None
    assert found.sentence().startswith("No winner in success: 2 of 3 comparisons")


def test_only_tasks_that_all_have_count() -> None:
    more = runs_of("more", {f"t{i}": [1] for i in range(12)})
    found = compare_several([GOOD, FAIR, more])
    assert (found.tasks, found.left_out) == (10, ("t10", "t11"))


def test_each_against_one() -> None:
    found = compare_several([GOOD, FAIR, POOR], against="poor")
    assert [pair.names for pair in found.pairs] == [("poor", "good"), ("poor", "fair")]
    assert found.winner is None
    with pytest.raises(UnknownName, match="No set named 'worst'"):
        compare_several([GOOD, FAIR], against="worst")


def test_sides_of_which_no_outcome_is_known_are_named() -> None:
    sides = [runs_of(name, numbered([0.5, 0.7]), "tool_use") for name in "abc"]
    assert compare_several(sides).without_outcome == ("a", "b", "c")
    assert compare_several([*sides, runs_of("d", numbered([1.0]))]).without_outcome == (
        *("a", "b", "c"),
    )


def test_nothing_in_common_is_no_contest() -> None:
    found = compare_several([GOOD, runs_of("other", numbered([1.0]), "seconds")])
    assert (found.quantity, found.winner, found.pairs) == (None, None, ())
    assert found.sentence() == "Cannot compare: there is no value that all sides have."
