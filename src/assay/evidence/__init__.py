"""Evidence about one run: what it shows about its own success, without any model."""

from assay.evidence.alignment import ALIGNMENTS, Order
from assay.evidence.claims import Claim, Grounding
from assay.evidence.effect_comparison import EffectComparison, best_comparison, compare_effects
from assay.evidence.effects import RunEffects, read_effects
from assay.evidence.examination import Examination, examine, meets_expectations
from assay.evidence.findings import (
    FINDING_KINDS,
    SENTENCES_OF_FINDINGS,
    Finding,
    FindingKind,
    weight_of,
)
from assay.evidence.index import IndexedCall, RunIndex
from assay.evidence.plan import Plan, Repeat
from assay.evidence.provenance import UNSOURCED, ArgumentValue
from assay.evidence.tools import is_write

__all__ = [
    "ALIGNMENTS",
    "FINDING_KINDS",
    "SENTENCES_OF_FINDINGS",
    "UNSOURCED",
    "ArgumentValue",
    "Claim",
    "EffectComparison",
    "Examination",
    "Finding",
    "FindingKind",
    "Grounding",
    "IndexedCall",
    "Order",
    "Plan",
    "Repeat",
    "RunEffects",
    "RunIndex",
    "best_comparison",
    "compare_effects",
    "examine",
    "is_write",
    "meets_expectations",
    "read_effects",
    "weight_of",
]
