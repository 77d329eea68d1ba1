"""Replies of judges, kept on disk: the same question is paid for once.

One SQLite file in the user's cache directory, by the hash of everything that was asked. Any
number of processes may share it; what is not committed when one dies was never there.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from assay.judge.questions import Question, Reply
from assay.judge.rubric import RUBRIC_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

CACHE_VERSION = 2
FILE_NAME = "replies.sqlite"
_KEY_LENGTH = 32
_BUSY_SECONDS = 30.0
_SCHEMA = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB) WITHOUT ROWID"
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.Decoder(Reply).decode


class CacheSize(Struct, frozen=True):
    """How much a cache holds: replies, and bytes on disk."""

    replies: int
    bytes: int


def user_cache() -> Path:
    """The folder of the user's that holds what can be made again."""
    base = os.environ.get("XDG_CACHE_HOME")
    # A relative path there is invalid and to be ignored, says the XDG standard.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "assay"


def question_key(question: Question) -> str:
    """The same for questions whose replies are of equal standing, and for no others."""
    content = _encode_sorted([CACHE_VERSION, RUBRIC_VERSION, question])
    return sha256(content).hexdigest()[:_KEY_LENGTH]


class ReplyCache:
    """Remembers replies across runs and processes; made for `Memory`.

    Nothing is read before the first question, nothing is made before the first reply. A disk
    that takes nothing, or a file that is none of ours, costs the memory and not the reply.
    """

    def __init__(self, folder: Path | None = None) -> None:
        """Take the folder; the user's cache directory if none is given."""
        self.folder = folder or user_cache() / "judge"
        self.recalled = 0
        self.kept = 0
        self._database: sqlite3.Connection | None = None
        self._lock = Lock()

    def recall(self, question: Question) -> Reply | None:
        """The reply kept for an equal question; None if there is none, or none that is whole."""
        found = self._run(
            lambda db: db.execute(
                "SELECT reply FROM replies WHERE key = ?", (question_key(question),)
            ).fetchone()
        )
        with suppress(msgspec.DecodeError):
            if found is not None:
                reply = _decode(found[0])
                self.recalled += 1
                return reply
        return None

    def keep(self, question: Question, reply: Reply) -> None:
        """Keep a reply."""
        row = (question_key(question), msgspec.json.encode(reply))
        done = self._run(
            lambda db: db.execute("INSERT OR REPLACE INTO replies VALUES (?, ?)", row), make=True
        )
        self.kept += done is not None

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            if self._database is not None:
                self._database.close()
                self._database = None

    def __del__(self) -> None:
        """Close what nobody closed."""
        self.close()

    def size(self) -> CacheSize:
        """How much there is, other processes' replies included."""
        found = self._run(lambda db: db.execute("SELECT COUNT(*) FROM replies").fetchone())
        return CacheSize(found[0] if found else 0, self._bytes())

    def clear(self) -> CacheSize:
        """Delete all replies; how much there was."""
        before = self.size()

        def empty(database: sqlite3.Connection) -> None:
            database.execute("DELETE FROM replies")
            database.execute("VACUUM")

        self._run(empty)
        return before

    def _run(self, work: Callable[[sqlite3.Connection], Any], *, make: bool = False) -> Any:
        """Do something with the database; None where there is none, or it cannot be done."""
        with self._lock, suppress(OSError, sqlite3.Error):
            if self._database is None and (make or self._file.exists()):
                self._database = self._opened()
            if self._database is not None:
                return work(self._database)
        return None

    @property
    def _file(self) -> Path:
        return self.folder / FILE_NAME

    def _opened(self) -> sqlite3.Connection:
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.close(os.open(self._file, os.O_RDWR | os.O_CREAT, 0o600))  # replies may quote runs
        database = sqlite3.connect(
            self._file, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute("PRAGMA synchronous = NORMAL")
            database.execute(_SCHEMA)
        except sqlite3.Error:
            database.close()
            raise
        return database

    def _bytes(self) -> int:
        files = self.folder.glob(f"{FILE_NAME}*") if self.folder.is_dir() else ()
        return sum(file.stat().st_size for file in files)
