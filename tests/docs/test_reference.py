"""Every block of the reference is run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.docs.pages import PATIENCE, pages_of, run_page

from assay.ingest.sources import SUFFIXES
from assay.store import TABLES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(PATIENCE)
PAGES = pages_of("reference/*.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page(page, tmp_path, monkeypatch)


def test_every_suffix_of_a_recording_is_named() -> None:
    (page,) = pages_of("reference/cli.md")
    (line,) = (line for line in page.read_text("utf-8").splitlines() if "`.ndjson`" in line)
    assert [suffix for suffix in SUFFIXES if suffix and f"`{suffix}`" not in line] == []


def test_every_table_that_can_be_exported_is_named() -> None:
    (page,) = pages_of("concepts/store.md")
    (line,) = (line for line in page.read_text("utf-8").splitlines() if "`--table runs`" in line)
    named = line.replace("--table ", "")
    assert [table for table in TABLES if f"`{table}`" not in named] == []
