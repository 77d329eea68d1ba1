"""Whatever stands in a place of a recording, its reader reports it and goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import recording
from tests.ingest.test_a2a import TASK
from tests.ingest.test_acp import TOLD
from tests.ingest.test_ag2 import CHAT as AG2_CHAT
from tests.ingest.test_ag2 import EVENTS as AG2_EVENTS
from tests.ingest.test_chat_exports import CHAT as CHATGPT_CHAT
from tests.ingest.test_chat_exports import TALK as CLAUDE_TALK
from tests.ingest.test_cline_sessions import PRINTED as CLINE_PRINTED
from tests.ingest.test_cline_sessions import SESSION as CLINE_SESSION
from tests.ingest.test_crewai_events import EVENTS as CREW_EVENTS
from tests.ingest.test_dspy_history import HISTORY
from tests.ingest.test_function_calling import ROW as XLAM_ROW
from tests.ingest.test_function_calling import TALK as TOOLACE_TALK
from tests.ingest.test_generic import CHAT
from tests.ingest.test_langchain import BEGUN, ENDED, INNER, KEPT, PIECES, SAID, UPDATES
from tests.ingest.test_litellm_logs import ROWS as LITELLM_ROWS
from tests.ingest.test_llama_events import EVENTS as LLAMA_TOLD
from tests.ingest.test_mixed_traffic import CHAT as EXCHANGE
from tests.ingest.test_n8n import EXECUTION
from tests.ingest.test_open_webui import REPLIES
from tests.ingest.test_openai_agents import AGENT, GENERATION, span, trace
from tests.ingest.test_openai_assistants import ASKED, EVENTS
from tests.ingest.test_openai_realtime import EVENTS as REALTIME_EVENTS
from tests.ingest.test_vercel_stream import EVENTS as VERCEL_EVENTS
from tests.ingest.test_vercel_stream import PARTS as VERCEL_PARTS
from tests.ingest.test_web_trajectories import GYM, OCCAM
from tests.ingest.test_zed import NEW as ZED_THREAD
from tests.ingest.test_zed import OLD as OLD_ZED_THREAD

from assay.ingest.formats import format_named, pick_format
from assay.ingest.reading import read_recording
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator

LANGSMITH: dict[str, Any] = {
    "id": "r1",
    "trace_id": "r1",
    "name": "look",
    "run_type": "tool",
    "start_time": "2026-01-01T00:00:00",
    "inputs": {"city": "Oslo"},
    "outputs": {"output": "rain"},
    "extra": {"metadata": {"thread_id": "t"}},
}
LANGFUSE: dict[str, Any] = {
    "id": "t",
    "timestamp": "2026-01-01T00:00:00Z",
    "input": "Rain?",
    "output": "Yes.",
    "scores": [{"name": "good", "value": 1}],
    "observations": [
        {
            "id": "o",
            "traceId": "t",
            "type": "TOOL",
            "name": "look",
            "startTime": "2026-01-01T00:00:00Z",
            "endTime": "2026-01-01T00:00:01Z",
            "input": {"city": "Oslo"},
            "output": "rain",
        }
    ],
}
AMP: list[dict[str, Any]] = [
    {"role": "user", "content": [{"type": "text", "text": "List"}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "a", "input": {}}]},
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "toolUseID": "t", "run": {"status": "done", "result": {}}}
        ],
    },
]
TAGGED: list[dict[str, Any]] = [
    {"role": "user", "content": "Rain?"},
    {"role": "assistant", "content": '<tool_call>{"name": "a", "arguments": {}}</tool_call>'},
    {"role": "tool", "content": "<tool_response>rain</tool_response>"},
]
PARTS: dict[str, Any] = {
    "messages": [
        {"role": "user", "parts": [{"type": "text", "text": "Rain?"}]},
        {
            "role": "assistant",
            "metadata": {"model": "m", "usage": {"inputTokens": 3}},
            "parts": [
                {
                    "type": "tool-look",
                    "toolCallId": "t",
                    "state": "output-available",
                    "input": {},
                    "output": {"type": "json", "value": {"sky": "grey"}},
                }
            ],
        },
    ],
    "tools": "[]",
}
SAMPLES: dict[str, tuple[str, Any]] = {
    "realtime": ("openai-realtime", REALTIME_EVENTS),
    "a2a": ("a2a", TASK),
    "dspy": ("dspy", HISTORY),
    "acp": ("acp", TOLD),
    "crew": ("crewai", CREW_EVENTS),
    "assistants": ("openai-assistants", [ASKED, *EVENTS]),
    "vercel events": ("vercel-ai", VERCEL_EVENTS),
    "vercel parts": ("vercel-ai", VERCEL_PARTS),
    "langsmith": ("openinference", [LANGSMITH]),
    "langfuse": ("langfuse", LANGFUSE),
    "amp": ("anthropic-messages", {"messages": AMP}),
    "tags": ("openai-chat", {"messages": TAGGED, "resolved": True, "instance_id": "a"}),
    "exchange": ("openai-chat", [{"request": EXCHANGE[0], "response": EXCHANGE[1]}]),
    "litellm": ("openai-chat", list(LITELLM_ROWS)),
    "updates": ("langchain", UPDATES),
    "graph states": ("langchain", list(KEPT["checkpoints of a debug stream"])),
    "graph snapshot": ("langchain", KEPT["a snapshot without names"]),
    "graph pieces": ("langchain", list(PIECES)),
    "graph events": ("langchain", [BEGUN, *INNER, SAID, ENDED]),
    "chatgpt": ("chatgpt", [CHATGPT_CHAT]),
    "claude.ai": ("claude-ai", [CLAUDE_TALK]),
    "open webui items": ("open-webui", [REPLIES["items"]]),
    "open webui sources": ("open-webui", [REPLIES["sources"]]),
    "open webui blocks": ("open-webui", [REPLIES["attributes"]]),
    "zed": ("zed", ZED_THREAD),
    "zed of old": ("zed", OLD_ZED_THREAD),
    "n8n": ("n8n", EXECUTION),
    "agents sdk": ("openai-agents", [trace(1), span(1, GENERATION), span(1, AGENT)]),
    "web actions": ("web-actions", OCCAM),
    "browser gym": ("web-actions", GYM),
    "xlam": ("function-calling", [XLAM_ROW]),
    "cline sessions": ("cline", CLINE_SESSION),
    "cline printed": ("cline", CLINE_PRINTED),
    "llama events": ("llama-index", LLAMA_TOLD),
    "ag2 events": ("ag2", list(AG2_EVENTS)),
    "ag2 chat": ("ag2", list(AG2_CHAT)),
    "toolace": ("function-calling", [TOOLACE_TALK]),
    "generic": ("generic", {"store": {"a": CHAT, "b": CHAT}, "reward": 1}),
    "parts": ("generic", PARTS),
}
ODD: tuple[Any, ...] = (None, True, -1, 1e300, "", "x", "[", [], {}, [[]], [None], {"type": []})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    several = isinstance(value, list | tuple)  # a tuple is a file of lines
    for key in value if isinstance(value, dict) else range(len(value) if several else 0):
        yield from places(value[key], (*path, key))


def put(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    if not path:
        return odd
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = put(value[path[0]], path[1:], odd)
    return tuple(changed) if isinstance(value, tuple) else changed


def without(value: Any, path: tuple[Any, ...]) -> Any:
    changed = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del changed[path[0]]
    else:
        changed[path[0]] = without(value[path[0]], path[1:])
    return tuple(changed) if isinstance(value, tuple) else changed


@pytest.mark.parametrize("name", SAMPLES)
def test_nothing_that_is_missing_stops_a_reader(name: str) -> None:
    format_name, value = SAMPLES[name]
    for path in filter(None, places(value)):
        found = list(read_recording(recording(without(value, path)), format_named(format_name)))
        assert found


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_read_as_it_is(name: str) -> None:
    format_name, value = SAMPLES[name]
    found = list(read_recording(recording(value), format_named(format_name)))
    assert any(isinstance(item, AgentTestCase) for item in found)


@pytest.mark.parametrize("name", SAMPLES)
def test_no_value_anywhere_stops_a_reader(name: str) -> None:
    format_name, value = SAMPLES[name]
    for i, path in enumerate(places(value)):
        for odd in ODD:
            changed = put(value, path, odd)
            list(read_recording(recording(changed), format_named(format_name)))
        sure = pick_format(recording(put(value, path, ODD[i % len(ODD)])))[1]
        assert 0.0 <= sure <= 1.0
