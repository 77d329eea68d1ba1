"""A quick look at an error message finds the wordings that Python's own engine finds."""

from __future__ import annotations

import re

import pytest
from tests.evidence import adversarial_results, refused_results

from assay.evidence.common_wordings import COMMON_WORDINGS
from assay.evidence.foreign_kinds import FOREIGN_KINDS
from assay.evidence.kind_wordings import WORDINGS
from assay.evidence.told_kinds import _Wording, kind_of_message


def _texts_in(value: object) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        value = [*value, *value.values()]
    return set().union(*map(_texts_in, value)) if isinstance(value, list | tuple) else set()


_WORDINGS = sorted({wording for _, wording in (*WORDINGS, *COMMON_WORDINGS, *FOREIGN_KINDS)})
_KNOWN = set().union(
    *(_texts_in(list(vars(module).values())) for module in (adversarial_results, refused_results))
)
# Words of the wordings themselves, so that each is found in some text and nearly found in others.
_SPOKEN = {text for wording in _WORDINGS for text in re.findall(r"[a-z][a-z ]{5,}", wording)}
_PLAIN = {text: text.lower() for text in sorted(_KNOWN | _SPOKEN) if text.isascii()}


@pytest.mark.parametrize("wording", _WORDINGS)
def test_both_engines_find_a_wording_in_the_same_texts(wording: str) -> None:
    exact = re.compile(wording, re.IGNORECASE)
    expected = [text for text in _PLAIN if exact.search(text)]
    assert _Wording(wording).found_in(_PLAIN, []) == expected


def test_there_is_much_to_look_at() -> None:
    assert len(_PLAIN) > 500
    found = [w for w in _WORDINGS if any(map(re.compile(w, re.IGNORECASE).search, _PLAIN))]
    assert len(found) > 0.8 * len(_WORDINGS)


def test_an_i_without_its_dot_is_an_i() -> None:
    assert kind_of_message("dosya bulunamadi") == kind_of_message("dosya bulunamadı") == "not_found"
