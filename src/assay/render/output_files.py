"""Files to write: what a suffix asks for, and what is said of one that cannot be written."""

from __future__ import annotations

from contextlib import contextmanager
from shutil import copymode
from typing import TYPE_CHECKING, TypeVar

from assay.errors import UnknownName, WriteFailed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Form = TypeVar("Form")


def by_suffix(path: Path, outputs: Mapping[str, Form]) -> Form:
    """What a file's suffix asks for; an error that names what it may be if nothing fits."""
    try:
        return outputs[path.suffix.lower()]
    except KeyError:
        raise UnknownName("output format", path.suffix or path.name, outputs) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file as it is, making its folder if need be."""
    with place_for(path), written_whole(path) as part:
        part.write_bytes(data)


def write_text(path: Path, text: str) -> None:
    """Write a file, making its folder if need be."""
    write_bytes(path, text.encode())


def append_text(path: Path, text: str) -> None:
    """Add to the end of a file, making it and its folder if need be."""
    with place_for(path), path.open("a", encoding="utf-8") as file:
        file.write(text)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """What to write to: the file gets its name when it is whole; until then an older one stays.

    Whoever may read the older one may read the newer. What is no plain file, such as a pipe, is
    written to as it is, and so is what a link leads to.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    is_plain = path.is_file() or not path.exists()
    part = path.with_name(f"{path.name}.part") if is_plain and not path.is_symlink() else path
    try:
        yield part
        if part != path:
            if path.exists():
                copymode(path, part)
            part.replace(path)
    except BaseException:
        if part != path:
            part.unlink(missing_ok=True)
        raise


@contextmanager
def place_for(path: Path) -> Iterator[None]:
    """Make the folder of a file, and say so where the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as exc:
        raise WriteFailed(path, exc.strerror) from exc
