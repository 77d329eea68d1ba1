"""When two values say the same."""

from __future__ import annotations

from typing import Any

import pytest

from assay.evidence.effect_values import WORDING, is_free_text, likeness, plain

LONG = "Please call the customer back about order A-1001 before 2026-03-01, they asked twice."


@pytest.mark.parametrize(
    ("some", "other"),
    [
        (1, "1"),
        (1200, "1,200"),
        (12.5, "12.50"),
        (0, -0.0),
        (-3, "-3"),
        (True, "true"),
        ("  New   York ", "new york"),
        ("ＡＢＣ", "abc"),
    ],
)
def test_spellings_of_one_value(some: Any, other: Any) -> None:
    assert plain(some) == plain(other)


@pytest.mark.parametrize(("some", "other"), [(1, True), (3, -3), ("a b", "ab"), ("C#", "C++")])
def test_different_values(some: Any, other: Any) -> None:
    assert plain(some) != plain(other)


@pytest.mark.parametrize(
    ("expected", "found", "share"),
    [
        ("2026-03-01", "March 1, 2026", 1.0),
        ("2026-03-01T09:00", "2026-03-01 09:00:00", 1.0),
        ("2026-03-01", "2026-03-02", 0.0),
        ("2026-03-01 09:00", "2026-03-01 10:00", 0.0),
        ("Oslo", "Lima", 0.0),
        (LONG, "Ring them on 2026-03-01 at the latest, it is about the order A-1001 again.", 1.0),
        (LONG, "Ring them at the latest tomorrow, it is about their order A-1001 once again.", 0.5),
        ("x y" * 30, "some other wording of any kind that is quite long, longer than a value", 1.0),
        (5, "Oslo", 0.0),
    ],
)
def test_how_far_values_agree(expected: Any, found: Any, share: float) -> None:
    assert likeness(expected, found) == share


@pytest.mark.parametrize(
    ("value", "free"),
    [(LONG, True), ("short words", False), ("a" * 100, False), ("字" * 61, True), (7, False)],
)
def test_what_counts_as_wording(value: Any, *, free: bool) -> None:
    assert is_free_text(value) is free


def test_a_number_of_absurd_size_has_a_form_too() -> None:
    assert plain(10**5000) == ""


@pytest.mark.parametrize("word", sorted(WORDING))
def test_every_word_that_names_wording(word: str) -> None:
    assert likeness("cracked base", "base was cracked", f"$.{word}") == 1.0
    assert likeness("2 cracked", "1 cracked", f"$.return_{word}") == 0.0
    assert likeness("cracked base", "base was cracked", f"$.{word}_id") == 0.0
