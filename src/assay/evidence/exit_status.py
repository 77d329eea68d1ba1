"""The exit status of a command, where a result states one."""

from __future__ import annotations

import re

from assay.evidence.text_shape import opening_of

_ENDING = 300

_OPENING = re.compile(
    r"(?:(?:the\s)?(?:command|process|script|program|task|shell)\s)?(?:(?:has\s)?(?:failed|exited"
    r"|finished|completed|terminated|returned)\s)?(?:with\s)?(?:a\s)?(?:non-?zero\s)?"
    r"(?:(?:exit|return)(?:ed)?[ _-]?(?:code|status)|(?<=with )(?:code|status))"
    r"\s*[:=]?\s*(-?\d{1,10})\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"\s*(?:<(?:returncode|exit_?code|return_code)>\s*|\[exit[ _]?code:? )(-?\d{1,10})\s*(?:</|\])",
    re.IGNORECASE,
)
_HEADER = re.compile(
    r"(?:[A-Z][\w ]{0,30}: [^\n]{0,200}\n){0,6}"
    r"(?:Process exited with code|Exit(?:ed with)? code:?|exit_code:?|Return code:?)"
    r" (-?\d{1,10})\s*\n"
)
# A report of several lines in which the status is one.
_REPORTED = re.compile(r"\n(?:Exit ?[Cc]ode|exit_code|Return code): (-?\d{1,10})(?=\s*\n|\s*\Z)")
_LAST_WORDS = re.compile(
    r"[\[(<](?:the\s)?(?:command|process)?[^\n\])>]{0,60}exit(?:ed)?[^\n\])>]{0,12}(?:code|status)"
    r"\s*:?\s*(-?\d{1,10})\b[^\n]{0,20}[\])>]\s*\Z",
    re.IGNORECASE,
)
# The same as a sentence of its own, in the last line.
_LAST_SENTENCE = re.compile(
    r"\n(?:the )?(?:command|process|script|program) (?:completed|exited|finished|failed|terminated"
    r"|returned|ended) (?:with )?(?:an? )?(?:non-?zero )?(?:(?:exit|return)[ _-]?)?(?:code|status)"
    r"\s*:?\s*(-?\d{1,10})(?: \([^\n()]{1,40}\))?\.?\s*\Z",
    re.IGNORECASE,
)
# The same in the heading above what was printed as an error.
_HEADED = re.compile(
    r"\n\W{2,6}error\W{1,4}(?:status|exit|return)[ _-]code\W{1,3}?(-?\d{1,10})\W{1,8}\n",
    re.IGNORECASE,
)


def exit_status(text: str, *, of_command: bool, opening: str | None = None) -> int | None:
    """The status a text opens with, or ends with if a command wrote it; None if it states none.

    `opening` is the text's, where it is known already.
    """
    head = opening_of(text) if opening is None else opening
    found = _OPENING.match(head) or _TAG.match(text) or _HEADER.match(text)
    if found is None and of_command:
        start = max(0, len(text) - _ENDING)
        found = (
            _LAST_WORDS.search(text, start)
            or _REPORTED.search(text, start)
            or _LAST_SENTENCE.search(text, start)
            or _HEADED.search(text, 0, _ENDING)
        )
    return None if found is None else int(found[1])
