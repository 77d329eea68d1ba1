"""Replies of judges, kept on disk: the same question is paid for once.

    folder/
      <writer>.replies      lines: the key of a question, a space, its reply as JSON

A file is only ever appended to, by one writer at a time, who holds its lock; a writer that finds
all files locked begins a new one. A line without its end was cut off by a dying writer: it is
not read, and the next writer ends it before adding to the file.
"""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec
from msgspec import Struct

from assay.judge.questions import Question, Reply
from assay.judge.rubric import RUBRIC_VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator

CACHE_VERSION = 1
SUFFIX = ".replies"
_KEY_LENGTH = 32
# How long another process's new replies may stay unseen.
_LOOK_AGAIN_SECONDS = 1.0
_CHUNK_BYTES = 4 * 1024 * 1024
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Reply).decode


class CacheSize(Struct, frozen=True):
    """How much a cache holds: replies that can be found, files, bytes on disk."""

    replies: int
    files: int
    bytes: int


class _Place(Struct, frozen=True, gc=False):
    """Where the JSON of a reply stands."""

    file: Path
    offset: int
    length: int


def user_cache() -> Path:
    """The folder of the user's that holds what can be made again."""
    base = os.environ.get("XDG_CACHE_HOME")
    # A relative path there is invalid and to be ignored, says the XDG standard.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "assay"


def default_folder() -> Path:
    """Where replies are kept unless told otherwise."""
    return user_cache() / "judge"


def question_key(question: Question) -> str:
    """The same for questions whose replies are of equal standing, and for no others."""
    content = _encode_sorted([CACHE_VERSION, RUBRIC_VERSION, question])
    return sha256(content).hexdigest()[:_KEY_LENGTH]


class ReplyCache:
    """Remembers replies across runs and processes; made for `Memory`.

    Nothing is read before the first question, nothing is made before the first reply.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder; the user's cache directory if none is given."""
        self.folder = folder or default_folder()
        self.recalled = 0
        self.kept = 0
        self._places: dict[str, _Place] = {}
        self._seen: dict[Path, int] = {}
        self._looked_at: float | None = None
        self._handle: int | None = None
        self._lock = Lock()

    def recall(self, question: Question) -> Reply | None:
        """The reply kept for an equal question; None if there is none, or none that is whole."""
        key = question_key(question)
        with self._lock:
            place = self._places.get(key)
            if place is None and self._look_again():
                place = self._places.get(key)
            found = None if place is None else _read(place)
            self.recalled += found is not None
        return found

    def keep(self, question: Question, reply: Reply) -> None:
        """Keep a reply; a disk that takes nothing more costs the memory, not the reply."""
        line = f"{question_key(question)} ".encode() + _encode(reply) + b"\n"
        with self._lock:
            try:
                self._append(line)
                self.kept += 1
            except OSError:
                self._let_go()  # the next file is ended properly, should half a line stand there

    def close(self) -> None:
        """Let go of the file, so that the next writer goes on with it."""
        with self._lock:
            self._let_go()

    def size(self) -> CacheSize:
        """How much there is, other processes' replies included."""
        with self._lock:
            self._looked_at = None
            self._look_again()
            return CacheSize(len(self._places), len(self._seen), sum(map(_size, self._seen)))

    def clear(self) -> CacheSize:
        """Delete all replies; those that somebody is writing right now go too."""
        before = self.size()
        self.close()
        with self._lock:
            for file in list(self._seen):
                file.unlink(missing_ok=True)
            self._places.clear()
            self._seen.clear()
        return before

    def _look_again(self) -> bool:
        """Index what was added since the last look; False when that was a moment ago."""
        now = time.monotonic()
        if self._looked_at is not None and now - self._looked_at < _LOOK_AGAIN_SECONDS:
            return False
        self._looked_at = now
        for file in sorted(self.folder.glob(f"*{SUFFIX}")):
            with suppress(OSError):
                self._index(file)
        return True

    def _index(self, file: Path) -> None:
        start = self._seen.get(file, 0)
        if start and _size(file) < start:  # it was cleared and begun anew
            start = 0
        for offset, line in _whole_lines(file, start):
            self._seen[file] = offset + len(line)
            key, space, rest = line[:_KEY_LENGTH], line[_KEY_LENGTH:][:1], line[_KEY_LENGTH + 1 :]
            if space == b" ":
                place = _Place(file, offset + _KEY_LENGTH + 1, len(rest))
                self._places[key.decode("ascii", "replace")] = place
        self._seen.setdefault(file, 0)

    def _let_go(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _append(self, line: bytes) -> None:
        if self._handle is None:
            self._handle = self._own_file()
        written = os.write(self._handle, line)
        while written < len(line):
            written += os.write(self._handle, line[written:])

    def _own_file(self) -> int:
        """A file that nobody else writes to, ended properly."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self.folder / f"{time.time_ns():020d}-{uuid4().hex[:8]}{SUFFIX}"
        for file in (*sorted(self.folder.glob(f"*{SUFFIX}")), fresh):
            handle = os.open(file, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                if _try_lock(handle) and file.exists():
                    _end_last_line(handle)
                    return handle
            except OSError:
                os.close(handle)
                raise
            os.close(handle)
        raise OSError(f"{fresh} was taken away while it was opened")


def _whole_lines(file: Path, start: int) -> Iterator[tuple[int, bytes]]:
    """Each line that has its end, with its offset."""
    with file.open("rb") as stream:
        stream.seek(start)
        offset, rest = start, b""
        while chunk := stream.read(_CHUNK_BYTES):
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                yield offset, line + b"\n"
                offset += len(line) + 1


def _read(place: _Place) -> Reply | None:
    try:
        with place.file.open("rb") as stream:
            stream.seek(place.offset)
            return _decode(stream.read(place.length))
    except (OSError, msgspec.DecodeError):  # cleared meanwhile, or a line that was cut off
        return None


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_last_line(handle: int) -> None:
    size = os.fstat(handle).st_size
    if size and os.pread(handle, 1, size - 1) != b"\n":
        os.write(handle, b"\n")


def _size(file: Path) -> int:
    with suppress(OSError):
        return file.stat().st_size
    return 0
