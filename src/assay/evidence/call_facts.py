"""What the other evidence needs to know of each call, read once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from assay.evidence.effects import is_write
from assay.evidence.json_leaves import as_text, leaf_text, leaves_of, unescaped
from assay.evidence.words import words_of
from assay.execution import INFERRED_FROM_TEXT, INFERRED_FROM_TOOLS_CALLED, UNKNOWN_RULES
from assay.outcome import judge_call
from assay.text.payload import unwrap

if TYPE_CHECKING:
    from collections.abc import Set

    from assay.evidence.json_leaves import Leaf
    from assay.execution import ToolExecutionResult

_LONGEST_EMPTY = 200
_SAYS_EMPTY = re.compile(
    r"\b(?:no|0|zero)\s+(?:\w+\s+){0,2}?(?:results?|rows?|records?|match(?:es)?|items?|entries|data"
    r"|documents?|files?|hits|tables?)(?:\s+(?:were\s+)?(?:found|returned|available))?\b"
    r"|\bnothing\s+found\b|\bempty\s+(?:result|set)\b|没有(?:找到|查到|结果|数据|记录)|未找到|无结果|暂无数据",
    re.IGNORECASE,
)
_INFERRED = frozenset({INFERRED_FROM_TEXT, INFERRED_FROM_TOOLS_CALLED})
_NOTHING: tuple[Any, ...] = (None, False, 0, "", [], {})
_encode = msgspec.json.Encoder(order="deterministic").encode


class CallFacts:
    """One call: its arguments leaf by leaf, its payload, and how it went."""

    __slots__ = (
        "_words",
        "arguments",
        "call",
        "decided",
        "failed",
        "identity",
        "is_empty",
        "leaves",
        "payload",
        "position",
        "writes",
    )

    def __init__(self, call: ToolExecutionResult, position: int) -> None:
        """Judge the call, unless its outcome is settled already."""
        self.call = call
        self.position = position
        self.leaves: list[Leaf] = leaves_of(call.parameters)
        rule, self.payload, self.failed = call.success_rule, call.result, call.failed
        if rule is None:
            payload = unwrap(call.result)
            self.payload = payload.value
            self.failed = self.failed or judge_call(call, payload).success is False
        self.writes = is_write(call, self.leaves)
        # Whether it is known how the call went: of one that was only spoken of it is not.
        self.decided = rule is None or not (
            rule in UNKNOWN_RULES or (rule in _INFERRED and self.payload is None)
        )
        # A question was answered with nothing; a write need not answer.
        self.is_empty = (
            self.decided and not (self.writes or self.failed) and _is_empty(self.payload)
        )
        self._words: frozenset[str] | None = None
        # The arguments as JSON, the same for equal ones.
        self.arguments = _written(call.parameters)
        # Of calls whose arguments nobody wrote down, none is known to be the same as another.
        own = self.arguments if call.arguments_recorded else f"?{position}"
        self.identity = (call.server, call.tool, own)

    @property
    def words(self) -> frozenset[str]:
        """The words of the arguments; the names of the fields do not count: they are the tool's."""
        if self._words is None:
            values = [leaf_text(leaf.value) for leaf in self.leaves]
            self._words = frozenset(words_of(" ".join(values)))
        return self._words

    @property
    def message(self) -> str:
        """The words in which a failed call told of its failure."""
        return self.call.error_message or as_text(self.payload)


def _written(parameters: object) -> str:
    try:
        text = _encode(parameters).decode()
        return unescaped(text) if "\\" in text else text
    except (TypeError, ValueError, RecursionError, OverflowError):
        leaves = leaves_of(parameters)
        return "\0".join(leaf_text(leaf.value) for leaf in leaves)


def are_alike(some: Set[str], others: Set[str], least: float) -> bool:
    """Whether Jaccard's share of common words is that high; two empty sets are equal."""
    fewer, more = len(some), len(others)
    if fewer > more:
        fewer, more = more, fewer
    if fewer < least * more:
        return False
    common = len(some & others)
    return common >= least * (fewer + more - common)


def _is_empty(payload: Any) -> bool:
    if isinstance(payload, str):
        return len(payload) <= _LONGEST_EMPTY and bool(_SAYS_EMPTY.search(payload))
    if payload is None or payload in ([], {}):
        return True
    if isinstance(payload, dict):
        # An empty list with its zero count beside it says nothing either.
        values = payload.values()
        return [] in values and all(value in _NOTHING for value in values)
    return False
