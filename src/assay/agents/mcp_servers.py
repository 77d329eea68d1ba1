"""MCP servers from an ordinary `mcpServers` file, their tools offered to every agent alike."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.agents.last_words import LastWords
from assay.agents.protocol import AgentTool
from assay.errors import AssayError, InvalidRecord, ServerUnavailable, ToolFailed
from assay.extras import require

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_MOST_PAGES = 100
_SECONDS_TO_START = 30.0


class ServerConfig(Struct, frozen=True):
    """How one server is started or reached."""

    command: str | None = None
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    url: str | None = None
    headers: dict[str, str] = {}
    type: str | None = None


class _File(Struct, frozen=True):
    servers: dict[str, ServerConfig] = msgspec.field(name="mcpServers")


def read_servers(path: str | Path) -> dict[str, ServerConfig]:
    """The servers of an `mcpServers` file; `${NAME}` stands for an environment variable."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        found = msgspec.json.decode(_VARIABLE.sub(_value_of, text), type=_File).servers
    except OSError as exc:
        raise InvalidRecord(
            f"the file of MCP servers, {path}, cannot be read: {exc.strerror}"
        ) from exc
    except msgspec.MsgspecError as exc:
        raise InvalidRecord(f"{path}: {exc}") from exc
    for name, server in found.items():
        if (server.command is None) == (server.url is None):
            raise InvalidRecord(f"{path}: {name}: expected either a command or a url")
    return found


def _value_of(match: re.Match[str]) -> str:
    value = os.environ.get(match[1])
    if value is None:
        raise InvalidRecord(f"the environment variable {match[1]} is not set")
    return msgspec.json.encode(value).decode()[1:-1]


@asynccontextmanager
async def connected(servers: dict[str, ServerConfig]) -> AsyncIterator[list[AgentTool]]:
    """The tools of all servers while they run; a name that two servers use is told apart."""
    try:
        async with AsyncExitStack() as stack:
            found: list[AgentTool] = []
            for name, config in servers.items():
                session = await _session(stack, name, config)
                taken = {tool.name for tool in found}
                found.extend(await _tools_of(session, name, taken))
            yield found
    except ExceptionGroup as group:  # the SDK's own tasks wrap whatever passes through them
        raise _first_of_ours(group) or group from group


def _first_of_ours(group: ExceptionGroup[Exception]) -> AssayError | None:
    for exc in group.exceptions:
        inner = _first_of_ours(exc) if isinstance(exc, ExceptionGroup) else exc
        if isinstance(inner, AssayError):
            return inner
    return None


async def _session(stack: AsyncExitStack, name: str, config: ServerConfig) -> Any:
    mcp = require("mcp", extra="agents")
    refused = getattr(mcp, "MCPError", None) or mcp.McpError  # by the generation of the SDK
    words = stack.enter_context(LastWords())
    try:
        streams = await stack.enter_async_context(await _transport(stack, config, words))
        session = await stack.enter_async_context(mcp.ClientSession(streams[0], streams[1]))
        async with asyncio.timeout(_SECONDS_TO_START):
            await session.initialize()
    except TimeoutError as exc:
        late = f"the MCP server {name!r} did not answer within {_SECONDS_TO_START:g} s"
        raise ServerUnavailable(words.after(late, has_ended=False)) from exc
    except (OSError, ExceptionGroup, refused) as exc:
        problem = f"the MCP server {name!r} did not start: {exc}"
        raise ServerUnavailable(words.after(problem, has_ended=True)) from exc
    return session


async def _transport(stack: AsyncExitStack, config: ServerConfig, words: LastWords) -> Any:
    if config.url is not None:
        module = require("mcp.client.streamable_http", extra="agents")
        if hasattr(module, "streamablehttp_client"):  # the first generation of the SDK
            return module.streamablehttp_client(config.url, headers=config.headers)
        client = None
        if config.headers:
            made = module.create_mcp_http_client(headers=config.headers)
            client = await stack.enter_async_context(made)
        return module.streamable_http_client(config.url, http_client=client)
    module = require("mcp.client.stdio", extra="agents")
    command = sys.executable if config.command in {"python", "python3"} else config.command
    parameters = module.StdioServerParameters(
        command=command, args=config.args, env=config.env or None, cwd=config.cwd
    )
    return module.stdio_client(parameters, errlog=words.file)


async def _tools_of(session: Any, server: str, taken: set[str]) -> list[AgentTool]:
    listed: list[Any] = []
    cursor = None
    for _ in range(_MOST_PAGES):
        page = await session.list_tools(**({} if cursor is None else {"cursor": cursor}))
        listed.extend(page.tools)
        cursor = getattr(page, "nextCursor", None) or getattr(page, "next_cursor", None)
        if not cursor:
            break
    return [_tool(session, server, tool, taken) for tool in listed]


def _tool(session: Any, server: str, listed: Any, taken: set[str]) -> AgentTool:
    written = listed.model_dump(mode="json", by_alias=True, exclude_none=True)
    own = listed.name

    async def call(**arguments: Any) -> Any:
        reply = await session.call_tool(own, arguments)
        found = reply.model_dump(mode="json", by_alias=True, exclude_none=True)
        if found.get("isError"):
            raise ToolFailed(_words(found))
        return found.get("structuredContent") or _words(found)

    call.__name__ = own
    name = f"{server}_{own}" if own in taken else own
    schema = written.get("inputSchema") or {"type": "object", "properties": {}}
    return AgentTool(name, written.get("description", ""), schema, call, server)


def _words(found: dict[str, Any]) -> str:
    blocks = found.get("content") or []
    return "\n".join(str(block.get("text", block.get("type"))) for block in blocks)
