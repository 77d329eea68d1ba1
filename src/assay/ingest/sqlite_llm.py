"""The log of Simon Willison's `llm`: its conversations as chats, of both generations.

Older versions log responses, with the calls of each and the results it was sent; newer ones
messages, each of which names the one before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    text_at,
)

if TYPE_CHECKING:
    from assay.ingest.sqlite_database import Database

Row = dict[str, Any]


def llm_conversation(database: Database, row: Row) -> Any:
    """A conversation of older versions."""
    responses = database.rows_of("responses", "conversation_id", row["id"])
    responses.sort(key=lambda response: str(response["id"]))
    messages: list[Row] = []
    instructions = None
    for response in responses:
        system = _with_fragments(database, response, "system")
        if system and system != instructions:
            messages.append({"role": "system", "content": system})
            instructions = system
        results = database.rows_of("tool_results", "response_id", response["id"])
        messages += [_result(result) for result in results]
        if asked := _with_fragments(database, response, "prompt"):
            messages.append({"role": "user", "content": asked})
        calls = database.rows_of("tool_calls", "response_id", response["id"])
        messages.append(
            {
                "role": "assistant",
                "content": response.get("response"),
                "reasoning": response.get("reasoning"),
                "tool_calls": [_call(database, call) for call in calls],
                "usage": _usage(database, response),
            }
        )
    return _chat(database, row, messages, responses, ("tool_responses", "response_id"))


def _with_fragments(database: Database, response: Row, kind: str) -> str:
    """A prompt with the fragments that stand before it."""
    used = database.rows_of(f"{kind}_fragments", "response_id", response["id"])
    found = (
        database.rows_of("fragments", "id", u["fragment_id"])
        for u in sorted(used, key=lambda u: count_or_none(u.get("order")) or 0)
    )
    texts = [text_at(fragment, "content") for rows in found for fragment in rows]
    return "\n".join(filter(None, [*texts, text_at(response, kind)]))


def _call(database: Database, call: Row) -> Row:
    sent = call.get("arguments")
    arguments = database.json(sent, f"call {call.get('tool_call_id')}")
    return {
        "id": call.get("tool_call_id"),
        "function": {
            "name": call.get("name"),
            "arguments": sent if arguments is None else arguments,
        },
    }


def _result(result: Row) -> Row:
    """What came of a call; where exceptions are noted, none says that it went well."""
    told = {
        "role": "tool",
        "name": result.get("name"),
        "tool_call_id": result.get("tool_call_id"),
        "content": result.get("output"),
    }
    return told | ({"is_error": bool(result["exception"])} if "exception" in result else {})


def llm_thread(database: Database, row: Row) -> Any:
    """A thread of newer versions, from its last message back to its first."""
    turns = database.rows_of("turns", "thread_id", row["id"])
    ended = {turn["tip_message_hash"]: turn for turn in turns}
    path: list[Row] = []
    seen: set[object] = set()
    own = row.get("tip_message_hash")
    while isinstance(own, str) and own not in seen:
        seen.add(own)
        message = database.row_with("messages", "hash", own)
        path.append(message)
        own = message.get("parent_hash")
    messages = [
        told
        for message in reversed(path)
        if message
        for told in _told(database, message, ended.get(message["hash"], {}))
    ]
    return _chat(database, row, messages, turns, ("turn_tools", "turn_id"))


def _told(database: Database, message: Row, turn: Row) -> list[Row]:
    """A message as a chat has it: results are messages of their own."""
    parts = database.rows_of("parts", "message_hash", message["hash"])
    parts.sort(key=lambda part: count_or_none(part.get("position")) or 0)
    words: list[str] = []
    thoughts: list[str] = []
    calls: list[Row] = []
    results: list[Row] = []
    for part in parts:
        about = dict_or_empty(database.json(part.get("payload"), f"part {part['id']}"))
        match part.get("type"):
            case "text":
                words.append(_text(database, part, about))
            case "reasoning":
                thoughts.append(_text(database, part, about))
            case "tool_call":
                calls.append({"id": about.get("tool_call_id"), "function": about})
            case "tool_result":
                results.append(_result({"exception": None, **about}))
    if message.get("role") == "tool":
        return results
    told = {"role": message.get("role"), "content": "".join(words), "tool_calls": calls}
    return [told | {"reasoning": "".join(thoughts), "usage": _usage(database, turn)}]


def _text(database: Database, part: Row, about: Row) -> str:
    """The text of a part; what it has in common with a fragment is kept there."""
    pieces = []
    for piece in objects_in(about.get("text_ref")):
        kept = database.rows_of("fragments", "id", piece.get("fragment"))
        pieces.append(text_at(piece, "literal") or next((text_at(f, "content") for f in kept), ""))
    return text_at(part, "text") or "".join(filter(None, pieces))


def _usage(database: Database, kept: Row) -> Row:
    details = database.json(kept.get("token_details"), f"tokens of {kept.get('id')}")
    counts = {key: kept.get(key) for key in ("input_tokens", "output_tokens")}
    return {**dict_or_empty(details), **counts}


def _chat(
    database: Database, row: Row, messages: list[Row], turns: list[Row], offered: tuple[str, str]
) -> Any:
    if not messages:
        return None
    begun = [at for turn in turns if (at := epoch_seconds(turn.get("datetime_utc"))) is not None]
    ended = [
        at + lasted / 1000
        for turn in turns
        if (at := epoch_seconds(turn.get("datetime_utc"))) is not None
        and (lasted := amount_or_none(turn.get("duration_ms"))) is not None
    ]
    models = [turn.get("resolved_model") or turn.get("model") for turn in turns]
    tools = _tools(database, turns, offered)
    known = {
        "session_id": row["id"],
        "model": next(filter(None, reversed(models)), None),
        "created": min(begun, default=None),
        "ended": max(ended, default=None),
        "tools": tools or None,
        "name": row.get("name"),
    }
    return {"messages": messages} | {k: v for k, v in known.items() if v is not None}


def _tools(database: Database, turns: list[Row], offered: tuple[str, str]) -> list[Row]:
    """The tools that were on offer in some turn."""
    table, column = offered
    ids = {
        link["tool_id"]: None for t in turns for link in database.rows_of(table, column, t["id"])
    }
    tools = [tool for own in ids for tool in database.rows_of("tools", "id", own)]
    return [
        {
            "type": "function",
            "function": {
                "name": tool.get("name"),
                "description": tool.get("description"),
                "parameters": database.json(tool.get("input_schema"), f"tool {tool.get('name')}"),
            },
        }
        for tool in tools
    ]
