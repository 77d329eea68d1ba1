"""Server-sent events: the text of a stream as the values that it sent."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_BEGINNING = re.compile(r"\s*(?:(?:data|event|id|retry) ?:|:)")
_DATA = "data:"
# What the APIs of models send when they have said all.
_END_OF_STREAM = "[DONE]"


def is_event_stream(text: str) -> bool:
    """Whether a text begins as a stream of events does."""
    return _BEGINNING.match(text) is not None


def sent_data(text: str) -> Iterator[tuple[int, str]]:
    """The data of each event and its line, from 1; comments and the mark of the end are none."""
    begun, lines = 0, list[str]()
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.startswith(_DATA):
            begun = begun if lines else number
            lines.append(line.removeprefix(_DATA).strip())
        # Some loggers leave out the empty lines: whatever else comes ends the event as well.
        if lines and (not line.startswith(_DATA) or _is_whole(lines[-1])):
            if (data := "\n".join(lines)) not in {"", _END_OF_STREAM}:
                yield begun, data
            lines = []


def _is_whole(line: str) -> bool:
    return line == _END_OF_STREAM or (line[:1], line[-1:]) == ("{", "}")
