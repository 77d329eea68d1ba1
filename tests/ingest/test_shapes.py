"""The words by which messages, calls and results are known, each with an example."""

from __future__ import annotations

from typing import Any

import pytest

from assay.ingest import shape_words, shapes
from assay.ingest.shape_words import (
    ARGUMENT_KEYS,
    CALL_ID_KEYS,
    CONTENT_KEYS,
    EXIT_CODE_KEYS,
    NAME_KEYS,
    RESULT_KEYS,
    ROLE_KEYS,
    ROLES,
    STATUSES,
)
from assay.ingest.told_times import DURATION_KEYS, END_KEYS, START_KEYS, duration_of, time_of

MINUTE = 1767225600.0


@pytest.mark.parametrize("key", ROLE_KEYS)
def test_every_key_of_a_role(key: str) -> None:
    assert shapes.message_role({key: "user", "content": "x"}) == "user"


@pytest.mark.parametrize(("word", "role"), ROLES.items())
def test_every_word_for_a_role(word: str, role: str) -> None:
    assert shapes.message_role({"role": word.upper(), "content": "x"}) == role


@pytest.mark.parametrize("key", CONTENT_KEYS)
def test_every_key_of_content(key: str) -> None:
    message = {"role": "user", key: ["x"]}
    assert shapes.message_role(message) == "user"
    assert shapes.message_content(message) == ["x"]


def test_content_wrapped_in_parts() -> None:
    message = {"author": {"role": "assistant"}, "content": {"parts": ["Hello"]}}
    assert shapes.message_role(message) == "assistant"
    assert shapes.message_content(message) == ["Hello"]


@pytest.mark.parametrize(
    "node",
    [
        {"role": "user"},
        {"content": "x"},
        {"role": "butler", "content": "x"},
        {"type": "user", "message": {"role": "user", "content": "x"}},
    ],
)
def test_what_is_no_message(node: dict[str, Any]) -> None:
    assert shapes.message_role(node) is None


@pytest.mark.parametrize("name", NAME_KEYS)
@pytest.mark.parametrize("sent", ARGUMENT_KEYS)
def test_every_way_to_write_a_call(name: str, sent: str) -> None:
    node = {name: "search", sent: '{"q": 1}'}
    assert shapes.is_call(node)
    assert (shapes.call_name(node), shapes.call_arguments(node)) == ("search", {"q": 1})


def test_calls_with_a_body_of_their_own() -> None:
    function = {"id": "a", "function": {"name": "search", "arguments": "{}"}}
    assert shapes.is_call(function)
    assert shapes.call_name(function) == "search"
    state = {"tool": "read", "state": {"status": "error", "input": {"p": 1}, "output": "no"}}
    assert shapes.is_call(state)
    assert shapes.own_result(state) == ("output", "no")
    assert shapes.success_of(state) is False


@pytest.mark.parametrize("key", [key for key in RESULT_KEYS if key != "content"])
def test_every_key_of_a_result(key: str) -> None:
    assert shapes.is_result({"call_id": "a", key: "x"})
    assert shapes.own_result({"tool": "t", "args": {}, key: "x"}) == (key, "x")


@pytest.mark.parametrize("key", CALL_ID_KEYS)
def test_every_key_of_a_calls_id(key: str) -> None:
    assert shapes.is_result({key: "a", "content": "x"})


@pytest.mark.parametrize("key", ["parameters", "input_schema", "inputSchema", "json_schema"])
def test_a_definition_is_no_call(key: str) -> None:
    tool = {"name": "search", "description": "d", key: {"type": "object", "properties": {}}}
    assert shapes.is_definition(tool)
    assert shapes.is_definition({"type": "function", "function": tool})
    assert not shapes.is_call(tool)


def test_calls_and_results_among_the_parts_of_a_message() -> None:
    call = {"name": "search", "args": {}}
    answer = {"name": "search", "response": "x"}
    message = {"role": "model", "parts": [{"function_call": call}, {"function_response": answer}]}
    assert shapes.calls_in(message) == [call]
    assert shapes.results_in(message) == [answer]


def test_steps_are_counted_from_nought() -> None:
    node = {"tool_name_0": "f", "tool_args_0": {}, "observation_0": 1}
    assert shapes.numbered_steps(node) == [{"name": "f", "args": {}, "observation": 1}]
    assert shapes.numbered_steps({"name": "f", "tool_name_shown": "F"}) == []


@pytest.mark.parametrize(("status", "success"), STATUSES.items())
def test_every_status(status: str, *, success: bool) -> None:
    assert shapes.success_of({"status": status.upper()}) is success
    assert shapes.success_of({"result": {"status": status}}) is success


@pytest.mark.parametrize("key", EXIT_CODE_KEYS)
def test_every_exit_code(key: str) -> None:
    assert shapes.success_of({key: 0}) is True
    assert shapes.success_of({key: 3}) is False


def test_flags_come_first_and_nothing_is_guessed() -> None:
    assert shapes.success_of({"isError": True, "status": "ok"}) is False
    assert shapes.success_of({"output": "Error: no"}) is None


@pytest.mark.parametrize("key", [*START_KEYS, *END_KEYS])
def test_every_time(key: str) -> None:
    keys = START_KEYS if key in START_KEYS else END_KEYS
    assert time_of({key: "2026-01-01T00:00:00Z"}, keys) == MINUTE


@pytest.mark.parametrize(("key", "scale"), DURATION_KEYS)
def test_every_duration(key: str, scale: float) -> None:
    assert duration_of({key: 2 * scale}) == 2.0


@pytest.mark.parametrize(
    ("kind", "role"),
    [
        ("SystemMessage", "system"),
        ("UserMessage", "user"),
        ("HumanMessage", "user"),
        ("AssistantMessage", "assistant"),
        ("FunctionExecutionResultMessage", "tool"),
    ],
)
def test_a_class_of_messages_names_the_role(kind: str, role: str) -> None:
    assert shapes.message_role({"type": kind, "content": "x"}) == role


@pytest.mark.parametrize("key", sorted(shape_words.ENDING_KEYS))
def test_words_that_say_why_they_ended_are_a_models(key: str) -> None:
    assert shapes.message_role({"content": "x", key: "stop"}) == "assistant"
