"""A file somebody recorded, wherever it lies: on disk, in an archive, on standard input."""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain, islice
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Protocol

from msgspec import Struct

from assay.evaluation import Judged
from assay.ingest.documents import Document, Unreadable, documents_in, read_up_to
from assay.ingest.pipe import Pipe
from assay.ingest.strangers import stranger
from assay.json_values import without_surrogates
from assay.test_case import AgentTestCase

_SAMPLED_DOCUMENTS = 20
# So little at once that who watches sees a packed file move, too.
_BUFFER = 64 * 1024
_SMALL_FILE = 256 * 1024
# More than most small files hold; asking for a size first takes longer.
_AT_ONCE = 64 * 1024
_LARGEST_TEXT = 64 * 1024 * 1024


class Damaged(OSError):
    """What is packed cannot be unpacked: whatever it holds is lost, and worth a word."""


class Place(Protocol):
    """Where bytes lie: opens its own file and those beside it."""

    @property
    def name(self) -> str:
        """What to call it in a message."""

    def open(self) -> BinaryIO:
        """The bytes, from the start."""

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that name in the same folder or below it, if there is one.

        Or in a folder so many above, or below that.
        """


def is_below(name: str) -> bool:
    """Whether a relative path stays in its folder; names in recordings are not to be trusted."""
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


class _CountedFile(io.FileIO):
    """A file that tells which bytes were read, a buffer at a time."""

    def __init__(self, path: str, on_read: Callable[[int, int], object]) -> None:
        super().__init__(path, "rb")
        self._on_read = on_read

    def readinto(self, buffer: Any) -> int:
        count = super().readinto(buffer) or 0
        end = self.tell()
        self._on_read(end - count, end)
        return count


def _opened(path: str) -> BinaryIO:
    """A file to read; a small one is read at once, which asks the system half as often."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(descriptor).st_size
        whole = os.read(descriptor, size + 1) if 0 < size <= _SMALL_FILE else b""
        if not whole or len(whole) != size:
            if whole:
                os.lseek(descriptor, 0, os.SEEK_SET)
            return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return io.BytesIO(whole)


def small_file(path: str) -> bytes | None:
    """All bytes of a file; None where there are many, or where it cannot be read."""
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    try:
        whole = os.read(descriptor, _AT_ONCE)
        if len(whole) == _AT_ONCE:
            whole += os.read(descriptor, _SMALL_FILE)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    return whole if len(whole) < _SMALL_FILE else None


