"""The evidence about a run in short sentences, for a judge to check and use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.records import cut, preview

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.evidence import ArgumentValue, Examination, Finding, Plan
    from assay.judge.wording import Wording

_MOST_OF_A_KIND = 8
_MOST_NUMBERS = 12
_LONGEST_VALUE = 80
_LOST = {"echo": "nowhere", "nowhere": "nowhere", "later": "ahead"}


def evidence_lines(found: Examination, words: Wording) -> list[str]:
    """What was found out about a run, most important first."""
    phrases = words.phrases
    kinds = (
        [_finding(finding) for finding in found.findings],
        [_argument(v, phrases) for v in found.arguments if v.source in _LOST],
        [
            phrases["claim"].format(text=_quoted(claim.text), how=phrases["absent"])
            for claim in found.grounding.with_status("absent")
        ],
        [
            phrases["repeat"].format(number=repeat.call + 1, earlier=repeat.earlier + 1)
            for repeat in found.plan.repeats
            if not repeat.after_write
        ],
    )
    lines = [phrases["verdict"].format(verdict=found.by_evidence)]
    for kind in kinds:
        lines += kind[:_MOST_OF_A_KIND]
        if len(kind) > _MOST_OF_A_KIND:
            lines.append(phrases["more"].format(count=len(kind) - _MOST_OF_A_KIND))
    return [*lines, *_plan(found.plan, phrases)]


def numbers(positions: Sequence[int]) -> str:
    """Positions of calls as people count them, a few of them."""
    shown = ", ".join(str(position + 1) for position in positions[:_MOST_NUMBERS])
    return shown if len(positions) <= _MOST_NUMBERS else f"{shown} …"


def _finding(finding: Finding) -> str:
    place = "" if finding.call is None else f" (call {finding.call + 1})"
    return f"{finding.sentence}{place}"


def _argument(value: ArgumentValue, phrases: dict[str, str]) -> str:
    return phrases["arguments"].format(
        number=value.call + 1,
        path=cut(value.place, _LONGEST_VALUE),
        value=preview(value.value),
        how=phrases[_LOST[value.source]],
    )


def _plan(plan: Plan, phrases: dict[str, str]) -> Iterator[str]:
    least = plan.least_turns
    if least < plan.turns:
        yield phrases["turns"].format(turns=plan.turns, least=least)
    if plan.early:
        yield phrases["early"].format(numbers=numbers(plan.early))
    if plan.unused:
        yield phrases["unused"].format(numbers=numbers(plan.unused))


def _quoted(text: str) -> str:
    return f'"{cut(text, _LONGEST_VALUE)}"'
