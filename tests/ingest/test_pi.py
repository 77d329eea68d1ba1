"""Sessions of Pi: branches are attempts, what the harness says is no question, nothing twice."""

from __future__ import annotations

from time import process_time
from typing import Any

from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.message_trees import MOST_BRANCHES
from assay.ingest.pi import PI
from assay.run import Usage

HEADER = {"type": "session", "version": 3, "id": "s1", "timestamp": "2026-01-01T00:00:00Z"}


def message(own: str, parent: str | None, **said: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:0{int(own[-1])}Z"
    return {"type": "message", "id": own, "parentId": parent, "timestamp": at, "message": said}


def asked(own: str, parent: str | None, words: str = "Count the files.") -> dict[str, Any]:
    return message(own, parent, role="user", content=[{"type": "text", "text": words}])


def called(own: str, parent: str, call: str = "c") -> dict[str, Any]:
    parts = [
        {"type": "thinking", "thinking": "list them"},
        {"type": "text", "text": "I look."},
        {"type": "toolCall", "id": call, "name": "bash", "arguments": {"command": "ls"}},
    ]
    usage = {"input": 10, "output": 2, "cacheRead": 5, "cacheWrite": 1, "cost": {"total": 0.5}}
    return message(own, parent, role="assistant", content=parts, model="m", usage=usage)


def came(own: str, parent: str, call: str = "c", *, failed: bool = False) -> dict[str, Any]:
    content = [{"type": "text", "text": "a b"}]
    told = {"toolCallId": call, "toolName": "bash", "content": content, "isError": failed}
    return message(own, parent, role="toolResult", **told)


def said(own: str, parent: str, words: str, **more: Any) -> dict[str, Any]:
    return message(own, parent, role="assistant", content=[{"type": "text", "text": words}], **more)


LINES = (
    HEADER,
    {"type": "model_change", "id": "e0", "parentId": None, "modelId": "m"},
    asked("e1", "e0"),
    called("e2", "e1"),
    came("e3", "e2"),
    said("e4", "e3", "Two."),
)


def test_a_session_is_a_run() -> None:
    picked, sure = pick_format(recording(LINES))
    assert (picked, sure) == (PI, 0.95)
    run = read_one(PI, recording(LINES))
    (call,) = run.calls
    assert (run.input, run.actual_output, run.model) == ("Count the files.", "Two.", "m")
    assert (call.tool, call.parameters, call.reported_success) == ("bash", {"command": "ls"}, True)
    assert call.started_at is not None
    assert call.ended_at == call.started_at + 1
    assert run.usage == Usage(
        input_tokens=10,
        output_tokens=2,
        cache_read_tokens=5,
        cache_write_tokens=1,
        cost_usd=0.5,
    )
    assert (run.session_id, run.task_id, run.attempt) == ("s1", None, None)
    assert run.started_at is not None
    assert run.ended_at == run.started_at + 4


def test_branches_are_attempts_and_each_call_counts_once() -> None:
    other = (asked("e5", "e4", "In words?"), said("e6", "e5", "Two files."))
    again = (called("e7", "e4", "d"), came("e8", "e7", "d", failed=True), said("e9", "e8", "No."))
    first, second = read(PI, recording((*LINES, *other, *again)))
    assert (first.attempt, first.actual_output) == (1, "No.")  # where the user is now
    assert [(call.call_id, call.reported_success) for call in first.calls] == [
        ("c", True),
        ("d", False),
    ]
    assert (second.attempt, second.task_id, second.calls) == (2, "s1", [])
    assert second.actual_output == "Two files."
    assert second.extra["messages_of_another_branch"] == 5
    assert first.run_id != second.run_id


def test_a_mark_on_a_branch_is_no_run() -> None:
    label = {"type": "label", "id": "l", "parentId": "e1", "targetId": "e1", "label": "here"}
    assert read_one(PI, recording((*LINES, label))).actual_output == "Two."


def test_what_the_harness_says_is_no_question() -> None:
    lines = (
        HEADER,
        {"type": "custom_message", "id": "x1", "parentId": None, "content": "Be brief."},
        message("x2", "x1", role="bashExecution", command="pwd", output="/a", exitCode=0),
        asked("x3", "x2"),
        {"type": "compaction", "id": "x4", "parentId": "x3", "summary": "So far."},
        said("x5", "x4", "Two."),
    )
    run = read_one(PI, recording(lines))
    assert run.input == "Count the files."
    assert run.extra["compactions"] == 1
    assert [turn["role"] for turn in run.conversation_history or []] == [
        "system",
        "system",
        "user",
        "system",
        "assistant",
    ]


def test_lines_without_ids_follow_each_other() -> None:
    plain = tuple({k: v for k, v in e.items() if k not in {"id", "parentId"}} for e in LINES[2:])
    run = read_one(PI, recording((HEADER, *plain)))
    assert (len(run.calls), run.actual_output) == (1, "Two.")


def test_a_stream_is_told_by_messages_that_are_whole() -> None:
    whole = [{"type": "message_end", "message": entry["message"]} for entry in LINES[2:]]
    lines = (
        HEADER,
        {"type": "agent_start"},
        {"type": "message_update", "message": whole[1]["message"]},
        *whole,
        {"type": "turn_end", "message": whole[1]["message"], "toolResults": []},
        {"type": "agent_end", "messages": [entry["message"] for entry in LINES[2:]]},
    )
    run = read_one(PI, recording(lines))
    assert (run.input, len(run.calls), run.actual_output) == ("Count the files.", 1, "Two.")


def test_an_error_of_the_last_reply_is_the_outcome() -> None:
    failed = said("e9", "e4", "", stopReason="error", errorMessage="overloaded")
    outcome = read_one(PI, recording((*LINES, failed))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "overloaded")


def test_sessions_in_one_file_and_lines_that_are_none() -> None:
    lines = (*LINES, {**HEADER, "id": "s2"}, *LINES[1:], ["no line"])
    assert [run.session_id for run in read(PI, recording(lines[:-1]))] == ["s1", "s2"]
    assert len(problems(PI, recording(lines))) == 1


def test_circles_and_countless_branches_are_read_in_bounded_time() -> None:
    circle = (HEADER, said("e1", "e2", "a"), said("e2", "e1", "b"))
    assert len(read(PI, recording(circle))) == 1
    comb: list[dict[str, Any]] = [asked("a0", None)]
    for i in range(5_000):
        reply = said("e1", f"a{i}", "x")
        comb += [{**reply, "id": f"a{i + 1}"}, {**reply, "id": f"b{i + 1}"}]
    begun = process_time()
    runs = read(PI, recording((HEADER, *comb)))
    assert len(runs) == MOST_BRANCHES
    assert process_time() - begun < 5
