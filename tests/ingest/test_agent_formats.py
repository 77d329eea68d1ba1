"""What holds for every format of agents and logs: names, manners, and keeping to its own files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ingest.reading import recording

from assay.ingest.adk import ADK
from assay.ingest.agentdojo import AGENTDOJO
from assay.ingest.agno import AGNO
from assay.ingest.atif import ATIF
from assay.ingest.browser_use import BROWSER_USE
from assay.ingest.claude_code import CLAUDE_CODE
from assay.ingest.codex_cli import CODEX_CLI
from assay.ingest.continue_sessions import CONTINUE
from assay.ingest.dify import DIFY
from assay.ingest.documents import Unreadable
from assay.ingest.droid import DROID
from assay.ingest.gemini_cli import GEMINI_CLI
from assay.ingest.generic import GENERIC
from assay.ingest.inspect_log import INSPECT
from assay.ingest.kimi_cli import KIMI_CLI
from assay.ingest.langchain import LANGCHAIN
from assay.ingest.librechat import LIBRECHAT
from assay.ingest.openclaw import OPENCLAW
from assay.ingest.openhands import OPENHANDS
from assay.ingest.pi import PI
from assay.ingest.recording import FilePlace, Format, Recording
from assay.ingest.swe_agent import SWE_AGENT
from assay.ingest.toolbench import TOOLBENCH
from assay.ingest.trae_agent import TRAE_AGENT
from assay.ingest.voice_calls import VOICE_CALLS
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Example(NamedTuple):
    """A format and a small recording of it; a tuple is a file of lines."""

    reader: Format
    value: Any


USED = {"type": "tool_use", "id": "a", "name": "Bash", "input": {"command": "ls", "prompt": "p"}}
CALLED = {"id": "a", "function": {"name": "ls", "arguments": "{}"}}
EXAMPLES = {
    "claude-code": Example(
        CLAUDE_CODE,
        (
            {"type": "user", "sessionId": "s", "uuid": "1", "message": {"content": "Hi"}},
            {
                "type": "assistant",
                "sessionId": "s",
                "uuid": "2",
                "message": {"id": "m", "content": [USED], "usage": {"input_tokens": 1}},
            },
            {
                "type": "user",
                "sessionId": "s",
                "isSidechain": True,
                "uuid": "3",
                "parentUuid": "2",
                "toolUseResult": {"agentId": "x", "durationMs": 1},
                "message": {
                    "content": [{"type": "tool_result", "tool_use_id": "a", "is_error": True}]
                },
            },
        ),
    ),
    "codex-cli": Example(
        CODEX_CLI,
        (
            {"type": "session_meta", "timestamp": 1, "payload": {"id": "s", "instructions": "x"}},
            {"type": "event_msg", "payload": {"type": "user_message", "message": "Hi"}},
            {
                "type": "response_item",
                "payload": {
                    "type": "function_call",
                    "name": "f",
                    "call_id": "a",
                    "arguments": "{}",
                },
            },
            {
                "type": "event_msg",
                "payload": {
                    "type": "mcp_tool_call_end",
                    "call_id": "a",
                    "duration": {"secs": 1, "nanos": 2},
                    "result": {"Ok": {"content": [], "isError": True}},
                },
            },
            {
                "type": "event_msg",
                "payload": {
                    "type": "token_count",
                    "info": {"total_token_usage": {"input_tokens": 1}},
                },
            },
        ),
    ),
    "gemini-cli": Example(
        GEMINI_CLI,
        {
            "sessionId": "s",
            "projectHash": "h",
            "messages": [
                {
                    "id": "1",
                    "type": "gemini",
                    "content": "x",
                    "tokens": {"input": 1},
                    "thoughts": [{"description": "d"}],
                    "toolCalls": [
                        {
                            "id": "a",
                            "name": "f",
                            "args": {},
                            "status": "error",
                            "timestamp": "2026-01-01T00:00:00Z",
                            "result": [{"functionResponse": {"response": {"error": "e"}}}],
                        }
                    ],
                }
            ],
        },
    ),
    "inspect": Example(
        INSPECT,
        {
            "version": 2,
            "eval": {"task": "t", "model": "m"},
            "samples": [
                {
                    "id": 1,
                    "epoch": 1,
                    "attachments": {"h": "x"},
                    "messages": [
                        {"role": "assistant", "content": "x", "tool_calls": [{"id": "a"}]},
                        {"role": "tool", "tool_call_id": "a", "error": {"type": "timeout"}},
                    ],
                    "events": [
                        {"event": "model", "tools": [{"name": "f"}], "input_refs": [[0, 1]]},
                        {"event": "span_begin", "id": "s", "parent_id": "p"},
                        {"event": "tool", "id": "b", "agent_span_id": "p", "events": [{}]},
                    ],
                    "output": {"choices": [{"message": {"content": "x"}}]},
                    "scores": {"s": {"value": "C"}},
                    "model_usage": {"m": {"input_tokens": 1}},
                }
            ],
        },
    ),
    "langchain": Example(
        LANGCHAIN,
        {
            "values": {
                "messages": [
                    {"lc": 1, "id": ["HumanMessage"], "kwargs": {"content": "x"}},
                    {
                        "type": "ai",
                        "content": "x",
                        "tool_calls": [{"name": "f", "args": {}, "id": "a"}],
                        "additional_kwargs": {"tool_calls": [CALLED]},
                        "usage_metadata": {"input_tokens": 1, "input_token_details": {}},
                        "response_metadata": {"model_name": "m"},
                    },
                    {"type": "tool", "content": "x", "tool_call_id": "a", "status": "error"},
                ]
            },
            "config": {"configurable": {"thread_id": "t"}},
        },
    ),
    "google-adk": Example(
        ADK,
        {
            "id": "s",
            "app_name": "a",
            "events": [
                {
                    "author": "a",
                    "content": {"parts": [{"function_call": {"name": "f", "args": {}}}]},
                    "usage_metadata": {"prompt_token_count": 1},
                    "timestamp": 1.0,
                },
                {"author": "a", "content": {"parts": [{"function_response": {"name": "f"}}]}},
            ],
        },
    ),
    "google-adk set": Example(
        ADK,
        {
            "eval_cases": [
                {
                    "eval_id": "e",
                    "conversation": [
                        {
                            "user_content": {"parts": [{"text": "x"}]},
                            "intermediate_data": {"tool_uses": [{"name": "f", "args": {}}]},
                        }
                    ],
                }
            ]
        },
    ),
    "google-adk test": Example(
        ADK, [{"query": "q", "expected_tool_use": [{"tool_name": "f", "tool_input": {}}]}]
    ),
    "atif": Example(
        ATIF,
        {
            "schema_version": "ATIF-v1.7",
            "agent": {"name": "a", "tool_definitions": [{"name": "f"}]},
            "steps": [
                {
                    "source": "agent",
                    "message": "x",
                    "tool_calls": [{"tool_call_id": "a", "function_name": "f", "arguments": {}}],
                    "observation": {
                        "results": [
                            {
                                "source_call_id": "a",
                                "content": "x",
                                "subagent_trajectory_ref": [{"trajectory_id": "t"}],
                                "extra": {"is_error": True},
                            }
                        ]
                    },
                    "metrics": {"prompt_tokens": 1},
                }
            ],
            "subagent_trajectories": [
                {"trajectory_id": "t", "steps": [{"tool_calls": [{"function_name": "g"}]}]}
            ],
            "final_metrics": {"total_prompt_tokens": 1},
        },
    ),
    "openhands": Example(
        OPENHANDS,
        [
            {
                "id": 1,
                "source": "agent",
                "action": "run",
                "args": {"command": "ls", "thought": "t"},
                "tool_call_metadata": {
                    "tool_call_id": "a",
                    "function_name": "f",
                    "model_response": {
                        "id": "r",
                        "choices": [{"message": {"tool_calls": [CALLED]}}],
                        "usage": {"prompt_tokens": 1},
                    },
                },
            },
            {"source": "agent", "observation": "run", "cause": 1, "extras": {"exit_code": 1}},
            {"source": "agent", "action": "finish", "args": {}},
        ],
    ),
    "openhands kinds": Example(
        OPENHANDS,
        [
            {
                "kind": "ActionEvent",
                "source": "agent",
                "tool_call_id": "a",
                "tool_call": CALLED,
                "action": {"kind": "FinishAction", "message": "x"},
                "thought": [{"text": "x"}],
            },
            {"kind": "ObservationEvent", "tool_call_id": "a", "observation": {"is_error": True}},
            {"kind": "MessageEvent", "source": "user", "llm_message": {"content": "x"}},
        ],
    ),
    "swe-agent": Example(
        SWE_AGENT,
        {
            "trajectory": [{"action": "ls", "observation": "x", "execution_time": 1.0}],
            "history": [{"role": "assistant", "action": "ls", "tool_calls": [CALLED]}],
            "info": {"submission": "d", "model_stats": {"tokens_sent": 1}, "config": {"agent": {}}},
        },
    ),
    "mini-swe-agent": Example(
        SWE_AGENT,
        {
            "trajectory_format": "mini-swe-agent-1.1",
            "messages": [
                {"role": "assistant", "tool_calls": [CALLED], "extra": {"actions": [{}]}},
                {"role": "tool", "content": "x", "extra": {"returncode": 1}},
            ],
            "info": {"model_stats": {"instance_cost": 1.0}},
        },
    ),
    "openclaw": Example(
        OPENCLAW,
        (
            {"type": "tool.start", "sessionKey": "s", "toolName": "f", "params": {}},
            {"type": "tool.end", "sessionKey": "s", "toolName": "f", "success": False},
            {
                "type": "agent.end",
                "sessionKey": "e",
                "messages": [
                    {
                        "role": "assistant",
                        "content": [{"type": "toolCall", "id": "a", "name": "f"}],
                        "usage": {"input": 1, "cost": {"total": 1.0}},
                    },
                    {"role": "toolResult", "toolCallId": "a", "details": {"exitCode": 1}},
                ],
            },
        ),
    ),
    "browser-use": Example(
        BROWSER_USE,
        {
            "history": [
                {
                    "model_output": {"memory": "m", "action": [{"click": {"index": 1}}]},
                    "result": [{"error": "gone", "judgement": {"verdict": False}}],
                    "state": {"url": "u"},
                    "metadata": {"step_start_time": 1.0, "step_end_time": 2.0},
                }
            ]
        },
    ),
    "voice-calls": Example(
        VOICE_CALLS,
        {
            "conversation_id": "c",
            "transcript": [
                {
                    "role": "agent",
                    "message": "m",
                    "time_in_call_secs": 1,
                    "tool_calls": [{"tool_name": "f", "request_id": "r", "params_as_json": "{}"}],
                    "tool_results": [{"request_id": "r", "result_value": "x", "is_error": True}],
                    "llm_usage": {"model_usage": {"m": {"input": {"tokens": 1}}}},
                }
            ],
            "metadata": {"start_time_unix_secs": 1, "call_duration_secs": 1},
            "analysis": {"call_successful": "failure"},
        },
    ),
    "trae-agent": Example(
        TRAE_AGENT,
        {
            "task": "t",
            "end_time": "2026-01-01T00:00:00",
            "success": False,
            "llm_interactions": [{"response": {"usage": {"input_tokens": 1}}}],
            "agent_steps": [
                {
                    "llm_messages": [{"role": "user", "content": "t"}],
                    "llm_response": {"content": "w"},
                    "tool_calls": [{"call_id": "a", "name": "f", "arguments": {}}],
                    "tool_results": [{"call_id": "a", "success": False, "error": "no"}],
                }
            ],
        },
    ),
    "kimi-cli": Example(
        KIMI_CLI,
        (
            {
                "timestamp": 1.0,
                "message": {
                    "type": "ToolCall",
                    "payload": {"id": "a", "function": {"name": "f", "arguments": "{}"}},
                },
            },
            {
                "timestamp": 2.0,
                "message": {
                    "type": "ToolResult",
                    "payload": {"tool_call_id": "a", "return_value": {"is_error": True}},
                },
            },
            {"message": {"type": "StatusUpdate", "payload": {"token_usage": {"output": 1}}}},
        ),
    ),
    "droid": Example(
        DROID,
        (
            {"type": "session_start", "id": "s", "title": "t"},
            {
                "type": "message",
                "timestamp": 1.0,
                "message": {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "a", "name": "f", "input": {}}],
                },
            },
            {
                "type": "message",
                "message": {
                    "role": "user",
                    "content": [{"type": "tool_result", "tool_use_id": "a", "is_error": True}],
                },
            },
            {"type": "tool_call", "id": "b", "toolName": "f", "parameters": {}},
            {"type": "tool_result", "id": "b", "isError": True, "value": "x"},
        ),
    ),
    "toolbench": Example(
        TOOLBENCH,
        {
            "trys": [
                {
                    "chain": [
                        {"node_type": "Action", "description": "f"},
                        {"node_type": "Action Input", "description": "{}", "observation_code": 1},
                    ]
                }
            ],
            "answer_generation": {"query": "q", "final_answer": "a", "function": []},
        },
    ),
    "agentdojo": Example(
        AGENTDOJO,
        {
            "suite_name": "s",
            "pipeline_name": "p",
            "user_task_id": "u",
            "utility": False,
            "messages": [
                {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [{"function": "f", "args": {}, "id": "a"}],
                },
                {"role": "tool", "content": [], "tool_call_id": "a", "error": "no"},
            ],
        },
    ),
    "agno": Example(
        AGNO,
        {
            "run_id": "r",
            "agent_id": "a",
            "content": "c",
            "status": "ERROR",
            "messages": [
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
                },
                {"role": "tool", "tool_call_id": "a", "content": "x", "tool_call_error": True},
            ],
            "tools": [{"tool_call_id": "a", "tool_name": "f", "metrics": {"duration": 1.0}}],
            "metrics": {"input_tokens": 1, "cost": 1.0},
        },
    ),
    "dify": Example(
        DIFY,
        {
            "id": "m",
            "conversation_id": "c",
            "query": "q",
            "answer": "a",
            "status": "error",
            "created_at": 1,
            "agent_thoughts": [
                {"position": 1, "tool": "f", "tool_input": '{"f": {}}', "observation": "x"}
            ],
        },
    ),
    "librechat": Example(
        LIBRECHAT,
        [
            {"messageId": "1", "parentMessageId": "0", "isCreatedByUser": True, "text": "q"},
            {
                "messageId": "2",
                "parentMessageId": "1",
                "isCreatedByUser": False,
                "error": True,
                "content": [
                    {"type": "tool_call", "tool_call": {"id": "t", "name": "f", "args": "{}"}}
                ],
            },
        ],
    ),
    "continue": Example(
        CONTINUE,
        {
            "sessionId": "s",
            "history": [
                {
                    "message": {"role": "assistant", "content": ""},
                    "toolCallStates": [
                        {
                            "toolCallId": "a",
                            "toolCall": {"id": "a", "function": {"name": "f", "arguments": "{}"}},
                            "status": "errored",
                            "output": [{"content": "x"}],
                        }
                    ],
                    "promptLogs": [{"modelTitle": "m"}],
                }
            ],
            "usage": {"promptTokens": 1, "totalCost": 1.0},
        },
    ),
    "pi": Example(
        PI,
        (
            {"type": "session", "id": "s", "timestamp": "2026-01-01T00:00:00Z"},
            {
                "type": "message",
                "id": "a",
                "parentId": None,
                "message": {
                    "role": "assistant",
                    "content": [{"type": "toolCall", "id": "c", "name": "f", "arguments": {}}],
                    "stopReason": "error",
                    "usage": {"input": 1, "cost": {"total": 1.0}},
                },
            },
            {
                "type": "message",
                "id": "b",
                "parentId": "a",
                "message": {"role": "toolResult", "toolCallId": "c", "isError": True},
            },
            {"type": "compaction", "id": "d", "parentId": "b", "summary": "x"},
        ),
    ),
    "generic": Example(
        GENERIC,
        {
            "turns": [
                {"speaker": "human", "text": "x"},
                {"speaker": "bot", "text": "x", "calls": [{"name": "f", "args": {}, "id": "a"}]},
                {"call_id": "a", "result": {"output": "x", "isError": True}},
            ],
            "tools": [{"name": "f", "input_schema": {"properties": {}}}],
            "score": 1,
        },
    ),
}
FORMATS = {example.reader.name: example.reader for example in EXAMPLES.values()}
OWN = [reader for reader in FORMATS.values() if reader is not GENERIC]
# What may stand where something else belongs.
MISPLACED: tuple[Any, ...] = (None, True, -1, 1.5, "", "x", [], {}, [None], [[]], [{}], {"a": [1]})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every part of a value."""
    yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if _many(value) else ()
    for key, item in inner:
        yield from places(item, (*path, key))


