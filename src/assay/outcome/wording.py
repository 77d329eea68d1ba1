"""Whether a text opens as an error message does.

Errors are reported at the start: an error noun with punctuation behind it, a failing verb, a
subject that failed, or a denial in the first sentence of a short text. What stands further down
is content. A text without any sign of failure in its first sentence costs a few substring tests.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.outcome.grammar import (
    DECLINING,
    DENYING,
    NOTHING,
    NOUNS,
    SIGNS,
    STATES,
    holds,
    pattern,
    starts,
)
from assay.outcome.roles import BRINGS_CONTENT, Role

if TYPE_CHECKING:
    from collections.abc import Callable

_HEAD = 400
_LONG = 1_500
_SHORT = 600
_SHORTEST = 300
_MOST_LINES = 12
_SPEECH: frozenset[Role] = frozenset(("log", "ask", "check"))

# The marks and labels in front of a text.
_LEAD = re.compile(
    r"(?:\x1b\[[\d;]{0,9}m|[\s#*>_=~`\-–—•|│╷:!.✗✘❌⚠️🚫⛔\ufeff']"
    r"|\[(?:[a-z]\w{0,20}(?: \d{1,5})?|\d[\d:. T-]{4,30})\]\s"
    r"|</?(?:error|result|output|message|text|response|content|details?|reason|stderr|stdout|p|b"
    r"|h[1-6]|html|body|pre|code)>|(?:tool )?(?:result|output|response|observation):?\s*\n)+",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?](?=\s|\Z)|\n")
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?")
# What is quoted is somebody else's sentence.
_QUOTED = re.compile(r'"[^"\n]*(?:"|\Z)')
_FIELD = re.compile(r"\s*[-*]?\s*[\w -]{1,30}: ")
_ROW = re.compile(r"\s*(?:\d+\s*[:|→\t]|[{\[|])")
_NOT_SEEN = re.compile(r"https?://\S+|\s+(?=\s)")
_OPENS_DATA = frozenset(first + second for first in "{[" for second in "{[\"' \n\t0123456789}]")


class Found(NamedTuple):
    """The rule that found a failure, and the message."""

    rule: str
    message: str


def opening(text: str, role: Role, keys: Callable[[], list[str]] = list) -> Found | None:
    """The rule by which a text opens as an error; `keys` gives the exact keys of the arguments."""
    head = _head_of(text)
    if not head:
        return None
    rule = _by_form(text, role)
    if rule is None:
        rule = _Opening(text, head, role).rule(keys)
    if not rule:
        return None
    if rule == "tagged":
        tagged = pattern("tagged").match(text[:3_000])
        return Found(rule, tagged[1] if tagged else text[:_SHORT])
    return Found(rule, text[: 2 * _SHORT])


def _head_of(text: str) -> str:
    """The start of a text without the marks and labels in front of it."""
    head = text[: _HEAD + 200]
    lead = _LEAD.match(head)
    return head[lead.end() : lead.end() + _HEAD] if lead else head[:_HEAD]


def _by_form(text: str, role: Role) -> str | None:
    """The rule by which a text is an error by its form; empty if its form says that it is none."""
    start = text[:40].lstrip()[:2]
    if start[:1] == "<":
        return _by_markup(text, role)
    if start in _OPENS_DATA:
        return "cut_body" if starts("cut_body", text[:_HEAD]) else ""
    return None


def _by_markup(text: str, role: Role) -> str | None:
    if starts("error_tag", text):
        return "tagged"
    may_be = "rror" in text[:200] and role not in ("read", "page")
    return "tagged" if may_be and starts("tagged", text[:3_000]) else None


class _Opening:
    """The start of one text, and who brought it."""

    def __init__(self, text: str, head: str, role: Role) -> None:
        self.text = text
        self.head = head
        self.role = role
        end = _SENTENCE_END.search(head, 1, _SHORTEST)
        self.first = head[: end.start() if end else _SHORTEST]
        self.low = self.first.lower()

    def rule(self, keys: Callable[[], list[str]]) -> str:
        """The rule by which it reports a failure; empty if it reports none."""
        has_sign = any(sign in self.low for sign in SIGNS) or not self.low.isascii()
        asks = self._asks_to_retry()
        if not (has_sign or asks) or self._is_calm():
            return ""
        return (self._by_grammar(keys) if has_sign else "") or ("retry" if asks else "")

    def _is_calm(self) -> bool:
        story = self.role in ("page", "other") and len(self.text) > 200
        return starts("calm", self.head) or (story and starts("story", self.head))

    def _asks_to_retry(self) -> bool:
        """Whether a text asks the caller to repair the call and to make it again."""
        text = self.text
        parts = [text[-80:] if len(text) < _SHORT else ""]
        if self.role not in BRINGS_CONTENT:
            parts.append(text[:_SHORTEST])
        return self.role not in _SPEECH and any(
            any(sign in part for sign in ("again", "retry", "instead", "first"))
            and holds("retry", part)
            for part in parts
        )

    def _by_grammar(self, keys: Callable[[], list[str]]) -> str:
        words = set(_WORD.findall(self.low))
        may_decline = not DECLINING.isdisjoint(words) and len(self.text) < 3_000
        if may_decline and holds("declined", self.first):
            return "declined"
        if not NOTHING.isdisjoint(words) or self.low[:1] == "0":
            if starts("lack", self.first) and self.role != "search" and len(self.text) < _SHORT:
                return "lack"
            if starts("none_found", self.first):
                return self._of_nothing(keys)
        if self.role in BRINGS_CONTENT or self.role == "check":
            return self._in_content()
        if self._has_noun() and starts("error_noun", self.head):
            return "error_noun"
        is_listing = self.role == "command" and self._is_listing()
        return "" if is_listing else self._by_verb(words) or self._by_denial(words)

    def _has_noun(self) -> bool:
        return not self.low.isascii() or any(noun in self.low for noun in NOUNS)

    def _by_verb(self, words: set[str]) -> str:
        if starts("fail_verb", self.head):
            return "fail_verb"
        is_state = not STATES.isdisjoint(words)
        return "subject_failed" if is_state and starts("subject_failed", self.head) else ""

    def _of_nothing(self, keys: Callable[[], list[str]]) -> str:
        """What "no X found" means: an answer, unless X was asked for by the key that is named."""
        if len(self.text) >= _SHORT:
            return ""
        by_key = self.role not in ("search", "page", "command")
        return "exact_key" if by_key and any(key in self.first for key in keys()) else ""

    def _in_content(self) -> str:
        """The rule for a tool that brings content, which may speak of errors itself."""
        text, first = self.text, self.first
        lines = text.count("\n", 0, _LONG)
        is_headline = len(first) < 80 and self.head[len(first) : len(first) + 1] == "\n"
        if (len(text) > _LONG and not is_headline) or (self.role in _SPEECH and lines):
            return ""
        if self._has_noun() and starts("error_noun", self.head):
            if self.role == "check" and not holds("no_content", first):
                return ""
            return "error_noun" if lines < 3 or starts("label", self.head) else ""
        if self.role in _SPEECH:
            return ""
        rule = self._by_verb(set(_WORD.findall(self.low)))
        if rule or len(text) >= _SHORTEST or text[:1] == "#" or self._is_listing():
            return rule
        known = "denial" if self.role == "page" else "no_content"
        return "denial" if holds(known, first) else ""

    def _by_denial(self, words: set[str]) -> str:
        """The rule by which the first sentence of a short text denies what was asked."""
        text = self.text
        if DENYING.isdisjoint(words):
            return ""
        if len(text) >= _SHORT and (len(text) >= 3_000 or "\n" in text.strip()):
            return ""
        first = _QUOTED.sub('""', self.first) if '"' in self.first else self.first
        return "denial" if holds("denial", first) and not self._is_listing() else ""

    def _is_listing(self) -> bool:
        """Whether a text is rows or fields and no message."""
        lines = [line for line in self.text[:3_000].splitlines() if line.strip()]
        most = 2 if self.role == "command" else _MOST_LINES
        if len(lines) > most or _ROW.match(self.text):
            return True
        return sum(_FIELD.match(line) is not None for line in lines) >= 2


def is_failed_page(text: str) -> bool:
    """Whether a page is a notice of an error, a login wall or a bot check."""
    if holds("bad_heading", text[: _SHORT + 100]):
        return True
    visible = _NOT_SEEN.sub("", text[: 2 * _LONG])
    return len(visible) < _LONG and holds("bad_page", visible[: _SHORT + 100])


def is_unreadable(text: str) -> bool:
    """Whether a text opens as the record of an error and breaks off before it says which."""
    return text[:1] in ("{", "[") and len(text) < 200 and starts("cut_off", text)


def is_placeholder(text: str) -> bool:
    """Whether a short text ends in what stands where content was to be."""
    return len(text) < _SHORTEST and holds("placeholder", text)
