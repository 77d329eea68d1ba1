"""The verdict of a run and what it stands on: one function, which every surface shows.

A recorded outcome decides before an expectation, an expectation before a judge, a judge before
evidence. Evidence alone never says that a run passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Sequence

VerdictWord = Literal["passed", "failed", "suspect", "no problem found", "unknown"]
Basis = Literal["outcome", "expectation", "judge", "evidence", "none"]
# What a finding says of a run: that it is wrong, that it has no usable end, that a failure was
# reported honestly, that work was wasted, or something that lowers the score alone.
Weight = Literal["wrong", "no_end", "reported", "waste", "score_only"]

CAPS: dict[Weight, float] = {
    "wrong": 0.4,
    "score_only": 0.4,
    "no_end": 0.2,
    "reported": 0.6,
    "waste": 0.8,
}
# Each finding beyond the first costs a little more; a few say as much as many.
_FURTHER = 0.85
_MOST_FURTHER = 7
NEVER_SUCCESSFUL: frozenset[VerdictWord] = frozenset({"failed", "suspect"})


class RunVerdict(Struct, frozen=True):
    """What is held of a run, and on what basis."""

    word: VerdictWord
    basis: Basis

    @property
    def allows_success(self) -> bool:
        """Whether a run with this verdict may count as successful if its score is high enough."""
        return self.word not in NEVER_SUCCESSFUL

    def __str__(self) -> str:
        """The verdict as people read it."""
        return self.word if self.basis == "none" else f"{self.word} ({self.basis})"


def decide(
    *,
    outcome: bool | None = None,
    expected: bool | None = None,
    judged: bool | None = None,
    findings: Sequence[Weight] | None = None,
) -> RunVerdict:
    """The verdict by the strongest basis there is.

    `outcome` is what was recorded, `expected` whether all expectations are met, `judged` whether a
    model's marks reach the threshold; `findings` are the weights of what the evidence found, None
    where there was nothing to look at.
    """
    known: tuple[tuple[Basis, bool | None], ...] = (
        ("outcome", outcome),
        ("expectation", expected),
        ("judge", judged),
    )
    for basis, passed in known:
        if passed is not None:
            return RunVerdict("passed" if passed else "failed", basis)
    if findings is None:
        return RunVerdict("unknown", "none")
    suspect = any(weight != "score_only" for weight in findings)
    return RunVerdict("suspect" if suspect else "no problem found", "evidence")


def capped(
    value: float | None, verdict: RunVerdict, findings: Sequence[Weight] | None
) -> float | None:
    """The score of a run, held below that of every run with a better verdict.

    What passed keeps its score, whatever the evidence finds; so does what a judge marked.
    """
    if value is None or verdict.word == "passed" or verdict.basis == "judge":
        return value
    return min(value, cap_of(findings or (), failed=verdict.word == "failed"))


def cap_of(findings: Sequence[Weight], *, failed: bool = False) -> float:
    """The highest score that findings leave: the lowest cap, and a little less for each more."""
    caps = [CAPS[weight] for weight in findings]
    honest = bool(findings) and set(findings) <= {"reported", "waste"}
    if failed and not honest:
        caps.append(CAPS["wrong"])
    if not caps:
        return 1.0
    return min(caps) * _FURTHER ** min(len(caps) - 1, _MOST_FURTHER)
