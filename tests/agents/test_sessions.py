"""Agents that keep sessions: they take up what was said before, and forget when told to."""

from __future__ import annotations

import asyncio
import json
import logging
from threading import Event
from typing import TYPE_CHECKING, Any

import pytest
from tests.agents.conftest import DAY

from assay.agents.catalogue import ADAPTERS, adapter_named
from assay.agents.harness import run_turn
from assay.agents.own_thread import AgentThread
from assay.agents.protocol import Adapter, ModelEndpoint, PastCall, Remembering, Turn
from assay.agents.retold import latest, past_calls
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather
from assay.agents.weather.tools import weather_tools
from assay.event_loop import in_thread
from assay.execution import MCPExecutionData, ToolExecutionResult
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from assay.agents.harness import TurnRecord
    from assay.agents.model_tap import ModelTap
    from assay.agents.protocol import Emit
    from assay.agents.scripted.behaviours import Words

BEFORE = (
    {"role": "user", "content": "What's the weather in Oslo?"},
    {"role": "assistant", "content": "It is 2.6°C in Oslo."},
)
LATER = "And tomorrow?"


class ListeningModel(ScriptedModel):
    """The scripted model, with what was said to it."""

    heard: list[list[tuple[str, str]]]
    told: list[tuple[str, Any]]  # with its first request, calls and results included

    def words(self, request: dict[str, Any]) -> Words:
        self.told = self.told or [line for m in request["messages"] for line in _lines(m)]
        said = [(m["role"], _text(m.get("content"))) for m in request["messages"]]
        self.heard.append([line for line in said if line[0] in {"user", "assistant"} and line[1]])
        return super().words(request)


def _lines(message: dict[str, Any]) -> list[tuple[str, Any]]:
    role, text = message["role"], _text(message.get("content"))
    if role == "tool":
        found = json.loads(text)
        return [("result", found["result"] if set(found) == {"result"} else text)]
    calls = [call["function"] for call in message.get("tool_calls") or []]
    if calls:
        return [("calls", [(call["name"], json.loads(call["arguments"])) for call in calls])]
    return [(role, text)] if role in {"user", "assistant"} else []


def _text(content: Any) -> str:
    return "".join(part["text"] for part in content) if isinstance(content, list) else content or ""


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ListeningModel]:
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    served = ListeningModel()
    served.heard, served.told = [], []
    with served:
        yield served


@pytest.mark.parametrize("name", ADAPTERS)
def test_a_session_goes_on_from_its_history_and_can_be_forgotten(
    name: str, model: ListeningModel, tap: ModelTap
) -> None:
    agent = adapter_named(name).make()
    assert isinstance(agent, Remembering)
    tools = weather_tools(BundledWeather(DAY), PreferenceBook(), "ann")

    async def say(text: str, history: tuple[dict[str, str], ...]) -> TurnRecord:
        endpoint = ModelEndpoint(model.base_url, "scripted-good")
        return await run_turn(
            agent, Turn(text, "s1", endpoint, "ann", history=history), tap, tools=tools
        )

    async def talk() -> tuple[TurnRecord, TurnRecord]:
        first = await say(LATER, BEFORE)
        await say("Thank you.", tuple(first.case.conversation_history or ()))
        await agent.forget("s1")
        await agent.forget("s1")  # it is not there any more, which is no matter
        return first, await say(LATER, ())

    went_on, forgotten = asyncio.run(talk())
    told = [("user", BEFORE[0]["content"]), ("assistant", BEFORE[1]["content"])]
    assert model.heard[0] == [*told, ("user", LATER)]
    assert [call.parameters["city"] for call in went_on.case.calls] == ["Oslo"]
    thanks = [heard for heard in model.heard if heard[-1] == ("user", "Thank you.")]
    assert [line for line in thanks[0] if line[0] == "user"] == [
        ("user", BEFORE[0]["content"]),
        ("user", LATER),
        ("user", "Thank you."),
    ]
    assert model.heard[-1] == [("user", LATER)]
    assert forgotten.case.calls == []


