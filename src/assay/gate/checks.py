"""One limit held against one quantity: pass, regression, or too little to tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct
from msgspec.structs import replace

from assay.comparing.many_tasks import difference_of, mean_of_tasks
from assay.comparing.quantities import Better, Quantity, source_of, tasks_of
from assay.errors import InvalidSettings
from assay.gate.room import Room, Strictness, Verdict, decide, needed_if_alike, room_to
from assay.records import counted
from assay.stats import Estimate, Interval
from assay.stats.pairing import PairedTest, Pairing, pair
from assay.stats.planning import runs_needed
from assay.stats.wording import change, number, p_text

if TYPE_CHECKING:
    from assay.comparing import RunSet
    from assay.stats.samples import Tasks

Rule = Literal["min", "max", "margin", "tasks", "quantity"]
Limit = Literal["min", "max"]
_RULE_NAMES: dict[Rule, tuple[str]] = {"min": ("min",), "max": ("max",), "margin": ("margin",)}
_KEPT_BY: dict[Limit, tuple[Better, str]] = {
    "min": ("higher", "at least"),
    "max": ("lower", "at most"),
}
_MOST_NAMED = 5


class CheckResult(Struct, frozen=True):
    """What came of one check.

    `asked` is the limit as the settings word it, `limit` what that comes to. `value` is the mean,
    or for a margin the difference to the baseline; `interval` is its. `runs` have the value,
    `missing` do not. `was_checked` is False where there was nothing at all to check: that is an
    error of the set-up, not too little data.
    """

    quantity: str
    rule: Rule
    verdict: Verdict
    reason: str
    asked: str = ""
    limit: float | None = None
    value: float | None = None
    interval: Interval | None = None
    baseline: float | None = None
    p_value: float | None = None
    tasks: int = 0
    runs: int = 0
    missing: int = 0
    was_checked: bool = True

    @property
    def name(self) -> str:
        """What was checked, in a few words that stay the same as long as the settings do."""
        return " ".join(filter(None, (self.quantity, *_RULE_NAMES.get(self.rule, ()), self.asked)))


def check_limit(
    runs: RunSet, quantity: Quantity, rule: Limit, limit: float, strictness: Strictness
) -> CheckResult:
    """Hold the mean of a quantity against a smallest or largest value."""
    _refuse_beyond_scale(quantity, rule, limit)
    tasks = tasks_of(runs, quantity)
    found = mean_of_tasks(tasks, strictness.how)
    if found.value is None:
        why = f"no run has a value of {quantity.name}{_recorded_instead(runs, quantity)}"
        return not_checked(quantity.name, rule, why, asked=f"{limit:g}")
    better, words = _KEPT_BY[rule]
    room = room_to(limit, found.value, found.interval, better=better)
    counts = _Counts.of(runs, quantity, found.tasks)
    support = f"{quantity.name} is {counts.told(found)}; the limit is {words} {limit:g}"
    ask = _tasks_for_limit(room, found, tasks, limit)
    verdict, reason = _concluded(decide(room, strictness), counts, strictness, support, ask)
    return CheckResult(
        quantity.name,
        rule,
        verdict,
        reason,
        asked=f"{limit:g}",
        limit=limit,
        value=found.value,
        interval=found.interval,
        tasks=found.tasks,
        runs=counts.runs,
        missing=counts.missing,
    )


def _refuse_beyond_scale(quantity: Quantity, rule: Rule, limit: float) -> None:
    """A limit in per cent, say: nothing could break it, or nothing keep it."""
    if quantity.is_share and not 0 <= limit <= 1:
        meant = f", such as {limit / 100:g}" if 1 < limit <= 100 else ""
        raise InvalidSettings(
            f"{rule} of {quantity.name}: got {limit:g}, but a {quantity.what.partition(' ')[0]} "
            f"lies between 0 and 1: give one of these{meant}"
        )


def _recorded_instead(runs: RunSet, quantity: Quantity) -> str:
    """What could be checked where runs lack a quantity; parts of a metric's score are not named."""
    recorded = runs.recorded()
    names = sorted(name for name in recorded if "/" not in name)
    has_others = names and quantity.name not in recorded
    return f"; recorded are {', '.join(names)}" if has_others else ""


def check_margin(
    runs: RunSet, baseline: RunSet, quantity: Quantity, margin: float | str, strictness: Strictness
) -> CheckResult:
    """Hold the difference to a baseline against the most that is allowed, on shared tasks."""
    if not isinstance(margin, str):
        _refuse_beyond_scale(quantity, "margin", margin)
    asked = margin if isinstance(margin, str) else f"{margin:g}"
    pairing = pair(tasks_of(baseline, quantity), tasks_of(runs, quantity))
    found = difference_of(pairing, strictness.how)
    if found is None:
        why = f"{runs.name} and {baseline.name} share no task with {quantity.name}"
        why += _recorded_instead(runs, quantity)
        return not_checked(quantity.name, "margin", why, asked=asked)
    before = sum(sum(scores) / len(scores) for scores in pairing.baseline) / len(pairing.tasks)
    allowed = _allowed(margin, before)
    limit = -allowed if quantity.better == "higher" else allowed
    room = room_to(limit, found.difference, found.interval, better=quantity.better)
    counts = _Counts.of(runs, quantity, len(pairing.tasks))
    support = f"{quantity.name} changed by {_told(found, before, counts)} {change(limit)}"
    ask = _runs_for_margin(room, found, pairing, allowed)
    decided = _unless_by_chance(decide(room, strictness), found, strictness)
    verdict, reason = _concluded(decided, counts, strictness, support, ask)
    return CheckResult(
        quantity.name,
        "margin",
        verdict,
        reason,
        asked=asked,
        limit=limit,
        value=found.difference,
        interval=found.interval,
        baseline=before,
        p_value=found.p_value,
        tasks=counts.tasks,
        runs=counts.runs,
        missing=counts.missing,
    )


