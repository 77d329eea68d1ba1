"""The readers of chats and benchmarks together: none takes another's file, none breaks."""

from __future__ import annotations

import copy
import json
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.conftest import shared_path
from tests.ingest.reading import recording

from assay.ingest.anthropic_messages import ANTHROPIC_MESSAGES
from assay.ingest.bfcl import BFCL
from assay.ingest.documents import Unreadable
from assay.ingest.managed_agents import MANAGED_AGENTS
from assay.ingest.mcp_bench import MCP_BENCH
from assay.ingest.mcpmark import MCPMARK
from assay.ingest.native import NATIVE
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.ingest.openai_responses import OPENAI_RESPONSES
from assay.ingest.recording import FilePlace, Format, Recording
from assay.ingest.tau2 import TAU2
from assay.ingest.tau_bench import TAU_BENCH
from assay.ingest.toolgym import TOOLGYM
from assay.test_case import AgentTestCase

FORMATS = (
    ANTHROPIC_MESSAGES,
    BFCL,
    MANAGED_AGENTS,
    MCPMARK,
    MCP_BENCH,
    NATIVE,
    OPENAI_CHAT,
    OPENAI_RESPONSES,
    TAU2,
    TAU_BENCH,
    TOOLGYM,
)
CHAT: list[Any] = [
    {"role": "user", "content": "go"},
    {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f"}}]},
    {"role": "tool", "tool_call_id": "a", "content": "x"},
]
BLOCKS: list[Any] = [
    {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "t", "input": {}}]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "x"}]},
]
ITEMS: list[Any] = [
    {"role": "user", "content": "go"},
    {"type": "reasoning", "summary": [{"text": "hm"}]},
    {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "a", "output": "x"},
    {"type": "mcp_call", "id": "b", "name": "g", "server_label": "s", "error": {"message": "no"}},
    {"type": "web_search_call", "id": "c", "action": {"query": "q"}, "status": "completed"},
]
META = {
    "task_name": "t",
    "model_name": "m",
    "mcp": "s",
    "time": {"start": "2025-01-01T00:00:00"},
    "execution_result": {"success": True},
    "token_usage": {"input_tokens": 1},
}
CALL = {"server": "s", "tool": "t", "arguments": {"a": 1}, "result": "x", "status": "success"}
TRACE = [
    {"type": "thought", "content": "hm"},
    {"type": "action", "content": "Using tool `t` in server `s`"},
    {"type": "action input", "content": "{'a': 1}"},
    {"type": "result", "content": "x"},
]


class Sample(NamedTuple):
    """A small file of one format."""

    format: Format
    value: Any
    name: str = "log.json"
    beside: Any = None

    def recording(self, value: Any) -> Recording:
        return recording(value, self.name, self.beside)


SAMPLES = (
    Sample(OPENAI_CHAT, CHAT),
    Sample(OPENAI_CHAT, {"messages": CHAT, "tools": [], "model": "m", "usage": {}}),
    Sample(ANTHROPIC_MESSAGES, {"system": "s", "messages": BLOCKS, "tools": [{"name": "t"}]}),
    Sample(OPENAI_RESPONSES, ITEMS),
    Sample(OPENAI_RESPONSES, {"object": "response", "output": ITEMS, "tools": [{"type": "mcp"}]}),
    Sample(MCPMARK, ITEMS, "run-1/messages.json", {"meta.json": META}),
    Sample(MCPMARK, META, "run-1/meta.json"),
    Sample(
        MCPMARK, {"model": "m", "service": "s", "task": "t", "runs": {"run-1": {"success": True}}}
    ),
    Sample(
        TAU_BENCH,
        [
            {
                "task_id": 1,
                "reward": 1.0,
                "traj": CHAT,
                "trial": 0,
                "info": {"task": {"actions": [{"name": "f", "kwargs": {}}]}, "reward_info": {}},
            }
        ],
    ),
    Sample(
        TAU2,
        {
            "info": {"agent_info": {"llm": "m"}, "environment_info": {"domain_name": "d"}},
            "tasks": [{"id": "1", "evaluation_criteria": {"actions": [{"name": "f"}]}}],
            "simulations": [
                {
                    "id": "i",
                    "task_id": "1",
                    "trial": 0,
                    "reward_info": {"reward": 1.0},
                    "messages": [
                        {"role": "user", "content": "go", "tool_calls": [{"id": "u", "name": "g"}]},
                        {"role": "assistant", "tool_calls": [{"id": "a", "name": "f"}]},
                        {"role": "tool", "id": "a", "content": "x", "error": False},
                        {"role": "tool", "id": "u", "requestor": "user", "content": "y"},
                    ],
                }
            ],
        },
    ),
    Sample(
        MANAGED_AGENTS,
        [
            {"type": "user.message", "content": [{"type": "text", "text": "go"}]},
            {"type": "agent.tool_use", "id": "a", "name": "t", "input": {}},
            {"type": "agent.tool_result", "tool_use_id": "a", "content": "x", "is_error": False},
            {"type": "user.tool_confirmation", "tool_use_id": "a", "result": "allow"},
            {"type": "span.model_request_end", "model_usage": {"input_tokens": 1}},
        ],
    ),
    Sample(
        MCP_BENCH,
        {
            "task_run_results": {
                "m": [
                    {
                        "task_id": "t",
                        "execution_results": [
                            {"tool": "t", "success": True, "inner_tool_calls": [{"tool": "i"}]}
                        ],
                    }
                ]
            }
        },
    ),
    Sample(
        TOOLGYM,
        {
            "metadata": {"query": "q", "model": "m", "timestamp": "2025-01-01T00:00:00"},
            "reasoning_trace": [*TRACE, *TRACE],
            "execution": {"final_response": "r", "tool_calls": [CALL]},
        },
    ),
    Sample(
        TOOLGYM,
        {
            "metadata": {"agent_model": "m", "seed_query": "q", "goal_achieved": True},
            "turns": [{"query": "q", "agent_response": "r", "tool_calls": [CALL]}],
        },
    ),
    Sample(BFCL, {"id": "simple_0", "result": [{"f": '{"a": 1}'}]}),
    Sample(BFCL, {"accuracy": 1.0, "correct_count": 1, "total_count": 1}, "s_score.json"),
)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format.name)
def test_a_file_is_claimed_by_its_own_format_alone(sample: Sample) -> None:
    if sample.format is MANAGED_AGENTS:
        sample = sample._replace(value=tuple(sample.value), name="log.jsonl")
    found = {f.name: f.recognise(sample.recording(sample.value)) for f in FORMATS}
    own = found.pop(sample.format.name)
    assert own >= 0.8
    assert max(found.values()) < own


