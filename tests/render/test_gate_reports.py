"""A gate's report as JUnit XML, annotations and Markdown; hostile text stays text."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from assay.comparing import Comparison, TaskFlip
from assay.gate import CheckResult, GateReport, Verdict
from assay.render.github import MARK, gate_markdown, workflow_commands
from assay.render.junit import junit_xml, result_tag
from assay.stats import Interval

if TYPE_CHECKING:
    from assay.gate.checks import Rule

HOSTILE = "\x00\x1b[31m]]><failure/>&\"'\n::error::x\r\ufffe\ud800 %0A <script> |x| http://evil"


def check(verdict: Verdict, reason: str = "why", *, rule: Rule = "min") -> CheckResult:
    return CheckResult(
        "success",
        rule,
        verdict,
        reason,
        asked="0.6",
        value=0.5,
        interval=Interval(0.4, 0.6, 0.95, "Wilson"),
        tasks=21,
        runs=84,
    )


NOT_CHECKED = replace(check("insufficient"), was_checked=False, value=None, interval=None)
COMPARISON = Comparison(
    baseline="old",
    candidate="new",
    flips=(TaskFlip("lost task", "broken", 1.0, 0.0), TaskFlip("found task", "fixed", 0.0, 1.0)),
    headline=None,
    figures=(),
    baseline_runs=1,
    candidate_runs=1,
    only_in_baseline=(),
    only_in_candidate=(),
)


def report(*checks: CheckResult, name: str = "new") -> GateReport:
    return GateReport(name, "regression", checks, 84, 21, "old", COMPARISON)


TAGS = {"pass": None, "regression": "failure", "insufficient": "skipped"}


@pytest.mark.parametrize("verdict", get_args(Verdict))
def test_every_verdict_has_its_element(verdict: Verdict) -> None:
    assert result_tag(check(verdict)) == TAGS[verdict]
    assert result_tag(replace(check(verdict), was_checked=False)) == "error"


def test_failure_error_and_skipped_are_three_things() -> None:
    checks = (check("pass"), check("regression"), check("insufficient"), NOT_CHECKED)
    root = ET.fromstring(junit_xml([report(*checks)]))
    (suite,) = root
    for element in (root, suite):
        counts = {key: element.get(key) for key in ("tests", "failures", "errors", "skipped")}
        assert counts == {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"}
    tags = [[child.tag for child in case] for case in suite.iter("testcase")]
    assert tags == [["system-out"], ["failure"], ["skipped"], ["error"]]
    assert {case.get("classname") for case in suite.iter("testcase")} == {"assay.gate.new"}
    assert {case.get("name") for case in suite.iter("testcase")} == {"success min 0.6"}
    failure = suite.find(".//failure")
    assert failure is not None
    assert (failure.get("type"), failure.get("message")) == ("regression", "why")
    assert failure.text == "why\nlost task broken: 1.000 to 0.000"
    properties = {each.get("name"): each.get("value") for each in suite.iter("property")}
    assert properties == {"verdict": "regression", "runs": "84", "tasks": "21", "baseline": "old"}


def test_one_suite_a_report() -> None:
    root = ET.fromstring(junit_xml([report(check("regression")), report(check("pass"), name="b")]))
    assert [suite.get("name") for suite in root] == ["assay gate new", "assay gate b"]
    assert (root.get("tests"), root.get("failures")) == ("2", "1")


def test_hostile_text_stays_text_in_xml() -> None:
    text = junit_xml([report(check("regression", HOSTILE), name=HOSTILE)])
    text.encode()
    root = ET.fromstring(text)
    assert [child.tag for child in root.iter() if child.tag == "script"] == []
    assert len(list(root.iter("failure"))) == 1
    failure = root.find(".//failure")
    assert failure is not None
    assert "\\x1b[31m]]><failure/>&\"'" in (failure.get("message") or "")
    assert not any(ord(char) < 0x20 and char not in "\n\t\r" for char in text)


@given(st.text(alphabet=st.characters(exclude_categories=())))
def test_any_text_makes_good_xml_and_one_command(text: str) -> None:
    made = report(check("regression", text), name=text)
    ET.fromstring(junit_xml([made]).encode())
    (command,) = workflow_commands(made)
    assert "\n" not in command
    assert "\r" not in command
    gate_markdown(made).encode()


def test_annotations_are_escaped_as_github_reads_them() -> None:
    made = report(
        check("pass"), replace(check("regression", "50 % of a, b: c\nd"), quantity="a:b,c")
    )
    assert list(workflow_commands(made)) == [
        "::error title=assay gate%3A a%3Ab%2Cc min 0.6::50 %25 of a, b: c d"
    ]
    (warning,) = workflow_commands(report(check("insufficient", HOSTILE)))
    assert warning.startswith("::warning title=assay gate%3A success min 0.6::\\x00\\x1b[31m")
    assert "%250A" in warning


def test_the_comment_has_the_verdict_every_check_and_the_flips() -> None:
    text = gate_markdown(report(check("pass"), check("regression"), NOT_CHECKED))
    lines = text.splitlines()
    assert lines[0] == MARK
    assert lines[2] == "### assay gate: regression"
    assert "| success min 0.6 | pass | 0.500 | 0.400 to 0.600 | 21 | 84 |" in lines
    assert "| success min 0.6 | insufficient data | – | – | 21 | 84 |" in lines
    assert lines.count("- **success min 0.6**: why") == 2
    assert "| lost task | broken | 1.00 | 0.00 |  |" in lines


def test_hostile_text_stays_text_in_markdown() -> None:
    text = gate_markdown(report(check("regression", HOSTILE), name=HOSTILE))
    assert "<script>" not in text
    assert "http://evil" not in text
    assert "\x1b" not in text
