"""ATIF trajectories: of Harbor and other writers, and those that assay exported itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.errors import AssayError, UnsupportedVersion
from assay.readers import values
from assay.readers.documents import Unreadable, unexpected
from assay.readers.engine import FoundCall, to_case
from assay.readers.special.transcript import Transcript
from assay.readers.values import (
    count,
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    seconds,
    stable_id,
    text_or_none,
)
from assay.records import ATIF_MARK, ATIF_STEPS
from assay.run import RunOutcome, Source, Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.readers.files.file import File

NAME = "atif"
VERSION_PREFIX = "ATIF-"
_DEEPEST_SUBAGENT = 10
_AGENT_KEYS = ("trajectory_id", "session_id")
# The sums at the end of a trajectory, and the counts of one step.
USAGE_KEYS = (
    ("input_tokens", "total_prompt_tokens", "prompt_tokens"),
    ("output_tokens", "total_completion_tokens", "completion_tokens"),
    ("cache_read_input_tokens", "total_cached_tokens", "cached_tokens"),
)


def _is_trajectory(value: object) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("schema_version", "")).startswith(VERSION_PREFIX)
        and isinstance(value.get("steps"), list)
    )


def _read(file: File) -> Iterator[AgentTestCase | Unreadable]:
    for document in file.documents():
        if isinstance(document, Unreadable):
            yield document
            continue
        listed = isinstance(document.value, list)
        for number, value in enumerate(document.value if listed else [document.value], start=1):
            position = number if listed else document.position
            if _is_trajectory(value):
                yield _run(value, file, position)
            else:
                expected = "an ATIF trajectory with schema_version and steps"
                yield unexpected(file.name, value, expected, position)


def _run(
    trajectory: dict[str, Any], file: File, position: int | None
) -> AgentTestCase | Unreadable:
    """The run of a trajectory, whoever wrote it."""
    try:
        own = own_case(trajectory)
    except UnsupportedVersion as exc:
        return Unreadable(file.name, str(exc), position)
    case = own or _case(trajectory, file, position)
    file.is_judged = own is not None
    case.source = case.source or Source(file.name, NAME, position)
    return case


def _case(trajectory: dict[str, Any], file: File, position: int | None) -> AgentTestCase:
    transcript = Transcript()
    steps = objects_in(trajectory["steps"])
    issued = _issued(steps)
    for step in steps:
        _add(transcript, step, issued)
    _add_subagents(transcript, trajectory)
    agent, own_facts = (dict_or_empty(trajectory.get(key)) for key in ("agent", "extra"))
    session = _text(trajectory, "session_id")
    own = _text(trajectory, "trajectory_id")
    times = [at for step in steps if (at := seconds(step.get("timestamp"))) is not None]
    return to_case(
        transcript.run,
        actual_output=_closing_words(steps),
        available_tools=agent.get("tool_definitions"),
        run_id=stable_id(NAME, session, own, *place_id(file.name, position)),
        session_id=session,
        task_id=values.text(own_facts.get("task_id") or own_facts.get("instance_id")),
        attempt=values.count(own_facts.get("attempt")),
        outcome=_outcome(own_facts),
        model=_model(agent, steps),
        framework=_text(agent, "name"),
        usage=_usage(trajectory, steps),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        extra=_extra(trajectory, steps),
    )


def _add(transcript: Transcript, step: dict[str, Any], issued: frozenset[str]) -> None:
    words, source = _words(step.get("message")), step.get("source")
    calls = [] if step.get("is_copied_context") else _calls(step)
    if source == "agent" or calls:
        sent = dict_or_empty(step.get("message"))
        reasoning = _text(step, "reasoning_content") or _text(sent, "reasoning")
        transcript.assistant(words, calls, reasoning=reasoning)
    elif source == "user":
        transcript.user(words)
    elif source == "system":
        transcript.system(words)
    else:
        transcript.other(str(source), words)
    if calls:
        _add_results(transcript, step, calls)
        return
    for result in _results(step):
        call_id = _text(result, "source_call_id")
        if call_id in issued and not step.get("is_copied_context"):
            _add_result(transcript, call_id, result)
        else:
            transcript.other("tool", result.get("content"))


def _words(message: object) -> object:
    """What a step says; some write the model's whole message, or all that it was sent."""
    if any("role" in said for said in objects_in(message)):
        # Whatever came before its last message was told already.
        last = objects_in(message)[-1]
        return last.get("content") if last.get("role") == "user" else None
    return message.get("content") if isinstance(message, dict) and "role" in message else message


def _issued(steps: list[dict[str, Any]]) -> frozenset[str]:
    """The ids of all calls; some results stand in a later step than their call."""
    calls = (call for step in steps for call in objects_in(step.get("tool_calls")))
    return frozenset(call_id for call in calls if (call_id := _text(call, "tool_call_id")))


