"""Where a store keeps what, and how a batch becomes visible: whole, or not at all.

    store/
      assay-store.json      what this folder is, and its version
      batches/<batch>/      one import or scoring batch: a Parquet file per table
      writing/<batch>/      batches that are being written; nobody reads here
      locks/                empty files that are only ever locked

A batch is written in `writing/` and renamed into `batches/`, which is atomic. A batch may name
older ones that it replaces (compaction); from the moment it is visible they are not. Locks are
the system's own and end with the process that holds them, however it ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Literal
from uuid import uuid4

from assay.errors import NotAStore
from assay.json_values import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

STORE_VERSION = 1
MARK = "assay-store.json"
REPLACES = "replaces.json"
FOLDERS = ("batches", "writing", "locks")
# What a dying engine leaves behind has no lock; nothing alive leaves it untouched for so long.
_SPILL = "spill-"
_SPILL_SECONDS = 24 * 3600

Lock = Literal["publish", "read", "compact"]


class NewBatch:
    """A folder in which a batch is being written; locked as long as its writer lives."""

    def __init__(self, folder: Path) -> None:
        """Make and lock the folder."""
        folder.mkdir(parents=True)
        self.folder = folder
        self._handle: int | None = os.open(folder, os.O_RDONLY)
        fcntl.flock(self._handle, fcntl.LOCK_EX)

    def abandon(self) -> None:
        """Throw the batch away."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.close()

    def close(self) -> None:
        """Let go of the folder, which costs nothing where that was done."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)


class Layout:
    """The folders of one store."""

    def __init__(self, root: Path) -> None:
        """Take the folder; nothing is touched yet."""
        told = without_surrogates(str(root))
        if told != str(root):
            raise NotAStore(f"{told} is not valid UTF-8, and no store can be there; name another")
        self.root = root
        self.batches_folder, self.writing_folder, self._locks = (root / name for name in FOLDERS)

    def create(self) -> None:
        """Make the folder a store, if it is not one already; safe for several at once."""
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            found = {path.name for path in self.root.iterdir()}
            if MARK not in found and any(not _is_ours(name) for name in found):
                raise NotAStore(f"{self.root} is not empty and not a store; name a new folder")
            for name in FOLDERS:
                (self.root / name).mkdir(exist_ok=True)
            if MARK not in found:
                self._write_mark()
        except OSError as exc:
            why = "it is a file" if self.root.is_file() else exc.strerror or exc
            told = f"{self.root} cannot be made a store: {why}; name another folder"
            raise NotAStore(told) from exc
        self.check()

    def _write_mark(self) -> None:
        # Under the lock, so that one that lies about was left by somebody dead.
        with self.locked("publish"):
            fresh = self.root / f"{MARK}.{uuid4().hex}"
            fresh.write_text(json.dumps({"store_version": STORE_VERSION}), encoding="utf-8")
            fresh.replace(self.root / MARK)

    def check(self) -> None:
        """Raise NotAStore unless this is a store that we can read."""
        version = self._version()
        if version > STORE_VERSION:
            raise NotAStore(
                f"{self.root} was written by a later assay (store version {version}, this one "
                f"reads up to {STORE_VERSION}); upgrade with: pip install --upgrade assay"
            )
        if not self.batches_folder.is_dir():
            raise NotAStore(f"{self.root} is no whole store: its folder batches/ is missing")

    def _version(self) -> int:
        mark = self.root / MARK
        try:
            version = json.loads(mark.read_text(encoding="utf-8"))["store_version"]
        except (FileNotFoundError, NotADirectoryError):
            problem = "does not exist" if not self.root.exists() else f"has no {MARK}"
            problem = "is a file" if self.root.is_file() else problem
            raise NotAStore(
                f"{self.root} is not a store: it {problem}. "
                "Make one with: assay import RECORDINGS --store STORE"
            ) from None
        except OSError as exc:
            raise NotAStore(f"{mark} cannot be read: {exc.strerror or exc}") from exc
        except (ValueError, KeyError, TypeError) as exc:
            raise NotAStore(f"{mark} does not say which version the store has") from exc
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise NotAStore(f"{mark} names {version!r} as its version, which is none")
        return version

    def batches(self) -> list[Path]:
        """The visible batches, oldest first; hold the lock `read` while you use them."""
        found = sorted(path for path in self.batches_folder.iterdir() if path.is_dir())
        replaced = {name for path in found for name in _replaced_by(path)}
        return [path for path in found if path.name not in replaced]

    def begin(self) -> NewBatch:
        """A new folder to write a batch into; its name sorts by time."""
        while True:
            if not self.batches_folder.is_dir():  # withdrawn: nothing was in it yet
                self.create()
            with self.locked("publish"):
                if self.batches_folder.is_dir():
                    return NewBatch(
                        self.writing_folder / f"{time.time_ns():020d}-{uuid4().hex[:8]}"
                    )

    def withdraw(self) -> bool:
        """Take an empty store away again; False where somebody has written or is writing.

        In one step, so that who is about to write finds a whole store or none.
        """
        with self.locked("publish"):
            folders = (self.batches_folder, self.writing_folder)
            if any(any(folder.iterdir()) for folder in folders):
                return False
            away = self.root.with_name(f".{self.root.name}.{uuid4().hex}")
            self.root.rename(away)
        shutil.rmtree(away, ignore_errors=True)
        return True

    def spill_folder(self) -> Path:
        """A name for the engine's temporary files, made by it if it needs any."""
        return self.writing_folder / f"{_SPILL}{uuid4().hex}"

    def show(self, batch: NewBatch, *, replaces: list[str] | None = None) -> None:
        """Make a written batch visible, in one step; hold the lock `publish`."""
        if replaces:
            (batch.folder / REPLACES).write_text(json.dumps(replaces), encoding="utf-8")
        for file in batch.folder.iterdir():
            _flush(file)
        _flush(batch.folder)
        batch.folder.rename(self.batches_folder / batch.folder.name)
        _flush(self.batches_folder)
        batch.close()

    @contextmanager
    def locked(self, name: Lock, *, shared: bool = False) -> Iterator[None]:
        """Hold one of the store's locks; it is let go when the process dies."""
        handle = self._open_lock(name)
        if handle is None:  # nobody can change a store on read-only ground
            yield
            return
        try:
            fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX)
            yield
        finally:
            os.close(handle)

    @contextmanager
    def unread(self) -> Iterator[bool]:
        """Keep readers out for a moment; False when there are some, who are left in peace."""
        handle = self._open_lock("read")
        if handle is None:
            yield False
            return
        try:
            yield _try_lock(handle)
        finally:
            os.close(handle)

    def _open_lock(self, name: Lock) -> int | None:
        with suppress(OSError):
            self._locks.mkdir(exist_ok=True)
            return os.open(self._locks / name, os.O_RDWR | os.O_CREAT, 0o666)
        with suppress(OSError):
            return os.open(self._locks / name, os.O_RDONLY)
        return None

    def leftovers(self) -> list[Path]:
        """What dead writers left in `writing/`, and the mark of one who died making the store."""
        if not self.writing_folder.is_dir():
            return []
        with self.locked("publish"):
            marks = self.root.glob(f"{MARK}.*")
            return sorted([*marks, *filter(_is_dead, self.writing_folder.iterdir())])

    def replaced(self) -> list[Path]:
        """Batches that a later one replaces: nobody needs them any more."""
        visible = set(self.batches())
        return [
            path
            for path in sorted(self.batches_folder.iterdir())
            if path.is_dir() and path not in visible
        ]

    def sweep(self) -> list[Path]:
        """Delete what dead writers left, and replaced batches unless somebody is reading."""
        unwanted = self.leftovers()
        with self.unread() as nobody_reads:
            if nobody_reads:
                unwanted += self.replaced()
            for path in unwanted:
                _remove(path)
        return unwanted


def files_of(table: str, batches: Iterable[Path]) -> list[Path]:
    """The files of those batches that have a table."""
    return [file for batch in batches if (file := batch / f"{table}.parquet").exists()]


def _is_ours(name: str) -> bool:
    """Whether a name may stand in a store, or in one that somebody is making right now."""
    return name in FOLDERS or name.startswith(MARK)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _replaced_by(batch: Path) -> list[str]:
    try:
        names: list[str] = json.loads((batch / REPLACES).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return names


def _is_dead(path: Path) -> bool:
    if path.name.startswith(_SPILL):
        return time.time() - _newest(path) > _SPILL_SECONDS
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        return _try_lock(handle)
    finally:
        os.close(handle)


def _try_lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _newest(folder: Path) -> float:
    times = [time.time() - _SPILL_SECONDS]
    with suppress(FileNotFoundError):
        times = [path.stat().st_mtime for path in (folder, *folder.rglob("*"))]
    return max(times)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
