"""Foreign files to cases; what cannot be read is reported in its place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.ingest.documents import Unreadable
from assay.ingest.native import NATIVE
from assay.ingest.recording import FilePlace, Recording

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

__all__ = ["Unreadable", "read_cases"]


def read_cases(path: str | Path) -> Iterator[AgentTestCase | Unreadable]:
    """All cases of a file: one, a list of them, or one a line; bad ones in their place."""
    yield from NATIVE.read(Recording(FilePlace(Path(path))))
