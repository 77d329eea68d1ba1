"""Codex rollouts: items and events put together, exit codes taken from wherever they stand."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.codex_cli import CALL_ITEMS, CODEX_CLI, HARNESS_PREFIXES
from assay.ingest.documents import Unreadable
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

META = {"id": "s1", "cwd": "/repo", "cli_version": "0.1", "base_instructions": {"text": "Be Codex"}}

WAIT = {"secs": 1, "nanos": 500_000_000}
TOTAL = {
    "input_tokens": 30,
    "cached_input_tokens": 20,
    "output_tokens": 6,
    "reasoning_output_tokens": 2,
}


def line(kind: str, second: int, **payload: Any) -> dict[str, Any]:
    return {"timestamp": f"2026-01-01T00:00:{second:02d}Z", "type": kind, "payload": payload}


def item(second: int, **payload: Any) -> dict[str, Any]:
    return line("response_item", second, **payload)


def event(second: int, kind: str, **payload: Any) -> dict[str, Any]:
    return line("event_msg", second, type=kind, **payload)


def call(second: int, call_id: str, tool: str = "exec_command", **more: Any) -> dict[str, Any]:
    sent = more.pop("arguments", '{"cmd": "ls"}')
    return item(second, type="function_call", name=tool, call_id=call_id, arguments=sent, **more)


def output(second: int, call_id: str, value: Any) -> dict[str, Any]:
    return item(second, type="function_call_output", call_id=call_id, output=value)


def run_of(*lines: Any) -> Any:
    return read_one(CODEX_CLI, recording((line("session_meta", 0, **META), *lines), "r.jsonl"))


def test_a_session() -> None:
    words = [{"type": "output_text", "text": "Two files."}]
    case = run_of(
        line("turn_context", 1, model="gpt-x"),
        item(1, type="message", role="user", content=[{"type": "input_text", "text": "ls"}]),
        event(1, "user_message", message="List files"),
        item(2, type="reasoning", summary=[{"type": "summary_text", "text": "easy"}]),
        call(3, "a"),
        call(3, "b", "js", namespace="mcp__node_repl__", arguments="{broken"),
        event(4, "token_count", info=None),
        output(5, "b", "done"),
        output(6, "a", "Process running"),
        event(7, "exec_command_end", call_id="a", exit_code=2, stderr="no", duration=WAIT),
        item(8, type="message", role="assistant", content=words),
        event(
            8, "token_count", info={"total_token_usage": {"input_tokens": 9, "output_tokens": 4}}
        ),
        event(9, "token_count", info={"total_token_usage": TOTAL}),
    )
    assert (case.input, case.actual_output, case.model) == ("List files", "Two files.", "gpt-x")
    first, second = case.calls
    assert (first.turn, second.turn) == (1, 1)
    assert (first.tool, first.parameters, first.result) == (
        "exec_command",
        {"cmd": "ls"},
        "Process running",
    )
    assert (first.reported_success, first.success, first.error_message) == (False, False, "no")
    assert (first.execution_time, first.started_at, first.ended_at) == (
        1.5,
        1767225603.0,
        1767225606.0,
    )
    assert (second.parameters, second.server) == ("{broken", "node_repl")
    assert (second.reported_success, second.success) == (None, True)
    assert case.usage == Usage(
        input_tokens=30, output_tokens=6, cache_read_tokens=20, reasoning_tokens=2
    )
    assert (case.session_id, case.started_at, case.ended_at) == ("s1", 1767225600.0, 1767225609.0)
    assert case.conversation_history[0] == {"role": "system", "content": "Be Codex"}
    assert case.extra == {"codex_version": "0.1", "cwd": "/repo"}


def ended(second: int, kind: str, **about: Any) -> dict[str, Any]:
    return event(second, "item_completed", thread_id="s1", item={"type": kind, **about})


def test_items_of_newer_versions_say_who_asked_and_how_calls_ended() -> None:
    note = [{"type": "input_text", "text": "<subagent_notification>{}</subagent_notification>"}]
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Go"}]}
    refused = {"content": [{"type": "text", "text": "no such key"}], "isError": True}
    case = run_of(
        item(1, **asked),
        ended(1, "UserMessage", id="u", content=[{"type": "text", "text": "Go"}]),
        call(2, "a"),
        call(2, "b", "look_up", namespace="mcp__shelf"),
        ended(3, "CommandExecution", id="a", status="failed", exit_code=3, duration=WAIT),
        ended(3, "McpToolCall", id="b", server="shelf", status="failed", result=refused),
        output(4, "a", "Wall time: 1.0 seconds\nOutput:\n"),
        output(4, "b", [{"type": "input_text", "text": "no such key"}]),
        call(5, "c", "apply_patch"),
        call(5, "d", "spawn_agent"),
        ended(6, "FileChange", id="c", status="completed", stderr=""),
        ended(6, "CollabAgentToolCall", id="d", status="completed"),
        ended(6, "Reasoning", id="d", status="failed"),
        output(6, "c", "Exit code: 0\nWall time: 2 seconds\nOutput:\nDone"),
        item(7, type="message", role="user", content=note),
    )
    assert case.input == "Go"
    assert [m["role"] for m in case.conversation_history if m["content"]] == [
        *("system", "user", "system")
    ]
    assert [c.reported_success for c in case.calls] == [False, False, True, True]
    assert [c.execution_time for c in case.calls] == [1.5, None, 2.0, None]
    assert (case.calls[1].server, case.calls[1].error_message) == ("shelf", "no such key")


DONE = event(9, "task_complete", last_agent_message="Two.")
FAILED = event(8, "error", message="too long")


@pytest.mark.parametrize("code", [0, 1])
def test_how_a_process_ended_is_told_of_the_call_that_saw_its_end(code: int) -> None:
    def came(said: str) -> str:
        return f"Chunk ID: 1\nWall time: 1.5 seconds\n{said}\nOutput:\nError: 2 of 3 failed"

    session = '{"session_id": 57575, "chars": ""}'
    case = run_of(
        call(1, "a"),
        output(2, "a", came("Process running with session ID 57575")),
        call(3, "b", "write_stdin", arguments=session),
        output(4, "b", came("Process running with session ID 57575")),
        call(5, "c", "write_stdin", arguments=session),
        event(6, "exec_command_end", call_id="a", exit_code=code, duration={"secs": 9, "nanos": 0}),
        output(7, "c", came(f"Process exited with code {code}")),
    )
    assert [call.reported_success for call in case.calls] == [True, True, code == 0]
    assert [call.error_message is None for call in case.calls] == [True, True, code == 0]
    assert [call.execution_time for call in case.calls] == [1.5, 1.5, 1.5]


def test_a_process_whose_end_no_call_saw_failed_with_the_call_that_began_it() -> None:
    case = run_of(
        call(1, "a"),
        output(2, "a", "Wall time: 1.5 seconds\nProcess running with session ID 7\nOutput:\n"),
        event(3, "exec_command_end", call_id="a", exit_code=1, stderr="no"),
    )
    assert [call.reported_success for call in case.calls] == [False]


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ((event(9, "task_complete", error={"message": "too long"}),), "too long"),
        ((FAILED, event(9, "task_complete", last_agent_message=None)), "too long"),
        ((FAILED,), "too long"),
        ((FAILED, DONE), None),
        ((FAILED, event(9, "task_started")), None),
        ((DONE,), None),
    ],
)
def test_a_last_turn_that_ended_in_an_error_is_a_failure(events: Any, reason: str | None) -> None:
    outcome = run_of(call(1, "a"), *events).outcome
    assert (outcome and (outcome.success, outcome.reason)) == (reason and (False, reason))


@pytest.mark.parametrize(
    ("value", "success", "time"),
    [
        ('{"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 2.5}}', True, 2.5),
        ('{"output": "x", "metadata": {"exit_code": 1}}', False, None),
        ('{"metadata": "odd"}', None, None),
        ("Chunk ID: 1\nWall time: 0.25 seconds\nProcess exited with code 0\nOutput:\n", True, 0.25),
        ("Exit code: 127\nWall time: 3 seconds\nOutput:\nnot found", False, 3.0),
        ("Wall time: 1.0 seconds\nProcess running with session ID 4\nOutput:\n", None, 1.0),
        ("Process exited with code 1", None, None),
        ("Output:\nProcess exited with code 1", None, None),
        ({"content": "denied", "success": False}, False, None),
        ({"content": "fine", "success": True}, True, None),
        ([{"type": "input_text", "text": "x"}], None, None),
    ],
)
def test_how_an_output_says_it_ended(
    value: Any, *, success: bool | None, time: float | None
) -> None:
    done = run_of(call(1, "a"), output(2, "a", value)).calls[0]
    assert (done.reported_success, done.execution_time, done.result) == (success, time, value)


@pytest.mark.parametrize(
    ("kind", "payload", "success", "message"),
    [
        ("exec_command_end", {"exit_code": 0}, True, None),
        ("exec_command_end", {"exit_code": 1, "aggregated_output": "bad"}, False, "bad"),
        ("exec_command_end", {"exit_code": 1, "aggregated_output": {"a": 1}}, False, "x"),
        ("patch_apply_end", {"success": True}, True, None),
        ("patch_apply_end", {"success": False, "stderr": "no hunk"}, False, "no hunk"),
        ("mcp_tool_call_end", {"result": {"Ok": {"content": [], "isError": False}}}, True, None),
        (
            "mcp_tool_call_end",
            {"result": {"Ok": {"content": [{"type": "text", "text": "404"}], "is_error": True}}},
            False,
            "404",
        ),
        ("mcp_tool_call_end", {"result": {"Err": "closed"}}, False, "closed"),
        ("mcp_tool_call_end", {"result": None}, None, None),
        ("exec_command_begin", {}, None, None),
    ],
)
def test_how_an_event_says_it_ended(
    kind: str, payload: dict[str, Any], *, success: bool | None, message: str | None
) -> None:
    payload = {**payload, "call_id": "a", "invocation": {"server": "db"}}
    done = run_of(call(1, "a"), output(2, "a", "x"), event(3, kind, **payload)).calls[0]
    assert (done.reported_success, done.error_message) == (success, message)
    assert done.server == ("db" if kind == "mcp_tool_call_end" else None)


@pytest.mark.parametrize(
    ("kind", "sent", "parameters"),
    [
        ("function_call", '{"a": 1}', {"a": 1}),
        ("custom_tool_call", "*** Begin Patch", {"input": "*** Begin Patch"}),
        ("local_shell_call", {"command": ["ls"]}, {"command": ["ls"]}),
        ("tool_search_call", {"query": "x"}, {"query": "x"}),
    ],
)
def test_every_kind_of_call(kind: str, sent: Any, parameters: Any) -> None:
    made = item(1, type=kind, name="t", call_id="a", **{CALL_ITEMS[kind]: sent})
    assert run_of(made).calls[0].parameters == parameters


def test_there_are_no_other_kinds_of_call() -> None:
    own = {"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"}
    assert set(CALL_ITEMS) == own


@pytest.mark.parametrize("prefix", HARNESS_PREFIXES)
def test_without_events_the_first_words_that_are_not_the_harness_are_asked(prefix: str) -> None:
    def words(text: str) -> dict[str, Any]:
        content = [{"type": "input_text", "text": text}]
        return item(1, type="message", role="user", content=content)

    assert run_of(words(f"{prefix} …"), words("The question")).input == "The question"


def test_where_no_item_speaks_for_the_agent_its_events_do() -> None:
    lines = (
        event(1, "user_message", message="ls"),
        call(2, "a"),
        output(3, "a", "x y"),
        event(3, "context_compacted"),
        event(4, "agent_message", message="Two files."),
    )
    case = run_of(*lines)
    assert (case.input, case.actual_output) == ("ls", "Two files.")
    assert case.extra["compactions"] == 1
    words = [{"type": "output_text", "text": "Two."}]
    said_twice = run_of(*lines, item(5, type="message", role="assistant", content=words))
    assert said_twice.actual_output == "Two."
    assert "Two files." not in str(said_twice.conversation_history)


def test_searches_of_the_provider_are_kept_but_are_no_calls() -> None:
    found = {"type": "search", "query": "q"}
    case = run_of(
        event(1, "user_message", message="Search"),
        item(2, type="web_search_call", status="completed", action=found),
    )
    assert case.calls == []
    assert case.extra["web_searches"] == [{"status": "completed", "action": found}]


def test_rollouts_without_an_envelope() -> None:
    lines = (
        {"id": "s0", "timestamp": "2025-05-01T00:00:00Z", "instructions": "Be Codex"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}]},
        {"type": "function_call", "name": "shell", "call_id": "a", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "a", "output": "x"},
    )
    assert CODEX_CLI.recognise(recording(lines)) == 0.7
    case = read_one(CODEX_CLI, recording(lines))
    assert (case.session_id, case.input, case.calls[0].result) == ("s0", "Hi", "x")


def test_a_rollout_whose_beginning_was_lost() -> None:
    assert CODEX_CLI.recognise(recording((call(1, "a"),))) == 0.9


def count(second: int, tokens: int) -> dict[str, Any]:
    total = {**TOTAL, "input_tokens": tokens, "output_tokens": tokens}
    return event(second, "token_count", info={"total_token_usage": total})


FORK: tuple[Any, ...] = (
    line("session_meta", 1, id="parent"),
    event(1, "user_message", message="Plan it"),
    call(1, "a"),
    output(1, "a", "x"),
    count(1, 30),
    event(1, "user_message", message="Look into it"),
    call(9, "b"),
    output(10, "b", "y"),
    count(10, 50),
)


@pytest.mark.parametrize(
    "head",
    [
        {"forked_from_id": "parent"},
        {"parent_thread_id": "parent"},
        {"source": {"subagent": {"thread_spawn": {"parent_thread_id": "parent"}}}},
    ],
)
def test_what_a_fork_copied_of_its_parent_is_not_its_own(head: dict[str, Any]) -> None:
    lines = (line("session_meta", 1, **META, **head), *FORK)
    case: Any = read_one(CODEX_CLI, recording(lines, "r.jsonl"))
    assert (case.session_id, case.input) == ("s1", "Look into it")
    assert [found.call_id for found in case.calls] == ["b"]
    assert (case.usage.input_tokens, case.usage.output_tokens) == (20, 20)
    assert case.extra["copied_calls"] == 1


def test_a_rollout_that_is_no_fork_is_all_its_own() -> None:
    assert [found.call_id for found in run_of(*FORK).calls] == ["a", "b"]


def test_a_fork_that_was_asked_and_not_answered_has_no_calls() -> None:
    lines = (line("session_meta", 1, **META, forked_from_id="parent"), *FORK[:6])
    case: Any = read_one(CODEX_CLI, recording(lines, "r.jsonl"))
    assert (case.input, case.calls, case.usage) == ("Look into it", [], None)
    assert (case.extra["forked_from"], case.extra["copied_calls"]) == ("parent", 1)


def test_a_fork_that_did_not_go_on_is_passed_over() -> None:
    harness = {"role": "user", "content": [{"text": HARNESS_PREFIXES[0]}]}
    begun = line("response_item", 1, type="message", **harness)
    lines = (line("session_meta", 1, **META, forked_from_id="parent"), *FORK[:5], begun)
    (told,) = CODEX_CLI.read(recording(lines, "r.jsonl"))
    problem = "holds nothing but a copy of session parent"
    assert told == Unreadable("r.jsonl", problem, kind="passed_over")


# Made one after the other; the last is of a version that tells no time.
TIMED = [f"019e1625-{minute:04x}-7000-8000-000000000000" for minute in (0x0000, 0xEA60, 0xFFFF)]
UNTIMED = "019e1625-0000-4000-8000-000000000000"


def turn(name: str, second: int, own: str) -> tuple[Any, ...]:
    began = event(second, "task_started", turn_id=name)
    asked = event(second, "user_message", message=f"Do {own}")
    return (began, asked, call(second, own), output(second, own, "x"))


def fork_of(*turns: Any, own_id: str = TIMED[1]) -> tuple[Any, ...]:
    head = line("session_meta", 1, id=own_id, forked_from_id=TIMED[0])
    return (head, line("session_meta", 1, id=TIMED[0]), *turns)


def test_turns_that_are_older_than_the_fork_are_not_its_own_however_fast_it_went_on() -> None:
    lines = fork_of(*turn(TIMED[0], 1, "a"), *turn(TIMED[2], 1, "b"))
    case: Any = read_one(CODEX_CLI, recording(lines, "r.jsonl"))
    assert ([found.call_id for found in case.calls], case.input) == (["b"], "Do b")
    alone = (lines[0], *lines[2:])  # a sub-agent's may have no head of the parent
    assert [found.call_id for found in read_one(CODEX_CLI, recording(alone)).calls] == ["b"]


def test_a_fork_whose_turns_are_all_its_own_copied_nothing() -> None:
    lines = fork_of(*turn(TIMED[1], 1, "a"), *turn(TIMED[2], 9, "b"))
    assert [found.call_id for found in read_one(CODEX_CLI, recording(lines)).calls] == ["a", "b"]


def test_where_ids_tell_no_time_the_pause_does() -> None:
    lines = fork_of(*turn(UNTIMED, 1, "a"), *turn(UNTIMED, 9, "b"), own_id=UNTIMED)
    assert [found.call_id for found in read_one(CODEX_CLI, recording(lines)).calls] == ["b"]


def test_broken_lines_are_reported_in_their_place() -> None:
    good = json.dumps(call(1, "a")).encode()
    assert problems(CODEX_CLI, recording(good + b"\nnope\n3\n", "r.jsonl")) == [
        "r.jsonl:2: not JSON: Expecting value: column 1",
        "r.jsonl:3: expected an object in each line, got int 3",
    ]


def test_recorded_rollouts_have_the_published_counts(shared: Callable[..., Path]) -> None:
    root = shared("data", "coding-agent-sessions", "codemie")
    calls: Counter[str] = Counter()
    said: Counter[bool | None] = Counter()
    for path in sorted(root.rglob("*.jsonl")):
        found = Recording(FilePlace(path))
        if CODEX_CLI.recognise(found):
            case = read_one(CODEX_CLI, found)
            calls[path.name[:7]] += len(case.calls)
            said.update(call.reported_success for call in case.calls if path.name[0] == "r")
    assert calls == {"rollout": 140, "turn-1.": 0, "turn-2.": 0, "turn-sp": 3}
    # 4 commands that ran on failed where their end was seen, not where they began.
    assert said[False] == 5


def test_tokens_agree_with_the_last_count_of_a_recorded_rollout(
    shared: Callable[..., Path],
) -> None:
    folder = shared("data", "coding-agent-sessions", "codemie")
    path = next(folder.rglob("rollout-2026-05-11T11*.jsonl"))
    case = read_one(CODEX_CLI, Recording(FilePlace(path)))
    assert case.usage is not None
    assert (case.usage.input_tokens, case.usage.output_tokens) == (6_055_836, 9_118)
    assert (case.model, len(case.extra["web_searches"])) == ("gpt-5.5", 3)


def test_the_conversation_agrees_with_the_one_recorded_beside(
    shared: Callable[..., Path],
) -> None:
    codemie = shared("data", "coding-agent-sessions", "codemie")
    folder = codemie / "tests" / "integration" / "session" / "fixtures" / "codex"
    texts = (folder / "expected-conversation.jsonl").read_text().splitlines()
    turns = [turn for text in texts for turn in json.loads(text)["payload"]["history"]]
    case: Any = read_one(CODEX_CLI, Recording(FilePlace(folder / "turn-2.jsonl")))
    spoken = [turn for turn in case.conversation_history if turn["role"] in {"user", "assistant"}]
    assert [turn["content"] for turn in spoken] == [turn["message"] for turn in turns]


def test_a_search_for_tools_is_a_call() -> None:
    found = [{"type": "function", "name": "f"}]
    sent = {"type": "tool_search_call", "call_id": "ts", "arguments": {"query": "x"}}
    served: dict[str, Any] = {
        "type": "tool_search_call",
        "call_id": None,
        "id": "own",
        "arguments": {},
    }
    items = [
        sent,
        {"type": "tool_search_output", "call_id": "ts", "tools": found},
        served,
        {"type": "tool_search_output", "call_id": None, "tools": []},
    ]
    lines = tuple({"type": "response_item", "payload": item} for item in items)
    run = read_one(CODEX_CLI, recording(lines, "rollout-1.jsonl"))
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("tool_search", {"query": "x"}, found),
        ("tool_search", {}, []),
    ]
