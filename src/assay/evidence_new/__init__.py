"""Evidence about one run: what it shows about its own success, without any model."""

from assay.evidence_new.claims import Claim, Grounding
from assay.evidence_new.effect_comparison import EffectComparison, best_comparison, compare_effects
from assay.evidence_new.effects import RunEffects, read_effects
from assay.evidence_new.examination import Examination, examine, meets_expectations
from assay.evidence_new.findings import FINDING_KINDS, Finding, FindingKind, weight_of
from assay.evidence_new.index import IndexedCall, RunIndex
from assay.evidence_new.plan import Plan, Repeat
from assay.evidence_new.provenance import UNSOURCED, ArgumentValue

__all__ = [
    "FINDING_KINDS",
    "UNSOURCED",
    "ArgumentValue",
    "Claim",
    "EffectComparison",
    "Examination",
    "Finding",
    "FindingKind",
    "Grounding",
    "IndexedCall",
    "Plan",
    "Repeat",
    "RunEffects",
    "RunIndex",
    "best_comparison",
    "compare_effects",
    "examine",
    "meets_expectations",
    "read_effects",
    "weight_of",
]
