"""Whether bytes packed with zstd are all there.

Who unpacks them takes their end for the end of the text, wherever it comes. The frames tell: each
is a header and blocks that say how long they are and which is the last (RFC 8878, section 3.1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable

_FRAME = 0xFD2FB528
_SKIPPABLE = 0x184D2A50
# A header's fields by the bits of its descriptor: the size of the text, the dictionary.
_SIZE_BYTES = (0, 2, 4, 8)
_DICTIONARY_BYTES = (0, 1, 2, 4)
_REPEATED = 1


class WatchedFrames:
    """Packed bytes on their way; `are_whole` while they end where a frame does."""

    def __init__(self, packed: BinaryIO) -> None:
        """Take where the bytes come from."""
        self._packed = packed
        self._held = b""
        self._skipped = 0
        self._checksum = 0
        self._step: Callable[[bytes], int] = self._begin

    @property
    def are_whole(self) -> bool:
        """Whether nothing is missing so far."""
        return not self._held and not self._skipped and self._step == self._begin

    def read(self, count: int = -1) -> bytes:
        """The next bytes, looked through on the way."""
        chunk = self._packed.read(count)
        self._follow(self._held + chunk)
        return chunk

    def _follow(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            passed = min(self._skipped, len(data) - at)
            self._skipped -= passed
            at += passed
            # A header and all of its fields are of less than this.
            taken = self._step(data[at : at + 32]) if not self._skipped else 0
            if not taken:
                break
            at += taken
        self._held = data[at:]

    def _begin(self, data: bytes) -> int:
        """Take a frame's header; 0 where there is too little of it."""
        magic = int.from_bytes(data[:4], "little")
        if len(data) >= 8 and magic & ~0xF == _SKIPPABLE:
            self._skipped = int.from_bytes(data[4:8], "little")
            return 8
        if len(data) < 5 or magic != _FRAME:
            return 0
        descriptor = data[4]
        is_single = descriptor >> 5 & 1
        size = _SIZE_BYTES[descriptor >> 6] or is_single
        self._skipped = size + _DICTIONARY_BYTES[descriptor & 3] + (1 - is_single)
        self._checksum = 4 if descriptor & 4 else 0
        self._step = self._block
        return 5

    def _block(self, data: bytes) -> int:
        if len(data) < 3:
            return 0
        header = int.from_bytes(data[:3], "little")
        self._skipped = 1 if header >> 1 & 3 == _REPEATED else header >> 3
        if header & 1:
            self._skipped += self._checksum
            self._step = self._begin
        return 3
