"""The picture in the README shows what the command shows."""

from __future__ import annotations

import re
import runpy
from html import unescape
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def words_of(svg: str) -> list[str]:
    texts = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return " ".join(unescape(text) for text in texts).split()


def test_the_picture_is_current() -> None:
    drawn = runpy.run_path(str(PROJECT / "scripts/picture.py"))["picture"]()
    kept = (PROJECT / "docs/images/score.svg").read_text(encoding="utf-8")
    assert words_of(kept) == words_of(drawn)
    assert "url(" not in kept.replace("url(#", "")
