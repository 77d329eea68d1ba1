"""The contents of a report as one HTML file that is never larger than it may be."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from msgspec import Struct
from msgspec.structs import replace

from assay.redaction import MASK
from assay.render.pages.environment import static_text, translator
from assay.render.pages.figures import count, moment
from assay.render.pages.said import Said, words
from assay.render.report.bodies import with_short_results
from assay.render.report.summary import summary_sentences
from assay.render.report.tables import shorter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from assay.render.report.contents import Contents
    from assay.render.report.masking import Mask
    from assay.render.report.stories import Story

LARGEST = 1_000_000
# No more of the file than this is rows of runs, or all that is neither rows nor whole runs.
_MOST_FOR_LINES, _MOST_FOR_FRAME = 0.35, 0.5
_ROOM_FOR_NOTES = 2_000
_FEWEST_ROWS = 10
# How many lines of a result are kept, tried in this order; None is all that a page has.
_RESULT_LINES = (None, 12, 0)
_PLACES = {name: f"<!--{name}-->" for name in ("stories", "lines", "notes")}
# Where the tags of one run point into itself, they get its prefix; what stands between tags may
# look the same, and is what somebody wrote.
_TAG = re.compile(r"<[a-z][^<>]*>")
_OWN_ADDRESSES = re.compile(
    r'(\s(?:id|data-ref)="(?!run-)|\s(?:href|data-copy|data-more)="#(?!run-))'
)
_STYLES = ("assay.css", "figures.css", "run.css", "report.css")
_SECTIONS = (
    ("summary", "Summary"),
    ("sides", "Models"),
    ("tools", "Tools"),
    ("compared", "Compared"),
    ("runs", "Runs"),
    ("analyses", "Analyses"),
    ("list", "All runs"),
)


class _Fitted(Struct, frozen=True):
    """The runs that found room, by their place in the file, and how their results are cut."""

    texts: dict[str, str]
    result_lines: int | None


def report_html(contents: Contents, mask: Mask, *, largest: int = LARGEST) -> str:
    """The whole file; what does not fit is left out, results first, and the file says so."""
    write = _Writer(contents, mask)
    listed, lines = _fitting_lines(write, int(_MOST_FOR_LINES * largest))
    frame = write.frame(listed)
    if _size(frame) > _MOST_FOR_FRAME * largest:
        frame = write.frame(listed, most_rows=_FEWEST_ROWS)
    room = largest - _size(frame) - _size(lines) - _ROOM_FOR_NOTES
    fitted = _fit(write, contents.stories, room)
    text = frame.replace(_PLACES["lines"], lines)
    text = text.replace(_PLACES["stories"], "\n".join(fitted.texts.values()))
    for address in set(write.numbers.values()) - set(fitted.texts):
        text = text.replace(f'href="#{address}"', 'href="#list"')
    return text.replace(_PLACES["notes"], write.notes(fitted, text.count(MASK)))


def _fitting_lines(write: _Writer, most: int) -> tuple[int, str]:
    """As many rows of runs as there is room for."""
    listed = len(write.contents.lines)
    lines = write.lines(listed)
    while listed and _size(lines) > most:
        listed //= 2
        lines = write.lines(listed)
    return listed, lines


def _fit(write: _Writer, stories: Sequence[Story], room: int) -> _Fitted:
    """The runs with as much of their results as there is room for; then as many as there is."""
    texts: dict[str, str] = {}
    lines: int | None = None
    for lines in _RESULT_LINES:
        texts = {write.numbers[s.view.key]: write.story(s, lines) for s in stories}
        if sum(map(_size, texts.values())) <= room:
            return _Fitted(texts, lines)
    kept = {}
    for address, text in texts.items():
        if _size(text) <= room:
            kept[address] = text
            room -= _size(text)
    return _Fitted(kept, lines)


class _Writer:
    """Writes the parts of the file."""

    def __init__(self, contents: Contents, mask: Mask) -> None:
        self.contents = contents
        self.numbers = {story.view.key: f"run-{story.number}" for story in contents.stories}
        self._templates = mask.templates()
        self._t = translator(contents.wanted.language)

    def frame(self, listed: int, *, most_rows: int | None = None) -> str:
        """Everything but whole runs, rows of runs and notes."""
        contents = self.contents
        if most_rows is not None:
            tables = tuple(shorter(table, most_rows) for table in contents.tables)
            contents = replace(contents, tables=tables)
        return self._page(
            "report.html",
            contents=contents,
            listed=listed,
            nav=[pair for pair in _SECTIONS if self._has(pair[0])],
            styles=Markup("\n").join(map(_own, _STYLES)),
            labels=_labels(contents, self._t),
            theme=_own("theme.js"),
            script=_own("report.js"),
            lede=summary_sentences(contents.facts),
            no_ticks={"ticks": ()},
            **{name: Markup(place) for name, place in _PLACES.items()},  # noqa: S704 - ours
        )

    def lines(self, most: int) -> str:
        """Rows of runs."""
        return self._page("report_lines.html", lines=self.contents.lines[:most])

    def story(self, story: Story, result_lines: int | None) -> str:
        """One whole run, its addresses its own."""
        if result_lines is not None:
            short = with_short_results(story.view, result_lines, self._t)
            story = replace(story, view=short)
        text = self._page("report_run.html", story=story)
        prefixed = rf"\g<1>{self.numbers[story.view.key]}-"
        return _TAG.sub(lambda tag: _OWN_ADDRESSES.sub(prefixed, tag[0]), text)

    def notes(self, fitted: _Fitted, masked: int) -> str:
        """What was left out, and what was masked."""
        left_out = len(self.contents.stories) - len(fitted.texts)
        return self._page("report_notes.html", notes=list(_notes(fitted, left_out, masked)))

    def _has(self, section: str) -> bool:
        contents = self.contents
        has: dict[str, Any] = {
            "sides": contents.overview.forest,
            "compared": contents.pair,
            "runs": contents.stories,
            "analyses": contents.tables,
        }
        return not contents.overview.is_empty and bool(has.get(section, True))

    def _page(self, template: str, **data: Any) -> str:
        found = self._templates.get_template(template)
        language = self.contents.wanted.language
        return found.render(t=self._t, language=language, numbers=self.numbers, **data)


def _notes(fitted: _Fitted, left_out: int, masked: int) -> Iterator[Said]:
    if fitted.result_lines is not None:
        kept = (
            words("the first {n} lines", n=str(fitted.result_lines))
            if fitted.result_lines
            else words("the lines that something else points to")
        )
        text = "To keep this file small, {kept} of each result are here; assay show has them whole."
        yield words(text, kept=kept)
    if left_out:
        many = "{n} runs that were to stand here whole did not fit; assay show has them."
        one = "1 run that was to stand here whole did not fit; assay show has it."
        yield words(one if left_out == 1 else many, n=count(left_out))
    if masked:
        many = "{n} values that look like secrets are masked."
        one = "1 value that looks like a secret is masked."
        yield words(one if masked == 1 else many, n=count(masked))
    else:
        yield words("Nothing in it looks like a secret; 0 values are masked.")


def _labels(contents: Contents, translate: Callable[..., str]) -> Markup:
    """On a phone a cell stands under the next, so each says which column it is of.

    On paper every page says what it is of.
    """
    rules = [
        f'#t-{table.page.name} td:nth-child({place})::before{{content:"{translate(head.label)}"}}'
        for table in contents.tables
        for place, head in enumerate(table.page.heads, start=1)
    ]
    held = translate("store {hash}", hash=contents.store_hash)
    said = f"{held} · {moment(contents.made_at, contents.wanted.language)} · "
    paper = f'@page{{@bottom-right{{font:9px sans-serif;content:"{said}" counter(page)}}}}'
    phone = f"@media (max-width:640px){{{''.join(rules)}}}"
    return Markup(phone + paper)  # noqa: S704 - our own words


def _own(name: str) -> Markup:
    return Markup(static_text(name))  # noqa: S704 - a file of ours


def _size(text: str) -> int:
    return len(text.encode())
