"""Scores of a store's runs: those it has are taken from it, those it lacks are put into it."""

from __future__ import annotations

from contextlib import ExitStack
from importlib import import_module
from typing import TYPE_CHECKING, Any

from assay.errors import AssayError, WriteFailed
from assay.judge.marks import lacks_jurors
from assay.score import Score
from assay.scoring import KnownCase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.cli.score_metrics import MadeMetric
    from assay.scoring import CaseScores
    from assay.store import ScoreWriter, Settings


def settings_of(made: MadeMetric) -> Settings:
    """What the scores of a metric are kept under."""
    settings: type[Settings] = import_module("assay.store").Settings
    return settings(made.metric.name, made.judge, made.options or {})


class ScoreKeeper:
    """Knows under which settings each metric scores, in every store that is read."""

    def __init__(self, made: Sequence[MadeMetric], *, again: bool) -> None:
        """Take the metrics; `again` scores what has its scores already."""
        self._settings: dict[str, Any] = {item.metric.name: settings_of(item) for item in made}
        # A metric of the user's own may have changed since: it is always asked.
        known = [] if again else [item for item in made if item.options is not None]
        self._recalled = {self._settings[item.metric.name].key: item.metric.name for item in known}
        self._writers: dict[str, ScoreWriter] = {}
        self._open = ExitStack()
        self.problem: str | None = None

    def cases(self, path: str) -> Iterator[KnownCase]:
        """The runs of a store with the scores they have under the same settings."""
        store = import_module("assay.store").Store(path)
        for run_key, case, scores in store.scored_cases(list(self._recalled)):
            known = {self._recalled[key]: score for key, score in scores.items()}
            yield KnownCase(case, run_key, known, path)

    def keep(self, scores: CaseScores) -> None:
        """Put what is new into the store the run came from; None of it if that fails once.

        What a jury said without all its jurors is not kept: those will be asked the next time.
        """
        if scores.run_key is None or self.problem is not None:
            return
        fresh = [
            result
            for result in scores.results
            if isinstance(result, Score)
            and result.name not in scores.known
            and not lacks_jurors(result)
        ]
        try:
            for score in fresh:
                writer = self._writer(scores.store)
                writer.add(scores.run_key, score, self._settings[score.name])
        except (AssayError, OSError) as exc:
            self.problem = f"the scores are not kept in {scores.store}: {_why(exc)}"

    def close(self) -> None:
        """Write what is in hand."""
        try:
            self._open.close()
        except (AssayError, OSError) as exc:
            self.problem = self.problem or f"the last scores are not kept: {_why(exc)}"

    def _writer(self, path: str) -> ScoreWriter:
        if path not in self._writers:
            opened = import_module("assay.store").Store(path).score_writer()
            self._writers[path] = self._open.enter_context(opened)
        return self._writers[path]


def _why(exc: AssayError | OSError) -> str:
    """What the system says of a file, which is one of the store's own; else the whole message."""
    told = exc.strerror if isinstance(exc, OSError) else None
    return told or (exc.reason if isinstance(exc, WriteFailed) else None) or str(exc)
