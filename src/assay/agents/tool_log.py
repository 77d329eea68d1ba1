"""Tools that note down their own calls, so that no framework can hide one."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import time
from threading import Lock
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.agents.foreign_code import LONGEST_ERROR, attempt
from assay.agents.protocol import AgentTool
from assay.errors import ToolFailed
from assay.event_loop import in_thread
from assay.extras import require

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from assay.agents.protocol import Emit


class Executed(Struct):
    """One call that really ran."""

    tool: str
    arguments: dict[str, Any]
    started_at: float
    server: str | None = None
    ended_at: float | None = None
    result: Any = None
    error: str | None = None
    taken: bool = False


class ToolLog:
    """Wraps tools; what they were given, returned and raised is kept in order."""

    def __init__(self, emit: Emit, *, raw: bool = False) -> None:
        """Tell of calls as they happen; `raw` lets the tools' own exceptions through."""
        self.calls: list[Executed] = []
        self._emit = emit
        self._raw = raw
        self._lock = Lock()

    def wrap(
        self, tool: AgentTool | Callable[..., Any], *, seconds: float | None = None
    ) -> AgentTool:
        """The tool, recorded; a plain function gets its schema from its signature.

        One that has not answered within so many seconds has failed.
        """
        made = as_tool(tool)
        inner = made.function

        @functools.wraps(inner)
        async def recorded(*args: Any, **kwargs: Any) -> str:
            note = Executed(made.name, _named(inner, args, kwargs), time.time(), made.server)
            with self._lock:
                self.calls.append(note)
            self._emit("tool_call", {"tool": note.tool, "arguments": note.arguments})
            return await self._run(note, _in_time(lambda: inner(*args, **kwargs), seconds))

        recorded.__signature__ = inspect.signature(inner).replace(  # type: ignore[attr-defined]
            return_annotation=str
        )
        recorded.__annotations__ = {**inner.__annotations__, "return": str}
        del recorded.__wrapped__  # or its own signature is looked up
        return AgentTool(made.name, made.description, made.input_schema, recorded, made.server)

    async def _run(self, note: Executed, work: Awaitable[Any]) -> str:
        done = await attempt(work)
        note.result, note.error, note.ended_at = done.value, done.error, time.time()
        self._emit("tool_result", {"tool": note.tool, "error": note.error, "result": note.result})
        if done.raised is None:
            return (
                done.value if isinstance(done.value, str) else json.dumps(done.value, default=str)
            )
        if self._raw:
            raise done.raised
        return json.dumps({"error": str(done.raised)[:LONGEST_ERROR]})


async def _in_time(call: Callable[[], Awaitable[Any]], seconds: float | None) -> Any:
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await call()
    except TimeoutError as exc:
        if not limit.expired():  # its own
            raise
        raise ToolFailed(f"no result within {seconds:g} s") from exc


def _named(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name; those that do not fit as they came, the call itself will say so."""
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments) if args else kwargs
    except TypeError:
        return kwargs


def as_tool(tool: AgentTool | Callable[..., Any]) -> AgentTool:
    """The tool itself, or one made from a plain function."""
    return tool if isinstance(tool, AgentTool) else tool_from_function(tool)


def tool_from_function(function: Callable[..., Any]) -> AgentTool:
    """A tool from a plain function: its name, docstring and annotated parameters."""
    pydantic = require("pydantic", extra="agents")
    schema = pydantic.TypeAdapter(function).json_schema()
    schema.pop("additionalProperties", None)

    @functools.wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        if inspect.iscoroutinefunction(function):
            return await function(*args, **kwargs)
        return await in_thread(lambda: function(*args, **kwargs))

    description = inspect.getdoc(function) or ""
    return AgentTool(function.__name__, description, schema, call)
