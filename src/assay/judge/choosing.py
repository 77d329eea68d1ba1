"""Which judge it is: the one asked for, the one the environment names, or the evidence judge.

A key of some provider in the environment chooses nothing: money is spent only where a judge
was named.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from assay.judge.asking import as_judge
from assay.judge.evidence import EVIDENCE, EvidenceJudge
from assay.judge.limits import Limiter

if TYPE_CHECKING:
    from typing import Unpack

    from assay.judge.asking import Judge, JudgeOptions

NO_JUDGE = "none"
JUDGE_VARIABLE = "ASSAY_JUDGE"


def choose_judge(model: object = None, **options: Unpack[JudgeOptions]) -> Judge | None:
    """The judge for `model`; None stands for ASSAY_JUDGE, or without it for the evidence judge.

    A jury needs no model beside it. "none" switches judging off: there is no judge then.
    """
    if model is None and not options.get("jury"):
        model = os.environ.get(JUDGE_VARIABLE) or EVIDENCE
    if model == NO_JUDGE:
        return None
    options["jury"] = [_evidence_judge_for(juror) for juror in options.get("jury", ())]
    judge = _evidence_judge_for(model)
    if isinstance(judge, EvidenceJudge) and not options["jury"]:
        return judge
    if any(isinstance(juror, str) for juror in (judge, *options["jury"])):
        options.setdefault("around", Limiter())  # an endpoint refuses now and then
    return as_judge(judge, **options)


def _evidence_judge_for(model: object) -> object:
    """The evidence judge where its name was given, else the model."""
    return EvidenceJudge() if model == EVIDENCE else model
