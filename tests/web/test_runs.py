"""The list of runs: what it shows is what the store holds, whatever is asked of it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect
from tests.web.accessibility import barriers
from tests.web.patient_client import CLIENT
from tests.web.sample_stores import HOSTILE, bundled, call, case_of, store_of

from assay import AgentTestCase, RunOutcome
from assay.render.pages import figures
from assay.render.pages.runs_view import varying_parts
from assay.store import Store
from assay.web.app import viewer
from assay.web.run_filter import BLAMES, ORDERS, OUTCOMES, RunFilter
from assay.web.run_list import ROWS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette

_MANY = 2 * ROWS + 50
_ROW = re.compile(r'<a href="/runs/([0-9a-f]{32})')


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """More runs than three pages hold, with equal and missing values to sort by."""
    cases = (
        case_of(
            f"Count the orders of customer {i}",
            f"There are {i}.",
            [call("count", {"n": i}, success=i % 3 > 0)] * (i % 4),
            task_id=f"task-{i % 7}",
            attempt=i % 5,
            model=f"model-{i % 2}",
            outcome=None if i % 11 == 0 else RunOutcome(success=i % 2 == 0),
            started_at=None if i % 13 == 0 else 1_700_000_000.0 + i // 3,
            ended_at=None if i % 17 == 0 else 1_700_000_100.0 + i,
        )
        for i in range(_MANY)
    )
    return store_of(tmp_path_factory.mktemp("many") / "store", cases)


@pytest.fixture(scope="module")
def many_address(many: Store, serve: Callable[[Starlette], str]) -> str:
    return serve(viewer(many))


def _keys(html: str) -> list[str]:
    return _ROW.findall(html)


def test_a_row_says_what_the_store_says(
    store: Store, address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs")
    rows = {row["run_key"]: row for row in store.query("SELECT * FROM runs")}
    scores = {
        row["run_key"]: row["value"]
        for row in store.query("SELECT run_key, value FROM scores WHERE path = name")
    }
    assert page.locator("tr[data-row]").count() == len(rows) == 20
    assert page.inner_text(".above p >> nth=0") == "20 of 20 shown"
    for line in page.locator("tr[data-row]").all():
        link = line.locator(".what a").get_attribute("href") or ""
        row = rows[link.removeprefix("/runs/")]
        cells = line.locator("td").all_inner_texts()
        word = {True: "ok", False: "failed", None: "not known"}[row["outcome_success"]]
        assert cells[0] == word
        assert cells[1].startswith(f"{row['task_id']} #{row['attempt']} · {row['model']}")
        if row["run_key"] in scores:
            assert cells[2] == figures.score(scores[row["run_key"]])
        else:
            assert cells[2].startswith("–")
        assert sum(int(n) for n in re.findall(r"\d+", cells[3])) == row["failed_calls"]
        assert cells[4].startswith(str(row["calls"]))
        assert cells[5] == figures.seconds(row["ended_at"] - row["started_at"])


_CALLS = "run_key IN (SELECT run_key FROM calls WHERE {})"
_SCORED = "run_key IN (SELECT run_key FROM scores WHERE path = name AND {})"
_FILTERS = {
    "outcome=failed": "NOT outcome_success",
    "outcome=ok&outcome=unknown": "outcome_success OR outcome_success IS NULL",
    "outcome=unknown": "outcome_success IS NULL",
    "model=qwen3-32b": "model = 'qwen3-32b'",
    "framework=google-adk": "framework = 'google-adk'",
    "task=return-cracked-lamp": "task_id = 'return-cracked-lamp'",
    "server=forge": _CALLS.format("server = 'forge'"),
    "tool=search_issues": _CALLS.format("tool = 'search_issues'"),
    "blame=environment": _CALLS.format("blame = 'environment'"),
    "blame=model&blame=server": _CALLS.format("blame IN ('model', 'server')"),
    "kind=rate_limit": _CALLS.format("kind = 'rate_limit'"),
    "server=forge&blame=environment": _CALLS.format("server = 'forge' AND blame = 'environment'"),
    "text=LAMP": "contains(lower(input), 'lamp') OR contains(lower(actual_output), 'lamp')",
    "least=0.5&most=0.9": _SCORED.format("value BETWEEN 0.5 AND 0.9"),
    "disagree=1": """task_id IN (SELECT task_id FROM runs WHERE outcome_success)
        AND task_id IN (SELECT task_id FROM runs WHERE NOT outcome_success)""",
    "model=nobody": "false",
}


@pytest.mark.parametrize("query", _FILTERS)
def test_a_filter_shows_the_runs_it_means(store: Store, address: str, query: str) -> None:
    html = CLIENT.get(f"{address}/runs?{query}").text
    rows = store.query(f"SELECT run_key FROM runs WHERE {_FILTERS[query]}")
    assert sorted(_keys(html)) == sorted(row["run_key"] for row in rows)
    assert (f"{len(rows)} of 20 shown" if rows else "0 of 20 match.") in html


def test_each_filter_of_the_table_leaves_something_out(store: Store) -> None:
    counts = [
        store.query(f"SELECT COUNT(*) AS n FROM runs WHERE {sql}")[0]["n"]
        for query, sql in _FILTERS.items()
        if query != "model=nobody"
    ]
    assert all(0 < count < 20 for count in counts)


@pytest.mark.parametrize("sort", ORDERS)
def test_pages_follow_each_other_without_gap_or_repeat(many_address: str, sort: str) -> None:
    seen: list[list[str]] = []
    path: str | None = f"/runs?sort={sort}"
    while path:
        html = CLIENT.get(many_address + path).text
        seen.append(_keys(html))
        link = re.search(r'<a rel="next" href="([^"]+)"', html)
        path = link[1].replace("&amp;", "&") if link else None
    assert [len(page) for page in seen] == [ROWS, ROWS, 50]
    assert len({key for page in seen for key in page}) == _MANY
    back = re.search(r'<a rel="prev" href="([^"]+)"', html)
    assert back is not None
    assert _keys(CLIENT.get(many_address + back[1].replace("&amp;", "&")).text) == seen[1]


_SORTED: dict[str, tuple[str, bool]] = {
    "newest": ("started_at", True),
    "oldest": ("started_at", False),
    "failures": ("failed_calls", True),
    "calls": ("calls", True),
}


@pytest.mark.parametrize("sort", _SORTED)
def test_rows_come_in_the_order_asked_for(many: Store, many_address: str, sort: str) -> None:
    column, largest_first = _SORTED[sort]
    values = {
        row["run_key"]: row[column] for row in many.query(f"SELECT run_key, {column} FROM runs")
    }
    shown = [values[key] for key in _keys(CLIENT.get(f"{many_address}/runs?sort={sort}").text)]
    known = [value for value in shown if value is not None]
    assert known == sorted(known, reverse=largest_first)
    assert shown[: len(known)] == known


def test_the_neighbours_of_a_run_are_those_of_the_list(many_address: str) -> None:
    query = "outcome=failed&sort=oldest"
    keys = _keys(CLIENT.get(f"{many_address}/runs?{query}").text)
    html = CLIENT.get(f"{many_address}/runs/{keys[5]}?{query}").text
    beside = {
        rel: re.search(rf'rel="{rel}" href="/runs/([0-9a-f]+)\?([^"]+)"', html)
        for rel in ("prev", "next")
    }
    assert (beside["prev"] and beside["prev"][1]) == keys[4]
    assert (beside["next"] and beside["next"][1]) == keys[6]
    assert (beside["next"] and beside["next"][2].replace("&amp;", "&")) == query
    assert "run 6 of " in html
    first = CLIENT.get(f"{many_address}/runs/{keys[0]}?{query}").text
    assert 'rel="prev"' not in first
    assert "run 1 of " not in CLIENT.get(f"{many_address}/runs/{keys[0]}?model=nobody").text


def test_works_without_scripts(store: Store, address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{address}/runs", java_script_enabled=False)
    page.fill("input[name=text]", "lamp")
    page.check("input[name=outcome][value=failed]")
    page.click("button.go")
    page.wait_for_url(re.compile(r"/runs\?(.+&)?text=lamp(&|$)"))
    asked = f"({_FILTERS['text=LAMP']}) AND NOT outcome_success"
    (row,) = store.query(f"SELECT COUNT(*) AS n FROM runs WHERE {asked}")
    assert page.inner_text(".above p >> nth=0").startswith(f"{row['n']} of 20 shown")
    page.click("tr[data-row] a >> nth=0")
    expect(page.locator(".call").first).to_be_attached()


def test_choices_act_at_once_and_leave_a_short_address(
    address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs")
    page.select_option("select[name=model]", "qwen3-32b")
    page.wait_for_url("**/runs?model=qwen3-32b")
    page.keyboard.press("/")
    page.keyboard.type("lamp")
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs?text=lamp&model=qwen3-32b")
    page.click("text=clear the filter")
    page.wait_for_url(f"{address}/runs")


def test_new_runs_are_announced_and_nothing_moves(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    store = bundled(tmp_path / "store", scored=False)
    page = open_page(f"{serve(viewer(store))}/runs")
    page.evaluate("scrollTo(0, 300)")
    with store.writer() as writer:
        writer.add(case_of("Another one", "yes"))
        writer.add(case_of("And another", "yes"))
    expect(page.locator("[data-news]")).to_have_text("2 new runs · show")
    assert page.evaluate("scrollY") == 300
    page.click("[data-news] a")
    expect(page.locator("tr[data-row]")).to_have_count(22)


def test_a_page_at_rest_brings_what_is_new(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    store = bundled(tmp_path / "store", scored=False)
    page = open_page(f"{serve(viewer(store))}/runs?sort=oldest")
    with store.writer() as writer:
        writer.add(case_of("Another one", "yes"))
    expect(page.locator("tr[data-row]")).to_have_count(21)
    expect(page.locator("[data-news]")).to_have_text("")
    with page.expect_navigation(url="**/runs?outcome=failed&sort=oldest"):
        page.check("input[name=outcome][value=failed]")


def test_many_read_while_one_writes(tmp_path: Path, serve: Callable[[Starlette], str]) -> None:
    store = bundled(tmp_path / "store", scored=False)
    address = serve(viewer(store))
    with ThreadPoolExecutor(20) as readers:
        asked = [readers.submit(CLIENT.get, f"{address}/runs?{query}") for query in _FILTERS] * 2
        for number in range(5):
            with store.writer() as writer:
                writer.add(case_of(f"New {number}", "yes"))
        assert [reply.result().status_code for reply in asked] == [200] * len(asked)
        assert CLIENT.get(f"{address}/changes").json()["runs"] == 25


def test_an_empty_store_says_what_to_do(tmp_path: Path, serve: Callable[[Starlette], str]) -> None:
    html = CLIENT.get(f"{serve(viewer(Store.create(tmp_path / 's')))}/runs").text
    assert "No runs yet." in html
    assert "assay import" in html


def test_hostile_names_are_text(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    case = case_of(
        HOSTILE,
        HOSTILE,
        [call(HOSTILE, HOSTILE, server=HOSTILE)],
        task_id=HOSTILE,
        model=HOSTILE,
        framework=HOSTILE,
        run_id=HOSTILE,
    )
    page = open_page(f"{serve(viewer(store_of(tmp_path / 's', [case])))}/runs")
    page.hover("tr[data-row]")
    text = page.inner_text("table.runs")
    assert "<script>window.taken=1</script>" in text
    assert "␛[31mred" in text
    assert "⟨U+202E⟩" in text
    assert "{{ 7 * 7 }}" in text
    page.goto(page.url + "?text=" + "%3Cscript%3E" + "&model=%22%3E%3Cb%3E&after=zz&least=x&sort=y")
    assert page.evaluate("window.taken") is None
    assert page.locator("main b, main script, main img").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_everybody_can_read_it(
    address: str, open_page: Callable[..., Page], scheme: str, width: int, tmp_path: Path
) -> None:
    page = open_page(
        f"{address}/runs?sort=score&least=0",
        color_scheme=scheme,
        viewport={"width": width, "height": 900},
        bypass_csp=True,
    )
    page.screenshot(path=tmp_path / f"runs-{width}-{scheme}.png", full_page=True)
    assert barriers(page) == []


def test_on_a_phone_the_filter_is_folded(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{address}/runs?outcome=failed", viewport={"width": 360, "height": 740})
    assert page.inner_text(".folder summary") == "Filter and sort 1 chosen"
    expect(page.locator("select[name=sort]")).to_be_hidden()
    assert page.locator("table.runs tr").nth(1).bounding_box()["y"] < 740 / 2  # type: ignore[index]
    page.click(".folder summary")
    expect(page.locator("select[name=sort]")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 740})
    page.click("text=Runs >> nth=0")
    page.wait_for_url(f"{address}/runs")
    expect(page.locator("select[name=sort]")).to_be_visible()
    expect(page.locator(".folder")).to_be_hidden()


def test_every_page_has_its_key(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{address}/runs")
    places = {"o": "/", "r": "/runs", "t": "/tools", "n": "/analyses", "c": "/compare"}
    page.keyboard.press("?")
    expect(page.locator("#keys dt:has-text('o r')")).to_have_text(f"g {' '.join(places)}")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()
    for key, place in places.items():
        page.keyboard.press("g")
        page.keyboard.press(key)
        page.wait_for_url(f"{address}{place}")


def test_keys_count_while_a_check_box_has_the_focus_but_not_where_letters_are_typed(
    address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs")
    page.evaluate(
        """document.body.append(...["checkbox", "radio", "text"].map((type) =>
             Object.assign(document.createElement("input"), { type, id: type })))"""
    )
    page.focus("#text")
    page.keyboard.press("?")
    expect(page.locator("#text")).to_have_value("?")
    expect(page.locator("#keys")).to_be_hidden()
    for box in ("#checkbox", "#radio"):
        page.focus(box)
        page.keyboard.press("?")
        expect(page.locator("#keys")).to_be_visible()
        page.click("#keys button")
        expect(page.locator("#keys")).to_be_hidden()


def test_the_key_that_opens_a_row_opens_nothing_before_one_is_chosen(
    address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs")
    page.keyboard.press("o")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    assert page.url == f"{address}/runs"


def test_a_model_is_called_as_its_folder_calls_it_and_found_by_either_name(
    tmp_path: Path, serve: Callable[[Starlette], str]
) -> None:
    cases = [
        case_of("One", "1.", [], model="gpt-5-2025-08-07", extra={"folder_model": "gpt-5"}),
        case_of("Two", "2.", [], model="bob"),
    ]
    address = serve(viewer(store_of(tmp_path / "store", cases)))
    listed = CLIENT.get(f"{address}/runs").text
    assert re.findall('<option value="(bob|gpt[^"]*)"', listed) == ["bob", "gpt-5"]
    for name in ("gpt-5", "gpt-5-2025-08-07"):
        found = CLIENT.get(f"{address}/runs", params={"model": name}).text
        assert len(_ROW.findall(found)) == 1
        assert "One" in found


def test_what_is_printed_says_of_which_store_and_when(
    address: str, open_page: Callable[..., Page]
) -> None:
    page = open_page(f"{address}/runs", color_scheme="dark")
    page.click("#theme")
    page.click("#theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator(".printed")).to_be_hidden()
    page.emulate_media(media="print")
    stamp = re.compile(r"· store [0-9a-f]{12} · \d+ \w+ \d{4}, ")
    expect(page.locator(".printed")).to_have_text(stamp, use_inner_text=True)
    expect(page.locator("table.runs")).to_have_css("color", "rgb(0, 0, 0)")


def test_chinese_readers_find_chinese_words(address: str, open_page: Callable[..., Page]) -> None:
    page = open_page(f"{address}/runs", locale="zh-CN")
    assert page.inner_text(".above p >> nth=0") == "显示 20 个中的 20 个"
    assert page.inner_text("th >> nth=0") == "结果"


_LATER = "Please send back the second parcel of the order first"


@pytest.mark.parametrize(
    ("prompts", "shown"),
    [
        (["one", "two"], ["one", "two"]),
        (["the same words here, all of them"] * 2, ["the same words here, all of them"] * 2),
        (
            [
                f"You are a helpful agent for shops. {_LATER} A",
                f"You are a helpful agent for {_LATER}",
            ],
            [f"… shops. {_LATER} A", f"… {_LATER}"],
        ),
        # What differs is little: so many words before it stay that one knows the prompt again.
        (
            [f"You are a helpful agent for shops. {_LATER} ({n})" for n in (8, 9)],
            [
                "… the second parcel of the order first (8)",
                "… the second parcel of the order first (9)",
            ],
        ),
        (["Which of the parcels is late? (8)", "Which of the parcels is late? (9)"],) * 2,
        (["a\n\nb   c"], ["a b c"]),
        ([], []),
    ],
)
def test_rows_show_where_their_prompts_differ(prompts: list[str], shown: list[str]) -> None:
    assert varying_parts(prompts) == shown


_TEXTS = st.text(max_size=20).map(str.strip)
_CHOSEN: dict[str, st.SearchStrategy[Any]] = {
    "text": _TEXTS,
    "model": _TEXTS,
    "tool": _TEXTS,
    "task": _TEXTS,
    "outcome": st.sets(st.sampled_from(list(OUTCOMES))).map(
        lambda chosen: tuple(name for name in OUTCOMES if name in chosen)
    ),
    "blame": st.sets(st.sampled_from(BLAMES)).map(
        lambda chosen: tuple(name for name in BLAMES if name in chosen)
    ),
    "least": st.none() | st.sampled_from([0.0, 0.25, 1.0]),
    "disagree": st.booleans(),
    "sort": st.sampled_from(list(ORDERS)),
}


@given(st.fixed_dictionaries(_CHOSEN))
def test_an_address_holds_the_whole_filter(chosen: dict[str, Any]) -> None:
    wanted = RunFilter(**chosen)
    assert RunFilter.from_items(parse_qsl(wanted.query)) == wanted


def test_calls_that_nobody_recorded_are_a_dash(
    tmp_path: Path, serve: Callable[[Starlette], str]
) -> None:
    """Of a leaderboard there are the outcomes alone."""
    board = [AgentTestCase("", None, run_id=name, model="m", task_id=name) for name in "ab"]
    address = serve(viewer(store_of(tmp_path / "board", board)))
    assert CLIENT.get(f"{address}/runs").text.count('–<span class="unit"> calls') == 2
    told = Store(tmp_path / "board").query("SELECT run_key FROM runs ORDER BY run_id")
    a, b = (row["run_key"] for row in told)
    two = CLIENT.get(f"{address}/compare/runs?a={a}&b={b}").text
    assert two.count("– calls, – failed") == 2
    assert "0 calls" not in CLIENT.get(f"{address}/").text
