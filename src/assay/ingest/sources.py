"""What the user points at, as single recordings: files, folders, globs, archives, a pipe."""

from __future__ import annotations

import os
import shutil
import sys
from glob import has_magic
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, BinaryIO

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


class _StandardInput:
    """A pipe, kept aside on disk so that it can be looked at first and read afterwards."""

    name = "<stdin>"

    def __init__(self) -> None:
        self._kept: Path | None = None

    def open(self) -> BinaryIO:
        if self._kept is None:
            with NamedTemporaryFile(prefix="assay-", delete=False) as file:
                shutil.copyfileobj(sys.stdin.buffer, file)
            self._kept = Path(file.name)
        return self._kept.open("rb")

    def beside(self, name: str) -> None:  # noqa: ARG002 - nothing lies beside a pipe
        return None

    def forget(self) -> None:
        if self._kept is not None:
            self._kept.unlink(missing_ok=True)


def find_files(source: str | Path) -> list[Path]:
    """The files meant by a path: itself, what a glob matches, or all recordings of a folder.

    Folders are walked in name order; links to folders are not followed, so that no loop can
    be entered.
    """
    path = Path(source)
    if path.is_dir():
        return sorted(file for file in _walk(path) if file.suffix.lower() in _SUFFIXES)
    if has_magic(str(source)) and not path.exists():
        return [file for found in sorted(_matches(path)) for file in find_files(found)]
    return [path]


def would_read(source: str | Path, file: Path) -> bool:
    """Whether reading a source reads that file, be it there already or not."""
    whole, part = Path(source).resolve(), file.resolve()
    return part == whole or (whole in part.parents and part.suffix.lower() in _SUFFIXES)


def find_recordings(
    source: str | Path, *, on_bytes: Callable[[int], object] | None = None
) -> Iterator[Recording | Unreadable]:
    """Every recording of a source, archives opened; what cannot be opened is reported."""
    if str(source) == STDIN:
        pipe = _StandardInput()
        try:
            yield Recording(pipe)
        finally:
            pipe.forget()
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
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                yield Path(here, name)
