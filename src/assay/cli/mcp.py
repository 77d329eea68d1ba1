"""`assay mcp`: record what goes over the wire, answer from it, and put faults into it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.cli.console import Terminal
from assay.cli.exit_codes import ExitCode
from assay.cli.mcp_contracts import add_to, headers_of
from assay.errors import ServerUnavailable, WriteFailed
from assay.mcp.frames import Recording, read_recording

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from assay.mcp.faults import Injector
    from assay.mcp.http import Reply, Request
    from assay.mcp.replay import Options

EPILOG = """
\b
Examples:
  assay mcp record -o calls.jsonl -- uvx mcp-server-time
  assay mcp replay calls.jsonl
  assay mcp fault --rules faults.yaml -o broken.jsonl -- uvx mcp-server-time
  assay import calls.jsonl --store runs.assay

Each stands where the command of a server stands in a client's configuration; with --port it is an
address instead. Exit codes: 0 ok, 1 a bad verdict, 2 wrong usage, 3 something could not be done.
"""
_RECORD = """
\b
Examples:
  assay mcp record -o calls.jsonl -- uvx mcp-server-time
  assay mcp record -o calls.jsonl --url https://example.com/mcp --port 8900

Secrets are masked in the recording, never on the wire. Exit codes: 0 ok, 2 wrong usage, 3 the
server did not start or broke off.
"""
_REPLAY = """
\b
Examples:
  assay mcp replay calls.jsonl
  assay mcp replay calls.jsonl --ignore arguments.timestamp --miss nearest
  assay mcp replay calls.jsonl --port 8900

Exit codes: 0 ok, 2 wrong usage or no recording, 3 something was asked that is not recorded.
"""
_FAULT = """
\b
Examples:
  assay mcp fault --rules faults.yaml -o broken.jsonl -- uvx mcp-server-time
  assay mcp fault --rules faults.yaml --recording calls.jsonl -o broken.jsonl

\b
A rule: a kind, a pattern for the tool, and which calls, by number or chance.
  rules:
    - {kind: rate_limit, tool: "get_*", nth: [2, 5]}
    - {kind: truncated, probability: 0.2}

