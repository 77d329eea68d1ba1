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
    from collections.abc import Callable, Iterable, Iterator

    from assay.execution import ToolExecutionResult

_LONGEST_TEXT = 400_000
_LONGEST_VALUE = 80
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
_NUMBER = re.compile(
    r"(?<![\w.,/-])(?!20[0-3]\d\b)(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{3,12}(?:\.\d{1,4})?(?![\w/-]))"
)
_WORD = re.compile(r"[^\W\d_]{4,}")
_PERSONS = ("Alba", "Bruno", "Celia", "Dario", "Edda", "Falk", "Greta", "Henrik", "Ilse", "Jorun")
_FAMILIES = ("Achterberg", "Brandvold", "Castellan", "Dvorsky", "Eklund", "Fontaine", "Grabowski")
_PLACES = ("Bergen", "Cordoba", "Dresden", "Evora", "Fukuoka", "Ghent", "Hobart", "Izmir")
_PAST = {"send": "sent", "write": "wrote", "make": "made", "buy": "bought", "pay": "paid"}
_PAST |= {"run": "ran", "put": "put", "set": "set", "reset": "reset"}
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
        """Take the runs; a run never borrows writes or answers from its own task."""
        self._answers: list[tuple[str, str, frozenset[str]]] = []
        self._values: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        self._writes: list[tuple[str, ToolExecutionResult]] = []
        for case in cases:
            task, words = _task_of(case), _words(case.actual_output or "")
            if len(words) >= _LEAST_WORDS:
                self._answers.append((task, case.actual_output or "", words))
            for call in case.calls:
                for field, value in _leaves(call.parameters):
                    if isinstance(value, str) and _ID.fullmatch(value):
                        self._values[call.tool, field].append(value)
                if call.success and is_write(call):
                    self._writes.append((task, call))

    def values(self, tool: str, field: str) -> list[str]:
        """Some of what other runs gave this tool in this field."""
        return self._values.get((tool, field), [])[:_LOOKED_AT]

    def writes(self, case: AgentTestCase) -> list[ToolExecutionResult]:
        """Successful calls that changed something for other tasks."""
        return [call for task, call in self._writes if task != _task_of(case)]

    def answers(self, case: AgentTestCase, random: Random) -> list[tuple[str, frozenset[str]]]:
        """Some answers to other tasks, each with its words."""
        others = [(text, words) for task, text, words in self._answers if task != _task_of(case)]
        return random.sample(others, min(len(others), _LOOKED_AT))


class _Slot(NamedTuple):
    """A value that one call was given: alone in a field, or quoted in a longer text."""

    call: int
    field: str
    value: str


class Ground:
    """A run in which defects may be planted, the other runs, and the dice."""

    def __init__(self, case: AgentTestCase, neighbours: Neighbours) -> None:
        """Take the original."""
        self.case = case
        self.neighbours = neighbours
        self.random = Random()  # noqa: S311 - no secret
        self.answer = (case.actual_output or "")[:_LONGEST_TEXT]

    @cached_property
    def request(self) -> str:
        """What the user asked for, over all turns, in lower case."""
        turns = self.case.conversation_history or ()
        said = [text_of(turn.get("content")) for turn in turns if turn.get("role") == "user"]
        return "\n".join([self.case.input, *said])[:_LONGEST_TEXT].lower()

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
    def given(self) -> list[_Slot]:
        """The values that successful calls were given."""
        found: list[_Slot] = []
        for position, call in enumerate(self.case.calls):
            given = _leaves(call.parameters) if call.success and call.arguments_recorded else []
            for field, value in given:
                text = value if isinstance(value, str) else ""
                is_one = len(text) <= _LONGEST_VALUE and "'" not in text and '"' not in text
                quoted = [] if is_one else _QUOTED.findall(text[:_LONGEST_TEXT])
                parts = [text] if is_one else [part for _, part in quoted]
                found += [_Slot(position, field, part) for part in parts if len(part) > 2]
        return found

    @cached_property
    def slots(self) -> list[_Slot]:
        """Those of them that the request or an earlier result holds."""
        results = [text.lower() for text in self.results]
        return [
            slot
            for slot in self.given
            if slot.value.lower() in self.request
            or any(slot.value.lower() in text for text in results[: slot.call])
        ]

    def is_new(self, text: str) -> bool:
        """Whether the record holds this nowhere."""
        return text.lower() not in self.everything

    def pick(self, slots: Iterable[_Slot]) -> _Slot | None:
        """One of these slots, one of a call that changes something if there is any."""
        found = list(slots)
        weighty = [slot for slot in found if slot.call in self.writes]
        return self.random.choice(weighty or found) if found else None

    def another(
        self, fits: Callable[[str], object], other: Callable[[str], str | None], *, new: bool = True
    ) -> Planted | None:
        """A value that fits replaced by another one, which is in the record only if not `new`."""
        slot = self.pick(slot for slot in self.slots if fits(slot.value))
        for _ in range(_TRIES if slot else 0):
            value = slot and other(slot.value)
            if slot and value and value != slot.value and (not new or self.is_new(value)):
                return self.put(slot, value)
        return None

    def put(self, slot: _Slot, value: str) -> Planted:
        """The run with another value in this slot, and in the result of its call."""
        # Bounded: an id inside a longer word is another one.
        old = re.compile(rf"(?<!\w){re.escape(slot.value)}(?!\w)")

        def change(_: str, held: Any) -> Any:
            return old.sub(lambda _: value, held) if isinstance(held, str) else held

        call = self.case.calls[slot.call]
        parameters, result = _mapped(call.parameters, change), _mapped(call.result, change)
        changed = [replace(call, parameters=parameters, result=result)]
        return self.with_calls(slot.call, slot.call + 1, changed, slot.value, value)

    def with_calls(
        self, start: int, end: int, calls: list[ToolExecutionResult], *words: str
    ) -> Planted:
        """The run with other calls from one place to another."""
        every = [*self.case.calls[:start], *calls, *self.case.calls[end:]]
        data = self.case.execution_data
        data = data and replace(data, tool_executions=every)
        return Planted("", replace(self.case, execution_data=data), start, *words)

    def answered(self, answer: str, before: str, after: str) -> Planted:
        """The run with another answer, in its conversation too."""
        case = self.case
        history = list(case.conversation_history or ())
        for place in range(len(history) - 1, -1, -1):
            if history[place].get("content") == case.actual_output:
                history[place : place + 1] = (
                    [history[place] | {"content": answer}] if answer else []
                )
                break
        kept = history if case.conversation_history is not None else None
        changed = replace(case, actual_output=answer, conversation_history=kept)
        return Planted("", changed, None, before, after)


