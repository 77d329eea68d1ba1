"""One run: its page, and its results as they were recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

ROUTES: tuple[BaseRoute, ...] = ()
