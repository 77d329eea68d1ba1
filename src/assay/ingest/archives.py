"""Packed recordings: files inside .gz, .zst, .xz, .bz2, .zip and .tar, read in place.

Names inside an archive are only names: nothing is unpacked by its name, so nothing can escape. What
unpacks to far more than it weighs is refused.
"""

from __future__ import annotations

import gzip
import io
import zipfile
import zlib
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import takewhile
from pathlib import PurePosixPath
from tempfile import TemporaryFile, gettempdir
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Protocol

from msgspec import Struct

from assay.errors import InvalidRecord
from assay.ingest.packed_names import BZIP2, PACKINGS, XZ, ZSTD, packing_of, unpacked_name
from assay.ingest.recording import Damaged, Place, is_below
from assay.ingest.zstd_frames import WatchedFrames
from assay.records import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MOST_MEMBERS = 200_000
_LARGEST_EXPANSION = 1000
# Below this an archive may expand as it likes: it can do no harm.
_HARMLESS_BYTES = 1 << 30
_BUFFER = 1 << 20
# A zip reads as much of what is packed as it is asked for: who watches is to see it move.
_AT_ONCE = 64 * 1024
# A name that is no text, a place before the file's start: damage is of many kinds.
_UNPACKING_ERRORS: tuple[type[Exception], ...] = (
    *(EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile),
    *(RuntimeError, ValueError),
)
with suppress(ImportError):  # a Python without it cannot unpack what it would complain of
    _UNPACKING_ERRORS += (import_module("lzma").LZMAError,)
OPENING_ERRORS: tuple[type[Exception], ...] = (*_UNPACKING_ERRORS, KeyError, OSError)
# Where macOS keeps what it knows of the files in a zip.
_MAC_FOLDER = "__MACOSX"


class _Bounded(io.RawIOBase):
    """Bytes as they are unpacked, up to a limit."""

    def __init__(self, file: Any, limit: int, name: str, *, below: Any = None) -> None:
        super().__init__()
        self._file, self._left, self._name, self._below = file, limit, name, below
        # What comes before a damage is given first; a read that fills its buffer loses it.
        self._read_some = getattr(file, "read1", file.read)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            chunk = self._read_some(len(buffer))
        except _UNPACKING_ERRORS as exc:
            raise Damaged(f"{self._name} is damaged: {exc}") from exc
        self._left -= len(chunk)
        if self._left < 0:
            raise Damaged(f"{self._name} unpacks to more than {_LARGEST_EXPANSION} times its size")
        buffer[: len(chunk)] = chunk
        return len(chunk)

    def close(self) -> None:
        self._file.close()
        if self._below is not None:
            self._below.close()
        super().close()


class _ZstdFile:
    """Bytes unpacked from zstd; its own error becomes one that everybody knows."""

    def __init__(self, packed: BinaryIO) -> None:
        zstandard = import_module("zstandard")
        self._error = zstandard.ZstdError
        self._frames = WatchedFrames(packed)
        unpacker = zstandard.ZstdDecompressor()
        self._file = unpacker.stream_reader(self._frames, read_across_frames=True)

    def read(self, count: int) -> bytes:
        try:
            found: bytes = self._file.read(count)
        except self._error as exc:
            raise EOFError(str(exc)) from exc
        if not found and count and not self._frames.are_whole:
            raise EOFError("it ends before its last frame does")
        return found

    def close(self) -> None:
        self._file.close()


class PackedPlace(Struct, frozen=True):
    """A file packed as a whole, with gzip, zstd, xz or bzip2."""

    inner: Place

    @property
    def name(self) -> str:
        """The name without the packing's suffix."""
        return unpacked_name(self.inner.name)

    def open(self) -> io.BufferedReader:
        """The unpacked bytes, from the start."""
        packed = self.inner.open()
        file = _unpacking(packed, packing_of(self.inner.name))
        limit = most_unpacked(_size_of(packed))
        return io.BufferedReader(_Bounded(file, limit, self.inner.name, below=packed), _AT_ONCE)

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that name beside the packed one, packed or not."""
        for suffix in ("", *PACKINGS):
            found = self.inner.beside(name + suffix, above=above)
            if found is not None:
                return PackedPlace(found) if suffix else found
        return None


def _unpacking(packed: BinaryIO, packing: str | None) -> Any:
    if packing == ZSTD:
        return _ZstdFile(packed)
    if packing in {XZ, BZIP2}:
        from assay.ingest.packed_streams import PackedStream  # noqa: PLC0415 - seldom needed

        return PackedStream(packed, packing)
    return gzip.GzipFile(fileobj=packed)


class Archive(Protocol):
    """An open archive: how large its files are as they are packed, and each by its name."""

    sizes: dict[str, int]
    damage: str | None

    def open(self, member: str) -> Any:
        """The bytes of a file, unpacked as they are read."""


class _ZipArchive:
    """An open zip archive."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        infos = [info for info in archive.infolist() if not info.is_dir()]
        _refuse_expansion(infos)
        self.sizes = {info.filename: info.compress_size for info in infos}
        self.damage: str | None = None

    def open(self, member: str) -> Any:
        return self._archive.open(member)


