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
    r"|unterminated string)"
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
            r"|values to unpack|can't multiply sequence|circular structure"
        ),
    ),
    (
        "null_reference",
        r"is not a function\b|is not a constructor|\(reading '|\bnil map\b|dereference",
    ),
    (
        "execution_error",
        (
            r"maximum (?:recursion|call stack)|(?:out of|insufficient) memory|OutOfMemory"
            r"|heap limit|stack overflow|\bdeadlock\b|poisoned|\bis a bug\b|hub bug"
        ),
    ),
    (
        "validation_error",
        (
            r"must be (?:strictly )?(?:between|at (?:least|most)|(?:greater|less|larger|smaller"
            r"|more|fewer|higher|lower) than|>|<|within \d|in (?:the )?range|an? (?:positive"
            r"|multiple))|cannot divide by|division by zero is"
        ),
    ),
)
