"""Parquet files, such as data sets and exported spans, their rows read as lines of JSON."""

from __future__ import annotations

import io
import os
from functools import cached_property
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from assay.ingest.recording import FilePlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.parquet_rows import ParquetRows
    from assay.ingest.recording import Place

SUFFIXES = (".parquet", ".pq")
MAGIC = b"PAR1"
# How files begin that are named so and are none we can read, and what their owner may do.
_OTHER_STARTS = {
    b"PARE": "it is encrypted; write it without encryption",
    b"version https://git-lfs": "it is a pointer of Git LFS; fetch the file itself: git lfs pull",
}
_LONGEST_START = max(map(len, _OTHER_STARTS))
_BUFFER = 1 << 20


class ParquetPlace:
    """A Parquet file; its rows are opened as JSON lines.

    The engine reads files of the system only. What lies in an archive or comes through a pipe is
    put aside for it, in a file without a name.
    """

    def __init__(self, inner: Place) -> None:
        """Take the place; nothing is read yet."""
        self.inner = inner
        self._first: bytes | None = None
        self._refusal: OSError | None = None
        self._aside: BinaryIO | None = None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.inner.name

    @property
    def left_out(self) -> tuple[str, ...]:
        """The binary columns, which are not in the lines; known when one was read."""
        return self._rows.left_out if "_rows" in self.__dict__ else ()

    @property
    def is_own_table(self) -> bool:
        """Whether it is a table of a store of ours; known when it was opened."""
        return "_rows" in self.__dict__ and self._rows.is_own

    def open(self) -> BinaryIO:
        """The lines, from the start."""
        if self._refusal is not None:  # a file is opened more than once, and may be slow to refuse
            raise self._refusal
        lines = io.BufferedReader(_Lines(self._lines()), _BUFFER)
        if self._first is None:
            try:
                lines.peek(1)
            except OSError as exc:
                self._refusal = exc
                raise
        return cast("BinaryIO", lines)

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that name in the same folder, if there is one."""
        return self.inner.beside(name, above=above)

    def forget(self) -> None:
        """Let go of what was put aside."""
        if self._aside is not None:
            self._aside.close()

    def _lines(self) -> Iterator[bytes]:
        """All lines; the first is kept, because many look at no more than that."""
        known = self._first
        if known is not None:
            yield known
        for number, line in enumerate(self._rows.lines(), start=1):
            if number == 1 and known is not None:
                continue
            if number == 1 and len(line) <= _BUFFER:
                self._first = line
            self._tell(number)
            yield line

    def _tell(self, number: int) -> None:
        """How far the file was read, so far as its rows are of one size."""
        if isinstance(self.inner, FilePlace):
            rows = max(self._rows.count, number)
            self.inner.tell(self._size * (number - 1) // rows, self._size * number // rows)

    @cached_property
    def _rows(self) -> ParquetRows:
        from assay.ingest.parquet_rows import ParquetRows  # noqa: PLC0415 - the engine, when needed

        with self.inner.open() as file:
            start = file.read(_LONGEST_START)
            other = next(
                (why for begin, why in _OTHER_STARTS.items() if start.startswith(begin)), ""
            )
            if other or not start:
                raise OSError(other or "it is empty")
            if isinstance(self.inner, FilePlace):
                return ParquetRows(self.inner.path, self._size)
            self._aside = TemporaryFile()  # noqa: SIM115 - open as long as the place is
            self._aside.write(start)
            copyfileobj(file, self._aside, _BUFFER)
            self._aside.flush()
        return ParquetRows(Path(f"/dev/fd/{self._aside.fileno()}"), self._size)

    @cached_property
    def _size(self) -> int:
        return os.stat(self.inner.name if self._aside is None else self._aside.fileno()).st_size  # noqa: PTH116 - a name or a number


class _Lines(io.RawIOBase):
    """Lines as a file; no read goes beyond the end of one, so that damage costs no line before."""

    def __init__(self, lines: Iterator[bytes]) -> None:
        super().__init__()
        self._lines, self._rest = lines, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(next(self._lines, b""))
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count

    def close(self) -> None:
        getattr(self._lines, "close", lambda: None)()
        super().close()
