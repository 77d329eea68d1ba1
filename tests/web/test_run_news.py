"""A run's page while the run is being scored or recorded: what is new comes, the reader stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.web.patient_client import CLIENT
from tests.web.sample_stores import call, case_of, store_of

from assay.event_loop import run_to_end
from assay.metrics.mcp_tool import MCPToolMetric
from assay.score import Score
from assay.store import Settings, Store
from assay.web.app import viewer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette

    from assay import AgentTestCase

_ITEMS = [{"id": f"ORD-{n:05d}", "total": 7 * n} for n in range(40)]

_TOP = "document.querySelector('#call-9').getBoundingClientRect().top"


def _begun(calls: int, answer: str | None = None, **known: Any) -> AgentTestCase:
    """A run as far as it was recorded; all of them begin alike."""
    made = [call(f"read_{n}", {"items": _ITEMS}, parameters={"page": n}) for n in range(calls)]
    given = {"run_id": "run-7", "task_id": "orders", "model": "m", "attempt": 1} | known
    given.setdefault("started_at", 1.0)
    return case_of("Which orders are open?", answer, made, **given)


def _key(store: Store, calls: int) -> str:
    (row,) = store.query("SELECT run_key FROM runs WHERE calls = $calls", calls=calls)
    key: str = row["run_key"]
    return key


def _add(store: Store, *cases: AgentTestCase) -> None:
    with store.writer() as writer:
        for case in cases:
            writer.add(case)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return store_of(tmp_path / "store", [_begun(12, "ORD-00007 is open.")])


def test_a_score_comes_while_the_page_is_open(
    store: Store, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    key = _key(store, 12)
    page = open_page(f"{serve(viewer(store))}/runs/{key}")
    expect(page.locator(".score")).to_contain_text("Computed for this page")
    page.click("#call-9 summary")
    page.click("#call-9 .unfold")
    page.locator(".score .tree details", has_text="Tool use").locator("summary").first.click()
    page.fill(".find-call", "ord-000")
    assert page.evaluate("scrollTo(0, 900), scrollY") > 500
    before = page.evaluate(_TOP)
    case = next(iter(store.cases()))
    with store.score_writer() as writer:
        score = run_to_end(MCPToolMetric().evaluate(case))
        writer.add(key, score, Settings("mcp_tool", "evidence"))
        writer.add(key, Score("politeness", 0.25, "It says please."), Settings("politeness"))
    expect(page.locator(".news")).to_have_text("What is new was brought in.")
    expect(page.locator(".score .big b")).to_have_count(2)
    assert "Computed for this page" not in page.inner_text(".score")
    assert "0.25" in page.inner_text(".big[data-key=politeness]")
    assert page.locator("#call-9").get_attribute("open") is not None
    assert page.locator("#call-9 .unfold").get_attribute("aria-expanded") == "true"
    assert page.locator("#res-9.whole").count() == 1
    assert page.locator(".tree details[data-key='tool use']").get_attribute("open") is not None
    assert page.evaluate("document.activeElement.className") == "find-call"
    assert page.input_value(".find-call") == "ord-000"
    assert page.locator("#call-1 .copy").get_attribute("hidden") is None
    page.wait_for_function(f"(before) => Math.abs({_TOP} - before) <= 1", arg=before)


def test_calls_come_while_the_run_is_recorded(
    store: Store, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address = serve(viewer(store))
    page = open_page(f"{address}/runs/{_key(store, 12)}?outcome=unknown")
    page.click("#call-2 summary")
    _add(store, _begun(14, "ORD-00007 and ORD-00009 are open."))
    further = _key(store, 14)
    expect(page.locator(".call")).to_have_count(14)
    expect(page).to_have_url(f"{address}/runs/{further}?outcome=unknown")
    assert page.locator("#call-2").get_attribute("open") is not None
    assert "ORD-00009" in page.inner_text("#answer")
    page.click("#call-14 summary")
    page.click("#call-14 .unfold")
    expect(page.locator("#res-14.whole")).to_have_count(1)
    page.locator("#answer .src", has_text="ORD-00009").first.hover()
    expect(page.locator("#origin")).to_contain_text("ORD-00009")


def test_an_earlier_recording_leads_to_the_later_one_without_scripts(
    store: Store, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address, key = serve(viewer(store)), _key(store, 12)
    page = open_page(f"{address}/runs/{key}?outcome=unknown", java_script_enabled=False)
    _add(store, _begun(13))
    _add(store, _begun(14))
    page.click("text=Look again")
    page.wait_for_url(f"{address}/runs/{_key(store, 14)}?outcome=unknown")
    expect(page.locator(".call")).to_have_count(14)
    store.compact()
    page.goto(f"{address}/runs/{key[:12]}")
    page.wait_for_url(f"{address}/runs/{_key(store, 14)}")


def test_another_attempt_comes_and_other_tasks_change_nothing(
    store: Store, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address, key = serve(viewer(store)), _key(store, 12)
    page = open_page(f"{address}/runs/{key}")
    first = CLIENT.get(f"{address}/runs/{key}/changes").json()
    _add(store, _begun(13, "None.", run_id="run-8", task_id="others"))
    assert CLIENT.get(f"{address}/runs/{key}/changes").json() == first
    _add(store, _begun(11, "None.", run_id="run-9", attempt=2))
    assert CLIENT.get(f"{address}/runs/{key}/changes").json() != first
    expect(page.locator(".att li")).to_have_count(2)
    assert page.locator(".call").count() == 12
