"""JSON in which objects may meet again: a list of values that name each other by their places.

n8n keeps its executions so (the library is called flatted). The first value is the whole; a text
inside a value is the place of another one. What names itself is cut there.
"""

from __future__ import annotations

from typing import Any

from assay.errors import InvalidRecord

# What is named twice is told twice, and may be far more than was written. A text counts as one
# value more for each of so many letters.
_LARGEST = 5_000_000
_LETTERS = 16


def whole_of(listed: Any) -> Any:
    """The value that a list of values stands for; what is no such list is an InvalidRecord."""
    if not isinstance(listed, list) or not listed:
        raise InvalidRecord("expected a list of values that name each other")
    try:
        return _Values(listed).at(0)
    except RecursionError:
        raise InvalidRecord("values that name each other too deeply") from None


class _Values:
    """The values of a list, each put together once."""

    def __init__(self, listed: list[Any]) -> None:
        self._listed = listed
        self._made: dict[int, Any] = {}
        self._sizes: dict[int, int] = {}

    def at(self, place: int) -> Any:
        """The value at a place, with those that it names in it."""
        if place not in self._made:
            self._made[place] = None  # whoever names it from inside finds nothing
            value = self._listed[place]
            self._sizes[place] = 1 + (len(value) // _LETTERS if isinstance(value, str) else 0)
            self._made[place] = self._put_together(place, value)
        return self._made[place]

    def _put_together(self, place: int, value: Any) -> Any:
        if isinstance(value, dict):
            return {key: self._named(place, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self._named(place, inner) for inner in value]
        return value

    def _named(self, owner: int, value: Any) -> Any:
        self._sizes[owner] += 1
        if not isinstance(value, str):
            return value
        if not value.isdecimal() or len(value) > 9 or int(value) >= len(self._listed):
            raise InvalidRecord(f"a value names {value[:20]!r}, which is no place in the list")
        found = self.at(int(value))
        self._sizes[owner] += self._sizes[int(value)]
        if self._sizes[owner] > _LARGEST:
            raise InvalidRecord("values that name each other so often that they are too many")
        return found