def _many(value: Any) -> bool:
    return isinstance(value, list | tuple)


def replaced(value: Any, path: tuple[Any, ...], by: Any) -> Any:
    """The value with another one in that place."""
    if not path:
        return by
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = replaced(value[path[0]], path[1:], by)
    return tuple(copy) if isinstance(value, tuple) else copy


def behaves(reader: Format, found: Recording) -> None:
    """A reader is never surer than sure, never raises, and what it reads can be written."""
    assert 0 <= reader.recognise(found) <= 1
    for item in reader.read(found):
        if isinstance(item, AgentTestCase):
            assert AgentTestCase.from_json(item.to_json()) == item
        else:
            assert isinstance(item, Unreadable)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_recording_is_recognised_by_its_format_alone(name: str) -> None:
    reader, value = EXAMPLES[name]
    sure = {f.name: f.recognise(recording(value)) for f in FORMATS.values()}
    assert GENERIC.recognise(recording(value)) <= 0.3
    claims = [f for f, how in sure.items() if how > 0 and f != "generic"]
    assert claims == ([] if reader is GENERIC else [reader.name])


@pytest.mark.parametrize("name", EXAMPLES)
def test_reading_twice_gives_the_same_runs(name: str) -> None:
    reader, value = EXAMPLES[name]
    first = list(reader.read(recording(value)))
    assert first == list(reader.read(recording(value)))
    ids = [case.run_id for case in first if isinstance(case, AgentTestCase)]
    assert all(ids)
    assert len(set(ids)) == len(ids) > 0


