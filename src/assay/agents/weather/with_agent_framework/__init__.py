"""The weather assistant as Agent Framework's documentation would write it: one agent, a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.agents.protocol import Adapter
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, Emit, Turn


def make() -> Agent:
    """An assistant that keeps one of the framework's sessions for each conversation."""
    agent_class = require("agent_framework", extra="agent-framework").Agent
    openai = require("agent_framework.openai", extra="agent-framework")
    sessions: dict[str, Any] = {}

    async def assistant(turn: Turn, emit: Emit) -> str:
        model = turn.model
        agent = agent_class(
            client=openai.OpenAIChatCompletionClient(
                model=model.name, base_url=model.base_url, api_key=model.api_key
            ),
            name="weather_assistant",
            description="Answers questions about the weather.",
            instructions=turn.instructions,
            tools=[tool.function for tool in turn.tools],
        )
        if turn.session_id not in sessions:
            sessions[turn.session_id] = agent.create_session(session_id=turn.session_id)
        stream = agent.run(turn.message, session=sessions[turn.session_id], stream=True)
        async for update in stream:
            if update.text:
                emit("delta", {"text": update.text})
        return str((await stream.get_final_response()).text)

    return assistant


ADAPTER = Adapter(
    "weather-agent-framework",
    "weather assistant in Agent Framework",
    "agent-framework",
    make,
    str(Path(__file__).parent),
)
