"""What pages tell of tools beside the analysis of them: kinds, runs lost, times, the trend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from assay.store import Store

Tool = tuple[str, str]
"""A server and a tool of it."""

_WEEK, _DAY = 7 * 86_400, 86_400
# So long a span is told by weeks, a shorter one by days.
_WEEKS_FROM = 21 * _DAY
_MOST_BUCKETS = 12
_KINDS = """
    WITH counted AS (
        SELECT server, tool, COALESCE(blame, 'unknown') AS blame, kind, COUNT(*) AS failures
        FROM stored_calls WHERE failed GROUP BY ALL
    )
    SELECT server, tool, blame, kind FROM counted
    QUALIFY ROW_NUMBER() OVER (
        PARTITION BY server, tool ORDER BY failures DESC, blame, kind NULLS LAST
    ) = 1
"""
_LOST = """
    SELECT server, tool,
           COUNT(DISTINCT run_key) FILTER (WHERE NOT outcome_success) AS lost,
           COUNT(DISTINCT run_key) FILTER (WHERE outcome_success IS NOT NULL) AS known
    FROM (SELECT DISTINCT server, tool, run_key FROM stored_calls WHERE failed)
    JOIN stored_runs USING (run_key)
    GROUP BY server, tool
"""
_TIMES = """
    SELECT server, tool, QUANTILE_CONT(execution_time, 0.95) AS slow
    FROM stored_calls WHERE execution_time IS NOT NULL GROUP BY server, tool
"""
_RETRIES = """
    WITH steps AS (
        SELECT server, tool, failed,
               LEAD(server) OVER run AS next_server, LEAD(tool) OVER run AS next_tool
        FROM stored_calls
        WINDOW run AS (PARTITION BY run_key ORDER BY position)
    )
    SELECT server, tool, COUNT(*) AS retries FROM steps
    WHERE failed AND server = next_server AND tool = next_tool
    GROUP BY server, tool
"""
_SPAN = """
    SELECT MIN(started_at) AS first, MAX(started_at) AS last
    FROM stored_runs WHERE started_at > 0
"""
_TREND = """
    SELECT server, tool, CAST((runs.started_at - $first) // $width AS INTEGER) AS bucket,
           AVG(calls.failed::INTEGER) AS share
    FROM stored_calls AS calls JOIN stored_runs AS runs USING (run_key)
    WHERE runs.started_at >= $first
    GROUP BY ALL ORDER BY server, tool, bucket
"""


class ToolFacts(Struct, frozen=True):
    """All of it, by tool; `bucket` is the word for a step of the trend, None without dates."""

    most_often: dict[Tool, tuple[str, str | None]]
    lost: dict[Tool, int]
    has_outcomes: bool
    slow: dict[Tool, float]
    retries: dict[Tool, int]
    trend: dict[Tool, list[float]]
    bucket: str | None


def read_tool_facts(store: Store, *, trend: bool = True) -> ToolFacts:
    """Ask for everything at once."""
    with store.questions() as engine:
        kinds = {_tool(row): (row["blame"], row["kind"]) for row in engine.sql(_KINDS)}
        lost = engine.sql(_LOST)
        slow = {} if trend else {_tool(row): row["slow"] for row in engine.sql(_TIMES)}
        retries = {} if trend else {_tool(row): row["retries"] for row in engine.sql(_RETRIES)}
        bucket, lines = _read_trend(engine) if trend else (None, {})
    return ToolFacts(
        kinds,
        {_tool(row): row["lost"] for row in lost},
        any(row["known"] for row in lost),
        slow,
        retries,
        lines,
        bucket,
    )


def _read_trend(engine: Any) -> tuple[str | None, dict[Tool, list[float]]]:
    (span,) = engine.sql(_SPAN)
    if span["first"] is None or span["last"] - span["first"] < _DAY:
        return None, {}
    length = span["last"] - span["first"]
    width, word = (_WEEK, "weeks") if length > _WEEKS_FROM else (_DAY, "days")
    first = max(span["first"], span["last"] - _MOST_BUCKETS * width + 1)
    found: dict[Tool, list[float]] = {}
    for row in engine.sql(_TREND, first=first, width=width):
        found.setdefault(_tool(row), []).append(row["share"])
    return word, found


def _tool(row: dict[str, Any]) -> Tool:
    return row["server"], row["tool"]
