"""A gate's report as JUnit XML, which every CI shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from assay.render.safe_text import many_lines, one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.gate import CheckResult, GateReport

# What XML 1.0 cannot hold even as an escape.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(reports: Sequence[GateReport]) -> str:
    """One suite a report: a regression is a failure, too little data is skipped.

    A check that could not be made at all is an error: something to mend, not a verdict.
    """
    suites = [_suite(report) for report in reports]
    root = ET.Element("testsuites", {"name": "assay", **_totals(suites)})
    root.extend(suites)
    ET.indent(root)
    text: str = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def result_tag(check: CheckResult) -> str | None:
    """The element that a check's verdict is in JUnit; None for a pass."""
    if not check.was_checked:
        return "error"
    return {"pass": None, "regression": "failure", "insufficient": "skipped"}[check.verdict]


def _suite(report: GateReport) -> ET.Element:
    cases = [_case(report, check) for check in report.checks]
    suite = ET.Element("testsuite", {"name": _attribute(f"assay gate {report.name}")})
    properties = ET.SubElement(suite, "properties")
    for name, value in _facts(report).items():
        ET.SubElement(properties, "property", {"name": name, "value": _attribute(value)})
    suite.extend(cases)
    for name, count in _counts(cases).items():
        suite.set(name, str(count))
    return suite


def _facts(report: GateReport) -> dict[str, str]:
    facts = {"verdict": report.verdict, "runs": str(report.runs), "tasks": str(report.tasks)}
    return facts | ({"baseline": report.baseline} if report.baseline else {})


def _case(report: GateReport, check: CheckResult) -> ET.Element:
    names = {"classname": f"assay.gate.{report.name}", "name": check.name}
    case = ET.Element("testcase", {key: _attribute(value) for key, value in names.items()})
    tag = result_tag(check)
    if tag is None:
        ET.SubElement(case, "system-out").text = _content(check.reason)
        return case
    result = ET.SubElement(case, tag, {"message": _attribute(check.reason)})
    if tag == "error":
        result.set("type", "not checked")
    elif tag == "failure":
        result.set("type", check.verdict)
        result.text = _content("\n".join([check.reason, *_broken(report)]))
    return case


def _broken(report: GateReport) -> list[str]:
    flips = report.comparison.flips if report.comparison else ()
    return [flip.sentence() for flip in flips if flip.way == "broken"]


def _counts(cases: Sequence[ET.Element]) -> dict[str, int]:
    tags = [child.tag for case in cases for child in case]
    kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": len(cases), **{name: tags.count(tag) for name, tag in kinds.items()}}


def _totals(suites: Sequence[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors", "skipped")
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in names}


def _attribute(text: str) -> str:
    return _FORBIDDEN.sub("", one_line(text))


def _content(text: str) -> str:
    return _FORBIDDEN.sub("", many_lines(text))
