"""Tracing the argument values of one call, kind by kind: numbers, short texts, long texts."""

from __future__ import annotations

import re
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from assay.evidence.argument_parts import parts_of
from assay.evidence.backing import Backer, Backing
from assay.evidence.calculation import is_calculated
from assay.evidence.json_leaves import SCALARS, leaf_text
from assay.evidence.literals import holds_code
from assay.evidence.own_choices import (
    SMALL,
    goes_to_code_file,
    holds_hour,
    is_id_field,
    is_trivial,
    names_new_thing,
    names_place,
)
from assay.evidence.quantities import number_in
from assay.evidence.tool_kinds import kind_of_tool
from assay.evidence.traced_value import Origin, Status, TracedValue
from assay.evidence.words import phrase_of
from assay.evidence.worked_out import Workings, wholes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.evidence.argument_parts import Parts
    from assay.evidence.atoms import Atom
    from assay.evidence.call_facts import CallFacts
    from assay.evidence.json_leaves import Leaf
    from assay.evidence.schema_values import FieldValues
    from assay.evidence.source import Source
    from assay.evidence.sources import Sources

_NUMBERED = re.compile(r"(?=.*[0-9]).{4,}")
# In a calculation the hours of known times are reckoned with.
_CALCULATION = re.compile(r"[0-9\s.,()+*/-]+")
_HAN = re.compile(r"[\u4e00-\u9fff]{3,}")
_PART_OF_ADDRESS = re.compile(r"[^/?&=#:\s]+")
_SCHEME = re.compile(r"\A[a-z][a-z0-9+.-]{1,10}://(?:www\.)?", re.IGNORECASE)
_ADDRESS_KINDS = frozenset({"url", "path", "email"})
_FILED = frozenset({"url", "path"})
_NUMBERED_KINDS = frozenset({"id", "number"})
_LONGEST_WHOLE = 2_000
_SHORTEST_PART = 4
_MOST_MISSING = 10
_LEAST_NUMBERS = 3
_MOST_NUMBERS = 100
_START = attrgetter("start")
_SETTLED = frozenset({"trivial", "reused"})
_INTRODUCED = frozenset({"nowhere", "ahead", "partly", "unchecked"})


class OwnValues:
    """What the agent sent before: what it introduced itself, and what was traced already."""

    def __init__(self, sources: Sources) -> None:
        """Begin with nothing."""
        self.workings = Workings(sources)
        self._first: dict[str, Origin] = {}
        # Values by tool, field and type whose origin is settled: what is known stays known.
        self.settled: dict[tuple[str, str, type, Any], TracedValue] = {}

    def remember(self, values: Iterable[TracedValue]) -> None:
        """Keep what came from nowhere: used again, it is known from here."""
        for value in values:
            if value.status in _INTRODUCED:
                origin = Origin("call", value.path, value.call)
                for text in value.missing or (leaf_text(value.value),):
                    self._first.setdefault(phrase_of(text), origin)

    def introduce(self, made: Iterable[str], origin: Origin) -> None:
        """Keep the phrases of what a call made, such as a file or a table."""
        for phrase in made:
            self._first.setdefault(phrase, origin)

    def first(self, phrase: str) -> Origin | None:
        """The call that introduced these words."""
        return self._first.get(phrase)


