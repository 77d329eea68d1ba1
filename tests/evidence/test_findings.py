"""Findings: the eight problems and the three-way verdict."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from tests.evidence.made_runs import call, run, sample

from assay.evidence.findings import FindingKind, Findings, find_problems
from assay.execution import ToolExecutionResult


def bad(tool: str = "get", arguments: Any = None, error: str = "boom") -> ToolExecutionResult:
    return call(tool, {"a": "x"} if arguments is None else arguments, failed=True, error=error)


def good(tool: str = "get", arguments: Any = None) -> ToolExecutionResult:
    return call(tool, {"a": "x"} if arguments is None else arguments, {"v": "fine"})


def found(kind: FindingKind, *calls: ToolExecutionResult, **known: Any) -> Findings:
    findings = find_problems(run(known.pop("prompt", "Look it up"), *calls, **known))
    assert kind in findings.signals
    return findings


def severity(findings: Findings, kind: FindingKind) -> str | None:
    return next((each.severity for each in findings.found if each.kind == kind), None)


@pytest.mark.parametrize(
    ("calls", "signal", "reported"),
    [
        ([good(), good("b")], 0, None),
        ([good(), bad("b"), good("c"), good("d")], (1 / 4 + 1 / 4) / 2, None),
        ([bad(), good()], (1 / 2 + 1) / 2, "medium"),
        ([call("s", {}, []), good("t")], (1 / 2 + 0) / 2, None),
        ([bad(), bad("b")], 1, "medium"),
    ],
)
def test_failure_load(
    calls: list[ToolExecutionResult], signal: float, reported: str | None
) -> None:
    findings = found("failure_load", *calls)
    assert findings.signals["failure_load"] == signal
    assert severity(findings, "failure_load") == reported


@pytest.mark.parametrize(
    ("calls", "signal", "reported"),
    [
        ([bad(), good()], 0, None),
        ([good(), bad()], 0.5, "medium"),
        ([bad(), bad()], 0.5, "medium"),
        ([good(), bad(), bad(), bad()], 1, "high"),
    ],
)
def test_failure_at_the_end(
    calls: list[ToolExecutionResult], signal: float, reported: str | None
) -> None:
    findings = found("failure_at_end", *calls)
    assert findings.signals["failure_at_end"] == signal
    assert severity(findings, "failure_at_end") == reported


@pytest.mark.parametrize(
    ("calls", "places"),
    [
        ([bad(), good()], None),
        # one alone is noise
        ([bad(), good("b")], None),
        ([bad(), bad("b"), good("c")], (0, 1)),
        # 1 of 3 words in common: enough
        ([bad("g", {"q": "a b"}), bad("h"), good("g", {"q": "b c"}), good("h")], None),
        # 1 of 4 words in common: too little
        ([bad("g", {"q": "a b"}), bad("h"), good("g", {"q": "b c d"})], (0, 1)),
        # what succeeded before does not make good what fails later
        ([good(), bad(), bad("b")], (1, 2)),
    ],
)
def test_unresolved_failures(
    calls: list[ToolExecutionResult], places: tuple[int, ...] | None
) -> None:
    findings = found("unresolved_failures", *calls)
    reported = [each for each in findings.found if each.kind == "unresolved_failures"]
    assert [each.calls for each in reported] == ([] if places is None else [places])
    expected = 0 if places is None else len(places) / len(calls)
    assert findings.signals["unresolved_failures"] == expected


TOOLS: dict[str, Any] = {"get": {}}


@pytest.mark.parametrize(
    ("known", "reported"),
    [
        ({"calls": [good()]}, None),
        ({"calls": [good()], "answer": None}, "high"),
        ({"calls": [good()], "answer": " "}, "high"),
        ({"calls": [], "answer": None}, "high"),
        ({"calls": [good()], "extra": {"termination_reason": "max_steps"}}, "high"),
        ({"calls": [good()], "extra": {"stop_reason": "end_turn"}}, None),
        ({"calls": [], "available_tools": TOOLS}, "low"),
        ({"calls": [], "available_tools": TOOLS, "prompt": "Please delete it"}, "high"),
        ({"calls": []}, None),
        # The other side may end a dialogue on a call.
        (
            {
                "calls": [good()],
                "answer": None,
                "conversation_history": [
                    {"role": "user", "content": "Look it up"},
                    {"role": "user", "content": "Now, please"},
                ],
            },
            None,
        ),
    ],
)
def test_no_usable_end(known: dict[str, Any], reported: str | None) -> None:
    calls = known.pop("calls")
    assert severity(found("no_usable_end", *calls, **known), "no_usable_end") == reported


PROMPT_WITH_ITEMS = "Put `orders`, 'paid' and report.csv of SO-58213 together."


@pytest.mark.parametrize(
    ("arguments", "missing"),
    [
        ({"sql": "select 'paid' from orders", "file": "/srv/report.csv", "id": "so_58213"}, 0),
        ({"text": 'orders\npaid\nreport.csv\n"SO-58213"'}, 0),
        ({"sql": "select 'paid' from orders"}, 2),
        ({}, 4),
    ],
)
def test_asked_items_missing(arguments: Any, missing: int) -> None:
    findings = found("asked_items_missing", good("put", arguments), prompt=PROMPT_WITH_ITEMS)
    assert findings.signals["asked_items_missing"] == missing / 4
    expected = "medium" if missing >= 2 else None
    assert severity(findings, "asked_items_missing") == expected


def test_only_calls_that_succeeded_cover_what_was_asked_for() -> None:
    findings = found("asked_items_missing", bad("put", {"id": "SO-58213"}), prompt="Put SO-58213")
    (finding,) = (each for each in findings.found if each.kind == "asked_items_missing")
    assert finding.severity == "low"
    assert "SO-58213" in finding.text


def test_without_items_nothing_can_be_missing() -> None:
    assert found("asked_items_missing", good()).signals["asked_items_missing"] is None


@pytest.mark.parametrize(
    ("prompt", "calls", "signal"),
    [
        ("Please create a report", [good("create_report")], 0),
        ("Please create a report", [good("read_report")], 1),
        ("Please create a report", [bad("create_report"), good("read_report")], 1),
        ("Please create a table", [good("sql", {"q": "CREATE TABLE x (id int)"})], 0),
        ("Please create a table", [good("sql", {"q": "SELECT 1 FROM x"})], 1),
        ("请删除文件", [good("read_file")], 1),
        ("How many are there?", [good("count_them")], None),
        ("Please create a report", [], None),
    ],
)
def test_asked_write_missing(
    prompt: str, calls: list[ToolExecutionResult], signal: float | None
) -> None:
    findings = found("asked_write_missing", *calls, prompt=prompt)
    assert findings.signals["asked_write_missing"] == signal
    assert severity(findings, "asked_write_missing") == ("high" if signal else None)


def test_in_a_dialogue_refusing_can_be_right() -> None:
    history = [{"role": "user", "content": "Please cancel it"}, {"role": "user", "content": "Now"}]
    known = {"prompt": "Please cancel it", "conversation_history": history}
    findings = found("asked_write_missing", good("get_policy"), **known)
    assert findings.signals["asked_write_missing"] is None


@pytest.mark.parametrize(
    ("answer", "signal", "reported"),
    [
        ("It is 21, 22 and 23.", 0, None),
        ("It is 21, 22, 23 and 997.", 1 / 4, None),
        ("It is 21, 22 and 997.", 1 / 3, "medium"),
        ("It is 997 and 998.", None, None),  # fewer than three
        ("It is 5, 6 and 7.", None, None),  # single digits
    ],
)
def test_ungrounded_numbers(answer: str, signal: float | None, reported: str | None) -> None:
    findings = found("ungrounded_numbers", call("get", {}, [21, 22, 23]), answer=answer)
    assert findings.signals["ungrounded_numbers"] == signal
    assert severity(findings, "ungrounded_numbers") == reported


@pytest.mark.parametrize(
    ("calls", "signal", "text"),
    [
        ([good(), good("b")], 0, None),
        ([good(), good(), good("b"), good()], 2 / 4, "2 of 4 calls repeat"),
        (
            [bad("q", {"n": n}, f"row {n} of 'orders{n}' is bad") for n in range(3)],
            0.5,
            "The same failure came 3 times: q: row # of '…' is bad",
        ),
        ([bad("q", {"n": n}, f"row {n} is bad") for n in range(2)], 0, None),
    ],
)
def test_repeats(calls: list[ToolExecutionResult], signal: float, text: str | None) -> None:
    findings = found("repeats", *calls)
    reported = [each for each in findings.found if each.kind == "repeats"]
    assert findings.signals["repeats"] == signal
    assert [each.severity for each in reported] == ([] if text is None else ["low"])
    assert all(each.text.startswith(text or "") for each in reported)


SAMPLES = {
    1: ("no problem found", []),
    2: ("no problem found", []),
    3: ("problem found", ["failure_at_end"]),
    4: ("not checkable", ["no_usable_end"]),
    5: ("no problem found", []),
    6: ("no problem found", []),
    7: (
        "problem found",
        ["failure_load", "failure_at_end", "asked_items_missing", "asked_write_missing"],
    ),
    8: ("problem found", ["failure_load", "failure_at_end", "asked_write_missing", "repeats"]),
    9: ("no problem found", []),
    10: ("no problem found", []),
    11: ("no problem found", []),  # a wrong result without a trace
    12: (
        "problem found",
        [
            "failure_load",
            "failure_at_end",
            "unresolved_failures",
            "asked_items_missing",
            "asked_write_missing",
        ],
    ),
    13: ("no problem found", ["repeats"]),
    14: ("no problem found", []),
    15: ("no problem found", []),
    16: ("no problem found", []),
    17: (
        "problem found",
        ["failure_at_end", "unresolved_failures", "asked_items_missing", "repeats"],
    ),
    18: ("no problem found", []),
    19: ("problem found", ["ungrounded_numbers"]),
    20: (
        "problem found",
        ["failure_at_end", "unresolved_failures", "asked_items_missing", "repeats"],
    ),
}


@pytest.mark.parametrize("number", SAMPLES)
def test_samples(number: int) -> None:
    verdict, kinds = SAMPLES[number]
    findings = find_problems(sample(number))
    assert findings.verdict == verdict
    assert [finding.kind for finding in findings.found] == kinds


@pytest.mark.parametrize("number", SAMPLES)
def test_every_finding_has_a_place_among_the_calls_and_one_sentence(number: int) -> None:
    case = sample(number)
    for finding in find_problems(case).found:
        assert all(0 <= place < len(case.calls) for place in finding.calls)
        assert "\n" not in finding.text
        assert 10 < len(finding.text) < 400


@pytest.mark.parametrize("number", SAMPLES)
def test_every_signal_is_between_0_and_1(number: int) -> None:
    findings = find_problems(sample(number))
    assert set(findings.signals) == set(get_args(FindingKind))
    assert all(signal is None or 0 <= signal <= 1 for signal in findings.signals.values())
    assert findings.concern is None or 0 <= findings.concern <= 1


def test_calls_of_which_nothing_came_back_are_not_checkable() -> None:
    silent = call("get", {"a": 1})
    silent.success_rule = "no_result"
    assert find_problems(run("x", silent)).verdict == "not checkable"
    assert find_problems(run("x", silent, good())).verdict == "no problem found"


def test_a_silent_failure_is_found_before_anyone_settled_the_case() -> None:
    case = sample(7)
    assert case.calls[0].success
    assert find_problems(case).verdict == "problem found"
    assert case.calls[0].success  # and the case is left as it was


def test_long_messages_are_cut() -> None:
    findings = found("failure_at_end", bad(error="line\n" * 10_000))
    assert all(len(finding.text) < 400 for finding in findings.found)


@pytest.mark.parametrize("tool", ["submit", "finish", "mark_task_complete", "finalAnswer"])
def test_a_run_may_end_with_a_call_that_is_there_for_it(tool: str) -> None:
    case = run("Do it.", call("edit", {"a": 1}, "ok"), call(tool, {}, "ok"), answer=None)
    assert find_problems(case).signals["no_usable_end"] == 0
    refused = run("Do it.", call(tool, {}, "no", failed=True), answer=None)
    assert find_problems(refused).signals["no_usable_end"] == 1
    other = run("Do it.", call(f"{tool}_orders", {}, "ok"), answer=None)
    assert find_problems(other).signals["no_usable_end"] == 1


def test_where_no_result_was_recorded_there_was_no_end_to_record() -> None:
    bare = ToolExecutionResult("get", {"a": 1}, success=True, success_rule="no_result")
    assert find_problems(run("Do it.", bare, answer=None)).signals["no_usable_end"] is None


def test_an_editor_is_told_by_its_command() -> None:
    def missing(command: str) -> float | None:
        arguments = {"command": command, "path": "/w/hello.txt"}
        made = run("Create hello.txt.", call("str_replace_editor", arguments, "ok"))
        return find_problems(made).signals["asked_write_missing"]

    assert (missing("create"), missing("str_replace"), missing("view")) == (0, 0, 1)


def test_a_run_may_end_by_the_command_that_the_prompt_tells() -> None:
    prompt = "Fix it. To finish, issue this command: `echo ALL_DONE_NOW`."
    done = call("bash", {"command": "echo ALL_DONE_NOW && git diff"}, "diff")
    other = call("bash", {"command": "git diff"}, "diff")
    assert find_problems(run(prompt, done, answer=None)).signals["no_usable_end"] == 0
    assert find_problems(run(prompt, other, answer=None)).signals["no_usable_end"] == 1


def test_a_deed_that_only_reads_can_not_have_done_is_missing() -> None:
    def found(*calls: ToolExecutionResult) -> list[str]:
        case = run("把卧室空调调到26度", *calls, answer="已调到26度。")
        return [finding.kind for finding in find_problems(case).found]

    read = call("list_devices", {}, {"devices": [{"did": "ac.1", "temp": 23}]})
    assert "asked_write_missing" in found(read)
    # What a tool of this name does is not known.
    assert "asked_write_missing" not in found(read, call("aircon", {"did": "ac.1"}, {"ok": 1}))
    assert "asked_write_missing" not in found(read, call("set_temp", {"did": "ac.1"}, {"ok": 1}))


def test_arguments_that_were_not_recorded_show_nothing_missing() -> None:
    put, shell = good("put", {}), good("bash", {})
    for made in (put, shell):
        made.extra["arguments_recorded"] = False
    signals = found("asked_items_missing", put, prompt=PROMPT_WITH_ITEMS).signals
    assert signals["asked_items_missing"] is None
    asked = "Please create a report"
    assert found("asked_write_missing", shell, prompt=asked).signals["asked_write_missing"] is None
    read = good("read_report")
    assert found("asked_write_missing", read, prompt=asked).signals["asked_write_missing"] == 1
