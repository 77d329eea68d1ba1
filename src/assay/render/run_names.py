"""What a run is called where people read of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.render.row_files import Row

KEY_LENGTH = 10
_DIGEST = re.compile(r"[0-9a-f]{16,64}")


def spoken_id(run_id: str | None) -> str | None:
    """The id of a run, unless it is a made-up one: unique, but it tells a reader nothing."""
    return None if run_id is None or _DIGEST.fullmatch(run_id) else run_id


def place_of(path: str | None, position: int | None) -> str | None:
    """Where a run was read, as a compiler would say it: `traces/all.jsonl:3`."""
    return path if path is None or position is None else f"{path}:{position}"


def plain_name(run_id: str | None, path: str | None, position: int | None) -> str | None:
    """What to call a run that names no task: its id, else its file without folders."""
    file = path and path.rsplit("/", 1)[-1]
    return spoken_id(run_id) or place_of(file, position) or run_id


def name_of_row(row: Row) -> str | None:
    """The same for a row of `runs`."""
    return plain_name(row["run_id"], row["source_path"], row["source_position"])
