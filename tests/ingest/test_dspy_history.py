"""DSPy's history becomes runs, ReAct's steps their calls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.dspy_history import DSPY, SIDE_FIELDS, fields_in
from assay.ingest.formats import pick_format
from assay.run import Usage

DEMAND = (
    "\n\nRespond with the corresponding output fields, starting with the field "
    "`[[ ## next_thought ## ]]`, and then ending with `[[ ## completed ## ]]`."
)


def text(**fields: str) -> str:
    return "\n\n".join(f"[[ ## {name} ## ]]\n{said}" for name, said in fields.items())


def entry(second: int, asked: str, replied: Any) -> dict[str, Any]:
    system = {"role": "system", "content": "Your input fields are: `question`"}
    return {
        "prompt": None,
        "messages": [system, {"role": "user", "content": asked + DEMAND}],
        "kwargs": {},
        "outputs": [replied],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        "timestamp": f"2026-01-01T00:00:0{second}",
        "uuid": f"u{second}",
        "model": "openai/m",
        "response_model": "m",
    }


ASKED = {"question": "Rain in Oslo?", "trajectory": ""}
LOOK = {"next_thought": "I look.", "next_tool_name": "look", "next_tool_args": '{"city": "Oslo"}'}
SEEN = {
    "thought_0": "I look.",
    "tool_name_0": "look",
    "tool_args_0": '{"city": "Oslo"}',
    "observation_0": "rain",
}
FINISH = {"next_thought": "Done.", "next_tool_name": "finish", "next_tool_args": "{}"}
ENDED = {
    "thought_1": "Done.",
    "tool_name_1": "finish",
    "tool_args_1": "{}",
    "observation_1": "Completed.",
}
ANSWER = {"reasoning": "It was seen.", "answer": "Yes.", "completed": ""}
STEPS = [({}, LOOK), (SEEN, FINISH), ({**SEEN, **ENDED}, ANSWER)]
HISTORY = [entry(i, text(**ASKED, **seen), text(**said)) for i, (seen, said) in enumerate(STEPS)]
AS_JSON = [
    entry(i, text(**ASKED, **seen), {"text": json.dumps(said)})
    for i, (seen, said) in enumerate(STEPS)
]


@pytest.mark.parametrize("history", [HISTORY, tuple(HISTORY), AS_JSON])
def test_the_requests_of_react_are_one_run(history: Any) -> None:
    made_up = recording(history)
    assert pick_format(made_up)[0] is DSPY
    run = read_one(DSPY, made_up)
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "rain", 1),
        ("finish", {}, "Completed.", 2),
    ]
    assert (run.input, run.actual_output, run.model) == ("Rain in Oslo?", "Yes.", "m")
    assert (run.usage, run.ended_at) == (Usage(30, 6), 1_767_225_602)


def test_a_run_that_broke_off_has_a_call_without_a_result() -> None:
    run = read_one(DSPY, recording(HISTORY[:1]))
    assert [(c.tool, c.result) for c in run.calls] == [("look", None)]
    assert run.actual_output is None


def test_other_questions_are_other_runs() -> None:
    other = [json.loads(json.dumps(item).replace("Oslo", "Rome")) for item in HISTORY]
    runs = read(DSPY, recording([*HISTORY, *other, HISTORY[0]]))
    assert [run.input for run in runs] == ["Rain in Oslo?", "Rain in Rome?", "Rain in Oslo?"]


def test_several_outputs_are_told_by_name() -> None:
    said = text(reasoning="So.", city="Oslo", sky="grey", completed="")
    run = read_one(DSPY, recording([entry(0, text(question="Where?"), said)]))
    assert json.loads(run.actual_output or "") == {"city": "Oslo", "sky": "grey"}
    plain = entry(0, "Where?", "In Oslo.")
    assert read_one(DSPY, recording([plain])).actual_output == "In Oslo."


@pytest.mark.parametrize("name", sorted(SIDE_FIELDS))
def test_what_is_no_answer_is_left_out(name: str) -> None:
    said = text(**{name: "x", "answer": "Yes."})
    output = read_one(DSPY, recording([entry(0, text(question="?"), said)])).actual_output
    assert output == (None if name == "next_tool_name" else "Yes.")


def test_fields_stand_between_headings_on_lines_of_their_own() -> None:
    told = "before\n[[ ## a ## ]]\nsays [[ ## b ## ]] inside\n[[ ## c ## ]]\n" + DEMAND
    assert fields_in(told) == {"a": "says [[ ## b ## ]] inside", "c": ""}
    assert fields_in("no headings") == {}


def test_what_is_no_entry_is_reported_with_its_place() -> None:
    expected = "an entry of DSPy's history, with messages and outputs"
    assert problems(DSPY, recording((HISTORY[0], {"a": 1}))) == [
        f"log.json:2: expected {expected}, got dict {{'a': 1}}"
    ]


def test_requests_that_were_recorded_below_dspy_are_read_the_same() -> None:
    tape = []
    for item in HISTORY:
        request = {"model": "openai/m", "messages": item["messages"]}
        message = {"role": "assistant", "content": item["outputs"][0]}
        reply = {"model": "m", "choices": [{"message": message}], "usage": item["usage"]}
        tape.append({"request": {"body": request}, "response": {"body": reply}})
    made_up = recording({"interactions": tape})
    assert pick_format(made_up)[0] is DSPY
    run = read_one(DSPY, made_up)
    assert [(c.tool, c.result) for c in run.calls] == [("look", "rain"), ("finish", "Completed.")]
    assert (run.actual_output, run.usage, run.model) == ("Yes.", Usage(30, 6), "m")
