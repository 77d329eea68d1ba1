"""`assay score` as people and scripts use it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.command_line import Assay, Done

from assay import __version__
from assay.cli.exit_codes import ExitCode
from assay.render.score_rows import FILE_COLUMNS

RUNS = Path(__file__).resolve().parents[2] / "examples" / "runs"
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.fixture(autouse=True)
def judging_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Figures that can be worked out in the head: the measured part alone, unless said."""
    monkeypatch.setenv("ASSAY_JUDGE", "none")


@pytest.fixture(autouse=True)
def path_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands may add the folder they run in."""
    monkeypatch.setattr(sys, "path", list(sys.path))


def process(*arguments: object, stdin: bytes = b"", **env: str) -> Done:
    """Run `python -m assay` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        env=os.environ | {"COLUMNS": "120"} | env,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def call(city: object = "Oslo", tool: str = "weather", *, success: bool = True) -> dict[str, Any]:
    return {"tool": tool, "parameters": {"city": city}, "success": success}


def case(*calls: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """A run whose planning was not measured, so that only its calls count."""
    return {
        "input": "Weather?",
        "actual_output": "Sunny.",
        "execution_data": {"tool_executions": list(calls), "planning_json_compliance": None},
        "available_tools": {"weather": {"input_schema": SCHEMA}},
    } | fields


# Schema, names, success and 1 - failure: all 1; and all 1 but success and failure.
GOOD = case(call(), run_id="good")
FAILED = case(call(success=False), run_id="failed")
WRONG = case(call(7), run_id="wrong")


def write(path: str, *cases: Any) -> Path:
    file = Path(path)
    file.write_bytes(b"\n".join(map(msgspec.json.encode, cases)))
    return file


def test_a_table_a_mean_and_what_they_stand_on(assay: Assay) -> None:
    done = assay("score", write("runs.jsonl", GOOD, FAILED, WRONG))
    assert done.code == 0
    lines = [line.split() for line in done.out.splitlines()]
    clear = ["none", "found", "(evidence)"]
    assert ["good", "1", *clear, "1.000", "1.00", "1.00", "1.00", "1.00", "0.00"] in lines
    # A failure that the answer hides holds the score down; the measured part is as it was.
    suspect = ["suspect", "(evidence)", "0.400", "0.50"]
    assert lines[5][:9] == ["failed", "1", *suspect, "1.00", "1.00", "0.00"]
    assert lines[6][:9] == ["wrong", "1", *clear, "0.750", "0.75", "0.00", "1.00"]
    assert "mcp_tool: 3 scored, mean 0.717" in done.out
    assert "3 of these scores: measured part only" in done.out
    assert done.err == ""


def test_many_cases_show_the_lowest(assay: Assay) -> None:
    cases = [GOOD | {"run_id": f"good {i}"} for i in range(100)]
    cases[40:40] = [FAILED, WRONG]
    done = assay("score", write("runs.jsonl", *cases))
    assert "Lowest 30 of 102" in done.out
    first, second = done.out.splitlines()[4:6]
    assert first.split()[:5] == ["failed", "1", "suspect", "(evidence)", "0.400"]
    assert second.split()[:6] == ["wrong", "1", "none", "found", "(evidence)", "0.750"]


def test_json_is_all_that_standard_output_holds(assay: Assay) -> None:
    done = assay("score", write("runs.jsonl", GOOD, 7, WRONG), "--json", "--verbose")
    assert done.code == 3
    found = done.json
    assert [row["run"] for row in found["cases"]] == ["good", "runs.jsonl:2", "wrong"]
    assert found["cases"][2]["score"] == 0.75
    assert found["cases"][2]["input_schema_compliance"] == 0.0
    assert found["cases"][2]["tree"]["parts"][0]["evidence"][0]["kind"] == "schema_violation"
    assert found["summary"] | {"labels": None, "metrics": None, "judge": None} == {
        "cases": 2,
        "not_read": 1,
        "passed_over": 0,
        "read_beside": 0,
        "mended": 0,
        "left_out": 0,
        "set_aside": [],
        "doubtful": 0,
        "interrupted": False,
        "threshold": None,
        "labels": None,
        "metrics": None,
        "judge": None,
        "not_scored": {},
    }
    (metric,) = found["summary"]["metrics"]
    assert metric["means"]["mcp_tool"] == {"mean": 0.875, "n": 2}
    assert "not read: runs.jsonl:2: expected a case as an object, got int 7" in done.err
    assert "good\nNo problem found (evidence).\nMeasured part only" in done.err


def test_all_kinds_of_output_at_once(assay: Assay) -> None:
    runs = write("runs.jsonl", GOOD, WRONG)
    options = [o for suffix in ("csv", "json", "jsonl", "md") for o in ("-o", f"out/s.{suffix}")]
    done = assay("score", runs, *options)
    assert done.code == 0
    table = list(csv.DictReader(io.StringIO(Path("out/s.csv").read_text())))
    assert [(row["run"], row["score"], row["passed"]) for row in table] == [
        ("good", "1.0", ""),
        ("wrong", "0.75", ""),
    ]
    assert json.loads(Path("out/s.json").read_text())["summary"]["cases"] == 2
    lines = Path("out/s.jsonl").read_text().splitlines()
    assert [json.loads(line)["score"] for line in lines] == [1.0, 0.75]
    assert Path("out/s.md").read_text().splitlines()[3].startswith("| wrong |")


def test_the_same_input_gives_the_same_output(assay: Assay) -> None:
    items: list[Any] = [GOOD | {"run_id": str(i)} if i % 3 else i for i in range(300)]
    runs = write("runs.jsonl", *items)
    assay("score", runs, "-o", "a.jsonl", "--concurrency", 1)
    assay("score", runs, "-o", "b.jsonl", "--concurrency", 50)
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    places = [json.loads(line)["run"] for line in Path("a.jsonl").read_text().splitlines()]
    assert places == [str(i) if i % 3 else f"runs.jsonl:{i + 1}" for i in range(300)]


# What goes wrong before anything is scored: the arguments and a part of the answer.
USAGE = {
    "no file": (["nothing.json"], "no such file or folder: nothing.json"),
    "one of two missing": (["runs.jsonl", "gone"], "no such file or folder: gone"),
    "a name that is too long": (["x" * 5000], "no such file or folder"),
    "no argument": ([], "Missing argument"),
    "an unknown suffix": (["runs.jsonl", "-o", "s.cvs"], "Did you mean '.csv'?"),
    "no suffix": (["runs.jsonl", "-o", "scores"], "Known: .csv, .json, .jsonl, .md."),
    "JUnit": (["runs.jsonl", "-o", "s.xml"], "assay gate STORE -o s.xml, or pytest --junitxml"),
    "an output that is the input": (
        ["runs.jsonl", "-o", "./runs.jsonl"],
        "among the files to read",
    ),
    "an output in the input": ([".", "-o", "s.json"], "among the files to read"),
    "an output that is the tools": (
        ["-", "--tools", "runs.jsonl", "-o", "runs.jsonl"],
        "runs.jsonl is among the files to read",
    ),
    "an output twice": (["runs.jsonl", "-o", "s.csv", "-o", "s.csv"], "s.csv is given twice"),
    "an output that is a folder": (["runs.jsonl", "-o", "folder.csv"], "Is a directory"),
    "an unknown metric": (["runs.jsonl", "--metric", "tool_us"], "Did you mean 'tool_use'?"),
    "another unknown metric": (["runs.jsonl", "--metric", "x"], "Known: chatbot, effect_match"),
    "no such module": (["runs.jsonl", "--metric", "gone:Own"], "No module named 'gone'"),
    "no such name": (["runs.jsonl", "--metric", "json:Own"], "has no attribute 'Own'"),
    "a module that ends": (["runs.jsonl", "--metric", "this_ends:Own"], "to end the program"),
    "no metric": (["runs.jsonl", "--metric", "json:loads"], "json:loads is no metric"),
    "a metric of many needs": (["runs.jsonl", "--metric", "io:FileIO"], "cannot be made"),
    "a threshold too high": (["runs.jsonl", "--threshold", "1.5"], "--threshold"),
    "no threshold": (
        ["runs.jsonl", "--threshold", "nan"],
        "expected a number, got nan",
    ),
    "a deadline without end": (["runs.jsonl", "--judge-deadline", "inf"], "--judge-deadline"),
    "no limit": (["runs.jsonl", "--max-cost", "nan"], "--max-cost"),
    "no concurrency": (["runs.jsonl", "--concurrency", "0"], "--concurrency"),
    "no tools": (["runs.jsonl", "--tools", "gone.json"], "gone.json"),
    "tools that are not JSON": (["runs.jsonl", "--tools", "bad.txt"], "bad.txt: not JSON: "),
    "tools of no kind": (["runs.jsonl", "--tools", "seven.txt"], "expected a dict or a list"),
    "an unknown option": (["runs.jsonl", "--jsn"], "--json"),
    "standard input twice": (["-", "-"], "only once"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage_is_one_sentence_and_exit_2(assay: Assay, name: str) -> None:
    arguments, answer = USAGE[name]
    runs = write("runs.jsonl", GOOD)
    before = runs.read_bytes()
    Path("folder.csv").mkdir()
    Path("bad.txt").write_text("oops")
    Path("seven.txt").write_text("7")
    Path("this_ends.py").write_text("raise SystemExit(1)")
    done = assay("score", *arguments)
    assert done.code == 2
    assert answer in done.err
    assert done.out == ""
    assert runs.read_bytes() == before


def named(definitions: Any) -> list[str]:
    """The case's own tools are gone; the file's are used instead."""
    write("tools.json", definitions)
    without = {key: value for key, value in WRONG.items() if key != "available_tools"}
    return [str(write("runs.json", without)), "--tools", "tools.json", "--json"]


TOOLS = {
    "the seed's dict": {"weather": {"input_schema": SCHEMA}},
    "MCP tools/list": {"tools": [{"name": "weather", "inputSchema": SCHEMA}]},
    "a JSON-RPC answer": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"tools": [{"name": "weather", "inputSchema": SCHEMA}]},
    },
    "a list": [{"name": "weather", "inputSchema": SCHEMA}],
    "Anthropic's": [{"name": "weather", "input_schema": SCHEMA}],
    "OpenAI's": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
    "OpenAI's flat": [{"type": "function", "name": "weather", "parameters": SCHEMA}],
    "Gemini's": [{"functionDeclarations": [{"name": "weather", "parameters": SCHEMA}]}],
    "by server": {"met": {"tools": [{"name": "weather", "inputSchema": SCHEMA}]}},
}


@pytest.mark.parametrize("form", TOOLS)
def test_tools_in_every_form(assay: Assay, form: str) -> None:
    (row,) = assay("score", *named(TOOLS[form])).json["cases"]
    assert (row["score"], row["input_schema_compliance"]) == (0.75, 0.0)


def test_tools_as_names_ask_for_nothing(assay: Assay) -> None:
    (row,) = assay("score", *named(["weather"])).json["cases"]
    assert (row["score"], row["input_schema_compliance"]) == (1.0, 1.0)


def test_the_tools_file_wins_over_the_case(assay: Assay) -> None:
    write("tools.json", ["another"])
    done = assay("score", write("runs.json", GOOD), "--tools", "tools.json", "--json")
    assert done.json["cases"][0]["valid_tool_name_rate"] == 0.0


# Scores 1, 0.5 and 0.75; 4/4, 2/4 and 3/4 of the rates.
THRESHOLDS: dict[str, tuple[float, list[Any], int]] = {
    "all above": (0.5, [GOOD, WRONG], 0),
    "suspect is never above": (0.6, [GOOD, FAILED], 1),
    "one below": (0.6, [GOOD, FAILED, WRONG], 1),
    "the edge counts as reached": (0.75, [GOOD, WRONG], 0),
    "bad beats incomplete": (0.6, [GOOD, "oops", FAILED], 1),
    "incomplete": (0.5, [GOOD, "oops", WRONG], 3),
    "not measurable is not bad": (0.5, [GOOD, case(execution_data=None)], 0),
    "nothing measurable is no verdict": (0.5, [case(execution_data=None)], 3),
    "nothing is no verdict": (0.5, [[]], 3),
}


@pytest.mark.parametrize("name", THRESHOLDS)
def test_the_threshold_decides_the_exit_code(assay: Assay, name: str) -> None:
    threshold, cases, code = THRESHOLDS[name]
    done = assay("score", write("runs.jsonl", *cases), "--threshold", threshold)
    assert done.code == code
    if code == 1:
        assert "1 below 0.6" in done.out
    if "no verdict" in name:
        assert "there is no verdict" in done.err


def test_a_threshold_marks_each_row(assay: Assay) -> None:
    done = assay("score", write("runs.jsonl", GOOD, FAILED), "--threshold", 0.7, "--json")
    assert [row["passed"] for row in done.json["cases"]] == [True, False]
    assert done.json["summary"]["metrics"][0]["below"] == 1


OWN_METRICS = '''
from assay import Score, ToolUseMetric

class Length:
    """How much was answered."""
    name = "length"
    async def evaluate(self, case):
        return Score(self.name, min(len(case.actual_output) / 12, 1.0), "letters over 12")

class Picky:
    name = "picky"
    async def evaluate(self, case):
        if case.run_id == "wrong":
            raise RuntimeError("I \\x1b[31mdo not like it")
        return Score(self.name, 1.0)

class Imposter(ToolUseMetric):
    pass

ready = Length()
'''


def test_metrics_of_ones_own(assay: Assay) -> None:
    Path("own_metrics.py").write_text(OWN_METRICS)
    names = ["tool_use", "own_metrics:Length", "own_metrics:Picky", "tool_use"]
    options = [option for name in names for option in ("--metric", name)]
    done = assay("score", write("runs.jsonl", GOOD, WRONG), *options, "-o", "s.jsonl")
    assert done.code == 3
    assert "tool_use: 2 scored, mean 0.875" in done.out
    assert "length: 2 scored, mean 0.500" in done.out
    assert "picky: 1 scored, mean 1.000, 1 failed" in done.out
    rows = [json.loads(line) for line in Path("s.jsonl").read_text().splitlines()]
    assert [(row["run"], row["metric"], row["score"]) for row in rows] == [
        ("good", "tool_use", 1.0),
        ("good", "length", 0.5),
        ("good", "picky", 1.0),
        ("wrong", "tool_use", 0.75),
        ("wrong", "length", 0.5),
        ("wrong", "picky", None),
    ]
    assert rows[5]["problem"] == "crashed: RuntimeError: I \x1b[31mdo not like it"
    assert "\x1b" not in done.out


def test_an_object_can_be_a_metric_too(assay: Assay) -> None:
    Path("own_objects.py").write_text(OWN_METRICS)
    done = assay("score", write("runs.json", GOOD), "--metric", "own_objects:ready")
    assert "length: 1 scored" in done.out


def test_two_metrics_of_one_name_are_refused(assay: Assay) -> None:
    Path("own_twins.py").write_text(OWN_METRICS)
    runs = write("runs.json", GOOD)
    done = assay("score", runs, "--metric", "tool_use", "--metric", "own_twins:Imposter")
    assert done.code == 2
    assert "two are called 'tool_use'" in done.err


def test_folders_files_and_standard_input_together() -> None:
    done = process("score", RUNS, "-", "--json", stdin=msgspec.json.encode(GOOD) + b"\noops\n")
    assert done.code == 3
    rows = done.json["cases"]
    assert len(rows) == 22
    assert [row["run"] for row in rows[-2:]] == ["good", "<stdin>:2"]
    assert done.json["summary"]["cases"] == 21


def test_an_empty_folder_says_so(assay: Assay) -> None:
    Path("empty").mkdir()
    done = assay("score", "empty")
    assert (done.code, done.out) == (3, "")
    assert done.err == "No cases were found: there is no verdict\n"


def test_nothing_on_standard_input_says_so() -> None:
    done = process("score", "-")
    assert (done.code, done.out) == (3, "")
    assert done.err == "not read: <stdin>: is empty\n1 not read, 0 read\n"


def test_many_that_cannot_be_read_are_summed_up(assay: Assay) -> None:
    done = assay("score", write("runs.jsonl", GOOD, *range(500)))
    assert done.code == 3
    assert done.err.count("not read: runs.jsonl:") == 20
    assert "... and 480 more not read\n500 not read, 1 read\n" in done.err


def test_reasons_are_told_case_by_case(assay: Assay) -> None:
    odd = GOOD | {"run_id": "odd", "actual_output": ""}
    done = assay("score", write("runs.jsonl", WRONG, odd), "--verbose")
    arithmetic = "0.750 = mean of schema 0.00, names 1.00, ok 1.00, 1 - fail 1.00"
    assert (
        f"wrong\nNo problem found (evidence).\nMeasured part only (judging is off): {arithmetic}"
        in done.out
    )
    assert "\nDoubtful: Actual output cannot be empty\n" in done.out
    assert done.err == "1 doubtful\n"
    brief = assay("score", "runs.jsonl")
    assert "Doubtful" not in brief.out
    assert brief.err == "1 doubtful: --verbose says why\n"


HOSTILE = (
    "\x1b[31m\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\ \u202egnp [red]x[/red] :smile: "
    "=cmd() <script> | \x00 \x07"
)
ACTIVE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]")


