"""Suites of expectations: JSON or YAML, by task id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay import AgentTestCase, Expectations, ExpectedWrite
from assay.errors import AssayError
from assay.readers import Unreadable
from assay.readers.expectations import read_expectations, with_expectations

if TYPE_CHECKING:
    from pathlib import Path

YAML = """
1:
  writes: [{tool: cancel_order, arguments: {day: 2026-03-01}}]
refund:
  answer: ["20"]
"""
EXPECTED = {
    "1": Expectations(writes=[ExpectedWrite("cancel_order", {"day": "2026-03-01"})]),
    "refund": Expectations(answer=["20"]),
}


def test_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    (tmp_path / "suite.yaml").write_text(YAML)
    (tmp_path / "suite.json").write_text(
        '{"1": {"writes": [{"tool": "cancel_order", "arguments": {"day": "2026-03-01"}}]},'
        ' "refund": {"answer": ["20"]}}'
    )
    assert read_expectations(tmp_path / "suite.yaml") == EXPECTED
    assert read_expectations(str(tmp_path / "suite.json")) == EXPECTED


def test_cases_get_what_their_task_expects() -> None:
    own = Expectations(answer=["x"])
    cases = [
        AgentTestCase("a", None, task_id="refund"),
        AgentTestCase("b", None, task_id="other", expected_effects=own),
        AgentTestCase("c", None),
    ]
    found = [case.expected_effects for case in with_expectations(cases, EXPECTED)]
    assert found == [EXPECTED["refund"], own, None]


def test_what_could_not_be_read_keeps_its_place() -> None:
    unread, case = Unreadable("notes.md", "no run"), AgentTestCase("a", None, task_id="refund")
    read: list[Unreadable | AgentTestCase] = [unread, case]
    assert list(with_expectations(read, EXPECTED)) == read
    assert case.expected_effects == EXPECTED["refund"]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("suite.toml", "", "No form of expectations named '.toml'"),
        ("suite.json", "{", "suite.json: not JSON"),
        ("suite.json", "[]", "suite.json: expected task ids with expectations, got list"),
        ("suite.json", '{"t": {"writes": 1}}', "suite.json: t.writes: expected a list of writes"),
        ("suite.yaml", "a: [", "suite.yaml: not YAML"),
        ("suite.yaml", "a: {writes: [{tool: x, values: [.nan]}]}", "suite.yaml: the file.a.writes"),
        ("suite.yaml", "", "suite.yaml: expected task ids with expectations, got null"),
        ("gone.json", None, "gone.json cannot be read: No such file"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(AssayError, match=message):
        read_expectations(tmp_path / name)
