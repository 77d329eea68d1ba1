"""deepeval as a guest: no telemetry, no .env files, nothing left in the project."""

from __future__ import annotations

import asyncio
import os
import warnings
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# deepeval reads these when it is imported; programs the tests start inherit them.
os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"
os.environ["DEEPEVAL_DISABLE_DOTENV"] = "1"

# Older releases use what pydantic has deprecated since; what they warn of on import is theirs.
with warnings.catch_warnings(), suppress(ImportError):
    warnings.simplefilter("ignore")
    import_module("deepeval")


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """deepeval writes to a folder where it runs, which release 3 forgets to make."""
    (tmp_path / ".deepeval").mkdir()
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def judging_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bridge is tested with the measured part alone, unless a test brings a judge."""
    monkeypatch.setenv("ASSAY_JUDGE", "none")


@pytest.fixture(autouse=True)
def event_loop_that_is_closed() -> Iterator[None]:
    """deepeval takes the current loop, makes one if there is none, and leaves it open."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    yield
    asyncio.set_event_loop(None)
    loop.close()
