"""What keeps somebody from reading a page: what axe-core says, and what is too wide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from playwright.sync_api import Page


def barriers(page: Page) -> list[tuple[str, str]]:
    """Each rule that is broken, with the first place; open the page with `bypass_csp=True`.

    That nobody has to scroll sideways is a rule of ours.
    """
    found = Axe().run(page).response["violations"]
    broken = [(rule["id"], rule["nodes"][0]["html"]) for rule in found]
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    return [*broken, ("sideways", f"{wide} too wide")] if wide > 0 else broken
