"""Every block of the reference is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.docs.pages import PATIENCE, pages_of, run_page

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(PATIENCE)
PAGES = pages_of("reference/*.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)
