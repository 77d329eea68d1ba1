"""Every framework, the same conversation: what is recorded is the same, whatever each hides."""

from __future__ import annotations

import asyncio
import json
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from assay.agents.catalogue import ADAPTERS, adapter_named
from assay.agents.harness import run_turn
from assay.agents.mcp_servers import connected, read_servers
from assay.agents.protocol import ModelEndpoint, Turn
from assay.errors import InvalidRecord, ServerUnavailable, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.agents.conftest import Lifeline

    from assay.agents.harness import Event, TurnRecord
    from assay.agents.protocol import Emit

    Converse = Callable[..., list[TurnRecord]]

FRAMEWORKS = list(ADAPTERS)


def calls(record: TurnRecord) -> list[tuple[str, Any, int | None, bool]]:
    return [(c.tool, c.parameters, c.turn, c.success) for c in record.case.calls]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_conversation_is_recorded_as_it_happened(name: str, converse: Converse) -> None:
    told, compared, later = converse(
        name, "I hate cold weather", "Compare the weather in Oslo and Tampere", "And tomorrow?"
    )
    assert calls(told) == [
        (
            "update_user_preferences_from_insight",
            {"preference": "dislikes_cold", "value": True},
            1,
            True,
        )
    ]
    assert calls(compared) == [
        ("get_current_weather", {"city": "Oslo"}, 1, True),
        ("get_current_weather", {"city": "Tampere"}, 1, True),
    ]
    assert calls(later) == [("get_weather_forecast", {"city": "Tampere", "days": 3}, 1, True)]
    assert "2.6°C" in (compared.case.actual_output or "")
    assert "dislike cold" in (compared.case.actual_output or "")
    first = compared.case.calls[0]
    assert first.result["current"]["city"] == "Oslo"
    assert first.execution_time is not None
    assert first.execution_time >= 0
    assert first.call_id
    assert compared.case.usage is not None
    assert (compared.case.usage.input_tokens or 0) > 100
    assert compared.case.execution_data is not None
    assert compared.case.execution_data.total_rounds == 2
    assert {tool["name"] for tool in compared.case.available_tools} >= {"get_current_weather"}
    assert later.case.conversation_history is not None
    assert [m["role"] for m in later.case.conversation_history] == ["user", "assistant"] * 3


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_failures_of_every_kind_are_recorded(name: str, converse: Converse) -> None:
    gone, ghost, broken, wrong = converse(
        name,
        "What's the weather in Atlantis?",
        "[unknown-tool] weather",
        "[broken-arguments] weather",
        "[wrong-arguments] weather",
    )
    assert calls(gone) == [("get_current_weather", {"city": "Atlantis"}, 1, False)]
    assert "city not found" in (gone.case.calls[0].error_message or "")
    assert calls(ghost) == [("no_such_tool", {}, 1, False)]
    assert "no_such_tool" in (ghost.case.calls[0].error_message or "")
    assert calls(broken) == [("get_current_weather", '{"city": "Hels', 1, False)]
    assert calls(wrong) == [("get_current_weather", {"town": 42}, 1, False)]
    for record in (gone, ghost, broken, wrong):
        assert record.error is None
        assert "could not retrieve" in (record.case.actual_output or "")


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_dead_or_silent_model_costs_one_turn(name: str, converse: Converse) -> None:
    dead, fine = converse(name, "[http-500] weather", "What's the weather in Paris?")
    assert dead.case.actual_output is None
    assert "500" in (dead.error or "") or "failed" in (dead.error or "")
    assert calls(fine) == [("get_current_weather", {"city": "Paris"}, 1, True)]
    (silent,) = converse(name, "[hang]", deadline=0.5)
    assert silent.error == "no answer within 0.5 s"
    assert silent.case.extra["error"] == silent.error
    assert silent.seconds < 60


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_an_answer_is_streamed_as_it_comes(name: str, converse: Converse) -> None:
    seen: list[Event] = []
    (record,) = converse(name, "What's the weather in Oslo?", watch=seen.append)
    streamed = "".join(event.data["text"] for event in seen if event.kind == "delta")
    assert streamed == record.case.actual_output
    assert sum(event.kind == "delta" for event in seen) > 5
    kinds = [event.kind for event in seen if event.kind != "delta"]
    assert kinds == [
        *("query", "model_request", "model_reply", "tool_call", "tool_result"),
        *("model_request", "model_reply", "final"),
    ]
    assert [event.at for event in record.events] == sorted(event.at for event in record.events)


def test_tools_can_be_left_to_raise(converse: Converse) -> None:
    told = {
        name: converse(name, "What's the weather in Atlantis?", raw=True)[0]
        for name in ("adk", "agent-framework")
    }
    for record in told.values():
        assert calls(record) == [("get_current_weather", {"city": "Atlantis"}, 1, False)]
    assert told["adk"].case.actual_output is None
    assert "Atlantis" in (told["adk"].error or "")
    assert told["agent-framework"].error is None


