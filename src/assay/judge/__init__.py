"""Judges of runs: evidence, models, panels; what surrounds them, and how far to trust them.

Each name is loaded when it is first used, so that judging by evidence stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "AGGREGATES": "rubric",
    "AuditOptions": "audit",
    "AuditReport": "audit",
    "Calibration": "calibration",
    "DEFECTS": "defects",
    "DIMENSIONS": "rubric",
    "DIMENSION_NAMES": "rubric",
    "HIGHEST": "rubric",
    "EVIDENCE": "evidence",
    "EvidenceJudge": "evidence",
    "JudgeConfig": "session",
    "JudgeSession": "session",
    "Marks": "marks",
    "NO_JUDGE": "choosing",
    "Panel": "panel",
    "ReplyCache": "cache",
    "JudgedRun": "calibration",
    "TrialFile": "audit",
    "as_judge": "choosing",
    "audit_judge": "audit",
    "calibrate": "calibration",
    "choose_judge": "choosing",
    "judge_prompt": "prompt",
    "judged_by": "marks",
    "keep_calibration": "calibration",
    "known_calibration": "calibration",
    "lacks_jurors": "marks",
    "panel_agreement": "panel",
}

if TYPE_CHECKING:
    from assay.judge.audit import AuditOptions as AuditOptions
    from assay.judge.audit import AuditReport as AuditReport
    from assay.judge.audit import TrialFile as TrialFile
    from assay.judge.audit import audit_judge as audit_judge
    from assay.judge.cache import ReplyCache as ReplyCache
    from assay.judge.calibration import Calibration as Calibration
    from assay.judge.calibration import JudgedRun as JudgedRun
    from assay.judge.calibration import calibrate as calibrate
    from assay.judge.calibration import keep_calibration as keep_calibration
    from assay.judge.calibration import known_calibration as known_calibration
    from assay.judge.choosing import NO_JUDGE as NO_JUDGE
    from assay.judge.choosing import as_judge as as_judge
    from assay.judge.choosing import choose_judge as choose_judge
    from assay.judge.defects import DEFECTS as DEFECTS
    from assay.judge.evidence import EVIDENCE as EVIDENCE
    from assay.judge.evidence import EvidenceJudge as EvidenceJudge
    from assay.judge.marks import Marks as Marks
    from assay.judge.marks import judged_by as judged_by
    from assay.judge.marks import lacks_jurors as lacks_jurors
    from assay.judge.panel import Panel as Panel
    from assay.judge.panel import panel_agreement as panel_agreement
    from assay.judge.prompt import judge_prompt as judge_prompt
    from assay.judge.rubric import AGGREGATES as AGGREGATES
    from assay.judge.rubric import DIMENSION_NAMES as DIMENSION_NAMES
    from assay.judge.rubric import DIMENSIONS as DIMENSIONS
    from assay.judge.rubric import HIGHEST as HIGHEST
    from assay.judge.session import JudgeConfig as JudgeConfig
    from assay.judge.session import JudgeSession as JudgeSession

__all__ = sorted(_HOMES)  # noqa: PLE0605 - one list of names, not two


if not TYPE_CHECKING:  # or a type checker would believe any name

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'assay.judge' has no attribute {name!r}")
        value = getattr(import_module(f"assay.judge.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
