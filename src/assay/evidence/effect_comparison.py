"""What a run did against what was expected of it, or against what a golden run did.

The value is between 0 and 1; an expectation is met by 1 alone. Against a golden run it is the
match of the writes; where these were statements or commands, the facts that results brought count
as much; where it changed nothing, facts and answer stand beside the writes that were not made.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.effect_matching import (
    answers,
    contains_words,
    pair_writes,
    wanted_by,
    wanted_like,
)
from assay.evidence.effects import facts_in, plain, tool_name
from assay.expectation import Expectations
from assay.score import Evidence, mean
from assay.text.dates import days_in
from assay.text.entities import ids_in
from assay.text.numbers import parse_number

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.evidence.effect_matching import WantedWrite, WritePair
    from assay.evidence.effects import Effect, RunEffects

_MOST_SENTENCES = 50
_MOST_NAMED = 8
_LONGEST_SENTENCE = 500
_LONGEST_DATE = 40
_UNRECORDED = "what the run wrote was not recorded"
_MET = 1 - 1e-9


class EffectPart(Struct, frozen=True):
    """One side of the comparison; a value of None was not looked at, and the reason says why."""

    name: str
    value: float | None
    reason: str
    evidence: tuple[Evidence, ...] = ()


class EffectComparison(Struct, frozen=True):
    """How well a run did what was expected, part by part; None when there is nothing to compare."""

    value: float | None
    reason: str
    parts: tuple[EffectPart, ...]

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Every sentence of every part."""
        return tuple(found for part in self.parts for found in part.evidence)

    @property
    def is_met(self) -> bool | None:
        """Whether everything expected was done and nothing else; None if it cannot be known."""
        values = [part.value for part in self.parts if part.value is not None]
        if not values:
            return None
        return all(value >= _MET for value in values)

    def part(self, name: str) -> EffectPart | None:
        """The part of that name; None if it was not looked at."""
        return next((part for part in self.parts if part.name == name), None)


def compare_effects(done: RunEffects, expected: RunEffects | Expectations) -> EffectComparison:
    """Hold what a run did against what is expected, or against what a golden run did."""
    if isinstance(expected, Expectations):
        return _against_expectations(done, expected)
    return _against_golden(done, expected)


def best_comparison(
    done: RunEffects, golden: Sequence[RunEffects]
) -> tuple[int, EffectComparison] | None:
    """The golden run that a run matches best, by its place; None when there is none."""
    compared = [compare_effects(done, one) for one in golden]
    if not compared:
        return None
    values = [-1.0 if one.value is None else one.value for one in compared]
    best = values.index(max(values))
    return best, compared[best]


def _against_golden(done: RunEffects, golden: RunEffects) -> EffectComparison:
    if golden.has_unrecorded:
        return EffectComparison(None, "what the golden run wrote was not recorded", ())
    writes = _writes_part([wanted_like(effect) for effect in golden.writes], done, extra=True)
    facts = _facts_part(golden.facts, done)
    if golden.writes and all(effect.form == "call" for effect in golden.writes):
        return EffectComparison(writes.value, writes.reason, (writes,))
    if golden.writes:
        return _mean_of((writes, facts))
    if not golden.calls and not golden.answer.strip():
        return EffectComparison(None, "the golden run called nothing and said nothing", ())
    answer = _answer_part(_checkable(golden.answer), done)
    value = mean((writes.value, mean((facts.value, answer.value))))
    reason = f"{writes.reason}; {facts.reason}; {answer.reason}"
    return EffectComparison(value, reason, (writes, facts, answer))


def _against_expectations(done: RunEffects, expected: Expectations) -> EffectComparison:
    parts = []
    if expected.writes is not None:
        wanted = [one for write in expected.writes for one in wanted_by(write)]
        parts.append(_writes_part(wanted, done, extra=expected.extra_writes == "count"))
    if expected.write_count is not None:
        parts.append(_count_part(expected.write_count, done))
    if expected.answer is not None:
        parts.append(_answer_part(expected.answer, done))
    found = _mean_of(tuple(parts))
    if not expected.forbidden:
        return found
    forbidden = _forbidden_part([wanted_by(write)[0] for write in expected.forbidden], done)
    reason = f"{forbidden.reason}; {found.reason}" if parts else forbidden.reason
    value = found.value if parts and not forbidden.evidence else forbidden.value
    return EffectComparison(value, reason, (forbidden, *found.parts))


def _mean_of(parts: tuple[EffectPart, ...]) -> EffectComparison:
    if not parts:
        return EffectComparison(None, "nothing is expected", ())
    reason = "; ".join(part.reason for part in parts)
    return EffectComparison(mean(part.value for part in parts), reason, parts)


