"""`assay report`: one file, whose figures are the analyses', and which is never too large."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import pytest
from markupsafe import Markup
from tests.render.report_stores import (
    SECRET,
    File,
    html_of,
    runs_of_two_models,
    written,
)
from tests.web.figure_pages import bare_rates
from tests.web.sample_stores import HOSTILE, call, case_of

from assay import AgentTestCase, Store, __version__
from assay.analyses import ANALYSES
from assay.cli import main
from assay.comparing import compare, read_sides
from assay.errors import BrowserFailed, UnknownName
from assay.render.pages.call_cards import Written
from assay.render.pages.environment import translator
from assay.render.report.bodies import short_result
from assay.render.report.contents import Wanted, gather, steps_of
from assay.render.report.markdown import report_markdown
from assay.render.report.masking import Mask
from assay.render.report.page import report_html
from assay.render.report.pair import read_pair
from assay.render.report.pdf import report_pdf
from assay.render.report.telling import telling_runs
from assay.render.store_hash import store_hash

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"
# Headings that are the same in both languages are numbers and letters.
CHINESE = set(
    tomllib.loads((files("assay.render.pages") / "words" / "zh.toml").read_text("utf-8")).values()
)
FORBIDDEN = ("significant", "N/A", "winner", "best of", "hallucinat", "undefined", "None")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return written(tmp_path_factory.mktemp("report") / "runs.assay", runs_of_two_models())


@pytest.fixture(scope="module")
def text(store: Store) -> str:
    return html_of(store, title="Week 12")


@pytest.fixture(scope="module")
def file(text: str) -> File:
    return File(text)


@pytest.mark.parametrize("name", ANALYSES)
def test_figures_are_those_of_the_analysis(name: str, store: Store, file: File) -> None:
    analysis = ANALYSES[name]
    rows = analysis.answer(store)
    if not rows:
        assert name not in file.tables
        return
    heads, *found = file.tables[name]
    assert len(found) == min(len(rows), 50)
    columns = {column.label: column for column in analysis.columns if not column.wide}
    assert set(heads) <= set(columns)
    assert any(columns[head].kind not in {"name", "text"} for head in heads)
    for cells, row in zip(found, rows, strict=False):
        for head, cell in zip(heads, cells, strict=True):
            expected = getattr(row, columns[head].name)
            assert cell.split(" ")[0] == "–" if expected is None else _agrees(cell, expected)


def _agrees(cell: str, value: Any) -> bool:
    """Whether a cell says the value, as far as it says it; an interval may stand behind."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return cell != "–"
    number = float(cell.split(" ", maxsplit=1)[0].replace(",", ""))
    scale = 100 if " %" in cell else 1
    return abs(number - scale * value) <= 0.051


def test_the_first_lines_say_what_it_is(store: Store, file: File) -> None:
    assert "Week 12 · Report on" in file.text
    assert _hash(store) in file.text
    assert f"assay {__version__}" in file.text
    assert "assay report x" in file.text


def test_headline_figures(file: File) -> None:
    # 9 of 15 decided runs succeeded; 6 failed, each with one failed call of two.
    assert "9 of 15" in file.text
    assert "6 of 32 calls failed" in file.text
    assert " has 3 of the 6 failures: it fails 3 of its " in file.text


def test_the_share_of_few_calls_is_said_once(tmp_path: Path) -> None:
    runs = [
        case_of("q", "a", [call("f", {"x": 1}, success=ok, reported_success=ok)], task_id=task)
        for task, ok in (("t1", True), ("t2", False), ("t3", True))
    ]
    file = File(html_of(written(tmp_path / "few.assay", runs)))
    assert re.search(r"1 of 3 calls failed \(\d+–\d+ %\):", file.text)


