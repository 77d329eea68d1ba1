"""What the user points at, as single recordings: files, folders, globs, archives, a pipe."""

from __future__ import annotations

import os
import sys
from glob import has_magic
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from msgspec import Struct

from assay.errors import InvalidRecord
from assay.ingest.archives import PackedPlace, members
from assay.ingest.documents import Unreadable
from assay.ingest.recording import FilePlace, Recording

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.ingest.recording import Place

STDIN = "-"
# What a folder of recordings may hold; other files lie beside them and are not looked into.
_SUFFIXES = frozenset(
    {"", ".json", ".jsonl", ".ndjson", ".log", ".eval", ".traj", ".gz", ".zst", ".zip"}
)


class _StandardInput(Struct, frozen=True):
    name: str = "<stdin>"

    def open(self) -> BinaryIO:
        return sys.stdin.buffer

    def beside(self, name: str) -> None:  # noqa: ARG002 - nothing lies beside a pipe
        return None


def find_files(source: str | Path) -> list[Path]:
    """The files meant by a path: itself, what a glob matches, or all recordings of a folder.

    Folders are walked in name order; links to folders are not followed, so that no loop can
    be entered.
    """
    path = Path(source)
    if path.is_dir():
        return [file for file in _walk(path) if file.suffix.lower() in _SUFFIXES]
    if has_magic(str(source)) and not path.exists():
        return [file for found in sorted(_matches(path)) for file in find_files(found)]
    return [path]


def find_recordings(
    source: str | Path, *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[Recording | Unreadable]:
    """Every recording of a source, archives opened; what cannot be opened is reported."""
    if str(source) == STDIN:
        yield Recording(_StandardInput())
        return
    for file in find_files(source):
        yield from _recordings_at(FilePlace(file, on_bytes))


def _recordings_at(place: Place) -> Iterator[Recording | Unreadable]:
    name = place.name.lower()
    if name.endswith(".zip"):
        try:
            for member in members(place):
                if Path(member.member).suffix.lower() in _SUFFIXES:
                    yield from _recordings_at(member)
        except InvalidRecord as exc:
            yield Unreadable(place.name, str(exc))
    elif name.endswith((".gz", ".zst")):
        yield Recording(PackedPlace(place))
    else:
        yield Recording(place)


def _matches(pattern: Path) -> list[Path]:
    """What a glob means, each file once, hidden ones and links back to it left out."""
    fixed = next(i for i, part in enumerate(pattern.parts) if has_magic(part))
    found = Path(*pattern.parts[:fixed]).glob(str(Path(*pattern.parts[fixed:])))
    shown = (p for p in found if not any(part.startswith(".") for part in p.parts[fixed:]))
    return list({path.resolve(): path for path in sorted(shown, reverse=True)}.values())


def _walk(folder: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                yield Path(here, name)
