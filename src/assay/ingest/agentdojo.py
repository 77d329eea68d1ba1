"""AgentDojo: what its trace logger writes of one task, with or without an attack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.chat import RunBuilder, runs_of_entries
from assay.ingest.fields import (
    dict_or_empty,
    objects_in,
    stable_id,
    text_at,
    text_of,
)
from assay.ingest.openai_chat import add_message
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.documents import Unreadable
    from assay.test_case import AgentTestCase

NAME = "agentdojo"
MARKS = frozenset({"suite_name", "pipeline_name", "user_task_id", "messages"})
# A task is one of the suite's, under one attack or none.
TASK_KEYS = ("suite_name", "user_task_id", "injection_task_id")
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    found = recording.first_items(_LOOKED_AT)
    return 0.95 if found and all(_is_run(value) for value in found) else 0.0


def _is_run(value: object) -> bool:
    run = dict_or_empty(value)
    return run.keys() >= MARKS and isinstance(run["messages"], list)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return runs_of_entries(recording, NAME, _case, "a task of AgentDojo with messages")


def _case(value: Any, source: Source) -> AgentTestCase | None:
    if not _is_run(value):
        return None
    run = RunBuilder()
    for message in objects_in(value["messages"]):
        if message.get("role") == "tool":
            _tell_result(run, message)
        else:
            add_message(run, message)
    told = [text for key in TASK_KEYS if (text := text_at(value, key))]
    model = text_at(value, "pipeline_name")
    known = {*MARKS, *TASK_KEYS[:2], "utility", "error"}
    return run.finish(
        run_id=stable_id(NAME, model, told, value.get("attack_type"), value["messages"]),
        task_id="/".join(told) or None,
        model=model,
        framework=NAME,
        outcome=_outcome(value),
        source=source,
        extra={key: item for key, item in value.items() if key not in known and item is not None},
    )


def _tell_result(run: RunBuilder, message: dict[str, Any]) -> None:
    """What a tool gave back; the runtime says of every call whether it threw something."""
    error = text_at(message, "error")
    run.result(
        text_at(message, "tool_call_id"),
        text_of(message.get("content")) or error,
        tool=text_at(dict_or_empty(message.get("tool_call")), "function"),
        reported_success=error is None if "error" in message else None,
        error_message=error,
    )


def _outcome(value: dict[str, Any]) -> RunOutcome | None:
    """Whether the user got what was asked for; an attack that came through says nothing of that."""
    solved, error = value.get("utility"), text_at(value, "error")
    if not isinstance(solved, bool):
        return RunOutcome(success=False, decided_by=NAME, reason=error) if error else None
    return RunOutcome(success=solved, decided_by="AgentDojo's utility", reason=error)


AGENTDOJO = Format(
    name=NAME,
    title="AgentDojo runs, with and without an attack",
    fidelity=(
        "Says of each call whether it failed, and by utility whether the task was solved; how an "
        "attack went is in extra.security. Has no tool schemas, no times of calls and no tokens; "
        "the model is the pipeline's name, a defence included."
    ),
    recognise=_recognise,
    read=_read,
)
