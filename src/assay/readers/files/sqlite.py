"""SQLite databases: each session as one document, the rows that belong to it nested in its row.

Which rows belong to which is declared by foreign keys or shown by names: `message.session_id` and
`part.message_id` make a session with its messages and their parts. Only real tables are read, never
a view or a computed column: nothing that a database says is executed. What it takes is bounded.
"""

from __future__ import annotations

import re
import sqlite3
import zlib
from array import array
from contextlib import closing, contextmanager
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import InvalidRecord
from assay.json_values import without_surrogates
from assay.readers.documents import Document, Unreadable, json_or_none, read_up_to
from assay.readers.files.file import DiskPlace, File
from assay.records import first_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import Place

_LARGEST_IN_MEMORY = 256 * 1024 * 1024
_LARGEST_VALUE = 64 * 1024 * 1024
_LARGEST_SESSION = 512 * 1024 * 1024
_WAIT_SECONDS = 5.0
# Steps of SQLite's machine between two looks at how many there were, and how many are allowed.
_STEPS = 100_000
_STEPS_PER_BYTE = 50
_STEPS_AT_LEAST = 100_000_000
_DEEPEST_ROWS = 4
_UNTRUSTED = "unsafe use of"
# The two bytes of the header that say how it is written, and what they say of a write-ahead log.
_WRITTEN = slice(18, 20)
_LOGGED, _PLAIN = b"\x02\x02", b"\x01\x01"
_ALLOWED = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ})
_REFERENCE = re.compile(r"(.+?)_?(?:row)?id\Z", re.IGNORECASE)
# Columns that name what rows belong to, where no table of its own does.
_OWNERS = ("thread_id", "session_id", "conversation_id", "trace_id", "run_id")
_ZSTD, _GZIP = b"\x28\xb5\x2f\xfd", b"\x1f\x8b"
_ADVICE = {
    sqlite3.SQLITE_BUSY: "is in use; close the program it belongs to and try again",
    sqlite3.SQLITE_LOCKED: "is in use; close the program it belongs to and try again",
    sqlite3.SQLITE_CORRUPT: "is damaged; repair a copy of it: sqlite3 FILE .recover",
    sqlite3.SQLITE_NOTADB: "is damaged or encrypted; export what it holds with its program",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened where it lies; copy it, with the files whose names "
    "begin with its own, to a folder that you may write to",
    sqlite3.SQLITE_READONLY: "was left in the middle of a change; open it once with its program",
    sqlite3.SQLITE_INTERRUPT: "takes far longer to read than its size can explain",
    sqlite3.SQLITE_TOOBIG: f"holds a value of more than {_LARGEST_VALUE >> 20} MB",
}

Row = dict[str, Any]


class _Reference(Struct, frozen=True):
    """A column whose values name rows of another table."""

    child: str
    column: str
    parent: str
    key: str


class DatabaseFile(File):
    """A database; `tables` has the columns of each table once `head` or `documents` was called.

    A document is a row of a table that belongs to no other, as an object: its columns with JSON
    decoded, and a list of the rows of each table that belongs to it, under that table's name.
    `#table` names its own table. Rows that only share an owner, such as `thread_id`, are one
    document per owner. Keys like `kind:session:item` of a table of keys and values are grouped by
    session.
    """

    is_table = True
    is_mixed = True

    def __init__(self, place: Place) -> None:
        """Take where it lies; nothing is read yet."""
        super().__init__(place)
        self.tables: dict[str, frozenset[str]] = {}

    def text(self) -> bytes | None:
        """A database has no text."""
        return None

    def _values(self) -> Iterator[Document | Unreadable]:
        count = 0
        with _opened(self.place) as database:
            self.tables = {table: frozenset(names) for table, names in database.columns.items()}
            for value, size in database.sessions():
                count += 1
                if isinstance(value, str):
                    yield Unreadable(self.name, value, count)
                else:
                    yield Document(value, count, size=size)
        if isinstance(self.place, DiskPlace):
            self.place.report(Path(self.place.name).stat().st_size)
        if not count:
            yield Unreadable(self.name, "is an SQLite database without rows", kind="passed_over")

    @property
    def unknown(self) -> str:
        """What to report of a database that holds no run."""
        tables = first_names(sorted(self.tables))
        return f"is an SQLite database that no format knows; its tables: {tables}"


