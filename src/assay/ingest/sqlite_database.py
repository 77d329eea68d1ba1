"""SQLite databases, opened to be read and nothing else.

Only the columns of real tables are read, never a view or a computed column: nothing that a
database says is executed. What it takes is bounded by the size of the file.
"""

from __future__ import annotations

import sqlite3
from array import array
from contextlib import closing, contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidRecord
from assay.ingest.documents import LONGEST_DOCUMENT, Unreadable, decode_json, read_up_to
from assay.ingest.recording import FilePlace
from assay.json_values import without_surrogates
from assay.records import first_names, one_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.ingest.recording import Place

_LARGEST_IN_MEMORY = 256 * 1024 * 1024
_LARGEST_VALUE = 64 * 1024 * 1024
_WAIT_SECONDS = 5.0
# Steps of SQLite's machine between two looks at how many there were, and how many are borne.
_STEPS = 100_000
_STEPS_PER_BYTE = 50
_STEPS_AT_LEAST = 100_000_000
# The two bytes of the header that say how it is written, and what they say of a write-ahead log.
_WRITTEN = slice(18, 20)
_LOGGED = b"\x02\x02"
_PLAIN = b"\x01\x01"
# How a journal begins of what was to be undone; one that is done with has zeros there, or nothing.
_HOT = bytes.fromhex("d9d505f920a163d7")
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
# Columns that hold no text: Zed's threads, LangGraph's states.
_PACKED = frozenset({"data", "checkpoint"})
_COLUMNS = "table_xinfo"
_UNTRUSTED = "unsafe use of"
_DAMAGED = "is damaged; mend a copy of it: sqlite3 FILE .recover"
_ADVICE = {
    sqlite3.SQLITE_BUSY: "is in use; close the program it belongs to and try again",
    sqlite3.SQLITE_LOCKED: "is in use; close the program it belongs to and try again",
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: "is damaged or encrypted; export what it holds with its program",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened where it lies; copy it, with the files whose names "
    "begin with its own, to a folder that you may write to",
    sqlite3.SQLITE_READONLY: "was left in the middle of a change; open it once with its program",
    sqlite3.SQLITE_INTERRUPT: "takes far longer to read than its size can explain",
    sqlite3.SQLITE_TOOBIG: f"holds a value of more than {_LARGEST_VALUE >> 20} MB",
}


