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
from assay.judge.replies import read_reply
from assay.judge.rubric import DIMENSION_NAMES, VOID_ALLOWED

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
    "percentages": json.dumps({name: f"{mark * 10:g} %" for name, mark in MIXED.items()}),
    "a comma too many": REPLY[:-1] + ",}",
    "commas missing": REPLY.replace(",", ""),
    "single quotes": REPLY.replace('"', "'"),
    "cut off after the last mark": REPLY[:-1] + ', "summary": "All in a',
    "cut off inside a reason": f'{REPLY[:-1]}, "grounding_reason": "It sa',
    "broken objects with a score": json.dumps({n: {"score": m} for n, m in MIXED.items()})[:-1],
}


@pytest.mark.parametrize("wrapping", READABLE)
def test_marks_are_read_from_any_wrapping(wrapping: str) -> None:
    found = read_reply("j", READABLE[wrapping])
    assert found.values == MIXED
    assert found.problems == {}


UNREADABLE: dict[str, tuple[object, str]] = {
    "nothing": (None, "j replied without a JSON object: null"),
    "no text": ("", "j replied without a JSON object: str ''"),
    "a number": (5, "j replied without a JSON object: int 5"),
    "a list": ([MIXED], "j replied without a JSON object: list"),
    "prose": ("I liked it.", "j replied without a JSON object: str 'I liked it.'"),
    "only thoughts": (f"<think>{REPLY}</think>", "j replied without a JSON object"),
    "an empty object": ({}, "j left out task_fulfillment, grounding, tool_appropriateness"),
    "another object": ('{"done": true}', "j left out task_fulfillment, grounding"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_what_holds_no_marks_is_a_failure_never_a_zero(kind: str) -> None:
    reply, message = UNREADABLE[kind]
    with pytest.raises(JudgeFailed) as raised:
        read_reply("j", reply)
    assert str(raised.value).startswith(message)


WITHOUT_GROUNDING = {name: mark for name, mark in MIXED.items() if name != "grounding"}
NO_MARK = "grounding: expected a mark from 1 to 10, got "
INCOMPLETE: dict[str, tuple[object, str]] = {
    "a missing dimension": (WITHOUT_GROUNDING, ""),
    "NaN": (REPLY.replace("7.0", "NaN"), f"{NO_MARK}float nan"),
    "infinity": (REPLY.replace("7.0", "Infinity"), f"{NO_MARK}float inf"),
    "NaN as text": ({**MIXED, "grounding": "nan"}, f"{NO_MARK}str 'nan'"),
    "true": ({**MIXED, "grounding": True}, f"{NO_MARK}bool True"),
    "a word": ({**MIXED, "grounding": "high"}, f"{NO_MARK}str 'high'"),
    "no word": ({**MIXED, "grounding": ""}, f"{NO_MARK}str ''"),
    "a list for a mark": ({**MIXED, "grounding": [7]}, f"{NO_MARK}list [7]"),
    "a share instead of a mark": ({**MIXED, "grounding": 0.7}, f"{NO_MARK}float 0.7"),
    "a number beyond all numbers": (
        {**MIXED, "grounding": 10**400},
        f"{NO_MARK}int of 1329 bits",
    ),
}


@pytest.mark.parametrize("kind", INCOMPLETE)
def test_one_mark_that_is_missing_or_none_leaves_the_others(kind: str) -> None:
    reply, problem = INCOMPLETE[kind]
    found = read_reply("j", reply)
    assert found.values == WITHOUT_GROUNDING
    assert found.problems == {"grounding": problem}


@pytest.mark.parametrize("length", range(len(REPLY)))
def test_a_reply_cut_off_anywhere_gives_no_mark_that_was_not_meant(length: int) -> None:
    meant = {**MIXED, "parallelism_and_efficiency": 10.0}
    cut = json.dumps(meant)[:length]
    try:
        found = read_reply("j", cut)
    except JudgeFailed:
        assert '"task_fulfillment": 8.0,' not in cut
        return
    assert found.values == {name: meant[name] for name in found.values}
    assert set(found.values) | set(found.problems) == set(DIMENSION_NAMES)


@pytest.mark.parametrize("name", DIMENSION_NAMES)
def test_null_is_an_answer_only_where_there_may_be_nothing_to_judge(name: str) -> None:
    found = read_reply("j", {**MIXED, name: None})
    assert (name in found.values) == (name in VOID_ALLOWED)
    assert (name in found.problems) == (name == "task_fulfillment")


def test_what_is_missing_may_come_later() -> None:
    first = read_reply("j", {**WITHOUT_GROUNDING, "grounding_reason": "early"})
    later = read_reply("j", {"grounding": 7, "grounding_reason": "late"}, ("grounding",))
    whole = first.joined(later)
    assert whole.values == MIXED
    assert whole.problems == {}
    assert whole.complaint == ""
    assert whole.reasons == {"grounding": "early"}


def test_the_complaint_names_what_is_missing_and_what_is_no_mark() -> None:
    found = read_reply("j", {**MIXED, "grounding": "high", "task_fulfillment": None})
    assert found.complaint == (
        "left out task_fulfillment; "
        "gave no mark (grounding: expected a mark from 1 to 10, got str 'high')"
    )


@pytest.mark.parametrize(
    ("given_mark", "mark"),
    [(20, 10.0), (10.5, 10.0), (0, 1.0), (-3, 1.0), ("11", 10.0), (1, 1.0), (5.5, 5.5)],
)
def test_a_mark_out_of_range_is_clamped(given_mark: Any, mark: float) -> None:
    found = read_reply("j", {**MIXED, "grounding": given_mark})
    assert found.values["grounding"] == mark


@given(st.text() | st.recursive(st.none() | st.text(), lambda v: st.dictionaries(st.text(), v)))
def test_any_reply_is_read_or_refused(reply: object) -> None:
    with pytest.raises(JudgeFailed):
        read_reply("j", reply)


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
    found = read_reply("j", reply)
    assert found.values == MIXED
    assert found.reasons == {"grounding": "22 degrees are in the result."}


def test_a_reason_that_is_no_text_is_left_out() -> None:
    assert read_reply("j", {**MIXED, "grounding_reason": 5}).reasons == {}


def test_braces_in_a_reason_do_no_harm() -> None:
    reason = 'It wrote ```{"a": 1}``` and "}".'
    found = read_reply("j", json.dumps({**MIXED, "grounding_reason": reason}))
    assert found.values == MIXED
    assert found.reasons == {"grounding": reason}


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
        read_reply("j", HOSTILE[kind])
    assert time.process_time() - started < 4
