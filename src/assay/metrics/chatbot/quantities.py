"""Figures and conditions: those an answer states, and those the data holds."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.metrics.chatbot.domain import Unit
from assay.metrics.chatbot.text import CJK, WORD, Terms, Text, read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.metrics.chatbot.domain import Domain, Quantity

MAX_LEAVES = 20_000
MAX_DEPTH = 50
MAX_MENTIONS = 1_000

_NUMBER = r"-?(?:\d{1,3}(?:,\d{3}){1,4}(?:\.\d{1,4})?|\d{1,9}(?:[.,]\d{1,4})?)(?!\d)"
_THOUSANDS = re.compile(r"\d,\d{3}(?:[,.]|\Z)")
# A figure does not begin inside another one or inside a word.
_FRESH = r"(?<![\da-z_])(?<!\d[.,])"
_MONEY = frozenset("$€£¥")
_LARGEST = 1e15
_LINK = r"(?:is|was|be|of|at|around|about|now|[:=]|为|是|约)"
# How far before a figure a word still speaks of it.
_REACH = 24
_CHINESE = re.compile(f"[{CJK}]")
_CLAUSE_END = re.compile(rf"[;!?()。]|[.,](?=[\s{CJK}])")


class Mention(Struct, frozen=True):
    """A figure that a text states, in the quantity's first unit, and where it stands."""

    value: float
    start: int
    other: bool
    """Whether it is labelled as something else, such as a maximum."""
    written: float
    """The figure as it stands there, without its sign, in whichever unit."""


class Leaf(Struct, frozen=True):
    """A scalar of some data and the field it stands in."""

    field: str
    value: Any


class _Pattern(Struct, frozen=True):
    regex: re.Pattern[str]
    unit: Unit


@lru_cache(maxsize=256)
def _patterns(domain: Domain, name: str) -> tuple[_Pattern, ...]:
    quantity = domain.quantity(name)
    if quantity is None:
        return ()
    found = [_Pattern(_with_unit(quantity, unit), unit) for unit in quantity.units if unit.marks]
    if quantity.names:
        found.append(_Pattern(_by_name(quantity), quantity.units[0]))
    return tuple(found)


def _sign(quantity: Quantity) -> str:
    words = "|".join(re.escape(word) for word in quantity.minus)
    return rf"(?P<minus>(?:{words})\s?)?" if words else r"(?P<minus>(?!))?"


def _with_unit(quantity: Quantity, unit: Unit) -> re.Pattern[str]:
    marks = sorted((read_text(mark).normal for mark in unit.marks), key=len, reverse=True)
    after = "|".join(re.escape(mark) + _edge(mark) for mark in marks)
    written = rf"{_FRESH}{_sign(quantity)}(?P<number>{_NUMBER})\s{{0,2}}(?:{after})"
    # Signs of money stand before their figure.
    money = "".join(re.escape(mark) for mark in marks if mark in _MONEY)
    return re.compile(rf"{written}|[{money}]\s?(?P<led>{_NUMBER})" if money else written)


def _edge(mark: str) -> str:
    return rf"(?!{WORD})" if re.search(rf"{WORD}\Z", mark) else ""


def _by_name(quantity: Quantity) -> re.Pattern[str]:
    names = "|".join(re.escape(name) for name in quantity.names)
    return re.compile(
        rf"(?:{names})[^\d.;!?\n]{{0,40}}?{_LINK}?[\s:]{{0,3}}{_sign(quantity)}"
        rf"{_FRESH}(?P<number>{_NUMBER})(?=\s?(?:[.,;!?)]|\Z|in\b|now\b|today\b|and\b|with\b))"
    )


