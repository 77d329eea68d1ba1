"""Cases into a store, a batch at a time: redacted, each run once, whole batches only."""

from __future__ import annotations

from collections import Counter
from itertools import repeat
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import msgspec
from msgspec import Struct

from assay.engine import connect, file_list, in_our_words, quoted
from assay.errors import InvalidRecord, NotJson
from assay.evaluation import RecordedEvaluation
from assay.redaction import redact_each, redact_json
from assay.store.case_text import read_facts, source_text, written_case
from assay.store.golden import golden_among, marks_of
from assay.store.growth import PLACE, Places, State, outgrown_among, place_of, stored_states
from assay.store.layout import files_of
from assay.store.lookalikes import MASKING, Lookalikes, Seeming, rules
from assay.store.row_files import PARQUET, write_rows
from assay.store.tables import (
    KEYS,
    OutgrownRow,
    call_rows,
    run_key,
    run_row,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from assay.engine import Engine
    from assay.evaluation import Judged
    from assay.run import Source
    from assay.store.case_text import CaseFacts, EncodedCall
    from assay.store.growth import Place
    from assay.store.layout import Layout
    from assay.store.tables import CallRow
    from assay.test_case import AgentTestCase

_ENCODER = msgspec.json.Encoder()
_CASES_PER_GROUP = 2_048
# What a row of a call takes as text, roughly; most of it is in the case as well.
_CALL_ROW_BYTES = 600
# Where the place begins that an evaluation was read from: its last field.
_PLACE = b'"source_path":'
# What is wrong with a case that could not be read back.
_UNFIT = (InvalidRecord, NotJson)
_KEYS = {table: name.encode() for table, name in KEYS.items()}
# The tables whose keys tell what a store has already.
_KEYED = ("outgrown", "evaluations", "summaries")


class BatchLimit(Struct, frozen=True):
    """When a batch is full. It is held in memory until then, so this bounds the memory.

    Evaluations count as runs do.
    """

    runs: int = 10_000
    bytes: int = 16 * 1024 * 1024


class _Item(NamedTuple):
    """All that is written of one run."""

    key: str
    case: str
    source: str | None
    run_line: bytes
    call_rows: list[CallRow]
    format: str
    redactions: int
    seeming: Seeming | None
    place: Place

    @property
    def state(self) -> State:
        """The run as it is told apart from others of the same id."""
        return State(self.key, self.source, self.case)


class _Fresh(NamedTuple):
    """A case that the store does not have, its text as it is to be written, what rows tell of it.

    That is the case itself or, where something was masked, the facts in its text.
    """

    case: AgentTestCase
    text: str
    recorded: bytes
    told: AgentTestCase | CaseFacts
    calls: Sequence[EncodedCall]
    size: int
    redactions: int = 0


class _Taken(NamedTuple):
    """Cases that the store does not have, by key, and how many it has, by format."""

    fresh: dict[str, _Fresh]
    known: Counter[str]


class _Outgrown(NamedTuple):
    """Runs of the store and the keys of their later states, and which of them are golden."""

    later: dict[str, str]
    golden: list[str]


class _Judgement(NamedTuple):
    """All that is written of one evaluation or summary."""

    key: str
    table: str
    line: bytes


class Writer:
    """Takes cases, writes batches; what was written when it dies is complete or invisible.

    Several writers, each in a process of its own, may work on one store.
    """

    def __init__(
        self,
        layout: Layout,
        *,
        redact: bool = True,
        emails: bool = False,
        trusted: bool = False,
        limit: BatchLimit | None = None,
    ) -> None:
        """Take the store's layout; `emails` redacts mail addresses as well.

        `trusted` cases were just read from JSON and hold nothing else; that is not proven again.
        """
        self.batches = 0
        # By format; runs that were broken off in the midst of are in neither.
        self.formats_added: Counter[str] = Counter()
        self.formats_known: Counter[str] = Counter()
        self.redactions = 0
        # Runs of the store that went on meanwhile, and are here in their later state now.
        self.outgrown = 0
        # Of the runs that were known already: those that were there in a later state.
        self.earlier_states = 0
        self.judged_added: Counter[str] = Counter()
        self.judged_known_already: Counter[str] = Counter()
        self._layout = layout
        self._redact, self._emails, self._trusted = redact, emails, trusted
        self._limit = limit or BatchLimit()
        self._rules = rules(emails=emails)
        self._lookalikes = Lookalikes()
        self._known: set[str] = set()
        self._places = Places()
        self._seen_batches: set[str] = set()
        self._items: list[_Item] = []
        self._judgements: list[_Judgement] = []
        self._bytes = 0
        self._engine: Engine

    def __enter__(self) -> Self:
        """Clear away what dead writers left, and look up which runs the store holds."""
        self._layout.sweep()
        self._engine = connect(spill=self._layout.spill_folder(), threads=1)
        self._learn_new_batches()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish the batch in hand, also after Ctrl-C; throw it away after a bug."""
        try:
            if kind is None or issubclass(kind, KeyboardInterrupt):
                self._finish()
        finally:
            self._engine.close()

    @property
    def added(self) -> int:
        """How many runs were written."""
        return self.formats_added.total()

    @property
    def known_already(self) -> int:
        """How many runs the store had already."""
        return self.formats_known.total()

    def add(self, case: AgentTestCase) -> bool:
        """Take a case; False when the store has this run already."""
        return self.add_all([case]) == 1

    def add_all(
        self,
        cases: Sequence[AgentTestCase],
        on_unfit: Callable[[AgentTestCase, Exception], object] | None = None,
    ) -> int:
        """Take some cases, all held at once; how many of them the store did not have.

        Whether it has one that another version masked differently is seen when the batch is
        written: `added` and `known_already` tell in the end. `on_unfit` hears of a case that
        could not be read back, and why, and the others are taken; without it that is an error.
        """
        try:
            taken = self._looked_at(cases)
        except _UNFIT:
            if on_unfit is None:
                raise
            taken = self._looked_at([case for case in cases if self._is_fit(case, on_unfit)])
        self._take(taken.fresh)
        self.formats_known.update(taken.known)
        return len(taken.fresh)

    def _is_fit(
        self, case: AgentTestCase, on_unfit: Callable[[AgentTestCase, Exception], object]
    ) -> bool:
        try:
            self._looked_at([case])
        except _UNFIT as exc:
            on_unfit(case, exc)
            return False
        return True

    def _looked_at(self, cases: Sequence[AgentTestCase]) -> _Taken:
        """What is to be written of some cases; nothing is in hand yet.

        Each step is done for all before the next: its code then stays at hand for the processor,
        which saves a tenth of the time.
        """
        written = [written_case(case, trusted=self._trusted) for case in cases]
        # A run keeps its identity whether or not its secrets are written, and whatever a later
        # version makes of its calls; and the identity must not serve to try out passwords on.
        masked = [redact_json(item.text.decode(), emails=self._emails) for item in written]
        told = [
            self._masked(item.recorded) if found else item.recorded
            for item, (_, found) in zip(written, masked, strict=True)
        ]
        taken = _Taken({}, Counter())
        for key, case, (text, recorded, calls), (safe, found) in zip(
            map(run_key, told), cases, written, masked, strict=True
        ):
            if key in self._known or key in taken.fresh:
                taken.known[_format_of(case)] += 1
                continue
            if found and self._redact:
                facts = read_facts(safe.encode())
                fresh = _Fresh(case, safe, recorded, facts, facts.calls, len(text), found)
            elif calls is None:
                facts = read_facts(text)
                fresh = _Fresh(case, text.decode(), recorded, facts, facts.calls, len(text))
            else:
                decoded = text.decode() if found else safe
                fresh = _Fresh(case, decoded, recorded, case, calls, len(text))
            taken.fresh[key] = fresh
        return taken

    def _masked(self, recorded: bytes) -> bytes:
        return redact_json(recorded.decode(), emails=self._emails)[0].encode()

    def _take(self, fresh: dict[str, _Fresh]) -> None:
        sources = self._sources([item.case.source for item in fresh.values()])
        rows = [
            run_row(key, item.told, source)
            for (key, item), (source, _) in zip(fresh.items(), sources, strict=True)
        ]
        runs = [_ENCODER.encode(row) for row in rows]
        calls = [call_rows(key, item.told, item.case, item.calls) for key, item in fresh.items()]
        size = 0
        for (key, item), row, (_, source), run_line, called in zip(
            fresh.items(), rows, sources, runs, calls, strict=True
        ):
            taken = _Item(
                key,
                item.text,
                source,
                run_line,
                called,
                _format_of(item.case),
                item.redactions,
                Seeming(row, item.recorded) if self._lookalikes else None,
                place_of(row.source_path, row.source_position, row.started_at),
            )
            # One step, so that Ctrl-C leaves no half of a run behind.
            self._items.append(taken)
            self._known.add(key)
            size += item.size + len(run_line) + _CALL_ROW_BYTES * len(called)
        # Not before all are in hand: whether others have them too is asked of what is in hand.
        if fresh:
            self._grow(size)

    def add_evaluation(self, judged: Judged) -> bool:
        """Take an evaluation or a summary; False when the store has it already."""
        return self.add_evaluations([judged]) == 1

    def add_evaluations(self, judged: Sequence[Judged]) -> int:
        """Take some evaluations and summaries; how many of them the store did not have.

        The same judgement is the same wherever its file lies.
        """
        texts = [_ENCODER.encode(item) for item in judged]
        masked = redact_each(texts, emails=self._emails)
        added = size = 0
        for item, text, (safe, found) in zip(judged, texts, masked, strict=True):
            table = "evaluations" if isinstance(item, RecordedEvaluation) else "summaries"
            key = run_key(_without_place(safe))
            if key in self._known:
                self.judged_known_already[table] += 1
                continue
            written = safe if self._redact else text
            self.redactions += found if self._redact else 0
            comma = b"," if len(written) > len(b"{}") else b""
            line = b'{"%b":"%b"%b%b' % (_KEYS[table], key.encode(), comma, written[1:])
            self._judgements.append(_Judgement(key, table, line))
            self._known.add(key)
            added += 1
            size += len(line)
        if added:
            self._grow(size)
        return added

    def flush(self) -> None:
        """Write what is in hand and make it visible."""
        self._finish()

    def _grow(self, size: int) -> None:
        self._bytes += size
        if self._in_hand() >= self._limit.runs or self._bytes >= self._limit.bytes:
            self._finish()

    def _sources(self, sources: list[Source | None]) -> list[tuple[Source | None, str | None]]:
        """Each place as it may be told, and its text."""
        texts = [b"" if source is None else source_text(source) for source in sources]
        masked = redact_each(texts, emails=self._emails) if self._redact else zip(texts, repeat(0))
        told: list[tuple[Source | None, str | None]] = []
        for source, (text, found) in zip(sources, masked, strict=True):
            if source is None:
                told.append((None, None))
            elif found:
                told.append((type(source).from_dict(msgspec.json.decode(text)), text.decode()))
            else:
                told.append((source, text.decode()))
        return told

    def _finish(self) -> None:
        if not self._in_hand():
            return
        self._let_go(self._seen_otherwise())
        outgrown = self._find_outgrown()
        batch = self._layout.begin()
        try:
            self._write(batch.folder, outgrown)
            with self._layout.locked("publish"):
                if fresh := self._learn_new_batches():
                    written = self._in_hand(), outgrown
                    self._let_go(fresh)
                    outgrown = self._find_outgrown()
                    if (self._in_hand(), outgrown) != written:
                        self._write(batch.folder, outgrown)
                is_shown = bool(self._in_hand() or outgrown.later)
                if is_shown:
                    self._layout.show(batch)
        except BaseException:
            batch.abandon()
            raise
        if not is_shown:
            batch.abandon()
        self._seen_batches.add(batch.folder.name)
        self._places.learn(item.place for item in self._items)
        self.outgrown += len(outgrown.later)
        self._count()
        self._items, self._judgements, self._bytes = [], [], 0

    def _in_hand(self) -> int:
        """How many runs and evaluations wait to be written."""
        return len(self._items) + len(self._judgements)

    def _let_go(self, known: set[str]) -> None:
        """Take out of hand what the store has already.

        At once: whatever ends the writing of this batch, these are not asked about again.
        """
        runs = [item for item in self._items if item.key in known]
        judged = [row for row in self._judgements if row.key in known]
        self._items = [item for item in self._items if item.key not in known]
        self._judgements = [row for row in self._judgements if row.key not in known]
        self.formats_known.update(item.format for item in runs)
        self.judged_known_already.update(row.table for row in judged)

    def _seen_otherwise(self) -> set[str]:
        """The runs in hand that the store has, masked by the rules of another time."""
        seeming = {item.key: item.seeming for item in self._items if item.seeming is not None}
        if not seeming:
            return set()
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            return self._lookalikes.known(self._engine, seeming)

    def _find_outgrown(self) -> _Outgrown:
        """What the store has in an earlier state than is in hand; what is in hand in one goes."""
        again = self._places.met_again([item.place for item in self._items])
        if not again:
            return _Outgrown({}, [])
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            batches = self._layout.batches()
            stored = stored_states(self._engine, batches, again)
            in_hand = [item.state for item in self._items if item.place in again]
            found = outgrown_among([*stored, *in_hand])
            later = {
                state.run_key: found[state.run_key] for state in stored if state.run_key in found
            }
            golden = golden_among(self._engine, batches, later) if later else []
        earlier = found.keys() - later.keys()
        self.earlier_states += len({item.key for item in self._items} & earlier)
        self._let_go(earlier)
        return _Outgrown(later, golden)

    def _count(self) -> None:
        self.batches += 1
        self.redactions += sum(item.redactions for item in self._items)
        self.formats_added.update(item.format for item in self._items)
        self.judged_added.update(row.table for row in self._judgements)

    def _write(self, folder: Path, outgrown: _Outgrown) -> None:
        items, judgements = self._items, self._judgements
        with in_our_words(self._layout.root):
            write_rows(self._engine, folder, "runs", b"\n".join([item.run_line for item in items]))
            calls = [row for item in items for row in item.call_rows]
            write_rows(self._engine, folder, "calls", _ENCODER.encode_lines(calls))
            for table in ("evaluations", "summaries"):
                lines = b"\n".join([row.line for row in judgements if row.table == table])
                write_rows(self._engine, folder, table, lines)
            self._write_cases(folder, items)
            self._write_outgrown(folder, outgrown)
        (folder / MASKING).write_text(self._rules, encoding="ascii")

    def _write_cases(self, folder: Path, items: list[_Item]) -> None:
        """Cases to Parquet, straight from memory: they are long, and would be escaped twice."""
        file = folder / "cases.parquet"
        file.unlink(missing_ok=True)
        if not items:
            return
        target = quoted(str(file))
        self._engine.execute(
            f"""
            COPY (
                SELECT unnest($keys::VARCHAR[]) AS run_key,
                       unnest($sources::VARCHAR[]) AS source,
                       unnest($cases::VARCHAR[]) AS "case"
            ) TO {target} ({PARQUET}, ROW_GROUP_SIZE {_CASES_PER_GROUP})
            """,
            {
                "keys": [item.key for item in items],
                "sources": [item.source for item in items],
                "cases": [item.case for item in items],
            },
        )

    def _write_outgrown(self, folder: Path, outgrown: _Outgrown) -> None:
        """Say which runs are hidden from now on; a golden one is golden in its later state."""
        rows = [OutgrownRow(*pair) for pair in outgrown.later.items()]
        marks = marks_of([outgrown.later[key] for key in outgrown.golden], is_golden=True)
        write_rows(self._engine, folder, "outgrown", _ENCODER.encode_lines(rows))
        write_rows(self._engine, folder, "golden", _ENCODER.encode_lines(marks))

    def _learn_new_batches(self) -> set[str]:
        """The keys of the batches that others made visible since the last look."""
        with self._layout.locked("read", shared=True), in_our_words(self._layout.root):
            fresh = [p for p in self._layout.batches() if p.name not in self._seen_batches]
            runs = self._rows("runs", ("run_key", *PLACE), fresh)
            others = [self._rows(table, (KEYS[table],), fresh) for table in _KEYED]
            found = {key for rows in (runs, *others) for key, *_ in rows}
            self._lookalikes.learn(fresh, self._rules)
        self._seen_batches |= {path.name for path in fresh}
        self._known |= found
        self._places.learn(place_of(*place) for _, *place in runs)
        return found

    def _rows(
        self, table: str, columns: tuple[str, ...], batches: list[Path]
    ) -> list[tuple[Any, ...]]:
        files = files_of(table, batches)
        if not files:
            return []
        read = f"read_parquet({file_list(files)}, union_by_name = true)"
        query = f"SELECT {', '.join(columns)} FROM {read}"  # noqa: S608 - our own files, quoted
        return self._engine.execute(query).fetchall()


def _format_of(case: AgentTestCase) -> str:
    return (case.source.format if case.source else None) or "?"


def _without_place(judged: bytes) -> bytes:
    """The JSON of an evaluation as it would be had it been read from nowhere."""
    before, place, _ = judged.rpartition(_PLACE)
    return before.removesuffix(b",") + b"}" if place else judged
