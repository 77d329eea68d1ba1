"""How frameworks keep conversations in SQLite: rows of theirs as documents their readers know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import InvalidRecord
from assay.ingest.fields import dict_or_empty, objects_in, place_id, stable_id, text_at
from assay.ingest.flatted_json import whole_of

if TYPE_CHECKING:
    from assay.ingest.sqlite_database import Database

Row = dict[str, Any]
ADK_JSON = ("content", "usage_metadata", "grounding_metadata", "custom_metadata")
AGNO_RUNS = frozenset({"run_id", "session_id", "run_type", "run_data"})
# How Open WebUI names in a message what it names otherwise in a row.
WEBUI_NAMES = {"parent_id": "parentId", "model_id": "model", "created_at": "timestamp"}
WEBUI_JSON = frozenset({"content", "output", "files", "sources", "meta", "error", "usage"})
# The one branch of a conversation that every conversation has.
_MAIN = "main"
# Values of Python's that LangGraph writes down with their class, which nobody need call.
_OBJECTS = range(6)
_OBJECT_PARTS = 3


def agents_session(database: Database, row: Row) -> Any:
    """The items of a session of the OpenAI Agents SDK, which keeps them one a row."""
    session = row["session_id"]
    branches = database.rows_of("message_structure", "session_id", session)
    others = {b.get("branch_id") for b in branches} - {_MAIN}
    own = {b["message_id"] for b in branches if b.get("branch_id") == _MAIN}
    items, times = [], []
    for message in database.rows_of(row["table"], "session_id", session):
        if others and message.get("id") not in own:
            continue
        item = database.json(message["message_data"], f"session {session}, item {message['id']}")
        if isinstance(item, dict):
            items.append(item)
            times.append(message.get("created_at"))
    models = (text_at(dict_or_empty(i.get("provider_data")), "model") for i in reversed(items))
    spent = [u for u in database.rows_of("turn_usage", "session_id", session) if _is_main(u)]
    known = {
        "id": stable_id("agents-session", session, *place_id(database.name, None)),
        "session_id": session,
        "model": next(filter(None, models), None),
        "created_at": next(iter(times), None),
        "usage": _summed(spent, "input_tokens", "output_tokens"),
        "other_branches": len(others) or None,
        "items": items,
    }
    return {key: value for key, value in known.items() if value is not None} if items else None


def _is_main(row: Row) -> bool:
    return bool(row.get("branch_id") == _MAIN)


def _summed(rows: list[Row], *keys: str) -> Row | None:
    counts = {key: [row[key] for row in rows if isinstance(row.get(key), int)] for key in keys}
    return {key: sum(found) for key, found in counts.items() if found} or None


def adk_session(database: Database, row: Row) -> Any:
    """A session of Google's ADK with its events; older versions keep their fields in columns."""
    events = []
    for event in database.rows_of("events", "session_id", row["id"]):
        if (event["app_name"], event["user_id"]) != (row["app_name"], row["user_id"]):
            continue
        place = f"event {event['id']}"
        if "event_data" in event:
            data = database.json(event["event_data"], place)
            told = {"timestamp": event.get("timestamp"), **dict_or_empty(data)}
        else:
            # The actions are pickled, and stay so.
            told = {key: value for key, value in event.items() if key != "actions"}
            told |= {key: database.json(event.get(key), place) for key in ADK_JSON}
        events.append(told)
    about = {key: row[key] for key in ("id", "app_name", "user_id")}
    return {**about, "events": events} if events else None


def agno_session(database: Database, row: Row) -> Any:
    """A session of Agno with its runs, which newer versions keep in a table of their own."""
    place = f"session {row['session_id']}"
    if "runs" in row:
        runs = database.json(row["runs"], place)
        # Version 2 wrote the JSON of its runs once more as JSON.
        runs = database.json(runs, place) if isinstance(runs, str) else runs
    else:
        kept = [
            run
            for table in database.tables_with(AGNO_RUNS)
            for run in database.rows_of(table, "session_id", row["session_id"])
        ]
        runs = [database.json(run["run_data"], f"run {run['run_id']}") for run in kept]
    runs = objects_in(runs)
    return {"session_id": row["session_id"], "runs": runs} if runs else None


