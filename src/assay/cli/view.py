"""`assay view`: look at a store in the browser."""

from __future__ import annotations

import socket
import webbrowser
from contextlib import suppress
from importlib import import_module
from threading import Timer
from typing import Annotated

import typer

from assay.cli.console import Terminal
from assay.cli.stores import StoreArgument, open_store
from assay.extras import require

EPILOG = """
\b
Examples:
  assay view runs.assay
  assay view runs.assay --port 8765 --no-open

The pages are served on this machine only (127.0.0.1), load nothing from elsewhere, and only read:
import and score meanwhile, the pages say so. Ctrl-C ends it. Exit codes: 0 ok, 2 wrong usage.
"""
_HOST = "127.0.0.1"
_TRIED_PORTS = 20
_SECONDS_TO_START = 0.3
PortOption = Annotated[
    int, typer.Option(metavar="N", min=0, max=65535, help="Where to listen; 0 is any free port.")
]
NoOpenOption = Annotated[bool, typer.Option("--no-open", help="Do not open the browser.")]


def view(
    store: StoreArgument,
    port: PortOption = 8000,
    no_open: NoOpenOption = False,
) -> None:
    """Look at the runs of a store in the browser. Overview, list, every run, comparisons."""
    uvicorn = require("uvicorn", extra="web")
    require("starlette", extra="web")
    app = import_module("assay.web.app").viewer(open_store(store))
    listening = listen(port)
    found = listening.getsockname()[1]
    terminal = Terminal()
    if port not in {0, found}:
        terminal.tell(f"Port {port} is taken, so it is {found}")
    address = f"http://{_HOST}:{found}/"
    terminal.tell(f"{store} is at {address}  (Ctrl-C ends it)")
    if not no_open:
        opening = Timer(_SECONDS_TO_START, webbrowser.open, [address])
        opening.daemon = True
        opening.start()
    config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)
    # The server ends in order, and then raises it again.
    with listening, suppress(KeyboardInterrupt):
        uvicorn.Server(config).run(sockets=[listening])


def listen(port: int) -> socket.socket:
    """A socket at the port, or at the next free one."""
    for tried in range(port, min(port + _TRIED_PORTS, 65536)):
        found = socket.socket()
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            found.bind((_HOST, tried))
            found.listen()
        except OSError:
            found.close()
        else:
            return found
    last = min(port + _TRIED_PORTS, 65536) - 1
    raise typer.BadParameter(f"no port from {port} to {last} is free; name another with --port")
