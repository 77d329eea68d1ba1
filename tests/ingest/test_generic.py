"""Formats nobody has seen: what is found, how sure it makes us, and what is left alone."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.generic import GENERIC
from assay.ingest.generic_evidence import Evidence
from assay.ingest.generic_runs import (
    EXPECTATION_KEYS,
    EXPECTATION_STARTS,
    EXPERIMENT_KEYS,
    RUN_KEYS,
    SENT_KEYS,
    SESSION_KEYS,
    TRY_KEYS,
)
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.shape_words import LOOSE_RESULT_KEYS
from assay.ingest.stated_outcome import SCORE_KEYS, VERDICT_KEYS
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CALL = {"id": "a", "function": {"name": "search", "arguments": '{"q": "x"}'}}
CHAT: list[dict[str, Any]] = [
    {"speaker": "human", "text": "Find x"},
    {"speaker": "bot", "text": "Looking", "tool_uses": [CALL]},
    {"call_id": "a", "output": "nothing", "isError": True},
    {"speaker": "bot", "text": "There is none."},
]


def test_a_conversation_in_words_of_its_own() -> None:
    made_up = recording({"meta": {"x": 1}, "modelName": "m1", "turns": CHAT})
    assert GENERIC.recognise(made_up) == 0.3
    case: Any = read_one(GENERIC, made_up)
    assert (case.input, case.actual_output) == ("Find x", "There is none.")
    (call,) = case.calls
    assert (call.tool, call.parameters, call.result) == ("search", {"q": "x"}, "nothing")
    assert (call.reported_success, call.error_message, call.turn) == (False, "nothing", 1)
    assert case.model == "m1"
    assert case.extra["generic_reader"] == {
        "confidence": 0.9,
        "based_on": [
            "3 messages, of a user and a model",
            "1 call with a tool's name and arguments",
            "1 result that names its call",
        ],
    }


def test_steps_that_hold_their_results() -> None:
    steps = [
        {"tool": "read", "args": {"p": "x"}, "result": "text", "duration_ms": 250, "server": "fs"},
        {"tool": "read", "args": {"p": "y"}, "result": None, "status": "failed", "error": "gone"},
    ]
    value = {"question": "Read", "answer": "Done", "steps": steps, "passed": True, "reward": 0.5}
    case: Any = read_one(GENERIC, recording(value))
    assert (case.input, case.actual_output) == ("Read", "Done")
    first, second = case.calls
    assert (first.server, first.execution_time, first.turn) == ("fs", 0.25, 1)
    assert (second.reported_success, second.error_message, second.turn) == (False, "gone", 2)
    assert (case.outcome.success, case.outcome.score) == (True, 0.5)
    assert case.extra["generic_reader"]["confidence"] == 0.7


def test_events_as_lines_are_one_run() -> None:
    lines = (
        {"kind": "prompt", "payload": {"role": "user", "content": "Go"}},
        {"kind": "call", "payload": {"name": "read", "args": {}, "toolCallId": "a"}},
        {
            "kind": "done",
            "payload": {"toolCallId": "a", "result": {"output": "x", "isError": False}},
        },
    )
    case = read_one(GENERIC, recording(lines, "wire.jsonl"))
    assert (case.input, len(case.calls)) == ("Go", 1)
    assert case.calls[0].reported_success is True


def test_conversations_as_lines_or_in_a_list_are_a_run_each() -> None:
    one = {"log": CHAT}
    assert len(read(GENERIC, recording((one, one), "runs.jsonl"))) == 2
    runs = read(GENERIC, recording({"runs": [one, one, one]}))
    assert [run.source and run.source.position for run in runs] == [1, 2, 3]
    assert len({run.run_id for run in runs}) == 3


def test_lists_of_one_object_are_one_run() -> None:
    asked = [{"role": "user", "content": "Go"}, {"role": "assistant", "content": "Done"}]
    calls = [{"tool": "a", "args": {}, "output": 1}, {"tool": "b", "args": {}, "output": 2}]
    case = read_one(GENERIC, recording({"messages": asked, "calls": calls}))
    assert (case.input, [call.tool for call in case.calls]) == ("Go", ["a", "b"])


def test_results_that_name_only_their_tool() -> None:
    lines = (
        {"type": "message", "role": "user", "content": "List"},
        {"type": "tool_call", "tool": "shell", "arguments": {"cmd": "ls"}},
        {"type": "tool_result", "tool": "shell", "status": "success", "output": "x.py"},
        {"type": "message", "role": "assistant", "content": "One file."},
    )
    [call] = read_one(GENERIC, recording(lines, "log.jsonl")).calls
    assert (call.tool, call.result, call.reported_success) == ("shell", "x.py", True)


def test_steps_that_have_an_action_and_what_was_seen_are_no_results_of_tools() -> None:
    call = {"id": "1", "name": "bash", "arguments": {"command": "ls"}}
    asked = [{"role": "user", "content": "Go"}, {"role": "assistant", "calls": [call]}]
    went_on = [*asked, {"role": "tool", "tool_call_id": "1", "content": "x.py"}]
    step = {"action": "ls", "observation": "x.py", "response": "Looking."}
    ended = [*went_on, {"role": "assistant", "content": "One file."}]
    steps = [{**step, "messages": told} for told in (asked, went_on, ended)]
    case = read_one(GENERIC, recording({"steps": steps}))
    assert [call.result for call in case.calls] == ["x.py"]


def test_a_result_that_is_nothing_but_an_error() -> None:
    lines = (
        {"event": "begin", "prompt": "Capital of Peru?"},
        {"event": "tool.start", "tool": "wiki", "input": {"q": "Peru"}},
        {"event": "tool.end", "tool": "wiki", "error": "timeout"},
        {"event": "end", "answer": "I do not know."},
    )
    case = read_one(GENERIC, recording(lines, "log.jsonl"))
    assert (case.input, case.actual_output) == ("Capital of Peru?", "I do not know.")
    [call] = case.calls
    assert (call.reported_success, call.error_message) == (False, "timeout")


@pytest.mark.parametrize("key", LOOSE_RESULT_KEYS)
def test_every_key_that_holds_a_result_where_its_call_is_named(key: str) -> None:
    call = {"kind": "call", "name": "look", "arguments": {}, "call_id": "c9"}
    steps = [{"role": "user", "text": "Go"}, call, {"kind": "return", "call_id": "c9", key: "x"}]
    assert [c.result for c in read_one(GENERIC, recording({"steps": steps})).calls] == ["x"]
    by_tool = [
        {"role": "user", "text": "Go"},
        {"role": "model", "function_calls": [{"function": "look", "params": {}}]},
        {"role": "function", "results": [{"function": "look", key: "x"}]},
    ]
    assert [c.result for c in read_one(GENERIC, recording({"steps": by_tool})).calls] == ["x"]


@pytest.mark.parametrize("repeated", [{}, {"tool": "look", "args": {"at": 1}}])
def test_progress_is_no_result_where_there_is_one(repeated: dict[str, Any]) -> None:
    lines = (
        {"event": "start", "call_id": "c1", "tool": "look", "args": {"at": 1}},
        {"event": "progress", "call_id": "c1", "data": {"percent": 50}},
        {"event": "progress", "call_id": "c1", "payload": {"percent": 90}},
        {"event": "end", "call_id": "c1", "result": "seen", **repeated},
    )
    [call] = read_one(GENERIC, recording(lines, "log.jsonl")).calls
    assert (call.call_id, call.result) == ("c1", "seen")


def test_calls_in_the_data_of_events_are_no_results_of_the_calls_before() -> None:
    def event(kind: str, call_id: str, payload: Any) -> dict[str, Any]:
        return {"type": kind, "call_id": call_id, "payload": payload}

    lines = (
        event("tool_call", "c1", {"name": "look", "arguments": {"at": 1}}),
        event("tool_call", "c2", {"name": "look", "arguments": {"at": 2}}),
        event("tool_result", "c2", {"seen": 2}),
        event("tool_result", "c1", {"seen": 1}),
    )
    calls = read_one(GENERIC, recording(lines, "log.jsonl")).calls
    assert [(call.call_id, call.parameters, call.result) for call in calls] == [
        ("c1", {"at": 1}, {"seen": 1}),
        ("c2", {"at": 2}, {"seen": 2}),
    ]


def test_a_row_for_each_question_with_the_calls_made_for_it() -> None:
    first = {"question": "2+2?", "calls": [{"fn": "add", "kwargs": {"x": 2}}]}
    failed = {"fn": "add", "kwargs": {"x": 3}, "exception": "Overflow"}
    runs = read(GENERIC, recording([first, {"question": "3+3?", "calls": [failed]}]))
    assert [run.input for run in runs] == ["2+2?", "3+3?"]
    assert [call.reported_success for run in runs for call in run.calls] == [None, False]


def test_a_result_in_a_call_is_not_taken_for_that_of_the_call_before() -> None:
    steps = [{"tool": "bash", "input": "a"}, {"tool": "bash", "input": "b", "stdout": "seen"}]
    case = read_one(GENERIC, recording({"task": "Look", "steps": steps, "final": "Seen."}))
    assert [(c.result, c.call_id) for c in case.calls] == [(None, None), ("seen", None)]
    assert case.actual_output == "Seen."


@pytest.mark.parametrize("key", RUN_KEYS)
def test_lines_that_name_several_runs(key: str) -> None:
    def step(name: str | None, tool: str) -> dict[str, Any]:
        did = {"step": 1, "tool_name": tool, "tool_input": {"q": "x"}, "tool_result": "y"}
        return {**did, key: name} if name else {"record": did}

    lines = (step("r1", "a"), step("r2", "b"), step("r1", "c"), step(None, "d"), step("r2", "e"))
    first, second = read(GENERIC, recording(lines, "log.jsonl"))
    assert [call.tool for call in first.calls] == ["a", "c", "d"]
    assert [call.tool for call in second.calls] == ["b", "e"]
    named = [run.task_id if key == "task_id" else run.session_id for run in (first, second)]
    assert named == ["r1", "r2"]
    assert first.run_id != second.run_id
    apart = (step("r1", "a"), step("r2", "b"), step("r3", "c"))
    [one] = read(GENERIC, recording(apart, "log.jsonl"))
    assert (len(one.calls), one.session_id, one.task_id) == (3, None, None)


@pytest.mark.parametrize("key", RUN_KEYS)
def test_lines_that_all_name_one_run(key: str) -> None:
    did = {"step": 1, "tool_name": "look", "tool_input": {"q": "x"}, "tool_result": "y"}
    [plain] = read(GENERIC, recording((did, did), "log.jsonl"))
    [named] = read(GENERIC, recording(({**did, key: "r1"}, {**did, key: "r1"}), "log.jsonl"))
    assert (named.task_id if key == "task_id" else named.session_id) == "r1"
    assert named.run_id == plain.run_id


def test_traces_of_one_session_are_one_run() -> None:
    did = {"tool_name": "look", "tool_input": {"q": "x"}, "tool_result": "y", "session_id": "s"}
    lines = tuple({**did, "trace_id": f"t{n // 2}"} for n in range(6))
    [one] = read(GENERIC, recording(lines, "log.jsonl"))
    assert (len(one.calls), one.session_id) == (6, "s")


def test_a_line_that_is_a_conversation_keeps_its_id_whatever_its_messages_name() -> None:
    def said(**more: Any) -> list[dict[str, Any]]:
        call = {"name": "look", "arguments": {"at": 1}}
        asked = {"speaker": "user", "content": "Go", **more}
        return [asked, {"speaker": "bot", "content": "Looking.", "calls": [call], **more}]

    plain, named = (
        read(GENERIC, recording((said(**more), said(**more)), "log.jsonl"))
        for more in ({}, {"session_id": "s"})
    )
    assert [run.run_id for run in named] == [run.run_id for run in plain]


def record(number: int, calls: int = 1, **more: Any) -> dict[str, Any]:
    made = [{"tool": "look", "args": {"at": number}, "result": number}] * calls
    return {"question": f"q{number}", "final_answer": f"a{number}", "calls": made, **more}


@pytest.mark.parametrize("key", [*SESSION_KEYS, "task_id", "timestamp"])
@pytest.mark.parametrize("calls", [1, 2])
def test_lines_that_are_whole_records_are_a_run_each(key: str, calls: int) -> None:
    lines = [record(number, calls, **{key: f"r{number}"}) for number in (1, 2)]
    for told in (tuple(lines), lines, {"runs": lines}):
        runs = read(GENERIC, recording(told, "log.jsonl"))
        assert [(r.input, r.actual_output, len(r.calls)) for r in runs] == [
            ("q1", "a1", calls),
            ("q2", "a2", calls),
        ]
        if key in SESSION_KEYS:
            assert [r.session_id for r in runs] == ["r1", "r2"]


@pytest.mark.parametrize("key", ["question", "input", "prompt"])
def test_lines_with_an_id_a_question_and_calls_are_a_run_each(key: str) -> None:
    calls = [{"tool": "look", "args": {}, "result": 1}]
    lines = tuple({"run_id": f"t{n}", key: f"q{n}", "steps": calls} for n in (1, 2))
    assert [r.input for r in read(GENERIC, recording(lines, "log.jsonl"))] == ["q1", "q2"]


@pytest.mark.parametrize("named", [{"session_id": "s"}, {"conversation_id": 7}])
def test_records_of_one_session_are_its_turns(named: dict[str, Any]) -> None:
    other = record(3, session_id="other", conversation_id=8)
    lines = (record(1, **named), other, record(2, **named))
    first, second = read(GENERIC, recording(lines, "log.jsonl"))
    assert (second.input, second.actual_output) == ("q3", "a3")
    assert (first.input, first.actual_output) == ("q1", "a2")
    assert [call.parameters for call in first.calls] == [{"at": 1}, {"at": 2}]
    told = [turn["content"] for turn in first.conversation_history or []]
    assert {"a1", "q2"} <= set(told)


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_records_with_a_conversation_of_their_own_are_a_run_each_whatever_they_share(
    key: str,
) -> None:
    said = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]
    line = {"input": "q", "output": "a", "history": said, key: "nightly"}
    for told in ((line, line), [line, line], (line, line, {"event": "the end"})):
        found = GENERIC.read(recording(told, "log.jsonl"))
        runs = [run for run in found if isinstance(run, AgentTestCase)]
        assert [(r.input, r.actual_output) for r in runs] == [("q", "a")] * 2
        assert [len(r.conversation_history or []) for r in runs] == [2, 2]


@pytest.mark.parametrize("key", SESSION_KEYS)
def test_a_step_that_names_no_record_does_not_melt_those_that_are_named_apart(key: str) -> None:
    lines = (
        {"level": "info", "msg": "start"},
        *(record(n, calls=1, **{key: f"r{n}"}) for n in (1, 2)),
    )
    found = list(GENERIC.read(recording(lines, "log.jsonl")))
    assert [getattr(item, "input", None) for item in found] == ["q1", "q2", None]
    assert str(found[-1]).startswith("log.jsonl:1: no messages")


def test_records_of_a_list_stand_where_they_begin_and_keep_what_they_share() -> None:
    listed = [record(n, session_id=s, task_id=f"task {s}") for n, s in enumerate("aabb")]
    for told in (listed, tuple(listed)):
        runs = read(GENERIC, recording(told, "log.jsonl"))
        assert [(r.session_id, r.task_id) for r in runs] == [("a", "task a"), ("b", "task b")]
        assert [r.source and r.source.position for r in runs] == [1, 3]


@pytest.mark.parametrize("key", TRY_KEYS)
def test_records_of_several_tasks_or_tries_are_a_run_each_whatever_they_share(key: str) -> None:
    lines = tuple(record(number, session="nightly", **{key: number}) for number in (1, 2))
    assert [r.input for r in read(GENERIC, recording(lines, "log.jsonl"))] == ["q1", "q2"]


@pytest.mark.parametrize("key", sorted(EXPERIMENT_KEYS))
def test_questions_of_one_experiment_are_a_run_each_and_what_a_model_was_sent_is_not(
    key: str,
) -> None:
    asked = [record(number, 1, **{key: "nightly"}) for number in (1, 2)]
    assert [r.input for r in read(GENERIC, recording(asked))] == ["q1", "q2"]
    for sent in sorted(SENT_KEYS):
        steps = [{sent: row["question"], "response": "x", key: "r"} for row in asked]
        calls = [{**step, "calls": row["calls"]} for step, row in zip(steps, asked, strict=True)]
        assert [len(r.calls) for r in read(GENERIC, recording(calls))] == [2]


def test_what_stands_among_records_and_tells_nothing_is_told() -> None:
    lines = (record(1, trace_id="t1"), record(2, trace_id="t2"), {"total": 2})
    found = list(GENERIC.read(recording(lines, "log.jsonl")))
    assert [getattr(item, "input", None) for item in found] == ["q1", "q2", None]
    assert str(found[-1]).startswith("log.jsonl:3: no messages")


@pytest.mark.parametrize("key", sorted({*SESSION_KEYS, "task_id"}))
def test_rows_of_a_table_are_grouped_by_the_column_that_names_their_run(key: str) -> None:
    table = f"{key},tool,args,result\nr1,a,{{}},1\nr1,b,{{}},2\nr2,c,{{}},3\n"
    runs = read(GENERIC, recording(table.encode(), "calls.csv"))
    assert [[call.tool for call in run.calls] for run in runs] == [["a", "b"], ["c"]]


@pytest.mark.parametrize("column", ["timestamp", "Timestamp", "TimeStamp", "Time Stamp"])
def test_rows_of_a_table_tell_when_they_were_written(column: str) -> None:
    table = f"{column},ToolName,args,result\n2026-01-01T00:00:00Z,a,{{}},1\n"
    run = read_one(GENERIC, recording(table.encode(), "calls.csv"))
    assert (run.started_at, run.calls[0].tool) == (1767225600.0, "a")


def test_rows_of_a_table_tell_what_was_asked_and_answered() -> None:
    rows = "q1,a,{},1,a1\nq1,b,{},2,a1\nq2,c,{},3,a2\n"
    table = f"question,tool,args,result,answer\n{rows}".encode()
    runs = read(GENERIC, recording(table, "calls.csv"))
    assert [(r.input, r.actual_output, len(r.calls)) for r in runs] == [
        ("q1", "a1", 2),
        ("q2", "a2", 1),
    ]


@pytest.mark.parametrize("key", RUN_KEYS)
def test_lists_of_calls_that_are_named_apart_are_a_run_each(key: str) -> None:
    calls = record(1)["calls"]
    lines = tuple({key: f"r{number}", "calls": calls} for number in (1, 2))
    runs = read(GENERIC, recording(lines, "log.jsonl"))
    assert [r.task_id or r.session_id for r in runs] == ["r1", "r2"]
    steps = tuple({**line, "step": number} for number, line in enumerate(lines))
    assert len(read(GENERIC, recording(steps, "log.jsonl"))) == 1


def test_whole_calls_of_a_session_each_are_a_run_each() -> None:
    did = {"tool": "look", "args": {"q": "x"}, "result": "y"}
    lines = ({**did, "session": "r1"}, {**did, "session": "r2"})
    assert [r.session_id for r in read(GENERIC, recording(lines, "log.jsonl"))] == ["r1", "r2"]
    steps = tuple({**line, "parent_run_id": "p"} for line in lines)
    assert len(read(GENERIC, recording(steps, "log.jsonl"))) == 1


def test_messages_that_are_pairs_of_speaker_and_words() -> None:
    pairs = [
        ["user", "Find flights"],
        ["ai", {"tool_calls": [{"id": "1", "name": "flights", "arguments": {"to": "SFO"}}]}],
        ["tool", {"tool_call_id": "1", "content": "UA1"}],
        ["ai", "UA1 it is."],
    ]
    tags = ["agent", "nightly"]
    case = read_one(GENERIC, recording({"history": pairs, "tags": tags, "about": {"kind": tags}}))
    assert (case.input, case.actual_output) == ("Find flights", "UA1 it is.")
    assert [call.result for call in case.calls] == ["UA1"]


def test_an_answer_among_the_steps() -> None:
    step = {"action": "sum", "action_input": {"a": 2}, "observation": "5"}
    value = {"task": "Sum", "trace": [step, {"thought": "done", "final_answer": "5"}]}
    assert read_one(GENERIC, recording(value)).actual_output == "5"


def test_results_without_an_id_follow_their_call() -> None:
    value = [
        {"role": "user", "content": "Go"},
        {"role": "assistant", "content": "", "calls": [{"name": "read", "args": {}}]},
        {"role": "tool", "content": "text"},
        {"role": "assistant", "content": "Done"},
    ]
    case = read_one(GENERIC, recording(value))
    assert case.calls[0].result == "text"
    assert case.extra["generic_reader"]["based_on"][-1] == "1 result that follows a call"


@pytest.mark.parametrize("key", [*sorted(EXPECTATION_KEYS), *EXPECTATION_STARTS])
def test_what_should_have_been_called_is_no_call(key: str) -> None:
    expected = [{"name": "search", "kwargs": {}}, {"name": "book", "kwargs": {}}]
    case = read_one(GENERIC, recording({"turns": CHAT, "info": {key: expected}}))
    assert [call.tool for call in case.calls] == ["search"]


def test_a_copy_of_the_calls_is_not_counted_again() -> None:
    made = [{"name": "search", "args": {"q": "x"}}]
    case = read_one(GENERIC, recording({"turns": CHAT, "summary": {"calls": made}}))
    assert len(case.calls) == 1


def test_definitions_are_tools_on_offer() -> None:
    tool = {"name": "search", "input_schema": {"type": "object", "properties": {}}}
    case = read_one(GENERIC, recording({"turns": CHAT, "tools": [tool]}))
    assert (case.available_tools, len(case.calls)) == ([tool], 1)


@pytest.mark.parametrize("key", VERDICT_KEYS)
def test_every_verdict(key: str) -> None:
    case: Any = read_one(GENERIC, recording({"turns": CHAT, key: False}))
    assert (case.outcome.success, case.outcome.decided_by) == (False, f"the file's {key!r}")


@pytest.mark.parametrize("key", SCORE_KEYS)
@pytest.mark.parametrize("score", [0.25, 0, -1.5])
def test_every_score(key: str, score: float) -> None:
    case: Any = read_one(GENERIC, recording({"turns": CHAT, key: score}))
    assert (case.outcome.success, case.outcome.score) == (None, score)


def test_a_flag_is_no_score() -> None:
    assert read_one(GENERIC, recording({"turns": CHAT, "score": True})).outcome is None


def test_several_signs_are_told_in_the_plural() -> None:
    evidence = Evidence()
    evidence.said = {"user": 1}
    evidence.calls, evidence.named_results, evidence.own_results = 2, 2, 1
    assert [words for _, words in evidence.signs()] == [
        "1 message, of one side only",
        "2 calls with a tool's name and arguments",
        "2 results that name their call",
        "1 result that stands in its call",
    ]


@pytest.mark.parametrize("value", [{}, {"a": [1, 2]}, {"name": "x", "version": 3}, "x", [[]]])
def test_what_holds_nothing_is_said_to_hold_nothing(value: Any) -> None:
    assert GENERIC.recognise(recording(value)) == 0.0
    assert problems(GENERIC, recording(value)) == [
        "log.json: no messages and no tool calls in any shape we know"
    ]


def test_depth_is_bounded() -> None:
    value: Any = CHAT
    for _ in range(150):
        value = [value]
    assert GENERIC.recognise(recording(value)) == 0.0


# Formats with a reader of their own, read as if nobody knew them: the published counts again.
KNOWN = {
    "tau-bench": (200, 1164, 0),
    "tau2-bench-runs": (88, 392, 32),
    "mcp-bench-runs": (56, 820 + 829, 21),
    "coding-agent-sessions/claude-reliability": (7, 61, 1),
}


@pytest.mark.parametrize("folder", KNOWN)
def test_known_formats_are_found_by_shape(folder: str, shared: Callable[..., Path]) -> None:
    counts: Counter[str] = Counter()
    for path in sorted(shared("data", *folder.split("/")).rglob("*.json*")):
        found = Recording(FilePlace(path))
        if GENERIC.recognise(found) > 0:
            for case in read(GENERIC, found):
                counts["runs"] += 1
                counts["calls"] += len(case.calls)
                counts["failed"] += sum(call.reported_success is False for call in case.calls)
    assert (counts["runs"], counts["calls"], counts["failed"]) == KNOWN[folder]


def test_a_look_at_a_large_file_is_short() -> None:
    filler = [{"n": number} for number in range(200_000)]
    assert GENERIC.recognise(recording({"filler": filler, "turns": CHAT})) == 0.0
    assert GENERIC.recognise(recording({"turns": CHAT, "filler": filler})) == 0.3
    assert len(read_one(GENERIC, recording({"filler": filler, "turns": CHAT})).calls) == 1


FOUND_BY_SHAPE: dict[str, Any] = {
    "an action and what was observed": [
        {
            "output": "It rains.",
            "intermediateSteps": [
                {"action": {"tool": "rain", "toolInput": {"city": "Oslo"}}, "observation": "yes"}
            ],
        }
    ],
    "input parameters": {
        "responseText": "It rains.",
        "toolInvocations": [{"toolName": "rain", "inputParams": {"city": "Oslo"}, "output": "yes"}],
    },
    "kinds of messages": {
        "messages": [
            {"message_type": "user_message", "content": "Rain?"},
            {
                "message_type": "tool_call_message",
                "tool_call": {"name": "rain", "arguments": '{"city": "Oslo"}', "tool_call_id": "c"},
            },
            {"message_type": "tool_return_message", "tool_return": "yes", "tool_call_id": "c"},
            {"message_type": "assistant_message", "content": "It rains."},
        ]
    },
    "classes of messages": {
        "messages": [
            {"type": "UserMessage", "content": "Rain?"},
            {
                "type": "AssistantMessage",
                "content": [{"id": "c", "name": "rain", "arguments": '{"city": "Oslo"}'}],
            },
            {
                "type": "FunctionExecutionResultMessage",
                "content": [{"call_id": "c", "name": "rain", "content": "yes"}],
            },
            {"type": "AssistantMessage", "content": "It rains."},
        ]
    },
}


@pytest.mark.parametrize("form", FOUND_BY_SHAPE.values(), ids=FOUND_BY_SHAPE)
def test_calls_results_and_answers_are_found_by_their_shape(form: Any) -> None:
    made_up = recording(form)
    assert pick_format(made_up)[0] is GENERIC
    run = read_one(GENERIC, made_up)
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("rain", {"city": "Oslo"}, "yes")
    ]
    assert run.actual_output == "It rains."


USED = {"toolCallId": "t1", "toolName": "look", "args": {"city": "Oslo"}, "result": "rain"}
LOOKED = ("look", {"city": "Oslo"}, "rain")


def calls_in(value: Any) -> list[tuple[str, Any, Any]]:
    run = read_one(GENERIC, recording(value))
    return [(call.tool, call.parameters, call.result) for call in run.calls]


def test_what_a_message_shows_twice_is_told_once() -> None:
    parts = [{"type": "tool-invocation", "toolInvocation": USED}, {"type": "text", "text": "Yes."}]
    shown = {"role": "assistant", "content": "Yes.", "toolInvocations": [USED], "parts": parts}
    assert calls_in([{"role": "user", "content": "Rain?"}, shown]) == [LOOKED]
    used = {"tool": "look", "toolInput": {"city": "Oslo"}, "toolOutput": "rain"}
    flow = {"question": "Rain?", "text": "Yes.", "usedTools": [used]}
    assert calls_in(flow) == [LOOKED]
    assert calls_in({**flow, "agentReasoning": [{"usedTools": [used]}]}) == [LOOKED]


def test_what_stands_beside_parts_that_do_not_tell_it_is_no_copy() -> None:
    asked = {"role": "user", "content": "What is it?", "parts": [{"type": "image", "url": "x"}]}
    said = {"role": "assistant", "content": "Yes.", "parts": [{"type": "text", "text": "Yes."}]}
    run = read_one(GENERIC, recording([asked, {**said, "toolInvocations": [USED]}]))
    assert run.input == "What is it?"
    assert [(call.tool, call.result) for call in run.calls] == [("look", "rain")]


def test_calls_and_results_by_id_are_as_good_as_lists() -> None:
    sent = {"method": "tools/call", "params": {"name": "look", "arguments": {"city": "Oslo"}}}
    came = {"content": [{"type": "text", "text": "rain"}], "isError": False}
    told = [
        {"role": "user", "content": [{"type": "text", "text": "Rain?"}]},
        {"role": "assistant", "content": [], "tool_calls": {"a1": sent}},
        {"role": "user", "content": [], "tool_results": {"a1": came}},
        {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]},
    ]
    made_up = recording({"messages": told})
    assert pick_format(made_up)[0] is GENERIC
    (call,) = read_one(GENERIC, made_up).calls
    assert (call.tool, call.parameters, call.reported_success) == ("look", {"city": "Oslo"}, True)
    assert call.result == came["content"]


def test_a_call_that_is_told_of_again_is_one_call() -> None:
    named = {"tool_name": "look", "tool_kwargs": {"city": "Oslo"}, "tool_id": "c1"}
    events = ({"value": named}, {"value": named}, {"value": {**named, "tool_output": "rain"}})
    assert calls_in([{"role": "user", "content": "Rain?"}, *events]) == [LOOKED]


def test_two_conversations_in_one_object_are_two_runs() -> None:
    other = [{**CHAT[0], "text": "Find y"}, *CHAT[1:]]
    runs = read(GENERIC, recording({"store": {"ann": CHAT, "bob": other}}))
    assert [run.input for run in runs] == ["Find x", "Find y"]


def test_a_memory_that_was_kept_as_text_is_read() -> None:
    memory = {"class_name": "SimpleChatStore", "store": {"chat_history": CHAT}}
    kept = json.dumps({"value": {"chat_store": memory}})
    context = {
        "state": {"state_data": {"_data": {"memory": kept}}},
        "broker_log": [json.dumps({"value": CHAT[1]["tool_uses"]})],
    }
    made_up = recording(context)
    assert pick_format(made_up)[0] is GENERIC
    run = read_one(GENERIC, made_up)
    assert (run.input, run.actual_output, len(run.calls)) == ("Find x", "There is none.", 1)


def test_requests_that_grow_are_one_run_with_the_last_answer() -> None:
    asked = {"type": "UserMessage", "source": "user", "content": "Rain?"}
    call = {"id": "c1", "name": "look", "arguments": "{}"}
    sent = {"type": "AssistantMessage", "source": "a", "content": [call]}
    seen = {"content": "rain", "name": "look", "call_id": "c1", "is_error": False}
    came = {"type": "FunctionExecutionResultMessage", "content": [seen]}
    first = {"messages": [asked], "response": {"finish_reason": "calls", "content": [call]}}
    last = {
        "messages": [asked, sent, came],
        "response": {"finish_reason": "stop", "content": "Yes.", "usage": {"prompt_tokens": 7}},
    }
    run = read_one(GENERIC, recording([first, last]))
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [(c.tool, c.result) for c in run.calls] == [("look", "rain")]


def row(city: str, calls: int) -> dict[str, Any]:
    made = [{"name": "rain", "arguments": {"city": city, "n": i}} for i in range(calls)]
    return {"query": f"Rain in {city}?", "response": f"Yes, in {city}.", "tool_calls": made}


ROWS = [row("Oslo", 1), row("Rome", 2), row("Bern", 0)]


@pytest.mark.parametrize("told", [tuple(ROWS), ROWS])
def test_rows_with_question_and_answer_are_a_run_each(told: Any) -> None:
    assert GENERIC.recognise(recording(told)) > 0.1
    runs = read(GENERIC, recording(told))
    assert [(run.input, run.actual_output, len(run.calls)) for run in runs] == [
        ("Rain in Oslo?", "Yes, in Oslo.", 1),
        ("Rain in Rome?", "Yes, in Rome.", 2),
        ("Rain in Bern?", "Yes, in Bern.", 0),
    ]


def test_lines_that_tell_steps_are_no_rows() -> None:
    steps = tuple({**row("Oslo", 1), "session_id": "s", "step": i} for i in range(2))
    assert len(read(GENERIC, recording(steps))) == 1


def test_the_calls_and_results_of_one_message_are_no_run() -> None:
    used = [{"type": "tool_use", "id": n, "name": "f", "input": {"n": n}} for n in ("a", "b")]
    came = [{"type": "tool_result", "tool_use_id": n, "content": n} for n in ("a", "b")]
    told = (
        {"type": "begin", "id": "s"},
        {"type": "line", "message": {"role": "user", "content": "Do both."}},
        {"type": "line", "message": {"role": "assistant", "content": used}},
        {"type": "line", "message": {"role": "user", "content": came}},
        {"type": "line", "message": {"role": "assistant", "content": "Done."}},
    )
    run = read_one(GENERIC, recording(told))
    assert (run.input, run.actual_output) == ("Do both.", "Done.")
    assert [(call.call_id, call.result) for call in run.calls] == [("a", "a"), ("b", "b")]


def test_a_flag_called_successful_is_one() -> None:
    told = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "tool_calls": [{"id": "a", "name": "f", "arguments": {}}]},
        {"role": "tool_call_result", "tool_call_id": "a", "successful": False, "content": "no"},
    ]
    assert read_one(GENERIC, recording({"turns": told})).calls[0].reported_success is False


def test_several_runs_beside_a_question_and_an_answer_stay_several() -> None:
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "Gone."}]
    tries = [{"messages": said}, {"messages": [*said, {"role": "user", "content": "Back."}]}]
    whole = {"task": "Go.", "answer": "Gone.", "tries": {"all": tries}}
    assert len(read(GENERIC, recording(whole))) == 2


def test_a_call_under_way_is_told_once() -> None:
    item = {"id": "i", "tool": "read", "arguments": {"p": 1}, "result": None}
    told = (
        {"event": {"item": {**item, "status": "in_progress"}}},
        {"event": {"item": {**item, "status": "completed", "result": "x"}}},
        {"role": "assistant", "content": "Read."},
    )
    (call,) = read_one(GENERIC, recording(told)).calls
    assert (call.result, call.reported_success) == ("x", True)


@pytest.mark.parametrize("ending", ["end_turn", {"stop_reason": "end_turn"}])
def test_a_response_with_messages_and_why_it_ended_is_no_message(ending: Any) -> None:
    sent = {"name": "f", "arguments": "{}", "tool_call_id": "a"}
    told = [
        {"message_type": "tool_call_message", "tool_call": sent},
        {"message_type": "tool_return_message", "tool_call_id": "a", "tool_return": "x"},
        {"message_type": "assistant_message", "content": "Done."},
    ]
    run = read_one(GENERIC, recording({"messages": told, "stop_reason": ending}))
    assert ([call.result for call in run.calls], run.actual_output) == (["x"], "Done.")


def test_calls_inside_a_call_are_nested_in_it() -> None:
    deepest = {"tool": "look", "input": {"at": "it"}, "output": "here", "call_id": "c"}
    middle = {"tool": "search", "input": {"q": "it"}, "output": "there", "children": [deepest]}
    outer = {"tool": "delegate", "input": {"to": "it"}, "output": "done", "steps": [middle]}
    run = read_one(GENERIC, recording({"input": "Find it", "work": [outer], "answer": "Here."}))
    assert [(c.tool, c.result, c.turn, c.parent_id, c.call_id) for c in run.calls] == [
        ("delegate", "done", 1, None, "call-1"),
        ("search", "there", None, "call-1", "call-2"),
        ("look", "here", None, "call-2", "c"),
    ]


def test_calls_held_by_calls_are_followed_to_some_depth_only() -> None:
    call: dict[str, Any] = {"tool": "f", "input": {}, "output": 1}
    for _ in range(80):
        call = {"tool": "f", "input": {}, "output": 1, "calls": [call]}
    run = read_one(GENERIC, recording([CHAT[0], call]))
    assert len(run.calls) == 61


def test_an_error_alone_answers_the_call_that_its_id_names() -> None:
    lines = (
        {"kind": "Invoked", "payload": {"invocationId": "i", "toolName": "f", "arguments": {}}},
        {"kind": "Failed", "payload": {"invocationId": "i", "error": "smtp down"}},
    )
    (call,) = read_one(GENERIC, recording(lines)).calls
    assert (call.reported_success, call.error_message) == (False, "smtp down")


def test_rows_under_their_names_are_runs() -> None:
    rows = {
        name: {"prompt": name, "calls": [{"tool": "f", "args": {"n": name}}], "answer": name * 2}
        for name in ("one", "two")
    }
    for value in (rows, {"runs": rows}):
        runs = read(GENERIC, recording(value))
        assert [(r.input, r.actual_output) for r in runs] == [("one", "oneone"), ("two", "twotwo")]
        assert [r.calls[0].parameters for r in runs] == [{"n": "one"}, {"n": "two"}]


def test_lines_of_few_sessions_are_a_run_each() -> None:
    named = ("s1", "s1", "s2")
    lines = tuple({"session": s, "tool": "f", "args": {"n": i}} for i, s in enumerate(named))
    assert [len(r.calls) for r in read(GENERIC, recording(lines))] == [2, 1]


def test_the_steps_of_the_ai_sdk() -> None:
    sent = {"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {"a": 1}}
    failed = {"type": "tool-error", "toolCallId": "1", "toolName": "f", "error": {"message": "no"}}
    about = {"usage": {"inputTokens": 2, "outputTokens": 1}, "response": {"modelId": "m"}}
    steps = [
        {"content": [sent, failed], "finishReason": "tool-calls", **about},
        {"content": [], "text": "Done", "toolCalls": [], "finishReason": "stop", **about},
    ]
    run = read_one(GENERIC, recording({"prompt": "Do it", "steps": steps}))
    (call,) = run.calls
    assert (call.reported_success, call.error_message) == (False, "no")
    assert (run.input, run.actual_output, run.model) == ("Do it", "Done", "m")
    assert run.usage == Usage(input_tokens=4, output_tokens=2)
