"""Every block of the reference is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scripts.formats_table import table
from tests.docs.pages import PATIENCE, pages_of, run_page

from assay.store import TABLES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(PATIENCE)
PAGES = pages_of("reference/*.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)


def test_every_format_is_listed_as_it_describes_itself() -> None:
    (page,) = (page for page in pages_of("reference/formats/*.md") if page.stem == "index")
    assert table() in page.read_text("utf-8"), "run scripts/formats_table.py"


def test_every_table_that_can_be_exported_is_named() -> None:
    (page,) = pages_of("concepts/store.md")
    (line,) = (line for line in page.read_text("utf-8").splitlines() if "`--table runs`" in line)
    named = line.replace("--table ", "")
    assert [table for table in TABLES if f"`{table}`" not in named] == []
