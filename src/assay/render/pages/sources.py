"""Which values of results were used: the ids they get on a page, and who points to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.json_leaves import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.claims import Claim
    from assay.evidence.examination import Examination
    from assay.evidence.traced_value import Origin, TracedValue


class Sources:
    """The values of results that claims of the answer and arguments came from.

    The results are written first, and tell which of the wanted values they show; then whoever
    points to one finds its id, or that of the call where the value is not on the page.
    """

    def __init__(self, found: Examination) -> None:
        """Collect what is pointed to, each once."""
        self._wanted: dict[int, dict[str, dict[str, str]]] = {}
        self._placed: dict[tuple[int, str, str], str] = {}
        for number, (call, place, text) in enumerate(dict.fromkeys(_pointed_to(found)), start=1):
            self._wanted.setdefault(call, {}).setdefault(place, {})[text] = f"v{number}"

    def wanted(self, call: int) -> dict[str, dict[str, str]]:
        """The ids by path and text of what is taken from the result of a call."""
        return self._wanted.get(call, {})

    def note(self, call: int, placed: dict[tuple[str, str], str]) -> None:
        """Remember what a written result shows."""
        self._placed |= {(call, path, text): name for (path, text), name in placed.items()}

    def of_claim(self, claim: Claim) -> str:
        """The id of where a claim was found; empty if it is nowhere on the page."""
        return self._target(claim.origin, _claim_text(claim))

    def of_value(self, origin: Origin, value: TracedValue) -> str:
        """The id of where an argument was known from; empty if it is nowhere on the page."""
        return self._target(origin, str(value.value))

    def _target(self, origin: Origin | None, text: str) -> str:
        if origin is None or origin.kind != "result" or origin.call is None:
            return ""
        return self._placed.get((origin.call, origin.place, text), "")


def place_words(origin: Origin) -> str:
    """Where something stands, as people say it: `call 2 › offers[0].fare`."""
    path = origin.place.removeprefix(ROOT).lstrip(".")
    number = "?" if origin.call is None else str(origin.call + 1)
    return f"{number} › {path}" if path else number


def _claim_text(claim: Claim) -> str:
    """What is looked for in the result that a claim is held against."""
    return claim.instead or claim.text


def _pointed_to(found: Examination) -> Iterator[tuple[int, str, str]]:
    for claim in found.grounding.claims:
        if claim.origin is not None and claim.origin.call is not None:
            yield claim.origin.call, claim.origin.place, _claim_text(claim)
    for value in found.provenance.values:
        for origin in value.origins[:1]:
            if origin.kind == "result" and origin.call is not None:
                yield origin.call, origin.place, str(value.value)
