"""One run with everything its agent was given, indexed once: where does a value first stand?

Every text of the run is split into tokens a single time. Looking a value up costs a few
dictionary accesses, whatever the length of the run. What few runs need is built on first use.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidTools
from assay.evidence.tools import effect_of, effect_of_name, long_texts
from assay.execution import INFERRED_FROM_TEXT, INFERRED_FROM_TOOLS_CALLED, NOT_SAID
from assay.outcome import judge_call
from assay.text.dates import Day, days_in, names_a_month
from assay.text.entities import items_in, shape_of
from assay.text.leaves import field_of, leaves_of, parse_json
from assay.text.numbers import all_values
from assay.text.words import stem, text_of, tokens_of
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.evidence.tools import Effect
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase
    from assay.text.leaves import Leaf
    from assay.tools import ToolDefinition

REQUEST = -1
_INFERRED = frozenset({INFERRED_FROM_TEXT, INFERRED_FROM_TOOLS_CALLED})
_NOTHING_CAME_BACK = frozenset({"no_result", "empty"})
_ASKING_ROLES = frozenset({"user", "system", "developer"})
_LONGEST_DATED = 1_000_000
_LONGEST_FIELD_VALUE = 40
_MOST_FIELDS = 4_000
_SHORTEST_SHAPE, _LONGEST_SHAPE = 5, 64


class IndexedCall:
    """One call of a run: its arguments and result as text, what it does and how it went."""

    __slots__ = (
        "arguments",
        "call",
        "effect",
        "is_decided",
        "leaves",
        "message",
        "ok",
        "position",
        "result",
    )

    def __init__(
        self, call: ToolExecutionResult, position: int, tool: ToolDefinition | None
    ) -> None:
        """Read the call; its success was decided when it was read."""
        self.call = call
        self.position = position
        self.arguments = text_of(call.parameters) if call.parameters else ""
        self.leaves: list[Leaf] = leaves_of(call.parameters) if call.parameters else []
        self.result = text_of(call.result)
        self.message = call.error_message or ""
        # A call that a reader settled keeps its outcome; one made by hand is judged here.
        judged = None if call.success_rule or not call.success else judge_call(call)
        if judged is not None and judged.rule in _NOTHING_CAME_BACK:
            judged = None  # then the stated success is all that is known
        succeeded = call.succeeded if judged is None else judged.success
        self.is_decided = succeeded is not None and _is_stated(call, self.result)
        self.ok = bool(succeeded) or not self.is_decided
        if judged is not None and judged.message and not self.ok:
            self.message = judged.message
        self.effect: Effect = effect_of(call.tool or "", long_texts(self.leaves), tool)

    @property
    def tool(self) -> str:
        """The name of the tool."""
        return self.call.tool or ""

    @property
    def may_change(self) -> bool:
        """Whether the call changes something, or may."""
        return self.effect in ("write", "unknown")

    @property
    def runs_code(self) -> bool:
        """Whether the call runs a statement, a command or code, which its tool's name hides."""
        return self.effect == "write" and effect_of_name(self.tool) != "write"

    @property
    def returned(self) -> str:
        """All that came back: the result, and the message of a failure."""
        return f"{self.result}\n{self.message}" if self.message else self.result

    @property
    def failure(self) -> str:
        """How a failed call says that it failed."""
        return self.message or self.result


def _is_stated(call: ToolExecutionResult, result: str) -> bool:
    """Whether the record states how the call went, rather than a text that speaks of it."""
    rule = call.success_rule
    return rule != NOT_SAID and (rule not in _INFERRED or bool(result))


