"""One file of recordings, wherever it lies: on disk, packed, in an archive, in a pipe."""

from __future__ import annotations

import codecs
import io
import os
from contextlib import suppress
from itertools import chain
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol, cast

import msgspec

from assay.json_values import without_surrogates
from assay.readers.documents import Document, Unreadable, read_documents, read_up_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# How much of a file is looked at to choose its format.
_SAMPLED_DOCUMENTS = 20
_MOST_SAMPLED = 1000
_SAMPLED_BYTES = 8 * 1024 * 1024
# A file of less is read once and held while it is looked at and read.
SMALL_FILE = 256 * 1024
_AT_ONCE = 64 * 1024
# So little that what is read twice, as the end of a zip archive is, hardly counts.
_COUNTED = 16 * 1024
_LARGEST_TEXT = 64 * 1024 * 1024
_LOOKED_AT = 4096
# Text in two or four bytes a character, with its mark or as JSON begins without one.
_WIDE_TEXT = {
    b"\xff\xfe\0\0": "utf-32-le",
    b"\0\0\xfe\xff": "utf-32-be",
    **dict.fromkeys((b"{\0\0\0", b"[\0\0\0"), "utf-32-le"),
    **dict.fromkeys((b"\0\0\0{", b"\0\0\0["), "utf-32-be"),
    **dict.fromkeys((b"\xff\xfe", b"{\0", b"[\0"), "utf-16-le"),
    **dict.fromkeys((b"\xfe\xff", b"\0{", b"\0["), "utf-16-be"),
}


class Damaged(OSError):
    """A packed file, an archive or a database that cannot be unpacked from some place on."""


class Place(Protocol):
    """Where bytes lie: opens its own file and those beside it."""

    @property
    def name(self) -> str:
        """What to call it in a message."""

    def open(self) -> BinaryIO:
        """The bytes, from the start."""

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that relative name in the same folder, or in the one so many above."""

    def names_beside(self) -> list[str]:
        """The names of the files in the same folder."""


def is_below(name: str) -> bool:
    """Whether a relative path stays in its folder; names in recordings are not to be trusted."""
    path = PurePosixPath(name)
    return bool(name) and not path.is_absolute() and ".." not in path.parts


class DiskPlace:
    """A file on disk; `on_bytes` is called with how much was read, each byte once."""

    def __init__(
        self, path: str, on_bytes: Callable[[int], object] | None = None, data: bytes | None = None
    ) -> None:
        """Take the path as the user gave it, and the content where it was read already."""
        self.name = path
        self._data = data
        self._on_bytes = on_bytes
        self._unread: int | None = None

    def open(self) -> BinaryIO:
        """The bytes, from the start."""
        if self._data is not None:
            return io.BytesIO(self._data)
        if self._on_bytes is None:
            return open(self.name, "rb")  # noqa: PTH123 - the caller closes it
        return cast("BinaryIO", io.BufferedReader(_CountedFile(self), _COUNTED))

    def report(self, count: int) -> None:
        """Count so many bytes as read, and never more than there are: some are read twice."""
        if self._on_bytes is not None:
            if self._unread is None:
                self._unread = Path(self.name).stat().st_size
            count = min(count, self._unread)
            self._unread -= count
            self._on_bytes(count)

    def beside(self, name: str, *, above: int = 0) -> DiskPlace | None:
        """The file of that name in the same folder, or in one above, if there is one."""
        if not is_below(name):
            return None
        folder = Path(self.name).parent
        if above:
            folder = folder.absolute()
        for _ in range(above):
            folder = folder.parent
        other = folder / name
        return DiskPlace(str(other)) if other.is_file() else None

    def names_beside(self) -> list[str]:
        """The names in the same folder."""
        with suppress(OSError):
            return sorted(os.listdir(Path(self.name).parent))  # noqa: PTH208 - names, not paths
        return []


class _CountedFile(io.FileIO):
    """A file that reports how much was read of it, a buffer at a time."""

    def __init__(self, place: DiskPlace) -> None:
        super().__init__(place.name, "rb")
        self._place = place

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        self._place.report(count)
        return count


def small_file(path: str) -> bytes | None:
    """All bytes of a small file; None where it is larger or cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        data = os.read(descriptor, _AT_ONCE)
        if len(data) == _AT_ONCE:
            data += os.read(descriptor, SMALL_FILE)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return data if len(data) < SMALL_FILE else None


