"""A judge with everything around it: what it may cost, how hard it is asked, what it remembers."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.judge.budget import Budget
from assay.judge.cache import ReplyCache
from assay.judge.calibration import known_calibration
from assay.judge.choosing import JUDGE_VARIABLE, NO_JUDGE, choose_judge
from assay.judge.evidence import EVIDENCE, EVIDENCE_VERSION
from assay.judge.limits import Limiter, Limits
from assay.judge.marks import Middle
from assay.judge.rubric import RUBRIC_VERSION
from assay.judge.wording import rubric_hash

if TYPE_CHECKING:
    from assay.judge.questions import Ask


class JudgeConfig(Struct, frozen=True, kw_only=True):
    """Who is to judge, and how: all that a user may ask for.

    `judge` is "evidence", "none" or the name of a model; None is what ASSAY_JUDGE says, else
    the evidence judge. `remember` keeps replies in the user's cache directory.
    """

    judge: str | None = None
    jury: tuple[str, ...] = ()
    jury_verdict: Middle = "mean"
    judge_runs: int = 1
    lang: str = "en"
    base_url: str | None = None
    seed: int = 0
    max_cost: float | None = None
    max_tokens: int | None = None
    deadline: float = Limits().deadline
    at_once: int = Limits().at_once
    remember: bool = True


class JudgeSession:
    """The judge that a configuration names, with its budget, limits and cache; None where none."""

    def __init__(self, config: JudgeConfig) -> None:
        """Make the judge; whatever keeps it from being asked is an error now, not later."""
        self.config = config
        self.cache = ReplyCache() if config.remember and self.asks_models else None
        self.budget = Budget(config.max_cost, config.max_tokens)
        self.limiter = Limiter(
            Limits(deadline=config.deadline, at_once=config.at_once, seed=config.seed)
        )
        self.judge = choose_judge(
            config.judge,
            jury=list(config.jury),
            verdict=config.jury_verdict,
            judge_runs=config.judge_runs,
            seed=config.seed,
            lang=config.lang,
            base_url=config.base_url,
            around=self._around,
            memory=self.cache,
        )

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
        config = self.config
        if self.judge is None:
            return {}
        found: dict[str, Any] = {"evidence": EVIDENCE_VERSION}
        if self.asks_models:
            found |= {
                "rubric": RUBRIC_VERSION,
                "rubric_hash": rubric_hash(config.lang),
                "lang": config.lang,
                "judge_runs": config.judge_runs,
            }
            if config.judge_runs > 1:  # asked once, a judge is asked in the usual order
                found["seed"] = config.seed
        if config.jury and config.jury_verdict != "mean":
            found["jury_verdict"] = config.jury_verdict
        return found

    def report(self) -> dict[str, Any]:
        """What judging has cost so far, as JSON values."""
        return {
            "judge": self.name or None,
            "judge_runs": self.config.judge_runs if self.asks_models else None,
            "calibration": known_calibration(self.name) if self.name else None,
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
        if self.config.judge is None and self.config.jury:
            return self.config.jury
        chosen = self.config.judge or os.environ.get(JUDGE_VARIABLE) or EVIDENCE
        return (chosen, *self.config.jury)

    def _around(self, ask: Ask, endpoint: str) -> Ask:
        self.budget.check(endpoint)
        metered = self.budget.metered(ask, endpoint)
        return self.budget(self.limiter(metered, endpoint), endpoint)
