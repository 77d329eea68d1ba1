"""What kind of text a result is: where its first words stand, and whether it is a document."""

from __future__ import annotations

import re

HEAD = 2_000
_LOOKED_AT = 8_000
_LINES_LOOKED_AT = 40

# What may stand before the first word: space, Markdown, quotes, and symbols such as emoji.
_LEAD = re.compile(r"(?:```[\w+-]{0,20}[ \t]*\n|[\s\ufeff#>*`\"'!~=|]|[^\w\s\x00-\x7f])*")
# What stands before a message: a driver's label, or the heading of a section.
_LABEL = re.compile(
    r"(?:message|stderr|reason)\s*[:：]\s*|(?:result|response|output)\s*\n\s*", re.IGNORECASE
)
# A message may stand in brackets as a whole: "[Nothing was saved: the text is empty]".
_BRACKETS = frozenset("[(")
_IN_BRACKETS = re.compile(r"[\[(][^\W\d_][^\[\]()\n]{2,300}[\])]\s*\Z")
_ANSI = re.compile(r"\x1b\[[0-9;]{0,12}[A-Za-z]")
_FAILURE_MARKS = frozenset("❌🚫⛔✗✘⨯")
_SUCCESS_MARK = re.compile(r"[✅✓✔☑⭕🟢]")

_LEVELS = r"(?:info|debug|warn(?:ing)?|trace|notice|error|fatal|critical|severe)"
_LOG_LINE = re.compile(
    rf"\s*(?:\[?\d{{1,4}}[-/.:]\d{{1,2}}[-/.:T ]\d|\[?{_LEVELS}\b\]?[\s:\]|])", re.IGNORECASE
)
_CALM_LINE = re.compile(
    r".{0,60}\b(?:info|debug|warn(?:ing)?|trace|notice)\b|\s*\[?\d{4}-\d\d-\d\d", re.IGNORECASE
)
_LISTING_LINE = re.compile(
    r"\s*(?:[-*•]|\d{1,3}[.)])?\s*"
    r"(?:https?://|(?:url|link|source|href)\s*:|\[[^\]\n]{1,200}\]\(http)",
    re.IGNORECASE,
)
_HEADING_LINE = re.compile(r"#{1,6} \S")
# What is told of an issue, in a tracker: its title may be any exception.
_ISSUE_LINE = re.compile(
    r"[-*\s]{0,4}(?:first seen|last seen|occurrences|events|assignee|assigned to|priority|reporter"
    r"|opened by|created(?: at| by)?|updated(?: at)?|author|labels|project|culprit|platform"
    r"|users(?: impacted)?)\**\s*:",
    re.IGNORECASE,
)
# A list that is numbered, of whatever.
_FIRST_ITEM = re.compile(r"\s*1[.)] \S")
_SECOND_ITEM = re.compile(r"\n[ \t]*2[.)] \S")
_SOURCE_LINE = re.compile(r"\s{0,8}\d{1,6}(?:→|\t|: |\| )")
# How many lines of each kind make a text a document of that kind.
_DOCUMENT_LINES = (
    (_LISTING_LINE, 2),
    (_HEADING_LINE, 3),
    (_SOURCE_LINE, 3),
    (_ISSUE_LINE, 2),
)


def opening_of(text: str) -> str:
    """The first words of a text, without what merely decorates them."""
    head = text[:HEAD]
    if "\x1b" in head:
        head = _ANSI.sub("", head)
    lead = _LEAD.match(head)
    head = head[lead.end() :] if lead else head
    if head[:1] in _BRACKETS and _IN_BRACKETS.match(head):
        head = head.strip()[1:-1]
    head = head.replace("*", "").replace("`", "").replace("’", "'")
    label = _LABEL.match(head)
    return head[label.end() :] if label else head


def bears_failure_mark(text: str) -> bool:
    """Whether a text opens with a cross and shows no tick: not a checklist, a refusal."""
    first = text.lstrip()[:1]
    return first in _FAILURE_MARKS and not _SUCCESS_MARK.search(text) and text.count(first) == 1


def reads_like_content(text: str) -> bool:
    """Whether a text is a log, a listing, a document or a source file, not a message."""
    if _FIRST_ITEM.match(text) and _SECOND_ITEM.search(text, 0, _LOOKED_AT):
        return True
    lines = [line for line in text[:_LOOKED_AT].split("\n")[:_LINES_LOOKED_AT] if line.strip()]
    if len(lines) < 3:
        return False
    logged = [line for line in lines if _LOG_LINE.match(line)]
    if len(logged) >= 0.6 * len(lines) and any(_CALM_LINE.match(line) for line in logged):
        return True
    return any(
        sum(1 for line in lines if pattern.match(line)) >= enough
        for pattern, enough in _DOCUMENT_LINES
    )
