"""How a call of Codex CLI ended: what an event, a finished item or the output itself says."""

from __future__ import annotations

import re
from typing import Any

from msgspec import Struct

from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_json_text,
    dict_or_empty,
    text_at,
    text_of,
)

# What Codex itself writes above a command's output, before the line "Output:".
_EXIT_CODE = re.compile(r"(?:Process exited with code|Exit code:) (-?\d{1,10})")
_RUNNING = re.compile(r"Process running with session ID (\d{1,20})")
_WALL_TIME = re.compile(r"Wall time: (\d{1,10}(?:\.\d{1,10})?) seconds")
_HEADER = 400
# How an item of newer versions says that it ended.
STATUSES = {"completed": True, "failed": False, "declined": False}


class Ending(Struct):
    """How a call ended, as an event or the output itself says."""

    success: bool | None = None
    time: float | None = None
    server: str | None = None
    message: str | None = None


def told_ending(event: dict[str, Any]) -> tuple[str, Ending] | None:
    """The call that an event is about, and how it ended; None where it tells of no end."""
    item = dict_or_empty(event.get("item")) if event.get("type") == "item_completed" else event
    own_id = text_at(item, "call_id") or text_at(item, "id")
    found = _event_ending(event) if item is event else _item_ending(item)
    return None if own_id is None or found is None else (own_id, found)


def _event_ending(event: dict[str, Any]) -> Ending | None:
    time = _duration(event.get("duration"))
    match event.get("type"):
        case "exec_command_end":
            code = count_or_none(event.get("exit_code"))
            message = text_at(event, "stderr") or text_at(event, "aggregated_output")
            return Ending(None if code is None else code == 0, time, message=message)
        case "patch_apply_end":
            success = event.get("success")
            message = text_at(event, "stderr")
            return Ending(success if isinstance(success, bool) else None, time, message=message)
        case "mcp_tool_call_end":
            return _mcp_ending(event, time)
    return None


def _mcp_ending(event: dict[str, Any], time: float | None) -> Ending:
    server = text_at(dict_or_empty(event.get("invocation")), "server")
    outcome = dict_or_empty(event.get("result"))
    if "Err" in outcome:
        return Ending(success=False, time=time, server=server, message=str(outcome["Err"]))
    if not isinstance(outcome.get("Ok"), dict):
        return Ending(None, time, server)
    answer = outcome["Ok"]
    flagged = answer.get("isError", answer.get("is_error"))
    return Ending(flagged is not True, time, server, text_of(answer.get("content")))


def _duration(value: object) -> float | None:
    if not isinstance(value, dict):
        return None
    whole, rest = amount_or_none(value.get("secs")), amount_or_none(value.get("nanos"))
    return None if whole is None else whole + (rest or 0.0) / 1e9


def _item_ending(item: dict[str, Any]) -> Ending | None:
    """What newer versions write in place of an event for each kind of call."""
    success, time = STATUSES.get(str(item.get("status"))), _duration(item.get("duration"))
    match item.get("type"):
        case "CommandExecution":
            code = count_or_none(item.get("exit_code"))
            message = text_at(item, "aggregated_output")
            return Ending(success if code is None else code == 0, time, message=message)
        case "FileChange":
            return Ending(success, time, message=text_at(item, "stderr"))
        case "McpToolCall":
            said = dict_or_empty(item.get("result")).get("content")
            error = text_at(dict_or_empty(item.get("error")), "message")
            return Ending(success, time, text_at(item, "server"), error or text_of(said))
        case "CollabAgentToolCall":
            return Ending(success, time)
    return None


def output_ending(output: object) -> Ending:
    """What the output says where no event was kept."""
    if isinstance(output, dict) and isinstance(output.get("success"), bool):
        return Ending(output["success"], message=text_of(output.get("content")))
    if not isinstance(output, str):
        return Ending()
    if output.startswith("{"):
        about = dict_or_empty(dict_or_empty(decode_json_text(output)).get("metadata"))
        code, time = count_or_none(about.get("exit_code")), about.get("duration_seconds")
        return Ending(None if code is None else code == 0, amount_or_none(time))
    header = _header(output)
    code_said, time_said = _EXIT_CODE.search(header), _WALL_TIME.search(header)
    return Ending(
        int(code_said[1]) == 0 if code_said else None,
        float(time_said[1]) if time_said else None,
    )


def left_running(output: object) -> str | None:
    """The session of a process that ran on when the call came back; None where none did."""
    found = _RUNNING.search(_header(output)) if isinstance(output, str) else None
    return found[1] if found else None


def _header(output: str) -> str:
    """What Codex itself wrote above the output."""
    header, found, _ = output[:_HEADER].partition("\nOutput:")
    return header if found else ""
