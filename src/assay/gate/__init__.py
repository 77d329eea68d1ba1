"""May this change go in? Thresholds and baselines, each with a verdict that says how sure it is."""

from __future__ import annotations

from assay.gate.baseline import read_baseline, write_baseline
from assay.gate.checks import CheckResult, Verdict
from assay.gate.reading import find_settings, read_settings
from assay.gate.report import GateReport, gate
from assay.gate.settings import CheckSettings, GateSettings, Settings, settings_schema

__all__ = [
    "CheckResult",
    "CheckSettings",
    "GateReport",
    "GateSettings",
    "Settings",
    "Verdict",
    "find_settings",
    "gate",
    "read_baseline",
    "read_settings",
    "settings_schema",
    "write_baseline",
]
