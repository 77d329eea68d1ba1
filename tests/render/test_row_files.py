"""Rows to files: each format reads back, and every file is whole whatever happens."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import AssayError, UnknownName
from assay.render.row_files import FORMATS, JsonFile, RowFile, RowFiles, open_row_file, row_format
from assay.score import Evidence, Score

if TYPE_CHECKING:
    from pathlib import Path

    from assay.render.row_files import Row

COLUMNS = ("run", "score", "passed", "calls", "reason")
HOSTILE = '=cmd()\x1b[31m\u202e, "quoted"\n| [x](http://evil.example) <b>'
ROWS: list[Row] = [
    {"run": "a", "score": 1 / 3, "passed": True, "calls": 2, "reason": "", "tree": Score("m", 1.0)},
    {"run": HOSTILE, "score": None, "passed": None, "calls": 10**30, "reason": "天气"},
    {"run": "half \ud83d", "score": 1.0, "passed": False, "calls": 0, "reason": "x\ud800"},
]
SUMMARY = {"cases": 3, "label": "tr\udce9s"}


def written(path: Path, rows: list[Row]) -> str:
    with RowFiles(lambda: SUMMARY) as files:
        files.add(open_row_file(path, COLUMNS))
        for row in rows:
            files.write(row)
    return path.read_text(encoding="utf-8")


def test_csv_holds_no_formula_and_leaves_missing_cells_empty(tmp_path: Path) -> None:
    text = written(tmp_path / "a.csv", ROWS)
    header, first, second, third = csv.reader(io.StringIO(text, newline=""))
    assert header == list(COLUMNS)
    assert first == ["a", "0.3333333333333333", "true", "2", ""]
    assert second[0].startswith("'=cmd()\\x1b[31m\\u202e")
    assert second[1:] == ["", "", "1" + "0" * 30, "天气"]
    assert third == ["half \\ud83d", "1.0", "false", "0", "x\\ud800"]


def test_json_holds_every_value_as_it_is(tmp_path: Path) -> None:
    found = json.loads(written(tmp_path / "a.json", ROWS))
    assert [row["score"] for row in found["cases"]] == [1 / 3, None, 1.0]
    assert found["cases"][0]["tree"] == {"name": "m", "value": 1.0}
    # JSON is read by machines: nothing in it is a formula or a colour, and nothing is changed.
    assert found["cases"][1]["run"] == HOSTILE
    assert found["cases"][2]["run"] == "half \\ud83d"
    assert found["summary"] == {"cases": 3, "label": "tr\\udce9s"}


def test_json_lines(tmp_path: Path) -> None:
    lines = written(tmp_path / "a.jsonl", ROWS).splitlines()
    assert [json.loads(line)["calls"] for line in lines] == [2, 10**30, 0]


def test_markdown_holds_no_link_and_no_tag(tmp_path: Path) -> None:
    lines = written(tmp_path / "a.md", ROWS).splitlines()
    assert lines[:3] == [
        "| run | score | passed | calls | reason |",
        "|---|---|---|---|---|",
        "| a | 0.3333 | true | 2 |  |",
    ]
    assert len(lines) == 5
    assert "\\| \\[x\\](http:\\//evil.example) \\<b\\>" in lines[3]


@pytest.mark.parametrize("suffix", FORMATS)
def test_a_file_without_rows_is_whole(tmp_path: Path, suffix: str) -> None:
    text = written(tmp_path / f"a{suffix}", [])
    if suffix == ".json":
        assert json.loads(text)["cases"] == []
    elif suffix == ".jsonl":
        assert text == ""
    else:
        assert text.startswith(("run,score", "| run | score"))


@pytest.mark.parametrize("suffix", FORMATS)
def test_all_files_are_whole_when_the_work_breaks_off(tmp_path: Path, suffix: str) -> None:
    paths = [tmp_path / f"{name}{suffix}" for name in "ab"]

    def work() -> None:
        with RowFiles(lambda: SUMMARY) as files:
            for path in paths:
                files.add(open_row_file(path, COLUMNS))
            files.write(ROWS[0])
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    texts = [path.read_text(encoding="utf-8") for path in paths]
    assert texts == [written(tmp_path / f"c{suffix}", ROWS[:1])] * 2


class FullDisk(io.StringIO):
    """A file that takes so much and no more."""

    name = "full.csv"

    def __init__(self, room: int) -> None:
        super().__init__()
        self._room = room

    def write(self, text: str) -> int:
        self._room -= len(text)
        if self._room < 0:
            raise OSError(28, "No space left on device")
        return super().write(text)


@pytest.mark.parametrize("room", [20, 30])
def test_a_full_disk_is_named_and_the_other_files_are_whole(tmp_path: Path, room: int) -> None:
    path = tmp_path / "a.json"
    full = JsonFile(FullDisk(room), COLUMNS)

    def work() -> None:
        with RowFiles(dict) as files:
            files.add(open_row_file(path, COLUMNS))
            files.add(full)
            files.write({"run": "a"})

    with pytest.raises(OSError, match="No space left on device") as caught:
        work()
    assert caught.value.filename == "full.csv"
    assert full.stream.closed
    assert json.loads(path.read_text())["cases"] == [{"run": "a"}]


def test_standard_output_stays_open(capsys: pytest.CaptureFixture[str]) -> None:
    with RowFiles(dict) as files:
        files.add(JsonFile(sys.stdout, COLUMNS))
    assert not sys.stdout.closed
    assert json.loads(capsys.readouterr().out) == {"cases": [], "summary": {}}


class Half(float):
    """A number of somebody else's kind."""


class Word:
    def __str__(self) -> str:
        return "a word"


def test_values_of_any_kind_can_be_written(tmp_path: Path) -> None:
    score = Score("m", Half(0.5), evidence=(Evidence("e"),))
    row: dict[str, Any] = {"run": Word(), "score": Half(0.5), "tree": score}
    found = json.loads(written(tmp_path / "a.jsonl", [row]))
    assert (found["run"], found["score"], found["tree"]["value"]) == ("a word", 0.5, 0.5)
    assert written(tmp_path / "a.csv", [row]).splitlines()[1] == '"""a word""",0.5,,,'


def test_folders_are_made(tmp_path: Path) -> None:
    assert written(tmp_path / "new" / "folder" / "a.csv", []).startswith("run,")


def test_what_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.csv").mkdir()
    (tmp_path / "file").touch()
    for path, problem in (
        (tmp_path / "a.csv", "Is a directory"),
        (tmp_path / "file" / "b.csv", "File exists"),
    ):
        with pytest.raises(AssayError, match=f"{path.name} cannot be written: {problem}"):
            open_row_file(path, COLUMNS)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("a.cvs", "No output format named '.cvs'. Did you mean '.csv'?"),
        ("a.jsn", "No output format named '.jsn'. Did you mean '.json'?"),
        ("a.xlsx", "No output format named '.xlsx'. Known: .csv, .json, .jsonl, .md."),
        ("scores", "No output format named 'scores'. Known: .csv, .json, .jsonl, .md."),
    ],
)
def test_an_unknown_suffix_is_answered_with_known_ones(
    tmp_path: Path, name: str, sentence: str
) -> None:
    with pytest.raises(UnknownName) as caught:
        row_format(tmp_path / name)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("suffix", [*FORMATS, *map(str.upper, FORMATS)])
def test_every_suffix_has_a_format(tmp_path: Path, suffix: str) -> None:
    assert issubclass(row_format(tmp_path / f"a{suffix}"), RowFile)
