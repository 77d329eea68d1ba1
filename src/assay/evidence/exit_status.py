"""The exit status of a command, where a result states one."""

from __future__ import annotations

import re

from assay.evidence.text_shape import opening_of

_ENDING = 300
_LONGEST_COMPLAINT = 2_000
_BRACKETS = "])>"
_CLOSING = _BRACKETS + ".*`"
_FRAMING = "[(<*"
_ENDED = r"(?:completed|exited|finished|failed|terminated|returned|ended)"

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
# The same as a line of its own, the last one: "exit_code=1", "Process exited with status 1". A mere
# "code" is one of something else, unless it is said who ended, or that something exited.
_LAST_LINE = re.compile(
    r"\n[*(\[<]{0,3}(?:error: )?"
    r"(?:(?:(?:the )?(?:command|process|script|program|task|shell|job) )?"
    rf"(?:{_ENDED} )?(?:with )?(?:an? )?(?:non-?zero )?(?:exit|return)[ _-]?(?:code|status)"
    rf"|(?:(?:the )?(?:command|process|script|program) {_ENDED} (?:with )?|(?:exited|died) with )"
    r"(?:an? )?(?:non-?zero )?(?:code|status))"
    r"[ \t:=*`]{1,6}(-?\d{1,10})[*`]{0,3}(?: \([^\n()]{1,40}\))?[.\])>]{0,3}\s*\Z",
    re.IGNORECASE,
)
# The same in the heading above what was printed as an error.
_HEADED = re.compile(
    r"\n\W{2,6}error\W{1,4}(?:status|exit|return)[ _-]code\W{1,3}?(-?\d{1,10})\W{1,8}\n",
    re.IGNORECASE,
)


# What a shell prints before it ends with 127: "bash: line 1: tide: command not found".
_NO_PROGRAM = re.compile(
    r"(?:\S{0,60}(?:sh|\(eval\))(?:\.exe)?): ?(?:(?:line )?\d{1,6}: ?)?"
    r"(?:([^\s:]{1,80}): (?:command )?not found|command not found: (\S{1,80})"
    r"|unknown command:? (\S{1,80}))",
    re.IGNORECASE,
)
_MOST_PROGRAMS = 10


def missing_programs(text: str) -> list[str]:
    """The programs that are not there, where a shell printed that and nothing else."""
    lines = text[:_LONGEST_COMPLAINT].strip().splitlines()
    if len(lines) > _MOST_PROGRAMS:
        return []
    found = [complaint for line in lines if (complaint := _NO_PROGRAM.fullmatch(line))]
    if len(found) < len(lines):
        return []
    return [complaint[complaint.lastindex or 0] for complaint in found]


def exit_status(text: str, *, of_command: bool, opening: str | None = None) -> int | None:
    """The status a text opens with, or ends with if a command wrote it; None if it states none.

    `opening` is the text's, where it is known already.
    """
    found = _stated(text, of_command=of_command, opening=opening)
    return None if found is None else int(found[1])


def status_label(text: str) -> str | None:
    """The words with which what a command printed states its status: "exit code:"."""
    found = _stated(text, of_command=True)
    return None if found is None else found[0][: found.start(1) - found.start()].strip(" \n*[(<")


def above_the_last_line(text: str) -> str | None:
    """What stands above a status that is the bare last line of a text, as any log may end.

    None where it stands elsewhere, or as only who ran the command writes it: "[exit code: 1]".
    """
    found = None if _stated(text, of_command=False) else _stated_at_the_end(text)
    if found is None or found[0].strip()[:1] in _FRAMING:
        return None
    ending = text[-_ENDING:].rstrip()
    if found.end() < len(ending):  # a report, in which the status is one line of several
        return None
    return text.rstrip()[: found.start() - len(ending)]


def _stated(text: str, *, of_command: bool, opening: str | None = None) -> re.Match[str] | None:
    head = opening_of(text) if opening is None else opening
    found = _OPENING.match(head) or _TAG.match(text) or _HEADER.match(text)
    if found is not None or not of_command:
        return found
    return _stated_at_the_end(text) or _HEADED.search(text, 0, _ENDING)


def _stated_at_the_end(text: str) -> re.Match[str] | None:
    ending = text[-_ENDING:].rstrip()
    lowered = ending.lower()
    if "code" not in lowered and "status" not in lowered:  # as in most texts
        return None
    found = _LAST_WORDS.search(ending) if ending[-1] in _BRACKETS else None
    found = found or _REPORTED.search(ending)
    line = ending.rfind("\n")
    if found is not None or line < 0 or not (ending[-1].isdigit() or ending[-1] in _CLOSING):
        return found
    return _LAST_LINE.match(ending, line)
