"""Files to write: what a suffix asks for, and what is said of one that cannot be written."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal, TypeVar

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
    with place_for(path):
        path.write_bytes(data)


def write_text(path: Path, text: str, *, mode: Literal["w", "a"] = "w") -> None:
    """Write a file, making its folder if need be."""
    with place_for(path), path.open(mode, encoding="utf-8") as file:
        file.write(text)


@contextmanager
def place_for(path: Path) -> Iterator[None]:
    """Make the folder of a file, and say so where the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as exc:
        raise WriteFailed(path, exc.strerror) from exc
