"""How a command ended: its exit status, what a shell complains of, and what a checker counts."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from assay.outcome.bodies import plain_key
from assay.outcome.grammar import rows, words
from assay.outcome.wording import Found, opening

_TAIL = 4_000
_LONG = 1_500
_HEAD = 600
_END = 300
_MOST_LINES = 60
_DEEPEST = 4
_NUMBER = re.compile(r"-?\d{1,10}")
_HEADER_LINE = re.compile(r"[A-Z<\[][\w <>/-]{0,30}(?::|>)")
# What a program may print of its work, and what only a harness says of a command.
_SURE_OPENINGS = words("error_noun fail_verb subject_failed")
_OF_THE_HARNESS = words("tagged declined retry cut_body")
_OF_A_COMMAND = (
    *("command", "permission", "approval", "hook", "sandbox", "not allowed", "blocked"),
    "working dir",
)

_EXIT_KEYS = words(
    "exit_code exitcode return_code returncode exit exit_status rc exit_value exitvalue"
)
_EXIT_SIGNS = ("xit", "eturn code", "eturncode", "eturn status", "XIT")
_OUTPUT_KEYS = {
    key: place
    for place, key in enumerate(
        ("stderr", "error", "stdout", "output", "content", "logs", "text", "result", "traceback")
    )
}
_PATTERNS = dict(
    rows(r"""
# "Exit code 2", "Process exited with code 1", "[exit status: 1]" on a line of their own.
exit_line: ^\W{0,8}(?:(?:the )?(?:command|process|script|program
  |shell\w*)\b[^\n]{0,30}?)?(?:exit(?:ed)?(?: with)?[ _]?(?:code|status|value)|exited(?: with)?
  |return(?:ed)?[ _]?(?:code|status|value)|failed with (?:exit )?code
  |returned non-zero exit status)[\s:=>]{0,4}(?:with )?(-?\d{1,10})\W{0,12}(?:/?(?:exit_?code
  |returncode)>)?\W*$
