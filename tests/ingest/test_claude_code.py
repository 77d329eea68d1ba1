"""Claude Code sessions: replies put together, sub-agents nested, nothing counted twice."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.claude_code import CLAUDE_CODE, DURATIONS, HARNESS_PREFIXES, SIDE_LINES
from assay.ingest.documents import Unreadable
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def run_of(*lines: Any, name: str = "run.jsonl") -> Any:
    return read_one(CLAUDE_CODE, recording(lines, name))


def line(kind: str, content: Any, second: int, **more: Any) -> dict[str, Any]:
    role = "assistant" if kind == "assistant" else "user"
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {
        "type": kind,
        "sessionId": "s1",
        "uuid": f"u{second}",
        "timestamp": f"2026-01-01T00:00:{second:02d}Z",
        "message": message,
        **more,
    }


def said(message_id: str, block: Any, second: int, output: int = 1, **more: Any) -> dict[str, Any]:
    usage = {"input_tokens": 10, "output_tokens": output, "cache_read_input_tokens": 5}
    about = {"id": message_id, "model": "claude-x", "usage": usage}
    return line("assistant", [block], second, message=about, **more)


def use(call_id: str, tool: str = "Bash", **sent: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": call_id, "name": tool, "input": sent}


def result(call_id: str, content: Any, **more: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def test_one_reply_over_several_lines_is_one_turn_and_counts_its_tokens_once() -> None:
    case = run_of(
        {"type": "summary", "summary": "x", "leafUuid": "l"},
        line("user", "Fix it", 1, version="2.1.0", gitBranch="main"),
        said("m1", {"type": "thinking", "thinking": "two looks"}, 2),
        said("m1", use("a", command="ls"), 3),
        line("user", [result("a", "file.py", is_error=False)], 4),
        said("m1", use("b", "mcp__git__log"), 5, output=40),
        line(
            "user",
            [result("b", [{"type": "text", "text": "no repo"}], is_error=True)],
            6,
            toolUseResult={"durationMs": 250},
        ),
        said("m2", {"type": "text", "text": "Done."}, 7, output=3),
    )
    assert (case.input, case.actual_output, case.model) == ("Fix it", "Done.", "claude-x")
    assert (case.session_id, case.framework) == ("s1", "claude-code")
    first, second = case.calls
    assert (first.turn, second.turn) == (1, 1)
    assert (first.tool, first.parameters, first.server) == ("Bash", {"command": "ls"}, None)
    assert (first.reported_success, first.result, first.error_message) == (True, "file.py", None)
    assert (first.started_at, first.ended_at) == (1767225603.0, 1767225604.0)
    assert (second.tool, second.server, second.execution_time) == ("mcp__git__log", "git", 0.25)
    assert (second.reported_success, second.success) == (False, False)
    assert second.error_message == "no repo"
    assert case.usage == Usage(input_tokens=20, output_tokens=43, cache_read_tokens=10)
    assert (case.started_at, case.ended_at) == (1767225601.0, 1767225607.0)
    assert case.extra == {"claude_code_version": "2.1.0", "git_branch": "main"}


def test_a_result_without_a_flag_reports_nothing() -> None:
    case = run_of(said("m", use("a"), 1), line("user", [result("a", "Error: no")], 2))
    assert (case.calls[0].reported_success, case.calls[0].success) == (None, True)


def test_calls_that_the_provider_runs_come_back_in_the_reply() -> None:
    served = {"type": "mcp_tool_use", "id": "a", "name": "find", "input": {}, "server_name": "kb"}
    search = {"type": "server_tool_use", "id": "b", "name": "web_search", "input": {"query": "x"}}
    refused = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    case = run_of(
        line("user", "Go", 1),
        said("m", served, 2),
        said("m", {**result("a", "found", is_error=False), "type": "mcp_tool_result"}, 3),
        said("m", search, 4),
        said("m", {**result("b", refused), "type": "web_search_tool_result"}, 5),
        said("m", {"type": "text", "text": "Done."}, 6),
    )
    assert case.actual_output == "Done."
    first, second = case.calls
    assert (first.tool, first.server, first.result) == ("find", "kb", "found")
    assert (first.reported_success, second.reported_success) == (True, False)
    assert (second.tool, second.error_message) == ("web_search", "max_uses_exceeded")


def test_calls_that_the_provider_runs_for_a_sub_agent() -> None:
    search = {"type": "server_tool_use", "id": "b", "name": "web_search", "input": {"query": "x"}}
    found = {**result("b", "found"), "type": "web_search_tool_result"}
    case = run_of(
        line("user", "Go", 1),
        said("m", use("a", "Task"), 2),
        said("n", search, 3, parent_tool_use_id="a"),
        said("n", found, 4, parent_tool_use_id="a"),
        line("user", [result("a", "Done.")], 5),
    )
    assert [(c.tool, c.result, c.parent_id) for c in case.calls] == [
        ("Task", "Done.", None),
        ("web_search", "found", "a"),
    ]


def test_a_call_without_a_result_and_a_run_without_an_answer() -> None:
    case = run_of(line("user", "Go", 1), said("m", use("a"), 2))
    assert (case.actual_output, case.calls[0].result) == (None, None)


def test_an_error_of_the_api_is_no_answer() -> None:
    limit = said("m", {"type": "text", "text": "API Error: 529"}, 2, isApiErrorMessage=True)
    case = run_of(line("user", "Go", 1), limit)
    assert (case.actual_output, case.outcome.success) == (None, False)
    assert case.outcome.reason == "API Error: 529"
    went_on = run_of(limit, line("user", "Go on", 3))
    assert went_on.outcome is None


@pytest.mark.parametrize("prefix", HARNESS_PREFIXES)
def test_what_the_harness_says_is_no_question(prefix: str) -> None:
    case = run_of(line("user", f"{prefix} …", 1), line("user", "The question", 2))
    assert case.input == "The question"
    assert [turn["role"] for turn in case.conversation_history] == ["system", "user"]


def test_compaction_is_counted_and_its_summary_is_no_question() -> None:
    case = run_of(
        {"type": "system", "subtype": "compact_boundary", "sessionId": "s1"},
        line("user", "This session is being continued…", 1, isCompactSummary=True),
        line("user", "hook said", 2, isMeta=True),
        line("user", "Go on", 3),
    )
    assert (case.input, case.extra["compactions"]) == ("Go on", 1)


def test_a_line_that_was_written_twice_counts_once() -> None:
    twice = said("m", use("a"), 1)
    assert len(run_of(twice, twice).calls) == 1


def test_calls_of_a_sidechain_name_the_call_that_started_it() -> None:
    case = run_of(
        line("user", "Look around", 1),
        said("m1", use("task", "Task", prompt="find it"), 2),
        line("user", "find it", 3, isSidechain=True, parentUuid=None),
        said("m2", use("inner", "Grep"), 4, isSidechain=True, parentUuid="u3"),
        line("user", [result("inner", "3")], 5, isSidechain=True, parentUuid="u4"),
        line("user", [result("task", "found")], 6),
        said("m3", {"type": "text", "text": "Found."}, 7),
    )
    outer, inner = case.calls
    assert (outer.call_id, outer.parent_id, outer.turn, outer.result) == ("task", None, 1, "found")
    assert (inner.call_id, inner.parent_id, inner.turn) == ("inner", "task", None)
    assert inner.result == "3"
    assert case.conversation_history[0] == {"role": "user", "content": "Look around"}
    assert case.execution_data.total_rounds == 1


def test_a_sidechain_is_found_by_the_agents_id_as_well() -> None:
    case = run_of(
        said("m1", use("task", "Task", prompt="find it"), 1),
        said("m2", use("inner"), 2, isSidechain=True, agentId="a1"),
        line("user", [result("task", "ok")], 3, toolUseResult={"agentId": "a1"}),
    )
    assert case.calls[1].parent_id == "task"


def progress(agent: str, message: dict[str, Any]) -> dict[str, Any]:
    data = {"type": "agent_progress", "agentId": agent, "message": message}
    return {"type": "progress", "sessionId": "s1", "parentToolUseID": "task", "data": data}


def test_progress_of_a_sub_agent_is_nested_unless_it_has_a_file_of_its_own(
    tmp_path: Path,
) -> None:
    lines = (
        line("user", "Look", 1),
        said("m1", use("task", "Task", prompt="find it"), 2),
        progress("a1", said("m2", use("inner", "Grep"), 3)),
        progress("a1", line("user", [result("inner", "3", is_error=True)], 4)),
    )
    outer, inner = run_of(*lines).calls
    assert (outer.parent_id, inner.parent_id, inner.reported_success) == (None, "task", False)

    session = tmp_path / "s1.jsonl"
    session.write_text("".join(f"{json.dumps(value)}\n" for value in lines))
    agents = tmp_path / "s1" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-a1.jsonl").write_text("{}\n")
    alone = read_one(CLAUDE_CODE, Recording(FilePlace(session)))
    assert [call.call_id for call in alone.calls] == ["task"]


def test_a_sub_agents_own_file_is_a_run() -> None:
    about: dict[str, Any] = {"isSidechain": True, "agentId": "a1"}
    lines = (line("user", "find it", 1, **about), said("m", use("x"), 2, **about))
    case = run_of(*lines, name="s1/subagents/agent-a1.jsonl")
    assert (case.agent_id, case.session_id, case.calls[0].parent_id) == ("a1", "s1", None)
    assert case.extra["is_subagent"] is True
    moved = run_of(*lines, name="elsewhere/s1/subagents/agent-a1.jsonl")
    other = run_of(*lines, name="s2/subagents/agent-a1.jsonl")
    assert moved.run_id == case.run_id != other.run_id


def test_stream_json_gives_tools_cost_and_how_it_ended() -> None:
    reply = {"role": "assistant", "id": "m", "content": [use("a")], "usage": {"input_tokens": 1}}
    stream = (
        {"type": "system", "subtype": "init", "session_id": "s9", "tools": ["Bash", "Read"]},
        {"type": "assistant", "message": reply, "session_id": "s9", "parent_tool_use_id": None},
        {
            "type": "result",
            "subtype": "error_max_turns",
            "is_error": True,
            "total_cost_usd": 0.5,
            "result": "gave up",
        },
    )
    assert CLAUDE_CODE.recognise(recording(stream)) == 1.0
    case = run_of(*stream)
    assert (case.session_id, case.actual_output) == ("s9", "gave up")
    assert (case.available_tools, case.usage.cost_usd) == (["Bash", "Read"], 0.5)
    assert (case.outcome.success, case.outcome.reason) == (False, "error_max_turns")


def printed(content: list[Any], **more: Any) -> dict[str, Any]:
    """A line of a stream; replies are printed before their last tokens are counted."""
    usage = {"input_tokens": 10, "output_tokens": 1}
    message = {"role": "assistant", "content": content, "usage": usage, **more.pop("message", {})}
    where = {"session_id": "s9", "parent_tool_use_id": None}
    return {"type": "assistant", "message": message, **where, **more}


def summed_up(**more: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": "success", "session_id": "s9", "num_turns": 1, **more}


def test_a_streams_tokens_are_those_of_its_last_line_sub_agents_included() -> None:
    counts = {"inputTokens": 20, "outputTokens": 9, "cacheCreationInputTokens": 3}
    by_model = {"claude-x": counts, "claude-y": {"inputTokens": 5, "outputTokens": 1}}
    own = {"input_tokens": 20, "output_tokens": 8}
    case = run_of(
        printed([use("a")]),
        summed_up(usage={"input_tokens": 1}, modelUsage={"claude-x": {"inputTokens": 1}}),
        summed_up(usage=own, modelUsage=by_model, total_cost_usd=0.25),
    )
    assert case.usage == Usage(
        input_tokens=25, output_tokens=10, cache_write_tokens=3, cost_usd=0.25
    )


def test_a_stream_that_the_api_refused_has_failed_without_an_answer() -> None:
    text = "API Error: 400 too long"
    refused = printed(
        [{"type": "text", "text": text}], message={"model": "<synthetic>"}, error="unknown"
    )
    ended = summed_up(is_error=True, result=text, usage={"input_tokens": 0})
    case = run_of(printed([use("a")]), refused, ended)
    assert (case.actual_output, case.outcome.reason) == (None, text)
    assert (case.outcome.success, case.usage.input_tokens) == (False, 20)


def test_what_the_api_refused_is_no_answer_though_it_was_called_a_success() -> None:
    begun = {"type": "system", "subtype": "init", "session_id": "s9", "qwen_code_version": "1"}
    text = "[API Error: 400 too long]"
    refused = printed([{"type": "text", "text": text}])
    case = run_of(begun, printed([use("a")]), refused, summed_up(is_error=False, result=text))
    assert (case.actual_output, case.framework) == (None, "qwen-code")
    assert (case.outcome.success, case.outcome.decided_by, case.outcome.reason) == (
        *(False, "qwen-code", text),
    )


def test_broken_lines_are_reported_in_their_place() -> None:
    good = json.dumps(line("user", "Go", 1)).encode()
    broken = recording(good + b"\n{broken\n[1]\n", "run.jsonl")
    assert [problem.split(":")[1] for problem in problems(CLAUDE_CODE, broken)] == ["2", "3"]
    assert sum(not isinstance(item, Unreadable) for item in CLAUDE_CODE.read(broken)) == 1


@pytest.mark.parametrize(("kind", "key"), SIDE_LINES)
def test_lines_beside_the_messages_tell_the_format(kind: str, key: str) -> None:
    lines = recording(({"type": kind, key: {}},))
    assert CLAUDE_CODE.recognise(lines) == 0.8
    assert read(CLAUDE_CODE, lines) == []


@pytest.mark.parametrize(("key", "scale"), DURATIONS)
def test_every_duration(key: str, scale: float) -> None:
    done = line("user", [result("a", "x")], 2, toolUseResult={key: 3 * scale})
    assert run_of(said("m", use("a"), 1), done).calls[0].execution_time == 3.0


def test_recorded_sessions_have_the_published_counts(shared: Callable[..., Path]) -> None:
    root = shared("data", "coding-agent-sessions")
    counts: Counter[tuple[str, str]] = Counter()
    runs: set[str | None] = set()
    for path in sorted(root.rglob("*.jsonl")):
        found = Recording(FilePlace(path))
        if not CLAUDE_CODE.recognise(found):
            continue
        case = read_one(CLAUDE_CODE, found)
        folder = path.relative_to(root).parts[0]
        top = [call for call in case.calls if call.parent_id is None]
        counts[folder, "calls"] += len(top)
        counts[folder, "errors"] += sum(call.reported_success is False for call in top)
        counts["all", "nested"] += len(case.calls) - len(top)
        runs.add(case.run_id)
    assert counts == {
        ("spotter", "calls"): 1136,
        ("spotter", "errors"): 59,
        ("claude-reliability", "calls"): 61,
        ("claude-reliability", "errors"): 1,
        ("codemie", "calls"): 261,
        ("codemie", "errors"): 10,
        # One session's sub-agent has no file of its own.
        ("all", "nested"): 9,
    }
    # 47 files are counted there; 7 of them are Codex rollouts and what a test expects.
    assert len(runs) == 40


def fixtures(shared: Callable[..., Path]) -> Path:
    codemie = shared("data", "coding-agent-sessions", "codemie")
    return codemie / "tests" / "integration" / "session" / "fixtures" / "claude"


def test_tools_and_tokens_agree_with_the_metrics_recorded_beside(
    shared: Callable[..., Path],
) -> None:
    folder = fixtures(shared)
    texts = (folder / "expected-metrics.jsonl").read_text().splitlines()
    records = [json.loads(text) for text in texts]
    session = records[0]["agentSessionId"]
    path = folder / "-tmp-private" / f"{session}.jsonl"
    case: Any = read_one(CLAUDE_CODE, Recording(FilePlace(path)))
    expected: Counter[str] = Counter()
    for record in records:
        expected.update(record["tools"])
    assert Counter(call.tool for call in case.calls) == expected
    failures = (r["toolStatus"][tool]["failure"] for r in records for tool in r["tools"])
    assert sum(failures) == sum(not call.success for call in case.calls) == 0
    assert records[0]["userPrompts"][0]["text"] == case.input
    # There each line counts; lines of one reply share their cache, and the last has its output.
    replies = {
        (r["tokens"].get("cacheCreation"), r["tokens"].get("cacheRead")): r["tokens"]
        for r in records
        if r["models"] == [case.model]
    }
    assert case.usage.output_tokens == sum(tokens["output"] for tokens in replies.values())
    assert case.usage.input_tokens == sum(tokens["input"] for tokens in replies.values())


@pytest.mark.parametrize("name", ["incremental-simple", "incremental-subagents"])
def test_questions_and_answers_agree_with_the_conversation_recorded_beside(
    shared: Callable[..., Path], name: str
) -> None:
    folder = fixtures(shared) / name
    texts = (folder / "expected-conversation.jsonl").read_text().splitlines()
    turns = [turn for text in texts for turn in json.loads(text)["payload"]["history"]]
    case: Any = read_one(CLAUDE_CODE, Recording(FilePlace(folder / "turn-2.jsonl")))
    asked = [turn["message"] for turn in turns if turn["role"] == "User"]
    heard = [turn["content"] for turn in case.conversation_history if turn["role"] == "user"]
    assert heard == asked
    assert case.actual_output == turns[-1]["message"]


def test_a_stream_that_begins_with_many_hooks_is_known() -> None:
    hook = {"type": "system", "subtype": "hook_started", "hook_event": "SessionStart"}
    told = {"session_id": "s", "parent_tool_use_id": None}
    reply = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "Hello."}]}
    lines = (*[{**hook, "session_id": "s"}] * 30, {"type": "assistant", "message": reply, **told})
    assert CLAUDE_CODE.recognise(recording(lines)) == 0.8
    assert read_one(CLAUDE_CODE, recording(lines)).actual_output == "Hello."


SDK_HEAD = {"subtype": "init", "data": {"type": "system", "subtype": "init", "session_id": "s1"}}
SDK_LINES: tuple[dict[str, Any], ...] = (
    {"content": "Weather?", "uuid": None, "parent_tool_use_id": None},
    {
        "content": [
            {"thinking": "hm", "signature": "x"},
            {"text": "I look."},
            {"id": "t1", "name": "Bash", "input": {"command": "ls"}},
        ],
        "model": "m1",
        "parent_tool_use_id": None,
        "error": None,
    },
    {
        "content": [{"tool_use_id": "t1", "content": "boom", "is_error": True}],
        "parent_tool_use_id": None,
    },
    {"content": [{"text": "Done."}], "model": "m1", "parent_tool_use_id": None},
    {
        "subtype": "success",
        "duration_ms": 5,
        "is_error": False,
        "num_turns": 2,
        "session_id": "s1",
        "total_cost_usd": 0.01,
        "usage": {"input_tokens": 5, "output_tokens": 3},
        "result": "Done.",
    },
)


@pytest.mark.parametrize("recorded", [(SDK_HEAD, *SDK_LINES), SDK_LINES, [*SDK_LINES]])
def test_messages_that_pythons_sdk_held(recorded: Any) -> None:
    made_up = recording(recorded)
    assert CLAUDE_CODE.recognise(made_up) == 1.0
    run = read_one(CLAUDE_CODE, made_up)
    assert (run.input, run.actual_output, run.model) == ("Weather?", "Done.", "m1")
    assert run.session_id == "s1"
    (call,) = run.calls
    assert (call.tool, call.parameters, call.result) == ("Bash", {"command": "ls"}, "boom")
    assert call.reported_success is False
    assert run.usage == Usage(input_tokens=5, output_tokens=3, cost_usd=0.01)
