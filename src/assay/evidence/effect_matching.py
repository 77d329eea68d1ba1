"""Which write of a run answers which expected one, and how many of its values are right."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.alignment import any_order
from assay.evidence.effects import EffectLeaf, Form, argument_leaves, plain, tool_name, write_words
from assay.text.dates import days_in
from assay.text.numbers import all_values
from assay.text.words import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from assay.evidence.effects import Effect
    from assay.expectation import ExpectedWrite

ANYWHERE = "*"
# Beyond this many, writes are paired one after the other instead of in the best way.
MOST_PAIRS = 10_000
_MOST_COMPARED = 40
_MOST_PROBLEMS = 5
_UNIT = 10_000
_LONGEST_VALUE = 60
_LONGEST_DATE = 40
# Arguments whose name ends in one of these hold wording, however short.
_WORDING_TEXT = """
    note notes comment comments message body text description summary remark remarks subject
    explanation justification details
"""
_WORDING = frozenset(_WORDING_TEXT.split())
# What tells one object from another ends in one of these words.
KEY_WORDS = frozenset(
    {"id", "ids", "uuid", "guid", "key", "email", "path", "url", "uri", "filename", "slug", "sku"}
)
_LAST_WORD = re.compile(r"(?:[A-Z]?[a-z]+|[A-Z]+)\Z")


class WantedWrite(Struct, frozen=True):
    """A write to look for; what is None or empty may be anything.

    `whole` wants these values and no others, as a golden run does. `keys` must all agree; where
    none are named, one of those that look like keys must, if both writes have any.
    """

    name: str
    form: Form | None
    tool: str | None
    target: str | None
    leaves: tuple[EffectLeaf, ...]
    keys: tuple[str, ...] = ()
    whole: bool = False

    @property
    def subject(self) -> tuple[Form | None, str]:
        """What it can be compared with; see `Effect.subject`."""
        if self.form == "statement":
            return self.form, self.target or ""
        return self.form, "" if self.form == "command" else tool_name(self.tool or "")


class LeafMatch(Struct, frozen=True):
    """How many values agree, of how many that were wanted and given, and which do not."""

    agreed: float
    wanted: int
    given: int
    problems: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share that is right; 1 when there is nothing to look at."""
        both = self.wanted + self.given
        return 2 * self.agreed / both if both else 1.0


class WritePair(Struct, frozen=True):
    """A wanted write and the one that answers it, by their places, and how well it does."""

    wanted: int
    done: int
    leaves: LeafMatch


def wanted_by(expected: ExpectedWrite) -> list[WantedWrite]:
    """The writes to look for, as often as they are expected."""
    leaves = argument_leaves(expected.arguments or {})
    anywhere = tuple(EffectLeaf(ANYWHERE, value, plain(value)) for value in expected.values or ())
    target = expected.target and expected.target.lower()
    what = expected.tool or (f"changes to {target}" if target else "a write")
    own = (*leaves, *anywhere)
    keys = tuple(expected.key or ())
    return [
        WantedWrite(write_words(what, own), None, expected.tool, target, own, keys)
    ] * expected.count


def wanted_like(effect: Effect) -> WantedWrite:
    """The same write again, as a golden run made it."""
    target = effect.target or None
    return WantedWrite(effect.name, effect.form, effect.tool, target, effect.leaves, whole=True)


def answers(wanted: WantedWrite, done: Effect) -> LeafMatch | None:
    """How well a write answers a wanted one; None when it is another write."""
    if not _is_of_kind(wanted, done) or not _same_object(wanted, done):
        return None
    found = _match_leaves(wanted, done)
    is_other_command = wanted.form == "command" and wanted.leaves and not found.agreed
    return None if is_other_command else found


def pair_writes(wanted: Sequence[WantedWrite], done: Sequence[Effect]) -> list[WritePair]:
    """The best one-to-one assignment of the writes made to the wanted ones."""
    pairs = _equal_pairs(wanted, done)
    rows = _others(len(wanted), (pair.wanted for pair in pairs))
    columns = _others(len(done), (pair.done for pair in pairs))
    if len(rows) * len(columns) <= MOST_PAIRS:
        pairs += _best_pairs(wanted, done, rows, columns)
    else:
        pairs += _pairs_in_order(wanted, done, rows, columns)
    return sorted(pairs, key=lambda pair: pair.wanted)


