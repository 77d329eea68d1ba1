"""From a parsed value to the runs it holds."""

from __future__ import annotations

from typing import Any

from assay.readers.engine.found import FoundRun


def find_runs(value: Any, *, path: str = "") -> list[FoundRun]:
    """The runs in a parsed value, or in a list of parsed lines; none where it holds no run."""
    raise NotImplementedError(path, type(value))
