"""All checks of a gate, and the verdict they come to."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from assay.comparing import QUANTITIES, Comparison, compare, quantity_named
from assay.errors import InvalidSample, UnknownName
from assay.gate.checks import CheckResult, check_limit, check_margin, check_tasks, not_checked
from assay.gate.room import Strictness, Verdict
from assay.records import counted
from assay.stats import Resampling

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.comparing import RunSet
    from assay.gate.settings import CheckSettings, GateSettings

# The first that any check came to is the verdict of them all.
_WORST_FIRST: tuple[Verdict, ...] = ("regression", "insufficient", "pass")
_NEARLY = 0.8
WORDS: dict[Verdict, str] = {
    "pass": "pass",
    "regression": "regression",
    "insufficient": "insufficient data",
}


class GateReport(Struct, frozen=True):
    """What every check came to; `comparison` is the baseline's, where there is one."""

    name: str
    verdict: Verdict
    checks: tuple[CheckResult, ...]
    runs: int
    tasks: int
    baseline: str | None = None
    comparison: Comparison | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON values, each check under its name."""
        checks = [{"name": check.name, **to_builtins(check)} for check in self.checks]
        found: dict[str, Any] = to_builtins(self)
        return {"sentence": self.sentence(), **found, "checks": checks}

    def sentence(self) -> str:
        """The verdict, and how many checks came to what."""
        seen = [check.verdict for check in self.checks]
        parts = [f"{seen.count(word)} {WORDS[word]}" for word in _WORST_FIRST if word in seen]
        over = f"{counted(self.runs, 'run')} of {counted(self.tasks, 'task')}"
        against = f" against {self.baseline}" if self.baseline else ""
        return f"{WORDS[self.verdict]}: {self.name}{against}, {over}; {', '.join(parts)}"


def gate(runs: RunSet, settings: GateSettings, baseline: RunSet | None = None) -> GateReport:
    """Hold a set of runs against every limit of the settings."""
    checks = tuple(_checks(runs, settings, baseline))
    return GateReport(
        name=runs.name,
        verdict=overall(checks),
        checks=checks,
        runs=len(runs.runs),
        tasks=len(runs.by_task()),
        baseline=baseline.name if baseline else None,
        comparison=compare(baseline, runs, how=_how(settings)) if baseline else None,
    )


def refuse_misspelt(settings: GateSettings, *sets: RunSet) -> None:
    """Refuse a check whose quantity nobody has and is nearly called like one of ours.

    Any other name that nobody has may be a metric that was not scored: too little data.
    """
    recorded = {name for runs in sets for name in runs.recorded()}
    for name in settings.checks:
        try:
            quantity_named(name, recorded)
        except UnknownName:
            if get_close_matches(name, QUANTITIES, n=1, cutoff=_NEARLY):
                raise
        except InvalidSample:
            continue


def unreadable(name: str, problem: str) -> GateReport:
    """The report on runs that could not be read: nothing was checked, nothing is known."""
    checks = (not_checked("store", "quantity", problem),)
    return GateReport(name, overall(checks), checks, runs=0, tasks=0)


def overall(checks: tuple[CheckResult, ...]) -> Verdict:
    """The worst verdict of all; without a check there is too little to tell."""
    seen = {check.verdict for check in checks}
    return next((verdict for verdict in _WORST_FIRST if verdict in seen), "insufficient")


def _checks(runs: RunSet, settings: GateSettings, baseline: RunSet | None) -> Iterator[CheckResult]:
    if baseline is not None and settings.missing_tasks == "insufficient":
        yield check_tasks(runs, baseline)
    for name, check in settings.checks.items():
        yield from _quantity_checks(runs, name, check, settings, baseline)


def _quantity_checks(
    runs: RunSet,
    name: str,
    check: CheckSettings,
    settings: GateSettings,
    baseline: RunSet | None,
) -> Iterator[CheckResult]:
    recorded = set(runs.recorded()) | set(baseline.recorded() if baseline else ())
    try:
        quantity = quantity_named(name, recorded)
    except (UnknownName, InvalidSample) as exc:
        yield not_checked(name, "quantity", str(exc))
        return
    strictness = _strictness(check, settings)
    if check.min is not None:
        yield check_limit(runs, quantity, "min", check.min, strictness)
    if check.max is not None:
        yield check_limit(runs, quantity, "max", check.max, strictness)
    if check.margin is not None:
        if baseline is None:
            why = "there is no baseline to hold it against; name one with --baseline"
            yield not_checked(name, "margin", why, asked=str(check.margin))
        else:
            yield check_margin(runs, baseline, quantity, check.margin, strictness)


def _strictness(check: CheckSettings, settings: GateSettings) -> Strictness:
    return Strictness(
        bound=check.bound or settings.bound,
        undecided=check.undecided or settings.undecided,
        min_tasks=settings.min_tasks if check.min_tasks is None else check.min_tasks,
        max_missing=settings.max_missing if check.max_missing is None else check.max_missing,
        how=_how(settings),
    )


def _how(settings: GateSettings) -> Resampling:
    return Resampling(level=settings.level)
