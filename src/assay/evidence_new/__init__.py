"""Evidence about one run: what it shows about its own success, without any model."""

from assay.evidence_new.examination import Examination, examine_run
from assay.evidence_new.findings import FINDING_KINDS, Finding, FindingKind

examine = examine_run
__all__ = ["FINDING_KINDS", "Examination", "Finding", "FindingKind", "examine", "examine_run"]
