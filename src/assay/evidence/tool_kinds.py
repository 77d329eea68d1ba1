"""What a tool does, as far as its name tells: enough to know how to read what it says."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

ToolKind = Literal["command", "content", "log", "wording", "stopper", "other"]

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_SHELLS = frozenset(
    {"bash", "sh", "zsh", "shell", "terminal", "cmd", "powershell", "exec", "console", "ssh"}
    | {"stdin", "python", "ipython", "repl", "jupyter", "interpreter"}
)
_STOPPING = frozenset(
    {"cancel", "abort", "stop", "kill", "terminate", "reject", "decline", "deny", "close"}
    | {"disconnect", "shutdown", "revoke"}
)
_RUNNING = frozenset({"run", "execute", "exec"})
_RUNNABLE = frozenset({"command", "commands", "code", "script", "cell", "notebook", "program"})
_CONTENT_WORDS = frozenset(
    {"read", "cat", "view", "open", "grep", "search", "fetch", "browse"}
    | {"scrape", "crawl", "extract", "docs", "wiki", "article", "transcript", "page", "glob"}
)
# What these bring was written down as things went wrong elsewhere.
_LOGS = frozenset({"log", "logs", "tail", "stderr", "journal", "journalctl"})
_CONSOLE = frozenset({"message", "messages", "errors", "output"})
# What these bring is prose, whatever it says.
_WORDING = frozenset(
    {"translate", "translation", "define", "dictionary", "rewrite", "paraphrase"}
    | {"summarize", "joke", "lyrics", "poem", "think", "thinking"}
)
_PASSING_ON = frozenset({"transfer", "handoff", "handover", "escalate", "forward", "route"})
_TAKING_OVER = frozenset(
    {"human", "humans", "agent", "agents", "person", "operator", "representative", "supervisor"}
    | {"support", "staff", "specialist"}
)


@lru_cache(maxsize=4_096)
def hands_over(name: str) -> bool:
    """Whether a tool passes the conversation on to somebody else, which changes nothing yet."""
    words = {word.lower() for word in _WORDS.findall(name)}
    return bool(words & _PASSING_ON and words & _TAKING_OVER)


@lru_cache(maxsize=4_096)
def kind_of_tool(name: str) -> ToolKind:
    """What a tool's name promises: to run a command, to stop something, to bring some text."""
    words = {word.lower() for word in _WORDS.findall(name)}
    if (words & _LOGS and "in" not in words) or ("console" in words and words & _CONSOLE):
        return "log"
    if words & _SHELLS or (words & _RUNNING and words & _RUNNABLE):
        return "command"
    if words & _STOPPING:
        return "stopper"
    if words & _WORDING:
        return "wording"
    return "content" if words & _CONTENT_WORDS else "other"
