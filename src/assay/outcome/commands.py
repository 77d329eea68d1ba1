"""How a command ended: its exit status, what a shell complains of, and what a checker counts."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from assay.outcome.bodies import plain_key
from assay.outcome.wording import Found, opening

_TAIL = 4_000
_HEAD = 600
_MOST_LINES = 60

_EXIT_KEYS = frozenset(
    "exit_code exitcode return_code returncode exit exit_status rc exit_value exitvalue".split()
)
_EXIT_SIGNS = ("xit", "eturn code", "eturncode", "eturn status", "XIT")
_OUTPUT_KEYS = ("stderr", "error", "stdout", "output", "content", "logs", "text", "result")
_PATTERNS = {
    # "Exit code 2", "Process exited with code 1", "[exit status: 1]" on a line of their own.
    "exit_line": r"^\W{0,8}(?:(?:the )?(?:command|process|script|program|shell\w*)\b[^\n]{0,30}?)?"
    r"(?:exit(?:ed)?(?: with)?[ _]?(?:code|status|value)|exited(?: with)?"
    r"|return(?:ed)?[ _]?(?:code|status|value)|failed with (?:exit )?code|returned non-zero exit"
    r" status)[\s:=>]{0,4}(?:with )?(-?\d{1,10})\W{0,12}(?:/?(?:exit_?code|returncode)>)?\W*$",
    "exit_word": r"(?:exit(?:ed)?(?: with)?[ _]?(?:code|status)|returncode|return code)"
    r"['\"]?[:= ]+(-?\d{1,10})\b\W{0,10}\Z",
    "shell_error": r"(?!.{0,60}warning)(?![\[{][\[{'\"])\S{1,80}: (?:.{0,200}?: )?"
    r"(?:line \d+: )?.{0,160}?(?:command not found|no such file|no matches found|permission denied"
    r"|is a directory|not a directory|cannot \w+|can't \w+|could not \w+|option requires"
    r"|invalid -?\w+|unrecogni[sz]ed \w+|unknown [a-z]{3,}|missing \w+|syntax error|unexpected \w+"
    r"|file exists|not found|illegal \w+|extra operand|operation not permitted|unable to \w+"
    r"|failed to|fatal|input file is output|runtime error|too many arguments|must \w+|may not \w+|is required|\*\*\* |error[: ])"
    r"|E: |fatal: |error: |npm err(?:or\b|!)|\s?ERR_|\[?(?-i:ERROR)\]?[: ]|Traceback \(most"
    r"|(?:\w+\.)*[A-Z]\w*(?:Error|Exception): |command timed out|.{0,40}\bnot recognized as an"
    r"|\S{1,80}: error:|Try '.{1,40} --help'|usage: ",
    "raised_last": r"(?:(?:\A|\n)Traceback \(most recent|\A\s*File \")[\s\S]*\n[\w.]+(?:Error|Exception"
    r"|Exit|Interrupt)\b"
    r"[^\n]*\s*\Z",
    "thrown": r"^\s*throw \w+;?$[\s\S]{0,40}\n(?:\w+ ?)*Error: ",
    "checker": r"\b(?:pytest|unittest|jest|vitest|mocha|(?:npm|yarn|pnpm|bun|go|cargo|mix|dotnet|make"
    r"|mvn|gradle|task|rake|rspec|phpunit|tox|nox|mise run|just) (?:run )?(?:-\S+ )*(?:test\S*"
    r"|lint\S*|check\S*|vet|typecheck\S*|fmt\S*|format\S*)|eslint|flake8|ruff|mypy|pyright|pylint"
    r"|biome|prettier|black --check|tsc|golangci-lint|clippy|shellcheck|rubocop|stylelint|gofmt"
    r"|hadolint|yamllint|markdownlint)\b",
    "findings": r"\b\d+ (?:tests? )?(?:passed|failed|passing|failing|problems?|errors?|warnings?"
    r"|issues?)\b|\bTests?:? +\d|\bRan \d+ tests?|--- FAIL|^FAIL\b|\bFAIL(?:ED)?\b.{0,200}\btest"
    r"|test cases?|would reformat|\b\d+ vulnerabilit|\b[A-Z]{1,3}\d{3,4}\b.{0,60}(?:import|unused"
    r"|line|undefined)|Failures: \d|Found \d+ (?:errors?|issues?)|error TS\d+|\bassert(?:ion)?\b|✖|✗"
    r"|\(fail\)|would have printed",
    # Programs whose exit status 1 means "no", and not "failed".
    "asking": r"(?:^|[|;&]\s*|\s)(?:sudo )?(?:e|f|z|rip|git )?(?:grep|rg|which|where|diff|test|cmp"
    r"|findstr|pgrep|command -v|\[)\s",
    "fallback": r"\|\| *(?:echo|true|:|printf)\b",
    "quiet": r"\|\| *(?:echo|true|:|printf)\b|2> ?/dev/null",
    "printing": r"\s*(?:cd [^&;|]+(?:&&|;)\s*)?(?:sudo )?(?:grep|egrep|rg|ag|cat|bat|tail|head|sed|awk"
    r"|less|more|echo|printf|journalctl|strings|find|git (?:-C \S+ )?(?:log|show|diff|grep|blame)"
    r"|(?:docker|kubectl|podman)(?: \S+)* logs|gh (?:issue|pr|run) (?:view|list)|jq|xxd)\b",
}


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_PATTERNS[name], re.IGNORECASE | re.MULTILINE)


class Ending(NamedTuple):
    """What was printed, and the exit status where it is recorded."""

    output: str
    status: int | None


def ending_of(value: Any, *, of_command: bool) -> Ending | None:
    """How a command ended, if the value is what a command leaves; None if it is not."""
    if isinstance(value, str):
        status = _status_in(value)
        if status is not None:
            return Ending(_without_header(value), status)
        return Ending(value, None) if of_command else None
    if not isinstance(value, dict):
        return None
    for holder in (value, value.get("metadata"), value.get("details"), value.get("meta")):
        status = _status_among(holder)
        if status is not None:
            return Ending(printed(value), status)
    if "stdout" in value and "stderr" in value:
        code = value.get("code")
        return Ending(printed(value), code if isinstance(code, int) else None)
    return None


def _status_among(holder: Any) -> int | None:
    if not isinstance(holder, dict) or len(holder) > 12:
        return None
    for key, item in holder.items():
        if isinstance(key, str) and plain_key(key) in _EXIT_KEYS:
            text = str(item)
            if len(text) < 12 and text.lstrip("-").isdigit():
                return int(text)
    return None


def _status_in(text: str) -> int | None:
    start, end = text[:_HEAD], text[-300:]
    for part in (start, end):
        # Nearly no text names a status; a few letters are found much faster than the pattern.
        if any(sign in part for sign in _EXIT_SIGNS):
            found = _pattern("exit_line").search(part)
            if found is not None and not _stands_apart(part, found, is_start=part is start):
                found = None
            if found is None and part is end:
                found = _pattern("exit_word").search(part[-120:])
            if found is not None:
                return int(found[1])
    return None


def _stands_apart(part: str, found: re.Match[str], *, is_start: bool) -> bool:
    """Whether a line with a status stands in the header of a harness, or at the very end."""
    if not is_start:
        return part.count("\n", found.end()) <= 2
    lines = part[: found.start()].split("\n")[:-1]
    return all(_HEADER_LINE.match(line) or not line.strip() for line in lines)


_HEADER_LINE = re.compile(r"[A-Z<\[][\w <>/-]{0,30}(?::|>)")


def _without_header(text: str) -> str:
    """The output below what a harness wrote above it."""
    place = text.find("Output:\n", 0, _HEAD)
    if place >= 0:
        return text[place + 8 :]
    found = _pattern("exit_line").match(text[:200])
    return text[found.end() :].lstrip("\n") if found else text


def printed(value: Any, key: str = "", depth: int = 0) -> str:
    """All that a program printed, wherever the result keeps it."""
    if isinstance(value, str):
        return value if key in _OUTPUT_KEYS or key == "traceback" else ""
    if depth > _MOST_DEPTH:
        return ""
    if isinstance(value, dict):
        ordered = sorted(value.items(), key=lambda item: _rank(item[0]))
        parts = [printed(item, plain_key(str(name)), depth + 1) for name, item in ordered]
    elif isinstance(value, list):
        parts = [printed(item, key, depth + 1) for item in value[:20]]
    else:
        return ""
    return "\n".join(filter(None, parts))


_MOST_DEPTH = 4


def _rank(key: object) -> int:
    return _OUTPUT_KEYS.index(key) if key in _OUTPUT_KEYS else len(_OUTPUT_KEYS)


def reports_findings(code: str, output: str, *, is_checker: bool) -> bool:
    """Whether a test, a linter or the like ran and counts what it found."""
    if not is_checker and not _runs_checker(code[:_TAIL]):
        return False
    return _pattern("findings").search(output[:20_000]) is not None


@lru_cache(maxsize=1024)
def _runs_checker(code: str) -> bool:
    return _pattern("checker").search(code) is not None


def asks_a_question(code: str) -> bool:
    """Whether a silent exit status of 1 may be the answer "no"."""
    return _pattern("asking").search(code[:_TAIL]) is not None


def prints_content(code: str) -> bool:
    """Whether a command prints what somebody else wrote."""
    return _pattern("printing").match(code[:_TAIL]) is not None


def has_fallback(code: str, *, quiet: bool = False) -> bool:
    """Whether a command foresees its own failure."""
    if "||" not in code and not (quiet and "/dev/null" in code):
        return False
    return _pattern("quiet" if quiet else "fallback").search(code[:_TAIL]) is not None


def shell_failure(code: str, output: str, *, ended_well: bool = False) -> Found | None:
    """The rule by which an output is that of a failed command, whatever its exit status is."""
    lines = [line for line in output[:_TAIL].splitlines() if line.strip()]
    if not lines:
        return None
    foreign = prints_content(code)
    is_error = _pattern("shell_error").match
    if is_error(lines[0].strip()) and (not foreign or _is_of_program(lines[0], code)):
        few = not ended_well and (len(lines) <= 3 or len(output) < 1_500)
        if few or all(is_error(line.strip()) for line in lines[:_MOST_LINES]):
            return Found("shell_error", output[:1_200])
    if _raised(output):
        return Found("traceback", output[-1_200:])
    return None


def _is_of_program(line: str, code: str) -> bool:
    """Whether a line is the complaint of a program that was called, or of the shell."""
    program = line.strip().partition(":")[0].rpartition("/")[2]
    return program in ("bash", "sh", "zsh", "(eval)", "fatal", "error") or program in code


def _raised(output: str) -> bool:
    tail = output[-_TAIL:]
    if ("Traceback (most" in tail or output.lstrip().startswith("File ")) and (
        output.lstrip().startswith("Traceback (most") or _pattern("raised_last").search(tail)
    ):
        return True
    return "throw " in output[:800] and _pattern("thrown").search(output[:800]) is not None


# What a program may print of its work; the others are the harness's words.
_SURE_OPENINGS = frozenset(("error_noun", "fail_verb", "subject_failed"))
_OF_THE_HARNESS = frozenset(("tagged", "declined", "retry", "cut_body"))
_OF_A_COMMAND = (
    "command",
    "permission",
    "approval",
    "hook",
    "sandbox",
    "not allowed",
    "blocked",
    "working dir",
)


def output_opening(code: str, output: str) -> Found | None:
    """The rule by which the output of a command opens as an error."""
    found = opening(output, "command")
    if found is None or found.rule in _OF_THE_HARNESS:
        return found
    if found.rule in _SURE_OPENINGS:
        return None if prints_content(code) else found
    line = output.strip()
    about = "\n" not in line and any(word in line.lower() for word in _OF_A_COMMAND)
    return found if about else None


def failure_behind_success(code: str, output: str) -> Found | None:
    """The failure in an output although the exit status is 0: nothing else was printed."""
    if not output.strip() or len(output) > 1_500 or has_fallback(code, quiet=True):
        return None
    found = shell_failure(code, output, ended_well=True)
    if found is not None:
        return found
    if len(output) < _HEAD and output.strip().count("\n") < 3:
        return output_opening(code, output)
    return None