class Database:
    """An open database: its real tables, their columns, and rows of them."""

    def __init__(self, connection: sqlite3.Connection, name: str, size: int) -> None:
        """Take a connection that nothing has been asked of yet."""
        self.name = name
        self._connection = connection
        self._steps_left = max(_STEPS_AT_LEAST, _STEPS_PER_BYTE * size)
        self._groups: dict[tuple[str, str], dict[Any, array[int]]] = {}
        self._columns: dict[str, frozenset[str]] = {}
        self._weight = 0
        self._problems: list[Unreadable] = []
        connection.text_factory = _text
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        connection.set_progress_handler(self._goes_too_far, _STEPS)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        try:
            self.tables = self._real_tables()
        except sqlite3.Error as exc:
            if _UNTRUSTED not in str(exc):
                raise
            # An index over a function, as Phoenix has. It is never used: no function is allowed.
            connection.execute("PRAGMA trusted_schema = ON")
            self.tables = self._real_tables()
        connection.set_authorizer(_allow)

    def columns(self, table: str) -> frozenset[str]:
        """The columns of a table that are written down; none of a table that is not there."""
        if table not in self._columns:
            told: Iterable[Any] = ()
            if table in self.tables:
                told = self._connection.execute(f"PRAGMA {_COLUMNS}({_quoted(table)})").fetchall()
            # The last field says whether a column is computed or hidden. One that is named as the
            # number of the row hides that number; no program that is known has such a table.
            is_numbered = all(row[1].lower() != "rowid" for row in told)
            self._columns[table] = frozenset(r[1] for r in told if r[-1] == 0 and is_numbered)
        return self._columns[table]

    def rowids(self, table: str, *, key: str = "", begins: str = "") -> Iterator[int]:
        """Which rows a table has, or those of them whose key begins with a text."""
        where, limits = "", tuple[str, ...]()
        if begins:
            where = f" WHERE {_quoted(key)} >= ? AND {_quoted(key)} < ?"
            limits = (begins, begins[:-1] + chr(ord(begins[-1]) + 1))
        query = f"SELECT rowid FROM {_quoted(table)}{where} ORDER BY rowid"  # noqa: S608 - quoted
        return (rowid for (rowid,) in self._connection.execute(query, limits))

    def row(self, table: str, rowid: int) -> dict[str, Any]:
        """What one row says, column by column; a row that is gone says nothing."""
        return self._first(table, "rowid", rowid)

    def row_with(self, table: str, column: str, value: str) -> dict[str, Any]:
        """The row that has a value in a column; nothing if there is none."""
        return self._first(table, _quoted(column), value)

    def rows_of(self, table: str, column: str, value: object) -> list[dict[str, Any]]:
        """The rows that belong to something, as they were written."""
        return [
            row for rowid in self.rowids_of(table, column, value) if (row := self.row(table, rowid))
        ]

    def rowids_of(self, table: str, column: str, value: object) -> Sequence[int]:
        """Which rows belong to something, as they were written."""
        is_value = value is None or isinstance(value, str | bytes | int | float)
        return self._grouped(table, column).get(value, ()) if is_value else ()

    def owners(self, table: str, column: str) -> list[Any]:
        """What the rows of a table belong to, each once."""
        return list(self._grouped(table, column))

    def tables_with(self, columns: frozenset[str]) -> list[str]:
        """The tables that have all of these columns."""
        return [table for table in self.tables if columns <= self.columns(table)]

    def json(self, value: object, place: str) -> Any:
        """What a text of JSON says, or None; a broken one is told of its run."""
        if not isinstance(value, str | bytes) or not value:
            return None
        try:
            return decode_json(value.encode() if isinstance(value, str) else value)
        except InvalidRecord as exc:
            self._problems.append(Unreadable(self.name, f"{one_name(place)}: {exc}"))
            return None

    def described(self) -> str:
        """What to say of a database that no reader knows."""
        if not self.tables:
            return (
                "is an SQLite database without tables; where they stand in a file that ends in "
                "-wal, give the path of the database and leave that file beside it"
            )
        return (
            "is an SQLite database that no reader knows, with the tables "
            f"{first_names(self.tables)}; write what it holds as JSON lines"
        )

    def begin_session(self) -> list[Unreadable]:
        """What is read from here on is held together; what cannot be read of it is listed."""
        self._weight = 0
        self._problems = []
        return self._problems

    def _real_tables(self) -> tuple[str, ...]:
        # A view, and a table that a module makes up, has no page of its own.
        found = self._connection.execute(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
        )
        return tuple(name for (name,) in found if not name.startswith("sqlite_"))

    def _first(self, table: str, column: str, value: object) -> dict[str, Any]:
        names = sorted(self.columns(table))
        query = (
            f"SELECT {', '.join(map(_quoted, names))} "  # noqa: S608 - every name is quoted
            f"FROM {_quoted(table)} WHERE {column} = ? LIMIT 1"
        )
        try:
            found = self._connection.execute(query, (value,)).fetchone()
        except sqlite3.DataError as exc:  # one value of one session is too large
            raise InvalidRecord(_what_to_do(exc)) from exc
        if found is None:
            return {}
        self._weight += sum(len(v) for v in found if isinstance(v, str | bytes))
        if self._weight > LONGEST_DOCUMENT:
            raise InvalidRecord(f"holds a session of more than {LONGEST_DOCUMENT >> 20} MB")
        return {k: _value(k, v) for k, v in zip(names, found, strict=True)}

    def _grouped(self, table: str, column: str) -> dict[Any, array[int]]:
        """Rows by what they belong to, found in one pass: an index may be missing."""
        if (table, column) not in self._groups:
            groups: dict[Any, array[int]] = {}
            if column in self.columns(table):
                names = f"{_quoted(column)}, rowid FROM {_quoted(table)}"
                query = f"SELECT {names} ORDER BY rowid"
                for owner, rowid in self._connection.execute(query):
                    groups.setdefault(owner, array("q")).append(rowid)
            self._groups[table, column] = groups
        return self._groups[table, column]

    def _goes_too_far(self) -> bool:
        self._steps_left -= _STEPS
        return self._steps_left < 0


