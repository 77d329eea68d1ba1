"""The quick look before a pattern is tried: it may say yes in vain, and never no in error."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assay.evidence.error_grammar import OPENINGS
from assay.evidence.linear_search import may_open_with

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
