"""Answers of analyses to files: what a suffix names, one file or one a section."""

from __future__ import annotations

from types import NoneType
from typing import IO, TYPE_CHECKING, Any, get_args

import msgspec

from assay.errors import UnknownName, WriteFailed
from assay.render.row_files import CsvFile, JsonLinesFile, MarkdownFile
from assay.render.safe_text import markdown_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from msgspec import Struct

    from assay.analyses.report import Answered
    from assay.render.row_files import Row, RowFile

_SQL_TYPES: dict[object, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
}


def columns_of(row: type[Struct]) -> list[str]:
    """The fields of the rows, in their order."""
    return list(row.__struct_fields__)


def document(answered: Sequence[Answered], about: Mapping[str, Any]) -> bytes:
    """All sections as one JSON document."""
    sections = [
        {
            "name": found.section.name,
            "analysis": found.analysis.name,
            "title": found.section.title,
            "parameters": found.section.parameters,
            "rows": found.rows,
        }
        for found in answered
    ]
    return msgspec.json.encode({**about, "sections": sections})


def write_answers(path: Path, answered: Sequence[Answered], about: Mapping[str, Any]) -> list[Path]:
    """Write the sections to a file; formats of one table a file get one file a section.

    The files that were written: `out.csv` is `out.SECTION.csv` where there are several.
    """
    suffix = path.suffix.lower()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if suffix == ".json":
            path.write_bytes(document(answered, about) + b"\n")
            return [path]
        if suffix == ".md":
            with path.open("w", encoding="utf-8", newline="") as stream:
                for found in answered:
                    stream.write(f"## {markdown_cell(found.section.title)}\n\n")
                    _write_rows(MarkdownFile, stream, found)
                    stream.write("\n")
            return [path]
        write = _ONE_TABLE[suffix]
        written = []
        for found in answered:
            target = path if len(answered) == 1 else _of_section(path, found.section.name)
            write(target, found)
            written.append(target)
    except OSError as exc:
        raise WriteFailed(exc.filename or path, exc.strerror) from exc
    return written


def check_suffix(path: Path) -> None:
    """Refuse a suffix that names no format, before anything is counted."""
    if path.suffix.lower() not in SUFFIXES:
        raise UnknownName("output format", path.suffix or path.name, SUFFIXES)


def _of_section(path: Path, name: str) -> Path:
    return path.with_name(f"{path.stem}.{name}{path.suffix}")


def _write_rows(kind: type[RowFile], stream: IO[str], found: Answered) -> None:
    file = kind(stream, columns_of(found.analysis.row))
    for row in found.rows:
        file.write(_as_row(row))


def _to_text(kind: type[RowFile]) -> Callable[[Path, Answered], None]:
    def write(path: Path, found: Answered) -> None:
        with path.open("w", encoding="utf-8", newline="") as stream:
            _write_rows(kind, stream, found)

    return write


def _to_parquet(path: Path, found: Answered) -> None:
    from assay.store.row_export import write_parquet  # noqa: PLC0415 - the engine, when needed

    types = {
        field.name: _sql_type(field.type) for field in msgspec.structs.fields(found.analysis.row)
    }
    write_parquet(path, types, (_flat(row, types) for row in found.rows))


def _sql_type(hint: Any) -> str:
    """A column's type; what is no plain value is written as JSON text."""
    kinds = [kind for kind in get_args(hint) or (hint,) if kind is not NoneType]
    return _SQL_TYPES.get(kinds[0], "VARCHAR") if len(kinds) == 1 else "VARCHAR"


def _flat(row: Struct, types: Mapping[str, str]) -> Row:
    return {
        name: value
        if value is None or isinstance(value, str | int | float)
        else msgspec.json.encode(value).decode()
        for name in types
        for value in [getattr(row, name)]
    }


def _as_row(row: Struct) -> Row:
    return {name: getattr(row, name) for name in row.__struct_fields__}


_ONE_TABLE: dict[str, Callable[[Path, Answered], None]] = {
    ".csv": _to_text(CsvFile),
    ".jsonl": _to_text(JsonLinesFile),
    ".parquet": _to_parquet,
}
SUFFIXES = (*_ONE_TABLE, ".json", ".md")
