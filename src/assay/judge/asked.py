"""Judges that are asked with a prompt, and the marks that were made up beforehand."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from assay.errors import JudgeFailed, UnknownName
from assay.judge.evidence import EVIDENCE_VERSION
from assay.judge.exchange import Ask, Memory, Question, Reply
from assay.judge.families import kinship_warning
from assay.judge.marks import JudgedBy, Marks, marks_from_mapping
from assay.judge.ordering import USUAL_ORDER, Order
from assay.judge.prompt import Inquiry, reply_keys, reply_schema
from assay.judge.record_text import LONGEST_RECORD
from assay.judge.reply_reading import Replied, read_reply
from assay.judge.rubric import DIMENSION_NAMES, RUBRIC_VERSION
from assay.judge.wording import rubric_hash, wording
from assay.records import preview

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.test_case import AgentTestCase

Amount = TypeVar("Amount", int, float)

CUT_OFF = frozenset({"length", "max_tokens", "MAX_TOKENS"})
_MARK_NAMES = frozenset(
    f"{name}{suffix}" for name in DIMENSION_NAMES for suffix in ("", "_reason", "_reasoning")
)


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


class Manner(Struct, frozen=True):
    """How a judge is asked: the language, the length of the record, and what is remembered."""

    language: str = "en"
    longest_record: int = LONGEST_RECORD
    seed: int = 0
    memory: Memory | None = None


class Inquirer(Struct, frozen=True):
    """Makes a case ready to be asked about: the part of judging that needs nobody else."""

    language: str
    longest_record: int

    def __call__(self, case: AgentTestCase) -> Inquiry:
        """The case made ready to be asked about in any order."""
        return Inquiry(case, language=self.language, longest_record=self.longest_record)


class AskedJudge:
    """A judge that is asked with a prompt: again for what it left out, once more for nonsense."""

    def __init__(self, name: str, ask: Ask, manner: Manner | None = None) -> None:
        """Take a name for the record and the way to ask; an unknown language is refused at once."""
        self.name = name
        self.manner = manner or Manner()
        self._ask = ask
        wording(self.manner.language)

    @property
    def preparation(self) -> Inquirer:
        """What makes a case ready to be asked about."""
        return Inquirer(self.manner.language, self.manner.longest_record)

    async def mark(self, case: AgentTestCase) -> Marks:
        """The marks of one case, asked for in the usual order."""
        return await self.mark_prepared(case, self.inquiry(case))

    async def mark_prepared(self, case: AgentTestCase, prepared: Inquiry) -> Marks:
        """The marks of a case that was made ready."""
        return await self.mark_in_order(prepared, case.model, USUAL_ORDER)

    def inquiry(self, case: AgentTestCase) -> Inquiry:
        """The case made ready to be asked about."""
        return self.preparation(case)

    def question(
        self, inquiry: Inquiry, order: Order = USUAL_ORDER, *, run: int | None = None
    ) -> Question:
        """The first question about a case; `run` tells several about the same case apart."""
        return Question(
            inquiry.prompt(order),
            reply_schema(order.dimensions),
            seed=None if run is None else self.manner.seed,
            run=run or 0,
            judge=self.name,
        )

    async def mark_in_order(
        self, inquiry: Inquiry, judged_model: str | None, order: Order, *, run: int | None = None
    ) -> Marks:
        """The marks of one case, asked for in this order; raises JudgeFailed without all six."""
        question = self.question(inquiry, order, run=run)
        memory = self.manner.memory
        known = None if memory is None else memory.recall(question)
        if known is not None:
            reading, reply = read_reply(self.name, known.content), known
        else:
            asking = _Asking(self._ask, inquiry, order, question)
            reading = await asking.complete()
            reply = asking.whole_reply(reading)
            if memory is not None:
                memory.keep(question, reply)
        warning = kinship_warning(reply.model or self.name, judged_model)
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

    def _provenance(self, question: Question, reply: Reply) -> JudgedBy:
        return JudgedBy(
            self.name,
            reply.model,
            RUBRIC_VERSION,
            rubric_hash(self.manner.language),
            self.manner.language,
            question.seed,
            evidence=EVIDENCE_VERSION,
            prompt_hash=sha256(question.prompt.encode()).hexdigest()[:16],
        )


class _Asking:
    """One set of marks: the question, the repair, the missing dimensions, and what they cost."""

    def __init__(self, ask: Ask, inquiry: Inquiry, order: Order, question: Question) -> None:
        self._ask = ask
        self._inquiry = inquiry
        self._order = order
        self._question = question
        self._replies: list[Reply] = []

    async def complete(self) -> Replied:
        """Ask, once more if the reply is nonsense, then for what is missing; all or an error."""
        reply = await self._reply(self._question)
        try:
            reading = self._read(reply, DIMENSION_NAMES)
        except JudgeFailed as exc:
            again = await self._reply(self._follow_up(str(exc)))
            reading = self._read(again, DIMENSION_NAMES)
        if reading.problems:
            missing = tuple(name for name in self._order.dimensions if name in reading.problems)
            more = await self._reply(self._follow_up(reading.complaint, missing))
            reading = reading.joined(self._read(more, missing))
        if reading.problems:
            raise JudgeFailed(f"{self._question.judge}, asked again, {reading.complaint}")
        return reading

    def whole_reply(self, reading: Replied) -> Reply:
        """All that was replied as one reply: what it says, and what it cost in all."""
        last = self._replies[-1]
        if len(self._replies) == 1:
            return last
        marks: dict[str, Any] = dict(reading.values)
        marks |= {f"{name}_reason": text for name, text in reading.reasons.items()}
        keys = reply_keys(self._order.dimensions)
        return Reply(
            {key: marks[key] for key in keys if key in marks},
            last.model,
            total(reply.input_tokens for reply in self._replies),
            total(reply.output_tokens for reply in self._replies),
            total(reply.cost_usd for reply in self._replies),
            last.finish_reason,
        )

    def _follow_up(self, problem: str, only: tuple[str, ...] = ()) -> Question:
        return replace(
            self._question,
            prompt=self._inquiry.prompt(self._order, only=only, problem=problem),
            schema=reply_schema(only or self._order.dimensions),
        )

    async def _reply(self, question: Question) -> Reply:
        reply = await self._ask(question)
        self._replies.append(reply)
        return reply

    def _read(self, reply: Reply, asked: tuple[str, ...]) -> Replied:
        judge = self._question.judge
        if reply.finish_reason in CUT_OFF:
            raise JudgeFailed(f"{judge} was cut off by its length limit: {preview(reply.content)}")
        return read_reply(judge, reply.content, asked)


def total(amounts: Iterable[Amount | None]) -> Amount | None:
    """The sum of all amounts; None as soon as one is unknown, or without any."""
    known = list(amounts)
    found = [amount for amount in known if amount is not None]
    return sum(found[1:], found[0]) if found and len(found) == len(known) else None
