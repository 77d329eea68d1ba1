"""Whether a call sends code, a query or an expression that the model wrote itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.evidence.checker_reports import runs_checks
from assay.evidence.tool_kinds import kind_of_tool

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult

# A tool that runs a query or some code which the model wrote.
_QUERY = re.compile(r"sql|cypher|(?:\b|_)(?:query|aggregate)(?:\b|_)", re.IGNORECASE)
_CODE = re.compile(
    r"evaluate|javascript|(?:\b|_)(?:eval|js|node|deno|bun|php|ruby|perl|lua|code|script)(?:\b|_)",
    re.IGNORECASE,
)
# What a tool needs to do its work, and no call can bring: a program, a module.
_MISSING_PART = re.compile(
    r"\bsh: (?:line )?\d{1,4}: (\S{1,80}): (?:command )?not found|: command not found\b"
    r"|\bno module named\b|\bcannot find module\b|\bexit(?:ed with)? (?:code|status) 127\b"
    r"|\bshared librar(?:y|ies)\b",
    re.IGNORECASE,
)
# What code calls by a name that nobody gave, or gave too late.
_UNDEFINED = re.compile(
    r"\b(?:NameError|ReferenceError|UnboundLocalError)\b|referenced before assignment"
)
# What was thrown, line by line; the last one came through.
_THROWN = re.compile(r"^(?:Uncaught )?([\w.]{1,80}(?:Error|Exception))\b", re.MULTILINE)
# Who waits for what the model wrote, and no longer.
_RAN_TOO_LONG = re.compile(
    r"\b(?:command|code|script|program|process|execution|evaluation|cell|snippet|test)\b"
    r"(?: \S{1,200}){0,3}? (?:has |was )?(?:tim(?:ed?|ing)[ -]?out|killed after|took too long)"
    r"|\bTimeoutExpired\b|\bexecution[ _-]?(?:timeout|time (?:limit )?exceeded)"
    r"|^\W*(?:error\W+)?(?:timed out after \d|time limit exceeded)"
    r"|\b(?:command|code|script|program|execution) (?:took|ran|exceeded"
    r"|did not (?:finish|complete))",
    re.IGNORECASE,
)
# What was waited for was not (only) that.
_OF_THE_HOST = re.compile(
    r"\b(?:kernel|sandbox|container|session|server|service|worker|connect(?:ion|ing)?|request|socket"
    r"|gateway|tool call|lock|queue|to (?:start|be(?:come)?|boot))\b",
    re.IGNORECASE,
)
# Commands and code that themselves wait for others.
_WAITS_FOR_OTHERS = re.compile(
    r"https?://|\b(?:curl|wget|ssh|scp|rsync|sftp|nc|telnet|ping|psql|mysql|docker|kubectl|gh)\b"
    r"|\bgit (?:-\S+ \S+ )?(?:clone|fetch|pull|push|ls-remote)\b"
    r"|\b(?:import|from) (?:requests|httpx|aiohttp|socket|urllib|pwn)\b|\bfetch\("
    r"|\b(?:npm|pnpm|yarn|pip3?|uv|apt|apt-get|brew|conda|cargo|gem|go|poetry|mix)"
    r" (?:-\S+ |pip )?(?:install|add|ci|i|update|upgrade|sync|download|get|deps\.get)\b"
)
# Where a call says what is to run the code that it sends.
_RUNNERS = frozenset({"language", "lang", "runtime", "interpreter", "shell", "kernel"})
_EXPRESSIONS = frozenset({"expression", "expr", "formula", "equation"})


def runs_own_code(tool: str) -> bool:
    """Whether a tool's name says that it runs code or commands."""
    named = _CODE.search(tool) is not None and not runs_checks(tool)
    return named or kind_of_tool(tool) == "command"


def is_query_tool(tool: str) -> bool:
    """Whether a tool's name says that it asks a database, in words of the model's."""
    return _QUERY.search(tool) is not None


def has_expression(call: ToolExecutionResult) -> bool:
    """Whether the model sent something to be worked out, in a language of its own."""
    return isinstance(call.parameters, dict) and bool(_EXPRESSIONS & call.parameters.keys())


def names_the_undefined(message: str) -> bool:
    """Whether what code throws is that a name in it stands for nothing.

    A compiler calls that an error of the code, and so is it where it is found out later.
    """
    thrown = _THROWN.findall(message)
    return _UNDEFINED.search(thrown[-1] if thrown else message) is not None


def ran_too_long(call: ToolExecutionResult, message: str) -> bool:
    """Whether what the model wrote itself took longer than it may, and waited for nobody else."""
    if not runs_own_code(call.tool) or not isinstance(call.parameters, dict):
        return False
    if _RAN_TOO_LONG.search(message) is None or _OF_THE_HOST.search(message) is not None:
        return False
    sent = [text for text in call.parameters.values() if isinstance(text, str)]
    return bool(sent) and not any(_WAITS_FOR_OTHERS.search(text) for text in sent)


def lacks_a_part(call: ToolExecutionResult, message: str) -> bool:
    """Whether a program or a module is missing that was not for the model to bring."""
    missing = _MISSING_PART.search(message)
    if missing is None:
        return False
    return not runs_own_code(call.tool) or _is_of_the_runner(call, missing)


def _is_of_the_runner(call: ToolExecutionResult, missing: re.Match[str]) -> bool:
    """Whether the program that is missing is what was to run the code, and not part of it."""
    program = missing[1]
    if program is None or not isinstance(call.parameters, dict):
        return False
    if _RUNNERS.isdisjoint(call.parameters) and program not in call.tool:
        return False
    sent = (text for key, text in call.parameters.items() if key not in _RUNNERS)
    return not any(program in text for text in sent if isinstance(text, str))
