"""Our own scores of the runs of a store: written in batches, the latest of each kind read."""

from __future__ import annotations

import time
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

import msgspec
from msgspec import Struct

from assay.engine import connect, in_our_words
from assay.score import Score
from assay.store.row_files import write_rows
from assay.store.tables import LONGEST_TEXT, ScoreRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.engine import Engine
    from assay.store.layout import Layout

# A batch is a handful of files: small enough to lose little, large enough to be few.
_BATCH_SCORES = 1_000
_BATCH_SECONDS = 10.0
_PATH = "/"
_encode = msgspec.json.Encoder().encode
_encode_sorted = msgspec.json.Encoder(order="deterministic").encode
_decode_score = msgspec.json.Decoder(Score).decode

# The long side, the cases, is streamed; the scores are looked up in it.
SCORED_CASES = """
    SELECT cases.run_key, cases.source, cases."case", known.scores
    FROM cases LEFT JOIN (
        SELECT run_key, LIST({key: settings_key, tree: tree}) AS scores
        FROM scores
        WHERE tree IS NOT NULL
          AND settings_key IN (SELECT UNNEST($settings_keys::VARCHAR[]))
        GROUP BY run_key
    ) AS known USING (run_key)
"""


class Settings(Struct, frozen=True):
    """What a score was given by: the metric, the judge, and all else that decides its value.

    Two scores of one run under equal settings are of equal standing: one of them is enough.
    """

    metric: str
    judge: str = ""
    options: dict[str, Any] = {}

    @property
    def key(self) -> str:
        """The same for equal settings, and for no others."""
        return sha256(_encode_sorted(self)).hexdigest()[:32]


class ScoreWriter:
    """Takes scores, writes batches; what was written when it dies is complete or invisible."""

    def __init__(self, layout: Layout) -> None:
        """Take the store's layout."""
        self.added = 0
        self._layout = layout
        self._rows: list[ScoreRow] = []
        self._scores = 0
        self._since = 0.0
        self._engine: Engine | None = None

    def __enter__(self) -> Self:
        """Begin; nothing is written before the first score."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Finish the batch in hand, whatever happened: each score in it is whole."""
        try:
            self.flush()
        finally:
            if self._engine is not None:
                self._engine.close()

    def add(self, run_key: str, score: Score, settings: Settings) -> None:
        """Take the score of a run."""
        if not self._rows:
            self._since = time.monotonic()
        # One step, so that Ctrl-C leaves no half of a score behind.
        self._rows.extend(list(score_rows(run_key, score, settings)))
        self._scores += 1
        late = time.monotonic() - self._since > _BATCH_SECONDS
        if late or self._scores >= _BATCH_SCORES:
            self.flush()

    def flush(self) -> None:
        """Write what is in hand and make it visible."""
        if not self._rows:
            return
        if self._engine is None:
            self._engine = connect(spill=self._layout.spill_folder(), threads=1)
        batch = self._layout.begin()
        try:
            with in_our_words(self._layout.root):
                lines = b"\n".join(map(_encode, self._rows))
                write_rows(self._engine, batch.folder, "scores", lines)
            with self._layout.locked("publish"):
                self._layout.show(batch)
        except BaseException:
            batch.abandon()
            raise
        self.added += self._scores
        self._rows, self._scores = [], 0


def score_rows(run_key: str, score: Score, settings: Settings) -> Iterator[ScoreRow]:
    """The rows of `scores` for one score: the whole first, then its parts."""
    key, now = uuid4().hex, time.time()
    for path, part in _walk(score, score.name):
        row = ScoreRow(
            score_key=key,
            run_key=run_key,
            metric=settings.metric,
            path=path,
            name=part.name,
            value=part.value,
            reason=part.reason[:LONGEST_TEXT],
            label=part.label,
            judge=settings.judge,
            settings_key=settings.key,
            scored_at=now,
        )
        if part is score:
            _tell_once(row, score, settings)
        yield row


def _tell_once(row: ScoreRow, score: Score, settings: Settings) -> None:
    """What stands in the row of the whole alone."""
    row.settings = _encode_sorted(settings).decode()
    row.tree = _encode(score).decode()
    by = next((part.judged_by for part in score.walk() if part.judged_by), {})
    for name in ScoreRow.__struct_fields__:
        if name in _JUDGED_BY and by.get(name) not in (None, ""):
            setattr(row, name, by[name])


_JUDGED_BY = frozenset(
    {
        "model",
        "rubric",
        "rubric_hash",
        "language",
        "evidence",
        "seed",
        "runs",
        "cost_usd",
        "input_tokens",
        "output_tokens",
    }
)


def _walk(score: Score, path: str) -> Iterator[tuple[str, Score]]:
    yield path, score
    for part in score.parts:
        yield from _walk(part, f"{path}{_PATH}{part.name}")


def read_scores(found: list[dict[str, str]] | None) -> dict[str, Score]:
    """The scores of one run by settings key."""
    return {item["key"]: _decode_score(item["tree"]) for item in found or ()}


def latest_scores(rows: str) -> str:
    """Of the scores that one judge gave one run by one metric, the last; in plain window SQL.

    Only the row of the whole, whose path is its name, is put in order: its parts follow it.
    """
    columns = ", ".join(f'"{name}"' for name in ScoreRow.__struct_fields__)
    return f"""
        SELECT {columns} FROM ({rows}) WHERE score_key IN (
            SELECT score_key FROM (
                SELECT score_key, ROW_NUMBER() OVER (
                    PARTITION BY run_key, metric, judge ORDER BY scored_at DESC, score_key DESC
                ) AS age FROM ({rows}) WHERE path = name
            ) WHERE age = 1
        )
    """  # noqa: S608 - our own files, quoted