@contextmanager
def opened(place: Place) -> Iterator[Database]:
    """A database, to be read; what is wrong with it is an InvalidRecord that says what to do."""
    name = without_surrogates(place.name)
    try:
        connect = _on_disk if isinstance(place, FilePlace) else _in_memory
        connection, size = connect(place)
        with closing(connection):
            yield Database(connection, name, size)
    except sqlite3.Error as exc:
        raise InvalidRecord(_what_to_do(exc)) from exc
    except UnicodeDecodeError as exc:  # SQLite quotes in its errors what is no text
        raise InvalidRecord(f"is an SQLite database that {_DAMAGED}") from exc
    except OSError as exc:
        raise InvalidRecord(f"cannot be read: {exc.strerror or exc}") from exc


def _on_disk(place: Place) -> tuple[sqlite3.Connection, int]:
    path = Path(place.name).resolve()  # the log lies beside the file, not beside a link to it
    with path.open("rb") as file:
        header = file.read(_WRITTEN.stop)
    log = path.with_name(path.name + "-wal")
    log_size = log.stat().st_size if log.is_file() else 0
    # Without a log nothing can be missing, and to look for one would leave files behind. A log that
    # is empty and has an index is that of a program that may write to it any moment.
    is_live = log.is_file() and path.with_name(path.name + "-shm").is_file()
    is_still = header[_WRITTEN] == _LOGGED and not log_size and not is_live
    how = "immutable=1" if is_still else "mode=ro"
    connection = sqlite3.connect(
        f"{path.as_uri()}?{how}", uri=True, timeout=_WAIT_SECONDS, isolation_level=None
    )
    return connection, path.stat().st_size + log_size


def _in_memory(place: Place) -> tuple[sqlite3.Connection, int]:
    """A database that is packed or comes through a pipe: SQLite reads files or memory only."""
    if not hasattr(sqlite3.Connection, "deserialize"):  # as SQLite was built
        raise InvalidRecord("is a packed SQLite database; unpack it first")
    name = Path(place.name.rpartition("!")[2]).name
    if _start_beside(place, f"{name}-wal"):
        raise InvalidRecord("has its newest rows in the -wal beside it; unpack both first")
    if _start_beside(place, f"{name}-journal") == _HOT:
        raise InvalidRecord(
            "was left in the middle of a change; unpack it with the -journal beside it, "
            "and open it once with its program"
        )
    with place.open() as file:
        text = bytearray(read_up_to(_LARGEST_IN_MEMORY + 1, file))
    if len(text) > _LARGEST_IN_MEMORY:
        raise InvalidRecord(f"is packed and of more than {_LARGEST_IN_MEMORY >> 20} MB; unpack it")
    if text[_WRITTEN] == _LOGGED:
        text[_WRITTEN] = _PLAIN  # no log can lie beside memory
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(text)
    except BaseException:
        connection.close()
        raise
    return connection, len(text)


def _start_beside(place: Place, name: str) -> bytes:
    beside = place.beside(name)
    if beside is None:
        return b""
    with beside.open() as file:
        return file.read(len(_HOT))


def _what_to_do(error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", None)
    advice = None if code is None else _ADVICE.get(code & 0xFF)
    text = advice or "cannot be read; export what it holds with its program"
    return f"is an SQLite database that {text} ({without_surrogates(str(error))})"


def _allow(action: int, about: str | None, *_: object) -> int:
    is_allowed = action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and about == _COLUMNS)
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _value(column: str, value: Any) -> Any:
    """A value as JSON may have it: bytes are text, but for those that are packed."""
    if isinstance(value, bytes) and column not in _PACKED:
        return _text(value)
    return None if isinstance(value, float) and not isfinite(value) else value


def _text(text: bytes) -> str:
    return text.decode(errors="replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
