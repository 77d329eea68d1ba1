"""Compressed files and archives, known by their first bytes and read in place.

Names inside an archive are only names: nothing is unpacked by its name, so nothing can escape its
folder. What unpacks to far more than it weighs is refused.
"""

from __future__ import annotations

import bz2
import io
import lzma
import tarfile
import zipfile
import zlib
from itertools import takewhile
from pathlib import PurePosixPath
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, BinaryIO, NamedTuple, Protocol, cast

import zstandard

from assay.errors import InvalidRecord
from assay.readers.files.file import Damaged, Place, is_below

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ZIP_MARK = b"PK\x03\x04"
EMPTY_ZIP_MARK = b"PK\x05\x06"
TAR_MARK = slice(257, 262), b"ustar"
_MOST_MEMBERS = 200_000
_LARGEST_EXPANSION = 300
# Below this a packed file may expand as it likes: it can do no harm. The same for all archives
# that lie in one.
_HARMLESS_BYTES = 64 << 20
_HARMLESS_TOGETHER = 128 << 20
_PIECE = 16 * 1024
# Zstd gives out all that a piece holds: small pieces bound what that may be.
_ZSTD_PIECE = 2 * 1024
_CHUNK = 256 * 1024
_AT_ONCE = 64 * 1024
_MOST_LZMA_MEMORY = 512 * 1024 * 1024
# Where macOS keeps what it knows of the files in a zip.
_MAC_FOLDER = "__MACOSX"
_ERRORS: tuple[type[Exception], ...] = (
    *(EOFError, OSError, RuntimeError, ValueError, KeyError, OverflowError, NotImplementedError),
    *(zlib.error, lzma.LZMAError, zstandard.ZstdError, zipfile.BadZipFile, tarfile.TarError),
)


class _Packing(NamedTuple):
    """One way to compress: its suffix, its first bytes, and what unpacks one stream of it."""

    suffix: str
    mark: bytes
    unpacker: Callable[[], Any]
    piece: int = _PIECE


_PACKINGS = (
    _Packing(".gz", b"\x1f\x8b", lambda: zlib.decompressobj(31)),
    _Packing(
        ".zst",
        b"\x28\xb5\x2f\xfd",
        lambda: zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj(),
        _ZSTD_PIECE,
    ),
    _Packing(".bz2", b"BZh", bz2.BZ2Decompressor),
    _Packing(".xz", b"\xfd7zXZ\0", lambda: lzma.LZMADecompressor(memlimit=_MOST_LZMA_MEMORY)),
)
_SHORT = {".tgz": ".tar", ".tbz": ".tar", ".tbz2": ".tar", ".txz": ".tar", ".tzst": ".tar"}


def packing_of(start: bytes) -> _Packing | None:
    """How a file that begins like that is compressed; None where it is not."""
    return next((packing for packing in _PACKINGS if start.startswith(packing.mark)), None)


def is_archive(start: bytes) -> bool:
    """Whether a file that begins like that is a zip or tar archive."""
    place, mark = TAR_MARK
    return start.startswith((ZIP_MARK, EMPTY_ZIP_MARK)) or start[place] == mark