def _writes_part(wanted: list[WantedWrite], done: RunEffects, *, extra: bool) -> EffectPart:
    """Writes that were expected and made, of all that were expected or made."""
    if done.has_unrecorded:
        return EffectPart("effect_writes", None, _UNRECORDED)
    pairs = pair_writes(wanted, done.writes)
    credit = sum(pair.leaves.share for pair in pairs)
    answering = {pair.done for pair in pairs}
    others = [effect for i, effect in enumerate(done.writes) if i not in answering and extra]
    both = len(wanted) + len(pairs) + len(others)
    value = min(1.0, 2 * credit / both) if both else 1.0
    if not wanted and not extra:
        return EffectPart("effect_writes", None, "no write is expected, and others are ignored")
    right = sum(pair.leaves.share == 1 for pair in pairs)
    stated = [f"{right} of {_counted(len(wanted), 'expected write')} made as expected"]
    if not wanted:
        stated = ["no write expected" if others else "no write expected, none made"]
    if len(pairs) > right:
        stated.append(f"{len(pairs) - right} made with other values")
    if others:
        stated.append(f"{len(others)} made and not expected")
    sentences = list(_write_sentences(wanted, pairs, others, done))
    return EffectPart("effect_writes", value, ", ".join(stated), _bounded(sentences))


def _write_sentences(
    wanted: list[WantedWrite], pairs: list[WritePair], others: list[Effect], done: RunEffects
) -> Iterator[Evidence]:
    answered = {pair.wanted: pair for pair in pairs}
    for row, one in enumerate(wanted):
        pair = answered.get(row)
        if pair is None:
            yield _sentence(f"{one.name} was expected and not made{_tried(one, done)}", "missing")
            continue
        call = done.writes[pair.done].calls[0]
        if pair.leaves.share == 1:
            yield _sentence(f"{one.name} was made as expected", "expected", call)
        else:
            problems = "; ".join(pair.leaves.problems) or "its wording says less"
            yield _sentence(f"{one.name} was made, but {problems}", "different", call)
    for effect in others:
        yield _sentence(f"{effect.name} was made and not expected", "extra", effect.calls[0])


def _tried(wanted: WantedWrite, done: RunEffects) -> str:
    name = tool_name(wanted.tool or "")
    failed = [position for tool, position in done.tried if tool == name]
    return f"; it was tried and failed (call {failed[-1] + 1})" if failed else ""


def _forbidden_part(wanted: list[WantedWrite], done: RunEffects) -> EffectPart:
    found = [
        _sentence(f"{effect.name} is forbidden and was made", "forbidden", effect.calls[0])
        for effect in done.writes
        if any((match := answers(one, effect)) is not None and match.share == 1 for one in wanted)
    ]
    if not found and done.has_unrecorded:
        return EffectPart("effect_forbidden", None, _UNRECORDED)
    if not found:
        return EffectPart("effect_forbidden", 1.0, "nothing forbidden was done")
    reason = f"{_counted(len(found), 'forbidden write')} made: worth nothing"
    return EffectPart("effect_forbidden", 0.0, reason, _bounded(found))


def _count_part(expected: int, done: RunEffects) -> EffectPart:
    made = len({position for effect in done.writes for position in effect.calls})
    value = min(expected, made) / max(expected, made) if expected or made else 1.0
    reason = f"{_counted(made, 'write')} made, {expected} expected"
    wrong = () if made == expected else (_sentence(reason, "count"),)
    return EffectPart("effect_count", value, reason, wrong)


def _facts_part(expected: frozenset[str], done: RunEffects) -> EffectPart:
    """The numbers, dates and times of the golden run's results that this run saw too."""
    if not expected:
        return EffectPart("effect_facts", None, "the golden run saw no numbers or dates")
    missing = expected - done.facts
    value = 1 - len(missing) / len(expected)
    reason = f"{len(expected) - len(missing)} of {len(expected)} facts of the golden run seen"
    return EffectPart(
        "effect_facts", value, reason, _missing(missing, "never seen in a result", "fact")
    )


def _answer_part(expected: Sequence[str], done: RunEffects) -> EffectPart:
    """What the answer must state and does."""
    if not expected:
        return EffectPart("effect_answer", None, "the expected answer has no checkable part")
    facts, days = facts_in(done.answer), days_in(done.answer)
    missing = {text for text in expected if not _states(text, done.answer, facts, days)}
    value = 1 - len(missing) / len(set(expected))
    reason = f"{len(missing)} of {len(expected)} expected parts missing from the answer"
    return EffectPart(
        "effect_answer", value, reason, _missing(missing, "the answer does not state", "atom")
    )


def _states(text: str, answer: str, facts: set[str], days: set[tuple[int, int, int]]) -> bool:
    """Whether an answer states this: numbers by size, dates by day, all else by its words."""
    if parse_number(text) is not None:
        return plain(text).lstrip("-") in facts
    if len(text) <= _LONGEST_DATE and days_in(text) & days:
        return True
    return contains_words(answer, text)


def _checkable(answer: str) -> list[str]:
    """The numbers, dates and identifiers of an answer."""
    return sorted({*facts_in(answer), *ids_in(answer)})


def _missing(missing: Iterable[str], verb: str, kind: str) -> tuple[Evidence, ...]:
    found = sorted(missing)
    if not found:
        return ()
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return (_sentence(f"{verb}: {', '.join(found[:_MOST_NAMED])}{more}", f"missing_{kind}"),)


def _sentence(text: str, kind: str, call: int | None = None) -> Evidence:
    return Evidence(text[:_LONGEST_SENTENCE], kind, call)


def _bounded(sentences: list[Evidence]) -> tuple[Evidence, ...]:
    """What went wrong before what went well, and not without end."""
    return tuple(sorted(sentences, key=lambda one: one.kind == "expected")[:_MOST_SENTENCES])


def _counted(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