class _Database:
    """An open database: its real tables, their columns, and which rows belong to which."""

    def __init__(self, connection: sqlite3.Connection, size: int) -> None:
        self._connection = connection
        self._steps_left = max(_STEPS_AT_LEAST, _STEPS_PER_BYTE * size)
        self._weight = 0
        self._groups: dict[tuple[str, str], dict[Any, array[int]]] = {}
        connection.text_factory = _text
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LARGEST_VALUE)
        connection.set_progress_handler(self._goes_too_far, _STEPS)
        for pragma in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {pragma}")
        try:
            tables = self._real_tables()
        except sqlite3.Error as exc:
            if _UNTRUSTED not in str(exc):
                raise
            # An index over a function. It is never used: no function is allowed.
            connection.execute("PRAGMA trusted_schema = ON")
            tables = self._real_tables()
        self.columns = {table: self._columns(table) for table in tables}
        declared = {table: self._declared(table) for table in tables}
        connection.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY
        )
        self._children: dict[str, list[_Reference]] = {}
        self._is_child: set[str] = set()
        for table in tables:
            if (found := self._parent(table, declared[table])) is not None:
                self._children.setdefault(found.parent, []).append(found)
                self._is_child.add(table)

    def sessions(self) -> Iterator[tuple[Row | str, int]]:
        """Each row that belongs to no other, with all that belong to it, and its size.

        In place of one that cannot be read stands why.
        """
        for table, columns in self.columns.items():
            if table in self._is_child:
                continue
            owner = next((name for name in _OWNERS if name in columns), None)
            if set(columns) == {"key", "value"}:
                found = self._by_key(table)
            elif owner is not None and table not in self._children:
                found = self._by_owner(table, owner)
            else:
                found = self._by_row(table)
            for value in found:
                yield {"#table": table, **value} if isinstance(value, dict) else value, self._weight
                self._weight = 0

    def _by_row(self, table: str) -> Iterator[Row | str]:
        for row in self._rows(table):
            try:
                self._nest(table, row, 0)
            except InvalidRecord as exc:
                yield str(exc)
            except sqlite3.DataError:  # one value of one session is too large
                yield _ADVICE[sqlite3.SQLITE_TOOBIG]
            else:
                yield row

    def _by_owner(self, table: str, owner: str) -> Iterator[Row | str]:
        """The rows of one owner together, as they were written."""
        query = f"SELECT {_quoted(owner)} FROM {_quoted(table)}"  # noqa: S608 - quoted
        for value in dict.fromkeys(value for (value,) in self._connection.execute(query)):
            yield {owner: value, "rows": list(self._rows_with(table, owner, value))}

    def _by_key(self, table: str) -> Iterator[Row | str]:
        """Values whose keys say `kind:session` or `kind:session:item`, grouped by session."""
        query = f"SELECT key FROM {_quoted(table)}"  # noqa: S608 - quoted
        sessions: dict[str, list[tuple[str, list[str]]]] = {}
        for (key,) in self._connection.execute(query):
            parts = str(key).split(":", 2)
            if len(parts) > 1:
                sessions.setdefault(parts[1], []).append((key, parts))
        for session, keys in sessions.items():
            value: Row = {"id": session}
            for key, parts in keys:
                row = next(self._rows(table, _quoted("key"), key), {})
                if len(parts) == 2:
                    value[parts[0]] = row.get("value")
                elif isinstance(items := value.setdefault(parts[0], {}), dict):
                    items[parts[2]] = row.get("value")
            yield value

    def _nest(self, table: str, row: Row, depth: int) -> None:
        """Put into a row the lists of rows that belong to it."""
        for reference in self._children.get(table, ()) if depth < _DEEPEST_ROWS else ():
            key = row.get(reference.key)
            if key is None:
                continue
            rows = list(self._rows_with(reference.child, reference.column, key))
            for inner in rows:
                self._nest(reference.child, inner, depth + 1)
            if rows:
                row[reference.child] = rows

    def _rows(self, table: str, where: str = "", value: object = None) -> Iterator[Row]:
        names = self.columns[table]
        query = f"SELECT {', '.join(map(_quoted, names))} FROM {_quoted(table)}"  # noqa: S608 - quoted
        query += f" WHERE {where} = ?" if where else ""
        for cells in self._connection.execute(query, (value,) if where else ()):
            self._weight += sum(len(cell) for cell in cells if isinstance(cell, str | bytes))
            if self._weight > _LARGEST_SESSION:
                raise InvalidRecord(f"holds a session of more than {_LARGEST_SESSION >> 20} MB")
            yield {k: _cell(v) for k, v in zip(names, cells, strict=True)}

    def _rows_with(self, table: str, column: str, value: object) -> Iterator[Row]:
        """The rows that have a value in a column, which may have no index: found in one pass."""
        groups = self._groups.get((table, column))
        if groups is None:
            groups = self._groups[table, column] = {}
            query = f"SELECT {_quoted(column)}, rowid FROM {_quoted(table)} ORDER BY rowid"  # noqa: S608 - quoted
            try:
                for owner, rowid in self._connection.execute(query):
                    groups.setdefault(owner, array("q")).append(rowid)
            except (sqlite3.OperationalError, TypeError):  # a table without row numbers
                groups.clear()
        if not groups:
            yield from self._rows(table, _quoted(column), value)
        for rowid in groups.get(value, ()):
            yield from self._rows(table, "rowid", rowid)

    def _real_tables(self) -> list[str]:
        # A view, and a table that a module makes up, has no page of its own.
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0"
        names = [str(name) for (name,) in self._connection.execute(query)]
        return [name for name in names if not name.startswith("sqlite_")]

    def _columns(self, table: str) -> list[str]:
        # The last field says whether a column is computed or hidden.
        rows = self._connection.execute(f"PRAGMA table_xinfo({_quoted(table)})").fetchall()
        return [str(row[1]) for row in rows if row[-1] == 0]

    def _declared(self, table: str) -> list[_Reference]:
        rows = self._connection.execute(f"PRAGMA foreign_key_list({_quoted(table)})").fetchall()
        return [_Reference(table, str(row[3]), str(row[2]), str(row[4] or "id")) for row in rows]

    def _parent(self, table: str, declared: list[_Reference]) -> _Reference | None:
        """The table whose rows own the rows of this one: the innermost of several."""
        named = [
            _Reference(table, column, parent, key)
            for column in self.columns[table]
            if (found := _REFERENCE.match(column)) is not None
            for parent, key in self._named(found[1], column)
        ]
        known = [r for r in (*declared, *named) if r.parent in self.columns and r.parent != table]
        known = [r for r in known if r.key in self.columns[r.parent]]
        # A table that refers to more tables lies deeper than those.
        return max(known, key=lambda r: self._references(r.parent), default=None)

    def _references(self, table: str) -> int:
        found = map(_REFERENCE.match, self.columns[table])
        return sum(match is not None and any(self._named(match[1], "")) for match in found)

    def _named(self, stem: str, column: str) -> Iterator[tuple[str, str]]:
        """The tables that a column's name may refer to, and the key there."""
        stem = _plain_name(stem)
        for table, columns in self.columns.items():
            if re.fullmatch(rf"(?:\w*_)?{re.escape(stem)}(?:e?s|_?entity)?", _plain_name(table)):
                for key in ("id", column, f"{stem}_id"):
                    if key in columns:
                        yield table, key
                        break

    def _goes_too_far(self) -> bool:
        self._steps_left -= _STEPS
        return self._steps_left < 0


