"""promptfoo's results: each answer is a run, the assertions are its outcome."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.promptfoo import PROMPTFOO
from assay.run import Usage

FUNCTION = {"id": "c", "type": "function", "function": {"name": "rain", "arguments": '{"a": 1}'}}
USED = {"type": "tool_use", "id": "c", "name": "rain", "input": {"a": 1}}
SAID = {"type": "text", "text": "so"}


def row(output: Any, raw: str = "Rain?", **facts: Any) -> dict[str, Any]:
    return {
        "provider": {"id": "openai:m"},
        "prompt": {"raw": raw, "label": "x"},
        "vars": {"city": "Oslo"},
        "testIdx": 3,
        "testCase": {"assert": []},
        "response": {"output": output, "tokenUsage": {"prompt": 9, "completion": 3}},
        "success": False,
        "score": 0.5,
        "cost": 0.25,
        "gradingResult": {"pass": False, "reason": "not kind"},
        **facts,
    }


WHOLE = {"evalId": "e", "results": {"version": 3, "results": [row("Yes."), row("No.")]}}


@pytest.mark.parametrize("log", [WHOLE, (row("Yes."), row("No."))], ids=["a document", "lines"])
def test_every_answer_is_a_run(log: Any) -> None:
    made_up = recording(log, "out.jsonl" if isinstance(log, tuple) else "out.json")
    assert pick_format(made_up)[0] is PROMPTFOO
    runs = read(PROMPTFOO, made_up)
    assert [(run.input, run.actual_output) for run in runs] == [("Rain?", "Yes."), ("Rain?", "No.")]
    assert len({run.run_id for run in runs}) == 2


def test_what_is_known_of_an_answer() -> None:
    run = read_one(PROMPTFOO, recording((row("Yes."),)))
    assert (run.model, run.task_id) == ("openai:m", "3")
    assert run.usage == Usage(input_tokens=9, output_tokens=3, cost_usd=0.25)
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.score) == (False, 0.5)
    assert run.outcome.reason == "not kind"
    assert run.extra["vars"] == {"city": "Oslo"}


@pytest.mark.parametrize(
    "output",
    [
        [FUNCTION],
        FUNCTION,
        {"role": "assistant", "content": "so", "tool_calls": [FUNCTION]},
        json.dumps([FUNCTION]),
        [SAID, USED],
        json.dumps(USED),
    ],
)
def test_every_form_of_a_call(output: Any) -> None:
    run = read_one(PROMPTFOO, recording((row(output),)))
    assert [(c.tool, c.parameters, c.call_id) for c in run.calls] == [("rain", {"a": 1}, "c")]
    assert run.actual_output is None


def test_a_prompt_of_messages() -> None:
    raw = json.dumps([{"role": "system", "content": "Be"}, {"role": "user", "content": "Sun?"}])
    assert read_one(PROMPTFOO, recording((row("Yes.", raw),))).input == "Sun?"


def test_strangers_are_reported() -> None:
    assert problems(PROMPTFOO, recording((row("Yes."), {"x": 1}))) == [
        "log.json:2: expected a result of promptfoo, got dict {'x': 1}"
    ]


def test_a_request_that_failed_is_an_outcome() -> None:
    failed = row(None, success=False, error="API error: 500")
    del failed["response"]
    made_up = recording({"results": {"results": [row("Yes."), failed]}})
    assert pick_format(made_up)[0] is PROMPTFOO
    outcome = read(PROMPTFOO, made_up)[1].outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "API error: 500")
