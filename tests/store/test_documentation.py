"""The page on the store explains every column."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.store import TABLES

PAGE = Path(__file__).resolve().parents[2] / "docs" / "concepts" / "store.md"


@pytest.mark.parametrize("table", TABLES)
def test_every_column_is_explained(table: str) -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [column for column in TABLES[table] if f"`{column}`" not in text] == []
