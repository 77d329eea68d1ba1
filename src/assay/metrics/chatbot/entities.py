"""What a text is about: the names it introduces, and those that are known."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.metrics.chatbot.quantities import leaves_of
from assay.metrics.chatbot.text import Terms, Text, read_text

if TYPE_CHECKING:
    from assay.metrics.chatbot.domain import Domain
    from assay.metrics.chatbot.turn import Turn

_NAME = re.compile(r"[^\W\d_][\w'-]{1,30}(?: [^\W\d_][\w'-]{1,30}){0,2}")
MAX_NAMES = 200


def entities_in(text: Text, domain: Domain) -> list[str]:
    """The entities of a text in lower case: known ones, and capitalised names after in, at, for."""
    found = dict.fromkeys(domain.known_entities.found(text))
    before = domain.terms("before_entity").pattern.pattern
    for match in re.finditer(before, text.cased, re.IGNORECASE):
        name = _NAME.match(text.cased, match.end() + 1)
        capitalised = _capitalised(name[0] if name else "")
        if capitalised and not _is_ordinary(capitalised, domain) and len(found) < MAX_NAMES:
            found[capitalised] = None
    return list(found)


def _capitalised(name: str) -> str:
    """The leading words that begin with a capital, in lower case."""
    words: list[str] = []
    for word in name.split(" "):
        if not word[:1].isupper():
            break
        words.append(word.lower().removesuffix("'s"))
    return " ".join(words)


def _is_ordinary(name: str, domain: Domain) -> bool:
    return name.split(" ", maxsplit=1)[0] in domain.terms("no_entity").terms


def speaks_of_entity(text: Text, domain: Domain) -> bool:
    """Whether the text names any entity, were it in lower case: "weather in bergen"."""
    if entities_in(text, domain):
        return True
    for match in domain.terms("before_entity").pattern.finditer(text.normal):
        name = _NAME.match(text.normal, match.end() + 1)
        if name and not _is_ordinary(name[0], domain):
            return True
    return False


def session_entities(turn: Turn, domain: Domain) -> list[str]:
    """The entities that the user named in this session before this question."""
    named = (name for past in turn.history for name in entities_in(past.user, domain))
    return list(dict.fromkeys(named))


def profile_entities(turn: Turn, domain: Domain) -> list[str]:
    """The entities that the user's profile names, such as a home town."""
    fields = domain.entity_fields
    return [
        leaf.value.lower()
        for leaf in leaves_of(turn.preferences)
        if isinstance(leaf.value, str) and leaf.value and fields.in_(read_text(leaf.field))
    ]


def mentioned(names: list[str], text: Text) -> list[str]:
    """Those of the names that stand in the text."""
    return Terms(names).found(text)
