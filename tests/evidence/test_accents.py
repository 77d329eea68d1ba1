"""Wordings are met with and without their accents, and sets of letters stay sets."""

from __future__ import annotations

import re

import pytest

from assay.evidence.accents import accents_aside


@pytest.mark.parametrize(
    ("wording", "text"),
    [
        ("não é", "não é"),
        ("não é", "nao e"),
        ("gültig", "gültig"),
        ("gültig", "gueltig"),
        ("gültig", "gultig"),
        ("groß", "gross"),
        ("sali[óo]", "salió"),
        ("sali[óo]", "salio"),
        ("введ[её]н", "введён"),
        ("없습니다", "없습니다"),
    ],
)
def test_a_wording_is_met(wording: str, text: str) -> None:
    assert re.fullmatch(accents_aside(wording), text)


def test_other_letters_are_not_met() -> None:
    assert re.fullmatch(accents_aside("não"), "nco") is None
    assert accents_aside("a[bc]{1,3}(?!d)") == "a[bc]{1,3}(?!d)"
