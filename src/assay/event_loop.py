"""The one door from synchronous code to the asynchronous core."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run_to_end(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return _run(work)
    with ThreadPoolExecutor(max_workers=1) as other_thread:
        return other_thread.submit(_run, work).result()


def _run(work: Coroutine[Any, Any, T]) -> T:
    # Not asyncio.run: notebooks patch it, and the patched one leaks a loop each time.
    with asyncio.Runner() as runner:
        return runner.run(work)
