"""Traces of Amazon Bedrock's agents: what an agent thought, invoked and observed, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.execution import ToolExecutionResult
from assay.ingest.chat import RunBuilder
from assay.ingest.fields import (
    dict_or_empty,
    epoch_seconds,
    objects_in,
    place_id,
    stable_id,
    text_at,
    total_usage,
)
from assay.run import RunOutcome, Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.test_case import AgentTestCase

TRACES = frozenset(
    {"orchestrationTrace", "preProcessingTrace", "postProcessingTrace", "guardrailTrace"}
    | {"routingClassifierTrace", "customOrchestrationTrace"}
)
FAILURE = "failureTrace"
# What was invoked and what was then observed, under which name; None: the invocation names it.
INVOCATIONS: dict[str, str | None] = {
    "actionGroupInvocationInput": None,
    "agentCollaboratorInvocationInput": None,
    "knowledgeBaseLookupInput": "knowledge_base_lookup",
    "codeInterpreterInvocationInput": "code_interpreter",
}
OBSERVATIONS = (
    "actionGroupInvocationOutput",
    "agentCollaboratorInvocationOutput",
    "knowledgeBaseLookupOutput",
    "codeInterpreterInvocationOutput",
)
# What may have failed where an agent tells its model to try again; else it was the model's reply.
INVOKED_SOURCES = frozenset({"ACTION_GROUP", "KNOWLEDGE_BASE"})
# What names the tool of an invocation, and the group it belongs to.
NAME_KEYS = ("function", "apiPath", "agentCollaboratorName")
GROUP_KEYS = ("actionGroupName", "knowledgeBaseId")
_DEEPEST = 3


def is_trace(value: Any) -> bool:
    """Whether a value is a part of a trace, however it is wrapped."""
    return _step(value) is not None


def _step(value: Any, depth: int = 0) -> dict[str, Any] | None:
    """The step that a part of a trace tells of, with what the objects around it say."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return None
    if not TRACES.isdisjoint(value) or FAILURE in value:
        return value
    inner = _step(value.get("trace"), depth + 1)
    return None if inner is None else {**value, **inner}


def trace_cases(values: Iterable[Any], name: str, framework: str) -> Iterator[AgentTestCase]:
    """The runs that the parts of traces tell of: one a session."""
    told: dict[str | None, _Telling] = {}
    for value in values:
        step = _step(value)
        if step is not None:
            told.setdefault(text_at(step, "sessionId"), _Telling()).step(step)
    for session, telling in told.items():
        yield telling.run.finish(
            run_id=stable_id(framework, session, *place_id(name, None)),
            session_id=session,
            agent_id=telling.agent,
            model=telling.model,
            framework="bedrock-agents",
            input=telling.question,
            usage=total_usage(telling.usages),
            outcome=None
            if telling.failure is None
            else RunOutcome(success=False, decided_by=framework, reason=telling.failure),
            started_at=min(telling.times, default=None),
            ended_at=max(telling.times, default=None),
            source=Source(name, framework),
        )


class _Telling:
    """A run told part by part."""

    def __init__(self) -> None:
        self.run = RunBuilder()
        self.agent: str | None = None
        self.model: str | None = None
        self.question: str | None = None
        self.failure: str | None = None
        self.usages: list[dict[str, Any]] = []
        self.times: list[float] = []
        self._invoked = 0

    def step(self, step: dict[str, Any]) -> None:
        self.agent = self.agent or text_at(step, "agentId")
        self.question = self.question or text_at(step, "inputText")
        at = epoch_seconds(step.get("eventTime"))
        self.times += [] if at is None else [at]
        if FAILURE in step:
            self.failure = text_at(dict_or_empty(step[FAILURE]), "failureReason") or "it failed"
        for trace in (dict_or_empty(step.get(key)) for key in TRACES):
            self.model = self.model or text_at(
                dict_or_empty(trace.get("modelInvocationInput")), "foundationModel"
            )
            output = dict_or_empty(trace.get("modelInvocationOutput"))
            usage = dict_or_empty(dict_or_empty(output.get("metadata")).get("usage"))
            counts = {"input_tokens": usage.get("inputTokens")}
            self.usages.append({**counts, "output_tokens": usage.get("outputTokens")})
            self.run.think(text_at(dict_or_empty(trace.get("rationale")), "text"))
            self._invoke(dict_or_empty(trace.get("invocationInput")), at)
            self._observe(dict_or_empty(trace.get("observation")), at)

    def _invoke(self, told: dict[str, Any], at: float | None) -> None:
        for key, name in INVOCATIONS.items():
            invoked = dict_or_empty(told.get(key))
            if invoked:
                named = next(filter(None, (text_at(invoked, k) for k in NAME_KEYS)), None)
                group = next(filter(None, (text_at(invoked, k) for k in GROUP_KEYS)), None)
                self._invoked += 1
                self.run.call(
                    ToolExecutionResult(
                        tool=name or named or key,
                        parameters=_arguments(invoked),
                        server=group,
                        call_id=text_at(invoked, "invocationId"),
                        started_at=at,
                    )
                )

    def _observe(self, told: dict[str, Any], at: float | None) -> None:
        for key in OBSERVATIONS:
            seen = dict_or_empty(told.get(key))
            if seen:
                error = text_at(seen, "executionError")
                error = "timed out" if seen.get("executionTimeout") is True else error
                self._invoked = max(self._invoked - 1, 0)
                self.run.result(
                    None,
                    seen.get("text", seen),
                    reported_success=False if error else None,
                    error_message=error,
                    ended_at=at,
                )
        answer = text_at(dict_or_empty(told.get("finalResponse")), "text")
        if answer:
            self.run.assistant(answer)
        self._ask_again(dict_or_empty(told.get("repromptResponse")), at)

    def _ask_again(self, told: dict[str, Any], at: float | None) -> None:
        """What the agent tells the model to try again; of an invocation it is all that came."""
        words = text_at(told, "text")
        if self._invoked and text_at(told, "source") in INVOKED_SOURCES:
            self._invoked -= 1
            self.run.result(None, words, reported_success=False, error_message=words, ended_at=at)
        elif words:
            self.run.system(words)


def _arguments(invoked: dict[str, Any]) -> dict[str, Any]:
    """What was sent: named values, those of a request's body, or whatever else it holds."""
    body = dict_or_empty(dict_or_empty(invoked.get("requestBody")).get("content"))
    listed = objects_in(invoked.get("parameters"))
    listed += [item for values in body.values() for item in objects_in(values)]
    if listed:
        return {str(item.get("name")): item.get("value") for item in listed}
    names = {*NAME_KEYS, *GROUP_KEYS, "invocationId", "executionType", "verb"}
    return {key: value for key, value in invoked.items() if key not in names}
