"""The overview: every number on it is one that the analyses and comparisons give."""

from __future__ import annotations

import os
import re
from threading import Event
from typing import TYPE_CHECKING

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
from tests.web.sample_stores import call, case_of, store_of

from assay import RunOutcome, Store
from assay.analyses import efficiency, tools
from assay.comparing.standings import read_standings
from assay.importing import ImportSettings, import_runs
from assay.render.pages import figures
from assay.render.pages.charts import scale_for, spark, stack
from assay.render.pages.measures import kind_of, range_text, value_text
from assay.render.pages.overview_facts import Asked, read_overview
from assay.render.pages.overview_view import overview_view, verdict
from assay.web.answers import Answers
from assay.web.app import viewer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette


def _assert_equal_to_rows(html: str, store: Store) -> None:
    text = text_of(html)
    (overall,) = tools(store, by="all")
    assert overall.success_rate is not None
    failed = value_text("share", 1 - overall.success_rate, overall.calls, overall.failures)
    assert f"Failed calls {failed}" in text
    for side in read_standings(store, "success").sides:
        interval = side.mean.interval
        value = value_text("share", side.mean.value, side.mean.n, side.total)
        bounds = range_text("share", interval.low, interval.high, side.mean.n) if interval else ""
        assert " ".join(f"{side.name} {value} {bounds}".split()) in text
    for row in tools(store, by="model"):
        if row.failures:
            assert f"{row.failures:,} of {row.calls:,} calls" in text
    for cost in efficiency(store):
        if cost.seconds is not None:
            assert figures.seconds(cost.seconds) in text


def test_numbers_equal_the_analyses(address: str, store: Store) -> None:
    html = get(address, "/")
    _assert_equal_to_rows(html, store)
    text = text_of(html)
    assert "Runs 20 1 without a recorded outcome" in text
    # Of claude-sonnet-4.5 two tasks went 2 of 3 and one 1 of 1: 5 of 7 runs, 7/9 over tasks.
    assert "claude-sonnet-4.5 5 of 7 27–97 %" in text
    assert "5 of 7, mean over tasks 78 %, 95 % interval 27–97 %" in html
    assert "means over tasks, 95 % intervals · counts are of runs" in text
    assert bare_rates(html) == []
    assert forbidden_words(html) == []


def test_numbers_of_real_runs(
    shared: Callable[..., Path], serve: Callable[[Starlette], str], tmp_path: Path
) -> None:
    folder = shared("data", "mcpmark-postgres", "mcp_servers")
    import_runs([str(folder)], ImportSettings(str(tmp_path / "store")), jobs=1)
    store = Store(tmp_path / "store")
    html = get(served(store, serve), "/")
    _assert_equal_to_rows(html, store)
    assert "52.0 %" in text_of(html)
    assert bare_rates(html) == []


def test_a_tool_with_few_calls_is_counted_once(address: str) -> None:
    text = text_of(get(address, "/"))
    row = text[text.index("read_query") : text.index("get_order")]
    assert row.count("6 of 10") == 1


def test_another_metric_and_baseline(address: str, store: Store) -> None:
    html = get(address, "/?metric=failed_call_share&baseline=qwen3-32b")
    assert "lower is better" in html
    found = read_standings(store, "failed_call_share", baseline="qwen3-32b")
    for side in found.sides:
        assert value_text("fraction", side.mean.value, side.mean.n) in text_of(html)
    assert re.search(r"<option selected>qwen3-32b", html)


@pytest.mark.parametrize("query", ["metric=nonsense", "baseline=nobody", "by=moon"])
def test_what_does_not_exist_is_said(address: str, query: str) -> None:
    found = CLIENT.get(f"{address}/?{query}")
    assert found.status_code == 400
    assert "named" in text_of(found.text)


