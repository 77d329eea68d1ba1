"""Whatever the user points at, as settled runs."""

from __future__ import annotations

from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from assay.ingest.archives import PackedPlace
from assay.ingest.documents import Unreadable
from assay.ingest.formats import format_named, likely_format, pick_format
from assay.ingest.mixed_traffic import APIS, parts_by_api
from assay.ingest.native import NATIVE
from assay.ingest.other_fields import keep_apart
from assay.ingest.parquet_files import ParquetPlace
from assay.ingest.pipe import Pipe
from assay.ingest.recording import small_file
from assay.ingest.served_names import tell_names_apart
from assay.ingest.sources import STDIN, STDIN_NAME, find_recordings, recordings_at
from assay.ingest.sqlite_files import SUFFIXES as DATABASES
from assay.ingest.strangers import Stranger
from assay.ingest.yaml_files import YamlPlace
from assay.json_values import without_surrogates
from assay.outcome import settle
from assay.records import first_names
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assay.evaluation import Judged
    from assay.ingest.recording import Format, Glimpsing, Recording


_OF_JSON = frozenset({".json", ".jsonl", ".ndjson"})
# How many problems may wait until it is known whether a file holds a run.
_MOST_HELD = 100_000


def read_runs(
    source: str | Path,
    *,
    format_name: str | None = None,
    on_bytes: Callable[[int], object] | None = None,
) -> Iterator[AgentTestCase | Unreadable]:
    """All runs of a file, folder, glob or archive, or of standard input (`-`).

    The format is told from the content unless it is named. Each call's outcome is settled:
    what was reported stays beside what we infer. What cannot be read stands in its place, and
    so does what somebody else's judge wrote: it is no run.
    """
    for item in RunReader(format_name).source(source, on_bytes=on_bytes):
        if isinstance(item, AgentTestCase | Unreadable):
            yield item
        else:
            problem = "holds an evaluation and no run; assay import keeps it"
            yield Unreadable(item.source_path or str(source), problem, kind="passed_over")


class Glimpse(NamedTuple):
    """The one item of a small file, not settled yet, and how many bytes that has."""

    item: AgentTestCase | Judged
    size: int


