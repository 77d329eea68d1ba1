"""Tables: what a known format says beyond what the engine finds in any recording.

A table has a name, a title and one or more layouts; what stands at the top holds for all of them.

    is, absent      paths that must, and must not, be there; `[]` first: a list, or lines
    lines           true: a list or lines, where no sign begins with `[]`
    file            a pattern on the file's name
    beside, above   a file in the same folder, or in one so many above; `@path` reads from it
    path            a pattern on the file's path; `%group` reads from it
    gather          a pattern with a number in a group: the files of a folder that are one run
    unless_beside   a file that must not be there; the run is read with that
    part_of         the name of the file whose run it belongs to: it is none by itself
    runs            where the runs are; without it each document (or the file's lines) is one
    names           true: the keys under which the runs stand are `%name`
    split           the key that tells the runs apart among which the items are mixed
    calls           the parts that hold calls and messages, "none"; without it the whole run
    without         keys that never hold any
    many            true: the engine separates the runs
    branches        where the records of a tree are, their id, their parent's, the current leaf's;
                    each leaf is a run, `^` what holds the tree, `%branch` its number
    expand          a map of texts that others name as `…://key`
    call, say       rules for calls and for messages; see `assay.readers.calls`
    result          where the result proper stands in a recorded result
    server          the server of the calls that name none
    run_id          a list of what identifies a run, `place` is file and position; or, as a text,
                    the path of the id itself
    extra           paths that are kept by their last key, or `key: path`; `*rest` for the keys of
                    a row that nothing else reads
    outcome_extra   the same, kept with the outcome
    session         `session_id`, which identifies a run together with its place
    times           `started_at` and `ended_at`
    like            a row whose keys hold here, too; one named `_x` is no format of its own

and the facts of `assay.readers.facts`.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.errors import InvalidRecord, UnknownName
from assay.readers.calls import CallRule, SpeechRule, apply_rules, rule_of, speech_of
from assay.readers.documents import Document, Unreadable, unexpected
from assay.readers.engine import FoundRun, find_runs, to_case
from assay.readers.engine.inner import with_inner_calls
from assay.readers.facts import FACTS, HOW, Expression, compile_expression, facts_of
from assay.readers.paths import Path, Scope, compile_path, split_outside, without, word_of
from assay.readers.values import bounded, place_id, stable_id
from assay.records import field_names
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path as FilePath

    from assay.readers.files.file import File

# How many of the first documents may be something else before the first run.
_LOOKED_AT = 5
_SHAPE = (
    *("is", "absent", "file", "beside", "above", "path", "runs", "split", "calls", "without"),
    *("many", "result", "server", "run_id", "extra", "branches", "expand", "call", "say"),
    *("gather", "part_of", "unless_beside", "names", "outcome_extra", "lines"),
)
_HEADER = ("title", "cannot", "gives", "layout", "code", "like")
# What is written short: the id of a session that identifies a run, its begin and its end.
_SHORT = ("session", "times")
KEYS = frozenset((*_HEADER, *_SHORT, *_SHAPE, *FACTS, "usage"))
_LITERAL = frozenset({"framework", "decided_by"})
_LINES = "["
PLACE, NONE, REST = "place", "none", "*rest"
GENERIC = "generic"
# What holds the messages of a row, under whichever key.
_CONTAINERS = ("messages", "conversations", "conversation", "trajectory", "history", "traj")


class Layout(Struct, frozen=True, eq=False):
    """One way in which a format is written."""

    signs: tuple[Path, ...]
    absent: tuple[Path, ...]
    facts: dict[str, Expression]
    file: re.Pattern[str] | None = None
    path: re.Pattern[str] | None = None
    beside: str = ""
    above: int = 0
    runs: Path | None = None
    split: Path | None = None
    calls: tuple[Expression, ...] = ()
    has_calls: bool = True
    without: tuple[str, ...] = ()
    many: bool = False
    result: Path | None = None
    server: Expression | None = None
    run_id: tuple[Path | str, ...] = (PLACE,)
    own_id: bool = False
    is_placed: bool = True
    extra: tuple[tuple[str, Path], ...] = ()
    is_listed: bool = False
    branches: tuple[Path, ...] = ()
    expand: Path | None = None
    call: tuple[CallRule, ...] = ()
    say: SpeechRule | None = None
    gather: re.Pattern[str] | None = None
    part_of: str = ""
    outcome_extra: tuple[tuple[str, Path], ...] = ()
    unless_beside: str = ""
    names: bool = False
    rest: frozenset[str] | None = None

    def fits(self, value: Any, scope: Scope) -> bool:
        """Whether a value has the signs of this layout."""
        return all(
            bool(sign.all(scope) if sign.text[:1] in "@%" else sign.within(value, scope))
            for sign in self.signs
        ) and not any(sign.within(value, scope) for sign in self.absent)


class Table(Struct, frozen=True, eq=False):
    """A format that is read by its table; a `Format` of the registry."""

    name: str
    title: str
    cannot: str
    layouts: tuple[Layout, ...]

    def matches(self, file: File) -> bool:
        """Whether a file has the signs of one of the layouts."""
        return self._layout_of_file(file) is not None

    def read(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file, and what could not be read in its place."""
        layout = self._layout_of_file(file)
        if layout is not None and layout.part_of:
            problem = f"belongs to the runs of {layout.part_of}"
            yield Unreadable(file.name, problem, kind="read_beside")
        elif layout is not None and layout.gather is not None:
            yield from self._read_folder(file, layout, layout.gather)
        elif layout is not None and layout.is_listed and layout.runs is None:
            yield from self._read_whole(file, layout)
        else:
            yield from self._read_each(file)

    def cases(self, value: Any, file: File, position: int | None) -> Iterator[AgentTestCase]:
        """The runs in a value, with the facts of the first layout, whatever its signs."""
        source = Source(file.name, self.name, position)
        yield from self._cases(self.layouts[0], Scope(value, value), source)

    def _layout_of_file(self, file: File) -> Layout | None:
        head = file.head()
        for layout in self.layouts:
            if layout.file is not None and not layout.file.search(file.name):
                continue
            lines = layout.is_listed and not (head and isinstance(head[0], list))
            looked_at = [head] if lines else head[:_LOOKED_AT]
            if any(self._fits(layout, value, file) for value in looked_at):
                return layout
        return None

    def _fitting(self, value: Any, file: File) -> Layout | None:
        """The first layout that a value has the signs of."""
        return next((layout for layout in self.layouts if self._fits(layout, value, file)), None)

    def _fits(self, layout: Layout, value: Any, file: File) -> bool:
        if layout.is_listed is not isinstance(value, list):
            return False
        scope = Scope(value, value)
        if not layout.beside:
            # Whether a file lies beside is asked last: it costs a look at the folder.
            fits = layout.fits(value, scope)
            other = layout.unless_beside
            return fits and not (other and file.file_beside(other) is not None)
        if layout.unless_beside and file.file_beside(layout.unless_beside) is not None:
            return False
        others = [sign for sign in layout.signs if sign.text[:1] not in "@%"]
        if not all(sign.within(value) for sign in others):
            return False
        scope.beside = file.beside(layout.beside, above=layout.above)
        return scope.beside is not None and layout.fits(value, scope)

    def _read_folder(
        self, file: File, layout: Layout, pattern: re.Pattern[str]
    ) -> Iterator[AgentTestCase | Unreadable]:
        """The run whose records are files of a folder; it is that of the first of them."""
        found = {name: match for name in file.names_beside() if (match := pattern.fullmatch(name))}
        names = sorted(found, key=lambda name: int(found[name][1]))
        if names and names[0] != file.path.name:
            yield Unreadable(file.name, f"is read with {names[0]}", kind="read_beside")
            return
        records = [file.beside(name) for name in names] or file.head()
        yield from self._unit(layout, Document([r for r in records if r is not None]), file)

    def _read_whole(self, file: File, layout: Layout) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file whose lines, or whose one list, belong together."""
        lines: list[Any] = []
        for item in file.documents():
            if isinstance(item, Unreadable):
                yield item
            elif _is_conversation(item):
                yield from self._unit(layout, item, file)
            elif isinstance(item.value, list):
                lines.extend(item.value)
            else:
                lines.append(item.value)
        if lines or layout.beside:  # with its own facts beside it a run may be empty
            yield from self._unit(layout, Document(lines), file)

    def _read_each(self, file: File) -> Iterator[AgentTestCase | Unreadable]:
        """The runs of a file whose documents stand for themselves."""
        for item in file.documents():
            if isinstance(item, Unreadable):
                yield item
                continue
            # A line may be the one item of a list that stands for itself.
            value, layout = item.value, self._fitting(item.value, file)
            if layout is None and isinstance(value, dict):
                value, layout = [value], self._fitting([value], file)
            if layout is not None:
                yield from self._unit(layout, Document(value, item.position), file)
            elif not file.is_mixed:
                yield unexpected(file.name, item.value, self.title, item.position)

    def _unit(
        self, layout: Layout, document: Document, file: File
    ) -> Iterator[AgentTestCase | Unreadable]:
        unit = document.value
        beside = file.beside(layout.beside, above=layout.above) if layout.beside else None
        named = dict(_named_parts(layout.path, file.name)) if layout.path else {}
        scope = Scope(unit, unit, beside, named)
        runs = list(_runs_of(layout, unit, scope))
        keys = _names_of(layout, unit)
        for number, run in enumerate(runs, start=1):
            if keys:
                named = {**named, "name": keys[number - 1]}
            position = document.position
            if layout.runs is not None and (len(runs) > 1 or position is None):
                position = number
            source = Source(file.name, self.name, position)
            if layout.branches:
                yield from self._branches(layout, Scope(run, run, beside, named), source)
            else:
                yield from self._cases(layout, Scope(run, unit, beside, named), source)

    def _branches(self, layout: Layout, scope: Scope, source: Source) -> Iterator[AgentTestCase]:
        """The leaves of a tree, each with the calls that no branch before it has."""
        seen: set[int] = set()
        chains = chains_of(layout.branches, scope)
        for number, chain in enumerate(chains, start=1):
            shared = [record for record in chain if id(record) in seen]
            seen.update(map(id, chain))
            groups = scope.groups | ({"branch": str(number)} if len(chains) > 1 else {})
            own = Scope(chain, scope.document, scope.beside, groups)
            copied = count_calls(shared) if shared else 0
            for case in self._cases(layout, own, source):
                if case.execution_data is not None:
                    del case.execution_data.tool_executions[:copied]
                if len(chains) > 1:
                    case.run_id = stable_id(case.run_id, number)
                else:
                    case.task_id = None
                yield case

    def _cases(self, layout: Layout, scope: Scope, source: Source) -> Iterator[AgentTestCase]:
        """The runs of one value: one, unless the engine is to separate them."""
        if layout.expand is not None and (texts := layout.expand.first(scope)):
            scope.run = expanded(scope.run, texts)
        facts = facts_of(layout.facts, scope)
        if "outcome" in facts:
            facts["outcome"].extra.update(_extra(layout.outcome_extra, scope))
        known = self.name != GENERIC
        found = find_runs(_part(layout, scope), known=known) if layout.has_calls else []
        if not layout.many:
            found = [merged(found)]
        server = layout.server.value(scope) if layout.server else None
        extra = _extra(layout.extra, scope)
        for number, run in enumerate(found, start=1):
            apply_rules(layout.call, scope, run)
            if layout.say is not None:
                layout.say.tell(scope, run)
            for call in run.calls:
                if layout.result is not None and call.has_result:
                    call.result = next(iter(layout.result.within(call.result)), call.result)
                call.server = call.server or server
            case = to_case(run, **facts)
            if not layout.has_calls:
                case.execution_data = None
            case.extra.update(extra)
            if layout.rest is not None and isinstance(scope.run, dict):
                rest = {k: bounded(v) for k, v in scope.run.items() if k not in layout.rest}
                case.extra.update(rest)
            case.source = Source(source.path, source.format, source.position)
            more = (number,) if len(found) > 1 else ()
            case.run_id = self._run_id(layout, scope, source, more)
            yield case

    def _run_id(self, layout: Layout, scope: Scope, source: Source, more: tuple[int, ...]) -> str:
        parts: list[object] = []
        place = place_id(str(source.path), source.position) if layout.is_placed else ()
        for part in layout.run_id:
            if part == PLACE:
                parts.extend(place)
            elif isinstance(part, Path):
                value = part.first(scope)
                own = value is None and _falls_back(part)
                if part.text.startswith("%") and isinstance(value, str) and value.isdecimal():
                    value = int(value)
                parts.append(place if own else value)
        if layout.own_id and isinstance(parts[0], str | int) and not more:
            return str(parts[0])
        return stable_id(self.name, *parts, *more)


def count_calls(records: list[Any]) -> int:
    """How many calls a case of these records has."""
    return len(with_inner_calls(merged(find_runs(records, known=True)).calls))


def _falls_back(part: Path | str) -> bool:
    """Whether the place stands for an id that is missing."""
    return isinstance(part, Path) and part.text.endswith(f"|{PLACE}")


def _extra(kept: tuple[tuple[str, Path], ...], scope: Scope) -> dict[str, Any]:
    return {key: bounded(value) for key, path in kept if (value := path.first(scope)) is not None}


@lru_cache(maxsize=64)
def _named_parts(pattern: re.Pattern[str], name: str) -> dict[str, str]:
    """What the groups of a pattern on a path are; one file may hold thousands of runs."""
    found = pattern.search(name)
    return {key: text for key, text in found.groupdict().items() if text} if found else {}


def _is_conversation(item: Document) -> bool:
    """Whether a line is a whole list of messages, and not an entry of a log."""
    value = item.value
    is_line = item.position is not None and isinstance(value, list)
    return is_line and bool(value) and isinstance(value[0], dict)


def merged(found: list[FoundRun]) -> FoundRun:
    """Several finds of one run as one."""
    if len(found) == 1:
        return found[0]
    whole = FoundRun()
    for run in found:
        whole.calls += run.calls
        whole.messages += run.messages
        whole.offered = whole.offered or run.offered
        whole.question = whole.question or run.question
        whole.answer = run.answer or whole.answer
        whole.model = whole.model or run.model
        whole.session_id = whole.session_id or run.session_id
        whole.usage = whole.usage or run.usage
        whole.started_at = whole.started_at or run.started_at
        whole.ended_at = run.ended_at or whole.ended_at
    return whole


def _runs_of(layout: Layout, unit: Any, scope: Scope) -> Iterator[Any]:
    if layout.split is None:
        yield from [unit] if layout.runs is None else layout.runs.all(scope)
        return
    groups: dict[str | None, list[Any]] = {}
    for item in unit if layout.runs is None else layout.runs.all(scope):
        keys = layout.split.within(item)
        groups.setdefault(word_of(keys[0]) if keys else None, []).append(item)
    loose = groups.pop(None, []) if len(groups) > 1 else []
    for group in groups.values():
        yield [*loose, *group]


def _names_of(layout: Layout, unit: Any) -> list[str]:
    """The keys under which the runs stand, where the layout asks for them."""
    if not layout.names or layout.runs is None:
        return []
    holder = compile_path(layout.runs.text.removesuffix(".*")).within(unit)
    return list(holder[0]) if holder and isinstance(holder[0], dict) else []


def _read_keys(row: dict[str, Any]) -> frozenset[str]:
    """The first keys of all paths of a layout: what a row says beyond them is kept."""
    lists = (value for value in row.values() if isinstance(value, str | list))
    texts = [str(text) for value in lists for text in _texts(value)]
    words = re.findall(r"[A-Za-z_]\w*", " ".join(texts))
    return frozenset((*words, *_CONTAINERS, *field_names(AgentTestCase)))


def _part(layout: Layout, scope: Scope) -> Any:
    """What the engine gets to see of a run."""
    run = scope.run
    for path in layout.without:
        run = without(run, path)
    if not layout.calls or not layout.has_calls:
        return run if layout.has_calls else None
    scope = Scope(run, scope.document, scope.beside, scope.groups)
    parts: list[Any] = []
    for expression in layout.calls:
        found = expression.value(scope)
        parts += found if expression.how == "all" and isinstance(found, list) else [found]
    parts = [part for part in parts if part is not None]
    return parts[0] if len(parts) == 1 and isinstance(parts[0], list) else parts


def chains_of(branches: tuple[Path, ...], scope: Scope) -> list[list[Any]]:
    """The records from the root to each leaf of a tree, the current leaf's first."""
    records, own, parent = branches[0].all(scope), branches[1], branches[2]
    by_id = {word_of(ids[0]): record for record in records if (ids := own.within(record))}
    above = {
        name: word_of(ids[0]) for name, record in by_id.items() if (ids := parent.within(record))
    }
    leaves = [name for name in by_id if name not in set(above.values())]
    current = branches[3].first(scope) if len(branches) > 3 else leaves[-1] if leaves else None
    chains = []
    for leaf in sorted(leaves, key=lambda name: name != current):
        chain: list[Any] = []
        name: str | None = leaf
        while name in by_id and len(chain) <= len(by_id):
            chain.append(by_id[name])
            name = above.get(name)
        chains.append(chain[::-1])
    return chains or [records]


