"""The command line as every test of a command calls it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.command_line import Assay, in_this_process

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def assay(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Assay:
    """Run `assay` in this process, in an empty folder of its own and 120 letters wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return in_this_process(monkeypatch, capsys)