@pytest.fixture
def servers_file(tmp_path: Path) -> Path:
    server = {"command": "python", "args": ["-m", "assay.agents.weather.mcp_server"]}
    file = tmp_path / "servers.json"
    server["env"] = {"ASSAY_WEATHER_DATE": "2026-11-16"}  # type: ignore[assignment]
    file.write_text(json.dumps({"mcpServers": {"weather": server}}))
    return file


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers may take as long to start as a busy machine needs."""
    monkeypatch.setattr("assay.agents.mcp_servers._SECONDS_TO_START", 120.0)


@pytest.mark.usefixtures("patient")
def test_mcp_tools_are_offered_to_every_framework_alike(
    servers_file: Path, tap: Any, scripted: Any
) -> None:
    async def talk() -> list[tuple[str, TurnRecord, TurnRecord]]:
        found = []
        async with connected(read_servers(servers_file)) as tools:
            for name in ("plain", "adk", "agent-framework"):
                agent = adapter_named(name).make()
                endpoint = ModelEndpoint(scripted.base_url, "scripted-good")
                good, bad = [
                    await run_turn(
                        agent,
                        Turn(f"What's the weather in {city}?", city, endpoint),
                        tap,
                        tools=tools,
                    )
                    for city in ("Oslo", "Atlantis")
                ]
                found.append((name, good, bad))
        return found

    for name, good, bad in asyncio.run(talk()):
        assert calls(good) == [("get_current_weather", {"city": "Oslo"}, 1, True)], name
        assert good.case.calls[0].server == "weather"
        assert "2.6°C" in (good.case.actual_output or "")
        assert calls(bad) == [("get_current_weather", {"city": "Atlantis"}, 1, False)], name
        assert "could not retrieve" in (bad.case.actual_output or "")


@pytest.mark.usefixtures("patient")
def test_two_servers_with_one_tool_name_are_told_apart(servers_file: Path) -> None:
    config = read_servers(servers_file)["weather"]

    async def names() -> list[tuple[str, str | None]]:
        async with connected({"a": config, "b": config}) as tools:
            return [(tool.name, tool.server) for tool in tools if "current" in tool.name]

    assert asyncio.run(names()) == [
        ("get_current_weather", "a"),
        ("b_get_current_weather", "b"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{", "servers.json"),
        ('{"mcpServers": {"x": {}}}', "x: expected either a command or a url"),
        ('{"mcpServers": {"x": {"command": 3}}}', "command"),
        ('{"mcpServers": {"x": {"url": "${NO_SUCH_VARIABLE}"}}}', "NO_SUCH_VARIABLE is not set"),
    ],
)
def test_a_servers_file_that_is_wrong_is_told(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "servers.json"
    file.write_text(text)
    with pytest.raises(InvalidRecord, match=told):
        read_servers(file)


def test_a_server_that_does_not_start_is_told(tmp_path: Path) -> None:
    async def start(command: str) -> None:
        file = tmp_path / "servers.json"
        file.write_text(json.dumps({"mcpServers": {"gone": {"command": command}}}))
        async with connected(read_servers(file)):
            pytest.fail("it cannot have started")

    for command in ("/no/such/command", "/bin/false"):
        with pytest.raises(ServerUnavailable, match="'gone' did not start"):
            asyncio.run(start(command))


AGENT = """
import json, sys
turn = json.load(sys.stdin)
print(json.dumps({"text": "heard: " + turn["message"], "calls": [
    {"tool": "look", "parameters": {"n": len(turn["history"])}, "success": True}]}))
"""


def test_a_command_is_an_agent(tmp_path: Path, converse: Converse) -> None:
    script = tmp_path / "agent.py"
    script.write_text(AGENT)
    first, second = converse(f"command:{sys.executable} {script}", "one", "two")
    assert first.case.actual_output == "heard: one"
    assert [(c.tool, c.parameters) for c in second.case.calls] == [("look", {"n": 2})]
    (echoed,) = converse("command:echo {message}", "$(reboot); `id`")
    assert echoed.case.actual_output == "$(reboot); `id`"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("/no/such/agent", "cannot be run"),
        ("false", "ended with 1"),
        ("""sh -c 'echo {\\"error\\": \\"tired\\"}'""", "tired"),
        ("""sh -c 'echo {\\"x\\": 1}'""", "no answer in the reply"),
    ],
)
def test_a_command_that_fails_is_told(line: str, told: str, converse: Converse) -> None:
    (record,) = converse(f"command:{line}", "hello")
    assert told in (record.error or "")


def test_a_command_past_its_deadline_is_ended(lifeline: Lifeline, converse: Converse) -> None:
    (record,) = converse(f"command:sh -c '{lifeline.hold}; sleep 600'", "hello", deadline=0.3)
    assert record.error == "no answer within 0.3 s"
    assert lifeline.ends()


def test_a_command_reaches_the_model_by_way_of_the_tap(tmp_path: Path, converse: Converse) -> None:
    script = tmp_path / "agent.py"
    script.write_text(
        "import json, os, urllib.request\n"
        "said = [{'role': 'user', 'content': 'Weather in Oslo?'}]\n"
        "body = {'model': os.environ['OPENAI_MODEL'], 'messages': said,"
        " 'tools': [{'type': 'function', 'function': {'name': 'get_current_weather'}}]}\n"
        "request = urllib.request.Request(os.environ['OPENAI_BASE_URL'] + '/chat/completions',"
        " json.dumps(body).encode(), {'Content-Type': 'application/json'})\n"
        "print(json.load(urllib.request.urlopen(request))['choices'][0]['finish_reason'])\n"
    )
    (record,) = converse(f"command:{sys.executable} {script}", "hello")
    assert record.case.actual_output == "tool_calls"
    assert calls(record) == [("get_current_weather", {"city": "Oslo"}, 1, False)]
    assert record.case.calls[0].error_message == "the tool was never run"


CALLER = """
import json, sys, urllib.error, urllib.request
turn = json.load(sys.stdin)
urls = {tool["name"]: tool["url"] for tool in turn["tools"]}