class PackedPlace:
    """A file compressed as a whole."""

    def __init__(self, inner: Place, packing: _Packing) -> None:
        """Take the place of the compressed file."""
        self.inner, self._packing = inner, packing
        # What follows the last stream and was left out; known once it was read.
        self.trailing = False

    @property
    def name(self) -> str:
        """The name without the suffix of its packing."""
        name, suffix = self.inner.name, PurePosixPath(self.inner.name).suffix
        if suffix.lower() in _SHORT:
            return name[: -len(suffix)] + _SHORT[suffix.lower()]
        return name[: -len(suffix)] if suffix.lower() == self._packing.suffix else name

    def open(self) -> BinaryIO:
        """The unpacked bytes, from the start."""
        packed = self.inner.open()
        unpacked = _Unpacked(packed, self._packing, self._note_trailing)
        return _bounded(unpacked, _most_unpacked(_size_of(packed)), self.inner.name)

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that name beside the packed one, packed or not."""
        found = self.inner.beside(name, above=above)
        if found is not None:
            return found
        packed = self.inner.beside(name + self._packing.suffix, above=above)
        return None if packed is None else PackedPlace(packed, self._packing)

    def names_beside(self) -> list[str]:
        """The names of the files beside the packed one."""
        return self.inner.names_beside()

    def _note_trailing(self) -> None:
        self.trailing = True


class _Unpacked:
    """The bytes of one compressed stream after the other; what is no stream behind is left out."""

    def __init__(
        self, packed: BinaryIO, packing: _Packing, on_trailing: Callable[[], object]
    ) -> None:
        self._packed, self._packing, self._on_trailing = packed, packing, on_trailing
        self._unpacker = packing.unpacker()
        self._pending = b""
        self._ended = False

    def read(self, count: int) -> bytes:
        """Some bytes, at most so many or what one piece holds; none at the end."""
        while not self._ended:
            if found := self._next(max(count, 1)):
                return found
        return b""

    def close(self) -> None:
        self._packed.close()

    def _next(self, count: int) -> bytes:
        if self._unpacker.eof:
            self._begin_stream()
            return b""
        piece, self._pending = self._pending, b""
        if not piece and getattr(self._unpacker, "needs_input", True):
            piece = self._packed.read(self._packing.piece)
            if not piece:
                raise EOFError("it breaks off")
        if self._packing.suffix == ".zst":
            found: bytes = self._unpacker.decompress(piece)
        else:
            found = self._unpacker.decompress(piece, count)
        self._pending = getattr(self._unpacker, "unconsumed_tail", b"")
        return found

    def _begin_stream(self) -> None:
        """Go on with the stream that follows the one that ended, if there is one."""
        rest: bytes = self._unpacker.unused_data.lstrip(b"\0")
        while len(rest) < len(self._packing.mark):
            piece = self._packed.read(self._packing.piece)
            if not piece:
                break
            rest = (rest + piece).lstrip(b"\0")
        if rest.startswith(self._packing.mark):
            self._unpacker, self._pending = self._packing.unpacker(), rest
            return
        self._ended = True
        if rest:
            self._on_trailing()


class _Bounded(io.RawIOBase):
    """Bytes as they are unpacked, up to a limit."""

    def __init__(self, file: Any, limit: int, name: str) -> None:
        super().__init__()
        self._file, self._left, self._name = file, limit, name
        # What comes before a damage is given first; a read that fills its buffer loses it.
        self._read_some = getattr(file, "read1", file.read)
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._ready:
            self._ready = memoryview(self._unpack(len(buffer)))
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def _unpack(self, count: int) -> bytes:
        try:
            found: bytes = self._read_some(min(count, _CHUNK))
        except _ERRORS as exc:
            raise Damaged(f"{self._name} is damaged: {exc}") from exc
        self._left -= len(found)
        if self._left < 0:
            raise Damaged(f"{self._name} unpacks to more than {_LARGEST_EXPANSION} times its size")
        return found

    def close(self) -> None:
        self._file.close()
        super().close()


def _bounded(file: Any, limit: int, name: str) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_Bounded(file, limit, name), _AT_ONCE))


def _most_unpacked(packed_size: int) -> int:
    return max(_HARMLESS_BYTES, _LARGEST_EXPANSION * packed_size)


def size_of(place: Place) -> int:
    """How much an archive weighs."""
    if isinstance(place, PackedPlace):
        return size_of(place.inner)
    with place.open() as packed:
        return _size_of(packed)


def _size_of(packed: BinaryIO) -> int:
    """The size of an open file; a pipe, or what is unpacked itself, has none."""
    if not packed.seekable():
        return _HARMLESS_BYTES
    here = packed.tell()
    size = packed.seek(0, io.SEEK_END)
    packed.seek(here)
    return size


class Archive(Protocol):
    """An open archive: how large each file in it is as it is packed, and each file by its name."""

    sizes: dict[str, int]
    unpacked: int
    damage: str

    def open(self, member: str) -> Any:
        """The bytes of a file."""


class MemberPlace:
    """A file inside an open archive."""

    def __init__(self, archive: Archive, archive_name: str, member: str) -> None:
        """Take the archive, what it is called, and the name of the file in it."""
        self._archive, self._archive_name, self.member = archive, archive_name, member

    @property
    def name(self) -> str:
        """The archive's name and the member's."""
        return f"{self._archive_name}!{self.member}"

    def open(self) -> BinaryIO:
        """The unpacked bytes, from the start."""
        try:
            file = self._archive.open(self.member)
        except _ERRORS as exc:
            raise Damaged(f"{self.name} cannot be unpacked: {exc}") from exc
        return _bounded(file, _most_unpacked(self._archive.sizes[self.member]), self.name)

    def beside(self, name: str, *, above: int = 0) -> MemberPlace | None:
        """The member of that name in the same folder of the archive, or in one above."""
        folders = PurePosixPath(self.member).parents
        if not is_below(name) or len(folders) <= above:
            return None
        other = str(folders[above] / name)
        if other not in self._archive.sizes:
            return None
        return MemberPlace(self._archive, self._archive_name, other)

    def names_beside(self) -> list[str]:
        """The names in the same folder of the archive."""
        folder = PurePosixPath(self.member).parent
        paths = map(PurePosixPath, self._archive.sizes)
        return sorted(path.name for path in paths if path.parent == folder)


class Budget:
    """How much the archives in one file may unpack to, all together."""

    def __init__(self, packed_size: int) -> None:
        """Take how much the outermost archive weighs."""
        self._left = max(_HARMLESS_TOGETHER, _LARGEST_EXPANSION * packed_size)

    def take(self, size: int) -> None:
        """Take so many bytes of it; an InvalidRecord where there are not so many left."""
        if size > self._left:
            raise InvalidRecord(
                f"would unpack to {size:,} bytes, far more than it weighs, and that is refused;"
                " unpack it yourself if you trust it"
            )
        self._left -= size


def members(place: Place, budget: Budget) -> Iterator[MemberPlace]:
    """The files of an archive in name order, as a folder shows them.

    The archive stays open while its members are asked for. A broken one is an InvalidRecord, of a
    broken tar after those members that were found.
    """
    with place.open() as packed, TemporaryFile() as aside:
        file, damage = _seekable(packed, aside)
        archive = _opened(file)
        budget.take(archive.unpacked)
        if len(archive.sizes) > _MOST_MEMBERS:
            raise InvalidRecord(
                f"holds more than {_MOST_MEMBERS:,} files; unpack it and name the folder"
            )
        for name in _visible(archive.sizes):
            yield MemberPlace(archive, place.name, name)
        if damage or archive.damage:
            count = len(archive.sizes)
            raise InvalidRecord(
                f"is a damaged archive; {count:,} of its files were found:"
                f" {damage or archive.damage}"
            )


def _seekable(packed: BinaryIO, aside: IO[bytes]) -> tuple[IO[bytes], str]:
    """The archive as a file with places in it, unpacked to disk where it is compressed.

    With it comes why it is not all, where its compression is damaged.
    """
    if packed.seekable():
        return packed, ""
    damage = ""
    try:
        while piece := cast("io.BufferedReader", packed).read1(_CHUNK):
            aside.write(piece)
    except Damaged as exc:
        damage = str(exc.__cause__ or exc)
    except OSError as exc:
        raise InvalidRecord(f"cannot be unpacked: {exc.strerror or exc}") from exc
    aside.seek(0)
    return aside, damage


def _opened(file: IO[bytes]) -> Archive:
    start = file.read(4)
    file.seek(0)
    try:
        if start in {ZIP_MARK, EMPTY_ZIP_MARK}:
            return _ZipArchive(file)
        return _TarArchive(file)
    except _ERRORS as exc:
        raise InvalidRecord(f"is not a usable archive: {exc}") from exc


class _ZipArchive:
    """An open zip archive."""

    def __init__(self, file: IO[bytes]) -> None:
        self._archive = zipfile.ZipFile(file)
        infos = [info for info in self._archive.infolist() if not info.is_dir()]
        self.unpacked = sum(info.file_size for info in infos)
        if self.unpacked > _most_unpacked(sum(info.compress_size for info in infos)):
            raise InvalidRecord(
                f"would unpack to {self.unpacked:,} bytes, far more than it weighs, and that is"
                " refused; unpack it yourself if you trust it"
            )
        self.sizes = {info.filename: info.compress_size for info in infos}
        self.damage = ""

    def open(self, member: str) -> Any:
        return self._archive.open(member)


class _TarArchive:
    """An open tar archive; of a name that occurs twice the last file counts.

    Links, devices and folders in it are passed over.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._members: dict[str, tarfile.TarInfo] = {}
        self.damage = ""
        try:
            self._archive: Any = tarfile.TarFile(fileobj=file)
            self._list(file)
        except _ERRORS as exc:
            if not self._members:
                raise
            self.damage = str(exc)
        # A file with holes states a size that nothing bounds; what it takes up is the sum of these.
        self.sizes = {
            name: member.size
            if member.sparse is None
            else sum(s for _, s in cast("Any", member).sparse)
            for name, member in self._members.items()
        }
        self.unpacked = sum(self.sizes.values())

    def open(self, member: str) -> Any:
        return self._archive.extractfile(self._members[member])

    def _list(self, file: IO[bytes]) -> None:
        end = 0
        while (member := self._archive.next()) is not None:
            self._archive.members.clear()  # it keeps folders and links as well, be they millions
            if member.offset_data <= end:
                raise tarfile.ReadError("a file of it ends before it begins")
            end = member.offset_data
            if member.isreg():
                self._members[str(PurePosixPath(member.name))] = member
            if len(self._members) > _MOST_MEMBERS:
                return
        file.seek(self._archive.offset)
        if file.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
            self.damage = "it breaks off after its last file"


def _visible(names: Iterable[str]) -> list[str]:
    """The names in order, without what a folder would hide as well, and what macOS adds.

    A folder that all lie in was meant by whoever packed it, hidden or not.
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