class MemberPlace(Struct, frozen=True):
    """A file inside an open archive."""

    archive: Archive
    archive_name: str
    member: str

    @property
    def name(self) -> str:
        """The archive's name and the member's."""
        return f"{self.archive_name}!{self.member}"

    def open(self) -> BinaryIO:
        """The unpacked bytes, from the start."""
        try:
            file = self.archive.open(self.member)
        except OPENING_ERRORS as exc:
            raise Damaged(f"{self.name} cannot be unpacked: {exc}") from exc
        limit = most_unpacked(self.archive.sizes[self.member])
        return io.BufferedReader(_Bounded(file, limit, self.name), _AT_ONCE)

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The member of that name in the same folder of the archive, or in one above."""
        folders = PurePosixPath(self.member).parents
        if not is_below(name) or len(folders) <= above:
            return None
        other = str(folders[above] / name)
        if other not in self.archive.sizes:
            return None
        return MemberPlace(self.archive, self.archive_name, other)


def members(place: Place) -> Iterator[MemberPlace]:
    """The files of a zip or tar archive in name order, without hidden ones, as in a folder.

    The archive stays open as long as its members are being asked for; a broken one is an
    InvalidRecord, of a broken tar after those members that were found.
    """
    with ExitStack() as opened:
        archive = _opened_archive(place, opened)
        if len(archive.sizes) > _MOST_MEMBERS:
            raise InvalidRecord(
                f"holds more than {_MOST_MEMBERS:,} files; unpack it and name the folder"
            )
        for name in _shown(archive.sizes):
            yield MemberPlace(archive, place.name, name)
        if archive.damage is not None:
            raise InvalidRecord(_told_damage(archive))


def _told_damage(archive: Archive) -> str:
    """What is wrong with a tar archive, and what could be had of it all the same."""
    if not archive.sizes:
        return f"not a usable tar archive: {archive.damage}"
    files = counted(len(archive.sizes), "file")
    return f"damaged tar archive, in which {files} could be found: {archive.damage}"


def _opened_archive(place: Place, opened: ExitStack) -> Archive:
    if not place.name.lower().endswith(".zip"):
        return _opened_tar(place, opened)
    packed = opened.enter_context(place.open())
    if _size_of(packed) == 0:
        raise InvalidRecord("is empty")
    try:
        archive = opened.enter_context(zipfile.ZipFile(packed))
    except OPENING_ERRORS as exc:
        raise InvalidRecord(f"not a usable zip archive: {exc}") from exc
    return _ZipArchive(archive)


def _opened_tar(place: Place, opened: ExitStack) -> Archive:
    """The archive itself or, of one that is packed as a whole, what was put aside of it."""
    from assay.ingest.tar_archives import TarArchive  # noqa: PLC0415 - seldom needed, long to load

    try:
        if place.name.lower().endswith(".tar"):
            return TarArchive(opened.enter_context(place.open()), _MOST_MEMBERS)
        packed = opened.enter_context(PackedPlace(place).open())
        aside = opened.enter_context(TemporaryFile())  # noqa: SIM115 - open as long as others are
        damage = _put_aside(packed, aside)
        found = TarArchive(aside, _MOST_MEMBERS)
    except OSError as exc:
        raise InvalidRecord(f"not a usable tar archive: {exc.strerror or exc}") from exc
    found.damage = damage or found.damage
    return found


def _put_aside(packed: io.BufferedReader, aside: IO[bytes]) -> str | None:
    """Unpack into a file without a name, as far as that is possible; why it is not all, if so."""
    try:
        while piece := packed.read1(_BUFFER):
            _put(piece, aside)
    except Damaged as exc:
        return str(exc.__cause__ or exc)  # its name is told with it
    finally:
        with suppress(OSError):  # no room for what it still holds was told already
            aside.seek(0)
    return None


def _put(piece: bytes, aside: IO[bytes]) -> None:
    try:
        aside.write(piece)
        aside.flush()
    except OSError as exc:
        raise InvalidRecord(
            f"cannot be unpacked in {gettempdir()}: {exc.strerror or exc};"
            " unpack it yourself, or name a folder with more room in TMPDIR"
        ) from exc


def _shown(names: Iterable[str]) -> list[str]:
    """The names in order, without what a folder would hide as well, and what macOS adds.

    The folder that all lie in was meant by whoever packed it, as one that is named is; and so
    were hidden folders where there is nothing else.
    """
    paths = {name: PurePosixPath(name).parts for name in sorted(names)}
    own = {name: path for name, path in paths.items() if path[:1] != (_MAC_FOLDER,)}
    shared = _shared_folders([path[:-1] for path in own.values()])
    parts = {name: path[shared:] for name, path in own.items()}
    shown = [name for name, path in parts.items() if not any(map(_is_hidden, path))]
    inside = {name: path[1:] for name, path in parts.items() if len(path) > 1}
    return shown or [name for name, path in inside.items() if not any(map(_is_hidden, path))]


def _shared_folders(folders: list[tuple[str, ...]]) -> int:
    """How many folders all lie in, one within the other."""
    if not folders:
        return 0
    pairs = zip(min(folders), max(folders), strict=False)  # the others lie between these
    return len([*takewhile(lambda pair: pair[0] == pair[1], pairs)])


def _is_hidden(part: str) -> bool:
    return part.startswith(".") and part != ".."


def _refuse_expansion(infos: list[zipfile.ZipInfo]) -> None:
    packed = sum(info.compress_size for info in infos)
    unpacked = sum(info.file_size for info in infos)
    if unpacked > max(_HARMLESS_BYTES, _LARGEST_EXPANSION * packed):
        raise InvalidRecord(
            f"would unpack from {packed:,} to {unpacked:,} bytes, and that is refused;"
            " unpack it yourself if you trust it"
        )


def _size_of(packed: BinaryIO) -> int:
    """The size of an open file; a pipe tells none and is trusted with a lot."""
    if not packed.seekable():
        return _HARMLESS_BYTES
    here = packed.tell()
    size = packed.seek(0, io.SEEK_END)
    packed.seek(here)
    return size


def most_unpacked(packed_size: int) -> int:
    """How much a packed file may unpack to."""
    return max(_HARMLESS_BYTES, _LARGEST_EXPANSION * packed_size)
