"""What the user points at, as single files: paths, folders, globs, archives, a pipe."""

from __future__ import annotations

import os
import stat
import sys
from glob import has_magic
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from assay.errors import InvalidRecord
from assay.json_values import without_surrogates
from assay.readers.documents import Unreadable
from assay.readers.files.file import SMALL_FILE, DiskPlace, File, begins_wide, peek
from assay.readers.files.pipe import STDIN, STDIN_NAME, Pipe, PipedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.readers.files.file import Place
    from assay.readers.files.packed import Budget

_STORE_MARK = "assay-store.json"
# Names that promise recordings: what cannot be read of such a file is worth a word.
EXPECTED_SUFFIXES = frozenset(
    {".json", ".jsonl", ".ndjson", ".parquet", ".zip", ".tar", ".gz", ".zst", ".bz2", ".xz", ".tgz"}
)
_START = 4096
# How many archives and packings may lie in each other.
_DEEPEST = 4
_DATABASE_MARK = b"SQLite format 3\0"
_PARQUET_MARK = b"PAR1"
# How files begin that nobody unpacks here.
_SEALED = {b"7z\xbc\xaf\x27\x1c": "is a 7z archive", b"Rar!\x1a\x07": "is a RAR archive"}
_POINTER = b"version https://git-lfs"
# Pipes that the shell makes for a command: `assay import <(command)`.
_SHELL_PIPES = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")


def walk_files(source: str | Path) -> Iterator[str]:
    """The files meant by a path: itself, what a glob matches, or all files of a folder.

    Folders are walked in name order; links to folders are not followed, so that no loop can be
    entered. A folder that cannot be listed stands for itself, so that reading it reports why.
    """
    path = Path(source)
    if path.is_dir():
        if _store_around(path) is None:
            yield from _walk(str(path))
    elif has_magic(str(source)) and not path.exists():
        for found in sorted(_matches(path)):
            yield from walk_files(found)
    else:
        yield str(path)


def is_store(path: str | Path) -> bool:
    """Whether a path is a store of ours, whose runs are read by asking it."""
    return (Path(path) / _STORE_MARK).is_file()


def why_no_source(path: str | Path) -> str | None:
    """Why nothing is read from a path in a store of ours; None of others."""
    if is_store(path):
        return "is an assay store; export the runs as .jsonl and import those"
    store = _store_around(path)
    return None if store is None else f"is part of the store {store}, whose runs are there already"


def would_read(source: str | Path, file: Path) -> bool:
    """Whether reading a source reads that file, be it there already or not."""
    whole, part = _resolved(source), _resolved(file)
    return part == whole or whole in part.parents


def files_of(
    source: str | Path,
    *,
    on_bytes: Callable[[int], object] | None = None,
    on_wait: Callable[[], object] | None = None,
) -> Iterator[File | Unreadable]:
    """Every file of a source, archives opened; what cannot be opened is reported.

    `on_wait` is called when nothing has come through a pipe for a while.
    """
    if str(source) == STDIN:
        # What a buffer holds is not seen by those who ask whether more has come.
        unbuffered = getattr(sys.stdin.buffer, "raw", None) or sys.stdin.buffer
        yield from _piped(Pipe(unbuffered, STDIN_NAME, on_bytes=on_bytes, on_wait=on_wait))
        return
    for path in walk_files(source):
        yield from files_at(path, on_bytes=on_bytes)


def files_at(
    path: str, *, on_bytes: Callable[[int], object] | None = None, data: bytes | None = None
) -> Iterator[File | Unreadable]:
    """Every file in one on disk: itself, or those packed in it.

    `data` is all of its content, where that was read already.
    """
    if data is not None:
        yield from _files_on_disk(path, data, on_bytes)
        return
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except (OSError, ValueError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        refused = _why_refused(path)
        yield Unreadable(without_surrogates(path), refused or f"cannot be read: {reason}")
        return
    try:
        found = _look(descriptor, path)
    finally:
        os.close(descriptor)
    if isinstance(found, Unreadable):
        yield found
    elif found is None:
        with Path(path).open("rb", buffering=0) as source:
            yield from _piped(Pipe(source, path, on_bytes=on_bytes))
    else:
        yield from _files_on_disk(path, found, on_bytes)


def is_pipe(path: str | Path) -> bool:
    """Whether a path is a pipe, whose bytes come but once."""
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)  # noqa: PTH116 - much faster, there are many
    except (OSError, ValueError):
        return False


def _look(descriptor: int, path: str) -> bytes | Unreadable | None:
    """How an open file begins, all of it if it is small; None of a pipe that the shell made."""
    name = without_surrogates(path)
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(mode) and path.startswith(_SHELL_PIPES):
        return None
    refused = _why_refused(path)
    if refused is not None:
        return Unreadable(name, refused)
    try:
        data = os.read(descriptor, _START)
        if len(data) == _START:
            data += os.read(descriptor, SMALL_FILE - _START)
    except OSError as exc:
        return Unreadable(name, f"cannot be read: {exc.strerror or exc}")
    return data


