"""The tools of a turn over HTTP, for agents that are no Python: called there, recorded here."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from msgspec import Struct

from assay.agents.foreign_code import Attempt, attempt
from assay.agents.protocol import AgentTool

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.agents.protocol import Turn
    from assay.agents.tool_log import ToolLog

PLACE = "/tools/"
# So long may a tool take that is called here: whoever called it waits at the other end of a line.
SECONDS = 600.0
_LAST_SECONDS = 5.0


class ToolDoor(Struct, frozen=True):
    """The tools that can be called over one line, and the loop they run in.

    Each gives up by itself after so many seconds, and is recorded as failed.
    """

    tools: tuple[AgentTool, ...]
    home: asyncio.AbstractEventLoop
    seconds: float

    def call(self, path: str, body: bytes) -> tuple[int, str]:
        """Run the tool that a path names with the arguments of a body: a status, and its words.

        A tool that fails says so in its words, as it does to every other agent.
        """
        name = unquote(path.removeprefix(PLACE))
        tool = next((each for each in self.tools if each.name == name), None)
        if tool is None:
            return 404, _problem(f"no tool named {name!r}")
        try:
            arguments: Any = json.loads(body or b"{}")
        except (ValueError, RecursionError):
            arguments = None
        if not isinstance(arguments, dict):
            return 400, _problem("expected the arguments as a JSON object")
        done = self._run(tool, arguments)
        if done is None:
            return 504, _problem(f"the tool {name!r} did not answer, nor could it be stopped")
        return (200, str(done.value)) if done.error is None else (500, _problem(done.error))

    def _run(self, tool: AgentTool, arguments: dict[str, Any]) -> Attempt | None:
        """What came of it; None where a tool goes on past the time that it was given."""

        async def run() -> Attempt:
            return await attempt(tool.function(**arguments))

        running = asyncio.run_coroutine_threadsafe(run(), self.home)
        try:
            return running.result(self.seconds + _LAST_SECONDS)
        except TimeoutError:
            running.cancel()
            return None


def door_for(tools: Iterable[AgentTool], log: ToolLog) -> ToolDoor:
    """A door to these tools, which run in the loop that runs now and are recorded in the log."""
    recorded = tuple(log.wrap(tool, seconds=SECONDS) for tool in tools)
    return ToolDoor(recorded, asyncio.get_running_loop(), SECONDS)


def tools_at(turn: Turn) -> list[dict[str, Any]]:
    """The definitions of a turn's tools, each with the address where it is called."""
    return [
        {**tool.definition(), "url": f"{turn.model.base_url}{PLACE}{quote(tool.name, safe='')}"}
        for tool in turn.tools
    ]


def _problem(words: str) -> str:
    return json.dumps({"error": words})
