"""The variance parts: by hand, exactly unbiased for any design, and as REML has them."""

from __future__ import annotations

import random
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.stats import InvalidSample, variance_parts
from assay.stats.variance import _moments

Design = list[list[list[float]]]
RUNS = {"run": "0 + C(run)"}
sizes = st.lists(st.lists(st.integers(1, 3), min_size=1, max_size=3), min_size=2, max_size=4)


def named(design: Design) -> dict[str, Design | Any]:
    return {str(i): task for i, task in enumerate(design)}


def test_two_tasks_of_two_runs_worked_out_by_hand() -> None:
    # Two tasks, two runs each, two judgements a run.
    # Run means 1, 3 | 6, 8; task means 2 | 7; grand mean 4.5.
    # Judge: squares 8 * 1 over 4 = 2. Run: squares 2 * 4 = 8 over 2 = 4; (4 - 2) / 2 = 1.
    # Task: squares 4 * 2.5^2 * 2 = 50 over 1; (50 - 4) / 4 = 11.5.
    parts = variance_parts({"a": [[0, 2], [2, 4]], "b": [[5, 7], [7, 9]]})
    assert (parts.task, parts.run, parts.judge) == pytest.approx((11.5, 1.0, 2.0))
    assert (parts.tasks, parts.runs, parts.judgements) == (2, 4, 8)
    assert parts.total == pytest.approx(14.5)
    assert parts.notes == ()
    # 11.5 / 10 + 1 / 20 + 2 / 60 = 1.2333
    assert parts.standard_error(10, 2, 3) == pytest.approx(1.2333**0.5, abs=1e-4)


def test_a_negative_part_counts_as_nothing_and_is_noted() -> None:
    parts = variance_parts({"a": [[0, 9], [9, 0]], "b": [[0, 9], [9, 0]]})
    assert parts.run == 0
    assert parts.task == 0
    assert parts.judge == pytest.approx(40.5)
    # All means are 4.5, so run is (0 - 2 * 40.5) / 4; and that leaves just nothing for task.
    assert parts.notes == ("the run part came out negative (-20) and counts as 0",)


@pytest.mark.parametrize(
    ("judged", "unknown", "note"),
    [
        ({"a": [[1], [2]], "b": [[3], [5]]}, {"judge"}, "judgements cannot be told from runs"),
        ({"a": [[1, 2]], "b": [[3, 5]]}, {"run"}, "runs cannot be told from tasks"),
        ({"a": [[1, 2], [3, 4]]}, {"task"}, "the spread between tasks is not known"),
        ({"a": [[1]]}, {"task", "run", "judge"}, "fewer than two scores"),
        ({"a": [[None]], "b": []}, {"task", "run", "judge"}, "fewer than two scores"),
    ],
)
def test_what_the_design_cannot_tell_is_none(judged: Any, unknown: set[str], note: str) -> None:
    parts = variance_parts(judged)
    missing = {name for name in ("task", "run", "judge") if getattr(parts, name) is None}
    assert missing == unknown
    assert any(note in said for said in parts.notes)
    assert note in parts.sentence()


def test_a_part_that_cannot_be_told_is_counted_in_the_one_above_it() -> None:
    # One judgement a run: the run part is the pooled variance of runs, (0.5 + 2) / 2.
    assert variance_parts({"a": [[1], [2]], "b": [[3], [5]]}).run == pytest.approx(1.25)


def test_nothing_known_plans_nothing() -> None:
    assert variance_parts({}).standard_error(5) is None
    with pytest.raises(InvalidSample, match="at least one task"):
        variance_parts({"a": [[1], [2]]}).standard_error(0)


@settings(deadline=None)
@given(sizes, st.randoms(use_true_random=False), st.floats(-5, 5), st.floats(0.1, 4))
def test_a_shift_changes_nothing_and_a_factor_counts_squared(
    shape: list[list[int]], chance: Any, shift: float, factor: float
) -> None:
    design = [[[chance.random() for _ in range(n)] for n in runs] for runs in shape]
    moved = [[[factor * (y + shift) for y in run] for run in runs] for runs in design]
    for part, other in zip(_moments(design), _moments(moved), strict=True):
        assert (part is None) == (other is None)
        if part is not None:
            assert other == pytest.approx(part * factor**2, abs=1e-9)


@settings(deadline=None)
@given(sizes)
def test_each_part_is_exactly_unbiased_for_any_design(shape: list[list[int]]) -> None:
    """A moment estimate is y'Qy, so its expectation is the trace of Q with each part's pattern."""
    numpy = pytest.importorskip("numpy")
    place = [(i, j) for i, runs in enumerate(shape) for j, n in enumerate(runs) for _ in range(n)]
    quadratic = quadratic_forms(shape, len(place))
    patterns = (
        numpy.array([[float(a[0] == b[0]) for b in place] for a in place]),
        numpy.array([[float(a == b) for b in place] for a in place]),
        numpy.eye(len(place)),
    )
    for own, form in enumerate(quadratic):
        for part, pattern in enumerate(patterns):
            # Of a part that the design cannot tell only the sum with another is estimated.
            if form is not None and quadratic[part] is not None:
                trace = numpy.sum(numpy.array(form) * pattern)
                assert trace == pytest.approx(float(part == own), abs=1e-9)


def quadratic_forms(shape: list[list[int]], n: int) -> list[Any]:
    def moments(y: list[float]) -> tuple[float | None, float | None, float | None]:
        values = iter(y)
        return _moments([[[next(values) for _ in range(k)] for k in runs] for runs in shape])

    units = [[float(i == j) for j in range(n)] for i in range(n)]
    single = [moments(unit) for unit in units]
    forms: list[Any] = []
    for part in range(3):
        if single[0][part] is None:
            forms.append(None)
            continue
        form = [[0.0] * n for _ in range(n)]
        for i in range(n):
            for j in range(n):
                both = moments([a + b for a, b in zip(units[i], units[j], strict=True)])[part]
                form[i][j] = ((both or 0) - (single[i][part] or 0) - (single[j][part] or 0)) / 2
        forms.append(form)
    return forms


def test_a_balanced_design_as_reml_estimates_it() -> None:
    smf = pytest.importorskip("statsmodels.formula.api")
    pandas = pytest.importorskip("pandas")
    chance = random.Random(3)
    judged: dict[str, list[list[float]]] = {}
    for task in range(12):
        of_task = chance.gauss(0, 2)
        judged[str(task)] = [
            [of_task + of_run + chance.gauss(0, 0.7) for _ in range(3)]
            for of_run in [chance.gauss(0, 1.2) for _ in range(4)]
        ]
    rows = [
        {"y": y, "task": task, "run": f"{task}/{i}"}
        for task, runs in judged.items()
        for i, run in enumerate(runs)
        for y in run
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its optimiser's, not ours
        fit = smf.mixedlm(
            "y ~ 1", pandas.DataFrame(rows), groups="task", re_formula="1", vc_formula=RUNS
        ).fit(reml=True)
    parts = variance_parts(judged)
    reml = (float(fit.cov_re.iloc[0, 0]), float(fit.vcomp[0]), float(fit.scale))
    assert (parts.task, parts.run, parts.judge) == pytest.approx(reml, rel=0.01)
