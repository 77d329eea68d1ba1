"""What a user said to like and dislike: a statement counts, a question or a wish of others not.

Rules are words in tables, English and Chinese. A clause speaks of a like or a dislike, a negation
turns it round, and what it speaks of is a topic with a flag.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_SAID = 2_000


class Learned(Struct, frozen=True):
    """One thing learned of the user: the flag, its value, and the words it was learned from."""

    flag: str
    value: bool
    said: str


class _Flag(Struct, frozen=True):
    name: str
    when_liked: bool


# What each topic says of the user when it is liked; a dislike says the opposite.
TOPICS: dict[str, tuple[_Flag, re.Pattern[str]]] = {
    topic: (_Flag(flag, when_liked), re.compile(words, re.IGNORECASE))
    for topic, flag, when_liked, words in (
        ("cold", "dislikes_cold", False, r"\b(?:cold|freezing|chilly|frost)\b|冷|寒"),
        ("heat", "dislikes_heat", False, r"\b(?:hot|heat|scorching)\b|热|炎热"),
        ("rain", "dislikes_rain", False, r"\b(?:rain|rains|rainy|raining|drizzle|wet)\b|雨"),
        ("indoor", "prefers_indoor", True, r"\bindoors?\b|\binside\b|室内"),
        (
            "outdoor",
            "outdoor_activities",
            True,
            r"\boutdoors?\b|\boutside\b|\bhik(?:e|ing)\b|户外|室外",
        ),
    )
}
FLAGS = tuple(flag.name for flag, _ in TOPICS.values())

_SENTENCE = re.compile(r"[^.!?;。！？；\n]{1,500}[.!?;。！？；]?")
_CLAUSE = re.compile(r",|，|、|\bbut\b|\band\b|\bthough\b|但是|但|不过|而且", re.IGNORECASE)
# What follows these is a circumstance, not what is liked.
_CIRCUMSTANCE = re.compile(
    r"\b(?:when|if|because|since|while|unless|over|rather than|instead of)\b|因为|如果|的时候",
    re.IGNORECASE,
)
_QUESTION = re.compile(
    r"[?？]\s*$|^\s*(?:what|which|who|where|when|why|how|is|are|was|will|would|do|does|did|can|"
    r"could|should|shall|may)\b|吗\s*$|呢\s*$",
    re.IGNORECASE,
)
_NOT_NOW = re.compile(
    r"\b(?:used to|if i|would (?:like|love|prefer)|suppose)\b|以前|如果我", re.IGNORECASE
)
_SPEAKER = re.compile(r"\b(?:i|we|me|us)\b|我", re.IGNORECASE)
_OTHERS = re.compile(
    r"\b(?:he|she|they|you|my|our|his|her|their|people|everyone|nobody)\b|他|她|你|大家|别人",
    re.IGNORECASE,
)
_DISLIKE = re.compile(
    r"\b(?:hat(?:e|ing)|dislik(?:e|ing)|detest|can ?not stand|avoid|mind|tired of)\b"
    r"|讨厌|受不了|怕|厌恶",
    re.IGNORECASE,
)
_LIKE = re.compile(
    r"\b(?:lik(?:e|ing)|lov(?:e|ing)|enjoy(?:ing)?|prefer|adore|fond of|fan of)\b"
    r"|喜欢|爱|偏好|喜爱",
    re.IGNORECASE,
)
_NEGATION = re.compile(r"\b(?:not|never|no longer|hardly)\b|不|没", re.IGNORECASE)
_CONTRACTION = re.compile(r"(?<=[a-z])n['’]t\b", re.IGNORECASE)
_CANNOT = re.compile(r"\bcan(?:['’]t|not)\b", re.IGNORECASE)


def learn(said: str) -> list[Learned]:
    """What a user's words tell of them; of contradictions the last word stands."""
    found: dict[str, Learned] = {}
    for sentence in _SENTENCE.findall(said[:_LONGEST_SAID]):
        for learned in _from_sentence(sentence.strip()):
            found[learned.flag] = learned
    return list(found.values())


def _from_sentence(sentence: str) -> Iterator[Learned]:
    spoken = _CONTRACTION.sub(" not", _CANNOT.sub("can not", sentence))
    if _QUESTION.search(spoken) or _NOT_NOW.search(spoken):
        return
    liked: bool | None = None
    for clause in _CLAUSE.split(spoken):
        stated = _attitude(clause)
        if stated is not None:
            liked = stated if _is_of_speaker(clause, had_speaker=liked is not None) else None
        if liked is None:
            continue
        spoken_of = _CIRCUMSTANCE.split(clause, maxsplit=1)[0]
        for flag, words in TOPICS.values():
            if words.search(spoken_of):
                yield Learned(flag.name, flag.when_liked is liked, sentence)


def _attitude(clause: str) -> bool | None:
    """Whether the clause likes or dislikes; None when it does neither."""
    for pattern, liked in ((_DISLIKE, False), (_LIKE, True)):
        match = pattern.search(clause)
        if match:
            # "can not stand" is one word for it; a negation stands before.
            return liked is not bool(_NEGATION.search(clause[: match.start()]))
    return None


def _is_of_speaker(clause: str, *, had_speaker: bool) -> bool:
    """Whether the speaker speaks of themselves; "and love rain" goes on with the subject."""
    attitude = _DISLIKE.search(clause) or _LIKE.search(clause)
    subject = clause[: attitude.start()] if attitude else ""
    if _OTHERS.search(subject):
        return False
    return had_speaker or _SPEAKER.search(subject) is not None
