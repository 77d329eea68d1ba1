"""Interactions of the Gemini API: what went in, and the steps, or the outputs, that came of it.

One that goes on with another names it: together they are one run.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    named_tools,
    objects_in,
    place_id,
    reported_success,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.stated_names import stated_attempt, stated_task
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

CALL, RESULT = "_call", "_result"
ASKED, SAID, THOUGHT = "user_input", "model_output", "thought"
FAILED = frozenset({"failed", "incomplete", "budget_exceeded"})
USAGE_KEYS = (
    ("input_tokens", ("total_input_tokens",)),
    ("output_tokens", ("total_output_tokens",)),
    ("cache_read_input_tokens", ("total_cached_tokens",)),
    ("reasoning_tokens", ("total_thought_tokens", "total_reasoning_tokens")),
)


def is_interaction(value: object) -> bool:
    """Whether a value is an interaction as the API gives it."""
    whole = dict_or_empty(value)
    is_named = whole.get("object") == "interaction"
    is_counted = "total_input_tokens" in dict_or_empty(whole.get("usage"))
    return bool(_made(whole)) and (is_named or is_counted)


def interaction_runs(
    told: Iterable[tuple[dict[str, Any], int | None]], name: str, format_name: str
) -> Iterator[AgentTestCase]:
    """The runs of interactions, each with those that it goes on with."""
    runs: list[list[dict[str, Any]]] = []
    places: list[int | None] = []
    known: dict[str, int] = {}
    for value, position in told:
        at = known.get(text_at(value, "previous_interaction_id") or "", len(runs))
        if at == len(runs):
            runs.append([])
            places.append(position)
        runs[at].append(value)
        known |= {own: at for own in [text_at(value, "id")] if own}
    for values, position in zip(runs, places, strict=True):
        yield _case(values, name, format_name, position)


def _case(
    values: list[dict[str, Any]], name: str, format_name: str, position: int | None
) -> AgentTestCase:
    run, unread = RunBuilder(), Counter[str]()
    run.system(values[0].get("system_instruction"))
    for value in values:
        for item, is_reply in (*_asked(value), *((step, True) for step in _made(value))):
            if not _tell(run, item, is_reply=is_reply):
                unread[str(item.get("type"))] += 1
        run.end_reply()
    named = (text_at(value, key) for value in values for key in ("model", "agent"))
    began, ended = (_times(values, key) for key in ("created", "updated"))
    own_id = text_at(values[0], "id")
    return run.finish(
        run_id=own_id or stable_id(format_name, values, *place_id(name, position)),
        task_id=stated_task(values[0]),
        attempt=stated_attempt(values[0]),
        model=next(filter(None, named), None),
        usage=total_usage(map(_usage, values)),
        available_tools=named_tools(values[0].get("tools")),
        started_at=min(began, default=None),
        ended_at=max(ended, default=None),
        outcome=_outcome(text_at(values[-1], "status"), format_name),
        source=Source(name, format_name, position),
        extra={"unread_parts": dict(unread)} if unread else {},
    )


def _made(value: dict[str, Any]) -> list[dict[str, Any]]:
    """The steps of an interaction; its outputs where it is from before there were steps."""
    return objects_in(value.get("steps")) or objects_in(value.get("outputs"))


def _asked(value: dict[str, Any]) -> Iterator[tuple[dict[str, Any], bool]]:
    """What went in, item by item, and whether the model had said it; steps may tell it, too."""
    if any(step.get("type") == ASKED for step in _made(value)):
        return
    sent = value.get("input")
    for item in sent if isinstance(sent, list) else [sent]:
        turn = item if isinstance(item, dict) else {"type": ASKED, "content": item}
        content = turn.get("content")
        if "role" not in turn:
            yield turn, text_at(turn, "type") in {SAID, THOUGHT}
        elif isinstance(content, list):
            yield from ((part, turn["role"] == "model") for part in objects_in(content))
        else:
            yield {"type": "text", "text": content}, turn["role"] == "model"


def _tell(run: RunBuilder, step: dict[str, Any], *, is_reply: bool) -> bool:
    """Tell the run a step, or a part of what was said; whether its kind is known."""
    kind = text_at(step, "type") or "text"
    if kind == THOUGHT:
        run.think(text_of(step.get("summary")) or None)
    elif kind.endswith(CALL):
        run.call(_call(step, kind))
    elif kind.endswith(RESULT):
        _tell_result(run, step)
    elif words := text_of(step.get("content") if kind in {ASKED, SAID} else [step]):
        (run.say if is_reply and kind != ASKED else run.user)(words)
    return kind.endswith((CALL, RESULT)) or kind in {THOUGHT, ASKED, SAID, "text"}


def _call(step: dict[str, Any], kind: str) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(step, "name") or kind.removesuffix(CALL),
        parameters=decode_arguments(step.get("arguments")),
        server=text_at(step, "server_name"),
        call_id=text_at(step, "id"),
    )


def _tell_result(run: RunBuilder, step: dict[str, Any]) -> None:
    came, success = step.get("result"), reported_success(step)
    run.result(
        text_at(step, "call_id"),
        came,
        tool=text_at(step, "name"),
        reported_success=success,
        error_message=text_of(came) or None if success is False else None,
    )


def _usage(value: dict[str, Any]) -> dict[str, Any]:
    counts = dict_or_empty(value.get("usage"))
    found = ((ours, [counts[k] for k in keys if k in counts]) for ours, keys in USAGE_KEYS)
    return {ours: told[0] for ours, told in found if told}


def _times(values: list[dict[str, Any]], key: str) -> list[float]:
    return [at for value in values if (at := epoch_seconds(value.get(key))) is not None]


def _outcome(status: str | None, decided_by: str) -> RunOutcome | None:
    if status not in FAILED:
        return None
    return RunOutcome(success=False, decided_by=decided_by, reason=status)
