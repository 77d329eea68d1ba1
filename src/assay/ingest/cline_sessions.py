"""Cline's own CLI: the messages that it keeps of a session, and the events that it prints.

A session's messages are Anthropic's, each with its time, model and tokens; a file beside them says
how the session ended. What `--json` prints are events of the agent and its sub-agents, mixed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    amount_or_none,
    decode_arguments,
    decode_json_text,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
    with_cost,
)
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from assay.ingest.recording import Recording
    from assay.test_case import AgentTestCase

NAME = "cline"
FRAMEWORK = "cline-cli"
PRINTED = frozenset({"agent_event", "hook_event", "run_result"})
_ASKED = re.compile(r"<user_input[^>]{0,200}>(.*)</user_input>", re.DOTALL)
# Tools of MCP servers have the server's name before two underscores, Cline's own tools have none.
_SERVED = re.compile(r"(.+?)__.+")


def is_session(value: object) -> bool:
    """Whether a document holds the messages of a session."""
    about = dict_or_empty(value)
    known = "sessionId" in about and isinstance(about.get("origin"), dict)
    return known and any("role" in message for message in objects_in(about.get("messages")))


def is_printed(value: object) -> bool:
    """Whether a line is one that `--json` prints."""
    line = dict_or_empty(value)
    return "ts" in line and text_at(line, "type") in PRINTED


def session_case(session: dict[str, Any], recording: Recording) -> AgentTestCase:
    """The run whose messages a session's file keeps."""
    run, messages = RunBuilder(), objects_in(session.get("messages"))
    run.system(session.get("system_prompt"))
    for message in messages:
        _tell(run, message)
    own_id, agent = text_at(session, "sessionId"), text_at(session, "agent")
    about = _about(recording, own_id)
    replies = [message for message in messages if message.get("role") == "assistant"]
    times = [at for m in messages if (at := epoch_seconds(m.get("ts"))) is not None]
    models = (text_at(dict_or_empty(m.get("modelInfo")), "id") for m in reversed(replies))
    return run.finish(
        run_id=stable_id(NAME, own_id, *place_id(recording.name, None)),
        session_id=own_id,
        agent_id=agent,
        model=next(filter(None, models), None),
        framework=FRAMEWORK,
        usage=with_cost(
            total_usage(message.get("metrics") for message in replies),
            [dict_or_empty(message.get("metrics")).get("cost") for message in replies],
        ),
        outcome=_ending(text_at(about, "status"), _shown_error(messages[-1])),
        started_at=min(times, default=None),
        ended_at=max(times, default=None),
        source=Source(recording.name, NAME),
    )


def _shown_error(message: dict[str, Any]) -> str | None:
    """What went wrong, where the harness shows it among the model's words."""
    is_error = dict_or_empty(message.get("metadata")).get("displayRole") == "error"
    return text_of(message.get("content")) or None if is_error else None


def _about(recording: Recording, own_id: str | None) -> dict[str, Any]:
    """What the file beside says of the session as a whole; nothing of its sub-agents."""
    is_whole = own_id is not None and recording.name.endswith(f"{own_id}.messages.json")
    beside = recording.beside(f"{own_id}.json") if is_whole else None
    return dict_or_empty(beside.sample[0] if beside is not None and beside.sample else None)


def _ending(status: str | None, reason: str | None) -> RunOutcome | None:
    if status in {None, "completed", "running", "idle"}:
        return None
    return RunOutcome(success=False, decided_by=NAME, reason=reason or status)


def _tell(run: RunBuilder, message: dict[str, Any]) -> None:
    content, at = message.get("content"), epoch_seconds(message.get("ts"))
    blocks = objects_in(content)
    if (error := _shown_error(message)) is not None:
        run.system(error)
        return
    if message.get("role") == "assistant":
        calls = [_call(b, at) for b in blocks if b.get("type") == "tool_use"]
        thoughts = (text_at(block, "thinking") for block in blocks)
        run.assistant(content, calls, reasoning="\n".join(filter(None, thoughts)) or None)
        return
    for block in blocks:
        if block.get("type") == "tool_result":
            failed = True if block.get("is_error") is True else None
            _settle(run, text_at(block, "tool_use_id"), block.get("content"), at, failed=failed)
    words = text_of([b for b in blocks if b.get("type") != "tool_result"] if blocks else content)
    if words:
        asked = _ASKED.fullmatch(words.strip())
        run.user(asked[1] if asked else words)


def _call(block: dict[str, Any], at: float | None) -> ToolExecutionResult:
    tool = text_at(block, "name") or text_at(block, "toolName") or ""
    served = _SERVED.fullmatch(tool)
    return ToolExecutionResult(
        tool,
        decode_arguments(block.get("input")),
        call_id=text_at(block, "id") or text_at(block, "toolCallId"),
        server=served[1] if served else None,
        started_at=at,
    )


