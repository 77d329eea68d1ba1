"""Text from agents and servers, made harmless for the place it is shown in."""

from __future__ import annotations

import unicodedata

from assay.json_values import without_surrogates

# These reorder or hide what stands around them.
_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F))
_HIDDEN = (0xAD, 0x180E, 0x200B, 0x2028, 0x2029, 0xFEFF, *range(0x2060, 0x2070))
_TAGS = (*range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0200))
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))


def _escape(code: int) -> str:
    width, letter = (2, "x") if code < 0x100 else (4, "u") if code < 0x10000 else (8, "U")
    return f"\\{letter}{code:0{width}x}"


# What a reader would not see, or be deceived by.
UNSEEN = (*_CONTROLS, *_BIDI, *_HIDDEN, *_TAGS)
_SHOWN = {code: _escape(code) for code in UNSEEN}
_ONE_LINE = {**_SHOWN, 0x0A: " ", 0x0D: " ", 0x09: " "}
_MANY_LINES = {key: value for key, value in _SHOWN.items() if key not in {0x0A, 0x09}}
# A spreadsheet runs a cell that begins like this, in some countries with wide letters too.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
_MARKDOWN = {ord(char): f"\\{char}" for char in "\\`*_{}[]<>|&~"}
# What makes a link of a bare address, and the same with the magic taken out.
_ADDRESSES = (("://", ":\\//"), ("www.", "www\\."))


def one_line(text: str) -> str:
    """The text on one line, with control, bidi and hidden characters shown as escapes."""
    return without_surrogates(text).translate(_ONE_LINE)


def many_lines(text: str) -> str:
    """The text with its line breaks, control, bidi and hidden characters shown as escapes."""
    return without_surrogates(text).translate(_MANY_LINES)


def csv_cell(text: str) -> str:
    """The text as a spreadsheet may see it: never a formula."""
    text = many_lines(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def markdown_cell(text: str) -> str:
    """The text in a Markdown table: one line, no markup, no links."""
    text = one_line(text).translate(_MARKDOWN)
    for magic, harmless in _ADDRESSES:
        text = text.replace(magic, harmless)
    return text


def shortened(text: str, width: int) -> str:
    """The text cut to a width in terminal columns, with an ellipsis where it was cut."""
    used = 0
    for i, char in enumerate(text):
        used += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > width or (used == width and i < len(text) - 1):
            return f"{text[:i]}…"
    return text


def shortened_front(text: str, width: int) -> str:
    """The text cut to a width at its beginning, at a slash where there is one, as in a path."""
    backwards = text[::-1]
    kept = shortened(backwards, width)
    if kept == backwards:
        return text
    end = kept[-2::-1]
    return f"…{end[end.find('/') :] if '/' in end else end}"
