"""What a conversation is about: the words, entities, quantities and conditions of one domain.

A domain is a small TOML file. `weather` ships with assay; `load_domain` reads any other.
"""

from __future__ import annotations

import tomllib
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord, UnknownName
from assay.metrics.chatbot.text import Terms

_HERE = Path(__file__).parent
_SHIPPED = _HERE / "domains"
# Word lists in every language, by the language's code.
Words = dict[str, list[str]]


class _Strict(Struct, frozen=True, forbid_unknown_fields=True):
    """A misspelt key is an error, not a rule that silently never fires."""


class Unit(_Strict, frozen=True):
    """How a quantity is written: (number - subtract) * scale is its value in the first unit."""

    marks: list[str]
    fields: list[str] = []
    subtract: float = 0.0
    scale: float = 1.0

    def convert(self, number: float) -> float:
        """The number in the quantity's first unit."""
        return (number - self.subtract) * self.scale


class Quantity(_Strict, frozen=True):
    """Something counted or measured, and how near is near enough."""

    name: str
    units: list[Unit]
    exact: float
    close: float
    at: list[str] = []
    names: list[str] = []
    other: list[str] = []
    minus: list[str] = []

    def __post_init__(self) -> None:
        """Refuse what could never be found or never be wrong."""
        if not self.units:
            raise ValueError(f"quantity {self.name!r} needs at least one unit")
        if not 0 <= self.exact <= self.close:
            raise ValueError(
                f"quantity {self.name!r}: exact ({self.exact}) must lie between 0 and close "
                f"({self.close})"
            )


class Conditions(_Strict, frozen=True):
    """States that exclude each other, where the data names them, and their words."""

    at: list[str] = []
    groups: dict[str, Words] = {}


class Entities(_Strict, frozen=True):
    """What questions are about: the names that are known, and the fields that hold them.

    Each list of `same` holds the names of one entity.
    """

    known: list[str] = []
    fields: list[str] = []
    same: list[list[str]] = []


class Outlook(_Strict, frozen=True):
    """Where the data keeps one entry a day, and what such an entry calls its range."""

    lists: list[str] = []
    low: list[str] = []
    high: list[str] = []
    day: list[str] = []


class When(_Strict, frozen=True):
    """A state of affairs that tool results can show: a condition, or a value below or above."""

    conditions: list[str] = []
    quantity: str = ""
    below: float | None = None
    above: float | None = None


class Warrant(_Strict, frozen=True):
    """Advice, and what calls for it."""

    words: list[str]
    when: When


class Adaptation(_Strict, frozen=True):
    """What an answer shows when it follows a known preference."""

    flag: str
    all: list[list[str]]
    worth: float
    none: list[str] = []
    unless: str = ""
    when: When | None = None


class Preference(_Strict, frozen=True):
    """A kind of preference and the words it is expressed in."""

    name: str
    en: list[str] = []
    zh: list[str] = []


class Consistency(_Strict, frozen=True):
    """A trait that two answers to one question should share, and what it is worth."""

    name: str
    worth: float
    en: list[str] = []
    zh: list[str] = []


class DomainFile(_Strict, frozen=True):
    """A domain as its file describes it."""

    name: str
    words: dict[str, Words]
    entities: Entities = Entities()
    quantities: list[Quantity] = []
    conditions: Conditions = Conditions()
    outlook: Outlook = Outlook()
    preferences: list[Preference] = []
    adaptations: list[Adaptation] = []
    consistency: list[Consistency] = []
    warrants: list[Warrant] = []


# A group that a domain leaves out is read as the wider one.
_STANDS_FOR = {
    "intent": "topic",
    "core_topic": "topic",
    "on_topic": "topic",
    "information": "topic",
    "planned_topic": "topic",
    "recommendation": "advice",
    "planned_advice": "advice",
    "advice_asked": "advice",
    "item": "advice",
}
_OWN_GROUPS = frozenset(
    {*_STANDS_FOR, "topic", "outlook", "asking_entity", "naming_entity", "missing_data"}
)


class Domain:
    """A domain ready for use: its file, and the words of any conversation besides."""

    def __init__(self, file: DomainFile) -> None:
        """Take a domain as its file describes it."""
        known = _OWN_GROUPS | _general_words().keys()
        for group in file.words:
            if group not in known:
                raise UnknownName("group of words", group, known)
        _refuse_dangling(file)
        self.file = file
        self.name = file.name
        self._terms: dict[str, Terms] = {}

    def terms(self, group: str) -> Terms:
        """The words of that group, general ones and the domain's own, in every language."""
        if group not in self._terms:
            self._terms[group] = Terms([*_flat(_general_words().get(group, {})), *self._own(group)])
        return self._terms[group]

    def _own(self, group: str) -> list[str]:
        words = self.file.words
        found = words.get(group) or words.get(_STANDS_FOR.get(group, ""), {})
        return _flat(found)

    @cached_property
    def conditions(self) -> dict[str, Terms]:
        """The words of each condition."""
        groups = self.file.conditions.groups
        return {name: Terms(_flat(words)) for name, words in groups.items()}

    @cached_property
    def known_entities(self) -> Terms:
        """The names that are known without their being introduced."""
        return Terms(self.file.entities.known)

    def names_of(self, entities: list[str]) -> list[str]:
        """The entities by every name that they are known to have."""
        wanted = {name.lower() for name in entities}
        others = (name for names in self.file.entities.same if wanted & {*names} for name in names)
        return list(dict.fromkeys([*entities, *others]))

    @cached_property
    def entity_fields(self) -> Terms:
        """The fields that hold an entity's name."""
        return Terms(self.file.entities.fields)

    def quantity(self, name: str) -> Quantity | None:
        """The quantity of that name; None if the domain has none."""
        return next((q for q in self.file.quantities if q.name == name), None)


def _refuse_dangling(file: DomainFile) -> None:
    """A state of affairs that names nothing of the domain could never hold."""
    quantities = {quantity.name for quantity in file.quantities}
    whens = [row.when for row in file.warrants]
    whens += [row.when for row in file.adaptations if row.when is not None]
    for when in whens:
        if when.quantity and when.quantity not in quantities:
            raise UnknownName("quantity", when.quantity, quantities)
        for name in when.conditions:
            if name not in file.conditions.groups:
                raise UnknownName("condition", name, file.conditions.groups)


def load_domain(source: str | Path) -> Domain:
    """Read a domain: the name of one that ships, or the path of a TOML file of one's own."""
    path = Path(source)
    if path.suffix != ".toml":
        path = _SHIPPED / f"{source}.toml"
        if not path.is_file():
            raise UnknownName("domain", str(source), (p.stem for p in _SHIPPED.glob("*.toml")))
    return Domain(_read(path, DomainFile))


@cache
def weather() -> Domain:
    """The domain that ships with assay."""
    return load_domain("weather")


class _GeneralFile(_Strict, frozen=True):
    words: dict[str, Words]


@cache
def _general_words() -> dict[str, Words]:
    found: _GeneralFile = _read(_HERE / "general.toml", _GeneralFile)
    return found.words


def _read(path: Path, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), kind)
    except OSError as exc:
        raise InvalidRecord(f"{path}: cannot be read: {exc.strerror}") from exc
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise InvalidRecord(f"{path}: not a TOML file: {exc}") from exc
    except msgspec.ValidationError as exc:
        raise InvalidRecord(f"{path}: {exc}") from exc


def _flat(words: Words) -> list[str]:
    return [term for language in words.values() for term in language]
