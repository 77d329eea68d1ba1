"""How coding agents keep their sessions in SQLite: rows of theirs as their exports hold them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.errors import InvalidRecord
from assay.ingest.documents import LONGEST_DOCUMENT
from assay.ingest.fields import dict_or_empty, objects_in, text_at

if TYPE_CHECKING:
    from assay.ingest.sqlite_database import Database

Row = dict[str, Any]
CURSOR_TABLE = "cursorDiskKV"
CURSOR_CHATS = "composerData:"


def opencode_session(database: Database, row: Row) -> Any:
    """A session as `opencode export` writes it."""
    session = row["id"]
    parts: dict[str, list[Row]] = {}
    for part in _by_id(database.rows_of("part", "session_id", session)):
        data = database.json(part["data"], f"part {part['id']}")
        if isinstance(data, dict):
            own = {"id": part["id"], "sessionID": session, "messageID": part["message_id"]}
            parts.setdefault(part["message_id"], []).append({**data, **own})
    messages = []
    for message in _by_id(database.rows_of("message", "session_id", session)):
        data = database.json(message["data"], f"message {message['id']}")
        if isinstance(data, dict):
            info = {**data, "id": message["id"], "sessionID": session}
            messages.append({"info": info, "parts": parts.get(message["id"], [])})
    about = {
        "id": session,
        "title": row.get("title"),
        "parentID": row.get("parent_id"),
        "time": {"created": row.get("time_created"), "updated": row.get("time_updated")},
    }
    return {"info": about, "messages": messages} if messages else None


def _by_id(rows: list[Row]) -> list[Row]:
    """In the order of their ids, which begin with the time they were given."""
    return sorted(rows, key=lambda row: str(row["id"]))


def goose_session(database: Database, row: Row) -> Any:
    """A session as `goose session export` writes it."""
    conversation = []
    for message in database.rows_of("messages", "session_id", row["id"]):
        content = database.json(message["content_json"], f"message {message['id']}")
        if isinstance(content, list) and content:
            told = {"role": message["role"], "created": message["created_timestamp"]}
            conversation.append({**told, "content": content})
    if not conversation:
        return None
    decoded = {
        key.removesuffix("_json"): database.json(row[key], f"session {row['id']}, {key}")
        for key in row
        if key.endswith("_json")
    }
    return {**row, **decoded, "conversation": conversation}


def cursor_chat(database: Database, row: Row) -> Any:
    """A chat with its bubbles, which newer versions keep in rows of their own."""
    chat = dict_or_empty(database.json(row["value"], str(row["key"])))
    if not chat or chat.get("conversation"):
        return chat or None
    inline = dict_or_empty(chat.get("conversationMap"))
    own_id = text_at(chat, "composerId") or str(row["key"]).removeprefix(CURSOR_CHATS)
    conversation = []
    for header in objects_in(chat.get("fullConversationHeadersOnly")):
        bubble_id = text_at(header, "bubbleId")
        key = f"bubbleId:{own_id}:{bubble_id}"
        stored = database.row_with(CURSOR_TABLE, "key", key).get("value")
        bubble = database.json(stored, key) or inline.get(bubble_id or "")
        if isinstance(bubble, dict):
            conversation.append({"type": header.get("type"), **bubble})
    return {**chat, "composerId": own_id, "conversation": conversation} if conversation else None


def zed_thread(database: Database, row: Row) -> Any:
    """A thread, as a row of the database holds it, unpacked."""
    place = f"thread {row['id']}"
    data, packing = row["data"], row["data_type"]
    if packing == "zstd" and isinstance(data, bytes):
        data = _unpacked(data, place)
    thread = database.json(data, place)
    return None if thread is None else {**row, "data": thread}


def _unpacked(data: bytes, place: str) -> bytes:
    zstandard = import_module("zstandard")
    reader = zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True)
    try:
        text = bytes(reader.read(LONGEST_DOCUMENT + 1))
    except zstandard.ZstdError as exc:
        raise InvalidRecord(f"{place} cannot be unpacked: {exc}") from exc
    if len(text) > LONGEST_DOCUMENT:
        raise InvalidRecord(f"{place} unpacks to more than {LONGEST_DOCUMENT >> 20} MB")
    return text