DEFECTS: dict[str, Callable[[Ground], Planted | None]] = {}
# Mistakes as strong models make them; one run alone rarely gives them away.
REALISTIC: set[str] = set()


def _defect(make: Callable[[Ground], Planted | None]) -> Callable[[Ground], Planted | None]:
    """A kind of defect, by the name of the function that plants it."""
    DEFECTS[make.__name__] = make
    return make


def _realistic(make: Callable[[Ground], Planted | None]) -> Callable[[Ground], Planted | None]:
    REALISTIC.add(make.__name__)
    return _defect(make)


@_defect
def wrong_id(ground: Ground) -> Planted | None:
    """An id in place of another that the record does not hold anywhere."""
    return ground.another(_is_id, lambda value: _digits_changed(value, ground))


@_defect
def invented_name(ground: Ground) -> Planted | None:
    """A person, place or mail address that nobody named."""
    return ground.another(_is_name, lambda value: _other_name(value, ground.random))


@_defect
def invented_date(ground: Ground) -> Planted | None:
    """A date far from the one that was known."""
    far = ground.random.randint(100, 700)
    return ground.another(_DATE.match, lambda value: _shifted(value, far))


@_defect
def near_miss(ground: Ground) -> Planted | None:
    """Nearly what the request names: one digit of an id, one word of a name, a day or two."""

    def miss(value: str) -> str | None:
        if _DATE.match(value):
            return _shifted(value, ground.random.choice((-2, -1, 1, 2)))
        if _is_id(value):
            return _digits_changed(value, ground, most=1)
        first, space, last = value.rpartition(" ")
        return first + space + _other_name(last, ground.random)

    return ground.another(lambda v: v.lower() in ground.request and _is_value(v), miss)


@_realistic
def value_of_this_run(ground: Ground) -> Planted | None:
    """Another value of the same shape, which the run holds elsewhere."""
    by_shape: defaultdict[str, set[str]] = defaultdict(set)
    for call, text in zip(ground.case.calls, ground.results, strict=True):
        held = [value for _, value in _leaves(call.result) if isinstance(value, str)]
        for value in _ID.findall(text) if isinstance(call.result, str) else held:
            # A single word may be anything.
            if _is_value(value) and _shape(value) != "name0":
                by_shape[_shape(value)].add(value)

    def others(value: str) -> list[str]:
        return sorted(by_shape[_shape(value)] - {value}) if _is_value(value) else []

    return ground.another(others, lambda value: ground.random.choice(others(value)), new=False)


@_realistic
def value_of_another_run(ground: Ground) -> Planted | None:
    """What another run gave the same field of the same tool."""

    def others(slot: _Slot) -> list[str]:
        tool = ground.case.calls[slot.call].tool
        return [v for v in ground.neighbours.values(tool, slot.field) if ground.is_new(v)]

    slot = ground.pick(slot for slot in ground.slots if others(slot))
    return slot and ground.put(slot, ground.random.choice(others(slot)))


