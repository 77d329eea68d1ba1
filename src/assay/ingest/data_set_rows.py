"""Rows of published data sets as conversations of the chat API.

Who speaks, what is said and where the turns stand is named differently in each: `conversations`
with `from` and `value`, a `trajectory` with `role` and `text`, `messages` as JSON in a text. The
turns are told as messages; all else in the row stays as it is.
"""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import decode_json_text, objects_in, text_at
from assay.ingest.python_literals import decode_loosely

# Where a row keeps its turns; a text may hold them as JSON.
TURN_KEYS = ("messages", "trajectory", "conversations", "conversation", "traj")
ROLE_KEYS = ("role", "from")
WORD_KEYS = ("content", "value", "text", "system_prompt")
SPEAKERS = {
    **dict.fromkeys(("user", "human"), "user"),
    **dict.fromkeys(("assistant", "gpt", "ai", "model", "reasoning", "answer"), "assistant"),
    **dict.fromkeys(("tool", "function", "observation", "environment"), "tool"),
    **dict.fromkeys(("tool_response", "function_response", "tool_output"), "tool"),
    **dict.fromkeys(("system", "developer"), "system"),
}
# Who speaks where a turn is nothing but a call.
CALLERS = frozenset({"function_call", "tool_call"})
# Columns that name a run together; where the first is alone it names many.
OWN_IDS = (("trajectory_id",), ("traj_id",), ("trial_name", "episode"), ("run_id", "instance_id"))
# Columns beside which `task` names the task, in one word.
TASK_BESIDE = ("trial_name", "prompt")
# What a run made that ended with a command, and not with words.
PATCH_KEYS = ("generated_patch", "model_patch")
QUESTION_KEYS = ("prompt", "question", "query", "instruction")


def as_conversation(row: dict[str, Any]) -> dict[str, Any]:
    """A row with its turns as `messages`; any other value, and plain messages, as they are."""
    row = _in_small_letters(row)
    if _are_plain(row.get("messages")):
        return row
    for key in TURN_KEYS:
        stated = row.get(key)
        turns = decode_json_text(stated) if isinstance(stated, str) else stated
        if not isinstance(turns, list) or not turns or not all(map(_is_turn, turns)):
            continue
        rest = {k: v for k, v in row.items() if k not in {key, "system"}}
        return {**rest, "messages": _with_system(row, _messages(turns))}
    return row


def own_id(row: dict[str, Any]) -> str | None:
    """The name that a row has of its own; None where its columns name more than the one run."""
    for keys in OWN_IDS:
        parts = [text_at(row, key) for key in keys]
        if parts[0] and (parts[-1] or keys[0] == "trial_name"):
            return "/".join(filter(None, parts))
    return None


def task_of(row: dict[str, Any]) -> str | None:
    """The task that a row names as `task`, which mostly tells it."""
    named = text_at(row, "task")
    is_name = named is not None and not any(character.isspace() for character in named)
    return named if is_name and any(text_at(row, key) for key in TASK_BESIDE) else None


def question_of(row: dict[str, Any]) -> str | None:
    """What was asked, where it stands beside turns in which nobody asks."""
    return next((text for key in QUESTION_KEYS if (text := text_at(row, key))), None)


def patch_of(row: dict[str, Any]) -> str | None:
    """The patch that the model made, which is what it was asked for."""
    return next((text for key in PATCH_KEYS if (text := text_at(row, key))), None)


def framework_of(row: dict[str, Any]) -> str | None:
    """The agent that a row names beside its trial; elsewhere the word may mean a model."""
    return text_at(row, "agent") if text_at(row, "trial_name") else None


def _in_small_letters(row: dict[str, Any]) -> dict[str, Any]:
    """A row whose columns are all named in capitals, as others name them."""
    if not row or not all(key.isupper() for key in row):
        return row
    return {key.lower(): value for key, value in row.items()}


def _are_plain(messages: object) -> bool:
    """Whether messages are a list in which no turn is a call by its speaker."""
    if not isinstance(messages, list):
        return False
    return not any(text_at(turn, "role") in CALLERS for turn in objects_in(messages))


def _is_turn(turn: object) -> bool:
    """Whether a value says who speaks, of those we know, and what."""
    if not isinstance(turn, dict) or not any(key in turn for key in (*WORD_KEYS, "tool_calls")):
        return False
    return _speaker(turn) in SPEAKERS or _speaker(turn) in CALLERS


def _speaker(turn: dict[str, Any]) -> str:
    return next((said.lower() for key in ROLE_KEYS if (said := text_at(turn, key))), "")


def _messages(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns as messages; calls that follow each other were issued in one reply."""
    told: list[dict[str, Any]] = []
    is_calling = False
    for turn in turns:
        calls = _calls(turn)
        if calls and is_calling:
            told[-1]["tool_calls"] += calls
        elif calls:
            told.append({"role": "assistant", "content": None, "tool_calls": calls})
        else:
            told.append(_message(turn))
        is_calling = bool(calls)
    return told


def _calls(turn: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that a turn is, one or a list of them as JSON or as Python writes it."""
    words = _words(turn)
    if _speaker(turn) not in CALLERS or not isinstance(words, str):
        return []
    decoded = decode_loosely(words)
    items = objects_in(decoded if isinstance(decoded, list) else [decoded])
    return [{"function": item} for item in items if text_at(item, "name")]


def _message(turn: dict[str, Any]) -> dict[str, Any]:
    rest = {k: v for k, v in turn.items() if k not in ROLE_KEYS and k not in WORD_KEYS}
    # What is called but cannot be read as a call was said by the model all the same.
    return {**rest, "role": SPEAKERS.get(_speaker(turn), "assistant"), "content": _words(turn)}


def _words(turn: dict[str, Any]) -> Any:
    return next((turn[key] for key in WORD_KEYS if turn.get(key) is not None), None)


def _with_system(row: dict[str, Any], messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages behind the words to the model that stand in a column of their own."""
    words = text_at(row, "system")
    if words is None or messages[0]["role"] == "system":
        return messages
    return [{"role": "system", "content": words}, *messages]
