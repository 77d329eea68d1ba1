"""Recordings of the calls alone: what nobody recorded is missing, and no fault of the run."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.evidence.made_runs import call, run

from assay import AgentTestCase, MCPToolMetric, read_runs
from assay.evidence.examination import examine
from assay.evidence.sources import NO_TALK
from assay.expectation import Expectations
from assay.judge.choosing import FixedMarks
from assay.judge.evidence import EvidenceJudge
from assay.judge.panel import Panel

if TYPE_CHECKING:
    from pathlib import Path

READ = call("read_file", {"path": "/tmp/a.txt"}, "hello there", turn=1)
FAILED = call("read_file", {"path": "/tmp/b.txt"}, failed=True, error="No such file", turn=2)
SENT = {"role": "user", "content": "What does a.txt say?"}
USED = {"id": "t", "type": "function", "function": {"name": "read_file", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [USED]}
GIVEN = {"role": "tool", "tool_call_id": "t", "content": "hello there"}
MESSAGES: list[dict[str, Any]] = [
    {"id": 0, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
    {"id": 0, "result": {"protocolVersion": "2025-06-18", "serverInfo": {"name": "files"}}},
    {"id": 1, "method": "tools/call", "params": {"name": "read_file", "arguments": {"path": "a"}}},
    {"id": 1, "result": {"content": [{"type": "text", "text": "hello there"}]}},
]
WIRE = [{"jsonrpc": "2.0", **message} for message in MESSAGES]


def archived(sent: object, came: object) -> dict[str, Any]:
    """One exchange as browsers and proxies save it."""
    return {
        "request": {
            "method": "POST",
            "url": "https://files.example.com/mcp",
            "postData": {"mimeType": "application/json", "text": json.dumps(sent)},
        },
        "response": {
            "status": 200,
            "content": {"mimeType": "application/json", "text": json.dumps(came)},
        },
    }


def read_cases(path: Path) -> list[AgentTestCase]:
    return [case for case in read_runs(path) if isinstance(case, AgentTestCase)]


PAIRS = [archived(*WIRE[:2]), archived(*WIRE[2:])]
LOGS = {
    "wire.jsonl": "\n".join(map(json.dumps, WIRE)),
    "traffic.har": json.dumps({"log": {"version": "1.2", "entries": PAIRS}}),
}


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_the_protocol_is_not_blamed_for_holding_no_answer(
    name: str, tmp_path: Path
) -> None:
    path = tmp_path / name
    path.write_text(LOGS[name], encoding="utf-8")
    (case,) = read_cases(path)
    assert [known.tool for known in case.calls] == ["read_file"]
    found = EvidenceJudge().mark_now(case)
    assert (found.values["task_fulfillment"], found.values["grounding"]) == (None, None)
    told = "Neither the question nor an answer was recorded."
    assert found.reasons["task_fulfillment"] == found.reasons["grounding"] == told
    # Whether a result was used is not known either.
    assert found.reasons["tool_appropriateness"] == "1 of 1 calls were new."
    assert (found.verdict, found.findings) == ("no problem found", ())


def test_a_chat_that_ends_on_a_call_is_blamed_as_ever(tmp_path: Path) -> None:
    path = tmp_path / "chat.json"
    path.write_text(json.dumps({"messages": [SENT, CALLED, GIVEN]}), encoding="utf-8")
    (case,) = read_cases(path)
    found = EvidenceJudge().mark_now(case)
    assert found.values["task_fulfillment"] == 1.0
    assert found.reasons["task_fulfillment"] == "There is no answer after the last call."
    assert found.verdict == "problem found"


def said(role: str, text: str) -> dict[str, Any]:
    return {"conversation_history": [{"role": role, "content": text}]}


@pytest.mark.parametrize(
    ("case", "mark"),
    [
        (run("", READ, answer=None), None),
        (run(" \n", READ, answer=" "), None),
        (run("", READ, answer=None, **said("assistant", "")), None),
        # How a run failed that was meant for nobody knows what, its calls tell, not this mark.
        (run("", READ, FAILED, answer=None), None),
        # Where nothing at all is recorded, nothing was done.
        (run("", answer=None), 1.0),
        # A word of either side shows that words were recorded.
        (run("What does a.txt say?", READ, answer=None), 1.0),
        (run("", READ, answer=None, **said("assistant", "Let me see.")), 1.0),
        (run("What is there?", READ, FAILED, answer="Nothing."), 5.0),
        # What was expected can be told from the calls.
        (run("", READ, answer=None, expected_effects=Expectations(writes=[])), 10.0),
        (run("", READ, answer=None, extra={"stop_reason": "max_steps"}), 1.0),
    ],
)
def test_the_task_is_judged_where_a_word_was_recorded(
    case: AgentTestCase, mark: float | None
) -> None:
    assert EvidenceJudge().mark_now(case).values["task_fulfillment"] == mark


def test_a_failure_at_the_end_is_still_found() -> None:
    findings = examine(run("", READ, FAILED, answer=None)).findings
    assert "failure_at_end" in [found.kind for found in findings.found]
    assert findings.signals["no_usable_end"] is None


def test_nothing_is_said_of_an_answer_that_was_not_recorded() -> None:
    alone = examine(run("", READ, answer=None))
    assert (alone.grounding.share, alone.grounding.reason) == (None, NO_TALK)
    assert alone.plan.unused == ()
    asked = examine(run("What does a.txt say?", READ, answer=None))
    assert asked.grounding.reason == "there is no answer"
    assert asked.plan.unused == (0,)


def test_the_metric_says_why_it_has_no_mark() -> None:
    metric = MCPToolMetric()
    metric.measure(run("", READ, answer=None))
    assert metric.task_fulfillment is None
    told = "Task fulfillment not judged: Neither the question nor an answer was recorded."
    assert told in (metric.reason or "").splitlines()


def test_in_a_jury_the_reason_of_a_mark_comes_before_that_of_none() -> None:
    fixed = FixedMarks({"task_fulfillment": 6, "task_fulfillment_reason": "It read the file."})
    found = asyncio.run(Panel([EvidenceJudge(), fixed]).mark(run("", READ, answer=None)))
    assert found.values["task_fulfillment"] == 6
    assert found.reasons["task_fulfillment"] == "It read the file."
    assert found.reasons["grounding"] == "Neither the question nor an answer was recorded."
