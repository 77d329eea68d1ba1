"""smolagents: the steps of an agent's memory, alone or in the result of a run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    text_or_none,
    total_usage,
)
from assay.ingest.python_literals import decode_literal
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "smolagents"
STEP_LISTS = ("steps", "memory", "logs", "messages")
CALL_ROLE, RESULT_ROLE = "tool-call", "tool-response"
_CALLING, _OBSERVATION, _TASK = "Calling tools:", "Observation:", "New task:"
_ERROR = "Error:"
_FAILED_CALL = re.compile(
    r"Error executing tool '(?P<tool>[^'\n]{1,200})' with arguments (?P<sent>\{[^\n]{0,5000}?\}): "
)
# Keys that tell what kind of step this is.
KIND_KEYS = ("step_number", "task", "system_prompt", "plan", "output")
FINAL_TOOL = "final_answer"
FAILED_STATES = frozenset({"max_steps_error"})


def _recognise(recording: Recording) -> float:
    found = [step for value in recording.sample for step in _steps(value)]
    lines = [value for value in recording.sample if isinstance(value, dict)]
    seen = found[:50] or lines
    return 0.95 if any(_is_action(step) or _is_told_call(step) for step in seen) else 0.0


def _steps(value: Any) -> list[dict[str, Any]]:
    """The steps of a list, or of an object around one."""
    if isinstance(value, dict):
        listed = (objects_in(value.get(key)) for key in STEP_LISTS)
        return next(filter(None, listed), [])
    return objects_in(value)


def _is_action(step: dict[str, Any]) -> bool:
    told = {"tool_calls", "observations"} <= step.keys()
    return "step_number" in step and told and bool({"model_output", "timing"} & step.keys())


def _is_told_call(message: dict[str, Any]) -> bool:
    """Whether a message tells of calls as the model is reminded of them: in words."""
    words = text_of(message.get("content")).lstrip()
    return message.get("role") == CALL_ROLE and words.startswith(_CALLING)


def _is_step(value: object) -> bool:
    return isinstance(value, dict) and any(key in value for key in (*KIND_KEYS, "role"))


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    loose: list[dict[str, Any]] = []
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
        elif steps := _steps(entry.value):
            yield _case(dict_or_empty(entry.value), steps, recording.name, entry.position)
        elif _is_step(entry.value):
            loose.append(entry.value)
        else:
            yield unexpected(recording.name, entry.value, "a step of smolagents", entry.position)
    if loose:
        yield _case({}, loose, recording.name, None)


def _case(
    around: dict[str, Any], steps: list[dict[str, Any]], name: str, position: int | None
) -> AgentTestCase:
    run = RunBuilder()
    for step in steps:
        _add_step(run, step)
    times = [dict_or_empty(step.get("timing")) for step in steps]
    state = text_at(around, "state")
    usages = [step.get("token_usage") for step in steps]
    return run.finish(
        run_id=stable_id(NAME, *place_id(name, position), steps),
        model=next(filter(None, map(_model, steps)), None),
        framework=NAME,
        actual_output=_answer(around.get("output")) or _last_output(steps) or _handed_in(run),
        usage=total_usage(usages) or total_usage([around.get("token_usage")]),
        outcome=RunOutcome(success=False, decided_by=NAME, reason=state)
        if state in FAILED_STATES
        else None,
        started_at=min(
            filter(None, (amount_or_none(t.get("start_time")) for t in times)), default=None
        ),
        ended_at=max(
            filter(None, (amount_or_none(t.get("end_time")) for t in times)), default=None
        ),
        source=Source(name, NAME, position),
    )


def _add_step(run: RunBuilder, step: dict[str, Any]) -> None:
    if "role" in step:
        _add_message(run, step)
    elif "step_number" in step:
        _add_action(run, step)
    elif "task" in step:
        run.user(step["task"])
    elif "system_prompt" in step:
        run.system(step["system_prompt"])
    elif "plan" in step:
        run.assistant(step["plan"])


def _add_message(run: RunBuilder, message: dict[str, Any]) -> None:
    """A message as the model was shown it; calls are what Python prints behind a heading."""
    words = text_of(message.get("content"))
    if _is_told_call(message):
        listed = decode_literal(words.lstrip().removeprefix(_CALLING))
        run.assistant(None, [_call(told, {}) for told in objects_in(listed)])
    elif message.get("role") == RESULT_ROLE:
        _add_observation(run, words)
    elif message.get("role") == "assistant":
        run.assistant(words)
    elif message.get("role") == "user":
        run.user(words.removeprefix(_TASK).strip())
    else:
        run.system(words)


def _add_observation(run: RunBuilder, words: str) -> None:
    """What was observed after the last call; one that raised among several is its error alone."""
    problem = words.lstrip().removeprefix(_ERROR).strip()
    failed = _FAILED_CALL.match(problem)
    last = next((call for call in run.calls[-1:] if call.result is None), None)
    if last is not None:
        run.result(last.call_id, words.removeprefix(_OBSERVATION).strip(), tool=last.tool)
    elif failed is None:
        run.result(None, words.removeprefix(_OBSERVATION).strip())
    else:
        sent = decode_literal(failed["sent"])
        raised = ToolExecutionResult(failed["tool"], failed["sent"] if sent is None else sent)
        raised.result = raised.error_message = problem
        raised.reported_success = False
        run.call(raised)
        run.end_reply()


def _add_action(run: RunBuilder, step: dict[str, Any]) -> None:
    """One reply of the model: its words, its calls, and what was observed after the last."""
    timing = dict_or_empty(step.get("timing"))
    calls = [_call(told, timing) for told in _told_calls(step)]
    run.assistant(step.get("model_output") or _reply(step).get("content"), calls)
    error = dict_or_empty(step.get("error"))
    problem = text_at(error, "message") or text_or_none(step.get("error"))
    if not calls:
        run.system(problem)
        return
    seen = step.get("observations")
    told = seen if seen not in (None, "") else step.get("action_output")
    answered = _failed_one(calls, problem) if problem else calls[-1]
    result = run.result(
        answered.call_id,
        problem if told is None else told,
        tool=answered.tool,
        reported_success=False if problem else None,
        error_message=problem,
        ended_at=amount_or_none(timing.get("end_time")),
    )
    if result is not None and error:
        result.extra["error_type"] = error.get("type")


def _reply(step: dict[str, Any]) -> dict[str, Any]:
    return dict_or_empty(step.get("model_output_message"))


def _told_calls(step: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of a step; where a tool raised among several, only the model's reply has them."""
    return objects_in(step.get("tool_calls")) or objects_in(_reply(step).get("tool_calls"))


