"""What a judge says of a case: marks, how far they lie apart, and the rubric behind them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.judge.marks import Marks, marks_from_mapping
from assay.judge.rubric import (
    AGGREGATES,
    BANDS,
    DIMENSION_NAMES,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
)
from assay.judge.wording import LANGUAGES, band_lines, rubric_hash, wording


@given(
    st.dictionaries(
        st.sampled_from(DIMENSION_NAMES),
        st.integers() | st.floats(1, 1e300) | st.floats(-1e300, 0),
    )
)
def test_marks_are_in_range_or_missing(found: dict[str, float]) -> None:
    marks = marks_from_mapping("j", found)
    assert tuple(marks.values) == DIMENSION_NAMES
    assert marks.given.keys() == found.keys()
    assert all(LOWEST <= mark <= HIGHEST for mark in marks.given.values())


def test_the_given_marks_are_those_that_are_there() -> None:
    marks = Marks("j", {"grounding": 5.0, "task_fulfillment": None})
    assert marks.given == {"grounding": 5.0}


def test_the_rubric_has_six_dimensions_in_three_pairs() -> None:
    assert len(DIMENSION_NAMES) == len(set(DIMENSION_NAMES)) == 6
    pairs = {name: [d.name for d in DIMENSIONS if d.aggregate == name] for name in AGGREGATES}
    assert pairs == {
        "task_completion_score": ["task_fulfillment", "grounding"],
        "tool_selection_score": ["tool_appropriateness", "parameter_accuracy"],
        "planning_effectiveness_score": ["dependency_awareness", "parallelism_and_efficiency"],
    }


@pytest.mark.parametrize(
    ("percent", "mark"),
    [(0, 1), (34, 3), (35, 4), (64, 6), (65, 7), (84, 8), (85, 9), (94, 9), (95, 10), (100, 10)],
)
def test_every_share_has_one_band_and_its_mark_is_in_it(percent: int, mark: int) -> None:
    bands = [band for band in BANDS if band.from_percent <= percent < band.to_percent]
    if percent == 100:
        bands = [BANDS[-1]]
    assert len(bands) == 1
    assert bands[0].low <= mark <= bands[0].high
    assert max(int(percent / 10 + 0.5), 1) == mark


def test_the_bands_leave_no_gap_and_do_not_overlap() -> None:
    marks = [mark for band in BANDS for mark in range(band.low, band.high + 1)]
    assert marks == list(range(int(LOWEST), int(HIGHEST) + 1))
    edges = [0, *(band.to_percent for band in BANDS)]
    assert edges == [*(band.from_percent for band in BANDS), 100]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_says_the_same_things(language: str) -> None:
    words, english = wording(language), wording("en")
    assert list(words.dimensions) == list(DIMENSION_NAMES)
    assert list(words.aggregates) == list(AGGREGATES)
    assert words.sections.keys() == english.sections.keys()
    assert words.phrases.keys() == english.phrases.keys()
    assert len(words.rules) == len(english.rules)
    for dimension in DIMENSIONS:
        said = words.dimensions[dimension.name]
        assert all((said.label, said.asks, said.of, said.counts))
        assert bool(said.void) == dimension.may_be_void


def test_the_english_rubric_asks_what_the_table_says() -> None:
    assert [wording("en").dimensions[d.name].asks for d in DIMENSIONS] == [
        d.asks for d in DIMENSIONS
    ]


@pytest.mark.parametrize(
    ("language", "first", "last"),
    [
        ("en", "1-3: less than 35 % of the claims are backed", "9-10: 85 % or more of the claims"),
        ("zh", "1-3 分：不足 35 % 的陈述有依据", "9-10 分：85 % 或以上的陈述有依据"),
    ],
)
def test_the_bands_in_words(language: str, first: str, last: str) -> None:
    lines = band_lines(language, "grounding")
    assert lines[0] == first
    assert lines[-1].startswith(last)
    assert len(lines) == len(BANDS)


def test_the_rubric_has_one_hash_a_language() -> None:
    hashes = {rubric_hash(language) for language in LANGUAGES}
    assert len(hashes) == len(LANGUAGES)
    assert all(len(found) == 16 for found in hashes)


@pytest.mark.parametrize(
    ("scores", "threshold", "unstable"),
    [
        ((0.6, 0.8), 0.7, True),
        ((0.7, 0.8), 0.7, False),
        ((0.5, 0.6), 0.7, False),
        ((0.6,), 0.7, None),
        ((), 0.7, None),
        ((0.6, 0.8), None, None),
    ],
)
def test_marks_are_unstable_if_opinions_lie_on_both_sides_of_the_threshold(
    scores: tuple[float, ...],
    threshold: float | None,
    unstable: bool | None,
) -> None:
    assert Marks("j", {}, run_scores=scores).unstable(threshold) is unstable


def test_unstable_is_about_the_score_that_is_compared() -> None:
    marks = Marks("j", {}, run_scores=(0.5, 0.9))
    assert marks.unstable(0.7) is True
    assert marks.unstable(0.7, lambda judged: 0.6 * judged + 0.4) is False


def test_the_judged_score_is_the_mean_over_ten_of_what_is_there() -> None:
    assert Marks("j", {"grounding": 5.0, "task_fulfillment": 8.0}).score == 0.65
    assert Marks("j", {"grounding": None}).score is None
