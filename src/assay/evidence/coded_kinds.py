"""Kinds by codes that stand in messages: the SQLSTATE of a database, the exit code of a command.

Both are the same whoever sends them, which no wording is.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

# By the longest beginning that is listed: a class has two characters, a code five.
SQLSTATE_KINDS: dict[str, Kind] = {
    "08": "network_error",
    "0A": "unsupported",
    "22": "validation_error",
    "23": "conflict",
    "23502": "missing_required_field",
    "25": "rule_violation",
    "25006": "permission",
    "28": "auth",
    "3D": "not_found",
    "3F": "not_found",
    "40": "unavailable",
    "42": "syntax_error",
    "42501": "permission",
    "42703": "not_found",
    "42883": "not_found",
    "42P01": "not_found",
    "42S02": "not_found",
    "42S22": "not_found",
    "53": "quota_exceeded",
    "57": "unavailable",
    "57014": "timeout",
    "58": "execution_error",
    "HYT": "timeout",
    "XX": "execution_error",
}
# As shells and `timeout` end, and what a signal adds to 128.
EXIT_KINDS: dict[int, Kind] = {
    124: "timeout",
    126: "permission",
    127: "not_found",
    130: "cancelled",
    137: "unavailable",
}
_SQLSTATE = re.compile(
    r"\bSQLSTATE\W{0,4}([0-9A-Z]{5})\b|\A\W{0,3}\[([0-9A-Z]{5})\]|\(([0-9A-Z]{5})\):"
)
_EXIT = re.compile(
    r"\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return(?:ed)? code|rc)[ :=]{1,3}(\d{3})\b",
    re.IGNORECASE,
)
_CLASS, _SUBCLASS, _CODE = 2, 3, 5


def kind_by_code(message: str) -> Kind | None:
    """The kind that a code in the message stands for; None without such a code."""
    found = _SQLSTATE.search(message)
    if found is not None:
        return kind_of_sqlstate(next(filter(None, found.groups())))
    ended = _EXIT.search(message)
    return EXIT_KINDS.get(int(ended[1])) if ended else None


def kind_of_sqlstate(code: str) -> Kind | None:
    """The kind that an SQLSTATE stands for; None for a class that says nothing of failure."""
    for length in (_CODE, _SUBCLASS, _CLASS):
        if kind := SQLSTATE_KINDS.get(code[:length]):
            return kind
    return None
