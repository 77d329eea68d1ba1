"""Google ADK: sessions, evaluation results, and the evaluation sets with what is expected.

Both spellings of keys are read, `function_call` and `functionCall`. A session is a run. An
evaluation set holds no run: its cases come with expected tools and an expected answer.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    number_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_or_none,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NAME = "google-adk"
USAGE_KEYS = (
    ("input_tokens", "prompt_token_count"),
    ("output_tokens", "candidates_token_count"),
    ("cache_read_input_tokens", "cached_content_token_count"),
    ("reasoning_tokens", "thoughts_token_count"),
)
_EXPECTED = "an event, a session, an evaluation set or an evaluation result of ADK"
# The status of an evaluated case: passed, failed, not evaluated.
STATUSES: dict[int | str, bool] = {1: True, 2: False, "PASSED": True, "FAILED": False}


def field(value: object, name: str) -> Any:
    """A field by its snake_case name, however the keys are spelt."""
    found = dict_or_empty(value)
    if name in found:
        return found[name]
    head, *tail = name.split("_")
    return found.get(head + "".join(part.capitalize() for part in tail))


def _recognise(recording: Recording) -> float:
    # A line among them that is none is reported by who reads them.
    if 2 * sum(map(_is_event, objects_in(list(recording.sample)))) > len(recording.sample):
        return 1.0
    value = recording.sample[0] if len(recording.sample) == 1 else None
    kind = _kind(value)
    if kind is not _session_cases:
        return 1.0 if kind else 0.0
    named = field(value, "app_name") or field(value, "past_events") is not None
    return 1.0 if named or any(map(_is_event, objects_in(field(value, "events")))) else 0.0


def _is_event(event: dict[str, Any]) -> bool:
    return field(event, "invocation_id") is not None and "author" in event


def _are_events(values: list[Any]) -> bool:
    found = objects_in(values)
    return bool(found) and len(found) == len(values) and all(map(_is_event, found))


def _kind(value: object) -> Callable[[Any], Iterator[AgentTestCase]] | None:
    """How to read a document, by its shape; None for what is not ADK's."""
    if isinstance(value, list):
        return _kind_of_list(value)
    if not isinstance(value, dict):
        return None
    if field(value, "eval_cases") is not None:
        return _set_cases
    if field(value, "eval_case_results") is not None:
        return _result_cases
    # A recorded test is a session of which only the events were kept.
    events = value.get("events")
    is_session = isinstance(events, list) and ("id" in value or _are_events(events))
    return _session_cases if is_session else None


def _kind_of_list(values: list[Any]) -> Callable[[Any], Iterator[AgentTestCase]] | None:
    if _are_events(values):
        return _event_cases
    first = values[0] if values and isinstance(values[0], dict) else {}
    if "query" in first and ("expected_tool_use" in first or "reference" in first):
        return _old_test_cases
    turns = objects_in(first.get("data")) if "name" in first else []
    return _old_set_cases if any("query" in turn for turn in turns) else None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    streamed: list[dict[str, Any]] = []
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        if isinstance(document.value, dict) and _is_event(document.value):
            streamed.append(document.value)
            continue
        read = _kind(document.value)
        if read is None:
            yield unexpected(recording.name, document.value, _EXPECTED, document.position)
            continue
        for position, case in enumerate(read(document.value), start=1):
            _place(case, recording.name, document.position if case.session_id else position)
            yield case
    for case in _event_cases(streamed):
        _place(case, recording.name, None)
        yield case


def _place(case: AgentTestCase, name: str, position: int | None) -> None:
    """Say where a case stands; a test without a name of its own has its file's."""
    if case.task_id is None and case.execution_data is None:
        case.task_id = PurePath(name).name.removesuffix(".json").removesuffix(".test")
    said = (case.session_id, case.task_id, case.input, case.expected_output)
    case.run_id = stable_id(NAME, *said, *place_id(name, position))
    case.framework = NAME
    case.source = Source(name, NAME, position)


