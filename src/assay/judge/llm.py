"""A judge that is asked with a prompt: a model, or anything else that turns a prompt into text."""

from __future__ import annotations

import inspect
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import JudgeFailed
from assay.event_loop import in_thread
from assay.judge.evidence import EVIDENCE_VERSION
from assay.judge.marks import JudgedBy, Marks, same_family_warning
from assay.judge.prompt import USUAL_ORDER, Inquiry, Order, reply_keys, reply_schema
from assay.judge.questions import Ask, Memory, Question, Reply
from assay.judge.record_text import LONGEST_RECORD
from assay.judge.replies import Replied, read_reply
from assay.judge.rubric import DIMENSION_NAMES, RUBRIC_VERSION
from assay.judge.wording import rubric_hash, wording
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay.test_case import AgentTestCase

    Method = Callable[[str], Any]

Amount = TypeVar("Amount", int, float)

_CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS"})


class AskOptions(Struct, frozen=True):
    """How a judge is asked: the language, the length of the record, and what is remembered."""

    language: str = "en"
    longest_record: int = LONGEST_RECORD
    seed: int = 0
    memory: Memory | None = None


class PrepareInquiry(Struct, frozen=True):
    """Makes a case ready to be asked about: the part of judging that needs nobody else."""

    language: str
    longest_record: int

    def __call__(self, case: AgentTestCase) -> Inquiry:
        """The case made ready to be asked about in any order."""
        return Inquiry(case, language=self.language, longest_record=self.longest_record)


class LLMJudge:
    """A judge that is asked with a prompt, and once more for what its reply lacks."""

    def __init__(self, name: str, ask: Ask, options: AskOptions | None = None) -> None:
        """Take a name for the record and the way to ask; an unknown language is refused at once."""
        self.name = name
        self.options = options or AskOptions()
        self._ask = ask
        wording(self.options.language)

    @property
    def preparation(self) -> PrepareInquiry:
        """What makes a case ready to be asked about."""
        return PrepareInquiry(self.options.language, self.options.longest_record)

    async def mark(self, case: AgentTestCase) -> Marks:
        """The marks of one case, asked for in the usual order."""
        return await self.mark_prepared(case, self.preparation(case))

    async def mark_prepared(self, case: AgentTestCase, prepared: Inquiry) -> Marks:
        """The marks of a case that was made ready."""
        return await self.mark_in_order(prepared, case.model, USUAL_ORDER)

    def question(
        self, inquiry: Inquiry, order: Order = USUAL_ORDER, *, run: int | None = None
    ) -> Question:
        """The first question about a case; `run` tells several about the same case apart."""
        return Question(
            inquiry.prompt(order),
            reply_schema(order.dimensions),
            seed=None if run is None else self.options.seed,
            run=run or 0,
            judge=self.name,
        )

    async def mark_in_order(
        self, inquiry: Inquiry, judged_model: str | None, order: Order, *, run: int | None = None
    ) -> Marks:
        """The marks of one case, asked for in this order; raises JudgeFailed without all six."""
        question = self.question(inquiry, order, run=run)
        memory = self.options.memory
        known = None if memory is None else memory.recall(question)
        if known is not None:
            reading, reply = read_reply(self.name, known.content), known
        else:
            reading, reply = await self._complete(inquiry, order, question)
            if memory is not None:
                memory.keep(question, reply)
        warning = same_family_warning(reply.model or self.name, judged_model)
        return Marks(
            self.name,
            {name: reading.values[name] for name in DIMENSION_NAMES},
            {name: reading.reasons[name] for name in DIMENSION_NAMES if name in reading.reasons},
            cost_usd=reply.cost_usd,
            input_tokens=reply.input_tokens,
            output_tokens=reply.output_tokens,
            recalled=known is not None,
            provenance=self._provenance(question, reply),
            warnings=() if warning is None else (warning,),
        )

    async def _complete(
        self, inquiry: Inquiry, order: Order, question: Question
    ) -> tuple[Replied, Reply]:
        """Ask, once more for what is missing or unreadable; all marks or an error."""
        first = await self._ask(question)
        try:
            reading = self._read(first, DIMENSION_NAMES)
            problem = reading.complaint
        except JudgeFailed as exc:
            reading, problem = Replied({}, {}, dict.fromkeys(DIMENSION_NAMES, "")), str(exc)
        if not problem:
            return reading, first
        missing = tuple(name for name in order.dimensions if name in reading.problems)
        only = () if len(missing) == len(order.dimensions) else missing
        repair = replace(
            question,
            prompt=inquiry.prompt(order, only=only, problem=problem),
            schema=reply_schema(missing),
        )
        second = await self._ask(repair)
        reading = reading.joined(self._read(second, missing))
        if reading.problems:
            raise JudgeFailed(f"{self.name}, asked again, {reading.complaint}")
        return reading, _joined((first, second), order, reading)

    def _read(self, reply: Reply, asked: tuple[str, ...]) -> Replied:
        if reply.finish_reason in _CUT_OFF:
            raise JudgeFailed(
                f"{self.name} was cut off by its length limit: {preview(reply.content)}"
            )
        return read_reply(self.name, reply.content, asked)

    def _provenance(self, question: Question, reply: Reply) -> JudgedBy:
        language = self.options.language
        return JudgedBy(
            self.name,
            reply.model,
            RUBRIC_VERSION,
            rubric_hash(language),
            language,
            question.seed,
            evidence=EVIDENCE_VERSION,
            prompt_hash=sha256(question.prompt.encode()).hexdigest()[:16],
        )


def _joined(replies: tuple[Reply, ...], order: Order, reading: Replied) -> Reply:
    """Several replies as one: what they say together, and what they cost in all."""
    said: dict[str, Any] = dict(reading.values)
    said |= {f"{name}_reason": text for name, text in reading.reasons.items()}
    return replace(
        replies[-1],
        content={key: said[key] for key in reply_keys(order.dimensions) if key in said},
        input_tokens=total(reply.input_tokens for reply in replies),
        output_tokens=total(reply.output_tokens for reply in replies),
        cost_usd=total(reply.cost_usd for reply in replies),
    )


def total(amounts: Iterable[Amount | None]) -> Amount | None:
    """The sum of all amounts; None as soon as one is unknown, or without any."""
    known = list(amounts)
    found = [amount for amount in known if amount is not None]
    return sum(found[1:], found[0]) if found and len(found) == len(known) else None


def own_ask(model: object, *, asynchronous: bool = True) -> Ask | None:
    """The way to ask a callable, or an object with generate or a_generate; None if it is neither.

    It returns a reply, or a reply and its cost.
    """
    order = ("a_generate", "generate") if asynchronous else ("generate", "a_generate")
    candidates = [*(getattr(model, name, None) for name in order), model]
    method: Method | None = next(filter(callable, candidates), None)
    if method is None:
        return None

    async def ask(question: Question) -> Reply:
        if inspect.iscoroutinefunction(method):
            found = await method(question.prompt)
        else:
            # A model's own synchronous client blocks; other cases must go on meanwhile.
            found = await in_thread(lambda: method(question.prompt))
            if inspect.isawaitable(found):
                found = await found
        content, cost = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        return Reply(content, own_name(model), cost_usd=cost)

    return ask


def own_name(model: object) -> str:
    """The name the model gives itself, else that of the function or class."""
    get_name = getattr(model, "get_model_name", None)
    name = get_name() if callable(get_name) else getattr(model, "__name__", None)
    return str(name or type(model).__name__)
