"""Everything that the page of one run shows, from the case, its evidence and its scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.examination import Examination, examine
from assay.render.pages.answer_text import Piece, answer_pieces, legend
from assay.render.pages.call_cards import CallCard, TurnOfCalls, call_cards
from assay.render.pages.timeline import Timeline, timeline
from assay.score import Score
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.run_page import JudgedCall

_MOST_LOOKS = 3
_SEVERITIES = {"high": 0, "medium": 1, "low": 2}
_VERDICTS = {
    True: ("ok", "Task succeeded."),
    False: ("fail", "Task failed."),
    None: ("none", "Nobody said whether the task succeeded."),
}


class Attempt(Struct, frozen=True):
    """Another run of the same task by the same model."""

    run_key: str
    attempt: int | None
    success: bool | None
    is_this: bool = False


class Look(Struct, frozen=True):
    """One thing to look at first, and the call it happened at."""

    text: str
    call: int | None
    blame: str | None = None
    kind: str | None = None


class RunView(Struct, frozen=True):
    """The page of one run."""

    key: str
    case: AgentTestCase
    state: str
    verdict: str
    decided_by: str
    evidence_verdict: str
    looks: list[Look]
    attempts: list[Attempt]
    scores: list[Score]
    timeline: Timeline | None
    answer: list[Piece]
    legend: list[tuple[str, str, int]]
    turns: list[TurnOfCalls]
    needs: dict[int, tuple[int, ...]]
    critical_path: tuple[int, ...]

    @property
    def cards(self) -> list[CallCard]:
        """All calls in order."""
        return [card for turn in self.turns for card in turn.cards]

    @property
    def failed(self) -> int:
        """How many calls failed."""
        return sum(card.state == "fail" for card in self.cards)

    def blamed(self, blame: str) -> int:
        """How many failures are somebody's."""
        return sum(card.blame == blame for card in self.cards)


def run_view(
    key: str,
    case: AgentTestCase,
    calls: Sequence[JudgedCall],
    *,
    scores: Sequence[Score] = (),
    attempts: Sequence[Attempt] = (),
) -> RunView:
    """Gather what the page shows."""
    found = examine(case)
    targets = _targets(found)
    state, verdict = _VERDICTS[case.outcome.success if case.outcome else None]
    pieces = answer_pieces(case.actual_output or "", found.grounding.claims, targets)
    return RunView(
        key=key,
        case=case,
        state=state,
        verdict=verdict,
        decided_by=(case.outcome.decided_by or "") if case.outcome else "",
        evidence_verdict=found.findings.verdict,
        looks=_looks(found, calls),
        attempts=list(attempts),
        scores=list(scores),
        timeline=timeline(case),
        answer=pieces,
        legend=legend(pieces),
        turns=call_cards(calls, found.provenance.values, targets),
        needs=found.plan.needs,
        critical_path=found.plan.critical_path,
    )


def _targets(found: Examination) -> dict[tuple[int, str], str]:
    """An id for every value of a result that an argument or a claim came from."""
    origins = [claim.origin for claim in found.grounding.claims if claim.origin is not None]
    origins += [origin for value in found.provenance.values for origin in value.origins]
    places = [(o.call, o.place) for o in origins if o.kind == "result" and o.call is not None]
    return {place: f"v{i}" for i, place in enumerate(dict.fromkeys(places), start=1)}


def _looks(found: Examination, calls: Sequence[JudgedCall]) -> list[Look]:
    """At most three findings, the worst first, each at its last call."""
    worst = sorted(found.findings.found, key=lambda finding: _SEVERITIES[finding.severity])
    looks = []
    for finding in worst[:_MOST_LOOKS]:
        place = finding.calls[-1] if finding.calls else None
        blame = calls[place].blame if place is not None and place < len(calls) else None
        looks.append(
            Look(
                finding.text,
                None if place is None else place + 1,
                blame.category if blame else None,
                blame.kind if blame else None,
            )
        )
    return looks
