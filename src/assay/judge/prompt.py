"""What a model judge is asked.

Everything the agent and its servers wrote is data from strangers: it stands between fences
that the text itself cannot contain, line by line behind a bar, and the judge is told to follow
nothing inside them. The same case, order and language give the same prompt.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.judge.fencing import barred, fence_for, harmless
from assay.judge.ordering import USUAL_ORDER
from assay.judge.record_text import LONGEST_RECORD, Record
from assay.judge.rubric import DIMENSIONS, HIGHEST, LOWEST, VOID_ALLOWED
from assay.judge.wording import band_lines, wording

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.judge.ordering import Order
    from assay.judge.record_text import Section
    from assay.test_case import AgentTestCase

_GROUPS = {dimension.name: dimension.aggregate for dimension in DIMENSIONS}


class Inquiry:
    """One case, ready to be asked about in any order; the record is read once."""

    def __init__(
        self, case: AgentTestCase, *, language: str = "en", longest_record: int = LONGEST_RECORD
    ) -> None:
        """Take the case, the language of the rubric, and how long the record may be."""
        self._language = language
        self._record = _fenced(Record(case, language).sections(longest_record), language)

    def prompt(
        self, order: Order = USUAL_ORDER, *, only: Sequence[str] = (), problem: str = ""
    ) -> str:
        """The whole question; `only` some dimensions, or again because of a `problem`."""
        words = wording(self._language)
        asked = tuple([name for name in order.dimensions if not only or name in only])
        # It quotes the reply, and so perhaps the record.
        again = [words.again.format(problem=harmless(problem))] if problem else []
        some = [words.missing.format(keys=_listed_keys(asked))] if only else []
        return "\n\n".join(
            [
                _rules_and_rubric(self._language, asked, order.bands),
                self._record,
                _what_to_reply(self._language, asked),
                *some,
                *again,
            ]
        )


def _fenced(sections: Sequence[Section], language: str) -> str:
    """What the record is, and its sections, each between two fences."""
    fence = fence_for([f"{part.title}\n{part.text}" for part in sections])
    parts = [
        f"{fence} {part.title}\n{barred(part.text)}\n{fence} {_end_of(language, part.title)}"
        for part in sections
    ]
    return "\n\n".join([wording(language).record.format(fence=fence), *parts])


@lru_cache(maxsize=1_024)
def _end_of(language: str, title: str) -> str:
    return wording(language).end_of.format(title=title)


@lru_cache(maxsize=256)
def _what_to_reply(language: str, asked: tuple[str, ...]) -> str:
    return wording(language).reply.format(keys=_listed_keys(asked))


def _listed_keys(asked: tuple[str, ...]) -> str:
    return ", ".join(reply_keys(asked))


@lru_cache(maxsize=256)
def _rules_and_rubric(language: str, asked: tuple[str, ...], bands: tuple[int, ...]) -> str:
    """What stands before the record: the same for all cases that are asked about in one order."""
    words = wording(language)
    rubric = (
        f"{words.aggregates[group]}\n{_lines_on(language, names, bands)}"
        for group, names in groupby(asked, key=_GROUPS.__getitem__)
    )
    return "\n\n".join([words.opening, "\n".join(f"- {rule}" for rule in words.rules), *rubric])


def _lines_on(language: str, names: Iterable[str], bands: Sequence[int]) -> str:
    return "\n".join(line for name in names for line in _dimension(language, name, bands))


def _dimension(language: str, name: str, bands: Sequence[int]) -> Iterator[str]:
    words = wording(language)
    dimension = words.dimensions[name]
    yield f"- {name} ({dimension.label}): {dimension.asks}"
    yield f"  {dimension.counts}"
    lines = band_lines(language, name)
    yield from (f"  {lines[band]}" for band in bands)
    if dimension.void:
        yield f"  {words.phrases['void'].format(when=dimension.void)}"


def judge_prompt(case: AgentTestCase, order: Order = USUAL_ORDER, *, language: str = "en") -> str:
    """The whole question about a case to a model judge."""
    return Inquiry(case, language=language).prompt(order)


def reply_keys(dimensions: Sequence[str]) -> list[str]:
    """The keys of a reply: for each dimension its reason, then its mark."""
    return [key for name in dimensions for key in (f"{name}_reason", name)]


@lru_cache(maxsize=256)
def reply_schema(dimensions: tuple[str, ...]) -> dict[str, Any]:
    """The JSON Schema of a reply, its keys in the order they are asked for; not to be changed."""
    properties: dict[str, Any] = {}
    for name in dimensions:
        mark = {"type": "number", "minimum": LOWEST, "maximum": HIGHEST}
        properties[f"{name}_reason"] = {"type": "string"}
        # Not a list of types: Anthropic's SDK knows only this form.
        properties[name] = {"anyOf": [mark, {"type": "null"}]} if name in VOID_ALLOWED else mark
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