def test_hostile_text_comes_out_as_text(assay: Assay) -> None:
    tool = "=1+1" + HOSTILE
    bad = {
        **call(tool=tool, success=False),
        "error_message": "-2+3" + HOSTILE,
        "call_id": HOSTILE,
        "parent_id": "@" + HOSTILE,
    }
    hostile = case(bad, run_id="=" + HOSTILE, task_id="+" + HOSTILE, model="@" + HOSTILE)
    runs = write("runs.jsonl", hostile, {HOSTILE: 1}, hostile | {"attempt": HOSTILE})
    done = assay("score", runs, "-v", "-o", "s.csv", "-o", "s.md")
    assert done.code == 3
    assert not ACTIVE.search(done.out + done.err)
    assert "[red]x[/red] :smile:" in done.out
    table, markdown = Path("s.csv").read_text(), Path("s.md").read_text()
    assert not ACTIVE.search(table + markdown)
    cells = [cell for line in csv.reader(io.StringIO(table)) for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert len(markdown.splitlines()) == 5
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in markdown.splitlines()} == {
        markdown.splitlines()[0].count("|")
    }
    assert not re.search(r"(?<!\\)<script|http://", markdown)


def test_hostile_file_names_come_out_as_text(assay: Assay) -> None:
    name = f"a{os.fsdecode(b'caf')}\x1b[31m\u202e\udce9.json"
    unnamed = {key: value for key, value in GOOD.items() if key != "run_id"}
    write(name, unnamed)
    write(f"b{name}", unnamed | {"input": 7})
    done = assay("score", ".", "-o", "../s.json", "-o", "../s.csv")
    assert done.code == 3
    assert not ACTIVE.search(done.out + done.err)
    first, second = json.loads(Path("../s.json").read_text())["cases"]
    assert (first["score"], second["score"]) == (1.0, None)
    assert first["run"].endswith("\\udce9.json")
    done = assay("score", f"b{name}", "-o", "s.xyz\x1b[31m")
    assert not ACTIVE.search(done.err)


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_numbers_are_readable_at_any_width(columns: str) -> None:
    done = process("score", RUNS, COLUMNS=columns, NO_COLOR="1")
    lines = done.out.splitlines()
    assert all(len(line) <= int(columns) for line in lines)
    (row,) = [line.split() for line in lines if line.lstrip().startswith("08-rate")]
    assert row[1:5] == ["3", "failed", "(outcome)", "0.600"]
    assert "\x1b" not in done.out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_any_encoding_will_do(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_bytes(msgspec.json.encode(case(call("天气"), run_id="天气 😀 é")))
    done = subprocess.run(
        [sys.executable, "-m", "assay", "score", path, "-v"],
        capture_output=True,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": encoding},
    )
    assert b"1.000" in done.stdout
    data = process("score", path, "--json", PYTHONIOENCODING=encoding)
    assert data.json["cases"][0]["run"] == "天气 😀 é"


def test_help_shows_an_example_and_the_exit_codes(assay: Assay) -> None:
    done = assay("score", "--help")
    assert done.code == 0
    assert "assay score runs/ --tools tools.json --threshold 0.7 -o scores.csv" in done.out
    assert "Exit codes: 0 ok" in done.out
    assert all(option in done.out for option in ("--metric NAME", "--tools FILE", "-o, --output"))


def test_the_reference_page_names_every_option_and_column(assay: Assay) -> None:
    page = (RUNS.parents[1] / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    options = set(re.findall(r"--[a-z]+", assay("score", "--help").out)) - {"--help"}
    assert options == {f"--{o}" for o in re.findall(r"(?<=`--)[a-z]+", page)} & options
    assert not [name for name in FILE_COLUMNS if f"`{name}`" not in page]
    assert not [code for code in ExitCode if f"\n| {code.value} | " not in page]


def test_the_version(assay: Assay) -> None:
    assert assay("--version") == (0, f"assay {__version__}\n", "")


def test_the_version_is_told_without_loading_a_command() -> None:
    code = "import sys; from assay.cli import main; sys.argv[1:] = ['--version']; main()"
    loaded = f"import atexit, sys; atexit.register(lambda: print('duckdb' in sys.modules)); {code}"
    done = subprocess.run(
        [sys.executable, "-c", loaded], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"assay {__version__}\nFalse\n"


def test_without_a_command_there_is_help(assay: Assay) -> None:
    done = assay()
    assert "score" in done.out + done.err


def test_all_sample_runs_are_scored_but_the_one_without_calls() -> None:
    done = process("score", RUNS, "--json")
    assert done.code == 0
    summary = done.json["summary"]
    (metric,) = summary["metrics"]
    assert (summary["cases"], metric["scored"], metric["not_measurable"]) == (20, 19, 1)
