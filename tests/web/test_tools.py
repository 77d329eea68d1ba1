"""The tools: the list and one of them, with the numbers of the analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from playwright.sync_api import expect
from tests.web.accessibility import barriers
from tests.web.figure_pages import (
    ENGLISH_FIGURE,
    bare_rates,
    forbidden_words,
    get,
    hostile_store,
    served,
    text_of,
)
from tests.web.patient_client import CLIENT
from tests.web.sample_stores import HOSTILE, bundled, call, case_of, store_of

from assay import (
    AgentTestCase,
    MCPExecutionData,
    RunOutcome,
    Source,
    Store,
    ToolExecutionResult,
)
from assay.analyses import errors, tools
from assay.render.pages.blamed_arguments import wrong_arguments
from assay.render.pages.failing_calls import failed_text
from assay.render.pages.tools_view import (
    ToolPageFacts,
    read_tool,
    tool_page,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return bundled(tmp_path_factory.mktemp("tools") / "store", scored=False)


@pytest.mark.parametrize(
    ("html", "bare"),
    [
        ("<li>71.3 %</li>", ["71.3 %"]),
        ("<li>71.3 % 64.8–77.1</li>", []),
        ("<tr><td>71 %</td><td>n = 40</td></tr>", []),
        ("<p>95 % intervals</p>", []),
        ("<p>71 % of 40</p>", []),
    ],
)
def test_a_share_alone_is_found(html: str, bare: list[str]) -> None:
    assert bare_rates(html) == bare
    assert forbidden_words("<p>N/A, significantly</p>") == ["N/A", "significantly"]


def test_chinese_pages_have_no_english_figure(address: str) -> None:
    for path in ("/tools", "/tools/shop/get_order"):
        assert ENGLISH_FIGURE.search(get(address, path)) is not None
        assert ENGLISH_FIGURE.search(get(address, f"{path}?lang=zh")) is None


def test_the_list_equals_the_analysis(address: str, store: Store) -> None:
    html = get(address, "/tools")
    text = text_of(html)
    for row in tools(store):
        rate, bounds = failed_text(row)
        name = f"{row.server}. {row.tool}" if row.server else f"{row.tool}"
        assert " ".join(f"{name} {row.calls:,} {rate} {bounds}".split()) in text
    assert bare_rates(html) == []
    assert forbidden_words(html) == []


def test_filtering_changes_rows_and_never_a_rate(address: str) -> None:
    whole, part = (text_of(get(address, path)) for path in ("/tools", "/tools?text=read_query"))
    assert "1 of 26 shown" in part
    shown = part[part.index("sales-db. read_query") :][:60]
    assert shown in whole
    assert "0 of 26 match." in text_of(get(address, "/tools?text=nothing-like-it"))


def test_one_tool_equals_the_analyses(address: str, store: Store) -> None:
    html = get(address, "/tools/sales-db/read_query")
    text = text_of(html)
    assert "6 of 10 calls failed" in text
    for kind in errors(store, servers=["sales-db"], tools=["read_query"]):
        assert f"{kind.failures} {kind.failures} of 6 of its failures" in text
    for row in tools(store, by="model", servers=["sales-db"], tools=["read_query"]):
        assert f"{row.failures} of {row.calls}" in text
    assert bare_rates(html) == []
    assert forbidden_words(html) == []


def test_examples_lead_to_the_call(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{address}/tools/sales-db/read_query")
    example = page.locator(".examples a").first
    target = example.get_attribute("href") or ""
    example.click()
    expect(page.locator(f"details{target[target.index('#') :]}")).to_be_visible()


def test_examples_of_runs_without_a_task_name_their_file(tmp_path: Path) -> None:
    case = AgentTestCase(
        "q",
        "a",
        execution_data=MCPExecutionData([ToolExecutionResult("get", {}, error_message="boom")]),
        source=Source("sessions/A104.jsonl", "claude-code"),
    )
    with Store.create(tmp_path / "store").writer() as writer:
        writer.add(case)
    found = read_tool(Store(tmp_path / "store"), "-/get")
    assert isinstance(found, ToolPageFacts)
    (kind,) = tool_page(found).kinds
    assert [example.run for example in kind.examples] == ["A104.jsonl"]


def test_a_tool_that_was_never_called(address: str) -> None:
    found = CLIENT.get(f"{address}/tools/sales-db/read_quer")
    assert found.status_code == 404
    assert "The nearest is sales-db/read_query." in found.text


def test_arguments_are_counted_where_the_error_names_them() -> None:
    rows = [
        {"arguments": '{"city": "Oslo", "day": 3}', "error_message": "day must be a string"},
        {"arguments": '{"city": "Atlantis"}', "error_message": "nothing known of Atlantis"},
        {"arguments": "{}", "error_message": "'city' is a required property"},
        {"arguments": '{"cut": "of', "error_message": "city is wrong"},
    ]
    named, silent = wrong_arguments(rows, {"city", "day"})
    assert named == {"day": 1, "city": 2}
    assert silent == 1


def test_runs_lost_are_those_that_failed_with_the_tool(tmp_path: Path) -> None:
    cases = [
        case_of(
            f"p{i}",
            "a",
            [call("t", success=i > 1, error_message=None if i > 1 else "timed out")],
            task_id=f"t{i}",
            model="m",
            outcome=RunOutcome(success=i != 0),
        )
        for i in range(4)
    ]
    found = read_tool(store_of(tmp_path / "store", cases), "srv/t")
    assert not isinstance(found, str)
    page = tool_page(found)
    assert (page.line.failures, page.line.calls, page.line.lost) == (2, 4, 1)
    assert page.line.rate == "2 of 4"


def test_names_are_text_whatever_they_hold(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address = served(hostile_store(tmp_path / "store"), serve)
    page = open_page(f"{address}/tools")
    link = page.locator("th a").first
    expect(link).to_contain_text("<script>")
    link.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
    assert page.evaluate("window.taken") is None
    assert quote(HOSTILE[:8], safe="") in page.url


@pytest.mark.parametrize("path", ["/tools", "/tools/sales-db/read_query"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_barriers_and_no_sideways_scroll(
    address: str, open_page: Callable[..., Page], path: str, scheme: str, width: int
) -> None:
    page = open_page(
        address + path,
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,
    )
    assert barriers(page) == []
