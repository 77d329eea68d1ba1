"""Results of calls cut to a few lines, for files that must stay small; what is linked stays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markupsafe import Markup, escape
from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.render.pages.call_cards import CallCard, Written
    from assay.render.pages.run_view import RunView

    Translate = Callable[..., str]

_LONGEST_LINE = 300
_MARK_IDS = re.compile(r'<mark id="([^"<>]+)"')
_BODY, _ROW = "<tbody>", re.compile(r"<tr>.*?</tr>", re.DOTALL)
# What is left out, one and many: of a text, and of a table.
_LEFT_OUT = {
    False: ("… 1 line left out …", "… {n} lines left out …"),
    True: ("… 1 row left out …", "… {n} rows left out …"),
}
_TOLD = '<span class="muted">{said}</span>'
_TOLD_IN_TABLE = '<tr><td class="muted" colspan="99">{said}</td></tr>'
_CUT_ENTITY = re.compile(r"&[#\w]{0,8}\Z")


def with_short_results(view: RunView, lines: int, translate: Translate) -> RunView:
    """The run with so many lines of each result; 0 leaves what something points to."""
    turns = [
        replace(turn, cards=[_short_card(card, lines, translate) for card in turn.cards])
        for turn in view.turns
    ]
    return replace(view, turns=turns)


def _short_card(card: CallCard, lines: int, translate: Translate) -> CallCard:
    if card.result is None:
        return card
    return replace(card, result=short_result(card.result, lines, translate))


def short_result(result: Written, lines: int, translate: Translate) -> Written:
    """So many lines of a result, or rows of one that is a table."""

    def told(missing: int) -> str:
        one, many = _LEFT_OUT[result.is_table]
        said = translate(one if missing == 1 else many, n=f"{missing:,}")
        return (_TOLD_IN_TABLE if result.is_table else _TOLD).format(said=escape(said))

    if result.is_table:
        head, _, body = str(result.text).partition(_BODY)
        kept = list(_kept(_ROW.findall(body), lines, told))
        text = f"{head}{_BODY}{''.join(kept)}</tbody>"
    else:
        written = [_short_line(line, translate) for line in str(result.text).split("\n")]
        kept = list(_kept(written, lines, told))
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


def _short_line(line: str, translate: Translate) -> str:
    """A line no longer than it may be; of marks that are not whole only the anchors are left."""
    is_whole = line.count("<mark") == line.count("</mark>")
    if is_whole and len(line) <= _LONGEST_LINE:
        return line
    if "<" in line:
        anchors = "".join(f'<mark id="{name}"></mark>' for name in _MARK_IDS.findall(line))
        return anchors + _TOLD.format(said=escape(translate("… a long line left out …")))
    return f"{_CUT_ENTITY.sub('', line[:_LONGEST_LINE])}…"
