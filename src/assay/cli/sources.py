"""What is read: files, folders, globs, or a pipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from assay.ingest.sources import STDIN, walk_files

if TYPE_CHECKING:
    from collections.abc import Sequence


def check_sources(sources: Sequence[str]) -> None:
    """Refuse early what is not there, and a pipe that would be read twice."""
    missing = [source for source in sources if source != STDIN and not _is_there(source)]
    if missing:
        raise typer.BadParameter(f"no such file or folder: {', '.join(missing)}")
    if sources.count(STDIN) > 1:
        raise typer.BadParameter("standard input (-) can be read only once")


def _is_there(source: str) -> bool:
    try:
        return Path(source).is_dir() or any(Path(file).exists() for file in walk_files(source))
    except OSError:
        return False
