"""Ctrl-C, readers that go away, and the progress bar: real processes, pipes and terminals."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.cli.processes import ASSAY, PLAIN, on_a_terminal, with_patience
from tests.store.runs import SMALL, fill, runs

from assay.importing import ImportSettings, import_runs
from assay.own_process import uninterrupted
from assay.store import Store

LINE = (
    '{"input": "q", "actual_output": "a", "available_tools": ["t"], "run_id": "%06d", '
    '"execution_data": {"tool_executions": [{"tool": "t", "parameters": {}, "success": true}]}}\n'
)
# Slow enough to be interrupted, fast enough to have done something by then.
SLOW_METRIC = """
import asyncio
import pathlib
from assay import Score

class Slow:
    name = "slow"

    async def evaluate(self, case):
        pathlib.Path("began").write_text("x")
        await asyncio.sleep(%s)
        return Score(self.name, 0.5)
"""


def many(path: Path, number: int) -> Path:
    with path.open("w", encoding="utf-8") as file:
        file.writelines(LINE % i for i in range(number))
    return path


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def wait_for(path: Path, size: int) -> None:
    """Wait until so much was written: scoring is under way."""
    until = time.monotonic() + 120
    while not (path.exists() and path.stat().st_size > size):
        assert time.monotonic() < until, "nothing was written"
        time.sleep(0.01)


def imported(store: str, *sources: Path) -> None:
    import_runs([str(source) for source in sources], ImportSettings(store), jobs=1)


def start(
    *arguments: object, env: dict[str, str] | None = None, command: str = "score"
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*ASSAY, command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | (env or {}),
    )


def test_after_ctrl_c_every_file_is_whole(in_folder: Path) -> None:
    runs = many(in_folder / "runs.jsonl", 200_000)
    outputs = [in_folder / f"scores{suffix}" for suffix in (".csv", ".json", ".jsonl", ".md")]
    options = [option for path in outputs for option in ("-o", path)]
    process = start(runs, *options)
    wait_for(outputs[2], 50_000)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "Interrupted: everything scored so far was kept" in err
    assert "Traceback" not in err + out

    whole = json.loads(outputs[1].read_text())
    runs_done = [row["run"] for row in whole["cases"]]
    assert 10 < len(runs_done) < 200_000
    assert runs_done == [f"{i:06}" for i in range(len(runs_done))]
    assert whole["summary"]["cases"] == len(runs_done)
    assert whole["summary"]["interrupted"] is True
    assert f"{len(runs_done):,} scored" in out

    lines = outputs[2].read_text().splitlines()
    assert [json.loads(line)["run"] for line in lines] == runs_done
    table = list(csv.DictReader(io.StringIO(outputs[0].read_text())))
    assert [row["run"] for row in table] == runs_done
    assert {row["score"] for row in table} == {"1.0"}
    markdown = outputs[3].read_text().splitlines()
    assert [line.split(" | ")[0].removeprefix("| ") for line in markdown[2:]] == runs_done


def test_what_a_slow_judge_has_finished_is_kept(in_folder: Path) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "0.05")
    runs = many(in_folder / "runs.jsonl", 10_000)
    process = start(runs, "--metric", "slow_metric:Slow", "-o", "s.jsonl", "-o", "s.json")
    wait_for(in_folder / "s.jsonl", 8000)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "Traceback" not in err
    found = json.loads((in_folder / "s.json").read_text())
    assert len(found["cases"]) == found["summary"]["cases"] > 20


@pytest.mark.parametrize("signals", [1, 2, 3])
def test_an_impatient_user_gets_whole_files_too(in_folder: Path, signals: int) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "60")
    runs = many(in_folder / "runs.jsonl", 100)
    process = start(runs, "--metric", "tool_use", "--metric", "slow_metric:Slow", "-o", "s.json")
    wait_for(in_folder / "began", 0)
    for _ in range(signals):
        process.send_signal(signal.SIGINT)
        time.sleep(0.02)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert "Traceback" not in err
    assert json.loads((in_folder / "s.json").read_text())["summary"]["interrupted"] is True


BLOCKED_JUDGE = """
import pathlib
import time
from assay import MCPToolMetric

def judge(prompt):
    pathlib.Path("began").write_text("x")
    time.sleep(600)

