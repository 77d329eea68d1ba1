"""What the user points at, as single recordings: files, folders, globs, archives, a pipe."""

from __future__ import annotations

import os
import stat
import sys
from glob import has_magic
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from assay.errors import InvalidRecord
from assay.ingest.archives import MemberPlace, PackedPlace, members
from assay.ingest.documents import Unreadable
from assay.ingest.packed_names import PACKED, SEALED, is_archive
from assay.ingest.parquet_files import MAGIC as PARQUET_MAGIC
from assay.ingest.parquet_files import SUFFIXES as PARQUET
from assay.ingest.parquet_files import ParquetPlace
from assay.ingest.pipe import STDIN, STDIN_NAME, Pipe
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.sqlite_files import (
    ENCRYPTED,
    begins_as_database,
    is_database,
    is_encrypted,
    recordings_in_database,
)
from assay.ingest.sqlite_files import MAGIC as DATABASE_MAGIC
from assay.ingest.sqlite_files import SUFFIXES as DATABASES
from assay.ingest.yaml_files import SUFFIXES as YAML
from assay.ingest.yaml_files import YamlPlace, begins_as_yaml
from assay.json_values import without_surrogates

__all__ = [
    "EXPANDING",
    "STDIN",
    "STDIN_NAME",
    "SUFFIXES",
    "find_files",
    "find_recordings",
    "is_pipe",
    "is_store",
    "recordings_at",
    "walk_files",
    "why_no_source",
    "would_read",
]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.ingest.recording import Place

_STORE_MARK = "assay-store.json"
# What holds more than it weighs.
EXPANDING = (*PACKED, *PARQUET)
# What a folder of recordings may hold; other files lie beside them and are not looked into.
SUFFIXES = frozenset(
    {"", ".json", ".jsonl", ".ndjson", ".log", ".har", ".eval", ".traj", ".sse"}
    | {Path(f"x{end}").suffix for end in (*YAML, *DATABASES, *EXPANDING, *SEALED)}
)


def find_files(source: str | Path) -> list[Path]:
    """The files meant by a path: itself, what a glob matches, or all recordings of a folder.

    Folders are walked in name order; links to folders are not followed, so that no loop can
    be entered.
    """
    return [Path(file) for file in walk_files(source)]


def walk_files(source: str | Path) -> Iterator[str]:
    """The same, one after the other: a folder may hold millions."""
    path = Path(source)
    if path.is_dir():
        if store_around(path) is None:
            yield from _walk(str(path))
    elif has_magic(str(source)) and not path.exists():
        for found in sorted(_matches(path)):
            yield from walk_files(found)
    else:
        yield str(path)


def is_store(path: str | Path) -> bool:
    """Whether a path is a store of ours, whose runs are read by asking it."""
    return (Path(path) / _STORE_MARK).is_file()


def store_around(path: str | Path) -> Path | None:
    """The store that a path lies in, if it is part of one."""
    return next((folder for folder in Path(path).absolute().parents if is_store(folder)), None)


def why_no_source(path: str | Path) -> str | None:
    """Why nothing is read from a path that is a store of ours, or part of one; None of others."""
    if is_store(path):
        return "is a store of ours; export the runs themselves, as .jsonl, and import those"
    store = store_around(path)
    return None if store is None else f"is part of the store {store}, whose runs are there already"


def would_read(source: str | Path, file: Path) -> bool:
    """Whether reading a source reads that file, be it there already or not."""
    whole, part = _resolved(source), _resolved(file)
    return part == whole or (whole in part.parents and part.suffix.lower() in SUFFIXES)


def find_recordings(
    source: str | Path,
    *,
    on_bytes: Callable[[int], object] | None = None,
    on_wait: Callable[[], object] | None = None,
) -> Iterator[Recording | Unreadable]:
    """Every recording of a source, archives opened; what cannot be opened is reported.

    `on_wait` hears that nothing has come through a pipe for a while.
    """
    if str(source) == STDIN:
        # What a buffer holds is not seen by those who ask whether more has come.
        unbuffered = getattr(sys.stdin.buffer, "raw", None) or sys.stdin.buffer
        yield from _piped(Pipe(unbuffered, STDIN_NAME, on_bytes=on_bytes, on_wait=on_wait))
        return
    for file in walk_files(source):
        yield from recordings_at(file, on_bytes=on_bytes)


def recordings_at(
    file: str | Path, *, on_bytes: Callable[[int], object] | None = None, walked: bool = False
) -> Iterator[Recording | Unreadable]:
    """Every recording of one file: itself, or those packed in it; a named pipe is read once.

    What was found by walking a folder (`walked`) is no pipe.
    """
    if walked or not is_pipe(file):
        place, name = FilePlace(file, on_bytes), str(file)
        if is_database(name):
            yield from recordings_in_database(place)
        elif is_encrypted(name):
            yield Recording(place, strange=ENCRYPTED)
        else:
            yield from _recordings_in(place)
        return
    with Path(file).open("rb", buffering=0) as source:
        yield from _piped(Pipe(source, str(file), on_bytes=on_bytes))


