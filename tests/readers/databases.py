"""SQLite databases as programs write them, made for a test."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path


def write_database(path: Path, tables: dict[str, list[dict[str, Any]]], *, more: str = "") -> Path:
    """Write tables of rows; a list or an object in a row is written as JSON."""
    with closing(sqlite3.connect(path)) as connection:
        for name, rows in tables.items():
            columns = list(rows[0])
            named = ", ".join(f'"{column}"' for column in columns)
            connection.execute(f"CREATE TABLE {name} ({named})")
            marks = ", ".join("?" * len(columns))
            for row in rows:
                values = [_written(row.get(column)) for column in columns]
                connection.execute(f"INSERT INTO {name} VALUES ({marks})", values)
        connection.executescript(more)
        connection.commit()
    return path


def _written(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, dict | list) else value
