"""Runs of AgentDojo: calls by their bare names, errors as reported, utility as the outcome."""

from __future__ import annotations

from typing import Any

from tests.ingest.reading import problems, read_one, recording

from assay.ingest.agentdojo import AGENTDOJO
from assay.ingest.formats import pick_format


def words(text: str) -> list[dict[str, str]]:
    return [{"type": "text", "content": text}]


def came(call: str, text: str, error: str | None = None) -> dict[str, Any]:
    told = {"tool_call": {"function": "pay", "args": {}, "id": call}, "error": error}
    return {"role": "tool", "tool_call_id": call, "content": words(text), **told}


def dojo(**more: Any) -> dict[str, Any]:
    calls = [{"function": "pay", "args": {"to": name}, "id": name} for name in ("a", "b")]
    return {
        "suite_name": "banking",
        "pipeline_name": "m-defended",
        "user_task_id": "user_task_2",
        "injection_task_id": None,
        "injections": {},
        "messages": [
            {"role": "system", "content": words("Be careful.")},
            {"role": "user", "content": words("Pay both.")},
            {"role": "assistant", "content": None, "tool_calls": calls},
            came("a", "", "ValueError: no such account"),
            came("b", "paid"),
            {"role": "assistant", "content": words("One of two."), "tool_calls": None},
        ],
        "error": None,
        "utility": False,
        "security": True,
        **more,
    }


def test_a_task_is_a_run() -> None:
    assert pick_format(recording(dojo())) == (AGENTDOJO, 0.95)
    run = read_one(AGENTDOJO, recording(dojo()))
    first, second = run.calls
    assert (run.input, run.actual_output) == ("Pay both.", "One of two.")
    assert (run.task_id, run.model) == ("banking/user_task_2", "m-defended")
    assert (first.tool, first.parameters, first.turn) == ("pay", {"to": "a"}, second.turn)
    assert (first.reported_success, first.error_message) == (False, "ValueError: no such account")
    assert (second.reported_success, second.result) == (True, "paid")
    assert run.outcome is not None
    assert run.outcome.success is False
    assert run.extra["security"] is True


def test_an_attack_is_a_task_of_its_own() -> None:
    run = read_one(AGENTDOJO, recording(dojo(injection_task_id="injection_task_1")))
    assert run.task_id == "banking/user_task_2/injection_task_1"


def test_contents_of_older_versions_are_text() -> None:
    said = [{"role": "user", "content": "Pay."}, {"role": "assistant", "content": "Done."}]
    run = read_one(AGENTDOJO, recording(dojo(messages=said)))
    assert (run.input, run.actual_output) == ("Pay.", "Done.")


def test_a_task_that_broke_off_says_why() -> None:
    outcome = read_one(AGENTDOJO, recording(dojo(utility=None, error="too long"))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "too long")


def test_other_lines_are_named() -> None:
    assert len(problems(AGENTDOJO, recording((dojo(), {"suite_name": "x"})))) == 1