class RunReader:
    """Reads one source after another and expects the next file to be like the last."""

    def __init__(self, format_name: str | None = None) -> None:
        """Look at each file, or take the format that is named."""
        self._forced = None if format_name is None else format_named(format_name)
        self._likely: Format | None = None
        self._at_hand: Recording | None = None
        self._before = 0

    @property
    def weight(self) -> int:
        """How many bytes of documents were read so far, unpacked, in all sources together."""
        return self._before + (0 if self._at_hand is None else self._at_hand.weight)

    def source(
        self,
        source: str | Path,
        *,
        on_bytes: Callable[[int], object] | None = None,
        on_wait: Callable[[], object] | None = None,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        """All runs and evaluations of a file, folder, glob, archive or pipe.

        `on_wait` hears that nothing has come through a pipe for a while.
        """
        for recording in find_recordings(source, on_bytes=on_bytes, on_wait=on_wait):
            yield from self._read(recording, alone=_name(recording) == str(source))

    def file(
        self,
        path: str,
        *,
        on_bytes: Callable[[int], object] | None = None,
        named: bool,
        walked: bool = False,
        judge: Callable[[AgentTestCase], object] = settle,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        """All runs and evaluations of one file; one that the user `named` should hold some.

        `walked` says that it was found in a folder. `judge` gets each run that is to be settled
        and may do so later.
        """
        for recording in recordings_at(path, on_bytes=on_bytes, walked=walked):
            yield from self._read(recording, judge, alone=named and _name(recording) == path)

    def look_ahead(self, path: str) -> Callable[[], Glimpse | None] | None:
        """Read a small file whose name says who wrote it; the item in it is told when asked for.

        None where that cannot be, or only `file` can tell: it looks closer, and unpacks.
        """
        chosen = self._forced or likely_format(path)
        if chosen.glimpse is None or not path.endswith(".json"):
            return None
        text = small_file(path)
        return None if text is None else partial(self._glimpse, chosen, chosen.glimpse, path, text)

    def _glimpse(
        self, chosen: Format, glimpse: Glimpsing, path: str, text: bytes
    ) -> Glimpse | None:
        found = glimpse(without_surrogates(path), text)
        if found is None:
            return None
        self._likely = chosen
        item = keep_apart(found) if isinstance(found, AgentTestCase) else found
        return Glimpse(item, len(text))

    def _read(
        self,
        recording: Recording | Unreadable,
        judge: Callable[[AgentTestCase], object] = settle,
        *,
        alone: bool,
    ) -> Iterator[AgentTestCase | Judged | Unreadable]:
        if isinstance(recording, Unreadable):
            yield recording
            return
        self._before, self._at_hand = self.weight, recording
        chosen = self._chosen(recording)
        parts = self._parts(recording, chosen)
        for part in parts:
            yield from self._read(part, judge, alone=alone)
        if parts:
            return
        if chosen is None:
            found = _unknown(recording, among_others=not alone)
        else:
            self._likely = chosen
            found = read_recording(recording, chosen, judge)
            found = found if self._forced is None else _of_that_format(found, recording, chosen)
        yield from _with_packed_name(found, recording)
        if isinstance(recording.place, ParquetPlace) and recording.place.left_out:
            columns = first_names(recording.place.left_out)
            yield Unreadable(recording.name, f"without what is binary: {columns}", kind="left_out")

    def _chosen(self, recording: Recording) -> Format | None:
        if self._forced is not None or recording.strange:
            return None if recording.strange else self._forced
        if recording.format_name is not None:
            return format_named(recording.format_name)
        likely = self._likely or likely_format(recording.name)
        return pick_format(recording, likely=likely)[0]

    def _parts(self, recording: Recording, chosen: Format | None) -> list[Recording]:
        """A recording by the APIs in it, where it may have several."""
        is_told = recording.format_name is not None or recording.strange is not None
        is_known = is_told or self._forced or (chosen is not None and chosen.name not in APIS)
        return [] if is_known else parts_by_api(recording)


def _with_packed_name(
    found: Iterator[AgentTestCase | Judged | Unreadable], recording: Recording
) -> Iterator[AgentTestCase | Judged | Unreadable]:
    """The same, a problem in a packed file told of the file that lies there."""
    path = _packed_name(recording)
    if path is None:
        return found
    return (replace(item, path=path) if isinstance(item, Unreadable) else item for item in found)


def _packed_name(recording: Recording) -> str | None:
    place = recording.place
    place = place.inner if isinstance(place, YamlPlace | ParquetPlace) else place
    return without_surrogates(place.inner.name) if isinstance(place, PackedPlace) else None


def _name(recording: Recording | Unreadable) -> str:
    """What the user would have called it."""
    if isinstance(recording, Unreadable):
        return recording.path
    name = _packed_name(recording) or recording.name
    return name if name != STDIN_NAME else STDIN


def _of_that_format(
    found: Iterator[AgentTestCase | Judged | Unreadable], recording: Recording, chosen: Format
) -> Iterator[AgentTestCase | Judged | Unreadable]:
    """The same; where no run came but strangers, what the file seems to be in their place."""
    problems: list[Unreadable] = []
    for item in found:
        if not isinstance(item, Unreadable) or len(problems) == _MOST_HELD:
            yield from problems
            yield item
            yield from found
            return
        problems.append(item)
    if not any(isinstance(problem, Stranger) for problem in problems):
        yield from problems
        return
    # What is said of the file as a whole follows from its being of another format.
    lines = (problem for problem in problems if problem.position is not None)
    yield from (problem for problem in lines if not isinstance(problem, Stranger))
    seems = pick_format(recording)[0]
    like = "" if seems is None else f", but looks like {seems.name}"
    problem = f"is no {chosen.name}{like}: leave out --format {chosen.name}"
    yield Unreadable(recording.name, problem)


def read_recording(
    recording: Recording, chosen: Format, judge: Callable[[AgentTestCase], object] = settle
) -> Iterator[AgentTestCase | Judged | Unreadable]:
    """What one recording in a known format holds; our own cases are settled already."""
    holds_any = False
    for item in chosen.read(recording):
        holds_any = True
        if isinstance(recording.place, Pipe):  # whoever looked closer has done so by now
            recording.place.stop_keeping()
        if not isinstance(item, AgentTestCase) or chosen is NATIVE or recording.settled:
            yield item
        elif _tells_nothing(item):
            problem = f"read as {chosen.name}, it tells nothing: no question, call or answer"
            position = None if item.source is None else item.source.position
            yield Unreadable(recording.name, problem, position)
        else:
            judge(keep_apart(tell_names_apart(item)))
            yield item
    if not holds_any and chosen is not NATIVE:  # an empty list of cases says what it means
        problem = f"read as {chosen.name}, which it looks like, it holds no run"
        yield Unreadable(recording.name, problem, kind="passed_over")
    if chosen is not NATIVE:
        for position, problem in recording.mended.items():
            yield Unreadable(recording.name, f"mended: {problem}", position, "mended")


def _tells_nothing(run: AgentTestCase) -> bool:
    """Whether a run is empty, as those are that a reader makes of a file of another kind."""
    said = run.input or run.actual_output or run.conversation_history or run.calls
    return not (said or run.session_id or run.model or run.outcome or run.usage)


def _unknown(
    recording: Recording, *, among_others: bool
) -> Iterator[AgentTestCase | Judged | Unreadable]:
    """Why nothing could be made of a recording: broken, or whole and merely unknown.

    A folder holds all sorts of files; one that was named by the user should have been a run.
    """
    if (
        not recording.strange
        and not any(isinstance(value, dict | list) for value in recording.sample)
        and not (among_others and _is_stray(recording))
    ):
        yield from NATIVE.read(recording)
        return
    yield from _broken_in(recording)
    yield Unreadable(
        recording.name,
        recording.strange
        or recording.damage
        or "holds no run in any format we know; name one with --format, or see: assay formats",
        kind="passed_over" if among_others and not recording.damage else "broken",
    )


def _broken_in(recording: Recording) -> list[Unreadable]:
    """What is broken at the beginning of a file: that may be why nobody knows the rest.

    A log for people has lines of all kinds; a file that is called JSON should be some.
    """
    if recording.strange or recording.damage or _suffix(recording) not in _OF_JSON:
        return []
    return recording.sampled_problems


def _suffix(recording: Recording) -> str:
    """How a file's name ends; of a file in a zip the archive's name comes first."""
    return PurePosixPath(recording.name.rpartition("!")[2]).suffix.lower()


def _is_stray(recording: Recording) -> bool:
    """Whether nobody would miss a file that cannot be read: a LICENSE, a template of settings."""
    if recording.damage:  # nobody knows what was in there
        return False
    if isinstance(recording.place, ParquetPlace):
        return recording.place.is_own_table
    if isinstance(recording.place, YamlPlace):
        return not recording.place.is_cassette
    suffix = _suffix(recording)
    return not suffix or suffix in DATABASES  # other programs name their files so, too
