"""What is read: files, folders, globs, stores, or a pipe."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assay.readers import STDIN, is_store, walk_files

if TYPE_CHECKING:
    from collections.abc import Sequence

FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="NAME", help="Input format (default: detect); see assay formats."
    ),
]


def check_sources(sources: Sequence[str]) -> None:
    """Refuse early what is not there, and a pipe that would be read twice."""
    if "" in sources:
        raise typer.BadParameter("a source has no name; the folder you are in is named .")
    missing = [source for source in sources if source != STDIN and not _is_there(source)]
    if missing:
        raise typer.BadParameter(f"no such file or folder: {', '.join(missing)}")
    if sources.count(STDIN) > 1:
        raise typer.BadParameter("standard input (-) can be read only once")


def names_a_store(source: str) -> bool:
    """Whether a source is a store, whose runs are asked for and not read from files."""
    return source != STDIN and is_store(source)


def total_bytes(sources: Sequence[str]) -> int | None:
    """How much there is to read; None where a pipe is among it."""
    if STDIN in sources:
        return None
    return sum(_size(file) for source in sources for file in walk_files(source))


def hidden_folders(sources: Sequence[str]) -> list[str]:
    """The hidden folders right below those that are named: a walk goes past them."""
    folders = [Path(source) for source in sources if source != STDIN and Path(source).is_dir()]
    return sorted(str(found) for folder in folders for found in folder.glob(".*/"))


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size  # noqa: PTH116 - much faster, and there are many
    except OSError:
        return 0


def _is_there(source: str) -> bool:
    try:
        return Path(source).is_dir() or any(Path(file).exists() for file in walk_files(source))
    except OSError:
        return False
