"""What is asked for, and what is only told: English and Chinese."""

from __future__ import annotations

from typing import Any

import pytest

from assay.metrics.chatbot.conduct import gaps_in, is_request, seeks
from assay.metrics.chatbot.domain import weather
from assay.metrics.chatbot.text import read_text
from assay.metrics.chatbot.turn import Turn, read_history


@pytest.mark.parametrize(
    ("said", "requested", "sought"),
    [
        ("What's the weather in Oslo?", True, True),
        ("weather oslo", True, True),
        ("How cold is it?", True, True),
        ("And tomorrow?", True, True),
        ("What should I wear there?", True, True),
        ("And in Paris?", True, True),
        ("I mean the weather in Stockholm.", True, True),
        ("I would like to know the weather in Rome.", True, True),
        ("I hate cold weather.", False, False),
        ("I don't like rain, but I love being outdoors.", False, False),
        ("I can't stand the heat.", False, False),
        ("I hate rain. Will it rain in Oslo?", True, True),
        ("Thanks!", True, False),
        ("See you tomorrow.", True, False),
        ("I live in Oslo.", True, False),
        ("北京天气怎么样？", True, True),
        ("明天呢？", True, True),
        ("那里冷吗？", True, True),
        ("我讨厌下雨。", False, False),
        ("我喜欢户外活动。", False, False),
        ("谢谢！", True, False),
    ],
)
def test_a_question_is_told_from_a_statement(said: str, requested: bool, sought: bool) -> None:
    text = read_text(said)
    assert is_request(text, weather()) is requested
    assert seeks(text, weather()) is sought


@pytest.mark.parametrize(
    ("said", "before", "expected"),
    [
        ("What's the weather?", None, ["entity"]),
        ("How cold is it?", None, ["entity"]),
        ("What's the weather?", "I am in Oslo.", []),
        ("And tomorrow?", "What's the weather in Oslo?", []),
        ("What should I wear there?", "What's the weather in Oslo?", []),
        ("And tomorrow?", None, ["entity", "vague", "intent"]),
        ("I hate cold weather.", None, []),
        ("我讨厌下雨。", None, []),
        ("天气怎么样？", None, ["entity"]),
        ("明天呢？", "北京天气怎么样？", []),
    ],
)
def test_what_a_question_leaves_open(said: str, before: str | None, expected: list[str]) -> None:
    past: list[dict[str, Any]] = [{"user": before, "assistant": ""}] if before else []
    turn = Turn(read_text(said), read_text(""), history=read_history(past))
    assert gaps_in(turn, weather()) == expected
