"""Agreement: published examples, statsmodels, and the definition spelled out."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats import InvalidSample, Resampling, cohen_kappa, krippendorff_alpha
from assay.stats.agreement import JACKKNIFE, MANY, _resampled
from assay.stats.rating_measures import ALPHAS, DISTANCES, kappa_by

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.stats.rating_measures import Scale, Weights

QUICK = Resampling(resamples=200)
# Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), example C: four observers,
# twelve units, missing ratings; alpha 0.743 nominal, 0.815 ordinal, 0.849 interval.
OBSERVERS = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
UNITS = list(zip(*OBSERVERS, strict=True))
PUBLISHED: dict[Scale, float] = {"nominal": 0.743, "ordinal": 0.815, "interval": 0.849}
WEIGHTS: dict[Weights, str | None] = {"none": None, "linear": "linear", "quadratic": "quadratic"}
marks = st.integers(1, 5)
rated = st.lists(st.tuples(marks, marks), min_size=2, max_size=15)
matrix = st.lists(st.lists(st.one_of(st.none(), marks), min_size=3, max_size=3), max_size=10)


def test_kappa_by_hand() -> None:
    # 50 proposals: both yes 20, both no 15, else 5 and 10. Observed 0.7, by chance
    # 0.5 * 0.6 + 0.5 * 0.4 = 0.5, so kappa is 0.2 / 0.5.
    first = ["yes"] * 25 + ["no"] * 25
    second = ["yes"] * 20 + ["no"] * 5 + ["yes"] * 10 + ["no"] * 15
    found = cohen_kappa(first, second)
    assert found.value == pytest.approx(0.4)
    assert (found.units, found.ratings, found.left_out) == (50, 100, 0)
    assert found.interval is not None
    assert found.sentence().endswith(": beyond chance")


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_against_statsmodels(weights: Weights) -> None:
    numpy = pytest.importorskip("numpy")
    reference = pytest.importorskip("statsmodels.stats.inter_rater").cohens_kappa
    chance = random.Random(6)
    first = [chance.randint(0, 3) for _ in range(60)]
    second = [min(3, max(0, mark + chance.choice((-1, 0, 0, 1)))) for mark in first]
    table = numpy.zeros((4, 4))
    for a, b in zip(first, second, strict=True):
        table[a, b] += 1
    expected = reference(table, wt=WEIGHTS[weights], return_results=False)
    found = cohen_kappa(first, second, weights=weights)
    assert found.value == pytest.approx(expected)
    error = float(reference(table, wt=WEIGHTS[weights]).std_kappa)
    assert found.interval is not None
    assert found.interval.high - found.interval.low == pytest.approx(2 * 1.96 * error, rel=0.25)


def test_distances_are_those_of_the_numbers_or_of_the_places_given() -> None:
    first, second = ["low", "low", "mid", "high"], ["low", "mid", "high", "high"]
    order = ["low", "mid", "high"]
    numbers = [[order.index(word) for word in rater] for rater in (first, second)]
    found = cohen_kappa(first, second, weights="linear", categories=order)
    assert found.value == cohen_kappa(*numbers, weights="linear").value
    with pytest.raises(InvalidSample, match="give the categories in order"):
        cohen_kappa(first, second, weights="linear")
    with pytest.raises(InvalidSample, match="'mid' is none of the categories"):
        cohen_kappa(first, second, categories=["low", "high"])


@settings(deadline=None)
@given(rated, st.sampled_from(sorted(WEIGHTS)))
def test_kappa_is_symmetric_and_at_most_one(pairs: list[tuple[int, int]], weights: Weights) -> None:
    first, second = zip(*pairs, strict=True)
    there = cohen_kappa(first, second, weights=weights, how=Resampling(resamples=100)).value
    back = cohen_kappa(second, first, weights=weights, how=Resampling(resamples=100)).value
    assert there == (None if back is None else pytest.approx(back))
    if there is None:
        assert len({*first, *second}) == 1
    else:
        assert there <= 1
        assert (there == 1) == (first == second)


@pytest.mark.parametrize("scale", PUBLISHED)
def test_alpha_as_published(scale: Scale) -> None:
    found = krippendorff_alpha(UNITS, scale=scale)
    assert found.value == pytest.approx(PUBLISHED[scale], abs=5e-4)
    assert (found.units, found.ratings, found.left_out) == (11, 40, 1)


def alpha_by_definition(units: Sequence[Sequence[Any]], scale: Scale) -> float | None:
    """One minus observed over expected disagreement, from the coincidences of all value pairs."""
    together: Counter[tuple[Any, Any]] = Counter()
    for unit in units:
        values = [value for value in unit if value is not None]
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                if i != j:
                    together[a, b] += 1 / (len(values) - 1)  # type: ignore[assignment]
    single: Counter[Any] = Counter()
    for (a, _), times in together.items():
        single[a] += times

    def distance(a: Any, b: Any) -> float:
        if scale == "nominal":
            return float(a != b)
        if scale == "interval":
            return float((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        between = sum(times for value, times in single.items() if low <= value <= high)
        return float((between - (single[low] + single[high]) / 2) ** 2)

    n = sum(single.values())
    expected = sum(distance(a, b) * single[a] * single[b] for a in single for b in single)
    observed = sum(distance(a, b) * times for (a, b), times in together.items())
    return 1 - (n - 1) * observed / expected if expected else None


@settings(deadline=None)
@given(matrix, st.sampled_from(sorted(PUBLISHED)))
def test_alpha_as_defined(units: list[list[int | None]], scale: Scale) -> None:
    found = krippendorff_alpha(units, scale=scale, how=Resampling(resamples=100))
    expected = alpha_by_definition(units, scale)
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-9))
    if found.value is not None:
        assert found.value <= 1 + 1e-12


@settings(deadline=None)
@given(matrix)
def test_neither_the_order_of_raters_nor_ratings_alone_change_alpha(
    units: list[list[int | None]],
) -> None:
    how = Resampling(resamples=100)
    turned = [unit[::-1] for unit in units] + [[3, None, None]]
    found, other = krippendorff_alpha(units, how=how), krippendorff_alpha(turned, how=how)
    assert (found.value, found.interval) == (other.value, other.interval)
    assert other.left_out == found.left_out + 1


def test_ordinal_looks_at_ranks_and_interval_at_values() -> None:
    near = [(1, 1), (2, 3), (3, 3), (1, 2), (3, 2)]
    stretched = [tuple({1: 1, 2: 2, 3: 100}[mark] for mark in unit) for unit in near]
    alphas = [krippendorff_alpha(u, scale="ordinal", how=QUICK).value for u in (near, stretched)]
    assert alphas[0] == alphas[1]
    by_value = [krippendorff_alpha(u, scale="interval", how=QUICK).value for u in (near, stretched)]
    assert by_value[0] != by_value[1]


@pytest.mark.parametrize(
    ("units", "value", "reason"),
    [
        ([], None, "no unit was rated twice"),
        ([(1, None), (None, 2)], None, "no unit was rated twice"),
        ([(1, 1), (1, 1)], None, "all ratings are equal"),
        ([(1, 2)], 0.0, "one unit says nothing about others"),
        ([(1, 1), (2, 2), (3, 3)], 1.0, "no disagreement was seen"),
    ],
)
def test_what_cannot_be_said_is_none_with_a_reason(
    units: Any, value: float | None, reason: str
) -> None:
    found = krippendorff_alpha(units, how=QUICK)
    assert (found.value, found.interval) == (value, None)
    assert reason in found.sentence()


def test_chance_is_not_called_agreement() -> None:
    chance = random.Random(2)
    ratings = [[chance.choice("ab") for _ in range(80)] for _ in range(2)]
    found = cohen_kappa(*ratings)
    assert found.interval is not None
    assert found.interval.spans(0)
    assert found.sentence().endswith("cannot be told from chance")
    opposed = cohen_kappa(["a", "b"] * 20, ["b", "a"] * 19 + ["b", "b"])
    assert opposed.sentence().endswith("worse than chance")


def test_units_that_one_rater_left_out_are_counted() -> None:
    found = cohen_kappa(["a", "b", None, "a"], ["a", "b", "b", "b"], how=QUICK)
    assert (found.units, found.left_out) == (3, 1)
    assert "1 unit left out" in found.sentence()


def test_raters_of_different_units_are_refused() -> None:
    with pytest.raises(InvalidSample, match="2 ratings against 1"):
        cohen_kappa([1, 2], [1])
    with pytest.raises(
        InvalidSample, match="alpha on an interval scale needs numbers, got str 'x'"
    ):
        krippendorff_alpha([(1, "x")], scale="interval")


@given(rated, st.sampled_from(sorted(DISTANCES)))
def test_kappa_without_one_unit_is_that_of_the_others(
    units: list[tuple[int, int]], weights: Weights
) -> None:
    counts, measure = Counter(units), kappa_by(DISTANCES[weights])
    assert measure.without is not None
    without = measure.without(counts)
    for unit in counts:
        left = measure.of(counts - Counter([unit]))
        assert without(unit) == (None if left is None else pytest.approx(left))


@given(st.lists(st.lists(marks, min_size=2, max_size=4), min_size=2, max_size=12))
@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_alpha_without_one_unit_is_that_of_the_others(scale: Scale, units: list[list[int]]) -> None:
    counts = Counter(tuple(sorted(unit)) for unit in units)
    measure = ALPHAS[scale]
    assert measure.without is not None
    without = measure.without(counts)
    for unit in counts:
        left, found = measure.of(counts - Counter([unit])), without(unit)
        # What rounding leaves of a spread of nothing may be a little.
        assert left is None or found == pytest.approx(left, abs=1e-9)


@pytest.mark.parametrize("scale", ["nominal", "interval"])
def test_the_interval_of_many_units_is_that_of_resampling(scale: Scale) -> None:
    chance = random.Random(8)
    first = [chance.randint(1, 5) for _ in range(MANY + 200)]
    units = [(mark, min(5, max(1, mark + chance.choice((-1, 0, 0, 1))))) for mark in first]
    found = krippendorff_alpha(units, scale=scale).interval
    groups = [(unit,) for unit in units]
    resampled = _resampled(groups, ALPHAS[scale], Resampling(resamples=400))
    assert found is not None
    assert resampled is not None
    assert found.method == JACKKNIFE
    assert found.high - found.low == pytest.approx(resampled.high - resampled.low, rel=0.15)
    assert found.low == pytest.approx(resampled.low, abs=0.01)


def test_the_error_of_kappa_of_many_units_is_that_of_statsmodels() -> None:
    numpy = pytest.importorskip("numpy")
    reference = pytest.importorskip("statsmodels.stats.inter_rater").cohens_kappa
    chance = random.Random(9)
    first = [chance.random() < 0.6 for _ in range(3 * MANY)]
    second = [mark if chance.random() < 0.8 else not mark for mark in first]
    table = numpy.zeros((2, 2))
    for a, b in zip(first, second, strict=True):
        table[int(a), int(b)] += 1
    found = cohen_kappa(first, second).interval
    assert found is not None
    error = float(reference(table).std_kappa)
    assert found.high - found.low == pytest.approx(2 * 1.96 * error, rel=0.01)


def test_where_everything_hangs_on_one_unit_resampling_has_the_word() -> None:
    found = cohen_kappa([True] * MANY + [False], [True] * MANY + [True])
    assert found.value == 0.0
    found = krippendorff_alpha([(1, 1)] * MANY + [(1, 2)], how=QUICK)
    assert found.interval is None or found.interval.method != JACKKNIFE


def marks_of_cases(cases: int, marks: int, *, seed: int = 7) -> list[tuple[int, int]]:
    """Two raters: one is a point lower in all marks of every third case or so."""
    chance = random.Random(seed)
    found = []
    for _ in range(cases):
        lower = chance.random() < 0.3
        mark = chance.randint(2, 9)
        found += [(mark, mark - lower)] * marks
    return found


def test_units_of_their_own_clusters_are_resampled_as_ever() -> None:
    units = marks_of_cases(40, 1)
    alone = krippendorff_alpha(units, scale="interval")
    assert krippendorff_alpha(units, scale="interval", clusters=range(len(units))) == alone


@pytest.mark.parametrize("cases", [40, MANY + 200])
def test_six_marks_of_a_case_say_no_more_than_one(cases: int) -> None:
    how = Resampling(resamples=200)
    once = krippendorff_alpha(marks_of_cases(cases, 1), scale="interval", how=how)
    units = marks_of_cases(cases, 6)
    together = krippendorff_alpha(
        units, scale="interval", how=how, clusters=[i // 6 for i in range(len(units))]
    )
    apart = krippendorff_alpha(units, scale="interval", how=how)
    assert once.interval is not None
    assert together.interval is not None
    assert apart.interval is not None
    width = once.interval.high - once.interval.low
    assert together.interval.high - together.interval.low == pytest.approx(width, rel=0.25)
    # As if there were six times as many cases: narrower by the root of six.
    assert apart.interval.high - apart.interval.low == pytest.approx(width / 6**0.5, rel=0.25)
    assert together.value == apart.value


def test_one_cluster_says_nothing_about_others() -> None:
    found = krippendorff_alpha([(1, 2), (3, 3)], scale="interval", clusters=[0, 0])
    assert found.interval is None
    assert found.reason == "one unit says nothing about others"
    with pytest.raises(InvalidSample, match="2 units, but 1 clusters that hold them"):
        krippendorff_alpha([(1, 2), (3, 3)], clusters=[0])