def test_nothing_comes_from_elsewhere(text: str, file: File) -> None:
    assert ("meta", {"http-equiv": "Content-Security-Policy", "content": POLICY}) in file.tags
    asking = {"src", "srcset", "data", "action", "poster", "background"}
    assert [tag for tag, attributes in file.tags if asking & attributes.keys()] == []
    assert [tag for tag, _ in file.tags if tag in {"link", "iframe", "img", "object", "base"}] == []
    assert {address[0] for address in file.addresses} == {"#"}
    assert re.findall(r"url\((?!#)", text) == []
    assert "@import" not in text


def test_every_address_leads_somewhere_and_ids_are_unique(file: File) -> None:
    assert len(file.ids) == len(set(file.ids))
    assert {address[1:] for address in file.addresses} <= set(file.ids)


def test_hostile_text_is_text(file: File) -> None:
    assert "<script>window.taken=1</script>" in file.text
    assert "\x1b" not in file.text
    assert "\u202e" not in file.text
    handlers = [key for _, known in file.tags for key in known if key.startswith("on")]
    assert handlers == []


def test_every_share_says_of_how_many_or_how_sure(text: str) -> None:
    assert bare_rates(text) == []


def test_it_says_no_word_that_claims_too_much(file: File) -> None:
    ours = file.text.replace(HOSTILE, "")
    assert [word for word in FORBIDDEN if word in ours] == []


def test_the_pair_is_the_comparison(store: Store, file: File) -> None:
    ada, bob = read_sides(store)
    found = compare(ada, bob)
    assert found.headline is not None
    assert found.verdict == "cannot_tell"
    assert "We cannot tell bob from ada yet in task success." in file.text
    assert {flip.task: flip.way for flip in found.flips} == {"t2": "broken"}
    assert "no longer passes" in file.text


def test_sides_may_be_named(store: Store) -> None:
    swapped = read_pair(store, ("bob", "ada"))
    assert swapped is not None
    assert (swapped.page.baseline, swapped.page.candidate) == ("bob", "ada")
    spelled = read_pair(store, ("ada", f"{store.path}:bob@1"))
    assert spelled is not None
    assert spelled.comparison.candidate_runs == 4
    with pytest.raises(UnknownName, match="Did you mean 'bob'"):
        read_pair(store, ("ada", "bo"))


def test_telling_runs(store: Store) -> None:
    ada, bob = read_sides(store)
    chosen = telling_runs(store, 8, None, compare(ada, bob))
    ids = {row["run_key"]: row["run_id"] for row in store.query("SELECT run_key, run_id FROM runs")}
    told = [(ids[run.run_key], run.why.said(str.format)) for run in chosen]
    assert told[0] in {(f"bob-t2-{n}", "bob fails what ada passes") for n in (1, 2)}
    assert told[1] in {(f"ada-t2-{n}", "ada passes what bob fails") for n in (1, 2)}
    assert ("ada-t1-2", "attempts disagree: 1 of 2 succeeded") in told
    assert len({run.run_key for run in chosen}) == len(chosen) == 8


def test_no_run_is_shown_whole_if_none_is_wanted(store: Store) -> None:
    assert telling_runs(store, 0, None, None) == []


def test_a_file_is_no_larger_than_it_may_be(tmp_path: Path) -> None:
    store = written(tmp_path / "large.assay", runs_of_two_models(padding=400))
    mask = Mask()
    contents = gather(store, Wanted("assay report x"), mask)
    whole_size = len(report_html(contents, mask).encode())
    for largest in (int(share * whole_size) for share in (0.9, 0.7, 0.4)):
        text = report_html(contents, mask, largest=largest)
        assert len(text.encode()) <= largest
        file = File(text)
        assert "To keep this file small" in file.text
        assert {address[1:] for address in file.addresses} <= set(file.ids)
        whole = sum(name.startswith("run-") and name.count("-") == 1 for name in file.ids)
        missing = re.search(r"(\d+) runs that were to stand here whole did not fit", file.text)
        assert whole + (int(missing[1]) if missing else 0) == 16


