"""What a run did: the changes it made, the facts it was told, and what it answered."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from msgspec import Struct

from assay.errors import InvalidTools
from assay.evidence.effect_statements import statements_in
from assay.evidence.effect_values import plain
from assay.evidence.effects import is_write
from assay.evidence.json_leaves import as_text, leaf_text, leaves_of
from assay.evidence.literals import LONGEST_QUERY, holds_code, is_sql
from assay.evidence.quantities import NUMBER_OR_MOMENT
from assay.evidence.tool_kinds import kind_of_tool
from assay.evidence.words import words_of
from assay.outcome import judge_call
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.evidence.json_leaves import Leaf
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

Form = Literal["call", "statement", "command"]

_LONGEST_RESULT = 200_000
_MOST_FACTS = 50_000
_INDEX = re.compile(r"\[[0-9]+\]")
# Between the name of a server and that of its tool.
_SERVER_MARK = re.compile(r"__|[.:/]")
_NAME_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+|[^\W\d_A-Za-z]+")
_LONGEST_SHOWN = 40
_MOST_SHOWN = 3


class EffectLeaf(Struct, frozen=True, gc=False):
    """One value of a write: the way to it without places in lists, as it is, and plain."""

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
        return f"{self.path[2:]}={self.shown}" if self.path.startswith("$.") else self.shown


class Effect(Struct, frozen=True):
    """One change: by which tool, to which target if a statement tells, and with which values.

    The statements on one target are one change, however they were cut. `calls` are the
    positions of the calls that made it.
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


class RunEffects(Struct, frozen=True):
    """What a run did and learnt; `tried` are the failed writes, a name and a position each.

    Where `has_untold`, there are writes of which nobody recorded what they wrote.
    """

    writes: tuple[Effect, ...]
    tried: tuple[tuple[str, int], ...]
    facts: frozenset[str]
    answer: str
    calls: int
    has_untold: bool = False


def read_effects(case: AgentTestCase) -> RunEffects:
    """Read the effects of a run; the case is not changed."""
    tools = _tools_of(case)
    written: list[tuple[int, ToolExecutionResult, list[Leaf]]] = []
    tried: list[tuple[str, int]] = []
    facts: set[str] = set()
    has_untold = False
    for position, call in enumerate(case.calls):
        leaves = leaves_of(call.parameters)
        tool = tools.get(call.tool)
        writes = is_write(call, leaves, tool and tool.on(call.server))
        if _failed(call):
            if writes:
                tried.append((tool_name(call.tool), position))
            continue
        if writes:
            written.append((position, call, leaves))
        may_write = writes or kind_of_tool(call.tool) == "command"
        has_untold = has_untold or (may_write and not call.arguments_recorded)
        if len(facts) < _MOST_FACTS:
            facts |= facts_in(as_text(call.result))
    return RunEffects(
        tuple(_effects(written)),
        tuple(tried),
        frozenset(facts),
        case.actual_output or "",
        len(case.calls),
        has_untold,
    )


def facts_in(text: str) -> set[str]:
    """The numbers, dates and times of a text, plain."""
    return {plain(found) for found in set(NUMBER_OR_MOMENT.findall(text[:_LONGEST_RESULT]))}


@lru_cache(maxsize=4_096)
def tool_name(tool: str) -> str:
    """The words of a tool's name, without the name of its server and however it is spelled."""
    own = _SERVER_MARK.split(tool)[-1] or tool
    return " ".join(word.lower() for word in _NAME_WORD.findall(own)) or tool


def argument_leaves(arguments: Any) -> tuple[EffectLeaf, ...]:
    """The values of arguments; what is null or empty says nothing."""
    return tuple(
        EffectLeaf(_path(leaf), leaf.value, plain(leaf.value))
        for leaf in leaves_of(arguments)
        if leaf.value is not None and leaf.value != ""
    )


def write_words(tool: str, leaves: Sequence[EffectLeaf]) -> str:
    """A write as people note it down, a long one cut short."""
    said = ", ".join(leaf.words for leaf in leaves[:_MOST_SHOWN])
    return f"{tool}({said}{', …' if len(leaves) > _MOST_SHOWN else ''})"


def _path(leaf: Leaf) -> str:
    path = leaf.path
    return _INDEX.sub("", path) if "[" in path else path


def _tools_of(case: AgentTestCase) -> Mapping[str, ToolDefinition]:
    try:
        return read_tools(case.available_tools) or {}
    except InvalidTools:
        return {}


def _failed(call: ToolExecutionResult) -> bool:
    settled = call.success_rule is not None
    return call.failed or (not settled and judge_call(call).success is False)


def _effects(written: Iterable[tuple[int, ToolExecutionResult, list[Leaf]]]) -> list[Effect]:
    found: list[Effect] = []
    changes = _Changes()
    for position, call, leaves in written:
        texts = [leaf for leaf in leaves if isinstance(leaf.value, str)]
        query = next((leaf.value for leaf in texts if is_sql(leaf.value)), None)
        program = next((leaf.value for leaf in texts if _is_program(call.tool, leaf)), None)
        if query is not None and changes.add(query, call.tool, position):
            continue
        if program is not None and query is None:
            found.append(_command(call.tool, program, position))
        else:
            leaves_read = argument_leaves(call.parameters)
            found.append(Effect("call", call.tool, "", leaves_read, (position,)))
    return [*found, *changes.effects()]


def _is_program(tool: str, leaf: Leaf) -> bool:
    return kind_of_tool(tool) == "command" or holds_code(leaf.field)


def _command(tool: str, program: str, position: int) -> Effect:
    words = dict.fromkeys(words_of(program[:LONGEST_QUERY]))
    leaves = tuple(EffectLeaf("", word, word) for word in words)
    return Effect("command", tool, "", leaves, (position,))


class _Changes:
    """What the statements of a run change, target by target."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, None]] = {}
        self._calls: dict[str, dict[int, None]] = {}
        self._tools: dict[str, str] = {}

    def add(self, query: str, tool: str, position: int) -> bool:
        """Take the statements of a query; False if none could be read."""
        statements = statements_in(query)
        for statement in statements:
            target = statement.target
            values = self._values.setdefault(target, {})
            values.update(dict.fromkeys((statement.kind, *sorted(statement.values))))
            self._calls.setdefault(target, {})[position] = None
            self._tools.setdefault(target, tool)
        return bool(statements)

    def effects(self) -> list[Effect]:
        """One effect for each target, in the order they were first changed."""
        return [
            Effect(
                "statement",
                self._tools[target],
                target,
                tuple(EffectLeaf("", value, value) for value in values),
                tuple(self._calls[target]),
            )
            for target, values in self._values.items()
        ]
