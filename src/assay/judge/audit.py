"""Mutation testing for judges: does a judge notice the defects that were planted?

Good runs and copies of them with one known defect each go to the same judge or metric, which is
told neither which is which nor how the run really ended. What it says of the copies shows what
it notices; what it says of the originals, how often it raises a false alarm.
"""

from __future__ import annotations

import asyncio
import copy
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import BudgetSpent, JudgeFailed
from assay.event_loop import in_thread
from assay.judge.calibration import Rate
from assay.judge.defects import DEFECTS, Neighbours, blind, plant, run_key
from assay.stats import Resampling, cluster_interval

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from assay.judge.marks import Marks
    from assay.score import Score
    from assay.test_case import AgentTestCase

    Ask = Callable[[AgentTestCase], Awaitable["Opinion"]]

ORIGINAL = ""
PASSING = 0.7
_WRONG = frozenset({"failed", "suspect"})
_VERDICT = "verdict"
_LEAST_APART = 1e-9
# The copies of all runs would need much memory.
_RUNS_TOGETHER = 8
_RESAMPLES = Resampling(resamples=1_000)


class Opinion(Struct, frozen=True):
    """What a judge or metric says of a run: a score, and whether something is wrong with it."""

    score: float | None
    flagged: bool | None = None


class Trial(Struct, frozen=True):
    """One question to the judge; `kind` is empty for an original. None where it said nothing."""

    run: str
    kind: str
    seed: int
    subject: str
    score: float | None = None
    flagged: bool | None = None
    call: int | None = None
    before: str = ""
    after: str = ""
    error: str = ""


class KindResult(Struct, frozen=True):
    """What became of the defects of one kind.

    `flagged` is the share of copies that were called wrong, `noticed` the share that was flagged
    where the original was not, or scored lower. `rank` is how often the original is scored
    higher, ties counted half: 0.5 is what a judge gets that cannot tell them apart.
    """

    kind: str
    planted: int
    unscored: int
    flagged: Rate
    noticed: Rate
    rank: Rate


class AuditReport(Struct, frozen=True):
    """How far a judge is to be trusted, over all kinds of defects and by kind.

    `separation` is how much more often copies are flagged than their originals. `unscored` is
    how many runs and copies the judge said nothing of, `problem` why it did not of the first.
    """

    subject: str
    seed: int
    runs: int
    false_alarms: Rate
    every: KindResult
    kinds: tuple[KindResult, ...]
    separation: Rate
    unscored: int = 0
    problem: str = ""
    not_asked: int = 0

    @property
    def tells_apart(self) -> bool | None:
        """Whether copies can be told from originals by what the judge says; None without any."""
        found = [
            low > chance
            for low, chance in ((self.separation.low, 0.0), (self.every.rank.low, 0.5))
            if low is not None
        ]
        return any(found) if found else None

    def sentence(self) -> str:
        """The result in one sentence."""
        if not self.every.planted:
            why = f": {self.problem}" if self.problem else ""
            return f"{self.subject}: no defect could be planted, or none was judged{why}"
        verdict = {
            True: "it tells defects from good runs",
            False: "it cannot be told from a judge that does not look",
            None: "too few runs to tell what that is worth",
        }[self.tells_apart]
        return (
            f"{self.subject} flags {self.every.flagged.text} of {self.every.planted:,} planted "
            f"defects at {self.false_alarms.text} false alarms on {self.runs:,} good runs: "
            f"{verdict}"
        )


class AuditOptions(Struct, frozen=True, kw_only=True):
    """Which defects are planted, how many in each run (None is all), and by which seed."""

    kinds: tuple[str, ...] = tuple(DEFECTS)
    per_run: int | None = None
    seed: int = 0
    at_once: int = 32


class TrialFile:
    """Trials kept as lines of JSON, so that an audit that was interrupted goes on."""

    def __init__(self, path: Path | None) -> None:
        """Read what is there; a line that was cut off is asked again."""
        self._path = path
        self._known: dict[tuple[str, str, int, str], Trial] = {}
        if path is not None and path.exists():
            for line in path.read_bytes().splitlines():
                with suppress(msgspec.DecodeError, msgspec.ValidationError):
                    trial = msgspec.json.decode(line, type=Trial)
                    self._known[_key(trial)] = trial

    def known(self, trial: Trial) -> Trial | None:
        """The same trial as it was judged before."""
        return self._known.get(_key(trial))

    def keep(self, trial: Trial) -> None:
        """Add a trial to the file."""
        if self._path is not None:
            with self._path.open("ab") as stream:
                stream.write(msgspec.json.encode(trial) + b"\n")


def _key(trial: Trial) -> tuple[str, str, int, str]:
    return trial.run, trial.kind, trial.seed, trial.subject


async def audit_judge(
    runs: Sequence[AgentTestCase],
    subject: Any,
    options: AuditOptions | None = None,
    *,
    threshold: float = PASSING,
    kept: TrialFile | None = None,
    others: Iterable[AgentTestCase] = (),
) -> AuditReport:
    """Ask a judge or metric about good runs and their copies with planted defects.

    `others` are more runs of the same kind of work that may lend values and answers.
    """
    options, kept = options or AuditOptions(), kept or TrialFile(None)
    ask, turns = asker(subject, threshold), asyncio.Semaphore(options.at_once)
    name = str(getattr(subject, "name", None) or type(subject).__name__)

    async def judged(trial: Trial, case: AgentTestCase) -> Trial:
        found = kept.known(trial)
        if found is not None:
            return found
        async with turns:
            try:
                opinion = await ask(case)
            except JudgeFailed as exc:
                return msgspec.structs.replace(trial, error=str(exc))
        found = msgspec.structs.replace(trial, score=opinion.score, flagged=opinion.flagged)
        kept.keep(found)
        return found

    neighbours = Neighbours([*runs, *others])
    found: list[Trial] = []
    not_asked = 0
    for start in range(0, len(runs), _RUNS_TOGETHER):
        together = runs[start : start + _RUNS_TOGETHER]
        trials = [t for case in together for t in _trials(case, neighbours, options, name)]
        outcomes = await asyncio.gather(*(judged(*each) for each in trials), return_exceptions=True)
        for (trial, _), outcome in zip(trials, outcomes, strict=True):
            if isinstance(outcome, Trial):
                found.append(outcome)
            elif isinstance(outcome, BudgetSpent):
                not_asked += 1
            elif isinstance(outcome, Exception):  # a metric's bug costs this trial only
                error = f"{type(outcome).__name__}: {outcome}"
                found.append(msgspec.structs.replace(trial, error=error))
            else:
                raise outcome
        if not_asked:
            break
    return report_of(name, found, seed=options.seed, not_asked=not_asked)


