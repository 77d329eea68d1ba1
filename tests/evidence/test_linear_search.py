"""The quick look before a pattern is tried: it may say yes in vain, and never no in error."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.evidence.error_grammar import OPENINGS
from assay.evidence.kind_wordings import WORDINGS
from assay.evidence.linear_search import (
    asks_more,
    may_have,
    may_open_with,
    occurrence_in_lower_case,
)

_WORDINGS = [wording for row in OPENINGS for wording in row.wordings]


@pytest.mark.parametrize(
    ("pattern", "possible", "impossible"),
    [
        ("Error", "error: x", "an error"),
        (r"a(?!b|(?:c))d", "ad", "abd"),
        (r"\w{2,3}:", "word:", "w:"),
        (r"(?-i:E[A-Z]+)", "enoent", "e"),
        (r"[^\sA]x", "bx", " x"),
        (r"end\Z", "end", "ending"),
        (r"end$", "end\n", "end\n\n"),
        (r"a\sb", "a\x1cb", "a-b"),
        (r"[éÉ]|z", "z", "e"),
        (r"başarısız|bulunamadı", "bulunamadi", "basarisiz"),
        (r"a.b", "a\rb", "a\nb"),
        (r"\(a\[b]", "(a[b]", "ab"),
    ],
)
def test_what_may_open_a_text(pattern: str, possible: str, impossible: str) -> None:
    may = may_open_with(pattern)
    assert may(possible)
    assert not may(impossible)


@settings(max_examples=20, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_a_text_that_opens_with_a_failure_is_never_passed_over(data: st.DataObject) -> None:
    wording = data.draw(st.sampled_from(_WORDINGS))
    pattern = re.compile(wording, re.IGNORECASE)
    text = data.draw(st.from_regex(pattern).filter(str.isascii))
    found = pattern.search(text)
    if found is not None and pattern.match(opening := text[found.start() :]):
        assert may_open_with(wording)(opening.lower())


@pytest.mark.parametrize(
    ("pattern", "having", "lacking"),
    [
        ("Not Found", "it was not found", "it was found"),
        (r"\bno \w{2,3}\b", "there is no way", "no word"),
        (r"[^\n]x$", "ax\n", "a\nx"),
        (r"bulunamadı", "dosya bulunamadi", "dosya bulundu"),
        (r"a[-_ ]b|[À-ÿ]", "a-b", "a+b"),
    ],
)
def test_what_a_text_may_have(pattern: str, having: str, lacking: str) -> None:
    assert not asks_more(pattern)
    assert may_have(pattern)(having)
    assert not may_have(pattern)(lacking)


@pytest.mark.parametrize("pattern", [r"a(?=b)", r"(?<!a)b", "(?-i:A)", r"a++", r"(?:ab){1,3}+"])
def test_what_only_the_other_engine_can_tell(pattern: str) -> None:
    assert asks_more(pattern)


@settings(max_examples=20, suppress_health_check=list(HealthCheck), deadline=None)
@given(st.data())
def test_a_text_that_has_a_wording_is_never_passed_over(data: st.DataObject) -> None:
    wording = data.draw(st.sampled_from([wording for _, wording in WORDINGS]))
    pattern = re.compile(wording, re.IGNORECASE)
    text = data.draw(st.from_regex(pattern).filter(str.isascii))
    assert may_have(wording)(text.lower())


def test_four_letters_beyond_ascii_are_letters_of_ascii_in_another_case() -> None:
    ascii_letters = re.compile(r"[\x00-\x7f]", re.IGNORECASE)
    alike = {letter for letter in map(chr, range(0x80, 0x110000)) if ascii_letters.match(letter)}
    assert {letter for letter in alike if may_have(letter)("ik s")} == alike
    assert len(alike) == 4


@pytest.mark.parametrize(
    ("pattern", "having", "lacking"),
    [
        (r"key[:：=]\s*x", "key: x", "key; x"),
        (r"key[:：=]\s*x", "key：x", "key；x"),
        (r"[^\s\"']{3,}=", "a\u00e9b=", "a b="),
        (r"\d{2}|\\u[0-9a-f]{4}", "\\u00e9", "\\u0x"),
    ],
)
def test_a_search_of_texts_in_lower_case(pattern: str, having: str, lacking: str) -> None:
    occurs_in = occurrence_in_lower_case("never met", pattern)
    assert occurs_in(having)
    assert not occurs_in(lacking)
