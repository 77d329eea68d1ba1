"""How a judge's reply is read: in whatever wrapping it comes, and never as a zero."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.errors import JudgeFailed
from assay.judge.marks import Marks, marks_from_mapping, marks_from_reply
from assay.judge.rubric import (
    AGGREGATES,
    DIMENSION_NAMES,
    DIMENSIONS,
    HIGHEST,
    LOWEST,
)

MIXED = dict(zip(DIMENSION_NAMES, (8.0, 7.0, 9.0, 6.0, 5.0, 4.0), strict=True))
REPLY = json.dumps(MIXED)
OTHER = json.dumps(dict.fromkeys(DIMENSION_NAMES, 2))

READABLE: dict[str, object] = {
    "an object": MIXED,
    "plain JSON": REPLY,
    "JSON with line breaks": json.dumps(MIXED, indent=2),
    "a fence": f"```json\n{REPLY}\n```",
    "a fence without a language": f"```\n{REPLY}\n```",
    "prose around it": f"Here are my marks: {REPLY} I hope this {{helps}}.",
    "thinking before it": f"<think>Perhaps {OTHER}? No.</think>\n{REPLY}",
    "thinking in capitals": f"<THINKING>{OTHER}</THINKING>{REPLY}",
    "thinking after it": f"{REPLY}<think>Or should it be {OTHER}?</think>",
    "thinking that never ends": f"<think>First {OTHER}, then again: {REPLY}",
    "two objects, of which the last counts": f"{OTHER}\n{REPLY}",
    "an object that names no dimension after it": f'{REPLY} {{"done": true}}',
    "an object that names no dimension before it": f'{{"plan": 1}} {REPLY}',
    "a wrapper": json.dumps({"scores": MIXED}),
    "another wrapper": json.dumps({"comment": "fine", "evaluation": MIXED}),
    "a list of one": f"[{REPLY}]",
    "numbers as text": json.dumps({name: str(mark) for name, mark in MIXED.items()}),
    "numbers out of ten": json.dumps({name: f"{mark}/10" for name, mark in MIXED.items()}),
    "objects with a score": {name: {"score": mark} for name, mark in MIXED.items()},
    "objects with a mark": {name: {"mark": mark, "note": 1} for name, mark in MIXED.items()},
    "objects with a value": {name: {"value": str(mark)} for name, mark in MIXED.items()},
    "a model's own object": SimpleNamespace(model_dump=lambda: MIXED),
    "JSON after much talk": "I think. " * 30_000 + REPLY,
}


@pytest.mark.parametrize("wrapping", READABLE)
def test_marks_are_read_from_any_wrapping(wrapping: str) -> None:
    marks = marks_from_reply("j", READABLE[wrapping])
    assert marks.judge == "j"
    assert marks.values == MIXED


UNREADABLE: dict[str, tuple[object, str]] = {
    "nothing": (None, "j replied without a JSON object: null"),
    "no text": ("", "j replied without a JSON object: str ''"),
    "a number": (5, "j replied without a JSON object: int 5"),
    "a list": ([MIXED], "j replied without a JSON object: list"),
    "prose": ("I liked it.", "j replied without a JSON object: str 'I liked it.'"),
    "cut off at the end": (REPLY[:-1], "j replied without a JSON object"),
    "cut off in the middle": (REPLY[:60], "j replied without a JSON object"),
    "only thoughts": (f"<think>{REPLY}</think>", "j replied without a JSON object"),
    "an empty object": ({}, "j left out task_fulfillment, grounding, tool_appropriateness"),
    "another object": ('{"done": true}', "j left out task_fulfillment, grounding"),
    "a missing dimension": (
        {name: mark for name, mark in MIXED.items() if name != "grounding"},
        "j left out grounding: ",
    ),
    "a null": ({**MIXED, "grounding": None}, "j left out grounding: "),
    "NaN": (REPLY.replace("7.0", "NaN"), "grounding: expected a mark from 1 to 10, got float nan"),
    "infinity": (
        REPLY.replace("7.0", "Infinity"),
        "grounding: expected a mark from 1 to 10, got float inf",
    ),
    "NaN as text": ({**MIXED, "grounding": "nan"}, "grounding: expected a mark from 1 to 10"),
    "true": ({**MIXED, "grounding": True}, "grounding: expected a mark from 1 to 10, got bool"),
    "a word": ({**MIXED, "grounding": "high"}, "grounding: expected a mark from 1 to 10, got str"),
    "no word": ({**MIXED, "grounding": ""}, "grounding: expected a mark from 1 to 10, got str ''"),
    "a list for a mark": ({**MIXED, "grounding": [7]}, "grounding: expected a mark from 1 to 10"),
    "a number beyond all numbers": ({**MIXED, "grounding": 10**400}, "grounding: expected a mark"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_holds_no_marks_is_a_failure_never_a_zero(kind: str) -> None:
    reply, message = UNREADABLE[kind]
    with pytest.raises(JudgeFailed) as raised:
        marks_from_reply("j", reply)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("given_mark", "mark"),
    [(20, 10.0), (10.5, 10.0), (0, 1.0), (-3, 1.0), ("11", 10.0), (1, 1.0), (5.5, 5.5)],
)
def test_a_mark_out_of_range_is_clamped(given_mark: Any, mark: float) -> None:
    marks = marks_from_reply("j", {**MIXED, "grounding": given_mark})
    assert marks.values["grounding"] == mark


@given(
    st.dictionaries(
        st.sampled_from(DIMENSION_NAMES),
        st.integers() | st.floats(allow_nan=False, allow_infinity=False),
    )
)
def test_marks_are_in_range_or_missing(found: dict[str, float]) -> None:
    marks = marks_from_mapping("j", found)
    assert tuple(marks.values) == DIMENSION_NAMES
    assert marks.given.keys() == found.keys()
    assert all(LOWEST <= mark <= HIGHEST for mark in marks.given.values())


@given(st.text() | st.recursive(st.none() | st.text(), lambda v: st.dictionaries(st.text(), v)))
def test_any_reply_is_read_or_refused(reply: object) -> None:
    with pytest.raises(JudgeFailed):
        marks_from_reply("j", reply)


@pytest.mark.parametrize(
    "reply",
    [
        {**MIXED, "grounding_reason": "22 degrees are in the result."},
        {**MIXED, "grounding_reasoning": "22 degrees are in the result."},
        {**MIXED, "grounding": {"score": 7, "reason": "22 degrees are in the result."}},
        {**MIXED, "grounding": {"score": 7, "reasoning": "22 degrees are in the result."}},
    ],
)
def test_reasons_are_kept_where_there_are_any(reply: dict[str, Any]) -> None:
    marks = marks_from_reply("j", reply)
    assert marks.values == MIXED
    assert marks.reasons == {"grounding": "22 degrees are in the result."}


def test_a_reason_that_is_no_text_is_left_out() -> None:
    assert marks_from_reply("j", {**MIXED, "grounding_reason": 5}).reasons == {}


def test_braces_in_a_reason_do_no_harm() -> None:
    reason = 'It wrote ```{"a": 1}``` and "}".'
    marks = marks_from_reply("j", json.dumps({**MIXED, "grounding_reason": reason}))
    assert marks.values == MIXED
    assert marks.reasons == {"grounding": reason}


HOSTILE = {
    "open braces": "{" * 300_000,
    "open objects": '{"' * 150_000,
    "nested objects": '{"a":' * 100_000,
    "open thoughts": "<think>" * 50_000,
    "thoughts that end once": "</think>" + "<think>" * 50_000,
    "many objects": '{"a":1}' * 40_000,
    "a long number": '{"grounding": ' + "9" * 300_000,
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_reply_costs_little_time(kind: str) -> None:
    started = time.process_time()
    with pytest.raises(JudgeFailed):
        marks_from_reply("j", HOSTILE[kind])
    assert time.process_time() - started < 4


def test_the_given_marks_are_those_that_are_there() -> None:
    marks = Marks("j", {"grounding": 5.0, "task_fulfillment": None})
    assert marks.given == {"grounding": 5.0}


def test_the_rubric_has_six_dimensions_in_three_pairs() -> None:
    assert len(DIMENSION_NAMES) == len(set(DIMENSION_NAMES)) == 6
    pairs = {name: [d.name for d in DIMENSIONS if d.aggregate == name] for name in AGGREGATES}
    assert pairs == {
        "task_completion_score": ["task_fulfillment", "grounding"],
        "tool_selection_score": ["tool_appropriateness", "parameter_accuracy"],
        "planning_effectiveness_score": ["dependency_awareness", "parallelism_and_efficiency"],
    }
