"""Two sides compared, and two runs: the page says what `assay compare` says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
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
from tests.web.sample_stores import bundled, call, case_of, store_of

from assay import RunOutcome, Store
from assay.comparing import compare, read_sides
from assay.importing import ImportSettings, import_runs
from assay.render.pages.compare_view import compare_page, read_pair, read_usual_pair
from assay.render.pages.measures import difference_text, kind_of
from assay.render.pages.side_by_side import read_two, side_by_side, word_difference, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette

PAIR = "by=model&a=qwen3-32b&b=claude-sonnet-4.5"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return bundled(tmp_path_factory.mktemp("compare") / "store", scored=False)


def _assert_equal_to_comparison(html: str, store: Store, by: str, names: tuple[str, str]) -> None:
    text = text_of(html)
    found = compare(*read_sides(store, names, by=by))
    for figure in found.all_figures():
        told = difference_text(kind_of(figure.quantity), figure)
        assert told is not None
        assert told.size in text
        assert told.bounds in text
    assert found.headline is not None
    assert f"{found.headline.tasks} tasks paired" in text
    page = compare_page(read_pair(store, by, names))
    flips = sum(group.flips for group in page.groups)
    assert flips == len(found.flips)
    assert sum(group.tasks for group in page.groups) == found.headline.tasks
    assert bare_rates(html) == []
    assert forbidden_words(html) == []


def test_numbers_equal_the_comparison(address: str, store: Store) -> None:
    html = get(address, f"/compare?{PAIR}")
    _assert_equal_to_comparison(html, store, "model", ("qwen3-32b", "claude-sonnet-4.5"))
    assert "We cannot tell claude-sonnet-4.5 from qwen3-32b yet in task success." in text_of(html)
    assert "1 task ran only in claude-sonnet-4.5" in text_of(html)


def test_a_chinese_page_has_no_english_figure(address: str) -> None:
    html = get(address, f"/compare?{PAIR}&lang=zh")
    assert "检验" in html
    assert ENGLISH_FIGURE.search(html) is None
    assert ENGLISH_FIGURE.search(get(address, f"/compare?{PAIR}")) is not None


def test_numbers_of_real_runs(
    shared: Callable[..., Path], serve: Callable[[Starlette], str], tmp_path: Path
) -> None:
    folder = shared("data", "mcpmark-postgres", "mcp_servers")
    import_runs([str(folder)], ImportSettings(str(tmp_path / "store")), jobs=1)
    store = Store(tmp_path / "store")
    html = get(served(store, serve), "/compare?by=attempt&a=1&b=3")
    _assert_equal_to_comparison(html, store, "attempt", ("1", "3"))
    assert "We cannot tell attempt 3 from attempt 1 yet" in text_of(html)


@pytest.mark.parametrize(
    ("query", "chosen"),
    [
        ("", ["claude-sonnet-4.5", "qwen3-32b"]),
        ("?b=claude-sonnet-4.5", ["qwen3-32b", "claude-sonnet-4.5"]),
        ("?by=attempt", ["1", "2"]),
    ],
)
def test_without_names_those_that_share_the_most_tasks(
    address: str, query: str, chosen: list[str]
) -> None:
    html = get(address, f"/compare{query}")
    selected = re.findall(r"<option selected>([^<]+)</option>", html)
    assert selected == chosen
    assert "tasks paired" in text_of(html)


def test_of_imports_the_last_two(tmp_path: Path) -> None:
    names = ("2026-01-01", "2026-02-01", "2026-03-01")
    found = read_usual_pair(Store.create(tmp_path / "store"), "import", names)
    assert found == ("2026-02-01", "2026-03-01")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("by=moon", "No way to divide this store named 'moon'"),
        ("a=nobody&b=qwen3-32b", "No model named 'nobody'"),
        ("a=qwen3-32b&b=qwen3-32b", "No other side named 'qwen3-32b'"),
    ],
)
def test_what_does_not_exist_is_said(address: str, query: str, said: str) -> None:
    found = CLIENT.get(f"{address}/compare?{query}")
    assert found.status_code == 400
    assert said in text_of(found.text)


def test_one_side_alone(tmp_path: Path, serve: Callable[[Starlette], str]) -> None:
    store = store_of(tmp_path / "store", [case_of("p", "a", model="m")])
    html = get(served(store, serve), "/compare")
    assert "There are no two sides to compare yet." in html


def _two_runs() -> list[object]:
    first = [
        call("look", {"n": 1}, parameters={"city": "Oslo"}),
        call("pay", {"ok": True}, parameters={"text": "pay the small bill"}),
        call("extra", "x"),
    ]
    second = [
        call("look", {"n": 1}, parameters={"city": "Oslo"}),
        call("pay", {"ok": True}, parameters={"text": "pay the large bill"}),
    ]
    return [
        case_of("do it", "done", first, task_id="t", model="a", outcome=RunOutcome(success=False)),
        case_of("do it", "done.", second, task_id="t", model="b", outcome=RunOutcome(success=True)),
    ]


def test_two_runs_part_at_the_first_difference(tmp_path: Path) -> None:
    store = store_of(tmp_path / "store", _two_runs())  # type: ignore[arg-type]
    keys = [row["run_key"] for row in store.query("SELECT run_key FROM runs ORDER BY model")]
    found = side_by_side(*read_two(store, *keys))
    assert [pair.kind for pair in found.pairs] == ["same", "changed", "only_a"]
    assert [pair.is_first_difference for pair in found.pairs] == [False, True, False]
    changed = found.pairs[1]
    assert changed.a is not None
    assert changed.b is not None
    assert [text for text, own in changed.a.pieces if own] == ["small"]
    assert [text for text, own in changed.b.pieces if own] == ["large"]
    assert (found.same, found.different) == (1, 2)


def test_two_runs_on_a_page(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    store = store_of(tmp_path / "store", _two_runs())  # type: ignore[arg-type]
    page = open_page(f"{served(store, serve)}/compare?by=model&a=a&b=b")
    page.get_by_role("link", name="t", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("1 of 3 calls are the same.")
    expect(page.locator("del")).to_have_text("−small")
    expect(page.locator("ins")).to_have_text("+large")
    expect(page.locator(".empty-slot")).to_have_count(1)


def test_a_run_that_is_not_there(address: str) -> None:
    found = CLIENT.get(f"{address}/compare/runs?a=x&b=y")
    assert found.status_code == 404
    assert "There is no run with the key" in text_of(found.text)


@given(st.text(max_size=60), st.text(max_size=60))
def test_pieces_are_the_texts_and_differ_only_where_marked(a: str, b: str) -> None:
    removed, added = word_difference(a, b)
    assert "".join(text for text, _ in removed) == a
    assert "".join(text for text, _ in added) == b
    kept = ["".join(text for text, own in side if not own) for side in (removed, added)]
    assert kept[0] == kept[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"sql":"SELECT 1\\nFROM t","n":[1,2]}', "sql: SELECT 1\nFROM t\nn: [1,2]"),
        ('{"sql":"SELECT 1\\nFR', "sql: SELECT 1\nFR…"),
        ("[1]", "[1]"),
        ("not json", "not json"),
    ],
)
def test_arguments_are_never_an_escaped_string(arguments: str, said: str) -> None:
    assert written(arguments) == said


def test_names_are_text_whatever_they_hold(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address = served(hostile_store(tmp_path / "store"), serve)
    page = open_page(f"{address}/compare")
    expect(page.get_by_role("heading", level=1)).to_contain_text("<script>")
    page.locator(".flip a").first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("calls")
    assert page.evaluate("window.taken") is None
    assert "\u202e" not in page.content()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_no_barriers_and_no_sideways_scroll(
    address: str, open_page: Callable[..., Page], scheme: str, width: int
) -> None:
    settings = {
        "viewport": {"width": width, "height": 900},
        "color_scheme": scheme,
        "bypass_csp": True,
    }
    page = open_page(f"{address}/compare?{PAIR}", **settings)
    assert barriers(page) == []
    keys = re.search(r"/compare/runs\?a=\w+&amp;b=\w+", page.content())
    assert keys is not None
    runs = open_page(address + keys[0].replace("&amp;", "&"), **settings)
    assert barriers(runs) == []
    assert runs.evaluate("document.documentElement.scrollWidth") <= width
