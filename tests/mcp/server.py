"""A small MCP server, written with the official SDK: over stdio, or at a port given as argument."""

from __future__ import annotations

import os
import sys
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.types import SamplingMessage, TextContent

server = MCPServer("sums", version="1.0")


@server.tool()
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()
def echo(text: str) -> str:
    """Say it again."""
    return text


@server.tool()
def sign_in(password: str) -> str:
    """Say how long the password is."""
    return f"{len(password)} letters"


@server.tool()
def big(size: int) -> str:
    """A text of so many letters."""
    return "x" * size


@server.tool()
def crash() -> str:
    """Never answers: the server breaks down."""
    sys.stderr.write("out of memory in add_rows\n")
    sys.stderr.flush()
    os._exit(7)


@server.tool()
async def count(steps: int, context: Context[Any, Any]) -> str:
    """Count, and report each step."""
    for step in range(1, steps + 1):
        await context.report_progress(step, steps)
    return f"counted to {steps}"


@server.tool()
async def ask(question: str, context: Context[Any, Any]) -> str:
    """Ask the client's model."""
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=question))
    reply: Any = await context.session.create_message([asked], max_tokens=5)
    return f"the model says: {reply.content.text}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run()
