"""Tables with a call in each row, as CSV or with tabs: rows as objects."""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from assay.ingest.documents import Document, Unreadable
from assay.ingest.fields import SUCCESS_FLAGS, decode_json_text
from assay.ingest.python_literals import decode_loosely
from assay.ingest.shape_words import ARGUMENT_KEYS, FLAGS
from assay.ingest.told_times import DURATION_KEYS, UNLABELLED_KEYS

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = (".csv", ".tsv")
_LONGEST_CELL = 64 * 1024 * 1024
_TRUTHS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
# Columns whose cells are more than text: a table has no types.
_FLAG_COLUMNS = frozenset(key for key, _ in (*SUCCESS_FLAGS, *FLAGS))
_NUMBER_COLUMNS = frozenset((*(key for key, _ in DURATION_KEYS), *UNLABELLED_KEYS))


def table_rows(text: str, name: str) -> Iterator[Document | Unreadable]:
    """The rows of a table as objects, each at its line; empty cells are left out."""
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text, name))
    try:
        columns = [_key(column) for column in next(reader, [])]
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(columns):
                problem = f"has {len(cells)} cells, where the table has {len(columns)} columns"
                yield Unreadable(name, problem, reader.line_num)
                continue
            row = {
                column: _value(column, cell)
                for column, cell in zip(columns, cells, strict=True)
                # A tool may need nothing.
                if cell or column in ARGUMENT_KEYS
            }
            yield Document(row, reader.line_num)
    except csv.Error as exc:
        yield Unreadable(name, f"the table breaks off: {exc}", reader.line_num)


def _key(column: str) -> str:
    """A column's name as keys are written: people begin words with capitals and part them."""
    parted = re.sub(r"[\s-]+|(?<=[a-z0-9])(?=[A-Z])", "_", column.strip())
    return parted.lower().replace("time_stamp", "timestamp")


def _delimiter(text: str, name: str) -> str:
    head = text.partition("\n")[0]
    if name.lower().endswith(".tsv"):
        return "\t"
    return max(",;\t", key=head.count)


def _value(column: str, cell: str) -> Any:
    if column in _FLAG_COLUMNS:
        return _TRUTHS.get(cell.strip().lower(), cell)
    if column in _NUMBER_COLUMNS:
        number = decode_json_text(cell)
        return cell if number is None else number
    decoded = decode_loosely(cell)
    return cell if decoded is None else decoded
