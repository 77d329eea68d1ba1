"""May this change go in? Thresholds and baselines, each with a verdict that says how sure it is."""

from __future__ import annotations

from assay.gate.baseline import read_baseline, read_runs, write_baseline
from assay.gate.checks import CheckResult
from assay.gate.reading import FoundSettings, find_settings, read_settings, settings_of
from assay.gate.report import GateReport, gate, refuse_misspelt, unreadable
from assay.gate.room import Verdict
from assay.gate.settings import CheckSettings, GateSettings, Settings, schema_text, settings_schema

__all__ = [
    "CheckResult",
    "CheckSettings",
    "FoundSettings",
    "GateReport",
    "GateSettings",
    "Settings",
    "Verdict",
    "find_settings",
    "gate",
    "read_baseline",
    "read_runs",
    "read_settings",
    "refuse_misspelt",
    "schema_text",
    "settings_of",
    "settings_schema",
    "unreadable",
    "write_baseline",
]
