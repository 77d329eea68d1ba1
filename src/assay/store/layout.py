"""Where a store keeps what, and how a batch becomes visible: whole, or not at all.

    store/
      assay-store.json      what this folder is, and its version
      batches/<batch>/      one import or scoring batch: a Parquet file per table
      writing/<batch>/      batches that are being written; nobody reads here
      lock                  held for the moment in which a batch becomes visible

A batch is written in `writing/` and renamed into `batches/`, which is atomic. A batch may name
older ones that it replaces (compaction); from the moment it is visible they are not.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from assay.errors import NotAStore

if TYPE_CHECKING:
    from collections.abc import Iterator

STORE_VERSION = 1
_MARK = "assay-store.json"
_REPLACES = "replaces.json"


class Layout:
    """The folders of one store."""

    def __init__(self, root: Path) -> None:
        """Take the folder; nothing is touched yet."""
        self.root = root
        self.batches_folder = root / "batches"
        self._writing = root / "writing"

    def create(self) -> None:
        """Make the folder a store, if it is not one already."""
        if self.root.exists() and any(self.root.iterdir()) and not self._is_store():
            raise NotAStore(f"{self.root} is not empty and not a store; name a new folder")
        self.batches_folder.mkdir(parents=True, exist_ok=True)
        self._writing.mkdir(exist_ok=True)
        mark = self.root / _MARK
        if not mark.exists():
            fresh = self.root / f".{uuid4().hex}"
            fresh.write_text(json.dumps({"store_version": STORE_VERSION}), encoding="utf-8")
            fresh.replace(mark)

    def check(self) -> None:
        """Raise NotAStore unless this is a store that we can read."""
        if not self._is_store():
            raise NotAStore(
                f"{self.root} is not a store. Make one with: assay import RUNS --store {self.root}"
            )
        version = json.loads((self.root / _MARK).read_text(encoding="utf-8"))["store_version"]
        if version > STORE_VERSION:
            raise NotAStore(
                f"{self.root} was written by a later assay (store version {version}, this one "
                f"reads up to {STORE_VERSION}); upgrade with: pip install --upgrade assay"
            )

    def _is_store(self) -> bool:
        return (self.root / _MARK).is_file()

    def batches(self) -> list[Path]:
        """The visible batches, oldest first."""
        found = sorted(path for path in self.batches_folder.iterdir() if path.is_dir())
        replaced = {name for path in found for name in _replaced_by(path)}
        return [path for path in found if path.name not in replaced]

    def begin(self) -> Path:
        """A new folder to write a batch into; its name sorts by time."""
        path = self._writing / f"{time.time_ns():020d}-{uuid4().hex[:8]}"
        path.mkdir(parents=True)
        return path

    def show(self, batch: Path, *, replaces: list[str] | None = None) -> None:
        """Make a written batch visible, in one step; call it while holding the lock."""
        if replaces:
            (batch / _REPLACES).write_text(json.dumps(replaces), encoding="utf-8")
        for file in batch.iterdir():
            _flush(file)
        _flush(batch)
        batch.rename(self.batches_folder / batch.name)
        _flush(self.batches_folder)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the store's lock; it is let go when the process dies."""
        with (self.root / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def leftovers(self, *, older_than_seconds: float = 3600) -> list[Path]:
        """Batches that were begun long ago and never finished: a crash left them."""
        now = time.time()
        return [p for p in self._writing.iterdir() if now - _newest(p) > older_than_seconds]

    def replaced(self) -> list[Path]:
        """Batches that a later one replaces: nobody needs them any more."""
        visible = set(self.batches())
        return [p for p in self.batches_folder.iterdir() if p.is_dir() and p not in visible]

    @staticmethod
    def remove(folders: list[Path]) -> None:
        """Delete folders that nobody reads."""
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)


def _replaced_by(batch: Path) -> list[str]:
    try:
        names: list[str] = json.loads((batch / _REPLACES).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    return names


def _newest(folder: Path) -> float:
    return max((f.stat().st_mtime for f in folder.rglob("*")), default=folder.stat().st_mtime)


def _flush(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
