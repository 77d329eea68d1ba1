"""The spans that the frameworks emit tell the same calls as the adapters recorded."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.readers import Unreadable, read_runs
from assay.test_case import AgentTestCase

SCRIPT = Path(__file__).parent / "spans_script.py"
PROMPTS = (
    "What's the weather in Oslo?",
    "Compare the weather in Oslo and Tampere",
    "What's the weather in Atlantis?",
    "[unknown-tool] weather",
)


NAMES = ("adk", "agent-framework", "weather-adk", "weather-agent-framework")


@pytest.fixture(scope="module")
def conversations() -> dict[str, list[dict[str, Any]]]:
    """The turns of every agent, held in one process: the frameworks take long to load."""
    done = subprocess.run(
        [sys.executable, SCRIPT, ",".join(NAMES), *PROMPTS],
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    found: dict[str, list[dict[str, Any]]] = json.loads(done.stdout)
    return found


def told(case: AgentTestCase) -> list[tuple[str, Any]]:
    return [(call.tool, call.parameters) for call in case.calls]


@pytest.mark.parametrize("name", NAMES)
def test_spans_and_records_agree(
    name: str, conversations: dict[str, list[dict[str, Any]]], tmp_path: Path
) -> None:
    assert len(conversations[name]) == len(PROMPTS)
    for i, turn in enumerate(conversations[name]):
        file = tmp_path / f"{i}.jsonl"
        file.write_text("\n".join(map(json.dumps, turn["spans"])))
        (read,) = read_runs(file)
        recorded = AgentTestCase.from_dict(turn["case"])
        assert not isinstance(read, Unreadable), read
        assert read.source is not None
        assert read.source.format == "otel"
        assert told(read) == told(recorded), PROMPTS[i]
        assert [call.success for call in read.calls] == [c.success for c in recorded.calls]
        assert read.actual_output == recorded.actual_output
        assert read.input == recorded.input
        assert read.usage is not None
        assert recorded.usage is not None
        assert read.usage.input_tokens == recorded.usage.input_tokens
