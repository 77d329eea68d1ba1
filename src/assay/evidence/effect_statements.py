"""What an SQL text changes: each statement with its kind, its target, its names and values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.effect_values import plain
from assay.evidence.literals import LONGEST_QUERY, SQL_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

# Text, comment, mark of a quoted body, quoted name, name, number, sign: one group each.
_TOKEN = re.compile(
    r"'([^']*+(?:''[^']*+)*+)'|(--[^\n]*+|/\*.*?(?:\*/|\Z))|(\$[A-Za-z_]*+\$)"
    r"|\"([^\"]*+)\"|`([^`]*+)`|([^\W\d][\w$]*+)|([0-9]++(?:\.[0-9]++)?)|([;.])",
    re.DOTALL,
)
# Words that may stand between the verb of a statement and what it changes.
_VERBS: dict[str, frozenset[str]] = {
    "insert": frozenset({"or", "ignore", "replace", "into", "overwrite"}),
    "replace": frozenset({"into"}),
    "update": frozenset({"only", "or", "ignore"}),
    "delete": frozenset({"from", "only"}),
    "truncate": frozenset({"table", "only"}),
    "merge": frozenset({"into"}),
    "refresh": frozenset({"materialized", "view", "concurrently"}),
    "create": frozenset(),
    "alter": frozenset(),
    "drop": frozenset(),
    "grant": frozenset(),
    "revoke": frozenset(),
    "comment": frozenset(),
}
_DEFINING = frozenset({"create", "alter", "drop"})
_BEFORE_KIND = frozenset(
    {"or", "replace", "unique", "materialized", "unlogged", "global", "local", "recursive"}
    | {"external", "virtual", "event", "foreign", "default", "constraint"}
)
_BEFORE_NAME = frozenset({"concurrently", "if", "not", "exists", "only"})
_TEMPORARY = frozenset({"temp", "temporary"})
# These belong to a table, and what they are called is the agent's choice.
_BELONGING = frozenset({"index", "policy", "trigger", "rule", "privileges"})
_AFTER_ON = frozenset(
    {"table", "all", "tables", "in", "schema", "column", "view", "function", "sequence", "database"}
)
# A statement may begin with these and change something all the same.
_OPENINGS = frozenset({"with", "do", "begin", "explain", "declare", "start"})


class Statement(Struct, frozen=True):
    """One statement that changes something: how, what, and with which names and values."""

    kind: str
    target: str
    values: frozenset[str]


class _Word(Struct, frozen=True, gc=False):
    text: str
    is_name: bool
    follows_dot: bool

    @property
    def says_something(self) -> bool:
        """Whether it is a name or a value, and no word of SQL itself."""
        return bool(self.text) and not (self.is_name and self.text in SQL_WORDS)


def statements_in(text: str) -> list[Statement]:
    """The statements of an SQL text that change something lasting."""
    found = (_read(words) for words in _split(text[:LONGEST_QUERY]))
    return [statement for statement in found if statement is not None]


def _split(text: str) -> Iterator[list[_Word]]:
    """The words of each statement; a quoted body belongs to the statement around it."""
    words: list[_Word] = []
    body, dot = "", False
    for literal, comment, mark, quoted, ticked, name, number, sign in _TOKEN.findall(text):
        if comment:
            continue
        if mark:
            body = "" if mark == body else body or mark
        elif sign == ";" and not body:
            yield words
            words = []
        elif not sign:
            is_name = bool(quoted or ticked or name)
            said = (quoted or ticked or name).lower() or plain(literal.replace("''", "'") or number)
            words.append(_Word(said, is_name, dot))
        dot = sign == "."
    yield words


def _read(words: list[_Word]) -> Statement | None:
    start = _verb_place(words)
    if start is None:
        return None
    verb, rest = words[start].text, words[start + 1 :]
    kind, target = _target(verb, rest)
    if not target:
        return None
    values = frozenset(word.text for word in words if word.says_something)
    return Statement(kind, target, values)


def _verb_place(words: list[_Word]) -> int | None:
    if words and words[0].text not in _OPENINGS:
        return 0 if words[0].text in _VERBS else None
    verbs = (i for i, word in enumerate(words) if word.is_name and word.text in _VERBS)
    return next(verbs, None)


def _target(verb: str, rest: list[_Word]) -> tuple[str, str]:
    """What kind of change it is, and what it changes; no target for what is temporary."""
    if verb in _DEFINING:
        return _defined(verb, rest)
    if verb in {"grant", "revoke", "comment"}:
        return verb, _after_on(rest) or _name_at(rest, 0)
    return verb, _first_name(rest, _VERBS[verb])


def _defined(verb: str, rest: list[_Word]) -> tuple[str, str]:
    place = next((i for i, word in enumerate(rest) if word.text not in _BEFORE_KIND), len(rest))
    if place == len(rest) or rest[place].text in _TEMPORARY:
        return verb, ""
    kind, after = rest[place].text, rest[place + 1 :]
    owner = _after_on(after) if kind in _BELONGING else ""
    return f"{verb} {kind}", owner or _first_name(after, _BEFORE_NAME)


def _after_on(words: list[_Word]) -> str:
    place = next((i for i, word in enumerate(words) if word.text == "on"), None)
    return "" if place is None else _first_name(words[place + 1 :], _AFTER_ON)


def _first_name(words: list[_Word], passed: frozenset[str]) -> str:
    place = next((i for i, word in enumerate(words) if word.text not in passed), len(words))
    return _name_at(words, place)


def _name_at(words: list[_Word], place: int) -> str:
    """The name that stands there, without the schema before it."""
    if place >= len(words):
        return ""
    while place + 1 < len(words) and words[place + 1].follows_dot:
        place += 1
    return words[place].text
