"""Sessions of the Agent Client Protocol become runs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.ingest.reading import read, read_one, recording

from assay.ingest.acp import ACP, CHUNKS, COUNTS, ENDS, METHODS, OPENED, SIDE_UPDATES
from assay.ingest.formats import pick_format
from assay.run import RunOutcome, Usage


def update(named: str, **told: Any) -> dict[str, Any]:
    params = {"sessionId": "s1", "update": {"sessionUpdate": named, **told}}
    return {"jsonrpc": "2.0", "method": "session/update", "params": params}


def words(kind: str, text: str) -> dict[str, Any]:
    return update(kind, content={"type": "text", "text": text})


def shown(text: str) -> list[dict[str, Any]]:
    return [{"type": "content", "content": {"type": "text", "text": text}}]


PROMPT = {
    "jsonrpc": "2.0",
    "id": 3,
    "method": "session/prompt",
    "params": {"sessionId": "s1", "prompt": [{"type": "text", "text": "List the files"}]},
}
BEGUN = update("tool_call", toolCallId="c1", title="Run ls", kind="execute", status="pending")
SENT = update("tool_call_update", toolCallId="c1", status="in_progress", rawInput={"command": "ls"})
DONE = update("tool_call_update", toolCallId="c1", status="completed", content=shown("a.txt"))
ENDED = {"jsonrpc": "2.0", "id": 3, "result": {"stopReason": "end_turn"}}
TOLD: list[dict[str, Any]] = [
    *(PROMPT, words("agent_thought_chunk", "Hm."), words("agent_message_chunk", "I ")),
    *(words("agent_message_chunk", "look."), BEGUN, SENT, DONE),
    *(words("agent_message_chunk", "There is "), words("agent_message_chunk", "a.txt."), ENDED),
]
FORMS = {
    "lines": recording(tuple(TOLD)),
    "envelopes": recording(
        tuple({"ts": 1_767_225_600 + i, "dir": "in", "msg": m} for i, m in enumerate(TOLD))
    ),
    "log": recording("".join(f"acp > {json.dumps(m)}\n" for m in TOLD).encode(), "acp.log"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_session_is_a_run(form: str) -> None:
    assert pick_format(FORMS[form])[0] is ACP
    run = read_one(ACP, FORMS[form])
    (call,) = run.calls
    assert (call.tool, call.parameters, call.result) == ("execute", {"command": "ls"}, "a.txt")
    assert (call.reported_success, call.extra) == (True, {"title": "Run ls"})
    assert (run.input, run.actual_output) == ("List the files", "There is a.txt.")
    assert run.conversation_history == [
        {"role": "user", "content": "List the files"},
        {"role": "assistant", "content": "I look.", "reasoning": "Hm.", "turn": 1},
        {"role": "assistant", "content": "There is a.txt."},
    ]
    assert run.started_at == (1_767_225_600 if form == "envelopes" else None)


@pytest.mark.parametrize("status", ENDS)
def test_how_a_call_ended(status: str) -> None:
    ended = update("tool_call_update", toolCallId="c1", status=status, content=shown("oh"))
    (call,) = read_one(ACP, recording((PROMPT, BEGUN, ended))).calls
    assert (call.reported_success, call.result) == (ENDS[status], "oh")
    assert call.error_message == (None if ENDS[status] else "oh")


def test_what_was_shown_before_a_call_ended_is_its_result() -> None:
    begun = update("tool_call", toolCallId="c1", kind="execute", rawInput="ls")
    seen = update("tool_call_update", toolCallId="c1", content=shown("a.txt"))
    ended = update("tool_call_update", toolCallId="c1", status="completed", rawOutput=None)
    (call,) = read_one(ACP, recording((PROMPT, begun, seen, ended))).calls
    assert (call.parameters, call.result, call.reported_success) == ("ls", "a.txt", True)


def test_an_answer_of_the_editor_ends_no_turn_whatever_its_id() -> None:
    params = {"sessionId": "s1", "toolCall": {"toolCallId": "c1", "kind": "edit"}}
    asked = {"jsonrpc": "2.0", "id": 3, "method": "session/request_permission", "params": params}
    allowed = {"jsonrpc": "2.0", "id": 3, "result": {"outcome": {"outcome": "selected"}}}
    failed = {"jsonrpc": "2.0", "id": 3, "error": {"message": "overloaded"}}
    run = read_one(ACP, recording((PROMPT, asked, allowed, failed)))
    assert run.outcome == RunOutcome(success=False, decided_by="acp", reason="overloaded")


NAMES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"kind": "read"}, "read"),
    ({"kind": "other"}, "Look at it"),
    ({}, "Look at it"),
    ({"kind": "other", "_meta": {"claudeCode": {"toolName": "Bash"}}}, "Bash"),
    ({"_meta": {"toolName": "grep"}}, "grep"),
)


@pytest.mark.parametrize(("told", "tool"), NAMES)
def test_how_a_tool_is_called(told: dict[str, Any], tool: str) -> None:
    begun = update("tool_call", toolCallId="c1", title="Look at it", **told)
    assert [call.tool for call in read_one(ACP, recording((PROMPT, begun))).calls] == [tool]


def test_what_the_user_was_asked_to_allow_is_a_call() -> None:
    told = {"toolCallId": "c1", "kind": "edit", "rawInput": {"path": "a"}}
    params = {"sessionId": "s1", "toolCall": told}
    asked = {"jsonrpc": "2.0", "id": 9, "method": "session/request_permission", "params": params}
    (call,) = read_one(ACP, recording((PROMPT, asked))).calls
    assert (call.tool, call.parameters, call.result) == ("edit", {"path": "a"}, None)


def test_each_session_is_a_run_and_a_failed_prompt_its_outcome() -> None:
    other = json.loads(json.dumps(TOLD).replace('"s1"', '"s2"'))
    failed = {"jsonrpc": "2.0", "id": 3, "error": {"code": -32603, "message": "overloaded"}}
    first, second = read(ACP, recording((*TOLD, *other[:-1], failed)))
    assert first.outcome is None
    assert second.outcome == RunOutcome(success=False, decided_by="acp", reason="overloaded")


def test_every_update_is_known_and_others_are_counted() -> None:
    for kind in (*sorted(SIDE_UPDATES), *CHUNKS):
        assert read_one(ACP, recording((PROMPT, words(kind, "x")))).extra == {}
    odd = read_one(ACP, recording((PROMPT, update("surprise"))))
    assert odd.extra == {"unread_updates": {"surprise": 1}}


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_of_its_own_is_known(method: str) -> None:
    assert ACP.recognise(recording(({"jsonrpc": "2.0", "method": method},))) == 0.95
    assert ACP.recognise(recording(({"jsonrpc": "2.0", "method": "tools/call"},))) == 0.0


def test_answers_and_prompts_without_an_id_do_no_harm() -> None:
    prompt = {key: value for key, value in PROMPT.items() if key != "id"}
    answer = {"jsonrpc": "2.0", "result": {}}
    null = {"jsonrpc": "2.0", "id": None, "error": {"message": "parse error"}}
    run = read_one(ACP, recording((prompt, answer, null)))
    assert (run.input, run.outcome) == ("List the files", None)


def sent(method: str, own: int, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": own, "method": method, "params": {"sessionId": "s1", **params}}


def answered(own: int, **result: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": own, "result": result}


BARE = [{key: value for key, value in told.items() if key != "jsonrpc"} for told in TOLD]
UNWRAPPED = [told["params"] if "update" in told.get("params", {}) else told for told in TOLD]
KEPT_APART = [
    {"timestamp": "2026-01-01T00:00:00Z", "params": told["params"]} if "params" in told else told
    for told in TOLD[1:]
]


@pytest.mark.parametrize("form", [BARE, UNWRAPPED, [TOLD[0], *KEPT_APART]])
def test_loggers_keep_less_than_the_whole_message(form: list[dict[str, Any]]) -> None:
    made_up = recording(tuple(form))
    assert pick_format(made_up)[0] is ACP
    run = read_one(ACP, made_up)
    assert (run.input, run.actual_output) == ("List the files", "There is a.txt.")
    assert [call.result for call in run.calls] == ["a.txt"]


def test_a_result_may_be_plain_text_or_a_change() -> None:
    text = [{"type": "text", "text": "10"}]
    plain = update("tool_call_update", toolCallId="c1", status="completed", content=text)
    change = {"type": "diff", "path": "a", "oldText": "x", "newText": "y"}
    changed = update(
        "tool_call", toolCallId="c2", kind="edit", status="completed", content=[change]
    )
    first, second = read_one(ACP, recording((PROMPT, BEGUN, plain, changed))).calls
    assert (first.result, second.result) == ("10", [change])


def test_what_the_editor_ran_in_a_terminal_is_the_result() -> None:
    in_terminal = [{"type": "terminal", "terminalId": "t1"}]
    log = (
        *(PROMPT, BEGUN, sent("terminal/create", 3, command="ls", args=["-a"])),
        *(answered(3, terminalId="t1"), sent("terminal/output", 4, terminalId="t1")),
        *(answered(4, output="a.txt", truncated=False),),
        update("tool_call_update", toolCallId="c1", status="completed", content=in_terminal),
        ENDED,
    )
    run = read_one(ACP, recording(log))
    (call,) = run.calls
    assert (call.parameters, call.result) == ({"command": "ls", "args": ["-a"]}, "a.txt")


def test_the_server_of_a_tool_is_known_by_its_name() -> None:
    about = {"claudeCode": {"toolName": "mcp__github__search"}}
    begun = update("tool_call", toolCallId="c1", title="Search", _meta=about)
    (call,) = read_one(ACP, recording((PROMPT, begun))).calls
    assert (call.tool, call.server) == ("mcp__github__search", "github")


OPTIONS = [{"id": "model", "category": "model", "currentValue": "m1"}, {"id": "mode"}]


@pytest.mark.parametrize(
    "opening",
    [
        (sent("session/new", 1), answered(1, sessionId="s1", models={"currentModelId": "m1"})),
        (sent("session/new", 1), answered(1, sessionId="s1", configOptions=OPTIONS)),
        (sent("session/set_model", 1, modelId="m1"),),
        (sent("session/set_config_option", 1, configId="model", value="m1"),),
        (update("config_option_update", configOptions=OPTIONS),),
    ],
)
def test_the_model_is_told_when_a_session_is_set_up(opening: tuple[dict[str, Any], ...]) -> None:
    other = sent("session/set_config_option", 2, configId="mode", value="ask")
    assert read_one(ACP, recording((*opening, other, *TOLD))).model == "m1"


def test_a_session_in_which_nobody_spoke_is_no_run() -> None:
    unused = (sent("session/new", 1), answered(1, sessionId="s9", models={}))
    assert len(read(ACP, recording((*unused, *TOLD)))) == 1
    assert {"session/new", "session/load", "session/resume"} == OPENED


def test_what_is_told_again_when_a_session_is_opened_again_counts_once() -> None:
    again = [told for told in TOLD if told.get("method") == "session/update"]
    log = (*TOLD, sent("session/load", 7), *again, answered(7, models={}))
    run = read_one(ACP, recording((*log, PROMPT, words("agent_message_chunk", "More."))))
    assert (len(run.calls), run.actual_output) == (1, "More.")
    alone = (sent("session/load", 7), *again)
    assert len(read_one(ACP, recording(alone)).calls) == 1


@pytest.mark.parametrize(("theirs", "ours"), COUNTS)
def test_every_count_of_tokens(theirs: str, ours: str) -> None:
    ended = answered(3, stopReason="end_turn", usage={"inputTokens": 5, theirs: 2})
    fields = {
        "cacheReadTokens": Usage(5, cache_read_tokens=2),
        "cacheWriteTokens": Usage(5, cache_write_tokens=2),
        "reasoning_tokens": Usage(5, reasoning_tokens=2),
    }
    assert read_one(ACP, recording((*TOLD[:-1], ended))).usage == fields[ours]


def test_costs_are_told_on_the_way() -> None:
    told = update("usage_update", used=1, size=2, cost={"amount": 0.5, "currency": "USD"})
    silent = update("usage_update", used=1, size=2, cost={"currency": "USD"})
    assert read_one(ACP, recording((*TOLD, told))).usage == Usage(cost_usd=0.5)
    assert read_one(ACP, recording((*TOLD, told, silent))).usage == Usage(cost_usd=0.5)


def test_files_in_a_prompt() -> None:
    linked = {"type": "resource_link", "uri": "file:///a", "name": "a"}
    held = {"type": "resource", "resource": {"uri": "file:///b", "text": "code"}}
    prompt = sent("session/prompt", 3, prompt=[{"type": "text", "text": "Fix"}, linked, held])
    run = read_one(ACP, recording((prompt, *TOLD[1:])))
    assert run.input == "Fix\n@file:///a\n@file:///b"
    assert (run.conversation_history or [])[1] == {"role": "system", "content": "code"}
