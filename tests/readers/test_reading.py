"""Files become runs: the format is detected or named, calls are judged, all else is reported."""

from __future__ import annotations

import gzip
import json
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.errors import UnknownName
from assay.readers import RunReader, Unreadable, formats, read_runs
from assay.run import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from assay.readers import File

CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}


def chat(number: int = 0, result: str = "found") -> dict[str, Any]:
    return {
        "messages": [
            {"role": "user", "content": f"question {number}"},
            {"role": "assistant", "content": None, "tool_calls": [CALL]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
            {"role": "assistant", "content": "an answer"},
        ]
    }


def own(**fields: Any) -> dict[str, Any]:
    call = ToolExecutionResult("look", {}, "error: nothing", success=True)
    case = AgentTestCase("q", "a", execution_data=MCPExecutionData([call]), **fields)
    return case.to_dict()


def put(folder: Path, name: str, *values: Any) -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(value) for value in values), encoding="utf-8")
    return path


def read(path: Path, **options: Any) -> tuple[list[AgentTestCase], list[Unreadable]]:
    found = list(read_runs(path, **options))
    runs = [item for item in found if isinstance(item, AgentTestCase)]
    return runs, [item for item in found if isinstance(item, Unreadable)]


def test_runs_have_their_source_and_their_calls_are_judged(tmp_path: Path) -> None:
    path = put(tmp_path, "log.jsonl", chat(0), chat(1, "Error: no such file"))
    runs, problems = read(path)
    assert [run.input for run in runs] == ["question 0", "question 1"]
    assert [run.source.position for run in runs if run.source] == [1, 2]
    assert {run.source.path for run in runs if run.source} == {str(path)}
    assert [run.calls[0].success for run in runs] == [True, False]
    assert problems == []


def test_our_own_cases_are_not_judged_again(tmp_path: Path) -> None:
    runs, _ = read(put(tmp_path, "case.json", own(source=Source("elsewhere", "toolgym", 3))))
    assert runs[0].calls[0].success is True
    assert runs[0].source == Source("elsewhere", "toolgym", 3)


def test_servers_in_names_are_split_off(tmp_path: Path) -> None:
    value = chat()
    value["messages"][1]["tool_calls"] = [
        CALL | {"function": {"name": "mcp__git__log", "arguments": "{}"}}
    ]
    value["tools"] = [{"type": "function", "function": {"name": "mcp__git__log", "parameters": {}}}]
    runs, _ = read(put(tmp_path, "log.json", value))
    assert (runs[0].calls[0].server, runs[0].calls[0].tool) == ("git", "log")


@pytest.mark.parametrize(
    ("name", "content", "kind", "word"),
    [
        ("named.json", b'{"just": "data"}', "broken", "holds no run in any format"),
        ("named.json", b"{broken", "broken", "not JSON"),
        ("named.txt", b"some words", "broken", "not JSON"),
        ("named.json", b"", "broken", "is empty"),
        ("a/README", b"some words", "passed_over", "holds no run"),
        ("a/data.json", b'{"just": "data"}', "passed_over", "holds no run"),
        ("a/broken.json", b"{broken", "broken", "not JSON"),
        ("a/picture", b"\x89PNG\0\0", "passed_over", "is binary"),
        ("a/settings.yaml", b"on: push\njobs: {}\n", "passed_over", "settings"),
    ],
)
def test_why_nothing_was_read(
    name: str, content: bytes, kind: str, word: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    runs, problems = read(path if name.startswith("named") else path.parent)
    assert runs == []
    assert problems[-1].kind == kind or problems[0].kind == kind
    assert any(word in problem.problem for problem in problems)


def test_problems_of_a_packed_file_name_the_file_that_lies_there(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(chat()).encode() + b"\n{broken\n"))
    runs, problems = read(path)
    assert [run.source.path for run in runs if run.source] == [str(path.with_suffix(""))]
    assert [(problem.path, problem.position) for problem in problems] == [(str(path), 2)]


