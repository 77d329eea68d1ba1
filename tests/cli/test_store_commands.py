"""`assay ls`, `show`, `export`, `compact` and `doctor` as people and scripts use them."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import select
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
from tests.store.runs import SMALL, fill, run, runs, samples

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.cli.export import EXPORTS
from assay.evaluation import RecordedEvaluation
from assay.readers import read_runs
from assay.run import RunOutcome, Source
from assay.store import Store

if TYPE_CHECKING:
    from tests.command_line import Assay

HOSTILE = "\x1b[31mred\x1b]8;;http://evil.example\x1b\\ \u202e[red]x[/red] :smile:\r\n=cmd()"


@pytest.fixture
def assay(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> Assay:
    """Run `assay` in a folder with a store of ten runs named `runs.assay`."""
    monkeypatch.setenv("COLUMNS", "100")
    fill(Store.create("runs.assay"), runs(10), limit=SMALL)
    return assay


def key_of(run_id: str) -> str:
    (row,) = Store("runs.assay").query("SELECT run_key FROM runs WHERE run_id = $id", id=run_id)
    key: str = row["run_key"]
    return key


COMMANDS = {
    "ls": ["runs.assay"],
    "show": ["runs.assay", "run-1"],
    "export": ["runs.assay", "-o", "x.jsonl"],
    "compact": ["runs.assay"],
    "doctor": ["runs.assay"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(assay: Assay, command: str) -> None:
    done = assay(command, "--help")
    assert done.code == 0
    assert f"assay {command} runs.assay" in done.out
    assert "Exit codes: 0" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_store_is_said_in_one_line(assay: Assay, command: str) -> None:
    done = assay(command, "elsewhere", *COMMANDS[command][1:])
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("assay: ")
    assert "elsewhere is not a store: it does not exist" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_works_and_leaves_the_runs_alone(assay: Assay, command: str) -> None:
    before = list(Store("runs.assay").rows("cases"))
    assert assay(command, *COMMANDS[command]).code == 0
    assert list(Store("runs.assay").rows("cases")) == before


def test_ls_tells_what_a_store_holds(assay: Assay) -> None:
    done = assay("ls", "runs.assay", "--limit", "2")
    assert done.code == 0
    assert "10 runs of 5 tasks by 2 models, 20 calls of which 10 failed, in 4 batches" in done.out
    # ada has the runs 0, 2, 4, 6, 8, of which 0 and 6 succeeded; bob 3 and 9.
    assert ["ada", "5", "5", "2", "of", "5", "10", "5"] in [
        line.split() for line in done.out.splitlines()
    ]
    assert ["assay", "1", "10"] in [line.split() for line in done.out.splitlines()]
    assert "first 2 runs" in done.out
    assert key_of("run-0")[:10] in done.out


def test_ls_tells_the_frameworks_that_are_known(assay: Assay) -> None:
    assert "framework" not in assay("ls", "runs.assay").out
    agents = (("adk", "yes"), ("adk", None), ("plain", "no"), (None, "who knows"))
    with Store.create("agents.assay").writer() as writer:
        for number, (framework, answer) in enumerate(agents):
            writer.add(AgentTestCase("Is it?", answer, run_id=f"run-{number}", framework=framework))
    done = assay("ls", "agents.assay")
    rows = [line.split() for line in done.out.splitlines()]
    assert ["adk", "2", "1", "1", "of", "2", "0", "0"] in rows
    assert ["plain", "1", "1", "1", "of", "1", "0", "0"] in rows
    assert sum("framework" in row for row in rows) == 2  # of the table, and of the runs
    found = assay("ls", "agents.assay", "--json").json
    assert [row["framework"] for row in found["by_framework"]] == ["adk", "plain"]
    assert sorted(str(row["framework"]) for row in found["listed"]) == [
        "None",
        "adk",
        "adk",
        "plain",
    ]


@pytest.mark.parametrize(
    ("options", "count", "listed"),
    [
        ([], 10, 10),
        (["--model", "ada"], 5, 5),
        (["--task", "task-1"], 2, 2),
        (["--model", "ada", "--task", "task-1"], 1, 1),
        (["--model", "bob", "--task", "task-1"], 1, 1),
        (["--limit", "3"], 10, 3),
        (["--limit", "0"], 10, 0),
    ],
)
def test_ls_filters(assay: Assay, options: list[str], count: int, listed: int) -> None:
    done = assay("ls", "runs.assay", "--json", *options)
    assert done.code == 0
    found = done.json
    assert (found["runs"], len(found["listed"]), found["batches"]) == (count, listed, 4)
    assert sum(row["runs"] for row in found["by_model"]) == count
    assert sum(row["runs"] for row in found["by_format"]) == count


def test_a_model_is_called_as_its_folder_calls_it_and_found_by_either_name(assay: Assay) -> None:
    folder = {"folder_model": "gpt-5"}
    with Store.create("folders.assay").writer() as writer:
        for day in ("08-07", "09-01"):
            name = f"gpt-5-2025-{day}"
            writer.add(AgentTestCase("When?", day, run_id=day, model=name, extra=folder))
        writer.add(AgentTestCase("When?", "Never", run_id="third", model="bob"))
    found = assay("ls", "folders.assay", "--json").json
    assert found["models"] == 2
    assert [(row["model"], row["runs"]) for row in found["by_model"]] == [("gpt-5", 2), ("bob", 1)]
    assert [row["model"] for row in found["listed"]] == ["bob", "gpt-5", "gpt-5"]
    for name, runs_of_it in (("gpt-5", 2), ("gpt-5-2025-08-07", 1), ("bob", 1)):
        options = ("folders.assay", "--model", name)
        assert assay("ls", *options, "--json").json["runs"] == runs_of_it
        done = assay("export", *options, "-o", "-")
        assert len(done.out.splitlines()) == runs_of_it
        assert all(json.loads(line)["model"].startswith(name) for line in done.out.splitlines())


def test_ls_of_an_empty_store(assay: Assay) -> None:
    Store.create("empty.assay")
    done = assay("ls", "empty.assay")
    assert done.code == 0
    assert done.out == (
        "empty.assay: 0 runs of 0 tasks by 0 models, 0 calls of which 0 failed, in 0 batches\n"
    )


def test_ls_tells_calls_that_nobody_recorded_from_none(assay: Assay) -> None:
    """Of a leaderboard there are the outcomes alone; an answer without a call is another thing."""
    won = RunOutcome(success=True)
    board = AgentTestCase("", None, run_id="a", model="board", framework="f", outcome=won)
    chat = AgentTestCase("q", "a", run_id="b", model="chat", framework="g")
    fill(Store.create("board.assay"), [board])
    done = assay("ls", "board.assay")
    assert "by 1 model, calls were not recorded, in 1 batch" in done.out
    rows = [line.split() for line in done.out.splitlines()]
    assert ["board", "1", "1", "1", "of", "1", "–", "–"] in rows
    assert ["f", "1", "1", "0", "of", "1", "–", "–"] in rows
    assert any(row[-4:] == ["f", "–", "–", "succeeded"] for row in rows)
    fill(Store("board.assay"), [chat, replace(chat, run_id="c", model="board")])
    found = assay("ls", "board.assay", "--json").json
    told = {row["model"]: (row["calls"], row["failed_calls"]) for row in found["by_model"]}
    assert (told, found["calls"]) == ({"board": (0, 0), "chat": (0, 0)}, 0)
    listed = {row["run_id"]: row["calls"] for row in found["listed"]}
    assert listed == {"a": None, "b": 0, "c": 0}


def test_ls_counts_in_plain_words(assay: Assay) -> None:
    fill(Store.create("one.assay"), [AgentTestCase("q", "a")])
    out = assay("ls", "one.assay").out
    assert "1 run of 1 task by 0 models, 0 calls of which 0 failed, in 1 batch\n" in out


def test_show_tells_a_run_from_question_to_answer(assay: Assay) -> None:
    fill(Store("runs.assay"), [run(99, run_id="other", model="eve")])
    done = assay("show", "runs.assay", key_of("run-3")[:12])
    assert done.code == 0
    told = [line.strip() for line in done.out.splitlines()]
    for line in (
        f"run {key_of('run-3')[:10]}",
        "id: run-3",
        "task: task-3, attempt 0",
        "model: bob",
        "outcome: succeeded, score 0.03, says test",
        "tokens: 3 in, 0.5 USD",
        "source: runs.jsonl:3 (assay)",
        "question 3",
        "calls: 2, 1 failed",
        "1. s/look  ok",
        "2. look  FAILED",
        "verdict   reported nothing, found ok as recorded",
        "verdict   reported nothing, found failed as recorded",
        'arguments {"key":1}',
        'result    {"found":3}',
        "error     no key",
        "blame     model, missing_required_field by schema",
        "elsewhere the same call: 10 succeeded, 0 failed",
        "answer 3",
    ):
        assert line in told


def test_show_tells_what_was_reported_and_what_was_found(assay: Assay) -> None:
    call = ToolExecutionResult(
        "t", {}, "Error: gone", reported_success=True, success_rule="error_opening", turn=2
    )
    fill(
        Store("runs.assay"),
        [AgentTestCase("q", None, run_id="odd", execution_data=MCPExecutionData([call]))],
    )
    out = assay("show", "runs.assay", "odd").out
    assert "verdict   reported ok, found failed by error_opening" in out
    assert "turn      2" in out
    assert "(no answer was recorded)" in out


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (
            {"confidence": 0.9, "based_on": ["2 messages", "1 call"]},
            "reading: a guess by its shape, 90% sure: 2 messages; 1 call",
        ),
        ({"confidence": 0.5}, "reading: a guess by its shape, 50% sure"),
        ({"confidence": "high"}, None),
        ("odd", None),
        (None, None),
    ],
)
def test_show_says_how_sure_a_reader_was_that_had_to_guess(
    told: object, line: str | None, assay: Assay
) -> None:
    case = AgentTestCase("q", "a", run_id="guessed", extra={"generic_reader": told})
    fill(Store("runs.assay"), [case])
    lines = assay("show", "runs.assay", "guessed").out.splitlines()
    assert next((each for each in lines if each.startswith("reading")), None) == line


def test_show_does_not_call_ok_what_brought_no_result(assay: Assay) -> None:
    case = run(51, run_id="cut")
    case.input = ""
    case.calls[0].result, case.calls[0].success_rule = None, "no_result"
    fill(Store("runs.assay"), [case])
    told = [line.strip() for line in assay("show", "runs.assay", "cut").out.splitlines()]
    assert "1. s/look  cannot tell" in told
    assert "verdict   reported nothing, found nothing by no_result" in told
    assert "(no question was recorded)" in told


def test_show_shortens_unless_told_otherwise(assay: Assay) -> None:
    case = run(50, run_id="long")
    case.input = "word " * 1_000
    case.calls[0].result = "x" * 5_000
    fill(Store("runs.assay"), [case])
    short, full = (
        assay("show", "runs.assay", "long").out,
        assay("show", "runs.assay", "long", "--full").out,
    )
    assert "(3,000 more characters, --full shows them)" in short
    assert max(map(len, short.splitlines())) <= 100
    assert case.input in full
    assert "x" * 5_000 in full
    assert key_of("long") in full


def test_show_says_what_to_type_where_run_and_store_are_swapped(assay: Assay) -> None:
    done = assay("show", "run-3", "runs.assay")
    assert done.code == 2
    assert "type: assay show runs.assay run-3" in " ".join(done.err.split())


def test_show_says_so_where_the_case_of_a_run_is_missing(assay: Assay) -> None:
    for file in Path("runs.assay/batches").glob("*/cases.parquet"):
        file.unlink()
    done = assay("show", "runs.assay", "run-3")
    assert done.code == 2
    assert f"it lists the run {key_of('run-3')} and has no case of it" in done.err
    assert "assay doctor" in done.err


def test_ls_lists_as_many_as_there_are_however_many_are_asked_for(assay: Assay) -> None:
    listed = assay("ls", "runs.assay", "--limit", str(10**30), "--json").json["listed"]
    assert len(listed) == 10


def test_a_file_is_no_store(assay: Assay) -> None:
    Path("run.json").write_text("{}", encoding="utf-8")
    assert (
        "is not a store: it is a file. Make one with: assay import" in assay("ls", "run.json").err
    )


def test_show_in_full_keeps_the_lines_of_a_text_below_each_other(assay: Assay) -> None:
    case = run(52, run_id="lines")
    case.calls[0].tool = "look\n  2. s/erase  ok"
    case.calls[0].result = "total 2\r\n-rw- a.txt\n-rw- b.txt\n"
    fill(Store("runs.assay"), [case])
    told = assay("show", "runs.assay", "lines", "--full").out.splitlines()
    first = told.index("     result    total 2")
    assert told[first + 1 : first + 3] == [" " * 15 + "-rw- a.txt", " " * 15 + "-rw- b.txt"]
    assert told[first + 3].strip() != ""
    assert sum(line.startswith("  2. ") for line in told) == 1  # a name makes no line of its own


def test_show_as_json_has_the_whole_case(assay: Assay) -> None:
    found = assay("show", "runs.assay", "run-3", "--json").json
    assert found["run_key"] == key_of("run-3")
    assert AgentTestCase.from_dict(found["case"]) == run(3)
    assert found["calls"][0] == {
        "blame": None,
        "siblings": {"succeeded": 9, "failed": 0},
    }
    assert found["calls"][1]["blame"]["kind"] == "missing_required_field"
    assert found["calls"][1]["siblings"] is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("run-33", "No run named 'run-33'. Did you mean 'run-3'?"),
        ("zzz", "(assay ls runs.assay lists them)"),
        ("", "'' means several runs, name one: "),
    ],
)
def test_show_says_which_runs_there_are(assay: Assay, name: str, message: str) -> None:
    done = assay("show", "runs.assay", name)
    assert (done.code, done.out) == (2, "")
    assert message in " ".join(done.err.split())


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("A1", "first"),
        ("A1.json", "first"),
        ("logs/v1/A1.json", "first"),
        ("A12", "second"),
        ("A12.js", "second"),
        ("12.json", "second"),
        ("all.jsonl:3", "third"),
        ("all.jsonl:30", "fourth"),
        ("caf\udce9.json", "fifth"),
    ],
)
def test_show_takes_the_file_that_a_run_was_read_from(
    assay: Assay, name: str, question: str
) -> None:
    places = {
        "first": Source("logs/v1/A1.json", "langchain"),
        "second": Source("logs/v1/A12.json", "langchain"),
        "third": Source("logs/all.jsonl", "langchain", 3),
        "fourth": Source("logs/all.jsonl", "langchain", 30),
        "fifth": Source(r"logs/caf\udce9.json", "langchain"),
    }
    cases = [AgentTestCase(asked, "a", source=place) for asked, place in places.items()]
    fill(Store.create("files.assay"), cases, limit=SMALL)
    assert f"asked\n{question}\n" in assay("show", "files.assay", name).out


def test_show_takes_the_session_that_a_run_was(assay: Assay) -> None:
    sessions = {"first": "7a1e3c52-c", "second": "7a1e3c52-d"}
    cases = [AgentTestCase(asked, "a", session_id=told) for asked, told in sessions.items()]
    fill(Store.create("sessions.assay"), cases, limit=SMALL)
    assert "asked\nsecond\n" in assay("show", "sessions.assay", "7a1e3c52-d").out
    assert "means several runs" in assay("show", "sessions.assay", "7a1e3c52").err


def test_show_lists_the_runs_that_a_file_may_mean(assay: Assay) -> None:
    cases = [
        AgentTestCase(asked, "a", source=Source(f"logs/{asked}/A1.json", "langchain"))
        for asked in ("v1", "v2")
    ]
    fill(Store.create("files.assay"), cases, limit=SMALL)
    done = assay("show", "files.assay", "A1.json")
    assert done.code == 2
    assert "means several runs" in done.err
    assert "A1.json" in assay("ls", "files.assay").out


def test_show_of_an_empty_store(assay: Assay) -> None:
    Store.create("empty.assay")
    assert "none, the store is empty" in assay("show", "empty.assay", "x").err


@pytest.mark.parametrize("command", ["ls", "show"])
def test_hostile_text_does_nothing_to_the_terminal(assay: Assay, command: str) -> None:
    call = ToolExecutionResult(
        HOSTILE, {HOSTILE: HOSTILE}, HOSTILE, server=HOSTILE, error_message=HOSTILE
    )
    case = run(1, run_id="evil", task_id=HOSTILE, model=HOSTILE, framework=HOSTILE)
    case.input = case.actual_output = HOSTILE
    case.execution_data = MCPExecutionData([call])
    fill(Store.create("evil.assay"), [case])
    done = assay(command, "evil.assay", *(["evil"] if command == "show" else []))
    assert done.code == 0
    assert not {"\x1b", "\u202e", "\r", "\x07"} & set(done.out)
    assert "\\x1b" in done.out
    assert ":smile:" in done.out or command == "ls"


def exported(assay: Assay, name: str, *options: str) -> str:
    done = assay("export", "runs.assay", "-o", name, *options)
    assert (done.code, done.out) == (0, "")
    return Path(name).read_text(encoding="utf-8")


def test_native_export_is_what_was_imported(assay: Assay) -> None:
    lines = exported(assay, "deep/x.jsonl").splitlines()
    assert [AgentTestCase.from_json(line) for line in lines] == runs(10)
    piped = assay("export", "runs.assay", "-o", "-", "--model", "ada")
    assert [AgentTestCase.from_json(line).run_id for line in piped.out.splitlines()] == [
        "run-0",
        "run-2",
        "run-4",
        "run-6",
        "run-8",
    ]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("x.jsonl", ("1 run", "10 runs")),
        ("x.atif.json", ("1 run", "10 runs")),
        ("x.csv", ("1 row of runs", "10 rows of runs")),
    ],
)
def test_what_was_exported_is_counted_in_words(
    assay: Assay, name: str, told: tuple[str, str]
) -> None:
    one, all_of_them = told
    only = assay("export", "runs.assay", "-o", name, "--task", "task-1", "--model", "ada")
    assert only.err == f"{one} to {name}\n"
    assert assay("export", "runs.assay", "-o", name).err == f"{all_of_them} to {name}\n"


def test_a_table_is_exported_as_csv_or_parquet(assay: Assay) -> None:
    rows = list(csv.DictReader(io.StringIO(exported(assay, "x.csv", "--table", "calls"))))
    assert len(rows) == 20
    assert rows[1]["kind"] == "missing_required_field"
    assert rows[0]["kind"] == ""
    assert assay("export", "runs.assay", "-o", "x.parquet", "--task", "task-2").code == 0
    with duckdb.connect() as engine:
        found = engine.execute("SELECT run_id FROM 'x.parquet' ORDER BY run_id").fetchall()
    assert found == [("run-2",), ("run-7",)]


def test_a_csv_never_holds_a_formula(assay: Assay) -> None:
    fill(Store("runs.assay"), [run(1, task_id="=cmd()", model="eve")])
    rows = list(csv.DictReader(io.StringIO(exported(assay, "x.csv", "--model", "eve"))))
    assert [row["task_id"] for row in rows] == ["'=cmd()"]


def test_evaluation_events_follow_the_conventions(assay: Assay) -> None:
    case = run(3, run_id="4bf92f3577b34da6a3ce929d0e0e4736/00f067aa0ba902b7", session_id="s1")
    case.extra["trace_id"] = "4bf92f3577b34da6a3ce929d0e0e4736"
    fill(Store.create("traced.assay"), [case])
    assert assay("export", "traced.assay", "-o", "x.otel.jsonl").code == 0
    (line,) = Path("x.otel.jsonl").read_text().splitlines()
    (logs,) = json.loads(line)["resourceLogs"][0]["scopeLogs"]
    records = [
        record | {a["key"]: next(iter(a["value"].values())) for a in record["attributes"]}
        for record in logs["logRecords"]
    ]
    assert {record["eventName"] for record in records} == {"gen_ai.evaluation.result"}
    assert {record["traceId"] for record in records} == {case.extra["trace_id"]}
    assert {record["spanId"] for record in records} == {"00f067aa0ba902b7"}
    assert {record["timeUnixNano"] for record in records} == {"1003000000000"}
    assert {record["gen_ai.conversation.id"] for record in records} == {"s1"}
    told = {record["gen_ai.evaluation.name"]: record for record in records}
    outcome = told["outcome"]
    assert outcome["gen_ai.evaluation.score.value"] == 0.03
    assert outcome["gen_ai.evaluation.score.label"] == "pass"
    assert outcome["assay.evaluation.decided_by"] == "test"
    # One of two calls worked, both tools were on offer, one of two fits the schema.
    assert told["mcp_tool.execution_success_rate"]["gen_ai.evaluation.score.value"] == 0.5
    assert told["mcp_tool.valid_tool_name_rate"]["gen_ai.evaluation.score.value"] == 1.0
    assert told["mcp_tool.input_schema_compliance"]["gen_ai.evaluation.score.value"] == 0.5
    assert told["mcp_tool"]["gen_ai.evaluation.explanation"]


def test_events_come_for_the_metrics_asked_for(assay: Assay) -> None:
    out = exported(assay, "x.otel.jsonl", "--metric", "tool_use")
    assert len(out.splitlines()) == 10
    assert '"tool_use"' in out
    assert '"mcp_tool"' not in out
    assert (
        "No metric named"
        in assay("export", "runs.assay", "-o", "x.otel.jsonl", "--metric", "no").err
    )


def test_events_take_the_scores_that_the_store_has(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    computed = exported(assay, "x.otel.jsonl")
    assert assay("score", "runs.assay").code == 0
    judged: list[object] = []

    async def judge_again(_: object, case: object) -> None:
        judged.append(case)

    monkeypatch.setattr("assay.MCPToolMetric.evaluate", judge_again)
    assert exported(assay, "x.otel.jsonl") == computed
    of_one_model = exported(assay, "x.otel.jsonl", "--model", "ada").splitlines()
    assert of_one_model == [line for line in computed.splitlines() if '"ada"' in line]
    assert 0 < len(of_one_model) < 10
    assert judged == []


def test_trajectories_follow_the_format(assay: Assay) -> None:
    found = json.loads(exported(assay, "x.atif.json"))
    lines = [json.loads(line) for line in exported(assay, "x.atif.jsonl").splitlines()]
    assert found == lines
    assert len(found) == 10
    one = found[3]
    assert one["schema_version"] == "ATIF-v1.8"
    assert one["trajectory_id"] == key_of("run-3")
    assert one["agent"] == {
        "name": "unknown",
        "version": "unknown",
        "model_name": "bob",
        "tool_definitions": [
            {
                "type": "function",
                "function": {
                    "name": "look",
                    "parameters": {"type": "object", "required": ["key"]},
                },
            }
        ],
    }
    assert [(step["step_id"], step["source"]) for step in one["steps"]] == [
        (1, "user"),
        (2, "agent"),
        (3, "agent"),
        (4, "agent"),
    ]
    assert one["steps"][0] == {
        "step_id": 1,
        "source": "user",
        "message": "question 3",
        "timestamp": "1970-01-01T00:16:43Z",
    }
    assert one["steps"][2]["tool_calls"] == [
        {
            "tool_call_id": "call-2",
            "function_name": "look",
            "arguments": {"n": 3},
            "extra": {"turn": 1, "call_id": None},
        }
    ]
    assert one["steps"][2]["observation"]["results"] == [
        {
            "source_call_id": "call-2",
            "content": "Error: no key",
            "extra": {"is_error": True, "error_message": "no key"},
        }
    ]
    assert one["final_metrics"] == {
        "total_prompt_tokens": 3,
        "total_cost_usd": 0.5,
        "total_steps": 4,
    }


def test_one_trajectory_is_no_list(assay: Assay) -> None:
    found = json.loads(exported(assay, "x.atif.json", "--task", "task-1", "--model", "ada"))
    assert found["steps"][0]["message"] == "question 6"


def test_calls_of_one_turn_are_one_step(assay: Assay) -> None:
    calls = [
        ToolExecutionResult("t", "not an object", call_id="same", turn=1),
        ToolExecutionResult("t", {}, call_id="same", turn=1),
        ToolExecutionResult("t", {}, turn=2),
    ]
    fill(
        Store.create("t.assay"), [AgentTestCase("q", None, execution_data=MCPExecutionData(calls))]
    )
    assay("export", "t.assay", "-o", "x.atif.json")
    _, first, second = json.loads(Path("x.atif.json").read_text())["steps"]
    assert [call["tool_call_id"] for call in first["tool_calls"]] == ["same", "call-2"]
    assert first["tool_calls"][0]["arguments"] == {}
    assert first["tool_calls"][0]["extra"] == {"turn": 1, "parameters": "not an object"}
    assert len(second["tool_calls"]) == 1


def test_trajectories_are_the_same_runs_when_they_come_back(assay: Assay) -> None:
    fill(Store.create("samples.assay"), samples())
    for name in ("x.atif.json", "x.atif.jsonl"):
        assert assay("export", "samples.assay", "-o", name).code == 0
        back = assay("import", name, "--store", "samples.assay")
        assert back.out.startswith("0 runs added")
        assert assay("import", name, "--store", f"{name}.assay").code == 0
        runs_of = [list(Store(store).rows("runs")) for store in ("samples.assay", f"{name}.assay")]
        assert runs_of[0] == runs_of[1]


def test_the_samples_survive_every_export(assay: Assay) -> None:
    fill(Store.create("samples.assay"), samples())
    targets = [f"x{suffix}" for suffix in EXPORTS]
    done = assay("export", "samples.assay", *(part for name in targets for part in ("-o", name)))
    assert done.code == 0
    assert [Path(name).stat().st_size > 1_000 for name in targets] == [True] * len(targets)


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("x.jsonl", ["--table", "calls"], "--table: is for .parquet and .csv only"),
        ("-", ["--table", "runs"], "--table: is for .parquet and .csv only"),
        ("x.csv", ["--metric", "tool_use"], "--metric: is for .otel.jsonl only"),
        ("x.atif.json", ["--metric", "tool_use"], "--metric: is for .otel.jsonl only"),
    ],
)
def test_an_option_that_no_file_takes_is_refused(
    assay: Assay, name: str, options: list[str], told: str
) -> None:
    done = assay("export", "runs.assay", "-o", name, *options)
    assert done.code == 2
    assert f"Invalid value for {told}" in " ".join(done.err.split())
    assert not Path(name).exists()
    both = ["-o", "x.parquet", "-o", "x.otel.jsonl", "--table", "calls", "--metric", "tool_use"]
    assert assay("export", "runs.assay", "-o", name, *both).code == 0


def test_nothing_to_export_is_incomplete(assay: Assay) -> None:
    Store.create(Path("empty.assay"))
    done = assay("export", "empty.assay", "-o", "x.jsonl")
    assert done.code == 3
    assert "There was nothing to export" in done.err


@pytest.mark.parametrize("command", [["ls"], ["export", "-o", "x.jsonl"], ["golden", "check"]])
@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--model", "bo"], "No model named 'bo'. Did you mean 'bob'?"),
        (["--model", "ADA"], "No model named 'ADA'. Did you mean 'ada'?"),
        (["--task", "task-l"], "No task named 'task-l'. Did you mean 'task-"),
        (["--task", "zzz"], "No task named 'zzz'. Known: task-0, task-1"),
    ],
)
def test_a_name_that_nothing_bears_is_told(
    assay: Assay, command: list[str], option: list[str], message: str
) -> None:
    store = ["--store", "runs.assay"] if command[0] == "golden" else ["runs.assay"]
    done = assay(*command, *store, *option)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert not Path("x.jsonl").exists()


def test_a_model_that_was_only_judged_is_not_offered_for_itself(assay: Assay) -> None:
    with Store("runs.assay").writer() as writer:
        writer.add_evaluations([RecordedEvaluation(model="zoe", judge="jo", query="q")])
    message = "No model named 'zoe'. Known: ada, bob"
    assert message in assay("ls", "runs.assay", "--model", "zoe").err


def test_of_many_names_some_are_listed_and_the_others_counted(assay: Assay) -> None:
    with Store("runs.assay").writer() as writer:
        for i in range(12):
            writer.add(AgentTestCase("q", "a", task_id=f"other-{i:02}", run_id=str(i)))
    told = assay("ls", "runs.assay", "--task", "zzz").err
    listed = told.partition("Known: ")[2].partition(" and ")
    total = len(Store("runs.assay").query("SELECT DISTINCT task_id FROM runs"))
    assert listed[0].count(",") == 9
    assert " ".join(listed[2].split()).startswith(f"{total - 10} more.")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-o", "x.xlsx"], "No export format named '.xlsx'"),
        (["-o", "x"], "No export format named 'x'"),
        (["-o", "x.csv", "--table", "call"], "No table named 'call'. Did you mean 'calls'?"),
        ([], "Missing option '-o'"),
    ],
)
def test_wrong_usage_of_export_writes_nothing(
    assay: Assay, options: list[str], message: str
) -> None:
    done = assay("export", "runs.assay", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert sorted(path.name for path in Path().iterdir()) == ["runs.assay"]


@pytest.mark.parametrize("name", ["x.jsonl", "x.csv", "x.parquet", "x.otel.jsonl", "x.atif.json"])
def test_an_export_that_cannot_be_written_says_so(assay: Assay, name: str) -> None:
    Path("taken").touch()
    done = assay("export", "runs.assay", "-o", f"taken/{name}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"assay: taken/{name} cannot be written: ")


def test_a_table_that_was_written_too_late_leaves_no_file(
    assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Store.export

    def interrupted(*given: Any, **how: Any) -> int:
        assert write(*given, **how) == 10
        raise KeyboardInterrupt  # heard by the engine when it was done already

    monkeypatch.setattr(Store, "export", interrupted)
    Path("x.parquet").write_text("old")
    done = assay("export", "runs.assay", "-o", "x.parquet")
    assert (done.code, done.err) == (3, "Interrupted: x.parquet was not written\n")
    assert Path("x.parquet").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["runs.assay", "x.parquet"]


def test_an_export_that_breaks_off_leaves_no_file(assay: Assay) -> None:
    (batch, *_) = sorted(Path("runs.assay/batches").iterdir(), reverse=True)
    (batch / "cases.parquet").write_bytes(b"PAR1 no more")
    Path("x.jsonl").write_text("old")
    done = assay("export", "runs.assay", "-o", "x.jsonl")
    assert done.code == 2
    assert "assay doctor" in done.err
    assert Path("x.jsonl").read_text() == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["runs.assay", "x.jsonl"]


def test_an_interrupted_export_says_so(assay: Assay) -> None:
    os.mkfifo("x.jsonl")
    reader = os.open("x.jsonl", os.O_RDONLY | os.O_NONBLOCK)
    fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4_096)  # less than the runs take: the export waits

    def interrupt() -> None:
        select.select([reader], [], [])
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    done = assay("export", "runs.assay", "-o", "x.jsonl")
    os.close(reader)
    assert done.code == 3
    assert "Interrupted: x.jsonl was not written" in done.err


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    fill(Store.create(tmp_path / "runs.assay"), runs(10))
    command = f"{sys.executable} -m assay export {tmp_path}/runs.assay -o - | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert (len(done.stdout), done.stderr) == (10, "")


def test_compact_says_what_it_did(assay: Assay) -> None:
    assert assay("compact", "runs.assay").out == "4 batches became one\n"
    assert assay("compact", "runs.assay").out == "Nothing to merge\n"
    reader = Store("runs.assay").cases()
    next(reader)
    fill(Store("runs.assay"), [run(77)])
    assert "The old batches are still being read" in assay("compact", "runs.assay").out
    reader.close()  # type: ignore[attr-defined]  # a generator


def test_scores_come_as_a_batch_of_their_own_and_are_counted_alike(assay: Assay) -> None:
    assert assay("score", "runs.assay").code == 0
    assert "in 5 batches" in assay("ls", "runs.assay").out
    assert assay("compact", "runs.assay").out == "5 batches became one\n"
    assert "in 1 batch\n" in assay("ls", "runs.assay").out


def test_doctor_finds_and_repairs(assay: Assay) -> None:
    assert "10 runs, all of it readable" in assay("doctor", "runs.assay").out
    left = Path("runs.assay/writing/left")
    left.mkdir()
    done = assay("doctor", "runs.assay")
    assert done.code == 0
    assert "a writer died and left this; remove it with --repair" in " ".join(done.out.split())
    assert left.exists()
    assert assay("doctor", "runs.assay", "--repair").code == 0
    assert not left.exists()


def test_doctor_tells_a_script_that_something_is_lost(assay: Assay) -> None:
    (batch, *_) = Path("runs.assay/batches").iterdir()
    (batch / "calls.parquet").write_bytes(b"")
    done = assay("doctor", "runs.assay", "--json")
    assert done.code == 3
    (finding,) = done.json["findings"]
    assert finding["path"].endswith("calls.parquet")
    assert finding["advice"] == "move the batch out of the store and import its runs again"


def test_our_own_reader_finds_the_calls_in_a_trajectory_again(assay: Assay) -> None:
    fill(Store.create("samples.assay"), samples())
    assert assay("export", "samples.assay", "-o", "x.atif.jsonl").code == 0
    again = list(read_runs("x.atif.jsonl"))
    assert all(isinstance(case, AgentTestCase) for case in again)
    for before, after in zip(samples(), again, strict=True):
        assert isinstance(after, AgentTestCase)
        assert (after.input, after.actual_output) == (before.input, before.actual_output)
        assert after.model == before.model
        assert [
            (call.tool, call.parameters, call.server, call.success) for call in before.calls
        ] == [
            (call.tool, call.parameters, call.server, call.reported_success) for call in after.calls
        ]
