"""OpenHands' own store: each event of a conversation in a file of its own, the state beside them.

`ID/events/event-00000-….json` and so on, `events/0.json` in older versions; `ID/base_state.json`
knows the conversation's id, its model and what was spent. The first event's file is the run.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidRecord
from assay.ingest.documents import decode_json
from assay.ingest.fields import dict_or_empty
from assay.ingest.recording import FilePlace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Recording

STATE = "base_state.json"
_FOLDER = "events"
_EVENT = re.compile(r"(?:event-)?(\d{1,9})(?:-[\w-]{1,100})?\.json")
_LARGEST_FILE = 64 * 1024 * 1024


def is_state(value: object) -> bool:
    """Whether a value is the state of a conversation, which holds none of its events."""
    return dict_or_empty(value).keys() >= {"agent", "execution_status", "persistence_dir"}


def has_events_beside(recording: Recording) -> bool:
    """Whether the events of a conversation lie beside its state, and are read with it."""
    place = recording.place
    folder = place.path.parent / _FOLDER if isinstance(place, FilePlace) else None
    return folder is not None and folder.is_dir() and any(_numbered(folder))


def follows_another(recording: Recording) -> bool:
    """Whether a file holds a later event of a conversation, to be read with the first."""
    own = _number(recording)
    if own is None:
        return False
    # Mostly one of the first names that the system gives is an earlier one.
    return any(number < own for number, _ in _numbered(Path(recording.name).parent))


def event_files(recording: Recording) -> list[Path]:
    """The files of the conversation that a file begins, in order; none if it lies alone."""
    if _number(recording) is None:
        return []
    return [path for _, path in sorted(_numbered(Path(recording.name).parent))]


def _number(recording: Recording) -> int | None:
    place = recording.place
    if not isinstance(place, FilePlace) or place.path.parent.name != _FOLDER:
        return None
    found = _EVENT.fullmatch(place.path.name)
    return int(found[1]) if found else None


def _numbered(folder: Path) -> Iterator[tuple[int, Path]]:
    # Name by name: who looks for an earlier event, for each of them, need not see the whole folder.
    with os.scandir(folder) as entries:
        for entry in entries:
            found = _EVENT.fullmatch(entry.name)
            if found is not None:
                yield int(found[1]), Path(entry.path)


def stored_events(files: list[Path]) -> list[dict[str, Any]]:
    """The events in these files; one that cannot be read is left out."""
    return [value for path in files if isinstance(value := _value(path), dict)]


def stored_state(files: list[Path]) -> dict[str, Any]:
    """What is known of the conversation as a whole; nothing where its state was not kept."""
    return dict_or_empty(_value(files[0].parent.parent / STATE))


def _value(path: Path) -> Any:
    try:
        return decode_json(path.read_bytes()) if path.stat().st_size < _LARGEST_FILE else None
    except (OSError, InvalidRecord):
        return None
