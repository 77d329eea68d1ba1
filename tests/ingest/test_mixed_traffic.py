"""A tape on which several APIs were recorded tells the runs of each."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.ingest.documents import Unreadable
from assay.ingest.mixed_traffic import ADDRESSES, ANSWERED, APIS, ASKED, api_of
from assay.ingest.reading import read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

USER = {"role": "user", "content": "Rain?"}
CHAT = (
    {"model": "gpt", "messages": [USER]},
    {"choices": [{"message": {"role": "assistant", "content": "Yes, says chat."}}]},
)
CLAUDE = (
    {"model": "claude", "messages": [USER]},
    {
        "role": "assistant",
        "content": [{"type": "text", "text": "Yes, says Claude."}],
        "stop_reason": "end_turn",
    },
)
GEMINI = (
    {"contents": [{"role": "user", "parts": [{"text": "Rain?"}]}]},
    {"candidates": [{"content": {"role": "model", "parts": [{"text": "Yes, says Gemini."}]}}]},
)
RESPONSES = (
    {"model": "o", "input": [USER]},
    {
        "object": "response",
        "output": [
            {
                "type": "message",
                "role": "assistant",
                "content": [{"type": "output_text", "text": "Yes, says o."}],
            }
        ],
    },
)
PAGE: tuple[Any, Any] = ({"page": 1}, {"rows": []})


def tape(*exchanges: tuple[Any, Any]) -> bytes:
    bodies = [(json.dumps(sent), json.dumps(came)) for sent, came in exchanges]
    recorded = [{"request": {"body": s}, "response": {"body": c}} for s, c in bodies]
    return json.dumps({"interactions": recorded}).encode()


def test_every_api_of_a_tape_is_read_by_its_own_reader(tmp_path: Path) -> None:
    (tmp_path / "tape.json").write_bytes(tape(CHAT, GEMINI, CLAUDE, PAGE, RESPONSES, CHAT))
    found = list(read_runs(tmp_path))
    assert [item for item in found if isinstance(item, Unreadable)] == []
    runs = [item for item in found if isinstance(item, AgentTestCase)]
    assert [(run.source.format, run.actual_output) for run in runs if run.source] == [
        ("openai-chat", "Yes, says chat."),
        ("openai-chat", "Yes, says chat."),
        ("gemini-api", "Yes, says Gemini."),
        ("anthropic-messages", "Yes, says Claude."),
        ("openai-responses", "Yes, says o."),
    ]
    assert len({run.run_id for run in runs}) == 5


def test_a_tape_of_one_api_is_one_recording(tmp_path: Path) -> None:
    (tmp_path / "tape.json").write_bytes(tape(CHAT, PAGE, CHAT))
    runs = list(read_runs(tmp_path))
    assert [run.extra.get("other_requests") for run in runs if isinstance(run, AgentTestCase)] == [
        None,
        1,
    ]


def test_requests_whose_reply_cannot_be_read_stay_in_their_conversation(tmp_path: Path) -> None:
    failed: tuple[Any, Any] = (CHAT[0], {"error": "overloaded"})
    (tmp_path / "tape.json").write_bytes(tape(failed, CHAT))
    runs = [run for run in read_runs(tmp_path) if isinstance(run, AgentTestCase)]
    assert [run.actual_output for run in runs] == ["Yes, says chat."]


def test_a_format_that_is_named_reads_the_whole_tape(tmp_path: Path) -> None:
    (tmp_path / "tape.json").write_bytes(tape(CHAT, GEMINI))
    found = list(read_runs(tmp_path, format_name="openai-chat"))
    assert [isinstance(item, AgentTestCase) for item in found].count(True) == 1
    assert any(isinstance(item, Unreadable) for item in found)


@pytest.mark.parametrize(("sign", "api"), ADDRESSES)
def test_an_address_tells_the_api(sign: str, api: str) -> None:
    assert api_of({"url": f"https://x.test{sign}", "messages": []}) == api
    assert api in APIS


@pytest.mark.parametrize(("key", "api"), ASKED)
def test_a_request_tells_the_api(key: str, api: str) -> None:
    assert api_of({"request": {key: []}}) == api
    assert api in APIS


@pytest.mark.parametrize(("key", "api"), ANSWERED)
def test_a_reply_tells_the_api(key: str, api: str) -> None:
    pair: dict[str, Any] = {"request": {"messages": []}, "response": {key: []}}
    told: dict[str, Any] = {key: {}} if key == "trace" else pair
    assert api_of(told) == api
    assert api in APIS


def test_a_thread_and_a_chat_on_one_tape_are_two_runs(tmp_path: Path) -> None:
    said = {"id": "m1", "object": "thread.message", "thread_id": "t1", "role": "user"}
    listed = {"data": [{**said, "content": [{"type": "text", "text": {"value": "Sun?"}}]}]}
    (tmp_path / "tape.json").write_bytes(tape(({}, listed), CHAT))
    runs = [run for run in read_runs(tmp_path) if isinstance(run, AgentTestCase)]
    assert [(run.source.format, run.input) for run in runs if run.source] == [
        ("openai-assistants", "Sun?"),
        ("openai-chat", "Rain?"),
    ]
