"""Calls and results that stand in words are told apart from words about them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.generic import GENERIC
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.ingest.written_calls import (
    CALL_TAGS,
    OBSERVED,
    RESULT_TAGS,
    told_results,
    written_calls,
)

LOOK = {"name": "look", "arguments": {"city": "Oslo"}}
STATED = '{"name": "look", "arguments": {"city": "Oslo"}}'
# How models write one and the same call.
WRITTEN = (
    f"<tool_call>\n{STATED}\n</tool_call>",
    "<tool_call>\n{'arguments': {'city': 'Oslo'}, 'name': 'look'}\n</tool_call>",
    f"I look. <TOOLCALL>[{STATED}]</TOOLCALL>",
    f"<function_call>{STATED}</function_call>",
    '<functioncall> {"name": "look", "arguments": \'{"city": "Oslo"}\'} <|endoftext|>',
    f"<functioncall> {STATED}",
    "<function=look>\n<parameter=city>\nOslo\n</parameter>\n</function>",
    "<tool_call>\n<function=look>\n<parameter=city>Oslo</parameter>\n</function>\n</tool_call>",
    "<tool_call>look\n<arg_key>city</arg_key>\n<arg_value>Oslo</arg_value>\n</tool_call>",
)
NOT_WRITTEN = (
    "<tool_call>",
    f"<tool_call>{STATED}",
    "Write <tool_call>your call</tool_call>.",
    '<tool_call>{"name": "look"}</tool_call>',
    "<tool_call>[1, 2]</tool_call>",
    "<function=look>",
    "<function=look me up></function>",
    "a < b and c > d",
)


@pytest.mark.parametrize("words", WRITTEN)
def test_each_way_to_write_a_call(words: str) -> None:
    assert written_calls(words) == [LOOK]


@pytest.mark.parametrize("words", NOT_WRITTEN)
def test_words_about_calls_are_none(words: str) -> None:
    assert written_calls(words) == []


def test_every_tag_is_known() -> None:
    for begin, end in CALL_TAGS:
        assert written_calls(f"{begin}{STATED}{end} {begin}{STATED}{end}") == [LOOK, LOOK]
    for begin, end in RESULT_TAGS:
        assert told_results(f"{begin}\nrain\n{end}\n{begin}sun{end}") == ["rain", "sun"]
    for mark in OBSERVED:
        assert told_results(f"{mark}\nrain") == ["rain"]


def test_a_value_keeps_its_tags_and_lines() -> None:
    code = "if a < b:\n    print('</parameter>')\n"
    sent = f"<parameter=text>\n{code}\n</parameter><parameter=at>3</parameter>"
    words = f"<function=edit>{sent}</function>"
    assert written_calls(words) == [{"name": "edit", "arguments": {"text": code, "at": "3"}}]


def chat(*said: tuple[str, str]) -> list[dict[str, Any]]:
    return [{"role": role, "content": content} for role, content in said]


@pytest.mark.parametrize("role", ["user", "tool"])
def test_results_in_words_belong_to_the_calls_before(role: str) -> None:
    calls = f"{WRITTEN[0]}\n{WRITTEN[0].replace('Oslo', 'Rome')}"
    seen = "<tool_response>rain</tool_response><tool_response>sun</tool_response>"
    said = chat(("user", "Rain?"), ("assistant", calls), (role, seen), ("assistant", "Yes."))
    run = read_one(OPENAI_CHAT, recording(said))
    assert [(c.parameters, c.result, c.turn) for c in run.calls] == [
        ({"city": "Oslo"}, "rain", 1),
        ({"city": "Rome"}, "sun", 1),
    ]
    assert run.actual_output == "Yes."


def test_a_conversation_in_sharegpt_is_read_the_same() -> None:
    said = (
        ("human", "Rain?"),
        ("gpt", WRITTEN[1]),
        ("tool", "<tool_response>rain</tool_response>"),
    )
    told = [{"from": who, "value": words} for who, words in (*said, ("gpt", "Yes."))]
    made_up = recording(
        [
            {
                "conversations": told,
                "tools": '[{"name": "look", "parameters": {"type": "object", "properties": {}}}]',
            }
        ]
    )
    assert pick_format(made_up)[0] is GENERIC
    run = read_one(GENERIC, made_up)
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "rain")
    ]
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [tool["name"] for tool in run.available_tools or []] == ["look"]


def test_an_observation_without_a_call_is_what_the_user_said() -> None:
    run = read_one(OPENAI_CHAT, recording(chat(("user", "OBSERVATION: wet"), ("assistant", "So?"))))
    assert (run.input, run.calls) == ("OBSERVATION: wet", [])


def test_what_stands_beside_the_messages_tells_task_and_outcome() -> None:
    said = chat(("user", "Fix it"), ("assistant", WRITTEN[6]), ("user", "OBSERVATION:\nok"))
    run = read_one(
        OPENAI_CHAT, recording({"messages": said, "instance_id": "a__b-1", "resolved": True})
    )
    assert (run.task_id, run.calls[0].result) == ("a__b-1", "ok")
    assert run.outcome is not None
    assert run.outcome.success is True


HOSTILE = ("<tool_call>", "<function=a>", "<parameter=a>", "<arg_key>", "<functioncall>{", "[{'a':")


@pytest.mark.parametrize("piece", HOSTILE)
def test_tags_without_an_end_are_passed_over(piece: str) -> None:
    assert written_calls(piece * 100_000) == []
    assert len(written_calls(f"{piece * 100_000}</function></tool_call>")) <= 1
