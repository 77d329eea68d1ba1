"""What `assay formats --explain` says, and that its table reads the file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from assay import AgentTestCase
from assay.readers import read_runs
from assay.readers.explain import Explanation, explain, general_path

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"tool": "search", "args": {"page": 1}, "result": "3 hits"}


def only(path: Path) -> Explanation:
    (found,) = explain(path)
    assert isinstance(found, Explanation)
    return found


@pytest.mark.parametrize(
    "value",
    [
        {"llm": {"model": "m1"}, "steps": [CALL, CALL]},
        {"model": "m1", "cases": [{"task_id": name, "steps": [CALL, CALL]} for name in "ab"]},
        [
            {"model": "m1", "messages": [{"role": "user", "content": name}, {"role": "assistant"}]}
            for name in "ab"
        ],
    ],
)
def test_mapping_reads_what_was_found(tmp_path: Path, value: object) -> None:
    file, mapping = tmp_path / "runs.json", tmp_path / "mine.toml"
    file.write_text(json.dumps(value))
    found = only(file)
    mapping.write_text(found.mapping)
    runs = [run for run in read_runs(file, mapping=mapping) if isinstance(run, AgentTestCase)]
    assert sum(len(run.calls) for run in runs) == found.calls
    assert {run.source.format for run in runs if run.source} == {"my-format"}


def test_signs_name_place_and_rule(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    file.write_text("\n".join([json.dumps({"at": 1, **CALL})] * 3))
    (sign,) = only(file).signs
    assert (sign.place, sign.calls, sign.answered) == ("[]", 3, 3)
    assert sign.sign == "tool name, arguments and result"
    assert sign.example == 'search({"page": 1})'


def test_nothing_found_means_no_mapping(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text('{"name": "x", "version": 1}')
    assert only(file).mapping == ""


def test_places_become_paths() -> None:
    assert general_path("messages[3].tool_calls[0]") == "messages.[].tool_calls.[]"
    assert general_path("[12].a b") == "[].'a b'"
