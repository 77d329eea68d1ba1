"""Which kind of failure an error message tells of."""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import islice
from typing import TYPE_CHECKING

from assay.evidence.chinese_kinds import CHINESE_WORDINGS
from assay.evidence.common_wordings import COMMON_WORDINGS
from assay.evidence.failure_kinds import VAGUE_KINDS
from assay.evidence.foreign_kinds import FOREIGN_KINDS
from assay.evidence.kind_wordings import WORDINGS
from assay.evidence.linear_search import asks_more, in_letters, may_have, occurrence_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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

_Wordings = tuple[tuple["Kind", str], ...]


class _Memory(dict[str, "Kind"]):
    """Kinds by the text that tells them; begun anew when there are many."""

    def keep(self, found: dict[str, Kind]) -> None:
        """Remember some more."""
        if len(self) + len(found) > _MOST_REMEMBERED:
            self.clear()
        self.update(islice(found.items(), _MOST_REMEMBERED))


_KIND_OF, _KIND_TOLD = _Memory(), _Memory()


class _Wording:
    """A wording, and quick looks at some texts whether they have it."""

    def __init__(self, wording: str) -> None:
        self._wording = wording
        self._asks_more = asks_more(wording)

    def found_in(self, plain: dict[str, str], others: list[str]) -> list[str]:
        """Those that have it: of ASCII texts with what they are in lower case, and of others."""
        having = [text for text, lowered in plain.items() if self._may_have(lowered)]
        if self._asks_more:
            having = [text for text in having if self._exact.search(text)]
        return having + [text for text in others if self._occurs_in(text)]

    @cached_property
    def _may_have(self) -> Callable[[str], bool]:
        return may_have(self._wording)

    @cached_property
    def _exact(self) -> re.Pattern[str]:
        return re.compile(self._wording, re.IGNORECASE)

    @cached_property
    def _occurs_in(self) -> Callable[[str], object]:
        # For the other engine only letters of ASCII are parts of words, which hardly matters here.
        return self._exact.search if self._asks_more else occurrence_of(f"(?i)(?:{self._wording})")


@cache
def _compiled(wordings: _Wordings) -> tuple[tuple[Kind, _Wording], ...]:
    return tuple((kind, _Wording(wording)) for kind, wording in wordings)


def kind_of_message(message: str) -> Kind:
    """The kind of failure that the words of an error message tell of."""
    # A server says the same again and again, and to find out what takes a while.
    return _KIND_OF.get(message) or kinds_of_messages([message])[message]


def kinds_of_messages(messages: Iterable[str]) -> dict[str, Kind]:
    """The kinds that some messages tell of, found together.

    A wording is looked for in all of them before the next one is. What a search goes by is large,
    and fetching it for one short message takes the processor twenty times as long as using it.
    """
    kinds = {message: _KIND_OF.get(message) for message in messages}
    fresh = [message for message, kind in kinds.items() if kind is None]
    found = _read_kinds(fresh)
    _KIND_OF.keep({message: kind for message, kind in found.items() if _is_short(message)})
    return {message: kind or found[message] for message, kind in kinds.items()}


def _read_kinds(messages: list[str]) -> dict[str, Kind]:
    kinds: dict[str, Kind] = dict.fromkeys(messages, "unclassified")
    readings = {message: _readings(_telling_part(in_letters(message))) for message in messages}
    while readings:
        told = {message: text for message, rest in readings.items() for text in islice(rest, 1)}
        spoken = _kinds_told(told.values())
        vague = [message for message, text in told.items() if spoken[text] in VAGUE_KINDS]
        readings = {message: readings[message] for message in vague}
        for message, text in told.items():
            if message not in readings or kinds[message] == "unclassified":
                kinds[message] = spoken[text]
    return kinds


def _is_short(message: str) -> bool:
    return len(message) <= _LONGEST_REMEMBERED


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
    if " " not in told:
        words = words.replace("-", " ")
    if words != told:
        yield words


def _kinds_told(texts: Iterable[str]) -> dict[str, Kind]:
    told = {text: _KIND_TOLD.get(text) for text in texts}
    fresh = [text for text, kind in told.items() if kind is None]
    found = _first_told(fresh, WORDINGS)
    found |= _first_told(
        [text for text in fresh if not text.isascii() and text not in found], CHINESE_WORDINGS
    )
    found |= _first_told([text for text in fresh if text not in found], COMMON_WORDINGS)
    vague = [text for text in fresh if found.get(text, "unclassified") in VAGUE_KINDS]
    found |= _first_told(vague, FOREIGN_KINDS)
    _KIND_TOLD.keep({text: found.get(text, "unclassified") for text in fresh if _is_short(text)})
    return {text: kind or found.get(text, "unclassified") for text, kind in told.items()}


def _first_told(texts: list[str], wordings: _Wordings) -> dict[str, Kind]:
    """The kind of the first wording that each text has, of those that have one."""
    plain = {text: text.lower() for text in texts if text.isascii()}
    others = [text for text in texts if text not in plain]
    found: dict[str, Kind] = {}
    for kind, wording in _compiled(wordings):
        if not plain and not others:
            break
        for text in wording.found_in(plain, others):
            found[text] = kind
            plain.pop(text, None)
        others = [text for text in others if text not in found]
    return found


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
