"""How programs tell of a failure: browsers, compilers, shells and what they run."""

from __future__ import annotations

from assay.evidence.error_openings import Opening
from assay.evidence.error_vocabulary import FIELD_NAMES

# First match wins, pages before lines.
PROGRAMS: tuple[Opening, ...] = (
    Opening(
        "browser_error",
        "page",
        (
            r"no element (?:found|matches|matching)\b",
            r"element (?:is )?not (?:visible|interactable|clickable|attached|found|stable)\b",
            r"stale element",
            r"(?:[\w.]{1,40}: )?executable (?:doesn't|does not) exist\b",
            r"strict mode violation",
            r"element is not an? ",
        ),
    ),
    Opening(
        "compiler_error",
        "page",
        (
            (
                r"[\w./\\@+<>-]{1,120}(?:(?::\d{1,6}){1,2}|\(\d{1,6}(?:,\d{1,6})?\))\s?:"
                r" (?:fatal |syntax )?error\b"
            ),
            r"[\w./@-]{1,80}\n[\w./\\-]{1,120}\.\w{1,5}(?::\d{1,6}){2}: \w",
        ),
    ),
    Opening(
        "shell_refused",
        "page",
        (
            (
                r"(?:-?(?:ba|z|da|k|fi|c|tc)?sh|\(eval\)): (?:(?:line )?\d+: )?[^\n]{1,120}"
                r": (?:(?:command )?not found|permission denied|no such file or directory)\s*\Z"
            ),
            (
                r"(?:zsh|fish|\(eval\))(?::\d+)?: (?:command not found|no matches found"
                r"|unknown command)\b"
            ),
            r"(?-i:CONFLICT \()",
            r"[\w.-]{1,60} ?: [^\n]{1,400}\n\s*at (?:line:\d+|[^\n]{1,200}:\d+) char:\d+",
        ),
    ),
    Opening(
        "shell_error",
        "line",
        (
            (
                # A program's name; a mere number is that of a line somebody searched for.
                r"(?!\d+:)(?:-?(?:ba|z|da|k|fi)?sh|[\w./-]{1,40}|\(eval\)):(?:\s?(?:line )?\d+:)?"
                r"[^\n]{0,160}(?:(?:not found|no such file(?: or directory)?|permission denied"
                r"|is a directory|not a directory|connection refused|timed"
                r" out)(?=\s*(?:\Z|[\n:(.,]))"
                r"|cannot (?:access|open|stat|find|create|remove))"
            ),
            r"[\w./\\-]{1,80}(?::\d+){0,2}: (?-i:(?:fatal |internal )?error:)",
            r"curl: \(\d+\)",
            # A program's name and what it refuses, not a field and its value.
            (
                rf"(?!{FIELD_NAMES}\b)"
                r"(?-i:[a-z][\w.-]{1,40}(?: \w{2,12})?)(?:\([^)\n]{0,80}\))?(?::[\w./-]{1,60}){0,2}"
                r": (?:error|fatal|unable to|failed to|cannot|could not|can't|couldn't|invalid"
                r"|no such|not found|illegal|attempt to|missing|unknown|unrecogni[sz]ed|unexpected"
                r"|connection (?:refused|reset|timed out)|(?:permission|access) denied)\b"
            ),
            r"g?make(?:\[\d+\])?: +(?:\[|no (?:rule|targets)\b)",
            r"(?-i:E: )",
            r"(?:is|not) a directory\b",
            r"fatal: ",
            r"usage: \S+ [\[<]",
            r"'?[^'\n]{1,60}' is not recognized as an internal",
        ),
    ),
)
