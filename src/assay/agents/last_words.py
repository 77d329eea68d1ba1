"""What a program of somebody else says on standard error: the last of it, kept from terminals."""

from __future__ import annotations

import os
from threading import Thread
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from typing import TextIO

_MOST_KEPT = 2_000
_PIECE = 4_096
# One that has ended has said all, and it is read; one that goes on may say more at any time.
_SECONDS_TO_READ = 10.0
_SECONDS_TO_SPEAK = 0.5


class LastWords:
    """A file to write to, of which only the end is kept; read by a thread of its own."""

    def __init__(self) -> None:
        """Open the file; `file` is what the program is given."""
        self._reading, writing = os.pipe()
        self.file: TextIO = os.fdopen(writing, "w", encoding="utf-8")
        self._kept = b""
        self._thread = Thread(target=self._read, name="assay-last-words", daemon=True)

    def __enter__(self) -> Self:
        """Begin to read."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Write no more; whoever still holds the other end is read until it lets go."""
        self.file.close()

    def _read(self) -> None:
        with os.fdopen(self._reading, "rb", buffering=0) as reading:
            while piece := reading.read(_PIECE):
                self._kept = (self._kept + piece)[-_MOST_KEPT:]

    def after(self, message: str, *, has_ended: bool) -> str:
        """A message, with the last words of a program, which may go on, where there are any."""
        self.file.close()
        self._thread.join(_SECONDS_TO_READ if has_ended else _SECONDS_TO_SPEAK)
        said = self._kept.decode(errors="replace").strip()
        return f"{message}. It said: {said}" if said else message
