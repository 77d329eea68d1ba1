"""The list of runs: filtered, sorted and paged by its address alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.routing import BaseRoute

ROUTES: tuple[BaseRoute, ...] = ()