def _why_refused(path: str) -> str | None:
    """Why a path is not opened: only files are read, what waits or never ends is not."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - much faster, and there are many
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode):
        return None
    if stat.S_ISDIR(mode):
        return _why_not_listed(path)
    if stat.S_ISFIFO(mode):
        return f"is a named pipe; read it with: assay import - < {without_surrogates(path)}"
    return "is a device or a socket, and no file"


def _why_not_listed(folder: str) -> str:
    try:
        os.listdir(folder)  # noqa: PTH208 - only to see whether it can be
    except OSError as exc:
        return f"cannot be listed: {exc.strerror or exc}"
    return "is a folder"


def _files_on_disk(
    path: str, data: bytes, on_bytes: Callable[[int], object] | None
) -> Iterator[File | Unreadable]:
    if len(data) < SMALL_FILE:
        if on_bytes is not None:
            on_bytes(len(data))
        place = DiskPlace(path, data=data)
    else:
        place = DiskPlace(path, on_bytes)
    if data.startswith((b"{", b"[")) and not begins_wide(data):  # most are
        yield File(place)
    else:
        yield from _files_in(place, data[:_START], 0)


def _piped(pipe: Pipe) -> Iterator[File | Unreadable]:
    try:
        start = pipe.start()
        if start.startswith(b"{"):
            yield PipedFile(pipe)
        else:
            yield from _files_in(pipe, start, 0)
    finally:
        pipe.close()


def _files_in(
    place: Place, start: bytes, depth: int, budget: Budget | None = None
) -> Iterator[File | Unreadable]:
    """The files at a place, known by how it begins; `budget` is that of the archive around it."""
    from assay.readers.files import packed  # noqa: PLC0415 - most files are plain

    name = without_surrogates(place.name)
    packing = packed.packing_of(start)
    if packing is None and not packed.is_archive(start):
        yield from _plain(place, name, start)
    elif depth == _DEEPEST:
        yield Unreadable(
            name, f"lies in more than {_DEEPEST} archives; unpack the outer ones first"
        )
    elif packing is not None:
        yield from _unpacked(packed.PackedPlace(place, packing), name, depth, budget)
    else:
        try:
            budget = budget or packed.Budget(packed.size_of(place))
            for member in packed.members(place, budget):
                yield from _opened(member, depth + 1, budget)
        except (InvalidRecord, OSError) as exc:
            yield Unreadable(name, without_surrogates(str(exc)))


def _unpacked(
    place: Place, packed_name: str, depth: int, budget: Budget | None
) -> Iterator[File | Unreadable]:
    """The files in a compressed one; its problems name the file that lies there."""
    for file in _opened(place, depth + 1, budget):
        if isinstance(file, File):
            file.packed_name = file.packed_name or packed_name
        yield file
    if getattr(place, "trailing", False):
        problem = "bytes after the end of the compressed data were left out"
        yield Unreadable(packed_name, problem, kind="left_out")


def _opened(place: Place, depth: int, budget: Budget | None) -> Iterator[File | Unreadable]:
    try:
        with place.open() as file:
            start = peek(file)
    except OSError as exc:
        yield Unreadable(without_surrogates(place.name), f"cannot be read: {exc.strerror or exc}")
        return
    yield from _files_in(place, start, depth, budget)


def _plain(place: Place, name: str, start: bytes) -> Iterator[File | Unreadable]:
    """The file at a place that is not packed."""
    if start.startswith(_PARQUET_MARK):
        from assay.readers.files.tabular import ParquetFile  # noqa: PLC0415 - loads the engine

        yield from _closing(ParquetFile(place))
    elif start.startswith(_DATABASE_MARK):
        from assay.readers.files.sqlite import DatabaseFile  # noqa: PLC0415 - seldom needed

        yield from _closing(DatabaseFile(place))
    elif sealed := next((what for mark, what in _SEALED.items() if start.startswith(mark)), None):
        yield Unreadable(name, f"{sealed}; unpack it first")
    elif start.startswith(_POINTER):
        yield Unreadable(name, "is a pointer of Git LFS; fetch the file itself: git lfs pull")
    elif b"\0" in start and not begins_wide(start):
        is_expected = Path(name).suffix.lower() in EXPECTED_SUFFIXES
        kind: Literal["broken", "passed_over"] = "broken" if is_expected else "passed_over"
        yield Unreadable(name, "is binary, and no recording", kind=kind)
    else:
        yield PipedFile(place) if isinstance(place, Pipe) else File(place)


def _closing(file: File) -> Iterator[File]:
    try:
        yield file
    finally:
        file.close()


def _store_around(path: str | Path) -> Path | None:
    """The store that a path lies in, if it is part of one."""
    return next((folder for folder in Path(path).absolute().parents if is_store(folder)), None)


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
    """All files of a folder and of those in it, in one loop: there may be millions."""
    open_folders = [iter(_entries(folder))]
    while open_folders:
        for entry in open_folders[-1]:
            if isinstance(entry, str):
                yield entry
            elif entry.is_dir(follow_symlinks=False):
                open_folders.append(iter(_entries(entry.path)))
                break
            elif not _leads_to_folder(entry):
                yield entry.path
        else:
            open_folders.pop()


def _entries(folder: str) -> list[os.DirEntry[str] | str]:
    """What lies in a folder in name order, without what is hidden."""
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=attrgetter("name"))
    except OSError:
        return [folder]
    shown: list[os.DirEntry[str] | str] = [entry for entry in entries if entry.name[0] != "."]
    # A store among recordings holds none.
    return [] if any(entry.name == _STORE_MARK for entry in entries) else shown


def _leads_to_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_symlink() and entry.is_dir()
    except OSError:
        return False
