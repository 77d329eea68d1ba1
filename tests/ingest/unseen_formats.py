"""Thirty made-up logs, as programs nobody described to us might write them.

Beside each stands what a person reads in it. What is not told there is None, and nothing may be
made up for it; `UNSAID` is what nobody need find, and nobody is blamed for finding.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

UNSAID: Any = object()
T0 = 1767225600.0  # 2026-01-01T00:00:00Z


class Call(NamedTuple):
    """A call as a person reads it."""

    tool: str
    sent: Any
    came: Any = None
    ok: bool | None = None
    took: float | None = None
    at: float | None = None
    server: str | None = None


class Run(NamedTuple):
    """A run as a person reads it."""

    calls: list[Call]
    asked: str = ""
    answer: str | None = None
    model: str | None = None
    task: str | None = None
    session: str | None = None
    passed: bool | None = None
    score: float | None = None
    began: float | None = None
    ended: float | None = None


class Unseen(NamedTuple):
    """A file: its name, its text, and the runs in it."""

    name: str
    text: str
    runs: list[Run]


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def at(second: float) -> str:
    return f"2026-01-01T00:00:{second:06.3f}Z"


def whole(value: Any) -> str:
    return json.dumps(value, indent=2)


OSLO, ROME = {"city": "Oslo"}, {"city": "Rome"}
ASKED, SAID = "Is it wetter in Oslo or in Rome?", "Oslo, by 4 mm."

EVENTS = Unseen(
    "agent-events.jsonl",
    lines(
        {"ts": at(0), "ev": "run_start", "run": "r1", "agent_model": "lyra-2", "prompt": ASKED},
        {
            "ts": at(1),
            "ev": "tool_start",
            "run": "r1",
            "call_id": "c1",
            "tool": "rain",
            "args": OSLO,
        },
        {
            "ts": at(2),
            "ev": "tool_end",
            "run": "r1",
            "call_id": "c1",
            "result": "7 mm",
            "ok": True,
            "took_ms": 850,
        },
        {
            "ts": at(3),
            "ev": "tool_start",
            "run": "r1",
            "call_id": "c2",
            "tool": "rain",
            "args": ROME,
        },
        {
            "ts": at(4),
            "ev": "tool_end",
            "run": "r1",
            "call_id": "c2",
            "result": "no station",
            "ok": False,
            "took_ms": 40,
        },
        {"ts": at(5), "ev": "run_end", "run": "r1", "answer": SAID, "verdict": "pass"},
    ),
    [
        Run(
            [
                Call("rain", OSLO, "7 mm", True, 0.85, T0 + 1),
                Call("rain", ROME, "no station", False, 0.04, T0 + 3),
            ],
            ASKED,
            SAID,
            "lyra-2",
            None,
            "r1",
            True,
            None,
            T0,
            T0 + 5,
        )
    ],
)

ENVELOPES = Unseen(
    "bus.jsonl",
    lines(
        {"event": "session.created", "at": at(0), "data": {"session": "s9", "model_id": "lyra-2"}},
        {"event": "user.message", "at": at(1), "data": {"role": "user", "text": ASKED}},
        {
            "event": "tool.invoked",
            "at": at(2),
            "data": {
                "invocation_id": "i1",
                "tool": {"name": "rain", "server": "weather"},
                "parameters": OSLO,
            },
        },
        {
            "event": "tool.returned",
            "at": at(3),
            "data": {"invocation_id": "i1", "result": {"mm": 7}, "elapsed_ms": 930},
        },
        {"event": "assistant.message", "at": at(4), "data": {"role": "assistant", "text": SAID}},
    ),
    [
        Run(
            [Call("rain", OSLO, {"mm": 7}, None, 0.93, T0 + 2, "weather")],
            ASKED,
            SAID,
            "lyra-2",
            None,
            "s9",
            None,
            None,
            T0,
            T0 + 4,
        )
    ],
)

STEPS = Unseen(
    "result.json",
    whole(
        {
            "run_name": "nightly-17",
            "modelName": "lyra-2",
            "task": {"id": "T-1", "description": ASKED},
            "steps": [
                {
                    "n": 1,
                    "thought": "Oslo first",
                    "tool_call": {"tool": "rain", "arguments": OSLO},
                    "tool_response": "7 mm",
                    "latency": 0.4,
                },
                {
                    "n": 2,
                    "thought": "then Rome",
                    "tool_call": {"tool": "rain", "arguments": ROME},
                    "tool_response": "3 mm",
                    "latency": 0.5,
                },
            ],
            "final": SAID,
            "passed": True,
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm", None, 0.4), Call("rain", ROME, "3 mm", None, 0.5)],
            ASKED,
            SAID,
            "lyra-2",
            "T-1",
            "nightly-17",
            True,
        )
    ],
)

BRACKETS = Unseen(
    "hotpot.json",
    whole(
        {
            "question": ASKED,
            "trajectory": [
                {"thought": "Look up Oslo.", "action": "rain[Oslo]", "observation": "7 mm"},
                {"thought": "Look up Rome.", "action": "rain[Rome]", "observation": "3 mm"},
                {"thought": "Done.", "action": "finish[Oslo, by 4 mm.]", "observation": ""},
            ],
            "answer": SAID,
            "reward": 1.0,
        }
    ),
    [
        Run(
            [
                Call("rain", "Oslo", "7 mm"),
                Call("rain", "Rome", "3 mm"),
                Call("finish", "Oslo, by 4 mm.", UNSAID),
            ],
            ASKED,
            SAID,
            None,
            None,
            None,
            None,
            1.0,
        )
    ],
)

REACT_TEXT = Unseen(
    "react.log",
    f"""Question: {ASKED}
