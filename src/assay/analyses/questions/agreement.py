"""Do the judges agree with each other, and with people?"""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations
from math import fsum
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack

from msgspec import Struct

from assay.analyses.analysis import Analysis, Column, Parameter
from assay.analyses.answering import ask
from assay.analyses.judged import resampling_of
from assay.analyses.labels import read_labels
from assay.errors import InvalidRecord
from assay.judge import Calibration, JudgedRun, calibrate
from assay.stats import cohen_kappa, krippendorff_alpha

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from assay.analyses.labels import Label
    from assay.analyses.selection import Filters
    from assay.analyses.view import Answering, View
    from assay.stats import Agreement
    from assay.stats.rating_measures import Scale

_ALL_JUDGES = "all judges"
# From which judged score up a judge of ours counts a run as passed.
PASSING = 0.7
OUTCOMES = "recorded outcomes"
_Place = tuple[str | None, str, str | None]
"""Experiment, first and second rater."""


class RaterAgreement(Struct, frozen=True):
    """How far two raters, or all judges together, agree beyond chance: 1 is fully, 0 is chance.

    `measure` says of what and how it was measured. `same` is the share of equal verdicts, and
    `difference` how much higher the first one's scores are on average: both are None where they
    do not apply. `left_out` runs had fewer than two ratings. `reason` says why something is None.
    """

    experiment: str | None
    first: str
    second: str | None
    measure: str
    value: float | None
    low: float | None
    high: float | None
    units: int
    left_out: int
    same: float | None
    difference: float | None
    reason: str


class _Unit(NamedTuple):
    """One run that was judged."""

    model: str | None
    task_id: str | None
    attempt: int | None
    trajectory: str | None


class _Ratings(NamedTuple):
    """By rater and unit; a rater who rated nothing is not there."""

    verdicts: dict[str, dict[_Unit, bool]]
    scores: dict[str, dict[_Unit, float]]


def agreement(
    source: Answering | View, *, labels: str | Path | None = None, **filters: Unpack[Filters]
) -> list[RaterAgreement]:
    """All judges together, then pair by pair; with `labels`, a file of what people said, too.

    Recorded outcomes are held against each of them. The judges are those whose evaluations were
    recorded, and our own that scored the runs.
    Verdicts are compared by Cohen's kappa and Krippendorff's alpha, scores by alpha on an
    interval scale. A judge who rated a run twice is taken at the later one's word.
    """
    given = read_labels(labels) if labels is not None else []
    experiments = _experiments(ask(source, filters, "ratings", passing=PASSING, outcomes=OUTCOMES))
    return [
        row
        for experiment, ratings in experiments.items()
        for row in _rows(experiment, *_outcomes_apart(ratings), _people(ratings, given))
    ]


def judge_calibrations(
    source: Answering | View,
    *,
    labels: str | Path | None = None,
    against: str | None = None,
    passing: float = PASSING,
    **filters: Unpack[Filters],
) -> list[Calibration]:
    """Each judge held against labels of people, another rater, or else the recorded outcomes."""
    truth = against or ("people" if labels is not None else OUTCOMES)
    lines = ask(source, filters, "ratings", passing=passing, outcomes=OUTCOMES)
    given = read_labels(labels) if labels is not None else []
    judged: dict[str, list[JudgedRun]] = {}
    for ratings in _experiments(lines).values():
        people = _people(ratings, given).verdicts
        known = {unit: said for one in people.values() for unit, said in one.items()}
        if labels is None:
            known = ratings.verdicts.get(truth, {})
        for judge, verdicts in ratings.verdicts.items():
            if judge not in {truth, OUTCOMES}:
                judged.setdefault(judge, []).extend(
                    JudgedRun(unit.task_id or "", unit.model or "", passed, known.get(unit))
                    for unit, passed in verdicts.items()
                )
    return [calibrate(judge, truth, runs) for judge, runs in judged.items()]


def _experiments(lines: Iterable[dict[str, Any]]) -> dict[str | None, _Ratings]:
    found: dict[str | None, _Ratings] = {}
    for line in lines:
        ratings = found.setdefault(
            line["experiment"], _Ratings(defaultdict(dict), defaultdict(dict))
        )
        _note(ratings, line)
    return found


def _note(ratings: _Ratings, line: dict[str, Any]) -> None:
    # What names neither task nor run is nobody else's unit: it stands for itself.
    unit = _Unit(line["model"], line["task"], line["attempt"], line["trajectory"])
    judge = line["judge"] or "a judge without a name"
    if line["success"] is not None:
        ratings.verdicts[judge][unit] = line["success"]
    if line["score"] is not None:
        ratings.scores[judge][unit] = line["score"]


def _people(ratings: _Ratings, labels: Sequence[Label]) -> _Ratings:
    """What people said of runs that were judged, too; of others it cannot be compared."""
    by_task: dict[str | None, set[_Unit]] = defaultdict(set)
    judged: list[Iterable[_Unit]] = [*ratings.verdicts.values(), *ratings.scores.values()]
    for units in judged:
        for unit in units:
            by_task[unit.task_id].add(unit)
    people = _Ratings(defaultdict(dict), defaultdict(dict))
    for label in labels:
        named = _only_one(label, [unit for unit in by_task[label.task_id] if _fits(label, unit)])
        if named is not None and label.success is not None:
            people.verdicts[label.rater][named] = label.success
        if named is not None and label.score is not None:
            people.scores[label.rater][named] = label.score
    return people


