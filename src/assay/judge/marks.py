"""Marks: what a judge says of a case, how sure it is, and who said it."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from types import NoneType
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, cast

from msgspec import Struct, to_builtins

from assay.errors import JudgeFailed
from assay.judge.rubric import DIMENSION_NAMES, HIGHEST, LOWEST
from assay.records import preview
from assay.score import Evidence, mean

if TYPE_CHECKING:
    from assay.score import Score
    from assay.test_case import AgentTestCase

Middle: TypeAlias = Literal["mean", "median"]
Preparation: TypeAlias = Callable[["AgentTestCase"], object]
# By name: a union that is written where it is used is made anew each time.
_NUMBERS = (int, float)
_PLAIN = (int, float, str, NoneType)
_NO_WORDS = frozenset({int, float, NoneType})
# Each dimension with the keys under which a reply may give its reason.
_REASON_KEYS = tuple((name, f"{name}_reason", f"{name}_reasoning") for name in DIMENSION_NAMES)


class Spread(Struct, frozen=True):
    """How far the marks of several runs or jurors lie apart; `sd` is None for a single one."""

    low: float
    high: float
    sd: float | None
    count: int


class OrderEffect(Struct, frozen=True):
    """How much the order of the questions moved the marks, in marks; None where it cannot be told.

    `early` is how much higher a dimension was marked when asked in the first half than in the
    second, `high_bands_first` how much higher all were when the upper bands were named first.
    """

    early: float | None = None
    high_bands_first: float | None = None


class JudgedBy(Struct, frozen=True, omit_defaults=True):
    """Who gave the marks, and all that must be equal for marks to be comparable.

    `runs` is how often the judge was asked, `read` how many of its replies could be read; of a
    jury, how many jurors it has and how many gave marks. `verdict` is how theirs became one.
    """

    judge: str
    model: str | None = None
    rubric: str = ""
    rubric_hash: str = ""
    language: str = ""
    seed: int | None = None
    runs: int = 1
    read: int = 1
    evidence: str = ""
    prompt_hash: str = ""
    jurors: tuple[JudgedBy, ...] = ()
    verdict: str = ""


class Marks(Struct, frozen=True):
    """One mark from 1 to 10 per dimension; None where the judge had nothing to judge by.

    Of several runs or jurors these are the means (or medians); `run_scores` are the judged
    scores, 0 to 1, that each would have given alone, and `jurors` the marks of each juror.
    A judge that examined the run says with them what looks wrong, and its three-way verdict.
    """

    judge: str
    values: dict[str, float | None]
    reasons: dict[str, str] = {}
    evidence: dict[str, tuple[Evidence, ...]] = {}
    cost_usd: float | None = None
    verdict: str = ""
    findings: tuple[Evidence, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    recalled: bool = False
    provenance: JudgedBy | None = None
    spread: dict[str, Spread] = {}
    run_scores: tuple[float, ...] = ()
    order_effect: OrderEffect | None = None
    jurors: tuple[Marks, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def given(self) -> dict[str, float]:
        """The marks that are there."""
        return {name: value for name, value in self.values.items() if value is not None}

    @property
    def score(self) -> float | None:
        """The judged score, 0 to 1: the mean of the marks that are there, over ten."""
        found = mean(self.values.values())
        return None if found is None else found / HIGHEST

    @property
    def lacks_jurors(self) -> bool:
        """Whether these are the marks of a jury of which somebody gave none."""
        by = self.provenance
        return by is not None and bool(by.jurors) and by.read < by.runs

    def unstable(
        self, threshold: float | None, score: Callable[[float], float | None] = float
    ) -> bool | None:
        """Whether some runs or jurors alone would pass the threshold and others not.

        `score` turns a judged score into the one that is compared. None where there is no
        threshold or only one opinion.
        """
        if threshold is None or len(self.run_scores) < 2:
            return None
        scores = [found for found in map(score, self.run_scores) if found is not None]
        if len(scores) < 2:
            return None
        # The same tolerance as for passing: 0.6 x + 0.4 y is inexact in binary.
        return min(scores) < threshold - 1e-9 <= max(scores)


class Judge(Protocol):
    """Gives a case its marks."""

    name: str

    async def mark(self, case: AgentTestCase) -> Marks:
        """The marks of one case; raises JudgeFailed when there are none to be had."""


class PreparedJudge(Judge, Protocol):
    """A judge of whose work a part needs nothing but the case, and can be done anywhere."""

    @property
    def preparation(self) -> Preparation | None:
        """That part, equal for judges that can share it; None where there is none."""

    async def mark_prepared(self, case: AgentTestCase, prepared: Any) -> Marks:
        """The marks of a case for which that part is done."""


def preparation_of(judge: object, whole: str = "mark") -> Preparation | None:
    """What of a judge's work can be done beforehand; None where there is nothing.

    `whole` is the method that does all of the work: a class that has another one of its own, and
    nothing for what is prepared, is to be asked for all of it.
    """
    for kind in type(judge).__mro__:
        if f"{whole}_prepared" in vars(kind):
            found: Preparation | None = getattr(judge, "preparation", None)
            return found
        if whole in vars(kind):
            break
    return None


def is_all_of_it(preparation: Preparation) -> bool:
    """Whether nothing is left to do after this preparation: nobody is asked."""
    return getattr(preparation, "is_all", False) is True


async def marked(judge: Judge, case: AgentTestCase, prepared: object) -> Marks:
    """The marks of a case for which a part of the work may be done; None where it is not."""
    if prepared is None:
        return await judge.mark(case)
    return await cast("PreparedJudge", judge).mark_prepared(case, prepared)


def marks_from_mapping(judge: str, found: Mapping[str, Any]) -> Marks:
    """Read marks from plain values: numeric text is accepted, values are clamped to 1-10."""
    values = {name: mark_of(found.get(name), name) for name in DIMENSION_NAMES}
    return Marks(judge, values, reasons_in(found))


def reasons_in(found: Mapping[str, Any]) -> dict[str, str]:
    """The sentences given beside the marks, by dimension."""
    reasons: dict[str, str] = {}
    if _NO_WORDS.issuperset(map(type, found.values())):
        return reasons
    for name, key, other_key in _REASON_KEYS:
        entry = found.get(name)
        if not isinstance(entry, _PLAIN) and isinstance(entry, Mapping):
            text = entry.get("reason") or entry.get("reasoning")
        else:
            text = found.get(key) or found.get(other_key)
        if text and isinstance(text, str):
            reasons[name] = text
    return reasons


def mark_of(value: object, name: str) -> float | None:
    """One mark, clamped to 1-10; None stays None, what is no number is an error."""
    if isinstance(value, _NUMBERS) and value is not True and LOWEST <= value <= HIGHEST:
        return float(value)
    if not isinstance(value, _PLAIN):  # asking for a Mapping takes longer
        value = _mark_inside(value)
    if value is None:
        return None
    number = _number(value)
    # A judge that writes 0.8 meant another scale: as a 1 it would be the lowest mark there is.
    if number is None or 0 < number < LOWEST:
        raise JudgeFailed(f"{name}: expected a mark from 1 to 10, got {preview(value)}")
    return min(max(number, LOWEST), HIGHEST)


def _mark_inside(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return next((value[key] for key in ("score", "mark", "value") if key in value), None)


def _number(value: object) -> float | None:
    scale = 1.0
    if isinstance(value, str):
        value = value.strip().removesuffix("/10").strip()
        if value.endswith("%"):
            value, scale = value.removesuffix("%").strip(), 0.1
    elif isinstance(value, bool) or not isinstance(value, _NUMBERS):
        return None
    try:
        number = float(value) * scale
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def judged_by(marks: Marks) -> dict[str, Any]:
    """Everything about marks but the marks, as JSON values; what is not known is left out."""
    found: dict[str, Any] = {"judge": marks.judge}
    if marks.provenance is not None:
        found |= to_builtins(marks.provenance)
    rest: dict[str, Any] = {
        "cost_usd": marks.cost_usd,
        "input_tokens": marks.input_tokens,
        "output_tokens": marks.output_tokens,
        "recalled": marks.recalled or None,
        "spread": to_builtins(marks.spread) or None,
        "run_scores": list(marks.run_scores) or None,
        "order_effect": to_builtins(marks.order_effect),
        "juror_marks": {juror.judge: juror.values for juror in marks.jurors} or None,
        "warnings": list(marks.warnings) or None,
    }
    return found | {name: value for name, value in rest.items() if value is not None}


def lacks_jurors(score: Score) -> bool:
    """Whether a score was given by a jury of which somebody gave no marks."""
    parts = (part.judged_by or {} for part in score.walk())
    return any("jurors" in by and by.get("read", 1) < by["runs"] for by in parts)


# The first row whose pattern occurs in the name decides; hosts and vendors stand last, because
# they serve models of others.
FAMILIES = (
    ("gpt", r"\bgpt|\bchatgpt|\bo[1345](?:-|\b)|\bdavinci"),
    ("claude", r"\bclaude"),
    ("gemini", r"\bgemini|\bgemma|\bpalm-?2"),
    ("nemotron", r"\bnemotron"),
    ("deepseek", r"\bdeepseek"),
    ("qwen", r"\bqwen|\bqwq|\bqvq"),
    ("llama", r"\bllama|\bcodellama"),
    ("mistral", r"\b(?:mistral|mixtral|ministral|magistral|codestral|devstral|pixtral)"),
    ("glm", r"\b(?:chat)?glm"),
    ("kimi", r"\bkimi|\bmoonshot"),
    ("grok", r"\bgrok"),
    ("command", r"\bcommand-|\baya-"),
    ("nova", r"\bnova-|\btitan-"),
    ("phi", r"\bphi-?\d"),
    ("doubao", r"\bdoubao|\bseed-"),
    ("ernie", r"\bernie"),
    ("hunyuan", r"\bhunyuan"),
    ("minimax", r"\bminimax|\babab\d"),
    ("yi", r"\byi-"),
    ("granite", r"\bgranite"),
    ("jamba", r"\bjamba"),
    ("smollm", r"\bsmollm"),
)
_PATTERNS = [(family, re.compile(pattern, re.IGNORECASE)) for family, pattern in FAMILIES]
_LONGEST_NAME = 200


@lru_cache(maxsize=256)
def family_of(model: str | None) -> str | None:
    """The family of a model by its name; None where the name tells nothing."""
    name = (model or "")[:_LONGEST_NAME].replace("_", "-")
    return next((family for family, pattern in _PATTERNS if pattern.search(name)), None)


def same_family_warning(judge_model: str | None, judged_model: str | None) -> str | None:
    """A warning where judge and judged are of one family; None where they are not, or unknown."""
    family = family_of(judge_model)
    if family is None or family != family_of(judged_model):
        return None
    return (
        f"The judge ({judge_model}) and the agent's model ({judged_model}) are one family, "
        f"{family}: judges are known to favour their own. Have another family judge too"
    )
