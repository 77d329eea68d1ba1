"""How often does the evidence notice a defect, and how often does it flag a good run?

Nine kinds of defects are planted into recorded runs that a checker found good. Each copy and each
original is examined. A finding earns its place by its false alarms: the set that is tested on one
source is chosen on the others. `python -m bench.verdict` prints the tables, `--write` puts them
into the documentation.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter, defaultdict
from copy import deepcopy
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from assay import AgentTestCase, read_runs
from assay.evidence import FINDING_KINDS, examine, weight_of
from assay.evidence.tools import effect_of, long_texts
from assay.text.dates import is_date
from assay.text.entities import ids_in, is_convention, kind_of
from assay.text.leaves import leaves_of
from assay.text.numbers import numbers_in
from assay.text.words import text_of, words_of_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay import ToolExecutionResult

PROJECT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared")) / "data"
PAGE = PROJECT / "docs/concepts/evidence.md"
MARKS = ("<!-- verdict -->", "<!-- /verdict -->")
SOURCES = {
    "tau-bench": "tau-bench/historical_trajectories",
    "tau2-bench": "tau2-bench-runs",
    "mcpmark-postgres": "mcpmark-postgres",
    "mcp-bench": "mcp-bench-runs",
}
# mcp-bench records no outcome; the mark that its own judge gave stands for one.
GOOD_MARK = 6.5
MOST_FALSE_ALARMS = 0.10
# How an honest agent reports that the last change failed; alone, and in a long answer.
HONEST = (
    "I could not {what}: {error}.",
    "Unfortunately the attempt to {what} failed ({error}). Nothing was changed.",
    "The call to {what} was rejected with {error}, so this step is not done.",
)
ENOUGH = "The other steps went as you asked, and I checked each of them before going on. "
NAMES = ("Maren", "Tobias", "Ingrid", "Callum", "Renske", "Anders", "Yara", "Piotr")
_DIGIT = re.compile(r"\d")


class Trial(NamedTuple):
    """One good run: what is found in it, and in each copy with a defect."""

    source: str
    original: frozenset[str]
    copies: dict[str, frozenset[str]]
    honest: frozenset[str] | None = None


# ------------------------------------------------------------------ the defects
def wrong_id(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:
    """Another identifier of the same shape in one argument."""
    return _change_argument(case, rng, _is_identifier, _other_digits)


def wrong_name(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:
    """Another name, code or e-mail address in one argument."""
    return _change_argument(case, rng, _is_name, _other_name)


def wrong_date(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:
    """Another date in one argument."""
    return _change_argument(case, rng, _is_day, _other_day)


def wrong_number(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:
    """Another number in the answer, in the place of one that a result brought."""
    results = " ".join(text_of(call.result) for call in case.calls)
    answer = case.actual_output or ""
    shown = [n for n in numbers_in(answer) if n.digits >= 3 and n.text in results]
    if not shown:
        return None
    number = rng.choice(shown)
    other = _other_digits(number.text, rng)
    return _with_answer(
        case, answer[: number.start] + other + answer[number.start + len(number.text) :]
    )


def wrong_answer_id(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:
    """Another identifier or date in the answer."""
    results = " ".join(text_of(call.result) for call in case.calls)
    answer = case.actual_output or ""
    days = re.findall(r"(?<![\d-])\d{4}-\d{2}-\d{2}(?!\d)", answer)
    items = [item for item in (*ids_in(answer), *days) if item in results]
    if not items:
        return None
    item = rng.choice(items)
    other = _other_day(item, rng) if is_date(item) else _other_digits(item, rng)
    return _with_answer(case, answer.replace(item, other))


def hidden_failure(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:
    """The last change failed, and the answer does not say so."""
    changing = [i for i, call in enumerate(case.calls) if _effect(call) == "write" and call.success]
    if not changing or not case.actual_output:
        return None
    copy = deepcopy(case)
    message = rng.choice(("503 Service Unavailable", "permission denied", "timeout after 30 s"))
    failed = copy.calls[changing[-1]]
    failed.success, failed.reported_success = False, False
    failed.error_message, failed.result = message, f"Error: {message}"
    return copy


def honest_failure(case: AgentTestCase, rng: Random, other: AgentTestCase) -> AgentTestCase | None:
    """A control: the last change failed, and the answer says so in one of three ways."""
    copy = hidden_failure(case, rng, other)
    failed = None if copy is None else _last_failed(copy)
    if copy is None or failed is None:
        return None
    what = " ".join(words_of_name(failed.tool))
    report = rng.choice(HONEST).format(what=what, error=failed.error_message)
    return _with_answer(copy, f"{report}\n\n{ENOUGH * rng.choice((0, 6))}")


def _last_failed(case: AgentTestCase) -> ToolExecutionResult | None:
    return next((call for call in reversed(case.calls) if not call.success), None)


def no_calls(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:  # noqa: ARG001
    """The same answer, with a figure that a result brought, without any call."""
    results = " ".join(text_of(call.result) for call in case.calls)
    figures = re.findall(r"\w*\d\w+", case.actual_output or "")
    if not any(figure in results for figure in figures) or case.execution_data is None:
        return None
    copy = deepcopy(case)
    copy.execution_data.tool_executions = []  # type: ignore[union-attr]
    return copy


def no_answer(case: AgentTestCase, rng: Random, _: AgentTestCase) -> AgentTestCase | None:  # noqa: ARG001
    """The run ends without any words."""
    if not case.actual_output or not case.calls or _effect(case.calls[-1]) == "end":
        return None
    return _with_answer(case, "")


def foreign_answer(case: AgentTestCase, rng: Random, other: AgentTestCase) -> AgentTestCase | None:  # noqa: ARG001
    """The answer of another task; the last words of a dialogue often fit anywhere."""
    turns = [turn for turn in case.conversation_history or [] if turn.get("role") == "user"]
    if not case.actual_output or not other.actual_output or not case.calls or len(turns) > 1:
        return None
    return _with_answer(case, other.actual_output)


DEFECTS = {
    planter.__name__: planter
    for planter in (
        wrong_id, wrong_name, wrong_date, wrong_number, wrong_answer_id, hidden_failure, no_calls,
        no_answer, foreign_answer,
    )
}  # fmt: skip


def _effect(call: ToolExecutionResult) -> str:
    return effect_of(call.tool or "", long_texts(leaves_of(call.parameters)))


def _is_identifier(text: str) -> bool:
    return kind_of(text) == "id" and len(text) >= 5 and not is_convention(text)


def _is_name(text: str) -> bool:
    return kind_of(text) in ("name", "code", "email")


def _is_day(text: str) -> bool:
    return kind_of(text) == "date" and len(text) == 10


def _other_digits(text: str, rng: Random) -> str:
    figures = [match.start() for match in _DIGIT.finditer(text)]
    changed = set(rng.sample(figures, min(3, len(figures))))
    return "".join(
        str((int(sign) + rng.randint(1, 8)) % 10 or 1) if i in changed else sign
        for i, sign in enumerate(text)
    )


def _other_name(text: str, rng: Random) -> str:
    if kind_of(text) == "code":
        return "".join(
            chr((ord(c) - 65 + rng.randint(1, 25)) % 26 + 65) if c.isalpha() else c for c in text
        )
    if "@" in text:
        return f"{rng.choice(NAMES).lower()}.{rng.choice(NAMES).lower()}@{text.partition('@')[2]}"
    return " ".join(rng.sample(NAMES, len(text.split())))


def _other_day(text: str, rng: Random) -> str:
    try:
        return str(date.fromisoformat(text) + timedelta(days=rng.choice((-40, -17, -6, 9, 23, 61))))
    except ValueError:
        return _other_digits(text, rng)


def _change_argument(
    case: AgentTestCase,
    rng: Random,
    fits: Callable[[str], bool],
    change: Callable[[str, Random], str],
) -> AgentTestCase | None:
    """Another value in one argument of a successful call, echoed by its own result alone."""
    places = [
        (i, value)
        for i, call in enumerate(case.calls)
        if call.success and _effect(call) != "end"
        for _, value in leaves_of(call.parameters, open_text=False)
        if isinstance(value, str) and fits(value.strip()) and _is_stated(case, i, value.strip())
    ]
    if not places:
        return None
    position, old = rng.choice(places)
    new = change(old, rng)
    copy = deepcopy(case)
    call = copy.calls[position]
    call.parameters = _replaced(call.parameters, old, new)
    call.result = _replaced(call.result, old, new)
    return None if new == old else copy


def _is_stated(case: AgentTestCase, position: int, value: str) -> bool:
    """Whether the request or an earlier result states the value, so that another one is wrong."""
    turns = [str(turn.get("content")) for turn in case.conversation_history or []]
    results = [text_of(call.result) for call in case.calls[:position]]
    return any(value in text for text in (case.input or "", *turns, *results))


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, str):
        return value.replace(old, new)
    if isinstance(value, dict):
        return {_replaced(key, old, new): _replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return value


def _with_answer(case: AgentTestCase, answer: str) -> AgentTestCase:
    copy = deepcopy(case)
    for turn in copy.conversation_history or []:
        if turn.get("role") == "assistant" and turn.get("content") == case.actual_output:
            turn["content"] = answer
    copy.actual_output = answer
    return copy


# ------------------------------------------------------------------ the trials
def good_runs(source: str) -> list[AgentTestCase]:
    """The runs of a source that succeeded by its own record."""
    read = read_runs(DATA / SOURCES[source])
    return [case for case in read if isinstance(case, AgentTestCase) and _is_good(case)]


def _is_good(case: AgentTestCase) -> bool:
    if case.outcome is not None and case.outcome.success is not None:
        return case.outcome.success
    mark = case.extra.get("evaluation", {}).get("task_completion_score")
    return isinstance(mark, int | float) and mark >= GOOD_MARK


def try_all(
    source: str, runs: list[AgentTestCase], kinds_of: Callable[[AgentTestCase], Iterable[str]]
) -> list[Trial]:
    """Every run with each defect planted once."""
    trials = []
    for i, case in enumerate(runs):
        others = [other for other in runs if other.task_id != case.task_id] or runs
        copies = {}
        for name, plant in DEFECTS.items():
            rng = Random(f"{source} {i} {name}")
            copy = plant(case, rng, rng.choice(others))
            if copy is not None:
                copies[name] = frozenset(kinds_of(copy))
        control = honest_failure(case, Random(f"{source} {i} honest"), case)
        honest = None if control is None else frozenset(kinds_of(control))
        trials.append(Trial(source, frozenset(kinds_of(case)), copies, honest))
    return trials


def false_alarms(trials: list[Trial]) -> dict[str, float]:
    """By kind of finding: the share of good runs that have it."""
    found = Counter(kind for trial in trials for kind in trial.original)
    return {kind: count / len(trials) for kind, count in found.items()}


def earned(trials: dict[str, list[Trial]]) -> frozenset[str]:
    """The kinds with few false alarms on every source."""
    rates = [false_alarms(own) for own in trials.values()]
    return frozenset(
        k for k in FINDING_KINDS if max(r.get(k, 0.0) for r in rates) <= MOST_FALSE_ALARMS
    )


def flagged(trials: list[Trial], kinds: frozenset[str]) -> tuple[float, float]:
    """The share of copies, and of originals, in which a finding of these kinds is made."""
    copies = [found for trial in trials for found in trial.copies.values()]
    return (
        sum(bool(found & kinds) for found in copies) / max(len(copies), 1),
        sum(bool(trial.original & kinds) for trial in trials) / max(len(trials), 1),
    )


def by_defect(trials: list[Trial], kinds: frozenset[str]) -> dict[str, tuple[int, float]]:
    """By defect: how many were planted, and the share that is flagged."""
    found: dict[str, list[bool]] = defaultdict(list)
    for trial in trials:
        for name, copy in trial.copies.items():
            found[name].append(bool(copy & kinds))
    return {name: (len(hits), sum(hits) / len(hits)) for name, hits in found.items()}


def suspicious_kinds(case: AgentTestCase) -> list[str]:
    """The kinds of findings that make a run suspect."""
    return [finding.kind for finding in examine(case).findings if finding.counts]


def main() -> None:
    """Print the tables; `--write` puts them into the documentation."""
    trials = {source: try_all(source, good_runs(source), suspicious_kinds) for source in SOURCES}
    text = "\n".join(tables(trials))
    if "--write" in sys.argv:
        page = PAGE.read_text(encoding="utf-8")
        before, _, rest = page.partition(MARKS[0])
        after = rest.partition(MARKS[1])[2]
        dated = f"Measured on {date.today():%Y-%m-%d} by `python -m bench.verdict --write`.\n\n"
        PAGE.write_text(f"{before}{MARKS[0]}\n{dated}{text}\n{MARKS[1]}{after}", encoding="utf-8")
    sys.stdout.write(f"{text}\n")


def tables(trials: dict[str, list[Trial]]) -> list[str]:
    """The tables of the documentation as lines of Markdown."""
    everything = [trial for own in trials.values() for trial in own]
    controls = [trial.honest for trial in everything if trial.honest is not None]
    known = sum("failure_reported" in found for found in controls)
    honest = f"An honest report of a failure was recognized in {known} of {len(controls)} controls."
    return [
        *_by_source(trials),
        "",
        *_by_defect(trials, everything),
        "",
        honest,
        "",
        *_by_finding(trials),
    ]


def _by_source(trials: dict[str, list[Trial]]) -> list[str]:
    """Each source with the findings that earned their place on the others."""
    lines = [
        "| left-out source | good runs | flagged by mistake | defects | flagged |",
        "|---|--:|--:|--:|--:|",
    ]
    hits = alarms = planted = runs = 0.0
    for source, own in trials.items():
        kinds = earned({name: other for name, other in trials.items() if name != source})
        hit, alarm = flagged(own, kinds)
        count = sum(len(trial.copies) for trial in own)
        lines.append(f"| {source} | {len(own)} | {alarm:.0%} | {count} | {hit:.0%} |")
        hits, planted = hits + hit * count, planted + count
        alarms, runs = alarms + alarm * len(own), runs + len(own)
    share, alarm = hits / max(planted, 1), alarms / max(runs, 1)
    lines.append(f"| together | {runs:.0f} | {alarm:.0%} | {planted:.0f} | {share:.0%} |")
    return lines


def _by_defect(trials: dict[str, list[Trial]], everything: list[Trial]) -> list[str]:
    kinds = frozenset(FINDING_KINDS)
    lines = [
        f"| defect | planted | flagged | {' | '.join(trials)} |",
        f"|---|--:|--:|{'--:|' * len(trials)}",
    ]
    per_source = {source: by_defect(own, kinds) for source, own in trials.items()}
    for name, (count, share) in by_defect(everything, kinds).items():
        cells = [f"{found[name][1]:.0%}" if name in found else "" for found in per_source.values()]
        row = f"| {name.replace('_', ' ')} | {count} | {share:.0%} |"
        lines.append(f"{row} {' | '.join(cells)} |")
    return lines


def _by_finding(trials: dict[str, list[Trial]]) -> list[str]:
    lines = [
        f"| finding, in good runs | {' | '.join(trials)} |",
        f"|---|{'--:|' * len(trials)}",
    ]
    rates = {source: false_alarms(own) for source, own in trials.items()}
    for kind in FINDING_KINDS:
        if weight_of(kind) != "score_only":
            cells = [f"{found.get(kind, 0):.1%}" for found in rates.values()]
            lines.append(f"| {kind.replace('_', ' ')} | {' | '.join(cells)} |")
    return lines


if __name__ == "__main__":
    main()