Thought: I should look up Oslo.
Action: rain
Action Input: {{"city": "Oslo"}}
Observation: 7 mm
Thought: Now Rome.
Action: rain
Action Input: {{"city": "Rome"}}
Observation: 3 mm
Thought: I now know the final answer.
Final Answer: {SAID}
""",
    [Run([Call("rain", OSLO, "7 mm"), Call("rain", ROME, "3 mm")], ASKED, SAID)],
)

BY_INDEX = Unseen(
    "turns.jsonl",
    lines(
        {
            "prompt": ASKED,
            "model_id": "lyra-2",
            "tool_calls": [{"name": "rain", "args": OSLO}, {"name": "rain", "args": ROME}],
            "tool_results": ["7 mm", "3 mm"],
            "response": SAID,
        },
        {
            "prompt": "And in Bern?",
            "model_id": "lyra-2",
            "tool_calls": [{"name": "rain", "args": {"city": "Bern"}}],
            "tool_results": ["5 mm"],
            "response": "5 mm.",
        },
    ),
    [
        Run([Call("rain", OSLO, "7 mm"), Call("rain", ROME, "3 mm")], ASKED, SAID, "lyra-2"),
        Run([Call("rain", {"city": "Bern"}, "5 mm")], "And in Bern?", "5 mm.", "lyra-2"),
    ],
)

BY_ID = Unseen(
    "trace.json",
    whole(
        {
            "goal": ASKED,
            "llm": {"model": "lyra-2"},
            "calls": [
                {"id": "c1", "fn": "rain", "args": OSLO},
                {"id": "c2", "fn": "rain", "args": ROME},
            ],
            "results": {
                "c1": {"ok": True, "value": "7 mm"},
                "c2": {"ok": False, "error": "no station"},
            },
            "final_answer": SAID,
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm", True), Call("rain", ROME, UNSAID, False)],
            ASKED,
            SAID,
            "lyra-2",
        )
    ],
)

TAGS = Unseen(
    "talk.json",
    whole(
        {
            "dialogue_id": "d5",
            "turns": [
                {"speaker": "human", "text": ASKED},
                {
                    "speaker": "bot",
                    "text": 'I look.\n<invoke name="rain">\n'
                    '<parameter name="city">Oslo</parameter>\n</invoke>',
                },
                {"speaker": "human", "text": "<tool_result>7 mm</tool_result>"},
                {"speaker": "bot", "text": SAID},
            ],
        }
    ),
    [Run([Call("rain", OSLO, "7 mm")], ASKED, SAID, None, None, "d5")],
)

PYTHON = Unseen(
    "steps.log",
    "".join(
        f"{value!r}\n"
        for value in (
            {"type": "user", "content": ASKED},
            {
                "type": "tool",
                "name": "rain",
                "args": OSLO,
                "result": {"mm": 7, "old": None},
                "success": True,
            },
            {"type": "tool", "name": "rain", "args": ROME, "result": None, "success": False},
            {"type": "assistant", "content": SAID},
        )
    ),
    [
        Run(
            [Call("rain", OSLO, {"mm": 7, "old": None}, True), Call("rain", ROME, None, False)],
            ASKED,
            SAID,
        )
    ],
)

CSV = Unseen(
    "calls.csv",
    "run_id,step,model,tool,arguments,result,ok,duration_ms,timestamp\n"
    'a1,1,lyra-2,rain,"{""city"": ""Oslo""}",7 mm,true,850,2026-01-01T00:00:01Z\n'
    'a1,2,lyra-2,rain,"{""city"": ""Rome""}","no station, sorry",false,40,2026-01-01T00:00:03Z\n'
    'b2,1,lyra-2,rain,"{""city"": ""Bern""}",5 mm,true,700,2026-01-01T00:00:07Z\n',
    [
        Run(
            [
                Call("rain", OSLO, "7 mm", True, 0.85, T0 + 1),
                Call("rain", ROME, "no station, sorry", False, 0.04, T0 + 3),
            ],
            "",
            None,
            "lyra-2",
            None,
            "a1",
            None,
            None,
            T0 + 1,
            T0 + 3,
        ),
        Run(
            [Call("rain", {"city": "Bern"}, "5 mm", True, 0.7, T0 + 7)],
            "",
            None,
            "lyra-2",
            None,
            "b2",
            None,
            None,
            T0 + 7,
            T0 + 7,
        ),
    ],
)

TSV = Unseen(
    "toolcalls.tsv",
    "conversation_id\tserver\ttool_name\ttool_input\ttool_output\tstatus\tlatency_ms\n"
    'k1\tweather\train\t{"city": "Oslo"}\t{"mm": 7}\tsuccess\t120\n'
    'k1\tweather\train\t{"city": "Rome"}\t\terror\t95\n',
    [
        Run(
            [
                Call("rain", OSLO, {"mm": 7}, True, 0.12, None, "weather"),
                Call("rain", ROME, UNSAID, False, 0.095, None, "weather"),
            ],
            "",
            None,
            None,
            None,
            "k1",
        )
    ],
)

TRACES = Unseen(
    "traces.jsonl",
    lines(
        *(
            {
                "id": f"run-{number}",
                "agent": {"model": "lyra-2", "framework": "homemade"},
                "request": f"Rain in {city}?",
                "trace": [
                    {
                        "at": at(number),
                        "kind": "tool",
                        "tool": "rain",
                        "in": {"city": city},
                        "out": f"{mm} mm",
                        "err": None,
                    },
                    {
                        "at": at(number + 1),
                        "kind": "tool",
                        "tool": "check",
                        "in": {"mm": mm},
                        "out": None,
                        "err": "no such gauge",
                    },
                ],
                "reply": f"{mm} mm.",
                "score": 0.8,
            }
            for number, city, mm in ((1, "Oslo", 7), (5, "Rome", 3))
        )
    ),
    [
        Run(
            [
                Call("rain", {"city": city}, f"{mm} mm", UNSAID, None, T0 + number),
                Call("check", {"mm": mm}, UNSAID, False, None, T0 + number + 1),
            ],
            # Whether an `id` is of the run, the task or the row, nobody says.
            f"Rain in {city}?",
            f"{mm} mm.",
            "lyra-2",
            None,
            UNSAID,
            None,
            0.8,
            T0 + number,
            T0 + number + 1,
        )
        for number, city, mm in ((1, "Oslo", 7), (5, "Rome", 3))
    ],
)

EXCHANGES = Unseen(
    "conversation.json",
    whole(
        {
            "conversationId": "v3",
            "modelId": "lyra-2",
            "turns": [
                {
                    "user": "Rain in Oslo?",
                    "assistant": "7 mm.",
                    "toolUses": [
                        {
                            "toolName": "rain",
                            "toolInput": OSLO,
                            "toolResult": "7 mm",
                            "durationMs": 300,
                        }
                    ],
                },
                {
                    "user": "And in Rome?",
                    "assistant": SAID,
                    "toolUses": [
                        {
                            "toolName": "rain",
                            "toolInput": ROME,
                            "toolResult": "3 mm",
                            "durationMs": 310,
                        }
                    ],
                },
            ],
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm", None, 0.3), Call("rain", ROME, "3 mm", None, 0.31)],
            "Rain in Oslo?",
            SAID,
            "lyra-2",
            None,
            "v3",
        )
    ],
)

LOGGER = Unseen(
    "service.log",
    lines(
        {
            "level": "info",
            "time": at(0),
            "msg": "request",
            "trace_id": "t1",
            "query": ASKED,
            "model": "lyra-2",
        },
        {
            "level": "info",
            "time": at(1),
            "msg": "tool call",
            "trace_id": "t1",
            "tool": "rain",
            "args": json.dumps(OSLO),
        },
        {
            "level": "info",
            "time": at(2),
            "msg": "tool result",
            "trace_id": "t1",
            "tool": "rain",
            "result": "7 mm",
            "elapsed": "120ms",
        },
        {"level": "info", "time": at(3), "msg": "response", "trace_id": "t1", "answer": SAID},
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm", None, 0.12, T0 + 1)],
            ASKED,
            SAID,
            "lyra-2",
            None,
            "t1",
            None,
            None,
            T0,
            T0 + 3,
        )
    ],
)

GYM = Unseen(
    "episode.json",
    whole(
        {
            "episode": 12,
            "policy": {"model_name": "lyra-2"},
            "instruction": ASKED,
            "transitions": [
                {
                    "action": {"tool": "rain", "arguments": OSLO},
                    "next_observation": "7 mm",
                    "reward": 0,
                },
                {
                    "action": {"tool": "rain", "arguments": ROME},
                    "next_observation": "3 mm",
                    "reward": 1,
                },
            ],
            "total_reward": 1.0,
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm"), Call("rain", ROME, "3 mm")],
            ASKED,
            None,
            "lyra-2",
            None,
            None,
            None,
            1.0,
        )
    ],
)

SPANLIKE = Unseen(
    "spans.json",
    whole(
        {
            "trace_id": "t7",
            "spans": [
                {
                    "kind": "LLM",
                    "name": "chat",
                    "start": at(0),
                    "end": at(1),
                    "attrs": {"model": "lyra-2"},
                },
                {
                    "kind": "TOOL",
                    "name": "rain",
                    "start": at(1),
                    "end": at(2.5),
                    "input": OSLO,
                    "output": "7 mm",
                },
                {
                    "kind": "TOOL",
                    "name": "rain",
                    "start": at(3),
                    "end": at(3.25),
                    "input": ROME,
                    "output": "3 mm",
                },
            ],
        }
    ),
    [
        Run(
            [
                Call("rain", OSLO, "7 mm", None, 1.5, T0 + 1),
                Call("rain", ROME, "3 mm", None, 0.25, T0 + 3),
            ],
            "",
            None,
            "lyra-2",
            None,
            "t7",
            None,
            None,
            T0,
            T0 + 3.25,
        )
    ],
)

UTTERANCES = Unseen(
    "dialogs.json",
    whole(
        [
            {
                "dialog_id": f"d{number}",
                "utterances": [
                    {"speaker": "USER", "utterance": f"Rain in {city}?"},
                    {
                        "speaker": "AGENT",
                        "utterance": "",
                        "api_call": {"method": "rain", "parameters": {"city": city}},
                    },
                    {"speaker": "API", "utterance": f"{mm} mm"},
                    {"speaker": "AGENT", "utterance": f"It is {mm} mm."},
                ],
            }
            for number, city, mm in ((1, "Oslo", 7), (2, "Rome", 3))
        ]
    ),
    [
        Run(
            [Call("rain", {"city": city}, f"{mm} mm")],
            f"Rain in {city}?",
            f"It is {mm} mm.",
            None,
            None,
            f"d{number}",
        )
        for number, city, mm in ((1, "Oslo", 7), (2, "Rome", 3))
    ],
)

WHO_SAID = Unseen(
    "chatlog.json",
    whole(
        {
            "run": {
                "uuid": "u-4",
                "llm": "lyra-2",
                "started": at(0),
                "finished": at(9),
                "status": "ok",
            },
            "log": [
                {"t": 0.0, "who": "human", "said": ASKED},
                {"t": 1.2, "who": "model", "called": {"tool": "rain", "with": OSLO}},
                {"t": 2.0, "who": "tool", "gave": "7 mm"},
                {"t": 3.1, "who": "model", "said": SAID},
            ],
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm")],
            ASKED,
            SAID,
            "lyra-2",
            None,
            "u-4",
            None,
            None,
            T0,
            T0 + 9,
        )
    ],
)

GATEWAY = Unseen(
    "gateway-audit.jsonl",
    lines(
        {
            "created": at(0),
            "session": "g1",
            "server": "github",
            "tool": "create_issue",
            "request": {"title": "Leak"},
            "response": {"content": [{"type": "text", "text": "#7"}], "isError": False},
            "latency_ms": 88,
            "user": "bob",
        },
        {
            "created": at(4),
            "session": "g1",
            "server": "github",
            "tool": "close_issue",
            "request": {"number": 7},
            "response": {"content": [{"type": "text", "text": "denied"}], "isError": True},
            "latency_ms": 12,
            "user": "bob",
        },
    ),
    [
        Run(
            [
                Call("create_issue", {"title": "Leak"}, UNSAID, True, 0.088, T0, "github"),
                Call("close_issue", {"number": 7}, UNSAID, False, 0.012, T0 + 4, "github"),
            ],
            "",
            None,
            None,
            None,
            "g1",
            None,
            None,
            T0,
            T0 + 4,
        )
    ],
)

EVALUATED = Unseen(
    "eval-report.json",
    whole(
        [
            {
                "case": "c1",
                "model": "lyra-2",
                "input": "Rain in Oslo?",
                "expected_calls": [{"function": "rain", "arguments": {"city": "Bergen"}}],
                "actual_calls": [{"function": "rain", "arguments": OSLO}],
                "actual_output": "7 mm.",
                "pass": False,
            },
            {
                "case": "c2",
                "model": "lyra-2",
                "input": "Rain in Rome?",
                "expected_calls": [],
                "actual_calls": [{"function": "rain", "arguments": ROME}],
                "actual_output": "3 mm.",
                "pass": True,
            },
        ]
    ),
    [
        Run([Call("rain", OSLO)], "Rain in Oslo?", "7 mm.", "lyra-2", "c1", UNSAID, False),
        Run([Call("rain", ROME)], "Rain in Rome?", "3 mm.", "lyra-2", "c2", UNSAID, True),
    ],
)

NUMBERED = Unseen(
    "run.json",
    whole(
        {
            "query": ASKED,
            "model": "lyra-2",
            "steps": {
                "0": {"tool": "rain", "args": OSLO, "result": "7 mm", "took_ms": 200},
                "1": {"tool": "rain", "args": ROME, "result": "3 mm", "took_ms": 300},
            },
            "output": SAID,
            "verdict": "fail",
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm", None, 0.2), Call("rain", ROME, "3 mm", None, 0.3)],
            ASKED,
            SAID,
            "lyra-2",
            None,
            None,
            False,
        )
    ],
)

DELEGATED = Unseen(
    "team.json",
    whole(
        {
            "agent": "planner",
            "model": "lyra-2",
            "task": ASKED,
            "events": [
                {"type": "plan", "text": "Ask the worker."},
                {
                    "type": "delegate",
                    "to": "worker",
                    "events": [
                        {"type": "tool", "name": "rain", "args": OSLO, "result": "7 mm"},
                        {"type": "tool", "name": "rain", "args": ROME, "result": "3 mm"},
                    ],
                },
            ],
            "result": SAID,
        }
    ),
    [Run([Call("rain", OSLO, "7 mm"), Call("rain", ROME, "3 mm")], ASKED, SAID, "lyra-2")],
)

YAML = Unseen(
    "session.yaml",
    f"""run: y1
