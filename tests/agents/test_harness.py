"""What is recorded of a turn when agents, models and commands do odd things."""

from __future__ import annotations

import asyncio
import json
import shlex
import sys
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest

from assay.agents.catalogue import adapter_named
from assay.agents.harness import Conduct, TurnRecord, calls_of_turn, run_turn
from assay.agents.loopback import LoopbackServer, QuietHandler
from assay.agents.model_tap import AskedCall, Exchange, note_reply
from assay.agents.protocol import ModelEndpoint, Turn
from assay.errors import InvalidSettings
from assay.event_loop import in_thread

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.agents.conftest import Lifeline

    from assay.agents.harness import Event as Happened
    from assay.agents.model_tap import ModelTap
    from assay.agents.protocol import Agent, Emit

KEY = "sk-not-for-agents"


class _Model(QuietHandler):
    """Says a word, calls a tool, and answers when it has the result; its owner is what it heard."""

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.owner.append((self.path, self.headers["Authorization"]))
        has_result = any(message["role"] == "tool" for message in body["messages"])
        call = {"index": 0, "id": "c1", "type": "function"}
        call["function"] = {"name": "look", "arguments": "{}"}
        deltas: list[dict[str, Any]] = (
            [{"content": "It is "}, {"content": "red."}]
            if has_result
            else [{"content": "Let me look. "}, {"tool_calls": [call]}]
        )
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for delta in [*deltas, {}]:
            reason = None if delta else "stop" if has_result else "tool_calls"
            choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": reason}
            chunk = {"id": "x", "created": 1, "model": "m", "object": "chat.completion.chunk"}
            self.wfile.write(f"data: {json.dumps({**chunk, 'choices': [choice]})}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")


class _BreaksOff(QuietHandler):
    """Promises more than it sends."""

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        self.send_response(200)
        self.send_header("Content-Length", "1000")
        self.end_headers()
        self.wfile.write(b'{"choices": [')
        self.close_connection = True


class _Lingers(QuietHandler):
    """Says the last word of a stream, and ends it only when the server does."""

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        said = b'data: {"choices": [{"delta": {"content": "hi"}}]}\n\n'
        for piece in (said, b"data: [DONE]\n\n"):
            self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.flush()
        self.server.owner.wait(120)
        self.wfile.write(b"0\r\n\r\n")


@pytest.fixture
def serve() -> Iterator[Callable[[type[QuietHandler]], LoopbackServer]]:
    opened: list[LoopbackServer] = []

    def begin(handler: type[QuietHandler]) -> LoopbackServer:
        opened.append(LoopbackServer(handler, []))
        opened[-1].begin()
        return opened[-1]

    yield begin
    for server in opened:
        server.end()


def told(
    agent: Agent,
    tap: ModelTap,
    base_url: str = "http://127.0.0.1:9/v1",
    *,
    tools: tuple[Any, ...] = (),
    deadline: float = 120.0,
) -> TurnRecord:
    turn = Turn("hello", "s", ModelEndpoint(base_url, "m", KEY))
    return asyncio.run(run_turn(agent, turn, tap, tools=tools, conduct=Conduct(deadline)))


def look() -> str:
    """Look."""
    return "red"


@pytest.mark.parametrize("name", ["plain", "adk", "agent-framework"])
def test_words_before_a_call_are_not_taken_for_the_answer(
    name: str, tap: ModelTap, serve: Callable[[type[QuietHandler]], LoopbackServer]
) -> None:
    server = serve(_Model)
    agent = adapter_named(name).make()
    record = told(agent, tap, f"{server.address}/v1", tools=(look,))
    assert [call.result for call in record.case.calls] == ["red"]
    assert record.case.actual_output is not None
    assert record.case.actual_output.endswith("It is red.")
    assert {key for _, key in server.owner} == {f"Bearer {KEY}"}


def test_the_key_stays_with_the_tap(tap: ModelTap) -> None:
    script = "import json, os, sys; print(os.environ['OPENAI_API_KEY'], sys.stdin.read())"
    agent = adapter_named(f"command:{sys.executable} -c {shlex.quote(script)}").make()
    record = told(agent, tap)
    assert record.case.actual_output is not None
    assert record.case.actual_output.startswith("none {")
    assert KEY not in record.case.to_json()


