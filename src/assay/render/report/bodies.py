"""Results of calls cut to a few lines, for files that must stay small; what is linked stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.render.pages.call_cards import CallCard, Written
    from assay.render.pages.run_view import RunView

_LONGEST_LINE = 300
_MARK_IDS = re.compile(r'<mark id="([^"<>]+)"')
_BODY, _ROW = "<tbody>", re.compile(r"<tr>.*?</tr>", re.DOTALL)
_CUT_ENTITY = re.compile(r"&[#\w]{0,8}\Z")


def with_short_results(view: RunView, lines: int) -> RunView:
    """The run with so many lines of each result; 0 leaves what something points to."""
    turns = [
        replace(turn, cards=[_short_card(card, lines) for card in turn.cards])
        for turn in view.turns
    ]
    return replace(view, turns=turns)


def _short_card(card: CallCard, lines: int) -> CallCard:
    return card if card.result is None else replace(card, result=short_result(card.result, lines))


def short_result(result: Written, lines: int) -> Written:
    """So many lines of a result, or rows of one that is a table."""
    if result.is_table:
        head, _, body = str(result.text).partition(_BODY)
        kept = list(_kept(_ROW.findall(body), lines, _told_in_table))
        text = f"{head}{_BODY}{''.join(kept)}</tbody>"
    else:
        written = map(_short_line, str(result.text).split("\n"))
        kept = list(_kept(list(written), lines, _told))
        text = "\n".join(kept)
    return replace(result, text=Markup(text), lines=len(kept))  # noqa: S704 - it was markup


def _kept(written: Sequence[str], lines: int, tell: Callable[[int], str]) -> Iterator[str]:
    """The first lines and those with a mark; in between, how many are missing."""
    missing = 0
    for place, line in enumerate(written):
        if place >= lines and "<mark" not in line:
            missing += 1
            continue
        if missing:
            yield tell(missing)
            missing = 0
        yield line
    if missing:
        yield tell(missing)


def _told(missing: int) -> str:
    noun = "line" if missing == 1 else "lines"
    return f'<span class="muted">… {missing:,} {noun} left out …</span>'


def _told_in_table(missing: int) -> str:
    noun = "row" if missing == 1 else "rows"
    return f'<tr><td class="muted" colspan="99">… {missing:,} {noun} left out …</td></tr>'


def _short_line(line: str) -> str:
    """A line no longer than it may be; of marks that are not whole only the anchors are left."""
    is_whole = line.count("<mark") == line.count("</mark>")
    if is_whole and len(line) <= _LONGEST_LINE:
        return line
    if "<" in line:
        anchors = "".join(f'<mark id="{name}"></mark>' for name in _MARK_IDS.findall(line))
        return f'{anchors}<span class="muted">… a long line left out …</span>'
    return f"{_CUT_ENTITY.sub('', line[:_LONGEST_LINE])}…"
