"""A real browser and a real server for all tests of pages."""

from __future__ import annotations

import re
import shutil
import threading
import time
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import pytest
import uvicorn
from playwright.sync_api import expect, sync_playwright
from tests.web.figure_pages import served
from tests.web.sample_stores import bundled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser, Page
    from starlette.applications import Starlette

    from assay import Store

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
# What was told; and the page forgets what it remembered of the reader.
LEAVE = """() => {
  try { localStorage.clear(); sessionStorage.clear(); } catch { /* a page without either */ }
  return window.violations ?? [];
}"""
DESK = {"width": 1280, "height": 800}
# What the browser says of a server that has ended; it asks again every few seconds.
_LOST = re.compile("net::ERR_(CONNECTION_|EMPTY_RESPONSE|INCOMPLETE_CHUNKED)")

# A slow machine is no fault of a page.
PATIENCE = 120_000
expect.set_options(timeout=PATIENCE)


class Window:
    """A window of the browser, for one test after the other: a fresh one takes long to open."""

    def __init__(self, browser: Browser, settings: dict[str, Any]) -> None:
        # What moves while agents think is drawn sixty times a second, by the processor.
        context = browser.new_context(reduced_motion="reduce", **settings)
        context.set_default_timeout(PATIENCE)
        context.add_init_script(LISTEN)
        self.page = context.new_page()
        self._errors: list[str] = []
        self._outlives_server = False
        self.page.on("pageerror", lambda error: self._errors.append(str(error)))
        self.page.on("console", self._hear)

    def _hear(self, said: Any) -> None:
        is_lost = self._outlives_server and _LOST.search(said.text)
        if said.type == "error" and not is_lost:
            self._errors.append(said.text)

    def open(
        self, address: str, viewport: Any, color_scheme: Any, *, outlives_server: bool
    ) -> Page:
        self._errors.clear()
        self._outlives_server = outlives_server
        self.page.set_viewport_size(viewport)
        self.page.emulate_media(media="null", color_scheme=color_scheme)
        self.page.goto(address)
        return self.page

    def leave(self) -> tuple[list[str], list[str]]:
        """The violations and errors there; the next test finds the window as good as new."""
        found = self.page.evaluate(LEAVE), list(self._errors)
        self.page.unroute_all()
        self.page.context.clear_cookies()
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")
        return found


# Not for the whole session: while it is open, its driver's loop counts as running in this thread.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no chromium on this machine; make test installs it when run as root")
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield found
        found.close()


@pytest.fixture(scope="module")
def windows() -> defaultdict[str, list[Window]]:
    """Windows that no test is using, by their settings."""
    return defaultdict(list)


@pytest.fixture
def open_page(
    browser: Browser, windows: defaultdict[str, list[Window]]
) -> Iterator[Callable[..., Page]]:
    """Open an address in an empty window; at the end no script error and no violation is left.

    A page that outlives its server may say that it does not answer.
    """
    used: list[tuple[str, Window]] = []

    def opened(
        address: str,
        *,
        viewport: Any = DESK,
        color_scheme: Any = "light",
        outlives_server: bool = False,
        **settings: Any,
    ) -> Page:
        kind = repr(sorted(settings.items()))
        window = windows[kind].pop() if windows[kind] else Window(browser, settings)
        used.append((kind, window))
        return window.open(address, viewport, color_scheme, outlives_server=outlives_server)

    yield opened
    for kind, window in used:
        assert window.leave() == ([], [])
        windows[kind].append(window)


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[[Starlette], str]]:
    """Serve an application on a free port of loopback; its address."""
    servers: list[uvicorn.Server] = []
    threads: list[threading.Thread] = []

    def begin(app: Starlette) -> str:
        config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on")
        server = uvicorn.Server(config)
        threads.append(threading.Thread(target=server.run, daemon=True))
        threads[-1].start()
        servers.append(server)
        until = time.monotonic() + 120
        while not server.started and time.monotonic() < until:
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        return f"http://127.0.0.1:{port}"

    yield begin
    for server in servers:
        server.should_exit = True
    for thread in threads:
        thread.join(timeout=60)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The sample runs, scored; a module that needs no scores has a store of its own."""
    return bundled(tmp_path_factory.mktemp("bundled") / "store")


@pytest.fixture(scope="module")
def address(store: Store, serve: Callable[[Starlette], str]) -> str:
    """Where the viewer over the module's store is."""
    return served(store, serve)
