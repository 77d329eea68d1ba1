"""Which programs keep their runs in SQLite, and how their rows become what a reader knows.

Each session, with all that belongs to it, is handed to the reader of the program's JSON as its
export would hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import InvalidRecord
from assay.ingest.documents import Document, Unreadable
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.sqlite_agents import (
    CURSOR_CHATS,
    CURSOR_TABLE,
    cursor_chat,
    goose_session,
    opencode_session,
    zed_thread,
)
from assay.ingest.sqlite_database import Database, opened
from assay.json_values import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Place

Row = dict[str, Any]


class Kind(Struct, frozen=True):
    """One kind of database: what it must have, where its sessions are, and who reads them.

    `document` makes one session of its row, or None where the row holds none. Of a table of
    keys only the rows whose `key` begins with a text are sessions.
    """

    format_name: str
    columns: dict[str, frozenset[str]]
    sessions: str
    document: Callable[[Database, Row], Any]
    key: str = ""
    begins: str = ""

    def fits(self, database: Database) -> bool:
        """Whether a database has the tables and columns of this kind."""
        return all(need <= database.columns(table) for table, need in self.columns.items())


class SessionRecording(Recording):
    """One session of a database."""

    def __init__(self, place: Place, value: Any, format_name: str) -> None:
        """Take what the session holds, and the name of the format it is in."""
        super().__init__(place, format_name=format_name)
        self._value = value

    def _read(self, *, mend: bool = True) -> Iterator[Document | Unreadable]:  # noqa: ARG002
        yield Document(self._value)


def recordings_in(place: Place) -> Iterator[Recording | Unreadable]:
    """Every session of a database as a recording of its own, one at a time."""
    try:
        with opened(place) as database:
            kinds = [kind for kind in KINDS if kind.fits(database)]
            if not kinds:
                yield Recording(place, strange=database.described())
            for kind in kinds:
                yield from _sessions(place, database, kind)
    except InvalidRecord as exc:
        yield Unreadable(without_surrogates(place.name), str(exc))
    if isinstance(place, FilePlace):
        place.tell_all()


def _sessions(place: Place, database: Database, kind: Kind) -> Iterator[Recording | Unreadable]:
    for rowid in database.rowids(kind.sessions, key=kind.key, begins=kind.begins):
        problems = database.begin_session()
        try:
            value = kind.document(database, database.row(kind.sessions, rowid))
        except InvalidRecord as exc:
            yield Unreadable(database.name, str(exc))
            continue
        yield from problems
        if value is not None:
            yield SessionRecording(place, value, kind.format_name)


KINDS = (
    Kind(
        format_name="opencode",
        columns={
            "session": frozenset({"id", "directory", "version"}),
            "message": frozenset({"id", "session_id", "data"}),
            "part": frozenset({"id", "message_id", "session_id", "data"}),
        },
        sessions="session",
        document=opencode_session,
    ),
    Kind(
        format_name="goose",
        columns={
            "sessions": frozenset({"id", "working_dir", "created_at"}),
            "messages": frozenset({"id", "session_id", "role", "content_json"})
            | {"created_timestamp"},
        },
        sessions="sessions",
        document=goose_session,
    ),
    Kind(
        format_name="cursor",
        columns={CURSOR_TABLE: frozenset({"key", "value"})},
        sessions=CURSOR_TABLE,
        document=cursor_chat,
        key="key",
        begins=CURSOR_CHATS,
    ),
    Kind(
        format_name="zed",
        columns={"threads": frozenset({"id", "data", "data_type", "updated_at"})},
        sessions="threads",
        document=zed_thread,
    ),
)
