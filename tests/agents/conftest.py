"""A scripted model and a tap for all tests of agents, and a conversation through them."""

from __future__ import annotations

import asyncio
import logging
import os
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest

from assay.agents.catalogue import adapter_named
from assay.agents.harness import Conduct, Event, TurnRecord, run_turn
from assay.agents.model_tap import ModelTap
from assay.agents.protocol import ModelEndpoint, Turn
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import BundledWeather
from assay.agents.weather.tools import INSTRUCTIONS, weather_tools

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DAY = date(2026, 11, 16)


class Lifeline:
    """Told by the kernel when the last process that holds it has ended."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        # What a shell does to hold it, and have all that it starts hold it.
        self.hold = f"exec 9> {path}"
        # With a reader there, nobody waits for one.
        self._reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(self._reading, True)

    def ends(self) -> bool:
        """Wait until nobody holds it any more."""
        return os.read(self._reading, 1) == b""

    def close(self) -> None:
        os.close(self._reading)


@pytest.fixture
def lifeline(tmp_path: Path) -> Iterator[Lifeline]:
    found = Lifeline(tmp_path / "lifeline")
    yield found
    found.close()


@pytest.fixture(scope="session")
def scripted() -> Iterator[ScriptedModel]:
    with ScriptedModel() as model:
        yield model


@pytest.fixture(scope="session")
def tap() -> Iterator[ModelTap]:
    with ModelTap() as opened:
        yield opened


@pytest.fixture
def converse(
    scripted: ScriptedModel, tap: ModelTap, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., list[TurnRecord]]:
    """Have a conversation with an agent: a record for each prompt."""
    monkeypatch.setattr(logging.root.manager, "disable", logging.CRITICAL)

    def talk(
        agent_name: str,
        *prompts: str,
        tools: list[Any] | None = None,
        model: str = "scripted-good",
        deadline: float = 120.0,
        raw: bool = False,
        watch: Callable[[Event], None] | None = None,
    ) -> list[TurnRecord]:
        agent = adapter_named(agent_name).make()
        book = PreferenceBook()
        offered = weather_tools(BundledWeather(DAY), book, "ann") if tools is None else tools
        endpoint = ModelEndpoint(scripted.base_url, model)

        async def all_turns() -> list[TurnRecord]:
            records: list[TurnRecord] = []
            for prompt in prompts:
                before = records[-1].case.conversation_history if records else None
                turn = Turn(prompt, "s1", endpoint, "ann", INSTRUCTIONS, (), tuple(before or ()))
                records.append(
                    await run_turn(
                        agent,
                        turn,
                        tap,
                        tools=offered,
                        conduct=Conduct(deadline, raw),
                        watch=watch,
                    )
                )
            return records

        return asyncio.run(all_turns())

    return talk
