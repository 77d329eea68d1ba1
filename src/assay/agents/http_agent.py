"""Any agent behind an HTTP endpoint: a message goes there as JSON, an answer comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.agents.foreign_reply import read_reply, request_of
from assay.agents.no_cookies import no_cookies
from assay.agents.protocol import Adapter, Remembering
from assay.agents.shown_address import shown_address
from assay.errors import AgentFailed
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, Emit, Turn

_LARGEST_REPLY = 10_000_000
_SECONDS = 600.0


def make(url: str) -> Agent:
    """An agent that is asked at an address; see `foreign_reply` for what it gets and returns."""
    httpx = require("httpx", extra="agents")
    # No connection is kept: one that the other side ends meanwhile would fail a turn.
    client = httpx.AsyncClient(
        timeout=_SECONDS,
        limits=httpx.Limits(max_keepalive_connections=0),
        cookies=no_cookies(),
    )
    place = shown_address(url)

    async def agent(turn: Turn, emit: Emit) -> str:
        try:
            async with client.stream("POST", url, json=request_of(turn)) as reply:
                text = await _text_of(reply, place)
        except (httpx.HTTPError, httpx.InvalidURL) as exc:
            raise AgentFailed(f"{place} was not reached: {type(exc).__name__}") from exc
        if reply.status_code >= 400:
            raise AgentFailed(f"{place} answered {reply.status_code}: {text[:500]}")
        return read_reply(text, emit)

    async def forget(_: str) -> None:
        """Sessions are kept over there."""

    return Remembering(agent, forget, client.aclose)


async def _text_of(reply: Any, place: str) -> str:
    """All of a reply, as long as one may be."""
    found = bytearray()
    async for piece in reply.aiter_bytes():
        found += piece
        if len(found) > _LARGEST_REPLY:
            raise AgentFailed(f"{place} answered with more than {_LARGEST_REPLY:,} bytes")
    return found.decode(reply.encoding or "utf-8", errors="replace")


def adapter(url: str) -> Adapter:
    """The adapter for one address."""
    place = shown_address(url)
    return Adapter(f"http:{place}", place, "agents", lambda: make(url), may_ask_others=True)
