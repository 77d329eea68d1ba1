"""What a tool is for, by its name and the names of its arguments.

The same words are a failure of one tool and the answer of another: a test runner reports errors,
a search finds none, a file may open with the word "Error".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

from assay.outcome.grammar import words

Role = Literal[
    "command", "query", "search", "action", "read", "page", "log", "check", "ask", "other"
]
# Tools that bring a text somebody else wrote.
BRINGS_CONTENT: frozenset[Role] = frozenset(("read", "search", "page", "log", "ask"))
# Tools that run what the agent wrote.
RUNS_CODE: frozenset[Role] = frozenset(("command", "query"))

_WORDS: dict[Role, frozenset[str]] = {
    "command": words(
        "bash shell exec terminal command cmd console run python code ipython powershell sh execute"
        " process script repl stdin jupyter"
    ),
    "search": words(
        "search find query list grep glob filter browse ls suggest autocomplete rg scan match"
    ),
    "action": words(
        "editor create update delete write edit add set send move insert post upload remove save"
        " close cancel book put patch replace rename apply generate make schedule assign submit"
        " merge fork push commit reply copy install start stop click type fill press"
    ),
    "read": words(
        "get read fetch open view retrieve download describe info show load cat lookup details"
        " inspect"
    ),
    "check": words(
        "test tests lint check validate verify review audit typecheck grade grader diagnose assess"
    ),
}
# Words that decide wherever they stand in a name.
_DECISIVE: dict[Role, frozenset[str]] = {
    "log": words("log logs errors exceptions failures diagnostics"),
    "ask": words("ask translate summarize rewrite paraphrase"),
    "query": words("sql"),
    "page": words("navigate goto webfetch scrape crawl"),
}
_ADDRESSES = frozenset({"url", "urls", "uri"})
_QUERIES = frozenset({"query", "q", "keywords", "pattern", "search_query"})
_CODE_KEYS = ("command", "cmd", "code", "script", "commands")
_SURE_CODE_KEYS = frozenset({"cmd", "code", "script", "shell_command"})
_LONE_COMMANDS = frozenset({"ls", "pwd", "whoami", "date", "env", "id", "make", "tree"})
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_LETTERS = re.compile(r"[a-z]+")


def role_of(tool: str, arguments: Any) -> Role:
    """What a tool does with such arguments."""
    keys = frozenset(arguments) if isinstance(arguments, dict) else frozenset()
    code = code_of(arguments)
    is_code = bool(code) and (
        (isinstance(arguments, str) and not arguments.lstrip().startswith("{"))
        or not _SURE_CODE_KEYS.isdisjoint(keys)
        or " " in code.strip()
        or code in _LONE_COMMANDS
    )
    return "command" if is_code else _role_by_names(tool, keys)


def code_of(arguments: Any) -> str:
    """The command or the code among the arguments; empty if there is none."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, dict):
        for key in _CODE_KEYS:
            code = arguments.get(key)
            if isinstance(code, str):
                return code
            if isinstance(code, list):
                return " ".join(map(str, code[:20]))
    return ""


@lru_cache(maxsize=4096)
def words_of(tool: str) -> tuple[str, ...]:
    """The words of a tool's own name, without the server in front of it."""
    name = tool.rpartition(">")[2].rpartition("/")[2].rpartition("__")[2]
    return tuple(_LETTERS.findall(_HUMP.sub(" ", name).lower()))


@lru_cache(maxsize=4096)
def stems_of(tool: str) -> tuple[str, ...]:
    """The beginnings of the words of a tool's name; "cancel" stands in "cancelled"."""
    return tuple(word[:5] for word in words_of(tool) if len(word) > 3 and word != "file")


@lru_cache(maxsize=4096)
def is_checker(tool: str) -> bool:
    """Whether a tool's name says that it looks for faults."""
    return not _WORDS["check"].isdisjoint(words_of(tool))


@lru_cache(maxsize=4096)
def _role_by_names(tool: str, keys: frozenset[str]) -> Role:
    named = words_of(tool)
    for role, decisive in _DECISIVE.items():
        if not decisive.isdisjoint(named):
            return role
    roles = (role for word in named for role, known in _WORDS.items() if word in known)
    found = next(roles, "query" if "sql" in keys else None)
    if found in (None, "read", "search") and not _ADDRESSES.isdisjoint(keys):
        return "page"
    return found or ("other" if _QUERIES.isdisjoint(keys) else "search")