def call(url, body):
    try:
        return urllib.request.urlopen(urllib.request.Request(url, body.encode())).read().decode()
    except urllib.error.HTTPError as refused:
        return f"{refused.code} {refused.read().decode()}"

weather = urls["get_current_weather"]
oslo = json.loads(call(weather, '{"city": "Oslo"}'))["current"]["temperature"]
told = [
    call(weather, '{"city": "Atlantis"}'), call(weather, '{"town": 1}'), call(weather, "[1]"),
    call(weather.replace("current", "any"), "{}"),
]
print(json.dumps({"text": f"{oslo} degrees"}))
print(json.dumps(told), file=open(sys.argv[1], "w"))
"""


def test_a_command_calls_the_tools_of_its_turn(tmp_path: Path, converse: Converse) -> None:
    script, told = tmp_path / "agent.py", tmp_path / "told.json"
    script.write_text(CALLER)
    (record,) = converse(f"command:{sys.executable} {script} {told}", "hello")
    assert record.case.actual_output == "2.6 degrees"
    assert [(c.parameters, c.success) for c in record.case.calls] == [
        ({"city": "Oslo"}, True),
        ({"city": "Atlantis"}, False),
        ({"town": 1}, False),
    ]
    failed, misfit, no_object, unknown = json.loads(told.read_text())
    assert "Atlantis" in json.loads(failed)["error"]
    assert "town" in json.loads(misfit)["error"]
    assert no_object == '400 {"error": "expected the arguments as a JSON object"}'
    assert unknown == """404 {"error": "no tool named 'get_any_weather'"}"""


async def slow() -> str:
    """Never answer."""
    await asyncio.Event().wait()
    return "too late"


async def stubborn() -> str:
    """Go on after being told to stop."""
    with suppress(asyncio.CancelledError):
        await asyncio.Event().wait()
    await asyncio.Event().wait()
    return "too late"


NOT_STOPPED = """504 {"error": "the tool 'stubborn' did not answer, nor could it be stopped"}"""


# The tool, the seconds it has to stop, what its caller is told, and what is recorded.
TOO_LONG = {
    "slow": (
        slow,
        120.0,
        '{"error": "no result within 0.2 s"}',
        "ToolFailed: no result within 0.2 s",
    ),
    "stubborn": (stubborn, 0.2, NOT_STOPPED, "the tool had not answered when the turn ended"),
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_tool_that_takes_too_long_is_told_and_recorded(
    name: str, tmp_path: Path, converse: Converse, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool, seconds_to_stop, told, recorded = TOO_LONG[name]
    monkeypatch.setattr("assay.agents.tool_door.SECONDS", 0.2)
    monkeypatch.setattr("assay.agents.tool_door._LAST_SECONDS", seconds_to_stop)
    script = tmp_path / "agent.py"
    calls_it = f"print('told', call(urls[{name!r}], '{{}}'))"
    script.write_text(CALLER.partition("weather = ")[0] + calls_it)
    (record,) = converse(f"command:{sys.executable} {script}", "hello", tools=[tool])
    assert record.case.actual_output == f"told {told}"
    (call,) = record.case.calls
    assert (call.tool, call.success, call.error_message) == (name, False, recorded)


async def echo(turn: Turn, emit: Emit) -> str:
    emit("delta", {"text": turn.message})
    return turn.message


def test_a_function_of_ones_own_is_an_agent(
    converse: Converse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "own_agents", sys.modules[__name__])
    (record,) = converse("own_agents:echo", "hello")
    assert record.case.actual_output == "hello"


def test_an_unknown_agent_is_named() -> None:
    with pytest.raises(UnknownName, match="adkk"):
        adapter_named("adkk")
