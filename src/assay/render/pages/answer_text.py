"""The answer of a run with its claims marked: where each was found, or that it was not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.evidence.grounding import Claim

# How a claim is shown, by its status; what stands in a result is a link to it.
_CLASSES = {
    "supported": "src",
    "calculated": "src der",
    "echoed": "src der",
    "contradicted": "src nowhere",
    "absent": "src nowhere",
}
_WORDS = {
    "calculated": "derived from values of the results",
    "echoed": "from the prompt",
    "absent": "from nowhere: no result contains it",
}
LEGEND = (
    ("src", "found in a result"),
    ("src der", "derived or prompt"),
    ("src nowhere", "from nowhere"),
)


class Piece(Struct, frozen=True):
    """A stretch of the answer; with a class it is a claim, with a target it leads somewhere."""

    text: str
    css: str = ""
    note: str = ""
    target: str = ""


def answer_pieces(
    answer: str, claims: Sequence[Claim], targets: Mapping[tuple[int, str], str]
) -> list[Piece]:
    """The answer cut at its claims; `targets` are ids of the values in results."""
    pieces: list[Piece] = []
    end = 0
    for claim in sorted(claims, key=lambda claim: claim.start):
        text = answer[claim.start : claim.start + len(claim.text)]
        if claim.start < end or text != claim.text:
            continue
        if claim.start > end:
            pieces.append(Piece(answer[end : claim.start]))
        pieces.append(_piece(claim, targets))
        end = claim.start + len(claim.text)
    return [*pieces, Piece(answer[end:])] if end < len(answer) else pieces


def _piece(claim: Claim, targets: Mapping[tuple[int, str], str]) -> Piece:
    origin = claim.origin
    note, target = _WORDS.get(claim.status, ""), ""
    if origin is not None and origin.kind == "result" and origin.call is not None:
        path = origin.place.removeprefix("$").lstrip(".")
        place = f"call {origin.call + 1}" + (f" › {path}" if path else "")
        target = targets.get((origin.call, origin.place), f"call-{origin.call + 1}")
        note = f"{place} says {claim.instead} instead" if claim.status == "contradicted" else place
    return Piece(claim.text, _CLASSES[claim.status], note, target)


def legend(pieces: Sequence[Piece]) -> list[tuple[str, str, int]]:
    """How many claims there are of each kind that occurs."""
    counts = [(css, words, sum(piece.css == css for piece in pieces)) for css, words in LEGEND]
    return [row for row in counts if row[2]]
