"""Asking models in their own protocols, on loopback: what is sent, understood and closed."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase, MCPToolMetric
from assay.errors import InvalidJudge, JudgeFailed, JudgeUnavailable, MissingExtra
from assay.judge.choosing import as_judge
from assay.judge.models import _OPEN
from assay.judge.prompt import judge_prompt, reply_schema
from assay.judge.rubric import DIMENSION_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.judge.marks import Marks

pytest.importorskip("pydantic_ai", reason="needs the extra judge")

CASE = AgentTestCase("What is the weather in Oslo?", "It is sunny.")
SEVENS = dict.fromkeys(DIMENSION_NAMES, 7)
TEXT = json.dumps(SEVENS)


class Heard:
    """One request: path, headers in small letters, body."""

    def __init__(self, path: str, headers: dict[str, str], body: dict[str, Any]) -> None:
        self.path = path
        self.headers = headers
        self.body = body


def openai_reply(text: str = TEXT, finish_reason: str = "stop") -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": "m-0101",
        "choices": [{"index": 0, "finish_reason": finish_reason, "message": message}],
        "usage": {"prompt_tokens": 11, "completion_tokens": 5, "total_tokens": 16},
    }


def anthropic_reply(text: str = TEXT, stop_reason: str = "end_turn") -> dict[str, Any]:
    return {
        "id": "1",
        "type": "message",
        "role": "assistant",
        "model": "m-0101",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 5},
    }


def google_reply(text: str = TEXT, finish_reason: str = "STOP") -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    return {
        "candidates": [{"content": content, "finishReason": finish_reason, "index": 0}],
        "usageMetadata": {"promptTokenCount": 11, "candidatesTokenCount": 5},
        "modelVersion": "m-0101",
        "responseId": "1",
    }


class Server(ThreadingHTTPServer):
    request_queue_size = 64
    daemon_threads = True


@contextmanager
def server(
    script: Callable[[Heard], tuple[int, dict[str, Any]]],
) -> Iterator[tuple[str, list[Heard]]]:
    """A server on loopback that answers by a script, and what it heard."""
    heard: list[Heard] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            headers = {name.lower(): value for name, value in self.headers.items()}
            heard.append(Heard(self.path, headers, body))
            status, found = script(heard[-1])
            data = json.dumps(found).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    with Server(("127.0.0.1", 0), Handler) as found:
        thread = threading.Thread(target=found.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{found.server_port}", heard
        finally:
            found.shutdown()
            thread.join()


def marks_by(spec: str, base_url: str, **options: Any) -> Marks:
    judge = as_judge(spec, base_url=base_url, **options)
    assert judge is not None
    return asyncio.run(judge.mark(CASE))


@pytest.fixture(autouse=True)
def keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI", "ANTHROPIC", "GOOGLE"):
        monkeypatch.setenv(f"{name}_API_KEY", f"{name.lower()}-key")
    monkeypatch.setenv("ASSAY_JUDGE_API_KEY", "own-key")


def test_a_compatible_server_is_asked_with_the_schema() -> None:
    with server(lambda _: (200, openai_reply())) as (url, heard):
        marks = marks_by("m", f"{url}/v1")
    assert marks.given == SEVENS
    assert (marks.input_tokens, marks.output_tokens) == (11, 5)
    assert marks.provenance is not None
    assert marks.provenance.model == "m-0101"
    (request,) = heard
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == "Bearer own-key"
    assert request.body["messages"] == [{"role": "user", "content": judge_prompt(CASE)}]
    assert request.body["temperature"] == 0.0
    form = request.body["response_format"]["json_schema"]
    assert form["schema"]["required"] == reply_schema(DIMENSION_NAMES)["required"]
    assert form["strict"] is True


def test_anthropic_is_asked_in_its_own_protocol() -> None:
    with server(lambda _: (200, anthropic_reply())) as (url, heard):
        marks = marks_by("anthropic:claude-haiku-4-5", url)
    assert marks.given == SEVENS
    assert (marks.input_tokens, marks.output_tokens) == (11, 5)
    assert heard[0].path.startswith("/v1/messages")
    assert any("own-key" in value for value in heard[0].headers.values())


def test_google_is_asked_in_its_own_protocol() -> None:
    with server(lambda _: (200, google_reply())) as (url, heard):
        marks = marks_by("google:gemini-2.5-flash", url)
    assert marks.given == SEVENS
    assert (marks.input_tokens, marks.output_tokens) == (11, 5)
    assert heard[0].path.endswith("models/gemini-2.5-flash:generateContent")
    assert any("own-key" in value for value in heard[0].headers.values())


CUT_OFF: dict[str, tuple[str, dict[str, Any]]] = {
    "m": ("/v1", openai_reply(TEXT[:60], "length")),
    "anthropic:claude-haiku-4-5": ("", anthropic_reply(TEXT[:60], "max_tokens")),
    "google:gemini-2.5-flash": ("", google_reply(TEXT[:60], "MAX_TOKENS")),
}


@pytest.mark.parametrize("spec", CUT_OFF)
def test_a_reply_cut_off_by_its_length_is_a_failure(spec: str) -> None:
    path, reply = CUT_OFF[spec]
    with server(lambda _: (200, reply)) as (url, heard), pytest.raises(JudgeFailed) as raised:
        marks_by(spec, url + path)
    assert "was cut off by its length limit" in str(raised.value)
    assert len(heard) == 2


def test_an_endpoint_that_knows_no_schema_is_asked_without_from_then_on() -> None:
    def script(heard: Heard) -> tuple[int, dict[str, Any]]:
        if "response_format" in heard.body:
            return 400, {"error": {"message": "response_format is not supported"}}
        return 200, openai_reply(f"My marks:\n```json\n{TEXT}\n```")

    async def twice() -> list[Marks]:
        judge = as_judge("m", base_url=f"{url}/v1")
        assert judge is not None
        return [await judge.mark(CASE), await judge.mark(CASE)]

    with server(script) as (url, heard):
        found = asyncio.run(twice())
    assert [marks.given for marks in found] == [SEVENS, SEVENS]
    assert ["response_format" in request.body for request in heard] == [True, False, False]
    assert "temperature" not in heard[-1].body


@pytest.mark.parametrize(
    ("status", "retryable"),
    [(400, False), (401, False), (404, False), (408, True), (429, True), (500, True), (503, True)],
)
def test_a_refusal_says_whether_asking_again_may_help(
    status: int,
    retryable: bool,
) -> None:
    def script(_: Heard) -> tuple[int, dict[str, Any]]:
        return status, {"error": {"message": "no", "code": "x"}}

    with server(script) as (url, heard), pytest.raises(JudgeUnavailable) as raised:
        marks_by("m", f"{url}/v1")
    assert raised.value.status == status
    assert raised.value.retryable is retryable
    assert "openai:m at http://127.0.0.1" in str(raised.value)
    # Only what may have been the schema's fault is asked once more, without it.
    assert len(heard) == (2 if status in {400, 404} else 1)


def test_a_key_that_an_endpoint_says_back_is_not_told() -> None:
    def script(_: Heard) -> tuple[int, dict[str, Any]]:
        return 401, {"error": {"message": "the key own-key is wrong", "code": "x"}}

    with server(script) as (url, _), pytest.raises(JudgeUnavailable) as raised:
        marks_by("m", f"{url}/v1")
    assert "the key [key] is wrong" in str(raised.value)
    assert "own-key" not in str(raised.value)


def test_an_empty_purse_does_not_fill_by_waiting() -> None:
    def script(_: Heard) -> tuple[int, dict[str, Any]]:
        return 429, {"error": {"message": "no money", "code": "insufficient_quota"}}

    with server(script) as (url, _), pytest.raises(JudgeUnavailable) as raised:
        marks_by("m", f"{url}/v1")
    assert raised.value.retryable is False


def test_nobody_there_is_worth_another_try() -> None:
    with pytest.raises(JudgeUnavailable) as raised:
        marks_by("m", "http://127.0.0.1:9/v1")
    assert raised.value.retryable is True
    assert raised.value.status is None


STRANGERS: dict[str, Callable[[], dict[str, Any]]] = {
    "openai:m": openai_reply,
    "anthropic:m": anthropic_reply,
    "google:m": google_reply,
}


@pytest.mark.parametrize("spec", STRANGERS)
def test_a_stranger_hears_no_key_of_a_provider(monkeypatch: pytest.MonkeyPatch, spec: str) -> None:
    monkeypatch.delenv("ASSAY_JUDGE_API_KEY")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "anthropic-key")
    with server(lambda _: (200, STRANGERS[spec]())) as (url, heard):
        assert marks_by(spec, url).given == SEVENS
    said = json.dumps([(request.path, request.headers, request.body) for request in heard])
    assert not any(f"{name}-key" in said for name in ("openai", "anthropic", "google"))


def test_several_runs_have_seeds_of_their_own() -> None:
    with server(lambda _: (200, openai_reply())) as (url, heard):
        marks = marks_by("m", f"{url}/v1", judge_runs=3, seed=40)
    assert marks.provenance is not None
    assert marks.provenance.runs == 3
    assert sorted(request.body["seed"] for request in heard) == [40, 41, 42]
    assert all("temperature" not in request.body for request in heard)
    assert len({request.body["messages"][0]["content"] for request in heard}) == 3


def test_one_judge_serves_many_loops_and_leaves_nothing_open() -> None:
    with server(lambda _: (200, openai_reply())) as (url, _):
        judge = as_judge("m", base_url=f"{url}/v1")
        assert judge is not None
        for _ in range(3):
            assert asyncio.run(judge.mark(CASE)).given == SEVENS
        assert not any(address.base_url == f"{url}/v1" for _, address, _ in _OPEN)


def test_the_metric_takes_a_model_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    with server(lambda _: (200, openai_reply())) as (url, _):
        monkeypatch.setenv("ASSAY_JUDGE_BASE_URL", f"{url}/v1")
        metric = MCPToolMetric(model="openai/m")
        asyncio.run(metric.a_measure(CASE))
    assert metric.grounding == 7.0
    assert metric.evaluation_model == f"openai:m at {url}/v1"


def test_an_address_that_would_not_be_used_is_refused() -> None:
    with pytest.raises(InvalidJudge, match="base_url: groq takes no address here"):
        as_judge("groq:m", base_url="http://127.0.0.1:9/v1")


def test_without_the_extra_the_error_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[judge\]'"):
        as_judge("openai:m")
