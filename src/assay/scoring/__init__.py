"""Many cases through several metrics: bounded concurrency, input order, one crash boundary."""

from __future__ import annotations

from assay.scoring.flight import DEFAULT_CONCURRENCY, score_cases, score_stream
from assay.scoring.foresight import Crew
from assay.scoring.results import CaseScores, Failed, KnownCase
from assay.scoring.tally import Average, Tally

__all__ = [
    "DEFAULT_CONCURRENCY",
    "Average",
    "CaseScores",
    "Crew",
    "Failed",
    "KnownCase",
    "Tally",
    "score_cases",
    "score_stream",
]
