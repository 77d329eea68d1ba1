"""Where commands may write: anywhere but into a store, which is a folder of its own files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

_Given = TypeVar("_Given", list[Path] | None, list[str], Path | None)
# As the store's layout has it, which takes long to load.
STORE_MARK = "assay-store.json"


def is_store(folder: Path) -> bool:
    """Whether a folder says that it is a store."""
    return (folder / STORE_MARK).is_file()


def outside_stores(given: _Given) -> _Given:
    """The files to write; one within a store is refused."""
    for path in _paths(given):
        store = next(filter(is_store, Path(path).absolute().resolve().parents), None)
        if store is not None:
            raise typer.BadParameter(
                f"{path} lies within the store {store}, which holds nothing but its own files: "
                f"write it elsewhere, such as {Path(path).name}"
            )
    return given


def _paths(given: Iterable[str | Path] | Path | None) -> Iterable[str | Path]:
    if given is None:
        return ()
    return (given,) if isinstance(given, Path) else given
