"""How far a judge agrees with what is known, and what its pass rate is worth.

A judge's verdicts are held against recorded outcomes, labels of people or another rater. From
the runs of which both are known follow agreement, kappa and the kinds of error; from all runs
that were judged, the corrected success rate. What was found is kept for the judge by name, so
that its verdicts can be shown with it.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from assay.judge.evidence import EVIDENCE_VERSION
from assay.judge.rubric import RUBRIC_VERSION
from assay.stats import Interval, Resampling, cohen_kappa, mean_over_tasks
from assay.stats.corrected import Labelled, corrected_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_RESAMPLES = Resampling(resamples=500)
_VERSION = f"{RUBRIC_VERSION}/{EVIDENCE_VERSION}"
_FILE = "calibrations.json"


class JudgedRun(Struct, frozen=True):
    """What a judge said of a run, and what is known of it; None where nothing is."""

    task: str
    model: str
    passed: bool
    truth: bool | None = None


class Confusion(Struct, frozen=True):
    """How often the judge's verdict was right, and in which way it was wrong."""

    rightly_passed: int
    wrongly_passed: int
    wrongly_failed: int
    rightly_failed: int


class Rate(Struct, frozen=True):
    """A share or a mean, how many it is over, and its interval; None where nothing is known."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @classmethod
    def of(cls, value: float | None, interval: Interval | None, n: int = 0) -> Rate:
        """A value of a statistic with its interval."""
        low, high = (interval.low, interval.high) if interval else (None, None)
        return cls(value, low, high, n)

    @property
    def text(self) -> str:
        """The rate in percent with its interval."""
        if self.value is None:
            return "-"
        if self.low is None or self.high is None:
            return f"{100 * self.value:.0f} %"
        return f"{100 * self.value:.0f} % ({100 * self.low:.0f} to {100 * self.high:.0f})"


class Calibration(Struct, frozen=True):
    """How far a judge agrees with the truth over some runs, and the success rate it implies.

    `agreement` is the share of equal verdicts, with its interval over tasks; `kappa` is that
    beyond chance. `raw_rate` is the judge's own pass rate over all runs, `corrected` the success
    rate that follows from it. What too little is labelled for is None.
    """

    judge: str
    against: str
    group: str
    runs: int
    labelled: int
    confusion: Confusion
    agreement: Rate
    kappa: Rate
    raw_rate: float
    corrected: Rate
    by_model: tuple[Calibration, ...] = ()
    by_task: tuple[Calibration, ...] = ()

    def agreement_sentence(self) -> str:
        """How far the judge agrees, for beside its verdicts."""
        if self.agreement.value is None:
            return f"{self.judge} has not been compared with {self.against}"
        kappa = "undefined" if self.kappa.value is None else f"{self.kappa.value:.2f}"
        if self.kappa.low is not None and self.kappa.high is not None:
            kappa += f" ({self.kappa.low:.2f} to {self.kappa.high:.2f})"
        return (
            f"{self.judge} agrees with {self.against} on {self.agreement.text} of "
            f"{self.labelled:,} runs, kappa {kappa}"
        )

    def rate_sentence(self) -> str:
        """The judge's pass rate and the corrected one."""
        passes = f"it passes {100 * self.raw_rate:.0f} % of {self.runs:,} runs"
        return f"{passes}; corrected {self.corrected.text}"


def calibrate(judge: str, against: str, runs: Sequence[JudgedRun]) -> Calibration:
    """The calibration over all runs, by model and by task."""
    return msgspec.structs.replace(
        _calibrate(judge, against, "all", runs),
        by_model=_grouped(judge, against, runs, lambda run: run.model),
        by_task=_grouped(judge, against, runs, lambda run: run.task),
    )


def _grouped(
    judge: str, against: str, runs: Iterable[JudgedRun], name_of: Callable[[JudgedRun], str]
) -> tuple[Calibration, ...]:
    groups: dict[str, list[JudgedRun]] = {}
    for run in runs:
        groups.setdefault(name_of(run), []).append(run)
    labelled = {
        name: group for name, group in groups.items() if any(run.truth is not None for run in group)
    }
    return tuple(_calibrate(judge, against, name, labelled[name]) for name in sorted(labelled))


def _calibrate(judge: str, against: str, group: str, runs: Sequence[JudgedRun]) -> Calibration:
    known = [(run, run.truth) for run in runs if run.truth is not None]
    pairs = Counter((run.passed, truth) for run, truth in known)
    tasks: dict[str, list[float | None]] = {}
    for run, truth in known:
        tasks.setdefault(run.task, []).append(float(run.passed is truth))
    same = mean_over_tasks(tasks, weigh="runs", how=_RESAMPLES)
    kappa = cohen_kappa([run.passed for run, _ in known], [t for _, t in known], how=_RESAMPLES)
    labelled = [Labelled(float(truth), float(run.passed), run.task) for run, truth in known]
    others = [(float(run.passed), run.task) for run in runs if run.truth is None]
    corrected = corrected_mean(labelled, others) if labelled else None
    ways = ((True, True), (True, False), (False, True), (False, False))
    return Calibration(
        judge,
        against,
        group,
        len(runs),
        len(known),
        Confusion(*(pairs[way] for way in ways)),
        Rate.of(same.value, same.interval, same.n),
        Rate.of(kappa.value, kappa.interval, kappa.units),
        sum(run.passed for run in runs) / len(runs),
        Rate.of(corrected.value, corrected.interval, len(runs)) if corrected else Rate(None),
    )


def calibration_file() -> Path:
    """Where calibrations are kept for the user."""
    base = os.environ.get("XDG_DATA_HOME")
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".local/share"
    return root / "assay" / _FILE


class _Kept(Struct):
    version: str
    sentence: str


def keep_calibration(found: Calibration) -> None:
    """Keep how far a judge agrees, in place of what was known of it before."""
    file = calibration_file()
    known = _read(file)
    known[found.judge] = _Kept(_VERSION, f"{found.agreement_sentence()}; {found.rate_sentence()}")
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(known)))
    fresh.replace(file)
    known_calibration.cache_clear()


@cache
def known_calibration(judge: str) -> str | None:
    """How far a judge was found to agree; None where nobody looked, or it has changed since."""
    kept = _read(calibration_file()).get(judge)
    return kept.sentence if kept is not None and kept.version == _VERSION else None


def _read(file: Path) -> dict[str, _Kept]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, _Kept])
    except (OSError, msgspec.DecodeError):
        return {}
