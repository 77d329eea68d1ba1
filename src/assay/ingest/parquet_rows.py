"""The rows of a Parquet file as JSON lines, one after the other.

In Parquet every row has every column, and every struct all of its fields: what a row does not have
is NULL there. A NULL field tells no more than a missing one and is left out, as if it had never
been; in a list a NULL keeps its place, in a map its key.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from assay.engine import EngineError, OutOfMemory, connect, file_list
from assay.ingest.archives import most_unpacked
from assay.ingest.fields import decode_json_text
from assay.records import one_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.engine import ColumnType, Engine

_Maker = Callable[[Any], Any]

_BINARY = "blob"
_LISTS = frozenset({"list", "array"})
# What the engine gives as JSON has it; anything else is asked for as text.
_PLAIN = frozenset(
    {"boolean", "varchar", "float", "double", _BINARY}
    | {"tinyint", "smallint", "integer", "bigint"}
    | {"utinyint", "usmallint", "uinteger", "ubigint"}
)
_AS_JSON = frozenset({"union", "variant"})
_OTHER = ((_AS_JSON, "JSON"), ({"decimal", "hugeint", "uhugeint", "bignum"}, "DOUBLE"))
# A recording has fewer rows, and fewer values in a column, for each byte of its file.
_MOST_ROWS_A_BYTE = 1
_MOST_VALUES_A_BYTE = 8
_HARMLESS = 1_000_000
# The engine takes twice the time for each list around a list.
_DEEPEST_LISTS = 16
_LONGEST_REASON = 200
# Columns that the tables of our own stores have together; they hold what was made of runs.
OWN_COLUMNS = (
    *({"run_key", "case"}, {"run_key", "failed_calls"}, {"run_key", "arguments_key"}),
    *({"evaluation_key", "judge"}, {"score_key", "run_key"}, {"mark_key", "run_key"}),
    {"run_key", "later_key"},
)

_OWN = (
    "it is a table of a store of ours; write the runs themselves with"
    " assay export STORE -o runs.jsonl, and import those"
)


class ParquetRows:
    """The rows of a file, of which the engine holds a row group at most, or 2,048.

    Once a line was asked for, `count` is how many the file says it has, `left_out` names what is
    binary and therefore not in the lines, and `is_own` tells a table of ours, which is not read.
    """

    def __init__(self, path: Path, size: int) -> None:
        """Take the path of a file of so many bytes; nothing is read yet."""
        # Of a relative path the engine would take a tilde for somebody's home.
        self._path, self._size = path.absolute(), size
        self.count = 0
        self.left_out: tuple[str, ...] = ()
        self.is_own = False

    def lines(self) -> Iterator[bytes]:
        """Each row as an object on a line; what the engine refuses to read is an OSError."""
        done, left = 0, most_unpacked(self._size)
        try:
            with connect(spill=None, threads=1) as engine:
                makers = self._ask(engine)
                while found := engine.fetchmany(1):
                    line = _line(found[0], makers)
                    if (left := left - len(line)) < 0:
                        break
                    yield line
                    done += 1
        except OutOfMemory as exc:
            raise OSError(
                "its rows do not fit into memory together, 2,048 or a row group at once;"
                " write it with smaller row groups, or as JSON lines"
            ) from exc
        except (EngineError, ValueError, RecursionError) as exc:
            raise OSError(_reason(str(exc), done)) from exc
        if left < 0:
            raise OSError(f"the rows after {done:,} unpack to far more than the file weighs")

    def _ask(self, engine: Engine) -> list[tuple[str, _Maker]]:
        """Begin to read; what becomes of each column."""
        engine.execute("SET TimeZone = 'UTC'")
        engine.execute("SET enable_progress_bar = false")
        # What is read ahead is lost when damage comes after it.
        engine.execute("SET streaming_buffer_size = '1KB'")
        files = file_list([self._path])
        self._refuse_bombs(engine, files)
        source = f"FROM read_parquet({files}, hive_partitioning = false)"
        columns = engine.types_of(source)
        names = {name for name, _ in columns}
        self.is_own = any(names.issuperset(together) for together in OWN_COLUMNS)
        if self.is_own:
            raise OSError(_OWN)
        for name, kind in columns:
            if _depth(kind) > _DEEPEST_LISTS:
                raise OSError(
                    f"the column {one_name(name)!r} holds lists in lists, more than"
                    f" {_DEEPEST_LISTS} deep; write it as JSON lines"
                )
        self.left_out = tuple(place for name, kind in columns for place in _binary(name, kind))
        kept = [(name, kind) for name, kind in columns if kind.id != _BINARY]
        chosen = ", ".join(_selected(name, kind) for name, kind in kept)
        engine.execute(f"{source} SELECT {chosen or 'NULL'}")
        return [(name, _maker(kind)) for name, kind in kept]

    def _refuse_bombs(self, engine: Engine, files: str) -> None:
        """What holds far more than its file can have room for is not begun with."""
        self.count = _number(engine, f"FROM parquet_file_metadata({files}) SELECT sum(num_rows)")
        in_columns = (
            f"FROM parquet_metadata({files}) SELECT sum(num_values) AS n GROUP BY column_id"
        )
        values = _number(engine, f"FROM ({in_columns}) SELECT max(n)")
        most_rows = max(_HARMLESS, _MOST_ROWS_A_BYTE * self._size)
        most_values = max(_HARMLESS, _MOST_VALUES_A_BYTE * self._size)
        if self.count > most_rows or values > most_values:
            raise OSError(
                f"it would unpack from {self._size:,} bytes to {self.count:,} rows"
                f" and {values:,} values in a column; write it as JSON lines"
            )


def _number(engine: Engine, asked: str) -> int:
    return int(engine.execute(asked).fetchone()[0] or 0)


def _line(row: tuple[Any, ...], makers: list[tuple[str, _Maker]]) -> bytes:
    pairs = zip(makers, row, strict=False)
    made = {name: make(value) for (name, make), value in pairs if value is not None}
    return msgspec.json.encode({k: v for k, v in made.items() if v is not None}) + b"\n"


def _reason(said: str, done: int) -> str:
    """The first line of what the engine said, and how far it came."""
    first = (said.strip().splitlines() or [""])[0][:_LONGEST_REASON]
    if done:
        return f"it is damaged some way after row {done}: {first}; write or fetch it anew"
    if "encrypt" in first.lower():
        return f"it is encrypted: {first}; write it without encryption"
    return f"no usable Parquet file: {first}; write or fetch it anew"


def _binary(place: str, kind: ColumnType) -> Iterator[str]:
    """Where a column holds bytes that are no text."""
    if kind.id == _BINARY:
        yield place
    elif kind.id in _LISTS or kind.id == "map":
        for _, inner in _children(kind):
            yield from _binary(place, inner)
    elif kind.id == "struct":
        for name, inner in kind.children:
            yield from _binary(f"{place}.{name}", inner)


def _depth(kind: ColumnType) -> int:
    """How many lists stand in each other, a map being a list of pairs."""
    is_list = kind.id in _LISTS or kind.id == "map"
    inner = _children(kind) if is_list or kind.id == "struct" else ()
    return is_list + max((_depth(child) for _, child in inner), default=0)


def _children(kind: ColumnType) -> list[tuple[str, ColumnType]]:
    """What is nested in a type; the size of an array is none of it."""
    return [(name, inner) for name, inner in kind.children if hasattr(inner, "id")]


def _selected(name: str, kind: ColumnType) -> str:
    """The column as SQL asks for it, of types that JSON knows."""
    wanted = _asked_as(kind)
    if wanted == str(kind):
        return _named(name)
    return f"CAST({_named(name)} AS {wanted})"


def _asked_as(kind: ColumnType) -> str:
    """The type to ask for: the same where it is plain, else one that JSON knows."""
    if kind.id == "struct":
        fields = (f"{_named(name)} {_asked_as(inner)}" for name, inner in kind.children)
        return f"STRUCT({', '.join(fields)})"
    if kind.id in _LISTS:
        return f"{_asked_as(_children(kind)[0][1])}[]"
    if kind.id == "map":
        return f"MAP(VARCHAR, {_asked_as(dict(_children(kind))['value'])})"
    if kind.id in _PLAIN:
        return str(kind)
    wanted = (known for kinds, known in _OTHER if kind.id in kinds)
    return next(wanted, "VARCHAR")


def _named(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _maker(kind: ColumnType) -> _Maker:
    """What makes a value of JSON from one of the engine's that is not NULL."""
    if kind.id == "struct":
        fields = {name: _maker(inner) for name, inner in kind.children if inner.id != _BINARY}
        return lambda value: _object(value, fields)
    if kind.id in _LISTS:
        return _list_maker(_children(kind)[0][1])
    if kind.id == "map":
        of_map = _maker(dict(_children(kind))["value"])
        return lambda value: {
            key: None if item is None else of_map(item) for key, item in value.items()
        }
    if kind.id == _BINARY:
        return lambda _: None
    if kind.id in _AS_JSON or str(kind) == "JSON":
        return _decoded
    return _as_iso if kind.id.startswith("timestamp") else _as_it_is


def _list_maker(inner: ColumnType) -> _Maker:
    make = _maker(inner)
    if make is _as_it_is:
        return _as_it_is
    return lambda value: [None if item is None else make(item) for item in value]


def _object(value: dict[str, Any], fields: dict[str, _Maker]) -> dict[str, Any]:
    found = {}
    for name, make in fields.items():
        item = value.get(name)
        if item is not None and (made := make(item)) is not None:
            found[name] = made
    return found


def _as_it_is(value: Any) -> Any:
    return value


def _as_iso(text: str) -> str:
    return text.replace(" ", "T", 1)


def _decoded(text: str) -> Any:
    """The value that a column of JSON holds; what is none stays text."""
    found = decode_json_text(text)
    return text if found is None and text != "null" else found
