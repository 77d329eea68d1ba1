"""How hard an endpoint is asked: as many at once as it bears, again when that may help."""

from __future__ import annotations

import asyncio
from collections import deque
from random import Random
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from msgspec import Struct

from assay.errors import JudgeUnavailable

if TYPE_CHECKING:
    from assay.judge.questions import Ask, Question, Reply

_FIRST_AT_ONCE = 64
_FIRST_WAIT = 0.5
# An endpoint that was silent twice will be silent a third time; each costs a whole deadline.
_MOST_SILENCES = 2


class Limits(Struct, frozen=True):
    """What one question may cost in time: seconds an attempt, attempts, and seconds between them.

    `at_once` is the most questions an endpoint is asked at a time; it is asked fewer until it
    has shown that it bears them, and after it has refused.
    """

    deadline: float = 120.0
    retries: int = 5
    at_once: int = 256
    longest_wait: float = 60.0
    seed: int | None = None


class Gate:
    """How many questions are let through at once: more while all goes well, half after trouble.

    Until the first trouble each answer opens the gate by one (doubling it every round), after
    it each round of answers does.
    """

    def __init__(self, at_once: int) -> None:
        """Begin with few."""
        self.most = at_once
        self.allowed = float(min(_FIRST_AT_ONCE, at_once))
        self.asked = 0
        self.narrowed = 0
        self._closed_until = 0.0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> int:
        """Wait for a turn; the number of narrowings so far, to be handed back to `trouble`."""
        while self.asked >= int(self.allowed):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                self._wake()  # the turn may have come in the same moment: pass it on
                raise
        self.asked += 1
        try:
            await self._wait_until_open()
        except asyncio.CancelledError:
            self.leave()
            raise
        return self.narrowed

    def leave(self) -> None:
        """Make room for the next."""
        self.asked -= 1
        self._wake()

    def success(self) -> None:
        """An answer came: let more through."""
        step = 1.0 if not self.narrowed else 1 / self.allowed
        self.allowed = min(self.allowed + step, float(self.most))
        self._wake()

    def trouble(self, seen: int, closed_for: float | None) -> None:
        """A refusal: let half as many through, once for all that were asked before the last one."""
        if seen == self.narrowed:
            self.allowed = max(1.0, self.allowed / 2)
            self.narrowed += 1
        if closed_for is not None:
            now = asyncio.get_running_loop().time()
            self._closed_until = max(self._closed_until, now + closed_for)

    async def _wait_until_open(self) -> None:
        loop = asyncio.get_running_loop()
        while (wait := self._closed_until - loop.time()) > 0:  # noqa: ASYNC110 - it is the clock that opens it
            await asyncio.sleep(wait)

    def _wake(self) -> None:
        room = int(self.allowed) - self.asked
        while self._waiting and room > 0:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                room -= 1


class Limiter:
    """Puts limits around every endpoint that is asked; made for `Around`."""

    def __init__(self, limits: Limits | None = None) -> None:
        """Take the limits, the same for each endpoint."""
        self.limits = limits or Limits()
        self.retried = 0
        self._random = Random(self.limits.seed)  # noqa: S311 - spreads waits, guards nothing
        # Turns are waited for in the loop they belong to.
        self._gates: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Gate]] = (
            WeakKeyDictionary()
        )

    def __call__(self, ask: Ask, endpoint: str) -> Ask:
        """The same `Ask`, never asked more than its endpoint bears."""

        async def limited(question: Question) -> Reply:
            return await self._ask(ask, question, endpoint)

        return limited

    def gate(self, endpoint: str) -> Gate:
        """The gate before an endpoint, in the running loop."""
        gates = self._gates.setdefault(asyncio.get_running_loop(), {})
        return gates.setdefault(endpoint, Gate(self.limits.at_once))

    async def _ask(self, ask: Ask, question: Question, endpoint: str) -> Reply:
        gate, silences = self.gate(endpoint), 0
        for attempt in range(self.limits.retries + 1):
            seen = await gate.enter()
            try:
                async with asyncio.timeout(self.limits.deadline):
                    reply = await ask(question)
            except TimeoutError:
                gate.trouble(seen, None)
                silences += 1
                problem = JudgeUnavailable(
                    f"{endpoint}: no answer within {self.limits.deadline:g} s", retryable=True
                )
            except JudgeUnavailable as exc:
                problem = exc
                if exc.retryable:
                    gate.trouble(seen, self._closing(exc.retry_after))
            else:
                gate.success()
                return reply
            finally:
                gate.leave()
            wait = self._wait(problem, attempt, silences)
            self.retried += 1
            await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _closing(self, asked_to: float | None) -> float | None:
        """How long nobody asks; None where nobody would wait that long."""
        is_too_long = asked_to is not None and asked_to > self.limits.longest_wait
        return None if is_too_long else asked_to

    def _wait(self, problem: JudgeUnavailable, attempt: int, silences: int) -> float:
        """How long to wait before asking again; raises what is to be said when that is no use."""
        if not problem.retryable:
            raise problem
        if attempt == self.limits.retries or silences == _MOST_SILENCES:
            raise _given_up(problem, f"asked {attempt + 1} times")
        asked_to = problem.retry_after
        if asked_to != self._closing(asked_to):
            raise _given_up(problem, f"it asks to wait {asked_to:g} s")
        longest = min(_FIRST_WAIT * 2**attempt, self.limits.longest_wait)
        # Those who were refused together must not come back together.
        return self._random.uniform(0, longest) + (asked_to or 0.0)


def _given_up(problem: JudgeUnavailable, why: str) -> JudgeUnavailable:
    found = JudgeUnavailable(f"{problem} ({why})", status=problem.status)
    found.__cause__ = problem
    return found
