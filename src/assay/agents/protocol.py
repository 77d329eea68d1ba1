"""What an agent is to the harness: an async function from a turn to its answer.

    async def agent(turn: Turn, emit: Emit) -> str

The harness owns both of its boundaries: the tools are recorded as they run, and the model is
reached through a tap that records every exchange. What a framework tells by itself only
enriches that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

from msgspec import Struct

NO_KEY = "none"
INSTRUCTIONS = "You are a helpful assistant. Use your tools where they help."


class ModelEndpoint(Struct, frozen=True):
    """An OpenAI-compatible endpoint and the model to ask there."""

    base_url: str
    name: str
    api_key: str = NO_KEY


class AgentTool(Struct, frozen=True):
    """A tool as every framework can take it: its schema, and a function of keyword arguments.

    `function` is async, has the signature the schema describes, returns JSON text and does not
    raise (unless the harness was asked for raw behaviour).
    """

    name: str
    description: str
    input_schema: dict[str, Any]
    function: Callable[..., Awaitable[str]]
    server: str | None = None

    def definition(self) -> dict[str, Any]:
        """The definition as a run records it."""
        found = {
            "name": self.name,
            "description": self.description,
            "inputSchema": self.input_schema,
        }
        return found if self.server is None else {**found, "server": self.server}


class PastCall(Struct, frozen=True):
    """A call of an earlier turn and the words that came back.

    Calls of one turn with the same `step` were asked for at once.
    """

    call_id: str
    tool: str
    arguments: dict[str, Any]
    result: str
    step: int = 0


class Turn(Struct, frozen=True):
    """One message to an agent and all it needs to answer.

    `history` is for agents that keep nothing; others keep their own session under `session_id`,
    and begin it with the history where they know none of that id. `calls` has, for each message of
    the user in the history, what was called on the way to its answer; see `retold.told_before`.
    """

    message: str
    session_id: str
    model: ModelEndpoint
    user_id: str = "user"
    instructions: str = INSTRUCTIONS
    tools: tuple[AgentTool, ...] = ()
    history: tuple[dict[str, str], ...] = ()
    calls: tuple[tuple[PastCall, ...], ...] = ()


# Kinds: "delta" {"text"}, "usage" {"input_tokens", "output_tokens"}, "note" {"text"}.
Emit: TypeAlias = Callable[[str, dict[str, Any]], None]
Agent: TypeAlias = Callable[[Turn, Emit], Awaitable[str]]


class Remembering(Struct, frozen=True):
    """An agent that keeps its sessions, with the way to let one go.

    A session that was let go may be asked for again: it then begins with the turn's history.
    `close` lets everything go, connections too; no turn comes after it.
    """

    answer: Agent
    forget: Callable[[str], Awaitable[None]]
    close: Callable[[], Awaitable[None]] | None = None

    async def __call__(self, turn: Turn, emit: Emit) -> str:
        """Answer a turn."""
        return await self.answer(turn, emit)


class Adapter(Struct, frozen=True):
    """How to make agents of one framework; `sources` is the code an implementation took.

    One that `may_ask_others` has whatever model it likes: which it was, only the tap can tell.
    """

    name: str
    title: str
    extra: str
    make: Callable[[], Agent]
    sources: str | None = None
    may_ask_others: bool = False
