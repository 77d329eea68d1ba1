"""Which judge it is: the one asked for, the one the environment names, or the evidence judge.

A key of some provider in the environment chooses nothing: money is spent only where a judge
was named.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from assay.judge.asking import as_judge
from assay.judge.evidence import EVIDENCE, EvidenceJudge

if TYPE_CHECKING:
    from assay.judge.asking import Judge

NO_JUDGE = "none"
JUDGE_VARIABLE = "ASSAY_JUDGE"


def choose_judge(model: object = None, *, asynchronous: bool = True) -> Judge | None:
    """The judge for `model`; None stands for ASSAY_JUDGE, or without it for the evidence judge.

    "none" switches judging off: there is no judge then.
    """
    chosen = (os.environ.get(JUDGE_VARIABLE) or EVIDENCE) if model is None else model
    if chosen == NO_JUDGE:
        return None
    if chosen == EVIDENCE:
        return EvidenceJudge()
    return as_judge(chosen, asynchronous=asynchronous)
