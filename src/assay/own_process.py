"""What a process that is all ours does otherwise than one that we are a guest in."""

from __future__ import annotations

import gc
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECTS_PER_COLLECTION = 100_000


def collect_seldom() -> None:
    """Look for cycles a hundred times less often than Python does.

    Modules, rows and cases stay until they are dropped, and hardly any hold cycles: looking for
    them takes a tenth of a short command's time and finds nothing.
    """
    gc.set_threshold(_OBJECTS_PER_COLLECTION)


@contextmanager
def nothing_to_lose() -> Iterator[None]:
    """Let Ctrl-C end the process at once and without a word: nothing is in hand yet.

    Otherwise it would show where Python was loading modules. Whoever asked for Ctrl-C to be
    ignored, or to be heard by somebody else, still has their way.
    """
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if not usual or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
