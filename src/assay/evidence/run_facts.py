"""A run as the evidence sees it: its calls and its sources, read once and shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.call_facts import CallFacts
from assay.evidence.sources import Sources

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase


class RunFacts:
    """The calls of a case with their outcome, and everything its agent was told."""

    def __init__(self, case: AgentTestCase) -> None:
        """Read the case; it is not changed."""
        self.case = case
        self.calls = [CallFacts(call, position) for position, call in enumerate(case.calls)]
        self.sources = Sources(case, self.calls)
