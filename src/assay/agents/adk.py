"""Google's Agent Development Kit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.agents.model_clients import ModelClients
from assay.agents.protocol import Adapter, Remembering
from assay.agents.retold import told_before
from assay.extras import require

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, AgentTool, Emit, Turn
    from assay.agents.retold import Told

_NAME = "assistant"


def make() -> Agent:
    """An agent that keeps its sessions in ADK's own session service."""
    agents = require("google.adk.agents", extra="adk")
    run_config = require("google.adk.agents.run_config", extra="adk")
    models = require("google.adk.integrations.openai", extra="adk")
    runners = require("google.adk.runners", extra="adk")
    types = require("google.genai.types", extra="adk")
    streaming = run_config.RunConfig(streaming_mode=run_config.StreamingMode.SSE)
    tool_class = _tool_class()
    clients = ModelClients("adk")
    sessions = AdkSessions("assay", _NAME)

    async def agent(turn: Turn, emit: Emit) -> str:
        model = models.OpenAILlm(model=turn.model.name, client=clients.client(turn.model))
        made = agents.Agent(
            name=_NAME,
            model=model,
            instruction=turn.instructions,
            tools=[tool_class(tool) for tool in turn.tools],
        )
        runner = runners.Runner(app_name=sessions.app, agent=made, session_service=sessions.service)
        await sessions.open(turn)
        said = types.Content(role="user", parts=[types.Part(text=turn.message)])
        events = runner.run_async(
            user_id=turn.user_id, session_id=turn.session_id, new_message=said, run_config=streaming
        )
        return await answer_of(events, emit)

    return Remembering(agent, sessions.forget, clients.close)


class AdkSessions:
    """ADK's own sessions: each begins with what was said before it, and can be let go."""

    def __init__(self, app: str, agent_name: str) -> None:
        """Keep them in memory; `agent_name` is whose words the answers were."""
        self.app = app
        self.service = require("google.adk.sessions", extra="adk").InMemorySessionService()
        self._agent_name = agent_name
        self._users: dict[str, str] = {}

    async def open(self, turn: Turn) -> None:
        """Make the session of a turn unless it is there."""
        known = {"app_name": self.app, "user_id": turn.user_id, "session_id": turn.session_id}
        if await self.service.get_session(**known):
            return
        self._users[turn.session_id] = turn.user_id
        session = await self.service.create_session(**known)
        for told in told_before(turn):
            for event in self._events(told):
                await self.service.append_event(session, event)

    async def forget(self, session_id: str) -> None:
        """Let a session go; one that is not there is no matter."""
        user = self._users.pop(session_id, None)
        if user is not None:
            await self.service.delete_session(
                app_name=self.app, user_id=user, session_id=session_id
            )

    def _events(self, told: Told) -> list[Any]:
        """What was told as ADK's events: words are one, calls two, the second with the results."""
        event = require("google.adk.events", extra="adk").Event
        types = require("google.genai.types", extra="adk")
        author, role = ("user", "user") if told.role == "user" else (self._agent_name, "model")
        if not told.calls:
            said = types.Content(role=role, parts=[types.Part(text=told.text)])
            return [event(author=author, content=said)]
        calls, results = [], []
        for call in told.calls:
            named = {"id": call.call_id, "name": call.tool}
            asked = types.FunctionCall(**named, args=call.arguments)
            back = types.FunctionResponse(**named, response={"result": call.result})
            calls.append(types.Part(function_call=asked))
            results.append(types.Part(function_response=back))
        return [
            event(author=author, content=types.Content(role="model", parts=calls)),
            event(author=author, content=types.Content(role="user", parts=results)),
        ]


async def answer_of(events: Any, emit: Emit) -> str:
    """The final text of a run; what it says on the way is emitted."""
    answer = ""
    async for event in events:
        parts = (event.content.parts or []) if event.content else []
        text = "".join(part.text or "" for part in parts)
        if event.partial and text:
            emit("delta", {"text": text})
        elif event.is_final_response():
            answer = text
        if event.error_code or event.error_message:
            emit("note", {"text": f"{event.error_code}: {event.error_message}"})
    return answer


def _tool_class() -> Any:
    base = require("google.adk.tools.base_tool", extra="adk").BaseTool
    types = require("google.genai.types", extra="adk")

    class HarnessTool(base):  # type: ignore[misc,valid-type]  # a class of an extra
        """A tool with the schema that every other framework gets too."""

        def __init__(self, tool: AgentTool) -> None:
            super().__init__(name=tool.name, description=tool.description)
            self.tool = tool

        def _get_declaration(self) -> Any:
            return types.FunctionDeclaration(
                name=self.name,
                description=self.description,
                parameters_json_schema=self.tool.input_schema,
            )

        async def run_async(self, *, args: dict[str, Any], tool_context: Any) -> Any:  # noqa: ARG002 - ADK's
            return await self.tool.function(**args)

    return HarnessTool


ADAPTER = Adapter("adk", "Google ADK", "adk", make)
