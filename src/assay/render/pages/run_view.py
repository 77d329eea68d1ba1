"""Everything that the page of one run shows, from the case, its evidence and its scores."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.evidence import Examination, examine
from assay.metrics.mcp_tool.result import BASIS, VERDICT
from assay.render.pages.answer_text import Piece, answer_pieces, legend
from assay.render.pages.call_cards import TurnOfCalls, call_cards
from assay.render.pages.call_graph import CallGraph, call_graph
from assay.render.pages.said import NOTHING_SAID, Said, words
from assay.render.pages.score_tree import ScoreNode, score_node
from assay.render.pages.sources import Sources
from assay.render.pages.timeline import Timeline, timeline
from assay.render.run_names import KEY_LENGTH, plain_name
from assay.render.run_page import state_of
from assay.stats.intervals import Interval, wilson_interval
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.run_page import JudgedCall
    from assay.score import Score

_MOST_LOOKS = 3
_ORDER = ("no_end", "wrong", "reported", "waste", "score_only")
_NOT_DECIDED = ("none", "Nobody said whether the task succeeded.")
_VERDICTS = {
    ("passed", "outcome"): ("ok", "Task succeeded."),
    ("failed", "outcome"): ("fail", "Task failed."),
    ("passed", "expectation"): ("ok", "The run meets its expectations."),
    ("failed", "expectation"): ("fail", "The run violates its expectations."),
    ("passed", "judge"): ("ok", "The judge's marks reach the threshold."),
    ("failed", "judge"): ("fail", "The judge's marks stay below the threshold."),
}
# What evidence alone says; never that the task succeeded.
_EVIDENCE = {
    "suspect": "The evidence shows a problem.",
    "no problem found": "The evidence shows no problem, which does not prove success.",
    "unknown": "Nothing in it can be checked.",
}
_TOO_LITTLE = (
    "Too little to call it a problem: {n} of {total} checkable values of the answer come from "
    "nowhere. Nothing else was found, which does not prove success."
)
# More calls than the first fold by turn, more than the second come in parts.
_MOST_UNFOLDED = 30
_MOST_AT_ONCE = 300
_IN_A_PART = 100
_LONGEST_HEADING = 320
_LONGEST_MESSAGE = 4_000
_MOST_MESSAGES = 200


class Attempt(Struct, frozen=True):
    """A run of the same task by the same model."""

    run_key: str
    attempt: int | None
    success: bool | None
    is_this: bool = False


class Look(Struct, frozen=True):
    """One thing to look at first, and the call it happened at."""

    text: Said
    call: int | None
    blame: str | None = None
    kind: str | None = None


class Message(Struct, frozen=True):
    """Something that was said in the run; `left_out` characters are not shown."""

    role: str
    text: str
    left_out: int = 0


class Part(Struct, frozen=True):
    """A stretch of the calls that is a page of its own: the numbers of the first and the last."""

    number: int
    first: int
    last: int
    is_this: bool


class RunView(Struct, frozen=True):
    """The page of one run."""

    key: str
    case: AgentTestCase
    state: str
    verdict: str
    reason: str
    decided_by: str
    evidence_verdict: Said
    looks: list[Look]
    attempts: list[Attempt]
    scores: list[ScoreNode]
    timeline: Timeline | None
    answer: list[Piece]
    legend: list[tuple[str, str, int]]
    system: list[Message]
    messages: list[Message]
    turns: list[TurnOfCalls]
    counts: dict[str, int]
    graph: CallGraph | None
    parts: list[Part]

    @property
    def name(self) -> str:
        """What the run is called in a line."""
        case, source = self.case, self.case.source
        place = (source.path, source.position) if source else (None, None)
        return case.task_id or plain_name(case.run_id, *place) or self.key[:KEY_LENGTH]

    @property
    def heading(self) -> str:
        """The prompt on one line, or its beginning."""
        text = " ".join(self.case.input[: 4 * _LONGEST_HEADING].split())
        if not self.is_heading_cut:
            return text
        return f"{text[:_LONGEST_HEADING].rpartition(' ')[0] or text[:_LONGEST_HEADING]}…"

    @property
    def is_heading_cut(self) -> bool:
        """Whether the prompt goes on after the heading."""
        return len(self.case.input.strip()) > _LONGEST_HEADING

    @property
    def folds(self) -> bool:
        """Whether calls that succeeded are folded by turn."""
        return self.counts["all"] > _MOST_UNFOLDED

    @property
    def succeeded(self) -> int:
        """How many attempts succeeded."""
        return sum(attempt.success is True for attempt in self.attempts)

    @property
    def decided(self) -> int:
        """Of how many attempts somebody said whether they succeeded."""
        return sum(attempt.success is not None for attempt in self.attempts)

    @property
    def reliability(self) -> Interval | None:
        """Where the share of successful attempts may lie."""
        return wilson_interval(self.succeeded, self.decided) if self.decided else None

    def part_of(self, number: int | None) -> int | None:
        """The other page on which a call stands; None if it is on this one."""
        for part in self.parts:
            if number is not None and part.first <= number <= part.last:
                return None if part.is_this else part.number
        return None


def run_view(
    key: str,
    case: AgentTestCase,
    calls: Sequence[JudgedCall],
    *,
    scores: Sequence[Score] = (),
    attempts: Sequence[Attempt] = (),
    part: int = 1,
) -> RunView:
    """Gather what the page shows; `part` is which stretch of very many calls."""
    found = examine(case)
    sources = Sources(found)
    parts = call_parts(len(calls), part)
    here = next(part for part in parts if part.is_this) if parts else None
    shown = range(here.first - 1, here.last) if here else range(len(calls))
    turns = call_cards(calls, found.arguments, sources, shown)
    pieces = answer_pieces(case.actual_output or "", found.grounding.claims, sources)
    state, verdict = _VERDICTS.get(_decided(found, scores), _NOT_DECIDED)
    states = [state_of(judged.call) for judged in calls]
    system, messages = _conversation(case)
    return RunView(
        key=key,
        case=case,
        state=state,
        verdict=verdict,
        reason=(case.outcome.reason or "") if case.outcome else "",
        decided_by=(case.outcome.decided_by or "") if case.outcome else "",
        evidence_verdict=_evidence_verdict(found) if state == "none" else NOTHING_SAID,
        looks=_looks(found, calls),
        attempts=list(attempts),
        scores=[score_node(score) for score in scores],
        timeline=timeline(case),
        answer=pieces,
        legend=legend(pieces),
        system=system,
        messages=messages,
        turns=turns,
        counts=_counts(calls),
        graph=call_graph(states, found.plan.needs, found.plan.critical_path),
        parts=parts,
    )


def _decided(found: Examination, scores: Sequence[Score]) -> tuple[str, str]:
    """The verdict and its basis: a model's marks come before evidence alone."""
    if found.basis in {"evidence", "none"}:
        for score in scores:
            stated = {line.kind: line.text for line in score.evidence}
            if stated.get(BASIS) == "judge":
                return stated.get(VERDICT, ""), "judge"
    return found.verdict, found.basis


