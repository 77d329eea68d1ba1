"""What a run changed: its successful writes value by value, and the facts its results brought."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.evidence.index import RunIndex
from assay.text.code import changes_by_sql, sql_changes
from assay.text.leaves import leaf_text, leaves_of, step_to
from assay.text.numbers import parse_number
from assay.text.words import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.evidence.index import IndexedCall
    from assay.test_case import AgentTestCase

Form = Literal["call", "statement", "command"]

_FACT = re.compile(
    r"(?<![\w.])(?:\d{4}-\d{2}(?:-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2})?)?|\d{1,2}:\d{2}"
    r"|\d+(?:,\d{3})*(?:\.\d+)?)(?!\w)"
)
_COMMAND_WORDS = frozenset(
    {"bash", "shell", "command", "commands", "exec", "terminal", "python", "code"}
)
_COMMAND_FIELDS = frozenset({"command", "cmd", "code", "script", "commands"})
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")
_SERVER_MARK = re.compile(r"__|[.:/]")
_LONGEST_RESULT = 200_000
_LONGEST_PLAIN = 20_000
_MOST_FACTS = 50_000
_LONGEST_SHOWN = 40
_MOST_SHOWN = 3


class EffectLeaf(Struct, frozen=True, gc=False):
    """One value of a write: its path without places in lists, as it is, and plain."""

    path: str
    value: Any
    plain: str

    @property
    def shown(self) -> str:
        """The value as a reader sees it, a long one cut short."""
        text = leaf_text(self.value)
        text = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
        return repr(text) if isinstance(self.value, str) else text

    @property
    def words(self) -> str:
        """The value with the name of its argument, if it has one."""
        return f"{self.path}={self.shown}" if self.path and self.path != "*" else self.shown


class Effect(Struct, frozen=True):
    """One change: by which tool, to which target if a statement names one, with which values.

    The statements on one target are one change, however they were cut. `calls` are the positions
    of the calls that made it.
    """

    form: Form
    tool: str
    target: str
    leaves: tuple[EffectLeaf, ...]
    calls: tuple[int, ...]

    @property
    def name(self) -> str:
        """The change in a few words."""
        if self.form == "statement":
            return f"changes to {self.target}"
        if self.form == "command":
            return f"a command of {self.tool}"
        return write_words(self.tool, self.leaves)

    @property
    def subject(self) -> tuple[Form, str]:
        """Writes of one subject can be compared value by value."""
        if self.form == "statement":
            return self.form, self.target
        return self.form, "" if self.form == "command" else tool_name(self.tool)


class RunEffects(Struct, frozen=True):
    """What a run did and learnt; `tried` are the failed writes, a name and a position each.

    With `has_unrecorded` there are writes of which nobody recorded what they wrote.
    """

    writes: tuple[Effect, ...]
    tried: tuple[tuple[str, int], ...]
    facts: frozenset[str]
    answer: str
    calls: int
    has_unrecorded: bool = False


def read_effects(case: AgentTestCase, run: RunIndex | None = None) -> RunEffects:
    """Read the effects of a run; the case is not changed."""
    run = run or RunIndex(case)
    writes = [known for known in run.calls if known.effect == "write"]
    facts: set[str] = set()
    for known in run.calls:
        if known.ok and len(facts) < _MOST_FACTS:
            facts |= facts_in(known.result)
    may_write = [
        known for known in run.calls if known.ok and (known.effect == "write" or _is_command(known))
    ]
    return RunEffects(
        tuple(_effects(known for known in writes if known.ok)),
        tuple((tool_name(known.tool), known.position) for known in writes if not known.ok),
        frozenset(facts),
        case.actual_output or "",
        len(run.calls),
        any(not known.call.arguments_recorded for known in may_write),
    )


def facts_in(text: str) -> set[str]:
    """The numbers, dates and times of a text, plain."""
    return {plain(found) for found in set(_FACT.findall(text[:_LONGEST_RESULT]))}


def plain(value: Any) -> str:
    """A value in the one form in which all its spellings are equal."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"{value:.10g}" if value else "0"
    return _plain_text(leaf_text(value)[:_LONGEST_PLAIN])


@lru_cache(maxsize=65_536)
def _plain_text(text: str) -> str:
    number = parse_number(text)
    if number is not None:
        return f"{number:.10g}" if number else "0"
    return " ".join(text.casefold().split())


@lru_cache(maxsize=4_096)
def tool_name(tool: str) -> str:
    """The words of a tool's name, without the name of its server and however it is spelled."""
    own = _SERVER_MARK.split(tool)[-1] or tool
    return " ".join(word.lower() for word in _NAME_WORD.findall(own)) or tool


def argument_leaves(arguments: Any) -> tuple[EffectLeaf, ...]:
    """The values of arguments; what is null or empty says nothing."""
    return tuple(
        EffectLeaf(
            "".join(step_to(step) for step in path if isinstance(step, str)).lstrip("."),
            value,
            plain(value),
        )
        for path, value in leaves_of(arguments, open_text=False)
        if value is not None and value != ""
    )


def write_words(tool: str, leaves: Sequence[EffectLeaf]) -> str:
    """A write as people note it down, a long one cut short."""
    stated = ", ".join(leaf.words for leaf in leaves[:_MOST_SHOWN])
    return f"{tool}({stated}{', …' if len(leaves) > _MOST_SHOWN else ''})"


def _effects(writes: Iterable[IndexedCall]) -> list[Effect]:
    found: list[Effect] = []
    by_target: dict[str, tuple[str, dict[str, None], dict[int, None]]] = {}
    for known in writes:
        query = _text_where(known, changes_by_sql)
        changes = sql_changes(query) if query else []
        for target, values in changes:
            _, own, calls = by_target.setdefault(target, (known.tool, {}, {}))
            own.update(dict.fromkeys(values))
            calls[known.position] = None
        if changes:
            continue
        if _is_command(known):
            words = tuple(dict.fromkeys(tokens_of(known.arguments[:_LONGEST_PLAIN])))
            leaves = tuple(EffectLeaf("", word, word) for word in words)
            found.append(Effect("command", known.tool, "", leaves, (known.position,)))
        else:
            leaves = argument_leaves(known.call.parameters)
            found.append(Effect("call", known.tool, "", leaves, (known.position,)))
    statements = [
        Effect("statement", tool, target, tuple(EffectLeaf("", v, v) for v in values), tuple(calls))
        for target, (tool, values, calls) in by_target.items()
    ]
    return [*found, *statements]


def _text_where(known: IndexedCall, holds: Any) -> str | None:
    return next((v for _, v in known.leaves if isinstance(v, str) and holds(v)), None)


def _is_command(known: IndexedCall) -> bool:
    """Whether a call runs a command or code."""
    if not _COMMAND_WORDS.isdisjoint(tool_name(known.tool).split()):
        return True
    return any(path and path[-1] in _COMMAND_FIELDS for path, _ in known.leaves)
