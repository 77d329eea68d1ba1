"""Several sides on one quantity, each held against a baseline, and who leads if anybody does.

Unlike a contest, two sides are compared on the tasks those two share, and everything is read as
lists of values by task: a store of hundreds of thousands of runs is answered in moments.
"""

from __future__ import annotations

from itertools import combinations, permutations
from math import fsum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.comparing.comparison import Figure, figure_of
from assay.comparing.many_tasks import MANY, difference_of, mean_of_tasks
from assay.comparing.quantities import QUANTITIES, Quantity, quantity_named
from assay.comparing.run_sets import RUNS, SCORE_NAME
from assay.comparing.sides import division_named
from assay.errors import UnknownName
from assay.stats import Estimate, Resampling
from assay.stats.paired import Question, conclude
from assay.stats.pairing import pair
from assay.stats.ranking import corrected_tests
from assay.stats.samples import scored_tasks
from assay.store.tables import TASK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.stats.samples import Tasks
    from assay.store import Store

# So many pairs times tasks are compared by drawing; beyond, the same is computed.
_MOST_DRAWN = 1_000
# So many sides are held against each other; of more, only against the baseline.
_MOST_PAIRED = 40
JUDGED = "judged by "
_VALUES = """
    WITH facts AS ({runs})
    SELECT CAST({side} AS VARCHAR) AS side, facts.task, LIST({value}) AS scores
    FROM facts JOIN runs USING (run_key)
    WHERE {side} IS NOT NULL AND {value} IS NOT NULL
    GROUP BY 1, 2 ORDER BY 1, 2
"""
_SCORED = """
    SELECT CAST({side} AS VARCHAR) AS side, {task} AS task,
           LIST(scores.value) AS scores
    FROM (SELECT run_key, path, judge, value FROM scores) AS scores JOIN runs USING (run_key)
    WHERE {side} IS NOT NULL AND scores.value IS NOT NULL AND {name} = $name
    GROUP BY 1, 2 ORDER BY 1, 2
"""
_EVALUATED = """
    SELECT model AS side, task_id AS task, LIST(final_answer_score) AS scores
    FROM evaluations
    WHERE model IS NOT NULL AND task_id IS NOT NULL AND final_answer_score IS NOT NULL
      AND judge = $name
    GROUP BY 1, 2 ORDER BY 1, 2
"""
_RECORDED = """
    SELECT COUNT(outcome_success) AS success, COUNT(outcome_score) AS outcome_score,
           COUNT(*) FILTER (WHERE calls > 0) AS failed_call_share,
           COUNT(cost_usd) AS cost_usd, COUNT(ended_at - started_at) AS seconds,
           COUNT(input_tokens + output_tokens) AS tokens
    FROM runs
"""
_METRICS = """
    SELECT DISTINCT {name} AS name
    FROM scores WHERE value IS NOT NULL AND path NOT LIKE '%/%' ORDER BY name
"""
_JUDGES = """
    SELECT DISTINCT judge FROM evaluations
    WHERE final_answer_score IS NOT NULL AND judge IS NOT NULL ORDER BY judge
"""


class Standing(Struct, frozen=True):
    """One side: its mean over tasks, and how it compares with the baseline, if it is not it."""

    name: str
    mean: Estimate
    total: float
    """The sum of the values, so that few of them can be told as a count."""
    against: Figure | None = None


class Standings(Struct, frozen=True):
    """All sides, the most desirable mean first; p-values are corrected for the pairs compared.

    `leaders` are the fewest sides each of which is better than every other one, and none where
    there are no such sides or all would be. `first_two` compares the two that stand first.
    """

    quantity: Quantity
    baseline: str | None
    sides: tuple[Standing, ...]
    leaders: tuple[str, ...] = ()
    first_two: Figure | None = None


def quantities_of(store: Store) -> list[str]:
    """The quantities that some run of a store has, the most telling first."""
    (counts,) = store.query(_RECORDED)
    found = [name for name in QUANTITIES if counts.get(name)]
    ours = [row["name"] for row in store.query(_METRICS.format(name=SCORE_NAME))]
    judged = [JUDGED + row["judge"] for row in store.query(_JUDGES)]
    telling = [name for name in ("success", "outcome_score") if name in found]
    return [*telling, *ours, *judged, *(name for name in found if name not in telling)]


def divisions_of(store: Store, wanted: Sequence[str]) -> list[str]:
    """Of these ways to divide a store, those that give two sides and more."""
    counts = ", ".join(f"COUNT(DISTINCT {division_named(name).names}) AS {name}" for name in wanted)
    (row,) = store.query(f"SELECT {counts} FROM runs")  # noqa: S608 - from our own table
    return [name for name in wanted if row[name] > 1]


def read_standings(
    store: Store, quantity: str, *, by: str = "model", baseline: str | None = None
) -> Standings:
    """The sides of a store by one quantity; without a baseline one is chosen."""
    return standings(
        read_tasks(store, quantity, by=by), _meaning_of(quantity), baseline, Resampling()
    )


