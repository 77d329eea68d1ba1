"""How failures begin when they are told as text.

Only the opening of a text is read: an error message states its failure first, while logs,
code and search results merely mention failures somewhere. A rule says how long a text it may
speak for, because a long text that opens like an error is usually a document about one.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from assay.evidence.error_demands import DEMANDS
from assay.evidence.error_openings import STATEMENTS, Opening, Reach
from assay.evidence.error_phrases import PHRASES
from assay.evidence.error_programs import PROGRAMS
from assay.evidence.error_sentences import SENTENCES
from assay.evidence.linear_search import may_open_with
from assay.evidence.refusal_signs import sign_of_refusal
from assay.evidence.text_shape import HEAD, bears_failure_mark, opening_of, reads_like_content
from assay.evidence.traditional import simplified

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.evidence.tool_kinds import ToolKind

OPENINGS: tuple[Opening, ...] = (*STATEMENTS, *PROGRAMS, *PHRASES, *SENTENCES, *DEMANDS)

# A sentence such as "Order 7 not found" is the whole answer, or it is prose.
_LONGEST: dict[Reach, int] = {"any": 1_000_000_000, "page": 1_500, "line": 240}


@cache
def _places(reach: Reach, *, beyond_ascii: bool) -> list[int]:
    """The places in `OPENINGS` of the rules of a reach."""
    return [
        i
        for i, row in enumerate(OPENINGS)
        if row.reach == reach and row.beyond_ascii is beyond_ascii
    ]


@cache
def _compiled(place: int) -> re.Pattern[str]:
    """All wordings of a rule, compiled when the first text asks for them: that takes a while."""
    return re.compile("|".join(OPENINGS[place].wordings), re.IGNORECASE)


@cache
def _may_match(place: int) -> Callable[[str], bool]:
    """A look whether a rule can match, in a fifth of the time that compiling it takes."""
    return may_open_with("|".join(OPENINGS[place].wordings))


@cache
def _possible(reach: Reach) -> Callable[[str], bool]:
    """A look whether any rule of a reach can match: most texts tell of no failure."""
    rules = [OPENINGS[place] for place in _places(reach, beyond_ascii=False)]
    return may_open_with("|".join(wording for rule in rules for wording in rule.wordings))


_MARKED = Opening("failure_mark", "page", ())
_SHORT = Opening("short_refusal", "line", ())
# How prose and lists open, and no message.
_MARKUP = frozenset("#>*`-+|")
_NAMED_FIRST = re.compile(
    r"\s*(?:`[\w.:/-]{1,60}`|--(?-i:[a-z])[\w-]{1,40}(?:,? (?:and|or) --[\w-]{1,40})?)"
    r" (?:is|are|must|cannot|requires?|needs?|expects|does not)\b"
)

# Rules whose wording may be followed by good news: "Error: none", "Error: 0.05".
_VALUED = frozenset(
    {"error_prefix", "error_of", "chinese_error", "failed_to", "work_failed", "broken_line"}
)
_NOUGHT = re.compile(
    r"\s*0\s?[.;,|·]\s(?=[A-Z][\w ]{1,30}: )"
    r"|\s*(?:0|0x0|none|null|nil|no errors?|false|n/?a|-{1,3}|without|ok|无|没有)"
    r"\s*[.;,)，]?\s*(?:\n|\Z|成功)",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"\s*(?:±|\+/-|~|<|>|=)?\s*[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d{1,3})?\s?(?:%|[^\W\d_]{1,4})?"
    r"\s*(?:[(,;]|\n|\Z)",
    re.IGNORECASE,
)
# What a program says for words that it has not got.
_WORDLESS = re.compile(r"\s*[:：]?\s*(?:null|undefined)\s*\Z", re.IGNORECASE)
_OF_ONE_WORK = re.compile(r"\S*[^\Ws](?: has)? failed\s*[:：]?\s*\Z|failed to \w", re.IGNORECASE)
_NONE_FOUND = re.compile(r"\s*[:：]?\s*(?:no(?! such)|none|0|zero)\b", re.IGNORECASE)
# "Returns None if not found" tells no fact, and "How to fix ..." explains one.
_CONDITION = re.compile(
    r"\b(?:if|when|whenever|whether|unless|raises?|raised|returns|(?<!not )return|means|indicates"
    r"|implies)\b|^\W*(?:how|why|what)\b",
    re.IGNORECASE,
)
# "Imported 12 rows, but 3 could not be read": some of it was done.
_IN_PART = re.compile(r"ed \d[\d,]* [^\n]{1,60}\bbut \d", re.IGNORECASE)
# Some of it was done here as well: "Sent 2 of 3 letters", and then what went wrong with one.
_SOME_OF_ALL = re.compile(
    r"(?!fail)(?:[a-z]+ed|sent|made|done|found|built|put|read|set|wrote|written)"
    r" (?!0+ )\d[\d,]* (?:out )?of \d[\d,]* \w",
    re.IGNORECASE,
)
# "Refunds are not given. Boats are." speaks of many, and goes on without advice.
_GENERAL = re.compile(
    r"(?-i:[A-Z][a-z]+s) (?:are|were|cannot|can|must|do|may|have)\b[^:'\"`_\d\n]{0,150}\.\s+"
    r"(?!please|use|try|check|provide|specify|set|run|call|choose|valid|available|allowed)\w",
    re.IGNORECASE,
)
_RULE = re.compile(
    r"(?-i:[A-Z][a-z]+s) are not (?:allowed|permitted|available|possible) (?:in|on|at|within|for"
    r"|after|before|between|during|without)\b[^.:'\"`_\n]*\.\s*\Z",
    re.IGNORECASE,
)
_QUOTE_BEGINS = re.compile(r"(?<=\w )[\"'`](?=\w)")
_QUOTE_ENDS = re.compile(r"(?<=[\w.!?])[\"'`](?!\w)")
_EXCEPTION_LINE = re.compile(r"\s*[\w.]{0,80}(?:Error|Exception): ")
_QUESTION = re.compile(r"[^.:\n\"'`]{0,60}\?")
# "404 Not Found explained", "Access denied is what guests see": a term, and what is said of it.
_OF_A_TERM = re.compile(
    r"(?: errors?)? (?:explained|(?:is|are) (?:what|when|how|shown|seen|returned)|means\b)",
    re.IGNORECASE,
)
# Who refuses an edit shows the code as it would have been, and as it is.
_SHOWING_CODE = frozenset({"edit_refused"})
_FACTS = frozenset({"refused_sentence", "no_such_thing", "chain_of_causes", "demand"})
_BRINGING_TEXT = frozenset({"content", "log", "wording"})
_PRINTING = _BRINGING_TEXT | {"command"}
# As programs name their parts, and no file is called: moor_boat, pier.north.crane. What is said of
# a field is a word or two: "dark_mode: not supported".
_NAME_OF_A_PART = re.compile(
    r"(?!\w{0,60}(?:error|message|reason|state|status|mode|result): )"
    r"[a-z][a-z0-9]{0,30}(?:_[a-z0-9]{1,30}|(?:\.\w{1,30}){2,4}|\.[a-z]+_)\w{0,60}: (?=\S+ \S+ \S)"
)
_COLONS = frozenset(":：")
_STATUS_NUMBER = re.compile(r"\s*(?:[45]\d\d|-\d+)\b(?!\.\d)")


def failing_opening(
    text: str,
    *,
    longest: int | None = None,
    opening: str | None = None,
    tool: ToolKind = "other",
) -> Opening | None:
    """The rule by which a text opens with a failure, if it does.

    `longest` lets no rule speak for a text of more characters; `opening` is the text's, where
    it is known already. What a `tool` says that was to act, and was not asked for a state, is more
    likely to be a refusal.
    """
    size = len(text) if len(text) < HEAD else len(text.strip())
    if longest is not None and size > longest:
        return None
    head = opening_of(text) if opening is None else opening
    reaches = [reach for reach, limit in _LONGEST.items() if size <= limit]
    if head.isascii():
        lowered = head.lower()
        possible = [reach for reach in reaches if _possible(reach)(lowered)]
        found = _first_match(head, (at for at in _all_places(possible) if _may_match(at)(lowered)))
    else:
        found = _first_match(head, _all_places(reaches, (False, True)))
        if found is None and (plain := simplified(head)) is not None:
            found = _first_match(plain, _all_places(reaches, (True,)))
    if found is None:
        return _told_by_signs(text, head, size, tool) or _told_by_name(head, size, tool)
    row, opening, rest = found
    if _is_harmless(row, opening, rest):
        return None
    if row.rule in _SHOWING_CODE and tool not in _BRINGING_TEXT:
        return row
    return None if reads_like_content(text) else row


def _all_places(reaches: list[Reach], beyond_ascii: tuple[bool, ...] = (False,)) -> list[int]:
    places = (_places(reach, beyond_ascii=beyond) for reach in reaches for beyond in beyond_ascii)
    return list(chain.from_iterable(places))


def _first_match(head: str, places: Iterable[int]) -> tuple[Opening, str, str] | None:
    """The first rule whose wording a text opens with, the words that match, and the rest."""
    for place in places:
        found = _compiled(place).match(head)
        if found is not None:
            return OPENINGS[place], found[0], head[found.end() :]
    return None


def _told_by_signs(text: str, head: str, size: int, tool: ToolKind) -> Opening | None:
    if size <= _LONGEST[_MARKED.reach] and bears_failure_mark(text):
        return _MARKED
    if size > _LONGEST[_SHORT.reach]:
        return None
    if text.lstrip()[:1] in _MARKUP and _NAMED_FIRST.match(text) is None:
        return None
    if sign_of_refusal(head, tool=tool) is None or _SOME_OF_ALL.match(head):
        return None
    return _SHORT


def _told_by_name(head: str, size: int, tool: ToolKind) -> Opening | None:
    """The rule by which a line fails behind the name of the tool, or of whatever part speaks."""
    if size > _LONGEST["line"] or tool in _PRINTING:
        return None
    named = _NAME_OF_A_PART.match(head)
    return None if named is None else failing_opening(head[named.end() :], tool=tool)


def _is_harmless(row: Opening, opening: str, rest: str) -> bool:
    if row.reach == "line" and sum(1 for line in rest.split("\n") if line.strip()) > 2:
        return True
    if row.rule in _FACTS:
        is_explained = _CONDITION.search(opening) is not None or _speaks_of_many(opening + rest)
        in_part = _IN_PART.search(opening) is not None
        return is_explained or in_part or _breaks_off_in_quotes(opening)
    if row.rule == "exception":
        return _lists_exceptions(opening + rest)
    if _OF_A_TERM.match(rest) or (row.rule == "invalid_input" and _NONE_FOUND.match(rest)):
        return True
    if row.rule == "failed_to" and _QUESTION.match(rest):
        return True
    counts = opening[:7].lower() == "missing" or opening[-1:] in _COLONS
    valued = row.rule in _VALUED or (row.rule == "invalid_input" and counts)
    # The number behind "not found:" is that of the thing.
    valued = valued and opening[-9:].lower() != "not found" and not _lacks_words(rest, opening)
    return valued and _is_good_news(rest, opening)


def _lacks_words(rest: str, opening: str) -> bool:
    """Whether a program had no words for what failed: no list has such a value."""
    return _WORDLESS.match(rest) is not None and _OF_ONE_WORK.match(opening) is not None


def _breaks_off_in_quotes(opening: str) -> bool:
    """Whether what sounds like a failure is quoted: the name of a rule, the subject of a letter."""
    return len(_QUOTE_BEGINS.findall(opening)) > len(_QUOTE_ENDS.findall(opening))


def _speaks_of_many(text: str) -> bool:
    return _GENERAL.match(text) is not None or _RULE.match(text) is not None


def _lists_exceptions(text: str) -> bool:
    """Whether every line tells another exception: a list of what happened elsewhere."""
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) > 1 and all(_EXCEPTION_LINE.match(line) for line in lines)


def _is_good_news(rest: str, opening: str) -> bool:
    """Whether the opening is followed by a colon and a nought or a measurement."""
    if opening.rstrip()[-1:] not in _COLONS:
        rest = rest.lstrip()
        if rest[:1] not in _COLONS:
            return False
        rest = rest[1:]
    return is_nought_or_measure(rest, of_a_code="code" in opening.lower())


def is_nought_or_measure(told: str, *, of_a_code: bool = False) -> bool:
    """Whether what stands behind the colon of an error is no error: a nought, a measurement.

    A status (404) and a code below nought (-71) are no measurements; `of_a_code` lets none be one.
    """
    if _NOUGHT.match(told) or of_a_code:
        return _NOUGHT.match(told) is not None
    return _MEASURE.match(told) is not None and _STATUS_NUMBER.match(told) is None