METRIC = MCPToolMetric(model=judge)
"""


def test_a_judge_that_never_answers_does_not_keep_the_user(in_folder: Path) -> None:
    (in_folder / "blocked.py").write_text(BLOCKED_JUDGE)
    runs = many(in_folder / "runs.jsonl", 100)
    process = start(runs, "--metric", "blocked:METRIC", "-o", "s.json")
    wait_for(in_folder / "began", 0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 3
    assert err == "Interrupted: everything scored so far was kept\n"
    assert json.loads((in_folder / "s.json").read_text())["summary"]["interrupted"] is True


def test_an_interruption_waits_for_what_must_not_be_cut() -> None:
    done = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("the block")
        done.append("what follows")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert done == ["the block"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_whoever_ignores_an_interruption_is_not_interrupted_later() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_in_such_a_block_is_not_hidden() -> None:
    with pytest.raises(ZeroDivisionError), uninterrupted():
        raise ZeroDivisionError
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_another_thread_does_not_touch_signals() -> None:
    def work() -> str:
        with uninterrupted():
            return "done"

    with ThreadPoolExecutor() as pool:
        assert pool.submit(work).result() == "done"


_PUT_TOGETHER = """
import os, signal, sys
import typer.main
made = typer.main.get_params_convertors_ctx_param_name_from_function
def interrupted(*given):
    os.kill(os.getpid(), signal.SIGINT)
    return made(*given)
