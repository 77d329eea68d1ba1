"""Sessions of Claude Code in a file: which lines are whose, what was copied and summed up."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.readers import values
from assay.readers.values import dict_or_empty, objects_in
from assay.run import RunOutcome, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

_PARENT_KEYS = ("parentUuid", "logicalParentUuid")


class ClaudeSession(NamedTuple):
    """The lines of one session, and those it copied from another, whose id is told."""

    lines: list[dict[str, Any]]
    copied: list[dict[str, Any]]
    copied_from: str | None


def session_id(line: dict[str, Any]) -> str | None:
    """The session that a line names, as files and as streams write it."""
    return _text(line, "sessionId") or _text(line, "session_id")


def sessions_in(lines: list[dict[str, Any]]) -> list[ClaudeSession]:
    """The sessions of a file in their order; what one copied is no session of its own."""
    found: dict[int, ClaudeSession] = {}
    stands_in: dict[str, int] = {}
    for number, part in enumerate(_by_session(lines)):
        own = [line for line in part if not _origin(line)]
        stamped = [line for line in part if _origin(line)]
        gone_on = sorted({at for line in own for at in _parents(line, stands_in) if at in found})
        copied: list[dict[str, Any]] = []
        for at in gone_on:
            before = found.pop(at)
            # Many may go on with each other: what the first copied is not copied again.
            copied = before.copied if not copied else [*copied, *before.copied]
            copied += before.lines
        origin = next(filter(None, chain(map(_origin, stamped), map(session_id, copied))), None)
        copied += stamped
        found[number] = ClaudeSession(own, copied, origin)
        stands_in |= {uuid: number for line in part if (uuid := _text(line, "uuid"))}
    return list(found.values())


def _by_session(lines: Iterable[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """The lines of each session; those without an id belong to the session they stand in."""
    parts: dict[str, list[dict[str, Any]]] = {}
    nameless: list[dict[str, Any]] = []
    at_hand: str | None = None
    for line in lines:
        at_hand = session_id(line) or at_hand
        if at_hand is None:
            nameless.append(line)
        else:
            parts.setdefault(at_hand, []).append(line)
    first = next(iter(parts.values()), [])
    first[:0] = nameless
    return list(parts.values()) or ([nameless] if nameless else [])


def _text(line: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(line.get(key))


def _origin(line: dict[str, Any]) -> str | None:
    """The session that a line was copied from, where it says so."""
    return _text(dict_or_empty(line.get("forkedFrom")), "sessionId")


def _parents(line: dict[str, Any], stands_in: dict[str, int]) -> list[int]:
    """The sessions before that hold what a line goes on with."""
    named = (_text(line, key) for key in _PARENT_KEYS)
    return [stands_in[uuid] for uuid in named if uuid in stands_in]


# What Qwen Code writes where the API refused: words of the model, at the end of a "success".
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
        **({"id": line["message_id"]} if _text(line, "message_id") else {}),
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
    named = (_text(line, "model") for line in lines if line.get("subtype") == "init")
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
    said, kind = _text(line, "result"), _text(line, "subtype")
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
        values.usage(values.usage_of(replies)),
        values.usage(values.usage_of(line.get("usage") for line in results)),
        *(values.usage(values.usage_of(_by_model(line))) for line in results[-1:]),
    ]
    most = max(counted, key=_tokens)
    costs = [line.get("total_cost_usd") for line in lines if line.get("type") == "result"]
    known = [amount for cost in costs if (amount := values.amount(cost)) is not None]
    if known:
        most = most or Usage()
        most.cost_usd = known[-1]
    return most


def _by_model(line: dict[str, Any]) -> list[dict[str, Any]]:
    models = line.get("modelUsage")
    return objects_in(list(models.values())) if isinstance(models, dict) else []


def _tokens(usage: Usage | None) -> int:
    if usage is None:
        return -1
    return (usage.input_tokens or 0) + (usage.output_tokens or 0)
