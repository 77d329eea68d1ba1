"""The page on the rubric says what the rubric says."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.judge.model_names import PROVIDERS
from assay.judge.rubric import BANDS, DIMENSION_NAMES, RUBRIC_VERSION
from assay.judge.wording import LANGUAGES, wording

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "reference" / "rubric.md").read_text(encoding="utf-8")
HOW_TO = (DOCS / "how-to" / "judge.md").read_text(encoding="utf-8")


def test_the_page_has_the_version_and_every_band() -> None:
    assert f"Version `{RUBRIC_VERSION}`" in PAGE
    for band in BANDS:
        assert f"| {band.low}–{band.high} | {band.from_percent} % to " in PAGE


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_has_every_word_of_the_rubric(language: str) -> None:
    words = wording(language)
    assert all(f"- {rule}\n" in PAGE for rule in words.rules)
    for name in DIMENSION_NAMES:
        said = words.dimensions[name]
        row = f"| `{name}` ({said.label}) | {said.asks} | {said.counts} | {said.void or '–'} |"
        assert row in PAGE


@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_provider_is_on_the_page_with_its_variables(provider: str) -> None:
    known = PROVIDERS[provider]
    assert f"`{provider}`" in HOW_TO
    needed = known.keys if known.key_needed else ()
    variables = [*needed, *([known.url_variable] if known.url_variable else [])]
    assert all(f"`{variable}`" in HOW_TO for variable in variables)
