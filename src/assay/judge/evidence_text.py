"""The evidence about a run in short sentences, for a judge to check and use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.evidence.examination import Examination
    from assay.evidence.grounding import Claim
    from assay.evidence.traced_value import TracedValue
    from assay.judge.wording import Wording

_MOST_OF_A_KIND = 8
_MOST_NUMBERS = 12
_LONGEST_VALUE = 80


def evidence_lines(found: Examination, words: Wording) -> list[str]:
    """What was found out about a run, most important first."""
    phrases = words.phrases
    return [
        phrases["verdict"].format(verdict=found.findings.verdict),
        *_few((_with_calls(f.text, f.calls) for f in found.findings.found), phrases),
        *_few(_arguments(found.provenance.with_status("nowhere", "ahead"), phrases), phrases),
        *_few(_claims(found.grounding.with_status("absent", "contradicted"), phrases), phrases),
        *_few(_repeats(found, phrases), phrases),
        *_plan(found, phrases),
    ]


def _arguments(values: Iterable[TracedValue], phrases: dict[str, str]) -> Iterator[str]:
    for value in values:
        yield phrases["arguments"].format(
            number=value.call + 1,
            path=_cut(value.path),
            value=preview(value.value),
            how=phrases[value.status],
        )


def _claims(claims: Iterable[Claim], phrases: dict[str, str]) -> Iterator[str]:
    for claim in claims:
        how = phrases[claim.status].format(instead=_quoted(claim.instead))
        yield phrases["claim"].format(text=_quoted(claim.text), how=how)


def _repeats(found: Examination, phrases: dict[str, str]) -> Iterator[str]:
    for repeat in found.plan.repeats:
        if repeat.kind == "identical" and not repeat.after_write:
            yield phrases["repeat"].format(number=repeat.call + 1, earlier=repeat.earlier + 1)


def _plan(found: Examination, phrases: dict[str, str]) -> Iterator[str]:
    plan = found.plan
    if plan.least_turns < plan.turns:
        yield phrases["turns"].format(turns=plan.turns, least=plan.least_turns)
    if plan.early:
        yield phrases["early"].format(numbers=numbers(plan.early))
    if plan.unused:
        yield phrases["unused"].format(numbers=numbers(plan.unused))


def numbers(positions: Sequence[int]) -> str:
    """Positions of calls as people count them, a few of them."""
    shown = ", ".join(str(position + 1) for position in positions[:_MOST_NUMBERS])
    return shown if len(positions) <= _MOST_NUMBERS else f"{shown} …"


def _with_calls(text: str, calls: Sequence[int]) -> str:
    return f"{text} (call {numbers(calls)})" if calls else text


def _few(lines: Iterable[str], phrases: dict[str, str]) -> Iterator[str]:
    every = list(lines)
    yield from every[:_MOST_OF_A_KIND]
    if len(every) > _MOST_OF_A_KIND:
        yield phrases["more"].format(count=len(every) - _MOST_OF_A_KIND)


def _quoted(text: str) -> str:
    return f'"{_cut(text)}"'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"
