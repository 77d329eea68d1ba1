"""Steps of a trace put together as runs.

One trace is one run, unless its outermost agents name different conversations. A call is told
of by the model that asked for it, by the span of its execution, by the protocol below and by
the results the next model is shown: here these become one call.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.ingest.documents import Unreadable
from assay.ingest.meta_tools import with_inner_calls
from assay.ingest.span_calls import calls_of
from assay.ingest.span_echoes import Echoes
from assay.ingest.span_messages import Message, last_text
from assay.ingest.span_steps import Step, StepOf, error_message, summed_usage, tool_name
from assay.ingest.span_tree import Tree, ended
from assay.ingest.spans import ReadDocument, Span, read_spans, traces
from assay.run import RunOutcome, Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Recording

# Who wrote the spans, by the name of the instrumentation; others go by the name itself.
FRAMEWORKS = {
    "gcp.vertex.agent": "google-adk",
    "agent_framework": "microsoft-agent-framework",
    "autogen-core": "autogen",
    "ai": "vercel-ai-sdk",
    "ai.koog": "koog",
    "Experimental.Microsoft.Extensions.AI": "microsoft-extensions-ai",
    "strands.telemetry.tracer": "strands-agents",
    "llamaindex": "llama-index",
    "logfire.openai_agents": "openai-agents",
}
_INSTRUMENTATIONS = ("openinference.instrumentation.", "opentelemetry.instrumentation.")
# Instrumentations of models and transports say nothing of the framework that used them.
NO_FRAMEWORKS = frozenset(
    {
        "",
        "mcp",
        "mcp-python-sdk",
        "langfuse-sdk",
        "mlflow.tracing.provider",
        "traceloop.tracer",
        "langsmith",
        "openai",
        "openai.v1",
        "openai_v2",
        "litellm",
        "anthropic",
        "com.anthropic.sdk.python",
        "google_genai",
        "logfire.openai",
        "logfire.anthropic",
        "logfire.google_genai",
        "opentelemetry.util.genai.handler",
    }
)


def read_runs(
    recording: Recording, format_name: str, step_of: StepOf, read: ReadDocument = read_spans
) -> Iterator[AgentTestCase | Unreadable]:
    """All runs of a recording; what cannot be read is reported in its place."""
    nothing, echoes = True, Echoes()
    for trace in traces(recording, read):
        if isinstance(trace, Unreadable):
            nothing = False
            yield trace
            continue
        for case, tree in _cases(trace, step_of, Source(recording.name, format_name)):
            nothing = False
            yield from echoes.heard(case, tree)
    yield from echoes.rest()
    if nothing:
        problem = "holds spans, but none of an agent, a model or a tool"
        yield Unreadable(recording.name, problem)


def _cases(
    spans: list[Span], step_of: StepOf, source: Source
) -> Iterator[tuple[AgentTestCase, Tree]]:
    tree = Tree([step_of(span) for span in spans])
    runs = [run for run in tree.runs() if any(s.role in {"agent", "model", "tool"} for s in run)]
    for steps in runs:
        trace_id, first = steps[0].span.trace_id, min(steps, key=_position)
        own = Tree(steps)
        case = _case(own)
        case.run_id = trace_id if len(runs) == 1 else f"{trace_id}/{first.span.span_id}"
        case.source = Source(source.path, source.format, first.span.position)
        case.extra = {"trace_id": trace_id, **case.extra}
        yield case, own


def _position(step: Step) -> int:
    return step.span.position or 0


def _case(tree: Tree) -> AgentTestCase:
    made = calls_of(tree)
    models = [step for step in tree.models if made.served.level(step) is None]
    times = [step.span for step in tree.steps]
    return AgentTestCase(
        _question(tree, models) or "",
        _answer(tree, models),
        execution_data=_execution_data(made.calls),
        conversation_history=_history(tree, models),
        available_tools=_tools(tree),
        agent_id=_first([*tree.agents, *models], "agent"),
        session_id=_first([*tree.agents, *tree.steps], "session"),
        model=_first([*models, *tree.agents, *tree.steps], "model"),
        framework=_framework(tree),
        usage=_usage(tree),
        outcome=_outcome(tree),
        started_at=min((s.started_at for s in times if s.started_at is not None), default=None),
        ended_at=max((s.ended_at for s in times if s.ended_at is not None), default=None),
        extra={key: value for step in tree.steps for key, value in step.extra.items()},
    )


def _execution_data(made: list[ToolExecutionResult]) -> MCPExecutionData:
    """The calls, and those that a meta-tool stands for, unless they have spans of their own."""
    with_spans = {call.parent_id for call in made} - {None}
    calls = [
        call
        for outer in made
        for call in ([outer] if outer.call_id in with_spans else with_inner_calls([outer]))
    ]
    rounds = max((call.turn for call in calls if call.turn is not None), default=1)
    return MCPExecutionData(calls, rounds, planning_json_compliance=None)


def _question(tree: Tree, models: list[Step]) -> str | None:
    asked = (s.prompt or last_text(s.inputs, "user") for s in (*tree.agents, *models))
    return next((text for text in asked if text), None)


def _answer(tree: Tree, models: list[Step]) -> str | None:
    """What the outermost agent gave back, else the last words of its model.

    A model that was cut off, or asked for a tool last, has not answered.
    """
    last_first = sorted(tree.agents, key=ended, reverse=True)
    for step in (*tree.outermost, *(agent for agent in last_first if agent.role == "agent")):
        answer = step.answer or last_text(step.outputs[-1:], "assistant")
        if answer:
            return answer
    last = models[-1] if models else None
    if last is None or _waits(last.outputs):
        return None
    return last.answer or last_text(last.outputs, "assistant")


def _waits(said: list[Message]) -> bool:
    """Whether a model asks for more than the provider itself gave back on the way."""
    return sum(len(m.requests) - len(m.replies) for m in said) > 0


def _history(tree: Tree, models: list[Step]) -> list[dict[str, Any]] | None:
    tellers = [step for step in models if step.inputs] or tree.agents
    longest = max(tellers, key=lambda step: len(step.inputs), default=None)
    told = [*longest.inputs, *longest.outputs] if longest else []
    turns = [
        {"role": message.role, "content": message.text}
        for message in told
        if message.role != "tool" and _says_something(message)
    ]
    return turns or None


def _says_something(message: Message) -> bool:
    return bool(message.text or message.requests)


def _tools(tree: Tree) -> list[dict[str, Any]] | None:
    found: dict[str | None, dict[str, Any]] = {}
    for step in tree.steps:
        for definition in step.tools:
            found.setdefault(tool_name(definition), definition)
    return list(found.values()) or None


def _usage(tree: Tree) -> Any:
    """The models' own counts; an agent's sum only where no model reports any."""
    return summed_usage(step.usage for step in tree.models) or next(
        (step.usage for step in tree.agents if step.usage), None
    )


def _outcome(tree: Tree) -> RunOutcome | None:
    failed = [s for s in tree.agents if s.span.status == "error"]
    if not failed:
        return None
    return RunOutcome(success=False, decided_by="span status", reason=error_message(failed[0].span))


def _framework(tree: Tree) -> str | None:
    working = [step for step in tree.steps if step.role != "other"]
    named = (step.framework or _framework_of(step.span.scope) for step in working)
    names = [name for name in named if name]
    return Counter(names).most_common(1)[0][0] if names else None


def _framework_of(scope: str) -> str | None:
    name = scope
    for prefix in _INSTRUMENTATIONS:
        name = name.removeprefix(prefix).removesuffix(".instrumentation")
    if name in NO_FRAMEWORKS:
        return None
    if name.startswith("semantic_kernel."):
        return "semantic-kernel"
    return FRAMEWORKS.get(name) or (name.replace("_", "-") if name != scope else name)


def _first(steps: list[Step], field: str) -> str | None:
    return next((value for step in steps if (value := getattr(step, field))), None)
