"""Inspect logs: `.eval` (a zip, one member a sample) and `.json`.

A sample is a run, an epoch an attempt, the first score the outcome. Long texts stand once in
the sample's attachments, messages once in a pool; both are put back where they belong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    number_or_none,
    objects_in,
    stable_id,
    text_at,
    text_of,
    text_or_none,
    total_usage,
    with_cost,
)
from assay.ingest.inspect_archive import is_archive, looks_like_log, ranges_in, read_archive
from assay.ingest.recording import Format, Recording
from assay.json_values import MAX_DEPTH
from assay.run import RunOutcome, Source, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

NAME = "inspect"
REFERENCES = ("attachment://", "tc://")
# What Inspect's own scorers write, and what it is worth; partial credit is no verdict.
SCORE_WORDS: dict[str, tuple[bool | None, float]] = {
    "C": (True, 1.0),
    "I": (False, 0.0),
    "P": (None, 0.5),
    "N": (False, 0.0),
    "yes": (True, 1.0),
    "no": (False, 0.0),
    "true": (True, 1.0),
    "false": (False, 0.0),
}
USAGE_KEYS = (
    ("input_tokens", "input_tokens"),
    ("output_tokens", "output_tokens"),
    ("cache_read_input_tokens", "input_tokens_cache_read"),
    ("cache_creation_input_tokens", "input_tokens_cache_write"),
    ("reasoning_tokens", "reasoning_tokens"),
)
KEPT = ("choices", "limit", "error", "metadata", "invalidation")


def _recognise(recording: Recording) -> float:
    if is_archive(recording):
        return 1.0 if looks_like_log(recording) else 0.0
    log = recording.sample[0] if recording.sample else None
    return 1.0 if _is_log(log) else 0.0


def _is_log(value: object) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("eval"), dict):
        return False
    return "version" in value and {"task", "model"} <= value["eval"].keys()


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    if is_archive(recording):
        for position, item in enumerate(read_archive(recording), start=1):
            if isinstance(item, Unreadable):
                yield item
            else:
                yield _sample_case(item.sample, item.header, recording, position)
        return
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
        elif not _is_log(document.value):
            yield unexpected(
                recording.name,
                document.value,
                "an Inspect log with an eval section",
                document.position,
            )
        else:
            samples = document.value.get("samples")
            for position, sample in enumerate(samples if isinstance(samples, list) else [], 1):
                yield _sample_case(sample, document.value, recording, position)


def _sample_case(
    sample: Any, header: dict[str, Any], recording: Recording, position: int
) -> AgentTestCase | Unreadable:
    if not isinstance(sample, dict):
        return unexpected(recording.name, sample, "a sample as an object", position)
    about = dict_or_empty(header.get("eval"))
    attachments = dict_or_empty(sample.get("attachments"))
    events = objects_in(sample.get("events"))
    builder = RunBuilder()
    told = _conversation(sample, events)
    if isinstance(sample.get("input"), str) and not any(m.get("role") == "user" for m in told):
        # What was asked is known even where it was not kept among the messages.
        builder.user(resolved(sample["input"], attachments))
    for message in told:
        _tell(builder, resolved(message, attachments))
    _tell_events(builder, events, attachments)
    task = text_at(about, "task")
    return builder.finish(
        actual_output=_answer(sample),
        expected_output=_target(sample.get("target")),
        available_tools=resolved(_tools(events), attachments),
        run_id=_run_id(sample, about),
        task_id=f"{task}/{sample.get('id')}" if task else text_at(sample, "id"),
        attempt=count_or_none(sample.get("epoch")),
        model=text_at(about, "model"),
        framework=NAME,
        outcome=_outcome(sample),
        usage=_usage(sample.get("model_usage")),
        source=Source(recording.name, NAME, position),
        extra=_extra(sample, about, header),
        **_times(sample, events),
    )


def _run_id(sample: dict[str, Any], about: dict[str, Any]) -> str:
    unique = text_at(sample, "uuid")
    if unique:
        return stable_id(NAME, unique)
    named = (about.get("run_id"), about.get("task_id"), about.get("created"))
    return stable_id(NAME, *named, sample.get("id"), sample.get("epoch"))


def resolved(value: Any, attachments: dict[str, Any], depth: int = 0) -> Any:
    """The value with every reference to an attachment replaced by what it refers to."""
    if not attachments or depth > MAX_DEPTH:
        return value
    if isinstance(value, str):
        prefix = next((p for p in REFERENCES if value.startswith(p)), None)
        return value if prefix is None else attachments.get(value[len(prefix) :], value)
    if isinstance(value, list):
        return [resolved(item, attachments, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: resolved(item, attachments, depth + 1) for key, item in value.items()}
    return value


def _conversation(sample: dict[str, Any], events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages; where they were not kept, those of the last question to the model."""
    messages = objects_in(sample.get("messages"))
    asked = [event for event in events if event.get("event") == "model"]
    if messages or not asked:
        return messages
    pool = dict_or_empty(sample.get("events_data")).get("messages") or sample.get("message_pool")
    return [*_pooled(asked[-1], pool), *_reply(asked[-1].get("output"))]


