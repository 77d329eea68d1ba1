"""What judging may cost, and what it has cost so far."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import BudgetSpent, InvalidJudge
from assay.judge.prices import Prices

if TYPE_CHECKING:
    from assay.judge.questions import Ask, Question, Reply

# For the first questions, before any reply has shown what one takes. Rather too much.
_LETTERS_A_TOKEN = 3
_REPLY_TOKENS = 1_000


class Expense(Struct):
    """What was paid: questions answered, tokens, dollars, and replies that did not say."""

    questions: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    without_tokens: int = 0
    without_cost: int = 0

    @property
    def tokens(self) -> int:
        """All tokens that were reported."""
        return self.input_tokens + self.output_tokens

    def add(self, reply: Reply) -> None:
        """Count a reply; what it does not say is counted as unknown."""
        self.questions += 1
        self.input_tokens += reply.input_tokens or 0
        self.output_tokens += reply.output_tokens or 0
        self.cost_usd += reply.cost_usd or 0.0
        self.without_tokens += reply.input_tokens is None or reply.output_tokens is None
        self.without_cost += reply.cost_usd is None

    def to_dict(self) -> dict[str, Any]:
        """What was paid as JSON values; None where no reply said it."""
        return {
            "questions": self.questions,
            "input_tokens": self._known(self.input_tokens, self.without_tokens),
            "output_tokens": self._known(self.output_tokens, self.without_tokens),
            "cost_usd": self._known(self.cost_usd, self.without_cost),
            "questions_without_cost": self.without_cost,
        }

    def _known(self, total: float, without: int) -> float | None:
        return None if self.questions and without == self.questions else total


class Budget:
    """Counts what replies cost and refuses to ask once too much is spent; made for `Around`.

    Questions under way are counted as costing what one to the same endpoint has cost on average,
    so that many at once cannot overspend by more than they differ from each other. So are those
    that were given up: whoever answers too late sends the bill all the same.
    """

    def __init__(
        self,
        max_cost: float | None = None,
        max_tokens: int | None = None,
        *,
        prices: Prices | None = None,
    ) -> None:
        """Take the most dollars and tokens; None is no limit."""
        self.max_cost = max_cost
        self.max_tokens = max_tokens
        self.spent = Expense()
        self.refused = 0
        self._prices = prices or Prices.from_environment()
        self._guessed_tokens = 0
        self._spent_at: defaultdict[str, Expense] = defaultdict(Expense)
        self._under_way: Counter[str] = Counter()
        self._given_up: Counter[str] = Counter()
        self._news: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Event] = (
            WeakKeyDictionary()
        )

    @property
    def prices(self) -> str:
        """Whose prices the costs stand on."""
        return self._prices.source

    def __call__(self, ask: Ask, endpoint: str) -> Ask:
        """The same `Ask`, paid for."""

        async def paid(question: Question) -> Reply:
            await self._enter(question, endpoint)
            try:
                reply = self._priced(await ask(question), endpoint)
                self._pay(question, reply, endpoint)
            finally:
                self._under_way[endpoint] -= 1
                self._tell()
            return reply

        return paid

    def metered(self, ask: Ask, endpoint: str) -> Ask:
        """The same `Ask`, each attempt counted that is given up before its answer came."""

        async def counted(question: Question) -> Reply:
            try:
                return await ask(question)
            except asyncio.CancelledError:  # its deadline, or the user
                self._given_up[endpoint] += 1
                raise

        return counted

    def check(self, endpoint: str) -> None:
        """Refuse a limit in money for a model without a price, before anything is spent."""
        if self.max_cost is not None and not self._prices.knows(endpoint):
            raise _unpriced(endpoint, self._prices)

    def _priced(self, reply: Reply, endpoint: str) -> Reply:
        if reply.cost_usd is not None:
            return reply
        cost = self._prices.cost(endpoint, reply.input_tokens, reply.output_tokens)
        return replace(reply, cost_usd=cost)

    def _pay(self, question: Question, reply: Reply, endpoint: str) -> None:
        self.spent.add(reply)
        self._spent_at[endpoint].add(reply)
        if reply.input_tokens is None or reply.output_tokens is None:
            self._guessed_tokens += _guess(question)

    async def _enter(self, question: Question, endpoint: str) -> None:
        """Wait until it is clear that this question fits; raise BudgetSpent when it does not."""
        while not self._fits(question, endpoint):
            if not self._under_way.total():
                self.refused += 1
                raise BudgetSpent(f"not asked: {self._why()}")
            event = self._news.setdefault(asyncio.get_running_loop(), asyncio.Event())
            event.clear()
            await event.wait()
        self._under_way[endpoint] += 1

    def _fits(self, question: Question, endpoint: str) -> bool:
        if self.max_tokens is None and self.max_cost is None:
            return True
        asked = self._under_way + self._given_up + Counter([endpoint])
        if self.max_tokens is not None:
            used = self.spent.tokens + self._guessed_tokens
            coming = sum(n * self._tokens_each(question, at) for at, n in asked.items())
            if used + coming > self.max_tokens:
                return False
        if self.max_cost is None:
            return True
        if self.spent.without_cost:
            raise _unpriced(endpoint, self._prices)
        coming = sum(n * self._cost_each(question, at) for at, n in asked.items())
        return self.spent.cost_usd + coming <= self.max_cost

    def _tokens_each(self, question: Question, endpoint: str) -> float:
        spent = self._spent_at[endpoint]
        answered = spent.questions - spent.without_tokens
        return spent.tokens / answered if answered else _guess(question)

    def _cost_each(self, question: Question, endpoint: str) -> float:
        spent = self._spent_at[endpoint]
        if spent.questions:
            return spent.cost_usd / spent.questions
        return self._prices.cost(endpoint, _prompt_tokens(question), _REPLY_TOKENS) or 0.0

    def _tell(self) -> None:
        if not self._news:  # nobody has had to wait so far
            return
        for loop, event in list(self._news.items()):
            with suppress(RuntimeError):  # that loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(event.set)

    def _why(self) -> str:
        given = []
        if self.max_cost is not None:
            given.append(f"${self.spent.cost_usd:.4f} of ${self.max_cost:.4f}")
        if self.max_tokens is not None:
            given.append(f"{self.spent.tokens:,} of {self.max_tokens:,} tokens")
        return f"the next question does not fit into the budget ({', '.join(given)} spent)"


def _guess(question: Question) -> int:
    return _prompt_tokens(question) + _REPLY_TOKENS


def _prompt_tokens(question: Question) -> int:
    return len(question.prompt) // _LETTERS_A_TOKEN


def _unpriced(endpoint: str, prices: Prices) -> InvalidJudge:
    return InvalidJudge(
        f"max_cost: nobody knows what {endpoint} costs ({prices.source}). Limit the tokens "
        "by max_tokens instead, or write its price into a file and name that in ASSAY_PRICES"
    )