@contextmanager
def _opened(place: Place) -> Iterator[_Database]:
    """A database, to be read; what is wrong with it is an OSError that says what to do."""
    try:
        connect = _on_disk if isinstance(place, DiskPlace) else _in_memory
        connection, size = connect(place)
        with closing(connection):
            yield _Database(connection, size)
    except sqlite3.Error as exc:
        code = getattr(exc, "sqlite_errorcode", None)
        advice = None if code is None else _ADVICE.get(code & 0xFF)
        text = advice or "cannot be read; export what it holds with its program"
        raise OSError(
            f"is an SQLite database that {text} ({without_surrogates(str(exc))})"
        ) from exc
    except UnicodeDecodeError as exc:  # SQLite quotes in its errors what is no text
        damaged = _ADVICE[sqlite3.SQLITE_CORRUPT]
        raise OSError(f"is an SQLite database that {damaged}") from exc
    except InvalidRecord as exc:
        raise OSError(str(exc)) from exc


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
    if place.beside(f"{Path(place.name.rpartition('!')[2]).name}-wal") is not None:
        raise InvalidRecord("has its newest rows in the -wal beside it; unpack both first")
    with place.open() as file:
        data = read_up_to(_LARGEST_IN_MEMORY + 1, file)
    if len(data) > _LARGEST_IN_MEMORY:
        raise InvalidRecord(f"is packed and of more than {_LARGEST_IN_MEMORY >> 20} MB; unpack it")
    if data[_WRITTEN] == _LOGGED:
        data[_WRITTEN] = _PLAIN  # no log can lie beside memory
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.deserialize(data)
    except BaseException:
        connection.close()
        raise
    return connection, len(data)


def _text(text: bytes) -> str:
    return text.decode(errors="replace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _plain_name(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().removesuffix("_id")


def _cell(value: Any) -> Any:
    """A value as JSON may have it: text of JSON decoded, bytes unpacked where it is known how."""
    if isinstance(value, bytes):
        value = _unpacked(value)
    if isinstance(value, float) and not isfinite(value):
        return None
    found = json_or_none(value)
    return value if found is None else found


def _unpacked(data: bytes) -> Any:
    """What bytes hold: text, compressed text, or MessagePack; None of others."""
    try:
        if data.startswith(_ZSTD):
            import zstandard  # noqa: PLC0415 - seldom needed

            unpacker = zstandard.ZstdDecompressor()
            return _text(unpacker.decompress(data, max_output_size=_LARGEST_VALUE))
        if data.startswith(_GZIP):
            return _text(zlib.decompressobj(31).decompress(data, _LARGEST_VALUE))
    except (zlib.error, ValueError, ImportError):
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        found = _message_pack(data)
        return _text(data) if found is None and b"\0" not in data else found


def _message_pack(data: bytes) -> Any:
    try:
        found = msgspec.msgpack.decode(data, ext_hook=_constructed)
        return msgspec.json.decode(msgspec.json.encode(found))
    except (msgspec.MsgspecError, TypeError, ValueError, RecursionError):
        return None


def _constructed(_: int, data: memoryview) -> Any:
    """An object that was packed as its module, class and arguments, as LangChain writes it."""
    found = msgspec.msgpack.decode(data, ext_hook=_constructed)
    if not isinstance(found, list) or len(found) < 3:
        return found
    module, name, arguments = found[:3]
    if isinstance(arguments, dict):
        path = [*str(module).split("."), name]
        return {"lc": 1, "type": "constructor", "id": path, "kwargs": arguments}
    return arguments
