"""Serving an application at a socket until somebody ends it."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from socket import socket

    from starlette.applications import Starlette

_LAST_SECONDS = 2
_ENDING = (signal.SIGINT, signal.SIGTERM)


class Serving:
    """A server inside a running loop, beside whatever else lives there."""

    def __init__(
        self,
        app: Starlette,
        listening: socket,
        *,
        started: Callable[[], None] = lambda: None,
        ending: Callable[[], None] = lambda: None,
    ) -> None:
        """Take the application and its socket.

        `started` is called when it answers, `ending` before it waits for open answers to end.
        """
        config = uvicorn.Config(
            app, log_level="error", timeout_graceful_shutdown=_LAST_SECONDS, server_header=False
        )
        self._server = _Server(config, started, ending)
        self._socket = listening

    async def run(self) -> None:
        """Serve until stopped; in the main thread also until Ctrl-C or being told to end."""
        loop = asyncio.get_running_loop()
        signals = _ENDING if current_thread() is main_thread() else ()
        for number in signals:
            loop.add_signal_handler(number, self._server.handle_exit, number, None)
        try:
            await self._server.serve(sockets=[self._socket])
        finally:
            for number in signals:
                loop.remove_signal_handler(number)

    def stop(self) -> None:
        """Let it end; safe from any thread."""
        self._server.should_exit = True


class _Server(uvicorn.Server):
    """Leaves the signals to us: raised once more, they would break off what closes after it."""

    def __init__(
        self, config: uvicorn.Config, started: Callable[[], None], ending: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._started, self._ending = started, ending

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        self._started()

    async def shutdown(self, sockets: list[socket] | None = None) -> None:
        self._ending()
        await super().shutdown(sockets)
