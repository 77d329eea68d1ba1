"""The frame of all pages: who is answered, with which headers, and how errors look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from starlette.routing import Route
from tests.web.patient_client import CLIENT

from assay.web.app import application
from assay.web.pages import answer

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response


async def _page(request: Request) -> Response:
    return answer(request, "error.html", "Runs", what="<script>window.taken=1</script>\u202e")


@pytest.fixture(scope="module")
def address(serve: Callable[[Starlette], str]) -> str:
    routes = [Route("/", _page), Route("/post", _page, methods=["POST"])]
    return serve(application(routes, store_name="./<b>store</b>"))


def test_every_answer_has_the_policy(address: str) -> None:
    for path in ("/", "/static/assay.css", "/nowhere"):
        headers = CLIENT.get(address + path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "[::1", "a@b"])
def test_another_name_for_this_machine_is_refused(address: str, host: str) -> None:
    assert CLIENT.get(address, headers={"Host": host}).status_code in {400, 403}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Origin": "http://["},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "null"},
    ],
)
def test_other_sites_change_nothing(address: str, headers: dict[str, str]) -> None:
    assert CLIENT.post(f"{address}/post", headers=headers).status_code == 403
    assert CLIENT.post(f"{address}/post", headers={"Origin": address}).status_code == 200


def test_hostile_text_is_text(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(address)
    assert page.evaluate("window.taken") is None
    assert "<script>window.taken=1</script>⟨U+202E⟩" in page.inner_text("main")
    assert page.inner_text(".top .mono") == "./<b>store</b>"


def test_theme_keys_and_language(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(address, locale="zh-CN", color_scheme="light")
    assert page.inner_text("nav a[aria-current]") == "运行"
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")


def test_a_dead_address_is_a_page(address: str) -> None:
    reply = CLIENT.get(f"{address}/runs/nowhere")
    assert reply.status_code == 404
    assert "There is no such page." in reply.text