class RunIndex:
    """The run's request, answer and calls, and where its tokens, numbers and days stand."""

    def __init__(self, case: AgentTestCase) -> None:
        """Read the case; it is not changed."""
        self.case = case
        self.answer = (case.actual_output or "").strip()
        history = case.conversation_history or []
        turns = [_content(message) for message in history if message.get("role") == "user"]
        asking = [_content(message) for message in history if message.get("role") in _ASKING_ROLES]
        self.request = "\n".join(dict.fromkeys([case.input or "", *turns])).strip()
        self.context = "\n".join(dict.fromkeys([case.input or "", *asking])).strip()
        said = [_content(message) for message in history if message.get("role") == "assistant"]
        self.said = "\n".join(dict.fromkeys([self.answer, *said]))
        self.is_dialogue = len(turns) > 1
        self.tools: Mapping[str, ToolDefinition] | None = _tools_of(case)
        offered = self.tools or {}
        self.calls = [
            IndexedCall(call, position, offered.get(call.tool))
            for position, call in enumerate(case.calls)
        ]
        self.context_tokens = frozenset(tokens_of(self.context))
        self._first: dict[str, int] = {}
        first = self._first
        for known in self.calls:
            for token in set(tokens_of(known.returned)).difference(first):
                first[token] = known.position

    def first(self, token: str) -> int | None:
        """The first call in whose result the token stands, REQUEST for the request, or None."""
        return REQUEST if token in self.context_tokens else self._first.get(token)

    def first_tokens(self) -> Iterable[tuple[str, int]]:
        """The tokens that results were the first to hold, each with its call."""
        return ((t, place) for t, place in self._first.items() if t not in self.context_tokens)

    def first_of_all(self, tokens: Iterable[str]) -> int | None:
        """The first call by which all tokens have been seen; None if one of them never is."""
        latest = REQUEST
        for token in tokens:
            place = REQUEST if token in self.context_tokens else self._first.get(token)
            if place is None:
                return None
            latest = max(latest, place)
        return latest

    def first_of_stem(self, token: str) -> int | None:
        """The same for another form of the word."""
        return self._first_stems.get(stem(token))

    @cached_property
    def _first_stems(self) -> dict[str, int]:
        found = {stem(token): REQUEST for token in self.context_tokens}
        for token, place in self._first.items():
            known = found.setdefault(stem(token), place)
            if place < known:
                found[stem(token)] = place
        return found

    @cached_property
    def context_stems(self) -> frozenset[str]:
        """The stems of the words of the request and its context."""
        return frozenset(map(stem, self.context_tokens))

    @cached_property
    def joined(self) -> dict[str, int]:
        """Neighbouring tokens written together, for ids that are written with separators."""
        found: dict[str, int] = {}
        for place, text in self._texts():
            for one, other in pairwise(tokens_of(text)):
                if not (one.isalpha() and other.isalpha()):
                    found.setdefault(one + other, place)
            for item in items_in(text):
                if "-" in item or "_" in item:
                    found.setdefault(item.replace("-", "").replace("_", "").lower(), place)
        return found

    def _texts(self) -> Iterator[tuple[int, str]]:
        yield REQUEST, self.context
        for known in self.calls:
            yield known.position, known.returned

    @cached_property
    def schema_tokens(self) -> frozenset[str]:
        """The tokens of the tools on offer, with their descriptions and schemas."""
        tools = self.case.available_tools
        return frozenset(tokens_of(text_of(tools))) if tools else frozenset()

    @cached_property
    def used_tokens(self) -> frozenset[str]:
        """The tokens of the arguments of successful calls."""
        return frozenset(t for known in self.calls if known.ok for t in tokens_of(known.arguments))

    @cached_property
    def argument_tokens(self) -> frozenset[str]:
        """The tokens of the arguments of all calls."""
        return frozenset(t for known in self.calls for t in tokens_of(known.arguments))

    @cached_property
    def request_numbers(self) -> frozenset[float]:
        """The numbers of the request and its context."""
        return frozenset(all_values(self.context))

    @cached_property
    def first_numbers(self) -> dict[float, int]:
        """The numbers of the results, each with the first call that brought it."""
        found: dict[float, int] = {}
        for known in self.calls:
            for value in all_values(known.returned):
                found.setdefault(value, known.position)
        return found

    @cached_property
    def result_numbers(self) -> list[float]:
        """The numbers of all results in order of size."""
        return sorted(self.first_numbers)

    @cached_property
    def argument_numbers(self) -> frozenset[float]:
        """The numbers of the arguments of all calls."""
        return frozenset().union(*(all_values(known.arguments) for known in self.calls))

    @cached_property
    def request_days(self) -> set[Day]:
        """The days that the request and its context name."""
        return days_in(self.context)

    @cached_property
    def first_days(self) -> dict[Day, int]:
        """The days of the results, each with the first call that brought it."""
        found: dict[Day, int] = {}
        in_words = names_a_month(self._first)
        for known in self.calls:
            for day in days_in(known.returned[:_LONGEST_DATED], may_name_months=in_words):
                found.setdefault(day, known.position)
        return found

    @cached_property
    def argument_days(self) -> set[Day]:
        """The days of the arguments of all calls."""
        return set().union(*(days_in(known.arguments) for known in self.calls))

    @cached_property
    def used_days(self) -> set[Day]:
        """The days of the arguments of successful calls."""
        return set().union(*(days_in(known.arguments) for known in self.calls if known.ok))

    @cached_property
    def known_days(self) -> set[Day]:
        """All days that request, arguments and results name."""
        return self.request_days | self.argument_days | set(self.first_days)

    @cached_property
    def request_shapes(self) -> frozenset[str]:
        """The shapes of the request's items that have a digit."""
        return frozenset(shape_of(item) for item in items_in(self.request) if _has_digit(item))

    @cached_property
    def first_shapes(self) -> dict[str, int]:
        """The shapes of the identifiers of the results, each with the first call that had it."""
        found: dict[str, int] = {}
        for known in self.calls:
            for item in items_in(known.returned):
                if _SHORTEST_SHAPE <= len(item) <= _LONGEST_SHAPE and _has_digit(item):
                    found.setdefault(shape_of(item), known.position)
        return found

    @cached_property
    def field_values(self) -> dict[str, dict[str, int]]:
        """By the name of a field: the short texts that results hold there, and since which call."""
        found: dict[str, dict[str, int]] = {}
        for known in self.calls:
            for path, value in leaves_of(_opened(known.call.result), most=_MOST_FIELDS):
                if isinstance(value, str) and 2 <= len(value) <= _LONGEST_FIELD_VALUE and path:
                    values = found.setdefault(field_of(path).lower(), {})
                    values.setdefault(value, known.position)
        return found


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else text_of(content)


def _opened(result: object) -> object:
    if isinstance(result, dict | list):
        return result
    opened = parse_json(result)
    return {} if opened is None else opened


def _has_digit(item: str) -> bool:
    return any(map(str.isdigit, item))


def _tools_of(case: AgentTestCase) -> Mapping[str, ToolDefinition] | None:
    try:
        return read_tools(case.available_tools)
    except InvalidTools:
        return None
