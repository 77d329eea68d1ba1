"""Values as Python prints them, where a logger wrote no JSON; nothing is evaluated."""

from __future__ import annotations

import ast
from typing import Any
from warnings import catch_warnings, simplefilter

from assay.errors import NotJson
from assay.ingest.fields import decode_json_text
from assay.json_values import json_value

LONGEST_LITERAL = 200_000


def decode_loosely(text: str) -> Any:
    """The object or list a text holds, as JSON or as Python writes it; None for others."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    decoded = decode_json_text(text)
    return decode_literal(text) if decoded is None else decoded


def decode_literal(text: str) -> Any:
    """The value that Python wrote as this text; None where JSON could not hold it."""
    if len(text) > LONGEST_LITERAL:
        return None
    try:
        with catch_warnings():
            simplefilter("ignore")  # of odd escapes, that is: whoever reads cannot mend them
            return json_value(ast.literal_eval(text.strip()), "")
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, NotJson):
        return None
