"""A judge with everything around it: what it may cost, how hard it is asked, what it remembers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.judge.budget import Budget
from assay.judge.cache import ReplyCache
from assay.judge.choosing import JUDGE_VARIABLE, NO_JUDGE, choose_judge
from assay.judge.evidence import EVIDENCE, EVIDENCE_VERSION
from assay.judge.jury import Verdict
from assay.judge.limits import Limiter, Limits
from assay.judge.rubric import RUBRIC_VERSION
from assay.judge.wording import rubric_hash

if TYPE_CHECKING:
    from assay.judge.exchange import Ask
    from assay.judge.marks import Judge


class Rules(Struct, frozen=True, kw_only=True):
    """Who is to judge, and how: all that a user may ask for.

    `judge` is "evidence", "none" or the name of a model; None is what ASSAY_JUDGE says, else
    the evidence judge. `remember` keeps replies in the user's cache directory.
    """

    judge: str | None = None
    jury: tuple[str, ...] = ()
    jury_verdict: Verdict = "mean"
    judge_runs: int = 1
    lang: str = "en"
    base_url: str | None = None
    seed: int = 0
    max_cost: float | None = None
    max_tokens: int | None = None
    deadline: float = Limits().deadline
    at_once: int = Limits().at_once
    remember: bool = True


class Court:
    """The judge that the rules name; None where they name none."""

    def __init__(self, rules: Rules) -> None:
        """Make the judge; whatever keeps it from being asked is an error now, not later."""
        self.rules = rules
        self.cache = ReplyCache() if rules.remember and self.asks_models else None
        self.budget = Budget(rules.max_cost, rules.max_tokens)
        self.limiter = Limiter(
            Limits(deadline=rules.deadline, at_once=rules.at_once, seed=rules.seed)
        )
        self.judge = self._judge()

    @property
    def asks_models(self) -> bool:
        """Whether anybody is asked who may cost money."""
        return any(name not in {EVIDENCE, NO_JUDGE} for name in self._names())

    @property
    def name(self) -> str:
        """Who judges, for the record; empty where nobody does."""
        return "" if self.judge is None else self.judge.name

    def options(self) -> dict[str, Any]:
        """All but the judge's name that decides what marks it gives."""
        if self.judge is None:
            return {}
        found: dict[str, Any] = {"evidence": EVIDENCE_VERSION}
        if self.asks_models:
            found |= {
                "rubric": RUBRIC_VERSION,
                "rubric_hash": rubric_hash(self.rules.lang),
                "lang": self.rules.lang,
                "judge_runs": self.rules.judge_runs,
            }
            if self.rules.judge_runs > 1:  # asked once, a judge is asked in the usual order
                found["seed"] = self.rules.seed
        if self.rules.jury and self.rules.jury_verdict != "mean":
            found["jury_verdict"] = self.rules.jury_verdict
        return found

    def report(self) -> dict[str, Any]:
        """What judging has cost so far, as JSON values."""
        return {
            "judge": self.name or None,
            "judge_runs": self.rules.judge_runs if self.asks_models else None,
            **self.budget.spent.to_dict(),
            "prices": self.budget.prices if self.asks_models else None,
            "recalled": self.cache.recalled if self.cache else 0,
            "asked_again": self.limiter.retried,
            "refused_by_budget": self.budget.refused,
        }

    def close(self) -> None:
        """Let go of what is open."""
        if self.cache is not None:
            self.cache.close()

    def _names(self) -> tuple[str, ...]:
        if self.rules.judge is None and self.rules.jury:
            return self.rules.jury
        chosen = self.rules.judge or os.environ.get(JUDGE_VARIABLE) or EVIDENCE
        return (chosen, *self.rules.jury)

    def _judge(self) -> Judge | None:
        return choose_judge(
            self.rules.judge,
            jury=list(self.rules.jury),
            verdict=self.rules.jury_verdict,
            judge_runs=self.rules.judge_runs,
            seed=self.rules.seed,
            lang=self.rules.lang,
            base_url=self.rules.base_url,
            around=self._around,
            memory=self.cache,
        )

    def _around(self, ask: Ask, endpoint: str) -> Ask:
        self.budget.check(endpoint)
        metered = self.budget.metered(ask, endpoint)
        return self.budget(self.limiter(metered, endpoint), endpoint)
