"""Rows of published data sets become runs with their calls, results and outcomes."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from tests.ingest.reading import read, read_one, recording
from tests.ingest.test_typed_commands import FUNCTIONS, LOOK, OFFERED, SCREEN

from assay.ingest.data_set_rows import (
    CALLERS,
    OWN_IDS,
    PATCH_KEYS,
    QUESTION_KEYS,
    SPEAKERS,
    TURN_KEYS,
    as_conversation,
    own_id,
    patch_of,
    question_of,
    task_of,
)
from assay.ingest.formats import pick_format
from assay.ingest.openai_chat import OPENAI_CHAT

OSLO = {"name": "look", "arguments": {"city": "Oslo"}}
ROME = {"name": "look", "arguments": {"city": "Rome"}}
TASK = {"instance_id": "acme__tool-7"}


def turn(role: str, words: Any, *, keys: tuple[str, str] = ("role", "content")) -> dict[str, Any]:
    return {keys[0]: role, keys[1]: words}


def shared(*turns: tuple[str, str]) -> list[dict[str, Any]]:
    """Turns as ShareGPT names them."""
    return [turn(role, words, keys=("from", "value")) for role, words in turns]


def chat(*turns: tuple[str, Any]) -> list[dict[str, Any]]:
    return [turn(role, words) for role, words in turns]


def sent(name: str, arguments: Any, call_id: str = "c1") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def typed(*commands: str, done: bool = False) -> str:
    listed = [{"keystrokes": command, "duration": 0.1} for command in commands]
    return json.dumps({"analysis": "So.", "plan": "p", "commands": listed, "task_complete": done})


LISTED = {**turn("assistant", "I look."), "tool_calls": [sent("bash", '{"command": "ls"}')]}
CALLED = [
    *chat(("system", "Help."), ("user", "Mend it.")),
    LISTED,
    {"role": "tool", "name": "bash", "tool_call_id": "c1", "content": "a.py"},
    turn("assistant", "Mended."),
]


class DataSet(NamedTuple):
    """A row as the data set has it, and the run that it tells."""

    row: dict[str, Any]
    calls: list[tuple[int, str, Any, Any, bool | None]]
    asked: str
    answer: str | None
    known: dict[str, Any] = {}  # noqa: RUF012  # nobody changes it
    tools: tuple[str, ...] = ()
    format: str = "openai-chat"


LS = (1, "bash", {"command": "ls"}, "a.py", None)
RAIN = (1, "look", OSLO["arguments"], "rain", None)
DATA_SETS = {
    "nebius/SWE-agent-trajectories": DataSet(
        {
            **TASK,
            "model_name": "llama-70b",
            "target": True,
            "trajectory": [
                {"role": "system", "mask": False, "system_prompt": "Type:\n```\nls -a\n```"},
                turn("user", f"It fails.{SCREEN}", keys=("role", "text")),
                turn("ai", 'I look.\n```\nsearch_dir "a" src\n```', keys=("role", "text")),
                turn("user", f"Directory src not found{SCREEN}", keys=("role", "text")),
                turn("ai", "Done.\n```\nsubmit\n```", keys=("role", "text")),
            ],
            "exit_status": "submitted",
            "generated_patch": "diff --git a b",
            "eval_logs": "1 passed",
        },
        [
            (1, "search_dir", {"command": 'search_dir "a" src'}, "Directory src not found", None),
            (2, "submit", {"command": "submit"}, None, None),
        ],
        f"It fails.{SCREEN}",
        "diff --git a b",
        {"task_id": "acme__tool-7", "model": "llama-70b", "outcome": (True, None)},
    ),
    "nebius/SWE-rebench-openhands-trajectories": DataSet(
        {
            **TASK,
            "trajectory_id": "t1",
            "trajectory": CALLED,
            "tools": [OFFERED],
            "exit_status": "submit",
            "resolved": 0,
        },
        [LS],
        "Mend it.",
        "Mended.",
        {"run_id": "t1", "task_id": "acme__tool-7", "outcome": (False, None)},
        ("look",),
    ),
    "nvidia/Open-SWE-Traces": DataSet(
        {**TASK, "trajectory_id": "t1", "messages": CALLED, "resolved": -1},
        [LS],
        "Mend it.",
        "Mended.",
        {"run_id": "t1", "outcome": None},
    ),
    "SWE-Gym/OpenHands-Sampled-Trajectories": DataSet(
        {**TASK, "run_id": "gpt-4o-run_1", "resolved": True, "messages": CALLED},
        [LS],
        "Mend it.",
        "Mended.",
        {"run_id": "gpt-4o-run_1/acme__tool-7", "outcome": (True, None)},
    ),
    "SWE-bench/SWE-smith-trajectories, tool": DataSet(
        {
            **TASK,
            "messages": json.dumps(
                [
                    {**turn("user", [{"type": "text", "text": "Mend it."}]), "agent": "main"},
                    {**LISTED, "thought": "I look.", "action": "ls", "message_type": "action"},
                    {**turn("tool", "a.py"), "tool_call_ids": ["c1"]},
                    {**turn("assistant", ""), "tool_calls": [sent("submit", "{}", "c2")]},
                ]
            ),
            "resolved": True,
            "model": "claude-3-7-sonnet-20250219",
            "traj_id": "x1",
            "patch": "diff",
        },
        [LS, (2, "submit", {}, None, None)],
        "Mend it.",
        None,
        {"run_id": "x1", "model": "claude-3-7-sonnet-20250219", "outcome": (True, None)},
    ),
    "SWE-bench/SWE-smith-trajectories, xml": DataSet(
        {
            "messages": json.dumps(
                chat(
                    ("system", FUNCTIONS),
                    ("user", "Mend it."),
                    (
                        "assistant",
                        "So.\n<function=bash>\n<parameter=command>ls</parameter>\n</function>",
                    ),
                    ("user", "OBSERVATION:\na.py"),
                    ("assistant", "<function=submit>\n</function>"),
                )
            ),
            "traj_id": "x2",
        },
        [LS, (2, "submit", {}, None, None)],
        "Mend it.",
        None,
        {"run_id": "x2"},
        ("bash", "submit"),
    ),
    "SWE-bench/SWE-smith-trajectories, ticks": DataSet(
        {
            "messages": json.dumps(
                chat(
                    ("user", "Mend it."),
                    ("assistant", "DISCUSSION\nSo.\n\n```\nls\n```"),
                    ("user", f"OBSERVATION:\na.py{SCREEN}"),
                    ("assistant", "```\nsubmit\n```"),
                )
            ),
        },
        [LS, (2, "submit", {"command": "submit"}, None, None)],
        "Mend it.",
        None,
    ),
    "R2E-Gym/R2EGym-SFT-Trajectories": DataSet(
        {
            "messages": chat(
                ("user", "Mend it."),
                (
                    "assistant",
                    "<function=bash>\n<parameter=command>ls</parameter>\n</function>",
                ),
                ("user", "Exit code: 0\nExecution output of [bash]:\na.py"),
                ("assistant", "<function=bash>\n<parameter=command>cat b</parameter>\n</function>"),
                ("user", "Exit code: Error: Exit code 1\nExecution output of [bash]:\nno b"),
                ("assistant", "No b."),
            )
        },
        [(*LS[:4], True), (2, "bash", {"command": "cat b"}, "no b", False)],
        "Mend it.",
        "No b.",
    ),
    "Kwai-Klear/SWE-smith-mini_swe_agent_plus-trajectories-66k": DataSet(
        {
            **TASK,
            "messages": chat(
                ("system", "Write:\n```bash\nyour_command\n```"),
                ("user", "Mend it."),
                ("assistant", "THOUGHT: So.\n\n```bash\nls\n```"),
                ("user", "<returncode>2</returncode>\n<output>\nno\n</output>"),
                ("assistant", "THOUGHT: Done.\n\n```bash\necho DONE\n```"),
            ),
        },
        [
            (
                *LS[:3],
                "<returncode>2</returncode>\n<output>\nno\n</output>",
                False,
            ),
            (2, "bash", {"command": "echo DONE"}, None, None),
        ],
        "Mend it.",
        None,
    ),
    "Agent-Ark/Toucan-1.5M, SFT": DataSet(
        {
            "uuid": "u1",
            "messages": json.dumps(
                chat(
                    ("system", "Declared."),
                    ("user", "Rain?"),
                    ("tool_call", "{'name': 'look', 'arguments': '{\"city\": \"Oslo\"}'}"),
                    ("tool_call", "{'name': 'look', 'arguments': '{\"city\": \"Rome\"}'}"),
                    ("tool_response", "rain"),
                    ("tool_response", "sun"),
                    ("assistant", "Oslo."),
                )
            ),
            "tools": json.dumps([OFFERED]),
            "target_tools": "look",
        },
        [RAIN, (1, "look", ROME["arguments"], "sun", None)],
        "Rain?",
        "Oslo.",
        {"run_id": "u1", "outcome": None},
        ("look",),
    ),
    "Agent-Ark/Toucan-1.5M": DataSet(
        {
            "uuid": "u1",
            "messages": json.dumps(
                [
                    turn("user", "Rain?"),
                    {
                        **turn("assistant", ""),
                        "function_call": {**OSLO, "arguments": json.dumps(OSLO["arguments"])},
                    },
                    {**turn("function", "rain"), "name": "look"},
                    turn("assistant", "Yes."),
                ]
            ),
            "available_tools": json.dumps([OFFERED]),
            "response_quality_assessment": json.dumps({"overall_score": 4.5}),
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {"run_id": "u1", "outcome": None},
        ("look",),
    ),
    "Salesforce/APIGen-MT-5k": DataSet(
        {
            "conversations": shared(
                ("human", "Rain?"),
                ("function_call", json.dumps(OSLO)),
                ("observation", "rain"),
                ("gpt", "Yes."),
            ),
            "tools": json.dumps([LOOK]),
            "system": "# Policy",
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {},
        ("look",),
    ),
    "Salesforce/xlam-function-calling-60k": DataSet(
        {
            "id": 3,
            "query": "Rain?",
            "answers": json.dumps([OSLO]),
            "tools": json.dumps([LOOK]),
        },
        [(*RAIN[:3], None, None)],
        "Rain?",
        None,
        {"task_id": "3"},
        ("look",),
        "function-calling",
    ),
    "Team-ACE/ToolACE": DataSet(
        {
            "system": f"You can invoke:\n{json.dumps([LOOK])}.",
            "conversations": shared(
                ("user", "Rain?"),
                ("assistant", '[look(city="Oslo")]'),
                ("tool", json.dumps([{"name": "look", "results": "rain"}])),
                ("assistant", "Yes."),
            ),
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {},
        ("look",),
        "function-calling",
    ),
    "NousResearch/hermes-function-calling-v1": DataSet(
        {
            "id": "h1",
            "conversations": shared(
                ("system", f"Within <tools></tools>: <tools>{json.dumps(OFFERED)}</tools>"),
                ("human", "Rain?"),
                (
                    "gpt",
                    "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in (OSLO, ROME)),
                ),
                (
                    "tool",
                    "<tool_response>\nrain\n</tool_response>\n<tool_response>\nsun\n</tool_response>",
                ),
                ("gpt", "Oslo."),
            ),
            "task": "Weather today",
        },
        [RAIN, (1, "look", ROME["arguments"], "sun", None)],
        "Rain?",
        "Oslo.",
        {"run_id": "h1", "task_id": None},
        ("look",),
    ),
    "glaiveai/glaive-function-calling-v2": DataSet(
        {
            "system": f"SYSTEM: Use these -\n{json.dumps(LOOK, indent=4)}\n",
            "chat": 'USER: Rain?\n\n\nASSISTANT: <functioncall> {"name": "look", "arguments": '
            '\'{"city": "Oslo"}\'} <|endoftext|>\n\n\nFUNCTION RESPONSE: rain\n\n\n'
            "ASSISTANT: Yes. <|endoftext|>\n",
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {},
        ("look",),
        "generic",
    ),
    "THUDM/AgentInstruct, os": DataSet(
        {
            "id": "os_3",
            "conversations": shared(
                ("human", "How many?"),
                ("gpt", "Think: I count.\n\nAct: bash\n\n```bash\nls | wc -l\n```"),
                ("human", "The output of the OS:\n220"),
                ("gpt", "Think: I know.\n\nAct: answer(220)"),
            ),
        },
        [(1, "bash", "ls | wc -l", "220", None)],
        "How many?",
        "Think: I know.\n\nAct: answer(220)",
        {"run_id": "os_3"},
    ),
    "THUDM/AgentInstruct, db": DataSet(
        {
            "conversations": shared(
                ("human", "Which?"),
                ("gpt", "Thought: I ask.\nAction: Operation\n```sql\nSELECT a FROM b;\n```"),
                ("human", "[('A',)]"),
                ("gpt", "Action: Answer\nFinal Answer: A"),
            ),
        },
        [(1, "Operation", "SELECT a FROM b;", "[('A',)]", None)],
        "Which?",
        "Action: Answer\nFinal Answer: A",
    ),
    "THUDM/AgentInstruct, kg": DataSet(
        {
            "conversations": shared(
                ("human", "Which?"),
                ("gpt", "Thought: I ask.\nAction: get_relations(Rhine)"),
                ("human", "Observation: [a, b]"),
                ("gpt", "Final Answer: #0"),
            ),
        },
        [(1, "get_relations", "Rhine", "[a, b]", None)],
        "Which?",
        "Final Answer: #0",
    ),
    "nvidia/Llama-Nemotron-Post-Training-Dataset": DataSet(
        {
            "messages": chat(
                ("system", f"<AVAILABLE_TOOLS>[{json.dumps(LOOK)}]</AVAILABLE_TOOLS>"),
                ("user", "Rain?"),
                ("assistant", f"<TOOLCALL>[{json.dumps(OSLO)}]</TOOLCALL>"),
                ("tool", "<TOOL_RESPONSE>rain</TOOL_RESPONSE>"),
                ("assistant", "Yes."),
            ),
            "license": "cc-by-4.0",
            "generator": "Qwen3-32B",
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {"model": "Qwen3-32B"},
        ("look",),
    ),
    "nvidia/Nemotron-Agentic-v1": DataSet(
        {
            "uuid": "n1",
            "messages": [
                turn("user", "Rain?"),
                {**turn("assistant", ""), "tool_calls": [sent("look", OSLO["arguments"])]},
                {**turn("tool", "rain"), "tool_call_id": "c1"},
                turn("assistant", "Yes."),
            ],
            "tools": [OFFERED],
            "model": "deepseek/DeepSeek-V3.2",
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {"run_id": "n1", "model": "deepseek/DeepSeek-V3.2"},
        ("look",),
    ),
    "open-thoughts/OpenThoughts-Agent-SFT-1K": DataSet(
        {
            "conversations": chat(
                ("user", "Make a file."),
                ("assistant", "<think>hm</think>" + typed("ls\n", "pwd\n")),
                ("user", "New Terminal Output:\n# ls\n# pwd"),
                ("assistant", typed(done=True)),
                ("user", "Are you sure?"),
                ("assistant", typed(done=True)),
            ),
            "agent": "terminus-2",
            "model": "hosted_vllm/glm",
            "task": "make-file",
            "episode": "episode-2",
            "run_id": "job-1",
            "trial_name": "make-file__a",
            "result": "1.0",
        },
        [
            (1, "bash_command", {"keystrokes": "ls\n", "duration": 0.1}, "# ls\n# pwd", None),
            (1, "bash_command", {"keystrokes": "pwd\n", "duration": 0.1}, "# ls\n# pwd", None),
            (2, "mark_task_complete", {}, "Are you sure?", None),
            (3, "mark_task_complete", {}, None, None),
        ],
        "Make a file.",
        None,
        {
            "run_id": "make-file__a/episode-2",
            "task_id": "make-file",
            "model": "hosted_vllm/glm",
            "framework": "terminus-2",
            "outcome": (None, 1.0),
        },
    ),
    "ScaleAI/MCP-Atlas": DataSet(
        {
            "TASK": "689f",
            "PROMPT": "Rain?",
            "ENABLED_TOOLS": json.dumps(["look"]),
            "TRAJECTORY": json.dumps(
                [
                    {**turn("assistant", ""), "tool_calls": [sent("look", OSLO["arguments"])]},
                    {**turn("tool", "rain"), "tool_call_id": "c1"},
                    turn("assistant", "Yes."),
                ]
            ),
            "GTFA_CLAIMS": "[]",
        },
        [RAIN],
        "Rain?",
        "Yes.",
        {"task_id": "689f"},
        ("look",),
    ),
}


@pytest.mark.parametrize("name", DATA_SETS)
def test_a_row_is_a_run(name: str) -> None:
    told = DATA_SETS[name]
    # Two rows with the same beginning are two runs, however they end.
    lines = recording((told.row, told.row), "rows.jsonl")
    found, _ = pick_format(lines)
    assert found is not None
    assert found.name == told.format
    run, _ = read(found, lines)
    calls = [(c.turn, c.tool, c.parameters, c.result, c.reported_success) for c in run.calls]
    assert calls == told.calls
    assert (run.input, run.actual_output) == (told.asked, told.answer)
    outcome = run.outcome and (run.outcome.success, run.outcome.score)
    facts = {**{key: getattr(run, key) for key in told.known}, "outcome": outcome}
    assert facts == {"outcome": None, **told.known}
    offered = run.available_tools or []
    names = [t if isinstance(t, str) else t.get("function", t)["name"] for t in offered]
    assert tuple(names) == told.tools


PLAIN = [
    {"conversations": shared(("human", "How?"), ("gpt", "```bash\nls\n```"), ("human", "Thanks."))},
    {
        "conversations": shared(
            ("human", "How?"), ("gpt", "```bash\nls\n```"), ("human", "a.py\nme@box:~$")
        )
    },
    {"conversations": shared(("human", "Plan."), ("gpt", "Thought: so\nAction: sleep(8)"))},
    {"trajectory": chat(("user", "a"), ("assistant", "b")), "target": True},
    {"messages": json.dumps(chat(("user", "a"), ("assistant", "b")))},
    {"conversation": chat(("user", "a"), ("assistant", "b")), "model": "m"},
    {"chosen": chat(("user", "a"), ("assistant", "b")), "score": 3},
]


@pytest.mark.parametrize("row", PLAIN, ids=str)
def test_a_data_set_of_chats_holds_no_runs(row: dict[str, Any]) -> None:
    assert pick_format(recording((row, row), "rows.jsonl"))[0] is None


@pytest.mark.parametrize("words", ["Thanks.", "a.py\nme@box:~$", "It says 0.", "costs\n5$"])
def test_a_fence_that_no_harness_typed_is_no_call(words: str) -> None:
    said = chat(("user", "How?"), ("assistant", "So:\n```bash\nls\n```"), ("user", words))
    run = read_one(OPENAI_CHAT, recording([*said, turn("assistant", "```bash\nls\n```")]))
    assert run.calls == []


@pytest.mark.parametrize("key", TURN_KEYS)
@pytest.mark.parametrize("speaker", sorted({*SPEAKERS, *CALLERS}))
def test_every_speaker_is_known_wherever_turns_stand(key: str, speaker: str) -> None:
    turns = shared(("human", "a"), (speaker.upper(), "b"))
    role = SPEAKERS.get(speaker, "assistant")
    for stated in (turns, json.dumps(turns)):
        if key == "messages" and stated is turns:
            continue
        assert as_conversation({key: stated, "x": 1}) == {
            "messages": chat(("user", "a"), (role, "b")),
            "x": 1,
        }


@pytest.mark.parametrize(
    "row",
    [
        {},
        {"messages": chat(("human", "a"))},
        {"trajectory": [{"action": "ls", "observation": "a"}]},
        {"trajectory": []},
        {"trajectory": "no json"},
        {"conversations": [turn("narrator", "a")]},
        {"conversations": [turn("user", "a"), "b"]},
        {"conversations": [{"role": "user"}]},
        {"conversations": {"role": "user"}},
    ],
    ids=str,
)
def test_other_values_stay_as_they_are(row: dict[str, Any]) -> None:
    assert as_conversation(row) is row


@pytest.mark.parametrize("keys", OWN_IDS)
def test_a_row_is_named_by_its_columns(keys: tuple[str, ...]) -> None:
    assert own_id({key: key for key in keys}) == "/".join(keys)
    assert own_id({"run_id": "many"}) is None
    assert own_id({"trial_name": "a"}) == "a"


def test_columns_say_what_was_asked_and_made() -> None:
    assert [question_of({key: "q"}) for key in QUESTION_KEYS] == ["q"] * len(QUESTION_KEYS)
    assert [patch_of({key: "p"}) for key in PATCH_KEYS] == ["p"] * len(PATCH_KEYS)
    assert task_of({"task": "a b", "prompt": "p"}) is None
    assert task_of({"task": "ab"}) is None
