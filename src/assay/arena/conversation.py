"""One conversation with one agent: its turns, what was learned on the way, and their records."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from assay.agents.harness import Conduct, Event, run_turn
from assay.agents.model_tap import ModelTap
from assay.agents.protocol import AgentTool, Turn
from assay.agents.weather.preferences import PreferenceBook
from assay.agents.weather.source import WeatherSource
from assay.agents.weather.tools import weather_tools
from assay.arena.ground_truth import ground_truth
from assay.arena.suite import Suite
from assay.metrics.chatbot.case_turn import PREFERENCES_KEY, TRUTH_KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable

    from assay.agents.harness import TurnRecord
    from assay.agents.protocol import Agent
    from assay.arena.entrants import Entrant

    Watch = Callable[[Event], None]

EVENTS_KEY = "events"
_LONGEST_DATA = 4_000


class Stage(Struct, frozen=True):
    """What all conversations share: the tap, the tools, the weather and what is known of users."""

    suite: Suite
    tap: ModelTap
    source: WeatherSource
    book: PreferenceBook
    servers: tuple[AgentTool, ...] = ()
    conduct: Conduct = Conduct()

    def tools_for(self, user_id: str) -> list[Any]:
        """The tools that every agent is offered."""
        own = (
            weather_tools(self.source, self.book, user_id) if self.suite.tools == "weather" else []
        )
        return [*own, *self.servers]


class Talk:
    """A conversation as it goes: one agent, one session, one user."""

    def __init__(self, stage: Stage, entrant: Entrant, agent: Agent, session_id: str) -> None:
        """Begin with nothing said."""
        self.entrant = entrant
        self.session_id = session_id
        self._stage = stage
        self._agent = agent
        self._history: tuple[dict[str, str], ...] = ()

    async def say(self, message: str, watch: Watch | None = None) -> TurnRecord:
        """Say something and have the turn recorded, whatever comes of it."""
        stage, user = self._stage, self.session_id
        learned = stage.book.learn(user, message)
        turn = Turn(
            message,
            self.session_id,
            self.entrant.model,
            user,
            stage.suite.told,
            history=self._history,
        )
        record = await run_turn(
            self._agent,
            turn,
            stage.tap,
            tools=stage.tools_for(user),
            conduct=stage.conduct,
            watch=watch,
        )
        news = [Event(0.0, "learned", to_builtins(item)) for item in learned]
        record.events[1:1] = news
        self._complete(record)
        return record

    @property
    def _is_about_weather(self) -> bool:
        return self._stage.suite.tools == "weather"

    def _complete(self, record: TurnRecord) -> None:
        case = record.case
        self._history = tuple(case.conversation_history or ())
        case.framework = self.entrant.label
        case.additional_metadata = {PREFERENCES_KEY: self._stage.book.of(self.session_id)}
        said = [turn["content"] for turn in self._history if turn["role"] == "user"]
        truth = ground_truth(self._stage.source, said) if self._is_about_weather else []
        if truth:
            case.additional_metadata[TRUTH_KEY] = truth
        case.extra[EVENTS_KEY] = [_kept(event) for event in record.events]


def _kept(event: Event) -> dict[str, Any]:
    """An event as it is stored; long texts stand in the case already."""
    data = {name: _short(value) for name, value in event.data.items()}
    return {"at": round(event.at, 6), "kind": event.kind, "data": data}


def _short(value: Any) -> Any:
    return value[:_LONGEST_DATA] if isinstance(value, str) else value


async def hold(talk: Talk, prompts: Iterable[str]) -> AsyncIterator[TurnRecord]:
    """Say one prompt after the other."""
    for prompt in prompts:
        yield await talk.say(prompt)
