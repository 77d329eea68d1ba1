"""OpenAI chat messages: a list of them, one conversation a line, or one message a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import FOREIGN_KEYS, RunBuilder, conversations, replies, sampled_messages
from assay.ingest.data_set_rows import OWN_IDS, framework_of, own_id, patch_of, question_of
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_or_none,
    total_usage,
    with_cost,
)
from assay.ingest.react_text import with_written_calls
from assay.ingest.recording import Format, Recording
from assay.ingest.stated_names import (
    ATTEMPT_KEY,
    MODEL_KEYS,
    TASK_KEYS,
    stated_attempt,
    stated_model,
    stated_task,
)
from assay.ingest.stated_outcome import stated_outcome
from assay.ingest.stated_tools import TOOL_KEYS, stated_tools
from assay.ingest.written_calls import tagged_calls
from assay.run import Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function"})
# Kinds of content parts the chat API knows; any other kind is another API's message.
PART_KINDS = frozenset({"text", "image_url", "input_audio", "file", "refusal"})
REASONING_KEYS = ("reasoning_content", "reasoning", "tool_plan")
ID_KEYS = ("run_id", "conversation_id", "session_id", "id", "uuid")
ARGUMENT_KEYS = ("arguments", "input", "args", "parameters")
_KNOWN_KEYS = frozenset(
    {*ID_KEYS, "messages", "tools", "functions", "model", "usage", "created", "ended", "choices"}
    | {*TASK_KEYS, *MODEL_KEYS, *TOOL_KEYS, ATTEMPT_KEY, *(key for keys in OWN_IDS for key in keys)}
)


def add_message(run: RunBuilder, message: dict[str, Any]) -> None:
    """Tell the run one chat message."""
    role, content = message.get("role"), message.get("content")
    match role:
        case "system" | "developer":
            run.system(content)
        case "user":
            run.user(content)
        case "assistant":
            run.end_reply()
            for call in _executed(message):
                run.call(call)
            reasoning = next((message[key] for key in REASONING_KEYS if message.get(key)), None)
            run.assistant(content, calls_of(message), reasoning=text_or_none(reasoning))
        case "tool" if objects_in(message.get("tool_responses")):
            # AG2 gathers the results of one reply in one message.
            for result in objects_in(message["tool_responses"]):
                run.result(text_at(result, "tool_call_id"), result.get("content"))
        case "tool" | "function":
            run.result(
                text_at(message, "tool_call_id"),
                content,
                tool=text_at(message, "name"),
                reported_success=reported_success(message),
            )
        case _:
            run.other(str(role), content)


def _executed(message: dict[str, Any]) -> list[ToolExecutionResult]:
    """The calls that the provider made itself before it answered, with what came of them."""
    return [
        ToolExecutionResult(
            tool=text_at(done, "name") or text_at(done, "type") or "",
            parameters=decode_arguments(done.get("arguments")),
            result=done.get("output"),
        )
        for done in objects_in(message.get("executed_tools"))
    ]


def calls_of(message: dict[str, Any]) -> list[ToolExecutionResult]:
    """The calls an assistant message issues, in whichever of the API's forms."""
    issued = objects_in(message.get("tool_calls"))
    if isinstance(message.get("function_call"), dict):
        issued.append({"function": message["function_call"]})
    content = message.get("content")
    written = [] if issued or not isinstance(content, str) else tagged_calls(content)
    return [_call(call) for call in issued or written]


def _call(issued: dict[str, Any]) -> ToolExecutionResult:
    # Some keep the name where the API has an object: Inspect, AgentDojo.
    bodies = (issued.get(key) for key in ("function", "custom"))
    body = next((inner for inner in bodies if isinstance(inner, dict)), issued)
    sent = next((body[key] for key in ARGUMENT_KEYS if key in body), None)
    return ToolExecutionResult(
        tool=text_at(body, "name") or text_at(issued, "function") or "",
        parameters=decode_arguments(sent),
        call_id=text_at(issued, "id"),
    )