def mentions(text: Text, quantity: Quantity, domain: Domain) -> list[Mention]:
    """Every figure of that quantity in the text, in order, each figure once."""
    found: dict[int, _Read] = {}
    for pattern in _patterns(domain, quantity.name):
        for match in islice(pattern.regex.finditer(text.normal), MAX_MENTIONS):
            read = _read(match, pattern.unit)
            # The longer reading knows more: "20° F" is not "20°".
            if read.start not in found or read.end > found[read.start].end:
                found[read.start] = read
    other = Terms(quantity.other)
    return [
        Mention(
            found[start].value,
            start,
            other.in_(_clause_before(text, start)),
            found[start].written,
        )
        for start in sorted(found)
    ]


class _Read(Struct, frozen=True):
    value: float
    start: int
    end: int
    written: float


def _read(match: re.Match[str], unit: Unit) -> _Read:
    groups = match.groupdict()
    group = "number" if groups["number"] else "led"
    written = groups[group]
    thousands = _THOUSANDS.search(written) is not None
    number = float(written.replace(",", "" if thousands else "."))
    value = unit.convert(-number if groups["minus"] else number)
    return _Read(value, match.start(group), match.end(), abs(number))


def _clause_before(text: Text, start: int) -> Text:
    clause = _CLAUSE_END.split(text.normal[max(0, start - _REACH) : start])[-1]
    return Text(clause, clause, clause)


def leaves_of(data: object) -> list[Leaf]:
    """The scalars of some data, each with its field; what is too deep or too many is left out."""
    return list(islice(_leaves(data, "", 0), MAX_LEAVES))


def _leaves(value: object, field: str, depth: int) -> Iterator[Leaf]:
    if isinstance(value, dict) and depth < MAX_DEPTH:
        for key, item in value.items():
            yield from _leaves(item, str(key), depth + 1)
    elif isinstance(value, list | tuple) and depth < MAX_DEPTH:
        for item in value:
            yield from _leaves(item, field, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield Leaf(field, value)


def values_in(found: list[Leaf], quantity: Quantity, domain: Domain) -> list[float]:
    """Every figure of that quantity in the data: in a field of its own, or inside a text."""
    values: list[float] = []
    for leaf in found:
        if isinstance(leaf.value, str):
            texts = mentions(read_text(leaf.value), quantity, domain)
            values.extend(mention.value for mention in texts)
        elif is_figure(leaf.value) and (unit := _unit_of(leaf.field, quantity)) is not None:
            values.append(unit.convert(leaf.value))
    return values


def _unit_of(field: str, quantity: Quantity) -> Unit | None:
    """The unit whose fields name this one, the most exact name first."""
    name = field.lower()
    fitting = [
        (len(pattern) - 2 * pattern.endswith("*"), i)
        for i, unit in enumerate(quantity.units)
        for pattern in unit.fields
        if (name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern)
    ]
    return quantity.units[max(fitting)[1]] if fitting else None


def conditions_in(text: Text, domain: Domain) -> list[str]:
    """The conditions a text states; one that it denies is not stated."""
    return [name for name, terms in domain.conditions.items() if _states(text, terms, domain)]


def _states(text: Text, terms: Terms, domain: Domain) -> bool:
    denial = domain.terms("negation")
    for match in islice(terms.pattern.finditer(text.normal), MAX_MENTIONS):
        clause = _clause_before(text, match.start()).normal
        near = clause[-2:] if _CHINESE.search(clause) else " ".join(clause.split()[-3:])
        if not denial.in_(Text(near, near, near)):
            return True
    return False


def value_at(data: object, paths: list[str]) -> Any:
    """What the data holds at the first of the dotted paths that leads anywhere; else None."""
    for path in paths:
        value: Any = data
        for key in path.split("."):
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            return value
    return None


def number_at(data: object, paths: list[str]) -> float | None:
    """The finite number at the first of the paths that leads to anything; else None."""
    value = value_at(data, paths)
    return float(value) if is_figure(value) else None


def is_figure(value: Any) -> bool:
    """Whether this is a number that can be compared: neither endless nor none at all."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and -_LARGEST < value < _LARGEST
