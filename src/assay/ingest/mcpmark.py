"""MCPMark experiments: messages.json with its meta.json beside, and the leaderboard's results."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.ingest.documents import Document, Unreadable, read_beside, unexpected
from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    objects_in,
    stable_id,
    text_at,
    text_or_none,
    total_usage,
    whole_path,
)
from assay.ingest.openai_responses import ItemRun, is_item
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

MESSAGES, META = "messages.json", "meta.json"
# The number of a run stands in its key or, for single runs, in the folder's name only.
_RUN_NUMBER = re.compile(r"(?:^|[/\\])run-(\d{1,6})(?:$|[/\\])")
_KEPT = ("mcp", "litellm_run_model_name", "reasoning_effort", "agent_execution_time", "turn_count")


def _recognise(recording: Recording) -> float:
    first = recording.sample[0] if recording.sample else None
    if _is_meta(first) or _is_results(first):
        return 1.0
    items = first if isinstance(first, list) else [first]
    is_messages = bool(recording.sample) and all(is_item(item) for item in items)
    return 1.0 if is_messages and _meta_beside(recording) is not None else 0.0


def _is_meta(value: object) -> bool:
    return isinstance(value, dict) and {"task_name", "execution_result", "mcp"} <= value.keys()


def _is_results(value: object) -> bool:
    return (
        isinstance(value, dict)
        and {"model", "service", "task"} <= value.keys()
        and isinstance(value.get("runs"), dict)
    )


def _meta_beside(recording: Recording) -> dict[str, Any] | None:
    beside = recording.beside(META)
    value = beside.sample[0] if beside is not None and beside.sample else None
    return value if isinstance(value, dict) and _is_meta(value) else None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    meta = _meta_beside(recording)
    items: list[Any] | None = None
    for document in recording.documents():
        value = document.value if isinstance(document, Document) else None
        if isinstance(document, Unreadable):
            yield document
        elif meta is not None and (isinstance(value, list) or is_item(value)):
            items = items or []
            items.extend(value if isinstance(value, list) else [value])
        elif _is_results(value):
            yield from _outcomes(document.value, recording.name, document.position)
        elif not _is_meta(value):
            yield unexpected(
                recording.name,
                value,
                f"messages with {META} beside them or results",
                document.position,
            )
        elif recording.beside(MESSAGES) is None:
            yield _run(None, document.value, recording)
        else:
            yield read_beside(recording.name, f"tells the outcome of the run in {MESSAGES}")
    if items is not None and meta is not None:
        yield _run(items, meta, recording)


def _run(items: list[Any] | None, meta: dict[str, Any], recording: Recording) -> AgentTestCase:
    server = text_at(meta, "mcp")
    time = dict_or_empty(meta.get("time"))
    model, task = text_at(meta, "model_name"), text_at(meta, "task_name")
    attempt = _attempt(whole_path(recording.name))
    known: dict[str, Any] = {
        "run_id": stable_id(MCPMARK.name, server, model, task, attempt, time.get("start")),
        "task_id": task,
        "attempt": attempt,
        "model": model,
        "framework": "mcpmark",
        "outcome": _outcome(dict_or_empty(meta.get("execution_result"))),
        "usage": total_usage([meta.get("token_usage")]),
        "started_at": epoch_seconds(time.get("start")),
        "ended_at": epoch_seconds(time.get("end")),
        "source": Source(recording.name, MCPMARK.name),
        "extra": {key: meta[key] for key in _KEPT if meta.get(key) is not None},
    }
    if items is None:
        return AgentTestCase("", None, **known)
    told = ItemRun()
    for item in objects_in(items):
        told.add(item)
    for call in told.run.calls:
        call.server = call.server or server
    return told.run.finish(**known)


def _outcomes(value: dict[str, Any], name: str, position: int | None) -> Iterator[AgentTestCase]:
    model, service, task = value["model"], value["service"], value["task"]
    for key, run in value["runs"].items():
        told = dict_or_empty(run)
        kept = {k: told[k] for k in ("execution_time", "turn_count") if told.get(k) is not None}
        yield AgentTestCase(
            "",
            None,
            run_id=stable_id(MCPMARK.name, service, model, task, key),
            task_id=text_or_none(task),
            attempt=_attempt(key),
            model=text_or_none(model),
            framework="mcpmark",
            outcome=_outcome(told),
            usage=total_usage([told.get("token_usage")]),
            source=Source(name, MCPMARK.name, position),
            extra={"service": service, **kept},
        )


def _outcome(result: dict[str, Any]) -> RunOutcome | None:
    success = result.get("success")
    if not isinstance(success, bool):
        return None
    output = text_at(result, "verification_output")
    return RunOutcome(
        success=success,
        decided_by="mcpmark verification",
        reason=text_at(result, "error_message") or text_at(result, "verification_error"),
        extra={"verification_output": output} if output else {},
    )


def _attempt(text: str) -> int | None:
    found = _RUN_NUMBER.findall(text)
    return int(found[-1]) if found else None


MCPMARK = Format(
    name="mcpmark",
    title="MCPMark experiments: messages.json with meta.json, and leaderboard results",
    fidelity=(
        "Outcome, tokens and time of each run; no times of single calls and no tool schemas. "
        "Which attempt a run was stands in the folder's name only. Leaderboard results hold "
        "outcomes without any message."
    ),
    recognise=_recognise,
    read=_read,
)
