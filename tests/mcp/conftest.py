"""What the tests of the MCP workbench share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One session in which something of everything happened."""
    from tests.mcp.wire import recorded  # noqa: PLC0415 - it skips where there is no server

    path = tmp_path_factory.mktemp("recorded") / "calls.jsonl"
    recorded(path)
    return path
