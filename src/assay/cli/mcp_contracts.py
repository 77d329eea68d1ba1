"""`assay mcp check`, `diff` and `serve`: what a server promises, how that changed, and our own."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from urllib.parse import quote

import typer

from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.machine_output import json_line, write_json
from assay.cli.stores import JsonOption, open_store
from assay.errors import ServerUnavailable
from assay.extras import require
from assay.records import counted
from assay.render.output_files import write_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.mcp.check import Report
    from assay.mcp.diff import Diff

CHECK = """
\b
Examples:
  assay mcp check uvx mcp-server-time
  assay mcp check -- npx -y @modelcontextprotocol/server-filesystem /tmp
  assay mcp check https://example.com/mcp --header "X-Key: $KEY"
  assay mcp check "uvx mcp-server-git" --probe all --sarif check.sarif
  assay mcp check calls.jsonl

TARGET is a command, an address, or a file: a recording, or a list of tools as tools/list gives it.
A probe is a call with arguments that the tool's own schema refuses. By default only tools that say
that they only read are probed. Exit codes: 0 no errors, 1 errors, 2 wrong usage, 3 the server
cannot be asked.
"""
DIFF = """
\b
Examples:
  assay mcp diff old.json new.json
  assay mcp diff calls.jsonl "uvx mcp-server-git" --calls calls.jsonl
  assay mcp diff old.json "npx -y server@2" --calls runs.assay

OLD and NEW are each a command in quotes, an address, a recording, or a list of tools. A change is
breaking, risky, fine, or about something that the old contract said nothing of. A recorded call
that the old contract takes and the new one refuses is breaking. Exit codes: 0 ok, 1 broken,
2 wrong usage, 3 a server cannot be asked.
"""
SERVE = """
\b
Examples:
  assay mcp serve runs.assay
  assay mcp serve runs.assay --port 8900

Tools: list_runs, show_run, score_run, compare_runs. All only read. Without a STORE each call names
one. At a port it listens on this machine only. Exit codes: 0 ok, 2 wrong usage.
"""
_MOST_SHOWN = 12
_STYLES = {"error": "red", "breaking": "red", "warning": "yellow", "risky": "yellow"}
_HEADINGS = {"unstated": "the old contract said nothing"}
HeadersOption = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="'K: V'", help="Send to an address; repeatable."),
]


def headers_of(given: Iterable[str] | None) -> dict[str, str]:
    """The headers that options name."""
    found = {}
    for each in given or ():
        name, colon, value = each.partition(":")
        if not colon or not name.strip():
            raise typer.BadParameter("--header expects 'Name: value'")
        found[name.strip()] = value.strip()
    return found


def check(
    target: Annotated[list[str], typer.Argument(metavar="TARGET...", help="What is checked.")],
    probe: Annotated[
        Literal["read-only", "all", "none"],
        typer.Option(help="Which tools are called with arguments that they must refuse."),
    ] = "read-only",
    header: HeadersOption = None,
    sarif: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the findings as SARIF 2.1.0.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Check the tools of a server. Definitions, descriptions, and how it refuses."""
    from assay.mcp import check as checking  # noqa: PLC0415 - what it needs takes time to load
    from assay.mcp.client import Client  # noqa: PLC0415
    from assay.mcp.contract import names_a_file, read_tool_list  # noqa: PLC0415

    named = target[0] if len(target) == 1 else target
    with _a_server_that_answers():
        if isinstance(named, str) and names_a_file(named):
            report = checking.check(read_tool_list(Path(named)))
        else:
            headers = headers_of(header)
            with Client(named, headers=headers) as client:
                tools = client.tools()
            found = checking.probe(lambda: Client(named, headers=headers), tools, probe)
            report = checking.check(tools, *found)
    if sarif is not None:
        write_text(sarif, json_line(report.to_sarif(quote(" ".join(target), safe=":/"))))
    if as_json:
        write_json(report.to_dict())
    else:
        _show_report(report)
    raise typer.Exit(ExitCode.BELOW_THRESHOLD if report.count("error") else ExitCode.OK)


