"""Metrics: each judges one case and returns a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from assay.score import Score
    from assay.test_case import AgentTestCase


class Metric(Protocol):
    """Judges one case; must be safe to run for many cases at once."""

    name: str

    async def evaluate(self, case: AgentTestCase) -> Score:
        """The score of one case, with its parts and evidence."""
