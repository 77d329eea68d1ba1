"""What Claude Code prints around the messages of a `stream-json` log: the first and last lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import amount_or_none, objects_in, text_at, total_usage, with_cost
from assay.run import RunOutcome, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

# How Qwen Code tells what the API refused: as words of the model, at the end of a "success".
API_ERROR = "[API Error:"


# The blocks of a message by the keys that each alone has, as Python's SDK holds them.
_BLOCK_KINDS = (
    ("tool_use_id", "tool_result"),
    ("input", "tool_use"),
    ("thinking", "thinking"),
    ("text", "text"),
)
_SUMMED_UP = frozenset({"subtype", "duration_ms", "num_turns", "session_id"})


def is_of_sdk(line: dict[str, Any]) -> bool:
    """Whether a line is a message that Python's SDK held, saved by its fields: without a type."""
    if "type" in line:
        return False
    is_said = "parent_tool_use_id" in line and "content" in line
    return is_said or line.keys() >= _SUMMED_UP or {"subtype", "data"} == line.keys()


def as_printed(line: dict[str, Any]) -> dict[str, Any]:
    """A line as Claude Code prints it, of one that Python's SDK held; any other as it is."""
    if not is_of_sdk(line):
        return line
    if "content" not in line:
        printed = line.get("data")
        return printed if isinstance(printed, dict) else {**line, "type": "result"}
    role = "assistant" if "model" in line else "user"
    content = line["content"]
    blocks = [_typed(block) for block in objects_in(content)]
    message = {
        "role": role,
        "content": blocks if isinstance(content, list) else content,
        **{key: line[key] for key in ("model", "usage") if line.get(key)},
        **({"id": line["message_id"]} if text_at(line, "message_id") else {}),
    }
    return {"session_id": None, **line, "type": role, "message": message}


def _typed(block: dict[str, Any]) -> dict[str, Any]:
    kind = next((kind for key, kind in _BLOCK_KINDS if key in block), None)
    return block if kind is None or "type" in block else {**block, "type": kind}


def is_result(line: dict[str, Any]) -> bool:
    """Whether a line sums up a whole run; it may be all that was printed."""
    return line.get("type") == "result" and "session_id" in line and "num_turns" in line


def first_model(lines: Iterable[dict[str, Any]]) -> list[str]:
    """The model that a stream was begun with."""
    named = (text_at(line, "model") for line in lines if line.get("subtype") == "init")
    return [name for name in named if name][:1]


def stream_facts(lines: Iterable[dict[str, Any]], writer: str) -> dict[str, Any]:
    """Tools, answer and failure, as the first and the last line of a log tell them."""
    known: dict[str, Any] = {}
    for line in lines:
        if line.get("subtype") == "init" and isinstance(line.get("tools"), list):
            known["available_tools"] = [t for t in line["tools"] if isinstance(t, str)]
        elif line.get("type") == "result":
            known |= _ending(line, writer)
    return known


def _ending(line: dict[str, Any], writer: str) -> dict[str, Any]:
    said, kind = text_at(line, "result"), text_at(line, "subtype")
    known: dict[str, Any] = {} if said is None else {"actual_output": said}
    refused = said is not None and said.startswith(API_ERROR)
    if line.get("is_error") is not True and not refused:
        return known
    if kind == "success" and said:
        # The session went well, but the API refused: the harness tells why in the answer's place.
        known, kind = {}, said
    return {**known, "outcome": RunOutcome(success=False, decided_by=writer, reason=kind)}


def usage_of(lines: list[dict[str, Any]], replies: Iterable[object]) -> Usage | None:
    """Tokens and costs of a run, from its replies and from the lines that sum it up.

    A stream's replies are printed before their last tokens are counted, `usage` leaves out
    sub-agents, `modelUsage` what an earlier process did: whoever counts most is nearest.
    """
    results = [line for line in lines if is_result(line)]
    counted = [
        total_usage(report for report in replies if report),
        total_usage(line.get("usage") for line in results),
        *(total_usage(_by_model(line)) for line in results[-1:]),
    ]
    most = max(counted, key=_tokens)
    costs = [line.get("total_cost_usd") for line in lines if line.get("type") == "result"]
    known = [cost for cost in costs if amount_or_none(cost) is not None]
    return with_cost(most, known[-1:])


def _by_model(line: dict[str, Any]) -> list[dict[str, Any]]:
    models = line.get("modelUsage")
    return objects_in(list(models.values())) if isinstance(models, dict) else []


def _tokens(usage: Usage | None) -> int:
    if usage is None:
        return -1
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)