def _show_report(report: Report) -> None:
    from assay.mcp.check import RULES  # noqa: PLC0415

    terminal = Terminal()
    for rule, found in groupby(report.findings, key=lambda each: each.rule):
        severity = RULES[rule].severity
        terminal.tell(f"{severity}: {rule}. {RULES[rule].why}", _STYLES.get(severity, "dim"))
        tools: dict[str, list[str]] = {}
        for each in found:
            tools.setdefault(each.message, []).append(each.tool)
        _list(terminal, [f"{', '.join(names)}: {what}" for what, names in tools.items()])
    terminal.tell(
        f"{counted(report.tools, 'tool')}, contract {report.contract}, "
        f"{report.characters:,} characters of definitions "
        f"(about {report.tokens_estimated:,} tokens, an estimate), "
        f"{counted(report.probes, 'probe')}"
    )
    counts = (counted(report.count(each), each) for each in ("error", "warning", "note"))
    terminal.tell(", ".join(counts))


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="What was promised.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is promised now.")],
    calls: Annotated[
        Path | None,
        typer.Option(metavar="RECORDING|STORE", help="Check these calls against NEW."),
    ] = None,
    fail_on: Annotated[
        Literal["breaking", "risky"], typer.Option(help="From which change on it fails.")
    ] = "breaking",
    header: HeadersOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the contracts of two servers. What breaks, and for which recorded calls."""
    from assay.mcp import diff as comparing  # noqa: PLC0415
    from assay.mcp.contract import LEVELS  # noqa: PLC0415

    headers = headers_of(header)
    if headers and old.startswith("http") and new.startswith("http"):
        problem = "it would be sent to both addresses; record one of them first"
        raise typer.BadParameter(problem, param_hint="--header")
    with _a_server_that_answers():
        before, after = (comparing.tools_of(each, headers) for each in (old, new))
    found = comparing.diff(before, after, comparing.calls_of(calls) if calls else ())
    if as_json:
        write_json(found.to_dict())
    else:
        _show_diff(found)
    fails = LEVELS.index(found.level) <= LEVELS.index(fail_on)
    raise typer.Exit(ExitCode.BELOW_THRESHOLD if fails else ExitCode.OK)


def _show_diff(found: Diff) -> None:
    terminal = Terminal()
    for level, changes in groupby(found.changes, key=lambda each: each.level):
        terminal.tell(f"{_HEADINGS.get(level, level)}:", _STYLES.get(level, "dim"))
        _list(terminal, [change.sentence() for change in changes])
    if found.refused:
        terminal.tell("recorded calls that would be refused:", "red")
        _list(terminal, [f"{each.place}, {each.tool}: {each.why}" for each in found.refused])
    if found.undecided:
        terminal.tell(f"{found.undecided:,} more hold masked secrets: cannot tell", "yellow")
    terminal.tell(found.sentence())


def _list(terminal: Terminal, lines: list[str]) -> None:
    for line in lines[:_MOST_SHOWN]:
        terminal.tell(f"  {line}")
    if len(lines) > _MOST_SHOWN:
        terminal.tell(f"  ... and {len(lines) - _MOST_SHOWN:,} more: --json has them all")


def serve(
    store: Annotated[
        Path | None, typer.Argument(metavar="[STORE]", help="The only store that is served.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            metavar="N", min=1, max=65535, help="HTTP on this machine, in place of stdio."
        ),
    ] = None,
) -> None:
    """Serve recorded runs to coding agents, as an MCP server. It only reads."""
    require("mcp.server.mcpserver", extra="mcp")
    from assay.mcp.serve import make_server  # noqa: PLC0415 - it needs the extra

    if store is not None:
        open_store(store)
    server = make_server(store)
    if port is None:
        server.run()
    else:
        Terminal(stderr=True).tell(f"listening at http://127.0.0.1:{port}/mcp  (Ctrl-C ends it)")
        server.run("streamable-http", host="127.0.0.1", port=port)


@contextmanager
def _a_server_that_answers() -> Iterator[None]:
    try:
        yield
    except ServerUnavailable as exc:
        Terminal(stderr=True).tell(f"assay: {exc}", "red")
        raise typer.Exit(ExitCode.INCOMPLETE) from None


def add_to(app: typer.Typer) -> None:
    """Add the commands to those on the wire."""
    commands: dict[str, tuple[Any, str]] = {
        "check": (check, CHECK),
        "diff": (diff, DIFF),
        "serve": (serve, SERVE),
    }
    for name, (function, epilog) in commands.items():
        app.command(name, epilog=epilog)(function)
