"""Runs of agents in a browser are read from the words they acted with."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.web_actions import BRACKETED, CALLED, LAST_WORDS, actions_in
from assay.ingest.web_trajectories import (
    CAME_KEYS,
    GOAL_KEYS,
    ID_KEYS,
    REWARD_KEYS,
    SEEN_KEYS,
    STEP_KEYS,
    TASK_KEYS,
    THOUGHT_KEYS,
    WEB_ACTIONS,
)
from assay.run import RunOutcome, Usage

OCCAM = {
    "task": "tasks/7.json",
    "id": "7",
    "model": "m",
    "type": "AgentOccam",
    "trajectory": [
        {
            "objective": "Find it",
            "url": "u0",
            "observation": "[12] box",
            "reason": "search",
            "action": "type [12] [a [b]] [1]",
            "prompt_tokens": 10,
            "completion_tokens": 2,
        },
        {"url": "u1", "observation": "[3] link", "action": "click [3]", "prompt_tokens": 20},
        {"url": "u2", "observation": "Price: 4", "action": "stop [4]", "success": 1.0},
    ],
}
GYM = {
    "goal": "Find it",
    "benchmark": "b",
    "model": "m",
    "steps": [
        {"action": "fill('12', \"a\")\nclick('13')", "axtree": "t0", "reasoning": "search"},
        {"action": "click('3')", "axtree": "t1", "last_action_error": "TimeoutError: 3"},
        {"action": "send_msg_to_user('4')", "axtree": "t2", "last_action_error": ""},
        {"action": None, "axtree": "t3"},
    ],
    "summary_info": {"cum_reward": 0.5, "stats.cum_input_tokens": 9, "stats.cum_cost": 0.25},
}


def test_a_run_of_webarena() -> None:
    made_up = recording(OCCAM)
    assert pick_format(made_up) == (WEB_ACTIONS, 0.85)
    run = read_one(WEB_ACTIONS, made_up)
    assert (run.input, run.actual_output, run.model, run.task_id) == ("Find it", "4", "m", "7")
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        (
            *("type", {"element": "12", "text": "a [b]", "press_enter": "1"}),
            *({"url": "u1", "observation": "[3] link"}, 1),
        ),
        ("click", {"element": "3"}, {"url": "u2", "observation": "Price: 4"}, 2),
        ("stop", {"answer": "4"}, None, 3),
    ]
    assert (run.usage, run.extra) == (Usage(30, 2), {"type": "AgentOccam"})
    assert run.outcome == RunOutcome(success=True, score=1.0, decided_by="the file's 'success'")
    assert (run.conversation_history or [])[1]["reasoning"] == "search"


def test_a_run_of_browsergym_tells_failures() -> None:
    made_up = recording((GYM, GYM))
    assert pick_format(made_up) == (WEB_ACTIONS, 0.85)
    run = read(WEB_ACTIONS, made_up)[0]
    assert [(c.tool, c.reported_success, c.error_message, c.turn) for c in run.calls] == [
        ("fill", None, None, 1),
        ("click", False, "TimeoutError: 3", 1),
        ("click", True, None, 2),
        ("send_msg_to_user", None, None, 3),
    ]
    assert (run.calls[1].result, run.actual_output) == ({"observation": "t1"}, "4")
    assert run.usage == Usage(9, cost_usd=0.25)
    assert run.outcome == RunOutcome(score=0.5, decided_by="the file's 'cum_reward'")


@pytest.mark.parametrize("key", STEP_KEYS)
def test_steps_stand_below_many_keys(key: str) -> None:
    assert len(read_one(WEB_ACTIONS, recording({key: OCCAM["trajectory"]})).calls) == 3


@pytest.mark.parametrize("key", [*GOAL_KEYS, *TASK_KEYS])
def test_what_was_asked(key: str) -> None:
    assert read_one(WEB_ACTIONS, recording({key: "q", "steps": GYM["steps"]})).input == "q"


@pytest.mark.parametrize("key", ID_KEYS)
def test_which_task_it_was(key: str) -> None:
    assert read_one(WEB_ACTIONS, recording({key: 3, "steps": GYM["steps"]})).task_id == "3"


@pytest.mark.parametrize("key", THOUGHT_KEYS)
def test_what_was_thought(key: str) -> None:
    run = read_one(WEB_ACTIONS, recording({"steps": [{"action": "stop [x]", key: "hm"}]}))
    assert (run.conversation_history or [])[0]["reasoning"] == "hm"


@pytest.mark.parametrize("key", [*SEEN_KEYS, *CAME_KEYS])
def test_what_came_of_it(key: str) -> None:
    first, second = {"action": "click [1]"}, {"action": "stop []"}
    told = first if key in CAME_KEYS else second
    told[key] = "page"
    run = read_one(WEB_ACTIONS, recording({"steps": [first, second]}))
    assert run.calls[0].result == {"observation": "page"}


@pytest.mark.parametrize("key", REWARD_KEYS)
@pytest.mark.parametrize(("told", "success"), [(0, False), (1, True), (True, True), (-0.5, None)])
def test_every_reward(key: str, told: float, success: bool | None) -> None:
    outcome = read_one(WEB_ACTIONS, recording({"steps": GYM["steps"], key: told})).outcome
    assert outcome == RunOutcome(success=success, score=told, decided_by=f"the file's {key!r}")


OTHERS = [
    {"steps": [{"action": "open file.py"}]},
    {"steps": [{"action": "goto 12"}, {"action": "edit 1:2"}]},
    {"steps": [{"action": {"name": "click"}}]},
    {"steps": [{"action": "click [1]"}, {"tool": "x"}]},
    {"steps": [{"action": None}]},
    {"steps": []},
    {"trajectory": "click [1]"},
    [{"role": "user", "content": "click [1]"}],
]


@pytest.mark.parametrize("value", OTHERS)
def test_steps_of_others_are_left_alone(value: Any) -> None:
    assert WEB_ACTIONS.recognise(recording(value)) == 0.0


def test_an_action_of_another_kind_stays_words() -> None:
    steps = [{"action": "click [1]"}, {"action": "I give up"}]
    run = read_one(WEB_ACTIONS, recording({"steps": steps}))
    assert (len(run.calls), run.actual_output) == (1, "I give up")
    assert problems(WEB_ACTIONS, recording([{"steps": steps}, {"steps": []}])) == [
        "log.json:2: expected steps with an action each, got dict {'steps': []}"
    ]


@pytest.mark.parametrize("name", BRACKETED)
def test_every_bracketed_action(name: str) -> None:
    given = [f"x{i}" for i in range(len(BRACKETED[name]))]
    text = " ".join([name, *(f"[{value}]" for value in given)])
    assert actions_in(f"```{text}```") == [
        (name, dict(zip(BRACKETED[name], given, strict=True))),
    ]


@pytest.mark.parametrize("name", CALLED)
def test_every_called_action(name: str) -> None:
    given = [f"x{i}" for i in range(len(CALLED[name]))]
    text = f"{name}({', '.join(map(repr, given))})"
    assert actions_in(text) == [(name, dict(zip(CALLED[name], given, strict=True)))]


@pytest.mark.parametrize(("name", "argument"), LAST_WORDS.items())
def test_last_words_are_an_argument(name: str, argument: str) -> None:
    assert argument in CALLED[name]


WORDS: list[tuple[str, list[tuple[str, Any]]]] = [
    ("type [1] wireless mouse", [("type", {"element": "1", "text": "wireless mouse"})]),
    ("CLICK [4] Search", [("click", {"element": "4", "rest": ["Search"]})]),
    ("type [7] [foo [bar] [1]", [("type", {"element": "7", "text": "[foo [bar] [1]"})]),
    ("click [12", []),
    ("scroll(0, 200.5)", [("scroll", {"dx": 0, "dy": 200.5})]),
    ("select_option('a', ['x', 'y'])", [("select_option", {"element": "a", "option": ["x", "y"]})]),
    ("click('a', button='right')", [("click", {"element": "a", "button": "right"})]),
    ("click(f(x))", [("click", {"element": "f(x)"})]),
    ("click('a')\nfly('b')", []),
    ("click(**x)", []),
    ("x = click('a')", []),
    ("click", []),
    ("go_back", [("go_back", {})]),
    ("go_back to the list", []),
    ("open [1]", []),
    ("", []),
    ("click('\\d')", [("click", {"element": "\\d"})]),
    ("click('\\ud800')", [("click", {"element": "'\\ud800'"})]),
    ("click(x, (1, 2.5))", [("click", {"element": "x", "button": [1, 2.5]})]),
]


@pytest.mark.parametrize(("text", "actions"), WORDS)
def test_words_are_actions_or_not(text: str, actions: list[tuple[str, Any]]) -> None:
    assert actions_in(text) == actions


@given(st.text(alphabet="click stop[]()'\"\n1,", max_size=60))
def test_any_words_are_looked_through(text: str) -> None:
    assert isinstance(actions_in(text), list)
    assert isinstance(actions_in(f"click [{text}"), list)


HOSTILE = ("-" * 500 + "x", "a" + ".b" * 900, "1+" * 900 + "x", "[" * 9_000, "9" * 19_000)


@pytest.mark.parametrize("argument", HOSTILE)
def test_hostile_arguments_are_no_actions(argument: str) -> None:
    assert actions_in(f"click({argument})") == []
