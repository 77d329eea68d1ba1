"""Tar archives: the names of their files, and each file opened by its name.

Links, devices and folders in them are passed over, and nothing is ever unpacked by its name.
"""

from __future__ import annotations

import tarfile
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any

from assay.ingest.archives import OPENING_ERRORS

if TYPE_CHECKING:
    from collections.abc import Iterator

# An archive ends with blocks of nothing; Python takes any end for the end.
_END = bytes(tarfile.BLOCKSIZE)
# A header may hold numbers that are none, or that lead to places where no file can end.
_BAD_HEADERS: tuple[type[Exception], ...] = (*OPENING_ERRORS, tarfile.TarError, OverflowError)


class TarArchive:
    """An open tar archive; what lies in it twice is there as it was packed last."""

    def __init__(self, file: IO[bytes], most: int) -> None:
        """Look through the archive, until there are more than `most` files.

        `damage` says why there may be more in it than was found.
        """
        self._file = file
        self.damage: str | None = None
        self._members: dict[str, tarfile.TarInfo] = {}
        try:
            self._archive = tarfile.TarFile(fileobj=file)
            for member in self._listed():
                if member.isreg():
                    self._members[str(PurePosixPath(member.name))] = member
                if len(self._members) > most:
                    break
        except _BAD_HEADERS as exc:
            self.damage = str(exc)
        self.sizes = {name: _packed_size(member) for name, member in self._members.items()}

    def _listed(self) -> Iterator[tarfile.TarInfo]:
        end = 0
        archive: Any = self._archive
        while (member := archive.next()) is not None:
            archive.members.clear()  # it keeps folders and links as well, be they millions
            if member.offset_data <= end:
                raise tarfile.ReadError("a file of it ends before it begins")
            end = member.offset_data
            yield member
        self._file.seek(self._archive.offset)
        if self._file.read(len(_END)) != _END:
            self.damage = "it breaks off or is damaged after its last file"

    def open(self, member: str) -> Any:
        """The bytes of a file."""
        return _TarredFile(self._archive.extractfile(self._members[member]))


def _packed_size(member: tarfile.TarInfo) -> int:
    """What a file takes up in the archive; one with holes tells a size that nothing bounds."""
    pieces: Any = member.sparse  # pairs of a place and a size, whatever the stubs say
    return member.size if pieces is None else sum(size for _, size in pieces)


class _TarredFile:
    """Bytes out of a tar archive; its own error becomes one that everybody knows."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def read(self, count: int) -> bytes:
        try:
            found: bytes = self._file.read1(count)
        except tarfile.TarError as exc:
            raise EOFError(str(exc)) from exc
        return found

    def close(self) -> None:
        self._file.close()
