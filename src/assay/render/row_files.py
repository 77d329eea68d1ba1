"""Rows to files, one row at a time, in the format the file's suffix names."""

from __future__ import annotations

import csv
import sys
from abc import ABC, abstractmethod
from contextlib import ExitStack
from typing import IO, TYPE_CHECKING, Any, Self

import msgspec

from assay.json_values import without_surrogates
from assay.render.output_files import by_suffix, place_for
from assay.render.safe_text import csv_cell, markdown_cell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

Row = dict[str, Any]


class RowFile(ABC):
    """A file that takes rows; what was written stays, even if the run is cut short."""

    def __init__(self, stream: IO[str], columns: Sequence[str]) -> None:
        """Take an open text stream and the columns of formats that have columns."""
        self.stream = stream
        self.columns = columns
        self.begin()

    def begin(self) -> None:  # noqa: B027 - most formats have nothing to begin with
        """Write what stands before the first row."""

    @abstractmethod
    def write(self, row: Row) -> None:
        """Write one row."""

    def end(self, summary: Mapping[str, Any]) -> None:  # noqa: B027 - nor to end with
        """Write what stands after the last row."""

    def close(self) -> None:
        """Let go of the file; standard output stays open for whoever comes next."""
        if self.stream is sys.stdout:
            self.stream.flush()
        else:
            self.stream.close()


class CsvFile(RowFile):
    """Comma-separated values; text can never become a formula."""

    def begin(self) -> None:
        """Write the header."""
        self._writer = csv.writer(self.stream, lineterminator="\n")
        self._writer.writerow(self.columns)

    def write(self, row: Row) -> None:
        """Write one row; None is an empty cell."""
        self._writer.writerow([_csv_value(row.get(name)) for name in self.columns])


class MarkdownFile(RowFile):
    """A Markdown table."""

    def begin(self) -> None:
        """Write the header."""
        self.stream.write(f"| {' | '.join(self.columns)} |\n")
        self.stream.write(f"|{'---|' * len(self.columns)}\n")

    def write(self, row: Row) -> None:
        """Write one row; None is an empty cell."""
        cells = [markdown_cell(_cell(row.get(name))) for name in self.columns]
        self.stream.write(f"| {' | '.join(cells)} |\n")


class JsonLinesFile(RowFile):
    """One JSON object a line."""

    def write(self, row: Row) -> None:
        """Write one row with everything it has."""
        self.stream.write(f"{_json(row)}\n")


class JsonFile(RowFile):
    """One JSON document: the rows under `cases`, the counts and means under `summary`."""

    def begin(self) -> None:
        """Open the list of rows."""
        self.stream.write('{"cases": [')
        self._separator = "\n"

    def write(self, row: Row) -> None:
        """Write one row with everything it has."""
        self.stream.write(f"{self._separator}{_json(row)}")
        self._separator = ",\n"

    def end(self, summary: Mapping[str, Any]) -> None:
        """Close the list and add the summary."""
        self.stream.write(f'\n], "summary": {_json(dict(summary))}}}\n')


FORMATS: dict[str, type[RowFile]] = {
    ".csv": CsvFile,
    ".json": JsonFile,
    ".jsonl": JsonLinesFile,
    ".md": MarkdownFile,
}


class RowFiles:
    """Several files that take the same rows; all are ended and closed, whatever happens."""

    def __init__(self, summary: Callable[[], Mapping[str, Any]]) -> None:
        """Take what tells the summary once the last row is written."""
        self._summary = summary
        self._files: list[RowFile] = []
        self._endings = ExitStack()

    def add(self, file: RowFile) -> None:
        """Write the rows to this file too."""
        self._files.append(file)
        self._endings.callback(self._end, file)

    def write(self, row: Row) -> None:
        """Write one row to every file."""
        for file in self._files:
            try:
                file.write(row)
            except OSError as exc:
                raise _naming(file, exc) from exc

    def _end(self, file: RowFile) -> None:
        try:
            with ExitStack() as closing:
                closing.callback(file.close)
                file.end(self._summary())
        except OSError as exc:
            raise _naming(file, exc) from exc

    def __enter__(self) -> Self:
        """The files themselves."""
        return self

    def __exit__(self, *_: object) -> None:
        """End and close them all."""
        self._endings.close()


def _naming(file: RowFile, exc: OSError) -> OSError:
    """The same error with the file it is about: the system does not say."""
    return OSError(exc.errno, exc.strerror, file.stream.name)


def row_format(path: Path) -> type[RowFile]:
    """The format that a file's suffix names."""
    return by_suffix(path, FORMATS)


def open_row_file(path: Path, columns: Sequence[str]) -> RowFile:
    """Open a file for rows, making its folder if need be."""
    kind = row_format(path)
    with place_for(path):
        return kind(path.open("w", encoding="utf-8", newline=""), columns)


def _json(value: object) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=_plain).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_encodable(msgspec.to_builtins(value, enc_hook=_plain))).decode()


def _plain(value: object) -> object:
    """A plug-in may score with numbers of its own kind."""
    return float(value) if isinstance(value, float) else str(value)


def _encodable(value: object) -> object:
    match value:
        case str():
            return without_surrogates(value)
        case dict():
            return {_encodable(key): _encodable(item) for key, item in value.items()}
        case list() | tuple():
            return [_encodable(item) for item in value]
    return value


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    return value if isinstance(value, str) else _json(value)


def _csv_value(value: object) -> object:
    """Numbers in full, text made harmless."""
    if value is None or value == "":
        return ""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return csv_cell(_cell(value))
