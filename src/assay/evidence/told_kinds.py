"""Which kind of failure an error message tells of."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from assay.evidence.chinese_kinds import CHINESE_WORDINGS
from assay.evidence.common_wordings import COMMON_WORDINGS
from assay.evidence.failure_kinds import VAGUE_KINDS
from assay.evidence.foreign_kinds import FOREIGN_KINDS
from assay.evidence.kind_wordings import WORDINGS
from assay.evidence.linear_search import occurrence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.evidence.failure_kinds import Kind

# Messages are short: these fill a few megabytes, and fifty where all are as long as may be.
_LONGEST_REMEMBERED = 1_000
_MOST_REMEMBERED = 8_192

# Where a long message says what happened: at its beginning and at its end.
_HEAD, _TAIL = 500, 300
# What follows quotes the statement that failed, not the failure.
_QUOTED_STATEMENT = re.compile(r"\n[ \t]{0,20}(?:LINE \d+:|CONTEXT:|QUERY:)")

# What a message names or quotes says nothing: an address, a path, the value that was refused.
_ADDRESS = re.compile(r"\bhttps?://[^\s\"'<>)\]]+")
_REFUSED_VALUE = re.compile(r"input_value=[^\n]{0,400}?, input_type=\w+")
_NAME = re.compile(
    r"(?<![:=] )(?<=[\s(])([\"'`])"
    r"(?![^\"'`\s]{0,60}(?:key|token|secret|password|auth|credential))"
    r"(?!(?:str|int|float|bool|dict|list|string|integer|number|boolean|array|object|undefined)\1)"
    r"(?:[a-z/.~]|[A-Z]:\\)[^\"'`\s]{0,80}\1(?=[\s.,;)]|$)"
)

# What follows guesses at causes, or tells what to try: it counts where nothing else says more.
_ADVICE = re.compile(
    r"[.!\n;] ?\W{0,6}(?:suggestions?|possible (?:causes?|reasons?|solutions?)|troubleshoot|hints?"
    r"|tips?\b|please (?:check|verify|ensure|make sure|try|contact)|make sure|try again"
    r"|if (?:you|this|the problem) |check (?:that|your|the|if)|contact )",
    re.IGNORECASE,
)
# What a message opens with that only says that there is one, and who tells it.
_PREFIX = re.compile(
    r"\A\W{0,8}(?:(?:fatal |tool )?(?:error|err|bad request|invalid request)(?: (?:executing"
    r"|calling|invoking|running|in|while|during|from|code|message)\b[^:\n]{0,60})?: {1,2}){1,3}"
    r"(?=\S)",
    re.IGNORECASE,
)
_TAG = re.compile(r"</?[a-z]\w{0,30}>")

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LOOK_AROUND = re.compile(r"\(\?<?[=!][^()]*\)")

_Wordings = tuple[tuple["Kind", str], ...]
_TABLES: tuple[_Wordings, ...] = (WORDINGS, CHINESE_WORDINGS, COMMON_WORDINGS)


@cache
def _searches(wordings: _Wordings) -> tuple[tuple[Kind, Callable[[str], object]], ...]:
    return tuple((kind, _search(wording)) for kind, wording in wordings)


def _search(wording: str) -> Callable[[str], object]:
    may_occur_in = occurrence_of(f"(?i)(?:{_LOOK_AROUND.sub('', wording)})")
    if _LOOK_AROUND.search(wording) is None:
        return may_occur_in
    exact = re.compile(wording, re.IGNORECASE).search
    # The two engines agree on the letters of ASCII only.
    return lambda text: (not text.isascii() or may_occur_in(text)) and exact(text)


def kind_of_message(message: str) -> Kind:
    """The kind of failure that the words of an error message tell of."""
    # A server says the same again and again, and to find out what takes a while.
    short = len(message) <= _LONGEST_REMEMBERED
    return _remembered_kind(message) if short else _kind_of(message)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _remembered_kind(message: str) -> Kind:
    return _kind_of(message)


def _kind_of(message: str) -> Kind:
    # Half a letter, as Python's texts may have it, is none to the other engine.
    message = message if message.isascii() else message.encode(errors="replace").decode()
    kind: Kind = "unclassified"
    for told in _readings(_telling_part(message)):
        spoken = _kind_told(told)
        if spoken not in VAGUE_KINDS:
            return spoken
        kind = spoken if kind == "unclassified" else kind
    return kind


def _readings(told: str) -> Iterator[str]:
    """What is said, first without all around it, then in full, then with its symbols spelt out."""
    bare = _PREFIX.sub("", told)
    advice = _ADVICE.search(bare)
    if advice is not None and advice.start():
        yield bare[: advice.start()]
    yield bare
    if bare != told:
        yield told
    words = _CAMEL.sub(" ", told).replace("_", " ")  # a symbol, such as channel_not_found
    if words != told:
        yield words


@lru_cache(maxsize=_MOST_REMEMBERED)
def _kind_told(told: str) -> Kind:
    tables = (WORDINGS, COMMON_WORDINGS) if told.isascii() else _TABLES
    found = (_first_told(told, table) for table in tables)
    kind: Kind = next((kind for kind in found if kind is not None), "unclassified")
    return (_first_told(told, FOREIGN_KINDS) or kind) if kind in VAGUE_KINDS else kind


def _first_told(told: str, wordings: _Wordings) -> Kind | None:
    return next((kind for kind, occurs_in in _searches(wordings) if occurs_in(told)), None)


def _telling_part(message: str) -> str:
    statement = _QUOTED_STATEMENT.search(message, 0, 4_000)
    if statement is not None:
        message = message[: statement.start()]
    if message.startswith("Traceback (most recent call last)"):
        return _without_names(message.rstrip()[-_TAIL:].rpartition("\n")[2])
    if len(message) > _HEAD + _TAIL:
        message = f"{message[:_HEAD]}\n{message[-_TAIL:]}"
    return _without_names(message)


def _without_names(message: str) -> str:
    """The message without what it merely names: addresses, paths, refused values."""
    message = _TAG.sub("", message)
    message = _REFUSED_VALUE.sub("", _ADDRESS.sub("URL", message.replace("’", "'")))
    return _NAME.sub(r"\1x\1", message)