def _calls(step: dict[str, Any], parent: str | None = None) -> list[FoundCall]:
    at = seconds(step.get("timestamp"))
    return [
        FoundCall(
            tool=str(call.get("function_name") or ""),
            arguments=decode_arguments(call.get("arguments")),
            call_id=_text(call, "tool_call_id"),
            server=_text(dict_or_empty(call.get("extra")), "server"),
            started_at=at,
            parent_id=_text(dict_or_empty(call.get("extra")), "parent_id") or parent,
        )
        for call in objects_in(step.get("tool_calls"))
    ]


def _add_results(transcript: Transcript, step: dict[str, Any], calls: list[FoundCall]) -> None:
    """Pair results with calls by id; those without one in order, or with the last call.

    An agent at a terminal sends several commands and sees one screen, after the last of them.
    """
    results = _results(step) if calls else []
    named = {_text(result, "source_call_id") for result in results}
    nameless = [result for result in results if not result.get("source_call_id")]
    open_calls = [call for call in calls if call.call_id not in named]
    if len(nameless) != len(open_calls):
        open_calls = open_calls[-1:]
    for result in results:
        if result.get("source_call_id"):
            _add_result(transcript, text_or_none(result["source_call_id"]), result)
    for call, result in zip(open_calls, nameless, strict=False):
        _add_result(transcript, call.call_id, result, tool=call.tool)


