"""Findings about the answer: invented figures, claimed actions without calls, another subject."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.evidence.findings import Finding
from assay.evidence.index import REQUEST
from assay.evidence.reports import claimed_action, reports_trouble, unmatched_action
from assay.text.entities import quotations_in
from assay.text.numbers import is_calculated, numbers_in
from assay.text.words import STOP_WORDS, has_unspaced_script, stem, tokens_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from assay.evidence.claims import Claim, Grounding
    from assay.evidence.index import RunIndex

_LEAST_DIGITS = 3
_MOST_NUMBERS = 12
_MOST_ABSENT = 0.5
_MOST_PLAIN = 2
_MOST_SHOWN = 4
_LEAST_WORDS = 6
_LEAST_SPECIFICS = 3
_LEAST_RECALL = 0.5
_LEAST_WORD_RECALL = 0.4
_LEAST_COVERAGE = 1.4
_LEAST_SUPPORTED = 2
_MOST_HELD = 0.5
_MOST_SPECIFIC = 0.7
_ID_SUFFIX = re.compile(r"-[a-z]{2,}$|^\d+[-–]\d+$|^\d[\d.]*[A-Za-z]{1,3}$")
_SPECIFIC = re.compile(r"\b[A-Z][\w'-]{3,}\b|\b\w*\d\w*\b")
_ASKED = re.compile(r"(?<=[\w,;:'\"(`] )[A-Z][\w'-]{2,}|\b[\w.-]*\d[\w.-]*\b")


def find_in_answer(run: RunIndex, grounding: Grounding) -> Iterator[Finding]:
    """What looks wrong in the answer."""
    if not run.answer:
        return
    if run.calls:
        yield from _unknown_numbers(grounding)
        yield from _unknown_ids(grounding)
        if _is_foreign(run, grounding):
            yield Finding("foreign_answer")
        elif not run.is_dialogue and _conveys_nothing(run):
            yield Finding("empty_talk")
    yield from _claims_without_calls(run)


def _unknown_numbers(grounding: Grounding) -> Iterator[Finding]:
    numbers = [c for c in grounding.claims if c.kind == "number" and c.digits >= _LEAST_DIGITS]
    absent = [claim for claim in numbers if claim.status == "absent"]
    if not absent:
        return
    plain = {claim.text for claim in absent if not claim.in_sum and not _is_round(claim)}
    is_few = len(numbers) <= _MOST_NUMBERS
    if is_few or len(absent) >= _MOST_ABSENT * len(numbers) or 1 <= len(plain) <= _MOST_PLAIN:
        yield Finding("answer_number", values={"value": _listed(claim.text for claim in absent)})


def _is_round(claim: Claim) -> bool:
    return claim.value is not None and claim.value >= 100 and claim.value % 100 == 0


def _unknown_ids(grounding: Grounding) -> Iterator[Finding]:
    absent = [c.text for c in grounding.with_status("absent") if c.kind == "date" or _is_sure_id(c)]
    if absent:
        yield Finding("answer_id", values={"value": _listed(absent)})


def _is_sure_id(claim: Claim) -> bool:
    if claim.kind != "id" or _ID_SUFFIX.search(claim.text):
        return False
    return any(map(str.isupper, claim.text)) or len(claim.text) >= 12 or "_" in claim.text


def _claims_without_calls(run: RunIndex) -> Iterator[Finding]:
    if run.calls:
        changed = any(known.ok and known.effect != "read" for known in run.calls)
        claim = unmatched_action(run.answer, run.calls) if changed else claimed_action(run.answer)
        if claim:
            yield Finding("claim_without_change", values={"value": claim})
        return
    claim = claimed_action(run.said)
    if claim:
        yield Finding("claim_without_call", values={"value": claim})
    facts = _facts(run)
    if facts:
        yield Finding("fact_without_call", values={"value": _listed(facts)})


def _facts(run: RunIndex) -> list[str]:
    """Figures and identifiers that a run without calls states and nobody gave it."""
    numbers = numbers_in(run.said)
    pool = [*run.request_numbers, *(number.value for number in numbers)]
    found = []
    for number in numbers:
        others = [value for value in pool if value != number.value]
        known = number.value in run.request_numbers or number.digits < 2
        if not known and not is_calculated(number.value, number.decimals, others):
            found.append(number.text)
    return found


def _is_foreign(run: RunIndex, grounding: Grounding) -> bool:
    """Whether the answer to a single request is about something else than request and run."""
    answer = run.answer
    if run.is_dialogue or not run.request or _is_excused(run, grounding):
        return False
    words = {word for word in words_of(answer) if len(word) > 3 and word not in STOP_WORDS}
    if len(words) < _LEAST_WORDS:
        return False
    held = sum(_is_held(run, word) for word in words) / len(words)
    asked = sum(w in run.context_tokens or stem(w) in run.context_stems for w in words) / len(words)
    specific = _known_specifics(run)
    specific = held if specific is None else specific
    if held >= _MOST_HELD or specific >= _MOST_SPECIFIC:
        return False
    return held + asked + specific < _LEAST_COVERAGE and not _takes_up_request(run)


def _is_excused(run: RunIndex, grounding: Grounding) -> bool:
    """Whether the answer reports a failure, states what results hold, or cannot be compared."""
    if has_unspaced_script(run.answer) or has_unspaced_script(run.request):
        return True
    if reports_trouble(run.answer) and any(not known.ok for known in run.calls[-2:]):
        return True
    supported = len(grounding.with_status("supported"))
    return supported >= _LEAST_SUPPORTED and (grounding.share or 0.0) >= _MOST_HELD


def _known_specifics(run: RunIndex) -> float | None:
    """The share of the answer's names and figures that request or results hold."""
    specifics = {found.lower() for found in _SPECIFIC.findall(run.answer)} - STOP_WORDS
    if len(specifics) < _LEAST_SPECIFICS:
        return None
    known = sum(run.first_of_all(tokens_of(found)) is not None for found in specifics)
    return known / len(specifics)