def test_repairs_are_reported_after_the_runs(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(chat())[:-1] + ', "cost": NaN}\n', encoding="utf-8")
    runs, problems = read(path)
    assert len(runs) == 1
    assert [(problem.kind, problem.position) for problem in problems] in (
        [("repaired", 1)],
        [("repaired", None)],
    )


def test_a_named_format_overrules_the_content(tmp_path: Path) -> None:
    path = put(tmp_path, "log.json", chat())
    runs, problems = read(path, format_name="tau-bench")
    assert runs == []
    assert problems[0].problem.startswith("is no tau-bench, but looks like ")
    (run,) = read(path, format_name="openai-chat")[0]
    assert run.source is not None
    assert run.source.format == "openai-chat"
    with pytest.raises(UnknownName):
        RunReader("no such format")


def test_a_mapping_reads_formats_of_ones_own(tmp_path: Path) -> None:
    table = '[mine]\ntitle = "Mine"\nis = ["who"]\ntask_id = "who"\n'
    (tmp_path / "mine.toml").write_text(table, encoding="utf-8")
    path = put(tmp_path, "log.json", {"who": "t1", **chat()})
    runs, _ = read(path, mapping=tmp_path / "mine.toml")
    assert [(run.task_id, run.source.format) for run in runs if run.source] == [("t1", "mine")]


def test_runs_in_which_nothing_happened_are_reported(tmp_path: Path) -> None:
    runs, problems = read(put(tmp_path, "log.json", {"messages": []}), format_name="openai-chat")
    assert runs == []
    assert len(problems) == 1


class Raising:
    """A format that raises an error at its second run."""

    name, title, cannot = "raising", "Raises", ""

    def __init__(self, error: type[BaseException]) -> None:
        self._error = error

    def matches(self, file: File) -> bool:
        return file.suffix == ".bad"

    def read(self, file: File) -> Iterator[AgentTestCase]:
        yield AgentTestCase(file.name, "a")
        raise self._error("oh")


@pytest.mark.parametrize("error", [KeyError, TypeError, ValueError, RecursionError])
def test_an_error_of_a_format_costs_one_file(
    error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    added = {"raising": Raising(error)}
    monkeypatch.setattr(formats, "_added", lambda: added)
    put(tmp_path, "1.bad", {})
    put(tmp_path, "2.json", chat())
    runs, problems = read(tmp_path)
    assert len(runs) == 2
    assert len(problems) == 1
    assert problems[0].path.endswith("1.bad")


def test_the_next_file_is_expected_to_be_like_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    pick = formats.pick_format

    def noted(file: File, **options: Any) -> Any:
        likely = options["likely"]
        asked.append("" if likely is None else likely.name)
        return pick(file, **options)

    monkeypatch.setattr("assay.readers.reading.pick_format", noted)
    for number in range(3):
        put(tmp_path, f"{number}.json", chat(number))
    assert len(read(tmp_path)[0]) == 3
    assert asked[0] == ""
    assert len(set(asked[1:])) == 1


def test_foreign_facts_that_are_named_like_ours_are_kept_apart(tmp_path: Path) -> None:
    path = put(tmp_path, "log.json", chat() | {"usage": "unknown", "schema_version": [1]})
    runs, _ = read(path)
    assert AgentTestCase.from_dict(runs[0].to_dict()) == runs[0]


def test_a_run_is_there_before_a_pipe_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "r") as source, os.fdopen(writing, "wb", buffering=0) as target:
        monkeypatch.setattr(sys, "stdin", source)
        runs = RunReader().source("-")
        for number in range(3):
            target.write(json.dumps(chat(number)).encode() + b"\n")
            run = next(runs)
            assert isinstance(run, AgentTestCase)
            assert run.input == f"question {number}"
        target.close()
        assert list(runs) == []
