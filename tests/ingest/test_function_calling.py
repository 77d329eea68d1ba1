"""Data sets for function calling become runs: questions with answers, listed calls."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.function_calling import FUNCTION_CALLING, ID_KEYS, MODEL_KEYS, SPEAKERS
from assay.ingest.listed_calls import listed_calls
from assay.ingest.named_types import SHORT_TYPES, TYPES, in_json_schema, with_schema
from assay.ingest.python_calls import JSON_WORDS

LOOK = {
    "name": "look",
    "description": "Look out.",
    "parameters": {
        "city": {"type": "str", "description": "Where."},
        "days": {"type": "List[int], optional", "description": "When.", "default": ""},
    },
}
ROW: dict[str, Any] = {
    "id": 7,
    "query": "Rain in Oslo and Rome?",
    "answers": json.dumps(
        [{"name": "look", "arguments": {"city": city}} for city in ("Oslo", "Rome")]
    ),
    "tools": json.dumps([LOOK]),
}
TRENDS = {
    "name": "Market Trends (beta)",
    "description": "Trends.",
    "parameters": {"type": "dict", "properties": {"n": {"type": "float"}}, "required": ["n"]},
}
CAME = {"name": TRENDS["name"], "results": {"a": 1}}
SYSTEM = f"Compose functions. You can invoke:\n{json.dumps([TRENDS])}. \nUse [f(a=b), g(c)]."
TALK: dict[str, Any] = {
    "system": SYSTEM,
    "conversations": [
        {"from": "user", "value": "Trends?"},
        {"from": "assistant", "value": "[Market Trends (beta)(n=1), News Feed()]"},
        {
            "from": "tool",
            "value": json.dumps(
                [
                    {"name": "News Feed", "results": []},
                    {"name": TRENDS["name"], "results": {"a": 1}},
                ]
            ),
        },
        {"from": "assistant", "value": "[sic] Up."},
    ],
}


@pytest.mark.parametrize("form", [[ROW], (ROW, ROW), [{**ROW, "answers": [], "x": 1}, ROW]])
def test_questions_with_answers_are_known(form: Any) -> None:
    made_up = recording(form)
    assert pick_format(made_up) == (FUNCTION_CALLING, 0.9)
    run = read(FUNCTION_CALLING, made_up)[-1]
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("look", {"city": "Oslo"}, None, 1),
        ("look", {"city": "Rome"}, None, 1),
    ]
    assert (run.input, run.actual_output, run.task_id) == (ROW["query"], None, "7")
    (tool,) = run.available_tools
    assert tool["parameters"] == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "Where."},
            "days": {"type": "array", "description": "When.", "default": ""},
        },
        "required": ["city"],
    }


def test_a_conversation_with_listed_calls() -> None:
    made_up = recording([TALK])
    assert pick_format(made_up) == (FUNCTION_CALLING, 0.9)
    run = read_one(FUNCTION_CALLING, made_up)
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("Market Trends (beta)", {"n": 1}, {"a": 1}, 1),
        ("News Feed", {}, [], 1),
    ]
    assert (run.input, run.actual_output) == ("Trends?", "[sic] Up.")
    schema = run.available_tools[0]["parameters"]
    assert schema == {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}


def test_results_that_are_words_belong_to_the_next_call() -> None:
    turns = [*TALK["conversations"][:2], {"from": "tool", "value": "busy"}]
    run = read_one(FUNCTION_CALLING, recording([{**TALK, "conversations": turns}]))
    assert [call.result for call in run.calls] == ["busy", None]


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_every_speaker_is_known(speaker: str) -> None:
    turns = [*TALK["conversations"], {"from": speaker, "value": "x"}]
    assert len(read(FUNCTION_CALLING, recording([{**TALK, "conversations": turns}]))) == 1


def test_what_else_a_row_says_is_kept() -> None:
    for key in MODEL_KEYS:
        run = read_one(FUNCTION_CALLING, recording([{**ROW, key: "m", "origin": "o"}]))
        assert (run.model, run.extra) == ("m", {"origin": "o"})
    rest = {key: value for key, value in ROW.items() if key != "id"}
    for key in ID_KEYS:
        assert read_one(FUNCTION_CALLING, recording([{**rest, key: "t"}])).task_id == "t"


@pytest.mark.parametrize("kind", ["str, optional", "Optional[str]"])
def test_what_is_marked_optional_need_not_be_sent(kind: str) -> None:
    tool = with_schema({"name": "look", "parameters": {"a": {"type": kind}, "b": {"type": "str"}}})
    assert tool["parameters"]["required"] == ["b"]


OTHERS = [
    [{**ROW, "answers": "[]"}],
    [{**ROW, "answers": "yes"}],
    [ROW, {"query": "x"}],
    [{**TALK, "conversations": [{"from": "user", "value": "[f(x=1)]"}]}],
    [{**TALK, "system": "No tools."}],
    [{**TALK, "system": "[{"}],
    [{**TALK, "conversations": [*TALK["conversations"], {"from": "stranger", "value": "x"}]}],
    {"messages": []},
]


@pytest.mark.parametrize("value", OTHERS)
def test_other_rows_are_left_to_others(value: Any) -> None:
    assert FUNCTION_CALLING.recognise(recording(value)) == 0.0


def test_what_is_no_row_is_reported() -> None:
    assert problems(FUNCTION_CALLING, recording([ROW, 1])) == [
        "log.json:2: expected answers or a conversation, got int 1"
    ]


LISTS: list[tuple[str, list[tuple[str, Any]]]] = [
    ('[A b(x="1, (2)", y=[1, {"k": true}])]', [("A b", {"x": "1, (2)", "y": [1, {"k": True}]})]),
    ("[/a-b(n=null), c()]", [("/a-b", {"n": None}), ("c", {})]),
    ("[f(it's broken=)]", []),
    ("[f(a b c)]", []),
    ("[f(x=1)] and more", []),
    ("[f(x=1) g(y=2)]", []),
    ("[1, 2]", []),
    ("[see (this)]", []),
    ("[]", []),
    ("f(x=1)", []),
    ('["f(x=1)"]', []),
]


@pytest.mark.parametrize(("text", "calls"), LISTS)
def test_lists_of_calls(text: str, calls: list[tuple[str, Any]]) -> None:
    assert [(call.tool, call.parameters) for call in listed_calls(text)] == calls


def test_a_tool_on_offer_may_be_sent_anything() -> None:
    assert [call.parameters for call in listed_calls("[f(a b c)]", ["f"])] == ["a b c"]


@pytest.mark.parametrize("name", ["f", "a f", "f(x)", "a" * 300])
def test_blanks_may_stand_after_a_name(name: str) -> None:
    (call, _) = listed_calls(f"[{name}\n (a=1), {name}()]", ["g", name])
    assert (call.tool, call.parameters) == (name, {"a": 1})


@given(st.text(alphabet="[](){}\"'\\,=fa \n", max_size=80))
def test_any_text_is_looked_through(text: str) -> None:
    assert isinstance(listed_calls(f"[{text}]", ["a f", "f"]), list)


@pytest.mark.parametrize("text", ['[f(x="' + '\\"' * 9000 + ")]", "[" + "a" * 19000 + "]"])
def test_hostile_lists_take_no_time(text: str) -> None:
    assert listed_calls(text) == []


def test_many_tools_with_brackets_in_their_names_cost_little() -> None:
    names = [f"look({i})" for i in range(50_000)]
    start = process_time()
    calls = listed_calls(f"[{'look(7)(), ' * 1_500}f()]", names)
    assert {call.tool for call in calls} == {"look(7)", "f"}
    assert len(calls) == 1_501
    assert process_time() - start < 3


@pytest.mark.parametrize(("word", "meant"), JSON_WORDS.items())
def test_the_words_of_json_are_known(word: str, meant: object) -> None:
    (call,) = listed_calls(f"[f(x={word}, y=[{word}], z='{word}')]")
    assert call.parameters == {"x": meant, "y": [meant], "z": word}


@pytest.mark.parametrize(("theirs", "ours"), SHORT_TYPES.items())
def test_every_short_type(theirs: str, ours: str) -> None:
    parameters = with_schema({"name": "f", "parameters": {"a": {"type": theirs}}})["parameters"]
    assert parameters["properties"] == {"a": {"type": ours}}


@pytest.mark.parametrize(("theirs", "ours"), TYPES.items())
def test_every_type(theirs: str, ours: str) -> None:
    assert in_json_schema({"type": theirs, "items": {"type": theirs}}) == {
        "type": ours,
        "items": {"type": ours},
    }


@pytest.mark.parametrize("tool", [{"name": "f"}, {"name": "f", "parameters": "x"}])
def test_a_tool_without_parameters_stays_as_it_is(tool: dict[str, Any]) -> None:
    assert with_schema(tool) == tool
    assert with_schema({**tool, "parameters": {"a": {"type": "Weird"}}})["parameters"] == {
        "type": "object",
        "properties": {"a": {}},
        "required": ["a"],
    }
