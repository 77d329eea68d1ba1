"""What `assay score` remembers while millions of cases pass by: counts, and a few rows."""

from __future__ import annotations

from collections import Counter
from heapq import heappush, heappushpop
from typing import TYPE_CHECKING, Any

from assay.cli.exit_codes import ExitCode
from assay.cli.juror_report import JurorReport
from assay.outcome import judge_call
from assay.records import counted
from assay.render.safe_text import one_line, shortened
from assay.render.score_rows import score_row
from assay.scoring import Failed, Tally
from assay.validation import complaints_of_read_case

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.judge.session import JudgeSession
    from assay.metrics import Metric
    from assay.readers import Unreadable
    from assay.render.row_files import Row
    from assay.scoring import CaseScores
    from assay.test_case import AgentTestCase

_MOST_ROWS_SHOWN = 30
_MOST_PROBLEMS_SHOWN = 20
_MOST_FILES_NAMED = 100
_LONGEST_QUOTE = 120
_LONGEST_PROBLEM = 300
_MOST_REASONS = 1_000
_MOST_REASONS_SHOWN = 5


class ScoreBook:
    """Counts what came by and keeps the few rows that a person will look at."""

    def __init__(
        self,
        metrics: Sequence[Metric],
        threshold: float | None,
        session: JudgeSession | None = None,
    ) -> None:
        """Start with nothing."""
        self.metrics = metrics
        self.tallies = {metric.name: Tally(metric.name) for metric in metrics}
        self.below = dict.fromkeys(self.tallies, 0)
        self.threshold = threshold
        self.cases = 0
        self.doubtful = 0
        self.unreadable: list[Unreadable] = []
        self.unreadable_count = 0
        self.set_aside: Counter[str] = Counter()
        self.set_aside_files: list[str] = []
        self.interrupted = False
        self.labels: Counter[str] = Counter()
        self.already_scored = 0
        self.not_kept: str | None = None
        self._session = session
        self._jurors = JurorReport()
        self._failures: Counter[str] = Counter()
        self._kept: list[tuple[float, int, Row]] = []
        self._rows = 0

    def note_unreadable(self, item: Unreadable) -> None:
        """Count an item that could not be read; the first few are kept for the report."""
        if item.kind != "broken":
            self.set_aside[item.kind] += 1
            if len(self.set_aside_files) < _MOST_FILES_NAMED:
                self.set_aside_files.append(str(item))
            return
        self.unreadable_count += 1
        if len(self.unreadable) < _MOST_PROBLEMS_SHOWN:
            self.unreadable.append(item)

    def rows_of(self, scores: CaseScores) -> Iterator[Row]:
        """Count a case and yield one row a metric."""
        complaints = [*complaints_of_read_case(scores.case), *_silent_failures(scores.case)]
        self.cases += 1
        self.doubtful += bool(complaints)
        self.already_scored += len(scores.known) == len(scores.results) > 0
        for result in scores.results:
            self.tallies[result.name].add(result)
            row = score_row(scores.case, result, threshold=self.threshold, complaints=complaints)
            self.below[result.name] += row["passed"] is False
            if row["label"] and row["score"] is not None:
                self.labels[row["label"]] += 1
            if isinstance(result, Failed):
                self._note_failure(result)
            else:
                self._jurors.add(result)
            self._keep(row)
            yield row

    def _keep(self, row: Row) -> None:
        """Keep the lowest rows: what failed before all, what does not apply after all."""
        self._rows += 1
        value = row["score"]
        if value is None:
            value = -1.0 if row["problem"] else 2.0
        entry = (-value, -self._rows, row)
        if len(self._kept) < _MOST_ROWS_SHOWN:
            heappush(self._kept, entry)
        else:
            heappushpop(self._kept, entry)

    def _note_failure(self, result: Failed) -> None:
        """Count why; of endlessly many reasons the rest is one."""
        known = result.problem in self._failures or len(self._failures) < _MOST_REASONS
        self._failures[result.problem if known else "other reasons"] += 1

    def failures(self) -> list[tuple[str, int]]:
        """The commonest reasons why there is no score, shortened, with their numbers."""
        most = self._failures.most_common(_MOST_REASONS_SHOWN)
        return [(shortened(one_line(problem), _LONGEST_PROBLEM), n) for problem, n in most]

    @property
    def warnings(self) -> list[str]:
        """What judges want to be known, each once."""
        return list(self._jurors.warnings)

    def spent_text(self) -> str:
        """What judging has cost so far, for the bar; empty where it costs nothing."""
        if self._session is None or not self._session.asks_models:
            return ""
        spent = self._session.budget.spent
        cost = "" if spent.without_cost else f", ${spent.cost_usd:.2f}"
        return f"{spent.tokens:,} tokens{cost}"

    def judge_summary(self) -> dict[str, Any]:
        """Who judged, what it took and how far several agree, as JSON values."""
        found = {} if self._session is None else self._session.report()
        return found | {
            "already_scored": self.already_scored,
            "agreement": self._jurors.agreement(),
            "order_effects": self._jurors.order_effects(),
            "incomplete_juries": self._jurors.incomplete_juries,
            "warnings": self.warnings,
        }

    def shown_rows(self) -> list[Row]:
        """All rows in their order when they are few, else the lowest first."""
        if self._rows <= _MOST_ROWS_SHOWN:
            return [row for _, _, row in sorted(self._kept, key=lambda kept: -kept[1])]
        return [row for _, _, row in sorted(self._kept, key=lambda kept: (-kept[0], -kept[1]))]

    @property
    def title(self) -> str:
        """What the shown rows are."""
        shown = len(self._kept)
        if self._rows > shown:
            return f"Lowest {shown} of {self._rows:,}"
        return counted(self.cases, "case", "cases")

    def summary(self) -> dict[str, Any]:
        """Counts and means as JSON values."""
        return {
            "cases": self.cases,
            "not_read": self.unreadable_count,
            "passed_over": self.set_aside["passed_over"],
            "read_beside": self.set_aside["read_beside"],
            "mended": self.set_aside["mended"],
            "left_out": self.set_aside["left_out"],
            "set_aside": self.set_aside_files,
            "doubtful": self.doubtful,
            "interrupted": self.interrupted,
            "threshold": self.threshold,
            "labels": dict(self.labels),
            "judge": self.judge_summary(),
            "not_scored": dict(self._failures),
            "metrics": [
                {
                    **tally.to_dict(),
                    "below": None if self.threshold is None else self.below[name],
                }
                for name, tally in self.tallies.items()
            ],
        }

    def exit_code(self) -> ExitCode:
        """The verdict for the shell."""
        if any(self.below.values()):
            return ExitCode.BELOW_THRESHOLD
        failed = any(tally.failed for tally in self.tallies.values())
        unfinished = failed or self._jurors.incomplete_juries or self.unreadable_count
        unfinished = unfinished or self.interrupted or self.not_kept is not None
        if unfinished or self.lacks_a_verdict:
            return ExitCode.INCOMPLETE
        return ExitCode.OK

    @property
    def lacks_a_verdict(self) -> bool:
        """Whether nothing was there to judge, or to hold against the threshold."""
        scored = any(tally.scored for tally in self.tallies.values())
        return not self.cases or (self.threshold is not None and not scored)


def _silent_failures(case: AgentTestCase) -> Iterator[str]:
    """Calls that were recorded as successes without a rule, but read like failures."""
    for i, call in enumerate(case.calls):
        if call.success and call.success_rule is None and call.result is not None:
            found = judge_call(call)
            if found.success is False:
                said = shortened(one_line(found.message or ""), _LONGEST_QUOTE)
                yield f"call {i + 1} counts as a success, but reads like a failure: {said}"
