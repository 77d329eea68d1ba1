"""What every answer of the server carries, and whom it answers at all."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    # Not "no-referrer": under it, browsers post our own forms with the origin "null".
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
_OWN_HOSTS = frozenset({"127.0.0.1", "localhost", "::1"})
_SAFE_METHODS = frozenset({"GET", "HEAD"})


class Guard:
    """Answers only requests that name this machine, and changes nothing for other sites.

    A page elsewhere can point a name of its own at 127.0.0.1, or post a form here; both say so in
    their headers.
    """

    def __init__(self, app: ASGIApp) -> None:
        """Take the application to guard."""
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        problem = _problem(scope)
        if problem is not None:
            await _refuse(send, problem)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        await self._app(scope, receive, send_guarded)


def _problem(scope: Scope) -> str | None:
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    host = headers.get(b"host", "")
    if _name(f"//{host}") not in _OWN_HOSTS:
        return "this server answers under 127.0.0.1 and localhost only"
    if scope["method"] in _SAFE_METHODS:
        return None
    origin = headers.get(b"origin")
    foreign = headers.get(b"sec-fetch-site", "same-origin") not in {"same-origin", "none"}
    if foreign or (origin is not None and origin.partition("://")[2] != host):
        return "requests from other sites are refused"
    return None


def _name(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


async def _refuse(send: Send, problem: str) -> None:
    headers = [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": problem.encode()})
