"""A pipe: lines are read as they come, anything else is put aside first.

A pipe is looked at and then read, but its bytes come only once. So what is looked at is kept; from
the first run on nothing more is, and an endless pipe costs neither memory nor disk.
"""

from __future__ import annotations

import io
import select
from functools import cached_property
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from assay.readers.files.file import File

if TYPE_CHECKING:
    from collections.abc import Callable

STDIN = "-"
STDIN_NAME = "<stdin>"
_BUFFER = 1 << 20
_START = 4096
# How lines begin; what begins otherwise is one document, or packed.
_OBJECT = b"{"
# How long a look waits for one more line, and a reader until it says that it waits.
_LOOK_SECONDS = 0.5
_WAIT_SECONDS = 2.0


class Pipe:
    """A pipe as a place; `on_wait` is called when nothing has come for a while."""

    def __init__(
        self,
        source: Any,
        name: str,
        *,
        on_bytes: Callable[[int], object] | None = None,
        on_wait: Callable[[], object] | None = None,
    ) -> None:
        """Take a file that is read without a buffer; nothing is read yet."""
        self.name = name
        self._source = source
        self._on_bytes, self._on_wait = on_bytes, on_wait
        self._kept = TemporaryFile(buffering=0)  # noqa: SIM115 - closed by close
        self.size = 0
        self._keeping = True

    def open(self) -> BinaryIO:
        """The bytes from the start, as far as they were kept, and then as they come."""
        replayed = _Replayed(self, is_whole=self._first_byte != _OBJECT)
        return cast("BinaryIO", io.BufferedReader(replayed, _BUFFER))

    def beside(self, name: str, *, above: int = 0) -> None:
        """Nothing lies beside a pipe."""

    def names_beside(self) -> list[str]:
        """Nothing lies beside a pipe."""
        return []

    def stop_keeping(self) -> None:
        """Nobody will look again: from here on what is read is gone."""
        self._keeping = False

    def is_slow(self) -> bool:
        """Whether the next bytes are not here yet; the end of a pipe is here."""
        return not self._comes_within(_LOOK_SECONDS)

    def start(self) -> bytes:
        """How it begins."""
        if self._first_byte == _OBJECT:
            return _OBJECT
        return self.read_at(0, _START)

    def close(self) -> None:
        """Free what was kept."""
        self._kept.close()

    def read_at(self, position: int, count: int) -> bytes:
        """Some bytes from a position: kept ones, or the next that come; none at the end."""
        if position < self.size:
            self._kept.seek(position)
            return self._kept.read(min(count, self.size - position))
        found = self._next(count)
        if self._on_bytes is not None:
            self._on_bytes(len(found))
        if self._keeping:
            self._kept.seek(0, io.SEEK_END)
            self._kept.write(found)
            self.size += len(found)
        return found

    @cached_property
    def _first_byte(self) -> bytes:
        """What the bytes begin with; if not as lines do, all of them are kept."""
        first = self.read_at(0, _BUFFER)[:1]
        while first not in {b"", _OBJECT} and self.read_at(self.size, _BUFFER):
            pass
        return first

    def _next(self, count: int) -> bytes:
        while True:
            while self._on_wait is not None and not self._comes_within(_WAIT_SECONDS):
                self._on_wait()
            found: bytes | None = self._source.read(count)
            if found is not None:  # None: nothing is here, and the file would not wait for it
                return found
            self._comes_within(_WAIT_SECONDS)

    def _comes_within(self, seconds: float) -> bool:
        try:
            ready, _, _ = select.select([self._source], [], [], seconds)
        except (OSError, ValueError, TypeError):  # no file of the system's: it never waits
            return True
        return bool(ready)


class _Replayed(io.RawIOBase):
    """The bytes of a pipe from its beginning; each reader has a position of its own.

    In one that is kept as a whole any place can be looked up.
    """

    def __init__(self, pipe: Pipe, *, is_whole: bool) -> None:
        super().__init__()
        self._pipe, self._is_whole = pipe, is_whole
        self._position = 0

    def seekable(self) -> bool:
        return self._is_whole

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        starts = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._pipe.size}
        self._position = max(0, starts[whence] + offset)
        return self._position

    def tell(self) -> int:
        return self._position

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._pipe.read_at(self._position, len(buffer))
        self._position += len(found)
        buffer[: len(found)] = found
        return len(found)


class PipedFile(File):
    """What comes through a pipe; as soon as runs are read from it, nothing more is kept."""

    def __init__(self, place: Pipe) -> None:
        """Take the pipe."""
        super().__init__(place)
        self._pipe = place

    def stop_keeping(self) -> None:
        """Nobody will look at it again."""
        self._pipe.stop_keeping()

    def text(self) -> bytes | None:
        """All of its text; None where lines come one by one, and perhaps for ever."""
        return None if self._pipe.start() == _OBJECT else super().text()

    def _is_enough(self, count: int, size: int) -> bool:
        # Whoever writes now and then wants to see now what came of it.
        return super()._is_enough(count, size) or self._pipe.is_slow()
