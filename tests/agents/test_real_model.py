"""Both frameworks against a real model: so small that it answers nonsense, but it does answer."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest
from tests.model_server import MISSING, WHY, small_model

from assay.agents.catalogue import adapter_named
from assay.agents.harness import Conduct, run_turn
from assay.agents.protocol import ModelEndpoint, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.agents.model_tap import ModelTap

pytestmark = pytest.mark.skipif(bool(MISSING), reason=WHY)
CONTEXT = 1024


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with small_model(CONTEXT) as address:
        yield address


def get_current_weather(city: str) -> str:
    """Get the weather of a city."""
    return f"It rains in {city}."


@pytest.mark.parametrize("name", ["weather-adk", "weather-agent-framework"])
def test_a_turn_ends_with_an_answer_or_says_why_not(
    name: str, url: str, tap: ModelTap, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)
    turn = Turn("Say hello.", "s1", ModelEndpoint(url, "smollm2"), instructions="Be brief.")
    agent = adapter_named(name).make()
    conduct = Conduct(deadline=100.0)
    record = asyncio.run(run_turn(agent, turn, tap, tools=[get_current_weather], conduct=conduct))
    case = record.case
    assert (case.actual_output is None) == (record.error is not None)
    assert case.model == "smollm2"
    assert [event.kind for event in record.events][:2] == ["query", "model_request"]
    assert record.events[-1].kind == ("final" if record.error is None else "failed")
    if record.error is None:
        assert case.usage is not None
        assert (case.usage.output_tokens or 0) > 0
