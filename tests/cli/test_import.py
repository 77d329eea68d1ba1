"""`assay import` as people use it, and what it makes of everything that goes wrong."""

from __future__ import annotations

import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.processes import PLAIN, on_a_terminal, with_patience
from tests.command_line import Assay, Done

from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable


RUNS = Path(__file__).resolve().parents[2] / "examples" / "runs"
SECRET = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3


@pytest.fixture
def assay(assay: Assay) -> Assay:
    """Run `assay import ... --store store`."""
    return lambda *arguments: assay("import", *arguments, "--store", "store")


def process(*arguments: object, stdin: bytes = b"", folder: Path | None = None) -> Done:
    """Run `python -m assay import` in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "assay", "import", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=folder,
        timeout=120,
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def case(number: int, **fields: Any) -> dict[str, Any]:
    return {
        "input": f"question {number}",
        "actual_output": "answer",
        "run_id": f"run-{number}",
        "execution_data": {
            "tool_executions": [{"tool": "t", "parameters": {}, "result": 1, "success": True}]
        },
        **fields,
    }


def lines(*items: Any) -> bytes:
    return b"".join(json.dumps(item).encode() + b"\n" for item in items)


def write(name: str, content: bytes) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def zipped(**files: bytes) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("__", "/") + ".jsonl", content)
    return packed.getvalue()


def run_ids() -> list[str]:
    rows = Store("store").query("SELECT run_id FROM runs ORDER BY run_id")
    return [row["run_id"] for row in rows]


CHAT = {
    "messages": [
        {"role": "user", "content": "How is Oslo?"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "sunny"},
        {"role": "assistant", "content": "Sunny."},
    ]
}
EVALUATION = {
    "uuid": "u",
    "query": "q",
    "actual_tools": [],
    "final_answer_evaluation": {"final_answer_score": 0.5},
    "step_by_step_evaluation": {"total_steps": 1, "average_step_score": 0.5},
}


def test_one_command_brings_in_a_folder(assay: Assay) -> None:
    done = assay(RUNS)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("20 runs added to store (read: assay 20)\n")
    assert Store("store").count() == 20


def test_again_adds_nothing(assay: Assay) -> None:
    assay(RUNS)
    batches = Store("store").batches()
    done = assay(RUNS)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("0 runs added to store (read: assay 20)\n20 were there already\n")
    assert Store("store").batches() == batches


def test_mixed_formats_in_one_folder(assay: Assay) -> None:
    write("mixed/a.jsonl", lines(case(1), case(2)))
    write("mixed/deep/b.json", json.dumps(CHAT).encode())
    write("mixed/m/m_by_j/pass@1/eval_u.json", json.dumps(EVALUATION).encode())
    write("mixed/c.jsonl.gz", gzip.compress(lines(case(3))))
    write("mixed/d.zip", zipped(x=lines(case(4)), deep__y=lines(case(5))))
    write("mixed/README.md", b"# notes")
    write("mixed/LICENSE", b"Permission is hereby granted")
    write("mixed/package.json", b'{"name": "x", "version": "1.0.0"}')
    done = assay("mixed", "--json")
    assert done.code == 0
    assert (done.json["added"], done.json["evaluations"], done.json["passed_over"]) == (6, 1, 3)
    assert done.json["formats"] == {"assay": 5, "openai-chat": 1}
    (row,) = Store("store").query("SELECT model, judge, attempt FROM evaluations")
    assert row == {"model": "m", "judge": "j", "attempt": 1}


def test_evaluations_are_counted_and_enough(assay: Assay) -> None:
    write("e/m/m_by_j/pass@1/eval_u.json", json.dumps(EVALUATION).encode())
    summary = {"total_evaluated": 1, "errors": 0, "avg_final_answer_score": 0.5}
    write("e/m/m_by_j/_summary.json", json.dumps(summary).encode())
    done = assay("e")
    assert (done.code, done.err) == (0, "")
    assert "1 evaluation and 1 summary of them added" in done.out
    assert "2 were there already" in assay("e").out


def test_what_lies_beside_a_run_is_neither_passed_over_nor_known(assay: Assay) -> None:
    write("runs/run-1/t/messages.json", json.dumps([{"role": "user", "content": "Go"}]).encode())
    meta = {"task_name": "t", "mcp": "fs", "execution_result": {"success": True}}
    write("runs/run-1/t/meta.json", json.dumps(meta).encode())
    done = assay("runs")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "1 run added to store (read: mcpmark 1)",
        "1 file belongs to runs in other files",
    ]
    assert Store("store").query("SELECT outcome_success FROM runs") == [{"outcome_success": True}]


def test_what_two_files_tell_was_not_there_before(assay: Assay) -> None:
    write("two/a.jsonl", lines(case(1), case(2)))
    write("two/b.jsonl", lines(case(1), case(2), case(3)))
    again = "2 duplicates were counted once"
    assert again in assay("two", "--jobs", "1").out
    assert "5 were there already" in assay("two", "--jobs", "1").out


def test_standard_input(tmp_path: Path) -> None:
    done = process("-", "--store", "store", stdin=lines(case(1), case(2)), folder=tmp_path)
    assert (done.code, done.out) == (0, "2 runs added to store (read: assay 2)\n")


def test_standard_input_twice_is_refused(assay: Assay) -> None:
    done = assay("-", "-")
    assert done.code == 2
    assert "can be read only once" in done.err


def test_a_glob_takes_the_files_that_match(assay: Assay) -> None:
    for n in range(3):
        write(f"logs/{n}.jsonl", lines(case(n)))
    assert assay("logs/[01].jsonl").code == 0
    assert run_ids() == ["run-0", "run-1"]


def test_a_store_among_the_recordings_is_walked_past(assay: Assay) -> None:
    write("a.jsonl", lines(case(1)))
    assert assay(".").out.startswith("1 run added")
    done = assay(".")
    assert (done.code, done.err) == (0, "")
    assert done.out == "0 runs added to store (read: assay 1)\n1 was there already\n"


def test_a_store_that_is_named_is_told_what_it_is(assay: Assay) -> None:
    assert assay(write("a.jsonl", lines(case(1)))).code == 0
    Path("store").rename("other.assay")
    done = assay("other.assay")
    assert done.code == 3
    told = "is an assay store; export the runs as .jsonl and import those"
    assert f"not read: other.assay: {told}" in done.err
    assert not Path("store").exists()
    done = assay("other.assay/batches", "a.jsonl")
    assert done.code == 3
    assert "not read: other.assay/batches: is part of the store " in done.err
    assert run_ids() == ["run-1"]


def test_the_store_itself_may_lie_among_the_sources(assay: Assay) -> None:
    assert assay(write("a.jsonl", lines(case(1)))).code == 0
    done = assay("a.jsonl", "store")
    assert (done.code, done.err) == (0, "")
    assert run_ids() == ["run-1"]


def test_a_zip_that_a_mac_made_is_whole(assay: Assay) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("logs/a.jsonl", lines(case(1)))
        archive.writestr("logs/.DS_Store", b"\0\0\0\1Bud1")
        archive.writestr("__MACOSX/logs/._a.jsonl", b"\0\5\x16\7")
    done = assay(write("mac.zip", packed.getvalue()))
    assert (done.code, done.err) == (0, "")
    assert done.out == "1 run added to store (read: assay 1)\n"


USAGE: dict[str, tuple[list[object], str]] = {
    "no such file": (["nowhere.json"], "no such file or folder: nowhere.json"),
    "no name": (["a.json", ""], "a source has no name; the folder you are in is named ."),
    "a glob that matches nothing": (["*.none"], "no such file or folder: *.none"),
    "a format nobody knows": ([RUNS, "--format", "toolgim"], "Did you mean 'toolgym'?"),
    "a word of a format": ([RUNS, "--format", "adk"], "Did you mean 'google-adk'?"),
    "a word of several": (
        [RUNS, "--format", "OpenAI"],
        "Did you mean 'openai-agents' or 'openai-assistants' or 'openai-chat' or 'openai-realtime'",
    ),
    "no process at all": ([RUNS, "--jobs", "0"], "x>=1"),
}


@pytest.mark.parametrize("name", USAGE)
def test_wrong_usage_is_exit_2_and_writes_nothing(assay: Assay, name: str) -> None:
    arguments, message = USAGE[name]
    done = assay(*arguments)
    assert done.code == 2
    assert message in done.err
    assert not Path("store").exists()


def test_a_folder_that_is_no_store_is_left_alone(assay: Assay) -> None:
    write("store/precious.txt", b"mine")
    done = assay(RUNS)
    assert done.code == 2
    assert "is not empty and not a store" in done.err
    assert [path.name for path in Path("store").iterdir()] == ["precious.txt"]


def test_a_wrong_format_reads_nothing_and_says_so(assay: Assay) -> None:
    write("a.jsonl", lines(case(1)))
    done = assay("a.jsonl", "--format", "toolgym")
    assert done.code == 3
    assert "a.jsonl: is no toolgym, but looks like assay" in done.err
    assert not Path("store").exists()


def test_explain_tells_what_the_formats_cannot_say(assay: Assay) -> None:
    write("chat.json", json.dumps(CHAT).encode())
    assert re.search(r"^openai-chat: .{20}", assay("chat.json", "--explain").out, re.M)
    done = assay("chat.json", "--explain", "--json")
    assert done.json["runs"] == 1
    assert done.err.startswith("openai-chat: ")


def test_explain_overlooks_formats_of_others(assay: Assay) -> None:
    write("a.jsonl", lines(case(1, source={"path": "x", "format": "my-own"})))
    done = assay("a.jsonl", "--explain")
    assert (done.code, done.err) == (0, "")


def test_secrets_are_masked_unless_asked_for(assay: Assay) -> None:
    write("a.jsonl", lines(case(1, actual_output=f"the key is {SECRET}")))
    done = assay("a.jsonl")
    assert "1 secret masked" in done.out
    (row,) = Store("store").query("SELECT actual_output FROM runs")
    assert SECRET not in row["actual_output"]


def test_no_redact_keeps_them(assay: Assay) -> None:
    write("a.jsonl", lines(case(1, actual_output=f"the key is {SECRET}")))
    done = assay("a.jsonl", "--no-redact")
    assert "masked" not in done.out
    (row,) = Store("store").query("SELECT actual_output FROM runs")
    assert SECRET in row["actual_output"]


def test_mail_addresses_are_masked_on_request(assay: Assay) -> None:
    write("a.jsonl", lines(case(1, actual_output="write to ada@example.com")))
    assay("a.jsonl", "--redact-emails")
    (row,) = Store("store").query("SELECT actual_output FROM runs")
    assert "ada@example.com" not in row["actual_output"]


def test_hidden_folders_are_named_where_nothing_else_is_found(assay: Assay) -> None:
    Path("home/.claude/projects").mkdir(parents=True)
    Path("home/.hidden.json").write_text("{}")
    done = assay("home")
    assert done.code == 3
    assert done.err.splitlines() == [
        "No runs were found",
        "Hidden folders are not looked into unless you name them: home/.claude",
    ]


def test_runs_that_were_guessed_are_said_to_be(assay: Assay) -> None:
    steps = [
        {"who": "human", "text": "What is 2 + 2?"},
        {"who": "bot", "tool_calls": [{"name": "add", "args": {"a": 2, "b": 2}, "result": 4}]},
        {"who": "bot", "text": "4"},
    ]
    Path("odd.json").write_text(json.dumps({"steps": steps}))
    done = assay("odd.json")
    assert done.code == 0
    assert "(read: generic 1)" in done.out
    assert "1 run was read by shape alone" in done.err


def test_an_empty_folder_says_so(assay: Assay) -> None:
    Path("empty").mkdir()
    done = assay("empty")
    assert (done.code, done.out) == (3, "0 runs added and store was not made\n")
    assert done.err == "No runs were found\n"


@pytest.mark.parametrize("content", [b"no JSON", b'{"a": 1}', b'{"messages": ['])
def test_an_import_that_finds_nothing_leaves_nothing_behind(assay: Assay, content: bytes) -> None:
    write("a.json", content)
    assert assay("a.json").code == 3
    assert [path.name for path in Path().iterdir()] == ["a.json"]


def test_a_store_that_was_there_stays(assay: Assay) -> None:
    Store.create("store")
    write("a.json", b"no JSON")
    assert assay("a.json").out == "0 runs added to store\n"
    assert Store("store").query("SELECT COUNT(*) AS runs FROM runs") == [{"runs": 0}]


def test_broken_lines_cost_themselves(assay: Assay) -> None:
    text = lines(case(1)) + b'{"input": "cut\n' + lines(case(2)) + b"\xff\xfe{}\n" + lines(case(3))
    write("a.jsonl", text)
    done = assay("a.jsonl")
    assert done.code == 3
    assert "not read: a.jsonl:2: not JSON" in done.err
    assert "not read: a.jsonl:4: not JSON: not UTF-8 at byte 0" in done.err
    assert run_ids() == ["run-1", "run-2", "run-3"]


def bomb() -> bytes:
    packed = io.BytesIO()
    archive = zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED)
    with archive, archive.open("big.json", "w", force_zip64=True) as file:
        for _ in range(1100):
            file.write(b" " * (1 << 20))
    return packed.getvalue()


def truncated() -> bytes:
    whole = zipped(x=lines(case(8), case(9)))
    return whole[: len(whole) // 2]


def damaged() -> bytes:
    whole = zipped(x=lines(*map(case, range(200))), y=lines(case(500)))
    middle = len(whole) // 3
    return whole[:middle] + bytes(40) + whole[middle + 40 :]


def tarred() -> bytes:
    """A tar of many lines that would be runs in a file of their own."""
    packed, text = io.BytesIO(), lines(*map(case, range(20)))
    with tarfile.open(fileobj=packed, mode="w") as archive:
        member = tarfile.TarInfo("runs.jsonl")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return packed.getvalue()


def test_an_archive_is_known_by_its_content(assay: Assay) -> None:
    assert "20 runs added" in assay(write("x.jsonl", tarred())).out
    assert "20 were there already" in assay(write("x.tar.gz", gzip.compress(tarred()))).out


BROKEN: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "a truncated zip": ("x.zip", truncated, "x.zip: is not a usable archive"),
    "a damaged zip": ("x.zip", damaged, "is damaged"),
    "a zip bomb": ("x.zip", bomb, "that is refused"),
    "a truncated gzip": (
        "x.jsonl.gz",
        lambda: gzip.compress(os.urandom(5000))[:2000],
        "x.jsonl",
    ),
    "a truncated gzip of no other suffix": (
        "x.gz",
        lambda: gzip.compress(lines(*map(case, range(900))))[:900],
        "x.gz is damaged",
    ),
    "a truncated tar": ("x.tar", lambda: tarred()[:3000], "x.tar: is a damaged archive"),
    "no gzip at all": ("x.json.gz", lambda: b"plain", "x.json.gz: not JSON"),
    "binary": ("x.json", lambda: b"\x00\x01\x02\xff" * 1000, "x.json: is binary"),
    "an empty file": ("x.json", lambda: b"", "x.json: is empty"),
    "an empty zip": ("x.zip", lambda: b"", "x.zip: is empty"),
    "nested without end": ("x.json", lambda: b"[" * 200_000, "x.json"),
    "JSON cut off": ("x.json", lambda: json.dumps(case(1)).encode()[:-20], "x.json: not JSON"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_reported_and_the_rest_imported(assay: Assay, name: str) -> None:
    file, content, message = BROKEN[name]
    write(f"in/{file}", content())
    write("in/good.jsonl", lines(case(7)))
    done = assay("in")
    assert done.code == 3
    assert message in done.err
    assert "not read: " in done.err
    assert "run-7" in run_ids()


def test_a_document_beyond_the_limit_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    """600 MB in one line, made of a hole: it takes no room on disk."""
    with (tmp_path / "huge.json").open("wb") as file:
        file.write(b'{"input": "')
        file.truncate(600 * 1024 * 1024)
    (tmp_path / "good.jsonl").write_bytes(lines(case(1)))
    script = (
        "import resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_AS, (5 << 30, 5 << 30))\n"
        "from assay.cli import main\n"
        "main()\n"
    )
    arguments = ["import", str(tmp_path / "huge.json"), str(tmp_path / "good.jsonl")]
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments, "--store", str(tmp_path / "store")],
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 3
    assert "huge.json: a document of more than 512 MB" in done.stderr
    assert "1 run added" in done.stdout


def test_a_line_beyond_the_limit_costs_that_line(tmp_path: Path) -> None:
    with (tmp_path / "huge.jsonl").open("wb") as file:
        file.write(lines(case(1)) + b'{"input": "')
        file.seek(600 * 1024 * 1024)
        file.write(b'"}\n' + lines(case(2)))
    done = process(tmp_path / "huge.jsonl", "--store", tmp_path / "store")
    assert done.code == 3
    assert "huge.jsonl:2: a line of more than 512 MB" in done.err
    assert "2 runs added" in done.out


def test_links_that_lead_in_circles(assay: Assay) -> None:
    write("in/a.jsonl", lines(case(1)))
    Path("in/loop").symlink_to(Path("in").resolve(), target_is_directory=True)
    Path("in/self.json").symlink_to("self.json")
    Path("in/gone.json").symlink_to("nowhere.json")
    done = assay("in")
    assert done.code == 3
    assert "in/self.json: cannot be read: Too many levels of symbolic links" in done.err
    assert "in/gone.json: cannot be read: No such file or directory" in done.err
    assert run_ids() == ["run-1"]


def test_names_in_an_archive_that_lead_outside(assay: Assay) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("../../escape.jsonl", lines(case(1)))
        archive.writestr("/etc/escape.jsonl", lines(case(2)))
    write("in/x.zip", packed.getvalue())
    assert assay("in").code == 0
    assert run_ids() == ["run-1", "run-2"]
    assert not list(Path.cwd().parent.rglob("escape*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(assay: Assay) -> None:
    write("in/secret.jsonl", lines(case(1))).chmod(0)
    write("in/good.jsonl", lines(case(2)))
    done = assay("in")
    assert done.code == 3
    assert "in/secret.jsonl: cannot be read: Permission denied" in done.err
    assert run_ids() == ["run-2"]


def test_many_problems_are_summed_up(assay: Assay) -> None:
    write("a.jsonl", b"{broken\n" * 50 + lines(case(1)))
    done = assay("a.jsonl")
    assert done.err.count("not read: ") == 20
    assert "... and 30 more not read (all of them with --json)" in done.err
    assert len(assay("a.jsonl", "--json").json["problems"]) == 50


def test_numbers_of_any_size_come_through(assay: Assay) -> None:
    write("a.jsonl", lines(case(1, attempt=10**30, usage={"input_tokens": 10**25})))
    assert assay("a.jsonl").code == 0
    (found,) = Store("store").cases()
    assert found.attempt == 10**30


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """40 MB in 80 files: a few seconds of work, shared by two processes."""
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(80):
        cases = [case(n, actual_output="x" * 500) for n in range(i * 700, (i + 1) * 700)]
        (folder / f"{i:02}.jsonl").write_bytes(lines(*cases))
    return folder


def test_ctrl_c_keeps_whole_batches_and_a_second_run_completes(many: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    command = [sys.executable, "-m", "assay", "import", str(many), "--store", str(store), "-j", "2"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)
    until = time.monotonic() + 120
    while not (store / "batches").is_dir() or not any(store.glob("writing/*")):
        assert time.monotonic() < until
        assert running.poll() is None, "it was done before it could be interrupted"
        time.sleep(0.005)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does: to all of them
    _, err = running.communicate(timeout=120)
    assert running.returncode == 3
    assert err == "Interrupted: what was read so far is kept; run it again to go on\n"
    kept = Store(store).count()
    assert 0 < kept < 56_000
    assert Store(store).doctor() == []
    done = process(many, "--store", store)
    assert done.code == 0
    assert f"{56_000 - kept:,} runs added" in done.out
    assert Store(store).count() == 56_000


ALWAYS_SHARED = (
    "from assay.importing import portions, sharing;"
    "sharing._WORTH_SHARING_BYTES = 200_000; portions._PORTION_FILES = 1"
)


@pytest.mark.parametrize("how", ["", ALWAYS_SHARED], ids=["alone", "by two processes"])
def test_a_bar_is_drawn_on_a_terminal(how: str, tmp_path: Path) -> None:
    impatient = with_patience(0, how)
    folder = tmp_path / "several"
    folder.mkdir()
    for i in range(8):
        cases = [case(n, actual_output="x" * 500) for n in range(i * 100, (i + 1) * 100)]
        (folder / f"{i}.jsonl").write_bytes(lines(*cases))
    arguments = ["import", str(folder), "--store", str(tmp_path / "store"), "-j", "2"]
    code, drawn = on_a_terminal(arguments, PLAIN, impatient)
    plain = re.sub(r"\x1b\[[\d;]*m", "", drawn)
    assert code == 0
    assert re.search(r"[\d,]+ read .*━.*%", plain)
    assert "800 runs added" in plain
    batches = list((tmp_path / "store" / "batches").iterdir())
    assert len(batches) == (2 if how else 1)  # each process writes its own
    piped = subprocess.run([*impatient, *arguments], capture_output=True, text=True, check=True)
    assert "━" not in piped.stdout + piped.stderr


def test_the_reference_page_names_every_option(assay: Assay) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "reference" / "cli.md"
    section = page.read_text(encoding="utf-8").split("## assay import")[1].split("\n## ")[0]
    for option in re.findall(r"--[a-z-]+", assay("--help").out):
        if option != "--help":
            assert f"`{option}" in section or f" {option}" in section, option


def session_lines(calls: int) -> list[dict[str, Any]]:
    """A session of Claude Code after so many calls."""
    told = {"sessionId": "s-1", "version": "2.0.0", "cwd": "/w"}
    lines = [{"type": "user", "message": {"role": "user", "content": "look around"}, "uuid": "u0"}]
    for number in range(calls):
        used = {"type": "tool_use", "id": f"c{number}", "name": "Read", "input": {"n": number}}
        done = {"type": "tool_result", "tool_use_id": f"c{number}", "content": f"text {number}"}
        asked = {"id": f"m{number}", "role": "assistant", "model": "ada", "content": [used]}
        lines.append({"type": "assistant", "message": asked, "uuid": f"a{number}"})
        lines.append(
            {"type": "user", "message": {"role": "user", "content": [done]}, "uuid": f"r{number}"}
        )
    times = [f"2026-01-01T10:00:{number:02d}.000Z" for number in range(len(lines))]
    return [{**told, **line, "timestamp": at} for line, at in zip(lines, times, strict=True)]


def test_a_session_that_grew_counts_once(assay: Assay, tmp_path: Path) -> None:
    file = tmp_path / "s-1.jsonl"
    for calls, told in ((2, ""), (5, "1 earlier state of a run was replaced"), (5, "")):
        file.write_text("".join(json.dumps(line) + "\n" for line in session_lines(calls)))
        done = assay(str(file))
        assert done.code == 0
        assert ("replaced by a later one" in done.out) == bool(told)
        assert told in done.out
        (row,) = Store("store").query("SELECT calls, (SELECT COUNT(*) FROM calls) AS n FROM runs")
        assert (row["calls"], row["n"]) == (calls, calls)
