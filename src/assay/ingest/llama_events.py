"""LlamaIndex: the events that an agent workflow streams, as they were logged.

An `AgentInput` holds the whole conversation so far, an `AgentOutput` the model's reply, a
`ToolCallResult` what came back. Events are known by their fields, because they are mostly saved
without the names of their classes.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder, entries
from assay.ingest.documents import Unreadable
from assay.ingest.fields import (
    decode_arguments,
    dict_or_empty,
    objects_in,
    place_id,
    stable_id,
    text_at,
    text_of,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "llama-index"
# Events by the fields that only they have.
INPUT = frozenset({"input", "current_agent_name"})
OUTPUT = frozenset({"response", "tool_calls", "current_agent_name"})
CALL = frozenset({"tool_name", "tool_kwargs", "tool_id"})
RESULT = CALL | {"tool_output"}
# Where an event lies that was saved with the name of its class.
WRAPPERS = ("value", "data", "event", "payload")


def _recognise(recording: Recording) -> float:
    items = recording.sample[0] if len(recording.sample) == 1 else recording.sample
    first = items[:50] if isinstance(items, list | tuple) else [items]
    told = [event for item in first if (event := _event(item)) is not None]
    is_agent = any(event.keys() >= INPUT or event.keys() >= OUTPUT for event in told)
    return 0.9 if is_agent and any(event.keys() >= CALL or _calls(event) for event in told) else 0.0


def _event(value: object) -> dict[str, Any] | None:
    """The fields of an event, alone or inside an object; None of anything else."""
    outer = dict_or_empty(value)
    for event in (outer, *(dict_or_empty(outer.get(key)) for key in WRAPPERS)):
        if any(event.keys() >= kind for kind in (INPUT, OUTPUT, CALL)):
            return event
    return None


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    told = _Workflow(None)
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        event = _event(entry.value) or {}
        if event.keys() >= INPUT and told.has_answered(event):
            yield told.case(recording.name)
            told = _Workflow(entry.position)
        told.event(event)
    if told.began:
        yield told.case(recording.name)


class _Workflow:
    """A run told event by event; what was asked is known from what the model was sent."""

    def __init__(self, position: int | None) -> None:
        self.began = False
        self._run = RunBuilder()
        self._position = position
        self._asked = 0
        self._usages: list[object] = []
        self._model: str | None = None
        self._agents: list[str] = []
        self._results: list[dict[str, Any]] = []
        self._told: list[dict[str, Any]] = []

    def has_answered(self, event: dict[str, Any]) -> bool:
        """Whether the model is asked anew after its last word: a new question, a new run."""
        roles = [text_at(message, "role") for message in objects_in(event["input"])]
        return self._run.answer is not None and roles[-1:] == ["user"]

    def event(self, event: dict[str, Any]) -> None:
        """Tell one event; those that are no news of the agent are passed over."""
        self.began = self.began or bool(event)
        if event.keys() >= RESULT:
            self._results.append(event)
        elif event.keys() >= INPUT:
            self._input(event)
        elif event.keys() >= OUTPUT:
            self._output(event)

    def _input(self, event: dict[str, Any]) -> None:
        self._end_round()
        agent = text_at(event, "current_agent_name")
        self._agents += [agent] if agent and agent not in self._agents else []
        messages = objects_in(event["input"])
        for message in messages[self._asked :]:
            if text_at(message, "role") == "user":
                self._run.user(_words(message))
            elif text_at(message, "role") == "system":
                self._run.system(_words(message))
        self._asked = max(self._asked, len(messages))

    def _output(self, event: dict[str, Any]) -> None:
        self._end_round()
        told = self._new_calls(event)
        words = _words(dict_or_empty(event.get("response")))
        if self._asked or self._run.calls:
            self._run.assistant(words, map(_call, told))
        else:  # the result of a run, kept alone: its calls came before its words
            self._run.assistant(None, map(_call, told))
            self._results += [call for call in told if call.keys() >= RESULT]
            self._end_round()
            self._run.assistant(words)
        raw = dict_or_empty(event.get("raw"))
        self._model = text_at(raw, "model") or self._model
        self._usages.append(raw.get("usage"))

    def _end_round(self) -> None:
        """Tell what came back of the calls of a reply, which were issued together."""
        for event in self._results:
            output = dict_or_empty(event["tool_output"])
            failed = output.get("is_error")
            said = _words(output) or text_of(output.get("content"))
            raw = output.get("raw_output")
            if isinstance(raw, dict) and "content" in raw:  # as an MCP server answered
                failed = failed or raw.get("is_error", raw.get("isError"))
                said = text_of(raw["content"])
            self._run.result(
                text_at(event, "tool_id"),
                said or raw,
                tool=text_at(event, "tool_name"),
                reported_success=None if failed is None else not failed,
                error_message=said or None if failed else None,
            )
        self._results.clear()

    def _new_calls(self, event: dict[str, Any]) -> list[dict[str, Any]]:
        """The calls of a reply that were not told: the last one repeats all of the run.

        An id told before is not enough: some providers give each call the name of its tool.
        """
        listed, found = _calls(event), []
        known = self._told if self._repeats(event, listed) else []
        told = Counter(text_at(call, "tool_id") for call in known)
        for call in listed:
            own = text_at(call, "tool_id")
            told[own] -= 1
            found += [] if told[own] >= 0 else [call]
        self._told += found
        return found

    def _repeats(self, event: dict[str, Any], listed: list[dict[str, Any]]) -> bool:
        """Whether a reply lists the calls of the run: with results, or all beside the answer."""
        if any(call.keys() >= RESULT for call in listed):
            return True
        is_answer = bool(_words(dict_or_empty(event.get("response"))))
        if not is_answer or len(listed) < len(self._told):
            return False
        return Counter(map(_sent, listed)) >= Counter(map(_sent, self._told))

    def case(self, name: str) -> AgentTestCase:
        """The run, as far as it was logged."""
        self._end_round()
        return self._run.finish(
            run_id=stable_id(NAME, *place_id(name, self._position)),
            agent_id=self._agents[0] if self._agents else None,
            model=self._model,
            framework=NAME,
            usage=total_usage(self._usages),
            source=Source(name, NAME, self._position),
            extra={"agents": self._agents} if len(self._agents) > 1 else {},
        )


def _calls(event: dict[str, Any]) -> list[dict[str, Any]]:
    return [c for c in objects_in(event.get("tool_calls")) if c.keys() >= CALL]


def _sent(call: dict[str, Any]) -> str:
    return stable_id(call.get("tool_id"), call.get("tool_name"), call.get("tool_kwargs"))


def _call(told: dict[str, Any]) -> ToolExecutionResult:
    return ToolExecutionResult(
        tool=text_at(told, "tool_name") or "",
        parameters=decode_arguments(told.get("tool_kwargs")),
        call_id=text_at(told, "tool_id"),
    )


def _words(message: dict[str, Any]) -> str:
    blocks = objects_in(message.get("blocks"))
    told = [text_at(block, "text") for block in blocks if block.get("block_type") == "text"]
    return "\n".join(filter(None, told)) or text_of(message.get("content"))


LLAMA_EVENTS = Format(
    name=NAME,
    title="LlamaIndex: logged events of agent workflows",
    fidelity=(
        "Results say whether they are errors, of MCP servers too. Model and tokens are told only "
        "where the raw replies were logged. No times, no server, no tools on offer, no outcome."
    ),
    recognise=_recognise,
    read=_read,
)
