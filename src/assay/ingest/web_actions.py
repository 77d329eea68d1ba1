"""What agents do in a browser, in words: WebArena's `click [12]`, BrowserGym's `click('12')`.

The words are taken apart, never run.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.ingest.python_calls import LONGEST, NOT_WRITTEN, parsed_python, value_in

if TYPE_CHECKING:
    from collections.abc import Sequence

# Actions of WebArena and its kin, and what stands in their brackets.
BRACKETED = {
    "click": ("element",),
    "type": ("element", "text", "press_enter"),
    "hover": ("element",),
    "press": ("keys",),
    "scroll": ("direction",),
    "select": ("element", "option"),
    "clear": ("element",),
    "upload": ("element", "file"),
    "tab_focus": ("tab",),
    "page_focus": ("tab",),
    "goto": ("url",),
    "note": ("text",),
    "branch": ("parent", "intent"),
    "prune": ("parent", "reason"),
    "stop": ("answer",),
    "new_tab": (),
    "close_tab": (),
    "go_back": (),
    "go_forward": (),
    "go_home": (),
}
# Actions of BrowserGym, and the names of their arguments.
CALLED = {
    "click": ("element", "button", "modifiers"),
    "dblclick": ("element", "button", "modifiers"),
    "hover": ("element",),
    "fill": ("element", "text"),
    "type": ("element", "text"),
    "press": ("element", "keys"),
    "focus": ("element",),
    "clear": ("element",),
    "check": ("element",),
    "uncheck": ("element",),
    "select_option": ("element", "option"),
    "drag_and_drop": ("element", "target"),
    "upload_file": ("element", "file"),
    "scroll": ("dx", "dy"),
    "goto": ("url",),
    "tab_focus": ("tab",),
    "go_back": (),
    "go_forward": (),
    "new_tab": (),
    "tab_close": (),
    "noop": ("wait_ms",),
    "mouse_move": ("x", "y"),
    "mouse_click": ("x", "y", "button"),
    "mouse_dblclick": ("x", "y", "button"),
    "mouse_down": ("x", "y", "button"),
    "mouse_up": ("x", "y", "button"),
    "mouse_drag_and_drop": ("from_x", "from_y", "to_x", "to_y"),
    "mouse_upload_file": ("x", "y", "file"),
    "keyboard_press": ("keys",),
    "keyboard_type": ("text",),
    "keyboard_insert_text": ("text",),
    "keyboard_down": ("key",),
    "keyboard_up": ("key",),
    "send_msg_to_user": ("text",),
    "report_infeasible": ("reason",),
    "stop": ("answer",),
}
# Actions that end a run, and which of their arguments is the answer.
LAST_WORDS = {"stop": "answer", "send_msg_to_user": "text", "report_infeasible": "reason"}
_NAME = re.compile(r"([A-Za-z_]{1,30})\s*+(?=\[|$)")
_REST = "rest"


class Action(NamedTuple):
    """One action and what it was given."""

    name: str
    arguments: dict[str, Any]


def actions_in(text: str) -> list[Action]:
    """The actions that a text consists of; none of any other text."""
    text = text.strip().strip("`").strip()
    if not text or len(text) > LONGEST:
        return []
    bracketed = _bracketed(text)
    return [bracketed] if bracketed else _called(text)


def _bracketed(text: str) -> Action | None:
    named = _NAME.match(text)
    name = named[1].lower() if named else ""
    if named is None or name not in BRACKETED:
        return None
    given, rest = _groups(text[named.end() :])
    if not given and (BRACKETED[name] or rest):
        return None
    return Action(name, _with_names(BRACKETED[name], [*given, *([rest] if rest else [])]))


def _groups(text: str) -> tuple[list[str], str]:
    """What stands in brackets one after the other, and all behind that, be it left open."""
    found: list[str] = []
    place = begin = depth = 0
    while place < len(text) and (depth or text[place] in "[ "):
        if text[place] == "[":
            begin, depth = (place + 1, 1) if depth == 0 else (begin, depth + 1)
        elif text[place] == "]":
            depth -= 1
            if depth == 0:
                found.append(text[begin:place])
        place += 1
    return found, text[begin - 1 if depth else place :].strip()


def _with_names(names: Sequence[str], given: list[Any]) -> dict[str, Any]:
    known = dict(zip(names, given, strict=False))
    more = given[len(names) :]
    return {**known, _REST: more} if more else known


def _called(text: str) -> list[Action]:
    """Actions as calls in Python, one or more; one that BrowserGym does not know spoils all."""
    tree = parsed_python(text, "exec")
    lines = tree.body if isinstance(tree, ast.Module) else []
    calls = [line.value for line in lines if isinstance(line, ast.Expr)]
    try:
        found = [action for call in calls if (action := _action(call)) is not None]
    except NOT_WRITTEN:
        return []
    return found if found and len(found) == len(lines) else []


def _action(call: ast.expr) -> Action | None:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
        return None
    name = call.func.id
    if name not in CALLED or any(keyword.arg is None for keyword in call.keywords):
        return None
    given = _with_names(CALLED[name], [value_in(part) for part in call.args])
    named = {str(keyword.arg): value_in(keyword.value) for keyword in call.keywords}
    return Action(name, {**given, **named})