def expanded(value: Any, texts: dict[str, Any], depth: int = 0) -> Any:
    """A value in which names of stored texts, `attachment://…`, are the texts."""
    if isinstance(value, str):
        scheme, mark, name = value[:300].partition("://")
        return texts.get(name, value) if mark and scheme.isalpha() else value
    if depth > 60:
        return value
    if isinstance(value, list):
        return [expanded(item, texts, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: expanded(below, texts, depth + 1) for key, below in value.items()}
    return value


def load_tables(path: FilePath) -> dict[str, dict[str, Any]]:
    """The rows of a file of tables, by the names of their formats; unknown keys are errors."""
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as exc:
        raise InvalidRecord(f"{path}: {exc}") from exc
    for name, row in rows.items():
        if not isinstance(row, dict):
            raise InvalidRecord(f"{path}: {name}: expected a table named like the format")
        for part in (row, *row.get("layout", ())):
            for key in part:
                if key not in KEYS:
                    raise UnknownName("key of a table", key, KEYS)
    for row in rows.values():
        if "like" in row and row["like"] not in rows:
            raise UnknownName("row", row["like"], rows)
    return {
        name: rows[row["like"]] | row if "like" in row else row
        for name, row in rows.items()
        if not name.startswith("_")
    }


def table_of(name: str, row: dict[str, Any]) -> Table:
    """The format that a row describes."""
    common = {key: value for key, value in row.items() if key not in _HEADER}
    layouts = row.get("layout") or [{}]
    try:
        compiled = tuple(_layout(_spelled_out(common) | _spelled_out(part)) for part in layouts)
    except (InvalidRecord, re.error) as exc:
        raise InvalidRecord(f"table {name}: {exc}") from exc
    return Table(name, row.get("title", name), row.get("cannot", ""), compiled)


def _spelled_out(row: dict[str, Any]) -> dict[str, Any]:
    """A row in which what is written short stands in full."""
    full = {key: value for key, value in row.items() if key not in _SHORT}
    if "session" in row:
        full = {"run_id": [row["session"], PLACE], "session_id": row["session"]} | full
    if "times" in row:
        full |= dict(zip(("started_at", "ended_at"), row["times"], strict=True))
    return full


def _layout(row: dict[str, Any]) -> Layout:
    signs = _texts(row.get("is"))
    facts = {
        key: compile_expression(_expression(key, row[key]))
        for key in (*FACTS, "usage")
        if row.get(key) not in (None, "")
    }
    return Layout(
        signs=tuple(map(compile_path, signs)),
        absent=tuple(map(compile_path, _texts(row.get("absent")))),
        facts=facts,
        file=_pattern(row.get("file")),
        path=_pattern(row.get("path")),
        beside=row.get("beside", ""),
        above=row.get("above", 0),
        runs=compile_path(row["runs"]) if row.get("runs") else None,
        split=compile_path(row["split"]) if row.get("split") else None,
        calls=() if row.get("calls") == NONE else tuple(_parts(row.get("calls"))),
        has_calls=row.get("calls") != NONE,
        without=tuple(_texts(row.get("without"))),
        many=row.get("many", False),
        result=compile_path(row["result"]) if row.get("result") else None,
        server=compile_expression(row["server"]) if row.get("server") else None,
        run_id=tuple(
            part if part == PLACE else compile_path(part)
            for part in _texts(row.get("run_id", [PLACE]))
        ),
        own_id=isinstance(row.get("run_id"), str),
        is_placed=any(part.endswith(PLACE) for part in _texts(row.get("run_id", PLACE))),
        extra=tuple(_kept(text) for text in _texts(row.get("extra")) if text != REST),
        is_listed=bool(row.get("lines")) or any(sign.startswith(_LINES) for sign in signs),
        branches=tuple(map(compile_path, _texts(row.get("branches")))),
        expand=compile_path(row["expand"]) if row.get("expand") else None,
        call=tuple(rule_of(rule) for rule in row.get("call", ())),
        say=speech_of(row.get("say")),
        gather=_pattern(row.get("gather")),
        part_of=row.get("part_of", ""),
        outcome_extra=tuple(_kept(text) for text in _texts(row.get("outcome_extra"))),
        unless_beside=row.get("unless_beside", ""),
        names=bool(row.get("names", False)),
        rest=_read_keys(row) if REST in _texts(row.get("extra")) else None,
    )


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _parts(value: Any) -> Iterator[Expression]:
    """The parts that hold calls: everything at a path, unless an expression says which."""
    for text in _texts(value):
        yield compile_expression(text if text.split(" ")[0] in HOW else f"all {text}")


def _pattern(text: str | None) -> re.Pattern[str] | None:
    return re.compile(text) if text else None


def _expression(key: str, text: str) -> str:
    is_literal = key in _LITERAL and text.split(" ", maxsplit=1)[0] not in {"=", *HOW}
    return f"= {text}" if is_literal else text


def _kept(text: str) -> tuple[str, Path]:
    key, colon, path = text.partition(": ")
    if colon:
        return key, compile_path(path)
    first = split_outside(text, "|")[0].lstrip("^@%")
    return split_outside(first, ".")[-1].strip("'"), compile_path(text)
