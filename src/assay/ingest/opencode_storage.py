"""OpenCode's storage folder: a session, its messages and their parts in files of their own.

`session/PROJECT/ID.json` tells of the session; the messages lie in `message/ID/` and the parts
of each in `part/MESSAGE/`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.errors import InvalidRecord
from assay.ingest.documents import decode_json
from assay.ingest.fields import dict_or_empty, epoch_seconds, text_at
from assay.ingest.recording import FilePlace, is_below

if TYPE_CHECKING:
    from pathlib import Path

    from assay.ingest.recording import Recording

_LARGEST_FILE = 64 * 1024 * 1024


def is_session(value: object) -> bool:
    """Whether a value tells of a session and not of what was said in it."""
    about = dict_or_empty(value)
    is_named = text_at(about, "id") is not None and "directory" in about and "version" in about
    return is_named and "created" in dict_or_empty(about.get("time"))


def is_piece(value: object) -> bool:
    """Whether a value is a message without its parts, or a part without its message."""
    piece = dict_or_empty(value)
    if text_at(piece, "sessionID") is None or text_at(piece, "id") is None:
        return False
    return "messageID" in piece if "type" in piece else "role" in piece and "info" not in piece


def stored_messages(recording: Recording, session: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages of a stored session in their order, each with its parts; none if not there."""
    root = _root(recording)
    if root is None:
        return []
    infos = _values(root / "message", text_at(session, "id") or "")
    infos.sort(key=lambda info: epoch_seconds(dict_or_empty(info.get("time")).get("created")) or 0)
    return [
        {"info": info, "parts": _values(root / "part", text_at(info, "id") or "")}
        for info in infos
        if is_piece(info)
    ]


def is_told_by_session(recording: Recording, piece: dict[str, Any]) -> bool:
    """Whether the file of the session lies there that a piece is read with."""
    place, session = recording.place, text_at(piece, "sessionID") or ""
    if not isinstance(place, FilePlace) or len(place.path.parents) < 3 or not is_below(session):
        return False
    return any(
        (folder / f"{session}.json").exists()
        for folder in (place.path.parents[2] / "session").glob("*")
    )


def _root(recording: Recording) -> Path | None:
    place = recording.place
    if not isinstance(place, FilePlace) or len(place.path.parents) < 3:
        return None
    return place.path.parents[2] if place.path.parents[1].name == "session" else None


def _values(folder: Path, name: str) -> list[dict[str, Any]]:
    """The objects in the files of a folder, in name order; names in files are not to be trusted."""
    if not name or not is_below(name):
        return []
    found = sorted((folder / name).glob("*.json"))
    return [value for path in found if isinstance(value := _value(path), dict)]


def _value(path: Path) -> Any:
    try:
        return decode_json(path.read_bytes()) if path.stat().st_size < _LARGEST_FILE else None
    except (OSError, InvalidRecord):
        return None
