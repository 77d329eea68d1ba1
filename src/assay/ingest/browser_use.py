"""Browser Use: the history of an agent in a browser, as `save_history` writes it."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, runs_of_entries
from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_or_none,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.documents import Unreadable
    from assay.test_case import AgentTestCase

NAME = "browser-use"
STEP_KEYS = frozenset({"model_output", "result", "state"})
# What the agent thought, as versions differ in which of it they keep.
THOUGHT_KEYS = ("thinking", "evaluation_previous_goal", "memory", "next_goal")
# Stands in an action beside what was done.
ELEMENT = "interacted_element"
RESULT_KEYS = ("extracted_content", "long_term_memory")
# The history names no task; whoever keeps it may, and newer versions keep what the model was shown.
TASK_KEYS = ("task", "goal", "query", "instruction")
ASKED, ASKED_END = "<user_request>", "</user_request>"
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    found = recording.first_items(_LOOKED_AT)
    return 0.95 if found and all(_steps(value) for value in found) else 0.0


def _steps(value: object) -> list[dict[str, Any]]:
    """The steps of a history; none of what is no history."""
    steps = objects_in(dict_or_empty(value).get("history"))
    return steps if all(step.keys() >= STEP_KEYS for step in steps) else []


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return runs_of_entries(recording, NAME, _case, "a history of Browser Use")


def _case(value: Any, source: Source) -> AgentTestCase | None:
    steps = _steps(value)
    if not steps:
        return None
    run = RunBuilder()
    run.user(_question(value, steps))
    for step in steps:
        _tell(run, step)
    last = next(iter(objects_in(steps[-1]["result"])[-1:]), {})
    known = [dict_or_empty(step.get("metadata")) for step in steps]
    starts, ends = (_times(known, f"step_{edge}_time") for edge in ("start", "end"))
    return run.finish(
        run_id=stable_id(NAME, place_id(str(source.path), source.position), starts),
        actual_output=text_at(last, "extracted_content") if last.get("is_done") is True else None,
        framework=NAME,
        usage=total_usage(known),
        outcome=_outcome(last),
        started_at=min(starts, default=None),
        ended_at=max(ends, default=None),
        source=source,
        extra=_extra(steps, last),
    )


def _question(value: dict[str, Any], steps: list[dict[str, Any]]) -> str | None:
    told = next((text for key in TASK_KEYS if (text := text_at(value, key))), None)
    if told:
        return told
    shown = text_at(steps[0], "state_message") or ""
    asked, end, _ = shown.partition(ASKED)[2].partition(ASKED_END)
    return asked.strip() if end else None


def _tell(run: RunBuilder, step: dict[str, Any]) -> None:
    """Tell one step: what was thought, and each action with what came of it."""
    output, results = dict_or_empty(step["model_output"]), objects_in(step["result"])
    brain = {**dict_or_empty(output.get("current_state")), **output}
    run.end_reply()
    run.think("\n".join(text for key in THOUGHT_KEYS if (text := text_at(brain, key))))
    calls = [_call(action) for action in objects_in(output.get("action"))]
    for call in calls:
        run.call(call)
    for call, result in zip_longest(calls, results):
        if call is None:  # the model gave nothing that could be done
            run.system(_told(result))
        elif result is not None:
            _end(run, call, result)
        else:  # it was not done any more, and no later result is its
            run.result(None, None, tool=call.tool)


def _call(action: dict[str, Any]) -> ToolExecutionResult:
    name = next((key for key in action if key != ELEMENT), "")
    return ToolExecutionResult(name, dict_or_empty(action.get(name)))


def _end(run: RunBuilder, call: ToolExecutionResult, result: dict[str, Any]) -> None:
    """Tell how an action ended: an error is told, and whatever has none went well."""
    error = text_at(result, "error")
    run.result(
        None,
        _told(result),
        tool=call.tool,
        reported_success=error is None,
        error_message=error,
    )


def _told(result: dict[str, Any]) -> str | None:
    said = next((text for key in RESULT_KEYS if (text := text_at(result, key))), None)
    return text_at(result, "error") or said


def _times(known: list[dict[str, Any]], key: str) -> list[float]:
    return [at for step in known if (at := epoch_seconds(step.get(key))) is not None]


def _outcome(last: dict[str, Any]) -> RunOutcome | None:
    """What Browser Use's judge decided; what the agent says of itself is no verdict."""
    judged = dict_or_empty(last.get("judgement"))
    if not isinstance(judged.get("verdict"), bool):
        return None
    reason = text_or_none(judged.get("failure_reason")) or text_or_none(judged.get("reasoning"))
    return RunOutcome(success=judged["verdict"], decided_by=f"{NAME} judge", reason=reason)


def _extra(steps: list[dict[str, Any]], last: dict[str, Any]) -> dict[str, Any]:
    urls = [text_at(dict_or_empty(step["state"]), "url") for step in steps]
    visited = list(dict.fromkeys(filter(None, urls)))
    known = {"urls": visited or None, "own_verdict": last.get("success")}
    return {key: value for key, value in known.items() if value is not None}


BROWSER_USE = Format(
    name=NAME,
    title="Histories of Browser Use's agent",
    fidelity=(
        "Each action is a call, with its error. What was asked is known in newer versions only, "
        "the model in none; times are those of steps. An outcome only where its judge was asked; "
        "what the agent says of its success is in extra.own_verdict."
    ),
    recognise=_recognise,
    read=_read,
)