def _session_cases(session: dict[str, Any]) -> Iterator[AgentTestCase]:
    past = [e for group in session.get("past_events") or [] for e in _as_list(group)]
    events = objects_in([*past, *session["events"]])
    if not events:
        return
    builder = RunBuilder()
    for event in events:
        # Parts of a streamed reply are recorded again as a whole.
        if not event.get("partial"):
            _tell(builder, event)
    times = [at for e in events if (at := epoch_seconds(e.get("timestamp"))) is not None]
    authors = (text_at(event, "author") for event in events)
    agents = list(dict.fromkeys(name for name in authors if name and name != "user"))
    models = (text_or_none(field(event, "model_version")) for event in events)
    yield builder.finish(
        agent_id=text_or_none(field(session, "app_name")),
        session_id=text_at(session, "id"),
        model=next(filter(None, models), None),
        usage=total_usage(_usage(field(event, "usage_metadata")) for event in events),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        extra={"agents": agents} if len(agents) > 1 else {},
    )


def _event_cases(events: list[dict[str, Any]]) -> Iterator[AgentTestCase]:
    """The events of a session alone, as ADK's server sends them."""
    yield from _session_cases({"events": events})


def _as_list(value: object) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _usage(metadata: object) -> dict[str, Any]:
    return {ours: field(metadata, theirs) for ours, theirs in USAGE_KEYS}


def _tell(builder: RunBuilder, event: dict[str, Any]) -> None:
    parts = objects_in(dict_or_empty(event.get("content")).get("parts"))
    at = epoch_seconds(event.get("timestamp"))
    words = "\n".join(text for part in parts if (text := _words(part)))
    thoughts = "\n".join(str(p["text"]) for p in parts if p.get("thought") and p.get("text"))
    calls = [_call(sent, at) for part in parts if (sent := field(part, "function_call"))]
    for part in parts:
        answer = field(part, "function_response")
        if isinstance(answer, dict):
            name = text_at(answer, "name")
            builder.result(text_at(answer, "id"), answer.get("response"), ended_at=at, tool=name)
    if event.get("author") == "user" and words:
        builder.user(words)
    elif words or calls or thoughts:
        builder.assistant(words, calls, reasoning=thoughts)
    builder.system(field(event, "error_message") or field(event, "error_code"))


def _words(part: dict[str, Any]) -> str | None:
    return None if part.get("thought") else text_at(part, "text")


def _call(sent: object, at: float | None) -> ToolExecutionResult:
    call = dict_or_empty(sent)
    return ToolExecutionResult(
        tool=str(call.get("name") or ""),
        parameters=decode_arguments(call.get("args")),
        call_id=text_at(call, "id"),
        started_at=at,
    )


def _set_cases(evalset: dict[str, Any]) -> Iterator[AgentTestCase]:
    name = text_or_none(field(evalset, "eval_set_id")) or text_at(evalset, "name")
    for case in objects_in(field(evalset, "eval_cases")):
        task = text_or_none(field(case, "eval_id"))
        turns = [_expected_turn(turn) for turn in objects_in(case.get("conversation"))]
        # A user whom a model plays has only the first words written down.
        begun = field(field(case, "conversation_scenario"), "starting_prompt")
        turns = turns or ([{"query": begun}] if begun else [])
        yield _expected_case(turns, task, {"eval_set": name} if name else {})


def _expected_turn(turn: dict[str, Any]) -> dict[str, Any]:
    """A turn of an evaluation set, in the words of the old test files."""
    uses, _ = _between(turn)
    return {
        "query": _content_words(field(turn, "user_content")),
        "reference": _content_words(field(turn, "final_response")),
        "expected_tool_use": [
            {"tool_name": use.get("name"), "tool_input": use.get("args")} for use in uses
        ],
    }


