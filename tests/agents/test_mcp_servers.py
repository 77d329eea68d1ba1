"""MCP servers that are slow to answer, or want to know who asks."""

from __future__ import annotations

import asyncio

import pytest

from assay.agents import mcp_servers
from assay.agents.loopback import LoopbackServer, QuietHandler
from assay.agents.mcp_servers import ServerConfig, connected
from assay.errors import ServerUnavailable


async def _start(config: ServerConfig) -> None:
    async with connected({"shy": config}):
        pytest.fail("it cannot have started")


def test_a_server_that_never_answers_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_servers, "_SECONDS_TO_START", 0.3)
    with pytest.raises(ServerUnavailable, match="'shy' did not answer within"):
        asyncio.run(_start(ServerConfig(command="sleep", args=["600"])))


class _Doorman(QuietHandler):
    """Notes who asks, and lets nobody in."""

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        self.server.owner.append(self.headers["X-Pass"])
        self.close_connection = True
        self.send_json(403, {"error": "closed"})


def test_headers_of_the_file_are_sent() -> None:
    asked: list[str | None] = []
    server = LoopbackServer(_Doorman, asked)
    server.begin()
    try:
        with pytest.raises(ServerUnavailable, match="'shy' did not start"):
            asyncio.run(_start(ServerConfig(url=f"{server.address}/mcp", headers={"X-Pass": "7"})))
    finally:
        server.end()
    assert set(asked) == {"7"}
