"""Calls that fail: how often, by whose fault, and which tools it is that need mending."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

from msgspec import Struct

from assay.render.pages import figures
from assay.render.pages.charts import Segment, Spark, spark, stack
from assay.render.pages.measures import range_text, value_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.analyses import ToolUse
    from assay.render.pages.tool_facts import ToolFacts

BLAMES = ("model", "server", "environment", "unknown")


class BlameRow(Struct, frozen=True):
    """Whose fault the failed calls of one model, or of one tool, were."""

    name: str
    segments: tuple[Segment, ...]
    failures: int
    calls: int
    label: str


class ToolRow(Struct, frozen=True):
    """One tool to fix: how often it fails and what that costs."""

    server: str
    tool: str
    href: str
    rate: str
    bounds: str
    failures: int
    calls: int
    blame: str | None
    kind: str | None
    lost: int | None
    trend: Spark | None
    loss_share: float = 0.0


def failed_text(row: ToolUse) -> tuple[str, str]:
    """The share of calls that failed, and its interval."""
    low, high = row.success_rate_low, row.success_rate_high
    if row.success_rate is None:
        return "", ""
    known = row.calls - row.unknown_calls
    value = value_text("share", 1 - row.success_rate, known, row.failures)
    if low is None or high is None:
        return value, ""
    return value, range_text("share", 1 - high, 1 - low, known)


def blame_parts(row: ToolUse) -> list[tuple[str, int]]:
    """How many of the failures were whose fault."""
    return [(name, getattr(row, f"{name}_failures")) for name in BLAMES]


def blame_rows(rows: Sequence[ToolUse]) -> Iterator[BlameRow]:
    """Whose fault the failures of each row's model or tool were; those without are left out."""
    for row in rows:
        if not row.failures:
            continue
        parts = blame_parts(row)
        label = ", ".join(f"{name} {count:,}" for name, count in parts)
        name = row.model or ".".join(filter(None, (row.server, row.tool))) or figures.NOTHING
        yield BlameRow(name, tuple(stack(parts, row.failures)), row.failures, row.calls, label)


def tool_rows(rows: Sequence[ToolUse], facts: ToolFacts) -> list[ToolRow]:
    """Tools, those first that lost the most runs, then those with the most failures."""
    found = [_tool_row(row, facts) for row in rows]
    return sorted(found, key=lambda row: (-(row.lost or 0), -row.failures, row.server, row.tool))


def tool_address(server: str, tool: str) -> str:
    """The page of one tool; what has no server stands under a dash."""
    return f"/tools/{quote(server or '-', safe='')}/{quote(tool or '-', safe='')}"


def _tool_row(row: ToolUse, facts: ToolFacts) -> ToolRow:
    server, tool = row.server or "", row.tool or ""
    blame, kind = facts.most_often.get((server, tool), (None, None))
    rate, bounds = failed_text(row)
    return ToolRow(
        server,
        tool,
        tool_address(server, tool),
        rate,
        bounds,
        row.failures,
        row.calls,
        blame,
        kind,
        facts.lost.get((server, tool), 0) if facts.has_outcomes else None,
        spark(facts.trend.get((server, tool), [])),
    )