def _results(step: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_in(dict_or_empty(step.get("observation")).get("results"))


def _add_result(
    transcript: Transcript, call_id: str | None, result: dict[str, Any], tool: str | None = None
) -> None:
    about = dict_or_empty(result.get("extra"))
    success = _stated_success(about)
    content = result.get("content")
    call = transcript.result(
        call_id,
        content,
        reported_success=success,
        error_message=_words(content) or None if success is False else None,
        tool=tool,
    )
    if call is not None:
        call.server = call.server or _text(about, "server")


def _stated_success(about: dict[str, Any]) -> bool | None:
    for key, meaning in (("is_error", False), ("isError", False), ("success", True)):
        if isinstance(about.get(key), bool):
            return about[key] is meaning
    return None


def _add_subagents(
    transcript: Transcript, trajectory: dict[str, Any], above: str | None = None, depth: int = 0
) -> None:
    """Add the calls of embedded sub-agents, each below the call that started the agent.

    An agent that no call is known to have started served what its own parent served.
    """
    starters = _starters(trajectory)
    for inner in objects_in(trajectory.get("subagent_trajectories")):
        names = [name for key in _AGENT_KEYS if (name := _text(inner, key))]
        started_by = next((starters[name] for name in names if name in starters), above)
        parent = started_by or next(iter(names), "subagent")
        for step in objects_in(inner.get("steps")):
            calls = [] if step.get("is_copied_context") else _calls(step, parent)
            for call in calls:
                transcript.call(call, inside=True)
            _add_results(transcript, step, calls)
        if depth < _DEEPEST_SUBAGENT:
            _add_subagents(transcript, inner, parent, depth + 1)


def _starters(trajectory: dict[str, Any]) -> dict[str, str]:
    """Which call started a sub-agent, by the agent's trajectory or, before 1.7, session."""
    found: dict[str, str] = {}
    for step in objects_in(trajectory.get("steps")):
        for result in _results(step):
            call_id = _text(result, "source_call_id")
            for ref in objects_in(result.get("subagent_trajectory_ref")):
                name = next((ref[key] for key in _AGENT_KEYS if _text(ref, key)), None)
                if name and call_id:
                    found[name] = call_id
    return found


def _model(agent: dict[str, Any], steps: list[dict[str, Any]]) -> str | None:
    """The agent's model, unless its steps all name others: then the first of those.

    Steps may leave the provider out: `gpt-4o` of `openai/gpt-4o`.
    """
    named = [name for step in steps if (name := _text(step, "model_name"))]
    usual = _text(agent, "model_name")
    is_usual = any(f"/{usual}".endswith(f"/{name}") for name in named)
    return usual if is_usual or not named else named[0]


def _outcome(facts: dict[str, Any]) -> RunOutcome | None:
    """How the run ended, where assay wrote it; what others call so may be anything."""
    told = dict_or_empty(facts.get("outcome"))
    try:
        return RunOutcome.from_dict(told) if "success" in told else None
    except AssayError:
        return None


def _closing_words(steps: list[dict[str, Any]]) -> str | None:
    """What an agent said while it ended the run through a tool that never answered."""
    last = steps[-1] if steps else {}
    if last.get("source") != "agent" or not last.get("tool_calls") or _results(last):
        return None
    return _words(last.get("message")) or None


def _usage(trajectory: dict[str, Any], steps: list[dict[str, Any]]) -> Usage | None:
    sums = dict_or_empty(trajectory.get("final_metrics"))
    own = [
        dict_or_empty(step.get("metrics")) for step in steps if not step.get("is_copied_context")
    ]
    total = {ours: count(sums.get(theirs)) for ours, theirs, _ in USAGE_KEYS}
    each = [{ours: count(m.get(key)) for ours, _, key in USAGE_KEYS} for m in own]
    counts = values.usage_of([total]) or values.usage_of(each)
    cost = values.amount(sums.get("total_cost_usd"))
    costs = [c for m in own if (c := values.amount(m.get("cost_usd"))) is not None]
    total_cost = cost if cost is not None else sum(costs) if costs else None
    return values.usage({**counts, "cost_usd": total_cost})


def _extra(trajectory: dict[str, Any], steps: list[dict[str, Any]]) -> dict[str, Any]:
    copied = [step for step in steps if step.get("is_copied_context")]
    facts = {
        "atif_version": trajectory.get("schema_version"),
        "agent_version": dict_or_empty(trajectory.get("agent")).get("version"),
        "trajectory_id": trajectory.get("trajectory_id"),
        "continued_in": trajectory.get("continued_trajectory_ref"),
        "copied_steps": len(copied),
        "copied_calls": sum(len(objects_in(step.get("tool_calls"))) for step in copied),
        "notes": trajectory.get("notes"),
        "atif_extra": trajectory.get("extra"),
    }
    return {key: value for key, value in facts.items() if value}


# What assay exported: the same runs again. What ATIF has no field for stands in `extra`.
_RESULT_FIELDS = {
    "rule": "success_rule",
    "reported_success": "reported_success",
    "error_message": "error_message",
    "duration_s": "execution_time",
}
# What the steps tell of a call, and nothing beside them.
_OF_STEPS = frozenset({"tool", "result", "success", *_RESULT_FIELDS.values()})


def own_case(trajectory: dict[str, Any]) -> AgentTestCase | None:
    """The run as it was exported; None of what others wrote, or went on with.

    What a later assay wrote is an `UnsupportedVersion`: nobody can tell what would be lost.
    """
    record = dict(dict_or_empty(trajectory.get("extra")))
    steps = objects_in(trajectory.get("steps"))
    if record.pop(ATIF_MARK, None) != ATIF_STEPS or not _are_ours(steps):
        return None
    if dict_or_empty(trajectory.get("final_metrics")).get("total_steps") != len(steps):
        return None
    try:
        return _own_case(trajectory, record, steps)
    except UnsupportedVersion:
        raise
    except (AssayError, LookupError, TypeError, ValueError, RecursionError):
        return None  # somebody changed it: what is there is read as anybody else's


def _are_ours(steps: list[dict[str, Any]]) -> bool:
    """Whether the steps are a question, calls without a word, and at most one answer."""
    if not steps or steps[0].get("source") != "user" or "tool_calls" in steps[0]:
        return False
    middle = steps[1:] if "tool_calls" in steps[-1] else steps[1:-1]
    is_wordless = all(step.get("message") == "" and "tool_calls" in step for step in middle)
    return is_wordless and all(step.get("source") == "agent" for step in steps[1:])


def _own_case(
    trajectory: dict[str, Any], record: dict[str, Any], steps: list[dict[str, Any]]
) -> AgentTestCase:
    has_answer = len(steps) > 1 and "tool_calls" not in steps[-1]
    record["input"] = steps[0]["message"]
    record["actual_output"] = steps[-1]["message"] if has_answer else None
    calls = [call for step in steps for call in _own_calls(step)]
    if calls or record.get("execution_data") is not None:
        record["execution_data"] = {**record["execution_data"], "tool_executions": calls}
    agent = dict_or_empty(trajectory.get("agent"))
    record.setdefault("available_tools", agent.get("tool_definitions"))
    return AgentTestCase.from_dict(record)


def _own_calls(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    observed = dict_or_empty(step.get("observation")).get("results")
    results = {result["source_call_id"]: result for result in objects_in(observed)}
    for call in objects_in(step.get("tool_calls")):
        name, beside = call["tool_call_id"], dict_or_empty(call.get("extra"))
        stated = {"parameters": call["arguments"], "call_id": name} | _settled(results[name])
        rest = {key: value for key, value in beside.items() if key not in _OF_STEPS}
        yield {"tool": call["function_name"], **stated, **rest}


def _settled(result: dict[str, Any]) -> dict[str, Any]:
    about = dict_or_empty(result.get("extra"))
    stated = {ours: about[theirs] for theirs, ours in _RESULT_FIELDS.items() if theirs in about}
    found = _content(result.get("content"), about.get("content"))
    return {"result": found, "success": not about["is_error"], **stated}


def _content(stated: Any, kind: str | None) -> Any:
    if kind == "error":  # repeated where no result was
        return None
    return msgspec.json.decode(stated) if kind == "json" else stated


def _words(content: object) -> str:
    return values.text(content) or ""


def _text(value: dict[str, Any], key: str) -> str | None:
    return values.text_or_none(value.get(key))


class Atif(Struct, frozen=True):
    """Trajectories in the Agent Trajectory Interchange Format."""

    name: str = NAME
    title: str = "ATIF trajectories (Harbor), 1.0 to 1.8"
    cannot: str = "Failures, servers and ends of calls, unless assay wrote it; the outcome."

    def matches(self, file: File) -> bool:
        """Whether the first values look like it."""
        head = file.head()
        first = head[0] if head else None
        return _is_trajectory(first[0] if isinstance(first, list) and first else first)

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file."""
        yield from _read(file)


ATIF = Atif()
