"""Suites as people write them: what is read, and what is told when it cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from assay.agents.protocol import INSTRUCTIONS
from assay.agents.weather.tools import INSTRUCTIONS as WEATHER_INSTRUCTIONS
from assay.arena.suite import BUNDLED, load_suite, read_suite
from assay.errors import InvalidRecord, NotJson, UnknownName

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """
name: small
tools: weather
tasks:
  - {id: one, turns: ["Hello."]}
  - {id: two, turns: ["Hello.", "Again."]}
"""


def test_a_suite_is_read_as_it_is_written() -> None:
    suite = read_suite(GOOD, "small.yaml")
    assert (suite.name, suite.tools, suite.told) == ("small", "weather", WEATHER_INSTRUCTIONS)
    assert [(task.id, task.turns) for task in suite.tasks] == [
        ("one", ["Hello."]),
        ("two", ["Hello.", "Again."]),
    ]
    plain = read_suite(GOOD.replace("tools: weather", ""), "small.yaml")
    assert (plain.tools, plain.told) == ("none", INSTRUCTIONS)
    told = read_suite(GOOD + "instructions: Be brief.\n", "small.yaml")
    assert told.told == "Be brief."


def test_json_is_read_by_its_own_rules() -> None:
    text = r'{"name": "s", "tasks": [{"id": "a", "turns": ["Hello \ud83d\ude00"]}]}'
    suite = read_suite(text, "s.json")
    assert suite.tasks[0].turns == ["Hello 😀"]
    assert len(suite.digest) == 12
    half = text.replace(r"\ude00", "")
    with pytest.raises(
        NotJson, match=r"s\.json\.tasks\[0\]\.turns\[0\]: text with a lone surrogate"
    ):
        read_suite(half, "s.json")


def test_a_changed_prompt_is_another_suite() -> None:
    digests = {read_suite(text, "s").digest for text in (GOOD, GOOD.replace("Again", "Once more"))}
    assert len(digests) == 2
    assert read_suite(GOOD, "s").digest == read_suite(GOOD, "elsewhere").digest


def test_servers_are_looked_for_beside_the_suite(tmp_path: Path) -> None:
    file = tmp_path / "suite.yaml"
    file.write_text(GOOD + "mcp_servers: servers.json\n")
    assert load_suite(file).mcp_servers == str(tmp_path / "servers.json")


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_suite_is_read(name: str) -> None:
    assert load_suite(name).tasks


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: [", "s.yaml is no YAML"),
        ("[1, 2]", "Expected `object`"),
        ("name: x", "missing required field `tasks`"),
        ("name: x\ntasks: []", "tasks: expected at least one"),
        ("name: x\ntasks: [{id: a, turns: []}]", "each needs at least one turn"),
        ("name: x\ntasks: [{id: a, turns: [b]}, {id: a, turns: [c]}]", "'a' stands there twice"),
        ("name: x\ntasks: [{id: a, turns: b}]", r"Expected `array`, got `str` - at `\$.tasks"),
        (
            "name: x\ntools: hammer\ntasks: [{id: a, turns: [b]}]",
            r"'hammer' .*\. Known: weather, none",
        ),
        ("name: x\nprompts: []\ntasks: [{id: a, turns: [b]}]", r"`prompts`\. Known: name, tasks"),
        ("name: x\ntasks: [{id: a, turn: [b]}]", r"`turn` - at .*\. Known: id, turns"),
        ("name: !!python/object:os.system x\ntasks: []", "is no YAML"),
    ],
)
def test_what_is_wrong_is_named(text: str, told: str) -> None:
    with pytest.raises(InvalidRecord, match=told):
        read_suite(text, "s.yaml")


def test_a_file_that_is_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'weather'"):
        load_suite("wether")
    (tmp_path / "suite.yaml").write_text(GOOD)
    with pytest.raises(UnknownName, match=r"Did you mean '.*suite\.yaml'"):
        load_suite(str(tmp_path / "siute.yaml"))
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InvalidRecord, match="cannot be read"):
        load_suite(tmp_path / "binary.yaml")
