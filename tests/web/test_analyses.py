"""The analyses as pages: the same rows as the command line, in table, chart and CSV."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from tests.web.accessibility import barriers
from tests.web.figure_pages import forbidden_words, get, hostile_store, served, text_of
from tests.web.patient_client import CLIENT
from tests.web.sample_stores import bundled
from typer.testing import CliRunner

from assay.analyses import ANALYSES
from assay.cli.analyze import app
from assay.render.pages.analyses_view import analysis_page
from assay.render.written_values import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import Page
    from starlette.applications import Starlette

    from assay import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return bundled(tmp_path_factory.mktemp("analyses") / "store", scored=False)


def test_the_list_has_every_question(address: str) -> None:
    html = get(address, "/analyses")
    for analysis in ANALYSES.values():
        assert f'href="/analyses/{analysis.name}"' in html
        assert analysis.question in text_of(html)


@pytest.mark.parametrize("name", ANALYSES)
def test_every_analysis_shows_the_rows_it_gives(address: str, store: Store, name: str) -> None:
    html = get(address, f"/analyses/{name}")
    text = text_of(html)
    analysis = ANALYSES[name]
    assert analysis.question in text
    rows = analysis.answer(store)
    assert forbidden_words(html) == []
    if not rows:
        assert "Nothing to count" in text
        return
    assert f"{min(len(rows), 200)} of {len(rows):,} rows shown" in text
    for row in rows[:20]:
        for column in analysis.columns:
            value: Any = getattr(row, column.name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert WRITTEN[column.kind](value) in text


def test_pointing_at_a_mark_tells_what_it_is_counted_over(address: str) -> None:
    html = get(address, "/analyses/efficiency")
    labels = re.findall(r'<svg width="100%" height="34" role="img" aria-label="([^"]+)"', html)
    (told,) = [label for label in labels if label.startswith("qwen3-32b")]
    assert told.endswith(", 8 runs")
    assert "n = 1,000" not in html
    chinese = get(address, "/analyses/efficiency?lang=zh")
    assert ", 8 运行" in chinese
    assert "<code>X_per_success</code> 是所有有结论的运行的总花费除以成功次数" in chinese


@pytest.mark.parametrize("query", ["", "?rules=seed", "?p-by=model&model=qwen3-32b"])
def test_the_file_has_the_bytes_of_the_command_line(
    address: str, store: Store, tmp_path: Path, query: str
) -> None:
    options = {"": [], "?rules=seed": ["--rules", "seed"]}.get(
        query, ["--by", "model", "--model", "qwen3-32b"]
    )
    target = tmp_path / "tools.csv"
    command = ["tools", str(store.path), "-o", str(target), *options]
    assert CliRunner().invoke(app, command).exit_code == 0
    found = CLIENT.get(f"{address}/analyses/tools.csv{query}")
    assert found.headers["content-type"].startswith("text/csv")
    assert found.content == target.read_bytes()


def test_filters_and_parameters_are_in_the_address(address: str) -> None:
    html = get(address, "/analyses/tools?p-by=model&model=qwen3-32b&server=sales-db")
    assert "1 of 1 rows shown" in text_of(html)
    assert 'value="qwen3-32b"' in html
    assert "Nothing to count" in get(address, "/analyses/tools?model=nobody")


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("tool", "Did you mean 'tools'?"),
        ("tools?p-by=moon", "No by named 'moon'"),
        ("longest?p-limit=many", "limit: expected a number, got 'many'"),
        ("tools?rules=mine", "No set of rules named 'mine'"),
    ],
)
def test_what_does_not_exist_is_said(address: str, path: str, said: str) -> None:
    found = CLIENT.get(f"{address}/analyses/{path}")
    assert found.status_code == 400
    assert said in text_of(found.text)


def test_no_file_of_the_machine_is_read_for_a_reader(address: str, tmp_path: Path) -> None:
    secret = tmp_path / "labels.csv"
    secret.write_text("run_key,label\nabc,1\n", encoding="utf-8")
    plain, asked = (
        CLIENT.get(f"{address}/analyses/agreement.csv{query}").content
        for query in ("", f"?p-labels={secret}")
    )
    assert plain == asked


def test_pointing_at_a_figure_tells_n_and_interval(address: str) -> None:
    html = get(address, "/analyses/tools?p-by=all")
    assert 'title="95 % interval 75.9–93.7, 86 calls"' in html


def test_scores_are_drawn_as_histograms(store: Store) -> None:
    rows = ANALYSES["distribution"].answer(store)
    page = analysis_page("distribution", rows)
    assert [one.n for one in page.histograms] == [row.n for row in rows]  # type: ignore[attr-defined]
    assert page.forest is None


def test_names_are_text_whatever_they_hold(
    tmp_path: Path, serve: Callable[[Starlette], str], open_page: Callable[..., Page]
) -> None:
    address = served(hostile_store(tmp_path / "store"), serve)
    for name in ("tools", "summary", "episodes"):
        page = open_page(f"{address}/analyses/{name}")
        assert "<script>" in page.inner_text("main")
        assert page.evaluate("window.taken") is None


@pytest.mark.parametrize("path", ["/analyses", "/analyses/tools", "/analyses/distribution"])
@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
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