def is_pipe(file: str | Path) -> bool:
    """Whether a file is a named pipe, whose bytes come but once."""
    try:
        return stat.S_ISFIFO(os.stat(file).st_mode)  # noqa: PTH116 - much faster, and there are many
    except (OSError, ValueError):
        return False


def _piped(pipe: Pipe) -> Iterator[Recording | Unreadable]:
    head = pipe.head()
    try:
        if head.startswith(PARQUET_MAGIC):
            yield from _parquet(pipe)
        elif head.startswith(DATABASE_MAGIC):
            yield from recordings_in_database(pipe)
        else:
            yield Recording(YamlPlace(pipe) if begins_as_yaml(head) else pipe)
    finally:
        pipe.forget()


def _recordings_in(place: Place) -> Iterator[Recording | Unreadable]:
    name, written = place.name.lower(), without_surrogates(place.name)
    if not name.endswith(PACKED):
        yield from _plain(place)
    elif is_archive(name) and isinstance(place, MemberPlace):
        yield Unreadable(written, "is an archive inside an archive; unpack the outer one first")
    elif is_archive(name):
        try:
            yield from _recordings_of_archive(place, written)
        except InvalidRecord as exc:
            yield Unreadable(written, without_surrogates(str(exc)))
    else:
        yield from _plain(PackedPlace(place))


def _recordings_of_archive(place: Place, written: str) -> Iterator[Recording | Unreadable]:
    wanted = 0
    for member in members(place):
        if Path(member.member).suffix.lower() in SUFFIXES:
            wanted += 1
            yield from _recordings_in(member)
    if not wanted:
        problem = "holds no file that would be looked into in a folder"
        yield Unreadable(written, problem, kind="passed_over")


def _plain(place: Place) -> Iterator[Recording | Unreadable]:
    """The recordings at a place that is packed no more."""
    name, is_file = place.name.lower(), isinstance(place, FilePlace)
    problem = why_no_source(place.name) if is_file and name.endswith(PARQUET) else None
    if problem is not None:
        yield Unreadable(without_surrogates(place.name), without_surrogates(problem))
    elif name.endswith(PARQUET):
        yield from _parquet(place)
    elif name.endswith(DATABASES) and not is_file and begins_as_database(place):
        yield from recordings_in_database(place)
    else:
        yield Recording(YamlPlace(place) if name.endswith(YAML) else place)


def _parquet(place: Place) -> Iterator[Recording]:
    rows = ParquetPlace(place)
    try:
        yield Recording(rows)
    finally:
        rows.forget()


def _matches(pattern: Path) -> list[Path]:
    """What a glob means, each file once, hidden ones and links back to it left out."""
    fixed = next(i for i, part in enumerate(pattern.parts) if has_magic(part))
    found = Path(*pattern.parts[:fixed]).glob(str(Path(*pattern.parts[fixed:])))
    shown = (p for p in found if not any(part.startswith(".") for part in p.parts[fixed:]))
    return list({_resolved(path): path for path in sorted(shown, reverse=True)}.values())


def _resolved(path: str | Path) -> Path:
    """Where a path leads; a link that leads to itself, which `Path.resolve` refuses, to itself."""
    return Path(os.path.realpath(path))


def _walk(folder: str) -> Iterator[str]:
    """All files of a folder and of those in it, one loop for all: there may be millions."""
    open_folders = [iter(_entries(folder))]
    while open_folders:
        for entry in open_folders[-1]:
            if entry.is_dir(follow_symlinks=False):
                open_folders.append(iter(_entries(entry.path)))
                break
            if _is_wanted(entry.name) and _is_file(entry):
                yield entry.path
        else:
            open_folders.pop()


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """What lies in a folder in name order, without what is hidden."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=attrgetter("name"))
    except OSError:  # as for every walker, what may not be entered is not there
        return []
    shown = [entry for entry in entries if entry.name[0] != "."]
    # A store among recordings holds none.
    return [] if _STORE_MARK in [entry.name for entry in shown] else shown


def _is_file(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a file, or a link to one or to nowhere, which is worth a word.

    Whoever opens a named pipe waits for somebody at its other end.
    """
    if entry.is_file(follow_symlinks=False):
        return True
    path = Path(entry.path)
    try:
        return entry.is_symlink() and (path.is_file() or not path.exists())
    except OSError:
        return True


def _is_wanted(name: str) -> bool:
    """Whether a file of that name may be a recording; names that begin with a dot are not asked."""
    if name.endswith(".json"):  # most are
        return True
    # What `Path.suffix` is, much faster.
    at = name.rfind(".")
    return (name[at:].lower() if at > 0 else "") in SUFFIXES
