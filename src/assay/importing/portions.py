"""All files of an import in portions, found as they are needed: there may be millions."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.json_values import without_surrogates
from assay.readers import STDIN, Unreadable, walk_files, why_no_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Telling of a portion takes as long as reading one small file, and who is done first waits for at
# most one: a fifth of a second.
PORTION_BYTES = 6 * 1024 * 1024
_PORTION_FILES = 192


class Portion(Struct, frozen=True):
    """Neighbouring files that one worker reads together; of large ones it may hand some back."""

    files: list[str]


def names_of(sources: Sequence[str]) -> Iterator[str]:
    """The files that the sources mean, and the pipe."""
    for source in sources:
        if source == STDIN:
            yield STDIN
        else:
            yield from walk_files(source)


def stores_among(sources: Sequence[str], target: str) -> Iterator[Unreadable]:
    """The stores that were named as sources; what the runs are to go into may lie among them."""
    for source in sources:
        path = Path(source)
        if source == STDIN or not path.is_dir() or path.resolve() == Path(target).resolve():
            continue
        if (problem := why_no_source(source)) is not None:
            yield Unreadable(without_surrogates(source), without_surrogates(problem))


def portions_by_count(files: Iterator[str]) -> Iterator[Portion]:
    """Files in portions of as many, whatever they hold: to ask each how much that is takes time."""
    while together := list(islice(files, _PORTION_FILES)):
        yield Portion(together)


def portions_of(files: Iterator[str], enough: int = PORTION_BYTES) -> Iterator[Portion]:
    """Files in portions of so many bytes, and not too many files."""
    together: list[str] = []
    weight = 0
    for file in files:
        together.append(file)
        weight += size_of(file)
        if weight >= enough or len(together) >= _PORTION_FILES:
            yield Portion(together)
            together, weight = [], 0
    if together:
        yield Portion(together)


def size_of(file: str) -> int:
    """How many bytes a file has; what cannot be looked at is reported when it is read."""
    try:
        return os.stat(file).st_size  # noqa: PTH116 - much faster, and there are many
    except OSError:
        return 0
