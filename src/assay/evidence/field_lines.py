"""A failure told in lines of fields: `success: false`, or `**Status**: failed` and why.

What answers in YAML, in Markdown or in lines of its own tells in the first of them how it went. A
report on some work tells that of the work: it says what it is about, with an id or a date.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.evidence.error_bodies import Reading

if TYPE_CHECKING:
    from assay.evidence.tool_kinds import ToolKind

_LONGEST = 1_500
# With these a flag can begin: no other text is looked at any closer.
_FIRST_LETTERS = frozenset("sSoOrR")
_FLAG = re.compile(
    r"(?:success|succeeded|successful|ok)\s*[:=]\s*[^\w\n]{0,4}(?:false|no)\s*(?:\n|\Z)",
    re.IGNORECASE,
)
_STATE = re.compile(
    r"(?P<of>status|result|outcome)\s*:\s*[^\w\n]{0,4}(?:error|fail|failed|failure|denied|refused"
    r"|rejected|unauthori[sz]ed|forbidden|invalid)\s*(?:\n|\Z)",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\n[\W_]{0,6}(?:error|message|msg|reason|details?|cause|why)\b[^\n:]{0,20}:[^\n]*\w",
    re.IGNORECASE,
)
# What tells of a thing that was looked up.
_OF_A_THING = re.compile(
    r"\n[\W_]{0,6}(?:\w+[ _])?(?:id|name|title|number|url|author|owner|branch|commit|created"
    r"|started|finished|ended|updated|completed|duration|date)\b[^\n:]{0,20}:",
    re.IGNORECASE,
)
# Who was to act, and not to tell how something stands.
_DOING = frozenset({"acting", "other"})
_BRINGING = frozenset({"command", "content", "log", "wording"})


def read_fields(text: str, opening: str, tool: ToolKind) -> Reading | None:
    """What the first lines of a text say of the call as fields; None if they say nothing."""
    if opening[:1] not in _FIRST_LETTERS or tool in _BRINGING or len(text) > _LONGEST:
        return None
    if _FLAG.match(opening):
        return Reading(failed=True, rule="success_flag", message=text)
    found = _STATE.match(opening) if tool in _DOING else None
    if found is None or _OF_A_THING.search(opening):
        return None
    # A status is also that of a thing; how it went is a result, and so is what has a reason.
    if found["of"].lower() == "status" and _WHY.search(opening) is None:
        return None
    return Reading(failed=True, rule="status_word", message=text)