def test_a_path_cannot_become_part_of_the_host(tap: ModelTap) -> None:
    endpoint, line, token = tap.open(ModelEndpoint("http://127.0.0.1:9", "m"), lambda *_: None)
    path = endpoint.base_url.partition("127.0.0.1")[2].partition("/")[2]
    assert tap.line(f"/{path}/chat") == (line, "/chat")
    assert tap.line(f"/{path}@elsewhere.example/chat") is None
    assert tap.line(f"/{path}.elsewhere.example/chat") is None
    tap.close(token)


def test_a_model_that_breaks_off_is_seen_by_the_agent_and_noted(
    tap: ModelTap, serve: Callable[[type[QuietHandler]], LoopbackServer]
) -> None:
    import httpx  # noqa: PLC0415 - of an extra

    async def agent(turn: Turn, _: Emit) -> str:
        async with httpx.AsyncClient(timeout=120) as client:
            reply = await client.post(f"{turn.model.base_url}/chat/completions", json={})
        return reply.text

    record = told(agent, tap, f"{serve(_BreaksOff).address}/v1")
    assert (record.error or "").startswith("RemoteProtocolError")


def test_a_reply_is_told_before_the_agent_can_act_on_it(tap: ModelTap) -> None:
    import httpx  # noqa: PLC0415 - of an extra

    seen: list[tuple[str, Any]] = []
    let_go = Event()
    server = LoopbackServer(_Lingers, let_go)
    server.begin()
    upstream = ModelEndpoint(f"{server.address}/v1", "m")
    endpoint, line, _ = tap.open(upstream, lambda kind, data: seen.append((kind, data)))
    address = f"{endpoint.base_url}/chat/completions"
    with httpx.stream("POST", address, json={}, timeout=120) as reply:
        lines = reply.iter_lines()
        assert "data: [DONE]" in lines
        told_by_then = [kind for kind, _ in seen]
        let_go.set()
        assert list(lines) == [""]
    line.wait(120)
    server.end()
    assert told_by_then == ["model_request", "model_reply"]
    assert [data.get("text") for _, data in seen] == [None, "hi"]
    assert [exchange.text for exchange in line.exchanges] == ["hi"]


def test_a_model_that_is_not_there_is_told_before_the_agent_can_act_on_it(tap: ModelTap) -> None:
    import httpx  # noqa: PLC0415 - of an extra

    seen: list[str] = []
    endpoint, _, token = tap.open(
        ModelEndpoint("http://127.0.0.1:9/v1", "m"), lambda kind, _: seen.append(kind)
    )
    reply = httpx.post(f"{endpoint.base_url}/chat/completions", json={}, timeout=120)
    assert (reply.status_code, seen) == (502, ["model_request", "model_reply"])
    told = reply.json()["error"]["message"]
    assert told == "the model at http://127.0.0.1:9/v1 was not reached: ConnectError"
    tap.close(token)


def test_an_address_of_a_model_that_is_none_is_told(tap: ModelTap) -> None:
    import httpx  # noqa: PLC0415 - of an extra

    endpoint, line, token = tap.open(ModelEndpoint("http://[::1", "m"), lambda *_: None)
    reply = httpx.post(f"{endpoint.base_url}/chat/completions", json={}, timeout=120)
    told = "the model at http://[::1 was not reached: InvalidURL"
    assert (reply.status_code, reply.json()["error"]["message"]) == (502, told)
    assert [exchange.error for exchange in line.exchanges] == [told]
    tap.close(token)


