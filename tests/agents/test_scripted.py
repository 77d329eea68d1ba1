"""The scripted model: what each part plays, and what the server sends."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from assay.agents.scripted.behaviours import DIRECTIONS, HOSTILE, PARTS, play
from assay.agents.scripted.dialogue import cities_in, read_request
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather
from assay.agents.weather.tools import weather_tools
from assay.errors import AssayError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = date(2026, 11, 16)
NAMES = (
    "get_current_weather",
    "get_weather_forecast",
    "get_user_preferences",
    "update_user_preferences_from_insight",
)
TOOLS = [{"type": "function", "function": {"name": name}} for name in NAMES]


def converse(model: str, *prompts: str) -> list[tuple[list[str], str]]:
    """Play a conversation with the real tools: for each prompt the tools called and the answer."""
    tools = {t.__name__: t for t in weather_tools(BundledWeather(DAY), PreferenceBook(), "ann")}
    messages: list[dict[str, Any]] = []
    told: list[tuple[list[str], str]] = []
    for prompt in prompts:
        messages.append({"role": "user", "content": prompt})
        called: list[str] = []
        for _ in range(6):
            words = play(model, read_request({"messages": messages, "tools": TOOLS}))
            if not words.calls:
                break
            for call in words.calls:
                called.append(f"{call.name}({call.arguments})")
                messages.append({"role": "tool", "content": _run(tools, call.name, call.arguments)})
        messages.append({"role": "assistant", "content": words.text})
        told.append((called, words.text or ""))
    return told


def _run(tools: dict[str, Any], name: str, arguments: str) -> str:
    try:
        return json.dumps(tools[name](**json.loads(arguments)))
    except (KeyError, TypeError, ValueError, AssayError) as exc:
        return json.dumps({"error": str(exc)})


def test_the_good_one_looks_up_and_says_what_it_found() -> None:
    ((called, answer),) = converse("scripted-good", "What's the weather in Oslo?")
    now = BundledWeather(DAY).current("Oslo")["current"]
    assert called == ['get_current_weather({"city": "Oslo"})']
    assert f"{now['temperature']}°C" in answer
    assert "umbrella" in answer


def test_the_good_one_remembers_the_city_and_the_user() -> None:
    told = converse(
        "scripted-good", "I hate cold weather", "What's the weather in Oslo?", "And tomorrow?"
    )
    assert told[0][0] == [
        'update_user_preferences_from_insight({"preference": "dislikes_cold", "value": true})'
    ]
    assert "dislike cold" in told[1][1]
    assert told[2][0] == ['get_weather_forecast({"city": "Oslo", "days": 3})']
    tomorrow = BundledWeather(DAY).forecast("Oslo", 2)["daily_summaries"][1]
    assert f"{tomorrow['temp_min']} to {tomorrow['temp_max']}°C" in told[2][1]


def test_the_good_one_asks_back_compares_and_admits() -> None:
    assert "which city" in converse("scripted-good", "What's the weather?")[0][1]
    ((both, _),) = converse("scripted-good", "Compare the weather in Oslo and Tampere")
    assert [call.split('"')[3] for call in both] == ["Oslo", "Tampere"]
    ((_, answer),) = converse("scripted-good", "What's the weather in Atlantis?")
    assert "could not retrieve" in answer
    assert "another city" in answer


def test_the_others_misbehave_each_in_their_way() -> None:
    prompts = ("I hate cold weather", "What's the weather in Oslo?", "And tomorrow?")
    sloppy = converse("scripted-sloppy", prompts[1])
    assert [call.split('"')[3] for call in sloppy[0][0]] == ["somewhere", "Oslo", "Oslo"]
    ungrounded = converse("scripted-ungrounded", prompts[1])
    assert ungrounded[0][0] == []
    assert "°C" in ungrounded[0][1]
    forgetful = converse("scripted-forgetful", *prompts)
    assert "dislike" not in forgetful[1][1]
    assert "which city" in forgetful[2][1]
    failing = converse("scripted-failing", prompts[1])
    assert failing[0][1] == "Error. Sorry, that failed."


@pytest.mark.parametrize("part", PARTS)
def test_every_part_plays_any_request(part: str) -> None:
    for request in ({}, {"messages": None}, {"messages": [3, {"role": "user"}], "tools": [1, {}]}):
        words = play(f"scripted-{part}", read_request(request))
        assert words.text or words.calls


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_every_direction_is_followed(direction: str) -> None:
    asked = {"messages": [{"role": "user", "content": f"[{direction}] weather"}], "tools": TOOLS}
    plain = play("scripted-good", read_request({**asked, "messages": [{"role": "user"}]}))
    assert play("scripted-good", read_request(asked)) != plain


def test_an_unknown_model_is_named() -> None:
    with pytest.raises(UnknownName, match="scripted-good"):
        play("scripted-goof", read_request({}))


@pytest.mark.parametrize(
    ("text", "cities"),
    [
        ("weather in oslo and Tampere", ["Oslo", "Tampere"]),
        ("weather in Atlantis on Monday", ["Atlantis"]),
        ("Is it raining in Monday?", []),
        ("北京和上海的天气", ["Beijing", "Shanghai"]),
        ("New York or Paris", ["New York", "Paris"]),
        ("I am in a romeo mood", []),
    ],
)
def test_cities_are_found_in_their_order(text: str, cities: list[str]) -> None:
    assert cities_in(text) == cities


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as served:
        yield served


def post(
    model: ScriptedModel, said: str, *, name: str = "scripted-good", **more: Any
) -> httpx.Response:
    body = {"model": name, "messages": [{"role": "user", "content": said}], "tools": TOOLS, **more}
    return httpx.post(f"{model.base_url}/chat/completions", json=body, timeout=120)


def test_the_server_completes_a_chat(model: ScriptedModel) -> None:
    reply = post(model, "weather in Oslo").json()
    (choice,) = reply["choices"]
    (call,) = choice["message"]["tool_calls"]
    assert choice["finish_reason"] == "tool_calls"
    assert json.loads(call["function"]["arguments"]) == {"city": "Oslo"}
    assert reply["usage"]["total_tokens"] > 0
    listed = httpx.get(f"{model.base_url}/models", timeout=120).json()["data"]
    assert "scripted-good" in {item["id"] for item in listed}


def test_a_stream_says_the_same_as_a_whole_reply(model: ScriptedModel) -> None:
    streamed = post(model, "What's the weather?", stream=True).text
    chunks = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    text = "".join(c["choices"][0]["delta"].get("content", "") for c in chunks if c["choices"])
    assert text == post(model, "What's the weather?").json()["choices"][0]["message"]["content"]
    assert streamed.rstrip().endswith("[DONE]")
    assert chunks[-1]["usage"]["completion_tokens"] > 0


@pytest.mark.parametrize(("said", "status"), [("[http-500]", 500), ("[http-429]", 429)])
def test_the_server_fails_on_request(model: ScriptedModel, said: str, status: int) -> None:
    assert post(model, said).status_code == status


def test_the_server_cuts_off_drops_and_hangs_on_request(model: ScriptedModel) -> None:
    assert post(model, "[cut-off]").json()["choices"][0]["finish_reason"] == "length"
    assert post(model, "[hostile]").json()["choices"][0]["message"]["content"] == HOSTILE
    with pytest.raises(httpx.HTTPError):
        post(model, "[drop]")
    body = {"model": "scripted-good", "messages": [{"role": "user", "content": "[hang]"}]}
    patience = httpx.Timeout(120, read=0.2)
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{model.base_url}/chat/completions", json=body, timeout=patience)


def test_the_server_refuses_what_it_does_not_serve(model: ScriptedModel) -> None:
    assert post(model, "x", name="gpt-9").status_code == 404
    broken = httpx.post(f"{model.base_url}/chat/completions", content=b"{", timeout=120)
    assert broken.status_code == 400
    assert httpx.post(f"{model.base_url}/embeddings", json={}, timeout=120).status_code == 404
