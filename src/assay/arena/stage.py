"""What all agents of an arena share: the tap, the tools, the weather, what is known of users."""

from __future__ import annotations

from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.agents.harness import Conduct
from assay.agents.mcp_servers import connected, read_servers
from assay.agents.model_tap import ModelTap
from assay.agents.own_thread import at_home
from assay.agents.protocol import AgentTool
from assay.agents.weather.mcp_server import weather_source
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import WeatherSource
from assay.agents.weather.tools import weather_tools
from assay.arena.suite import Suite

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class ArenaSettings(Struct, frozen=True):
    """How an arena is run, from a suite or live."""

    conduct: Conduct = Conduct()
    warm_up: bool = True
    weather: WeatherSource | None = None


class Stage(Struct, frozen=True):
    """The stage itself, as every conversation finds it."""

    suite: Suite
    tap: ModelTap
    source: WeatherSource
    book: PreferenceBook
    servers: tuple[AgentTool, ...] = ()
    conduct: Conduct = Conduct()

    @property
    def is_about_weather(self) -> bool:
        """Whether the weather assistant's tools are on offer."""
        return self.suite.tools == "weather"

    def tools_for(self, user_id: str) -> list[Any]:
        """The tools that every agent is offered."""
        own = weather_tools(self.source, self.book, user_id) if self.is_about_weather else []
        return [*own, *self.servers]


@asynccontextmanager
async def open_stage(suite: Suite, settings: ArenaSettings) -> AsyncIterator[Stage]:
    """The stage while it is open: the tap served, the suite's MCP servers running."""
    async with AsyncExitStack() as stack:
        tap = stack.enter_context(ModelTap())
        servers = read_servers(suite.mcp_servers) if suite.mcp_servers else {}
        tools = await stack.enter_async_context(connected(servers))
        source = settings.weather or weather_source()
        here = tuple(at_home(tool) for tool in tools)
        yield Stage(suite, tap, source, PreferenceBook(), here, settings.conduct)
