"""Wordings that leave no doubt: they name the kind, whatever else a message says.

Most of them tell whose words or values are meant. What a server answered with is the server's
making, and what was read from the arguments of a call is the model's, although a validator or a
parser complains of both in the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

_ANSWER = r"(?:response|reply|answer|response body|structured ?content)"
_ARGUMENTS = r"(?:arguments?|args|parameters?|params|tool (?:call|input)|request body)"
_NOT_JSON = (
    r"(?:json|expecting (?:value|property|\S{1,4} delimiter)|unexpected (?:end|token|char)"
    r"|unterminated string|invalid character|looking for)"
)

# The first wording found names the kind.
SURE_WORDINGS: tuple[tuple[Kind, str], ...] = (
    (
        "malformed_call",
        (
            rf"(?:pars(?:e|ing)|decod(?:e|ing)|load(?:ing)?|invalid json in|malformed) (?:the "
            rf"|your "
            rf"|tool |function |call |json ){{0,4}}{_ARGUMENTS}\b[^\n]{{0,80}}{_NOT_JSON}"
            rf"|{_ARGUMENTS} (?:is |are |was |were )?(?:not|invalid"
            rf"|malformed) (?:an? )?(?:valid )?json"
        ),
    ),
    (
        "data_processing_error",
        (
            rf"(?:invalid|malformed|unexpected|unparsable|truncated|incomplete|unrecogni[sz]ed|bad"
            rf"|empty|non-json) (?:[\w/.'-]+ ){{0,3}}{_ANSWER}\b"
            r"|invalid tools?/call result|output validation|output ?schema"
            rf"|{_ANSWER} (?:\w+ ){{0,3}}?(?:(?:is|was) (?:missing|empty|truncated"
            rf"|not (?:valid )?json"
            r"|malformed)|lacks|(?:had|has|contained|contains|with) no |(?:did"
            r"|does) not (?:contain"
            r"|include|match|have)|could not be (?:parsed|decoded|read)|missing)"
            r"|unexpected token '?<|<!doctype|line 1 column 1 \(char 0\)"
            r"|looking for beginning of|values to unpack|can't multiply sequence"
            r"|circular structure"
        ),
    ),
    (
        "null_reference",
        (
            r"is not a function\b|is not a constructor|\(reading '|\bnil map\b|dereference"
            r"|destructure property|reference not set|as it is (?:undefined|null)"
            r"|because [^\n]{1,60} is null\b|undefined is not an object"
        ),
    ),
    (
        "execution_error",
        (
            r"maximum (?:recursion|call stack)|(?:out of|insufficient) memory|OutOfMemory"
            r"|heap limit|stack overflow|\bdeadlock\b|poisoned|\bis a bug\b|hub bug"
        ),
    ),
    (
        "missing_required_field",
        (
            r"expected [\w |`'\"]{1,40}, (?:received|got) [`'\"]?(?:undefined|null|none|nothing"
            r"|nan)\b"
            r"|must have required propert"
        ),
    ),
    (
        "wrong_type",
        (
            r"expected [`'\"]?\w{1,30}[`'\"]?, (?:received|got|found) [`'\"]?(?:str|int|float|bool"
            r"|dict|list|obj|arr|num|undef|tuple|map|seq)|must be (?:an? )?(?:integer|string"
            r"|number"
            r"|boolean|array|object|float|list)s?\b"
        ),
    ),
    (
        "validation_error",
        (
            r"must be (?:strictly )?(?:between|at (?:least|most)|(?:greater|less|larger|smaller"
            r"|more|fewer|higher|lower) than|>|<|within \d|in (?:the )?range|an? (?:positive"
            r"|multiple))|cannot divide by|division by zero is|input should be ['\"]"
            r"|\binvalid[ _]url\b|does not match ['\"/^]"
        ),
    ),
    (
        "invalid_arguments",
        r"^\W*(?:\w+Error: )?['\"`][\w.-]{1,60}['\"`] is not allowed\b",
    ),
    (
        "not_found",
        r"is not recogni[sz]ed as (?:an? |the )(?:\w+ ){0,4}(?:command|name)",
    ),
    (
        "cancelled",
        r"^\W*(?:error\W+)?cancell?ed:",
    ),
    (
        "permission",
        (
            r"\b(?:you|user|caller|agent|account|role|client)\b[^\n]{0,40} (?:are"
            r"|is) not (?:allowed"
            r"|permitted|authori[sz]ed) to|(?:does|do) not belong to|must be (?:a )?member of"
        ),
    ),
    (
        "auth",
        r"credentials? (?:was|were|is|are|could) not",
    ),
    (
        "configuration",
        r"\b(?:is|are) not installed|not in (?:your |the )?PATH\b|on your PATH\b",
    ),
    (
        "network_error",
        r"closed (?:the )?(?:connection|stream)\b|incomplete (?:chunked )?read|without sending a",
    ),
    (
        "configuration",
        (
            r"\b(?:provide|set|define|export|supply|configure) (?:the |an? |your |both "
            r"|either )?['\"`]?"
            r"(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b"
        ),
    ),
    (
        "server_unavailable",
        (
            r"^\W*session (?:was )?not found\W*$|no valid session|: session not found\W*$"
            r"|^\W*not connected\W*$|^\W*connection closed\W*$"
        ),
    ),
    ("timeout", r"no (?:reply|response|answer) (?:with)?in \d"),
    (
        "conflict",
        (
            r"would be overwritten|(?:has|have) been modified|changed since|value changed"
            r"|resolve dependency|\bout of date\b|newer version exists"
        ),
    ),
    (
        "invalid_arguments",
        r"\bnot both\b|\bexactly one of\b",
    ),
    (
        "validation_error",
        r"(?:may|must|can|should)(?:not| not) (?:contain|start with|end with|include spaces)",
    ),
    (
        "rule_violation",
        (
            r"\bonly available (?:after|when|once|while|if)\b|\bflagged (?:for|as|by)\b"
            r"|content (?:policy|filter|moderation)|safety (?:system|filter)"
        ),
    ),
)