typer.main.get_params_convertors_ctx_param_name_from_function = interrupted
sys.argv = ["assay", "ls"]
from assay.cli import main
main()
"""


def test_ctrl_c_while_the_command_is_put_together_ends_it_without_a_word() -> None:
    command = [sys.executable, "-c", _PUT_TOGETHER]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_a_bad_verdict_survives_an_interruption(in_folder: Path) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "0.01")
    runs = many(in_folder / "runs.jsonl", 100_000)
    process = start(
        runs, "--metric", "slow_metric:Slow", "--threshold", "0.9", "-o", in_folder / "s.jsonl"
    )
    wait_for(in_folder / "s.jsonl", 8000)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 1


def piped(command: str, folder: Path) -> tuple[int, str, str]:
    """The exit code of the first command of a pipe, and what came out."""
    done = subprocess.run(
        ["bash", "-c", f"{command}; exit ${{PIPESTATUS[0]}}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        timeout=120,
    )
    return done.returncode, done.stdout, done.stderr


# The verdict is known before the table is drawn; data that nobody took is incomplete.
PIPES = {
    "assay score runs.jsonl | head -1": 0,
    "assay score runs.jsonl --threshold 1.0 --tools none.json | head -1": 1,
    "assay score runs.jsonl --json -o scores.json | head -1": 3,
    "assay score runs.jsonl --verbose -o scores.json | head -1": 3,
    "assay score runs.jsonl bad.json 2>&1 | true": 3,
    "assay score runs.jsonl --json | true": 3,
    "assay judge show runs.jsonl | true": 3,
    "assay formats | true": 3,
    "assay --help | true": 3,
}


@pytest.mark.parametrize("command", PIPES)
def test_a_reader_that_goes_away_is_no_error(command: str, tmp_path: Path) -> None:
    many(tmp_path / "runs.jsonl", 2000)
    (tmp_path / "none.json").write_text("{}")
    (tmp_path / "bad.json").write_text("oops")
    code, _, err = piped(command, tmp_path)
    assert (code, err.count("Traceback"), err.count("BrokenPipe")) == (PIPES[command], 0, 0)
    if "-o scores.json" in command:
        found = json.loads((tmp_path / "scores.json").read_text())
        assert found["summary"]["cases"] == len(found["cases"]) > 0


def test_a_reader_that_went_away_before_the_last_word_is_no_error(tmp_path: Path) -> None:
    """What is little waits in a buffer until the end."""
    runs = many(tmp_path / "runs.jsonl", 2)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*ASSAY, "score", runs, "--json"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        timeout=120,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (3, "")


def test_a_full_disk_is_said_in_one_line(tmp_path: Path) -> None:
    many(tmp_path / "runs.jsonl", 2000)
    (tmp_path / "full.csv").symlink_to("/dev/full")
    code, _, err = piped("assay score runs.jsonl -o full.csv -o whole.json", tmp_path)
    assert code == 3
    assert err == "assay: full.csv cannot be written: No space left on device\n"
    assert json.loads((tmp_path / "whole.json").read_text())["cases"]


@pytest.mark.parametrize(
    ("output", "told"),
    [
        (">&-", (0, "")),
        (">/dev/full", (3, "assay: No space left on device\n")),
        (">/dev/full 2>/dev/full", (3, "")),
    ],
)
def test_output_that_nothing_can_take_is_no_verdict(
    output: str, told: tuple[int, str], tmp_path: Path
) -> None:
    code, _, err = piped(f"assay formats {output}", tmp_path)
    assert (code, err) == told


def test_a_bar_is_drawn_for_long_work_and_taken_away(in_folder: Path) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "0.08")
    runs = many(in_folder / "runs.jsonl", 500)
    command = ["score", str(runs), "--metric", "slow_metric:Slow"]
    code, drawn = on_a_terminal(command, PLAIN, with_patience(0))
    assert code == 0
    assert re.search(r"[\d,]+ cases .*━.*%", re.sub(r"\x1b\[[\d;]*m", "", drawn))
    assert "\x1b[2K" in drawn  # the line is taken away again
    assert "slow: 500 scored, mean 0.500" in drawn


@pytest.mark.parametrize(
    ("name", "options", "things"),
    [
        ("x.otel.jsonl", ["--metric", "slow_metric:Slow"], "runs"),
        ("x.jsonl", [], "runs"),
        ("x.atif.json", [], "runs"),
        ("x.csv", ["--table", "calls"], "rows"),
        ("x.parquet", ["--table", "calls"], "rows"),
    ],
)
def test_a_bar_is_drawn_for_a_long_export(
    in_folder: Path, name: str, options: list[str], things: str
) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "0.02")
    imported("runs.assay", many(in_folder / "runs.jsonl", 300))
    command = ["export", "runs.assay", "-o", name, *options]
    code, drawn = on_a_terminal(command, PLAIN, with_patience(0))
    assert code == 0
    assert re.search(rf"[\d,]+ {things} .*━.*%", re.sub(r"\x1b\[[\d;]*m", "", drawn))
    assert f"300 {things}" in drawn.splitlines()[-1]
    assert "━" not in on_a_terminal(command, PLAIN, with_patience(600))[1]


def test_a_bar_is_drawn_for_a_long_compaction(in_folder: Path) -> None:
    fill(Store.create("runs.assay"), runs(30), limit=SMALL)
    batches = len(Store("runs.assay").batches())
    code, drawn = on_a_terminal(["compact", "runs.assay"], PLAIN, with_patience(0))
    assert code == 0
    assert re.search(r"\d+ batches .*━.*%", re.sub(r"\x1b\[[\d;]*m", "", drawn))
    assert f"{batches} batches became one" in drawn.splitlines()[-1]


def test_a_bar_is_drawn_for_a_long_look_at_a_store(in_folder: Path) -> None:
    fill(Store.create("runs.assay"), runs(30), limit=SMALL)
    code, drawn = on_a_terminal(["doctor", "runs.assay"], PLAIN, with_patience(0))
    assert code == 0
    assert re.search(r"\d+ kB .*━.*%", re.sub(r"\x1b\[[\d;]*m", "", drawn))
    assert drawn.splitlines()[-1].endswith("30 runs, all of it readable\x1b[0m")
    assert "━" not in on_a_terminal(["doctor", "runs.assay"], PLAIN, with_patience(600))[1]


def test_no_bar_where_the_data_itself_passes_by(in_folder: Path) -> None:
    imported("runs.assay", many(in_folder / "runs.jsonl", 30))
    command = ["export", "runs.assay", "-o", "-"]
    code, drawn = on_a_terminal(command, PLAIN, with_patience(0))
    assert (code, len(drawn.splitlines())) == (0, 30)
    assert "━" not in drawn


def test_an_export_of_scores_that_is_interrupted_leaves_no_file(in_folder: Path) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "60")
    imported("runs.assay", many(in_folder / "runs.jsonl", 100))
    asked = ["runs.assay", "-o", "x.otel.jsonl", "--metric", "slow_metric:Slow"]
    process = start(*asked, command="export")
    wait_for(in_folder / "began", 0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (3, "Interrupted: x.otel.jsonl was not written\n")
    assert not list(in_folder.glob("x.*"))


def test_no_bar_for_short_work_nor_beside_reasons(in_folder: Path) -> None:
    runs = many(in_folder / "runs.jsonl", 20)
    _, drawn = on_a_terminal(["score", str(runs)], PLAIN, with_patience(600))
    assert "━" not in drawn
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "1.2")
    slow = ["score", str(runs), "--metric", "slow_metric:Slow", "--verbose"]
    _, drawn = on_a_terminal(slow, PLAIN)
    assert "━" not in drawn


@pytest.mark.parametrize("force", [{}, {"FORCE_COLOR": "1"}, {"TTY_INTERACTIVE": "1"}])
def test_no_bar_on_a_pipe(in_folder: Path, force: dict[str, str]) -> None:
    (in_folder / "slow_metric.py").write_text(SLOW_METRIC % "1.1")
    runs = many(in_folder / "runs.jsonl", 20)
    process = start(runs, "--metric", "slow_metric:Slow", env=force)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0
    assert "slow: 20 scored" in re.sub(r"\x1b\[[\d;]*m", "", out)
    assert err == ""


def test_no_colour_where_none_is_wanted(in_folder: Path) -> None:
    runs = many(in_folder / "runs.jsonl", 3)
    _, colourful = on_a_terminal(["score", str(runs)], PLAIN)
    _, plain = on_a_terminal(["score", str(runs)], PLAIN | {"NO_COLOR": "1"})
    assert re.search(r"\x1b\[[\d;]*3\dm", colourful)
    assert not re.search(r"\x1b\[[\d;]*3\dm", plain)