Exit codes: 0 ok, 2 wrong usage, 3 the server did not start or broke off, or a call is not recorded.
"""
_HOST = "127.0.0.1"
app = typer.Typer(
    help="Test MCP servers and the agents that use them. Record, replay, break.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
CommandArgument = Annotated[
    list[str] | None, typer.Argument(metavar="[-- COMMAND...]", help="How the server is started.")
]
OutputOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="Where to; it is added to.")
]
UrlOption = Annotated[
    str | None, typer.Option(metavar="URL", help="A server at an address, in place of a command.")
]
PortOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=0, max=65535, help="Listen for clients at this port; 0 is any free one."
    ),
]
HeaderOption = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="'K: V'", help="Send to the server at URL; repeatable."),
]
NoMaskOption = Annotated[bool, typer.Option("--no-mask", help="Keep secrets as they are.")]


@app.command("record", epilog=_RECORD)
def record(
    output: OutputOption,
    command: CommandArgument = None,
    url: UrlOption = None,
    port: PortOption = None,
    header: HeaderOption = None,
    no_mask: NoMaskOption = False,
) -> None:
    """Record what a client and a server say. Frames pass untouched."""
    _relay(command, url, port, header, _recording(output, command, url, mask=not no_mask), None)


@app.command("replay", epilog=_REPLAY)
def replay(
    recording: Annotated[Path, typer.Argument(metavar="FILE", help="What was recorded.")],
    port: PortOption = None,
    match: Annotated[
        str, typer.Option(metavar="HOW", help="arguments, exact (with _meta) or sequence.")
    ] = "arguments",
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="PATH", help="A parameter that does not count; repeatable."),
    ] = None,
    miss: Annotated[
        str, typer.Option(metavar="HOW", help="What is not recorded: error or nearest.")
    ] = "error",
    pace: Annotated[bool, typer.Option("--pace", help="Take as long as it took.")] = False,
) -> None:
    """Answer from a recording: offline, and the same each time."""
    from assay.mcp.replay import Options  # noqa: PLC0415 - only this command needs it

    _refuse_others("match", match, ("arguments", "exact", "sequence"))
    _refuse_others("miss", miss, ("error", "nearest"))
    options = Options(match, tuple(ignore or ()), miss, pace)  # type: ignore[arg-type]
    _replay(recording, options, port)


@app.command("fault", epilog=_FAULT)
def fault(
    *,
    rules: Annotated[Path, typer.Option(metavar="FILE", help="The rules, in YAML.")],
    command: CommandArgument = None,
    seed: Annotated[int, typer.Option(metavar="N", help="The same seed, the same faults.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Record it, faults marked."),
    ] = None,
    url: UrlOption = None,
    port: PortOption = None,
    header: HeaderOption = None,
    recording: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Answer from this recording, in place of a server."),
    ] = None,
    no_mask: NoMaskOption = False,
) -> None:
    """Put faults into what a server answers, by rules and a seed."""
    from assay.mcp.faults import Injector, load_rules  # noqa: PLC0415
    from assay.mcp.replay import Options  # noqa: PLC0415

    injector = Injector(load_rules(rules), seed)
    target = output or Path("/dev/null")
    if recording is None:
        _relay(
            command, url, port, header, _recording(target, command, url, mask=not no_mask), injector
        )
        return
    if command or url:
        raise typer.BadParameter("name a recording, a command or --url, and only one of them")
    kept = _opened(target, recording.name, mask=not no_mask)
    _replay(recording, Options(), port, injector, kept)


def _refuse_others(option: str, given: str, known: tuple[str, ...]) -> None:
    if given not in known:
        raise typer.BadParameter(f"--{option} is {given!r}; expected one of {', '.join(known)}")


def _recording(path: Path, command: list[str] | None, url: str | None, *, mask: bool) -> Recording:
    from assay.mcp.relay import label_of, shown_address  # noqa: PLC0415

    if bool(command) == bool(url):
        raise typer.BadParameter("name a server: either -- COMMAND... or --url, and not both")
    label = shown_address(url) if url else label_of(command or [])
    return _opened(path, label, mask=mask)


def _opened(path: Path, label: str, *, mask: bool) -> Recording:
    try:
        return Recording(path, label, mask=mask)
    except OSError as exc:
        raise WriteFailed(path, exc.strerror) from exc


def _relay(
    command: list[str] | None,
    url: str | None,
    port: int | None,
    header: list[str] | None,
    recording: Recording,
    injector: Injector | None,
) -> None:
    """Relay until either side ends; what went wrong is said, and is the exit code."""
    problem = ""
    if url is not None:
        _relay_http(url, port or 0, header, recording, injector)
    else:
        from assay.mcp.relay import StdioRelay  # noqa: PLC0415

        if port is not None or header:
            raise typer.BadParameter("--port and --header go with --url")
        try:
            problem = StdioRelay(command or [], recording, injector).run().problem
        except ServerUnavailable as exc:
            recording.note("exit", exit_code=None, stderr=str(exc))
            problem = str(exc)
    recording.close()
    if recording.failed is not None:
        problem = f"the recording is not complete: {recording.failed.strerror}"
    if problem:
        Terminal(stderr=True).tell(f"assay: {problem}", "red")
        raise typer.Exit(ExitCode.INCOMPLETE)


def _relay_http(
    url: str, port: int, header: list[str] | None, recording: Recording, injector: Injector | None
) -> None:
    from assay.mcp.http import HttpRelay  # noqa: PLC0415

    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(f"--url is {url!r}; expected http:// or https://")
    relay = HttpRelay(url, recording, headers=headers_of(header), injector=injector)
    _serve(relay.handle, port, relay.path)
    relay.close()


def _serve(handle: Callable[[Request], Awaitable[Reply]], port: int, path: str) -> None:
    from assay.mcp.http import serve  # noqa: PLC0415

    # Named as TCP, or small answers wait 40 ms for an acknowledgement.
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((_HOST, port))
    except OSError as exc:
        listening.close()
        raise typer.BadParameter(f"--port {port} cannot be used: {exc.strerror}") from exc
    listening.listen()
    address = f"http://{_HOST}:{listening.getsockname()[1]}{path}"
    Terminal(stderr=True).tell(f"listening at {address}  (Ctrl-C ends it)")
    serve(handle, listening)


def _replay(
    path: Path,
    options: Options,
    port: int | None,
    injector: Injector | None = None,
    recording: Recording | None = None,
) -> None:
    from assay.mcp.replay import HttpReplay, Replayer, replay_stdio  # noqa: PLC0415

    replayer = Replayer(read_recording(path), options, injector=injector, recording=recording)
    if port is None:
        replay_stdio(replayer)
    else:
        _serve(HttpReplay(replayer).handle, port, "/mcp")
    if recording is not None:
        recording.close()
    for what in replayer.misses:
        Terminal(stderr=True).tell(f"assay: not in the recording: {what}", "red")
    if replayer.misses:
        raise typer.Exit(ExitCode.INCOMPLETE)


add_to(app)