def webui_chat(database: Database, row: Row) -> Any:
    """A chat of Open WebUI as it is exported; newer versions keep messages in rows as well."""
    chat = dict_or_empty(database.json(row["chat"], f"chat {row['id']}"))
    history = dict_or_empty(chat.get("history"))
    messages = dict(dict_or_empty(history.get("messages")))
    for kept in database.rows_of("chat_message", "chat_id", row["id"]):
        own_id = str(kept["id"]).removeprefix(f"{row['id']}-")
        messages[own_id] = {**dict_or_empty(messages.get(own_id)), **_webui_message(database, kept)}
        messages[own_id]["id"] = own_id
    if not messages:
        return None
    current = history.get("currentId") or row.get("current_message_id")
    history = {**history, "messages": messages, "currentId": current}
    about = {key: row.get(key) for key in ("id", "title", "user_id", "created_at", "updated_at")}
    meta = database.json(row.get("meta"), f"chat {row['id']}, meta")
    return {**about, "meta": meta, "chat": {**chat, "history": history}}


def _webui_message(database: Database, kept: Row) -> Row:
    told = {}
    for key, value in kept.items():
        if key not in {"id", "chat_id", "updated_at"} and value is not None:
            is_json = key in WEBUI_JSON
            decoded = database.json(value, f"message {kept['id']}, {key}") if is_json else value
            told[WEBUI_NAMES.get(key, key)] = decoded
    return {key: value for key, value in told.items() if value is not None}


def n8n_execution(database: Database, row: Row) -> Any:
    """An execution of n8n as its API gives it, its data put together."""
    place = f"execution {row['id']}"
    for kept in database.rows_of("execution_data", "executionId", row["id"]):
        listed = database.json(kept["data"], place)
        if listed is None:
            return None
        try:
            data = whole_of(listed)
        except InvalidRecord as exc:
            raise InvalidRecord(f"{place}: {exc}") from exc
        workflow = database.json(kept.get("workflowData"), place)
        return {**row, "data": data, "workflowData": workflow}
    return None


def mlflow_trace(database: Database, row: Row) -> Any:
    """A trace of MLflow: each row of its table holds a span as it is exported."""
    spans = [
        database.json(span["content"], f"span {span['span_id']}")
        for span in database.rows_of(row["table"], "trace_id", row["trace_id"])
    ]
    return {"spans": objects_in(spans)}


def phoenix_trace(database: Database, row: Row) -> Any:
    """A trace of Phoenix: the columns of its spans, and the attributes as they are nested."""
    spans = []
    for span in database.rows_of("spans", "trace_rowid", row["id"]):
        place = f"span {span['span_id']}"
        told = {key: database.json(span[key], place) for key in ("attributes", "events")}
        spans.append({**span, **told, "trace_id": row["trace_id"]})
    return {"spans": spans} if spans else None


def graph_thread(database: Database, row: Row) -> Any:
    """What LangGraph last wrote down of a thread: the messages of its state."""
    for rowid in reversed(database.rowids_of(row["table"], "thread_id", row["thread_id"])):
        kept = database.row(row["table"], rowid)
        if kept.get("checkpoint_ns"):
            continue  # the state of a graph inside the graph
        state = _checkpoint(database, kept)
        messages = objects_in(dict_or_empty(state.get("channel_values")).get("messages"))
        about = {"thread_id": row["thread_id"], "created_at": state.get("ts")}
        return {**about, "messages": messages} if messages else None
    return None


def _checkpoint(database: Database, kept: Row) -> Row:
    place = f"thread {kept['thread_id']}"
    if kept["type"] in {None, "json"}:
        return dict_or_empty(database.json(kept["checkpoint"], place))
    if kept["type"] != "msgpack" or not isinstance(kept["checkpoint"], bytes):
        raise InvalidRecord(f"{place} is written as {kept['type']}, which is not read")
    try:
        return dict_or_empty(msgspec.msgpack.decode(kept["checkpoint"], ext_hook=_plain))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as exc:
        raise InvalidRecord(f"{place} cannot be read: {exc}") from exc


def _plain(code: int, data: memoryview) -> Any:
    """What an object was made of; the object itself is never made."""
    parts = msgspec.msgpack.decode(data, ext_hook=_plain) if code in _OBJECTS else None
    return parts[2] if isinstance(parts, list) and len(parts) >= _OBJECT_PARTS else None
