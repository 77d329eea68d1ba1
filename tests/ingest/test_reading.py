"""One way in for every source and format."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from assay.errors import UnknownName
from assay.ingest.documents import Unreadable
from assay.ingest.formats import (
    FORMAT_NAMES,
    all_formats,
    format_named,
    likely_format,
    pick_format,
)
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace, Recording
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from assay.ingest.recording import Format

FORMAT_PAGES = Path(__file__).resolve().parents[2] / "docs" / "reference" / "formats"
CHAT = [
    {"role": "user", "content": "How warm is it in Oslo?"},
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
    {"role": "tool", "tool_call_id": "c1", "content": "Error: no such city"},
    {"role": "assistant", "content": "I could not find out."},
]
OWN = {"schema_version": 1, "input": "q", "actual_output": "a", "execution_data": None}


def runs_of(items: list[AgentTestCase | Unreadable]) -> list[AgentTestCase]:
    return [item for item in items if isinstance(item, AgentTestCase)]


def test_every_format_answers_to_its_name() -> None:
    assert [known.name for known in all_formats()] == list(FORMAT_NAMES)
    assert all(known.title and known.fidelity for known in all_formats())


@pytest.mark.parametrize("known", all_formats(), ids=lambda known: known.name)
def test_every_format_says_what_it_cannot_say_and_has_its_place_in_the_docs(known: Format) -> None:
    assert len(known.fidelity) > 30
    assert known.fidelity.endswith(".")
    index, *pages = sorted(FORMAT_PAGES.glob("*.md"), key=lambda page: page.name != "index.md")
    assert f"| `{known.name}` |" in index.read_text(encoding="utf-8")
    assert known.name == "assay" or any(
        f"`{known.name}`" in page.read_text(encoding="utf-8") for page in pages
    )


def test_an_unknown_format_is_an_error_with_a_hint() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'otel'"):
        format_named("otell")


def test_a_folder_of_mixed_formats_and_other_files(tmp_path: Path) -> None:
    (tmp_path / "chat.json").write_text(json.dumps(CHAT))
    (tmp_path / "own.jsonl").write_text(json.dumps(OWN) + "\n" + "oops\n")
    (tmp_path / "settings.json").write_text('{"colour": "red"}')
    (tmp_path / "LICENSE").write_text("Do as you like.")
    (tmp_path / "notes.md").write_text("# Notes")
    found = list(read_runs(tmp_path))
    formats = [run.source.format for run in runs_of(found) if run.source]
    assert formats == ["openai-chat", "assay"]
    problems = [item for item in found if isinstance(item, Unreadable)]
    kinds = {item.path.rsplit("/", 1)[-1]: item.kind for item in problems}
    assert kinds == {
        "LICENSE": "passed_over",
        "own.jsonl": "broken",
        "settings.json": "passed_over",
    }


def test_a_name_that_is_no_text_costs_no_run(tmp_path: Path) -> None:
    contents = {
        b"chat\xff.json": json.dumps(CHAT).encode(),
        b"own\xff.json": json.dumps(OWN).encode(),
        b"packed\xff.zip": b"no zip",
        b"torn\xff.json.gz": b"no gzip",
    }
    for name, content in contents.items():
        (tmp_path / os.fsdecode(name)).write_bytes(content)
    found = list(read_runs(tmp_path))
    names = [run.source.path for run in runs_of(found) if run.source]
    names += [item.path for item in found if isinstance(item, Unreadable)]
    assert sorted(name.rsplit("/", 1)[-1] for name in names if name) == [
        "chat\\udcff.json",
        "own\\udcff.json",
        "packed\\udcff.zip",
        "torn\\udcff.json.gz",
    ]


def test_a_foreign_call_is_settled_and_what_was_reported_stays(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps(CHAT))
    (run,) = runs_of(list(read_runs(path)))
    (call,) = run.calls
    assert call.success is False
    assert call.reported_success is None
    assert call.success_rule
    assert call.error_message == "Error: no such city"


def test_our_own_verdicts_are_left_alone(tmp_path: Path) -> None:
    call = {"tool": "t", "parameters": {}, "result": "Error: no such city", "success": True}
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN | {"execution_data": {"tool_executions": [call]}}))
    (run,) = runs_of(list(read_runs(path)))
    assert run.calls[0].success is True


def test_a_named_format_is_not_doubted(tmp_path: Path) -> None:
    path = tmp_path / "own.json"
    path.write_text(json.dumps(OWN))
    assert runs_of(list(read_runs(path, format_name="openai-chat"))) == []
    assert len(runs_of(list(read_runs(path, format_name="assay")))) == 1


STRANGE = {
    "package.json": '{"name": "x", "version": "1.0", "dependencies": {"a": "1"}}',
    "list.json": '[{"a": 1}, {"b": 2}]',
    "records.jsonl": '{"type": "x", "id": "1", "name": "n", "value": 3}\n{"type": "y"}\n',
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("format_name", FORMAT_NAMES)
def test_what_is_named_another_format_becomes_no_empty_run(
    tmp_path: Path, format_name: str, name: str
) -> None:
    (tmp_path / name).write_text(STRANGE[name])
    found = list(read_runs(tmp_path / name, format_name=format_name))
    assert found
    assert runs_of(found) == []


def test_a_file_that_was_named_should_have_been_a_run(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"colour": "red"}')
    (problem,) = read_runs(path)
    assert isinstance(problem, Unreadable)
    assert problem.kind == "broken"
    assert "no run in any format we know" in problem.problem


def test_a_pipe_is_looked_at_and_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        buffer = io.BytesIO(json.dumps(CHAT).encode())

    monkeypatch.setattr("sys.stdin", Pipe())
    (run,) = runs_of(list(read_runs("-")))
    assert run.input == "How warm is it in Oslo?"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("m/pass@1/trajectory_1.json", "toolgym"),
        ("m_by_j/eval_1.json", "toolgym"),
        ("trajectory_1/log.json", "assay"),
        ("log.json", "assay"),
    ],
)
def test_a_name_tells_whom_to_ask_first(name: str, expected: str) -> None:
    assert likely_format(name).name == expected


def test_a_name_does_not_decide(tmp_path: Path) -> None:
    (tmp_path / "trajectory_1.json").write_text(json.dumps(CHAT, indent=2))
    (run,) = runs_of(list(read_runs(tmp_path)))
    assert run.source is not None
    assert run.source.format == "openai-chat"


def test_looking_does_not_read_a_file_twice(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("".join(f"{json.dumps(OWN | {'input': str(i)})}\n" for i in range(50)))
    opened = 0

    class Place(FilePlace):
        def open(self) -> io.BufferedReader:
            nonlocal opened
            opened += 1
            return self.path.open("rb")

    recording = Recording(Place(path))
    chosen, sure = pick_format(recording)
    assert chosen is not None
    assert (chosen.name, sure) == ("assay", 1.0)
    runs = [run for run in chosen.read(recording) if isinstance(run, AgentTestCase)]
    assert [run.input for run in runs] == [str(i) for i in range(50)]
    assert opened == 1


def test_a_file_that_only_looks_like_a_run_does_not_pass_in_silence(tmp_path: Path) -> None:
    begun = {"type": "session_meta", "payload": {"id": "s"}}
    (tmp_path / "rollout.json").write_text(json.dumps(begun))
    (found,) = read_runs(tmp_path / "rollout.json")
    assert isinstance(found, Unreadable)
    assert (found.kind, found.problem) == (
        "passed_over",
        "read as codex-cli, which it looks like, it holds no run",
    )
