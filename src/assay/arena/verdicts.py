"""What a session tells of its agents: means with intervals, and differences where there are any."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec import Struct

from assay.arena.figures import METRICS
from assay.arena.history import FORMAT
from assay.comparing import Contest, RunFacts, RunSet, compare_several, read_runs_of
from assay.comparing.many_tasks import mean_of_tasks
from assay.metrics.chatbot.evaluator import CATEGORIES, ChatbotEvaluator
from assay.stats import Estimate, Resampling

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.arena.session import Cell, Session
    from assay.store import Store

    # An answer with the task it belongs to: a prompt that was repeated is one task.
    Column = Sequence[tuple[str, Cell]]

# What is not judged of every answer: it is of the code, and the same for every prompt.
OF_CODE = "developer_experience"
# The score of a turn, as `assay arena run` compares it too.
SCORE = ChatbotEvaluator.name
_RESAMPLES = Resampling(resamples=400)


class MetricLine(Struct, frozen=True):
    """One metric of every agent: the mean over prompts, and how far apart the means are."""

    name: str
    means: dict[str, Estimate]
    is_of_code: bool = False

    @property
    def spread(self) -> float | None:
        """The distance between the highest and the lowest mean; None unless two have one."""
        known = [found.value for found in self.means.values() if found.value is not None]
        return max(known) - min(known) if len(known) > 1 else None


class Verdict(Struct, frozen=True):
    """The whole of a session; `contest` is None for a single agent or before any answer."""

    prompts: int
    answered: dict[str, int]
    answers: MetricLine
    milliseconds: MetricLine
    calls: MetricLine
    preferred: MetricLine
    metrics: list[MetricLine]
    contest: Contest | None

    @property
    def has_choices(self) -> bool:
        """Whether a person preferred any answer."""
        return any(found.n for found in self.preferred.means.values())


def score_of(cell: Cell) -> float | None:
    """The score of a turn: 0 where the agent failed, None where nothing could be judged."""
    return None if cell.figures is None else cell.figures.score


def verdict_of(session: Session) -> Verdict:
    """Judge a session by the prompts that every agent is done with."""
    done = [prompt for prompt in session.prompts if not prompt.is_running]
    columns: dict[str, list[tuple[str, Cell]]] = {letter: [] for letter, *_ in session.columns()}
    for prompt in done:
        for letter, cell in prompt.cells.items():
            columns.setdefault(letter, []).append((f"{prompt.task:05}", cell))
    lines = [
        _line(name, columns, _metric(name), is_of_code=category == OF_CODE)
        for category, metrics in CATEGORIES.items()
        for name in metrics
    ]
    return Verdict(
        prompts=len(done),
        answered={
            letter: sum(cell.state == "done" for _, cell in held)
            for letter, held in columns.items()
        },
        answers=_line(SCORE, columns, score_of),
        milliseconds=_line("milliseconds", columns, _milliseconds),
        calls=_line("calls", columns, _calls),
        preferred=_line("preferred", columns, lambda cell: cell.preferred),
        metrics=sorted(lines, key=_farthest_first),
        contest=_contest(columns) if len(columns) > 1 and done else None,
    )


def latest_verdict(session: Session) -> Verdict:
    """The same, worked out once for what the session has come to.

    Of hundreds of prompts it takes half a second.
    """
    state = [(p.number, p.choice) for p in session.prompts if not p.is_running]
    known = _LATEST.get(session)
    if known is None or known[0] != state:
        known = _LATEST[session] = (state, verdict_of(session))
    return known[1]


_LATEST: WeakKeyDictionary[Session, tuple[object, Verdict]] = WeakKeyDictionary()


def contest_in(store: Store, agents: Mapping[str, tuple[str, str | None]]) -> Contest | None:
    """The agents over all sessions of a store: name and model by letter; None where one has none.

    The same agent with another model is another one, unless its model is not known.
    """
    sides = [
        RunSet(letter, tuple(_facts(run) for run in _runs_of(store, *agent)))
        for letter, agent in agents.items()
    ]
    if len(sides) < 2 or not all(any(run.values for run in side.runs) for side in sides):
        return None
    return compare_several(sides, quantity=SCORE)


def _runs_of(store: Store, label: str, model: str | None) -> tuple[RunFacts, ...]:
    where = (
        "source_format = $format AND framework = $label"
        " AND ($model::VARCHAR IS NULL OR model = $model)"
    )
    return read_runs_of(store, label, where, format=FORMAT, label=label, model=model).runs


def _facts(run: RunFacts) -> RunFacts:
    found = run.values.get(SCORE)
    return RunFacts(run.task, {} if found is None else {SCORE: found})


def separating(cells: Sequence[Cell]) -> dict[str, float]:
    """The metrics by how far apart they hold these answers, with how far; of the code last."""
    known = [cell.figures.metrics for cell in cells if cell.figures is not None]
    spreads = {name: _spread([row[i] for row in known]) for i, name in enumerate(METRICS)}
    ordered = sorted(METRICS, key=lambda name: (name in CATEGORIES[OF_CODE], -spreads[name]))
    return {name: spreads[name] for name in ordered}


def _spread(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return max(known) - min(known) if len(known) > 1 else 0.0


def _farthest_first(line: MetricLine) -> tuple[bool, float]:
    return line.is_of_code, 1.0 if line.spread is None else -line.spread


def _milliseconds(cell: Cell) -> float | None:
    """Times below a second are no shares: their interval must not end at 1."""
    return None if cell.seconds is None else 1_000 * cell.seconds


def _metric(name: str) -> Callable[[Cell], float | None]:
    place = METRICS.index(name)

    def value(cell: Cell) -> float | None:
        return None if cell.figures is None else cell.figures.metrics[place]

    return value


def _calls(cell: Cell) -> float | None:
    return None if cell.figures is None else float(cell.figures.calls)


def _line(
    name: str,
    columns: Mapping[str, Column],
    value: Callable[[Cell], float | None],
    *,
    is_of_code: bool = False,
) -> MetricLine:
    means = {}
    for letter, held in columns.items():
        tasks: dict[str, list[float | None]] = {}
        for task, cell in held:
            tasks.setdefault(task, []).append(value(cell))
        means[letter] = mean_of_tasks(tasks, _RESAMPLES)
    return MetricLine(name, means, is_of_code)


def _contest(columns: Mapping[str, Column]) -> Contest:
    sides = [
        RunSet(
            letter,
            tuple(
                RunFacts(task, {SCORE: value})
                for task, cell in held
                if (value := score_of(cell)) is not None
            ),
        )
        for letter, held in columns.items()
    ]
    return compare_several(sides, quantity=SCORE if all(s.runs for s in sides) else None)
