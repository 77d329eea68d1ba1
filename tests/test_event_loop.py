"""The doors between synchronous and asynchronous code."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from assay.event_loop import entrance, run_to_end


async def current_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def test_synchronous_work_shares_one_loop() -> None:
    """As a client with pooled connections needs it."""
    assert run_to_end(current_loop()) is run_to_end(current_loop())


def test_it_works_where_a_loop_is_running() -> None:
    async def notebook() -> bool:
        return run_to_end(current_loop()) is not asyncio.get_running_loop()

    with entrance() as enter:
        assert enter(notebook())


def test_it_works_inside_its_own_loop() -> None:
    async def nested() -> int:
        return run_to_end(answer())

    async def answer() -> int:
        return 42

    assert run_to_end(nested()) == 42


def test_an_error_comes_out_as_it_is() -> None:
    async def fails() -> None:
        raise LookupError("here")

    with pytest.raises(LookupError, match="here"):
        run_to_end(fails())


def test_a_program_ends_cleanly() -> None:
    code = (
        "import asyncio\nfrom assay.event_loop import run_to_end\n"
        "print(run_to_end(asyncio.sleep(0, 'done')))"
    )
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