CALLS = (
    (
        PastCall("past-0-0", "get_current_weather", {"city": "Oslo"}, '{"temp": 2.6}', 1),
        PastCall("past-0-1", "get_user_preferences", {}, '{"flags": {}}', 1),
        PastCall("past-0-2", "get_forecast", {"city": "Oslo"}, '{"error": "no map"}', 2),
    ),
)
RETOLD = [
    ("user", BEFORE[0]["content"]),
    ("calls", [("get_current_weather", {"city": "Oslo"}), ("get_user_preferences", {})]),
    ("result", '{"temp": 2.6}'),
    ("result", '{"flags": {}}'),
    ("calls", [("get_forecast", {"city": "Oslo"})]),
    ("result", '{"error": "no map"}'),
    ("assistant", BEFORE[1]["content"]),
    ("user", LATER),
]


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_model_is_told_the_calls_of_before_and_their_results(
    name: str, model: ListeningModel, tap: ModelTap
) -> None:
    agent = adapter_named(name).make()
    endpoint = ModelEndpoint(model.base_url, "scripted-good")
    turn = Turn(LATER, "s1", endpoint, "ann", history=BEFORE, calls=CALLS)
    tools = weather_tools(BundledWeather(DAY), PreferenceBook(), "ann")
    record = asyncio.run(run_turn(agent, turn, tap, tools=tools))
    assert model.told == RETOLD
    assert [call.parameters["city"] for call in record.case.calls] == ["Oslo"]  # its own alone


def test_calls_are_retold_as_they_were_recorded() -> None:
    executed = [
        ToolExecutionResult("look", {"n": 1}, {"found": 2}, success=True, turn=1),
        ToolExecutionResult("look", "{broken", None, success=False, error_message="no", turn=1),
        ToolExecutionResult("read", {}, "x" * 30_000, success=True, turn=2),
    ]
    case = AgentTestCase("hi", "hello", execution_data=MCPExecutionData(executed))
    first, second, third = past_calls(case, 4)
    assert first == PastCall("past-4-0", "look", {"n": 1}, '{"found": 2}', 1)
    assert second == PastCall("past-4-1", "look", {}, '{"error": "no"}', 1)
    assert third.result.endswith("xxx … (30,000 letters)")
    assert len(third.result) < 20_100
    kept = latest([(third,)] * 30)
    assert [bool(calls) for calls in kept] == [False] * 21 + [True] * 9
    assert [len(calls) for calls in latest([(first,), (third,) * 12, (second,)])] == [0, 9, 1]


def test_a_thread_passes_on_what_is_to_be_forgotten() -> None:
    forgotten: list[str] = []

    async def answers(turn: Turn, _: Emit) -> str:
        return turn.message

    async def forget(session_id: str) -> None:
        forgotten.append(session_id)
        raise RuntimeError("nobody hears of this")

    async def talk() -> str:
        thread = AgentThread(Adapter("x", "x", "agents", lambda: Remembering(answers, forget)))
        thread.forget("one")
        answer = await thread(Turn("hi", "s", ModelEndpoint("http://x", "m")), lambda *_: None)
        thread.close()
        return answer

    assert asyncio.run(talk()) == "hi"
    assert forgotten == ["one"]


@pytest.mark.parametrize("fails", [False, True])
def test_a_thread_closes_its_agent_when_it_ends(*, fails: bool) -> None:
    closed = Event()

    async def answers(turn: Turn, _: Emit) -> str:
        return turn.message

    async def forget(_: str) -> None:
        """Nothing is kept."""

    def close() -> Awaitable[None]:
        closed.set()
        if fails:
            raise RuntimeError("nobody hears of this")
        return asyncio.sleep(0)

    async def talk() -> None:
        agent = Remembering(answers, forget, close)
        AgentThread(Adapter("x", "x", "agents", lambda: agent)).close()

    asyncio.run(talk())
    assert closed.wait(10)


