"""Files that hold no JSON but may tell of a run all the same, as values that JSON could hold.

Lines that Python printed, lines of a log with a value behind some words, tables with a call in
each row, and what ReAct's prompts make a model write. Nothing is evaluated.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.ingest.call_tables import TABLES, table_rows
from assay.ingest.documents import Document, Unreadable
from assay.ingest.log_lines import value_behind_words
from assay.ingest.python_literals import decode_loosely
from assay.ingest.react_log import react_runs
from assay.ingest.told_times import moment_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Recording

_SAMPLED = 20
_SAMPLED_BYTES = 256 * 1024
# When a line was logged, where it begins with that.
_LOGGED_AT = re.compile(
    r"\[?(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?)"
)


def sampled_text(recording: Recording) -> list[Document]:
    """The first values of a file that is no JSON; none where it holds no text."""
    text = _text(recording)
    if text is None:
        return []
    found = (item for item in _documents(text[:_SAMPLED_BYTES], recording.name))
    return list(islice((item for item in found if isinstance(item, Document)), _SAMPLED))


def text_documents(recording: Recording) -> Iterator[Document | Unreadable]:
    """All values of a file that is no JSON; what looks like one and is none is reported."""
    text = _text(recording)
    yield from () if text is None else _documents(text, recording.name)
    if recording.damage:
        yield Unreadable(recording.name, recording.damage)


def _text(recording: Recording) -> str | None:
    whole = recording.text
    if whole is None or b"\0" in whole:
        return None
    try:
        return whole.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _documents(text: str, name: str) -> Iterator[Document | Unreadable]:
    if name.lower().endswith(TABLES):
        yield from table_rows(text, name)
        return
    runs = react_runs(text)
    if runs:
        yield from (Document(run.told, run.line) for run in runs)
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if "{" in line:
            value = _value_in(line)
            told = Unreadable(name, "holds a value that is cut off or no JSON", number)
            yield told if value is None else Document(value, number, size=len(line))


def _value_in(line: str) -> Any:
    """The object that a line is, or that stands behind the words of a log, with its time."""
    if line.lstrip().startswith("{"):
        value = decode_loosely(line.strip())
        return value if isinstance(value, dict) else None  # with a comma behind it, it is a tuple
    value = value_behind_words(line)
    if value is None and (printed := line[line.index("{") :].strip()).endswith("}"):
        value = decode_loosely(printed)
    logged = _LOGGED_AT.match(line.lstrip())
    if isinstance(value, dict) and logged and moment_of(value) is None:
        return {**value, "timestamp": logged[1].replace(",", ".")}
    return value
