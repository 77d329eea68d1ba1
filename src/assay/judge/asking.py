"""Who may judge: a model by name, anything that can be asked, marks given beforehand, or a jury."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

from assay.errors import InvalidJudge
from assay.judge.asked import AskedJudge, FixedMarks, Manner
from assay.judge.jury import Jury, Verdict
from assay.judge.marks import Judge
from assay.judge.model_names import ModelAddress, address_of
from assay.judge.own_model import own_ask, own_name
from assay.judge.repeated import RepeatedJudge
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Unpack

    from assay.judge.exchange import Around, Memory

__all__ = ["AskedJudge", "FixedMarks", "Judge", "JudgeOptions", "as_judge"]


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
    verdict: Verdict
    lang: str
    base_url: str | None
    around: Around | None
    memory: Memory | None
    asynchronous: bool


def as_judge(model: object, **options: Unpack[JudgeOptions]) -> Judge | None:
    """Make a judge of what the user gave; None stays None: nothing is judged."""
    jury = list(options.get("jury") or ())
    if model is None and not jury:
        return None
    jurors = jury if model is None else [model, *jury]
    judges = [_one_judge(juror, options) for juror in jurors]
    return judges[0] if len(judges) == 1 else Jury(judges, options.get("verdict", "mean"))


def _one_judge(model: object, options: JudgeOptions) -> Judge:
    judge = _single_judge(model, options)
    runs = options.get("judge_runs", 1)
    if runs == 1 or isinstance(judge, FixedMarks):
        return judge
    return RepeatedJudge(judge, runs)


def _single_judge(model: object, options: JudgeOptions) -> Judge:
    if isinstance(model, Mapping):
        return FixedMarks(model)
    if isinstance(model, str):
        return _named(address_of(model, options.get("base_url")), options)
    if hasattr(model, "mark") and hasattr(model, "name"):
        return model
    ask = own_ask(model, asynchronous=options.get("asynchronous", True))
    if ask is None:
        raise InvalidJudge(
            f"model: cannot ask {preview(model)}. Give a model as provider:model, an object with "
            "generate or a_generate, a callable from prompt to reply, or the six marks as a dict"
        )
    name = own_name(model)
    around = options.get("around")
    # Two functions may share a name: only a model that names itself can be remembered.
    memory = options.get("memory") if hasattr(model, "get_model_name") else None
    return AskedJudge(name, around(ask, name) if around else ask, _manner(options, memory))


def _named(address: ModelAddress, options: JudgeOptions) -> AskedJudge:
    from assay.judge.model_asking import model_ask  # noqa: PLC0415 - loaded when it is used

    ask = model_ask(address)
    around = options.get("around")
    return AskedJudge(
        address.name,
        around(ask, address.name) if around else ask,
        _manner(options, options.get("memory")),
    )


def _manner(options: JudgeOptions, memory: Memory | None) -> Manner:
    return Manner(language=options.get("lang", "en"), seed=options.get("seed", 0), memory=memory)
