"""The whole arena: warm up, hold the conversations, keep and score each as it ends."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial
from typing import TYPE_CHECKING
from uuid import uuid4

from msgspec import Struct

from assay.agents.harness import TurnRecord
from assay.agents.own_thread import AgentThread
from assay.arena.conversation import Talk, hold
from assay.arena.keeping import Keeper, Scored
from assay.arena.planning import Conversation, undone
from assay.arena.stage import ArenaSettings, Stage, open_stage
from assay.arena.unanswered import failures, score_turn
from assay.arena.warming import warm_up
from assay.metrics.chatbot import ChatbotEvaluator, SourceMeasure, measure_source
from assay.metrics.chatbot.install_size import requirements_of
from assay.run import Source
from assay.score import Score

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from assay.arena.entrants import Entrant
    from assay.arena.suite import Suite
    from assay.store import Store

FORMAT = "arena"


class SuiteSettings(ArenaSettings, frozen=True):
    """How a suite is run; with `again` conversations in which an agent failed are held anew."""

    again: bool = False
    keep_every: float = 3.0  # seconds


class Held(Struct, frozen=True):
    """A conversation that was held: its turns, each with its score."""

    conversation: Conversation
    records: tuple[TurnRecord, ...]
    scores: tuple[Score, ...]

    @property
    def errors(self) -> list[str]:
        """What went wrong, turn by turn."""
        return [record.error for record in self.records if record.error is not None]


def known_runs(store: Store, suite: str) -> set[str]:
    """The turns of a suite that a store holds already."""
    rows = store.query("SELECT run_id FROM runs WHERE starts_with(run_id, $suite)", suite=suite)
    return {row["run_id"] for row in rows}


def evaluator_for(entrants: Sequence[Entrant]) -> ChatbotEvaluator:
    """The fifteen metrics; where an agent's source is at hand it is measured, not asserted."""
    for_all = set(requirements_of("assay", "agents"))
    sources: dict[str, SourceMeasure] = {}
    for entrant in entrants:
        if entrant.adapter.sources:
            needs = set(requirements_of("assay", entrant.adapter.extra)) - for_all
            sources[entrant.label] = measure_source(entrant.adapter.sources, sorted(needs))
    return ChatbotEvaluator(sources=sources)


async def run_arena(
    suite: Suite,
    entrants: Sequence[Entrant],
    planned: Sequence[Conversation],
    store: Store,
    settings: SuiteSettings = SuiteSettings(),  # noqa: B008 - it is frozen
) -> AsyncIterator[Held]:
    """Hold the conversations that the store does not hold yet; each is kept as it ends.

    The agents run one after the other, each in a thread of its own: they share this machine, and
    a time that another one stretched would say nothing. Stopping in the middle costs the
    conversation in hand, being killed the last seconds as well; what was kept by then without its
    scores gets them first.
    """
    waiting = _waiting(store, planned, again=settings.again)
    evaluator = evaluator_for(entrants)
    async with AsyncExitStack() as stack:
        keeper = stack.enter_context(Keeper(store, evaluator.name, every=settings.keep_every))
        await keeper.score_what_is_not(FORMAT, partial(score_turn, evaluator))
        if not waiting:  # loading frameworks and starting servers for nothing would take seconds
            return
        stage = await stack.enter_async_context(open_stage(suite, settings))
        asked = {conversation.entrant for conversation in waiting}
        agents = made_agents(stack, [entrant for entrant in entrants if entrant.label in asked])
        by_label = {entrant.label: (entrant, agent) for entrant, agent in agents}
        if settings.warm_up:
            await warm_up(stage, agents)
        for conversation in waiting:
            entrant, agent = by_label[conversation.entrant]
            held = await _hold(stage, entrant, agent, conversation, evaluator)
            keeper.add(
                Scored(record.case, score)
                for record, score in zip(held.records, held.scores, strict=True)
            )
            yield held


def made_agents(
    stack: AsyncExitStack, entrants: Sequence[Entrant]
) -> list[tuple[Entrant, AgentThread]]:
    """An agent for each; it ends with the stack, also where the next cannot be made."""
    agents = []
    for entrant in entrants:
        agent = AgentThread(entrant.adapter)
        stack.callback(agent.close)
        agents.append((entrant, agent))
    return agents


def _waiting(store: Store, planned: Sequence[Conversation], *, again: bool) -> list[Conversation]:
    if not planned:
        return []
    suite = planned[0].suite
    known = known_runs(store, suite)
    return undone(planned, known - set(failures(store, suite, FORMAT)) if again else known)


async def _hold(
    stage: Stage,
    entrant: Entrant,
    agent: AgentThread,
    conversation: Conversation,
    evaluator: ChatbotEvaluator,
) -> Held:
    talk = Talk(stage, entrant, agent, uuid4().hex)
    records = [record async for record in hold(talk, conversation.task.turns)]
    agent.forget(talk.session_id)
    stage.book.forget(talk.session_id)
    for place, record in enumerate(records):
        record.case.run_id = conversation.run_id(place)
        record.case.task_id = conversation.task_id(place)
        record.case.attempt = conversation.attempt
        record.case.source = Source(path=conversation.suite, format=FORMAT, position=place + 1)
    scores = [await score_turn(evaluator, record.case) for record in records]
    return Held(conversation, tuple(records), tuple(scores))
