"""Reports to files, in the format that the file's suffix names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeVar

from assay.errors import AssayError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Writer = TypeVar("Writer")


def writer_for(path: Path, outputs: Mapping[str, Writer]) -> Writer:
    """The writer that a file's suffix names."""
    try:
        return outputs[path.suffix.lower()]
    except KeyError:
        raise UnknownName("output format", path.suffix or path.name, outputs) from None


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file as it is, making its folder if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as exc:
        raise AssayError(f"{path} cannot be written: {exc.strerror}") from exc


def write_text(path: Path, text: str, *, mode: Literal["w", "a"] = "w") -> None:
    """Write a file, making its folder if need be."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as exc:
        raise AssayError(f"{path} cannot be written: {exc.strerror}") from exc
