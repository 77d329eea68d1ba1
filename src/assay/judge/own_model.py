"""Asking what the user brought along: a callable, or an object with generate or a_generate."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from assay.event_loop import in_thread
from assay.judge.exchange import Reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.judge.exchange import Ask, Question

    Method = Callable[[str], Any]


def own_ask(model: object, *, asynchronous: bool = True) -> Ask | None:
    """The way to ask this model; None if there is none."""
    method = _asking_method(model, asynchronous=asynchronous)
    if method is None:
        return None
    name = own_name(model)

    async def ask(question: Question) -> Reply:
        content, cost = await _reply(method, question.prompt)
        return Reply(content, name, cost_usd=cost)

    return ask


def own_name(model: object) -> str:
    """The name the model gives itself, else that of the function or class."""
    get_name = getattr(model, "get_model_name", None)
    name = get_name() if callable(get_name) else getattr(model, "__name__", None)
    return str(name or type(model).__name__)


def _asking_method(model: object, *, asynchronous: bool) -> Method | None:
    order = ("a_generate", "generate") if asynchronous else ("generate", "a_generate")
    for name in order:
        method = getattr(model, name, None)
        if callable(method):
            found: Method = method
            return found
    return model if callable(model) else None


async def _reply(method: Method, prompt: str) -> tuple[object, float | None]:
    if inspect.iscoroutinefunction(method):
        found = await method(prompt)
    else:
        # A model's own synchronous client blocks; other cases must go on meanwhile.
        found = await in_thread(lambda: method(prompt))
        if inspect.isawaitable(found):
            found = await found
    if isinstance(found, tuple) and len(found) == 2:
        return found
    return found, None
