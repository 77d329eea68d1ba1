"""Streamed responses of the Gemini API: each comes in pieces, which are one response."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import dict_or_empty, objects_in

ID_KEYS = ("responseId", "response_id")
END_KEYS = ("finishReason", "finish_reason")


def is_response(value: dict[str, Any]) -> bool:
    """Whether an object is a response of the API, whole or a piece of one."""
    return isinstance(value.get("candidates"), list) and "contents" not in value


def is_same_response(earlier: dict[str, Any], later: dict[str, Any]) -> bool:
    """Whether a piece belongs to the same response: by its id, else until one was the last."""
    if not is_response(later):
        return False
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
            parts.append({**part, "text": None} if "text" in part else part)
        elif parts and _kind(parts[-1]) == _kind(part) and isinstance(parts[-1]["text"], list):
            parts[-1]["text"].append(words)
        else:
            parts.append({**part, "text": [words]})


def _kind(part: dict[str, Any]) -> object:
    return bool(part.get("thought")) if "text" in part else None


def _closed(part: dict[str, Any]) -> dict[str, Any]:
    pieces = part.get("text")
    return {**part, "text": "".join(pieces)} if isinstance(pieces, list) else part