def _pooled(event: dict[str, Any], pool: object) -> list[dict[str, Any]]:
    refs = event.get("input_refs")
    if not isinstance(refs, list) or not isinstance(pool, list):
        return objects_in(event.get("input"))
    return objects_in([message for start, end in ranges_in(refs) for message in pool[start:end]])


def _reply(output: object) -> list[dict[str, Any]]:
    choices = objects_in(dict_or_empty(output).get("choices"))
    return objects_in([choice.get("message") for choice in choices[:1]])


def _tell(builder: RunBuilder, message: dict[str, Any]) -> None:
    content = message.get("content")
    match message.get("role"):
        case "system":
            builder.system(content)
        case "user":
            builder.user(content)
        case "assistant":
            _tell_reply(builder, message, content)
        case "tool":
            _tell_result(builder, message, content)


def _tell_reply(builder: RunBuilder, message: dict[str, Any], content: object) -> None:
    parts = objects_in(content)
    thoughts = (text_at(part, "reasoning") for part in parts)
    served = [part for part in parts if part.get("type") == "tool_use"]
    calls = [_call(call) for call in objects_in(message.get("tool_calls"))]
    calls += [_served_call(part) for part in served]
    builder.assistant(content, calls, reasoning="\n".join(filter(None, thoughts)))
    for part in served:
        error = text_at(part, "error")
        builder.result(
            text_at(part, "id"),
            part.get("result"),
            reported_success=error is None,
            error_message=error,
        )


def _call(call: dict[str, Any]) -> ToolExecutionResult:
    problem = text_at(call, "parse_error")
    return ToolExecutionResult(
        tool=str(call.get("function") or ""),
        parameters=decode_arguments(call.get("arguments")),
        call_id=text_at(call, "id"),
        extra={"parse_error": problem} if problem else {},
    )


def _served_call(part: dict[str, Any]) -> ToolExecutionResult:
    """A call that the model's provider ran itself, such as one to an MCP server."""
    return ToolExecutionResult(
        tool=str(part.get("name") or ""),
        parameters=decode_arguments(part.get("arguments")),
        server=text_at(part, "context"),
        call_id=text_at(part, "id"),
        extra={"run_by": "provider", "tool_type": part.get("tool_type")},
    )


def _tell_result(builder: RunBuilder, message: dict[str, Any], content: object) -> None:
    error = message.get("error")
    call = builder.result(
        text_at(message, "tool_call_id"),
        content,
        reported_success=not isinstance(error, dict),
        error_message=text_at(error, "message") if isinstance(error, dict) else None,
        tool=text_at(message, "function"),
    )
    if call is not None and isinstance(error, dict) and error.get("type"):
        call.extra["error_type"] = error["type"]


def _tell_events(
    builder: RunBuilder, events: list[dict[str, Any]], attachments: dict[str, Any]
) -> None:
    """Add times to the calls, and the calls that only the events know: those of sub-agents."""
    calls = {call.call_id: call for call in builder.calls if call.call_id}
    for event, parent in _tool_events(events, None, _owners(events)):
        call_id = str(event.get("id"))
        call = calls.get(call_id)
        if call is None:
            call = _event_call(resolved(event, attachments), parent)
            calls[call_id] = call
            builder.call(call, inside=True)
        elif call.result is None and call.reported_success is None:
            _take_result(call, resolved(event, attachments))
        call.started_at = epoch_seconds(event.get("timestamp"))
        call.ended_at = epoch_seconds(event.get("completed"))
        call.execution_time = amount_or_none(event.get("working_time"))


def _tool_events(
    events: Iterable[dict[str, Any]], parent: str | None, owners: dict[str, str]
) -> Iterator[tuple[dict[str, Any], str | None]]:
    """All tool events with the call they served; old logs nest them, newer ones use spans."""
    for event in events:
        if event.get("event") == "tool":
            yield event, parent or owners.get(text_at(event, "span_id") or "")
            inner = objects_in(event.get("events"))
            yield from _tool_events(inner, text_at(event, "id"), owners)


