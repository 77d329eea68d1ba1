"""Streamed responses of the Gemini API: each comes in pieces, which are one response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.chat import Entry
from assay.ingest.fields import dict_or_empty, objects_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.ingest.documents import Unreadable

ID_KEYS = ("responseId", "response_id")
END_KEYS = ("finishReason", "finish_reason")


def whole_responses(entries: Iterable[Entry | Unreadable]) -> Iterator[Entry | Unreadable]:
    """The same entries, the pieces of each response as one; whatever else stays as it is."""
    pieces: list[dict[str, Any]] = []
    begun: int | None = None
    for entry in entries:
        piece = entry.value if isinstance(entry, Entry) and _is_response(entry.value) else None
        if pieces and (piece is None or not _goes_on(pieces[-1], piece)):
            yield Entry(joined_pieces(pieces), begun)
            pieces = []
        if piece is None:
            yield entry
        else:
            begun = begun if pieces else entry.position
            pieces.append(piece)
    if pieces:
        yield Entry(joined_pieces(pieces), begun)


def _is_response(value: object) -> bool:
    response = dict_or_empty(value)
    return isinstance(response.get("candidates"), list) and "contents" not in response


def _goes_on(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a piece belongs to the same response: by its id, else until one was the last."""
    ids = [next((r[key] for key in ID_KEYS if r.get(key)), None) for r in (earlier, later)]
    if ids[0] is not None or ids[1] is not None:
        return bool(ids[0] == ids[1])
    return not any(c.get(key) for c in objects_in(earlier["candidates"]) for key in END_KEYS)


def joined_pieces(pieces: list[dict[str, Any]]) -> dict[str, Any]:
    """One response of its pieces; counts are of all that came before, so the last are taken."""
    if len(pieces) == 1:
        return pieces[0]
    parts: list[dict[str, Any]] = []
    whole: dict[str, Any] = {}
    for piece in pieces:
        whole |= {key: value for key, value in piece.items() if value is not None}
        first = next(iter(objects_in(piece.get("candidates"))), {})
        _add_parts(parts, objects_in(dict_or_empty(first.get("content")).get("parts")))
    content = {"role": "model", "parts": [_closed(part) for part in parts]}
    return {**whole, "candidates": [{"content": content}] if parts else []}


def _add_parts(parts: list[dict[str, Any]], more: list[dict[str, Any]]) -> None:
    """Add parts; words that go on are one part, told once all of them are there."""
    for part in more:
        words = part.get("text")
        if not isinstance(words, str):
            parts.append(part)
        elif parts and _kind(parts[-1]) == _kind(part):
            parts[-1]["text"].append(words)
        else:
            parts.append({**part, "text": [words]})


def _kind(part: dict[str, Any]) -> object:
    return bool(part.get("thought")) if "text" in part else None


def _closed(part: dict[str, Any]) -> dict[str, Any]:
    pieces = part.get("text")
    return {**part, "text": "".join(pieces)} if isinstance(pieces, list) else part