def _fits(label: Label, unit: _Unit) -> bool:
    return label.model in {None, unit.model} and label.attempt in {None, unit.attempt}


def _only_one(label: Label, units: list[_Unit]) -> _Unit | None:
    if len(units) > 1:
        missing = [name for name in ("model", "attempt") if getattr(label, name) is None]
        remedy = f"say which {' and '.join(missing)}" if missing else "choose an experiment"
        raise InvalidRecord(f"a label of task {label.task_id} fits {len(units)} runs; {remedy}")
    return units[0] if units else None


def _outcomes_apart(ratings: _Ratings) -> tuple[_Ratings, _Ratings]:
    """What judges said, and the outcomes of runs, which are no judge."""
    verdicts = {name: said for name, said in ratings.verdicts.items() if name != OUTCOMES}
    outcomes = {name: said for name, said in ratings.verdicts.items() if name == OUTCOMES}
    return _Ratings(verdicts, ratings.scores), _Ratings(outcomes, {})


def _rows(
    experiment: str | None, judges: _Ratings, outcomes: _Ratings, people: _Ratings
) -> Iterator[RaterAgreement]:
    if len(judges.verdicts) > 1:
        found = _alpha(_units(judges.verdicts))
        yield _row((experiment, _ALL_JUDGES, None), f"verdicts, {found.name}", found)
    if len(judges.scores) > 1:
        found = _alpha(_units(judges.scores), scale="interval")
        yield _row((experiment, _ALL_JUDGES, None), f"scores, {found.name}", found)
    yield from _pairs(experiment, people, judges)
    yield from _pairs(experiment, outcomes, judges)
    yield from _pairs(experiment, judges, None)


def _pairs(
    experiment: str | None, raters: _Ratings, others: _Ratings | None
) -> Iterator[RaterAgreement]:
    """Each of the raters with each of the others, or with each other."""
    for pair, first, second in _paired(raters.verdicts, others and others.verdicts):
        shared = [unit for unit in first if unit in second]
        kappa = cohen_kappa(
            [first[unit] for unit in shared],
            [second[unit] for unit in shared],
            how=resampling_of(len(shared)),
        )
        same = _mean([float(first[unit] == second[unit]) for unit in shared])
        apart = len(first.keys() ^ second.keys())
        yield _row((experiment, *pair), "verdicts, kappa", kappa, apart=apart, same=same)
    for pair, first, second in _paired(raters.scores, others and others.scores):
        shared = [unit for unit in first if unit in second]
        alpha = _alpha([(first[unit], second[unit]) for unit in shared], scale="interval")
        difference = _mean([first[unit] - second[unit] for unit in shared])
        apart = len(first.keys() ^ second.keys())
        yield _row(
            (experiment, *pair), f"scores, {alpha.name}", alpha, apart=apart, difference=difference
        )


def _paired(
    raters: Mapping[str, dict[_Unit, Any]], others: Mapping[str, dict[_Unit, Any]] | None
) -> Iterator[tuple[tuple[str, str], dict[_Unit, Any], dict[_Unit, Any]]]:
    if others is None:
        pairs: Iterable[tuple[str, str]] = combinations(sorted(raters), 2)
        others = raters
    else:
        pairs = [(one, other) for one in sorted(raters) for other in sorted(others)]
    for first, second in pairs:
        yield (first, second), raters[first], others[second]


def _alpha(units: Sequence[Sequence[Any]], scale: Scale = "nominal") -> Agreement:
    return krippendorff_alpha(units, scale=scale, how=resampling_of(len(units)))


def _units(raters: Mapping[str, dict[_Unit, Any]]) -> list[list[Any]]:
    units: dict[_Unit, list[Any]] = defaultdict(list)
    for ratings in raters.values():
        for unit, rating in ratings.items():
            units[unit].append(rating)
    return list(units.values())


def _mean(values: list[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _row(
    place: _Place,
    measure: str,
    found: Agreement,
    *,
    apart: int = 0,
    same: float | None = None,
    difference: float | None = None,
) -> RaterAgreement:
    low, high, reason = _interval(found)
    return RaterAgreement(
        *place,
        measure,
        *(found.value, low, high),
        found.units,
        found.left_out + apart,
        same,
        difference,
        reason,
    )


def _interval(found: Agreement) -> tuple[float | None, float | None, str]:
    """The ends of the interval; an interval of one point would promise what nobody knows."""
    if found.interval is None:
        return None, None, found.reason
    if found.interval.low == found.interval.high:
        return None, None, "drawing runs again always gives the same"
    return found.interval.low, found.interval.high, found.reason


AGREEMENT = Analysis(
    name="agreement",
    title="Agreement of judges",
    question="Do the judges agree with each other, and with people?",
    row=RaterAgreement,
    ask=agreement,
    parameters=(Parameter("labels", "A CSV or JSONL file of what people said of the runs.", None),),
    columns=(
        Column("experiment", "experiment", "name"),
        Column("first", "first", "name"),
        Column("second", "second", "name"),
        Column("measure", "measure", "name"),
        Column("value", "agreement", "score", lower_is_better=False, interval=("low", "high")),
        Column("units", "runs", "count"),
        Column("left_out", "left out", "count", lower_is_better=True),
        Column("same", "same verdict", "share", lower_is_better=False),
        Column("difference", "higher by", "score"),
        Column("reason", "why not", "text"),
    ),
    tables=("evaluations", "scores"),
)