def _is_held(run: RunIndex, word: str) -> bool:
    if run.first(word) is not None or run.first_of_stem(word) is not None:
        return True
    return word in run.argument_tokens


def _takes_up_request(run: RunIndex) -> bool:
    """Whether the answer has half of the request's names and figures, or its words."""
    answer = set(tokens_of(run.answer))
    wanted = {w.lower() for w in (*_ASKED.findall(run.request), *quotations_in(run.request))}
    if len(wanted) >= 2:
        taken = sum(answer.issuperset(tokens_of(item)) for item in wanted)
        if taken >= _LEAST_RECALL * len(wanted):
            return True
    stems = {stem(word) for word in answer}
    asked = {stem(w) for w in words_of(run.request) if len(w) > 4 and w not in STOP_WORDS}
    return len(asked) >= 3 and len(asked & stems) >= _LEAST_WORD_RECALL * len(asked)


_TALK = re.compile(r"\?\s*$|\b(?:happy to|how can i|let me know|would you like)\b", re.IGNORECASE)
_LONGEST_TALK = 400
_LEAST_REPEATED = 8
_MOST_REPEATED = 0.7
_DETAIL = re.compile(r"\d|(?<![.!?] )(?<!^)\b[A-Z]\w{2,}|'[^']+'|\"[^\"]+\"|`[^`]+`")


def _conveys_nothing(run: RunIndex) -> bool:
    """Whether a short answer is mere talk although results are at hand."""
    answer = run.answer
    if claimed_action(answer) or reports_trouble(answer):
        return False
    if len(answer) <= _LONGEST_TALK and _TALK.search(answer) and not _DETAIL.search(answer):
        return True
    return _repeats_request(run)


def _repeats_request(run: RunIndex) -> bool:
    """Whether an answer to reads has the request's words and nothing new from a result."""
    tokens = set(tokens_of(run.answer))
    if len(tokens) < _LEAST_REPEATED or any(known.ok and known.may_change for known in run.calls):
        return False
    places = [run.first(token) for token in tokens]
    if any(place is not None and place != REQUEST for place in places):
        return False
    return places.count(REQUEST) >= _MOST_REPEATED * len(tokens)


def _listed(values: Iterable[str]) -> str:
    shown = list(dict.fromkeys(values))
    return ", ".join(shown[:_MOST_SHOWN]) + (" …" if len(shown) > _MOST_SHOWN else "")
