"""Whether the value of a field that may hold a secret is one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.redaction.rules import entropy, is_placeholder

if TYPE_CHECKING:
    from assay.redaction.rules import Strength

_LONGEST_CHECKED = 300
_SHORTEST_WORD = 4
_SHORTEST_RANDOM = 8
_SHORTEST_CODE, _LONGEST_CODE = 3, 10
_LEAST_ENTROPY = 2.5
# Numbers, dates, versions, code, paths, addresses, files, names of variables and types.
_THING = re.compile(
    r"""(?x) [\d.,:tTzZ+/-]+ | \d{4}-\d\d-\d\d.* | v?\d+(?:\.\w+)+ | 0x[0-9a-fA-F]{40}
    | [~.]{0,2}/.* | [A-Za-z]:\\.*
    | https?://.* | [\w.-]+@[\w.-]+\.\w+ | (?:Ctrl|Alt|Shift|Cmd)\+.* | .*\*.*
    | [\w./-]+\.(?:json|ya?ml|txt|py|js|ts|env|pem|csv|md|html?|com|org|net|io|dev|key|crt|pdf|png
    |zip)
    | [A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+ | [\w.:]+\(.* | [A-Z][a-z]+(?:[A-Z][a-z]+)+
    | .*[\[\]{}<>|].* | \$.* | %\w*%? | :\w+""",
    re.DOTALL,
)
_PARTS = r"(?:[A-Za-z]+\d{0,2}|\d{1,4})(?:-(?:[A-Za-z]+\d{0,2}|\d{1,4}))+"
_NAME_OF_A_THING = re.compile(
    rf"{_PARTS}|[a-z]{{2,}}(?:[-_/.](?:[a-z]{{2,}}|[a-z]{{0,3}}\d{{1,2}}[a-z]?))+|[A-Z]{{2,10}}-\d{{1,6}}"
)
_STATES = (
    "string|str|text|bytes|int|integer|number|bool|boolean|object|any|uuid|varchar|none|null|nil|undefined"
    "|true|false|yes|no|on|off|required|optional|hidden|masked|empty|missing|invalid|valid|incorrect|wrong"
    "|expired|revoked|unknown|unset|set|enabled|disabled|present|absent|configured|provided|granted|accepted"
    "|rejected|denied|found|unused|used|needed|handled|pending|done|reset|changed|updated|sent|success|failed"
    "|error|ok|bearer|basic|digest|header|query|cookie|env|environment|default|test|testing|dummy|fake|demo"
    "|sample|anything|await|new|this|async|keys?|tokens?|secrets?|passwords?|passwd|pass|pwd|auth"
    "|authorization|authentication|credentials?|jwt|hash|hashed|value|name|id|type|field|param|n/a|mismatch"
    "|please|see|must|needs?|is|are|the"
)
# What stands in the place of a secret: its state, its type, a row of marks, the name of another.
_STAND_IN = re.compile(
    rf"(?i:{_STATES})|[*•.x_#?-]+|…"
    r"|(?i:my|the|an?|some|your|new|old)[ _-].*(?i:pass|secret|token|key|word).*"
)
_NAMED_STAND_IN = re.compile(
    rf"(?i:(?:[\w.-]*[_.-])?(?:{_STATES})(?:[_.-].*)?)|[A-Z]\w*_(?:KEY|TOKEN|SECRET|PASSWORD)"
    r"|\w*[a-z](?:Key|Token|Secret|Password)"
)
_SENTENCE = re.compile(
    r"(?i)\b(?:is|are|was|were|must|should|cannot|can't|required|invalid|incorrect|wrong|too|short|long"
    r"|least|characters?|chars?|letters?|field|please|enter|provide|missing|match|blank|empty|you|for|of|to)\b"
)
_CASE_CHANGE = re.compile(r"[a-z](?=[A-Z])|[A-Z](?=[a-z])")
_AFTER_SCHEME = re.compile(
    r"(?i:bearer|basic|token|digest|negotiate|api-?key|key|jwt)\s+(\S{6,8000})\s*\Z"
)
_COOKIE_VALUE = re.compile(r"=([^\s;=]{8,4000})")


def is_secret(text: str, strength: Strength, *, quoted: bool = False) -> bool:
    """Whether a text under a name of this strength is a secret; a bare word may be a variable."""
    head = text.strip()[:_LONGEST_CHECKED]
    if not any(letter.isalnum() for letter in head) or is_placeholder(head):
        return False
    match strength:
        case "any":
            return not _STAND_IN.fullmatch(head) and _is_password(head, quoted=quoted)
        case "word":
            return not _STAND_IN.fullmatch(head) and _is_key(head)
        case "code":
            return head.isdigit() and _SHORTEST_CODE <= len(head) <= _LONGEST_CODE
        case _:
            return is_random(head)


def _is_password(text: str, *, quoted: bool) -> bool:
    if " " in text:
        return not _SENTENCE.search(text) and not _THING.fullmatch(text)
    word = text.lstrip("[]{}()<>|`")
    if word.isdigit():
        return len(word) >= _SHORTEST_WORD
    return not _THING.fullmatch(word) and (quoted or not _NAMED_STAND_IN.fullmatch(word))


def _is_key(word: str) -> bool:
    return (
        len(word) >= _SHORTEST_WORD
        and " " not in word
        and not _NAMED_STAND_IN.fullmatch(word)
        and not _NAME_OF_A_THING.fullmatch(word)
        and (not _THING.fullmatch(word) or "hook" in word)
    )


def is_random(text: str) -> bool:
    """Whether a word looks drawn at random: letters and digits mixed, or capitals anywhere."""
    if len(text) < _SHORTEST_RANDOM or _NAME_OF_A_THING.fullmatch(text) or _THING.fullmatch(text):
        return False
    mixed = any(c.isdigit() for c in text) and any(c.isalpha() for c in text)
    changes = len(text) >= 2 * _SHORTEST_RANDOM and len(_CASE_CHANGE.findall(text)) > len(text) / 4
    return (mixed or changes) and entropy(text) >= _LEAST_ENTROPY


def secrets_of_header(text: str) -> list[str]:
    """The secrets in the value of a header: what follows the scheme, or the values of a cookie."""
    text = text.strip().rstrip("。，；、")
    pairs = [value for value in _COOKIE_VALUE.findall(text) if is_random(value)]
    if pairs:
        return pairs
    scheme = _AFTER_SCHEME.match(text)
    if scheme is not None:
        return [scheme[1]] if is_secret(scheme[1], "word") else []
    return [text] if " " not in text and not is_placeholder(text) and is_random(text) else []