def _others(count: int, taken: Iterable[int]) -> list[int]:
    known = set(taken)
    return [place for place in range(count) if place not in known]


def _equal_pairs(wanted: Sequence[WantedWrite], done: Sequence[Effect]) -> list[WritePair]:
    """Writes that are the same to the last value; of equal ones the first."""
    made: defaultdict[object, list[int]] = defaultdict(list)
    for column in range(len(done) - 1, -1, -1):
        made[_identity(done[column])].append(column)
    pairs = []
    for row, one in enumerate(wanted):
        columns = made.get(_identity(one)) if one.whole else None
        if columns:
            size = len(one.leaves)
            pairs.append(WritePair(row, columns.pop(), LeafMatch(size, size, size)))
    return pairs


def _identity(write: Effect | WantedWrite) -> object:
    return write.subject, frozenset(
        Counter((leaf.path, leaf.plain) for leaf in write.leaves).items()
    )


def _best_pairs(
    wanted: Sequence[WantedWrite], done: Sequence[Effect], rows: list[int], columns: list[int]
) -> list[WritePair]:
    table = [[answers(wanted[row], done[column]) for column in columns] for row in rows]
    # One more than the share, so that a write without a right value is paired for the reader.
    weights = [[0 if m is None else round(m.share * _UNIT) + 1 for m in line] for line in table]
    return [
        WritePair(rows[i], columns[j], match)
        for i, j in any_order(weights, ())
        if (match := table[i][j]) is not None
    ]


def _pairs_in_order(
    wanted: Sequence[WantedWrite], done: Sequence[Effect], rows: list[int], columns: list[int]
) -> list[WritePair]:
    free: defaultdict[object, list[int]] = defaultdict(list)
    for column in reversed(columns):
        free[done[column].subject].append(column)
    pairs = []
    for row in rows:
        subjects = [wanted[row].subject] if wanted[row].whole else list(free)
        for subject in subjects:
            match = answers(wanted[row], done[free[subject][-1]]) if free.get(subject) else None
            if match is not None:
                pairs.append(WritePair(row, free[subject].pop(), match))
                break
    return pairs


def _is_of_kind(wanted: WantedWrite, done: Effect) -> bool:
    if wanted.whole:
        return wanted.subject == done.subject
    if wanted.target is not None and wanted.target != done.target:
        return False
    return wanted.tool is None or _is_called(done.tool, wanted.tool)


@lru_cache(maxsize=4_096)
def _is_called(tool: str, pattern: str) -> bool:
    if "*" in pattern:
        return fnmatchcase(tool.lower(), pattern.lower().replace("[", "[[]"))
    return tool_name(tool) == tool_name(pattern)


def _same_object(wanted: WantedWrite, done: Effect) -> bool:
    if wanted.form in ("statement", "command"):
        return True
    if wanted.keys:
        return all(_agrees_at(path, wanted, done) for path in wanted.keys)
    own = {leaf.path for leaf in wanted.leaves if is_key(leaf.path)}
    shared = own & {leaf.path for leaf in done.leaves}
    return not shared or any(_agrees_at(path, wanted, done) for path in shared)


def is_key(path: str) -> bool:
    """Whether the value at a path tells one object from another, by the path's last word."""
    return _last_word(path) in KEY_WORDS


@lru_cache(maxsize=4_096)
def _last_word(path: str) -> str:
    found = _LAST_WORD.search(path)
    return "" if found is None else found[0].lower()


def _agrees_at(path: str, wanted: WantedWrite, done: Effect) -> bool:
    known = [leaf.plain for leaf in wanted.leaves if _is_at(leaf.path, path)]
    given = [leaf.plain for leaf in done.leaves if _is_at(leaf.path, path)]
    return Counter(known) == Counter(given) if path in wanted.keys else bool({*known} & {*given})


def _is_at(path: str, place: str) -> bool:
    return path == place or path.startswith(f"{place}.")