def test_an_empty_store_names_the_one_command(
    tmp_path: Path, serve: Callable[[Starlette], str]
) -> None:
    html = get(served(Store.create(tmp_path / "store"), serve), "/")
    assert "No runs yet." in html
    assert "assay import traces/ --store" in html
    assert "0 %" not in html


def test_without_outcomes_another_figure_is_taken_and_said(
    tmp_path: Path, serve: Callable[[Starlette], str]
) -> None:
    cases = (
        case_of(f"task {i % 6}", "a", [call("t", success=i % 2 == 0)], model=f"m{i % 2}")
        for i in range(24)
    )
    html = text_of(get(served(store_of(tmp_path / "store", cases), serve), "/"))
    assert "No run says whether it succeeded, so sides are compared by another figure" in html
    assert "Task success –" in html
    assert "How many runs that lost is not known" in html


@pytest.mark.parametrize(
    ("lacking", "told"),
    [
        (
            1,
            [
                "1 without a recorded outcome is in no success rate.",
                "1 without a model stands in no row of one.",
                "1 without the name of a task: its prompt stands for one.",
            ],
        ),
        (
            2,
            [
                "2 without a recorded outcome are in no success rate.",
                "2 without a model stand in no row of one.",
                "2 without the name of a task: those with the same prompt count as one task.",
            ],
        ),
    ],
)
def test_what_runs_lack_is_told_of_one_as_of_one(
    lacking: int, told: list[str], tmp_path: Path, serve: Callable[[Starlette], str]
) -> None:
    bare = [case_of(f"task {i}", "a") for i in range(lacking)]
    store = store_of(tmp_path / "store", [*_runs_of({"aurum": 0.5}, runs=4), *bare])  # type: ignore[list-item]
    html = text_of(get(served(store, serve), "/"))
    assert [line for line in told if line in html] == told


def _runs_of(outcomes: dict[str, float], runs: int = 40) -> list[object]:
    return [
        case_of(
            f"task {i}",
            "done",
            task_id=f"task-{i}",
            model=model,
            outcome=RunOutcome(success=i % 10 < 10 * share),
        )
        for model, share in outcomes.items()
        for i in range(runs)
    ]


def test_the_sentence_claims_only_what_the_intervals_support(tmp_path: Path) -> None:
    shares = {"aurum": 0.9, "cobalt": 0.9, "zinc": 0.1}
    store = store_of(tmp_path / "store", _runs_of(shares))  # type: ignore[arg-type]
    found = read_standings(store, "success")
    lead, rest = verdict(found, "model")
    assert lead.words.format(**lead.values | {"metric": "x"}) == "aurum and cobalt lead in x."
    assert rest is not None
    assert rest.words.startswith("Whether {one} is better than {other}, we cannot tell yet")
    one = store_of(tmp_path / "one", _runs_of({"aurum": 0.5}))  # type: ignore[arg-type]
    _, only = verdict(read_standings(one, "success"), "model")
    assert only is not None
    assert only.words == "There is no other model to compare it with."


def _later(store: Store) -> None:
    """Let the batch there is look as if it was written long ago."""
    folder = store.path / "batches"
    (batch,) = folder.iterdir()
    os.rename(batch, folder / f"{10**18:020d}-{batch.name.rpartition('-')[2]}")  # noqa: PTH104


def _attempts(successes: int, first: int) -> list[object]:
    return [
        case_of(
            "mend the lamp",
            f"answer {first + i}",
            task_id="lamp",
            attempt=first + i,
            model="aurum",
            outcome=RunOutcome(success=i < successes),
        )
        for i in range(5)
    ]


