"""Commands that show a text which was written before: a file, a log, the lines of a search.

What such a text says of a failure is no failure of the command that shows it. Nor is a status that
the command was to print.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.evidence.error_grammar import failing_opening
from assay.evidence.exit_status import above_the_last_line, missing_programs, status_label
from assay.evidence.tool_kinds import kind_of_tool

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.execution import ToolExecutionResult

_COMMAND_KEYS = ("command", "cmd", "commands", "script", "code", "input")
_LONGEST = 10_000
# `git -C dir log` names what it does in the third.
_FIRST_WORDS = 3

_SEARCHERS = frozenset(
    {"grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "findstr", "select-string"}
)
_READERS = _SEARCHERS | frozenset(
    {"cat", "bat", "zcat", "tac", "nl", "less", "more", "head", "tail", "sed", "awk", "gawk", "jq"}
    | {"yq", "cut", "sort", "uniq", "strings", "journalctl", "dmesg", "type", "get-content"}
)
_VIEWERS = _READERS | {"echo", "printf"}
# What is shown by a program that does other things as well: `git log`, `docker logs`.
_VIEWS = frozenset(
    {"log", "logs", "show", "diff", "blame", "grep", "view", "describe", "inspect", "status"}
)
# What says nothing where it went well.
_SILENT = frozenset({"cd", "pushd", "popd", "export", "source", "set", "sleep", "wait", "mkdir"})
# What stands before a program and its words.
_RUNNERS = frozenset(
    {"sudo", "env", "time", "nohup", "command", "exec", "xargs", "timeout", "nice"}
)

_IN_A_SHELL = re.compile(
    r"\s*(?:\S*/)?(?:ba|z|da)?sh\s+-\w*c\s+(?:'(.*)'|\"(.*)\"|(.*))\s*\Z", re.S
)
_QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\]|\\.)*+\"", re.S)
_ONE_AFTER_ANOTHER = re.compile(r"\|\||;|\n")
# An option or a setting, and the number that a runner takes.
_NO_PROGRAM = re.compile(r"-|\w+=|\d")
_WORD = re.compile(r"[\w.-]+")
_SHELLS = frozenset({"shell_refused", "shell_error"})
# How one says that it is no matter whether it goes well: `tide || true`.
_FAILURE_BORNE = re.compile(
    r"\|\|[ \t]*(?:true|:|exit 0)[ \t]*(?:[\n;)}]|\Z)|;\s*(?:true|:|exit 0)\s*\Z"
)
# Who ran the command tells what it printed, and where: no text that was shown has these headings.
_FRAME = re.compile(r"^\W{0,3}(?:std ?(?:out|err)|command|cmd)\b\W{0,3}(?:$|: )", re.I | re.M)
# How a program complains, whatever it has shown before: "cat: b: No such file or directory".
_COMPLAINT = re.compile(r"(?:(?:error|fatal)\b|(?:\S{0,80}/)?([\w.-]{1,40}): )", re.I)


def shows_or_states(call: ToolExecutionResult, value: Any, rule: str) -> bool:
    """Whether what reads like the failure of a command is what it was to show, or to print.

    `make; echo "exit code: $?"` asks for the status, whatever it is.
    """
    if not isinstance(value, str) or kind_of_tool(call.tool) != "command":
        return False
    if rule == "last_words":
        return shows_text(call.parameters)
    if rule in _SHELLS:
        return _is_complaint_shown(call.parameters, value)
    label = status_label(value) if rule == "exit_code" else None
    if not label:
        return False
    if any(label in command for command in _commands(call.parameters)):
        return True
    return _is_last_line_shown(call.parameters, value)


def _is_complaint_shown(parameters: Any, text: str) -> bool:
    """Whether a program is missing elsewhere, as a shown text tells, or it is no matter here."""
    missing = missing_programs(text)
    if not missing:
        return False
    if any(map(_FAILURE_BORNE.search, _commands(parameters))):
        return True
    sent = {word for command in _commands(parameters) for word in _WORD.findall(command)}
    return sent.isdisjoint(missing) and shows_text(parameters)


def _is_last_line_shown(parameters: Any, text: str) -> bool:
    """Whether a status is the last line of a text that was shown, not of who ran the command.

    Where the command itself complains, it is its own.
    """
    if not any(_is_view(command, _READERS) for command in _commands(parameters)):
        return False
    shown = (above_the_last_line(text) or "").strip()
    if not shown or _FRAME.search(shown[:_LONGEST]) is not None:
        return False
    if failing_opening(shown, tool="command") is not None:
        return False
    complaint = _COMPLAINT.match(shown[-_LONGEST:].rpartition("\n")[2])
    if complaint is None:
        return True
    program = complaint[1]
    return program is not None and not any(
        program in _WORD.findall(sent) for sent in _commands(parameters)
    )


def shows_text(parameters: Any) -> bool:
    """Whether the last thing a command does is to show a text, or to search for some of its lines.

    What is only cut short (`make | tail`) was printed by another program, and so was what comes
    out of one that reads a text (`cat data | load`).
    """
    return any(_is_view(command) for command in _commands(parameters))


def _commands(parameters: Any) -> Iterator[str]:
    if not isinstance(parameters, dict):
        return
    for key in _COMMAND_KEYS:
        sent = parameters.get(key)
        if isinstance(sent, list):
            sent = " ".join(word for word in sent if isinstance(word, str))
        if isinstance(sent, str) and len(sent) <= _LONGEST:
            yield sent


def _is_view(command: str, viewers: frozenset[str] = _VIEWERS) -> bool:
    within = _IN_A_SHELL.match(command)
    if within is not None:
        command = within[within.lastindex or 0]
    # What is quoted may hold any sign.
    steps = _ONE_AFTER_ANOTHER.split(_QUOTED.sub("''", command).strip())
    # Any step of a chain may have been its last.
    chain = [[_program(part) for part in step.split("|")] for step in steps[-1].split("&&")]
    loud = [pipe for pipe in chain if pipe[0][0] not in _SILENT]
    return bool(loud) and all(_is_shown_by(pipe, viewers) for pipe in loud)


def _is_shown_by(pipe: list[list[str]], viewers: frozenset[str]) -> bool:
    for name, *words in reversed(pipe):
        if name in _SEARCHERS:
            return True
        if name not in viewers and _VIEWS.isdisjoint(words):
            return False
    return True


def _program(part: str) -> list[str]:
    """The name of a program and its first words, without what runs it and without its options."""
    words = [word for word in part.strip(" (){}!&").split() if not _NO_PROGRAM.match(word)]
    names = [word.rsplit("/", 1)[-1].lower() for word in words]
    return [name for name in names if name not in _RUNNERS][:_FIRST_WORDS] or [""]
