"""What the tests of figures share: stores with something to tell, and reading pages as text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from tests.web.patient_client import CLIENT
from tests.web.sample_stores import HOSTILE, call, case_of, store_of

from assay import RunOutcome
from assay.web.app import viewer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from starlette.applications import Starlette

    from assay.store import Store

# What stands together for a reader: a share in one of these needs its n or interval there.
_BLOCKS = frozenset({"li", "tr", "p", "h1", "dd", "summary", "option", "code", "div"})
_SKIPPED = frozenset({"text", "style", "script", "th", "label"})
_RATE = re.compile(r"\d %")
# The names of things, which are no figures.
_LEVEL = re.compile(r"95 % (?:intervals?|under)|at 95 %")
_SUPPORT = re.compile(r"\d–\d|\d to [+−±]|\bof \d|n = \d|\d (?:calls|runs|judged|tasks)")


class Reader(HTMLParser):
    """Collects the text of a page by block, and all of it."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks: list[str] = []
        self._open: list[tuple[str, list[str]]] = []
        self._skipping = 0

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED:
            self._skipping += 1
        if tag in _BLOCKS:
            self._open.append((tag, []))

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED:
            self._skipping -= 1
        if tag in _BLOCKS and self._open and self._open[-1][0] == tag:
            _, parts = self._open.pop()
            text = " ".join(" ".join(parts).split())
            self.blocks.append(text)
            if self._open and tag != "li":
                self._open[-1][1].append(text)

    def handle_data(self, data: str) -> None:
        if self._open and not self._skipping:
            self._open[-1][1].append(data)


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)


# Counts and intervals as they are written in English: `3 of 5`, `−3.1 to +7.6`.
ENGLISH_FIGURE = re.compile(r"[0-9] (?:of|to|and) [−+±0-9]")


def text_of(html: str) -> str:
    """All text of a page, tags taken out."""
    reader = _Text()
    reader.feed(html)
    return " ".join(" ".join(reader.parts).split())


def bare_rates(html: str) -> list[str]:
    """Blocks that tell a share without saying of how many, or how sure that is."""
    reader = Reader()
    reader.feed(html)
    told = ((block, _LEVEL.sub("", block)) for block in reader.blocks)
    return [block for block, text in told if _RATE.search(text) and not _SUPPORT.search(text)]


def forbidden_words(html: str) -> list[str]:
    """Words that no page says."""
    return re.findall(r"N/A|\bnull\b|\bNone\b|significan\w+|\bwinner\b", text_of(html))


def get(address: str, path: str, **settings: str) -> str:
    """A page that was answered well."""
    found = CLIENT.get(address + path, headers=settings, follow_redirects=True)
    assert found.status_code == 200, found.text[:500]
    return found.text


def served(store: Store, serve: Callable[[Starlette], str]) -> str:
    """The viewer over a store, so patient that no page is ever put off."""
    app = viewer(store)
    app.state.patience = 120.0
    return serve(app)


def hostile_store(path: Path) -> Store:
    """Runs whose every name tries to be more than a name."""
    cases = (
        case_of(
            f"{HOSTILE} {i}",
            HOSTILE,
            [
                call(f"{HOSTILE}/tool", success=False, error_message=HOSTILE, server=HOSTILE),
                call(
                    f"{HOSTILE}/tool",
                    "ok",
                    server=HOSTILE,
                    parameters={HOSTILE: f"{HOSTILE} {i}"},
                ),
            ],
            task_id=f"{HOSTILE} {i % 3}",
            attempt=i // 3,
            model=f"{HOSTILE}{i % 2}",
            framework=HOSTILE,
            outcome=RunOutcome(success=i % 2 == 0),
        )
        for i in range(12)
    )
    return store_of(path, cases)
