"""The answer of a run with its claims marked: where each was found, or that it was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.render.pages.said import NOTHING_SAID, Said

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence import Claim
    from assay.render.pages.sources import Sources

# How a claim is shown, by its status; what stands in a result is a link to it.
_CLASSES = {
    "supported": "src",
    "calculated": "src der",
    "requested": "src der",
    "absent": "src nowhere",
}
_WORDS = {
    "calculated": "derived from values of the results",
    "requested": "from the prompt",
    "absent": "from nowhere: no result contains it",
}
_LEGEND = (
    ("src", "found in a result"),
    ("src der", "derived or prompt"),
    ("src nowhere", "from nowhere"),
)


class Piece(Struct, frozen=True):
    """A stretch of the answer; with a class it is a claim, with a call it leads there."""

    text: str
    css: str = ""
    note: Said = NOTHING_SAID
    target: str = ""
    call: int | None = None


def answer_pieces(answer: str, claims: Sequence[Claim], sources: Sources) -> list[Piece]:
    """The answer cut at its claims."""
    pieces: list[Piece] = []
    end = 0
    for claim in sorted(claims, key=lambda claim: claim.start):
        text = answer[claim.start : claim.start + len(claim.text)]
        if claim.start < end or text != claim.text:
            continue
        if claim.start > end:
            pieces.append(Piece(answer[end : claim.start]))
        pieces.append(_piece(claim, sources))
        end = claim.start + len(claim.text)
    return [*pieces, Piece(answer[end:])] if end < len(answer) else pieces


def _piece(claim: Claim, sources: Sources) -> Piece:
    css = _CLASSES[claim.status]
    place = sources.of_claim(claim)
    if place is None:
        return Piece(claim.text, css, Said(_WORDS.get(claim.status, "")))
    note = Said("call {place}", {"place": place.words})
    return Piece(claim.text, css, note, sources.target(place), place.call + 1)


def legend(pieces: Sequence[Piece]) -> list[tuple[str, str, int]]:
    """How many claims there are of each kind that occurs."""
    counts = [(css, words, sum(piece.css == css for piece in pieces)) for css, words in _LEGEND]
    return [row for row in counts if row[2]]
