"""OpenAI's Assistants API: threads put together from their messages, runs and steps.

The objects may stand in lists that the API gave, in a stream of its events, or in recorded
traffic. Each is known by its id and taken as it was told last.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.documents import Unreadable
from assay.ingest.exchanges import pieces_in
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.http_archives import http_exchanges
from assay.ingest.openai_responses import tools_on_offer
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.http_archives import HttpExchange
    from assay.test_case import AgentTestCase

NAME = "openai-assistants"
MESSAGE, RUN, STEP = "thread.message", "thread.run", "thread.run.step"
KINDS = frozenset({MESSAGE, RUN, STEP})
# What a client sent back for the calls that a run waited for.
SUBMITTED = "tool_outputs"
_THREAD_IN_URL = re.compile(r"/threads/([^/?#]{1,200})/")
FAILED = frozenset({"failed", "expired", "incomplete", "cancelled"})
# Each kind of call: where it keeps what was sent and what came back.
CALLS = {
    "function": ("arguments", "output"),
    "code_interpreter": ("input", "outputs"),
    "file_search": ("ranking_options", "results"),
    "retrieval": ("query", "results"),
}
_THREADS = "/threads"
_ASKED = "asked"
_DEEPEST = 4
_LOOKED_AT = 200


def _recognise(recording: Recording) -> float:
    found = (t for value in recording.first_items(_LOOKED_AT) for t in things_in(value, 1))
    return 0.95 if next(found, None) is not None else 0.0


def things_in(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:
    """The messages, runs and steps in a value, in the order in which they came to be."""
    if isinstance(value, list) and depth <= _DEEPEST:
        for item in _oldest_first(value):
            yield from things_in(item, depth + 1)
    elif isinstance(value, dict) and text_at(value, "object") in KINDS and text_at(value, "id"):
        yield value
    elif isinstance(value, dict) and depth <= _DEEPEST:
        exchanges = http_exchanges(value)
        for exchange in exchanges:
            yield from _submitted(exchange)
            if _THREADS in (exchange.url or _THREADS):  # to read all of other APIs takes time
                yield from things_in(_body(exchange.came), depth + 1)
        if not exchanges and isinstance(value.get("data"), dict | list):
            yield from things_in(value["data"], depth + 1)


def _submitted(exchange: HttpExchange) -> Iterator[dict[str, Any]]:
    thread = _THREAD_IN_URL.search(exchange.url or "")
    sent = dict_or_empty(_body(exchange.sent)) if thread else {}
    if thread and objects_in(sent.get(SUBMITTED)):
        outputs = objects_in(sent[SUBMITTED])
        own = stable_id(thread[1], *(output.get("tool_call_id") for output in outputs))
        yield {"object": SUBMITTED, "id": own, "thread_id": thread[1], SUBMITTED: outputs}


def _body(came: Any) -> Any:
    if not isinstance(came, str):
        return came
    decoded = decode_json_text(came)
    return pieces_in(came) if decoded is None else decoded


def _oldest_first(items: list[Any]) -> list[Any]:
    """A list as it came to be: the API gives the newest first unless it is asked otherwise."""
    times = [amount_or_none(dict_or_empty(item).get("created_at")) for item in items]
    known = [at for at in times if at is not None]
    is_listed = len(known) == len(items) > 1 and len({_own(item) for item in items}) == len(items)
    return items[::-1] if is_listed and known[0] >= known[-1] else items


def _own(thing: Any) -> str | None:
    return text_at(dict_or_empty(thing), "id")


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    threads: dict[str, dict[str, dict[str, Any]]] = {}
    for document in recording.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        for thing in things_in(document.value):
            thread = threads.setdefault(text_at(thing, "thread_id") or "", {})
            own = text_at(thing, "id") or ""
            earlier = thread.get(own, {})
            asked = {**earlier.get(_ASKED, {}), **_asked_of(thing)}
            thread[own] = {**earlier, **{k: v for k, v in thing.items() if v}, _ASKED: asked}
    for position, (thread_id, things) in enumerate(threads.items(), start=1):
        yield _thread(thread_id, list(things.values()), recording.name, position)


def _thread(
    thread_id: str, things: list[dict[str, Any]], name: str, position: int
) -> AgentTestCase:
    run = RunBuilder()
    things = sorted(things, key=_created)
    runs = [thing for thing in things if thing["object"] == RUN]
    about = runs[-1] if runs else {}
    if instructions := text_at(about, "instructions"):
        run.system(instructions)
    steps = [thing for thing in things if thing["object"] == STEP]
    told = {call.call_id for step in steps for call, _ in _calls(step)}
    came = _came(things)
    for thing in things:
        if thing["object"] == MESSAGE:
            _add_message(run, thing)
        elif thing["object"] == STEP:
            _add_step(run, thing)
        elif thing["object"] == RUN:
            _add_asked(run, thing, told, came)
    ended = [at for r in runs if (at := epoch_seconds(r.get("completed_at"))) is not None]
    return run.finish(
        run_id=stable_id(NAME, thread_id, *place_id(name, position)),
        session_id=thread_id or None,
        model=text_at(about, "model"),
        available_tools=tools_on_offer(_flat(about.get("tools")), []),
        usage=total_usage(r.get("usage") for r in runs) or total_usage(_steps_usage(things)),
        outcome=_outcome(about),
        started_at=min(filter(None, map(_created, things)), default=None),
        ended_at=max(ended, default=None),
        source=Source(name, NAME, position),
    )


def _created(thing: dict[str, Any]) -> float:
    return epoch_seconds(thing.get("created_at")) or 0.0


def _flat(tools: Any) -> list[dict[str, Any]]:
    """Tools as the Responses API declares them."""
    return [{**tool, **dict_or_empty(tool.get("function"))} for tool in objects_in(tools)]


def _steps_usage(things: list[dict[str, Any]]) -> list[object]:
    return [thing.get("usage") for thing in things if thing["object"] == STEP]


def _add_message(run: RunBuilder, message: dict[str, Any]) -> None:
    content = message.get("content")
    texts = [_part_text(part) for part in content] if isinstance(content, list) else [content]
    words = "\n".join(text for text in texts if isinstance(text, str) and text)
    if message.get("role") == "user":
        run.user(words)
    else:
        run.assistant(words)


def _part_text(part: Any) -> str | None:
    text = dict_or_empty(part).get("text")
    return text if isinstance(text, str) else text_at(dict_or_empty(text), "value")


def _calls(step: dict[str, Any]) -> list[tuple[ToolExecutionResult, Any]]:
    issued = objects_in(dict_or_empty(step.get("step_details")).get("tool_calls"))
    return [_call(entry, step) for entry in issued]


def _add_step(run: RunBuilder, step: dict[str, Any]) -> None:
    """Tell the calls of a step, which were issued together."""
    calls = _calls(step)
    run.assistant(None, [call for call, _ in calls])
    ended = epoch_seconds(step.get("completed_at"))
    error = text_at(dict_or_empty(step.get("last_error")), "message")
    for call, came in calls:
        if came is not None or error:
            run.result(
                call.call_id,
                error if came is None else came,
                tool=call.tool,
                reported_success=False if error else None,
                error_message=error,
                ended_at=ended,
            )


def _call(entry: dict[str, Any], step: dict[str, Any]) -> tuple[ToolExecutionResult, Any]:
    kind = text_at(entry, "type") or "function"
    body = dict_or_empty(entry.get(kind))
    sent, came = CALLS.get(kind, CALLS["function"])
    value = decode_arguments(body.get(sent))
    call = ToolExecutionResult(
        tool=text_at(body, "name") or kind,
        parameters=value if isinstance(value, dict) or kind == "function" else {sent: value},
        call_id=id_or_none(entry.get("id")),
        started_at=epoch_seconds(step.get("created_at")),
    )
    return call, body.get(came)


def _asked_of(thing: dict[str, Any]) -> dict[str, Any]:
    """The calls that a run waits for, by their ids."""
    action = dict_or_empty(thing.get("required_action"))
    issued = objects_in(dict_or_empty(action.get("submit_tool_outputs")).get("tool_calls"))
    return {own: entry for entry in issued if (own := text_at(entry, "id"))}


def _came(things: list[dict[str, Any]]) -> dict[str | None, Any]:
    sent = [output for thing in things for output in objects_in(thing.get(SUBMITTED))]
    return {text_at(output, "tool_call_id"): output.get("output") for output in sent}


def _add_asked(
    run: RunBuilder, waiting: dict[str, Any], told: set[str | None], came: dict[str | None, Any]
) -> None:
    """Tell the calls that a run waited for, and what was sent back, where no step tells them."""
    new = [_call(entry, waiting)[0] for own, entry in waiting[_ASKED].items() if own not in told]
    run.assistant(None, new)
    for call in new:
        if call.call_id in came:
            run.result(call.call_id, came[call.call_id])


def _outcome(about: dict[str, Any]) -> RunOutcome | None:
    status = text_at(about, "status")
    if status not in FAILED:
        return None
    reason = text_at(dict_or_empty(about.get("last_error")), "message") or status
    return RunOutcome(success=False, decided_by=NAME, reason=reason)


ASSISTANTS = Format(
    name=NAME,
    title="Threads of OpenAI's Assistants API: messages, runs, run steps, also in traffic",
    fidelity=(
        "Calls and results as far as run steps were recorded; results carry no error flag. Times "
        "are those of steps. Model, tokens and tools where a run was recorded; a run that failed "
        "is an outcome."
    ),
    recognise=_recognise,
    read=_read,
)
