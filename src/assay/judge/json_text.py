"""Values as the text that a judge is shown: text as it is, all else as JSON."""

from __future__ import annotations

import msgspec

# What is longer than this is cut before anything else is done with it.
LONGEST_FIELD = 200_000
_encode = msgspec.json.Encoder().encode


def as_text(value: object) -> str:
    """A value as text, empty for None."""
    if value is None:
        return ""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: object) -> str:
    """A value as JSON; what cannot be written so is only named."""
    try:
        return _encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return "(not JSON)"