@pytest.mark.parametrize("ending", [SystemExit("bye"), KeyboardInterrupt(), None])
def test_a_task_of_an_agent_does_not_end_its_thread(ending: BaseException | None) -> None:
    async def ends() -> None:
        if ending is not None:
            raise ending
        asyncio.get_running_loop().stop()

    async def answers(turn: Turn, _: Emit) -> str:
        if turn.message == "end":
            await asyncio.wait({asyncio.ensure_future(ends())})
        return turn.message

    async def talk() -> list[str]:
        thread = AgentThread(Adapter("x", "x", "agents", lambda: answers))
        endpoint = ModelEndpoint("http://127.0.0.1:9/v1", "m")
        turns = (Turn(message, "s", endpoint) for message in ("end", "go on"))
        said = [await thread(turn, lambda *_: None) for turn in turns]
        thread.close()
        return said

    assert asyncio.run(talk()) == ["end", "go on"]


def test_a_thread_that_was_left_behind_ends_with_the_last_who_waits_for_it() -> None:
    blocked, goes_on, answered, ended = Event(), Event(), Event(), Event()
    closed: list[tuple[int, bool]] = []
    made = 0

    def make() -> Remembering:
        nonlocal made
        made += 1
        number = made

        async def answers(turn: Turn, _: Emit) -> str:
            if turn.message == "block":
                blocked.set()
                goes_on.wait(120)
            if turn.message == "wait":
                await in_thread(lambda: goes_on.wait(120))
                answered.set()
            return f"{turn.message} {number}"

        async def forget(_: str) -> None:
            """Nothing is kept."""

        async def close() -> None:
            closed.append((number, answered.is_set()))
            ended.set()

        return Remembering(answers, forget, close)

    async def talk() -> tuple[str, str]:
        thread = AgentThread(Adapter("x", "x", "agents", make))
        endpoint = ModelEndpoint("http://127.0.0.1:9/v1", "m")

        def say(message: str) -> asyncio.Task[str]:
            turn = Turn(message, message, endpoint)
            return asyncio.create_task(thread(turn, lambda *_: None))

        waits, blocks = say("wait"), say("block")
        await in_thread(lambda: blocked.wait(120))
        blocks.cancel()
        await asyncio.gather(blocks, return_exceptions=True)
        fresh = await say("go on")
        goes_on.set()
        late = await waits
        await in_thread(lambda: ended.wait(120))
        thread.close()
        return fresh, late

    assert asyncio.run(talk()) == ("go on 2", "wait 1")
    assert closed[0] == (1, True)


@pytest.mark.parametrize("name", ADAPTERS)
def test_an_agent_makes_one_client_for_all_its_turns(
    name: str, model: ListeningModel, tap: ModelTap, monkeypatch: pytest.MonkeyPatch
) -> None:
    openai = pytest.importorskip("openai")
    agent = adapter_named(name).make()
    assert isinstance(agent, Remembering)
    clients: list[Any] = []
    make = openai.AsyncOpenAI._build_request  # every request passes it, whoever made the client

    def build(self: Any, *args: Any, **options: Any) -> Any:
        clients.append(self._client)
        return make(self, *args, **options)

    monkeypatch.setattr(openai.AsyncOpenAI, "_build_request", build)

    async def talk() -> list[TurnRecord]:
        turns = [
            Turn("Hello.", session, ModelEndpoint(model.base_url, "scripted-good"))
            for session in "ab"
        ]
        records = [await run_turn(agent, turn, tap) for turn in turns]
        assert agent.close is not None
        await agent.close()
        return records

    records = asyncio.run(talk())
    assert [record.error for record in records] == [None, None]
    assert len(clients) >= 2
    assert len({id(client) for client in clients}) == 1
    assert clients[0].is_closed


def test_preferences_are_restored_from_a_record_and_forgotten() -> None:
    book = PreferenceBook()
    book.learn("ann", "I hate rain.")
    page = book.of("ann")
    book.forget("ann")
    assert book.of("ann")["flags"] == {}
    book.restore("ann", page)
    assert book.of("ann") == page
    odd: object
    for odd in (None, [], {"flags": {}}, {**page, "flags": "rain"}, {**page, "learned": None}):
        book.restore("bob", odd)
        assert book.of("bob")["flags"] == {}