def _meaning_of(quantity: str) -> Quantity:
    """What a quantity is and which way is better."""
    if quantity.startswith(JUDGED):
        return Quantity(quantity, "higher", "mean score that the judge gave")
    return quantity_named(quantity, [quantity])


def read_tasks(store: Store, quantity: str, *, by: str = "model") -> dict[str, Tasks]:
    """The values of each side's tasks."""
    side = division_named(by).names
    rows: list[dict[str, Any]]
    if quantity in QUANTITIES:
        runs = RUNS.format(task=TASK, where="true")
        rows = store.query(_VALUES.format(runs=runs, side=side, value=f"facts.{quantity}"))
    elif quantity.startswith(JUDGED):
        rows = store.query(_EVALUATED, name=quantity.removeprefix(JUDGED)) if by == "model" else []
    else:
        rows = store.query(_SCORED.format(task=TASK, side=side, name=SCORE_NAME), name=quantity)
    found: dict[str, Any] = {}
    for row in rows:
        found.setdefault(row["side"], {})[row["task"]] = [float(score) for score in row["scores"]]
    return found


def standings(
    sides: Mapping[str, Tasks],
    quantity: Quantity,
    baseline: str | None = None,
    how: Resampling | None = None,
) -> Standings:
    """The sides in order, compared with the baseline and with each other."""
    how = how or Resampling()
    if baseline is not None and baseline not in sides:
        raise UnknownName("baseline", baseline, sides)
    means = {name: mean_of_tasks(tasks, how) for name, tasks in sides.items()}
    way = -1 if quantity.better == "higher" else 1
    order = sorted(means, key=lambda name: (way * (means[name].value or 0.0), name))
    if not order:
        return Standings(quantity, None, ())
    base = baseline if baseline is not None else _usual_baseline(order, sides)
    ordered = {name: means[name] for name in order}
    figures = _compared(sides, ordered, quantity, _chosen_pairs(order, base), how)
    return Standings(
        quantity,
        base,
        tuple(
            Standing(name, means[name], _total(sides[name]), figures.get((base, name)))
            for name in order
        ),
        _leading(order, figures),
        next((figures[way] for way in _both_ways(order[:2]) if way in figures), None),
    )


def _usual_baseline(order: Sequence[str], sides: Mapping[str, Tasks]) -> str:
    """The one that most others can be compared with; of several such the last in order."""
    if len(order) > _MOST_PAIRED:
        return order[-1]

    def comparable(name: str) -> int:
        return sum(not sides[name].keys().isdisjoint(sides[other]) for other in order)

    return max(reversed(order), key=comparable)


def _total(tasks: Tasks) -> float:
    return fsum(score for scores in tasks.values() for score in scores if score is not None)


def _both_ways(names: Sequence[str]) -> list[tuple[str, str]]:
    return list(permutations(names, 2))


def _chosen_pairs(order: Sequence[str], base: str) -> list[tuple[str, str]]:
    """Baseline and candidate of each comparison; the baseline is always the first of its own."""
    others = [name for name in order if name != base]
    own = [(base, name) for name in others]
    rest = combinations(others, 2) if len(order) <= _MOST_PAIRED else ()
    return [*own, *((behind, ahead) for ahead, behind in rest)]


def _compared(
    sides: Mapping[str, Tasks],
    means: Mapping[str, Estimate],
    quantity: Quantity,
    pairs: Sequence[tuple[str, str]],
    how: Resampling,
) -> dict[tuple[str, str], Figure]:
    # What it would take to tell two apart needs every run, but is asked of few pairs only.
    known = {name: scored_tasks(tasks) for name, tasks in sides.items()}
    short = {name: _means_of(tasks) for name, tasks in known.items()}
    told = {*_both_ways(list(means)[:2]), *(names for names in pairs if names[0] == pairs[0][0])}
    pairings = [
        pair(*((known if names in told else short)[name] for name in names)) for names in pairs
    ]
    work = sum(len(pairing.tasks) for pairing in pairings)
    many = MANY if work <= _MOST_DRAWN else 1
    tests = corrected_tests([difference_of(pairing, how, many=many) for pairing in pairings])
    found = {}
    for names, pairing, test in zip(pairs, pairings, tests, strict=True):
        concluded = conclude(pairing, test, names, Question(), level=how.level)
        found[names] = figure_of(concluded, quantity, (means[names[0]], means[names[1]]))
    return found


def _means_of(tasks: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    return {task: [fsum(scores) / len(scores)] for task, scores in tasks.items()}


def _leading(order: Sequence[str], figures: Mapping[tuple[str, str], Figure]) -> tuple[str, ...]:
    """The shortest beginning of the order whose sides all beat everybody after it."""
    for size in range(1, len(order)):
        first, rest = order[:size], order[size:]
        if all(_beats(one, other, figures) for one in first for other in rest):
            return tuple(first)
    return ()


def _beats(one: str, other: str, figures: Mapping[tuple[str, str], Figure]) -> bool:
    if (other, one) in figures:
        return figures[other, one].verdict == "better"
    return (one, other) in figures and figures[one, other].verdict == "worse"