class FilePlace:
    """A file on disk; `on_bytes` hears how much was read, each byte once."""

    def __init__(self, path: str | Path, on_bytes: Callable[[int], object] | None = None) -> None:
        """Take the path as the user gave it."""
        self.name = str(path)
        self._on_bytes = on_bytes
        # How far each block was read: an archive is not read from its beginning to its end.
        self._heard = array("L")

    @property
    def path(self) -> Path:
        """Where it lies."""
        return Path(self.name)

    def open(self) -> BinaryIO:
        """The bytes, from the start."""
        if self._on_bytes is None:
            return _opened(self.name)
        return io.BufferedReader(_CountedFile(self.name, self.tell), _BUFFER)

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that name in the same folder, one above or below, if there is one."""
        path = self.path
        if above and (len(path.parents) <= above + 1 or ".." in path.parts):
            path = path.absolute()
        if not is_below(name) or len(path.parents) <= above:
            return None
        other = path.parents[above] / name
        return FilePlace(other) if other.is_file() else None

    def tell_all(self) -> None:
        """Say that the whole file was read, by somebody who opened it himself."""
        try:
            self.tell(0, self.path.stat().st_size)
        except OSError:
            return

    def tell(self, begin: int, end: int) -> None:
        """Pass on what is new: a file is looked at before it is read."""
        if self._on_bytes is None:
            return
        more = 0
        last = (end - 1) // _BUFFER
        self._heard.extend([0] * (last + 1 - len(self._heard)))
        for block in range(begin // _BUFFER, last + 1):
            reached = min(end - block * _BUFFER, _BUFFER)
            more += max(0, reached - self._heard[block])
            self._heard[block] = max(reached, self._heard[block])
        if more:
            self._on_bytes(more)


class Recording:
    """One recorded file: its bytes, its JSON documents and its first few for a look.

    Looking costs nothing: the documents that `sample` has read are the first that `documents`
    yields. Asked for its documents again, the file is read again.
    """

    def __init__(
        self, place: Place, *, format_name: str | None = None, strange: str | None = None
    ) -> None:
        """Take the place; nothing is read yet.

        Its container may know the format of it, or why it is `strange` to every reader.
        """
        self.place = place
        self.format_name, self.strange = format_name, strange
        # A file's name may hold bytes that are no text, and could not be written down.
        self.name = without_surrogates(place.name)
        self._head: list[Document | Unreadable] = []
        self._rest: Iterator[Document | Unreadable] | None = None
        self._text: bytes | None = None
        self._text_read = False
        self.mended: dict[int | None, str] = {}
        # How many bytes the documents had that were read so far.
        self.weight = 0
        # What is wrong with its packing, known as soon as it was read up to there.
        self.damage: str | None = None
        # What a format made of the file while looking at it, so that reading need not do it again.
        self.glimpsed: AgentTestCase | Judged | None = None
        # Whether the run that was read last is one of ours, settled before it was written.
        self.settled = False
        # The spans that were seen by the first who looked for some: several formats have them.
        self.sampled_spans: list[Any] | None = None

    def open(self) -> BinaryIO:
        """The bytes, from the start."""
        return self.place.open()

    def documents(self, *, mend: bool = True) -> Iterator[Document | Unreadable]:
        """All JSON documents; what cannot be read is reported in its place.

        What had to be mended to be read is noted in `mended`, unless `mend` is off.
        """
        if self._rest is None or not mend:
            return self._read(mend=mend)
        found = chain(self._head, self._rest)
        self._head, self._rest = [], None
        return found

    def own_documents(self, format_name: str) -> Iterator[Document | Unreadable]:
        """All documents of a session, those told of that are plainly another program's."""
        for item in self.documents():
            if isinstance(item, Unreadable):
                yield item
            else:
                yield stranger(format_name, item.value, self.name, item.position) or item

    @property
    def text(self) -> bytes | None:
        """The bytes at once, for readers that need but a few fields; None if there are too many."""
        if not self._text_read:  # by hand: a cached property takes a lock, and files are many
            self._text, self._text_read = self._whole_text(), True
        return self._text

    def _whole_text(self) -> bytes | None:
        try:
            with self.open() as file:
                text = read_up_to(_LARGEST_TEXT + 1, file)
        except OSError:
            return None
        return text if len(text) <= _LARGEST_TEXT else None

    @cached_property
    def sample(self) -> tuple[Any, ...]:
        """The values of the first documents that can be read: enough to tell a format."""
        self._rest = self._read()
        self._head = []
        for item in islice(self._rest, _SAMPLED_DOCUMENTS):
            self._head.append(item)
            if isinstance(self.place, Pipe) and self.place.is_slow():
                break  # whoever writes now and then wants to see now what came of it
        return tuple(item.value for item in self._head if isinstance(item, Document))

    @property
    def sampled_problems(self) -> list[Unreadable]:
        """What could not be read among the first documents, as long as nobody has read on."""
        return [item for item in self._head if isinstance(item, Unreadable)]

    def first_items(self, count: int) -> list[Any]:
        """So many of the first things in it: the values of `sample`, of lists the items."""
        found = (v if isinstance(v, list) else [v] for v in self.sample)
        return list(islice(chain.from_iterable(found), count))

    def _read(self, *, mend: bool = True) -> Iterator[Document | Unreadable]:
        try:
            with self.open() as file:
                for item in documents_in(file, self.name, mend=mend):
                    if isinstance(item, Document):
                        self.weight += item.size
                        if item.mended:
                            self.mended[item.position] = item.mended
                    yield item
        except OSError as exc:
            problem = f"cannot be read: {exc.strerror or exc}"
            if isinstance(exc, Damaged):
                self.damage = problem
            yield Unreadable(self.name, problem)

    def beside(self, name: str, *, above: int = 0) -> Recording | None:
        """The recording of that name in the same folder or so many above, if there is one."""
        place = self.place.beside(name, above=above)
        return None if place is None else Recording(place)


Glimpsing = Callable[[str, bytes], AgentTestCase | Judged | None]


class Format(Struct, frozen=True):
    """One format that can be read.

    `recognise` says by looking how sure it is, from 0 (not mine) to 1 (nobody else's);
    `read` yields the runs and the evaluations, and what it cannot read in its place; `fidelity`
    tells the user what the format cannot say. `glimpse` makes the one item of a file from its
    path and bytes alone, where they are as usual; it says None of any other.
    """

    name: str
    title: str
    fidelity: str
    recognise: Callable[[Recording], float]
    read: Callable[[Recording], Iterator[AgentTestCase | Judged | Unreadable]]
    glimpse: Glimpsing | None = None
