"""Tables: CSV, TSV and Parquet files, each row an object whose cells of JSON are decoded."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from shutil import copyfileobj
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any, BinaryIO

from assay.engine import EngineError, OutOfMemory, connect, file_list
from assay.readers.documents import Document, Unreadable, json_or_none, parse
from assay.readers.files.file import DiskPlace, File
from assay.records import first_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.engine import ColumnType, Engine
    from assay.readers.files.file import Place

PARQUET_MARK = b"PAR1"
_CSV_SUFFIXES = (".csv", ".tsv")
_DELIMITERS = ",\t;|"
_LARGEST_CELL = 64 * 1024 * 1024
_COLUMN = re.compile(r"[A-Za-z_][\w .:/()-]{0,60}\Z")
_LEAST_COLUMNS = 3
_BUFFER = 1 << 20
# A recording has fewer rows, and fewer values in a column, for each byte of its file.
_MOST_VALUES_A_BYTE = 8
_HARMLESS = 1_000_000
# The engine takes twice the time for each list around a list.
_DEEPEST_LISTS = 16
_LONGEST_REASON = 200
# Columns that the tables of an assay store have together.
_OWN_COLUMNS = (
    *({"run_key", "case"}, {"run_key", "failed_calls"}, {"run_key", "arguments_key"}),
    *({"evaluation_key", "judge"}, {"score_key", "run_key"}, {"mark_key", "run_key"}),
    {"run_key", "later_key"},
)
# Columns of assay's own cases, which hold text where text is meant.
_OWN_RECORD = {"input", "execution_data"}
_OWN = (
    "is a table of an assay store; write the runs themselves with"
    " assay export STORE -o runs.jsonl, and import those"
)


def begins_csv(start: bytes, suffix: str) -> bool:
    """Whether a text with such a beginning or name is a table of separated cells."""
    if suffix in _CSV_SUFFIXES:
        return True
    lines = start.decode(errors="replace").splitlines()
    if len(lines) < 2 or start[:1] == b"#":
        return False
    delimiter = _delimiter(lines[0])
    header, row = next(csv.reader(lines[:1], delimiter=delimiter), []), lines[1]
    is_header = len(header) >= _LEAST_COLUMNS and all(map(_COLUMN.match, header))
    return is_header and len(set(header)) == len(header) and row.count(delimiter) >= len(header) - 1


def read_csv(file: BinaryIO, name: str) -> Iterator[Document | Unreadable]:
    """Each row of an open CSV file as an object, at its number."""
    csv.field_size_limit(_LARGEST_CELL)
    with io.TextIOWrapper(file, "utf-8-sig", errors="replace", newline="") as text:
        header = text.readline(_BUFFER)
        delimiter = _delimiter(header)
        names = next(csv.reader([header], delimiter=delimiter), [])
        rows = csv.reader(text, delimiter=delimiter)
        number = 0
        while True:
            number += 1
            try:
                row = next(rows)
            except StopIteration:
                break
            except csv.Error as exc:
                yield Unreadable(name, f"not usable CSV: {exc}", number)
                continue
            if row:
                yield Document(_row(names, row), number, size=sum(map(len, row)))
    if number == 1:
        yield Unreadable(name, "holds no rows", kind="passed_over")


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=header.count)


def _row(names: list[str], cells: list[str]) -> dict[str, Any]:
    extra = [f"column {number}" for number in range(len(names) + 1, len(cells) + 1)]
    return {k: _cell(v) for k, v in zip([*names, *extra], cells, strict=False)}


def _cell(value: Any) -> Any:
    found = json_or_none(value)
    return value if found is None else found


class ParquetFile(File):
    """A Parquet file. The engine reads files of the system only: others are copied for it."""

    is_table = True

    def __init__(self, place: Place) -> None:
        """Take where it lies; nothing is read yet."""
        super().__init__(place)
        self._copy: Any = None

    def text(self) -> bytes | None:
        """A table has no text."""
        return None

    def close(self) -> None:
        """Remove the copy that was made to read it."""
        if self._copy is not None:
            self._copy.close()

    def _values(self) -> Iterator[Document | Unreadable]:
        path = self._on_disk()
        size, done = path.stat().st_size, 0
        try:
            with connect(spill=None, threads=1) as engine:
                count, kinds = self._ask(engine, path, size)
                while found := engine.fetchmany(1):
                    done += 1
                    if isinstance(self.place, DiskPlace):
                        self.place.report(size // max(count, 1))
                    row = parse(found[0][0].encode(), self.name, done)
                    if isinstance(row, Document):
                        row = Document(_known_cells(row.value, kinds), done, row.repaired, row.size)
                    yield row
        except OutOfMemory as exc:
            raise OSError(
                "its rows do not fit into memory; write it with smaller row groups"
            ) from exc
        except (EngineError, ValueError, RecursionError) as exc:
            reason = (str(exc).strip().splitlines() or [""])[0][:_LONGEST_REASON]
            place = f"damaged after row {done}" if done else "no usable Parquet file"
            raise OSError(f"{place}: {reason}") from exc

    def _on_disk(self) -> Path:
        if isinstance(self.place, DiskPlace):
            # Of a relative path the engine would take a tilde for somebody's home.
            return Path(self.place.name).absolute()
        if self._copy is None:
            self._copy = NamedTemporaryFile(suffix=".parquet")  # noqa: SIM115 - see close
            with self.place.open() as packed:
                copyfileobj(packed, self._copy, _BUFFER)
            self._copy.flush()
        return Path(self._copy.name)

    def _ask(self, engine: Engine, path: Path, size: int) -> tuple[int, dict[str, ColumnType]]:
        """Begin to read the rows as JSON: how many the file states, and the types of columns."""
        engine.execute("SET TimeZone = 'UTC'")
        engine.execute("SET enable_progress_bar = false")
        # What is read ahead is lost when damage comes after it.
        engine.execute("SET streaming_buffer_size = '1KB'")
        files = file_list([path])
        count = _number(engine, f"FROM parquet_file_metadata({files}) SELECT sum(num_rows)")
        in_columns = f"FROM parquet_metadata({files}) SELECT sum(num_values) n GROUP BY column_id"
        values = _number(engine, f"FROM ({in_columns}) SELECT max(n)")
        if max(count, values) > max(_HARMLESS, _MOST_VALUES_A_BYTE * size):
            raise OSError(
                f"would unpack from {size:,} bytes to {count:,} rows and {values:,} values in a"
                " column; write it as JSON lines"
            )
        source = f"FROM read_parquet({files}, hive_partitioning = false)"
        columns = engine.types_of(source)
        names = {name for name, _ in columns}
        if any(own <= names for own in _OWN_COLUMNS):
            raise OSError(_OWN)
        if any(str(kind).count("[") > _DEEPEST_LISTS for _, kind in columns):
            raise OSError(f"holds lists in lists, more than {_DEEPEST_LISTS} deep")
        self._note_binary([name for name, kind in columns if _is_binary(kind)])
        kept = [_quoted(name) for name, kind in columns if not _is_binary(kind)]
        engine.execute(
            f"FROM ({source} SELECT {', '.join(kept) or 'NULL'}) r SELECT to_json(r)::VARCHAR"
        )
        return count, dict(columns)

    def _note_binary(self, columns: list[str]) -> None:
        note = f"binary columns were left out: {first_names(columns)}"
        if columns and all(known.problem != note for known in self.notes):
            self.notes.append(Unreadable(self.name, note, kind="left_out"))


def _number(engine: Engine, query: str) -> int:
    return int(engine.execute(query).fetchone()[0] or 0)


def _is_binary(kind: ColumnType) -> bool:
    """Whether a column holds nothing but bytes, alone, in a list or in a structure."""
    if kind.id == "blob":
        return True
    nests = kind.id in {"list", "array", "struct"}
    inner = [child for _, child in _children(kind)] if nests else []
    return bool(inner) and all(map(_is_binary, inner))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _known_cells(row: dict[str, Any], kinds: dict[str, ColumnType]) -> dict[str, Any]:
    """A row without what is NULL; cells of JSON are decoded, except in assay's own record."""
    known = {k: _known(v, kinds[k]) for k, v in row.items() if v is not None}
    if known.keys() >= _OWN_RECORD:
        return known
    return {name: _cell(value) for name, value in known.items()}


def _known(value: Any, kind: ColumnType) -> Any:
    """The same without fields that are NULL: Parquet gives every row every field there is."""
    if isinstance(value, dict) and kind.id in {"struct", "map"}:
        inner = dict(_children(kind))
        if kind.id == "map":
            return {k: None if v is None else _known(v, inner["value"]) for k, v in value.items()}
        return {k: _known(v, inner[k]) for k, v in value.items() if v is not None}
    if isinstance(value, list) and kind.id in {"list", "array"}:
        ((_, inner_kind),) = _children(kind)
        return [None if item is None else _known(item, inner_kind) for item in value]
    return value


def _children(kind: ColumnType) -> list[tuple[str, ColumnType]]:
    """What is nested in a type; the size of an array is none of it."""
    return [(name, inner) for name, inner in kind.children if hasattr(inner, "id")]
