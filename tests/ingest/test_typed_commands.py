"""Commands in words, the tools that words describe, and outcomes that columns state."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest

from assay.ingest.described_tools import described_tools
from assay.ingest.stated_outcome import (
    COUNTED_KEYS,
    SCORES_BESIDE,
    VERDICTS,
    VERDICTS_BESIDE,
    stated_outcome,
)
from assay.ingest.typed_commands import (
    DONE_KEYS,
    SHELLS,
    acted,
    fenced,
    fenced_command,
    keystrokes,
    told_of_command,
)

SCREEN = "\n\n(Open file: n/a)\n(Current directory: /repo)\nbash-$"
LOOK = {
    "name": "look",
    "description": "Look out.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}
OFFERED = {"type": "function", "function": LOOK}
FUNCTIONS = """You have these:
---- BEGIN FUNCTION #1: bash ----
Description: Run a command.

Parameters:
  (1) command (string, required): What to run.
  (2) wait (integer, optional): How long.
---- END FUNCTION #1 ----

–– BEGIN FUNCTION #2: submit ––
Description: Hand it in.
No parameters are required for this function.
–– END FUNCTION #2 ––

<function=example_name>
<parameter=example>v</parameter>
</function>"""

OUTCOMES: list[tuple[dict[str, Any], tuple[bool | None, float | None] | None]] = [
    *(({key: 1}, (True, None)) for key in sorted(COUNTED_KEYS)),
    *(({key: 0.0}, (False, None)) for key in sorted(COUNTED_KEYS)),
    *(({"resolved": word.title()}, (verdict, None)) for word, verdict in VERDICTS.items()),
    *(({key: False, other: "x"}, (False, None)) for key, other in VERDICTS_BESIDE),
    *(({key: True}, None) for key, _ in VERDICTS_BESIDE),
    *(({key: "0.5", other: "x"}, (None, 0.5)) for key, other in SCORES_BESIDE),
    *(({key: "0.5"}, None) for key, _ in SCORES_BESIDE),
    ({"result": "AgentTimeoutError", "trial_name": "x"}, None),
    ({"resolved": -1}, None),
    ({"resolved": "maybe"}, None),
    ({"resolved": None, "reward": "1"}, (None, 1.0)),
    ({"passed": 1}, None),
    ({"reward": "high"}, None),
    ({"reward": "1" * 50}, None),
    ({"resolved": [1]}, None),
]


@pytest.mark.parametrize(("row", "expected"), OUTCOMES, ids=str)
def test_an_outcome_is_taken_from_what_states_it(row: dict[str, Any], expected: Any) -> None:
    outcome = stated_outcome(row)
    assert (outcome and (outcome.success, outcome.score)) == expected


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("Execution output of [bash]:\na", ("a", None)),
        ("EXECUTION RESULT of [bash]:\na", ("a", None)),
        ("Exit code: -1\nExecution output of [bash]:\n", ("", False)),
        ("New Terminal Output:\na", ("a", None)),
        ("The output of the OS:\n\na", ("a", None)),
        ("Observation: a", ("a", None)),
        (f"OBSERVATION:\na{SCREEN}", ("a", None)),
        ("a\nbash-$", ("a", None)),
        ("a\n(Current directory: /b)\nme@box:/b#", ("a", None)),
        ("<returncode>0</returncode>\na", ("<returncode>0</returncode>\na", True)),
        ("a\nme@box:/b#", None),
        ("Exit code: 1", None),
        ("", None),
    ],
)
def test_a_harness_is_known_by_its_marks(words: str, told: Any) -> None:
    assert told_of_command(words) == told


def test_commands_stand_in_fences() -> None:
    assert fenced("a\n```x\nb\n\nc\n```\n```\nd\n```\n```open\ne") == [("x", "b\n\nc"), ("", "d")]
    assert all(fenced_command(f"```{name}\nls\n```") for name in SHELLS)
    assert fenced_command("```\na\n```\n```\nb\n```")[0]["arguments"] == {"command": "b"}
    assert fenced_command("```bash\na\n```\n```bash\nb\n```") == []
    assert fenced_command("```python\na\n```") == []


def test_keystrokes_and_actions_are_calls() -> None:
    done = [keystrokes(json.dumps({"commands": [], key: True})) for key in DONE_KEYS]
    assert done == [[{"name": "mark_task_complete", "arguments": {}}]] * 2
    assert keystrokes('{"commands": ["ls"]}') == []
    assert keystrokes('"commands" no json') == []
    assert acted("Thought: a\nAction:\nsearch[b c]", observed=True) == [
        {"name": "search", "arguments": "b c"}
    ]
    assert acted("Thought: a\nAction: search[b c]", observed=False) == []
    assert acted("Thought: a\nAction: go to desk 1", observed=True) == []
    assert acted("Action: bash\n```\nls\n```", observed=True) == []


def test_tools_are_described_in_blocks_and_among_words() -> None:
    bash, submit = described_tools(FUNCTIONS)
    assert bash == {
        "name": "bash",
        "description": "Run a command.",
        "parameters": {
            "type": "object",
            "properties": {
                "command": {"type": "string", "description": "What to run."},
                "wait": {"type": "integer", "description": "How long."},
            },
            "required": ["command"],
        },
    }
    assert (submit["name"], submit["parameters"]["properties"]) == ("submit", {})
    assert described_tools(f"a {json.dumps(LOOK)} b {json.dumps([OFFERED])}") == [LOOK, OFFERED]
    assert described_tools('Call so: {"name": "look", "parameters": {"city": "Oslo"}}') == []
    assert described_tools('{"name": {"name": broken') == []


@pytest.mark.parametrize(
    "words",
    [
        "```\n" * 50_000,
        '{"name": ' * 50_000,
        "Thought: a\nAction: " * 20_000,
        "-- BEGIN FUNCTION #1: a --\n" * 10_000,
        "<exception>" * 30_000,
        "(Open file: a)\n" * 20_000 + "bash-$",
        '{"commands": ' * 50_000,
    ],
    ids=lambda words: words[:12],
)
def test_hostile_words_take_no_time(words: str) -> None:
    begun = process_time()
    fenced_command(words)
    keystrokes(words)
    acted(words, observed=True)
    told_of_command(words)
    described_tools(words)
    assert process_time() - begun < 1
