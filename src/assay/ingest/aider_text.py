"""What Aider writes into its chat history: who speaks in it, the edits and notices in it.

The history is Markdown: what the user said is a heading, what Aider says itself a quotation, and
all else is the model's. Lines that Aider wrote end in two blanks, so that a model's own headings
and quotations can be told from them.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

USER, AIDER, MODEL = "user", "aider", "model"
_HEADING, _QUOTED, _BREAK = "####", ">", "  "
_SEARCH = re.compile(r"<{5,9} ?SEARCH>?\s*$")
_DIVIDER = re.compile(r"={5,9}\s*$")
_REPLACE = re.compile(r">{5,9} ?REPLACE\s*$")
_FENCES = ("```", "~~~", "<source>", "<code>")
_AROUND_PATH = ' \t`*:#"'
_LONGEST_PATH = 300
_ABOVE = 3
_NOT_MATCHED = re.compile(r"This SEARCH block failed to exactly match lines in (.+)$", re.M)
_THOUGHT = re.compile(r"<(thinking-content-\w{1,64})>")
_SHOWN_THOUGHT, _SHOWN_ANSWER = "► **THINKING**", "► **ANSWER**"
# No longer than an amount can be: what has more digits is none.
_COUNTED = re.compile(r"(?<!\d)(\d[\d.,]{0,11})([kM]?) (sent|received|cache write|cache hit)\b")
_SESSION_COST = re.compile(r"\$(\d[\d.,]{0,11}) session")
_UNITS = {"": 1, "k": 1_000, "M": 1_000_000}
COUNTS = {
    "sent": "input_tokens",
    "received": "output_tokens",
    "cache write": "cache_write_tokens",
    "cache hit": "cache_read_tokens",
}
_MODEL = re.compile(r"^(?:Main model|Models?): (\S+?),?(?: with .*)?$")


class Block(NamedTuple):
    """Lines that one speaker wrote in a row."""

    speaker: str
    text: str


class Edit(NamedTuple):
    """One change of a file that the model asks for."""

    path: str
    search: str
    replace: str


def blocks_in(lines: Iterable[str], *, marked: bool) -> Iterator[Block]:
    """The blocks of a session; where lines are not `marked` any heading and quotation counts."""
    speaker, gathered, last = "", list[str](), ""
    for line in lines:
        now = _speaker(line, speaker, last, marked=marked)
        if now != speaker and gathered:
            yield Block(speaker, "\n".join(gathered).strip())
            gathered = []
        speaker, last = now, line
        if speaker:
            gathered.append(_said(line, speaker))
    if gathered:
        yield Block(speaker, "\n".join(gathered).strip())


def _speaker(line: str, speaker: str, last: str, *, marked: bool) -> str:
    is_own = line.endswith(_BREAK) or not marked
    if is_own and line.startswith(_HEADING):
        return USER
    if line.startswith(_QUOTED) and (is_own or speaker == AIDER):
        return AIDER
    # A notice of several lines is quoted in its first one, and ends in blanks in its last.
    if speaker == AIDER and not last.endswith(_BREAK) and marked:
        return AIDER
    if not line.strip():
        return MODEL if speaker == MODEL else ""
    return MODEL


def _said(line: str, speaker: str) -> str:
    if speaker == MODEL:
        return line
    mark = _HEADING if speaker == USER else _QUOTED
    return line.removeprefix(mark).removeprefix(" ").rstrip()


def edits_in(text: str) -> list[Edit]:
    """The edits that a text asks for, each with the file that is named above it."""
    found: list[Edit] = []
    lines = text.split("\n")
    place = 0
    while place < len(lines):
        if not _SEARCH.match(lines[place]):
            place += 1
            continue
        divider = _next(lines, place, _DIVIDER)
        end = _next(lines, divider, _REPLACE)
        if end == len(lines):
            break
        path = _path_above(lines, place) or (found[-1].path if found else "")
        search, replace = lines[place + 1 : divider], lines[divider + 1 : end]
        found.append(Edit(path, "\n".join(search), "\n".join(replace)))
        place = end + 1
    return found


def _next(lines: list[str], place: int, mark: re.Pattern[str]) -> int:
    after = range(place + 1, len(lines))
    return next((i for i in after if mark.match(lines[i])), len(lines))


def _path_above(lines: list[str], place: int) -> str:
    for line in reversed(lines[max(0, place - _ABOVE) : place]):
        if line.startswith(_FENCES) or not line.strip():
            continue
        path = line.strip().strip(_AROUND_PATH)
        is_end = _REPLACE.match(line) is not None
        return "" if is_end or not path or len(path) > _LONGEST_PATH else path
    return ""


def not_matched(notice: str) -> list[tuple[str, str]]:
    """Path and searched text of each edit of which a notice says that it does not fit the file."""
    marks = list(_NOT_MATCHED.finditer(notice))
    found = []
    for mark, after in zip_longest(marks, marks[1:]):
        end = after.start() if after else len(notice)
        edits = edits_in(notice[mark.end() : end])
        found.append((mark[1].strip(), edits[0].search if edits else ""))
    return found


def without_thoughts(text: str) -> tuple[str, str]:
    """What the model said, and what it thought before."""
    shown, _, answer = text.partition(_SHOWN_ANSWER)
    if answer and _SHOWN_THOUGHT in shown:
        thought = shown.partition(_SHOWN_THOUGHT)[2]
        return answer.strip(), thought.strip().rstrip("-").strip()
    begin = _THOUGHT.search(text)
    end_mark = f"</{begin[1]}>" if begin else ""
    end = text.find(end_mark, begin.end()) if begin else -1
    if begin is None or end < 0:
        return text, ""
    said = text[: begin.start()] + text[end + len(end_mark) :]
    return said.strip(), text[begin.end() : end].strip()


def tokens_in(notice: str) -> dict[str, int]:
    """The tokens that a line of Aider's reports, as far as it rounds them."""
    return {
        COUNTS[kind]: round(float(number.replace(",", "").rstrip(".")) * _UNITS[unit])
        for number, unit, kind in _COUNTED.findall(notice)
        if number.replace(",", "").rstrip(".").count(".") <= 1
    }


def session_cost(notice: str) -> float | None:
    """What the session cost so far, in dollars, as a line of Aider's says."""
    told = _SESSION_COST.search(notice)
    amount = told[1].replace(",", "").rstrip(".") if told else ""
    return float(amount) if amount and amount.count(".") <= 1 else None


def model_in(notice: str) -> str | None:
    """The model that a line of Aider's names."""
    told = _MODEL.match(notice)
    return told[1] if told else None
