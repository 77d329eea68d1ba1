"""Failures that a text tells late: in its last line, or after some good news.

Most texts tell how it went where they open. Some tell first what was done, and then what was not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.evidence.error_grammar import failing_opening, is_nought_or_measure
from assay.evidence.text_shape import reads_like_content
from assay.evidence.wanted_answers import SENTENCES, WORKS

if TYPE_CHECKING:
    from assay.evidence.tool_kinds import ToolKind

_DOING = frozenset({"acting", "other"})
_WORKING = _DOING | {"command"}
_LONGEST = 1_000
_LONGEST_TOLD_TWICE = 600
_ENDING = 20_000

_LAST_EXCEPTION = re.compile(
    r"\n(?:[A-Za-z_][\w.]{0,80}(?:Error|Exception|Interrupt|Exit))(?:: [^\n]{0,500})?\s*\Z"
)
# The heading of what a command printed, where it printed nothing but complaints.
_COMPLAINTS = re.compile(r"\s*\W{0,3}std ?err(?:or)?\W{0,3}\n", re.IGNORECASE)
# How a program tells, after what it did, that it ended badly; in lower case, unlike a log. Advice
# may stand below.
_LAST_ERROR = re.compile(
    r"\n(?:(?:fatal|error): (?P<told>\S[^\n]{0,300})(?:\n(?:hint|help|note|tip):[^\n]{0,300}){0,12}"
    r"|(?:\[\w{4,7}\] )?BUILD FAIL(?:URE|ED)[^\n]{0,80})\s*\Z"
)
# How what builds by rules gives up: "make[1]: *** [all] Error 2", "ninja: build stopped: ...".
_LAST_RULE = re.compile(
    r"\n[a-z][\w.+-]{0,40}(?:\[\d{1,3}\])?: (?:\*{3} (?:\[[^\n]{1,300}\] [^\n]{1,80}"
    r"|[^\n]{1,300} Stop\.)|build stopped: [^\n]{1,200}|Target [^\n]{1,200} not remade because"
    r" of errors\.)(?<!\(ignored\))\s*\Z"
)
_GIVING_UP = (": *** ", ": build stopped: ", " not remade because of ")
# Work that failed, and what its caller is to do about it: no row of a report goes on like that.
_LAST_WORK = re.compile(r"\n((?=[A-Z])[^\n:;]{2,80} failed; [a-z][^\n]{2,200})\s*\Z")
# The same of who was to act, and brings no log.
_LAST_ERROR_OF_A_DEED = re.compile(
    r"\n(?:Error|ERROR|Fatal|FATAL): (?!none\b|no\b|0)(?P<told>\S[^\n]{0,300})\s*\Z"
)
# A deed that is told first, in a short sentence without a count, and what went wrong then. A
# number may be part of a name: "printer HP-2".
_SAID = r"(?:[^\n.!?:;,\d]|(?<=[\w-])\d)"
_GOOD_NEWS = re.compile(
    rf"(?=(?-i:[A-Z])){_SAID}{{0,60}}?(?:ed|ing|ready|done|ok|found|built|sent|set|successful"
    rf"|successfully){_SAID}{{0,40}}"
    r"(?:[.!…]{1,3}\s+(?:(?P<contrast>however|but|unfortunately)?,? |then,? )?"
    r"|,? (?P<but>but) (?=failed|could|was unable|unable|cannot|couldn't|none|nothing"
    r"|(?:it|the \w+) (?:was|were|could|failed|cannot|did)\b))",
    re.IGNORECASE,
)
# What was done was not enough.
_UNDONE = re.compile(
    r"(?:it|this|that|they|none|nothing)\b[^\n.;:]{0,40}?\b(?:could not|couldn't|cannot|can't"
    r"|(?:was|were|has|have|will) not|wasn't|weren't) (?:be(?:en)? )?\w+"
    r"|(?:none|nothing)\b[^\n.;:]{0,30}?\b(?:could|was|were|has been|have been) \w+"
    r"|(?:it|the \w+) (?:was|were|has been) (?:cancell?ed|aborted|rejected|declined|refused|denied"
    r"|interrupted|blocked|lost)\b",
    re.IGNORECASE,
)
# Where one stands, in a line of its own above what is said: "[test] pier: 4 · boat: none".
_WHERE = re.compile(
    r"\[(?!info|debug|warn|error|trace|note)[^\W\d_][\w -]{0,30}\]"
    r"(?: [\w ]{1,30}: [^\n:·|,]{1,40}(?: ?[·|,]|(?=\n))){1,6}\n(?=[^\s\[])",
    re.IGNORECASE,
)
# A heading that says so, with nothing but the words of the failure below it.
_ERROR_HEADING = re.compile(
    r"\n#{1,6} (?!(?:the|an?|on|fixed|known|common|past|last) )"
    r"(?:[\w ]{1,30} )?(?:error|failure|failed)\W{0,3}\n+(?=[^\s#])",
    re.IGNORECASE,
)


def ends_in_exception(text: str) -> bool:
    """Whether what a command printed ends in what was thrown."""
    ending = text[-_ENDING:]
    thrown = "Traceback (most recent call last)" in ending or _COMPLAINTS.match(text) is not None
    return thrown and _LAST_EXCEPTION.search(ending) is not None


def ends_in_error(text: str, tool: ToolKind) -> bool:
    """Whether the last line of a text is a program's word that it ended badly.

    Of a long text, only a command's end is its own.
    """
    if "\n" not in text or (len(text) > _LONGEST and tool != "command"):
        return False
    ending = text[-_LONGEST:]
    found = None
    if "error: " in ending or "fatal: " in ending or "BUILD FAIL" in ending:
        found = _telling(_LAST_ERROR.search(ending))
    if found is None and tool in _WORKING:
        found = _last_work(ending)
    if found is None and tool == "acting" and ":\n" not in text:  # nothing was written down
        found = _telling(_LAST_ERROR_OF_A_DEED.search(text))
    return found is not None and not reads_like_content(text)


def _telling(line: re.Match[str] | None) -> re.Match[str] | None:
    """A last line that tells of an error, unless that is a measurement: "error: 0.023"."""
    told = None if line is None else line["told"]
    return None if told and is_nought_or_measure(told) else line


def _last_work(ending: str) -> re.Match[str] | None:
    """The last line of a work that failed, or that what builds by rules gave up."""
    found = _last_failed_work(ending) if " failed; " in ending else None
    if found is None and any(sign in ending for sign in _GIVING_UP):
        found = _LAST_RULE.search(ending)
    return found


def _last_failed_work(ending: str) -> re.Match[str] | None:
    line = _LAST_WORK.search(ending)
    rule = None if line is None else failing_opening(line[1])
    return line if rule is not None and rule.rule in WORKS else None


def fails_after_good_news(opening: str, tool: ToolKind) -> bool:
    """Whether a short text tells a deed first, and then what failed and why."""
    if len(opening) > _LONGEST_TOLD_TWICE:
        return False
    if ". " not in opening and "! " not in opening and " but " not in opening:
        return False  # one by one, since most texts end here
    news = _GOOD_NEWS.match(opening)
    if news is None:
        return False
    told = opening[news.end() :]
    contrast = news["contrast"] is not None or news["but"] is not None
    if contrast and tool in _DOING and _UNDONE.match(told):
        return True
    found = failing_opening(told, tool=tool)
    if found is None:
        return False
    return news["but"] is not None or (found.rule not in SENTENCES and ":" in told)


def fails_below_its_place(text: str, tool: ToolKind) -> bool:
    """Whether a short text tells where it stands, and below that line what went wrong."""
    found = _WHERE.match(text) if len(text) <= _LONGEST_TOLD_TWICE else None
    rule = None if found is None else failing_opening(text[found.end() :], tool=tool)
    return rule is not None and rule.rule not in SENTENCES


def fails_under_heading(text: str, tool: ToolKind) -> bool:
    """Whether a short text with headings ends under one that tells of an error, and says which."""
    if len(text) > _LONGEST_TOLD_TWICE:
        return False
    found = _ERROR_HEADING.search(text)
    if found is None or "\n#" in text[found.end() :]:
        return False
    return failing_opening(text[found.end() :], tool=tool) is not None
