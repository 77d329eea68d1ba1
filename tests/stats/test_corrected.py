"""The corrected mean against published software, and against the truth of simulations."""

from __future__ import annotations

from random import Random

import pytest

from assay.errors import InvalidSample
from assay.stats.corrected import Labelled, corrected_mean

LABELS = [0.9, 0.2, 0.7, 1.0, 0.1, 0.4, 0.8, 0.3, 0.6, 0.5]
KNOWN = [0.8, 0.3, 0.9, 0.7, 0.2, 0.6, 0.7, 0.1, 0.8, 0.4]
OTHERS = [0.9, 0.8, 0.2, 0.6, 0.7, 0.5, 0.9, 0.3, 0.8, 0.7, 0.6, 0.9, 0.4, 0.8, 0.7, 0.5]
PAIRS = [Labelled(a, b) for a, b in zip(LABELS, KNOWN, strict=True)]


def found(weight: float | None = None) -> float:
    return corrected_mean(PAIRS, [(other, None) for other in OTHERS], weight=weight).value


# ppi_mean_pointestimate of ppi-python 0.2.3 for the same figures.
@pytest.mark.parametrize(
    ("weight", "expected"),
    [(None, 0.610818829113924), (1.0, 0.64375), (0.5, 0.596875), (0.0, 0.55)],
)
def test_the_value_is_that_of_ppi_python(weight: float | None, expected: float) -> None:
    assert found(weight) == pytest.approx(expected, abs=1e-9)


def test_without_other_predictions_it_is_the_mean_label() -> None:
    alone = corrected_mean(PAIRS, [])
    assert alone.value == pytest.approx(0.55)
    assert alone.weight == 0.0


def test_without_labels_there_is_nothing_to_correct_by() -> None:
    with pytest.raises(InvalidSample, match="needs at least one label"):
        corrected_mean([], [(1.0, None)])


def test_one_cluster_has_no_interval() -> None:
    assert corrected_mean([Labelled(1.0, 1.0, "t")] * 9, [(1.0, None)]).interval is None


def test_labels_that_all_agree_leave_room_for_doubt() -> None:
    interval = corrected_mean([Labelled(1.0, 1.0)] * 10, [(1.0, None)] * 100).interval
    assert interval is not None
    assert interval.low < 0.9


def test_runs_of_one_task_count_as_one() -> None:
    draw = Random(1)
    tasks = [float(draw.random() < 0.6) for _ in range(30)]
    runs = [Labelled(label, 0.5, task) for task, label in enumerate(tasks) for _ in range(8)]
    apart = [Labelled(run.label, run.prediction) for run in runs]
    together, alone = corrected_mean(runs, []).interval, corrected_mean(apart, []).interval
    assert together is not None
    assert alone is not None
    assert together.high - together.low > 2 * (alone.high - alone.low)


# Labels, true rate, and how often a judge passes what is good and fails what is bad.
SETTINGS = [(25, 0.7, 0.95, 0.5), (50, 0.5, 0.8, 0.7), (100, 0.6, 0.5, 0.5), (100, 0.3, 0.9, 0.9)]


@pytest.mark.parametrize(("labels", "rate", "passes_good", "fails_bad"), SETTINGS)
def test_the_interval_covers_the_truth(
    labels: int, rate: float, passes_good: float, fails_bad: float
) -> None:
    dice = Random(11)

    def drawn() -> tuple[float, float]:
        good = dice.random() < rate
        return float(good), float(dice.random() < (passes_good if good else 1 - fails_bad))

    covered = 0
    for _ in range(1_000):
        known = [Labelled(*drawn()) for _ in range(labels)]
        interval = corrected_mean(known, [(drawn()[1], None) for _ in range(300)]).interval
        assert interval is not None
        covered += interval.spans(rate)
    assert covered >= 930


def test_a_good_judge_makes_the_interval_narrower() -> None:
    dice = Random(5)
    known = [Labelled(label, label) for label in (float(dice.random() < 0.5) for _ in range(40))]
    known[:3] = [Labelled(1 - case.label, case.prediction) for case in known[:3]]
    others = [(float(dice.random() < 0.5), None) for _ in range(400)]
    corrected, labels = corrected_mean(known, others).interval, corrected_mean(known, []).interval
    assert corrected is not None
    assert labels is not None
    assert corrected.high - corrected.low < 0.8 * (labels.high - labels.low)