def _unless_by_chance(
    verdict: Verdict | Literal["undecided"], found: PairedTest, strictness: Strictness
) -> Verdict | Literal["undecided"]:
    """The verdict; of few tasks an interval may say more than the test of the same difference."""
    doubtful = found.p_value > 1 - strictness.how.level
    held_by_interval = strictness.bound != "value"
    return "undecided" if verdict == "regression" and doubtful and held_by_interval else verdict


def check_tasks(runs: RunSet, baseline: RunSet) -> CheckResult:
    """Whether every task of the baseline was run again: what crashed may be what is missing."""
    ran, known = runs.by_task().keys(), baseline.by_task().keys()
    lost = sorted(known - ran)
    if not lost:
        reason = f"all {counted(len(known), 'task')} of {baseline.name} were run"
        return CheckResult("tasks", "tasks", "pass", reason, tasks=len(known), runs=len(runs.runs))
    named = ", ".join(lost[:_MOST_NAMED]) + (", ..." if len(lost) > _MOST_NAMED else "")
    reason = f"{len(lost):,} of {counted(len(known), 'task')} of {baseline.name} not run: {named}"
    return CheckResult(
        "tasks",
        "tasks",
        "insufficient",
        reason,
        tasks=len(known) - len(lost),
        runs=len(runs.runs),
        missing=len(lost),
    )


def not_checked(quantity: str, rule: Rule, reason: str, *, asked: str = "") -> CheckResult:
    """A check that could not be made at all."""
    return CheckResult(quantity, rule, "insufficient", reason, asked=asked, was_checked=False)


class _Counts(Struct, frozen=True):
    tasks: int
    runs: int
    missing: int

    @classmethod
    def of(cls, runs: RunSet, quantity: Quantity, tasks: int) -> _Counts:
        source, values = source_of(quantity), tasks_of(runs, quantity)
        missing = sum(source not in run.values for run in runs.runs)
        behind = sum(
            source in run.values
            for task, seen in runs.by_task().items()
            if any(value is not None for value in values[task])
            for run in seen
        )
        return cls(tasks, behind, missing)

    def told(self, found: Estimate) -> str:
        """The estimate in words, over runs: pass@k has one value a task, but stands on more."""
        return replace(found, n=self.runs).sentence()

    def shortage(self, strictness: Strictness) -> str:
        """Why there is too little for any verdict; empty when there is enough."""
        if self.tasks < strictness.min_tasks:
            needed = f"at least {strictness.min_tasks} are needed (`min_tasks` of the settings)"
            return f"{counted(self.tasks, 'task')}, {needed}"
        if self.missing > strictness.max_missing * (self.runs + self.missing):
            return (
                f"{self.missing:,} of {counted(self.runs + self.missing, 'run')} lack the value, "
                f"at most {100 * strictness.max_missing:g} % may (`max_missing` of the settings)"
            )
        return ""


def _concluded(
    verdict: Verdict | Literal["undecided"],
    counts: _Counts,
    strictness: Strictness,
    support: str,
    ask: str,
) -> tuple[Verdict, str]:
    shortage = counts.shortage(strictness)
    if shortage:
        return "insufficient", f"too little data: {shortage}; {support}"
    if verdict != "undecided":
        return verdict, support
    if strictness.undecided == "pass":
        return "pass", f"not decided, which passes here; {support}"
    return "insufficient", "; ".join(filter(None, (f"cannot tell: {support}", ask)))


def _told(found: PairedTest, before: float, counts: _Counts) -> str:
    interval = f" ({found.interval.sentence()})" if found.interval else ""
    return (
        f"{change(found.difference)}{interval} from {number(before)}, {p_text(found.p_value)} by "
        f"{found.test}, over {counted(counts.tasks, 'shared task')}; allowed is"
    )


def _tasks_for_limit(room: Room, found: Estimate, tasks: Tasks, limit: float) -> str:
    """About how many more tasks would tell a mean from its limit."""
    needed = needed_if_alike(room, found.interval, found.tasks)
    if needed is None:
        level = found.interval.level if found.interval else 0.95
        against = pair({task: [limit] for task in tasks}, tasks)
        needed = runs_needed(against, alpha=1 - level).new_tasks
    return f"about {counted(needed, 'more task')} would tell" if needed else ""


def _runs_for_margin(room: Room, found: PairedTest, pairing: Pairing, allowed: float) -> str:
    """About how many more would tell a difference from the margin."""
    alike = needed_if_alike(room, found.interval, len(pairing.tasks))
    if alike is not None:
        return f"about {counted(alike, 'more task')} would tell"
    level = found.interval.level if found.interval else 0.95
    needed = runs_needed(pairing, smallest=allowed or None, alpha=1 - level)
    return needed.sentence() if needed.fewest else ""


def _allowed(margin: float | str, baseline: float) -> float:
    if isinstance(margin, str):
        return float(margin.rstrip("%")) / 100 * abs(baseline)
    return margin
