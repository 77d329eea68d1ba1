"""Chats of the Cursor editor: a composer and its bubbles, each a text, a thought or a call."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    count_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.run import Source

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

NAME = "cursor"
USER = 1
# How a call ended; one that still runs, or waits for the user's word, did not end.
STATUSES = {"completed": True, "error": False, "cancelled": False, "rejected": False}
# The user chooses a model, or leaves the choice to Cursor.
_NO_MODEL = frozenset({"default", "auto"})
_KEPT = ("name", "unifiedMode", "subtitle")


def is_chat(value: object) -> bool:
    """Whether a value is a composer with what was said in it."""
    return "composerId" in dict_or_empty(value) and bool(_bubbles(value))


def _bubbles(chat: object) -> list[dict[str, Any]]:
    return objects_in(dict_or_empty(chat).get("conversation"))


def case_of_chat(chat: dict[str, Any], name: str, position: int | None) -> AgentTestCase:
    """The run that a chat was."""
    run, bubbles = RunBuilder(), _bubbles(chat)
    for _, together in groupby(enumerate(bubbles), key=_reply):
        _add_bubbles(run, [bubble for _, bubble in together])
    own_id = text_at(chat, "composerId")
    times = [at for b in bubbles if (at := epoch_seconds(b.get("createdAt"))) is not None]
    return run.finish(
        run_id=stable_id(NAME, own_id or place_id(name, position)),
        session_id=own_id,
        model=_model(chat, bubbles),
        framework=NAME,
        usage=total_usage(map(_usage, bubbles)),
        started_at=min(times, default=epoch_seconds(chat.get("createdAt"))),
        ended_at=max(times, default=epoch_seconds(chat.get("lastUpdatedAt"))),
        source=Source(name, NAME, position),
        extra={key: chat[key] for key in _KEPT if chat.get(key)},
    )


def _reply(numbered: tuple[int, dict[str, Any]]) -> object:
    """Which bubbles one reply issued together: calls that name the same request to the model."""
    number, bubble = numbered
    return text_at(dict_or_empty(bubble.get("toolFormerData")), "modelCallId") or number


def _add_bubbles(run: RunBuilder, bubbles: list[dict[str, Any]]) -> None:
    called: list[dict[str, Any]] = []
    for bubble in bubbles:
        words = text_at(bubble, "text")
        if bubble.get("type") == USER:
            run.user(words or "")
            continue
        run.think(_thoughts(bubble))
        run.say(words or "")
        call = dict_or_empty(bubble.get("toolFormerData"))
        if text_at(call, "name"):
            _add_call(run, call, epoch_seconds(bubble.get("createdAt")))
            called.append(call)
    for call in called:
        _add_result(run, call)
    if called:
        run.end_reply()


def _thoughts(bubble: dict[str, Any]) -> str | None:
    thought = bubble.get("thinking")
    told = text_at(thought, "text") if isinstance(thought, dict) else text_of(thought)
    blocks = (text_at(b, "text") or "" for b in objects_in(bubble.get("allThinkingBlocks")))
    return told or "\n".join(filter(None, blocks)) or None


def _add_call(run: RunBuilder, called: dict[str, Any], at: float | None) -> None:
    tool, sent, server = _asked(called)
    call_id = text_at(called, "toolCallId")
    run.call(ToolExecutionResult(tool, sent, server=server, call_id=call_id, started_at=at))


def _add_result(run: RunBuilder, called: dict[str, Any]) -> None:
    came, success = _came(called.get("result")), STATUSES.get(str(called.get("status")))
    if success is None and came is None:
        return
    code = count_or_none(dict_or_empty(came).get("exitCode"))
    if success and (code not in {None, 0} or dict_or_empty(came).get("rejected") is True):
        success = False
    run.result(
        text_at(called, "toolCallId"),
        came if came is not None else called.get("error"),
        reported_success=success,
        error_message=_error(called, came) if success is False else None,
        tool=_asked(called)[0],
    )


def _asked(called: dict[str, Any]) -> tuple[str, Any, str | None]:
    """Tool, arguments and server of a call; what the model wrote comes before what became of it."""
    tool = text_at(called, "name") or ""
    sent = decode_arguments(called.get("rawArgs") or called.get("params"))
    wrapped = objects_in(dict_or_empty(decode_arguments(called.get("params"))).get("tools"))
    if len(wrapped) != 1:
        return tool, sent, None
    # A tool of an MCP server is named once more, with its server and what it was sent.
    (inner,) = wrapped
    sent = sent if called.get("rawArgs") else decode_arguments(inner.get("parameters"))
    return text_at(inner, "name") or tool, sent, text_at(inner, "serverName")


def _came(result: object) -> Any:
    decoded = decode_json_text(result) if isinstance(result, str) else result
    return result if decoded is None and isinstance(result, str) and result else decoded


def _error(called: dict[str, Any], came: Any) -> str | None:
    """The words of a failure, else how the call ended."""
    told = _came(called.get("error"))
    about = dict_or_empty(told)
    keys = ("modelVisibleErrorMessage", "clientVisibleErrorMessage", "message", "error")
    words = next(filter(None, (text_at(about, key) for key in keys)), None) or text_of(told)
    ended = text_at(called, "status")
    result = text_at(dict_or_empty(came), "output") or text_at(dict_or_empty(came), "error")
    return words or result or (None if ended == "completed" else ended)


def _model(chat: dict[str, Any], bubbles: list[dict[str, Any]]) -> str | None:
    named = (text_at(dict_or_empty(b.get("modelInfo")), "modelName") for b in reversed(bubbles))
    chosen = text_at(dict_or_empty(chat.get("modelConfig")), "modelName")
    return next((model for model in (*named, chosen) if model and model not in _NO_MODEL), None)


def _usage(bubble: dict[str, Any]) -> dict[str, Any]:
    """The tokens of a bubble; two zeros stand where none were counted."""
    counts = dict_or_empty(bubble.get("tokenCount"))
    told = {"input_tokens": counts.get("inputTokens"), "output_tokens": counts.get("outputTokens")}
    return told if any(told.values()) else {}
