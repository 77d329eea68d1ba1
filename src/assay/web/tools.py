"""The tools: all of them, and one with the ways it fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route

from assay.render.pages.tools_view import (
    ToolPageFacts,
    read_tool,
    read_tool_list,
    tool_list,
    tool_page,
)
from assay.web.waiting import figures_page, found_or_waiting

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.routing import BaseRoute


def tools_page(request: Request) -> Response:
    """The list; its address says which server's tools, and which text is in their names."""
    found = found_or_waiting(request, "Tools", read_tool_list)
    if isinstance(found, Response):
        return found
    server, text = (request.query_params.get(name, "")[:500] for name in ("server", "text"))
    view = tool_list(found, server=server, text=text)
    return figures_page(request, "tools.html", "Tools", view=view, server=server, text=text)


def one_tool_page(request: Request) -> Response:
    """One tool."""
    name = request.path_params["name"]
    found = found_or_waiting(request, "Tools", read_tool, name)
    if isinstance(found, Response):
        return found
    if not isinstance(found, ToolPageFacts):
        hint = f" The nearest is {found}." if found else ""
        raise HTTPException(404, f"No tool named {name} was called in this store.{hint}")
    return figures_page(request, "tool.html", "Tools", view=tool_page(found))


ROUTES: tuple[BaseRoute, ...] = (
    Route("/tools", tools_page),
    Route("/tools/{name:path}", one_tool_page),
)
