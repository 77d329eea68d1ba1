"""Runs that a store has under another key, because their secrets were masked by other rules.

A key is taken of what is left after masking, so that nobody can try out passwords on it. Rules
change from version to version, and with them the keys of a few runs. Batches tell by which rules
they were masked. Where those were others, a run that seems to be new is held against the runs
that may be the same: it is the same if it reads as they do wherever they are not masked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from assay import __version__
from assay.engine import file_list
from assay.errors import InvalidRecord
from assay.redaction import MASK, rules_digest
from assay.store.case_text import written_case
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from assay.engine import Engine
    from assay.store.tables import RunRow

MASKING = "masking.txt"
# What a run is looked up by; none of it is long, and hardly any of it ever masked.
_PLACE = ("run_id", "task_id", "attempt", "model", "started_at", "calls", "source_position")
_REST_OF_TEXT = re.compile(r'(?:[^"\\]|\\.)*+')
# A mask that is all of a text may stand for a number, which has no quotes.
_MASKED = re.compile(rf'(?<!\\)(\\*+"){re.escape(MASK)}\1|{re.escape(MASK)}')
_NUMBER = re.compile(r"[0-9]+")

_Place = tuple[object, ...]


class Seeming(NamedTuple):
    """A run that seems to be new: its row, and all that was recorded of it, nothing masked."""

    row: RunRow
    recorded: bytes


def rules(*, emails: bool) -> str:
    """What the rules of masking are known by, those of this version and for this import."""
    return sha256(repr((__version__, rules_digest(), emails)).encode()).hexdigest()


def rules_of(batch: Path) -> str | None:
    """The rules that a batch was masked by; None where they are not known, or several."""
    try:
        return (batch / MASKING).read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None


class Lookalikes:
    """The runs of batches that were masked by other rules."""

    def __init__(self) -> None:
        """Begin with no batch."""
        self._batches: list[Path] = []
        self._keys: dict[_Place, list[str]] | None = None

    def __bool__(self) -> bool:
        """Whether there are such batches at all."""
        return bool(self._batches)

    def learn(self, batches: Iterable[Path], ours: str) -> None:
        """Remember those that were masked by other rules than ours."""
        others = [batch for batch in batches if (batch / "runs.parquet").exists()]
        self._batches += [batch for batch in others if rules_of(batch) != ours]
        self._keys = None

    def known(self, engine: Engine, seeming: Mapping[str, Seeming]) -> set[str]:
        """Those of the runs that the batches have; the rest is new indeed."""
        if self._keys is None:
            self._keys = self._read_keys(engine)
        places = {key: _place(run.row) for key, run in seeming.items()}
        wanted = {other for place in places.values() for other in self._keys.get(place, ())}
        texts = self._texts(engine, wanted) if wanted else {}
        return {
            key
            for key, place in places.items()
            for other in self._keys.get(place, ())
            if other in texts and reads_as(seeming[key].recorded.decode(), texts[other])
        }

    def _read_keys(self, engine: Engine) -> dict[_Place, list[str]]:
        found: dict[_Place, list[str]] = defaultdict(list)
        for key, *place in self._read(engine, "runs", ("run_key", *_PLACE)):
            found[tuple(place)].append(str(key))
        return dict(found)

    def _texts(self, engine: Engine, keys: set[str]) -> dict[str, str]:
        """What was recorded of some runs, as far as it was not masked."""
        where = "WHERE run_key IN (SELECT unnest($keys::VARCHAR[]))"
        rows = self._read(engine, "cases", ("run_key", '"case"'), where, {"keys": sorted(keys)})
        return {key: told for key, text in rows if (told := _recorded(text)) is not None}

    def _read(
        self,
        engine: Engine,
        table: str,
        columns: tuple[str, ...],
        where: str = "",
        params: dict[str, list[str]] | None = None,
    ) -> list[tuple[str, ...]]:
        files = [batch / f"{table}.parquet" for batch in self._batches]
        files = [file for file in files if file.exists()]  # a compaction may have come between
        if not files:
            return []
        rows = f"read_parquet({file_list(files)}, union_by_name = true)"
        sql = f"SELECT {', '.join(columns)} FROM {rows} {where}"  # noqa: S608 - our own, quoted
        return engine.execute(sql, params).fetchall()


def reads_as(text: str, masked: str) -> bool:
    """Whether a JSON text is the masked one with something in place of each mask.

    A mask stands for a part of one text, never for more, or for a number.
    """
    first, *rest = _MASKED.split(masked)
    if not text.startswith(first):
        return False
    at, ends = len(first), -1
    for place in range(0, len(rest), 2):
        quote, part = rest[place] or "", rest[place + 1]
        number = _NUMBER.match(text, at) if quote else None
        if number is not None:
            at = ends = number.end()
        elif not text.startswith(quote, at):
            return False
        else:
            at, part = at + len(quote), quote + part
            # Once for all masks of a text: it may be long, and have many.
            ends = _REST_OF_TEXT.match(text, at).end() if at > ends else ends  # type: ignore[union-attr]  # may be empty
        start = _start_of(part, text, at, ends, is_last=place == len(rest) - 2)
        if not at <= start <= ends:
            return False
        at = start + len(part)
    return at == len(text)


def _start_of(part: str, text: str, at: int, ends: int, *, is_last: bool) -> int:
    """Where a part goes on behind a mask, -1 for nowhere."""
    if not is_last:
        return text.find(part, at, ends + len(part))
    return len(text) - len(part) if text.endswith(part) else -1


def _place(row: RunRow) -> _Place:
    return tuple(getattr(row, name) for name in _PLACE)


def _recorded(text: str) -> str | None:
    """What makes a stored run the same run; None where it cannot be read back."""
    try:
        return written_case(AgentTestCase.from_json(text)).recorded.decode()
    except InvalidRecord:
        return None
