"""JSON for a reader: indented, keys told from values, and the values that were used marked.

Long texts and lists are folded in the middle; what is folded is counted, and what the evidence
points to is never folded away.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from assay.evidence.json_leaves import ROOT, leaf_text, step_to
from assay.render.pages.visible_text import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_INDENT = "  "
_DEEPEST = 40
_SHOWN_ITEMS = 50
_LONGEST_TEXT = 20_000
_SHORT = 72


class JsonText:
    """Writes one value; `marks` are ids of the values that something else points to, by path."""

    def __init__(self, marks: Mapping[str, str] | None = None) -> None:
        """Take the ids by path."""
        self._marks = marks or {}
        self.left_out = 0

    def write(self, value: Any) -> Markup:
        """The value as markup for a `<pre>`."""
        if isinstance(value, str):
            return self._marked(ROOT, self._cut(value))
        return Markup("").join(self._lines(value, ROOT, 0))

    def _lines(self, value: Any, path: str, depth: int) -> Iterator[Markup]:
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from self._dict(value, path, depth)
        elif isinstance(value, list) and value and depth < _DEEPEST:
            yield from self._list(value, path, depth)
        else:
            yield self._leaf(value, path)

    def _dict(self, value: dict[Any, Any], path: str, depth: int) -> Iterator[Markup]:
        if self._is_flat(value, path):
            pairs = (self._pair(key, item, path) for key, item in value.items())
            yield Markup("{{{}}}").format(Markup(", ").join(pairs))
            return
        inner = _INDENT * (depth + 1)
        yield Markup("{\n")
        kept = self._kept(list(value.items()), lambda pair: path + step_to(str(pair[0])))
        for place, (key, item) in enumerate(kept):
            yield Markup('{}<span class="k">{}</span>: ').format(inner, _quoted(str(key)))
            yield from self._lines(item, path + step_to(str(key)), depth + 1)
            yield escape(",\n" if place < len(kept) - 1 else "\n")
        yield from self._told(len(value) - len(kept), inner)
        yield escape(_INDENT * depth + "}")

    def _list(self, value: list[Any], path: str, depth: int) -> Iterator[Markup]:
        inner = _INDENT * (depth + 1)
        yield Markup("[\n")
        numbered = self._kept(list(enumerate(value)), lambda pair: f"{path}[{pair[0]}]")
        for place, (number, item) in enumerate(numbered):
            yield escape(inner)
            yield from self._lines(item, f"{path}[{number}]", depth + 1)
            yield escape(",\n" if place < len(numbered) - 1 else "\n")
        yield from self._told(len(value) - len(numbered), inner)
        yield escape(_INDENT * depth + "]")

    def _kept(self, items: list[Any], path_of: Any) -> list[Any]:
        """The first items, and those that hold a marked value."""
        if len(items) <= _SHOWN_ITEMS:
            return items
        return [
            item
            for place, item in enumerate(items)
            if place < _SHOWN_ITEMS or self._holds_mark(path_of(item))
        ]

    def _holds_mark(self, path: str) -> bool:
        return any(
            marked == path or marked.startswith((f"{path}.", f"{path}[")) for marked in self._marks
        )

    def _told(self, missing: int, inner: str) -> Iterator[Markup]:
        if missing:
            self.left_out += missing
            yield Markup('{}<span class="muted">… {:,} more …</span>\n').format(inner, missing)

    def _is_flat(self, value: dict[Any, Any], path: str) -> bool:
        """Whether a small object fits on one line."""
        if any(isinstance(item, dict | list) for item in value.values()) or len(value) > 6:
            return False
        return (
            len(path) < 200
            and sum(len(str(k)) + len(str(v)) + 6 for k, v in value.items()) < _SHORT
        )

    def _pair(self, key: Any, item: Any, path: str) -> Markup:
        leaf = self._leaf(item, path + step_to(str(key)))
        return Markup('<span class="k">{}</span>: {}').format(_quoted(str(key)), leaf)

    def _leaf(self, value: Any, path: str) -> Markup:
        text = _quoted(self._cut(value)) if isinstance(value, str) else _scalar(value)
        return self._marked(path, text)

    def _marked(self, path: str, text: str) -> Markup:
        name = self._marks.get(path)
        shown = escape(visible(text))
        return shown if name is None else Markup('<mark id="{}">{}</mark>').format(name, shown)

    def _cut(self, text: str) -> str:
        if len(text) <= _LONGEST_TEXT:
            return text
        self.left_out += len(text) - _LONGEST_TEXT
        half = _LONGEST_TEXT // 2
        return f"{text[:half]}\n… {len(text) - _LONGEST_TEXT:,} characters …\n{text[-half:]}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _scalar(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) and not value else "[]" if not value else "…"
    return leaf_text(value) or "(a number of absurd size)"


def one_line(value: Any, width: int = 120) -> str:
    """Arguments on one line: `city: "Oslo", days: 2`."""
    if isinstance(value, dict):
        text = ", ".join(f"{key}: {_short(item)}" for key, item in list(value.items())[:12])
    else:
        text = _short(value)
    return text if len(text) <= width else f"{text[: width - 1]}…"


def _short(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "…"
    return text if len(text) <= 80 else f"{text[:79]}…"