@_defect
def invented_number(ground: Ground) -> Planted | None:
    """A number in the answer that is not the one that the results hold."""
    return _other_number(ground, lambda text: _digits_changed(text, ground))


@_realistic
def amount_by_factor(ground: Ground) -> Planted | None:
    """An amount ten times too large or too small, in a call or else in the answer."""
    slots = [
        (position, field, value)
        for position in ground.writes or range(len(ground.case.calls))
        for field, value in _leaves(ground.case.calls[position].parameters)
        if type(value) in {int, float} and abs(value) >= 10
        if not field.lower().endswith("id")
    ]
    if not slots:
        return _other_number(ground, _times_ten)
    position, name, amount = ground.random.choice(slots)
    wrong = amount // 10 if amount % 10 == 0 else amount * 10

    def change(field: str, value: Any) -> Any:
        return wrong if field == name and value == amount else value

    call = ground.case.calls[position]
    changed = [replace(call, parameters=_mapped(call.parameters, change))]
    return ground.with_calls(position, position + 1, changed, str(amount), str(wrong))


def _other_number(ground: Ground, other: Callable[[str], str | None]) -> Planted | None:
    results = "\n".join(ground.results)
    numbers = dict.fromkeys(_NUMBER.findall(ground.answer))
    known = [number for number in numbers if number.replace(",", "") in results]
    number = ground.random.choice(known) if known else ""
    wrong = other(number) if number else None
    if wrong is None or not ground.is_new(wrong):
        return None
    answer = re.sub(rf"(?<![\w.,]){re.escape(number)}(?![\w])", wrong, ground.answer)
    return ground.answered(answer, number, wrong)


def _times_ten(number: str) -> str:
    plain = number.replace(",", "")
    decimals = len(plain.partition(".")[2])
    return f"{10 * float(plain):{',' if ',' in number else ''}.{decimals}f}"


@_defect
def dropped_write(ground: Ground) -> Planted | None:
    """The last call that changed something was never made; the answer is the same."""
    if not ground.writes or not ground.answer:
        return None
    last = ground.writes[-1]
    return ground.with_calls(last, last + 1, [], ground.case.calls[last].tool)


@_defect
def hidden_failure(ground: Ground) -> Planted | None:
    """The last call failed; the answer is the same."""
    calls = ground.case.calls
    if not calls or not calls[-1].success or not ground.answer:
        return None
    error = ground.random.choice(_FAILURES)
    last = replace(calls[-1], result=error, success=False, error_message=text_of(error))
    last.reported_success, last.success_rule = None, None
    return ground.with_calls(len(calls) - 1, len(calls), [last], "", text_of(error))


@_defect
def repeated_calls(ground: Ground) -> Planted | None:
    """One call five times in a row, with the same result."""
    good = [i for i, call in enumerate(ground.case.calls) if call.success]
    if not good:
        return None
    place = ground.random.choice(good)
    again = replace(ground.case.calls[place], call_id=None)
    return ground.with_calls(place, place, [again] * _REPEATS, "", again.tool)


@_realistic
def extra_write(ground: Ground) -> Planted | None:
    """A change that another task asked for."""
    others = [
        call
        for call in ground.neighbours.writes(ground.case)
        for _, text in _leaves(call.parameters)
        if isinstance(text, str) and _is_id(text) and ground.is_new(text)
    ]
    if not others:
        return None
    more = replace(ground.random.choice(others), call_id=None, turn=None, parent_id=None)
    place = ground.writes[-1] + 1 if ground.writes else len(ground.case.calls)
    return ground.with_calls(place, place, [more], "", more.tool)


@_defect
def no_answer(ground: Ground) -> Planted | None:
    """The run ends without an answer."""
    return ground.answered("", ground.answer[:_LONGEST_VALUE], "") if ground.answer else None


@_defect
def false_claim(ground: Ground) -> Planted | None:
    """The answer claims an action that no call took."""
    done = {ground.case.calls[i].tool for i in ground.writes}
    others = {call.tool for call in ground.neighbours.writes(ground.case)} - done
    verb, thing = _verb_and_thing(ground.random.choice(sorted(others)) if others else "send_report")
    return _with_claim(ground, f"I have also {verb} the {thing} for you.")


@_realistic
def claimed_write(ground: Ground) -> Planted | None:
    """The answer claims to have done to another thing of the run what was done to one."""
    used = {slot.value for slot in ground.given}
    shapes = {_shape(value) for value in used}
    seen = {found for text in ground.results for found in _ID.findall(text)} - used
    things = sorted(found for found in seen if _is_id(found) and _shape(found) in shapes)
    if not ground.writes or not things:
        return None
    verb, thing = _verb_and_thing(ground.case.calls[ground.writes[-1]].tool)
    claim = f"I have also {verb} {thing} {ground.random.choice(things)}, as you asked."
    return _with_claim(ground, claim)