class File:
    """A file that holds text: JSON in any layout, YAML, CSV, or whatever a format can read."""

    # Whether its values are the rows of a table.
    is_table = False
    # Whether a value that is no run says nothing, as the rows of other tables do not.
    is_mixed = False
    # Whether the calls of its runs were judged before it was written; formats may set it.
    is_judged = False

    def __init__(self, place: Place) -> None:
        """Take where it lies; nothing is read yet."""
        self.place = place
        self.name = without_surrogates(place.name)
        # What the file is called that lies there, where it is compressed as a whole.
        self.packed_name = ""
        # What to say of it besides its runs: trailing bytes, columns that are no text.
        self.notes: list[Unreadable] = []
        # How many bytes of documents were read, unpacked.
        self.size_read = 0
        # Why it cannot be read to its end, where that is so.
        self.damage = ""
        self._beside: dict[tuple[str, int], Any] = {}
        self._repaired: set[int | None] = set()
        self._head: list[Document | Unreadable] | None = None
        self._rest: Iterator[Document | Unreadable] | None = None
        self._whole = False
        self._text: bytes | None = None

    @property
    def path(self) -> PurePosixPath:
        """Its path, inside the archive where it lies in one."""
        return PurePosixPath(self.name.rpartition("!")[2])

    @property
    def suffix(self) -> str:
        """How its name ends."""
        return self.path.suffix.lower()

    def open(self) -> BinaryIO:
        """Its text as UTF-8, from the start."""
        file = self.place.open()
        start = peek(file)
        encoding = _wide_encoding(start)
        return file if encoding is None else _transcoded(file, encoding)

    def start(self) -> bytes:
        """How its text begins."""
        try:
            with self.open() as file:
                return peek(file)
        except OSError:
            return b""

    def text(self) -> bytes | None:
        """All of its text, for formats that are no JSON; None where there is too much of it."""
        if self._text is None:
            try:
                with self.open() as file:
                    self._text = bytes(read_up_to(_LARGEST_TEXT + 1, file))
            except OSError:
                return None
        return self._text if len(self._text) <= _LARGEST_TEXT else None

    def documents(self) -> Iterator[Document | Unreadable]:
        """All of its values; what cannot be read stands in its place. May be asked for again."""
        if self._head is None:
            return self._read()
        if self._whole:
            return iter(self._head)
        if self._rest is None:
            return self._read()
        found = chain(self._head, self._rest)
        self._head, self._rest = None, None
        return found

    def head(self) -> list[Any]:
        """The first values that could be read: enough to choose a format."""
        if self._head is None:
            self._head, count, size = [], 0, 0
            self._rest = self._read()
            self._whole = True
            for item in self._rest:
                self._head.append(item)
                if isinstance(item, Document):
                    count, size = count + 1, size + item.size
                if self._is_enough(count, size) or len(self._head) == _MOST_SAMPLED:
                    self._whole = False
                    break
        return [item.value for item in self._head if isinstance(item, Document)]

    def head_problems(self) -> list[Unreadable]:
        """What could not be read among the first values."""
        return [item for item in self._head or () if isinstance(item, Unreadable)]

    def beside(self, relative_name: str, *, above: int = 0) -> Any | None:
        """The parsed content of a file in the same folder; of several documents a list."""
        key = (relative_name, above)
        if key not in self._beside:
            file = self.file_beside(relative_name, above=above)
            items = () if file is None else file.documents()
            found = [item.value for item in items if isinstance(item, Document)]
            self._beside[key] = found[0] if len(found) == 1 else found or None
        return self._beside[key]

    def file_beside(self, relative_name: str, *, above: int = 0) -> File | None:
        """A file in the same folder, or in one so many above, if there is one."""
        place = self.place.beside(relative_name, above=above)
        return None if place is None else File(place)

    def names_beside(self) -> list[str]:
        """The names of the files in the same folder, in order."""
        return self.place.names_beside()

    @property
    def unknown(self) -> str:
        """What to report of a file that holds no run."""
        return "holds no run in any format we know; name one with --format, or see: assay formats"

    def close(self) -> None:
        """Free what was put aside to read it."""

    def _is_enough(self, count: int, size: int) -> bool:
        return count >= _SAMPLED_DOCUMENTS or size > _SAMPLED_BYTES

    def _read(self) -> Iterator[Document | Unreadable]:
        try:
            for item in self._values():
                if isinstance(item, Document):
                    self.size_read += item.size
                    self._note_repair(item)
                yield item
        except OSError as exc:
            problem = f"cannot be read: {exc.strerror or exc}"
            if isinstance(exc, Damaged):
                self.damage = problem
            yield Unreadable(self.name, problem)

    def _note_repair(self, document: Document) -> None:
        if document.repaired and document.position not in self._repaired:
            self._repaired.add(document.position)
            problem = f"repaired: {document.repaired}"
            self.notes.append(Unreadable(self.name, problem, document.position, "repaired"))

    def _values(self) -> Iterator[Document | Unreadable]:
        with self.open() as file:
            start = peek(file)
            kind = None if start.lstrip()[:1] in {b"{", b"["} else self._layout(start)
            if kind is None:
                yield from read_documents(file, self.name)
            else:
                yield from kind(file, self.name)

    def _layout(
        self, start: bytes
    ) -> Callable[[BinaryIO, str], Iterator[Document | Unreadable]] | None:
        """What reads a text that begins like no JSON; None where that is for JSON to tell."""
        from assay.readers.files.tabular import begins_csv, read_csv  # noqa: PLC0415 - seldom used
        from assay.readers.files.yaml import begins_yaml, read_yaml  # noqa: PLC0415 - seldom used

        if begins_yaml(start, self.suffix):
            return read_yaml
        if begins_csv(start, self.suffix):
            self.is_table = True
            return read_csv
        return None


