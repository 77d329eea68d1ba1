"""A real browser and a real server for all tests of pages."""

from __future__ import annotations

import shutil
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page
    from starlette.applications import Starlette

CHROMIUM = shutil.which("chromium")
FLAGS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# Told by the browser when a page tried what its policy forbids.
LISTEN = """
window.violations = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.violations.push(event.violatedDirective));
"""


# Not for the whole session: while it is open, its driver's loop counts as running in this thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine; make test installs it when run as root")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open an address in a fresh window; at the end no script error and no violation is left."""
    contexts: list[Any] = []
    pages: list[tuple[Page, list[str]]] = []

    def opened(address: str, **settings: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}} | settings)
        context.add_init_script(LISTEN)
        contexts.append(context)
        page = context.new_page()
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        pages.append((page, errors))
        page.goto(address)
        return page

    yield opened
    for page, errors in pages:
        violations = page.evaluate("window.violations || []") if not page.is_closed() else []
        assert violations == []
        assert errors == []
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def serve() -> Iterator[Callable[[Starlette], str]]:
    """Serve an application on a free port of loopback; its address."""
    servers: list[uvicorn.Server] = []
    threads: list[threading.Thread] = []

    def served(app: Starlette) -> str:
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on")
        server = uvicorn.Server(config)
        threads.append(threading.Thread(target=server.run, daemon=True))
        threads[-1].start()
        servers.append(server)
        until = time.monotonic() + 20
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    yield served
    for server in servers:
        server.should_exit = True
    for thread in threads:
        thread.join(timeout=10)
