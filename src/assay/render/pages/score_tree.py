"""A score as a tree to open: each part with its value, its reason and its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.metrics.mcp_tool.result import SUSPECT, UNCAPPED
from assay.render.pages.said import NOTHING_SAID, Said, words

if TYPE_CHECKING:
    from assay.score import Score

_MOST_EVIDENCE = 12
_MOST_CALLS = 12
_LOWER_IS_BETTER = frozenset({"valid_call_failure_rate"})
# Made for gates; no part of what the score is a mean of.
_BESIDE = frozenset({SUSPECT, UNCAPPED})


class EvidenceLine(Struct, frozen=True):
    """One sentence, and the numbers of the calls it speaks of."""

    text: str
    calls: list[int]
    more_calls: int = 0


class ScoreNode(Struct, frozen=True):
    """One value; open where the reader should look first.

    `uncapped` is the value before the verdict capped it; None where nothing was capped.
    """

    name: str
    value: float | None
    reason: str
    label: str
    judge: Said
    evidence: list[EvidenceLine]
    left_out: int
    parts: list[ScoreNode]
    is_open: bool
    lower_is_better: bool
    uncapped: float | None = None

    @property
    def tells_reason_below(self) -> bool:
        """Whether the reason stands among the evidence, beside the calls that it speaks of."""
        return any(line.text == self.reason for line in self.evidence)


def score_node(score: Score, *, is_open: bool = True) -> ScoreNode:
    """The tree of a score; at each step the lowest part is open."""
    parts = [part for part in score.parts if part.name not in _BESIDE]
    worst = _lowest(parts) if is_open else None
    evidence = _lines(score)
    return ScoreNode(
        name=score.name.replace("_", " "),
        value=score.value,
        reason=score.reason,
        label=score.label,
        judge=_judge(score),
        evidence=evidence[:_MOST_EVIDENCE],
        left_out=max(0, len(evidence) - _MOST_EVIDENCE),
        parts=[score_node(part, is_open=part is worst) for part in parts],
        is_open=is_open,
        lower_is_better=score.name in _LOWER_IS_BETTER,
        uncapped=next((part.value for part in score.parts if part.name == UNCAPPED), None),
    )


def _lines(score: Score) -> list[EvidenceLine]:
    """What is said of several calls in the same words stands once."""
    calls_of: dict[str, list[int]] = {}
    for found in score.evidence:
        calls = calls_of.setdefault(found.text, [])
        if found.call is not None:
            calls.append(found.call + 1)
    return [
        EvidenceLine(text, calls[:_MOST_CALLS], len(calls[_MOST_CALLS:]))
        for text, calls in calls_of.items()
        if calls or text != score.reason
    ]


def _lowest(parts: list[Score]) -> Score | None:
    """The part with the worst value anywhere below it."""
    measured = [part for part in parts if part.value is not None]
    return min(measured, key=_worst, default=None)


def _worst(score: Score) -> float:
    below = [_worst(part) for part in score.parts if part.value is not None]
    value = score.value or 0.0
    own = 1 - value if score.name in _LOWER_IS_BETTER else value
    return min(below, default=own)


def _judge(score: Score) -> Said:
    """Who judged, how often, with which spread: `gpt-5 × 3, spread 0.8`."""
    by = score.judged_by
    if not by:
        return NOTHING_SAID
    name = str(by.get("model") or by.get("judge") or "")
    runs, spread = by.get("runs"), by.get("spread")
    said = words("evidence judge, no LLM") if name == "evidence" else words("{who}", who=name)
    if isinstance(runs, int) and runs > 1:
        said = words("{who} × {runs}", who=said, runs=str(runs))
    if isinstance(spread, int | float):
        said = words("{who}, spread {spread}", who=said, spread=f"{spread:.2g}")
    return said
