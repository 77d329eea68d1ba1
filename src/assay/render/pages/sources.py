"""Which values of results were used: the ids they get on a page, and who points to them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.text.leaves import ROOT, leaf_text, leaves_of, path_text
from assay.text.numbers import parse_number
from assay.text.payload import unwrap

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence import ArgumentValue, Claim, Examination

_SHORT = 80


class Place(NamedTuple):
    """A value in the result of a call: its path there, and the text that stands there."""

    call: int
    path: str
    text: str

    @property
    def words(self) -> str:
        """The place as people say it: `2 › offers[0].fare`."""
        path = self.path.removeprefix(ROOT).lstrip(".")
        return f"{self.call + 1} › {path}" if path else str(self.call + 1)


class _Result:
    """The values of one result, found by their text."""

    def __init__(self, result: Any) -> None:
        leaves = leaves_of(unwrap(result).value, open_text=False)
        self._leaves = [(path_text(path), leaf_text(value)) for path, value in leaves]

    @cached_property
    def _exact(self) -> dict[str, tuple[str, str]]:
        found: dict[str, tuple[str, str]] = {}
        for path, text in self._leaves:
            found.setdefault(_plain(text), (path, text))
        return found

    def find(self, text: str) -> tuple[str, str] | None:
        """The path of the value that is, or holds, this text, and what stands there of it."""
        same = self._exact.get(_plain(text))
        if same is not None:
            return same
        low = text.lower()
        for path, own in self._leaves:
            at = own.lower().find(low)
            if at >= 0:
                return path, own if len(own) <= _SHORT else own[at : at + len(text)]
        return None


def _plain(text: str) -> str:
    number = parse_number(text) if len(text) <= _SHORT else None
    return text.lower() if number is None else f"{number:.10g}"


class Sources:
    """The values of results that claims of the answer and arguments came from.

    The results are written first, and tell which of the wanted values they show; then whoever
    points to one finds its id, or that of the call where the value is not on the page.
    """

    def __init__(self, found: Examination) -> None:
        """Collect what is pointed to, each once."""
        self._results: dict[int, _Result] = {}
        self._calls = [known.call for known in found.run.calls]
        self._wanted: dict[int, dict[str, dict[str, str]]] = {}
        self._placed: dict[tuple[int, str, str], str] = {}
        places = dict.fromkeys(self._places(found))
        for number, (call, path, text) in enumerate(places, start=1):
            self._wanted.setdefault(call, {}).setdefault(path, {})[text] = f"v{number}"

    def wanted(self, call: int) -> dict[str, dict[str, str]]:
        """The ids by path and text of what is taken from the result of a call."""
        return self._wanted.get(call, {})

    def note(self, call: int, placed: dict[tuple[str, str], str]) -> None:
        """Remember what a written result shows."""
        self._placed |= {(call, path, text): name for (path, text), name in placed.items()}

    def of_claim(self, claim: Claim) -> Place | None:
        """Where a claim was found; None if it is in no result."""
        return None if claim.origin is None else self._place(claim.origin, claim.text)

    def of_value(self, value: ArgumentValue) -> Place | None:
        """Where an argument was known from; None if it was from no result."""
        if value.source not in ("result", "later", "echo") or value.origin is None:
            return None
        return self._place(value.origin, value.text)

    def target(self, place: Place | None) -> str:
        """The id of a place; empty if it is not on the page."""
        if place is None:
            return ""
        return self._placed.get((place.call, place.path, place.text), "")

    def _place(self, call: int, text: str) -> Place:
        if call not in self._results:
            self._results[call] = _Result(self._calls[call].result)
        path, own = self._results[call].find(text) or (ROOT, text)
        return Place(call, path, own)

    def _places(self, found: Examination) -> Iterator[Place]:
        for claim in found.grounding.claims:
            if (place := self.of_claim(claim)) is not None:
                yield place
        for value in found.arguments:
            if value.source == "result" and (place := self.of_value(value)) is not None:
                yield place
