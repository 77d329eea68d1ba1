"""The page of one run: its figures, where its values came from, and text that means harm."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.conftest import shared_path
from tests.web.accessibility import barriers
from tests.web.patient_client import CLIENT
from tests.web.sample_stores import HOSTILE, call, case_of, store_of

from assay import Source
from assay.importing import ImportSettings, import_runs
from assay.render.pages import figures
from assay.store import Store
from assay.web.app import viewer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette


def _key(store: Store, task: str, attempt: int = 1, model: str = "%") -> str:
    (row,) = store.query(
        "SELECT run_key FROM runs WHERE task_id = $task AND attempt = $attempt AND model LIKE $m",
        task=task,
        attempt=attempt,
        m=model,
    )
    key: str = row["run_key"]
    return key


@pytest.fixture(scope="module")
def failed_run(store: Store, address: str) -> str:
    return f"{address}/runs/{_key(store, 'assign-oldest-payments-bug')}"


def test_every_page_shows_the_figures_of_the_store(store: Store, address: str) -> None:
    scores = {
        row["run_key"]: row["value"]
        for row in store.query("SELECT run_key, value FROM scores WHERE path = name")
    }
    for row in store.query("SELECT * FROM runs"):
        html = CLIENT.get(f"{address}/runs/{row['run_key']}").text
        assert html.count('<details class="call ') == row["calls"]
        assert html.count('<details class="call fail"') == row["failed_calls"]
        word = {True: "Task succeeded.", False: "Task failed.", None: "Nobody said"}
        assert word[row["outcome_success"]] in html
        assert (row["outcome_decided_by"] is None) or f"says {row['outcome_decided_by']}" in html
        if row["run_key"] in scores:
            assert f"<b>{figures.score(scores[row['run_key']])}</b>" in html
            assert "Computed for this page" not in html
        else:
            assert "Computed for this page" in html
        assert f"{figures.tokens(row['input_tokens'])} in" in html
        if row["cost_usd"] is not None:
            assert figures.money(row["cost_usd"]) in html


def test_the_first_screen_says_what_failed_and_whose_fault(
    failed_run: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(failed_run)
    assert page.inner_text("h1").startswith("Which open bugs labelled 'payments'")
    assert page.inner_text(".verdict").replace("\n", " ") == (
        "Task failed. #311 has no assignee. says checker"
    )
    findings = page.locator(".find li")
    assert findings.locator("span").first.inner_text() == (
        "update_issue failed (HTTP 401 Unauthorized: the access token expired at"
        " 2026-03-13T08:00:00Z), and the answer says so."
    )
    first = findings.first
    assert "environment · auth" in first.inner_text()
    first.locator("a.num").click()
    expect(page).to_have_url(f"{failed_run}#call-3")
    expect(page.locator("#call-3")).to_have_attribute("open", "")


def test_the_tree_is_open_at_its_lowest_part(
    failed_run: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(failed_run)
    # One of three calls succeeded: 0.33, below the 0.40 of task fulfillment.
    opened = page.locator(".score details[open] > summary").all_inner_texts()
    assert [text.split("\n")[0] for text in opened] == ["Tool use"]
    failures = page.locator(".score details[open] .evs li").all_inner_texts()
    assert [text.replace("\n", " ").split(":")[0] for text in failures] == [
        "1 search_issues failed",
        "3 update_issue failed",
    ]


def test_a_capped_score_says_what_it_was_before(
    failed_run: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(failed_run)
    # (0.6 x 0.9 + 0.4 x 2/3) = 0.807, held at 0.6: the failure was reported honestly.
    assert page.inner_text(".score .big").split("\n") == [
        "0.60",
        "mcp tool, judged by evidence",
        "0.81 before the verdict capped it",
    ]
    parts = page.locator(".score .tree > details > summary").all_inner_texts()
    assert [text.split("\n")[0] for text in parts] == [
        "Judged evidence judge, no LLM",
        "Tool use",
        "In words",
    ]


def test_a_claim_leads_to_its_value_and_back(
    failed_run: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(failed_run)
    claim = page.locator(".txt .src", has_text="342").first
    target = claim.get_attribute("data-ref") or ""
    mark = page.locator(f"mark#{target}")
    assert mark.text_content() == "342"
    claim.hover()
    expect(page.locator("#origin")).to_have_text("← call 2 › items[1].number = 342")
    expect(page.locator("#call-2")).to_have_class(re.compile(r"\blit\b"))
    page.mouse.move(0, 0)
    expect(page.locator("#origin")).to_have_text("")
    claim.click()
    expect(page.locator("#call-2")).to_have_attribute("open", "")
    expect(mark).to_be_in_viewport()
    page.mouse.move(0, 0)
    mark.hover()
    expect(claim).to_have_class(re.compile(r"\blit\b"))


def test_made_up_numbers_come_from_nowhere(
    store: Store, address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs/{_made_up(store)}")
    invented = page.locator(".txt .nowhere").all_text_contents()
    assert {"200,163.17?", "18.2?"} <= {*invented}
    page.locator(".txt .nowhere").first.focus()
    expect(page.locator("#origin")).to_contain_text("from nowhere")


def _made_up(store: Store) -> str:
    (row,) = store.query(
        "SELECT run_key FROM runs WHERE contains(actual_output, '200,163.17')"
        " AND contains(actual_output, '18.2') LIMIT 1"
    )
    key: str = row["run_key"]
    return key


def test_arguments_name_their_source(failed_run: str, open_page: Callable[..., Page]) -> None:
    page = open_page(failed_run)
    row = page.locator("#call-3 .args tr", has_text="issue_number")
    assert row.locator(".tag").inner_text() == "2"
    row.locator("a").click()
    expect(page).to_have_url(re.compile("#."))
    expect(page.locator(page.url[page.url.index("#") :])).to_have_text("311")


def test_the_filter_is_kept_in_the_address(failed_run: str, open_page: Callable[..., Page]) -> None:
    page = open_page(failed_run)
    assert [text.strip() for text in page.locator(".bar-f button").all_inner_texts()[:3]] == [
        "All 3",
        "Failed 2",
        "server 1",
    ]
    page.click("[data-f=fail]")
    expect(page.locator("#shown")).to_have_text("2 of 3 shown")
    expect(page).to_have_url(f"{failed_run}?show=fail")
    page.reload()
    expect(page.locator(".call:visible")).to_have_count(2)
    assert page.locator(".bar-f button").first.inner_text() == "All 3"
    page.click("[data-f=all]")
    page.fill(".find-call", "issue_number")
    expect(page.locator(".call:visible")).to_have_count(1)


def test_keys_lead_through_calls_and_runs(
    store: Store, address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs/{_key(store, 'assign-oldest-payments-bug')}?outcome=failed")
    page.keyboard.press("j")
    page.keyboard.press("f")
    expect(page.locator(".call.cur")).to_have_id("call-3")
    page.keyboard.press("o")
    expect(page.locator("#call-3")).not_to_have_attribute("open", "")
    page.keyboard.press("/")
    expect(page.locator(".find-call")).to_be_focused()
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    before = page.url
    page.keyboard.press("]")
    page.wait_for_url(lambda url: url != before and "outcome=failed" in url)
    page.keyboard.press("[")
    page.wait_for_url(before)


def test_attempts_stand_side_by_side(
    store: Store, address: str, open_page: Callable[..., Page]
) -> None:
    key = _key(store, "return-cracked-lamp", 2, "qwen%")
    page = open_page(f"{address}/runs/{key}")
    labels = [link.get_attribute("aria-label") for link in page.locator(".att a").all()]
    assert labels == ["Attempt 1: failed", "Attempt 2: ok", "Attempt 3: failed"]
    assert page.locator(".att a[aria-current]").get_attribute("href") == f"/runs/{key}"
    # One of three succeeded: Wilson's interval, by hand 6 to 79 percent.
    assert page.inner_text(".att .small >> nth=1") == "1 of 3 succeeded (6–79 %)"


def test_works_without_scripts(failed_run: str, open_page: Callable[..., Page]) -> None:
    page = open_page(failed_run, java_script_enabled=False)
    assert page.locator(".call").count() == 3
    assert page.locator(".bar-f").is_hidden()
    page.click("#call-2 summary")
    expect(page.locator("#res-2")).to_be_visible()
    assert "items" in page.inner_text("#res-2")
    page.locator(".txt a.src").first.click()
    expect(page).to_have_url(re.compile("#"))


def test_a_dead_address_names_the_nearest_run(
    store: Store, address: str, open_page: Callable[..., Page]
) -> None:
    key = _key(store, "assign-oldest-payments-bug")
    wrong = f"{key[:-1]}{'0' if key[-1] != '0' else '1'}"
    reply = CLIENT.get(f"{address}/runs/{wrong}")
    assert reply.status_code == 404
    assert f'href="/runs/{key}"' in reply.text
    page = open_page(f"{address}/runs/{key[:8]}")
    assert page.url == f"{address}/runs/{key}"


def test_the_result_as_recorded_is_a_text_to_keep(store: Store, address: str) -> None:
    key = _key(store, "assign-oldest-payments-bug")
    reply = CLIENT.get(f"{address}/runs/{key}/calls/2/result")
    assert reply.headers["content-type"].startswith("text/plain")
    assert reply.headers["content-disposition"].startswith("attachment")
    (case,) = store.cases(run_keys=[key])
    assert json.loads(reply.text) == case.calls[1].result
    for nowhere in (f"{key}/calls/9/result", f"{key}/calls/0/result", "nobody/calls/1/result"):
        assert CLIENT.get(f"{address}/runs/{nowhere}").status_code == 404


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Runs that mean harm, by what they say or by how much of it."""
    hostile = call(
        HOSTILE,
        {HOSTILE: [HOSTILE, {"a": HOSTILE}]},
        server=HOSTILE,
        success=False,
        parameters={HOSTILE: HOSTILE},
        error_message=HOSTILE,
        call_id=HOSTILE,
        parent_id=HOSTILE,
    )
    talk = [{"role": HOSTILE, "content": HOSTILE}, {"role": "system", "content": HOSTILE}]
    rows = [{"id": f"X-{i:06d}", "value": 3 * i + 7, "text": "lorem " * 20} for i in range(60_000)]
    long_text = "x" * 10_000_000 + " the needle 424,242 is here " + "y" * 50_000
    many = [
        call(
            f"tool_{i % 7}",
            {"orders": [{"id": f"ORD-{i + j:05d}", "total": 3 * i + j} for j in range(12)]},
            server=f"server_{i % 4}",
            success=i % 9 > 0,
            parameters={"id": f"ORD-{i:05d}"},
            turn=i // 2,
            started_at=1.7e9 + i,
            ended_at=1.7e9 + i + 0.7,
        )
        for i in range(1000)
    ]
    return store_of(
        tmp_path_factory.mktemp("odd") / "store",
        [
            case_of(HOSTILE, HOSTILE, [hostile], task_id=HOSTILE, conversation_history=talk),
            case_of("Long?", "X-040000 is worth 120007.", [call("read", rows)], task_id="rows"),
            case_of("Text?", "It is 424,242.", [call("read", long_text)], task_id="text"),
            case_of("Many?", "ORD-00900 is last.", many, task_id="many"),
            case_of("Nothing?", None, [], task_id="nothing"),
        ],
    )


