"""One conversation with one agent: its turns, what was learned on the way, and their records."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import Struct, to_builtins

from assay.agents.harness import Event, run_turn
from assay.agents.protocol import Turn
from assay.agents.retold import latest, letters_in, past_calls
from assay.arena.ground_truth import ground_truth
from assay.metrics.chatbot.case_turn import PREFERENCES_KEY, TRUTH_KEY

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Sequence

    from assay.agents.harness import TurnRecord
    from assay.agents.protocol import Agent, PastCall
    from assay.arena.entrants import Entrant
    from assay.arena.stage import Stage
    from assay.test_case import AgentTestCase

    Watch = Callable[[Event], None]

EVENTS_KEY = "events"
_LONGEST_DATA = 4_000
# A message takes about so much memory besides its letters, most of it in the agent's framework.
_PER_MESSAGE = 5_000


class Before(Struct, frozen=True):
    """What a conversation goes on from: what was said, and what was known of the user."""

    said: tuple[dict[str, str], ...] = ()
    known: object = None


def before_of(case: AgentTestCase) -> Before:
    """What a recorded turn leaves behind."""
    said = tuple(
        {"role": str(turn.get("role")), "content": str(turn.get("content"))}
        for turn in case.conversation_history or ()
    )
    return Before(said, (case.additional_metadata or {}).get(PREFERENCES_KEY))


class Talk:
    """A conversation as it goes: one agent, one session, one user."""

    def __init__(self, stage: Stage, entrant: Entrant, agent: Agent, session_id: str) -> None:
        """Begin with nothing said."""
        self.entrant = entrant
        self.session_id = session_id
        self._stage = stage
        self._agent = agent
        self._history: tuple[dict[str, str], ...] = ()
        self._calls: tuple[tuple[PastCall, ...], ...] = ()
        # About how many bytes it holds, here and in the agent's own session.
        self.size = 0

    def go_on_from(self, before: Before) -> None:
        """Take up what was said before: the agent is told of it with the next turn."""
        self._history = before.said
        self._weigh()
        self._stage.book.restore(self.session_id, before.known)

    def recall(self, calls: Sequence[tuple[PastCall, ...]]) -> None:
        """Take up what tools returned before, turn by turn."""
        self._calls = latest(calls)
        self._weigh()

    def _weigh(self) -> None:
        said = sum(len(turn["content"]) for turn in self._history)
        called = sum(letters_in(calls) for calls in self._calls)
        self.size = 2 * (said + called) + _PER_MESSAGE * len(self._history)

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
            calls=self._calls,
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

    def _complete(self, record: TurnRecord) -> None:
        case = record.case
        self._history = tuple(case.conversation_history or ())
        self._calls = latest([*self._calls, past_calls(case, len(self._calls))])
        self._weigh()
        case.framework = self.entrant.label
        if self.entrant.sure_model is None:
            case.model = record.seen_model
        case.additional_metadata = {PREFERENCES_KEY: self._stage.book.of(self.session_id)}
        said = [turn["content"] for turn in self._history if turn["role"] == "user"]
        truth = ground_truth(self._stage.source, said) if self._stage.is_about_weather else []
        if truth:
            case.additional_metadata[TRUTH_KEY] = truth
        case.extra[EVENTS_KEY] = [_kept(event) for event in record.events]


def _kept(event: Event) -> dict[str, Any]:
    """An event as it is stored; what is long stands in the case already."""
    data = {name: _short(value) for name, value in event.data.items()}
    return {"at": event.at, "kind": event.kind, "data": data}


def _short(value: Any) -> Any:
    """The value; the beginning of it as text where it is long."""
    written = value if isinstance(value, str) else json.dumps(value)
    if len(written) > _LONGEST_DATA:
        return f"{written[:_LONGEST_DATA]} … ({len(written):,} letters)"
    return value


async def hold(talk: Talk, prompts: Iterable[str]) -> AsyncIterator[TurnRecord]:
    """Say one prompt after the other."""
    for prompt in prompts:
        yield await talk.say(prompt)