@pytest.mark.parametrize("name", EXAMPLES)
def test_anything_may_stand_anywhere(name: str) -> None:
    reader, value = EXAMPLES[name]
    for path in places(value):
        for misplaced in MISPLACED:
            behaves(reader, recording(replaced(value, path, misplaced), "log.json"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.floats(-1, 1) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=10,
)


@given(value=JSON)
def test_no_format_claims_or_breaks_on_arbitrary_json(value: Any) -> None:
    for reader in FORMATS.values():
        assert reader.recognise(recording(value)) == 0
        behaves(reader, recording(value))


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\x00\xff\xfe", b"{", b"PK\x03\x04", b"null"])
@pytest.mark.parametrize("reader", FORMATS.values(), ids=FORMATS.keys())
def test_files_that_hold_nothing(reader: Format, content: bytes) -> None:
    found = recording(content, "log.jsonl")
    assert reader.recognise(found) == 0
    assert all(isinstance(item, Unreadable) for item in reader.read(found))


@pytest.mark.parametrize("reader", FORMATS.values(), ids=FORMATS.keys())
def test_every_format_says_what_it_is_and_what_it_cannot_say(reader: Format) -> None:
    assert reader.name == reader.name.lower().strip()
    assert reader.title
    assert reader.fidelity.endswith(".")
    assert len(reader.fidelity) > 60


# Which files of the recorded data are whose; every other file there is nobody's of these.
OWNERS = {
    "claude-code": ("coding-agent-sessions", 40),
    "codex-cli": ("coding-agent-sessions", 5),
    "gemini-cli": ("coding-agent-sessions", 3),
    "inspect": ("inspect-logs", 26),
    "openclaw": ("inspect-logs", 2),
    "google-adk": ("google-adk", 32),
    "atif": ("atif", 25),
    "openhands": ("openhands-events", 4),
    "swe-agent": ("swe-agent", 24),
    "kimi-cli": ("coding-agent-sessions", 2),
}


def test_recorded_files_are_recognised_by_one_format_each(shared: Callable[..., Path]) -> None:
    root = shared("data")
    claims: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*.*")):
        if path.suffix in {".json", ".jsonl", ".eval", ".traj"}:
            found = Recording(FilePlace(path))
            assert GENERIC.recognise(found) <= 0.3
            sure = [reader.name for reader in OWN if reader.recognise(found) > 0]
            assert len(sure) <= 1, path
            for name in sure:
                claims.setdefault(name, []).append(path.relative_to(root).parts[0])
    counted = {name: (folders[0], len(folders)) for name, folders in claims.items()}
    assert counted == OWNERS
    assert all(len(set(folders)) == 1 for folders in claims.values())
