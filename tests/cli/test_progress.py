"""The bar: when it appears, and what it shows."""

from __future__ import annotations

import io
import re

import pytest

from assay.cli import progress
from assay.cli.console import Terminal
from assay.cli.progress import ReadingProgress


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is drawn on a terminal; no clock decides."""
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 0)
    monkeypatch.setattr(progress, "_FULL_SECONDS", 0)
    monkeypatch.setattr(Terminal, "is_watched", True)
    monkeypatch.setenv("TERM", "xterm")
    return io.StringIO()


def shown(drawn: io.StringIO) -> str:
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", drawn.getvalue())


def bar(drawn: io.StringIO, total: int, *, surely_long: bool = False) -> ReadingProgress:
    terminal = Terminal()
    terminal.file, terminal.width = drawn, 80
    terminal._force_terminal = terminal.is_interactive = True
    return ReadingProgress(terminal, total, shown=True, surely_long=surely_long, things="read")


def test_bytes_alone_show_the_bar(drawn: io.StringIO) -> None:
    with bar(drawn, 100) as watching:
        watching.read(25)
        assert re.search(r"0 read .*━.* 25%", shown(drawn))


def test_what_is_surely_long_is_shown_at_once(
    drawn: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "_PATIENCE_SECONDS", 600)
    with bar(drawn, 100) as watching:
        watching.read(25)
        watching.done()
        assert not shown(drawn).strip()
    with bar(drawn, 100, surely_long=True) as watching:
        assert not shown(drawn).strip()
        watching.read(25)
        assert "25%" in shown(drawn)


def test_no_bar_is_full_while_there_is_work(drawn: io.StringIO) -> None:
    with bar(drawn, 100) as watching:
        watching.read(100)
        assert "100%" in shown(drawn)
        watching.done()
        watching.done()
        drawn.seek(0)
        drawn.truncate()
        watching._progress.refresh()
        assert "2 read" in shown(drawn)
        assert "%" not in shown(drawn)
