"""Text that is no JSON: what is in it is read, and what is broken in it is told."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import pytest

from assay.ingest import call_tables
from assay.ingest.documents import Unreadable
from assay.ingest.reading import read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path, text: str | bytes) -> tuple[list[AgentTestCase], list[str]]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    items: list[Any] = list(read_runs(path))
    problems = [str(i).removeprefix(f"{path}") for i in items if isinstance(i, Unreadable)]
    return [item for item in items if isinstance(item, AgentTestCase)], problems


HEAD = "tool,arguments,result\n"
ROW = 'rain,"{""city"": ""Oslo""}",7 mm\n'


def test_rows_that_do_not_fit_their_table_are_told_by_their_line(tmp_path: Path) -> None:
    (run,), problems = read(tmp_path / "t.csv", HEAD + ROW + "rain,x\n\n" + "a,b,c,d\n" + ROW)
    assert [call.result for call in run.calls] == ["7 mm", "7 mm"]
    assert problems == [
        ":3: has 2 cells, where the table has 3 columns",
        ":5: has 4 cells, where the table has 3 columns",
    ]


def test_cells_are_text_unless_their_column_says_otherwise(tmp_path: Path) -> None:
    text = "Tool Name;Input;Output;OK;Duration MS\nadd;[2, 3];5;yes;12\nadd;x;;0;12ms\n"
    (run,), problems = read(tmp_path / "t.csv", text)
    first, second = run.calls
    assert (first.tool, first.parameters, first.result) == ("add", [2, 3], "5")
    assert (first.reported_success, first.execution_time) == (True, 0.012)
    assert (second.parameters, second.result, second.reported_success) == ("x", None, False)
    assert (second.execution_time, problems) == (0.012, [])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("people.csv", "name,age\nAnn,3\n"),
        ("empty.csv", ""),
        ("words.log", "it rains {today}\nand {tomorrow\n"),
        ("notes.log", "Question: what for?\nThought: nothing\n"),
        ("binary.csv", b"tool,arguments\0\n\xff\n"),
    ],
)
def test_what_holds_no_call_is_no_run(name: str, text: str | bytes, tmp_path: Path) -> None:
    runs, problems = read(tmp_path / name, text)
    assert runs == []
    assert len(problems) > 0


def test_a_line_of_python_that_is_cut_off_is_told(tmp_path: Path) -> None:
    line = "{'tool': 'rain', 'args': {'city': 'Oslo'}, 'result': None}\n"
    (run,), problems = read(tmp_path / "s.log", line + "{'tool': 'rain', 'ar\n" + line + "bye\n")
    assert len(run.calls) == 2
    assert problems == [":2: holds a value that is cut off or no JSON"]


def test_nothing_in_a_line_is_evaluated(tmp_path: Path) -> None:
    line = "{'tool': 'rain', 'args': __import__('os').getcwd(), 'result': 1}\n"
    runs, problems = read(tmp_path / "s.log", line * 3)
    assert runs == []
    assert len(problems) > 0


REACT = "Question: q{0}\nThought: t\nAction: rain[Oslo]\nObservation: {0} mm\nFinal Answer: {0}\n"


def test_each_question_of_a_react_log_begins_a_run(tmp_path: Path) -> None:
    runs, problems = read(tmp_path / "r.log", REACT.format(1) + REACT.format(2))
    assert [(run.input, run.actual_output, len(run.calls)) for run in runs] == [
        ("q1", "1", 1),
        ("q2", "2", 1),
    ]
    assert [call.result for run in runs for call in run.calls] == ["1 mm", "2 mm"]
    assert len({run.run_id for run in runs}) == 2
    assert problems == []


def test_an_action_without_an_observation_has_no_result(tmp_path: Path) -> None:
    text = "Action: rain\nAction Input: Oslo\nObservation: 7 mm\nAction: stop\nAction Input: now\n"
    (run,), _ = read(tmp_path / "r.log", text)
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("rain", "Oslo", "7 mm"),
        ("stop", "now", None),
    ]


def test_lines_of_pythons_own_logger(tmp_path: Path) -> None:
    text = (
        "INFO:agent:{'role': 'user', 'content': \"What's on?\"}\n"
        "INFO:agent:{'role': 'assistant', 'tool_calls': [{'id': 'a', 'name': 'look',"
        " 'arguments': {'at': None, 'like': '\\d'}}]}\n"
        "DEBUG:agent:done {x}\n"
        "INFO:agent:{'role': 'tool', 'tool_call_id': 'a', 'content': 'jazz'}\n"
        "INFO:agent:{'role': 'assistant', 'content': 'Jazz.'}\n"
    )
    (run,), problems = read(tmp_path / "s.log", text)
    (call,) = run.calls
    assert (run.input, run.actual_output) == ("What's on?", "Jazz.")
    assert (call.parameters, call.result) == ({"at": None, "like": "\\d"}, "jazz")
    assert problems == [":3: holds a value that is cut off or no JSON"]


def test_each_question_of_a_log_is_a_run_at_its_line(tmp_path: Path) -> None:
    one = "Question: how?\nAction: look\nAction Input: x\nObservation: y\nFinal Answer: so\n\n"
    runs, problems = read(tmp_path / "s.txt", "\n" + one * 3)
    assert [run.source and run.source.position for run in runs] == [2, 8, 14]
    assert problems == []


def test_a_cell_beyond_all_limits_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_tables, "_LONGEST_CELL", 10)
    before = csv.field_size_limit()
    try:
        for text in ('tool,"' + "x" * 20, HEAD + "a" * 20):
            (told,) = call_tables.table_rows(text, "t.csv")
            assert isinstance(told, Unreadable)
            assert told.problem.startswith("the table breaks off: field larger than")
    finally:
        csv.field_size_limit(before)


def test_a_call_that_sent_nothing_is_a_call(tmp_path: Path) -> None:
    (run,), problems = read(tmp_path / "t.csv", HEAD + ROW + "now,,12:00\nstop,,\n")
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("rain", {"city": "Oslo"}, "7 mm"),
        ("now", {}, "12:00"),
        ("stop", {}, None),
    ]
    assert problems == []
