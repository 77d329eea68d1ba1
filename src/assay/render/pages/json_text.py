"""JSON for a reader: pretty, bounded, with the values marked that something came from."""

from __future__ import annotations

import json
import re
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

from markupsafe import Markup

from assay.records import cut
from assay.render.pages.visible_text import visible
from assay.text.leaves import ROOT, leaf_text, step_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Path = str
_ROOM = 64_000
_INDENT = "  "
_DEEPEST = 40
_SHOWN_ITEMS = 50
_LAST_ITEMS = 3
_SHORT = 90
# What the markup around a key takes.
_MARKUP = 24
_LEAST_ROWS = 3
_MOST_COLUMNS = 8
_SHORT_LEAF = 24
_LONG_LEAF = 80
_AROUND = 80
_EDGES = re.compile(r"^[^0-9A-Za-z]+|[^0-9A-Za-z]+$")


class _Hit(NamedTuple):
    """Where a text that is looked for stands in a long one, and the id it gets."""

    start: int
    end: int
    name: str


class JsonText:
    """Writes one value; `marks` are, by path, the texts that something else took from there.

    A short value is marked whole, in a long one the texts themselves. `placed` then holds the id
    of each that was found. What does not fit into the room is left out, and counted; what is
    marked is shown nevertheless.
    """

    def __init__(
        self, marks: Mapping[Path, Mapping[str, str]] | None = None, *, room: int = _ROOM
    ) -> None:
        """Take the ids by path and text, and how many characters there is room for."""
        self._marks = marks or {}
        self._on_the_way = {
            path[:end]
            for path in self._marks
            for end in (*(found.start() for found in re.finditer(r"[.\[]", path)), len(path))
        }
        self._room = room
        self._half = max(room // 4, 200)
        self.left_out = 0
        self.placed: dict[tuple[Path, str], str] = {}

    def write(self, value: Any, path: Path = ROOT) -> Markup:
        """The value as markup for a `<pre>`."""
        if isinstance(value, str):
            return Markup(self._text(value, path, _plain))  # noqa: S704 - escaped piece by piece
        return Markup("".join(self._lines(value, path, 0)))  # noqa: S704 - the same

    def write_table(self, rows: Sequence[dict[Any, Any]]) -> Markup:
        """Objects with the same keys as the rows of a table; see `is_table`."""
        keys = list(rows[0])
        head = "".join(f'<th scope="col">{self._key(key, quoted=False)}</th>' for key in keys)
        written = [f"<thead><tr>{head}</tr></thead><tbody>"]
        for place in self._shown(rows, lambda i: f"{ROOT}[{i}]", ""):
            if isinstance(place, str):
                written.append(f'<tr><td colspan="{len(keys)}">{place}</td></tr>')
                continue
            cells = (self._cell(rows[place][key], f"{ROOT}[{place}]{step_to(key)}") for key in keys)
            written.append(f"<tr>{''.join(cells)}</tr>")
        return Markup("".join([*written, "</tbody>"]))  # noqa: S704 - escaped piece by piece

    def _cell(self, value: Any, path: Path) -> str:
        self._room -= _MARKUP
        if isinstance(value, str):
            return f"<td>{self._text(value, path, _plain)}</td>"
        return f'<td class="n">{self._leaf(value, path)}</td>'

    def _lines(self, value: Any, path: Path, depth: int) -> Iterator[str]:
        if isinstance(value, dict) and value and depth < _DEEPEST:
            yield from self._dict(value, path, depth)
        elif isinstance(value, list) and value and depth < _DEEPEST:
            yield from self._list(value, path, depth)
        else:
            yield self._leaf(value, path)

    def _dict(self, value: dict[Any, Any], path: Path, depth: int) -> Iterator[str]:
        if _is_flat(value):
            pairs = (self._pair(key, item, path) for key, item in value.items())
            yield "{" + ", ".join(pairs) + "}"
            return
        inner = _INDENT * (depth + 1)
        yield "{\n"
        items = list(value.items())
        for place in self._shown(items, lambda i: path + step_to(str(items[i][0])), inner):
            if isinstance(place, str):
                yield place
                continue
            key, item = items[place]
            yield f'{inner}<span class="k">{self._key(key)}</span>: '
            yield from self._lines(item, path + step_to(str(key)), depth + 1)
            yield ",\n" if place < len(items) - 1 else "\n"
        yield _INDENT * depth + "}"

    def _list(self, value: list[Any], path: Path, depth: int) -> Iterator[str]:
        inner = _INDENT * (depth + 1)
        yield "[\n"
        for place in self._shown(value, lambda i: f"{path}[{i}]", inner):
            if isinstance(place, str):
                yield place
                continue
            yield inner
            yield from self._lines(value[place], f"{path}[{place}]", depth + 1)
            yield ",\n" if place < len(value) - 1 else "\n"
        yield _INDENT * depth + "]"

    def _shown(
        self, items: Sequence[Any], path_of: Callable[[int], Path], inner: str
    ) -> Iterator[int | str]:
        """The places of the items that are shown, and how many are left out between them."""
        skipped = 0
        for place in range(len(items)):
            fits = place < _SHOWN_ITEMS or place >= len(items) - _LAST_ITEMS
            if (fits and self._room > 0) or (self._marks and path_of(place) in self._on_the_way):
                if skipped:
                    yield self._told(skipped, inner)
                    skipped = 0
                yield place
            else:
                skipped += 1
        if skipped:
            yield self._told(skipped, inner)

    def _told(self, missing: int, inner: str) -> str:
        self.left_out += missing
        return f'{inner}<span class="muted">… {missing:,} more …</span>\n'

    def _pair(self, key: Any, item: Any, path: Path) -> str:
        leaf = self._leaf(item, path + step_to(str(key)))
        return f'<span class="k">{self._key(key)}</span>: {leaf}'

    def _key(self, key: Any, *, quoted: bool = True) -> str:
        text = _quoted(str(key)[:_SHORT]) if quoted else str(key)[:_SHORT]
        self._room -= len(text) + _MARKUP
        return _escaped(text)

    def _leaf(self, value: Any, path: Path) -> str:
        if isinstance(value, str):
            # Long text keeps its lines: people read it.
            is_prose = len(value) > _LONG_LEAF and "\n" in value
            spell = _line_by_line if is_prose else _inside_quotes
            return f'"{self._text(value, path, spell)}"'
        text = _scalar(value)
        self._room -= len(text)
        return self._whole(path, text)

    def _text(self, text: str, path: Path, spell: Callable[[str], str]) -> str:
        """A text with what was taken from it marked, and its middle left out if it is long."""
        hits = self._hits(text, path) if len(text) > _SHORT_LEAF else []
        if len(text) <= _LONG_LEAF and not hits:
            self._room -= len(text)
            return self._whole(path, spell(text))
        stretches = self._stretches(len(text), hits)
        shown = ""
        for place, (start, end) in enumerate(stretches):
            if place:
                shown += self._gap(start - stretches[place - 1][1])
            shown += _with_hits(text, start, end, hits, spell)
            self._room -= end - start
        if stretches and (rest := len(text) - stretches[-1][1]):
            shown += self._gap(rest)
        return shown

    def _gap(self, missing: int) -> str:
        self.left_out += missing
        return f'\n<span class="muted">… {missing:,} characters …</span>\n'

    def _stretches(self, length: int, hits: list[_Hit]) -> list[tuple[int, int]]:
        """What is shown of a text: all of it, or head, tail and what lies around the hits."""
        if length <= max(self._room, 2 * self._half):
            return [(0, length)]
        half = self._half if self._room > 0 else _AROUND
        wanted = [(0, half), (length - half, length)]
        wanted += [(max(0, hit.start - _AROUND), min(length, hit.end + _AROUND)) for hit in hits]
        merged: list[tuple[int, int]] = []
        for start, end in sorted(wanted):
            if merged and start <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((start, end))
        return merged

    def _hits(self, text: str, path: Path) -> list[_Hit]:
        """Where the wanted texts stand, none over another."""
        found: list[_Hit] = []
        for wanted, name in self._marks.get(path, {}).items():
            for needle in (wanted, _EDGES.sub("", wanted)):
                start = text.find(needle) if needle else -1
                if start >= 0:
                    self.placed[path, wanted] = name
                    found.append(_Hit(start, start + len(needle), name))
                    break
        found.sort()
        apart = found[:1]
        for hit in found[1:]:
            if hit.start >= apart[-1].end:
                apart.append(hit)
            else:
                self._share(path, hit.name, apart[-1].name)
        return apart

    def _share(self, path: Path, name: str, other: str) -> None:
        """Let what has one id have another's: their texts overlap."""
        for wanted, held in self._marks[path].items():
            if held == name:
                self.placed[path, wanted] = other

    def _whole(self, path: Path, text: str) -> str:
        shown = _escaped(text)
        wanted = self._marks.get(path)
        if not wanted:
            return shown
        name = next(iter(wanted.values()))
        self.placed |= {(path, other): name for other in wanted}
        return f'<mark id="{name}">{shown}</mark>'


def is_table(value: Any) -> TypeGuard[list[dict[Any, Any]]]:
    """Whether a value is a list of alike small objects, which people read as a table."""
    if not isinstance(value, list) or len(value) < _LEAST_ROWS or not isinstance(value[0], dict):
        return False
    keys = list(value[0])
    return 0 < len(keys) <= _MOST_COLUMNS and all(
        isinstance(row, dict) and list(row) == keys and all(map(_fits_cell, row.values()))
        for row in value
    )


def _fits_cell(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONG_LEAF and "\n" not in value
    return not isinstance(value, dict | list)


def _escaped(text: str) -> str:
    return escape(visible(text), quote=False)


def _with_hits(
    text: str, start: int, end: int, hits: list[_Hit], spell: Callable[[str], str]
) -> str:
    shown, at = "", start
    for hit in hits:
        if start <= hit.start and hit.end <= end:
            marked = _escaped(spell(text[hit.start : hit.end]))
            shown += _escaped(spell(text[at : hit.start]))
            shown += f'<mark id="{hit.name}">{marked}</mark>'
            at = hit.end
    return shown + _escaped(spell(text[at:end]))


def _is_flat(value: dict[Any, Any]) -> bool:
    """Whether a small object fits on one line."""
    if len(value) > 6 or any(isinstance(item, dict | list) for item in value.values()):
        return False
    return sum(len(str(k)) + len(str(v)[:_SHORT]) + 6 for k, v in value.items()) < _SHORT


def _plain(text: str) -> str:
    return text


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _inside_quotes(text: str) -> str:
    return _quoted(text)[1:-1]


def _line_by_line(text: str) -> str:
    return "\n".join(_quoted(line)[1:-1] for line in text.split("\n"))


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
    return cut(text, width)


def _short(value: Any) -> str:
    if isinstance(value, str):
        value = value[:100]
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (ValueError, RecursionError):
        return "…"
    return cut(text, _LONG_LEAF)
