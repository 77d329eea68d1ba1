"""What every test may use."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

# A shell starts what runs in its background deaf to Ctrl-C, and programs inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PROJECT = Path(__file__).resolve().parents[1]


def shared_path(*parts: str) -> Path:
    """A file of the shared folder beside the project; skips the test where there is none."""
    root = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
    path = root.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared folder (set ASSAY_SHARED to its place)")
    return path


@pytest.fixture(scope="session")
def shared() -> Callable[..., Path]:
    """The way to a file of the shared folder: `shared("oracle", "mcp-tool", "cases.json")`."""
    return shared_path
