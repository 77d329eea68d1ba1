"""Foreign files to cases; what cannot be read is reported in its place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from assay.ingest.documents import Unreadable
from assay.ingest.native import NATIVE
from assay.ingest.recording import FilePlace, Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.test_case import AgentTestCase

__all__ = ["STDIN", "Unreadable", "find_files", "read_cases", "would_read"]

STDIN = "-"
_SUFFIXES = frozenset({".json", ".jsonl", ".ndjson"})


class _StandardInput(Struct, frozen=True):
    name: str = "<stdin>"

    def open(self) -> BinaryIO:
        return sys.stdin.buffer

    def beside(self, name: str) -> None:  # noqa: ARG002 - nothing lies beside a pipe
        return None


def find_files(path: str | Path) -> list[Path]:
    """The files meant by a path: itself, or every JSON file below a folder, in name order."""
    path = Path(path)
    if not path.is_dir():
        return [path]
    named = (found for found in path.rglob("*") if found.suffix.lower() in _SUFFIXES)
    return sorted(found for found in named if not found.is_dir())


def would_read(path: str | Path, file: Path) -> bool:
    """Whether reading a path reads that file, be it there already or not."""
    whole, part = Path(path).resolve(), file.resolve()
    return part == whole or (whole in part.parents and part.suffix.lower() in _SUFFIXES)


def read_cases(
    path: str | Path, *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[AgentTestCase | Unreadable]:
    """All cases of a file or folder, or of standard input (`-`); bad ones in their place.

    A file holds one case, a list of them, or one a line. `on_bytes` hears how much was read.
    """
    if str(path) == STDIN:
        yield from NATIVE.read(Recording(_StandardInput()))
        return
    for file in find_files(path):
        yield from NATIVE.read(Recording(FilePlace(file, on_bytes)))
