"""Quantities by the name they have in results and in the answer.

Used to tell that an answer contradicts a result, so it is strict: the answer must name the
quantity as a field of a result does, and all results must agree on its value.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.evidence.json_leaves import Leaf
from assay.evidence.moments import Day, days_of
from assay.evidence.quantities import number_in
from assay.evidence.words import phrase_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.atoms import Atom
    from assay.evidence.source import Source
    from assay.evidence.sources import Sources

_BEFORE_VALUE = re.compile(
    r"([^\W\d][\w -]{1,40}?)\s{0,3}(?:\*\*)?\s{0,3}"
    r"(?::|=|\||\bis\b|\bwas\b|\bare\b|\bof\b|为|是|：)"
    r"[\s*_`$€£¥|]{0,8}\Z"
)
# What every such place ends in: looked for first, because most values have no name before them.
_SIGN_BEFORE_VALUE = re.compile(r"[:=|为是：sef][\s*_`$€£¥|]{0,8}\Z")
_LOOKED_BACK = 60
_MOST_LABEL_WORDS = 3
_SHORTEST_LABEL = 4
# Names that say little without the name of what they belong to.
_GENERIC = frozenset({"amount", "value", "total", "number", "count", "id", "name", "result"})
_FIELD_IN_PATH = re.compile(r"[^\W\d]\w*")
_VALUE_AFTER = r"[\"']?\s{0,3}[:=]\s{0,3}[\"']?([0-9][0-9.,:/-]{0,30})"
_SAME = 0.005
_SAME_MAGNITUDE = 5
_LONGEST_SEARCHED = 200_000
_MOST_LEAVES = 5_000


class Labelled(NamedTuple):
    """The one value that the results give for a label, and where it stands first."""

    value: float | tuple[Day, ...]
    text: str
    source: Source
    path: str


def labels_before(text: str, place: int) -> list[str]:
    """The names that a value at that place may have, longest first, as phrases."""
    before = text[max(0, place - _LOOKED_BACK) : place].rpartition("\n")[2]
    found = _SIGN_BEFORE_VALUE.search(before) and _BEFORE_VALUE.search(before)
    if not found:
        return []
    words = phrase_of(found[1]).split()[-_MOST_LABEL_WORDS:]
    names = [f" {' '.join(words[i:])} " for i in range(len(words))]
    return [name for name in names if _is_telling(name)]


def value_labelled(label: str, sources: Sources) -> Labelled | None:
    """The value of a label, if all results that name it agree on it."""
    known: Labelled | None = None
    for source in sources.holders(label):
        if source.kind != "result":
            continue
        for leaf in _labelled_in(source, label):
            value = _comparable(leaf.value)
            if value is None:
                continue
            if known is None:
                known = Labelled(value, str(leaf.value), source, leaf.path)
            elif known.value != value:
                return None
    return known


def differs(atom: Atom, labelled: Labelled) -> bool:
    """Whether an atom and a labelled value are of one kind, and not the same."""
    if atom.quantity is not None and isinstance(labelled.value, float):
        sizes = [atom.quantity.size * factor for factor in (1.0, 0.01, *atom.quantity.factors)]
        return _is_comparable(atom.quantity.size, labelled.value) and not any(
            _is_close(size, labelled.value) for size in sizes
        )
    if atom.days and isinstance(labelled.value, tuple):
        said = {day[1:] for day in labelled.value}
        return all(day[1:] not in said for day in atom.days)
    return False


def _is_close(size: float, other: float) -> bool:
    """Whether two numbers may be the same, one of them cut or rounded."""
    return abs(size - other) <= _SAME * max(size, other)


def _is_comparable(size: float, other: float) -> bool:
    """Whether two numbers are of one magnitude: else they hardly measure the same thing."""
    return min(size, other) * _SAME_MAGNITUDE > max(size, other)


def _labelled_in(source: Source, label: str) -> Iterator[Leaf]:
    if source.is_data:
        for leaf in source.leaves[:_MOST_LEAVES]:
            if label in _names_of(leaf):
                yield leaf
    elif label in source.phrase:
        name = r"[\W_]{1,4}".join(map(re.escape, label.split()))
        pattern = re.compile(rf"(?<![^\W_]){name}{_VALUE_AFTER}", re.IGNORECASE)
        for match in pattern.finditer(source.text[:_LONGEST_SEARCHED]):
            yield Leaf(match[1].rstrip(".,:/-"), label)


def _names_of(leaf: Leaf) -> tuple[str, ...]:
    own = phrase_of(leaf.field)
    if own.strip() not in _GENERIC:
        return (own,)
    names = _FIELD_IN_PATH.findall(leaf.path)[:-1]
    return (phrase_of(names[-1]), phrase_of(f"{names[-1]} {leaf.field}")) if names else ()


def _comparable(value: object) -> float | tuple[Day, ...] | None:
    number = number_in(value)
    if number is not None:
        return number
    return (days_of(value) or None) if isinstance(value, str) else None


def _is_telling(label: str) -> bool:
    letters = label.replace(" ", "")
    shortest = _SHORTEST_LABEL if letters.isascii() else 2
    return len(letters) >= shortest and label.strip() not in _GENERIC