def _trials(
    case: AgentTestCase, neighbours: Neighbours, options: AuditOptions, subject: str
) -> Iterator[tuple[Trial, AgentTestCase]]:
    run, seed = run_key(case), options.seed
    yield Trial(run, ORIGINAL, seed, subject), blind(case)
    planted = list(plant(case, options.kinds, neighbours, seed=seed))
    if options.per_run is not None and len(planted) > options.per_run:
        planted = Random(f"{seed}:{run}").sample(planted, options.per_run)  # noqa: S311
    for found in planted:
        where: dict[str, Any] = {"call": found.call, "before": found.before, "after": found.after}
        yield Trial(run, found.kind, seed, subject, **where), found.case


def report_of(
    subject: str, trials: Sequence[Trial], *, seed: int = 0, not_asked: int = 0
) -> AuditReport:
    """What the trials say about the judge; those that have no answer stay out of all shares."""
    originals = {t.run: t for t in trials if t.kind == ORIGINAL and not t.error}
    copies = [trial for trial in trials if trial.kind != ORIGINAL and trial.run in originals]
    kinds = dict.fromkeys(kind for kind in DEFECTS if any(t.kind == kind for t in copies))
    problems = [trial.error for trial in trials if trial.error]
    alarms = [(run, trial.flagged) for run, trial in originals.items()]
    return AuditReport(
        subject,
        seed,
        len(originals),
        _rate(alarms),
        _kind("all", copies, originals),
        tuple(_kind(kind, [t for t in copies if t.kind == kind], originals) for kind in kinds),
        _rate([(t.run, _more_flagged(originals[t.run], t)) for t in copies], (-1.0, 1.0)),
        len(problems),
        problems[0] if problems else "",
        not_asked,
    )


def _kind(kind: str, copies: Sequence[Trial], originals: dict[str, Trial]) -> KindResult:
    judged = [trial for trial in copies if not trial.error]
    return KindResult(
        kind,
        len(judged),
        len(copies) - len(judged),
        _rate((trial.run, trial.flagged) for trial in judged),
        _rate((trial.run, _noticed(originals[trial.run], trial)) for trial in judged),
        _rate((trial.run, _rank(originals[trial.run], trial)) for trial in judged),
    )


def _noticed(original: Trial, planted: Trial) -> bool | None:
    rank = _rank(original, planted)
    if planted.flagged is None and rank is None:
        return None
    return (planted.flagged is True and original.flagged is False) or rank == 1.0


def _rank(original: Trial, planted: Trial) -> float | None:
    if original.score is None or planted.score is None:
        return None
    difference = original.score - planted.score
    return 0.5 if abs(difference) < _LEAST_APART else float(difference > 0)


def _rate(
    values: Iterable[tuple[str, float | None]], bounds: tuple[float, float] = (0.0, 1.0)
) -> Rate:
    """The mean over trials, its interval over runs: copies of one run resemble each other."""
    runs: dict[str, list[float]] = {}
    for run, value in values:
        if value is not None:
            runs.setdefault(run, []).append(float(value))
    clusters = [(sum(values), len(values)) for values in runs.values()]
    n = sum(count for _, count in clusters)
    interval = cluster_interval(clusters, bounds, _RESAMPLES)
    return Rate.of(sum(total for total, _ in clusters) / n if n else None, interval, n)


def _more_flagged(original: Trial, planted: Trial) -> float | None:
    if original.flagged is None or planted.flagged is None:
        return None
    return float(planted.flagged) - float(original.flagged)


def asker(subject: Any, threshold: float = PASSING) -> Ask:
    """How to ask a judge (`mark`), a metric (`evaluate`), or a metric of deepeval (`measure`).

    Flagged is what its verdict calls wrong; without a verdict, a score below the threshold.
    """
    if hasattr(subject, "mark"):

        async def ask_judge(case: AgentTestCase) -> Opinion:
            marks: Marks = await subject.mark(case)
            return _opinion(marks.score, marks.verdict, threshold)

        return ask_judge
    if hasattr(subject, "evaluate"):

        async def ask_metric(case: AgentTestCase) -> Opinion:
            score: Score = await subject.evaluate(case)
            verdict = next((e.text for e in score.evidence if e.kind == _VERDICT), "")
            return _opinion(score.value, verdict, threshold)

        return ask_metric

    async def ask_deepeval(case: AgentTestCase) -> Opinion:
        metric = copy.copy(subject)  # it remembers its last result
        score = await in_thread(lambda: metric.measure(case.to_deepeval()))
        return Opinion(score, not metric.is_successful())

    return ask_deepeval


def _opinion(score: float | None, verdict: str, threshold: float) -> Opinion:
    if verdict:
        return Opinion(score, verdict in _WRONG)
    return Opinion(score, None if score is None else score < threshold - _LEAST_APART)