model_name: lyra-2
prompt: {ASKED}
calls:
  - tool: rain
    input: {{city: Oslo}}
    output: 7 mm
    elapsed_ms: 250
  - tool: rain
    input: {{city: Rome}}
    output: 3 mm
    elapsed_ms: 260
answer: {SAID}
ok: true
""",
    [
        Run(
            [Call("rain", OSLO, "7 mm", None, 0.25), Call("rain", ROME, "3 mm", None, 0.26)],
            ASKED,
            SAID,
            "lyra-2",
            None,
            "y1",
            True,
        )
    ],
)

PREFIXED = Unseen(
    "agent.log",
    f"""2026-01-01T00:00:00Z INFO agent started model=lyra-2
2026-01-01T00:00:01Z INFO agent tool_call {{"id": "c1", "tool": "rain", "args": {{"city": "Oslo"}}}}
2026-01-01T00:00:02Z INFO agent tool_result {{"call_id": "c1", "result": "7 mm", "took_ms": 640}}
2026-01-01T00:00:03Z INFO agent answer {{"role": "assistant", "content": "{SAID}"}}
""",
    [
        Run(
            [Call("rain", OSLO, "7 mm", None, 0.64, T0 + 1)],
            "",
            SAID,
            UNSAID,
            None,
            None,
            None,
            None,
            UNSAID,
            UNSAID,
        )
    ],
)

ACTIONS = Unseen(
    "chat.json",
    whole(
        {
            "model_name": "lyra-2",
            "chat": [
                {"role": "user", "msg": ASKED},
                {
                    "role": "assistant",
                    "msg": SAID,
                    "actions": [
                        {"tool": "rain", "params": OSLO, "output": "7 mm", "success": True},
                        {"tool": "rain", "params": ROME, "success": False, "error": "no station"},
                    ],
                },
            ],
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm", True), Call("rain", ROME, UNSAID, False)],
            ASKED,
            SAID,
            "lyra-2",
        )
    ],
)

INTERLEAVED = Unseen(
    "all-runs.jsonl",
    lines(
        {
            "run": "A",
            "i": 0,
            "call": {"name": "rain", "arguments": OSLO},
            "return": "7 mm",
            "ms": 12,
        },
        {
            "run": "B",
            "i": 0,
            "call": {"name": "rain", "arguments": ROME},
            "return": "3 mm",
            "ms": 14,
        },
        {
            "run": "A",
            "i": 1,
            "call": {"name": "snow", "arguments": OSLO},
            "return": "0 cm",
            "ms": 11,
        },
        {
            "run": "B",
            "i": 1,
            "call": {"name": "snow", "arguments": ROME},
            "return": "0 cm",
            "ms": 13,
        },
    ),
    [
        Run(
            [
                Call("rain", city, mm, None, took),
                Call("snow", city, "0 cm", None, took - 0.001),
            ],
            "",
            None,
            None,
            None,
            name,
        )
        for name, city, mm, took in (("A", OSLO, "7 mm", 0.012), ("B", ROME, "3 mm", 0.014))
    ],
)

NESTED_FACTS = Unseen(
    "record.json",
    whole(
        {
            "meta": {"model": "lyra-2", "task_id": "T9", "duration_s": 12.5},
            "evaluation": {"passed": False, "score": 0.2, "reason": "wrong unit"},
            "dialog": [
                {"speaker": "user", "content": ASKED},
                {
                    "speaker": "agent",
                    "content": "",
                    "tool_calls": [{"id": "c", "name": "rain", "arguments": OSLO}],
                },
                {"speaker": "tool", "tool_call_id": "c", "content": "7 mm"},
                {"speaker": "agent", "content": SAID},
            ],
        }
    ),
    [
        Run(
            [Call("rain", OSLO, "7 mm")],
            ASKED,
            SAID,
            "lyra-2",
            "T9",
            None,
            False,
            0.2,
        )
    ],
)

OUTPUTS = Unseen(
    "response.json",
    whole(
        {
            "input": ASKED,
            "assistant": {
                "tool_calls": [{"id": "c1", "function": "rain", "arguments": json.dumps(OSLO)}]
            },
            "tool_outputs": [{"tool_call_id": "c1", "output": "7 mm"}],
            "final_text": SAID,
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
    ),
    [Run([Call("rain", OSLO, "7 mm")], ASKED, SAID)],
)

COMPLETION = Unseen(
    "completions.jsonl",
    lines(
        {
            "prompt": ASKED,
            "model_id": "lyra-2",
            "completion": "Thought: look it up\nAction: rain\nAction Input: "
            + json.dumps(OSLO)
            + "\nObservation: 7 mm\nThought: I know\nFinal Answer: "
            + SAID,
        }
    ),
    [Run([Call("rain", OSLO, "7 mm")], ASKED, SAID, "lyra-2")],
)

COLUMNS = Unseen(
    "columns.json",
    whole(
        {
            "question": ASKED,
            "tool_names": ["rain", "rain"],
            "tool_inputs": [OSLO, ROME],
            "tool_outputs": ["7 mm", "3 mm"],
            "answer": SAID,
            "model_name": "lyra-2",
        }
    ),
    [Run([Call("rain", OSLO, "7 mm"), Call("rain", ROME, "3 mm")], ASKED, SAID, "lyra-2")],
)

UNSEEN = {
    name.lower(): value for name, value in sorted(globals().items()) if isinstance(value, Unseen)
}
