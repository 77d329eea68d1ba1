"""What judges say beside their marks: how far they agree, what order did, what they warn of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.judge import lacks_jurors, panel_agreement
from assay.stats import Resampling, cluster_interval

if TYPE_CHECKING:
    from assay.score import Score
    from assay.stats import Agreement

_MOST_WARNINGS = 10
_EFFECTS = {
    "early": "asked early, a dimension is marked {value:+.2f} higher",
    "high_bands_first": "with the upper bands first, marks are {value:+.2f} higher",
}


class JurorReport:
    """Collects what jurors and repeated judges gave, and each warning once."""

    def __init__(self) -> None:
        """Start with nothing."""
        self.warnings: dict[str, None] = {}
        self.incomplete_juries = 0
        self._marks: list[dict[str, dict[str, float | None]]] = []
        self._effects: dict[str, list[float]] = {name: [] for name in _EFFECTS}

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
        if by.get("juror_marks"):
            self._marks.append(by["juror_marks"])
        for name, value in (by.get("order_effect") or {}).items():
            if value is not None:
                self._effects[name].append(value)

    def agreement(self) -> dict[str, Any] | None:
        """How far the jurors agree about cases, in all and by dimension; None without a jury."""
        if not self._marks:
            return None
        found = panel_agreement(self._marks)
        by_dimension = {name: _as_dict(one) for name, one in found.dimensions.items()}
        return {**_as_dict(found.overall), "dimensions": by_dimension}

    def order_effects(self) -> dict[str, Any] | None:
        """What the order of the questions did to the marks; None where it was not balanced."""
        effects = {name: _effect(name, values) for name, values in self._effects.items() if values}
        return effects or None


def _as_dict(found: Agreement) -> dict[str, Any]:
    interval = found.interval
    return {
        "alpha": found.value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "units": found.units,
        "sentence": found.sentence(),
    }


def _effect(name: str, values: list[float]) -> dict[str, Any]:
    """The mean effect over cases, with its interval."""
    value = sum(values) / len(values)
    interval = cluster_interval([(effect, 1) for effect in values], None, Resampling())
    sentence = _EFFECTS[name].format(value=value)
    if interval is not None:
        sentence += f" ({interval.sentence()})"
    return {
        "value": value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "cases": len(values),
        "sentence": sentence,
    }
