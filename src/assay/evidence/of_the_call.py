"""What a tool says of its own call, and not of what it was to check, to run or to put into words.

A checker tells what is wrong with a thing in the words in which others refuse. It speaks of the
call where it names arguments, settings or what should have been done before.
"""

from __future__ import annotations

import re

_SETTING = r"(?-i:\b[A-Z][A-Z0-9]*_[A-Z0-9_]+)"
_TYPE = (
    r"(?:json|object|array|list|string|number|integer|boolean|float|uuid|positive|non-?empty"
    r"|between \d|(?:greater|less) than|at (?:least|most) \d|one of)"
)
_ARGUMENTS = r"(?:arguments?|parameters?|params?|fields?|options?|flags?|keys?)"
_BROUGHT = r"(?:provided|specified|supplied|given|selected|loaded|configured)"
_OWN_WORK = (
    r"(?:read|load|open|parse|decode|understand|connect|access|fetch|determine|derive|reach|start"
    r"|initiali[sz]e|download|identify)"
)
_HERE = (
    r"(?:this|the current) (?:deployment|server|backend|build|context|session|environment|client"
    r"|plan)"
)
_WORDINGS = (
    # Arguments, and what they must be.
    (
        r"(?:the |parameter |argument )?[\"'`]?[\w.'-]{1,40}[\"'`]? must be (?:an? |valid )*"
        rf"{_TYPE}\b"
    ),
    rf"[^\n]{{0,80}}\b(?:requires?|needs|expects) [^\n]{{0,40}}\b{_ARGUMENTS}\b",
    r"[^\n]{0,80}\b(?:requires|expects) (?:exactly|at least|either) ",
    r"[^\n]{0,120}\b(?:mutually exclusive|not both|supplied together|specified together)\b",
    r"(?:cannot|can't|do not) (?:specify|use|pass|combine|set) both\b",
    rf"too (?:many|few) {_ARGUMENTS}\b",
    rf"[^\n]{{0,60}}\b{_ARGUMENTS} (?:is|are) (?:required|missing|invalid)\b",
    r"[^\n]{0,60}\b(?:is|are) (?:required|mandatory) (?:for|to|when|in|and)\b",
    r"[^\n]{3,120} (?:supports|accepts|allows) [\w ,/.-]{2,60} only\b",
    # What was not made ready before.
    (
        rf"{_SETTING}(?: \w+){{0,3}} (?:is |are )?(?:not (?:set|configured|defined)|missing"
        r"|required)\b"
    ),
    rf"[^\n]{{3,160}}[.;:—–-] (?:please )?(?:set|export|define|configure) (?:the )?{_SETTING}",
    rf"no (?:[\w'-]+ ){{1,4}}(?:(?:is|are|was|were) )?(?:currently )?{_BROUGHT}\b",
    (
        r"[^\n]{3,160}[.;,:—–-] (?:please )?(?:[a-z]+ [^\n]{0,60}(?:\bfirst\b|\band try again\b"
        r"|\bthen (?:run|call|try) (?:it|this)\b)|use the [\"'`]?[\w-]{2,40}[\"'`]? tool\b)"
    ),
    rf"[^\n]{{3,80}} (?:is|are) not (?:enabled|available|supported) (?:on|in|by|for) {_HERE}\b",
    # What it could not even begin.
    rf"(?:could not|couldn't|cannot|can't|unable to|failed to) {_OWN_WORK}\b",
    r"[^\n]{3,60} (?:could not|cannot) be (?:read|loaded|opened|parsed|decoded|reached)\b",
    r"(?:this|the) (?:tool|action|operation|feature|server) (?:is|can|requires|only|needs)\b",
)
_OF_THE_CALL = re.compile("|".join(_WORDINGS), re.IGNORECASE)


def is_of_the_call(opening: str) -> bool:
    """Whether the opening of a short text speaks of the call itself."""
    return _OF_THE_CALL.match(opening) is not None
