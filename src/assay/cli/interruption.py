"""Ctrl-C at the right moment."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def ignore_further() -> None:
    """Let an impatient user wait the moment it takes to write the ends of the files."""
    if _may_set_signals():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block is done, so that what it writes is written whole."""
    if not _may_set_signals():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def _may_set_signals() -> bool:
    return threading.current_thread() is threading.main_thread()