def test_secrets_are_masked_again_and_counted(tmp_path: Path) -> None:
    runs = runs_of_two_models(secret=SECRET)
    runs.append(case_of(f"use {SECRET} please", "no", model=SECRET, task_id="t9"))
    store = written(tmp_path / "secret.assay", runs)
    assert SECRET in next(store.lines("task_id = 't9'"))
    mask = Mask()
    contents = gather(store, Wanted("assay report x"), mask)
    text = report_html(contents, mask)
    assert SECRET not in text
    assert SECRET not in report_markdown(contents, mask)
    said = re.search(r"([\d,]+) values that look like secrets are masked", text)
    assert said is not None
    assert int(said[1]) == text.count("[redacted]") > 10


def test_an_empty_store_says_what_to_do(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "empty.assay")
    file = File(html_of(store))
    assert "No runs yet." in file.text
    assert "assay import traces/" in file.text
    assert file.tables == {}


def test_a_store_without_outcomes(tmp_path: Path) -> None:
    runs = [case_of(f"q{i}", "a", [call("f", {"x": 1})], task_id=f"t{i}") for i in range(3)]
    file = File(html_of(written(tmp_path / "plain.assay", runs)))
    assert "no run says whether it succeeded" in file.text
    assert "None of 3 calls failed." in file.text
    assert "3 of 3 runs shown" in file.text


def _hash(store: Store) -> str:
    with store.questions() as engine:
        return store_hash(engine)


def test_the_hash_is_of_what_is_there(tmp_path: Path) -> None:
    runs = runs_of_two_models()
    one = written(tmp_path / "one.assay", runs)
    other = written(tmp_path / "other.assay", runs[::-1])
    assert _hash(one) == _hash(other)
    written(tmp_path / "other.assay", [case_of("one more", "yes")])
    assert _hash(one) != _hash(other)


def test_it_is_told_how_far_it_got(store: Store) -> None:
    steps: list[int] = []
    wanted = Wanted("x", runs=3)
    gather(store, wanted, Mask(), lambda: steps.append(1))
    assert len(steps) == steps_of(wanted)


@pytest.mark.parametrize(
    ("text", "lines", "kept"),
    [
        ("a\nb\nc", 1, 'a\n<span class="muted">… 2 lines left out …</span>'),
        ("a\nb", 2, "a\nb"),
        (
            'a\nb <mark id="v1">7</mark>\nc',
            0,
            (
                '<span class="muted">… 1 line left out …</span>\nb <mark id="v1">7</mark>\n'
                '<span class="muted">… 1 line left out …</span>'
            ),
        ),
        (
            'x <mark id="v2">one\ntwo</mark> y',
            0,
            (
                '<mark id="v2"></mark><span class="muted">… a long line left out …</span>\n'
                '<span class="muted">… 1 line left out …</span>'
            ),
        ),
        ("y" * 298 + "&lt;z", 1, "y" * 298 + "…"),
    ],
)
def test_results_are_cut_by_lines_and_keep_what_is_linked(text: str, lines: int, kept: str) -> None:
    result = Written(Markup(text), text.count("\n") + 1, 9, 0, was_text=False, is_table=False)
    assert short_result(result, lines, translator("en")).text == kept


def test_tables_are_cut_by_rows() -> None:
    rows = "".join(f"<tr><td>{i}</td></tr>" for i in range(3))
    marked = '<tr><td><mark id="v1">7</mark></td></tr>'
    table = Markup(f"<thead><tr><th>a</th></tr></thead><tbody>{rows}{marked}</tbody>")
    short = short_result(
        Written(table, 4, 9, 0, was_text=False, is_table=True), 1, translator("en")
    )
    assert short.text == (
        "<thead><tr><th>a</th></tr></thead><tbody><tr><td>0</td></tr>"
        '<tr><td class="muted" colspan="99">… 2 rows left out …</td></tr>' + marked + "</tbody>"
    )


