"""The same tools as an MCP server over standard input and output.

python -m assay.agents.weather.mcp_server
"""

from __future__ import annotations

import os
from datetime import date
from typing import Any

from assay.agents.weather.open_weather import KEY_VARIABLE, OpenWeather
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather, WeatherSource
from assay.agents.weather.tools import weather_tools
from assay.extras import require

DATE_VARIABLE = "ASSAY_WEATHER_DATE"


def weather_source() -> WeatherSource:
    """OpenWeather when there is a key for it, else the bundled weather."""
    if os.environ.get(KEY_VARIABLE):
        return OpenWeather()
    today = os.environ.get(DATE_VARIABLE)
    return BundledWeather(date.fromisoformat(today) if today else None)


def weather_server() -> Any:
    """The server, with whichever generation of the protocol's SDK is installed."""
    server_class = getattr(require("mcp.server", extra="agents"), "MCPServer", None)
    if server_class is None:
        server_class = require("mcp.server.fastmcp", extra="agents").FastMCP
    server = server_class("weather")
    for tool in weather_tools(weather_source(), PreferenceBook(), "mcp"):
        server.tool()(tool)
    return server


if __name__ == "__main__":
    weather_server().run("stdio")
