"""Text from agents and servers is harmless wherever it is shown."""

from __future__ import annotations

import csv
import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from assay.render.safe_text import (
    csv_cell,
    many_lines,
    markdown_cell,
    one_line,
    shortened,
)

# What a hostile text holds, and how it is shown on one line.
SHOWN = {
    "plain": "plain",
    "天气 é ✓ 😀": "天气 é ✓ 😀",
    "\x1b[31mred\x1b[0m": "\\x1b[31mred\\x1b[0m",
    "\x1b]8;;http://evil.example\x1b\\here\x1b]8;;\x1b\\": (
        "\\x1b]8;;http://evil.example\\x1b\\here\\x1b]8;;\\x1b\\"
    ),
    "\x1b]0;title\x07": "\\x1b]0;title\\x07",
    "\x9b2J": "\\x9b2J",
    "over\rwritten": "over written",
    "back\x08\x08": "back\\x08\\x08",
    "two\nlines\tand a tab": "two lines and a tab",
    "\x00\x7f": "\\x00\\x7f",
    "user\u202egnp.exe": "user\\u202egnp.exe",
    "\u2066isolated\u2069": "\\u2066isolated\\u2069",
    "\u200e\u200f\u061c": "\\u200e\\u200f\\u061c",
    "in\u200bvisi\u2060ble\xad": "in\\u200bvisi\\u2060ble\\xad",
    "\ufefflead": "\\ufefflead",
    "line\u2028para\u2029": "line\\u2028para\\u2029",
    "tag\U000e0041\U000e007f": "tag\\U000e0041\\U000e007f",
    "smuggled\U000e0101": "smuggled\\U000e0101",
    "half \ud83d of it": "half \\ud83d of it",
    "[red]not markup[/red]": "[red]not markup[/red]",
    ":smile:": ":smile:",
}


@pytest.mark.parametrize("text", SHOWN, ids=ascii)
def test_hostile_text_on_one_line(text: str) -> None:
    assert one_line(text) == SHOWN[text]


def test_line_breaks_stay_where_there_is_room_for_them() -> None:
    assert many_lines("a\n\tb\r\nc\x1b[0m\u202e") == "a\n\tb\\x0d\nc\\x1b[0m\\u202e"


@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_nothing_that_acts_is_left(text: str) -> None:
    for safe in (one_line(text), many_lines(text), csv_cell(text), markdown_cell(text)):
        left = {char for char in safe if char not in "\n\t"}
        assert not {"Cc", "Cs", "Zl", "Zp"} & {unicodedata.category(char) for char in left}
        assert not {"RLO", "LRO", "RLE", "LRE", "PDF", "RLI", "LRI", "FSI", "PDI"} & {
            unicodedata.bidirectional(char) for char in left
        }
    assert "\n" not in one_line(text) + markdown_cell(text)


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|' /C calc'!A0",
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1+1",
        "＝1+1",
        "＋1",
        "－1",
        "＠SUM(A1)",
    ],
)
def test_a_cell_is_never_a_formula(text: str) -> None:
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("text", ["\r=1", "a=1", "1-2", "", "'=1", " =1"])
def test_other_text_is_left_as_it_is(text: str) -> None:
    assert csv_cell(text) == many_lines(text)


@given(st.text())
def test_a_cell_comes_back_as_one_cell(text: str) -> None:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerow([csv_cell(text), "next"])
    assert list(csv.reader(io.StringIO(file.getvalue(), newline=""))) == [[csv_cell(text), "next"]]


MARKDOWN = {
    "| a | b |": "\\| a \\| b \\|",
    "**bold** _it_ ~~no~~": "\\*\\*bold\\*\\* \\_it\\_ \\~\\~no\\~\\~",
    "`code`": "\\`code\\`",
    "<script>alert(1)</script>": "\\<script\\>alert(1)\\</script\\>",
    "[text](http://evil.example)": "\\[text\\](http:\\//evil.example)",
    "![](http://evil.example/x.png)": "!\\[\\](http:\\//evil.example/x.png)",
    "see https://evil.example": "see https:\\//evil.example",
    "www.evil.example": "www\\.evil.example",
    "&#x202e;&lt;": "\\&#x202e;\\&lt;",
    "a\n\n# heading": "a  # heading",
    "back\\slash": "back\\\\slash",
}


@pytest.mark.parametrize("text", MARKDOWN)
def test_markdown_is_only_text(text: str) -> None:
    assert markdown_cell(text) == MARKDOWN[text]


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("short", 5, "short"),
        ("shorter", 5, "shor…"),
        ("", 5, ""),
        ("天气预报", 8, "天气预报"),
        ("天气预报", 7, "天气预…"),
        ("天气预报", 6, "天气…"),
        ("abc报", 4, "abc…"),
        ("abc", 1, "…"),
    ],
)
def test_text_is_cut_to_a_width(text: str, width: int, expected: str) -> None:
    assert shortened(text, width) == expected


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P"])), st.integers(1, 20))
def test_cut_text_is_never_too_wide(text: str, width: int) -> None:
    cut = shortened(text, width)
    assert cell_len(cut) <= width
    assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))
