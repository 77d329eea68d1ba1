"""What is so, in other languages, where a tool that ends something has done its work.

"Der Ordner ist leer" hinders many, but not who was to empty it.
"""

from __future__ import annotations

import re

from assay.evidence.accents import accents_aside
from assay.evidence.tool_kinds import words_of

_EMPTYING = frozenset({"clear", "empty", "delete", "remove", "purge", "flush", "truncate", "reset"})
_LOCKING = frozenset({"lock", "block", "ban", "freeze", "suspend", "revoke", "disable"})
_ENDING = frozenset({"close", "end", "expire", "revoke", "logout", "cancel", "terminate"})
_SWITCHING_OFF = frozenset({"disable", "off", "stop", "deactivate", "shutdown", "mute"})
_UNDOING = _EMPTYING | _LOCKING | _ENDING | _SWITCHING_OFF | {"uninstall", "unsubscribe", "archive"}

# What the name of a tool has, and what is then said of the thing.
_DEEDS: tuple[tuple[frozenset[str], str], ...] = (
    (_EMPTYING, r"leer|vides?|vací[oa]s?|vazi[oa]s?|пуст[аоы]?|空です|비어 ?있습니다"),
    (_LOCKING, r"gesperrt|verrouillée?s?|bloquée?s?|bloquead[oa]s?|заблокирован[аоы]?"),
    (_ENDING, r"abgelaufen|geschlossen|expirée?s?|fermée?s?|caducad[oa]s?|expirad[oa]s?|ист[её]к"),
    (_SWITCHING_OFF, r"deaktiviert|désactivée?s?|desactivad[oa]s?|(?:от|вы)ключен[аоы]?"),
    (
        _UNDOING,
        (
            r"(?:nicht mehr (?!erreichbar|verfügbar|gültig|möglich|unterstützt)|больше не )\w+"
            r"|keine? (?:\w+ )?mehr"
        ),
    ),
)
_PATTERNS = tuple(
    (verbs, re.compile(rf"[^\n:;,]{{1,80}}?(?:{accents_aside(told)})[.!。]?\Z", re.IGNORECASE))
    for verbs, told in _DEEDS
)


def is_deed_abroad(tool: str, told: str) -> bool:
    """Whether a sentence of another language only says that what the tool was to end is ended."""
    words = words_of(tool)
    return any(words & verbs and pattern.match(told) for verbs, pattern in _PATTERNS)