def _evidence_verdict(found: Examination) -> Said:
    """What evidence alone says; what is marked in the answer is not passed over in silence."""
    claims = found.grounding.claims
    unbacked = len(found.grounding.with_status("absent"))
    if found.by_evidence != "no problem found" or not unbacked:
        return Said(_EVIDENCE[found.by_evidence])
    return words(_TOO_LITTLE, n=f"{unbacked:,}", total=f"{len(claims):,}")


def call_parts(count: int, wanted: int) -> list[Part]:
    """The stretches of very many calls; none where all fit on one page."""
    if count <= _MOST_AT_ONCE:
        return []
    firsts = range(1, count + 1, _IN_A_PART)
    this = wanted if 1 <= wanted <= len(firsts) else 1
    return [
        Part(number, first, min(first + _IN_A_PART - 1, count), number == this)
        for number, first in enumerate(firsts, start=1)
    ]


def _counts(calls: Sequence[JudgedCall]) -> dict[str, int]:
    """How many calls there are, failed ones, and failures by blame."""
    counts = {"all": len(calls), "fail": sum(judged.call.failed for judged in calls)}
    for judged in calls:
        if judged.blame is not None:
            counts[judged.blame.blame] = counts.get(judged.blame.blame, 0) + 1
    return counts


def _looks(found: Examination, calls: Sequence[JudgedCall]) -> list[Look]:
    """At most three findings, the worst first, each at its last call."""
    worst = sorted(found.findings, key=lambda finding: _ORDER.index(finding.weight))
    looks = []
    for finding in worst[:_MOST_LOOKS]:
        place = finding.call
        blame = calls[place].blame if place is not None and place < len(calls) else None
        looks.append(
            Look(
                Said(finding.template, finding.shown),
                None if place is None else place + 1,
                blame.blame if blame else None,
                blame.kind if blame else None,
            )
        )
    return looks


def _conversation(case: AgentTestCase) -> tuple[list[Message], list[Message]]:
    """The system prompts, and what was said after the prompt and before the answer.

    What tools said stands with their calls.
    """
    said = [_message(entry) for entry in (case.conversation_history or [])[:_MOST_MESSAGES]]
    system = [m for m in said if m.role in {"system", "developer"}]
    others = [m for m in said if m.role not in {"system", "developer", "tool"} and m.text]
    known = {case.input.strip(), (case.actual_output or "").strip()}
    return system, [m for m in others if m.text.strip() not in known]


def _message(entry: dict[str, Any]) -> Message:
    content = entry.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(text for text in texts if isinstance(text, str))
    if content is not None and not isinstance(content, str):
        content = json.dumps(content, ensure_ascii=False, default=str)
    text = content or ""
    left_out = max(0, len(text) - _LONGEST_MESSAGE)
    return Message(str(entry.get("role", "?")), text[:_LONGEST_MESSAGE], left_out)
