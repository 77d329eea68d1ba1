"""Limits: as many at once as an endpoint bears, again when that helps, and never for ever."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

import pytest

from assay.errors import JudgeFailed, JudgeUnavailable
from assay.judge.limits import Gate, Limiter, Limits
from assay.judge.questions import Ask, Question, Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")
QUESTION = Question("q")
BUSY = JudgeUnavailable("429: busy", retryable=True, status=429)


class Clock(asyncio.SelectorEventLoop):
    """A loop whose time passes at once: whoever sleeps is woken when nobody has work."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def time(self) -> float:
        return self.now

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:  # type: ignore[attr-defined]
            self.now = max(self.now, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()  # type: ignore[misc]


def run(work: Awaitable[T]) -> tuple[T, float]:
    """The result and how many seconds it would have taken."""
    loop = Clock()
    try:
        return loop.run_until_complete(work), loop.now
    finally:
        loop.close()


def answers(*replies: Reply | Exception) -> Ask:
    left = list(replies)

    async def ask(_: Question) -> Reply:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    return ask


async def silent(_: Question) -> Reply:
    await asyncio.sleep(1e9)
    raise AssertionError("nobody waits that long")


def limiter(**changes: float) -> Limiter:
    return Limiter(Limits(seed=1, **changes))  # type: ignore[arg-type]


def test_what_helps_is_tried_again() -> None:
    limited = limiter()
    ask = limited(answers(BUSY, BUSY, Reply("ok")), "e")
    found, seconds = run(ask(QUESTION))
    assert found == Reply("ok")
    assert 0 < seconds <= 0.5 + 1.0
    assert limited.retried == 2


def test_retry_after_is_waited_for() -> None:
    refusal = JudgeUnavailable("429", retryable=True, retry_after=7.0)
    _, seconds = run(limiter()(answers(refusal, Reply("ok")), "e")(QUESTION))
    assert 7.0 <= seconds <= 7.5


def test_retry_after_holds_for_all_who_ask_the_endpoint() -> None:
    refusal = JudgeUnavailable("429", retryable=True, retry_after=30.0)

    async def work() -> float:
        limited = limiter()
        ask = limited(answers(refusal, Reply("a"), Reply("b")), "e")
        first = asyncio.ensure_future(ask(QUESTION))
        await asyncio.sleep(1)
        await ask(QUESTION)
        asked_at = asyncio.get_running_loop().time()
        await first
        return asked_at

    assert run(work())[0] >= 30.0


# What goes wrong, how often it is asked, in how many seconds at most, and what is said.
HOPELESS: dict[str, tuple[Callable[[], Ask], int, float, str]] = {
    "refused": (lambda: answers(*[BUSY] * 4), 3, 0.5 + 1.0, "429: busy (asked 3 times)"),
    "silent": (lambda: silent, 2, 20.5, "e: no answer within 10 s (asked 2 times)"),
    "forbidden": (
        lambda: answers(JudgeUnavailable("401: no key", status=401)),
        1,
        0.0,
        "401: no key",
    ),
    "tomorrow": (
        lambda: answers(JudgeUnavailable("429", retryable=True, retry_after=86400.0)),
        1,
        0.0,
        "429 (it asks to wait 86400 s)",
    ),
    "unusable": (lambda: answers(JudgeFailed("no JSON")), 1, 0.0, "no JSON"),
}


@pytest.mark.parametrize("kind", HOPELESS)
def test_what_does_not_help_ends_in_bounded_time(kind: str) -> None:
    make, times, most_seconds, said = HOPELESS[kind]
    counted = counting(make())

    async def work() -> str:
        with pytest.raises(JudgeFailed) as caught:
            await limiter(retries=2, deadline=10.0)(counted, "e")(QUESTION)
        return str(caught.value)

    found, seconds = run(work())
    assert (found, counted.asked) == (said, times)
    assert seconds <= most_seconds


def test_who_is_asked_to_wait_too_long_does_not_make_the_others_wait() -> None:
    tomorrow = JudgeUnavailable("429", retryable=True, retry_after=86400.0)
    ask = limiter()(answers(tomorrow, Reply("ok")), "e")

    async def work() -> Reply:
        with pytest.raises(JudgeUnavailable, match="it asks to wait 86400 s"):
            await ask(QUESTION)
        return await ask(QUESTION)

    assert run(work()) == (Reply("ok"), 0.0)


class counting:  # noqa: N801 - a function with a memory
    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self.asked = 0

    async def __call__(self, question: Question) -> Reply:
        self.asked += 1
        return await self._ask(question)


def test_a_bug_flies() -> None:
    with pytest.raises(ZeroDivisionError):
        run(limiter()(answers(ZeroDivisionError()), "e")(QUESTION))


def test_the_same_seed_waits_the_same() -> None:
    def seconds() -> float:
        return run(limiter()(answers(BUSY, BUSY, BUSY, Reply("ok")), "e")(QUESTION))[1]

    assert seconds() == seconds()


class Server:
    """Bears so many questions at once and refuses more; answers after a second."""

    def __init__(self, bears: int) -> None:
        self.bears = bears
        self.now = self.most = self.refused = 0

    async def __call__(self, _: Question) -> Reply:
        if self.now >= self.bears:
            self.refused += 1
            raise BUSY
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await asyncio.sleep(1)
        finally:
            self.now -= 1
        return Reply("ok")


def ask_many(server: Ask, count: int, limited: Limiter) -> tuple[list[Reply], float]:
    async def work() -> list[Reply]:
        ask = limited(server, "e")
        return await asyncio.gather(*(ask(QUESTION) for _ in range(count)))

    return run(work())


def test_a_server_that_bears_all_is_asked_ever_more() -> None:
    server = Server(bears=10_000)
    replies, seconds = ask_many(server, 1000, limiter(at_once=100))
    assert len(replies) == 1000
    assert server.most == 100
    # 8, 16, 32, 64, 100, 100 ...: ten rounds would do at 100 from the start
    assert seconds <= 14


def test_a_server_that_bears_few_is_not_overrun() -> None:
    server = Server(bears=10)
    replies, _ = ask_many(server, 300, limiter(retries=20))
    assert len(replies) == 300
    assert server.refused < 150


def test_endpoints_have_gates_of_their_own() -> None:
    async def work() -> tuple[Gate, Gate, Gate]:
        limited = limiter()
        return limited.gate("a"), limited.gate("b"), limited.gate("a")

    (first, second, again), _ = run(work())
    assert first is again
    assert first is not second


def test_refusals_of_one_round_narrow_the_gate_once() -> None:
    gate = Gate(100)
    gate.allowed = 64.0
    for _ in range(10):
        gate.trouble(0, None)
    assert gate.allowed == 32.0
    gate.trouble(1, None)
    assert gate.allowed == 16.0
    for _ in range(16):
        gate.success()
    assert gate.allowed == pytest.approx(17.0, abs=0.1)


def test_a_gate_never_shuts() -> None:
    gate = Gate(4)
    for seen in range(20):
        gate.trouble(seen, None)
    assert gate.allowed == 1.0


@pytest.mark.parametrize("cancelled_after", [0.5, 1.0, 1.5])
def test_who_goes_away_gives_the_turn_to_the_next(cancelled_after: float) -> None:
    async def work() -> list[Reply | BaseException]:
        ask = limiter(at_once=1)(Server(bears=1), "e")
        tasks = [asyncio.ensure_future(ask(QUESTION)) for _ in range(4)]
        await asyncio.sleep(cancelled_after)
        for task in tasks[:2]:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    found, _ = run(work())
    assert found[2:] == [Reply("ok"), Reply("ok")]
