"""The weather assistant's parts: sources, what is learned of a user, and the tools."""

from __future__ import annotations

import json
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from assay.agents.weather.learning import FLAGS, TOPICS, learn
from assay.agents.weather.open_weather import OpenWeather
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather, find_city, known_cities
from assay.agents.weather.tools import weather_tools
from assay.errors import UnknownName, WeatherUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DAY = date(2026, 11, 16)


@pytest.mark.parametrize(
    ("said", "learned"),
    [
        ("I hate cold weather", {"dislikes_cold": True}),
        (
            "I don't like rain but I love hiking",
            {"dislikes_rain": True, "outdoor_activities": True},
        ),
        ("I can't stand the heat", {"dislikes_heat": True}),
        ("I don’t mind the cold.", {"dislikes_cold": False}),
        ("I no longer hate the cold", {"dislikes_cold": False}),
        ("I love rain, snow and cold", {"dislikes_rain": False, "dislikes_cold": False}),
        (
            "I like hot days and hate rain and cold",
            {"dislikes_heat": False, "dislikes_rain": True, "dislikes_cold": True},
        ),
        ("I prefer staying indoors when it rains", {"prefers_indoor": True}),
        ("I hate rain. Actually, I love rain!", {"dislikes_rain": False}),
        ("我讨厌冷天", {"dislikes_cold": True}),
        ("我不喜欢下雨，但喜欢户外", {"dislikes_rain": True, "outdoor_activities": True}),
    ],
)
def test_statements_are_learned(said: str, learned: dict[str, bool]) -> None:
    assert {item.flag: item.value for item in learn(said)} == learned


@pytest.mark.parametrize(
    "said",
    [
        "Is it hot or cold?",
        "do I hate rain",
        "Should I stay indoors or go outside?",
        "My brother hates rain",
        "She loves the cold",
        "I used to hate the cold",
        "I would like to know about the rain",
        "It is cold and rainy",
        "他喜欢户外",
        "外面冷吗",
        "",
        "like " * 5_000,
    ],
)
def test_questions_wishes_and_others_are_not(said: str) -> None:
    assert learn(said) == []


def test_every_topic_can_be_liked_and_disliked() -> None:
    for topic, (flag, _) in TOPICS.items():
        word = {"heat": "hot", "indoor": "indoor", "outdoor": "outdoor"}.get(topic, topic)
        (liked,) = learn(f"I like {word} days")
        (disliked,) = learn(f"I dislike {word} days")
        assert (liked.flag, liked.value) == (flag.name, flag.when_liked)
        assert (disliked.flag, disliked.value) == (flag.name, not flag.when_liked)


def test_the_bundled_weather_is_the_same_for_the_same_city_and_day() -> None:
    source = BundledWeather(DAY)
    assert source.current("Oslo") == BundledWeather(DAY).current(" oslo, NO")
    assert source.current("东京")["current"]["city"] == "Tokyo"
    days = source.forecast("Oslo", 3)["daily_summaries"]
    assert [day["date"] for day in days] == ["2026-11-16", "2026-11-17", "2026-11-18"]
    now = source.current("Oslo")["current"]["temperature"]
    assert days[0]["temp_min"] <= now <= days[0]["temp_max"]
    assert source.forecast("Oslo", 1)["daily_summaries"] == days[:1]


def test_the_bundled_weather_has_seasons_and_every_condition() -> None:
    january, july = BundledWeather(date(2026, 1, 15)), BundledWeather(date(2026, 7, 15))
    for city in ("Helsinki", "Madrid", "Beijing"):
        cold, warm = (s.current(city)["current"]["temperature"] for s in (january, july))
        assert cold < warm, city
    conditions = {
        BundledWeather(date(2026, 1, day)).current(city.name)["current"]["main_condition"]
        for city in known_cities().values()
        for day in range(1, 15)
    }
    assert conditions == {"Rain", "Snow", "Clouds", "Clear"}


@pytest.mark.parametrize("city", ["Atlantis", "", "   ", None, 7, ["Oslo"], "x" * 5_000])
def test_an_unknown_city_is_an_error_that_says_so(city: Any) -> None:
    with pytest.raises(WeatherUnavailable, match="city") as caught:
        find_city(city)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("days", [0, 6, -1, True, "3", 2.5, None])
def test_a_forecast_reaches_five_days(days: Any) -> None:
    with pytest.raises(WeatherUnavailable, match="from 1 to 5"):
        BundledWeather(DAY).forecast("Oslo", days)


