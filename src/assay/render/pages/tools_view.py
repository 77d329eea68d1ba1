"""The list of tools and the page of one: how often each fails, how, and in whose hands."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from msgspec import Struct

from assay.analyses import Failures, ToolUse, errors, opened, tools
from assay.render.pages import figures
from assay.render.pages.blamed_arguments import arguments_of, wrong_arguments
from assay.render.pages.charts import Segment, stack
from assay.render.pages.failing_calls import blame_parts, failed_text, tool_address
from assay.render.pages.forest import Forest, Plain, plain_forest
from assay.render.pages.said import words
from assay.render.pages.tool_facts import read_tool_facts
from assay.render.run_names import name_of_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.render.pages.tool_facts import ToolFacts
    from assay.store import Store

_MOST_TOOLS = 300
_EXAMPLES = 3
_MOST_FAILURES_READ = 5_000
_MOST_SUCCESSES_READ = 200
_MOST_ARGUMENTS = 12
_MOST_NAMES = 10_000
_LONGEST_QUOTE = 160
# Of each kind calls of different runs first, so that the examples tell more than one story.
_CALLS = """
    WITH failing AS (
        SELECT kind, run_key, position, model, task_id, error_message,
               ROW_NUMBER() OVER (PARTITION BY kind, run_key ORDER BY position) AS nth_of_run
        FROM stored_calls WHERE failed AND server = $server AND tool = $tool
    ),
    examples AS (
        SELECT * FROM failing QUALIFY
        ROW_NUMBER() OVER (PARTITION BY kind ORDER BY nth_of_run, run_key, position) <= $most
    )
    SELECT examples.*, run_id, source_path, source_position
    FROM examples LEFT JOIN stored_runs USING (run_key) ORDER BY kind, run_key, position
"""
_NAME = """CASE server WHEN '' THEN '-' ELSE server END || '/'
    || CASE tool WHEN '' THEN '-' ELSE tool END"""
_MEANT = f"SELECT DISTINCT server, tool FROM stored_calls WHERE {_NAME} = $name LIMIT 1"  # noqa: S608 - our own words
_NAMES = f"SELECT DISTINCT {_NAME} AS name FROM stored_calls ORDER BY name LIMIT $most"  # noqa: S608 - our own words
_WRONG = """
    SELECT arguments, error_message FROM stored_calls
    WHERE failed AND server = $server AND tool = $tool AND blame = 'model'
    ORDER BY run_key, position LIMIT $most
"""
_RIGHT = """
    SELECT arguments FROM stored_calls
    WHERE NOT failed AND server = $server AND tool = $tool LIMIT $most