def test_an_agent_is_not_told_what_lets_one_in_at_the_model(tap: ModelTap) -> None:
    import httpx  # noqa: PLC0415 - of an extra

    upstream = ModelEndpoint("http://ada:swordfish@127.0.0.1:9/v1?key=swordfish", "m")
    endpoint, line, token = tap.open(upstream, lambda *_: None)
    reply = httpx.post(f"{endpoint.base_url}/chat/completions", json={}, timeout=120)
    told = "the model at http://127.0.0.1:9/v1 was not reached: ConnectError"
    assert reply.json()["error"]["message"] == told
    assert [exchange.error for exchange in line.exchanges] == [told]
    tap.close(token)


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://ada:swordfish@127.0.0.1:9/chat?token=swordfish", "http://127.0.0.1:9/chat"),
        ("http://127.0.0.1:9/chat", "http://127.0.0.1:9/chat"),
        ("http://ada:swordfish@127.0.0.1:x/chat", "http://127.0.0.1:x/chat"),
    ],
)
def test_an_agent_that_is_not_reached_is_told_without_what_lets_one_in(
    tap: ModelTap, address: str, shown: str
) -> None:
    adapter = adapter_named(address)
    record = told(adapter.make(), tap)
    assert record.error is not None
    assert f"{shown} was not reached" in record.error
    assert (adapter.name, adapter.title) == (f"http:{shown}", shown)
    assert "swordfish" not in f"{record.error} {record.case.to_json()}"


def test_who_is_told_of_an_event_may_tell_of_another(tap: ModelTap) -> None:
    tell: list[Emit] = []

    async def agent(_: Turn, emit: Emit) -> str:
        tell.append(emit)
        emit("note", {"number": 1})
        return "done"

    def watch(event: Happened) -> None:
        if event.data.get("number") == 1:
            tell[0]("note", {"number": 2})

    turn = Turn("hello", "s", ModelEndpoint("http://127.0.0.1:9/v1", "m"))
    record = asyncio.run(run_turn(agent, turn, tap, watch=watch))
    assert [event.data.get("number") for event in record.events] == [None, 1, 2, None]


def test_events_of_several_threads_stand_in_the_order_of_their_times(tap: ModelTap) -> None:
    async def agent(_: Turn, emit: Emit) -> str:
        def tell() -> None:
            for number in range(300):
                emit("note", {"number": number})

        await asyncio.gather(*(in_thread(tell) for _ in range(4)))
        return "done"

    seen: list[Happened] = []
    turn = Turn("hello", "s", ModelEndpoint("http://127.0.0.1:9/v1", "m"))
    record = asyncio.run(run_turn(agent, turn, tap, watch=seen.append))
    assert [event.at for event in seen] == sorted(event.at for event in seen)
    assert record.events == seen
    assert len(seen) == 1_202


ODD_REPLIES = (
    {"choices": 5},
    {"choices": [5, {"message": "text"}, {"message": {"tool_calls": 7}}]},
    {"choices": [{"message": {"content": [{"type": "text", "text": ""}], "tool_calls": [8]}}]},
)


@pytest.mark.parametrize("reply", ODD_REPLIES)
def test_odd_replies_are_passed_over(reply: dict[str, Any]) -> None:
    exchange = Exchange(0.0)
    note_reply(exchange, json.dumps(reply).encode())
    assert (exchange.text, exchange.calls) == ("", [])


@pytest.mark.parametrize("index", [None, -1, "0"])
def test_a_call_without_a_usable_place_is_noted(index: object) -> None:
    call = {"index": index, "id": "c", "function": {"name": "look", "arguments": "{}"}}
    exchange = Exchange(0.0)
    note_reply(exchange, json.dumps({"choices": [{"message": {"tool_calls": [call]}}]}).encode())
    assert [(asked.call_id, asked.name) for asked in exchange.calls] == [("c", "look")]


def test_arguments_too_deep_to_be_read_stay_as_written() -> None:
    deep = "[" * 100_000
    (call,) = calls_of_turn([Exchange(0.0, calls=[AskedCall("1", "look", deep)])], [])
    assert call.parameters == deep


@pytest.mark.parametrize(
    ("usages", "tokens"), [((3, 4), 7), ((3, None), None), ((None, None), None)]
)
def test_a_reply_that_does_not_say_its_tokens_leaves_the_sum_unknown(
    usages: tuple[int | None, ...], tokens: int | None, tap: ModelTap
) -> None:
    async def agent(turn: Turn, _: Emit) -> str:
        found = tap.line(f"/{turn.model.base_url.split('/', 3)[3]}")
        assert found is not None
        for used in usages:
            usage = None if used is None else {"prompt_tokens": used}
            found[0].exchanges.append(Exchange(0.0, ended_at=1.0, text="said", usage=usage))
        return "done"

    usage = told(agent, tap).case.usage
    assert (None if usage is None else usage.input_tokens) == tokens


