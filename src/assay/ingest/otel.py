"""Spans in OpenTelemetry's GenAI conventions, present and past.

Beside the conventions' own names stand those that SDKs used before there were any: ADK's
`gcp.vertex.agent.*`, Pydantic AI's `tool_arguments`, the Vercel AI SDK's `ai.*`, Sentry's
`gen_ai.request.messages` and `gen_ai.tool.input`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.ingest.fields import decode_json_text, text_or_none
from assay.ingest.python_literals import decode_loosely
from assay.ingest.recording import Format, Recording
from assay.ingest.span_messages import (
    Message,
    answer_in,
    messages_in,
    prompt_in,
    unquoted,
)
from assay.ingest.span_runs import read_runs
from assay.ingest.span_steps import Role, Step, call_of, definitions_in, usage_in
from assay.ingest.spans import Event, Span, below, sampled_spans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult
    from assay.ingest.documents import Unreadable
    from assay.test_case import AgentTestCase

OPERATIONS: dict[str, Role] = {
    "chat": "model",
    "generate_content": "model",
    "text_completion": "model",
    "completion": "model",
    "invoke_agent": "agent",
    "invoke_workflow": "agent",
    "execute_tool": "tool",
    "ai.toolCall": "tool",
    "ai.generateText": "agent",
    "ai.streamText": "agent",
    "ai.generateText.doGenerate": "model",
    "ai.streamText.doStream": "model",
    "tools/call": "tool",
    "tool_call": "tool",
    "chat_client": "agent",
}
# What Spring AI calls the operation of its own spans, and where it tells their kind.
_FRAMEWORK, _FRAMEWORK_KIND = "framework", "spring.ai.kind"
OPERATION_KEYS = ("gen_ai.operation.name", "ai.operationId", "mcp.method.name")
# Where no operation is named, an attribute that only one kind of span has.
TELLING: tuple[tuple[str, Role], ...] = (
    ("gen_ai.tool.name", "tool"),
    ("agent_name", "agent"),
    ("gcp.vertex.agent.llm_request", "model"),
    ("gen_ai.input.messages", "model"),
    ("gen_ai.request.messages", "model"),
    ("gen_ai.prompt", "model"),
    ("gen_ai.completion", "model"),
    ("gen_ai.prompt.0.content", "model"),
    ("gen_ai.completion.0.content", "model"),
    ("gen_ai.completion.0.tool_calls.0.name", "model"),
    ("llm.request.type", "model"),
    ("mcp_data", "tool"),
    ("model_config", "model"),
    ("gen_ai.usage.input_tokens", "model"),
    ("gen_ai.usage.prompt_tokens", "model"),
)
TOOL_KEYS = (
    "gen_ai.tool.name",
    "ai.toolCall.name",
    "mcp.tool.name",
    "spring.ai.tool.definition.name",
    "name",
)
CALL_ID_KEYS = ("gen_ai.tool.call.id", "ai.toolCall.id", "spring.ai.tool.call.id")
ARGUMENT_KEYS = (
    "gen_ai.tool.call.arguments",
    "gcp.vertex.agent.tool_call_args",
    "tool_arguments",
    "ai.toolCall.args",
    "spring.ai.tool.call.arguments",
    "gen_ai.tool.input",
    "gen_ai.tool.arguments",
    "input.value",
    "input",
)
RESULT_KEYS = (
    "gen_ai.tool.call.result",
    "gcp.vertex.agent.tool_response",
    "tool_response",
    "ai.toolCall.result",
    "spring.ai.tool.call.result",
    "gen_ai.tool.output",
    "gen_ai.tool.result",
    "output.value",
    "output",
)
INPUT_KEYS = (
    "gen_ai.input.messages",
    "gcp.vertex.agent.llm_request",
    "ai.prompt.messages",
    "gen_ai.request.messages",
    "input",
)
OUTPUT_KEYS = (
    "gen_ai.output.messages",
    "gcp.vertex.agent.llm_response",
    "ai.response.toolCalls",
    "gen_ai.response.tool_calls",
    "output",
)
TRANSCRIPT_KEYS = ("pydantic_ai.all_messages", "all_messages_events", "events")
PROMPT_KEYS = ("ai.prompt",)
SAID_KEYS = ("ai.response.text", "gen_ai.response.text")
ANSWER_KEYS = ("final_result", *SAID_KEYS)
MODEL_KEYS = ("gen_ai.request.model", "gen_ai.response.model", "ai.model.id", "model_name")
AGENT_KEYS = ("gen_ai.agent.name", "agent_name", "gen_ai.workflow.name", "gen_ai.agent.id")
SESSION_KEYS = ("gen_ai.conversation.id", "session.id", "gcp.vertex.agent.session_id")
DEFINITION_KEYS = ("gen_ai.tool.definitions", "gen_ai.request.available_tools")
SERVER_KEYS = ("mcp.server.name", "server.address")
USAGE = {
    "input_tokens": (
        "gen_ai.usage.input_tokens",
        "gen_ai.usage.prompt_tokens",
        "gen_ai.aggregated_usage.input_tokens",
        "ai.usage.promptTokens",
    ),
    "output_tokens": (
        "gen_ai.usage.output_tokens",
        "gen_ai.usage.completion_tokens",
        "gen_ai.aggregated_usage.output_tokens",
        "ai.usage.completionTokens",
    ),
    "cache_read_tokens": (
        "gen_ai.usage.cache_read.input_tokens",
        "gen_ai.usage.cache_read_input_tokens",
    ),
    "cache_write_tokens": (
        "gen_ai.usage.cache_write.input_tokens",
        "gen_ai.usage.cache_creation.input_tokens",
        "gen_ai.usage.cache_creation_input_tokens",
    ),
    "reasoning_tokens": ("gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.reasoning_tokens"),
    "cost_usd": ("operation.cost",),
}
# Which message an event is, by its name.
EVENT_ROLES = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
# These instrumentations write the calls of the model down as text.
QUOTING_SCOPES = frozenset({"opentelemetry.instrumentation.openai_agents", "ai.koog"})
# ADK sums up parallel calls in one more span, which is no call.
NOT_TOOLS = frozenset({"(merged tools)"})
MARKS = ("gen_ai.", "mcp.method.name", "ai.operationId")
OTHER_DIALECTS = ("openinference.", "traceloop.")


def step_of(span: Span) -> Step:
    """What a span says by OTel's conventions."""
    role = role_of(span)
    step = Step(
        span=span,
        role=role,
        model=first_text(span, MODEL_KEYS),
        agent=first_text(span, AGENT_KEYS),
        session=first_text(span, SESSION_KEYS),
        usage=usage_in(span.attributes, USAGE),
        tools=tools_on_offer(span),
        reply_id=first_text(span, ("gen_ai.response.id",)),
    )
    if role == "tool":
        step.call = tool_call(span)
    elif role in {"agent", "model"}:
        step.inputs, step.outputs = conversation(span)
        step.prompt = prompt_in(first(span, PROMPT_KEYS))
        step.answer = answer_in(first(span, ANSWER_KEYS))
    return step


