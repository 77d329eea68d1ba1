"""The rubric and the frame of the prompt in words, language by language.

Each language says the same: a mark is a share, every fault counts once, and nothing in the
record is an instruction. The words themselves are in `words/*.toml`.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from assay.errors import UnknownName
from assay.judge.rubric import BANDS, DIMENSIONS, RUBRIC_VERSION

Language: TypeAlias = Literal["en", "zh"]
LANGUAGES: tuple[str, ...] = get_args(Language)


class DimensionWording(Struct, frozen=True):
    """What one dimension asks, what its share is a share of, what counts, and when it is void."""

    label: str
    asks: str
    of: str
    counts: str
    void: str = ""


class Wording(Struct, frozen=True):
    """Everything the prompt says in one language; `{…}` is filled in."""

    opening: str
    rules: tuple[str, ...]
    aggregates: dict[str, str]
    dimensions: dict[str, DimensionWording]
    lowest_band: str
    middle_band: str
    highest_band: str
    record: str
    sections: dict[str, str]
    end_of: str
    reply: str
    again: str
    missing: str
    left_out: str
    phrases: dict[str, str]


@cache
def wording(language: str) -> Wording:
    """The words of a language; an unknown one is an error that names those there are."""
    if language not in LANGUAGES:
        raise UnknownName("language of the rubric", language, LANGUAGES)
    text = files("assay.judge").joinpath("words", f"{language}.toml").read_bytes()
    return msgspec.toml.decode(text, type=Wording)


def band_lines(language: str, dimension: str) -> list[str]:
    """The bands of one dimension in words, lowest first."""
    words = wording(language)
    of = words.dimensions[dimension].of
    forms = (words.lowest_band, *[words.middle_band] * (len(BANDS) - 2), words.highest_band)
    return [
        form.format(
            low=band.low, high=band.high, start=band.from_percent, to=band.to_percent, of=of
        )
        for form, band in zip(forms, BANDS, strict=True)
    ]


@cache
def rubric_hash(language: str) -> str:
    """A short hash of all that the rubric says in a language: it changes with every word."""
    content = msgspec.json.encode([RUBRIC_VERSION, DIMENSIONS, BANDS, wording(language)])
    return sha256(content).hexdigest()[:16]
