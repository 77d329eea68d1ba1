"""What a process that is all ours does otherwise than one that we are a guest in."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_OBJECTS_PER_COLLECTION = 100_000
_SECONDS_UNTIL_AGAIN = 0.05


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
    if not usual or not _hears_signals():
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold Ctrl-C back until the block is done, so that what it writes is written whole."""
    if not _hears_signals():
        yield
        return
    asked: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: asked.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        # To whoever hears of it otherwise; it may be nobody.
        signal.raise_signal(signal.SIGINT)


def ignore_further_ctrl_c() -> None:
    """Let an impatient user wait the moment it takes to write the ends of the files."""
    if _hears_signals():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def hear_every_ctrl_c() -> None:
    """Let no Ctrl-C be lost: one that comes while something is cleared away is told again.

    Python raises it in the midst of that, where nobody can hear it, and goes on.
    """
    sys.unraisablehook = _tell_again


def _tell_again(lost: sys.UnraisableHookArgs) -> None:
    if not issubclass(lost.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    # Not at once: it would be raised right here, and be lost again. And as a true signal, which
    # also wakes whoever waits for a file or sleeps.
    main = threading.main_thread().ident
    later = threading.Timer(_SECONDS_UNTIL_AGAIN, signal.pthread_kill, (main, signal.SIGINT))
    later.daemon = True
    later.start()


def _hears_signals() -> bool:
    return threading.current_thread() is threading.main_thread()
