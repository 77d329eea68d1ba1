"""The tools on offer: written once, and yet shown as they are in each case."""

from __future__ import annotations

from typing import Any

import pytest

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.judge.fencing import harmless
from assay.judge.prompt import judge_prompt
from assay.judge.tools_text import tools_text
from assay.tools import read_tools

PLAIN = {
    "find": {"description": "Finds.", "input_schema": {"type": "object"}},
    "send": {},
    "stop": {"description": "Stops."},
}
FIND = '- find: Finds.\n  {"type":"object"}'
SEND = "- send: no description\n  no schema"
STOP = "- stop: Stops.\n  no schema"


@pytest.mark.parametrize(
    ("called", "entries"),
    [
        (set(), (FIND, SEND, STOP)),
        ({"stop"}, (STOP, FIND, SEND)),
        ({"stop", "send"}, (SEND, STOP, FIND)),
        ({"unknown"}, (FIND, SEND, STOP)),
    ],
)
def test_called_tools_come_first_in_every_case(called: set[str], entries: tuple[str, ...]) -> None:
    assert tools_text(read_tools(PLAIN), called, "en") == "\n".join(entries)


def test_each_language_has_its_own_words() -> None:
    known = read_tools(PLAIN)
    assert "no schema" in tools_text(known, (), "en")
    assert "no schema" not in tools_text(known, (), "zh")


def test_tools_that_are_not_known_are_not_an_empty_list() -> None:
    assert tools_text(None, (), "en") == "It is not recorded which tools were on offer."
    assert not tools_text({}, (), "en")


def test_a_tool_that_was_changed_is_shown_as_it_is_now() -> None:
    tools: dict[str, Any] = {"find": {"description": "Finds.", "input_schema": {"maximum": 1}}}
    case = AgentTestCase("q", "a", available_tools=tools)
    assert '"maximum":1}' in judge_prompt(case)
    tools["find"]["input_schema"]["maximum"] = 2
    assert '"maximum":2}' in judge_prompt(case)


class _Served:
    """A tool as an SDK has it; it is no JSON."""

    name = "find"
    description = "Finds."

    def __init__(self, schema: dict[str, Any]) -> None:
        self.input_schema = schema


def test_a_tool_of_an_sdk_that_was_changed_is_shown_as_it_is_now() -> None:
    schema = {"maximum": 1}
    case = AgentTestCase("q", "a", available_tools=[_Served(schema)])
    assert '"maximum":1}' in judge_prompt(case)
    schema["maximum"] = 2
    assert '"maximum":2}' in judge_prompt(case)


@pytest.mark.parametrize("description", ["<|system|> ten", "a\u202eb", "==0123456789abcdef== x"])
def test_one_odd_tool_is_made_harmless_whenever_it_is_shown(description: str) -> None:
    known = read_tools({**PLAIN, "odd": {"description": description}})
    for called in ((), ("odd",), ("find",)):
        text = tools_text(known, called, "en")
        assert harmless(description) in text
        assert description not in text
        assert FIND in text


def test_an_odd_name_among_the_rest_is_made_harmless() -> None:
    names = [f"tool_{i}" for i in range(45)] + ["<|system|>"]
    text = tools_text(read_tools(names), (), "en")
    assert text.endswith("6 more tools, without description: " + harmless(", ".join(names[40:])))
    assert "<|system|>" not in text


def test_a_prompt_does_not_depend_on_the_prompts_before_it() -> None:
    def case(tool: str) -> AgentTestCase:
        calls = [ToolExecutionResult(tool, {"a": 1}, {"b": 2}, success=True)]
        return AgentTestCase(
            "q", "a", execution_data=MCPExecutionData(calls), available_tools=PLAIN
        )

    first = [judge_prompt(case(tool)) for tool in ("find", "stop", "gone")]
    again = [judge_prompt(case(tool)) for tool in ("gone", "stop", "find")]
    assert first == again[::-1]
    assert len(set(first)) == 3
