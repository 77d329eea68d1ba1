"""Who may judge: marks given beforehand, a callable, or anything with generate or a_generate."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from msgspec.structs import replace

from assay.errors import InvalidJudge, JudgeFailed, UnknownName
from assay.event_loop import in_thread
from assay.judge.marks import Marks, marks_from_mapping, marks_from_reply
from assay.judge.prompt import judge_prompt
from assay.judge.rubric import DIMENSION_NAMES
from assay.records import preview

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase

_REPAIR = (
    "Your last reply could not be used: {problem}\n"
    "Answer the same question again, with the JSON object alone.\n\n{prompt}"
)


_MARK_NAMES = frozenset(
    f"{name}{suffix}" for name in DIMENSION_NAMES for suffix in ("", "_reason", "_reasoning")
)


class Judge(Protocol):
    """Gives a case its marks."""

    name: str

    async def mark(self, case: AgentTestCase) -> Marks:
        """The marks of one case; raises JudgeFailed when there are none to be had."""


class FixedMarks:
    """A judge that has made up its mind: the same marks for every case."""

    def __init__(self, marks: Mapping[str, Any]) -> None:
        """Take marks by dimension; what is missing is not judged, what is no dimension refused."""
        self.name = "fixed marks"
        for name in marks:
            if name not in _MARK_NAMES:
                raise UnknownName("dimension", str(name), DIMENSION_NAMES)
        self._marks = marks_from_mapping(self.name, marks)

    async def mark(self, case: AgentTestCase) -> Marks:  # noqa: ARG002 - the marks are fixed
        """The fixed marks."""
        return self._marks


class AskedJudge:
    """A judge that is asked with a prompt, and once more if its reply cannot be used."""

    def __init__(self, name: str, ask: Callable[[str], Any]) -> None:
        """Take a name for the record and a function from prompt to reply, sync or async."""
        self.name = name
        self._ask = ask

    async def mark(self, case: AgentTestCase) -> Marks:
        """Ask, read, and ask once more with what was wrong; then give up loudly."""
        prompt = judge_prompt(case)
        reply, cost = await self._reply(prompt)
        try:
            marks = marks_from_reply(self.name, reply)
        except JudgeFailed as exc:
            reply, more = await self._reply(_REPAIR.format(problem=exc, prompt=prompt))
            cost = None if cost is None or more is None else cost + more
            marks = marks_from_reply(self.name, reply)
        return replace(marks, cost_usd=cost)

    async def _reply(self, prompt: str) -> tuple[object, float | None]:
        if inspect.iscoroutinefunction(self._ask):
            found = await self._ask(prompt)
        else:
            # A model's own synchronous client blocks; other cases must go on meanwhile.
            found = await in_thread(lambda: self._ask(prompt))
            if inspect.isawaitable(found):
                found = await found
        if isinstance(found, tuple) and len(found) == 2:
            return found
        return found, None


def as_judge(model: object, *, asynchronous: bool = True) -> Judge | None:
    """Make a judge of what the user gave; None stays None: nothing is judged."""
    if model is None:
        return None
    if isinstance(model, Mapping):
        return FixedMarks(model)
    if hasattr(model, "mark") and hasattr(model, "name"):
        return model
    ask = _asking_method(model, asynchronous=asynchronous)
    if ask is None:
        raise InvalidJudge(
            f"model: cannot ask {preview(model)}. Give an object with generate or a_generate, "
            "a callable from prompt to reply, or the six marks as a dict"
        )
    return AskedJudge(_name_of(model), ask)


def _asking_method(model: object, *, asynchronous: bool) -> Callable[[str], Any] | None:
    order = ("a_generate", "generate") if asynchronous else ("generate", "a_generate")
    for name in order:
        method = getattr(model, name, None)
        if callable(method):
            found: Callable[[str], Any] = method
            return found
    return model if callable(model) else None


def _name_of(model: object) -> str:
    get_name = getattr(model, "get_model_name", None)
    name = get_name() if callable(get_name) else getattr(model, "__name__", None)
    return str(name or type(model).__name__)
