"""n8n: executions of workflows in which a model calls tools, as its API gives them with data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import Entry, RunBuilder, entries
from assay.ingest.documents import Unreadable, unexpected
from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    decode_arguments,
    dict_or_empty,
    epoch_seconds,
    id_or_none,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.ingest.recording import Format, Recording
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.test_case import AgentTestCase

NAME = "n8n"
TOOL, MODEL, MAIN = "ai_tool", "ai_languageModel", "main"
AGENT_TYPES = (".agent", ".chainLlm", ".openAiAssistant", ".openAi")
# What triggers and earlier nodes call that which the user asked.
QUESTION_KEYS = ("chatInput", "query", "question", "prompt", "text", "message", "input")
ANSWER_KEYS = ("output", "response", "text")
MODEL_KEYS = ("model", "model_name", "modelName")
USAGE_KEYS = ("tokenUsage", "tokenUsageEstimate")
STATUSES = {"success": True, "error": False, "crashed": False, "canceled": False}
FAILED = frozenset({"error", "crashed"})
_HUMAN = "Human: "
_LOOKED_AT = 5


def _recognise(recording: Recording) -> float:
    found = (item for value in recording.first_items(_LOOKED_AT) for item in _executions(value))
    return 0.95 if any(_run_data(item) is not None for item in found) else 0.0


def _executions(value: object) -> list[Any]:
    """The executions of a value: itself, or those that the API lists or wraps."""
    inner = dict_or_empty(value).get("data")
    if isinstance(inner, list):
        return inner
    wrapped = isinstance(inner, dict) and "resultData" not in inner and "data" in inner
    return [inner if wrapped else value]


def _run_data(execution: object) -> dict[str, Any] | None:
    """What ran, by the name of its node; None of what is no execution."""
    value = dict_or_empty(execution)
    places = (dict_or_empty(place).get("resultData") for place in (value.get("data"), value))
    found = (dict_or_empty(place).get("runData") for place in places)
    return next((data for data in found if isinstance(data, dict)), None)


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    for entry in entries(recording):
        if isinstance(entry, Unreadable):
            yield entry
            continue
        found = _executions(entry.value)
        for number, execution in enumerate(found, start=1):
            place = entry.position or (None if len(found) == 1 else number)
            yield _case_or_problem(Entry(execution, place), recording.name, number)


def _case_or_problem(entry: Entry, name: str, number: int) -> AgentTestCase | Unreadable:
    """The run that an execution was; `number` is its place in a page of them."""
    ran = _run_data(entry.value)
    if ran is None:
        return unexpected(name, entry.value, "an execution with its data", entry.position)
    execution = _Execution(entry.value, ran)
    if not execution.has_model:
        problem = "an execution without a model in it"
        return Unreadable(name, problem, entry.position, kind="passed_over")
    return execution.case(Source(name, NAME, entry.position), number)


class _Execution:
    """One execution: what its nodes did, in the order they ran."""

    def __init__(self, value: dict[str, Any], ran: dict[str, Any]) -> None:
        self._value = value
        steps = [(node, step) for node, each in ran.items() for step in objects_in(each)]
        self._steps = sorted(steps, key=lambda found: _order(found[1]))
        self._run = RunBuilder()
        self._usages: list[object] = []
        self._called: list[tuple[ToolExecutionResult, dict[str, Any]]] = []
        self._model: str | None = None
        self._agents = _agents_in(dict_or_empty(value.get("workflowData")))
        self.has_model = any(_is_kind(step, MODEL) or _is_kind(step, TOOL) for _, step in steps)

    def case(self, source: Source, number: int) -> AgentTestCase:
        """The run that the execution was."""
        self._run.user(self._question())
        for node, step in self._steps:
            if _is_kind(step, MODEL):
                self._end_calls()
                self._reply(step)
            elif _is_kind(step, TOOL):
                self._call(node, step)
        self._end_calls()
        if not self._run.calls:
            self._listed_steps()
        value, workflow = self._value, dict_or_empty(self._value.get("workflowData"))
        own_id = id_or_none(value.get("id"))
        place = (*place_id(str(source.path), source.position), number)
        return self._run.finish(
            run_id=stable_id(NAME, own_id or place, text_at(workflow, "name")),
            actual_output=self._answer(),
            session_id=own_id,
            task_id=id_or_none(value.get("workflowId")) or text_at(workflow, "id"),
            model=self._model or _configured_model(workflow),
            framework=NAME,
            usage=total_usage(self._usages),
            outcome=self._outcome(),
            started_at=epoch_seconds(value.get("startedAt")),
            ended_at=epoch_seconds(value.get("stoppedAt")),
            source=source,
            extra={"workflow": workflow["name"]} if workflow.get("name") else {},
        )

    def _question(self) -> str | None:
        """What was asked: told by a node before the first agent, else to the model itself."""
        for node, step in self._steps:
            if self._is_agent(node, step) or _is_kind(step, MODEL):
                break
            asked = _first_text(_first_json(step.get("data"), MAIN), QUESTION_KEYS)
            if asked:
                return asked
        first = next((step for _, step in self._steps if _is_kind(step, MODEL)), {})
        messages = _first_json(first.get("inputOverride"), MODEL).get("messages")
        texts = messages if isinstance(messages, list) else [messages]
        said = (text for text in reversed(texts) if isinstance(text, str) and _HUMAN in text)
        return next((text.rpartition(_HUMAN)[2].strip() for text in said), None)

    def _answer(self) -> str | None:
        """What the last agent gave out; an agent begins before its model and tools do."""
        given = (
            _first_text(_first_json(step.get("data"), MAIN), ANSWER_KEYS)
            for node, step in reversed(self._steps)
            if self._is_agent(node, step)
        )
        return next(filter(None, given), None)

    def _is_agent(self, node: str, step: dict[str, Any]) -> bool:
        if self._agents:
            return node in self._agents
        return "output" in _first_json(step.get("data"), MAIN)

    def _reply(self, step: dict[str, Any]) -> None:
        sent = _first_json(step.get("inputOverride"), MODEL)
        came = _first_json(step.get("data"), MODEL)
        options = dict_or_empty(sent.get("options"))
        self._model = _first_text(options, MODEL_KEYS) or self._model
        self._usages.append(_usage(came))
        generations = dict_or_empty(came.get("response")).get("generations")
        first = generations[0] if isinstance(generations, list) and generations else []
        words = [text_at(item, "text") for item in objects_in(first)]
        self._run.end_reply()
        self._run.say("\n".join(filter(None, words)))

    def _call(self, node: str, step: dict[str, Any]) -> None:
        sent = _first_json(step.get("inputOverride"), TOOL)
        took = amount_or_none(step.get("executionTime"))
        call = ToolExecutionResult(
            tool=text_at(sent, "tool") or node,
            parameters=_sent(sent),
            call_id=text_at(sent, "toolCallId"),
            started_at=epoch_seconds(step.get("startTime")),
            execution_time=None if took is None else took / 1e3,
        )
        self._run.call(call)
        self._called.append((call, step))

    def _end_calls(self) -> None:
        """Tell what came back: all calls between two replies of the model belong to the first."""
        for call, step in self._called:
            came = _first_json(step.get("data"), TOOL)
            error = text_at(dict_or_empty(step.get("error")), "message")
            times = (call.started_at, call.execution_time)
            self._run.result(
                call.call_id,
                came.get("response", came or None),
                tool=call.tool,
                reported_success=False if error else STATUSES.get(str(step.get("executionStatus"))),
                error_message=error,
                ended_at=None if None in times else sum(filter(None, times)),
            )
        self._called.clear()

    def _listed_steps(self) -> None:
        """Tell the calls that an agent lists, where the tools themselves left no trace."""
        for _, step in self._steps:
            for taken in objects_in(_first_json(step.get("data"), MAIN).get("intermediateSteps")):
                action = dict_or_empty(taken.get("action"))
                call = ToolExecutionResult(
                    text_at(action, "tool") or "",
                    decode_arguments(action.get("toolInput")),
                    call_id=text_at(action, "toolCallId"),
                )
                self._run.end_reply()
                self._run.call(call)
                self._run.result(call.call_id, taken.get("observation"), tool=call.tool)

    def _outcome(self) -> RunOutcome | None:
        status = text_at(self._value, "status")
        data = dict_or_empty(dict_or_empty(self._value.get("data")).get("resultData"))
        reason = text_at(dict_or_empty(data.get("error")), "message")
        if status not in FAILED and reason is None:
            return None
        return RunOutcome(success=False, decided_by=NAME, reason=reason)


def _order(step: dict[str, Any]) -> tuple[int, float]:
    """When a node began: by its number where there is one, else by its time."""
    number = count_or_none(step.get("executionIndex"))
    return (0, epoch_seconds(step.get("startTime")) or 0.0) if number is None else (number, 0.0)


def _is_kind(step: dict[str, Any], kind: str) -> bool:
    return any(kind in dict_or_empty(step.get(key)) for key in ("data", "inputOverride"))


def _first_json(data: object, kind: str) -> dict[str, Any]:
    """The first item that went through a connection of that kind."""
    outputs = dict_or_empty(data).get(kind)
    items = outputs[0] if isinstance(outputs, list) and outputs else []
    first = next(iter(objects_in(items)), {})
    return dict_or_empty(first.get("json"))


def _first_text(value: dict[str, Any], keys: tuple[str, ...]) -> str | None:
    found = (value.get(key) for key in keys)
    texts = (text_at(item, "text") if isinstance(item, dict) else item for item in found)
    return next((text for text in texts if isinstance(text, str) and text), None)


def _sent(sent: dict[str, Any]) -> Any:
    """What the model sent; a tool with one argument has it as text, be it JSON, in `query`."""
    own = {key: value for key, value in sent.items() if key not in {"tool", "toolCallId"}}
    if own.keys() == {"query"}:
        decoded = decode_arguments(own["query"])
        return decoded if isinstance(decoded, dict) else own
    return own


def _usage(came: dict[str, Any]) -> dict[str, Any]:
    return next((dict_or_empty(came[key]) for key in USAGE_KEYS if came.get(key)), {})


def _agents_in(workflow: dict[str, Any]) -> set[str]:
    """The nodes of a workflow that hand a question to a model and give out its answer."""
    nodes = objects_in(workflow.get("nodes"))
    return {str(node.get("name")) for node in nodes if str(node.get("type")).endswith(AGENT_TYPES)}


def _configured_model(workflow: dict[str, Any]) -> str | None:
    """The model that a workflow's settings name, where no request was kept."""
    for node in objects_in(workflow.get("nodes")):
        named = dict_or_empty(node.get("parameters")).get("model")
        if ".lmChat" in str(node.get("type")):
            return text_at(named, "value") if isinstance(named, dict) else str(named or "") or None
    return None


N8N = Format(
    name=NAME,
    title="n8n executions of workflows with agents",
    fidelity=(
        "An execution is a run, with the calls, states and times of its tools. Which calls the "
        "model issued together is told by the order of the nodes. What an agent keeps to itself "
        "is missing; what was asked is guessed from the nodes before it. Where the model told no "
        "tokens they are n8n's own estimate. Only failures are an outcome: that an execution ended "
        "well says nothing of its answer."
    ),
    recognise=_recognise,
    read=_read,
)