ODDITIES: tuple[Any, ...] = (
    *(None, True, 0, -1, 1e308, "", "text", "2025"),
    *([], {}, [[]], [None], [{}], {"type": []}, {"a": {}}),
)
BROKEN = (b"", b"   \n", b"{", b'{"a": NaN}', b"\xff\xfe", b"[[[[", b"null")


def places_in(value: Any) -> list[tuple[Any, Any]]:
    """Every container of a value with every key in it."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, item in items:
        found.append((value, key))
        if isinstance(item, dict | list):
            found.extend(places_in(item))
    return found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.format.name)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_no_value_is_too_odd_to_be_read(sample: Sample, data: st.DataObject) -> None:
    value = copy.deepcopy(sample.value)
    for _ in range(data.draw(st.integers(1, 3))):
        places = places_in(value)
        if places:
            container, key = places[data.draw(st.integers(0, len(places) - 1))]
            container[key] = copy.deepcopy(data.draw(st.sampled_from(ODDITIES)))
    for found in FORMATS:
        assert 0.0 <= found.recognise(sample.recording(value)) <= 1.0
    for item in sample.format.read(sample.recording(value)):
        written = item.to_dict() if isinstance(item, AgentTestCase) else msgspec.to_builtins(item)
        assert json.dumps(written)


@pytest.mark.parametrize("found", FORMATS, ids=lambda found: found.name)
@pytest.mark.parametrize("text", BROKEN)
def test_no_file_is_too_broken(found: Format, text: bytes) -> None:
    assert found.recognise(recording(text)) == 0.0
    assert [type(item) for item in found.read(recording(text))] in ([Unreadable], [])


# Folders of the shared data to the one format of ours that may claim files in them.
OWNERS = {
    "anthropic-managed-agents": MANAGED_AGENTS,
    "bfcl-2024-08": BFCL,
    "mcp-bench-runs": MCP_BENCH,
    "mcpmark-leaderboard": MCPMARK,
    "mcpmark-postgres": MCPMARK,
    "tau-bench": TAU_BENCH,
    "tau2-bench-runs": TAU2,
}
# Files in others' folders that really are in a format of ours.
STRAYS = {
    "inspect-logs/docent/tb_airline.json": TAU_BENCH,
    "strands-evals-otel-spans/extractors/fixtures/codex_session_rollout.json": OPENAI_RESPONSES,
    "swe-agent/mini/tests/test_data/github_issue.traj.json": OPENAI_CHAT,
    "swe-agent/mini/tests/test_data/local.traj.json": OPENAI_CHAT,
}


def test_nobody_claims_what_others_recorded() -> None:
    data = shared_path("data")
    claimed = dict.fromkeys(OWNERS, 0)
    for path in sorted(data.rglob("*")):
        if not path.is_file():
            continue
        name, folder = str(path.relative_to(data)), path.relative_to(data).parts[0]
        found = Recording(FilePlace(path))
        sure = {f: score for f in FORMATS if (score := f.recognise(found)) > 0.1}
        best = max(sure, key=lambda f: sure[f], default=None)
        owner = STRAYS.get(name) or OWNERS.get(folder)
        assert best in (None, owner), name
        if best is not None and folder in claimed:
            claimed[folder] += 1
    assert claimed == {
        "anthropic-managed-agents": 4,
        "bfcl-2024-08": 240,
        "mcp-bench-runs": 8,
        "mcpmark-leaderboard": 1,
        "mcpmark-postgres": 502,
        "tau-bench": 1,
        "tau2-bench-runs": 6,
    }