class ValueTracer:
    """Traces the values of one call by what was known before it."""

    __slots__ = (
        "_backer",
        "_facts",
        "_failed",
        "_fields",
        "_own",
        "_position",
        "_runs_commands",
        "_sources",
        "_step",
        "_tool",
        "_wholes",
        "_writes",
        "_writes_code",
    )

    def __init__(
        self,
        sources: Sources,
        own: OwnValues,
        facts: CallFacts,
        fields: Mapping[str, FieldValues],
    ) -> None:
        """Take the sources of the run, the call, and what its tool's schema offers by field."""
        self._sources = sources
        self._own = own
        self._tool = facts.call.tool
        self._runs_commands = kind_of_tool(facts.call.tool) == "command"
        self._writes = facts.writes
        self._writes_code = facts.writes and goes_to_code_file(facts.leaves)
        self._failed = facts.failed
        self._position = facts.position
        self._fields = fields
        self._step = sources.steps[facts.position]
        self._facts = facts
        self._wholes: dict[str, float] | None = None
        self._backer = Backer(sources, before=self._step, echoes=False)

    def trace(self, leaf: Leaf) -> TracedValue:
        """Where this leaf of the call's arguments came from."""
        value = leaf.value
        if value is not None and not isinstance(value, SCALARS):
            return self._settled(leaf, "unchecked")
        key = (self._tool, leaf.field, type(value), value)
        known = self._own.settled.get(key)
        if known is not None:
            return TracedValue(
                self._position, leaf.path, value, known.status, known.origins, share=known.share
            )
        found = self._trace(leaf)
        if found.share == 1.0 or found.status in _SETTLED:
            self._own.settled[key] = found
        return found

    def _trace(self, leaf: Leaf) -> TracedValue:
        value = leaf.value
        if value is None or isinstance(value, bool):
            return self._settled(leaf, "trivial")
        size = number_in(value)
        if size is not None:
            return self._number(leaf, size)
        return self._text(leaf, leaf_text(value))

    def _number(self, leaf: Leaf, size: float) -> TracedValue:
        if is_id_field(leaf.field):
            labelled = self._in_same_field(leaf)
            if labelled is not None:
                return self._traced(leaf, labelled)
        elif is_trivial(size, leaf.field):
            return self._settled(leaf, "trivial")
        backing = self._backer.of_number(leaf.value, size)
        if backing is None and not is_id_field(leaf.field):
            backing = self._backer.of_unit(size) or self._backer.of_conversion(leaf.value, size)
        offered = self._offered(leaf, backing)
        if offered is not None:
            return self._traced(leaf, offered)
        digits = leaf_text(leaf.value)
        if backing is None and len(digits) >= _SHORTEST_PART:
            backing = self._backer.of_text(digits)
        if backing is not None:
            return self._traced(leaf, _origin(backing))
        worked_out = None if is_id_field(leaf.field) else self._worked_out(leaf, size)
        if worked_out is not None:
            return self._traced(leaf, worked_out)
        later = self._sources.fresh.numbers.get(size) if size > SMALL else None
        return self._untraced(leaf, later)

    def _worked_out(self, leaf: Leaf, size: float) -> Origin | None:
        workings = self._own.workings
        found = workings.of_number(size, self._step, self._backer)
        if found is None and holds_hour(leaf.field):
            found = workings.of_hour(size, self._step)
        if found is None and self._wholes is None:
            self._wholes = wholes_of(self._facts.leaves)
        whole = (self._wholes or {}).get(leaf.field)
        return found or workings.of_rest(size, whole, self._step, self._backer)

    def _text(self, leaf: Leaf, value: str) -> TracedValue:
        phrase = phrase_of(value)
        if not phrase.strip():
            return self._settled(leaf, "trivial")
        backing = self._backer.of_text(value) if len(value) <= _LONGEST_WHOLE else None
        offered = self._offered(leaf, backing)
        if offered is not None:
            return self._traced(leaf, offered)
        if backing is not None:
            return self._traced(leaf, _origin(backing))
        if self._writes_code and not names_place(leaf.field):
            return self._settled(leaf, "unchecked")
        code = self._runs_commands or holds_code(leaf.field)
        parts = parts_of(value, self._facts, holds_code=code)
        if len(parts.atoms) == 1 and parts.atoms[0].phrase == phrase:
            return self._whole(leaf, parts)
        found = self._composed(leaf, parts) if parts.atoms else self._plain(leaf, value)
        if parts.made and not self._failed:
            self._own.introduce(parts.made, Origin("call", leaf.path, self._position))
        return found

    def _whole(self, leaf: Leaf, parts: Parts) -> TracedValue:
        """A single value in a form of its own: a date, an address, an id."""
        atom = parts.atoms[0]
        known = self._known_from(atom)
        if known is not None:
            return self._traced(leaf, known)
        if atom.kind in _ADDRESS_KINDS:
            joined = self._joined(atom.text)
            if joined:
                return self._traced(leaf, *joined)
        if atom.kind in parts.proven and self._own.first(atom.phrase) is None:
            return self._settled(leaf, "unchecked")
        return self._untraced(leaf, self._sources.first(atom.phrase))

    def _joined(self, address: str) -> tuple[Origin, ...]:
        """Where the parts of an address came from, if all of them are known."""
        parts = _PART_OF_ADDRESS.findall(_SCHEME.sub("", address))
        found = [self._backer.of_text(part) for part in parts] if len(parts) > 1 else [None]
        if None in found:
            return ()
        return tuple(dict.fromkeys(_origin(part, "join") for part in found if part is not None))

    def _known_from(self, atom: Atom) -> Origin | None:
        """Where a checkable part came from, as it is or by a simple working."""
        backing = self._backed(atom)
        if backing is not None:
            return _origin(backing)
        if atom.quantity is not None:
            size = atom.quantity.size
            unit = self._backer.of_unit(size)
            if unit is not None and unit.source.kind != "result":
                return _origin(unit)
            return self._own.workings.of_number(size, self._step, self._backer)
        return self._own.workings.of_days(atom.days) if atom.days else None

    def _backed(self, atom: Atom) -> Backing | None:
        found = self._backer.of_atom(atom) or self._backer.by_arithmetic(atom)
        if found is None and atom.kind in _FILED and not self._failed:
            # The folder that all is done in, or the site, goes without saying.
            return self._backer.of_ending(atom.text)
        if found is None and atom.kind in _NUMBERED_KINDS:
            return self._backer.of_part(atom.text)
        return found

    def _composed(self, leaf: Leaf, parts: Parts) -> TracedValue:
        origins: list[Origin] = []
        missing: list[str] = []
        worked_out = self._worked_out_in(parts.atoms)
        reckons = _CALCULATION.fullmatch(leaf_text(leaf.value)) is not None
        for atom in parts.atoms:
            known = self._known_from(atom) or self._own.first(atom.phrase)
            if known is None and reckons and atom.quantity is not None:
                known = self._own.workings.of_hour(atom.quantity.size, self._step)
            if known is not None:
                origins.append(known)
            elif atom.kind in parts.proven:
                self._own.introduce((atom.phrase,), Origin("call", leaf.path, self._position))
            elif not (atom.phrase in parts.made or atom in worked_out or parts.may_be_own(atom)):
                missing.append(atom.text)
        if not origins and not missing:
            return self._plain(leaf, leaf_text(leaf.value))
        share = len(origins) / (len(origins) + len(missing))
        if missing and not self._sources.knows_request:
            return self._settled(leaf, "unchecked")
        status: Status = "partly" if origins and missing else "nowhere" if missing else "derived"
        return TracedValue(
            self._position,
            leaf.path,
            leaf.value,
            status,
            tuple(dict.fromkeys(origins)),
            tuple(missing[:_MOST_MISSING]),
            share,
        )

    def _worked_out_in(self, parts: Sequence[Atom]) -> list[Atom]:
        """The numbers of a text that follow from known ones beside them."""
        numbers = sorted((atom for atom in parts if atom.quantity is not None), key=_START)
        if not _LEAST_NUMBERS <= len(numbers) <= _MOST_NUMBERS:
            return []
        known = [atom for atom in numbers if self._backer.of_atom(atom) is not None]
        return [atom for atom in numbers if atom not in known and is_calculated(atom, known)]

    def _plain(self, leaf: Leaf, value: str) -> TracedValue:
        """Words without any checkable form."""
        shortened = self._shortened(value)
        if shortened is not None:
            return self._traced(leaf, shortened)
        own = self._own.first(phrase_of(value))
        if own is not None:
            return self._settled(leaf, "reused", own)
        if " " not in value and (is_id_field(leaf.field) or _NUMBERED.fullmatch(value)):
            return self._untraced(leaf, self._sources.first(phrase_of(value)))
        return self._settled(leaf, "unchecked")

    def _shortened(self, value: str) -> Origin | None:
        """A Chinese name with an ending that was not said, such as the word for station."""
        if not value.isascii() and _HAN.fullmatch(value):
            for shorter in (value[:-1], value[:-2], value[1:]):
                backing = self._backer.of_text(shorter) if len(shorter) > 1 else None
                if backing is not None:
                    return _origin(backing, "join")
        return None

    def _in_same_field(self, leaf: Leaf) -> Origin | None:
        """An earlier result that has this number, however small, in a field of the same name."""
        sent = f'"{leaf.field}":{leaf.value}'
        for source in self._sources.holders(phrase_of(leaf.field)) if leaf.field else ():
            if source.call is None or source.step >= self._step:
                continue
            found = source.leaf_in_field(leaf.field, leaf.value)
            if found is not None and not self._sources.was_sent(source.call, sent):
                return Origin("result", found.path, source.call)
        return None

    def _offered(self, leaf: Leaf, backing: Backing | None) -> Origin | None:
        """The schema, unless the prompt or the conversation said the value."""
        if backing is not None and backing.source.kind != "result":
            return None
        field = self._fields.get(leaf.field)
        keyword = None if field is None else field.keyword_for(leaf.value)
        if keyword is None or (keyword == "description" and backing is not None):
            return None
        return Origin("schema", keyword)

    def _untraced(self, leaf: Leaf, later: Source | None) -> TracedValue:
        text = leaf_text(leaf.value)
        own = self._own.first(phrase_of(text))
        if own is not None:
            return self._settled(leaf, "reused", own)
        part = self._backer.of_part(text)
        if part is not None:
            return self._traced(leaf, _origin(part))
        if self._is_own_choice(leaf.field) or not self._sources.knows_request:
            return self._settled(leaf, "unchecked")
        # What a call writes is read back later: that does not make it known too early.
        if later is None or later.call is None or later.step < self._step or self._writes:
            return TracedValue(self._position, leaf.path, leaf.value, "nowhere", share=0.0)
        place = later.leaf_with(leaf.value, phrase_of(text)).path
        origin = Origin("result", place, later.call)
        return TracedValue(self._position, leaf.path, leaf.value, "ahead", (origin,), share=0.0)

    def _is_own_choice(self, field: str) -> bool:
        """Whether a field says what a new thing is called, or where it is put."""
        return self._writes and (
            names_new_thing(field) or (names_place(field) and not self._failed)
        )

    def _traced(self, leaf: Leaf, *origins: Origin) -> TracedValue:
        status: Status = "traced"
        for origin in origins:
            if origin.step:
                status = "derived"
        return TracedValue(self._position, leaf.path, leaf.value, status, origins, share=1.0)

    def _settled(self, leaf: Leaf, status: Status, *origins: Origin) -> TracedValue:
        return TracedValue(self._position, leaf.path, leaf.value, status, origins)


def _origin(backing: Backing, step: str = "") -> Origin:
    source = backing.source
    return Origin(source.kind, backing.path, source.call, backing.step or step)
