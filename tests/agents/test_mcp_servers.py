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


HOSTILE = "import sys; sys.stderr.write('x' * 9_999 + chr(27) + ']0;taken' + chr(7)); sys.exit(3)"


def test_what_a_server_complains_of_is_told_and_not_written(
    capfd: pytest.CaptureFixture[str],
) -> None:
    config = ServerConfig(command="python", args=["-c", HOSTILE])
    with pytest.raises(ServerUnavailable) as told:
        asyncio.run(_start(config))
    words = str(told.value)
    assert words.startswith("the MCP server 'shy' did not start: ")
    assert words.endswith("xxx\x1b]0;taken\x07")
    assert len(words) < 2_200
    assert capfd.readouterr() == ("", "")


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