def _between(turn: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What was called between question and answer, and what came back: listed, or in events."""
    found = dict_or_empty(field(turn, "intermediate_data"))
    events = objects_in(field(found, "invocation_events"))
    contents = (dict_or_empty(event.get("content")) for event in events)
    parts = [part for content in contents for part in objects_in(content.get("parts"))]
    uses = (field(part, "function_call") for part in parts)
    answers = (field(part, "function_response") for part in parts)
    return (
        objects_in(field(found, "tool_uses")) + objects_in([*uses]),
        objects_in(field(found, "tool_responses")) + objects_in([*answers]),
    )


def _content_words(content: object) -> str:
    parts = objects_in(dict_or_empty(content).get("parts"))
    return "\n".join(text for part in parts if (text := _words(part)))


def _old_test_cases(turns: list[Any]) -> Iterator[AgentTestCase]:
    yield _expected_case(objects_in(turns), None, {})


def _old_set_cases(sets: list[Any]) -> Iterator[AgentTestCase]:
    for found in objects_in(sets):
        state = found.get("initial_state")
        extra = {"initial_state": state} if state else {}
        yield _expected_case(objects_in(found.get("data")), text_or_none(found["name"]), extra)


def _expected_case(
    turns: list[dict[str, Any]], task: str | None, extra: dict[str, Any]
) -> AgentTestCase:
    """A conversation that should take place: what is asked, called and answered in it."""
    history: list[dict[str, Any]] = []
    tools: list[dict[str, Any]] = []
    for turn in turns:
        history.append({"role": "user", "content": str(turn.get("query") or "")})
        if turn.get("reference"):
            history.append({"role": "assistant", "content": str(turn["reference"])})
        for use in objects_in(turn.get("expected_tool_use")):
            arguments = use.get("tool_input") or {}
            tools.append({"name": str(use.get("tool_name")), "input_parameters": arguments})
    return AgentTestCase(
        history[0]["content"] if history else "",
        None,
        expected_output=text_or_none(turns[-1].get("reference")) if turns else None,
        expected_tools=tools,
        conversation_history=history or None,
        task_id=task,
        extra={**extra, "is_expectation": True},
    )


def _result_cases(results: dict[str, Any]) -> Iterator[AgentTestCase]:
    """Evaluated runs: what was called and answered, what was expected, and the verdict."""
    for result in objects_in(field(results, "eval_case_results")):
        turns = objects_in(field(result, "eval_metric_result_per_invocation"))
        actual = [dict_or_empty(field(turn, "actual_invocation")) for turn in turns]
        wanted = [dict_or_empty(field(turn, "expected_invocation")) for turn in turns]
        task = text_or_none(field(result, "eval_id"))
        expected = _expected_case([_expected_turn(turn) for turn in wanted], task, {})
        builder = RunBuilder()
        for turn in actual:
            _tell_invocation(builder, turn)
        scores = objects_in(field(result, "overall_eval_metric_results"))
        yield builder.finish(
            session_id=text_or_none(field(result, "session_id")),
            task_id=task,
            expected_output=expected.expected_output,
            expected_tools=expected.expected_tools,
            outcome=_outcome(field(result, "final_eval_status"), scores),
        )


def _tell_invocation(builder: RunBuilder, turn: dict[str, Any]) -> None:
    builder.user(_content_words(field(turn, "user_content")))
    uses, answers = _between(turn)
    for use in uses:
        builder.call(_call(use, None))
    builder.end_reply()
    for answer in answers:
        name = text_at(answer, "name")
        builder.result(text_at(answer, "id"), answer.get("response"), tool=name)
    builder.assistant(_content_words(field(turn, "final_response")))


def _outcome(status: object, scores: list[dict[str, Any]]) -> RunOutcome:
    first = scores[0] if scores else {}
    score = first.get("score")
    return RunOutcome(
        success=STATUSES.get(status) if isinstance(status, int | str) else None,
        score=number_or_none(score),
        decided_by=text_or_none(field(first, "metric_name")),
        extra={"metrics": scores} if scores else {},
    )


ADK = Format(
    name=NAME,
    title="Google ADK sessions, evaluation sets and evaluation results",
    fidelity=(
        "Sessions say nothing of success: a tool's answer is whatever it returned. Old "
        "sessions have no call ids, so results are paired by tool and order. Has no server and "
        "no tool schemas. Evaluation sets hold expectations, not runs; a whole conversation is "
        "one case."
    ),
    recognise=_recognise,
    read=_read,
)
