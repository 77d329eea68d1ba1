"""How well calls are judged: failure, blame and kind on the labelled corpus, source by source.

Nothing is fitted to the corpus, so that no source need be left out while the figures are made. The
corpus lies in the shared folder beside the project, or where ASSAY_SHARED says; without it there
is nothing to report. `python -m bench.outcome` prints all tables as Markdown, and with `--docs`
writes them into the documentation.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.outcome import judge_call
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.outcome import Judgement

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
PAGE = PROJECT / "docs" / "concepts" / "outcome-and-blame.md"
BEGIN, END = "<!-- figures: bench.outcome -->", "<!-- end of figures -->"
GOALS = {"f1": 0.95, "precision": 0.97, "blame": 0.78, "kind": 0.80}
_FAILED_FLAGS = frozenset(
    ("error", "failed", "failure", "exception", "success=false", "is_error=true", "iserror=true")
)


@dataclass
class Tally:
    """What was found among the labelled calls of one source."""

    hits: int = 0
    false_alarms: int = 0
    missed: int = 0
    blame_right: int = 0
    blame_known: int = 0
    model_blamed: int = 0
    kind_right: int = 0
    calls: int = 0

    def add(self, label: dict[str, Any], found: Judgement) -> None:
        """Count one call; a failure that was missed has the wrong blame and the wrong kind."""
        if label["failed"] == "unclear":
            return
        failed, said = label["failed"] is True, found.success is False
        self.calls += 1
        self.hits += failed and said
        self.false_alarms += said and not failed
        self.missed += failed and not said
        if not failed:
            return
        self.kind_right += said and found.kind == label["kind"]
        if label["blame"] != "unclear":
            self.blame_known += 1
            self.blame_right += said and found.blame == label["blame"]
            self.model_blamed += label["blame"] == "model"

    @property
    def failures(self) -> int:
        return self.hits + self.missed

    @property
    def precision(self) -> float:
        return _share(self.hits, self.hits + self.false_alarms)

    @property
    def recall(self) -> float:
        return _share(self.hits, self.failures)

    @property
    def f1(self) -> float:
        return _share(2 * self.hits, 2 * self.hits + self.false_alarms + self.missed)

    @property
    def blame(self) -> float:
        return _share(self.blame_right, self.blame_known)

    @property
    def kind(self) -> float:
        return _share(self.kind_right, self.failures)


@dataclass
class Fired:
    """What one rule said of which calls."""

    labelled: int = 0
    right: int = 0
    unlabelled: int = 0
    sources: set[str] = field(default_factory=set)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def labelled() -> list[dict[str, Any]]:
    """The labelled calls; none where the corpus is not at hand."""
    path = SHARED / "corpus" / "labelled.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def unlabelled() -> list[dict[str, Any]]:
    """More calls of the same sources, of which nobody said whether they failed."""
    path = SHARED / "corpus" / "unlabelled.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_call(record: dict[str, Any], *, flags: bool) -> ToolExecutionResult:
    """A call of the corpus, with what was recorded of its outcome or without."""
    arguments, result = record["arguments"], record["result"]
    if isinstance(arguments, str) and arguments.lstrip().startswith("{"):
        with suppress(ValueError):
            arguments = json.loads(arguments)
    call = ToolExecutionResult(
        record["tool"] or "", arguments, result, server=record["server"] or None
    )
    flag = record["flag"] if flags else None
    if flag is True or (isinstance(flag, str) and flag.lower() in _FAILED_FLAGS):
        call.reported_success = False
    elif isinstance(flag, str) and flag.lower().startswith("error:"):
        call.error_message = flag[len("error:") :].strip()
    elif isinstance(flag, int) and not isinstance(flag, bool) and "exited" not in str(result):
        call.result = {"output": result, "exit_code": flag}
    return call


def tallies(records: Iterable[dict[str, Any]], *, flags: bool) -> dict[str, Tally]:
    """What was found, by source."""
    found: dict[str, Tally] = defaultdict(Tally)
    for record in records:
        found[record["source"]].add(record, judge_call(as_call(record, flags=flags)))
    return dict(found)


def together(parts: Iterable[Tally]) -> Tally:
    """Several tallies as one."""
    whole = Tally()
    for part in parts:
        for name, value in vars(part).items():
            setattr(whole, name, getattr(whole, name) + value)
    return whole


def rules() -> dict[str, Fired]:
    """What each rule of failure fired on, without recorded flags."""
    found: dict[str, Fired] = defaultdict(Fired)
    for record in labelled():
        said = judge_call(as_call(record, flags=False))
        if said.success is False:
            rule = found[said.rule]
            rule.labelled += 1
            rule.right += record["failed"] is True
            rule.sources.add(record["source"])
    for record in unlabelled():
        said = judge_call(as_call(record, flags=False))
        if said.success is False:
            found[said.rule].unlabelled += 1
            found[said.rule].sources.add(record["source"])
    return dict(found)


def run(size: Size) -> list[Result]:
    """The figures of the whole corpus against the goals."""
    records = labelled()[:: 4 if size == "small" else 1]
    if not records:
        print("no labelled corpus at hand", file=sys.stderr)
        return []
    results = []
    for flags in (False, True):
        whole = together(tallies(records, flags=flags).values())
        always_model = _share(whole.model_blamed, whole.blame_known)
        how = "with recorded flags" if flags else "without flags"
        for name, goal in GOALS.items():
            ours = getattr(whole, name)
            peer = always_model if name == "blame" else goal
            peer_name = "always the model" if name == "blame" else "the goal"
            results.append(
                Result(f"{name} of failed calls, {how}", ours, peer, "", peer_name,
                       ours / peer, f"at least {goal}", ours >= goal)
            )  # fmt: skip
    return results


def tables() -> Iterator[str]:
    """All tables as Markdown, line by line."""
    records = labelled()
    blind, seen = (tallies(records, flags=flags) for flags in (False, True))
    yield f"{len(records)} labelled calls of {len(seen)} sources, {datetime.now(UTC):%Y-%m-%d}."
    yield ""
    yield "| source | calls | failed | precision | recall | F1 | F1 with flags | blame | kind |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for source in sorted(seen):
        yield _row(source, blind[source], seen[source])
    yield _row("all", together(blind.values()), together(seen.values()))
    with_failures = [name for name in seen if seen[name].failures]
    macro = [
        _mean(getattr(part[name], figure) for name in with_failures)
        for part, figure in (
            *((blind, "precision"), (blind, "recall"), (blind, "f1"), (seen, "f1")),
            *((seen, "blame"), (seen, "kind")),
        )
    ]
    yield f"| mean of sources with failures | | | {' | '.join(f'{x:.3f}' for x in macro)} |"
    yield ""
    yield from _rule_table()


def _rule_table() -> Iterator[str]:
    found = rules()
    unknown = Counter(judge_call(as_call(r, flags=False)).rule for r in labelled() + unlabelled())
    yield "| rule of failure | labelled calls | right | other calls | sources |"
    yield "|---|---|---|---|---|"
    for name, rule in sorted(found.items(), key=lambda item: (-item[1].labelled, item[0])):
        right = f"{rule.right / rule.labelled:.3f}" if rule.labelled else ""
        yield f"| `{name}` | {rule.labelled} | {right} | {rule.unlabelled} | {len(rule.sources)} |"
    yield ""
    rest = ((name, unknown[name]) for name in ("findings", "silent_exit", "no_result", "empty"))
    yield "Not failed or unknown: " + ", ".join(f"`{name}` {n}" for name, n in rest) + "."


def _row(name: str, blind: Tally, seen: Tally) -> str:
    if not seen.failures:
        return f"| {name} | {seen.calls} | 0 | {'none' if not seen.false_alarms else 0} | | | | | |"
    figures = (blind.precision, blind.recall, blind.f1, seen.f1, seen.blame, seen.kind)
    cells = " | ".join(f"{figure:.3f}" for figure in figures)
    return f"| {name} | {seen.calls} | {seen.failures} | {cells} |"


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / len(known)


def main(arguments: Sequence[str]) -> None:
    lines = list(tables())
    if "--docs" in arguments:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        after = rest.partition(END)[2]
        text = f"{before}{BEGIN}\n\n" + "\n".join(lines) + f"\n\n{END}{after}"
        PAGE.write_text(text, encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    main(sys.argv[1:])
