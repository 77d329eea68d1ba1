"""Fifteen metrics of one answer of a conversational agent, and their twins from the run."""

from __future__ import annotations

from assay.metrics.chatbot.domain import Domain, load_domain
from assay.metrics.chatbot.evaluator import CATEGORIES, ChatbotEvaluator
from assay.metrics.chatbot.source_measure import SourceMeasure, measure_source
from assay.metrics.chatbot.traits import Traits
from assay.metrics.chatbot.turn import Turn, Verdict, band, not_applicable

__all__ = [
    "CATEGORIES",
    "ChatbotEvaluator",
    "Domain",
    "SourceMeasure",
    "Traits",
    "Turn",
    "Verdict",
    "band",
    "load_domain",
    "measure_source",
    "not_applicable",
]
