"""The tools on offer as a judge is shown them.

They are the same in case after case, so each is written once.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from assay.judge.fencing import harmless
from assay.judge.json_text import LONGEST_FIELD, as_text
from assay.judge.wording import wording

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from assay.tools import ToolDefinition

_MOST_TOOLS = 40
_MOST_NAMES = 200


def tools_text(
    offered: Mapping[str, ToolDefinition] | None, called: Container[str], language: str
) -> str:
    """Tools that were called first, with description and schema; the rest by name."""
    if offered is None:
        return harmless(wording(language).phrases["unknown_tools"])
    return _listing(_Itself(offered), language).text(called)


class _Itself:
    """Tools as the key of a cache, equal to themselves alone: they are read once, never changed."""

    __slots__ = ("tools",)

    def __init__(self, tools: Mapping[str, ToolDefinition]) -> None:
        self.tools = tools

    def __hash__(self) -> int:
        return id(self.tools)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and other.tools is self.tools


class _Listing:
    """The tools of a case, each with its text."""

    def __init__(self, tools: Mapping[str, ToolDefinition], phrases: dict[str, str]) -> None:
        self._names = list(tools)
        self._entries = _Entries(tools, phrases)
        self._more = phrases["more_tools"]

    def text(self, called: Container[str]) -> str:
        first = [name for name in self._names if name in called]
        names = [*first, *(name for name in self._names if name not in called)]
        lines = [self._entries[name] for name in names[:_MOST_TOOLS]]
        plain = self._entries.plain
        if rest := names[_MOST_TOOLS:]:
            more = self._more.format(count=len(rest), names=", ".join(rest[:_MOST_NAMES]))
            plain = plain and harmless(more) == more
            lines.append(more)
        text = "\n".join(lines)[:LONGEST_FIELD]
        # No look-alike reaches over the end of a line: where each line is harmless, all are.
        return text if plain else harmless(text)


class _Entries(dict[str, str]):
    """The text of each tool, written when it is first shown; `plain` if all are harmless."""

    def __init__(self, tools: Mapping[str, ToolDefinition], phrases: dict[str, str]) -> None:
        super().__init__()
        self._tools = tools
        self._phrases = phrases
        self.plain = True

    def __missing__(self, name: str) -> str:
        tool, phrases = self._tools[name], self._phrases
        schema = as_text(tool.input_schema) if tool.input_schema else phrases["no_schema"]
        text = f"- {name}: {tool.description or phrases['no_description']}\n  {schema}"
        self.plain = self.plain and harmless(text) == text
        self[name] = text
        return text


# Each keeps its tools in memory. A few will do: cases with the same tools mostly come together.
@lru_cache(maxsize=16)
def _listing(offered: _Itself, language: str) -> _Listing:
    return _Listing(offered.tools, wording(language).phrases)
