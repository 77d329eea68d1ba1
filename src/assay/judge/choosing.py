"""Which judge it is: the one asked for, the one the environment names, or the evidence judge.

A key of some provider in the environment chooses nothing: money is spent only where a judge
was named.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from assay.errors import InvalidJudge, UnknownName
from assay.judge.evidence import EVIDENCE, EvidenceJudge
from assay.judge.marks import Marks, marks_from_mapping
from assay.judge.rubric import DIMENSION_NAMES
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from assay.judge.marks import Judge, Middle
    from assay.judge.questions import Around, Ask, Memory
    from assay.test_case import AgentTestCase

NO_JUDGE = "none"
JUDGE_VARIABLE = "ASSAY_JUDGE"
_MARK_NAMES = frozenset(
    f"{name}{suffix}" for name in DIMENSION_NAMES for suffix in ("", "_reason", "_reasoning")
)


class JudgeOptions(TypedDict, total=False):
    """How a judge is asked; everything has a default.

    `judge_runs` asks that often, in seeded orders; `jury` are further judges, whose marks become
    one by their `verdict` (mean or median). `lang` is the language of the rubric. `base_url` is
    an OpenAI-compatible server. `around` puts limits around every way to ask, and `memory`
    keeps the replies of models that have a name.
    """

    judge_runs: int
    seed: int
    jury: Iterable[object]
    verdict: Middle
    lang: str
    base_url: str | None
    around: Around | None
    memory: Memory | None
    asynchronous: bool


class FixedMarks:
    """A judge with the same marks for every case."""

    def __init__(self, marks: Mapping[str, Any]) -> None:
        """Take marks by dimension; what is missing is not judged, what is no dimension refused."""
        self.name = "fixed marks"
        for name in marks:
            if name not in _MARK_NAMES:
                raise UnknownName("dimension", str(name), DIMENSION_NAMES)
        self._marks = marks_from_mapping(self.name, marks)

    async def mark(self, case: AgentTestCase) -> Marks:  # noqa: ARG002 - the marks are fixed
        """The fixed marks."""
        return self._marks


def choose_judge(model: object = None, **options: Unpack[JudgeOptions]) -> Judge | None:
    """The judge for `model`; None stands for ASSAY_JUDGE, or without it for the evidence judge.

    A jury needs no model beside it. "none" switches judging off: there is no judge then.
    """
    jury = list(options.get("jury") or ())
    if model is None and not jury:
        model = os.environ.get(JUDGE_VARIABLE) or EVIDENCE
    if model == NO_JUDGE:
        return None
    if model == EVIDENCE and not jury:
        return EvidenceJudge()
    if any(isinstance(juror, str) and juror != EVIDENCE for juror in (model, *jury)):
        from assay.judge.limits import Limiter  # noqa: PLC0415 - loaded when it is used

        options.setdefault("around", Limiter())  # an endpoint refuses now and then
    return as_judge(model, **options)


def as_judge(model: object, **options: Unpack[JudgeOptions]) -> Judge | None:
    """Make a judge of what the user gave; None stays None: nothing is judged."""
    jury = list(options.get("jury") or ())
    jurors = jury if model is None else [model, *jury]
    judges = [_one_judge(juror, options) for juror in jurors]
    if len(judges) < 2:
        return judges[0] if judges else None
    from assay.judge.panel import Panel  # noqa: PLC0415 - loaded when it is used

    return Panel(judges, options.get("verdict", "mean"))


def _one_judge(model: object, options: JudgeOptions) -> Judge:
    judge = _single_judge(model, options)
    runs = options.get("judge_runs", 1)
    if runs == 1 or isinstance(judge, FixedMarks | EvidenceJudge):
        return judge
    from assay.judge.panel import RepeatedJudge  # noqa: PLC0415 - loaded when it is used

    return RepeatedJudge(judge, runs)


def _single_judge(model: object, options: JudgeOptions) -> Judge:
    if model == EVIDENCE:
        return EvidenceJudge()
    if isinstance(model, Mapping):
        return FixedMarks(model)
    if not isinstance(model, str) and hasattr(model, "mark") and hasattr(model, "name"):
        return model
    from assay.judge.llm import AskOptions, LLMJudge, own_ask, own_name  # noqa: PLC0415 - heavy

    memory = options.get("memory")
    ask: Ask | None
    if isinstance(model, str):
        from assay.judge.model_names import address_of  # noqa: PLC0415 - loaded when it is used
        from assay.judge.models import model_ask  # noqa: PLC0415 - the same

        address = address_of(model, options.get("base_url"))
        ask, name = model_ask(address), address.name
    else:
        ask, name = own_ask(model, asynchronous=options.get("asynchronous", True)), own_name(model)
        if not hasattr(model, "get_model_name"):
            memory = None  # two functions may share a name
    if ask is None:
        raise InvalidJudge(
            f"model: cannot ask {preview(model)}. Give a model as provider:model, an object with "
            "generate or a_generate, a callable from prompt to reply, or the six marks as a dict"
        )
    around = options.get("around")
    asking = AskOptions(options.get("lang", "en"), seed=options.get("seed", 0), memory=memory)
    return LLMJudge(name, around(ask, name) if around else ask, asking)
