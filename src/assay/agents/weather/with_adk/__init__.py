"""The weather assistant as ADK's documentation would write it: functions, an agent, a runner."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.agents.adk import AdkSessions
from assay.agents.model_clients import ModelClients
from assay.agents.protocol import Adapter, Remembering
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, Emit, Turn

NAME = "weather_assistant"


def make() -> Agent:
    """An assistant whose sessions live in ADK's session service."""
    llm_agent = require("google.adk.agents", extra="adk").Agent
    run_config = require("google.adk.agents.run_config", extra="adk")
    openai_llm = require("google.adk.integrations.openai", extra="adk").OpenAILlm
    runner_class = require("google.adk.runners", extra="adk").Runner
    clients = ModelClients("adk")
    sessions = AdkSessions("weather", NAME)
    types = require("google.genai.types", extra="adk")

    async def assistant(turn: Turn, emit: Emit) -> str:
        agent = llm_agent(
            name=NAME,
            model=openai_llm(model=turn.model.name, client=clients.client(turn.model)),
            description="Answers questions about the weather.",
            instruction=turn.instructions,
            tools=[tool.function for tool in turn.tools],
        )
        runner = runner_class(app_name=sessions.app, agent=agent, session_service=sessions.service)
        await sessions.open(turn)
        return await _listen(
            runner.run_async(
                user_id=turn.user_id,
                session_id=turn.session_id,
                new_message=types.Content(role="user", parts=[types.Part(text=turn.message)]),
                run_config=run_config.RunConfig(streaming_mode=run_config.StreamingMode.SSE),
            ),
            emit,
        )

    return Remembering(assistant, sessions.forget, clients.close)


async def _listen(events: Any, emit: Emit) -> str:
    answer = ""
    async for event in events:
        parts = (event.content.parts or []) if event.content else []
        text = "".join(part.text or "" for part in parts)
        if event.partial:
            emit("delta", {"text": text})
        elif event.is_final_response():
            answer = text
    return answer


ADAPTER = Adapter(
    "weather-adk", "weather assistant in ADK", "adk", make, str(Path(__file__).parent)
)
