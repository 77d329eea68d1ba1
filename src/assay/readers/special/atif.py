"""ATIF trajectories: read by their table, but those that assay exported come back as they were.

What ATIF has no field for stands in `extra`, by the names that the record has for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError, UnsupportedVersion
from assay.readers.documents import Unreadable
from assay.readers.formats import rows
from assay.readers.table import Table, table_of
from assay.readers.values import dict_or_empty, objects_in
from assay.records import ATIF_MARK, ATIF_STEPS
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File

NAME = "atif"



def _is_marked(value: Any) -> bool:
    return ATIF_MARK in dict_or_empty(dict_or_empty(value).get("extra"))


class Atif(Struct, frozen=True):
    """Trajectories in the Agent Trajectory Interchange Format."""

    table: Table

    @property
    def name(self) -> str:
        """What `--format` calls it."""
        return self.table.name

    @property
    def title(self) -> str:
        """What it is, in one line."""
        return self.table.title

    @property
    def cannot(self) -> str:
        """What its files do not record."""
        return self.table.cannot

    def matches(self, file: File) -> bool:
        """Whether the first values are trajectories."""
        return self.table.matches(file)

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file; its own exports are judged already."""
        head = [v for value in file.head() for v in (value if isinstance(value, list) else [value])]
        if not any(map(_is_marked, head)):
            yield from self.table.read(file)
            return
        for document in file.documents():
            if isinstance(document, Unreadable):
                yield document
                continue
            listed = isinstance(document.value, list)
            for number, value in enumerate(document.value if listed else [document.value], start=1):
                position = number if listed else document.position
                try:
                    own = own_case(dict_or_empty(value))
                except UnsupportedVersion as exc:
                    yield Unreadable(file.name, str(exc), position)
                    continue
                file.is_judged = own is not None
                if own is None:
                    yield from self.table.cases(value, file, position)
                else:
                    own.source = own.source or Source(file.name, NAME, position)
                    yield own


ATIF = Atif(table_of(NAME, rows()[NAME]))
