"""How far a judge agrees with what is known, and what its pass rate is worth.

A judge's verdicts are held against recorded outcomes, labels of people or another rater. From
the runs of which both are known follow agreement, kappa and the kinds of error; from all runs
that were judged, the corrected success rate. What was found is kept for the judge by name, so
that its verdicts can be shown with it.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from assay.judge.evidence import EVIDENCE_VERSION
from assay.judge.rubric import RUBRIC_VERSION
from assay.stats import Interval, Resampling, cohen_kappa, mean_over_tasks
from assay.stats.corrected import CorrectedMean, Labelled, corrected_mean

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


class Calibration(Struct, frozen=True):
    """How far a judge agrees with the truth over some runs, and the success rate it implies.

    `agreement` is the share of equal verdicts, with its interval over tasks; `kappa` is that
    beyond chance. `raw_rate` is the judge's own pass rate over all runs, `corrected_rate` the
    success rate that follows from it. All are None where too little is labelled.
    """

    judge: str
    against: str
    group: str
    runs: int
    labelled: int
    confusion: Confusion
    agreement: float | None
    agreement_low: float | None
    agreement_high: float | None
    kappa: float | None
    kappa_low: float | None
    kappa_high: float | None
    raw_rate: float | None
    corrected_rate: float | None
    corrected_low: float | None
    corrected_high: float | None
    by_model: tuple[Calibration, ...] = ()
    by_task: tuple[Calibration, ...] = ()

    def agreement_sentence(self) -> str:
        """How far the judge agrees, for beside its verdicts."""
        if self.agreement is None:
            return f"{self.judge} has not been compared with {self.against}"
        return (
            f"{self.judge} agrees with {self.against} on "
            f"{_percent(self.agreement, self.agreement_low, self.agreement_high)} of "
            f"{self.labelled:,} runs, kappa {_number(self.kappa, self.kappa_low, self.kappa_high)}"
        )

    def rate_sentence(self) -> str:
        """The judge's pass rate and the corrected one."""
        if self.raw_rate is None or self.corrected_rate is None:
            return "no corrected success rate: nothing is labelled"
        corrected = _percent(self.corrected_rate, self.corrected_low, self.corrected_high)
        return f"it passes {100 * self.raw_rate:.0f} % of {self.runs:,} runs; corrected {corrected}"


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
    tasks: dict[str, list[float | None]] = {}
    for run, truth in known:
        tasks.setdefault(run.task, []).append(float(run.passed is truth))
    same = mean_over_tasks(tasks, weigh="runs", how=_RESAMPLES)
    kappa = cohen_kappa([run.passed for run, _ in known], [t for _, t in known], how=_RESAMPLES)
    corrected = _corrected(runs)
    low, high = _ends(None if corrected is None else corrected.interval)
    return Calibration(
        judge,
        against,
        group,
        len(runs),
        len(known),
        Confusion(
            sum(run.passed and truth for run, truth in known),
            sum(run.passed and not truth for run, truth in known),
            sum(not run.passed and truth for run, truth in known),
            sum(not run.passed and not truth for run, truth in known),
        ),
        same.value,
        *_ends(same.interval),
        kappa.value,
        *_ends(kappa.interval),
        sum(run.passed for run in runs) / len(runs) if runs else None,
        None if corrected is None else corrected.value,
        low,
        high,
    )


def _corrected(runs: Sequence[JudgedRun]) -> CorrectedMean | None:
    labelled = [
        Labelled(float(run.truth), float(run.passed), run.task)
        for run in runs
        if run.truth is not None
    ]
    others = [(float(run.passed), run.task) for run in runs if run.truth is None]
    return corrected_mean(labelled, others) if labelled else None


def _ends(interval: Interval | None) -> tuple[float | None, float | None]:
    return (None, None) if interval is None else (interval.low, interval.high)


def _percent(value: float, low: float | None, high: float | None) -> str:
    ends = "" if low is None or high is None else f" ({100 * low:.0f} to {100 * high:.0f})"
    return f"{100 * value:.0f} %{ends}"


def _number(value: float | None, low: float | None, high: float | None) -> str:
    if value is None:
        return "undefined"
    return f"{value:.2f}" + ("" if low is None or high is None else f" ({low:.2f} to {high:.2f})")


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
    known[found.judge] = _Kept(_VERSION, found.agreement_sentence())
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(known)))
    fresh.replace(file)


def known_calibration(judge: str) -> str | None:
    """How far a judge was found to agree; None where nobody looked, or it has changed since."""
    kept = _read(calibration_file()).get(judge)
    return kept.sentence if kept is not None and kept.version == _VERSION else None


def _read(file: Path) -> dict[str, _Kept]:
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, _Kept])
    except (OSError, msgspec.DecodeError):
        return {}