def role_of(span: Span) -> Role:
    """What kind of step a span is."""
    operation = first_text(span, OPERATION_KEYS)
    if operation == _FRAMEWORK:
        operation = first_text(span, (_FRAMEWORK_KIND,))
    role = OPERATIONS.get(operation) if operation else None
    if operation is None:
        role = next((role for key, role in TELLING if key in span.attributes), None)
    is_tool_of_nobody = role == "tool" and _tool(span) in NOT_TOOLS
    return "other" if role is None or is_tool_of_nobody else role


def tool_call(span: Span) -> ToolExecutionResult:
    """The call that a span of a tool records."""
    arguments, result = first(span, ARGUMENT_KEYS), first(span, RESULT_KEYS)
    for event in span.events:
        if event.name == "gen_ai.tool.message" and arguments is None:
            arguments = event.attributes.get("content")
        elif event.name == "gen_ai.choice" and result is None:
            result = event.attributes.get("message")
    is_wire = "mcp.method.name" in span.attributes
    return call_of(
        span,
        _tool(span),
        arguments=arguments,
        result=result,
        call_id=first_text(span, CALL_ID_KEYS),
        server=first_text(span, SERVER_KEYS) if is_wire else None,
    )


def conversation(span: Span) -> tuple[list[Message], list[Message]]:
    """What a model or an agent was told, and what it said."""
    inputs, outputs = _from_attributes(span)
    read = [_from_event(event) for event in span.events]
    # Messages may be written twice, on the span and as its events: they were said once.
    inputs = inputs or [message for told, _ in read for message in told]
    outputs = outputs or [message for _, said in read for message in said]
    instructions = span.attributes.get("gen_ai.system_instructions")
    if instructions and not any(message.role == "system" for message in inputs):
        inputs = messages_in(instructions, "system") + inputs
    return inputs, unquoted(outputs) if span.scope in QUOTING_SCOPES else outputs


def first(span: Span, keys: tuple[str, ...]) -> Any:
    """The first of some attributes that a span has."""
    found = (span.attributes.get(key) for key in keys)
    return next((value for value in found if value is not None), None)


def first_text(span: Span, keys: tuple[str, ...]) -> str | None:
    """The first of some attributes that is a text."""
    found = (text_or_none(span.attributes.get(key)) for key in keys)
    return next((text for text in found if text), None)


def decoded(value: Any) -> Any:
    """The value of an attribute that may be written as JSON text."""
    return decode_json_text(value) if isinstance(value, str) else value


