"""LlamaIndex: what agent workflows streamed, told as runs."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.llama_events import LLAMA_EVENTS, WRAPPERS
from assay.run import Usage


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "blocks": [{"block_type": "text", "text": text}]}


def asked(*messages: dict[str, Any]) -> dict[str, Any]:
    return {"input": list(messages), "current_agent_name": "Agent"}


def call(own_id: str, **sent: Any) -> dict[str, Any]:
    return {"tool_name": "rain", "tool_kwargs": sent, "tool_id": own_id}


def replied(text: str, *calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "response": said("assistant", text),
        "tool_calls": list(calls),
        "current_agent_name": "Agent",
        **more,
    }


def came(own_id: str, text: str, *, failed: bool, **more: Any) -> dict[str, Any]:
    output = {"blocks": said("", text)["blocks"], "is_error": failed, **more}
    return {**call(own_id), "tool_output": output}


USER = said("user", "Rain?")
RAW = {"model": "m", "usage": {"prompt_tokens": 9, "completion_tokens": 2}}
REFUSED = {"content": [{"type": "text", "text": "no such city"}], "is_error": True}
FIRST, SECOND = call("a", city="Oslo"), call("b", city="X")
EVENTS = [
    asked(said("system", "Help"), USER),
    replied("Both.", FIRST, SECOND, raw=RAW),
    FIRST,
    came("a", "wet", failed=False),
    SECOND,
    came("b", "meta=None ...", failed=False, raw_output=REFUSED),
    asked(said("system", "Help"), USER, said("assistant", "Both.")),
    replied("It rains.", raw=RAW),
    {"result": replied("It rains.", FIRST, SECOND)},
]


@pytest.mark.parametrize("wrapper", [None, *WRAPPERS])
def test_the_events_of_a_workflow_are_one_run(wrapper: str | None) -> None:
    events = EVENTS if wrapper is None else [{"type": "x", wrapper: event} for event in EVENTS]
    made_up = recording(tuple(events), "events.jsonl")
    assert pick_format(made_up)[0] is LLAMA_EVENTS
    run = read_one(LLAMA_EVENTS, made_up)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "It rains.", "m")
    assert [
        (c.parameters, c.turn, c.result, c.reported_success, c.error_message) for c in run.calls
    ] == [
        ({"city": "Oslo"}, 1, "wet", True, None),
        ({"city": "X"}, 1, "no such city", False, "no such city"),
    ]
    assert run.usage == Usage(input_tokens=18, output_tokens=4)
    assert not problems(LLAMA_EVENTS, made_up)


def test_a_new_question_is_a_new_run() -> None:
    again = asked(
        said("system", "Help"), USER, said("assistant", "It rains."), said("user", "Now?")
    )
    first, second = read(LLAMA_EVENTS, recording((*EVENTS, again, replied("No."))))
    assert (first.actual_output, second.actual_output) == ("It rains.", "No.")
    assert (len(first.calls), len(second.calls)) == (2, 0)


@pytest.mark.parametrize("own_id", ["rain", ""])
@pytest.mark.parametrize("told_last", [False, True], ids=["calls", "calls with results"])
def test_calls_that_share_an_id_are_all_told_and_told_once(own_id: str, *, told_last: bool) -> None:
    wet, dry = came(own_id, "wet", failed=False), came(own_id, "dry", failed=False)
    one, other = call(own_id, city="Oslo"), call(own_id, city="X")
    all_again = (wet, dry) if told_last else (one, other)
    run = read_one(
        LLAMA_EVENTS,
        recording(
            (
                *(asked(USER), replied("", one), wet),
                *(asked(USER, said("tool", "wet")), replied("And there?", other), dry),
                *(asked(USER, said("tool", "dry")), replied("It rains.", *all_again)),
            )
        ),
    )
    assert [(c.parameters["city"], c.result) for c in run.calls] == [("Oslo", "wet"), ("X", "dry")]
    assert run.actual_output == "It rains."


def test_the_result_of_a_run_alone_has_calls_and_answer() -> None:
    result = replied("It rains.", came("a", "wet", failed=False), SECOND)
    made_up = recording(result)
    assert pick_format(made_up)[0] is LLAMA_EVENTS
    run = read_one(LLAMA_EVENTS, made_up)
    assert run.actual_output == "It rains."
    assert [c.result for c in run.calls] == ["wet", None]
