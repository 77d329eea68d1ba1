"""Which files are SQLite databases, and the sessions in them as recordings.

A file is known by its first bytes. The database itself is opened by what is loaded only then:
most people have none, and some Pythons come without SQLite.
"""

from __future__ import annotations

import os
import stat
from importlib import import_module
from typing import TYPE_CHECKING

from assay.ingest.documents import Unreadable
from assay.json_values import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Place, Recording

_BOM = b"\xef\xbb\xbf"
MAGIC = b"SQLite format 3\x00"
# How such files are named; the name only says where to look.
SUFFIXES = (".db", ".db3", ".sqlite", ".sqlite3", ".vscdb")
ENCRYPTED = (
    "is named as a database and is neither SQLite nor text; where it is encrypted, export what it "
    "holds with its program"
)
_TEXT = bytes([*range(9, 14), *range(32, 127), *_BOM])


def is_database(path: str) -> bool:
    """Whether a file begins as an SQLite database does."""
    return _head(path) == MAGIC


def is_encrypted(path: str) -> bool:
    """Whether a file is named as a database and holds neither one nor text."""
    return path.lower().endswith(SUFFIXES) and bool(_head(path).translate(None, _TEXT))


def _head(path: str) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return b""
    try:
        # What is read from a terminal or a pipe would be gone.
        is_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, len(MAGIC)) if is_file else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def begins_as_database(place: Place) -> bool:
    """The same of a place that is no file on disk."""
    try:
        with place.open() as file:
            return file.read(len(MAGIC)) == MAGIC
    except OSError:
        return False


def recordings_in_database(place: Place) -> Iterator[Recording | Unreadable]:
    """Every session of a database as a recording of its own, one at a time."""
    try:
        kinds = import_module("assay.ingest.sqlite_kinds")
    except ImportError as exc:
        problem = f"is an SQLite database, and this Python came without SQLite ({exc})"
        yield Unreadable(without_surrogates(place.name), problem)
        return
    yield from kinds.recordings_in(place)
