"""Microsoft's Agent Framework."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.agents.protocol import Adapter
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, AgentTool, Emit, Turn


def make() -> Agent:
    """An agent that keeps its sessions as the framework's own."""
    framework = require("agent_framework", extra="agent-framework")
    clients = require("agent_framework.openai", extra="agent-framework")
    sessions: dict[str, Any] = {}

    def tool(given: AgentTool) -> Any:
        return framework.FunctionTool(
            name=given.name,
            description=given.description,
            func=given.function,
            input_model=given.input_schema,
        )

    async def agent(turn: Turn, emit: Emit) -> str:
        client = clients.OpenAIChatCompletionClient(
            model=turn.model.name, base_url=turn.model.base_url, api_key=turn.model.api_key
        )
        made = framework.Agent(
            client=client,
            name="assistant",
            instructions=turn.instructions,
            tools=[tool(given) for given in turn.tools],
        )
        if turn.session_id not in sessions:
            sessions[turn.session_id] = made.create_session(session_id=turn.session_id)
        stream = made.run(turn.message, session=sessions[turn.session_id], stream=True)
        return await answer_of(stream, emit)

    return agent


async def answer_of(stream: Any, emit: Emit) -> str:
    """The final text of a streamed run; what it says on the way is emitted."""
    async for update in stream:
        if update.text:
            emit("delta", {"text": update.text})
    return str((await stream.get_final_response()).text)


ADAPTER = Adapter("agent-framework", "Microsoft Agent Framework", "agent-framework", make)