def test_preferences_survive_and_are_kept_apart(tmp_path: Path) -> None:
    book = PreferenceBook(tmp_path)
    assert [item.flag for item in book.learn("ann", "I hate rain")] == ["dislikes_rain"]
    assert book.learn("ann", "As I said, I hate rain") == []
    assert book.of("bob") == {"flags": {}, "learned_from_conversations": 0, "learned": []}
    again = PreferenceBook(tmp_path)
    assert again.of("ann")["flags"] == {"dislikes_rain": True}
    assert again.of("ann")["learned_from_conversations"] == 1
    assert again.of("ann")["learned"][0]["said"] == "I hate rain"


def test_a_users_name_is_no_path_and_a_broken_page_is_a_blank_one(tmp_path: Path) -> None:
    book = PreferenceBook(tmp_path / "book")
    book.set("../../etc/passwd", "dislikes_cold", value=True)
    assert sorted(tmp_path.rglob("*.json")) == sorted((tmp_path / "book").glob("*.json"))
    (page,) = (tmp_path / "book").glob("*.json")
    page.write_text("{broken")
    assert PreferenceBook(tmp_path / "book").of("../../etc/passwd")["flags"] == {}


def test_an_unknown_preference_is_refused() -> None:
    with pytest.raises(UnknownName, match="dislikes_cold"):
        PreferenceBook().set("ann", "dislikes_colds", value=True)


def test_the_tools_ask_the_source_and_the_book() -> None:
    book = PreferenceBook()
    tools = {tool.__name__: tool for tool in weather_tools(BundledWeather(DAY), book, "ann")}
    assert tools["get_current_weather"]("Oslo")["current"]["city"] == "Oslo"
    assert len(tools["get_weather_forecast"]("Oslo")["daily_summaries"]) == 3
    tools["update_user_preferences_from_insight"](preference="prefers_indoor", value=True)
    assert tools["get_user_preferences"]()["flags"] == {"prefers_indoor": True}
    assert all(tool.__doc__ for tool in tools.values())
    assert all(
        flag in (tools["update_user_preferences_from_insight"].__doc__ or "") for flag in FLAGS
    )


class _Replies(BaseHTTPRequestHandler):
    """Answers with what the city asked for spells: a status, or a reply of the real shape."""

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        code = next((c for c in (401, 404, 429, 500) if f"q={c}" in self.path), 200)
        sky = [{"main": "Rain", "description": "light rain"}]
        body: Any = {
            "name": "Oslo",
            "sys": {"country": "NO"},
            "main": {"temp": 3.5},
            "weather": sky,
        }
        if "/forecast" in self.path:
            steps = [
                {
                    "dt_txt": f"2026-11-{day} 12:00:00",
                    "weather": sky,
                    "main": {"temp_min": low, "temp_max": low + 2, "humidity": 80},
                }
                for day, low in (("16", 1.0), ("16", 2.0), ("17", -3.0))
            ]
            body = {"city": {"name": "Oslo", "country": "NO"}, "list": steps}
        text = (
            "no json"
            if "q=text" in self.path
            else json.dumps([] if "q=list" in self.path else body)
        )
        self.send_response(code)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def open_weather() -> Iterator[OpenWeather]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Replies)
    server.asked = []  # type: ignore[attr-defined]
    Thread(target=server.serve_forever, daemon=True).start()
    yield OpenWeather("a-secret-key", address=f"http://127.0.0.1:{server.server_port}")
    server.shutdown()
    server.server_close()


def test_openweather_is_read_into_the_same_shape(open_weather: OpenWeather) -> None:
    assert open_weather.current("Oslo")["current"]["temperature"] == 3.5
    assert open_weather.current("Oslo")["current"]["main_condition"] == "Rain"
    days = open_weather.forecast("Oslo", 2)["daily_summaries"]
    assert [(day["date"], day["temp_min"], day["temp_max"]) for day in days] == [
        ("2026-11-16", 1.0, 4.0),
        ("2026-11-17", -3.0, -1.0),
    ]


@pytest.mark.parametrize(
    ("city", "told"),
    [
        ("401", "OPENWEATHER_API_KEY is not accepted"),
        ("404", "city not found"),
        ("429", "too many requests"),
        ("500", "answered 500"),
        ("text", "no weather"),
        ("list", "no weather"),
    ],
)
def test_openweather_failures_are_told_without_the_key(
    open_weather: OpenWeather, city: str, told: str
) -> None:
    with pytest.raises(WeatherUnavailable, match=told) as caught:
        open_weather.current(city)
    assert "a-secret-key" not in str(caught.value)


def test_openweather_out_of_reach_or_without_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WeatherUnavailable, match="was not reached"):
        OpenWeather("key", address="http://127.0.0.1:9").current("Oslo")
    monkeypatch.delenv("OPENWEATHER_API_KEY", raising=False)
    with pytest.raises(WeatherUnavailable, match="set OPENWEATHER_API_KEY"):
        OpenWeather()