@_defect
def foreign_answer(ground: Ground) -> Planted | None:
    """The answer to another task, as different as there is."""
    return _borrowed_answer(ground, min)


@_realistic
def neighbour_answer(ground: Ground) -> Planted | None:
    """The answer to another task, as similar as there is."""
    return _borrowed_answer(ground, max)


def _borrowed_answer(ground: Ground, best: Any) -> Planted | None:
    own = _words(ground.answer)
    others = ground.neighbours.answers(ground.case, ground.random)
    shared = [(len(own & words) / (len(own | words) or 1), text) for text, words in others]
    fit = [(share, text) for share, text in shared if share < _MOST_ALIKE]
    if len(own) < _LEAST_WORDS or not fit:
        return None
    text = best(fit)[1]
    return ground.answered(text, ground.answer[:_LONGEST_VALUE], text[:_LONGEST_VALUE])


def _with_claim(ground: Ground, sentence: str) -> Planted | None:
    if not ground.answer or not ground.case.calls:
        return None
    return ground.answered(f"{ground.answer.rstrip()}\n\n{sentence}", "", sentence)


def _verb_and_thing(tool: str) -> tuple[str, str]:
    """What a tool did and to what, by its name: the verb in the past."""
    own = re.split(r"__|[./:]", tool)[-1]
    verb, *things = re.findall(r"[a-z]+|[A-Z]+(?![a-z])|[A-Z][a-z]+", own) or ["send"]
    verb = verb.lower()
    if verb not in _PAST:
        stem = f"{verb[:-1]}i" if re.search("[^aeiou]y$", verb) else verb.removesuffix("e")
        return f"{stem}ed", " ".join(things).lower() or "request"
    return _PAST[verb], " ".join(things).lower() or "request"


def _is_id(value: str) -> bool:
    return bool(_ID.fullmatch(value)) and not _DATE.match(value)


def _is_name(value: str) -> bool:
    return bool(_NAME.fullmatch(value) or _MAIL.fullmatch(value))


def _is_value(value: str) -> bool:
    return _is_id(value) or _is_name(value) or bool(_DATE.match(value))


def _shape(value: str) -> str:
    """Letters and digits as such: values of one shape stand for things of one kind."""
    if _NAME.fullmatch(value):
        return f"name{value.count(' ')}"
    if _CODE.fullmatch(value):
        return f"code{len(value)}"
    return re.sub(r"\d", "0", re.sub(r"[a-z]+", "a", re.sub(r"[A-Z]+", "A", value)))


def _digits_changed(value: str, ground: Ground, *, most: int = 64) -> str | None:
    """The value with other digits, none of them 0, that the record does not hold."""
    places = [i for i, char in enumerate(value) if char.isdigit()]
    for _ in range(_TRIES):
        chars = list(value)
        for place in ground.random.sample(places, min(most, len(places))):
            chars[place] = ground.random.choice("123456789".replace(chars[place], ""))
        if ground.is_new("".join(chars)):
            return "".join(chars)
    return None


def _other_name(value: str, random: Random) -> str:
    person = f"{random.choice(_PERSONS)} {random.choice(_FAMILIES)}"
    if _MAIL.fullmatch(value):
        return f"{person.replace(' ', '.').lower()}@{value.partition('@')[2]}"
    return person if " " in value else random.choice(_PLACES)


def _shifted(value: str, days: int) -> str | None:
    try:
        return (date.fromisoformat(value[:10]) + timedelta(days)).isoformat() + value[10:]
    except (ValueError, OverflowError):
        return None


def _leaves(data: object) -> list[tuple[str, Any]]:
    """The values of some data, each with the name of its field."""
    return [(field_of(path), value) for path, value in leaves_of(data, open_text=False)]


def _mapped(data: Any, change: Callable[[str, Any], Any], field: str = "") -> Any:
    """A copy of JSON data, each value put through a function of its field and itself."""
    if isinstance(data, dict):
        return {key: _mapped(value, change, str(key)) for key, value in data.items()}
    if isinstance(data, list):
        return [_mapped(value, change, field) for value in data]
    return change(field, data)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text[:20_000]))


def plant(
    case: AgentTestCase, kinds: Iterable[str], neighbours: Neighbours, *, seed: int = 0
) -> Iterator[Planted]:
    """Copies of a run, each with one defect; a kind that it offers no place for is left out."""
    ground = Ground(blind(case), neighbours)
    for kind in kinds:
        if kind not in DEFECTS:
            raise UnknownName("kind of defect", kind, DEFECTS)
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


def _task_of(case: AgentTestCase) -> str:
    return case.task_id or case.input[:500]