"""


class ToolLine(Struct, frozen=True):
    """One tool in the list."""

    server: str
    tool: str
    href: str
    calls: int
    failures: int
    rate: str
    bounds: str
    segments: tuple[Segment, ...]
    label: str
    median: str
    slow: str
    retries: int
    lost: int | None

    @property
    def name(self) -> str:
        """What the bar is called by."""
        return ".".join(filter(None, (self.server, self.tool)))


class ToolList(Struct, frozen=True):
    """The list; `matching` of all tools fit the filter, of which so many lines are shown."""

    lines: tuple[ToolLine, ...]
    matching: int
    all_tools: int
    servers: tuple[str, ...]
    has_outcomes: bool
    has_times: bool


class ToolListFacts(Struct, frozen=True):
    """What the list is made from."""

    rows: tuple[ToolUse, ...]
    facts: Any


class Example(Struct, frozen=True):
    """A call that failed, to look at."""

    href: str
    number: int
    model: str | None
    run: str | None
    message: str


class KindRow(Struct, frozen=True):
    """One kind of failure of a tool."""

    blame: str
    kind: str
    failures: int
    share: str
    rate: str
    bounds: str
    runs: int
    href: str
    examples: tuple[Example, ...]


class ArgumentCount(Struct, frozen=True):
    """An argument and in how many of the failures the error speaks of it."""

    name: str
    failures: int
    share: str


class ToolPage(Struct, frozen=True):
    """The page of one tool."""

    line: ToolLine
    use: ToolUse
    kinds: tuple[KindRow, ...]
    arguments: tuple[ArgumentCount, ...]
    wrong: int
    silent: int
    models: Forest | None


class ToolPageFacts(Struct, frozen=True):
    """What the page of one tool is made from."""

    use: ToolUse
    by_model: tuple[ToolUse, ...]
    kinds: tuple[Failures, ...]
    examples: dict[str, list[dict[str, Any]]]
    wrong: tuple[dict[str, Any], ...]
    names: frozenset[str]
    facts: Any


def read_tool_list(store: Store) -> ToolListFacts:
    """All tools of a store."""
    return ToolListFacts(tuple(tools(store)), read_tool_facts(store, trend=False))


def tool_list(found: ToolListFacts, *, server: str = "", text: str = "") -> ToolList:
    """The tools that fit, most failures first."""
    facts: ToolFacts = found.facts
    fitting = [
        row
        for row in found.rows
        if server in {"", row.server} and text.lower() in f"{row.server}.{row.tool}".lower()
    ]
    return ToolList(
        tuple(_line(row, facts) for row in fitting[:_MOST_TOOLS]),
        len(fitting),
        len(found.rows),
        tuple(sorted({row.server for row in found.rows if row.server})),
        facts.has_outcomes,
        bool(facts.slow),
    )


def read_tool(store: Store, name: str) -> ToolPageFacts | str:
    """The tool that `SERVER/TOOL` names; where there is none, the nearest name there is."""
    with store.questions() as engine:
        meant = engine.sql(_MEANT, name=name)
        if not meant:
            known = [row["name"] for row in engine.sql(_NAMES, most=_MOST_NAMES)]
            return next(iter(get_close_matches(name, known, n=1)), "")
    asked = meant[0]
    with opened(store, {"servers": [asked["server"]], "tools": [asked["tool"]]}) as view:
        (use,) = [row for row in tools(view) if _is(row, asked)]
        by_model = tools(view, by="model")
        kinds = errors(view)
    with store.questions() as engine:
        rows = engine.sql(_CALLS, **asked, most=_EXAMPLES)
        wrong = engine.sql(_WRONG, **asked, most=_MOST_FAILURES_READ)
        right = engine.sql(_RIGHT, **asked, most=_MOST_SUCCESSES_READ)
    examples: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        examples.setdefault(row["kind"] or "", []).append(row)
    names = frozenset(name for row in (*wrong, *right) for name, _ in arguments_of(row))
    facts = read_tool_facts(store, trend=False)
    return ToolPageFacts(use, tuple(by_model), tuple(kinds), examples, tuple(wrong), names, facts)


def _is(row: ToolUse, asked: dict[str, Any]) -> bool:
    """Filters take names in any case, so others may be among the rows."""
    return (row.server, row.tool) == (str(asked["server"]), str(asked["tool"]))


def tool_page(found: ToolPageFacts) -> ToolPage:
    """The page of one tool."""
    use = found.use
    named, silent = wrong_arguments(found.wrong, found.names)
    total = len(found.wrong)
    line = _line(use, found.facts)
    return ToolPage(
        line,
        use,
        tuple(_kind_row(row, use, found.examples.get(row.kind or "", ())) for row in found.kinds),
        tuple(
            ArgumentCount(name, count, figures.share(count, total))
            for name, count in named.most_common(_MOST_ARGUMENTS)
        ),
        total,
        silent,
        _model_forest(found.by_model, use),
    )


def _line(row: ToolUse, facts: ToolFacts) -> ToolLine:
    server, tool = row.server or "", row.tool or ""
    parts = blame_parts(row)
    rate, bounds = failed_text(row)
    return ToolLine(
        server,
        tool,
        tool_address(server, tool),
        row.calls,
        row.failures,
        rate,
        bounds,
        tuple(stack(parts, row.failures, least_text=0.2)),
        ", ".join(f"{name} {count:,}" for name, count in parts if count) or "no call failed",
        figures.seconds(row.median_seconds),
        figures.seconds(facts.slow.get((server, tool))),
        facts.retries.get((server, tool), 0),
        facts.lost.get((server, tool), 0) if facts.has_outcomes else None,
    )


def _kind_row(row: Failures, use: ToolUse, calls: Sequence[dict[str, Any]]) -> KindRow:
    wanted = {"server": use.server or "", "tool": use.tool or "", "kind": row.kind or ""}
    bounds = ""
    if row.rate_low is not None and row.rate_high is not None:
        bounds = figures.interval(row.rate_low, row.rate_high)
    return KindRow(
        row.blame or "unknown",
        (row.kind or "not known").replace("_", " "),
        row.failures,
        figures.share(row.failures, use.failures),
        figures.share(row.failures, row.calls),
        bounds,
        row.runs,
        f"/runs?{urlencode({name: value for name, value in wanted.items() if value})}",
        tuple(_example(call) for call in calls),
    )


def _example(call: dict[str, Any]) -> Example:
    message = " ".join((call["error_message"] or "").split())
    number = call["position"] + 1
    return Example(
        f"/runs/{call['run_key']}#call-{number}",
        number,
        call["model"],
        call["task_id"] or name_of_row(call),
        message if len(message) <= _LONGEST_QUOTE else message[:_LONGEST_QUOTE] + "…",
    )


def _model_forest(rows: Sequence[ToolUse], use: ToolUse) -> Forest | None:
    known = [
        (row, row.success_rate)
        for row in rows
        if row.model is not None and row.success_rate is not None
    ]
    if not known or use.success_rate is None:
        return None
    drawn = [
        Plain(
            row.model or "",
            1 - rate,
            None if row.success_rate_high is None else 1 - row.success_rate_high,
            None if row.success_rate_low is None else 1 - row.success_rate_low,
            row.calls,
            row.failures,
            f"/runs?{_address(row, use)}",
            words("{a} of {b}", a=f"{row.failures:,}", b=f"{row.calls:,}"),
        )
        for row, rate in known
    ]
    return plain_forest("share", drawn, line=1 - use.success_rate)


def _address(row: ToolUse, use: ToolUse) -> str:
    return urlencode({"model": row.model or "", "server": use.server or "", "tool": use.tool or ""})
