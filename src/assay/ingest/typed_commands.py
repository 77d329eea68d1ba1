"""Commands that a model wrote as words for a harness to type, and what the harness told of them.

As SWE-agent and mini-swe-agent have it: the command stands in a fence, what came of it follows as
the next message. As Terminus has it: keystrokes in an object. As AgentTuning has it: a line with
the action, then its fence or its arguments in brackets.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from assay.ingest.fields import decode_json_text, dict_or_empty, objects_in
from assay.ingest.thoughts import split_thoughts

SHELL = "bash"
# The commands that SWE-agent gives the model besides the shell's own.
COMMANDS = frozenset(
    {
        *("open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "append"),
        *("search_dir", "search_file", "find_file", "filemap", "str_replace_editor"),
        *("submit", "exit_forfeit", "exit_cost", "exit_context", "exit_format", "exit_error"),
        *("connect_start", "connect_sendline", "connect_exec", "connect_stop"),
        *("debug_start", "debug_add_breakpoint", "debug_continue", "debug_step", "debug_exec"),
        *("debug_stop", "decompile", "disassemble", "view_image"),
    }
)
# What a fence is named whose text is for a shell.
SHELLS = frozenset({"", SHELL, "sh", "shell", "mswea_bash_command"})
# How Terminus names what it types, and its word that the work is done.
KEYS, KEYS_TOOL = "keystrokes", "bash_command"
DONE_KEYS, DONE_TOOL = ("task_complete", "is_task_complete"), "mark_task_complete"
FENCE = "```"
_WORD = re.compile(r"\s*([A-Za-z_][\w-]{0,60})")
_THOUGHT = re.compile(r"(?im)^[ \t]*(?:think|thought):")
_ACTION = re.compile(r"(?im)^[ \t]*act(?:ion)?:[ \t]*\n?[ \t]*(\w[\w.-]{0,99})[ \t]*([(\[\n])")
# What a harness writes before or after that which came of a command.
_HEADS = re.compile(
    r"(?:Exit code:[^\n\d-]{0,40}(?P<code>-?\d{1,10})[^\n]{0,40}\n)?"
    r"(?:(?i:execution output|execution result) of \[[^\]\n]{1,99}\]:|New Terminal Output:"
    r"|The output of the OS:|(?i:observation):)[ \t]*\n?"
)
_RETURN_CODE = re.compile(
    r"(?:<exception>.{0,2000}?</exception>\s*)?<returncode>(-?\d{1,10})</returncode>", re.DOTALL
)
# A prompt alone may be pasted by anybody; this one is no shell's own.
_PROMPT, _OWN_PROMPT = re.compile(r"[^\s$#]{0,300}[$#]"), "bash-$"
_STATE = re.compile(r"\((?:Open file|Current directory): [^\n]{0,500}\)")


class Told(NamedTuple):
    """What a harness told of a command, and whether it ended well, where it said so."""

    result: str
    success: bool | None


def command_call(command: str) -> dict[str, Any]:
    """A typed command as a call: one of SWE-agent's own by its name, any other of the shell."""
    word = _WORD.match(command)
    tool = word[1] if word and word[1] in COMMANDS else SHELL
    return {"name": tool, "arguments": {"command": command}}


def fenced(words: str) -> list[tuple[str, str]]:
    """The fences of a text: how each is named and what stands in it; one left open is none."""
    found: list[tuple[str, str]] = []
    name: str | None = None
    inside: list[str] = []
    for line in words.splitlines():
        if name is None and line.startswith(FENCE):
            name, inside = line.removeprefix(FENCE).strip(), []
        elif name is not None and line.rstrip() == FENCE:
            found.append((name, "\n".join(inside)))
            name = None
        elif name is not None:
            inside.append(line)
    return found


def fenced_command(words: str) -> list[dict[str, Any]]:
    """The command that a reply ends with: the last of bare fences, the only one of named ones."""
    fences = [(name, text) for name, text in fenced(words) if name in SHELLS and text.strip()]
    is_clear = len(fences) == 1 or (bool(fences) and not fences[-1][0])
    return [command_call(fences[-1][1])] if is_clear else []


def keystrokes(words: str) -> list[dict[str, Any]]:
    """The calls of a reply that is an object with keystrokes for a terminal."""
    if '"commands"' not in words:
        return []
    words = split_thoughts(words)[1]
    reply = dict_or_empty(decode_json_text(words[words.find("{") : words.rfind("}") + 1]))
    listed = reply.get("commands")
    typed = [item for item in objects_in(listed) if isinstance(item.get(KEYS), str)]
    calls = [{"name": KEYS_TOOL, "arguments": item} for item in typed]
    is_done = isinstance(listed, list) and any(reply.get(key) is True for key in DONE_KEYS)
    return [*calls, *([{"name": DONE_TOOL, "arguments": {}}] if is_done else [])]


def acted(words: str, *, observed: bool) -> list[dict[str, Any]]:
    """The action that a reply names after its thought, with the fence or brackets that follow.

    Brackets are written for many reasons: they count where a result was `observed` after them.
    """
    action = _ACTION.search(words) if _THOUGHT.match(words) else None
    if action is None:
        return []
    if action[2] == "\n":
        fences = fenced(words[action.end() :])
        return [{"name": action[1], "arguments": fences[0][1]}] if fences else []
    closing = ")" if action[2] == "(" else "]"
    sent = words[action.end() :].partition("\n")[0].rstrip()
    if not observed or not sent.endswith(closing):
        return []
    return [{"name": action[1], "arguments": sent.removesuffix(closing)}]


def told_of_command(words: str) -> Told | None:
    """What a harness tells of a command, known by its marks; None of what anybody may say."""
    if head := _HEADS.match(words):
        rest = words[head.end() :]
        shown = _without_prompt(rest)
        success = None if head["code"] is None else int(head["code"]) == 0
        return Told((rest if shown is None else shown).strip(), success)
    if (code := return_code(words)) is not None:
        return Told(words, code == 0)
    shown = _without_prompt(words)
    return None if shown is None else Told(shown.strip(), None)


def return_code(words: str) -> int | None:
    """The return code that mini-swe-agent writes before what a command printed."""
    said = _RETURN_CODE.match(words)
    return int(said[1]) if said else None


def _without_prompt(words: str) -> str | None:
    """A screen without the prompt that ends it and what stands before that; None without one."""
    shown, _, prompt = words.rstrip().rpartition("\n")
    if not _PROMPT.fullmatch(prompt.strip()):
        return None
    is_harness = prompt.strip() == _OWN_PROMPT
    while _STATE.fullmatch((lines := shown.rpartition("\n"))[2].strip()):
        shown, is_harness = lines[0], True
    return shown if is_harness else None
