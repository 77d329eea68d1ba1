"""A search of texts in lower case, by patterns for ASCII letters wherever that is enough."""

from __future__ import annotations

import pytest

from assay.text.linear_search import occurrence_in_lower_case


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
