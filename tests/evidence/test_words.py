"""Words: what two texts have in common once case, spacing and punctuation are set aside."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.evidence.words import half_width, phrase_of, words_of

TEXTS = [
    ("SO-58213", ["so", "58213"]),
    ("snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]),
    ("maren.holt@example.com", ["maren", "holt", "example", "com"]),
    ("到杭州东坐G7335", ["到", "杭", "州", "东", "坐", "g7335"]),
    ("Zürich, déjà vu", ["z", "ü", "rich", "d", "é", "j", "à", "vu"]),
    ("€64.90 → card", ["64", "90", "card"]),
    ("１２３ＡＢＣ", ["123abc"]),
    ("  \n\t ", []),
    ("--- *** ---", []),
]


@pytest.mark.parametrize(("text", "words"), TEXTS, ids=[text for text, _ in TEXTS])
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_a_phrase_is_found_inside_another_at_the_borders_of_words_only() -> None:
    assert phrase_of("order SO-58213") in phrase_of("Your Order: so_58213, posted")
    assert phrase_of("order") not in phrase_of("reorders")
    assert phrase_of("杭州东") in phrase_of("我从上海虹桥坐高铁到杭州东开会")


@settings(deadline=None)
@given(st.text(max_size=300))
def test_any_text_has_words_and_they_are_their_own_words(text: str) -> None:
    words = words_of(text)
    assert words_of(" ".join(words)) == words


@settings(deadline=None)
@given(st.text(alphabet="abc 中文é_-.9", max_size=400))
def test_short_and_long_texts_are_read_alike(text: str) -> None:
    assert phrase_of(text + " x" * 300).startswith(phrase_of(text).rstrip())


def test_text_that_is_not_unicode_is_read_all_the_same() -> None:
    assert words_of("a\ud800b") == ["a", "b"]


def test_full_width_signs_become_plain_and_keep_their_places() -> None:
    assert half_width("２０２６：７５％") == "2026:75%"
    assert len(half_width("21℃，晴")) == len("21℃，晴")
