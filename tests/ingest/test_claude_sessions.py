"""Sessions that copied another, and files that hold several: each call counts once."""

from __future__ import annotations

from time import process_time
from typing import Any

from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.claude_code import CLAUDE_CODE
from assay.ingest.claude_sessions import sessions_in
from assay.ingest.documents import Unreadable

USAGE = {"input_tokens": 10, "output_tokens": 5}


def line(own: str, session: str, parent: str | None, kind: str, content: Any) -> dict[str, Any]:
    body = {"role": kind, "content": content}
    if kind == "assistant":
        body |= {"id": f"m-{own}", "model": "m1", "usage": USAGE}
    at = f"2026-01-01T00:00:{own[1:]:0>2}Z"
    about = {"uuid": own, "parentUuid": parent, "sessionId": session, "timestamp": at}
    return {**about, "type": kind, "message": body}


def turn(first: int, session: str, parent: str | None, asked: str) -> list[dict[str, Any]]:
    """A question, a call with its result, and an answer."""
    u, c, r, a = (f"u{first + i}" for i in range(4))
    used = [{"type": "tool_use", "id": f"c{first}", "name": "Read", "input": {"q": asked}}]
    came = [{"type": "tool_result", "tool_use_id": f"c{first}", "content": "x"}]
    said = [{"type": "text", "text": f"Answer to {asked}"}]
    return [
        line(u, session, parent, "user", asked),
        line(c, session, u, "assistant", used),
        line(r, session, c, "user", came),
        line(a, session, r, "assistant", said),
    ]


def stamped(lines: list[dict[str, Any]], session: str) -> list[dict[str, Any]]:
    """The lines as a branch copies them."""
    return [
        {**old, "sessionId": session, "forkedFrom": {"sessionId": "s1", "messageUuid": old["uuid"]}}
        for old in lines
    ]


PARENT = turn(1, "s1", None, "one")
OWN = turn(5, "s2", "u4", "two")


def test_calls_of_a_branch_are_its_own_and_what_it_copied_is_context() -> None:
    branch = read_one(CLAUDE_CODE, recording((*stamped(PARENT, "s2"), *OWN), "s2.jsonl"))
    assert [call.parameters for call in branch.calls] == [{"q": "two"}]
    assert (branch.session_id, branch.actual_output) == ("s2", "Answer to two")
    told = [entry["content"] for entry in branch.conversation_history or []]
    assert told == ["one", "Answer to one", "two", "", "Answer to two"]
    assert branch.usage is not None
    assert (branch.usage.input_tokens, branch.usage.output_tokens) == (20, 10)
    assert branch.extra["forked_from"] == "s1"
    assert branch.extra["copied_calls"] == 1


def test_a_resumed_session_that_kept_the_ids_of_the_one_before_is_told_alike() -> None:
    by_stamp = read_one(CLAUDE_CODE, recording((*stamped(PARENT, "s2"), *OWN), "s2.jsonl"))
    by_link = read_one(CLAUDE_CODE, recording((*PARENT, *OWN), "s2.jsonl"))
    assert by_link == by_stamp


def test_a_branch_of_a_branch_copied_both() -> None:
    third = turn(9, "s3", "u8", "three")
    run = read_one(CLAUDE_CODE, recording((*PARENT, *OWN, *third), "s3.jsonl"))
    assert ([call.call_id for call in run.calls], run.extra["copied_calls"]) == (["c9"], 2)
    assert (run.session_id, run.extra["forked_from"]) == ("s3", "s1")


def test_a_branch_that_was_not_answered_has_no_answer() -> None:
    lines = (*stamped(PARENT, "s2"), *OWN[:1])
    run = read_one(CLAUDE_CODE, recording(lines, "s2.jsonl"))
    assert (run.actual_output, run.calls) == (None, [])


def test_a_branch_that_did_not_go_on_is_passed_over() -> None:
    (told,) = CLAUDE_CODE.read(recording(tuple(stamped(PARENT, "s2")), "s2.jsonl"))
    problem = "holds nothing but a copy of session s1"
    assert told == Unreadable("s2.jsonl", problem, kind="passed_over")


def test_sessions_that_were_merely_put_together_are_a_run_each() -> None:
    other = turn(5, "s2", None, "two")
    made_up = recording((*PARENT, *other), "all.jsonl")
    assert problems(CLAUDE_CODE, made_up) == []
    runs = read(CLAUDE_CODE, recording((*PARENT, *other), "all.jsonl"))
    assert [(run.session_id, run.input, len(run.calls)) for run in runs] == [
        ("s1", "one", 1),
        ("s2", "two", 1),
    ]
    assert len({run.run_id for run in runs}) == 2


def test_sessions_that_go_on_with_each_other_take_no_longer_than_they_are_long() -> None:
    def took(count: int) -> float:
        lines = [line(f"u{i}", f"s{i}", f"u{i - 1}", "user", "x") for i in range(count)]
        began = process_time()
        (session,) = sessions_in(lines)
        assert (len(session.lines), len(session.copied)) == (1, count - 1)
        return process_time() - began

    assert took(20_000) < 10 * max(took(5_000), 0.02)
