"""What is prepared at home while others wait for the crew."""

from __future__ import annotations

import asyncio
import time
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase, MCPToolMetric
from assay.scoring import Crew, foresight

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from assay.scoring.foresight import Foreseen

CASES = 40


class _Asking:
    """A model that is never asked here."""

    def get_model_name(self) -> str:
        return "never asked"

    async def a_generate(self, prompt: str) -> str:
        raise AssertionError(prompt)


def offered(crew: Crew, preparation: Any, count: int = CASES) -> list[Foreseen]:
    """Cases of one stream, too few for a process to be started."""
    lot = crew._lot([preparation])
    assert lot is not None
    return [crew._offer(AgentTestCase(f"case {i}", ""), lot) for i in range(count)]


def begin(crew: Crew, found: Foreseen) -> None:
    """Let it be in the hands of a process that never ends with it."""
    crew._offered.remove(found)
    found.given_at = time.monotonic()


async def turns() -> AsyncIterator[None]:
    """Give the others of the loop one turn after the other."""
    while True:
        await asyncio.sleep(0)
        yield


async def waited_for(found: Foreseen, until: Foreseen) -> None:
    """Wait for one case until another is settled."""
    waiting = asyncio.ensure_future(found.prepared())
    async with asyncio.timeout(60):
        async for _ in turns():
            if until.is_settled:
                break
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


def test_who_waits_prepares_what_nobody_has_begun_with() -> None:
    with Crew(1) as crew:
        first, *others = offered(crew, attrgetter("input"))
        begin(crew, first)
        asyncio.run(waited_for(first, until=others[0]))
        assert not first.is_settled
        assert [asyncio.run(each.prepared()) for each in others] == [
            (each.case.input,) for each in others
        ]


def test_the_last_come_first() -> None:
    with Crew(1) as crew:
        lot = offered(crew, attrgetter("input"), 3)[0].lot
        taken = [crew._take_last(lot.meanwhile) for _ in range(4)]
    assert [found and found.case.input for found in taken] == ["case 2", "case 1", "case 0", None]


def test_what_is_settled_is_passed_over() -> None:
    with Crew(1) as crew:
        first, second, last = offered(crew, attrgetter("input"), 3)
        assert asyncio.run(last.prepared()) is None  # judged before anybody had begun with it
        assert crew._take_last(first.lot.meanwhile) is second


def test_another_stream_is_left_alone() -> None:
    with Crew(1) as crew:
        first, *_ = offered(crew, attrgetter("input"))
        others = offered(crew, attrgetter("actual_output"))
        assert crew._take_last(first.lot.meanwhile) is None
        assert crew._take_last(others[0].lot.meanwhile) is others[-1]


def test_a_case_that_cannot_be_prepared_is_left_to_who_judges_it() -> None:
    with Crew(1) as crew:
        first, *others = offered(crew, attrgetter("no_such_thing"))
        begin(crew, first)
        asyncio.run(waited_for(first, until=others[0]))
        assert {asyncio.run(each.prepared()) for each in others} == {None}


def test_nothing_is_done_when_nobody_waits() -> None:
    async def wait_and_leave(found: Foreseen, others: list[Foreseen]) -> int:
        await waited_for(found, until=others[-1])
        done = sum(each.is_settled for each in others)
        await asyncio.sleep(0.05)
        return sum(each.is_settled for each in others) - done

    with Crew(1) as crew:
        first, *others = offered(crew, slow)
        begin(crew, first)
        assert asyncio.run(wait_and_leave(first, others)) == 0
        assert not others[0].is_settled


def slow(_: AgentTestCase) -> None:
    """A preparation that takes longer than who waits works in a row."""
    time.sleep(0.002)


def test_where_nobody_is_asked_the_processes_do_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "_PATIENCE_SECONDS", 0.05)
    by_evidence, by_model = MCPToolMetric(), MCPToolMetric(model=_Asking())
    with Crew(1) as crew:
        first, *others = offered(crew, by_evidence.preparation)
        begin(crew, first)
        assert asyncio.run(first.prepared()) is None
        assert not any(each.is_settled for each in others)
        asked, *_ = offered(crew, by_model.preparation)
        assert crew._take_last(asked.lot.meanwhile) is not None