def _from_attributes(span: Span) -> tuple[list[Message], list[Message]]:
    inputs = messages_in(first(span, INPUT_KEYS), "user")
    outputs = messages_in(first(span, OUTPUT_KEYS), "assistant")
    text = first(span, SAID_KEYS)
    if text and not any(message.texts for message in outputs):
        outputs = [*messages_in(text, "assistant"), *outputs]
    if not inputs:
        inputs = messages_in(below(span.attributes, "gen_ai.prompt"), "user")
    if not outputs:
        outputs = messages_in(below(span.attributes, "gen_ai.completion"), "assistant")
    if inputs or outputs:
        return inputs, outputs
    transcript = messages_in(first(span, TRANSCRIPT_KEYS), "user")
    told = _is_told_to_model if role_of(span) == "model" else _is_question
    last_told = max((i for i, m in enumerate(transcript) if told(m)), default=-1)
    return transcript[: last_told + 1], transcript[last_told + 1 :]


def _is_question(message: Message) -> bool:
    return message.role == "user" and bool(message.texts)


def _is_told_to_model(message: Message) -> bool:
    """Whether a model was told this; what an agent says has results of tools among it."""
    return message.role != "assistant"


def _from_event(event: Event) -> tuple[list[Message], list[Message]]:
    """The messages that an event tells of: those to the model, and those from it."""
    body = event.body if isinstance(event.body, dict) else {}
    facts = {**event.attributes, **body}
    role = EVENT_ROLES.get(event.name)
    if role is not None:
        return messages_in({**_with_parts(facts), "role": role}), []
    if event.name == "gen_ai.choice":
        return [], messages_in(facts.get("message", facts), "assistant")
    inputs = messages_in(facts.get("gen_ai.input.messages", facts.get("gen_ai.prompt")))
    said = facts.get("gen_ai.output.messages", facts.get("gen_ai.completion"))
    return inputs, messages_in(said, "assistant")


def _with_parts(facts: dict[str, Any]) -> dict[str, Any]:
    """An event's content as parts, where the SDK wrote them down as JSON text."""
    content = facts.get("content")
    parts = decode_loosely(content) if isinstance(content, str) else content
    is_parts = isinstance(parts, list) and all(isinstance(part, dict) for part in parts)
    return {**facts, "content": parts} if is_parts else facts


def _tool(span: Span) -> str:
    """The tool's name; a span of the protocol alone has it in its own name."""
    return first_text(span, TOOL_KEYS) or span.name.rsplit("tools/call ", maxsplit=1)[-1]


def tools_on_offer(span: Span) -> list[dict[str, Any]]:
    """The tools on offer: by the convention, or where SDKs put them before there was one."""
    listed = decoded(first(span, DEFINITION_KEYS))
    if listed is None:
        listed = [
            *_below(span, "gcp.vertex.agent.llm_request", "config", "tools"),
            *_below(span, "model_request_parameters", "function_tools"),
            *_below(span, "model_request_parameters", "output_tools"),
            *(decoded(tool) for tool in _below(span, "ai.prompt.tools")),
            *_below(span, "response", "tools"),
        ]
    entries = listed if isinstance(listed, list) else []
    return definitions_in([tool for entry in entries for tool in _declared(entry)])


def _below(span: Span, key: str, *path: str) -> list[Any]:
    value = decoded(span.attributes.get(key))
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, list) else []


def _declared(entry: Any) -> list[Any]:
    """One tool, or those that Gemini declares together, each with its schema as `parameters`."""
    inner = entry.get("function_declarations") if isinstance(entry, dict) else None
    tools = inner if isinstance(inner, list) else [entry]
    return [
        {**tool, "parameters": tool["parameters_json_schema"]}
        if isinstance(tool, dict) and "parameters_json_schema" in tool
        else tool
        for tool in tools
    ]


def _recognise(recording: Recording) -> float:
    keys = {key for span in sampled_spans(recording) for key in span.attributes}
    if not any(key.startswith(MARKS) for key in keys):
        return 0.1 if keys else 0.0
    return 0.3 if any(key.startswith(OTHER_DIALECTS) for key in keys) else 0.9


def _read(recording: Recording) -> Iterator[AgentTestCase | Unreadable]:
    return read_runs(recording, OTEL.name, step_of)


OTEL = Format(
    name="otel",
    title="OpenTelemetry GenAI spans: OTLP JSON, collector or SDK lines, arrays of spans",
    fidelity=(
        "Whether the task succeeded is not recorded; a run counts as failed only where its "
        "agent's span ended in an error. Where message content was not captured there is no "
        "question, no answer and no argument (calls are kept with empty ones), and a call that "
        "the framework refused (unknown tool, malformed arguments) has no span and is lost. "
        "An unset span status says neither success nor failure. The server of a tool is known "
        "only from spans of the MCP protocol."
    ),
    recognise=_recognise,
    read=_read,
)
