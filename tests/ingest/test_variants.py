"""Less common forms of the formats, each picked by its content and read whole."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.outcome import settle


class Variant(NamedTuple):
    """A made-up recording and what a person reads in it.

    A call is told as its tool, what was sent, and whether it succeeded.
    """

    recorded: Any
    format: str
    calls: list[tuple[str, Any, bool]]
    question: str = ""
    answer: str | None = None
    model: str | None = None
    tokens: tuple[int, int] | None = None


def function(name: str, arguments: str = "{}", call_id: str = "c1") -> dict[str, Any]:
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


CHAT_REPLY = {
    "id": "chat-1",
    "object": "chat.completion",
    "created": 1_760_000_000,
    "model": "gpt-x",
    "choices": [{"message": {"role": "assistant", "content": None, "tool_calls": [function("f")]}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2},
}
CLAUDE_REPLY = {
    "id": "msg-1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}],
    "usage": {"input_tokens": 3, "output_tokens": 4},
}
RESPONSE = {
    "id": "resp-1",
    "object": "response",
    "model": "gpt-x",
    "output": [{"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}],
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
ASKED = {"role": "user", "content": "q"}

GROWING: list[dict[str, Any]] = [
    ASKED,
    {"role": "assistant", "function_call": {"name": "f", "arguments": '{"a": 1}'}},
    {"role": "function", "name": "f", "content": "ok"},
    {"role": "assistant", "content": "done"},
]

VARIANTS: dict[str, Variant] = {
    "chat: a response alone": Variant(
        CHAT_REPLY, "openai-chat", [("f", {}, True)], model="gpt-x", tokens=(5, 2)
    ),
    "chat: request and response": Variant(
        ({"request": {"model": "gpt-x", "messages": [ASKED]}, "response": CHAT_REPLY},),
        "openai-chat",
        [("f", {}, True)],
        "q",
        model="gpt-x",
        tokens=(5, 2),
    ),
    "chat: a batch": Variant(
        ({"custom_id": "t1", "response": {"status_code": 200, "body": CHAT_REPLY}},),
        "openai-chat",
        [("f", {}, True)],
        model="gpt-x",
        tokens=(5, 2),
    ),
    "chat: calls between tags": Variant(
        [
            ASKED,
            {
                "role": "assistant",
                "content": 'So:\n<tool_call>{"name": "f", "arguments": {"a": "<b>"}}\n</tool_call>',
            },
            {"role": "tool", "content": "Error: no such a"},
            {"role": "assistant", "content": "No luck: <tool_call>{"},
        ],
        "openai-chat",
        [("f", {"a": "<b>"}, False)],
        "q",
        "No luck: <tool_call>{",
    ),
    "responses: request and response": Variant(
        {"request": {"input": [ASKED]}, "response": RESPONSE},
        "openai-responses",
        [("f", {}, True)],
        "q",
        model="gpt-x",
        tokens=(1, 1),
    ),
    "responses: a stream": Variant(
        (
            *(
                {"type": f"response.{state}", "response": {**RESPONSE, "output": []}}
                for state in ("created", "queued", "in_progress")
            ),
            {"type": "response.output_item.done", "item": RESPONSE["output"]},
            {"type": "response.completed", "response": RESPONSE},
        ),
        "openai-responses",
        [("f", {}, True)],
        model="gpt-x",
        tokens=(1, 1),
    ),
    "responses: shell and patch tell how it went": Variant(
        [
            {"type": "shell_call", "call_id": "1", "action": {"commands": ["ls", "false"]}},
            {
                "type": "shell_call_output",
                "call_id": "1",
                "output": [
                    {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}},
                    {"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 1}},
                ],
            },
            {"type": "shell_call", "call_id": "2", "action": {"commands": ["ls"]}},
            {
                "type": "shell_call_output",
                "call_id": "2",
                "output": [
                    {"stdout": "a", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}}
                ],
            },
            {"type": "apply_patch_call", "call_id": "3", "operation": {"path": "a"}},
            {"type": "apply_patch_call_output", "call_id": "3", "status": "failed", "output": "-"},
        ],
        "openai-responses",
        [
            ("shell", {"commands": ["ls", "false"]}, False),
            ("shell", {"commands": ["ls"]}, True),
            ("apply_patch", {"path": "a"}, False),
        ],
    ),
    "agents SDK: items around items": Variant(
        [
            {"type": "message_input_item", "raw_item": ASKED},
            {
                "type": "tool_call_item",
                "raw_item": {
                    "type": "function_call",
                    "call_id": "1",
                    "name": "f",
                    "arguments": "{}",
                },
            },
            {
                "type": "tool_call_output_item",
                "raw_item": {"type": "function_call_output", "call_id": "1", "output": "ok"},
            },
            {
                "type": "message_output_item",
                "raw_item": {
                    "type": "message",
                    "role": "assistant",
                    "content": [{"type": "output_text", "text": "done"}],
                },
            },
        ],
        "openai-responses",
        [("f", {}, True)],
        "q",
        "done",
    ),
    "agents SDK: the state of a run": Variant(
        {
            "$schemaVersion": "1.0",
            "originalInput": "q",
            "generatedItems": [
                {
                    "type": "tool_call_item",
                    "rawItem": {
                        "type": "function_call",
                        "callId": "1",
                        "name": "f",
                        "arguments": '{"a":1}',
                    },
                },
                {
                    "type": "tool_call_output_item",
                    "rawItem": {
                        "type": "function_call_result",
                        "callId": "1",
                        "output": {"type": "text", "text": "Error: gone"},
                    },
                },
            ],
        },
        "openai-responses",
        [("f", {"a": 1}, False)],
        "q",
    ),
    "anthropic: kinds of blocks that are yet to come": Variant(
        [
            ASKED,
            {
                "role": "assistant",
                "content": [
                    {"type": "server_tool_use", "id": "s", "name": "bash", "input": {"c": "ls"}},
                    {
                        "type": "bash_code_execution_tool_result",
                        "tool_use_id": "s",
                        "content": {"type": "x_result", "stderr": "no", "return_code": 2},
                    },
                    {"type": "server_tool_use", "id": "v", "name": "view", "input": {}},
                    {"type": "view_tool_result", "tool_use_id": "v", "content": "seen"},
                    {"type": "container_upload", "file_id": "f"},
                    {"type": "text", "text": "done"},
                ],
            },
        ],
        "anthropic-messages",
        [("bash", {"c": "ls"}, False), ("view", {}, True)],
        "q",
        "done",
    ),
    "anthropic: request and response": Variant(
        ({"request": {"model": "claude-x", "messages": [ASKED]}, "response": CLAUDE_REPLY},),
        "anthropic-messages",
        [("f", {"a": 1}, True)],
        "q",
        model="claude-x",
        tokens=(3, 4),
    ),
    "anthropic: a batch": Variant(
        ({"custom_id": "t1", "result": {"type": "succeeded", "message": CLAUDE_REPLY}},),
        "anthropic-messages",
        [("f", {"a": 1}, True)],
        model="claude-x",
        tokens=(3, 4),
    ),
    "LangGraph: a checkpoint": Variant(
        {
            "config": {"configurable": {"thread_id": "t1"}},
            "checkpoint": {
                "ts": "2026-01-01T00:00:00+00:00",
                "channel_values": {
                    "messages": [
                        {"type": "human", "content": "q"},
                        {
                            "type": "ai",
                            "content": "",
                            "tool_calls": [{"name": "f", "args": {"a": 1}, "id": "1"}],
                        },
                        {"type": "tool", "content": "no", "tool_call_id": "1", "status": "error"},
                        {"type": "ai", "content": "done"},
                    ]
                },
            },
        },
        "langchain",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "Claude Code: one array": Variant(
        [
            {"type": "system", "subtype": "init", "session_id": "s", "model": "claude-x"},
            {
                "type": "assistant",
                "message": {"id": "m", "content": CLAUDE_REPLY["content"]},
                "session_id": "s",
                "parent_tool_use_id": None,
            },
            {
                "type": "result",
                "session_id": "s",
                "num_turns": 1,
                "result": "done",
                "usage": {"input_tokens": 7, "output_tokens": 8},
            },
        ],
        "claude-code",
        [("f", {"a": 1}, True)],
        answer="done",
        model="claude-x",
        tokens=(7, 8),
    ),
    "Claude Code: the result alone": Variant(
        {
            "type": "result",
            "session_id": "s",
            "num_turns": 1,
            "result": "done",
            "usage": {"input_tokens": 7, "output_tokens": 8},
        },
        "claude-code",
        [],
        answer="done",
        tokens=(7, 8),
    ),
    "OpenTelemetry: tools of the provider": Variant(
        [
            {
                "trace_id": "t",
                "span_id": "s",
                "name": "chat",
                "attributes": {
                    "gen_ai.operation.name": "chat",
                    "gen_ai.request.model": "gpt-x",
                    "gen_ai.output.messages": [
                        {
                            "role": "assistant",
                            "parts": [
                                {
                                    "type": "server_tool_call",
                                    "id": "1",
                                    "name": "web_search",
                                    "server_tool_call": {"query": "x"},
                                },
                                {
                                    "type": "server_tool_call_response",
                                    "id": "1",
                                    "server_tool_call_response": {"results": [1]},
                                },
                                {"type": "text", "content": "done"},
                            ],
                        }
                    ],
                },
            }
        ],
        "otel",
        [("web_search", {"query": "x"}, True)],
        answer="done",
        model="gpt-x",
    ),
    "MLflow: a trace": Variant(
        {
            "info": {"trace_id": "tr-1", "state": "OK"},
            "data": {
                "spans": [
                    {
                        "trace_id": "t",
                        "span_id": "1",
                        "parent_span_id": None,
                        "name": "predict",
                        "attributes": {
                            "mlflow.spanType": '"CHAIN"',
                            "mlflow.spanInputs": '{"messages": [{"role": "user", "content": "q"}]}',
                            "mlflow.spanOutputs": '"done"',
                        },
                    },
                    {
                        "trace_id": "t",
                        "span_id": "2",
                        "parent_span_id": "1",
                        "name": "Completions",
                        "attributes": {
                            "mlflow.spanType": '"CHAT_MODEL"',
                            "mlflow.llm.model": '"gpt-x"',
                            "mlflow.chat.tokenUsage": '{"input_tokens": 5, "output_tokens": 2}',
                        },
                    },
                    {
                        "trace_id": "t",
                        "span_id": "3",
                        "parent_span_id": "1",
                        "name": "weather",
                        "status": {"code": "STATUS_CODE_ERROR", "message": "gone"},
                        "attributes": {
                            "mlflow.spanType": '"TOOL"',
                            "mlflow.spanInputs": '{"city": "X"}',
                            "mlflow.spanOutputs": "null",
                        },
                    },
                ]
            },
        },
        "openinference",
        [("weather", {"city": "X"}, False)],
        "q",
        "done",
        "gpt-x",
        (5, 2),
    ),
    "LangSmith: a tree of runs": Variant(
        {
            "id": "r1",
            "trace_id": "r1",
            "name": "agent",
            "run_type": "chain",
            "inputs": {"messages": [ASKED]},
            "outputs": {"output": "done"},
            "child_runs": [
                {
                    "id": "r2",
                    "parent_run_id": "r1",
                    "name": "ChatOpenAI",
                    "run_type": "llm",
                    "inputs": {"messages": [ASKED]},
                    "outputs": {},
                    "extra": {"metadata": {"ls_model_name": "gpt-x"}},
                    "prompt_tokens": 5,
                    "completion_tokens": 2,
                },
                {
                    "id": "r3",
                    "parent_run_id": "r1",
                    "name": "weather",
                    "run_type": "tool",
                    "inputs": {"input": "{'city': 'X'}"},
                    "outputs": None,
                    "error": "ValueError('gone')",
                },
            ],
        },
        "openinference",
        [("weather", {"city": "X"}, False)],
        "q",
        "done",
        "gpt-x",
        (5, 2),
    ),
    "Weave: calls": Variant(
        (
            {
                "id": "1",
                "trace_id": "t",
                "op_name": "weave:///e/p/op/agent:abc",
                "started_at": "2026-01-01T00:00:00Z",
                "inputs": {"question": "q"},
                "output": "done",
            },
            {
                "id": "2",
                "trace_id": "t",
                "parent_id": "1",
                "op_name": "weave:///e/p/op/openai.chat.completions.create:abc",
                "started_at": "2026-01-01T00:00:01Z",
                "inputs": {"model": "gpt-x", "messages": [ASKED]},
                "output": CHAT_REPLY,
            },
            {
                "id": "3",
                "trace_id": "t",
                "parent_id": "1",
                "op_name": "weave:///e/p/op/f:abc",
                "attributes": {"weave": {"kind": "tool"}},
                "started_at": "2026-01-01T00:00:02Z",
                "inputs": {},
                "output": None,
                "exception": "ValueError: no",
            },
        ),
        "openinference",
        [("f", {}, False)],
        "q",
        "done",
        model="gpt-x",
        tokens=(5, 2),
    ),
    "Braintrust: rows of a log": Variant(
        (
            {
                "id": "1",
                "span_id": "1",
                "root_span_id": "1",
                "span_attributes": {"name": "agent", "type": "task"},
                "input": "q",
                "output": "done",
            },
            {
                "id": "2",
                "span_id": "2",
                "root_span_id": "1",
                "span_parents": ["1"],
                "span_attributes": {"name": "chat", "type": "llm"},
                "input": [ASKED],
                "output": CHAT_REPLY["choices"],
                "metadata": {"model": "gpt-x"},
                "metrics": {"start": 1.0, "end": 2.0, "prompt_tokens": 5, "completion_tokens": 2},
            },
            {
                "id": "3",
                "span_id": "3",
                "root_span_id": "1",
                "span_parents": ["1"],
                "span_attributes": {"name": "f", "type": "tool"},
                "input": {},
                "error": "ValueError: no",
                "metrics": {"start": 2.0, "end": 3.0},
            },
        ),
        "openinference",
        [("f", {}, False)],
        "q",
        "done",
        model="gpt-x",
        tokens=(5, 2),
    ),
    "Opik: a trace with its spans": Variant(
        {
            "id": "t",
            "name": "agent",
            "start_time": "2026-01-01T00:00:00Z",
            "input": {"question": "q"},
            "output": {"answer": "done"},
            "spans": [
                {
                    "id": "1",
                    "trace_id": "t",
                    "name": "chat",
                    "type": "llm",
                    "model": "gpt-x",
                    "start_time": "2026-01-01T00:00:01Z",
                    "input": {"messages": [ASKED]},
                    "output": CHAT_REPLY,
                    "usage": CHAT_REPLY["usage"],
                },
                {
                    "id": "2",
                    "trace_id": "t",
                    "name": "f",
                    "type": "tool",
                    "start_time": "2026-01-01T00:00:02Z",
                    "input": {},
                    "output": {"output": "ok"},
                },
            ],
        },
        "openinference",
        [("f", {}, True)],
        "q",
        "done",
        model="gpt-x",
        tokens=(5, 2),
    ),
    "BFCL: turns that were run": Variant(
        (
            {
                "id": "multi_turn_base_1",
                "result": [[[{"cd": '{"folder": "x"}'}, {"ls": "{}"}], "No such folder"]],
                "input_token_count": [[10, 12]],
                "output_token_count": [[3, 4]],
                "inference_log": [
                    [{"role": "state_info"}],
                    {
                        "begin_of_turn_query": [ASKED],
                        "step_0": [
                            {"role": "assistant", "content": ""},
                            {"role": "tool", "content": '{"error": "no such folder"}'},
                            {"role": "tool", "content": '{"files": ["a"]}'},
                        ],
                        "step_1": [{"role": "assistant", "content": "No such folder"}],
                    },
                ],
            },
        ),
        "bfcl",
        [("cd", {"folder": "x"}, False), ("ls", {}, True)],
        "q",
        "No such folder",
        tokens=(22, 7),
    ),
    "OpenHands: tools in the instructions": Variant(
        (
            {
                "kind": "SystemPromptEvent",
                "source": "agent",
                "system_prompt": {"type": "text", "text": "s"},
                "tools": [function("terminal")],
            },
            {
                "kind": "ActionEvent",
                "source": "agent",
                "tool_name": "terminal",
                "tool_call_id": "1",
                "tool_call": {"id": "1", "name": "terminal", "arguments": '{"command": "ls"}'},
            },
        ),
        "openhands",
        [("terminal", {"command": "ls"}, True)],
    ),
    "SWE-agent: the model in a text": Variant(
        {
            "trajectory": [{"action": "ls", "observation": "a", "response": "r", "thought": "t"}],
            "history": [{"role": "user", "content": "q"}],
            "info": {"exit_status": "submitted"},
            "replay_config": '{"agent": {"model": {"name": "gpt-x"}}}',
        },
        "swe-agent",
        [("bash", {"command": "ls"}, True)],
        "q",
        model="gpt-x",
    ),
    "Bedrock Converse": Variant(
        [
            {"role": "user", "content": [{"text": "q"}]},
            {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": "t", "name": "f", "input": {"a": 1}}}],
            },
            {
                "role": "user",
                "content": [
                    {
                        "toolResult": {
                            "toolUseId": "t",
                            "content": [{"json": {"x": 1}}],
                            "status": "error",
                        }
                    }
                ],
            },
            {"role": "assistant", "content": [{"text": "done"}]},
        ],
        "bedrock",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "Vercel AI SDK: messages of a page": Variant(
        [
            {"id": "1", "role": "user", "parts": [{"type": "text", "text": "q"}]},
            {
                "id": "2",
                "role": "assistant",
                "parts": [
                    {"type": "step-start"},
                    {
                        "type": "tool-weather",
                        "toolCallId": "1",
                        "state": "output-available",
                        "input": {"city": "X"},
                        "output": {"t": 1},
                    },
                    {
                        "type": "tool-weather",
                        "toolCallId": "2",
                        "state": "output-error",
                        "input": {"city": "Y"},
                        "errorText": "boom",
                    },
                    {"type": "text", "text": "done"},
                ],
            },
        ],
        "generic",
        [("weather", {"city": "X"}, True), ("weather", {"city": "Y"}, False)],
        "q",
        "done",
    ),
    "Vercel AI SDK: messages of a model": Variant(
        [
            {"role": "user", "content": [{"type": "text", "text": "q"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {"a": 1}}
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": "1",
                        "toolName": "f",
                        "output": {"type": "error-text", "value": "boom"},
                    }
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "Mastra: results that repeat what was sent": Variant(
        [
            {"role": "user", "content": [{"type": "text", "text": "q"}]},
            {
                "role": "assistant",
                "content": [
                    {"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {"a": 1}},
                    {"type": "tool-call", "toolCallId": "2", "toolName": "f", "input": {"a": 2}},
                ],
            },
            {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": own,
                        "toolName": "f",
                        "input": {"a": int(own)},
                        "output": {"type": kind, "value": "x"},
                    }
                    for own, kind in (("2", "error-text"), ("1", "text"))
                ],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, True), ("f", {"a": 2}, False)],
        "q",
        "done",
    ),
    "Vercel AI SDK: steps of a result": Variant(
        [
            {
                "stepNumber": 0,
                "finishReason": "tool-calls",
                "content": [
                    {"type": "tool-call", "toolCallId": "1", "toolName": "f", "input": {"a": 1}},
                    {
                        "type": "tool-error",
                        "toolCallId": "1",
                        "toolName": "f",
                        "input": {"a": 1},
                        "error": "boom",
                    },
                ],
            },
            {
                "stepNumber": 1,
                "finishReason": "stop",
                "content": [{"type": "text", "text": "done"}],
            },
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "",
        "done",
    ),
    "Pydantic AI": Variant(
        [
            {
                "kind": "request",
                "parts": [
                    {"part_kind": "system-prompt", "content": "s"},
                    {"part_kind": "user-prompt", "content": "q"},
                ],
            },
            {
                "kind": "response",
                "parts": [
                    {
                        "part_kind": "tool-call",
                        "tool_name": "f",
                        "args": '{"a": 1}',
                        "tool_call_id": "1",
                    }
                ],
                "usage": {"input_tokens": 5, "output_tokens": 2},
                "model_name": "gpt-x",
            },
            {
                "kind": "request",
                "parts": [
                    {
                        "part_kind": "retry-prompt",
                        "tool_name": "f",
                        "content": "once more",
                        "tool_call_id": "1",
                    }
                ],
            },
            {"kind": "response", "parts": [{"part_kind": "text", "content": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
        "gpt-x",
        (5, 2),
    ),
    "steps with what was observed": Variant(
        [
            {
                "step_number": 1,
                "tool_calls": [function("f", '{"a": 1}')],
                "observations": "ok",
                "token_usage": {"input_tokens": 1, "output_tokens": 2},
            },
            {
                "step_number": 2,
                "tool_calls": [function("g", call_id="c2")],
                "observations": "Error: no",
            },
        ],
        "generic",
        [("f", {"a": 1}, True), ("g", {}, False)],
        tokens=(1, 2),
    ),
    "ShareGPT": Variant(
        [
            {
                "conversations": [
                    {"from": "human", "value": "q"},
                    {"from": "function_call", "value": '{"name": "f", "arguments": {"a": 1}}'},
                    {"from": "observation", "value": "Error: no a"},
                    {"from": "gpt", "value": "done"},
                ]
            }
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "LangChain: pairs of action and observation": Variant(
        {
            "input": "q",
            "output": "done",
            "intermediate_steps": [
                [{"tool": "f", "tool_input": {"a": 1}, "log": ""}, "found"],
                [{"tool": "g", "tool_input": {}, "log": ""}, "Error: no g"],
            ],
        },
        "generic",
        [("f", {"a": 1}, True), ("g", {}, False)],
        "q",
        "done",
    ),
    "DSPy: counted steps": Variant(
        {
            "question": "q",
            "answer": "done",
            "trajectory": {
                "thought_0": "t",
                "tool_name_0": "f",
                "tool_args_0": {"a": 1},
                "observation_0": "ok",
                "tool_name_1": "finish",
                "tool_args_1": {},
                "observation_1": "Completed.",
            },
        },
        "generic",
        [("f", {"a": 1}, True), ("finish", {}, True)],
        "q",
        "done",
    ),
    "Semantic Kernel": Variant(
        [
            {"role": "user", "items": [{"$type": "TextContent", "text": "q"}]},
            {
                "role": "assistant",
                "items": [
                    {
                        "$type": "FunctionCallContent",
                        "id": "1",
                        "functionName": "f",
                        "arguments": {"a": 1},
                    }
                ],
            },
            {
                "role": "tool",
                "items": [
                    {
                        "$type": "FunctionResultContent",
                        "callId": "1",
                        "functionName": "f",
                        "result": "Error: no",
                    }
                ],
            },
            {"role": "assistant", "items": [{"$type": "TextContent", "text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "OpenCode": Variant(
        [
            {"info": {"role": "user"}, "parts": [{"type": "text", "text": "q"}]},
            {
                "info": {"role": "assistant"},
                "parts": [
                    {
                        "type": "tool",
                        "tool": "bash",
                        "callID": "1",
                        "state": {"status": "error", "input": {"command": "ls"}, "error": "boom"},
                    },
                    {"type": "text", "text": "done"},
                ],
            },
        ],
        "generic",
        [("bash", {"command": "ls"}, False)],
        "q",
        "done",
    ),
    "MCP: the messages of the protocol": Variant(
        (
            {
                "jsonrpc": "2.0",
                "id": 1,
                "method": "tools/call",
                "params": {"name": "f", "arguments": {"a": 1}},
            },
            {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "g", "arguments": {}},
            },
            {"jsonrpc": "2.0", "id": 2, "error": {"code": -32602, "message": "no"}},
            {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "ok"}]}},
        ),
        "mcp",
        [("f", {"a": 1}, True), ("g", {}, False)],
    ),
    "Vercel AI SDK: messages of older pages": Variant(
        [
            {"id": "1", "role": "user", "content": "q"},
            {
                "id": "2",
                "role": "assistant",
                "content": "done",
                "toolInvocations": [
                    {"state": "result", "toolCallId": "1", "toolName": "f", "args": {}, "result": 1}
                ],
            },
        ],
        "generic",
        [("f", {}, True)],
        "q",
        "done",
    ),
    "Microsoft Agent Framework: .NET": Variant(
        [
            {"role": "user", "contents": [{"$type": "text", "text": "q"}]},
            {
                "role": "assistant",
                "contents": [
                    {"$type": "functionCall", "callId": "1", "name": "f", "arguments": {"a": 1}}
                ],
            },
            {
                "role": "tool",
                "contents": [{"$type": "functionResult", "callId": "1", "result": "Error: no"}],
            },
            {"role": "assistant", "contents": [{"$type": "text", "text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "Microsoft Agent Framework: Python": Variant(
        {
            "messages": [
                {"role": {"value": "user"}, "contents": [{"type": "text", "text": "q"}]},
                {
                    "role": {"value": "assistant"},
                    "contents": [
                        {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
                    ],
                },
                {
                    "role": {"value": "tool"},
                    "contents": [{"type": "function_result", "call_id": "1", "result": "ok"}],
                },
                {"role": {"value": "assistant"}, "contents": [{"type": "text", "text": "done"}]},
            ]
        },
        "generic",
        [("f", {}, True)],
        "q",
        "done",
    ),
    "Semantic Kernel: .NET": Variant(
        [
            {"Role": {"Label": "user"}, "Items": [{"$type": "TextContent", "Text": "q"}]},
            {
                "Role": {"Label": "Assistant"},
                "ModelId": "gpt-x",
                "Items": [
                    {
                        "$type": "FunctionCallContent",
                        "Id": "1",
                        "FunctionName": "f",
                        "Arguments": {"a": 1},
                    }
                ],
            },
            {
                "Role": {"Label": "Tool"},
                "Items": [{"CallId": "1", "FunctionName": "f", "Result": "ok"}],
            },
            {"Role": {"Label": "assistant"}, "Items": [{"$type": "TextContent", "Text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, True)],
        "q",
        "done",
        model="gpt-x",
    ),
    "LangChain4j": Variant(
        [
            {"type": "SYSTEM", "text": "Be brief."},
            {"type": "USER", "contents": [{"type": "TEXT", "text": "q"}]},
            {
                "type": "AI",
                "toolExecutionRequests": [
                    {"id": "1", "name": "f", "arguments": '{"a": 1}'},
                    {"id": "2", "name": "g", "arguments": "{}"},
                ],
            },
            {"type": "TOOL_EXECUTION_RESULT", "id": "1", "toolName": "f", "text": "ok"},
            {
                "type": "TOOL_EXECUTION_RESULT",
                "id": "2",
                "toolName": "g",
                "text": "no",
                "isError": True,
            },
            {"type": "AI", "text": "done"},
        ],
        "generic",
        [("f", {"a": 1}, True), ("g", {}, False)],
        "q",
        "done",
    ),
    "Spring AI": Variant(
        [
            {"messageType": "USER", "text": "q", "metadata": {"messageType": "USER"}, "media": []},
            {
                "messageType": "ASSISTANT",
                "text": None,
                "toolCalls": [
                    {"id": "1", "type": "function", "name": "f", "arguments": '{"a": 1}'}
                ],
            },
            {
                "messageType": "TOOL",
                "text": "",
                "responses": [{"id": "1", "name": "f", "responseData": "Error: no such city"}],
            },
            {"messageType": "ASSISTANT", "text": "done", "toolCalls": []},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "LlamaIndex: calls beside the blocks": Variant(
        [
            {"role": "user", "blocks": [{"block_type": "text", "text": "q"}]},
            {
                "role": "assistant",
                "additional_kwargs": {"tool_calls": [function("f", '{"a": 1}', "1")]},
                "blocks": [],
            },
            {
                "role": "tool",
                "additional_kwargs": {"tool_call_id": "1"},
                "blocks": [{"block_type": "text", "text": "Error: no"}],
            },
            {"role": "assistant", "blocks": [{"block_type": "text", "text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "LlamaIndex: events at the start and end of a call": Variant(
        [
            {"role": "user", "content": "q"},
            {"tool_name": "f", "tool_kwargs": {"a": 1}, "tool_id": "1"},
            {
                "tool_name": "f",
                "tool_kwargs": {"a": 1},
                "tool_id": "1",
                "tool_output": {"content": "no", "is_error": True},
            },
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
    ),
    "Haystack": Variant(
        [
            {"role": "user", "meta": {}, "content": [{"text": "q"}]},
            {
                "role": "assistant",
                "meta": {"model": "gpt-x", "usage": CHAT_REPLY["usage"]},
                "content": [{"tool_call": {"tool_name": "f", "arguments": {"a": 1}, "id": "1"}}],
            },
            {
                "role": "tool",
                "meta": {},
                "content": [
                    {
                        "tool_call_result": {
                            "result": "no",
                            "error": True,
                            "origin": {"tool_name": "f", "arguments": {"a": 1}, "id": "1"},
                        }
                    }
                ],
            },
            {"role": "assistant", "meta": {}, "content": [{"text": "done"}]},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
        model="gpt-x",
        tokens=(5, 2),
    ),
    "Cohere: a chat's history": Variant(
        {
            "chat_history": [
                {"role": "USER", "message": "q"},
                {
                    "role": "CHATBOT",
                    "message": "so",
                    "tool_calls": [{"name": "f", "parameters": {"a": 1}}],
                },
                {
                    "role": "TOOL",
                    "tool_results": [
                        {"call": {"name": "f", "parameters": {"a": 1}}, "outputs": [{"x": 1}]}
                    ],
                },
                {"role": "CHATBOT", "message": "done"},
            ]
        },
        "generic",
        [("f", {"a": 1}, True)],
        "q",
        "done",
    ),
    "ToolBench: prompts that grow": Variant(
        {
            "train_messages": [
                GROWING[:2],
                GROWING,
            ]
        },
        "generic",
        [("f", {"a": 1}, True)],
        "q",
        "done",
    ),
    "ReAct in words": Variant(
        {
            "conversations": [
                {"from": "human", "value": "q"},
                {"from": "gpt", "value": 'Thought: so\nAction: f\nAction Input: {"a": 1}'},
                {"from": "human", "value": "Observation: Error: no"},
                {"from": "gpt", "value": "done"},
            ]
        },
        "openai-chat",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
    "API-Bank": Variant(
        (
            {"role": "User", "text": "q"},
            {
                "role": "API",
                "api_name": "f",
                "param_dict": {"a": 1},
                "result": {"output": 1, "exception": None},
            },
            {"role": "AI", "text": "done"},
        ),
        "generic",
        [("f", {"a": 1}, True)],
        "q",
        "done",
    ),
    "AutoGen": Variant(
        [
            {"source": "user", "content": "q", "type": "TextMessage"},
            {
                "source": "helper",
                "content": [{"id": "1", "arguments": '{"a": 1}', "name": "f"}],
                "type": "ToolCallRequestEvent",
            },
            {
                "source": "helper",
                "content": [{"content": "bad", "name": "f", "call_id": "1", "is_error": True}],
                "type": "ToolCallExecutionEvent",
            },
            {"source": "helper", "content": "done", "type": "TextMessage"},
        ],
        "generic",
        [("f", {"a": 1}, False)],
        "q",
        "done",
    ),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_is_picked_and_read(name: str) -> None:
    variant = VARIANTS[name]
    made_up = recording(variant.recorded, "/log.json")
    found, _ = pick_format(made_up)
    assert found is not None
    assert found.name == variant.format
    run = settle(read_one(found, made_up))
    assert [(call.tool, call.parameters, call.success) for call in run.calls] == variant.calls
    assert (run.input, run.actual_output, run.model) == (
        variant.question,
        variant.answer,
        variant.model,
    )
    usage = run.usage
    assert (usage and (usage.input_tokens, usage.output_tokens)) == variant.tokens


def test_a_call_from_code_is_below_the_call_that_ran_the_code() -> None:
    blocks = [
        {"type": "server_tool_use", "id": "s", "name": "code_execution", "input": {"code": "f()"}},
        {
            "type": "tool_use",
            "id": "t",
            "name": "f",
            "input": {},
            "caller": {"type": "code_execution_20250825", "tool_id": "s"},
        },
    ]
    found, _ = pick_format(recording([ASKED, {"role": "assistant", "content": blocks}]))
    assert found is not None
    outer, inner = read_one(
        found, recording([ASKED, {"role": "assistant", "content": blocks}])
    ).calls
    assert (outer.turn, inner.turn, inner.parent_id) == (1, None, "s")


def test_tools_that_the_model_was_shown_are_on_offer() -> None:
    shown = VARIANTS["OpenHands: tools in the instructions"].recorded
    found, _ = pick_format(recording(shown))
    assert found is not None
    run = read_one(found, recording(shown))
    assert run.available_tools == [function("terminal")]
