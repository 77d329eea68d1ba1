"""The plain loop, with Pydantic AI: ask the model, run its calls, ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.agents.model_clients import ModelClients
from assay.agents.protocol import Adapter, Remembering
from assay.agents.retold import told_before
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, AgentTool, Emit, Turn
    from assay.agents.retold import Told


def make() -> Agent:
    """An agent that keeps its sessions as message lists."""
    pydantic_ai = require("pydantic_ai", extra="judge")
    models = require("pydantic_ai.models.openai", extra="judge")
    providers = require("pydantic_ai.providers.openai", extra="judge")
    clients = ModelClients("judge")
    sessions: dict[str, Any] = {}

    def tool(given: AgentTool) -> Any:
        return pydantic_ai.Tool.from_schema(
            given.function, given.name, given.description, given.input_schema
        )

    async def agent(turn: Turn, emit: Emit) -> str:
        provider = providers.OpenAIProvider(openai_client=clients.client(turn.model))
        made = pydantic_ai.Agent(
            models.OpenAIChatModel(turn.model.name, provider=provider),
            instructions=turn.instructions,
            tools=[tool(given) for given in turn.tools],
        )
        before = sessions.get(turn.session_id) or _said_before(turn)

        async def listen(_: Any, events: Any) -> None:
            async for event in events:
                if piece := _text_of(event):
                    emit("delta", {"text": piece})

        # Not run_stream: that takes words before a call for the answer, and leaves the call out.
        done = await made.run(turn.message, message_history=before, event_stream_handler=listen)
        sessions[turn.session_id] = done.all_messages()
        return str(done.output)

    async def forget(session_id: str) -> None:
        sessions.pop(session_id, None)

    return Remembering(agent, forget, clients.close)


def _said_before(turn: Turn) -> list[Any]:
    """The history of a turn as messages of the framework."""
    return [message for told in told_before(turn) for message in _messages(told)]


def _messages(told: Told) -> list[Any]:
    messages = require("pydantic_ai.messages", extra="judge")
    request, response = messages.ModelRequest, messages.ModelResponse
    if told.calls:
        calls = [messages.ToolCallPart(c.tool, c.arguments, c.call_id) for c in told.calls]
        results = [messages.ToolReturnPart(c.tool, c.result, c.call_id) for c in told.calls]
        return [response(parts=calls), request(parts=results)]
    if told.role == "user":
        return [request(parts=[messages.UserPromptPart(told.text)])]
    return [response(parts=[messages.TextPart(told.text)])]


def _text_of(event: Any) -> str:
    """The piece of text that an event of the stream brings; empty where it brings none."""
    if event.event_kind == "part_start" and event.part.part_kind == "text":
        return str(event.part.content)
    if event.event_kind == "part_delta" and event.delta.part_delta_kind == "text":
        return str(event.delta.content_delta)
    return ""


ADAPTER = Adapter("plain", "plain loop (Pydantic AI)", "judge", make)
