"""The budget: what was spent is known, and no more than allowed is."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from assay.errors import BudgetSpent, InvalidJudge, JudgeUnavailable
from assay.judge.budget import Budget
from assay.judge.limits import Limiter, Limits
from assay.judge.prices import Price, PriceFile, Prices, read_price_file
from assay.judge.questions import Question, Reply

if TYPE_CHECKING:
    from pathlib import Path

    from assay.judge.questions import Ask

OWN = Prices(PriceFile("2026-01-31", {"own:model": Price(2.0, 10.0)}))
QUESTION = Question("x" * 300)  # guessed at 100 tokens, and 1,000 for its reply


def paying(reply: Reply) -> Ask:
    async def ask(_: Question) -> Reply:
        await asyncio.sleep(0)
        return reply

    return ask


def ask_many(budget: Budget, reply: Reply, count: int, model: str = "own:model") -> int:
    """How many of so many questions at once were answered."""

    async def work() -> list[Reply | BaseException]:
        ask = budget(paying(reply), model)
        return await asyncio.gather(*(ask(QUESTION) for _ in range(count)), return_exceptions=True)

    found = asyncio.run(work())
    assert all(isinstance(item, Reply | BudgetSpent) for item in found)
    return sum(isinstance(item, Reply) for item in found)


def test_without_a_limit_it_only_counts() -> None:
    budget = Budget(prices=OWN)
    assert ask_many(budget, Reply("ok", input_tokens=1000, output_tokens=100), 10) == 10
    # 1,000 tokens at $2 and 100 at $10 a million: $0.003 each
    assert budget.spent.to_dict() == {
        "questions": 10,
        "input_tokens": 10_000,
        "output_tokens": 1_000,
        "cost_usd": pytest.approx(0.03),
        "questions_without_cost": 0,
    }


# Limits, tokens of a reply (in, out), how many of 100 at once fit.
LIMITS = {
    "tokens": (None, 5_500, (900, 100), 5),
    "money": (0.031, None, (1000, 100), 10),
    "both, tokens first": (1.0, 3_300, (1000, 100), 3),
    "not even one": (None, 500, (900, 100), 0),
}


@pytest.mark.parametrize("kind", LIMITS)
def test_many_at_once_do_not_overspend(kind: str) -> None:
    max_cost, max_tokens, (tokens_in, tokens_out), fit = LIMITS[kind]
    budget = Budget(max_cost, max_tokens, prices=OWN)
    reply = Reply("ok", input_tokens=tokens_in, output_tokens=tokens_out)
    assert ask_many(budget, reply, 100) == fit
    assert budget.refused == 100 - fit
    assert budget.spent.questions == fit


@pytest.mark.parametrize("limits", [(5.0, None), (None, 500_000)], ids=["money", "tokens"])
def test_a_dear_endpoint_is_not_measured_by_a_cheap_one(
    limits: tuple[float | None, int | None],
) -> None:
    budget = Budget(*limits, prices=OWN)
    cheap = Reply("ok", input_tokens=10, output_tokens=0, cost_usd=0.001)
    dear = Reply("ok", input_tokens=100_000, output_tokens=0, cost_usd=1.0)
    assert ask_many(budget, dear, 1, "dear") == 1
    assert ask_many(budget, cheap, 100, "cheap") == 100
    # A dollar and 10 cents, or 101,000 tokens, are spent: three more fit, not four.
    assert ask_many(budget, dear, 20, "dear") == 3
    assert budget.spent.cost_usd == pytest.approx(4.1)
    assert budget.spent.tokens == 401_000


def test_a_refusal_says_what_was_spent() -> None:
    budget = Budget(max_tokens=2_000, prices=OWN)
    ask = budget(paying(Reply("ok", input_tokens=1500, output_tokens=100)), "own:model")

    async def work() -> None:
        await ask(QUESTION)
        with pytest.raises(BudgetSpent, match=r"1,600 of 2,000 tokens spent"):
            await ask(QUESTION)

    asyncio.run(work())


def test_what_a_reply_does_not_say_is_guessed_for_the_limit_only() -> None:
    budget = Budget(max_tokens=3_500, prices=OWN)
    assert ask_many(budget, Reply("ok"), 10) == 3  # at 1,100 each
    assert budget.spent.to_dict()["input_tokens"] is None
    assert budget.spent.to_dict()["cost_usd"] is None


def test_a_question_that_failed_costs_nothing() -> None:
    async def broken(_: Question) -> Reply:
        raise ZeroDivisionError

    async def work() -> None:
        ask = budget(broken, "own:model")
        for _ in range(5):
            with pytest.raises(ZeroDivisionError):
                await ask(QUESTION)

    budget = Budget(max_tokens=2_000, prices=OWN)
    asyncio.run(work())
    assert ask_many(budget, Reply("ok", input_tokens=100, output_tokens=10), 1) == 1


def test_an_attempt_that_was_given_up_counts_for_the_limit() -> None:
    budget, limiter = (
        Budget(max_tokens=3_000, prices=OWN),
        Limiter(Limits(deadline=0.01, retries=0)),
    )

    async def silent(_: Question) -> Reply:
        await asyncio.sleep(60)
        return Reply("too late")

    async def work() -> list[type[BaseException]]:
        ask = budget(limiter(budget.metered(silent, "own:model"), "own:model"), "own:model")
        found = [await asyncio.gather(ask(QUESTION), return_exceptions=True) for _ in range(4)]
        return [type(item) for (item,) in found]  # type: ignore[misc]  # none of them answered

    # Guessed at 1,100 tokens each: the third would be the one too many.
    refused = [BudgetSpent, BudgetSpent]
    assert asyncio.run(work()) == [JudgeUnavailable, JudgeUnavailable, *refused]
    assert budget.spent.questions == 0


def test_a_limit_in_money_needs_a_price() -> None:
    budget = Budget(1.0, prices=OWN)
    budget.check("own:model")
    with pytest.raises(InvalidJudge, match="nobody knows what nobody:knows costs"):
        budget.check("nobody:knows")

    async def work() -> None:
        ask = budget(paying(Reply("ok")), "nobody:knows")
        await ask(QUESTION)
        with pytest.raises(InvalidJudge, match="nobody knows what nobody:knows costs"):
            await ask(QUESTION)

    asyncio.run(work())


def test_what_the_provider_says_it_cost_wins() -> None:
    budget = Budget(prices=OWN)
    ask_many(budget, Reply("ok", input_tokens=1000, output_tokens=100, cost_usd=0.5), 2)
    assert budget.spent.cost_usd == 1.0


# A million tokens in, none out: own prices by full and by bare name, the public table's, none.
PRICES = {
    "own:model": 2.0,
    "other:model": None,
    "openai:gpt-5-mini": 0.25,
    "nobody:knows": None,
    "gpt-5-mini": None,
    "openai:gpt-5-mini at http://127.0.0.1:8080/v1": None,
    "own:model at http://127.0.0.1:8080/v1": 2.0,
}


@pytest.mark.parametrize("model", PRICES)
def test_every_kind_of_price(model: str) -> None:
    pytest.importorskip("genai_prices", reason="the public price table comes with assay[judge]")
    assert OWN.cost(model, 1_000_000, 0) == PRICES[model]
    assert OWN.knows(model) is (PRICES[model] is not None)
    assert OWN.cost(model, None, 10) is None


def test_a_bare_name_in_the_file_is_any_provider() -> None:
    prices = Prices(PriceFile("2026-01-31", {"local": Price(0.0, 0.0)}))
    assert prices.cost("openai:local", 1000, 10) == 0.0


def test_prices_say_of_when_they_are() -> None:
    assert OWN.source.startswith("own prices of 2026-01-31")


def test_the_environment_names_a_price_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prices.json"
    file.write_text('{"as_of": "2026-02-01", "models": {"m": {"input": 1, "output": 2}}}')
    monkeypatch.setenv("ASSAY_PRICES", str(file))
    assert Prices.from_environment().cost("m", 0, 500_000) == 1.0


@pytest.mark.parametrize("text", ["", "[]", '{"models": {}}', '{"as_of": "x", "models": {"m": 1}}'])
def test_a_wrong_price_file_says_what_is_expected(tmp_path: Path, text: str) -> None:
    (tmp_path / "prices.json").write_text(text)
    with pytest.raises(InvalidJudge, match="dollars a million tokens"):
        read_price_file(tmp_path / "prices.json")
    with pytest.raises(InvalidJudge, match="cannot be read: No such file"):
        read_price_file(tmp_path / "none.json")
