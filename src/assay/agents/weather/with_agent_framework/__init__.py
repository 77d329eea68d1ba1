"""The weather assistant as Agent Framework's documentation would write it: one agent, a session."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from assay.agents.agent_framework import FrameworkSessions
from assay.agents.model_clients import ModelClients
from assay.agents.protocol import Adapter, Remembering
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, Emit, Turn


def make() -> Agent:
    """An assistant that keeps one of the framework's sessions for each conversation."""
    agent_class = require("agent_framework", extra="agent-framework").Agent
    openai = require("agent_framework.openai", extra="agent-framework")
    clients = ModelClients("agent-framework")
    sessions = FrameworkSessions()

    async def assistant(turn: Turn, emit: Emit) -> str:
        agent = agent_class(
            client=openai.OpenAIChatCompletionClient(
                model=turn.model.name, async_client=clients.client(turn.model)
            ),
            name="weather_assistant",
            description="Answers questions about the weather.",
            instructions=turn.instructions,
            tools=[tool.function for tool in turn.tools],
        )
        session, said = sessions.open(agent, turn)
        stream = agent.run(said, session=session, stream=True)
        async for update in stream:
            if update.text:
                emit("delta", {"text": update.text})
        answer = str((await stream.get_final_response()).text)
        sessions.keep(session)
        return answer

    return Remembering(assistant, sessions.forget, clients.close)


ADAPTER = Adapter(
    "weather-agent-framework",
    "weather assistant in Agent Framework",
    "agent-framework",
    make,
    str(Path(__file__).parent),
)
