"""What a model judge is asked.

Everything the agent and its servers wrote is untrusted data: secrets are masked in it, and it
stands between fences that the text itself cannot contain, line by line behind a bar. Hidden
characters are shown as escapes, and the marks with which chat models tell speakers apart lose
their shape. The same case, order and language give the same prompt.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from random import Random
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.judge.record_text import LONGEST_RECORD, harmless, record_sections
from assay.judge.rubric import AGGREGATES, BANDS, DIMENSIONS, HIGHEST, LOWEST, VOID_ALLOWED
from assay.judge.wording import band_lines, wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.judge.record_text import Section
    from assay.test_case import AgentTestCase

_GROUPS = {dimension.name: dimension.aggregate for dimension in DIMENSIONS}
_PAIRS = {group: tuple(d.name for d in DIMENSIONS if d.aggregate == group) for group in AGGREGATES}
_BAR = "| "


class Order(Struct, frozen=True):
    """The order of one run: dimensions as asked, group by group, and the bands, lowest is 0."""

    dimensions: tuple[str, ...]
    bands: tuple[int, ...]

    @property
    def high_bands_first(self) -> bool:
        """Whether the first band named is one of the upper half."""
        return self.bands[0] >= len(self.bands) // 2


USUAL_ORDER = Order(tuple(d.name for d in DIMENSIONS), tuple(range(len(BANDS))))


def order_plan(runs: int, seed: int) -> list[Order]:
    """One order for each run, the same for the same seed; a single run has the usual order.

    A judge may favour what it is asked first. So every second order is the reverse of the one
    before: in an even number of runs each dimension is asked as often early as late, and the
    upper bands are named as often first as last.
    """
    if runs == 1:
        return [USUAL_ORDER]
    random = Random(seed)  # noqa: S311 - orders are no secret
    found: list[Order] = []
    first = random.sample(AGGREGATES, len(AGGREGATES))
    for turn in range((runs + 1) // 2):
        place = turn % len(first)
        groups = first[place:] + first[:place]
        names = tuple(name for group in groups for name in random.sample(_PAIRS[group], 2))
        bands = USUAL_ORDER.bands[:: random.choice((1, -1))]
        found += [Order(names, bands), Order(names[::-1], bands[::-1])]
    return found[:runs]


class Inquiry:
    """One case, ready to be asked about in any order; the record is read once."""

    def __init__(
        self, case: AgentTestCase, *, language: str = "en", longest_record: int = LONGEST_RECORD
    ) -> None:
        """Take the case, the language of the rubric, and how long the record may be."""
        self._language = language
        self._record = _fenced(record_sections(case, language, longest_record), language)

    def prompt(
        self, order: Order = USUAL_ORDER, *, only: Sequence[str] = (), problem: str = ""
    ) -> str:
        """The whole question; `only` some dimensions, or again because of a `problem`."""
        words = wording(self._language)
        asked = tuple([name for name in order.dimensions if not only or name in only])
        keys = ", ".join(reply_keys(asked))
        # It quotes the reply, and so perhaps the record.
        again = [words.again.format(problem=harmless(problem))] if problem else []
        some = [words.missing.format(keys=keys)] if only else []
        rubric = _rules_and_rubric(self._language, asked, order.bands)
        return "\n\n".join([rubric, self._record, words.reply.format(keys=keys), *some, *again])


def judge_prompt(case: AgentTestCase, order: Order = USUAL_ORDER, *, language: str = "en") -> str:
    """The whole question about a case to a model judge."""
    return Inquiry(case, language=language).prompt(order)


def _fenced(sections: Sequence[Section], language: str) -> str:
    """What the record is, and its sections, each between two fences."""
    words = wording(language)
    # The fence depends on all texts, so that none can contain it.
    every = "".join([f"{len(part.text)}:{part.title}\n{part.text}" for part in sections])
    fence = f"=={sha256(every.encode(errors='replace')).hexdigest()[:16]}=="
    shown = []
    for part in sections:
        barred = _BAR + part.text.replace("\n", f"\n{_BAR}")
        end = words.end_of.format(title=part.title)
        shown.append(f"{fence} {part.title}\n{barred}\n{fence} {end}")
    return "\n\n".join([words.record.format(fence=fence), *shown])


@lru_cache(maxsize=256)
def _rules_and_rubric(language: str, asked: tuple[str, ...], bands: tuple[int, ...]) -> str:
    """What stands before the record: the same for all cases that are asked about in one order."""
    words = wording(language)
    lines = [words.opening, "\n".join(f"- {rule}" for rule in words.rules)]
    for group, names in groupby(asked, key=_GROUPS.__getitem__):
        dimensions = (line for name in names for line in _dimension(language, name, bands))
        lines.append(f"{words.aggregates[group]}\n" + "\n".join(dimensions))
    return "\n\n".join(lines)


def _dimension(language: str, name: str, bands: Sequence[int]) -> Iterator[str]:
    words = wording(language)
    dimension = words.dimensions[name]
    yield f"- {name} ({dimension.label}): {dimension.asks}"
    yield f"  {dimension.counts}"
    lines = band_lines(language, name)
    yield from (f"  {lines[band]}" for band in bands)
    if dimension.void:
        yield f"  {words.phrases['void'].format(when=dimension.void)}"


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
