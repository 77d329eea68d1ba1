"""A run as the evidence sees it: its calls and its sources, read once and shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import InvalidTools
from assay.evidence.call_facts import CallFacts
from assay.evidence.sources import Sources
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition


class RunFacts:
    """The calls of a case with their outcome, everything its agent was told, its tools.

    `tools` is None where the tools on offer are not known.
    """

    def __init__(self, case: AgentTestCase) -> None:
        """Read the case; it is not changed."""
        self.case = case
        self.calls = [CallFacts(call, position) for position, call in enumerate(case.calls)]
        self.sources = Sources(case, self.calls)
        self.tools: Mapping[str, ToolDefinition] | None = _tools_of(case)


def _tools_of(case: AgentTestCase) -> Mapping[str, ToolDefinition] | None:
    try:
        return read_tools(case.available_tools)
    except InvalidTools:
        return None
