"""The checkable parts of an answer, and what a run says about each."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from msgspec import Struct

from assay.evidence.atoms import AtomKind
from assay.evidence.traced_value import Origin

ClaimStatus = Literal["supported", "calculated", "echoed", "contradicted", "absent"]

# Names and code are told by guesswork: they are reported, and counted for nothing.
COUNTED_KINDS: frozenset[AtomKind] = frozenset(
    {"number", "percentage", "date", "time", "id", "url", "email", "path", "quoted"}
)
NUMBER_KINDS: frozenset[AtomKind] = frozenset({"number", "percentage"})


class Claim(Struct, frozen=True, omit_defaults=True, gc=False):
    """One checkable part of the answer, and what the run says about it.

    `origin` is where it was found or, if it is contradicted, where `instead` was.
    """

    kind: AtomKind
    text: str
    start: int
    status: ClaimStatus
    origin: Origin | None = None
    instead: str = ""


class Grounding(Struct, frozen=True, omit_defaults=True):
    """The claims of an answer; `reason` says why there is no share where there is none.

    `copied` is the share of the answer that stands word for word in a result; None if the
    answer is too short to tell.
    """

    claims: tuple[Claim, ...]
    copied: float | None = None
    reason: str = ""

    @property
    def share(self) -> float | None:
        """Share of the claims about the matter that are backed; higher is better.

        None without claims, without calls, and for an answer that is mostly a copy.
        """
        if self.reason:
            return None
        found = Counter(claim.status for claim in self.claims if claim.kind in COUNTED_KINDS)
        backed = found["supported"] + found["calculated"]
        checked = backed + found["absent"] + found["contradicted"]
        return backed / checked if checked else None

    def with_status(self, *statuses: ClaimStatus) -> list[Claim]:
        """The claims of these statuses, in order."""
        return [claim for claim in self.claims if claim.status in statuses]
