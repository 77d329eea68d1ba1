"""The SQL files beside the modules."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def sql_text(folder: str, name: str) -> str:
    """The text of `FOLDER/NAME.sql`."""
    return (files("assay.analyses") / folder / f"{name}.sql").read_text(encoding="utf-8")
