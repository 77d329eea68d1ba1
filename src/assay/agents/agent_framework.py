"""Microsoft's Agent Framework."""

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
    """An agent that keeps its sessions as the framework's own."""
    framework = require("agent_framework", extra="agent-framework")
    openai = require("agent_framework.openai", extra="agent-framework")
    clients = ModelClients("agent-framework")
    sessions = FrameworkSessions()

    def tool(given: AgentTool) -> Any:
        return framework.FunctionTool(
            name=given.name,
            description=given.description,
            func=given.function,
            input_model=given.input_schema,
        )

    async def agent(turn: Turn, emit: Emit) -> str:
        client = openai.OpenAIChatCompletionClient(
            model=turn.model.name, async_client=clients.client(turn.model)
        )
        made = framework.Agent(
            client=client,
            name="assistant",
            instructions=turn.instructions,
            tools=[tool(given) for given in turn.tools],
        )
        session, said = sessions.open(made, turn)
        answer = await answer_of(made.run(said, session=session, stream=True), emit)
        sessions.keep(session)
        return answer

    return Remembering(agent, sessions.forget, clients.close)


class FrameworkSessions:
    """The framework's own sessions: each begins with what was said before it."""

    def __init__(self) -> None:
        """Begin with none."""
        self._kept: dict[str, Any] = {}

    def open(self, agent: Any, turn: Turn) -> tuple[Any, list[Any]]:
        """The session of a turn, and what is to be said in it."""
        known = self._kept.get(turn.session_id)
        if known is not None:
            return known, [turn.message]
        before = [message for told in told_before(turn) for message in _messages(told)]
        return agent.create_session(session_id=turn.session_id), [*before, turn.message]

    def keep(self, session: Any) -> None:
        """Go on with a session next time; one whose first turn failed begins anew."""
        self._kept[session.session_id] = session

    async def forget(self, session_id: str) -> None:
        """Let a session go; one that is not there is no matter."""
        self._kept.pop(session_id, None)


def _messages(told: Told) -> list[Any]:
    """What was told as messages: words are one, calls two, the second with the results."""
    framework = require("agent_framework", extra="agent-framework")
    if not told.calls:
        return [framework.Message(told.role, [told.text])]
    content = framework.Content
    calls = [
        content.from_function_call(call.call_id, call.tool, arguments=call.arguments)
        for call in told.calls
    ]
    results = [
        content.from_function_result(call.call_id, result=call.result) for call in told.calls
    ]
    return [framework.Message("assistant", calls), framework.Message("tool", results)]


async def answer_of(stream: Any, emit: Emit) -> str:
    """The final text of a streamed run; what it says on the way is emitted."""
    async for update in stream:
        if update.text:
            emit("delta", {"text": update.text})
    return str((await stream.get_final_response()).text)


ADAPTER = Adapter("agent-framework", "Microsoft Agent Framework", "agent-framework", make)
