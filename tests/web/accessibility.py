"""What axe-core has to say about a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from playwright.sync_api import Page


def barriers(page: Page) -> list[tuple[str, str]]:
    """Each rule that is broken, with the first place; open the page with `bypass_csp=True`."""
    found = Axe().run(page).response["violations"]
    return [(rule["id"], rule["nodes"][0]["html"]) for rule in found]