def _settle(
    run: RunBuilder, own_id: str | None, result: Any, at: float | None, *, failed: bool | None
) -> ToolExecutionResult | None:
    success = False if failed else _success(result)
    said = text_at(dict_or_empty(result), "error") or _first_error(result) or text_of(result)
    return run.result(
        own_id,
        result,
        reported_success=success,
        error_message=said or None if success is False else None,
        ended_at=at,
    )


def _success(result: object) -> bool | None:
    """What the results of a call say, one for each thing it was asked; None where they differ."""
    if isinstance(result, str) and result.startswith("{"):
        result = decode_json_text(result)
    about = dict_or_empty(result)
    if isinstance(about.get("isError"), bool):
        return not about["isError"]
    if "error" in about and "success" not in about:
        return False
    parts = objects_in(result if isinstance(result, list) else [result])
    flags = {part["success"] for part in parts if isinstance(part.get("success"), bool)}
    return flags.pop() if len(flags) == 1 else None


def _first_error(result: object) -> str | None:
    parts = objects_in(result if isinstance(result, list) else [result])
    return next(filter(None, (text_at(part, "error") for part in parts)), None)


def printed_case(lines: list[dict[str, Any]], name: str) -> AgentTestCase:
    """The run that the printed lines of a file tell of."""
    told = _Printed()
    for line in lines:
        told.line(line)
    return told.case(name)


class _Printed:
    """A run told line by line."""

    def __init__(self) -> None:
        self._run = RunBuilder()
        self._task: str | None = None
        self._usages: list[dict[str, Any]] = []
        self._times: list[float] = []
        self._open: list[str] = []  # calls that are not over, the latest last
        self._parents: list[str | None] = []  # calls whose sub-agents are at work
        self._results: list[tuple[dict[str, Any], float | None]] = []
        self._last: dict[str, Any] = {}
        self._error: str | None = None

    def line(self, line: dict[str, Any]) -> None:
        at = epoch_seconds(line.get("ts"))
        self._times += [] if at is None else [at]
        match line.get("type"):
            case "hook_event":
                self._hook(line)
            case "run_result":
                self._last = line
            case "agent_event":
                self._event(dict_or_empty(line.get("event")), at)

    def _hook(self, line: dict[str, Any]) -> None:
        name = text_at(line, "hookEventName")
        if text_at(line, "parentAgentId") is None:
            self._task = text_at(line, "taskId") or self._task
        elif name == "agent_start":
            self._parents.append(self._open[-1] if self._open else None)
        elif name in {"agent_end", "agent_error"} and self._parents:
            self._parents.pop()

    def _event(self, event: dict[str, Any], at: float | None) -> None:
        match event.get("type"), event.get("contentType"):
            case "iteration_start", _ if not self._parents:
                self._run.end_reply()
                self._error = None  # whatever went wrong before, the agent went on
            case "content_end", "text" if not self._parents:
                self._run.say(event.get("text"))
            case "content_end", "reasoning" if not self._parents:
                self._run.think(text_at(event, "reasoning") or text_at(event, "text"))
            case "content_start", "tool":
                self._begin(event, at)
            case "content_end", "tool":
                # Told when the round is over: calls are done one by one, but asked for together.
                self._results.append((event, at))
                self._open = [own for own in self._open if own != event.get("toolCallId")]
            case "iteration_end", _ if not self._parents:
                self._end_round()
            case "usage", _:
                self._usages.append(event)
            case "error", _ if not self._parents:
                self._error = text_at(dict_or_empty(event.get("error")), "message")

    def _begin(self, event: dict[str, Any], at: float | None) -> None:
        call = _call(event, at)
        call.parent_id = self._parents[-1] if self._parents else None
        self._run.call(call, inside=bool(self._parents))
        self._open.append(call.call_id or "")

    def _end_round(self) -> None:
        for event, at in self._results:
            result = event.get("output", event.get("error"))
            failed = True if event.get("error") else None
            call = _settle(self._run, text_at(event, "toolCallId"), result, at, failed=failed)
            took = amount_or_none(event.get("durationMs"))
            if call is not None and took is not None:
                call.execution_time = took / 1000
        self._results.clear()

    def case(self, name: str) -> AgentTestCase:
        """The run, as far as it was printed."""
        self._end_round()
        last, reason = self._last, self._error
        ending = _ending(text_at(last, "finishReason") or ("error" if reason else None), reason)
        said = text_at(last, "text") if ending is None else None
        return self._run.finish(
            run_id=stable_id(NAME, self._task, *place_id(name, None)),
            session_id=self._task,
            model=text_at(dict_or_empty(last.get("model")), "id"),
            framework=FRAMEWORK,
            usage=with_cost(
                total_usage(self._usages), [dict_or_empty(last.get("usage")).get("totalCost")]
            ),
            outcome=ending,
            started_at=min(self._times, default=None),
            ended_at=max(self._times, default=None),
            source=Source(name, NAME),
            **({"actual_output": said} if said else {}),
        )
