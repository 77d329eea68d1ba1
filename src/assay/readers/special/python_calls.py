"""Calls that a model wrote as Python, such as `[weather(city="Oslo"), news(limit=3)]`.

The text is parsed, never run; it is hostile until proven otherwise and its length is bounded.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any, Literal

from assay.readers.engine import FoundCall

LONGEST = 20_000
# What JSON writes where Python has a word of its own.
JSON_WORDS = {"true": True, "false": False, "null": None}
NOT_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError)
# Syntax that cannot be written down again: nested too deeply, or a line break in an f-string.
NOT_WRITTEN = (RecursionError, ValueError)


def python_calls(text: str) -> list[FoundCall]:
    """The calls of a text that consists of calls alone; none of any other text."""
    tree = _parsed(text.strip())
    if tree is None:
        return []
    nodes = tree.elts if isinstance(tree, ast.List | ast.Tuple) else [tree]
    calls = [node for node in nodes if isinstance(node, ast.Call) and _is_name(node.func)]
    if len(calls) < len(nodes):
        return []
    try:
        return [FoundCall(ast.unparse(node.func), _arguments(node)) for node in calls]
    except NOT_WRITTEN:
        return []


def _parsed(text: str) -> ast.expr | None:
    tree = parsed_python(text, "eval")
    return tree.body if isinstance(tree, ast.Expression) else None


def parsed_python(text: str, mode: Literal["eval", "exec"]) -> ast.AST | None:
    """The syntax of a text that is Python and not too long; nothing is run."""
    if not text or len(text) > LONGEST:
        return None
    try:
        with warnings.catch_warnings():
            # Doubtful escapes in a model's text are no concern of whoever reads it.
            warnings.simplefilter("ignore")
            return ast.parse(text, mode=mode)
    except NOT_PYTHON:
        return None


def _is_name(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


class _Words(ast.NodeTransformer):
    """Turns JSON's words into the constants they stand for."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(JSON_WORDS[node.id]) if node.id in JSON_WORDS else node


def _arguments(call: ast.Call) -> Any:
    call.args = [_Words().visit(part) for part in call.args]
    call.keywords = [_Words().visit(part) for part in call.keywords]
    if len(call.args) == 1 and not call.keywords:
        alone = _literal(call.args[0])
        if isinstance(alone, dict):
            return alone
    if call.args or any(keyword.arg is None for keyword in call.keywords):
        return ", ".join(ast.unparse(part) for part in (*call.args, *call.keywords))
    return {str(keyword.arg): value_in(keyword.value) for keyword in call.keywords}


def value_in(node: ast.expr) -> Any:
    """A literal, or the words of whatever else stands there.

    Raises one of `NOT_WRITTEN` where there are no such words.
    """
    found = _literal(node)
    is_none = isinstance(node, ast.Constant) and node.value is None
    return ast.unparse(node) if found is None and not is_none else found


def _literal(node: ast.expr) -> Any:
    """What a literal means, as JSON would hold it; None when it is no such literal."""
    try:
        return _as_json(ast.literal_eval(node))
    except (*NOT_PYTHON, TypeError):
        return None


def _as_json(value: Any) -> Any:
    match value:
        case dict():
            return {_key(key): _as_json(item) for key, item in value.items()}
        case list() | tuple():
            return [_as_json(item) for item in value]
        case None | bool() | int():
            return value
        case str():
            value.encode()  # fails where half a character was escaped, which no JSON holds
            return value
        case float() if value - value == 0:
            return value
    kind = type(value).__name__
    raise TypeError(kind)


def _key(key: Any) -> str:
    if isinstance(key, str):
        key.encode()
        return key
    raise TypeError(type(key).__name__)
