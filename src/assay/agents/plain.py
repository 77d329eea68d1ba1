"""The plain loop, with Pydantic AI: ask the model, run its calls, ask again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.agents.protocol import Adapter
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, AgentTool, Emit, Turn


def make() -> Agent:
    """An agent that keeps its sessions as message lists."""
    pydantic_ai = require("pydantic_ai", extra="judge")
    models = require("pydantic_ai.models.openai", extra="judge")
    providers = require("pydantic_ai.providers.openai", extra="judge")
    sessions: dict[str, Any] = {}

    def tool(given: AgentTool) -> Any:
        return pydantic_ai.Tool.from_schema(
            given.function, given.name, given.description, given.input_schema
        )

    async def agent(turn: Turn, emit: Emit) -> str:
        provider = providers.OpenAIProvider(
            base_url=turn.model.base_url, api_key=turn.model.api_key
        )
        made = pydantic_ai.Agent(
            models.OpenAIChatModel(turn.model.name, provider=provider),
            instructions=turn.instructions,
            tools=[tool(given) for given in turn.tools],
        )
        before = sessions.get(turn.session_id)
        async with made.run_stream(turn.message, message_history=before) as stream:
            async for piece in stream.stream_text(delta=True, debounce_by=None):
                emit("delta", {"text": piece})
            sessions[turn.session_id] = stream.all_messages()
            return str(await stream.get_output())

    return agent


ADAPTER = Adapter("plain", "plain loop (Pydantic AI)", "judge", make)
