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
_QUOTE = r"[`'\"]?"
# As an environment variable is written.
_SETTING = r"(?-i:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)"

# The first kind of which a wording is found.
SURE_WORDINGS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (
        "malformed_call",
        (
            (
                rf"(?:pars(?:e|ing)|decod(?:e|ing)|load(?:ing)?|json in"
                rf"|malformed) (?:\w+ ){{0,4}}?"
                rf"{_ARGUMENTS}\b[^\n]{{0,80}}{_NOT_JSON}"
            ),
            rf"{_ARGUMENTS} (?:is |are |was |were )?(?:not|invalid|malformed) (?:valid )?json",
        ),
    ),
    (
        "data_processing_error",
        (
            (
                r"(?:invalid|malformed|unexpected|unparsable|truncated|incomplete|unrecogni[sz]ed"
                r"|bad"
                rf"|empty|non-json) (?:[\w/.'-]+ ){{0,3}}{_ANSWER}\b"
            ),
            r"invalid tools?/call result",
            r"output validation|output ?schema",
            (
                rf"{_ANSWER} (?:\w+ ){{0,3}}?(?:is |was )?(?:missing|empty|truncated|malformed"
                r"|lacks|not (?:valid )?json)\b"
            ),
            rf"{_ANSWER} (?:\w+ ){{0,3}}?(?:had|has|contained|contains|with) no ",
            rf"{_ANSWER} (?:\w+ ){{0,3}}?(?:did|does) not (?:contain|include|match|have)",
            rf"{_ANSWER} (?:\w+ ){{0,3}}?could not be (?:parsed|decoded|read)",
            r"unexpected token '?<|<!doctype",
            r"line 1 column 1 \(char 0\)|looking for beginning of",
            r"(?:encod|seriali[sz]|marshall?)(?:e|ing)? (?:the )?(?:result|data|output|response)",
            r"not (?:json )?seriali[sz]able|circular structure",
            r"values to unpack|can't multiply sequence",
        ),
    ),
    (
        "null_reference",
        (
            r"is not a (?:function|constructor)\b",
            r"\(reading '|destructure property|as it is (?:undefined|null)|is not an object \(",
            r"\bnil map\b|dereference|reference not set",
            r"because [^\n]{1,60} is null\b",
        ),
    ),
    (
        "execution_error",
        (
            r"maximum (?:recursion|call stack)|stack overflow",
            r"(?:out of|insufficient) memory|OutOfMemory|heap limit",
            r"\bdeadlock\b|poisoned",
            r"\bis an? (?:\w+ )?bug\b",
            r"(?:page|context|browser|tab)\b[^\n]{0,20} closed\b",
        ),
    ),
    ("invalid_arguments", (r"unmarshal (?:the )?(?:arg|param|request|input|tool)",)),
    (
        "missing_required_field",
        (
            (
                r"expected [\w |`'\"]{1,40}, (?:received|got) "
                rf"{_QUOTE}(?:undefined|null|none|nothing|nan)\b"
            ),
            r"must have required propert",
        ),
    ),
    (
        "wrong_type",
        (
            (
                rf"expected {_QUOTE}\w{{1,30}}{_QUOTE}, (?:received|got|found) "
                rf"{_QUOTE}(?:str|int|float|bool|dict|list|obj|arr|num|tuple|map|seq)"
            ),
            r"must be (?:an? )?(?:integer|string|number|boolean|array|object|float|list)s?\b",
        ),
    ),
    (
        "validation_error",
        (
            (
                r"must be (?:strictly )?(?:between|at (?:least|most)|within \d|>|<"
                r"|in (?:the )?range|(?:greater|less|larger|smaller|more|fewer|higher|lower) than)"
            ),
            r"must be an? (?:positive|multiple)",
            r"cannot divide by|division by zero is",
            r"input should be ['\"]|does not match ['\"/^]",
            r"\binvalid[ _]url\b",
            r"(?:may|must|can|should)(?:not| not) (?:contain|start with|end with)",
        ),
    ),
    (
        "invalid_arguments",
        (
            r"^\W*(?:\w+Error: )?['\"`][\w.-]{1,60}['\"`] is not allowed\b",
            r"\bnot both\b|\bexactly one of\b",
        ),
    ),
    (
        "not_found",
        (
            r"is not recogni[sz]ed as (?:an? |the )(?:\w+ ){0,4}(?:command|name)",
            r"no such (?:column|table|field|function|file|index|key)\b",
        ),
    ),
    ("cancelled", (r"^\W*(?:error\W+)?cancell?ed:",)),
    (
        "permission",
        (
            (
                r"\b(?:you|user|caller|agent|account|role|client)\b[^\n]{0,40} (?:are"
                r"|is) not (?:allowed"
                r"|permitted|authori[sz]ed) to"
            ),
            (
                r"outside (?:of )?(?:the |its |your |allowed )?(?:\S+ ){0,2}(?:scope|sandbox"
                r"|workspace)\b"
            ),
            r"(?:does|do) not belong to|must be (?:a )?member of",
        ),
    ),
    ("auth", (r"credentials? (?:was|were|is|are|could) not",)),
    (
        "configuration",
        (
            r"\b(?:is|are) not installed|executable (?:doesn't|does not) exist",
            r"(?:not in|on) (?:your |the )?PATH\b",
            r"(?:npm|pip3?|npx|brew|uv|apt(?:-get)?) (?:[\w@./-]+ ){0,3}install",
            r"invalid (?:\w+ )?config",
            r"no config\w* (?:has been |was )?(?:provided|found|set)",
            (
                r"\b(?:provide|set|setting|define|export|supply|configure) "
                rf"(?:the |an? |your |both |either )?{_QUOTE}{_SETTING}\b"
            ),
        ),
    ),
    (
        "network_error",
        (
            r"closed (?:the )?(?:connection|stream)\b|without sending a",
            r"incomplete (?:chunked )?read",
        ),
    ),
    (
        "server_unavailable",
        (
            r"(?:^\W*|: )session (?:was )?not found\W*$|no valid session",
            r"^\W*(?:not connected|connection closed)\W*$",
        ),
    ),
    (
        "quota_exceeded",
        (
            r"(?:premium|subscription|paid plan|upgrade|enterprise plan) (?:is )?required",
            r"requires? (?:an? )?(?:active )?(?:premium|pro|paid|enterprise|subscription)\b",
            r"(?:on|in|for|by) your (?:current )?(?:plan|tier|subscription)\b|upgrade your",
        ),
    ),
    ("unavailable", (r"failed to (?:launch|spawn|boot)\b",)),
    ("timeout", (r"no (?:reply|response|answer) (?:with)?in \d",)),
    (
        "conflict",
        (
            r"would be overwritten|newer version exists",
            r"(?:has|have) been modified|changed since|value changed|\bout of date\b",
            r"resolve dependency",
        ),
    ),
    (
        "rule_violation",
        (
            r"\bonly available (?:after|when|once|while|if)\b",
            (
                r"\bflagged (?:for|as|by)\b|content (?:policy|filter|moderation)|safety (?:system"
                r"|filter)"
            ),
        ),
    ),
)