def _owners(events: list[dict[str, Any]]) -> dict[str, str]:
    """For each span inside an agent that a call started: the id of that call."""
    owners: dict[str, str] = {}
    for event in events:
        span = text_at(event, "agent_span_id")
        if span and event.get("event") == "tool":
            owners[span] = str(event.get("id"))
    for event in events:
        span, above = text_at(event, "id"), text_at(event, "parent_id")
        if event.get("event") == "span_begin" and span and above in owners:
            owners.setdefault(span, owners[above])
    return owners


def _event_call(event: dict[str, Any], parent: str | None) -> ToolExecutionResult:
    call = ToolExecutionResult(
        tool=str(event.get("function") or ""),
        parameters=decode_arguments(event.get("arguments")),
        call_id=text_at(event, "id"),
        parent_id=parent,
    )
    _take_result(call, event)
    return call


def _take_result(call: ToolExecutionResult, event: dict[str, Any]) -> None:
    error = event.get("error")
    call.result = event.get("result")
    call.reported_success = not isinstance(error, dict) and event.get("failed") is not True
    call.success = call.reported_success
    if isinstance(error, dict):
        call.error_message = text_at(error, "message")
        call.extra["error_type"] = error.get("type")


def _answer(sample: dict[str, Any]) -> str | None:
    """What the sample says its output is, unless it was cut off in the middle of its work.

    An agent that hands in its answer through a tool has it here, not as its last words.
    """
    if sample.get("limit") or sample.get("error"):
        return None
    words = text_at(dict_or_empty(sample.get("output")), "completion")
    reply = _reply(sample.get("output"))
    return words or text_or_none("".join(text_of(message.get("content")) for message in reply))


def _target(target: object) -> str | None:
    if isinstance(target, list):
        return "\n".join(str(item) for item in target) or None
    return text_or_none(target)


def _tools(events: Iterable[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """All tools that the model was ever offered, by name."""
    found: dict[str, dict[str, Any]] = {}
    for event in events:
        for tool in objects_in(event.get("tools")) if event.get("event") == "model" else []:
            if isinstance(tool.get("name"), str):
                found.setdefault(tool["name"], tool)
    return list(found.values()) or None


def _outcome(sample: dict[str, Any]) -> RunOutcome | None:
    scores = sample.get("scores") or {"score": sample.get("score")}
    name, score = next(iter(dict_or_empty(scores).items()), (None, None))
    if not isinstance(score, dict):
        return None
    success, value = _worth(score.get("value"))
    return RunOutcome(
        success=success,
        score=value,
        decided_by=name,
        reason=text_at(score, "explanation"),
        extra={"value": score.get("value"), "scores": scores},
    )


def _worth(value: object) -> tuple[bool | None, float | None]:
    if isinstance(value, str):
        return SCORE_WORDS.get(value) or SCORE_WORDS.get(value.lower()) or (None, None)
    number = number_or_none(value)
    return (None, None) if number is None else ({0.0: False, 1.0: True}.get(number), number)


def _usage(by_model: object) -> Usage | None:
    reports = objects_in(list(dict_or_empty(by_model).values()))
    usage = total_usage({ours: r.get(theirs) for ours, theirs in USAGE_KEYS} for r in reports)
    return with_cost(usage, (r.get("total_cost") for r in reports))


def _times(sample: dict[str, Any], events: list[dict[str, Any]]) -> dict[str, float | None]:
    stamps = [at for e in events if (at := epoch_seconds(e.get("timestamp"))) is not None]
    return {
        "started_at": epoch_seconds(sample.get("started_at")) or min(stamps, default=None),
        "ended_at": epoch_seconds(sample.get("completed_at")) or max(stamps, default=None),
    }


def _extra(sample: dict[str, Any], about: dict[str, Any], header: dict[str, Any]) -> dict[str, Any]:
    facts = {key: sample.get(key) for key in KEPT}
    facts["eval_run_id"] = about.get("run_id")
    facts["log_status"] = header.get("status")
    facts["error_retries"] = len(objects_in(sample.get("error_retries")))
    return {key: value for key, value in facts.items() if value}


INSPECT = Format(
    name=NAME,
    title="Inspect logs, .eval and .json",
    fidelity=(
        "Says of each call whether the tool raised an error and of which type; a command that "
        "failed inside a tool is no error. Names no server. Calls of sub-agents are known only "
        "where events were kept. The outcome is the first score; a score between 0 and 1 is no "
        "verdict."
    ),
    recognise=_recognise,
    read=_read,
)
