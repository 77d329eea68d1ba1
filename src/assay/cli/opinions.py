"""What judges say beside their marks: how far they agree, and what they warn of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.judge.provenance import lacks_jurors
from assay.stats import Resampling, krippendorff_alpha

if TYPE_CHECKING:
    from assay.score import Score

_MOST_WARNINGS = 10
_RESAMPLES = Resampling(resamples=200)


class Opinions:
    """Collects what jurors gave, and each warning once."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.warnings: dict[str, None] = {}
        self.incomplete_juries = 0
        self._ratings: list[tuple[float | None, ...]] = []
        self._cases: list[int] = []

    def add(self, score: Score) -> None:
        """Take what was said of one case."""
        self.incomplete_juries += lacks_jurors(score)
        for part in score.walk():
            if part.judged_by:
                self._add(part.judged_by)

    def _add(self, by: dict[str, Any]) -> None:
        for text in by.get("warnings", ()):
            if len(self.warnings) < _MOST_WARNINGS:
                self.warnings[text] = None
        jurors = list(by.get("juror_marks", {}).values())
        if jurors:
            # A juror who is strict with a case is so in all its dimensions: they go together.
            case = self._cases[-1] + 1 if self._cases else 0
            self._ratings += zip(*(marks.values() for marks in jurors), strict=True)
            self._cases += [case] * (len(self._ratings) - len(self._cases))

    def agreement(self) -> dict[str, Any] | None:
        """How far the jurors agree over all cases and dimensions; None without a jury."""
        if not self._ratings:
            return None
        found = krippendorff_alpha(
            self._ratings, scale="interval", how=_RESAMPLES, clusters=self._cases
        )
        interval = found.interval
        return {
            "alpha": found.value,
            "low": None if interval is None else interval.low,
            "high": None if interval is None else interval.high,
            "units": found.units,
            "sentence": found.sentence(),
        }
