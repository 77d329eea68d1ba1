"""What many results come to: counts, and means that say how many values they stand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.scoring.results import Failed

if TYPE_CHECKING:
    from assay.score import Score


class Average:
    """A running mean that says how many values it stands on."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.count = 0
        self._sum = 0.0

    def add(self, value: float | None) -> None:
        """Take one value; None stays out."""
        if value is not None:
            self.count += 1
            self._sum += value

    @property
    def mean(self) -> float | None:
        """The mean so far; None when nothing came."""
        return self._sum / self.count if self.count else None


class Tally:
    """What one metric said of many cases: three counts, and a mean for each score and part."""

    def __init__(self, metric: str) -> None:
        """Start with nothing."""
        self.metric = metric
        self.scored = 0
        self.not_measurable = 0
        self.failed = 0
        self.averages: dict[str, Average] = {}

    def add(self, result: Score | Failed) -> None:
        """Count one result."""
        if isinstance(result, Failed):
            self.failed += 1
            return
        if result.value is None:
            self.not_measurable += 1
        else:
            self.scored += 1
        for name, value in result.values().items():
            self.averages.setdefault(name, Average()).add(value)

    def to_dict(self) -> dict[str, Any]:
        """The counts and means as JSON values."""
        return {
            "metric": self.metric,
            "scored": self.scored,
            "not_measurable": self.not_measurable,
            "failed": self.failed,
            "means": {
                name: {"mean": average.mean, "n": average.count}
                for name, average in self.averages.items()
            },
        }
