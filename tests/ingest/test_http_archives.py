"""Recorded HTTP traffic, by whichever recorder: the conversations in it are runs."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from tests.ingest.reading import read_one, recording
from tests.ingest.test_stream_pieces import CHAT, CONVERSE, GEMINI, as_events, frame

from assay.ingest.bedrock import BEDROCK
from assay.ingest.exchanges import MODEL_IN_URL, TRAFFIC_KEYS
from assay.ingest.formats import pick_format
from assay.ingest.gemini_api import GEMINI_API
from assay.ingest.http_archives import http_exchanges
from assay.ingest.mcp_wire import MCP_WIRE
from assay.ingest.openai_chat import OPENAI_CHAT
from assay.ingest.openai_responses import OPENAI_RESPONSES
from assay.ingest.reading import read_runs
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

    from assay.ingest.recording import Format

HOST = "https://api.example.com"
URL = f"{HOST}/v1/chat"
ASKED = {"role": "user", "content": "Rain?"}
USED = {"id": "t", "type": "function", "function": {"name": "rain", "arguments": "{}"}}
CALLED = {"role": "assistant", "content": None, "tool_calls": [USED]}
GIVEN = {"role": "tool", "tool_call_id": "t", "content": "yes"}
SAID = {"role": "assistant", "content": "Yes."}


def reply(message: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 5, "completion_tokens": 2}
    return {"model": "m", "choices": [{"message": message}], "usage": usage}


SENT = [json.dumps({"messages": messages}) for messages in ([ASKED], [ASKED, CALLED, GIVEN])]
CAME = [json.dumps(reply(message)) for message in (CALLED, SAID)]
PAIRS = list(zip(SENT, CAME, strict=True))


def vcr(sent: Any, came: Any, status: int = 200, url: str = URL) -> dict[str, Any]:
    request = {"method": "POST", "uri": url, "body": sent}
    return {"request": request, "response": {"status": {"code": status}, "body": {"string": came}}}


def packed(text: str) -> dict[str, str]:
    return {"base64": b64encode(gzip.compress(text.encode())).decode()}


FORMS: dict[str, Any] = {
    "vcrpy": {"interactions": [vcr(*pair) for pair in PAIRS], "version": 1},
    "vcrpy, packed": {"interactions": [vcr(sent, packed(came)) for sent, came in PAIRS]},
    "vcrpy for httpx": {
        "interactions": [
            {"request": {"body": s, "uri": URL}, "response": {"content": c, "status_code": 200}}
            for s, c in PAIRS
        ]
    },
    "parsed bodies": {
        "interactions": [
            {
                "request": {"parsed_body": json.loads(sent)},
                "response": {"parsed_body": json.loads(came)},
            }
            for sent, came in PAIRS
        ]
    },
    "Ruby": {
        "http_interactions": [
            {
                "request": {"uri": URL, "body": {"encoding": "UTF-8", "string": sent}},
                "response": {"status": {"code": 200}, "body": {"string": came}},
            }
            for sent, came in PAIRS
        ]
    },
    "lists side by side": {
        "requests": [{"uri": URL, "body": sent} for sent in SENT],
        "responses": [{"body": {"string": came}} for came in CAME],
    },
    "HAR": {
        "log": {
            "entries": [
                {
                    "request": {"url": URL, "postData": {"text": sent}},
                    "response": {"status": 200, "content": {"text": came}},
                }
                for sent, came in PAIRS
            ]
        }
    },
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_recorder_tells_the_same_run(form: Any) -> None:
    made_up = recording(form)
    assert pick_format(made_up)[0] is OPENAI_CHAT
    run = read_one(OPENAI_CHAT, made_up)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "m")
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]
    assert run.usage == Usage(10, 4)


def only_run(file: Path) -> AgentTestCase:
    (run,) = read_runs(file)
    assert isinstance(run, AgentTestCase)
    return run


@pytest.mark.parametrize("name", ["tape.yaml", "tape.yml", "tape.yaml.gz"])
def test_cassettes_are_yaml(tmp_path: Path, name: str) -> None:
    text = yaml.safe_dump(FORMS["vcrpy"]).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert [c.result for c in only_run(tmp_path).calls] == ["yes"]


def test_bytes_in_yaml_are_text_where_they_can_be(tmp_path: Path) -> None:
    pairs = [
        (SENT[0].encode(), CAME[0].encode()),
        (SENT[1].encode(), gzip.compress(CAME[1].encode())),
    ]
    tape = {"interactions": [vcr(*pair) for pair in pairs]}
    (tmp_path / "tape.yaml").write_text(yaml.safe_dump(tape))
    assert only_run(tmp_path / "tape.yaml").actual_output == "Yes."


def test_streamed_replies_are_put_together() -> None:
    tape = {"interactions": [vcr(SENT[0], as_events(CHAT).decode())]}
    run = read_one(OPENAI_CHAT, recording(tape))
    assert [(c.call_id, c.parameters) for c in run.calls] == [("t0", {"city": "Oslo"}), ("t1", {})]
    assert (run.input, run.usage) == ("Rain?", Usage(7, 3))


def test_framed_replies_of_bedrock_are_put_together() -> None:
    frames = b"".join(
        frame(kind, json.dumps(body).encode()) for e in CONVERSE for kind, body in e.items()
    )
    sent = json.dumps({"messages": [{"role": "user", "content": [{"text": "Rain?"}]}]})
    body = {"base64": b64encode(frames + b"\xff").decode()}
    url = "https://bedrock-runtime.example.com/model/nova%3A0/converse-stream"
    made_up = recording({"interactions": [vcr(sent, body, url=url)]})
    assert pick_format(made_up)[0] is BEDROCK
    run = read_one(BEDROCK, made_up)
    assert [c.tool for c in run.calls] == ["rain", "sun"]
    assert (run.model, run.input, run.usage) == ("nova:0", "Rain?", Usage(7, 3))


def test_traces_of_bedrocks_agents_come_in_frames() -> None:
    invoked = {"actionGroupInvocationInput": {"actionGroupName": "weather", "function": "rain"}}
    seen = {"actionGroupInvocationOutput": {"text": "yes"}}
    steps = [{"invocationInput": invoked}, {"observation": seen}]
    parts = [{"sessionId": "s", "trace": {"orchestrationTrace": step}} for step in steps]
    parts.append({"sessionId": "s", "trace": {"guardrailTrace": {"action": "NONE"}}})
    frames = b"".join(frame("trace", json.dumps(part).encode()) for part in parts) + b"\xff"
    tape = {"interactions": [vcr('{"inputText": "Rain?"}', {"base64": b64encode(frames).decode()})]}
    run = read_one(BEDROCK, recording(tape))
    assert (run.input, [(c.tool, c.result) for c in run.calls]) == ("Rain?", [("rain", "yes")])


def test_gemini_streams_a_list_and_names_the_model_in_the_address() -> None:
    sent = json.dumps({"contents": [{"role": "user", "parts": [{"text": "Rain?"}]}]})
    url = "https://example.com/v1/models/gem-1:streamGenerateContent?alt=sse"
    made_up = recording({"interactions": [vcr(sent, json.dumps(GEMINI), url=url)]})
    assert pick_format(made_up)[0] is GEMINI_API
    run = read_one(GEMINI_API, made_up)
    assert (run.model, [c.tool for c in run.calls]) == ("gem-1", ["rain", "sun"])


ASKED_BY: dict[str, tuple[Format, Any]] = {
    "chat": (OPENAI_CHAT, {"messages": [ASKED]}),
    "Gemini": (GEMINI_API, {"contents": [{"role": "user", "parts": [{"text": "Rain?"}]}]}),
    "Bedrock": (BEDROCK, {"messages": [{"role": "user", "content": [{"text": "Rain?"}]}]}),
}


@pytest.mark.parametrize("api", ASKED_BY)
def test_every_api_tells_of_what_failed_and_of_what_else_was_sent(api: str) -> None:
    expected, asked = ASKED_BY[api]
    tape = {"interactions": [vcr(None, "<html>"), vcr(json.dumps(asked), "no", 503)]}
    run = read_one(expected, recording(tape))
    told = {key: run.extra[key] for key in TRAFFIC_KEYS}
    assert told == {"url": URL, "other_requests": 1, "unread_reply": "HTTP 503"}


@pytest.mark.parametrize("word", MODEL_IN_URL)
def test_every_way_to_name_a_model_in_an_address(word: str) -> None:
    url = f"https://example.com/{word}/x%3A1/converse"
    (entry,) = recording({"interactions": [vcr(SENT[0], "", url=url)]}).sample
    from_url = {"modelId": BEDROCK, "model": GEMINI_API}[MODEL_IN_URL[word]]
    content = {"role": "user", "content": [{"text": "Rain?"}], "parts": [{"text": "Rain?"}]}
    kept = {"messages": [content]} if from_url is BEDROCK else {"contents": [content]}
    entry["interactions"][0]["request"]["body"] = json.dumps(kept)
    assert read_one(from_url, recording(entry)).model == "x:1"


def test_a_key_in_the_address_is_not_kept() -> None:
    tape = {"interactions": [vcr(*pair, url=f"{URL}?key=secret") for pair in PAIRS]}
    assert read_one(OPENAI_CHAT, recording(tape)).extra["url"] == URL


def test_a_reply_that_is_one_message_is_a_reply() -> None:
    lone = json.dumps({"id": "x", "message": CALLED, "usage": {"tokens": {"input_tokens": 4}}})
    run = read_one(OPENAI_CHAT, recording({"interactions": [vcr(SENT[0], lone)]}))
    assert ([c.tool for c in run.calls], run.usage) == (["rain"], Usage(4))


def test_what_failed_and_was_sent_again_is_one_run() -> None:
    tape = [vcr(SENT[0], '{"error": {}}', 429), *(vcr(*pair) for pair in PAIRS)]
    run = read_one(OPENAI_CHAT, recording({"interactions": tape}))
    assert (run.actual_output, len(run.calls)) == ("Yes.", 1)
    assert "unread_reply" not in run.extra


def test_a_request_that_failed_for_good_says_so() -> None:
    run = read_one(OPENAI_CHAT, recording({"interactions": [vcr(SENT[0], "no", 503)]}))
    assert (run.actual_output, run.extra["unread_reply"]) == (None, "HTTP 503")


def test_other_requests_are_counted_and_no_runs() -> None:
    embedded = vcr('{"input": "x", "model": "e"}', '{"object": "list", "data": []}')
    tape = [embedded, vcr(None, "<html>"), *(vcr(*pair) for pair in PAIRS)]
    run = read_one(OPENAI_CHAT, recording({"interactions": tape}))
    assert run.extra["other_requests"] == 2
    assert pick_format(recording({"interactions": [embedded]}))[0] is None


@pytest.mark.parametrize("value", [{"interactions": 3}, {"interactions": [{"a": 1}]}, {"log": []}])
def test_what_is_no_traffic_has_no_exchanges(value: Any) -> None:
    assert http_exchanges(value) == []


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://nora:pass7@api.example.com:8443/v1/chat?key=k7#t7", f"{HOST}:8443/v1/chat"),
        ("https://token7@api.example.com", HOST),
        ("https://api.example.com/@nora/chat", f"{HOST}/@nora/chat"),
        ("https://api.example.com?next=//a@b", HOST),
        ("/v1/chat?key=k7", "/v1/chat"),
    ],
)
def test_nothing_of_an_address_is_kept_that_may_be_a_key(url: str, kept: str) -> None:
    (exchange,) = http_exchanges({"interactions": [vcr("", "", url=url)]})
    assert exchange.url == kept


@pytest.mark.parametrize(("took", "ended"), [(500, 1767225600.5), (10**400, 1767225600.0)])
def test_an_exchange_ends_when_its_time_is_over(took: int, ended: float) -> None:
    entry = {"startedDateTime": "2026-01-01T00:00:00Z", "time": took, "request": {"url": URL}}
    (exchange,) = http_exchanges({"log": {"entries": [entry]}})
    assert exchange.ended_at == ended


def test_bodies_are_unpacked_as_long_as_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.ingest.http_archives._MOST_UNPACKED", 2_500)
    tape = {"interactions": [vcr("", packed("x" * 1_000)) for _ in range(5)]}
    assert [len(exchange.came) for exchange in http_exchanges(tape)] == [1_000, 1_000, 500, 1, 1]


def test_the_protocol_of_mcp_is_read_from_cassettes_as_well() -> None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "rain"}}
    came = {"jsonrpc": "2.0", "id": 1, "result": {"content": [], "isError": True}}
    tape = {
        "interactions": [vcr(json.dumps(asked), f"event: message\ndata: {json.dumps(came)}\n\n")]
    }
    made_up = recording(tape)
    assert pick_format(made_up)[0] is MCP_WIRE
    (call,) = read_one(MCP_WIRE, made_up).calls
    assert (call.tool, call.reported_success) == ("rain", False)


ITEM = {"type": "function_call", "call_id": "t", "name": "rain", "arguments": "{}"}
DONE = {"type": "function_call_output", "call_id": "t", "output": "yes"}
ANSWER = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "output_text", "text": "Yes."}],
}


def responded(own_id: str, *items: Any) -> str:
    usage = {"input_tokens": 5, "output_tokens": 2}
    return json.dumps({"id": own_id, "object": "response", "output": items, "usage": usage})


@pytest.mark.parametrize(
    "second",
    [
        {"input": [ASKED, ITEM, DONE]},
        {"input": [DONE], "previous_response_id": "r1"},
    ],
)
def test_responses_that_go_on_with_each_other_are_one_run(second: dict[str, Any]) -> None:
    tape = [
        vcr(json.dumps({"input": [ASKED]}), responded("r1", {**ITEM, "id": "f"})),
        vcr(json.dumps(second), responded("r2", ANSWER)),
    ]
    made_up = recording({"interactions": tape})
    assert pick_format(made_up)[0] is OPENAI_RESPONSES
    run = read_one(OPENAI_RESPONSES, made_up)
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [(c.tool, c.result) for c in run.calls] == [("rain", "yes")]
    assert run.usage == Usage(10, 4)