def test_evidence_that_looks_like_an_address_is_not_changed(tmp_path: Path) -> None:
    words = 'see <a id="x" href="#y" data-ref="z">'
    run = case_of("q", words, [call("f", {"html": words})], task_id="t")
    file = File(html_of(written(tmp_path / "look.assay", [run])))
    assert file.text.count('see <a id="x" href="#y" data-ref="z">') >= 1
    assert 'see <a id=\\"x\\" href=\\"#y\\" data-ref=\\"z\\">' in file.text


@pytest.fixture
def assay(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """Run the command line as a user would."""

    def run(*arguments: object) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["assay", *map(str, arguments)])
        with pytest.raises(SystemExit) as done:
            main()
        return int(done.value.code or 0), capsys.readouterr().err

    return run


def test_the_command_writes_what_is_asked_for(store: Store, tmp_path: Path, assay: Any) -> None:
    page, text = tmp_path / "new" / "r.html", tmp_path / "r.md"
    code, said = assay("report", store.path, "-o", page, "-o", text, "--title", "A <b> title")
    assert code == 0
    assert str(page) in said
    assert "--title 'A <b> title'" in File(page.read_text("utf-8")).text
    lines = text.read_text("utf-8").splitlines()
    assert lines[0] == "# A \\<b\\> title"
    tables = [line for line in lines if line.startswith("|---")]
    assert len(tables) >= len(ANALYSES) // 2
    assert re.search(r"(?<!\\)<", text.read_text("utf-8").split("Made again")[0]) is None


def test_a_report_in_chinese(store: Store, tmp_path: Path, assay: Any) -> None:
    page, text = tmp_path / "r.html", tmp_path / "r.md"
    code, _ = assay("report", store.path, "-o", page, "-o", text, "--lang", "zh")
    assert code == 0
    html, markdown = page.read_text("utf-8"), text.read_text("utf-8")
    assert '<html lang="zh">' in html
    for said in ("先看这些运行", "全部运行", "先修哪些工具", "重新生成：", "--lang zh"):
        assert said in html
    for said in ("Runs to look at first", "All runs", "failed ones first", "Made again", "Models"):
        assert said not in html
        assert said not in markdown
    assert "## 先修哪些工具" in markdown
    assert {head for table in File(html).tables.values() for head in table[0]} <= CHINESE
    code, said = assay("report", store.path, "-o", page, "--lang", "fr")
    assert (code, "'fr' is not one of" in said) == (2, True)


def test_wrong_usage(store: Store, tmp_path: Path, assay: Any) -> None:
    code, said = assay("report", store.path, "-o", tmp_path / "r.docx")
    assert (code, ".html" in said) == (2, True)
    code, said = assay("report", tmp_path / "nowhere")
    assert (code, "is not a store" in said) == (2, True)
    code, said = assay("report", store.path, "--compare", "ada", "bo", "-o", tmp_path / "r.html")
    assert (code, "Did you mean 'bob'" in said) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_without_a_browser_a_pdf_is_refused_in_words(
    store: Store, tmp_path: Path, assay: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    code, said = assay("report", store.path, "-o", tmp_path / "r.pdf")
    assert (code, "install one of chromium" in said) == (2, True)
    assert not (tmp_path / "r.pdf").exists()


def test_a_browser_that_does_not_print_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho it is broken >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with pytest.raises(BrowserFailed, match="it is broken"):
        report_pdf("<p>x")


def test_calls_that_nobody_recorded_are_a_dash_in_the_list(tmp_path: Path) -> None:
    board = AgentTestCase("", None, run_id="a", model="m", task_id="t")
    html = html_of(written(tmp_path / "board.assay", [board, case_of("Q", "A", task_id="u")]))
    rows = [row for row in re.findall(r'<tr class="none">.*?</tr>', html) if "<i>m</i>" in row]
    # Its score, its calls and its time.
    assert [row.count('<td class="r">–</td>') for row in rows] == [3]