def small_json(path: str, data: bytes) -> File | None:
    """A small file whose whole text is one JSON value, parsed at once; None of any other."""
    try:
        found = Document(msgspec.json.decode(data), size=len(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    file = File(DiskPlace(path, data=data))
    file._head, file._whole = [found], True  # noqa: SLF001 - its own module
    file.size_read = len(data)
    return file


def peek(file: BinaryIO) -> bytes:
    """How an open file begins; its position stays."""
    if isinstance(file, io.BufferedReader):
        return file.peek(_LOOKED_AT)[:_LOOKED_AT]
    start = file.read(_LOOKED_AT)
    file.seek(0)
    return start


def begins_wide(start: bytes) -> bool:
    """Whether a text with such a beginning is UTF-16 or UTF-32."""
    return _wide_encoding(start) is not None


def _wide_encoding(start: bytes) -> str | None:
    if start[:2].isalnum():
        return None
    return next((e for mark, e in _WIDE_TEXT.items() if start.startswith(mark)), None)


def _transcoded(file: BinaryIO, encoding: str) -> BinaryIO:
    return cast("BinaryIO", io.BufferedReader(_Transcoded(file, encoding), _AT_ONCE))


class _Transcoded(io.RawIOBase):
    """Wide text as UTF-8; what is no character becomes U+FFFD."""

    def __init__(self, file: BinaryIO, encoding: str) -> None:
        super().__init__()
        self._file = file
        self._decoder = codecs.getincrementaldecoder(encoding)("replace")
        self._ready = b""
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._ready and not self._ended:
            piece = self._file.read(_AT_ONCE)
            self._ended = not piece
            text = self._decoder.decode(piece, final=self._ended)
            self._ready = text.encode(errors="replace").removeprefix(codecs.BOM_UTF8)
        count = min(len(buffer), len(self._ready))
        buffer[:count] = self._ready[:count]
        self._ready = self._ready[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