def test_what_the_last_import_changed(tmp_path: Path, serve: Callable[[Starlette], str]) -> None:
    store = store_of(tmp_path / "store", _attempts(5, 0))  # type: ignore[arg-type]
    _later(store)
    store_of(tmp_path / "store", _attempts(0, 5))  # type: ignore[arg-type]
    view = overview_view(read_overview(store))
    (row,) = view.changes
    assert (row.task, row.verdict) == ("lamp", "worse")
    assert (row.before.counted, row.after.counted) == ("5 of 5", "0 of 5")
    html = get(served(store, serve), "/")
    assert "before 5 of 5, now 0 of 5" in html
    keys = re.search(r"/compare/runs\?a=(\w{32})&amp;b=(\w{32})", html)
    assert keys is not None
    assert "Two runs" in get(served(store, serve), f"/compare/runs?a={keys[1]}&b={keys[2]}")


def test_names_are_text_whatever_they_hold(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address = served(hostile_store(tmp_path / "store"), serve)
    page = open_page(address)
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
    assert page.evaluate("window.taken") is None
    html = page.content()
    assert "\x1b" not in html
    assert "\u202e" not in html


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_no_barriers_and_no_sideways_scroll(
    address: str, open_page: Callable[..., Page], scheme: str, width: int
) -> None:
    page = open_page(
        address,
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        bypass_csp=True,
    )
    assert barriers(page) == []


def test_it_works_without_scripts(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(address, java_script_enabled=False)
    page.get_by_label("Metric").select_option("seconds")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("metric=seconds"))
    expect(page.get_by_text("lower is better").first).to_be_visible()


def test_a_chinese_page_has_no_english_figure(address: str) -> None:
    html = get(address, "/?lang=zh")
    assert '<html lang="zh">' in html
    assert "先修哪些工具" in html
    assert "Whose fault" not in html
    assert ENGLISH_FIGURE.search(html) is None
    assert ENGLISH_FIGURE.search(get(address, "/")) is not None


def test_answers_are_kept_until_the_store_changes(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", _runs_of({"a": 0.5}, runs=2))  # type: ignore[arg-type]
    answers, asked = Answers(store, patience=60), []

    def count(source: Store, name: str) -> int:
        asked.append(name)
        return source.count()

    assert [answers.get(count, "x") for _ in range(3)] == [2, 2, 2]
    assert asked == ["x"]
    store_of(tmp_path / "store", _runs_of({"b": 0.5}, runs=3))  # type: ignore[arg-type]
    assert answers.get(count, "x") == 5
    for name in map(str, range(70)):
        answers.get(count, name)
    assert len(answers._kept) <= 64


def test_while_a_new_answer_is_worked_out_the_old_one_stands_in(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", _runs_of({"a": 0.5}, runs=2))  # type: ignore[arg-type]
    answers, may_go_on = Answers(store, patience=0.2), Event()
    may_go_on.set()

    def count(source: Store) -> int:
        assert may_go_on.wait(30)
        return source.count()

    assert answers.wait(count) == 2
    may_go_on.clear()
    store_of(tmp_path / "store", _runs_of({"b": 0.5}, runs=3))  # type: ignore[arg-type]
    assert answers.get(count) == 2
    assert not answers.is_current(count)
    may_go_on.set()
    assert answers.wait(count) == 5
    assert answers.is_current(count)


def test_a_store_that_is_always_written_is_counted_one_state_at_a_time(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", _runs_of({"a": 0.5}, runs=1))  # type: ignore[arg-type]
    answers, may_go_on, begun = Answers(store, patience=0.0), Event(), []

    def count(source: Store) -> int:
        begun.append(1)
        found = source.count()
        assert may_go_on.wait(30)
        return found

    for name in "bcde":
        assert answers.get(count) is None
        store_of(tmp_path / "store", _runs_of({name: 0.5}, runs=1))  # type: ignore[arg-type]
    (kept,) = answers._kept.values()
    may_go_on.set()
    seen = kept.future.result(30)
    assert 1 <= seen <= 5
    assert answers.get(count) in {seen, 5}
    assert answers.wait(count) == 5
    assert len(begun) == 2


@pytest.mark.parametrize("problem", [ValueError("not yet"), TimeoutError("not yet")])
def test_an_answer_that_failed_is_asked_again(tmp_path: Path, problem: Exception) -> None:
    answers = Answers(Store.create(tmp_path / "store"), patience=60)
    tries: list[int] = []

    def fail_once(_: Store) -> str:
        tries.append(1)
        if len(tries) == 1:
            raise problem
        return "found"

    with pytest.raises(type(problem), match="not yet"):
        answers.get(fail_once)
    assert answers.get(fail_once) == "found"


def test_an_answer_is_worked_out_before_it_is_asked_for(tmp_path: Path) -> None:
    answers, asked = Answers(Store.create(tmp_path / "store"), patience=60), Event()

    def work(_: Store) -> str:
        asked.set()
        return "found"

    answers.prepare(work)
    assert asked.wait(30)
    asked.clear()
    assert answers.get(work) == "found"
    assert not asked.is_set()


def test_the_first_page_is_counted_when_the_server_starts(
    store: Store, serve: Callable[[Starlette], str]
) -> None:
    app = viewer(store)
    serve(app)
    assert [work for work, *_ in app.state.answers._kept] == [read_overview]


def test_a_reader_who_must_wait_is_told_so(store: Store, serve: Callable[[Starlette], str]) -> None:
    app, may_go_on = viewer(store), Event()
    app.state.answers = Answers(app.state.store, patience=0.0)
    for nobody in range(8):
        app.state.answers.prepare(lambda _, __: may_go_on.wait(60), nobody)
    found = CLIENT.get(serve(app))
    may_go_on.set()
    assert found.status_code == 202
    assert "Counting 86 calls…" in found.text
    assert '<noscript><meta http-equiv="refresh"' in found.text


def test_what_was_waited_for_comes_in_place_and_no_key_is_lost_meanwhile(
    store: Store, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    app, may_go_on = viewer(store), Event()
    app.state.answers = Answers(app.state.store, patience=0.0)
    for nobody in range(2):
        app.state.answers.prepare(lambda _, __: may_go_on.wait(60), nobody)
    address = serve(app)
    page = open_page(f"{address}/tools")
    assert page.inner_text("h1") == "Counting 86 calls…"
    page.evaluate("window.loadedOnce = true")
    with page.expect_response(lambda reply: reply.status == 202 and reply.url.endswith("/tools")):
        page.keyboard.press("g")
    may_go_on.set()
    expect(page.locator("h1")).to_have_text("Tools")
    expect(page).to_have_title("Tools · assay")
    with page.expect_response("**/changes"):
        assert page.evaluate("window.loadedOnce")
    page.keyboard.press("r")
    page.wait_for_url(f"{address}/runs")


@pytest.mark.parametrize(
    ("kind", "values", "ends", "ticks"),
    [
        ("share", [0.31, 0.77], (0.3, 0.8), 6),
        ("share", [0.0, 1.0], (0.0, 1.0), 6),
        ("score", [0.5], (0.2, 0.8), 7),
        ("seconds", [0.0, 120.0], (0.0, 120.0), 7),
        ("share", [], (0.0, 1.0), 6),
    ],
)
def test_scales_have_round_ends(
    kind: str, values: list[float], ends: tuple[float, float], ticks: int
) -> None:
    found = scale_for(kind, values)
    assert (found.low, found.high) == pytest.approx(ends)
    assert len(found.ticks) == ticks


def test_parts_fill_the_bar() -> None:
    found = stack([("model", 1), ("server", 0), ("environment", 3)], 4)
    assert [(part.name, part.x, part.width, part.text) for part in found] == [
        ("model", "0.00%", "25.00%", "25"),
        ("environment", "25.00%", "75.00%", "75"),
    ]
    assert spark([1.0]) is None


def test_asking_for_nothing_is_asking_as_usual(store: Store) -> None:
    assert overview_view(read_overview(store, Asked())).quantity == "success"
    assert kind_of("success") == "share"
