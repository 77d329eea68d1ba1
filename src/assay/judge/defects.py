"""Defects planted into good runs: copies of a run with one known mistake, to test judges with.

Each kind of defect is a function from a run to its copy; None where the run offers no place for
it. The same run, kind and seed give the same copy, whatever else is planted and in which order.
Values are replaced where they were used: in the arguments of one call, and where the result of
that call repeats them. All else stays as it was recorded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import replace
from datetime import date, timedelta
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec import Struct

from assay.errors import UnknownName
from assay.evidence import is_write
from assay.test_case import AgentTestCase
from assay.text.leaves import field_of, leaves_of
from assay.text.words import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from assay.execution import ToolExecutionResult

_LONGEST_TEXT = 400_000
_LEAST_WORDS = 12
_TRIES = 20
_REPEATS = 4
_MOST_ALIKE = 0.5
_LOOKED_AT = 25

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?=\D|\Z)")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")
_ID = re.compile(r"#?(?=[\w/#:.-]*\d)[A-Za-z0-9][\w/#:.-]{3,63}")
_NAME = re.compile(r"[A-Z][a-zé'-]{2,20}(?: [A-Z][a-zé'-]{1,20}){0,2}")
_CODE = re.compile(r"(?=.*[A-Z])(?=.*\d)[A-Z\d]+")
# In a query or a program; what a colon follows is a key.
_QUOTED = re.compile(r"(['\"])([^'\"\\\n]{3,80})\1(?!\s*:)")
_ANSWER_NUMBER = re.compile(
    r"(?<![\w.,/-])\d{1,3}(?:,\d{3})+(?:\.\d+)?|(?<![\w.,/-])\d{3,12}(?:\.\d{1,4})?(?![\w/-])"
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_PERSONS = ("Alba", "Bruno", "Celia", "Dario", "Edda", "Falk", "Greta", "Henrik", "Ilse", "Jorun")
_FAMILIES = ("Achterberg", "Brandvold", "Castellan", "Dvorsky", "Eklund", "Fontaine", "Grabowski")
_PLACES = ("Bergen", "Cordoba", "Dresden", "Evora", "Fukuoka", "Ghent", "Hobart", "Izmir")
_PAST = {
    "send": "sent",
    "write": "wrote",
    "make": "made",
    "buy": "bought",
    "pay": "paid",
    "run": "ran",
} | {verb: verb for verb in ("put", "set", "reset")}
_FAILURES = (
    {"error": "Internal server error", "status": 500},
    "Error: the request could not be completed: connection timed out",
    {"success": False, "message": "Operation failed: permission denied"},
)


class Planted(Struct, frozen=True):
    """A copy of a run with one defect: what was put where, in place of what."""

    kind: str
    case: AgentTestCase
    call: int | None = None
    before: str = ""
    after: str = ""


class Neighbours:
    """Other runs of the same kind of work, which lend their values, writes and answers."""

    def __init__(self, cases: Iterable[AgentTestCase]) -> None:
        """Take the runs; a run never borrows from its own task."""
        self._answers: list[tuple[str, str, frozenset[str]]] = []
        self._values: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._writes: list[tuple[str, ToolExecutionResult]] = []
        for case in cases:
            self._add(case)

    def _add(self, case: AgentTestCase) -> None:
        task = task_of(case)
        answer = case.actual_output or ""
        words = _words(answer)
        if len(words) >= _LEAST_WORDS:
            self._answers.append((task, answer, words))
        for call in case.calls:
            for field, value in _leaves(call.parameters):
                if isinstance(value, str) and _ID.fullmatch(value):
                    self._values[call.tool, field].append(value)
        self._writes += [(task, call) for call in case.calls if call.success and is_write(call)]

    def values(self, tool: str, field: str) -> Sequence[str]:
        """What other runs gave this tool in this field."""
        return self._values.get((tool, field), ())

    def writes(self, task: str) -> list[ToolExecutionResult]:
        """Successful calls that changed something for other tasks."""
        return [call for other, call in self._writes if other != task]

    def answers(self, task: str, random: Random) -> list[tuple[str, frozenset[str]]]:
        """Some answers to other tasks, each with its words."""
        others = [(text, words) for other, text, words in self._answers if other != task]
        return random.sample(others, min(len(others), _LOOKED_AT))


class _Slot(NamedTuple):
    """A value that one call was given: alone in a field, or quoted in a longer text."""

    call: int
    field: str
    value: str


class Ground:
    """A run in which defects may be planted, the other runs, and the dice."""

    def __init__(self, case: AgentTestCase, neighbours: Neighbours, random: Random) -> None:
        """Take the original."""
        self.case = case
        self.neighbours = neighbours
        self.random = random
        self.answer = case.actual_output or ""

    @cached_property
    def request(self) -> str:
        """What the user asked for, over all turns."""
        turns = self.case.conversation_history or ()
        said = [text_of(turn.get("content")) for turn in turns if turn.get("role") == "user"]
        return "\n".join([self.case.input, *said])[:_LONGEST_TEXT]

    @cached_property
    def results(self) -> list[str]:
        """The result of each call as text."""
        return [text_of(call.result)[:_LONGEST_TEXT] for call in self.case.calls]

    @cached_property
    def everything(self) -> str:
        """All of the record, in lower case."""
        arguments = [text_of(call.parameters)[:_LONGEST_TEXT] for call in self.case.calls]
        return "\n".join([self.request, self.answer, *self.results, *arguments]).lower()

    @cached_property
    def writes(self) -> list[int]:
        """The successful calls that change something."""
        calls = enumerate(self.case.calls)
        return [i for i, call in calls if call.success and is_write(call)]

    @cached_property
    def slots(self) -> list[_Slot]:
        """The values of successful calls that the request or an earlier result holds."""
        return [slot for slot in self._slots() if self._is_sourced(slot)]

    def is_new(self, text: str) -> bool:
        """Whether the record holds this nowhere."""
        return text.lower() not in self.everything

    def pick(self, slots: Iterable[_Slot]) -> _Slot | None:
        """One of these slots, one of a call that changes something if there is any."""
        found = list(slots)
        weighty = [slot for slot in found if slot.call in self.writes]
        return self.random.choice(weighty or found) if found else None

    def _slots(self) -> Iterator[_Slot]:
        for position, call in enumerate(self.case.calls):
            if not call.success or not call.arguments_recorded:
                continue
            for field, value in _leaves(call.parameters):
                if not isinstance(value, str):
                    continue
                if len(value) <= 80 and "'" not in value and '"' not in value:
                    yield _Slot(position, field, value)
                else:
                    for found in _QUOTED.finditer(value[:_LONGEST_TEXT]):
                        yield _Slot(position, field, found[2])

    def _is_sourced(self, slot: _Slot) -> bool:
        value = slot.value.lower()
        if len(value) < 3:
            return False
        return value in self.request.lower() or any(
            value in text.lower() for text in self.results[: slot.call]
        )


def wrong_id(ground: Ground) -> Planted | None:
    """An id in place of another that the record does not hold anywhere."""
    return _another_value(ground, _is_id, lambda value: _digits_changed(value, ground))


def invented_name(ground: Ground) -> Planted | None:
    """A person, place or mail address that nobody named."""
    return _another_value(ground, _is_name, lambda value: _other_name(value, ground.random))


def invented_date(ground: Ground) -> Planted | None:
    """A date far from the one that was known."""
    far = ground.random.randint(100, 700)
    return _another_value(ground, _DATE.match, lambda value: _shifted(value, far))


def near_miss(ground: Ground) -> Planted | None:
    """Nearly what the request names: one character of an id, one word of a name, a day or two."""

    def is_near(value: str) -> bool:
        return value.lower() in ground.request.lower() and bool(
            _is_id(value) or _DATE.match(value) or _is_name(value)
        )

    def miss(value: str) -> str | None:
        if _DATE.match(value):
            return _shifted(value, ground.random.choice((-2, -1, 1, 2)))
        if _is_id(value):
            return _digits_changed(value, ground, most=1)
        first, _, last = value.rpartition(" ")
        return (
            f"{first} {_other_name(last, ground.random)}"
            if first
            else _other_name(value, ground.random)
        )

    return _another_value(ground, is_near, miss)


def value_of_this_run(ground: Ground) -> Planted | None:
    """Another value of the same shape, which the run holds elsewhere."""
    by_shape: dict[str, set[str]] = defaultdict(set)
    for call, text in zip(ground.case.calls, ground.results, strict=True):
        held = [value for field, value in _leaves(call.result) if isinstance(value, str)]
        for value in held if not isinstance(call.result, str) else _ID.findall(text):
            if _is_value(value):
                by_shape[_shape(value)].add(value)
    by_shape.pop("name0", None)  # a single word may be anything

    def others(value: str) -> list[str]:
        return sorted(by_shape.get(_shape(value), set()) - {value}) if _is_value(value) else []

    return _another_value(
        ground, others, lambda value: ground.random.choice(others(value)), new=False
    )


def value_of_another_run(ground: Ground) -> Planted | None:
    """What another run gave the same field of the same tool."""
    calls, known = ground.case.calls, ground.neighbours
    slots = [
        slot
        for slot in ground.slots
        if any(map(ground.is_new, known.values(calls[slot.call].tool, slot.field)[:_LOOKED_AT]))
    ]
    slot = ground.pick(slots)
    if slot is None:
        return None
    values = known.values(calls[slot.call].tool, slot.field)[:_LOOKED_AT]
    return _put(ground, slot, ground.random.choice([v for v in values if ground.is_new(v)]))


def _another_value(
    ground: Ground,
    fits: Callable[[str], object],
    other: Callable[[str], str | None],
    *,
    new: bool = True,
) -> Planted | None:
    slot = ground.pick(slot for slot in ground.slots if fits(slot.value))
    if slot is None:
        return None
    for _ in range(_TRIES):
        value = other(slot.value)
        if value is None:
            return None
        if value != slot.value and (not new or ground.is_new(value)):
            return _put(ground, slot, value)
    return None


def _put(ground: Ground, slot: _Slot, value: str) -> Planted:
    call = ground.case.calls[slot.call]
    changed = replace(
        call,
        parameters=_replaced(call.parameters, slot.value, value),
        result=_replaced(call.result, slot.value, value),
    )
    calls = list(ground.case.calls)
    calls[slot.call] = changed
    return Planted("", _with_calls(ground.case, calls), slot.call, slot.value, value)


def _replaced(data: Any, old: str, new: str) -> Any:
    """A copy of JSON data in which one value stands for another, whole or bounded in a text."""
    bounded = re.compile(rf"(?<!\w){re.escape(old)}(?!\w)")

    def walk(item: Any) -> Any:
        if isinstance(item, dict):
            return {key: walk(value) for key, value in item.items()}
        if isinstance(item, list):
            return [walk(value) for value in item]
        return bounded.sub(lambda _: new, item) if isinstance(item, str) and old in item else item

    return walk(data)


def amount_by_factor(ground: Ground) -> Planted | None:
    """An amount ten times too large or too small, in a call or else in the answer."""
    slots = [
        (position, field, value)
        for position in ground.writes or range(len(ground.case.calls))
        for field, value in _leaves(ground.case.calls[position].parameters)
        if isinstance(value, (int, float))
        and not isinstance(value, bool)
        and abs(value) >= 10
        and not field.lower().endswith("id")
    ]
    if not slots:
        return _other_number(ground, lambda text: _times_ten(text, ground.random))
    position, field, value = ground.random.choice(slots)
    wrong = value * 10 if ground.random.random() < 0.5 or value % 10 else value // 10
    calls = list(ground.case.calls)
    parameters = _number_replaced(calls[position].parameters, field, value, wrong)
    calls[position] = replace(calls[position], parameters=parameters)
    return Planted("", _with_calls(ground.case, calls), position, str(value), str(wrong))


def invented_number(ground: Ground) -> Planted | None:
    """A number in the answer that is not the one that the results hold."""
    return _other_number(ground, lambda text: _digits_changed(text, ground))


def _other_number(ground: Ground, other: Callable[[str], str | None]) -> Planted | None:
    numbers = dict.fromkeys(_ANSWER_NUMBER.findall(ground.answer[:_LONGEST_TEXT]))
    results = "\n".join(ground.results)
    known = [
        n for n in numbers if n.replace(",", "") in results and not re.fullmatch("20[0-3].", n)
    ]
    if not known:
        return None
    number = ground.random.choice(known)
    wrong = other(number)
    if wrong is None or not ground.is_new(wrong):
        return None
    answer = re.sub(rf"(?<![\w.,]){re.escape(number)}(?![\w])", wrong, ground.answer)
    return _answered(ground, answer, number, wrong)


def _times_ten(number: str, random: Random) -> str:
    plain = number.replace(",", "")
    factor = random.choice((10, 100))
    value = float(plain) * factor
    decimals = len(plain.partition(".")[2])
    return f"{value:{',' if ',' in number else ''}.{decimals}f}"


def _number_replaced(data: Any, field: str, old: float, new: float) -> Any:
    if isinstance(data, dict):
        return {
            key: new if key == field and value == old else _number_replaced(value, field, old, new)
            for key, value in data.items()
        }
    if isinstance(data, list):
        return [_number_replaced(value, field, old, new) for value in data]
    return data


def dropped_write(ground: Ground) -> Planted | None:
    """The last call that changed something was never made; the answer is the same."""
    if not ground.writes or not ground.answer:
        return None
    last = ground.writes[-1]
    calls = [call for i, call in enumerate(ground.case.calls) if i != last]
    return Planted("", _with_calls(ground.case, calls), None, ground.case.calls[last].tool)


def hidden_failure(ground: Ground) -> Planted | None:
    """The last call failed; the answer is the same."""
    if not ground.case.calls or not ground.case.calls[-1].success or not ground.answer:
        return None
    error = ground.random.choice(_FAILURES)
    last = replace(
        ground.case.calls[-1],
        result=error,
        success=False,
        error_message=text_of(error),
        reported_success=None,
        success_rule=None,
    )
    calls = [*ground.case.calls[:-1], last]
    return Planted("", _with_calls(ground.case, calls), len(calls) - 1, "", text_of(error))


def repeated_calls(ground: Ground) -> Planted | None:
    """One call five times in a row, with the same result."""
    good = [i for i, call in enumerate(ground.case.calls) if call.success]
    if not good:
        return None
    place = ground.random.choice(good)
    calls = list(ground.case.calls)
    calls[place:place] = [replace(calls[place], call_id=None) for _ in range(_REPEATS)]
    return Planted("", _with_calls(ground.case, calls), place, "", calls[place].tool)


def extra_write(ground: Ground) -> Planted | None:
    """A write that another task asked for."""
    others = [
        w for w in ground.neighbours.writes(task_of(ground.case)) if _has_new_value(ground, w)
    ]
    if not others:
        return None
    more = replace(ground.random.choice(others), call_id=None, turn=None, parent_id=None)
    place = ground.writes[-1] + 1 if ground.writes else len(ground.case.calls)
    calls = [*ground.case.calls[:place], more, *ground.case.calls[place:]]
    return Planted("", _with_calls(ground.case, calls), place, "", more.tool)


def _has_new_value(ground: Ground, call: ToolExecutionResult) -> bool:
    texts = [value for field, value in _leaves(call.parameters) if isinstance(value, str)]
    return any(_is_id(text) and ground.is_new(text) for text in texts)


def no_answer(ground: Ground) -> Planted | None:
    """The run ends without an answer."""
    return _answered(ground, "", ground.answer[:80], "") if ground.answer else None


def false_claim(ground: Ground) -> Planted | None:
    """The answer claims an action that no call took."""
    done = {ground.case.calls[i].tool for i in ground.writes}
    others = {call.tool for call in ground.neighbours.writes(task_of(ground.case))} - done
    verb, thing = _verb_and_thing(ground.random.choice(sorted(others)) if others else "send_report")
    return _with_claim(ground, f"I have also {_past(verb)} the {thing} for you.")


def claimed_write(ground: Ground) -> Planted | None:
    """The answer claims to have done to another thing of the run what was done to one."""
    used = {slot.value for slot in ground._slots()}  # noqa: SLF001 - the same module
    seen = {found for text in ground.results for found in _ID.findall(text)}
    things = sorted(
        found
        for found in seen - used
        if _is_id(found) and any(_shape(found) == _shape(value) for value in used)
    )
    if not ground.writes or not things:
        return None
    verb, thing = _verb_and_thing(ground.case.calls[ground.writes[-1]].tool)
    value = ground.random.choice(things)
    return _with_claim(ground, f"I have also {_past(verb)} {thing} {value}, as you asked.")


def foreign_answer(ground: Ground) -> Planted | None:
    """The answer to another task, as different as there is."""
    return _borrowed_answer(ground, min)


def neighbour_answer(ground: Ground) -> Planted | None:
    """The answer to another task, as similar as there is."""
    return _borrowed_answer(ground, max)


def _borrowed_answer(ground: Ground, best: Any) -> Planted | None:
    own = _words(ground.answer)
    others = ground.neighbours.answers(task_of(ground.case), ground.random)
    shared = [(len(own & words) / (len(own | words) or 1), text) for text, words in others]
    fit = [(share, text) for share, text in shared if share < _MOST_ALIKE]
    if len(own) < _LEAST_WORDS or not fit:
        return None
    text = best(fit)[1]
    return _answered(ground, text, ground.answer[:80], text[:80])


def _with_claim(ground: Ground, sentence: str) -> Planted | None:
    if not ground.answer or not ground.case.calls:
        return None
    return _answered(ground, f"{ground.answer.rstrip()}\n\n{sentence}", "", sentence)


def _answered(ground: Ground, answer: str, before: str, after: str) -> Planted:
    """The run with another answer, in its conversation too."""
    case = ground.case
    history = None if case.conversation_history is None else list(case.conversation_history)
    for place in range(len(history or ()) - 1, -1, -1):
        if history and history[place].get("content") == case.actual_output:
            history[place : place + 1] = [{**history[place], "content": answer}] if answer else []
            break
    changed = replace(case, actual_output=answer, conversation_history=history)
    return Planted("", changed, None, before, after)


def _verb_and_thing(tool: str) -> tuple[str, str]:
    own = re.split(r"__|[./:]", tool)[-1]
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", own)]
    return (words[0], " ".join(words[1:]) or "request") if words else ("send", "report")


def _past(verb: str) -> str:
    if verb in _PAST:
        return _PAST[verb]
    if verb.endswith("e"):
        return f"{verb}d"
    return f"{verb[:-1]}ied" if re.search("[^aeiou]y$", verb) else f"{verb}ed"


def _is_id(value: str) -> bool:
    return bool(_ID.fullmatch(value)) and not _DATE.match(value)


def _is_name(value: str) -> bool:
    return bool(_NAME.fullmatch(value) or _MAIL.fullmatch(value))


def _is_value(value: str) -> bool:
    return _is_id(value) or _is_name(value) or bool(_DATE.match(value))


def _shape(value: str) -> str:
    """Letters and digits as such: values of one shape stand for things of one kind."""
    if _NAME.fullmatch(value):
        return "name" + str(value.count(" "))
    if _CODE.fullmatch(value):
        return f"code{len(value)}"
    return re.sub(r"\d", "0", re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", value)))


def _digits_changed(value: str, ground: Ground, *, most: int = 64) -> str | None:
    """The value with other digits; the first of a number stays one."""
    for _ in range(_TRIES):
        places = [i for i, char in enumerate(value) if char.isdigit()]
        chosen = ground.random.sample(places, min(most, len(places)))
        chars = list(value)
        for place in chosen:
            chars[place] = ground.random.choice("123456789".replace(chars[place], ""))
        if ground.is_new("".join(chars)):
            return "".join(chars)
    return None


def _other_name(value: str, random: Random) -> str:
    if _MAIL.fullmatch(value):
        own = f"{random.choice(_PERSONS)}.{random.choice(_FAMILIES)}".lower()
        return f"{own}@{value.partition('@')[2]}"
    if " " in value:
        return f"{random.choice(_PERSONS)} {random.choice(_FAMILIES)}"
    return random.choice(_PLACES)


def _shifted(value: str, days: int) -> str | None:
    try:
        return (date.fromisoformat(value[:10]) + timedelta(days)).isoformat() + value[10:]
    except (ValueError, OverflowError):
        return None


def _leaves(data: object) -> list[tuple[str, Any]]:
    """The values of some data, each with the name of its field."""
    return [(field_of(path), value) for path, value in leaves_of(data, open_text=False)]


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text[:20_000]))


def _with_calls(case: AgentTestCase, calls: list[ToolExecutionResult]) -> AgentTestCase:
    data = case.execution_data
    return (
        case if data is None else replace(case, execution_data=replace(data, tool_executions=calls))
    )


DEFECTS: Mapping[str, Callable[[Ground], Planted | None]] = {
    make.__name__: make
    for make in (
        wrong_id,
        invented_name,
        invented_date,
        near_miss,
        invented_number,
        false_claim,
        dropped_write,
        hidden_failure,
        no_answer,
        repeated_calls,
        foreign_answer,
        value_of_this_run,
        value_of_another_run,
        amount_by_factor,
        claimed_write,
        extra_write,
        neighbour_answer,
    )
}
# Mistakes as strong models make them; one run alone rarely gives them away.
REALISTIC = (
    "value_of_this_run",
    "value_of_another_run",
    "amount_by_factor",
    "claimed_write",
    "extra_write",
    "neighbour_answer",
)


def plant(
    case: AgentTestCase, kinds: Iterable[str], neighbours: Neighbours, *, seed: int = 0
) -> Iterator[Planted]:
    """Copies of a run, each with one defect; a kind that it offers no place for is left out."""
    wanted = list(kinds)
    for kind in wanted:
        if kind not in DEFECTS:
            raise UnknownName("kind of defect", kind, DEFECTS)
    ground = Ground(blind(case), neighbours, Random())  # noqa: S311 - no secret
    for kind in wanted:
        ground.random.seed(f"{seed}:{run_key(case)}:{kind}")
        found = DEFECTS[kind](ground)
        if found is not None:
            named = replace(found.case, run_id=f"{run_key(case)}#{kind}")
            yield Planted(kind, named, found.call, found.before, found.after)


def blind(case: AgentTestCase) -> AgentTestCase:
    """The run without its recorded outcome, which would give the answer away."""
    return replace(case, outcome=None)


def run_key(case: AgentTestCase) -> str:
    """What names a run: its own id, else where it was recorded, else what it was asked."""
    source = case.source
    place = f"{source.path}:{source.position}" if source is not None and source.path else ""
    return case.run_id or place or f"{case.input[:200]}:{case.attempt}"


def task_of(case: AgentTestCase) -> str:
    """What names the task of a run."""
    return case.task_id or case.input[:500]
