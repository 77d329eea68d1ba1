"""Histories of Browser Use: actions as calls, errors as reported, nothing done after them."""

from __future__ import annotations

from time import process_time
from typing import Any

from tests.ingest.reading import problems, read_one, recording

from assay.ingest.browser_use import BROWSER_USE
from assay.ingest.formats import pick_format

PROMPT = "<agent_state><user_request>\nFind shoes.\n</user_request></agent_state>"


def step(number: int, actions: list[Any], results: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "model_output": {"memory": f"m{number}", "next_goal": "go on", "action": actions},
        "result": results,
        "state": {"url": f"https://shop.example/{number}", "interacted_element": [None]},
        "metadata": {"step_start_time": 1000.0 + number, "step_end_time": 1001.0 + number},
        **more,
    }


STEPS = [
    step(1, [{"navigate": {"url": "u"}}], [{"extracted_content": "at u"}], state_message=PROMPT),
    step(
        2,
        [{"click": {"index": 3}, "interacted_element": None}, {"input": {"text": "shoes"}}],
        [{"error": "no element 3"}],
    ),
    step(
        3,
        [{"done": {"text": "None.", "success": False}}],
        [{"is_done": True, "success": False, "extracted_content": "None."}],
    ),
]


def test_a_history_is_a_run() -> None:
    assert pick_format(recording({"history": STEPS})) == (BROWSER_USE, 0.95)
    run = read_one(BROWSER_USE, recording({"history": STEPS}))
    assert (run.input, run.actual_output) == ("Find shoes.", "None.")
    assert [(call.tool, call.parameters, call.turn) for call in run.calls] == [
        ("navigate", {"url": "u"}, 1),
        ("click", {"index": 3}, 2),
        ("input", {"text": "shoes"}, 2),
        ("done", {"text": "None.", "success": False}, 3),
    ]
    assert [call.reported_success for call in run.calls] == [True, False, None, True]
    assert run.calls[1].error_message == "no element 3"
    assert (run.started_at, run.ended_at, run.outcome) == (1001.0, 1004.0, None)
    assert run.extra["own_verdict"] is False


def test_what_was_not_done_takes_no_later_result() -> None:
    again = step(3, [{"input": {"text": "hats"}}], [{"extracted_content": "typed hats"}])
    run = read_one(BROWSER_USE, recording({"history": [*STEPS[:2], again]}))
    assert [call.result for call in run.calls[2:]] == [None, "typed hats"]


def test_the_judge_decides() -> None:
    judged = {"verdict": False, "failure_reason": "looked once", "reasoning": "long"}
    last = step(4, [{"done": {}}], [{"is_done": True, "success": True, "judgement": judged}])
    outcome = read_one(BROWSER_USE, recording({"history": [last]})).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "looked once")


def test_a_task_beside_the_history_is_the_question() -> None:
    run = read_one(BROWSER_USE, recording({"task": "Buy.", "history": STEPS}))
    assert run.input == "Buy."


def test_a_step_without_a_reply_and_one_that_ended_early() -> None:
    broken = step(1, [], [{"error": "the model is busy"}])
    broken["model_output"] = None
    run = read_one(BROWSER_USE, recording({"history": [broken]}))
    assert (run.calls, run.actual_output) == ([], None)
    assert run.conversation_history == [{"role": "system", "content": "the model is busy"}]


def test_what_is_no_history_is_named_and_prompts_are_searched_in_bounded_time() -> None:
    assert BROWSER_USE.recognise(recording({"history": []})) == 0.0
    assert len(problems(BROWSER_USE, recording(({"history": STEPS}, {"history": [{}]})))) == 1
    begun = process_time()
    endless = step(1, [], [], state_message="<user_request>" * 1_000_000)
    read_one(BROWSER_USE, recording({"history": [endless]}))
    assert process_time() - begun < 5