@pytest.fixture(scope="module")
def odd_address(odd: Store, serve: Callable[[Starlette], str]) -> str:
    return serve(viewer(odd))


def _odd_key(odd: Store, task: str) -> str:
    (row,) = odd.query("SELECT run_key FROM runs WHERE task_id = $task", task=task)
    key: str = row["run_key"]
    return key


def _open_all(page: Page) -> None:
    page.locator("details").evaluate_all("(all) => all.forEach((fold) => { fold.open = true; })")


def test_hostile_text_is_text(odd: Store, odd_address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{odd_address}/runs/{_odd_key(odd, HOSTILE)}")
    _open_all(page)
    page.hover("#call-1 .tool")
    text = page.inner_text("main")
    assert text.count("<script>window.taken=1</script>") >= 8
    assert "␛[31mred" in text
    assert "⟨U+202E⟩gnol" in text
    assert "{{ 7 * 7 }}" in text
    assert "\x1b" not in page.content()
    assert "\u202e" not in page.content()
    assert page.evaluate("window.taken") is None
    assert page.locator("main script, main img, main a[href^='javascript'], [onclick]").count() == 0
    links = page.locator("main a").evaluate_all("(all) => all.map((a) => a.getAttribute('href'))")
    assert all(re.match(r"[#/?]", link) for link in links)


@pytest.mark.parametrize(
    ("task", "value"), [("rows", "120007"), ("text", "424,242")], ids=["rows", "text"]
)
def test_ten_megabytes_are_head_tail_and_what_was_used(
    odd: Store, odd_address: str, open_page: Callable[..., Page], task: str, value: str
) -> None:
    key = _odd_key(odd, task)
    page = open_page(f"{odd_address}/runs/{key}")
    assert len(page.content()) < 150_000
    assert "shortened" in (page.text_content("#call-1 .reshead") or "")
    shown = page.text_content("#res-1") or ""
    assert re.search(r"… [\d,]+ (more|characters) …", shown)
    claim = page.locator(".txt .src", has_text=value).first
    target = claim.get_attribute("data-ref") or ""
    assert page.locator(f"mark#{target}").text_content() == value
    reply = CLIENT.get(f"{odd_address}/runs/{key}/calls/1/result")
    assert len(reply.content) > 8_000_000


def test_a_thousand_calls_come_in_parts(
    odd: Store, odd_address: str, open_page: Callable[..., Page]
) -> None:
    key = _odd_key(odd, "many")
    page = open_page(f"{odd_address}/runs/{key}")
    assert len(page.content().encode()) < 600_000
    assert page.locator(".parts a").count() == 10
    assert page.locator(".call").count() == 100
    assert page.locator(".bar-f button").first.inner_text() == "All 1,000"
    assert page.locator(".lane .bar").count() == 1000
    link = page.locator(".txt a.src").first
    link.click()
    page.wait_for_url("**?part=*")
    assert page.locator(page.url[page.url.index("#") :]).count() == 1
    assert page.locator(".okfold").count() > 0


def test_a_run_without_calls_or_answer(odd: Store, odd_address: str) -> None:
    html = CLIENT.get(f"{odd_address}/runs/{_odd_key(odd, 'nothing')}").text
    assert "This run made no calls." in html
    assert "No answer was recorded." in html
    assert "Timeline" not in html


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_read_it(
    failed_run: str, open_page: Callable[..., Page], scheme: str, width: int, tmp_path: Path
) -> None:
    page = open_page(
        failed_run,
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        bypass_csp=True,
    )
    page.screenshot(path=tmp_path / f"run-{width}-{scheme}.png", full_page=True)
    _open_all(page)
    assert barriers(page) == []


def test_the_parts_of_hostile_and_long_runs_stay_inside_a_phone(
    odd: Store, odd_address: str, open_page: Callable[..., Page]
) -> None:
    for task in (HOSTILE, "many"):
        address = f"{odd_address}/runs/{_odd_key(odd, task)}"
        page = open_page(address, viewport={"width": 390, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280])
def test_names_without_a_space_are_broken(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page], width: int
) -> None:
    source, long = Source(f"logs/{'a' * 245}.json", "otel"), "m" * 2_000
    store = store_of(tmp_path / "store", [case_of("q", "a", source=source, model=long)])
    address = serve(viewer(store))
    (row,) = store.query("SELECT run_key FROM runs")
    for place in ("/runs", f"/runs/{row['run_key']}"):
        page = open_page(address + place, viewport={"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_print_shows_failures_and_leaves_out_controls(
    failed_run: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(failed_run)
    page.emulate_media(media="print")
    expect(page.locator("header.top")).to_be_hidden()
    expect(page.locator(".bar-f")).to_be_hidden()
    expect(page.locator("#call-3 .args")).to_be_visible()


def test_chinese_readers_find_chinese_words(
    failed_run: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(failed_run, locale="zh-CN")
    assert "任务失败。" in page.inner_text(".verdict")
    assert "报告：失败。" in page.inner_text("#call-3 .why")
    assert page.inner_text("#calls h2") == "调用"
    page.click("details[data-key=words] summary")
    expect(page.locator("details[data-key=words] .reason")).to_be_visible()
    told = page.inner_text("details[data-key=words] .reason").split("\n")
    assert told[0] == "失败（结果）。"
    assert told[1].endswith("，回答说明了这一点。")
    assert told[2:4] == [
        (
            "0.6 x 0.900（由证据评判）+ 0.4 x 0.667（测量：0.667 = 平均值：模式 1.00，名称 1.00，"
            "成功 0.33，1 - 失败 0.33）。"
        ),
        "得分限于 0.600：判定为失败。",
    ]
    assert told[4].startswith("调用 1：search_issues 失败：HTTP 429")
    assert told[-1] == "并行与效率 10：没有重复的调用。"
    assert "判定限分前为 0.81" in page.inner_text(".score .big")


_REAL = {
    "mcpmark-postgres": "data/mcpmark-postgres/mcp_servers/postgres/supabase/run-3",
    "tau2": "data/tau2-bench-runs/airline_gemini2_5_flash_10tasks_2t.json",
}


@pytest.mark.parametrize("name", _REAL)
def test_real_runs_are_shown_whole(
    name: str, tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    path = tmp_path / "store"
    import_runs(
        [str(shared_path(*_REAL[name].split("/")))], ImportSettings(store=str(path)), jobs=1
    )
    store = Store(path)
    address = serve(viewer(store))
    rows = store.query("SELECT run_key, calls, failed_calls FROM runs ORDER BY calls DESC LIMIT 3")
    assert rows
    for row in rows:
        page = open_page(f"{address}/runs/{row['run_key']}")
        assert page.locator(".call").count() == row["calls"]
        assert page.locator(".call.fail").count() == row["failed_calls"]
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
