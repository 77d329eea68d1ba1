"""Files to runs: chooses the format of each file, reads it, and reports what was not read."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING

from msgspec.structs import replace

from assay.outcome import settle
from assay.readers.documents import Unreadable
from assay.readers.files.file import File, small_json
from assay.readers.files.pipe import STDIN, STDIN_NAME, PipedFile
from assay.readers.files.sources import EXPECTED_SUFFIXES, files_at, files_of
from assay.readers.formats import format_named, formats_in_file, pick_format, rows
from assay.readers.names import keep_apart, split_served_names
from assay.run import Source
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from assay.evaluation import Judged
    from assay.readers.formats import Format

OWN_FORMAT = "assay"
_BEGINS_JSON = re.compile(rb"\s*+(?:\{\s*+[\"}]|\[\s*+[\[{\"\]])")


def read_runs(
    source: str | Path,
    *,
    format_name: str | None = None,
    mapping: str | Path | None = None,
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[AgentTestCase | Unreadable]:
    """All runs of a file, folder, glob or archive, or of standard input (`-`).

    The format is detected from the content unless it is named; `mapping` is a file of tables that
    describe formats of your own. Each call's outcome is judged: what was reported stays beside
    it. What cannot be read stands in its place, and so does what another judge wrote: it is no run.
    """
    for item in RunReader(format_name, mapping).source(source, on_bytes=on_bytes):
        if isinstance(item, AgentTestCase | Unreadable):
            yield item
        else:
            problem = "holds an evaluation and no run; assay import keeps it"
            yield Unreadable(item.source_path or str(source), problem, kind="passed_over")


class RunReader:
    """Reads one file after another and expects the next one to have the format of the last."""

    def __init__(self, format_name: str | None = None, mapping: str | Path | None = None) -> None:
        """Detect the format of each file, or take the one that is named or described."""
        self._own = [] if mapping is None else formats_in_file(mapping)
        self._forced = None if format_name is None else self._named(format_name)
        self._likely: Format | None = None
        self._read_as: Format | None = None
        self._file: File | None = None
        self._size_before = 0

    @property
    def size_read(self) -> int:
        """How many bytes of documents were read so far, unpacked, in all files together."""
        return self._size_before + (0 if self._file is None else self._file.size_read)

    def source(
        self,
        source: str | Path,
        *,
        on_bytes: Callable[[int], object] | None = None,
        on_wait: Callable[[], object] | None = None,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        """All runs and evaluations of a file, folder, glob, archive or pipe.

        `on_wait` is called when nothing has come through a pipe for a while.
        """
        for file in files_of(source, on_bytes=on_bytes, on_wait=on_wait):
            yield from self._read(file, settle, is_named=_name(file) == str(source))

    def file(
        self,
        path: str,
        *,
        on_bytes: Callable[[int], object] | None = None,
        named: bool,
        data: bytes | None = None,
        judge: Callable[[AgentTestCase], object] = settle,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        """All runs and evaluations of one file; one that the user `named` should hold some.

        `data` is its content, where a small file was read already. `judge` gets each run that is
        to be judged, and may do so later.
        """
        if data is not None and (file := small_json(path, data)) is not None:
            yield from self._read(file, judge, is_named=named)
            return
        for found in files_at(path, on_bytes=on_bytes, data=data):
            yield from self._read(found, judge, is_named=named and _name(found) == path)

    def _named(self, name: str) -> Format:
        return next((own for own in self._own if own.name == name), None) or format_named(name)

    def _read(
        self,
        file: File | Unreadable,
        judge: Callable[[AgentTestCase], object],
        *,
        is_named: bool,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        if isinstance(file, Unreadable):
            yield file
            return
        self._size_before, self._file, self._read_as = self.size_read, file, None
        found = self._items(file, judge, is_named=is_named)
        # The notes of a file are known once it was read.
        for item in chain(found, file.notes):
            if isinstance(item, Unreadable) and item.kind == "repaired" and not self._repairs():
                continue
            if file.packed_name and isinstance(item, Unreadable):
                yield replace(item, path=file.packed_name)
            else:
                yield item

    def _items(
        self, file: File, judge: Callable[[AgentTestCase], object], *, is_named: bool
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        try:
            chosen = self._forced or self._detected(file)
        except (OSError, MemoryError):
            raise
        except Exception as exc:  # noqa: BLE001 - a format may be of another package
            yield _failed(file, "cannot be looked at", exc)
            return
        if chosen is None:
            yield from _unknown(file, is_named=is_named)
            return
        self._likely = self._read_as = chosen
        problems: list[Unreadable] = []
        holds_any = False
        for item in _guarded(chosen, file):
            if isinstance(file, PipedFile):  # whoever looked closer has done so by now
                file.stop_keeping()
            if isinstance(item, Unreadable):
                if holds_any:
                    yield item
                else:
                    problems.append(item)
                continue
            yield from problems
            problems, holds_any = [], True
            yield _finished(item, file, chosen, judge)
        if not holds_any:
            yield from self._without_runs(file, chosen, problems)

    def _repairs(self) -> bool:
        """Whether repaired values of the file at hand were read: ours are read strictly."""
        return self._read_as is not None and self._read_as.name != OWN_FORMAT

    def _detected(self, file: File) -> Format | None:
        if not file.head() and _BEGINS_JSON.match(file.start()):
            return None  # no text in which somebody wrote of calls, but a broken document
        own = next((table for table in self._own if table.matches(file)), None)
        return own or pick_format(file, likely=self._likely)

    def _without_runs(
        self, file: File, chosen: Format, problems: list[Unreadable]
    ) -> Iterable[Unreadable]:
        """What to report of a file in which there was no run."""
        if self._forced is not None and not chosen.matches(file):
            seems = self._detected(file)
            like = f", but looks like {seems.name}" if seems is not None else ""
            advice = f"is no {chosen.name}{like}; leave out --format {chosen.name}"
            return [Unreadable(file.name, advice)]
        if problems or chosen.name == OWN_FORMAT:  # an empty list of cases says what it means
            return problems
        if _lies_beside(file):
            return [_belongs_elsewhere(file)]
        problem = f"looks like {chosen.name}, but holds no run"
        return [Unreadable(file.name, problem, kind="passed_over")]


def _guarded(chosen: Format, file: File) -> Iterator[AgentTestCase | Judged | Unreadable]:
    """What a format reads; an error of the format itself costs this file and no other.

    Files are hostile and formats come from other packages, too: whatever they raise is caught.
    """
    try:
        yield from chosen.read(file)
    except (OSError, MemoryError):
        raise
    except Exception as exc:  # noqa: BLE001 - a format may be of another package
        yield _failed(file, f"cannot be read as {chosen.name}", exc)


def _failed(file: File, problem: str, exc: Exception) -> Unreadable:
    if isinstance(exc, RecursionError):
        return Unreadable(file.name, "is nested too deeply")
    return Unreadable(file.name, f"{problem}: {type(exc).__name__}: {str(exc)[:200]}")


def _finished(
    item: AgentTestCase | Judged,
    file: File,
    chosen: Format,
    judge: Callable[[AgentTestCase], object],
) -> AgentTestCase | Judged | Unreadable:
    """A run with its source, its names told apart and its calls judged; ours are judged already."""
    if not isinstance(item, AgentTestCase):
        return item
    if item.source is None:
        item.source = Source(file.name, chosen.name)
    if chosen.name == OWN_FORMAT or file.is_judged:
        return item
    if _is_empty(item):
        problem = f"read as {chosen.name}, it has no question, call or answer"
        return Unreadable(file.name, problem, item.source.position)
    judge(keep_apart(split_served_names(item)))
    return item


def _is_empty(run: AgentTestCase) -> bool:
    said = run.input or run.actual_output or run.conversation_history or run.calls
    return not (said or run.session_id or run.model or run.outcome or run.usage)


def _unknown(file: File, *, is_named: bool) -> Iterator[Unreadable]:
    """Why nothing could be made of a file: broken, or whole and of no known format.

    A folder holds all sorts of files; one that the user named should have been a run.
    """
    if file.head() == [[]]:  # a list of no runs says what it means
        return
    if not is_named and _lies_beside(file):
        yield _belongs_elsewhere(file)
        return
    problems = file.head_problems()
    broken = [problem for problem in problems if problem.kind == "broken"]
    has_values = bool(file.head())
    is_expected = is_named or file.suffix in EXPECTED_SUFFIXES
    if problems and not has_values and (is_expected or len(broken) < len(problems) or file.damage):
        yield from problems
        return
    if is_expected and not file.is_table:
        yield from broken
    yield Unreadable(file.name, file.unknown, kind="broken" if is_named else "passed_over")


@cache
def _names_beside() -> frozenset[str]:
    """The names of files that known formats read with the recordings beside them."""
    parts = [part for row in rows().values() for part in (row, *row.get("layout", ()))]
    return frozenset(part["beside"] for part in parts if part.get("beside"))


def _lies_beside(file: File) -> bool:
    """Whether a file has such a name, and others lie in its folder."""
    name = file.path.name
    return name in _names_beside() and any(
        other != name and other.endswith(file.suffix) for other in file.names_beside()
    )


def _belongs_elsewhere(file: File) -> Unreadable:
    return Unreadable(file.name, "belongs to a run in another file", kind="read_beside")


def _name(file: File | Unreadable) -> str:
    """What the user would have called it."""
    if isinstance(file, Unreadable):
        return file.path
    name = file.packed_name or file.name
    return name if name != STDIN_NAME else STDIN
