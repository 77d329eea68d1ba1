"""Which programs keep their runs in SQLite, and how their rows become what a reader knows.

Each session, with all that belongs to it, is handed to the reader of the program's JSON as its
export would hold it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
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
from assay.ingest.sqlite_frameworks import (
    adk_session,
    agents_session,
    agno_session,
    graph_thread,
    mlflow_trace,
    n8n_execution,
    phoenix_trace,
    webui_chat,
)
from assay.ingest.sqlite_llm import llm_conversation, llm_thread
from assay.json_values import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Place

Row = dict[str, Any]
# Nobody knows how large a session is before it is read: it is taken for a large one.
_HEAVY = 1 << 20


class Kind(Struct, frozen=True):
    """One kind of database: what it must have, where its sessions are, and who reads them.

    Each row of the table `sessions` is one; where that has no name, of every table that has the
    columns, since users may name it. With `owner` each value of that column is a session, with
    `begins` only the rows are whose `key` begins so. `document` makes a session of its row, or
    None where the row holds none.
    """

    format_name: str
    columns: dict[str, frozenset[str]]
    sessions: str
    document: Callable[[Database, Row], Any]
    owner: str = ""
    key: str = ""
    begins: str = ""

    def tables(self, database: Database) -> list[str]:
        """The tables with sessions of this kind; none where the database is of another."""
        named = {table: need for table, need in self.columns.items() if table}
        if not all(need <= database.columns(table) for table, need in named.items()):
            return []
        return [self.sessions] if self.sessions else database.tables_with(self.columns[""])

    def rows(self, database: Database, table: str) -> Iterator[Callable[[], Row]]:
        """The sessions of a table, each to be fetched."""
        if self.owner:
            for own in database.owners(table, self.owner):
                yield partial(dict, {self.owner: own, "table": table})
            return
        for rowid in database.rowids(table, key=self.key, begins=self.begins):
            yield partial(database.row, table, rowid)


class SessionRecording(Recording):
    """One session of a database."""

    def __init__(self, place: Place, value: Any, format_name: str) -> None:
        """Take what the session holds, and the name of the format it is in."""
        super().__init__(place, format_name=format_name)
        self._value = value
        self.weight = _HEAVY

    def _read(self, *, mend: bool = True) -> Iterator[Document | Unreadable]:
        del mend  # nothing is broken in a value
        yield Document(self._value)


def recordings_in(place: Place) -> Iterator[Recording | Unreadable]:
    """Every session of a database as a recording of its own, one at a time."""
    name, holds_any = without_surrogates(place.name), False
    try:
        with opened(place) as database:
            found = [(kind, table) for kind in KINDS for table in kind.tables(database)]
            if not found:
                yield Recording(place, strange=database.described())
            for kind, table in found:
                for recording in _sessions(place, database, kind, table):
                    holds_any = True
                    yield recording
            if found and not holds_any:
                problem = f"is a database of {found[0][0].format_name} in which no session is"
                yield Unreadable(name, problem, kind="passed_over")
    except InvalidRecord as exc:
        yield Unreadable(name, str(exc))
    if isinstance(place, FilePlace):
        place.tell_all()


def _sessions(
    place: Place, database: Database, kind: Kind, table: str
) -> Iterator[Recording | Unreadable]:
    for fetch in kind.rows(database, table):
        problems = database.begin_session()
        try:
            value = kind.document(database, fetch())
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
    Kind(
        format_name="open-webui",
        columns={"chat": frozenset({"id", "user_id", "title", "chat"})},
        sessions="chat",
        document=webui_chat,
    ),
    Kind(
        format_name="openai-responses",
        columns={"": frozenset({"id", "session_id", "message_data", "created_at"})},
        sessions="",
        document=agents_session,
        owner="session_id",
    ),
    Kind(
        format_name="google-adk",
        columns={
            "sessions": frozenset({"id", "app_name", "user_id", "state"}),
            "events": frozenset({"id", "app_name", "user_id", "session_id", "invocation_id"}),
        },
        sessions="sessions",
        document=adk_session,
    ),
    Kind(
        format_name="agno",
        columns={"": frozenset({"session_id", "session_type", "session_data"})},
        sessions="",
        document=agno_session,
    ),
    Kind(
        format_name="openinference",
        columns={"spans": frozenset({"trace_id", "span_id", "content", "start_time_unix_nano"})},
        sessions="spans",
        document=mlflow_trace,
        owner="trace_id",
    ),
    Kind(
        format_name="openinference",
        columns={
            "traces": frozenset({"id", "trace_id"}),
            "spans": frozenset({"trace_rowid", "span_id", "attributes", "events", "start_time"}),
        },
        sessions="traces",
        document=phoenix_trace,
    ),
    Kind(
        format_name="n8n",
        columns={
            "execution_entity": frozenset({"id", "workflowId", "startedAt", "status"}),
            "execution_data": frozenset({"executionId", "data"}),
        },
        sessions="execution_entity",
        document=n8n_execution,
    ),
    Kind(
        format_name="langchain",
        columns={
            "": frozenset({"thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"})
        },
        sessions="",
        document=graph_thread,
        owner="thread_id",
    ),
    Kind(
        format_name="openai-chat",
        columns={
            "conversations": frozenset({"id", "name", "model"}),
            "responses": frozenset({"id", "conversation_id", "prompt", "response"}),
        },
        sessions="conversations",
        document=llm_conversation,
    ),
    Kind(
        format_name="openai-chat",
        columns={
            "threads": frozenset({"id", "tip_message_hash"}),
            "turns": frozenset({"id", "thread_id", "tip_message_hash"}),
            "messages": frozenset({"hash", "parent_hash", "role"}),
            "parts": frozenset({"id", "message_hash", "type", "payload"}),
        },
        sessions="threads",
        document=llm_thread,
    ),
)
