"""Messages that only say that a call failed: why is not told, or is kept back."""

from __future__ import annotations

import re

_TOOL = r"(?:the )?\W?(?:tool|function)\W*(?:tool\W*)?"
_ONLY_FAILED = re.compile(
    r"\W*(?:error\W+)?"
    r"(?:(?:an? )?(?:unexpected |unknown )?(?:error|failure)(?: has)?(?: occurred)?"
    r"(?: (?:while|when|during|in|on))?"
    rf" (?:executing|calling|running|invoking|using|(?:execution|invocation) of) {_TOOL}"
    rf"|{_TOOL}(?:(?:call|execution|invocation) )?(?:has )?failed\W*)"
    r"(?:please try again\W*)?",
    re.IGNORECASE,
)
_KEPT_BACK = re.compile(
    r"\berror details? (?:is|are|was|were|have been|has been) (?:redacted|hidden"
    r"|masked|withheld|suppressed|omitted|sanitized)"
    r"|[\[<(](?:sanitized|redacted|masked|hidden) (?:exception|error)(?: \w+)?[\])>]",
    re.IGNORECASE,
)


def keeps_the_reason_back(message: str, tool: str) -> bool:
    """Whether a message names no reason, and so nobody: "Error executing tool moor"."""
    if _KEPT_BACK.search(message) is not None:
        return True
    plain = message.replace(tool, "tool") if tool else message
    return _ONLY_FAILED.fullmatch(plain.strip()) is not None
