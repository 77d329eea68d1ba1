"""The report in a real browser: opened from disk, without a network, on a screen and on paper."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.render.report_stores import SECRET, html_of, runs_of_two_models, written
from tests.web.accessibility import barriers
from tests.web.conftest import CHROMIUM
from tests.web.sample_stores import HOSTILE

from assay.analyses import ANALYSES
from assay.importing import ImportSettings, import_runs
from assay.render.report.page import LARGEST
from assay.render.report.pdf import report_pdf
from assay.store import PooledStore

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page

    from assay import Store

PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 900}
SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    path = tmp_path_factory.mktemp("file") / "runs.assay"
    return written(path, runs_of_two_models(padding=30, secret=SECRET))


@pytest.fixture(scope="module")
def html(store: Store) -> str:
    return html_of(store, title="Week 12", runs=5)


@pytest.fixture(scope="module")
def address(html: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("disk") / "a report.html"
    file.write_text(html, encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def opened(address: str, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open the report with the network off; the fixture below wants no error and no violation."""

    def found(fragment: str = "", **settings: Any) -> Page:
        return open_page(address + fragment, offline=True, **settings)

    return found


def test_it_asks_for_nothing_but_itself(opened: Callable[..., Page], address: str) -> None:
    page = opened()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.locator("footer").scroll_into_view_if_needed()
    assert asked == [address]
    assert page.title() == "Week 12 · assay"


def test_its_figures_are_the_analyses(opened: Callable[..., Page], store: Store) -> None:
    page = opened()
    rows: Any = ANALYSES["tools"].answer(store)
    shown = page.evaluate(
        "[...document.querySelectorAll('#t-tools tbody tr')].map("
        "row => [...row.cells].map(cell => cell.firstChild.textContent.trim()))"
    )
    heads = page.evaluate("[...document.querySelectorAll('#t-tools th')].map(h => h.textContent)")
    place = {head: i for i, head in enumerate(heads)}
    assert [
        [row[place["calls"]], row[place["failed"]], row[place["succeeded"]]] for row in shown
    ] == [
        [f"{row.calls:,}", f"{row.failures:,}", f"{100 * row.success_rate:.1f} %"] for row in rows
    ]


def test_tables_sort_and_filter(opened: Callable[..., Page]) -> None:
    page = opened()
    table = page.locator("table.list")
    calls = table.locator("th", has_text="run").locator("button")
    calls.click()
    expect(table.locator("th[aria-sort=descending]")).to_have_count(1)
    first = table.locator("tbody tr td:nth-child(2)").first.inner_text()
    calls.click()
    expect(table.locator("th[aria-sort=ascending]")).to_have_count(1)
    assert table.locator("tbody tr td:nth-child(2)").first.inner_text() < first
    page.locator("#list .finder input").fill("ada")
    expect(page.locator("#list .finder [role=status]")).to_have_text("8 of 16 shown")
    expect(table.locator("tbody tr:visible")).to_have_count(8)


def test_a_claim_leads_to_its_source_and_back(opened: Callable[..., Page]) -> None:
    page = opened()
    run = page.locator("#run-1")
    claim = run.locator(".ans a.src", has_text="42").first
    claim.hover()
    expect(run.locator(".origin")).to_contain_text("= 42")
    mark = page.locator(str(claim.get_attribute("href")))
    expect(mark).to_have_class(re.compile(r"\blit\b"))
    claim.click()
    expect(mark).to_be_visible()
    assert run.locator(".ans .nowhere", has_text="977").count() == 1


def test_an_address_opens_what_it_names(opened: Callable[..., Page]) -> None:
    page = opened("#run-3-call-2")
    expect(page.locator("#run-3")).to_have_attribute("open", "")
    expect(page.locator("#run-3-call-2")).to_be_visible()


def test_it_is_complete_without_script(opened: Callable[..., Page]) -> None:
    page = opened(java_script_enabled=False)
    assert page.locator("table.list tbody tr").count() == 16
    page.locator("#run-2 > summary").click()
    expect(page.locator("#run-2 .ans")).to_be_visible()
    assert page.locator(".finder, th button").count() == 0


def test_hostile_text_is_text(opened: Callable[..., Page]) -> None:
    page = opened()
    for run in page.locator(".run > summary").all():
        run.click()
    assert page.evaluate("window.taken") is None
    shown = page.inner_text("main")
    assert "<script>window.taken=1</script>" in shown
    assert "␛[31mred" in shown
    assert HOSTILE not in page.content()
    assert SECRET not in page.content()


@pytest.mark.parametrize("width", [390, 320])
def test_nothing_scrolls_sideways_on_a_phone(width: int, opened: Callable[..., Page]) -> None:
    page = opened(viewport={"width": width, "height": 844})
    assert page.evaluate(SIDEWAYS) <= 0
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert page.evaluate(SIDEWAYS) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
def test_no_barrier(viewport: dict[str, int], scheme: str, opened: Callable[..., Page]) -> None:
    page = opened(viewport=viewport, color_scheme=scheme, bypass_csp=True)
    assert barriers(page) == []


def test_the_theme_can_be_changed(opened: Callable[..., Page]) -> None:
    page = opened(color_scheme="light")
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    expect(page.locator("body")).not_to_have_css("background-color", before)


def test_on_paper_it_is_white_and_failed_calls_are_open(opened: Callable[..., Page]) -> None:
    page = opened(color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    closed = page.locator("#run-3")
    assert closed.get_attribute("open") is None
    expect(closed.locator(".call.fail .why").first).to_be_visible()
    expect(closed.locator(".call.ok .why").first).to_be_hidden()
    expect(page.locator(".top")).to_be_hidden()


def test_real_recordings(
    shared: Callable[..., Path], tmp_path: Path, open_page: Callable[..., Page]
) -> None:
    path = tmp_path / "tau2.assay"
    import_runs([str(shared("data", "tau2-bench-runs"))], ImportSettings(str(path)), jobs=1)
    store = PooledStore(path)
    file = tmp_path / "report.html"
    file.write_text(html_of(store), encoding="utf-8")
    page = open_page(file.as_uri(), offline=True)
    assert file.stat().st_size <= LARGEST
    assert page.locator("table.list tbody tr").count() == store.count()
    assert page.locator(".run").count() == 20
    rows: Any = ANALYSES["errors"].answer(store)
    shown = page.locator("#t-errors tbody tr").evaluate_all(
        "rows => rows.map(row => row.cells[2].textContent)"
    )
    assert shown == [f"{row.failures:,}" for row in rows][:50]


@pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine")
def test_a_pdf_has_pages(html: str) -> None:
    paper = report_pdf(html)
    assert paper.startswith(b"%PDF-")
    counts = [int(found) for found in re.findall(rb"/Type /Pages\b[^>]*?/Count (\d+)", paper, re.S)]
    assert max(counts, default=0) > 3
