"""The page of an audit: what a judge noticed of planted defects, kind by kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.pages.environment import page, static_text

if TYPE_CHECKING:
    from assay.judge import AuditReport


def audit_page(report: AuditReport, language: str = "en") -> str:
    """One HTML file that needs nothing beside it."""
    return page("judge_audit.html", language, report=report, style=static_text("assay.css"))
