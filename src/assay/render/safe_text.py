"""Text from agents and servers, made harmless for the place it is shown in."""

from __future__ import annotations

import unicodedata

# These reorder or hide what stands around them.
_BIDI = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_HIDDEN = (0x200B, 0x2028, 0x2029, 0xFEFF, *range(0xE0000, 0xE0080))
_CONTROLS = (*range(0x20), *range(0x7F, 0xA0))
_SHOWN = {
    code: f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
    for code in (*_CONTROLS, *_BIDI, *_HIDDEN)
}
_ONE_LINE = {**_SHOWN, 0x0A: " ", 0x0D: " ", 0x09: " "}
_MANY_LINES = {key: value for key, value in _SHOWN.items() if key not in {0x0A, 0x09}}
# A spreadsheet runs a cell that begins like this.
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_MARKDOWN = {ord(char): f"\\{char}" for char in "\\`*_{}[]<>|"}


def one_line(text: str) -> str:
    """The text on one line, with control, bidi and hidden characters shown as escapes."""
    return _without_surrogates(text).translate(_ONE_LINE)


def many_lines(text: str) -> str:
    """The text with its line breaks, control, bidi and hidden characters shown as escapes."""
    return _without_surrogates(text).translate(_MANY_LINES)


def csv_cell(text: str) -> str:
    """The text as a spreadsheet may see it: never a formula."""
    text = many_lines(text)
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def markdown_cell(text: str) -> str:
    """The text in a Markdown table: one line, no markup, no links."""
    return one_line(text).translate(_MARKDOWN)


def shortened(text: str, width: int) -> str:
    """The text cut to a width in terminal columns, with an ellipsis where it was cut."""
    used = 0
    for i, char in enumerate(text):
        used += 2 if unicodedata.east_asian_width(char) in "WF" else 1
        if used > width - 1 and i < len(text) - 1:
            return f"{text[:i]}…"
    return text


def _without_surrogates(text: str) -> str:
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()