async def impatient(_: Turn, __: Emit) -> str:
    raise TimeoutError("my own")


async def silent(_: Turn, __: Emit) -> str:
    return None  # type: ignore[return-value]


async def slow(_: Turn, __: Emit) -> str:
    await asyncio.Event().wait()
    return ""


@pytest.mark.parametrize(
    ("agent", "deadline", "error"),
    [
        (impatient, 20.0, "TimeoutError: my own"),
        (silent, 20.0, "the agent returned None in place of an answer"),
        (slow, 0.1, "no answer within 0.1 s"),
    ],
)
def test_what_ended_a_turn_is_told(
    agent: Agent, deadline: float, error: str, tap: ModelTap
) -> None:
    record = told(agent, tap, deadline=deadline)
    assert (record.error, record.case.actual_output) == (error, None)


@pytest.mark.parametrize(
    ("calls", "error"),
    [
        ([{"tool": 5}], "calls[0].tool: expected str"),
        ([{"tool": "a"}, {}], "calls[1]: missing required field tool"),
        (["a"], "calls[0]: expected an object"),
        ("a", "calls: expected a list"),
    ],
)
def test_calls_that_are_none_fail_the_turn_and_name_the_field(
    calls: object, error: str, tmp_path: Path, tap: ModelTap
) -> None:
    reply = tmp_path / "reply.json"
    reply.write_text(json.dumps({"text": "done", "calls": calls}))
    record = told(adapter_named(f"command:cat {reply}").make(), tap)
    assert error in (record.error or "")


@pytest.mark.parametrize(("line", "told_of"), [("a 'b", "No closing quotation"), (" ", "empty")])
def test_a_command_line_that_is_none_is_told(line: str, told_of: str) -> None:
    with pytest.raises(InvalidSettings, match=told_of):
        adapter_named(f"command:{line}")


def test_what_a_command_leaves_behind_is_ended(lifeline: Lifeline, tap: ModelTap) -> None:
    line = f"sh -c '{lifeline.hold}; sleep 600 &'"
    record = told(adapter_named(f"command:{line}").make(), tap, deadline=1.0)
    assert record.error == "no answer within 1 s"
    assert lifeline.ends()


def test_a_command_that_never_stops_writing_is_ended(tap: ModelTap) -> None:
    record = told(adapter_named("command:yes").make(), tap)
    assert "more than 10,000,000 bytes" in (record.error or "")


class _Floods(QuietHandler):
    """Answers with more than anybody asked for."""

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for _ in range(20):
            self.wfile.write(b"x" * 1_000_000)


def test_an_address_that_answers_too_much_is_left(
    tap: ModelTap, serve: Callable[[type[QuietHandler]], LoopbackServer]
) -> None:
    record = told(adapter_named(f"{serve(_Floods).address}/chat").make(), tap)
    assert "more than 10,000,000 bytes" in (record.error or "")


class _GivesCookies(QuietHandler):
    """Gives everybody a cookie; its owner is what was brought back."""

    def do_POST(self) -> None:  # noqa: N802 - http.server's name
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.owner.append(self.headers["Cookie"])
        self.send_json(200, {"answer": "hi"}, {"Set-Cookie": "session=1; Path=/"})


def test_no_session_brings_back_the_cookies_of_another(
    tap: ModelTap, serve: Callable[[type[QuietHandler]], LoopbackServer]
) -> None:
    import httpx  # noqa: PLC0415 - of an extra

    server = serve(_GivesCookies)
    behind_address = adapter_named(f"{server.address}/chat").make()

    async def asks_the_model(turn: Turn, _: Emit) -> str:
        async with httpx.AsyncClient(timeout=120) as client:
            reply = await client.post(f"{turn.model.base_url}/chat/completions", json={})
        assert "set-cookie" not in reply.headers
        return "hi"

    for agent in (behind_address, behind_address, asks_the_model, asks_the_model):
        record = told(agent, tap, f"{server.address}/v1")
        assert (record.error, record.case.actual_output) == (None, "hi")
    assert server.owner == [None] * 4
