"""What an agent sent in calls, to be found again in whatever form its answer says it."""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.evidence.json_leaves import leaf_text
from assay.evidence.quantities import number_in
from assay.evidence.source import measured_forms
from assay.evidence.traced_value import Origin
from assay.evidence.words import phrase_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.evidence.atoms import Atom

_MOST_VALUES = 500
_LONGEST_VALUE = 2_000


class SentValues:
    """Values of calls by their words, their size, and what can be measured in them."""

    def __init__(self, sent: Iterable[tuple[int, str, Any]]) -> None:
        """Take values, each with the position of its call and its path there."""
        self._sent = list(islice(sent, _MOST_VALUES))

    @cached_property
    def _said(self) -> dict[Any, Origin]:
        found: dict[Any, Origin] = {}
        for call, path, value in self._sent:
            origin = Origin("call", path, call)
            found.setdefault(number_in(value), origin)
            found.setdefault(phrase_of(leaf_text(value)[:_LONGEST_VALUE]), origin)
        return found

    @cached_property
    def _measured(self) -> dict[tuple[str, Any], Origin]:
        found: dict[tuple[str, Any], Origin] = {}
        for call, path, value in self._sent:
            if isinstance(value, str):
                for said in measured_forms(value[:_LONGEST_VALUE]):
                    found.setdefault(said, Origin("call", path, call))
        return found

    def of(self, atom: Atom) -> Origin | None:
        """Where a part of a text was sent; None if it was not."""
        if not self._sent:
            return None
        known = self._said.get(atom.phrase)
        if atom.quantity is not None:
            size = atom.quantity.size
            return known or self._said.get(size) or self._measured.get(("number", size))
        forms: list[tuple[str, Any]] = [("day", day) for day in atom.days]
        if atom.minute is not None:
            forms.append(("minute", atom.minute))
        return known or next(
            (self._measured[form] for form in forms if form in self._measured), None
        )
