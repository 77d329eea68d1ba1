"""Thoughts, tools and replies are found where data sets and plain servers put them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.chat import RunBuilder
from assay.ingest.formats import pick_format
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.ingest.stated_tools import TOOL_KEYS, TOOL_TAGS, stated_tools
from assay.ingest.thoughts import split_thoughts

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}
LOOK = {"name": "look", "description": "Look.", "parameters": SCHEMA}
OFFERED = {"type": "function", "function": LOOK}
ASKED = {"role": "user", "content": "Rain?"}
SAID = {"role": "assistant", "content": "Yes."}


@pytest.mark.parametrize("key", TOOL_KEYS)
@pytest.mark.parametrize(
    "stated", [[LOOK], json.dumps([LOOK]), [json.dumps(LOOK)], str([LOOK])], ids=str
)
def test_tools_beside_a_conversation(key: str, stated: Any) -> None:
    assert stated_tools({key: stated}, []) == [LOOK]
    assert stated_tools({"metadata": {key: stated}}, []) == [LOOK]
    assert stated_tools({"metadata": json.dumps({key: stated})}, []) == [LOOK]


@pytest.mark.parametrize(("begin", "end"), TOOL_TAGS)
@pytest.mark.parametrize(
    "told",
    [
        json.dumps([LOOK]),
        json.dumps(LOOK),
        f"{json.dumps(LOOK)},\n{json.dumps(OFFERED)}",
        f"\n{json.dumps(LOOK)}\n",
    ],
)
def test_tools_in_the_words_of_the_system(begin: str, end: str, told: str) -> None:
    system = {"role": "system", "content": f"You may use {begin}{told}{end}."}
    assert stated_tools({}, [system, ASKED])[0] == LOOK
    assert stated_tools({}, [{**system, "role": "user"}]) is None
    assert stated_tools({}, [{"role": "system", "content": f"{begin}no json"}]) is None
    assert stated_tools({}, [{"role": "system", "content": f"{begin}no json{end}"}]) is None


@pytest.mark.parametrize(("begin", "end"), TOOL_TAGS)
def test_marks_that_are_only_spoken_of_hide_no_tools(begin: str, end: str) -> None:
    told = f"{json.dumps(LOOK)}\n{json.dumps(OFFERED)}"
    words = f"Functions stand within {begin}{end} XML tags:\n{begin}\n{told}\n{end}"
    assert stated_tools({}, [{"role": "system", "content": words}]) == [LOOK, OFFERED]


@pytest.mark.parametrize("stated", [["look", "listen"], [OFFERED], {"look": {}}])
def test_other_forms_stay_as_they_are(stated: Any) -> None:
    assert stated_tools({"tools": stated}, []) == stated


@pytest.mark.parametrize("stated", ["", "none", [], None, {}])
def test_no_tools_are_no_tools(stated: Any) -> None:
    assert stated_tools({"tools": stated, "metadata": stated}, []) is None


def test_types_of_python_become_those_of_json_schema() -> None:
    tool = {**LOOK, "parameters": {"type": "dict", "properties": {"n": {"type": "float"}}}}
    (read,) = stated_tools({"tools": [json.dumps(tool)]}, [])
    assert read["parameters"] == {"type": "object", "properties": {"n": {"type": "number"}}}


def test_a_row_with_messages_and_a_reply_is_a_run() -> None:
    reply = (
        f"<think>hm</think>\n<TOOLCALL>[{json.dumps({'name': 'look', 'arguments': {}})}]</TOOLCALL>"
    )
    row = {"input": [ASKED], "output": reply, "generator": "m", "license": "x", "uuid": "u1"}
    made_up = recording((row, row))
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, recording(row))
    assert [(call.tool, call.turn) for call in run.calls] == [("look", 1)]
    assert (run.input, run.model, run.run_id) == ("Rain?", "m", "u1")
    assert (run.conversation_history or [])[1]["reasoning"] == "hm"


@pytest.mark.parametrize("row", [{"input": [], "output": "x"}, {"input": ["x"], "output": "x"}])
def test_other_rows_are_left_alone(row: dict[str, Any]) -> None:
    assert OPENAI_CHAT.recognise(recording(row)) == 0.0


def test_a_generator_without_a_licence_is_no_model() -> None:
    run = read_one(OPENAI_CHAT, recording({"messages": [ASKED, SAID], "generator": "script.py"}))
    assert run.model is None


REPLIES = [
    ("<think>hm</think>\n\nYes.", "hm", "Yes."),
    ("\n<think>\nhm\n</think>Yes.", "hm", "Yes."),
    ("hm\n</think>\n\nYes.", "hm", "Yes."),
    ("hm\n</think>", "hm", ""),
    ("<think>cut off", "cut off", ""),
    ("\n <think>cut off", "cut off", ""),
    ("The </think> tag ends it.", "", "The </think> tag ends it."),
    ("Write <think>x</think> first.", "", "Write <think>x</think> first."),
    ("Yes.", "", "Yes."),
    ("", "", ""),
]


@pytest.mark.parametrize(("reply", "thought", "words"), REPLIES)
def test_thoughts_before_the_words(reply: str, thought: str, words: str) -> None:
    assert split_thoughts(reply) == (thought, words)


@pytest.mark.parametrize(
    ("reply", "words"), [("<think>hm</think>Yes.", "Yes."), ("\n<think>hm", "")]
)
def test_every_reader_tells_thoughts_from_words(reply: str, words: str) -> None:
    run = RunBuilder()
    run.assistant(reply)
    told = run.finish()
    assert told.conversation_history == [{"role": "assistant", "content": words, "reasoning": "hm"}]
    assert told.actual_output == (words or None)
