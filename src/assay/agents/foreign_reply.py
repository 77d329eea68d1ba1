"""What an agent that is no Python function of ours is sent, and how its reply is read.

It gets one JSON object: `message`, `session_id`, `user_id`, `instructions`, `history`, `past_calls`
(for each message of the user in the history the calls it led to: `tool`, `arguments`, `result`),
`model` (`base_url`, `name`, `api_key`: the tap, so that whatever it asks the model is recorded) and
`tools` (their definitions, each with the `url` that runs it: POST the arguments as a JSON object,
and the result comes back). It replies with plain text, or with a JSON object that holds the
answer under `text`, `response`, `answer` or `output`, and if it likes its tool calls under
`calls`: objects with `tool`, `parameters`, `result`, `success`, `error_message`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from assay.agents.tool_door import tools_at
from assay.errors import AgentFailed
from assay.execution import ToolExecutionResult
from assay.records import preview

if TYPE_CHECKING:
    from assay.agents.protocol import Emit, Turn

_ANSWERS = ("text", "response", "answer", "output")


def request_of(turn: Turn) -> dict[str, Any]:
    """The turn as the JSON object that is sent."""
    return {
        "message": turn.message,
        "session_id": turn.session_id,
        "user_id": turn.user_id,
        "instructions": turn.instructions,
        "history": list(turn.history),
        "past_calls": msgspec.to_builtins(turn.calls),
        "model": msgspec.to_builtins(turn.model),
        "tools": tools_at(turn),
    }


def read_reply(text: str, emit: Emit) -> str:
    """The answer in a reply; its calls are emitted."""
    try:
        found = json.loads(text)
    except ValueError:
        return text.strip()
    if not isinstance(found, dict):
        return text.strip()
    if found.get("error"):
        raise AgentFailed(f"the agent replied with an error: {str(found['error'])[:500]}")
    for call in _calls_in(found):
        emit("call", call)
    answers = (found.get(key) for key in _ANSWERS)
    answer = next((text for text in answers if isinstance(text, str)), None)
    if answer is None:
        raise AgentFailed(f"no answer in the reply: expected one of {', '.join(_ANSWERS)}")
    return answer


def _calls_in(reply: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls that a reply tells of; one that is none is an error that names its field."""
    told = reply.get("calls") or []
    if not isinstance(told, list):
        raise AgentFailed(f"calls: expected a list, got {preview(told)}")
    for place, call in enumerate(told):
        ToolExecutionResult.from_dict(call, f"calls[{place}]")
    return told
