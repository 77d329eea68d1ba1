"""The result of judging one case: a tree of scores, each with its reason and evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Evidence(Struct, frozen=True, omit_defaults=True):
    """One sentence behind a score, what kind of finding it is, and which call it speaks of."""

    text: str
    kind: str = ""
    call: int | None = None


class Score(Struct, frozen=True, omit_defaults=True):
    """A value between 0 and 1, or None with the reason why there is none.

    `label` says what the value stands on where that is less than its name promises,
    `judged_by` who judged, by which rubric, how often and at what price, where somebody did.
    """

    name: str
    value: float | None
    reason: str = ""
    parts: tuple[Score, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    label: str = ""
    judged_by: dict[str, Any] = {}

    def part(self, name: str) -> Score | None:
        """The part of that name, at any depth; None if there is no such part."""
        return next((score for score in self.walk() if score.name == name), None)

    def walk(self) -> Iterator[Score]:
        """This score and all its parts, parents first."""
        waiting = [self]
        while waiting:
            score = waiting.pop()
            yield score
            if score.parts:
                waiting += reversed(score.parts)

    def values(self) -> dict[str, float | None]:
        """Every value of the tree by name; of several with one name the first, parents first."""
        found: dict[str, float | None] = {}
        for score in self.walk():
            found.setdefault(score.name, score.value)
        return found

    def to_dict(self) -> dict[str, Any]:
        """The whole tree as JSON values."""
        found: dict[str, Any] = to_builtins(self)
        return found


def share(flags: Iterable[bool]) -> float | None:
    """Share of true flags; None when there is nothing to count."""
    seen = flags if isinstance(flags, list) else list(flags)
    return sum(seen) / len(seen) if seen else None


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of the values that are there; None when none is."""
    seen = [value for value in values if value is not None]
    return sum(seen) / len(seen) if seen else None