def _failed_one(calls: list[ToolExecutionResult], problem: str) -> ToolExecutionResult:
    """The call that an error names with what it was sent; the last, where it names none."""
    named = _FAILED_CALL.match(problem)
    sent = decode_literal(named["sent"]) if named else None
    found = (c for c in calls if named and c.tool == named["tool"] and c.parameters == sent)
    return next(found, calls[-1])


def _call(told: dict[str, Any], timing: dict[str, Any]) -> ToolExecutionResult:
    body = dict_or_empty(told.get("function")) or told
    return ToolExecutionResult(
        tool=text_at(body, "name") or "",
        parameters=decode_arguments(body.get("arguments")),
        call_id=text_at(told, "id"),
        started_at=amount_or_none(timing.get("start_time")),
    )


def _model(step: dict[str, Any]) -> str | None:
    """The model that a reply came from, where what it sent was kept as it came."""
    return text_at(dict_or_empty(_reply(step).get("raw")), "model")


def _handed_in(run: RunBuilder) -> str | None:
    """The answer that was sent with the last call."""
    last = run.calls[-1] if run.calls else None
    if last is None or last.tool != FINAL_TOOL:
        return None
    return _answer(dict_or_empty(last.parameters).get("answer")) or _answer(last.result)


def _last_output(steps: list[dict[str, Any]]) -> str | None:
    """What the run gave back: of its last step, where that says that it is final."""
    last = steps[-1]
    if last.get("is_final_answer") is True:
        return _answer(last.get("action_output"))
    named = [dict_or_empty(t.get("function")) for t in objects_in(last.get("tool_calls"))]
    final = any(text_at(body, "name") == FINAL_TOOL for body in named)
    return _answer(last.get("action_output") if final else last.get("output"))


def _answer(value: Any) -> str | None:
    return text_of(value) or (None if value in (None, "") else str(value))


SMOLAGENTS = Format(
    name=NAME,
    title="smolagents: steps of an agent's memory, results of runs",
    fidelity=(
        "A step tells its error and its times; of several calls in one step only the last has "
        "what was observed. Tools that a model's code calls show as one call of the interpreter. "
        "The model is told only where its raw replies were kept. No server, no tools on offer; "
        "only a run that used up its steps is an outcome."
    ),
    recognise=_recognise,
    read=_read,
)
