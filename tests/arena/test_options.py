"""Who enters if nobody is named."""

from __future__ import annotations

import pytest

from assay.cli.arena_options import DEFAULT_AGENTS, agent_names, default_agents
from assay.cli.arena_results import _fit

BOTH = ["weather-adk", "weather-agent-framework"]


@pytest.mark.parametrize(
    ("installed", "names", "told"),
    [
        ({"google.adk", "agent_framework"}, BOTH, ""),
        ({"google.adk"}, BOTH[:1], "assay[agent-framework]"),
        ({"agent_framework", "pydantic_ai"}, BOTH[1:], "assay[adk]"),
        ({"pydantic_ai"}, ["plain"], "assay[adk,agent-framework]"),
        (set(), BOTH, ""),
    ],
)
def test_those_enter_that_are_installed(installed: set[str], names: list[str], told: str) -> None:
    found, said = default_agents(installed.__contains__)
    assert found == names
    assert told in said
    assert bool(said) == bool(told)


def test_agents_that_were_named_enter_as_they_were() -> None:
    assert agent_names(["plain, adk,"]) == ["plain", "adk"]
    assert agent_names(["command:a,b"]) == ["command:a,b"]
    assert agent_names(["command:a,b", "plain,adk"]) == ["command:a,b", "plain", "adk"]


def test_all_defaults_are_known() -> None:
    assert list(DEFAULT_AGENTS) == BOTH


@pytest.mark.parametrize(
    ("names", "width", "fits"),
    [
        (["adk", "plain"], 80, True),
        (["adk", "plain", "http://127.0.0.1:9111/chat"], 80, True),
        (["adk", "agent-framework", "plain", "http://127.0.0.1:9111/chat"], 80, False),
        (["a", "b", "c", "d"], 78, True),
        (["a", "b", "c", "d"], 77, False),
    ],
)
def test_long_names_give_way_to_letters(names: list[str], width: int, fits: object) -> None:
    assert _fit(names, width) is fits
