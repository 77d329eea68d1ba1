"""The last format to be asked: whatever holds calls that the engine finds by itself."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.readers.documents import Document, Unreadable
from assay.readers.engine import FoundRun, find_runs
from assay.readers.formats import rows
from assay.readers.table import GENERIC as GENERIC_NAME
from assay.readers.table import Table, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

# How far a file is searched for its first call before it is given up.
_SEARCHED = 200
_COMPARED = 6
_FEWEST_MESSAGES = 2
_LONGEST_TEXT = 16 * 1024 * 1024


class Generic(Struct, frozen=True):
    """Reads by shape alone; the row of a table names the usual columns beside the messages."""

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
        """Whether there is a call in a file."""
        head = file.head()
        if not head:
            return any(run.calls for run in find_runs(text_of(file)))
        if any(run.calls for run in find_runs(head if len(head) > 1 else head[0])):
            return True
        more = list(islice(file.documents(), _SEARCHED))
        values = [item.value for item in more if isinstance(item, Document)]
        return len(values) > len(head) and any(run.calls for run in find_runs(values))

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file: of each of its documents, or of all of them together."""
        if not file.head():
            yield from self.table.cases(text_of(file), file, None)
        elif _stand_alone(file.head()) and not file.is_table:
            yield from self._read_each(file)
        else:
            yield from self._read_together(file)

    def _read_each(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        for item in file.documents():
            if isinstance(item, Unreadable):
                yield item
            else:
                cases = list(self.table.cases(item.value, file, item.position))
                yield from cases
                if not cases:
                    problem = "holds no call and no conversation"
                    yield Unreadable(file.name, problem, item.position, kind="passed_over")

    def _read_together(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        values: list[Any] = []
        for item in file.documents():
            if isinstance(item, Unreadable):
                yield item
            else:
                values.append(item.value)
        yield from self.table.cases(values[0] if len(values) == 1 else values, file, None)


def _stand_alone(head: list[Any]) -> bool:
    """Whether each of the first documents is a run by itself."""
    return len(head) > 1 and all(_is_run(value) for value in head[:_COMPARED])


def _is_run(value: Any) -> bool:
    return any(_is_whole(run) for run in find_runs(value))


def _is_whole(run: FoundRun) -> bool:
    """Whether a run has several calls or messages: a line with one call is a step of a run."""
    answered = [call for call in run.calls if call.has_result]
    return len(answered) > 1 or len(run.messages) >= _FEWEST_MESSAGES


def text_of(file: File) -> str:
    """The text of a file that holds no documents, such as a log."""
    text = file.text() or b""
    return text.decode(errors="replace") if len(text) <= _LONGEST_TEXT else ""


GENERIC = Generic(table_of(GENERIC_NAME, rows()[GENERIC_NAME] | {"many": True}))
