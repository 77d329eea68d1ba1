"""How much of an answer is a copy of results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.words import joined, words_of

if TYPE_CHECKING:
    from assay.evidence.sources import Sources

_WINDOW = 8
_MOST_WINDOWS = 2_000


def copied_share(answer: str, sources: Sources) -> float | None:
    """Share of the answer's words in runs of eight that stand in a result; None under sixteen."""
    words = words_of(answer)
    if len(words) < 2 * _WINDOW:
        return None
    held = sources.hold(words)
    copied = place = searched = 0
    while place + _WINDOW <= len(words) and searched < _MOST_WINDOWS:
        end = place + _WINDOW
        if False in held[place:end]:
            place = held.index(False, place) + 1
            continue
        searched += 1
        if _stands_in_result(words[place:end], sources):
            copied += _WINDOW
            place = end
        else:
            place += 1
    rest = len(words) - place
    if copied and 0 < rest < _WINDOW and _stands_in_result(words[-_WINDOW:], sources):
        copied += rest
    return copied / len(words)


def _stands_in_result(words: list[str], sources: Sources) -> bool:
    phrase = joined(words)
    holders = sources.holders(phrase)
    return any(
        source.kind == "result" and source.holds(phrase, sources.asked_for) for source in holders
    )
