"""The seed's error classifier, to the letter: sixteen rules on the text of a recorded result.

It stands beside `blame`, which answers the same question with more evidence; this one is kept
so that figures made with the seed can be made again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult

# Where the reader of the seed's files notes "CATEGORY/subcategory" of a failed call: results
# are unwrapped later, and the flag is gone then.
SEED_ERROR = "seed_error"
MODEL, SERVER, UNKNOWN = "MODEL_ERROR", "SERVER_ERROR", "UNKNOWN"
STATUS_NOT_SUCCESS = "status_not_success"
_SHOWN = 200
_FLAG = "isError=True"

_MESSAGE = re.compile(r"text=['\"](.+?)['\"], annotations", re.DOTALL)
_EXECUTION = re.compile(r"Error calling tool|Error executing tool")
_VALIDATION = re.compile(r"validation", re.IGNORECASE)


# First match wins.
RULES = tuple(
    (re.compile(pattern), category, subcategory)
    for pattern, category, subcategory in (
        (r"is a required property|Field required", MODEL, "missing_required_field"),
        (r"is not of type ['\"]|unable to parse string as an integer", MODEL, "wrong_type"),
        (r"is not valid under any of the given schemas", MODEL, "invalid_schema"),
        (r"Invalid arguments for tool|Unexpected keyword argument", MODEL, "invalid_arguments"),
        (r"Input validation error|(?i:validation error)", MODEL, "validation_error"),
        (r"429|Too Many Requests|(?i:rate limit)", SERVER, "rate_limit"),
        (r"(?i:cap exceeded|quota)", SERVER, "quota_exceeded"),
        (r"'NoneType' object|AttributeError", SERVER, "null_reference"),
        (r"Length mismatch|Lengths must match", SERVER, "data_processing_error"),
        (r"\A(?=[\s\S]*Index)(?=[\s\S]*out of)", SERVER, "index_error"),
        (r"(?i:not found|does not exist)", SERVER, "not_found"),
        (r"(?i:cannot be after|invalid date)", MODEL, "invalid_date_range"),
        (r"(?i:timeout|connection)", SERVER, "network_error"),
        (r"server_not_in_configs|could not be loaded", SERVER, "server_unavailable"),
    )
)


def seed_message(result: str) -> str:
    """The error message in a recorded result: the text of its first block, else its beginning."""
    found = _MESSAGE.search(result)
    return found[1] if found else result[:_SHOWN]


def classify_error(text: str) -> tuple[str, str]:
    """Category and subcategory of a failed call's recorded result, as the seed has them."""
    message = seed_message(text)
    for pattern, category, subcategory in RULES:
        if pattern.search(message):
            return category, subcategory
    if _EXECUTION.search(message) is None:
        return UNKNOWN, "unclassified"
    if _VALIDATION.search(message):
        return MODEL, "validation_error"
    return SERVER, "execution_error"


def seed_error_of_record(status: object, result: object) -> tuple[str, str] | None:
    """Category and subcategory of a call as the seed's files hold it; None if it did not fail.

    Anything but the status "success" is a failure, and so is a text with the protocol's flag.
    """
    if status != "success":
        return SERVER, STATUS_NOT_SUCCESS
    return classify_error(result) if is_flagged(result) else None


def is_flagged(result: object) -> TypeGuard[str]:
    """Whether a result is a text with the protocol's flag in it, wherever that stands."""
    return isinstance(result, str) and _FLAG in result


def seed_error(call: ToolExecutionResult, *, is_seeds: bool) -> tuple[str, str] | None:
    """The same for a call of any format: what the reader of the seed's files noted.

    For calls of other files, whatever was reported as failed, by its message.
    """
    noted = call.extra.get(SEED_ERROR)
    if isinstance(noted, str):
        category, _, subcategory = noted.partition("/")
        return category, subcategory
    if is_seeds or call.reported_success is not False:
        return None
    text = call.error_message or (call.result if isinstance(call.result, str) else "")
    return classify_error(text)