exit_word: (?:exit(?:ed)?(?: with)?[ _]?(?:code|status)|returncode
  |return code)['\"]?[:= ]+(-?\d{1,10})\b\W{0,10}\Z
shell_error:
  (?!.{0,60}warning)(?![\[{][\[{'\"])\S{1,80}: (?:.{0,200}?
  : )?(?:line \d+: )?.{0,160}?(?:command not found
  |no such file|no matches found|permission denied|is a directory|not a directory|cannot \w+
  |can't \w+|could not \w+|option requires|invalid -?\w+|unrecogni[sz]ed \w+|unknown [a-z]{3,}
  |missing \w+|syntax error|unexpected \w+|file exists|not found|illegal \w+|extra operand
  |operation not permitted|unable to \w+|failed to|fatal|input file is output|runtime error
  |too many arguments|must \w+|may not \w+|is required|\*\*\* |error[: ])|E: |fatal: |error:[ ]
  |npm err(?:or\b|!)|\s?ERR_|\[?(?-i:ERROR)\]?[: ]|Traceback \(most|(?:\w+\.)*[A-Z]\w*(?:Error
  |Exception): |command timed out|.{0,40}\bnot recognized as an|\S{1,80}: error:
  |Try '.{1,40} --help'|usage:[ ]
raised_last: (?:(?:\A|\n)Traceback \(most recent|\A\s*File \")[\s\S]*\n[\w.]+(?:Error|Exception
  |Exit|Interrupt)\b[^\n]*\s*\Z
thrown: ^\s*throw \w+;?$[\s\S]{0,40}\n(?:\w+ ?)*Error:[ ]
checker: \b(?:pytest|unittest|jest|vitest|mocha|(?:npm|yarn|pnpm|bun|go|cargo|mix|dotnet|make|mvn
  |gradle|task|rake|rspec|phpunit|tox|nox|mise run|just) (?:run )?(?:-\S+ )*(?:test\S*|lint\S*
  |check\S*|vet|typecheck\S*|fmt\S*|format\S*)|eslint|flake8|ruff|mypy|pyright|pylint|biome
  |prettier|black --check|tsc|golangci-lint|clippy|shellcheck|rubocop|stylelint|gofmt|hadolint
  |yamllint|markdownlint)\b
findings: \b\d+ (?:tests? )?(?:passed|failed|passing|failing|problems?|errors?|warnings?
  |issues?)\b|\bTests?:? +\d|\bRan \d+ tests?|--- FAIL|^FAIL\b|\bFAIL(?:ED)?\b.{0,200}\btest
  |test cases?|would reformat|\b\d+ vulnerabilit|\b[A-Z]{1,3}\d{3,4}\b.{0,60}(?:import|unused|line
  |undefined)|Failures: \d|Found \d+ (?:errors?|issues?)|error TS\d+|\bassert(?:ion)?\b|✖|✗
  |\(fail\)|would have printed
# Programs whose exit status 1 means "no", and not "failed".
asking: (?:^|[|;&]\s*|\s)(?:sudo )?(?:e|f|z|rip|git )?(?:grep|rg|which|where|diff|test|cmp|findstr
  |pgrep|command -v|\[)\s
fallback: \|\| *(?:echo|true|:|printf)\b
printing: \s*(?:cd [^&;|]+(?:&&|;)\s*)?(?:sudo )?(?:grep|egrep|rg|ag|cat|bat|tail|head|sed|awk
  |less|more|echo|printf|journalctl|strings|find|git (?:-C \S+ )?(?:log|show|diff|grep|blame)
  |(?:docker|kubectl|podman)(?: \S+)* logs|gh (?:issue|pr|run) (?:view|list)|jq|xxd)\b
""")
)


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
        if status is None:
            return Ending(value, None) if of_command else None
        return Ending(_without_header(value), status)
    if not isinstance(value, dict):
        return None
    for holder in (value, value.get("metadata"), value.get("details"), value.get("meta")):
        if (status := _status_among(holder)) is not None:
            return Ending(printed(value), status)
    if "stdout" not in value or "stderr" not in value:
        return None
    code = value.get("code")
    return Ending(printed(value), code if isinstance(code, int) else None)


def _status_among(holder: Any) -> int | None:
    if not isinstance(holder, dict) or len(holder) > 12:
        return None
    for key, item in holder.items():
        if isinstance(key, str) and plain_key(key) in _EXIT_KEYS and _NUMBER.fullmatch(str(item)):
            return int(item)
    return None


def _status_in(text: str) -> int | None:
    # Nearly no text names a status; a few letters are found much faster than the pattern.
    start, end = text[:_HEAD], text[-_END:]
    if any(sign in start for sign in _EXIT_SIGNS):
        found = _pattern("exit_line").search(start)
        if found is not None and _is_header(start[: found.start()]):
            return int(found[1])
    if any(sign in end for sign in _EXIT_SIGNS):
        found = _pattern("exit_line").search(end) or _pattern("exit_word").search(end)
        if found is not None and end.count("\n", found.end()) <= 2:
            return int(found[1])
    return None


def _is_header(text: str) -> bool:
    """Whether all lines are fields that a harness writes above the output."""
    return all(_HEADER_LINE.match(line) or not line.strip() for line in text.split("\n")[:-1])


def _without_header(text: str) -> str:
    place = text.find("Output:\n", 0, _HEAD)
    if place >= 0:
        return text[place + 8 :]
    found = _pattern("exit_line").match(text[:_END])
    return text[found.end() :].lstrip("\n") if found else text


def printed(value: Any, key: str = "", depth: int = 0) -> str:
    """All that a program printed, wherever the result keeps it."""
    if isinstance(value, str):
        return value if key in _OUTPUT_KEYS else ""
    if depth > _DEEPEST or not isinstance(value, dict | list):
        return ""
    if isinstance(value, list):
        return "\n".join(filter(None, (printed(item, key, depth + 1) for item in value[:20])))
    named = {plain_key(str(name)): item for name, item in value.items()}
    ordered = sorted(named, key=lambda name: _OUTPUT_KEYS.get(name, len(_OUTPUT_KEYS)))
    return "\n".join(filter(None, (printed(named[name], name, depth + 1) for name in ordered)))


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


def has_fallback(code: str) -> bool:
    """Whether a command foresees its own failure."""
    return "||" in code and _pattern("fallback").search(code[:_TAIL]) is not None


def _prints_content(code: str) -> bool:
    """Whether a command prints what somebody else wrote."""
    return _pattern("printing").match(code[:_TAIL]) is not None


def failed_output(code: str, output: str) -> Found | None:
    """The rule by which an output without an exit status is that of a failed command."""
    found = _shell_failure(code, output, ended_well=False) or _output_opening(code, output)
    return None if found is None or has_fallback(code) else found


def failure_behind_success(code: str, output: str) -> Found | None:
    """The failure in an output although the exit status is 0: nothing else was printed."""
    if len(output) > _LONG or has_fallback(code) or "/dev/null" in code:
        return None
    found = _shell_failure(code, output, ended_well=True)
    if found is None and len(output) < _HEAD and output.strip().count("\n") < 3:
        return _output_opening(code, output)
    return found


def _shell_failure(code: str, output: str, *, ended_well: bool) -> Found | None:
    lines = [line.strip() for line in output[:_TAIL].splitlines() if line.strip()]
    if not lines:
        return None
    is_error = _pattern("shell_error").match
    if is_error(lines[0]) and (not _prints_content(code) or _is_of_program(lines[0], code)):
        few = not ended_well and (len(lines) <= 3 or len(output) < _LONG)
        if few or all(map(is_error, lines[:_MOST_LINES])):
            return Found("shell_error", output[:_LONG])
    return Found("traceback", output[-_LONG:]) if _raised(output) else None


def _is_of_program(line: str, code: str) -> bool:
    """Whether a line is the complaint of a program that was called, or of the shell."""
    program = line.partition(":")[0].rpartition("/")[2]
    return program in ("bash", "sh", "zsh", "(eval)", "fatal", "error") or program in code


def _raised(output: str) -> bool:
    tail, start = output[-_TAIL:], output[:_HEAD].lstrip()
    if start.startswith("Traceback (most"):
        return True
    if "Traceback (most" in tail or start.startswith('File "'):
        return _pattern("raised_last").search(tail) is not None
    return "throw " in start and _pattern("thrown").search(output[:_LONG]) is not None


def _output_opening(code: str, output: str) -> Found | None:
    """The rule by which the output of a command opens as an error."""
    found = opening(output, "command")
    if found is None or found.rule in _OF_THE_HARNESS:
        return found
    if found.rule in _SURE_OPENINGS:
        return None if _prints_content(code) else found
    line = output.strip().lower()
    about_the_call = "\n" not in line and any(word in line for word in _OF_A_COMMAND)
    return found if about_the_call else None