def is_message(value: object) -> bool:
    """Whether a value is a message of the chat API and of no other."""
    if not isinstance(value, dict) or text_at(value, "role") not in ROLES:
        return False
    if "content" not in value and "tool_calls" not in value and "function_call" not in value:
        return False
    if not FOREIGN_KEYS.isdisjoint(value) or isinstance(value.get("tool_calls"), dict):
        return False
    content = value.get("content")
    if not isinstance(content, list):
        return content is None or isinstance(content, str)
    return all(isinstance(part, dict) and text_at(part, "type") in PART_KINDS for part in content)


def _uses_tools(message: dict[str, Any]) -> bool:
    return message["role"] in {"tool", "function"} or _calls(message)


def _recognise(recording: Recording) -> float:
    messages = sampled_messages(recording)
    if not messages or not all(is_message(message) for message in messages):
        return 0.0
    if "assistant" not in {message["role"] for message in messages}:
        return 0.3
    return 0.8 if any(_uses_tools(message) for message in messages) else 0.5


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in conversations(recording):
        if isinstance(entry, Unreadable):
            yield entry
        else:
            yield _conversation(entry.value, recording.name, entry.position)


def _conversation(value: dict[str, Any], name: str, position: int | None) -> AgentTestCase:
    run = RunBuilder()
    said = as_the_model_sees(objects_in([*value["messages"], *replies(value)]))
    messages = with_written_calls(said)
    response = dict_or_empty(value.get("response"))
    for message in messages:
        add_message(run, message)
    ids = (text_at(place, key) for place in (value, response) for key in ID_KEYS)
    named = own_id(value) or next(filter(None, ids), None)
    is_asked = any(message.get("role") == "user" for message in said)
    return run.finish(
        input=None if is_asked else question_of(value),
        actual_output=run.answer or patch_of(value),
        framework=framework_of(value),
        available_tools=stated_tools({**value, "tools": _on_offer(value.get("tools"))}, said),
        run_id=named or stable_id(OPENAI_CHAT.name, place_id(name, position), said),
        task_id=stated_task(value),
        attempt=stated_attempt(value),
        model=stated_model(value, response),
        session_id=text_at(value, "session_id"),
        usage=_usage(value.get("usage") or response.get("usage")) or total_usage(_usages(messages)),
        started_at=epoch_seconds(value.get("created", response.get("created"))),
        ended_at=epoch_seconds(value.get("ended")),
        source=Source(name, OPENAI_CHAT.name, position),
        outcome=stated_outcome(value),
        extra={
            key: item
            for key, item in value.items()
            if key not in _KNOWN_KEYS and item is not response
        },
    )


def as_the_model_sees(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages with the model as the assistant: in AG2 whoever keeps them is that himself."""
    spoken = (m for m in messages if text_at(m, "role") in {"user", "assistant"})
    first = next(spoken, {})
    is_mirrored = first.get("role") == "assistant" and not _calls(first)
    if not is_mirrored or not any("tool_responses" in message for message in messages):
        return messages
    swapped = {"assistant": "user", "user": "assistant"}
    return [
        message if _calls(message) else {**message, "role": swapped.get(str(role), role)}
        for message in messages
        for role in [message.get("role")]
    ]


def _calls(message: dict[str, Any]) -> bool:
    return bool(message.get("tool_calls") or message.get("function_call"))


def _usage(report: object) -> Usage | None:
    """The tokens of a report, and what they cost where it says so."""
    return with_cost(total_usage([report]), [dict_or_empty(report).get("cost")])


def _usages(messages: Iterable[dict[str, Any]]) -> list[object]:
    return [message.get("usage") or message.get("metrics") for message in messages]


def _on_offer(tools: Any) -> Any:
    """The tools on offer; those that Agno lists there were used."""
    used = [tool for tool in objects_in(tools) if "tool_call_id" in tool]
    return None if used else tools


OPENAI_CHAT = Format(
    name="openai-chat",
    title="OpenAI chat messages: a list, one conversation a line, or one message a line",
    fidelity=(
        "No error flag on tool results, no server names, no times; the tools on offer, the "
        "model, the tokens and the outcome only where they were stored beside the messages."
    ),
    recognise=_recognise,
    read=_read,
)