def _match_leaves(wanted: WantedWrite, done: Effect) -> LeafMatch:
    unclaimed = Counter((leaf.path, leaf.plain) for leaf in done.leaves)
    missed = [leaf for leaf in wanted.leaves if not _claim(leaf, unclaimed, done.leaves)]
    left = _left(done.leaves, unclaimed)
    problems: list[str] = []
    agreed = float(len(wanted.leaves) - len(missed))
    for leaf in missed:
        share, instead = _claim_alike(leaf, left)
        agreed += share
        if share < 1:
            problems.append(_problem(leaf, instead))
    if wanted.whole:
        problems += [f"{leaf.words} is extra" for leaves in left.values() for leaf in leaves]
    given = len(done.leaves) if wanted.whole else len(wanted.leaves)
    shown = problems[:_MOST_PROBLEMS]
    if len(problems) > len(shown):
        shown.append(f"and {len(problems) - len(shown)} more")
    return LeafMatch(agreed, len(wanted.leaves), given, tuple(shown))


def _claim(
    wanted: EffectLeaf, unclaimed: Counter[tuple[str, str]], given: Sequence[EffectLeaf]
) -> bool:
    """Claim a value that is the same; one wanted anywhere is claimed from nobody."""
    if wanted.path == ANYWHERE:
        return any(_holds(leaf, wanted) for leaf in given)
    place = (wanted.path, wanted.plain)
    if not unclaimed[place]:
        return False
    unclaimed[place] -= 1
    return True


def _left(
    given: Sequence[EffectLeaf], unclaimed: Counter[tuple[str, str]]
) -> dict[str, list[EffectLeaf]]:
    """The values that nothing wanted has claimed, by their path."""
    found: dict[str, list[EffectLeaf]] = {}
    for leaf in given:
        place = (leaf.path, leaf.plain)
        if unclaimed[place] > 0:
            unclaimed[place] -= 1
            found.setdefault(leaf.path, []).append(leaf)
    return found


def _claim_alike(
    wanted: EffectLeaf, left: dict[str, list[EffectLeaf]]
) -> tuple[float, EffectLeaf | None]:
    """Claim the value that says most nearly the same, and say how nearly."""
    free = left.get(wanted.path, [])[:_MOST_COMPARED] if wanted.path else []
    if not free:
        return 0.0, None
    shares = [likeness(wanted.value, leaf.value, leaf.path) for leaf in free]
    best = max(range(len(free)), key=shares.__getitem__)
    return shares[best], left[wanted.path].pop(best)


def likeness(expected: Any, found: Any, path: str = "") -> float:
    """How far two values that are spelled differently say the same, from 0 to 1.

    Wording agrees by the share of its numbers that the other has too. Dates agree in any form.
    """
    if not isinstance(expected, str) or not isinstance(found, str):
        return 0.0
    if _is_wording(expected, path) and _is_wording(found, path):
        numbers = all_values(expected)
        return len(numbers & all_values(found)) / len(numbers) if numbers else 1.0
    if max(len(expected), len(found)) > _LONGEST_DATE:
        return 0.0
    return float(bool(days_in(expected) & days_in(found)))


def _is_wording(value: str, path: str) -> bool:
    """Whether a value is somebody's wording, which nobody repeats to the letter."""
    return " " in value and (len(value) > _LONGEST_VALUE or _last_word(path) in _WORDING)


def _holds(leaf: EffectLeaf, wanted: EffectLeaf) -> bool:
    if leaf.plain == wanted.plain:
        return True
    return isinstance(leaf.value, str) and contains_words(leaf.value, wanted.plain)


def contains_words(text: str, words: str) -> bool:
    """Whether the words stand in a text in that order, whatever separates them."""
    phrase = f" {' '.join(tokens_of(words))} "
    return phrase.strip() != "" and phrase in f" {' '.join(tokens_of(text))} "


def _problem(wanted: EffectLeaf, instead: EffectLeaf | None) -> str:
    if wanted.path in ("", ANYWHERE):
        return f"{wanted.words} is missing"
    if instead is None:
        return f"{wanted.words} is left out"
    return f"{instead.words}, expected {wanted.shown}"
