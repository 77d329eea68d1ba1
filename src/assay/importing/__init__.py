"""Recordings into a store: every core reads, each run is kept once, nothing is lost on the way."""

from __future__ import annotations

from assay.importing.report import ImportReport, ImportSettings, Watcher
from assay.importing.sharing import import_runs

__all__ = ["ImportReport", "ImportSettings", "Watcher", "import_runs"]
