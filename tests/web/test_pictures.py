"""The pictures in README and docs are taken here: `ASSAY_PICTURES=1` writes them anew.

Overview and comparison show invented models, the run is one of the bundled samples, and in the
arena a script plays both models.
"""

from __future__ import annotations

import os
import re
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.arena.live_server import arena_server
from tests.web.invented_store import MODELS, invented_store, sample_store

from assay.web.app import viewer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Page
    from starlette.applications import Starlette

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
RUN = "19-revenue-made-up-number"
# Name of the picture, the address, words that must be on it, and its height.
PICTURES = {
    "overview": ("/?baseline=tin-235b", "Whose fault are the failed calls", 800),
    "compare": ("/compare?a=zinc-scout&b=aurum-large", "Tasks that went another way", 800),
    "run": ("", "South had the highest revenue", 1320),
}
AGENTS = ("weather-adk", "weather-agent-framework=scripted-ungrounded")
PROMPTS = (
    "I hate cold weather.",
    "What's the weather in Oslo?",
    "Compare the weather in Oslo and Madrid.",
    "What's the forecast for Rome?",
    "Do I need an umbrella in London?",
    "What should I wear in Tampere tomorrow?",
)


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Starlette], str]
) -> Iterator[tuple[str, str]]:
    with chdir(tmp_path_factory.mktemp("pictures")):  # so that no folder of ours is on a picture
        samples = sample_store(Path("samples.assay"))
        (row,) = samples.query("SELECT run_key FROM runs WHERE starts_with(run_id, $id)", id=RUN)
        invented = serve(viewer(invented_store(Path("runs.assay"))))
        yield invented, f"{serve(viewer(samples))}/runs/{row['run_key']}"


@pytest.mark.parametrize("name", PICTURES)
def test_the_pages_can_be_shown(
    name: str, address: tuple[str, str], open_page: Callable[..., Page], tmp_path: Path
) -> None:
    base, run = address
    path, words, height = PICTURES[name]
    size = {"width": 1280, "height": height}
    page = open_page(base + path if path else run, color_scheme="light", viewport=size)
    page.get_by_text(words).first.wait_for(timeout=60_000)
    _take(page, name, tmp_path)


def test_the_arena_can_be_shown(tmp_path: Path, open_page: Callable[..., Page]) -> None:
    with chdir(tmp_path), arena_server(Path("arena.assay"), AGENTS, pace=0.01) as server:
        size = {"width": 1280, "height": 900}
        page = open_page(f"{server.address}/arena", color_scheme="light", viewport=size)
        for number, prompt in enumerate(PROMPTS, start=1):
            page.fill("#prompt", prompt)
            page.keyboard.press("Enter")
            expect(page.locator(f"#p{number} .clock")).to_be_visible()
            expect(page.locator("[data-send]")).to_be_enabled()
        page.reload()
        expect(page.locator("#claim")).to_contain_text("A is better than B")
        expect(page.locator("#claim")).to_contain_text("6 prompts paired")
        _take(page, "arena", tmp_path)


def test_every_picture_that_is_shown_is_taken_here() -> None:
    texts = [place.read_text("utf-8") for place in (ROOT / "README.md", *ROOT.glob("docs/**/*.md"))]
    shown = {name for text in texts for name in re.findall(r"images/([\w-]+)\.png", text)}
    assert shown == {place.stem for place in IMAGES.glob("*.png")} == {*PICTURES, "arena"}


def _take(page: Page, name: str, folder: Path) -> None:
    picture = (IMAGES if os.environ.get("ASSAY_PICTURES") else folder) / f"{name}.png"
    page.screenshot(path=picture)
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert (IMAGES / f"{name}.png").exists(), "ASSAY_PICTURES=1 takes the pictures"


def test_the_models_on_the_picture_are_nobodys(
    address: tuple[str, str], open_page: Callable[..., Page]
) -> None:
    page = open_page(address[0])
    page.get_by_text(PICTURES["overview"][1]).first.wait_for(timeout=60_000)
    for name, *_ in MODELS:
        assert name in page.inner_text("main")
