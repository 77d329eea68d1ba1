"""The evidence about a run in short sentences, for a judge to check and use."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from assay.records import cut, preview

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evidence.claims import Claim
    from assay.evidence.examination import Examination
    from assay.evidence.plan import Plan, Repeat
    from assay.evidence.traced_value import TracedValue
    from assay.judge.wording import Wording

_MOST_OF_A_KIND = 8
_MOST_NUMBERS = 12
# One more tells that there are more.
_TELLING = _MOST_NUMBERS + 1
_LONGEST_VALUE = 80


def evidence_lines(found: Examination, words: Wording) -> list[str]:
    """What was found out about a run, most important first."""
    phrases = words.phrases
    kinds = (
        [_with_calls(f.text, f.calls) for f in found.findings.found],
        [_argument(v, phrases) for v in found.provenance.with_status("nowhere", "ahead")],
        [_claim(c, phrases) for c in found.grounding.with_status("absent", "contradicted")],
        [_repeat(r, phrases) for r in found.plan.repeats if _is_needless(r)],
    )
    lines = [phrases["verdict"].format(verdict=found.findings.verdict)]
    for kind in kinds:
        lines += kind[:_MOST_OF_A_KIND]
        if len(kind) > _MOST_OF_A_KIND:
            lines.append(phrases["more"].format(count=len(kind) - _MOST_OF_A_KIND))
    return [*lines, *_plan(found.plan, phrases)]


def _argument(value: TracedValue, phrases: dict[str, str]) -> str:
    return phrases["arguments"].format(
        number=value.call + 1,
        path=cut(value.path, _LONGEST_VALUE),
        value=preview(value.value),
        how=phrases[value.status],
    )


def _claim(claim: Claim, phrases: dict[str, str]) -> str:
    how = phrases[claim.status].format(instead=_quoted(claim.instead))
    return phrases["claim"].format(text=_quoted(claim.text), how=how)


def _is_needless(repeat: Repeat) -> bool:
    return repeat.kind == "identical" and not repeat.after_write


def _repeat(repeat: Repeat, phrases: dict[str, str]) -> str:
    return phrases["repeat"].format(number=repeat.call + 1, earlier=repeat.earlier + 1)


def _plan(plan: Plan, phrases: dict[str, str]) -> Iterator[str]:
    least = plan.least_turns
    if least < plan.turns:
        yield phrases["turns"].format(turns=plan.turns, least=least)
    if plan.early:
        yield _about(plan.early[:_TELLING], phrases["early"])
    if plan.unused:
        yield _about(plan.unused[:_TELLING], phrases["unused"])


def numbers(positions: Sequence[int]) -> str:
    """Positions of calls as people count them, a few of them."""
    return _about(tuple(positions[:_TELLING]), "{numbers}")


@lru_cache(maxsize=1_024)
def _about(positions: tuple[int, ...], phrase: str) -> str:
    """A phrase about calls; most runs are short, and so the same calls are often spoken of."""
    shown = ", ".join([str(position + 1) for position in positions[:_MOST_NUMBERS]])
    return phrase.format(numbers=shown if len(positions) <= _MOST_NUMBERS else f"{shown} …")


def _with_calls(text: str, calls: Sequence[int]) -> str:
    return f"{text} (call {numbers(calls)})" if calls else text


def _quoted(text: str) -> str:
    return f'"{cut(text, _LONGEST_VALUE)}"'
