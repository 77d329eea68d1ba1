"""Bytes packed with xz or bzip2, unpacked as they are read."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from assay.ingest.packed_names import XZ
from assay.ingest.recording import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable

# What a file asks for to be unpacked; the strongest usual packing takes 65 MB.
_MOST_MEMORY = 512 * 1024 * 1024
_PIECE = 64 * 1024
# Between the streams of an xz file may lie zeros.
_PADDING = b"\0"


class PackedStream:
    """The bytes of one stream after the other; what is no stream behind them is damage."""

    def __init__(self, packed: BinaryIO, packing: str) -> None:
        """Take the packed file and the ending that says how it is packed."""
        self._packed = packed
        self._begin = _unpackers(packing)
        self._padding = _PADDING if packing == XZ else b""
        self._unpacker: Any = self._begin()
        self._has_begun = False

    def read(self, count: int) -> bytes:
        """Some bytes, at most so many; none at the end."""
        while True:
            piece = self._next_piece()
            if piece is None:
                return b""
            found = self._unpack(piece, count)
            if found:
                return found

    def close(self) -> None:
        """Leave the packed file to whoever opened it."""

    def _next_piece(self) -> bytes | None:
        """What to unpack next, empty where there is some left; None at the end of the file."""
        if self._unpacker.eof:
            piece = self._between_streams()
            if not piece:
                return None
            self._unpacker = self._begin()
            return piece
        if not self._unpacker.needs_input:
            return b""
        piece = self._packed.read(_PIECE)
        if not piece:
            raise EOFError("it ends before its last stream does" if self._has_begun else "is empty")
        self._has_begun = True
        return piece

    def _between_streams(self) -> bytes:
        piece: bytes = self._unpacker.unused_data.lstrip(self._padding)
        while not piece and (more := self._packed.read(_PIECE)):
            piece = more.lstrip(self._padding)
        return piece

    def _unpack(self, piece: bytes, count: int) -> bytes:
        try:
            found: bytes = self._unpacker.decompress(piece, count)
        except OSError as exc:  # so bzip2 tells of damage; the file itself is read above
            raise EOFError(str(exc)) from exc
        return found


def _unpackers(packing: str) -> Callable[[], Any]:
    """What begins to unpack a stream."""
    try:
        module = import_module("lzma" if packing == XZ else "bz2")
    except ImportError as exc:
        raise Damaged(f"this Python cannot unpack {packing}; unpack it first") from exc
    if packing == XZ:
        return lambda: module.LZMADecompressor(memlimit=_MOST_MEMORY)
    unpacker: Callable[[], Any] = module.BZ2Decompressor
    return unpacker
