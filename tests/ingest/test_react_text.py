"""Calls that a model wrote as words are calls."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.openai_chat import OPENAI_CHAT

ASKED = {"role": "user", "content": "Rain?"}
ACTED = 'Thought: I look.\nAction: look up rain\nAction Input: {"city": "Oslo"}'
SAID = {"role": "assistant", "content": "Thought: I know.\nFinal Answer: Yes."}


def assistant(content: str) -> dict[str, Any]:
    return {"role": "assistant", "content": content}


SEEN = [
    [assistant(f"{ACTED}\nObservation: yes")],
    [assistant(f"```\n{ACTED}\n```\nObservation: yes")],
    [assistant(ACTED), {"role": "user", "content": "Observation: yes"}],
    [assistant(ACTED.replace('"', "'")), {"role": "user", "content": "Observation: yes"}],
]


@pytest.mark.parametrize("seen", SEEN)
def test_an_action_is_a_call_and_the_observation_its_result(seen: list[Any]) -> None:
    run = read_one(OPENAI_CHAT, recording([ASKED, *seen, SAID]))
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("look up rain", {"city": "Oslo"}, "yes")
    ]
    assert run.actual_output == SAID["content"]


def test_what_the_model_made_up_is_no_result() -> None:
    (call,) = read_one(OPENAI_CHAT, recording([ASKED, *SEEN[0]])).calls
    assert call.result is None


def test_two_tasks_with_the_same_instructions_are_two_runs() -> None:
    told = f"Answer so:\n{ACTED}\nObservation: what came of it\nTask: "
    asked = [{"role": "user", "content": f"{told}{task}"} for task in ("Rain?", "Sun?")]
    lines = (
        {"request": {"messages": [asked[0]]}, "response": {"choices": [{"message": SEEN[2][0]}]}},
        {
            "request": {"messages": [asked[1], *SEEN[0]]},
            "response": {"choices": [{"message": SAID}]},
        },
    )
    assert [run.input for run in read(OPENAI_CHAT, recording(lines))] == [
        question["content"] for question in asked
    ]


def test_instructions_how_to_act_are_no_calls() -> None:
    system = {"role": "system", "content": f"Write so:\n{ACTED}\nObservation: what came of it"}
    assert read_one(OPENAI_CHAT, recording([system, ASKED, SAID])).calls == []


@pytest.mark.parametrize("seen", [SEEN[0], SEEN[3]])
def test_requests_that_repeat_the_observation_are_one_run(seen: list[Any]) -> None:
    def pair(messages: list[Any], reply: Any) -> dict[str, Any]:
        return {"request": {"messages": messages}, "response": {"choices": [{"message": reply}]}}

    made_up = assistant(f"{ACTED}\nObservation: no\nFinal Answer: No.")
    lines = (pair([ASKED], made_up), pair([ASKED, *seen], SAID))
    run = read_one(OPENAI_CHAT, recording(lines))
    assert ([c.result for c in run.calls], run.actual_output) == (["yes"], SAID["content"])
