"""What LiteLLM's proxy logs is read with tools, times, costs and failures."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.litellm_logs import COST_KEYS, MARKS, SESSION_KEYS, logged_row
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.ingest.stated_outcome import ERROR_KEYS, FAILED
from assay.run import RunOutcome, Usage

START = 1_767_225_600
TOOLS = [{"type": "function", "function": {"name": "look", "parameters": {"type": "object"}}}]
ASKED = {"role": "user", "content": "Rain?"}
CALLED = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "c1", "function": {"name": "look", "arguments": "{}"}}],
}
CAME = {"role": "tool", "tool_call_id": "c1", "content": "rain"}
SAID = {"role": "assistant", "content": "Wet."}


def row(second: int, messages: Any, reply: dict[str, Any] | None, **more: Any) -> dict[str, Any]:
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    response = {"choices": [{"message": reply}], "usage": usage} if reply else {}
    return {
        "id": f"r{second}",
        "trace_id": "t1",
        "call_type": "acompletion",
        "status": "success",
        "startTime": START + second,
        "endTime": START + second + 1,
        "model": "m",
        "messages": messages,
        "response": response,
        "response_cost": 0.25,
        "model_parameters": {"temperature": 0, "tools": TOOLS},
        **more,
    }


ROWS = (row(0, [ASKED], CALLED), row(5, [ASKED, CALLED, CAME], SAID))


def spent(value: dict[str, Any], *, as_text: bool) -> dict[str, Any]:
    """The same row as the spend table has it, the request beside it."""
    body = {"messages": value["messages"], "tools": TOOLS}
    request = {"body": body}
    rest = {k: v for k, v in value.items() if k not in {"model_parameters", "trace_id"}}
    return {
        **rest,
        "session_id": "t1",
        "messages": "{}" if as_text else {},
        "request_tags": "[]",
        "response": json.dumps(value["response"]) if as_text else value["response"],
        "proxy_server_request": json.dumps(request) if as_text else request,
    }


FORMS = {
    "callback": ROWS,
    "spend": tuple(spent(value, as_text=False) for value in ROWS),
    "spend as text": [spent(value, as_text=True) for value in ROWS],
}


@pytest.mark.parametrize("form", FORMS)
def test_requests_that_go_on_are_one_run(form: str) -> None:
    made_up = recording(FORMS[form])
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Wet.", "m")
    assert [(call.tool, call.result) for call in run.calls] == [("look", "rain")]
    assert run.usage == Usage(20, 4, cost_usd=0.5)
    assert (run.started_at, run.ended_at) == (START, START + 6)
    assert (run.session_id, run.available_tools) == ("t1", TOOLS)
    assert "proxy_server_request" not in run.extra


def test_a_request_that_failed_is_an_outcome() -> None:
    failed = row(0, [ASKED], None, status="failure", error_str="429", prompt_tokens=7)
    run = read_one(OPENAI_CHAT, recording((failed,)))
    outcome = RunOutcome(success=False, decided_by="the file's 'status'", reason="429")
    assert (run.outcome, run.usage) == (outcome, Usage(7, cost_usd=0.25))
    assert read_one(OPENAI_CHAT, recording((failed, row(9, [ASKED], SAID)))).outcome is None


def test_other_sessions_are_other_runs() -> None:
    other = row(3, [{"role": "user", "content": "Sun?"}], SAID)
    assert len(read(OPENAI_CHAT, recording((*ROWS, other)))) == 2


@pytest.mark.parametrize("key", COST_KEYS)
def test_what_it_cost(key: str) -> None:
    told = {**row(0, [ASKED], SAID, **{key: 0.5})}
    told = {k: v for k, v in told.items() if k == key or k not in COST_KEYS}
    assert logged_row(told)["usage"]["cost"] == 0.5


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_which_session_it_was(key: str) -> None:
    told = {k: v for k, v in row(0, [ASKED], SAID).items() if k not in SESSION_KEYS}
    assert logged_row({**told, key: "s"})["session_id"] == "s"


@pytest.mark.parametrize("mark", sorted(MARKS))
def test_any_other_row_stays_as_it_is(mark: str) -> None:
    told = {key: value for key, value in ROWS[0].items() if key != mark}
    assert logged_row(told) is told


@pytest.mark.parametrize("status", sorted(FAILED))
@pytest.mark.parametrize("key", ERROR_KEYS)
def test_every_state_of_failure(status: str, key: str) -> None:
    run = read_one(OPENAI_CHAT, recording({"messages": [ASKED, SAID], "status": status, key: "x"}))
    outcome = RunOutcome(success=False, decided_by="the file's 'status'", reason="x")
    assert run.outcome == outcome


def test_a_cost_beside_the_tokens_counts() -> None:
    usage = {"prompt_tokens": 3, "cost": 0.125}
    run = read_one(OPENAI_CHAT, recording({"messages": [ASKED, SAID], "usage": usage}))
    assert run.usage == Usage(3, cost_usd=0.125)


@pytest.mark.parametrize("status", [{"code": "OK"}, ["failed"], 500, None])
def test_a_state_that_is_no_word_says_nothing(status: Any) -> None:
    run = read_one(OPENAI_CHAT, recording({"messages": [ASKED, SAID], "status": status}))
    assert run.outcome is None
