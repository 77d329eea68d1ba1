"""Scores in the terminal: readable at any width, harmless whatever the agents wrote."""

from __future__ import annotations

import io
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from assay.metrics.mcp_tool.result import MEASURED_RATES
from assay.readers import Unreadable
from assay.render.score_rows import FILE_COLUMNS, run_label, score_row, unreadable_row
from assay.render.score_table import label_lines, reason_text, score_table, summary_lines
from assay.run import Source
from assay.score import Score
from assay.scoring import Failed, Tally
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from rich.console import RenderableType

    from assay.render.row_files import Row

HOSTILE = "\x1b[31mred\x1b]8;;http://evil.example\x1b\\ \u202e[red]x[/red] :smile:\r\n=cmd()"


def drawn(thing: RenderableType, *, width: int = 100, colour: bool = False) -> str:
    file = io.StringIO()
    Console(
        file=file, width=width, force_terminal=colour, color_system="truecolor" if colour else None
    ).print(thing)
    return file.getvalue()


def measured(value: float = 0.5, **rates: float | None) -> Score:
    parts = tuple(Score(name, rates.get(name, 1.0)) for name in MEASURED_RATES)
    return Score(
        "mcp_tool", value, "The formula.\nA finding.", (Score("tool_use", value, "", parts),)
    )


def row(result: Score | Failed | None = None, run: str = "r", **more: Any) -> Row:
    case = AgentTestCase("q", "a", run_id=run)
    return score_row(case, result or measured(), threshold=0.7, complaints=[]) | more


def table(rows: list[Row], width: int = 100, *, colour: bool = False) -> list[str]:
    lines = drawn(score_table(rows, title="title", width=width), width=width, colour=colour)
    return [line.rstrip() for line in lines.splitlines()]


def test_a_table_has_a_row_for_each_case() -> None:
    lines = table(
        [row(run="first"), row(measured(1.0, planning_json_compliance=None), run="second")]
    )
    assert lines[0] == "title"
    headers = lines[2].split()
    assert headers == ["run", "calls", "score", "schema", "names", "ok", "fail*", "plan", "note"]
    assert lines[4].split()[:9] == ["first", "0", "0.500", *["1.00"] * 5, "BELOW."]
    assert lines[5].split()[:9] == ["second", "0", "1.000", *["1.00"] * 4, "–", "A"]
    assert lines[-1] == "* lower is better    – does not apply"
    unstarred = table([row(measured(1.0, valid_call_failure_rate=None), run="only")])
    assert unstarred[-1] == "– does not apply"


def test_none_found_is_explained_where_it_stands() -> None:
    clear, bad = row(verdict="no problem found"), row(verdict="problem found")
    told = "none found: no problem found; some values may be unsourced"
    assert table([clear, bad])[-1] == told
    assert told not in table([bad])


@pytest.mark.parametrize("width", [50, 60, 80, 100, 200])
def test_numbers_are_whole_and_lines_fit_at_any_width(width: int) -> None:
    rows = [
        row(run="天气" * 30),
        row(measured(0.25), run="a" * 200),
        row(Failed("mcp_tool", "crashed: " + "very " * 100)),
    ]
    lines = table(rows, width)
    assert all(cell_len(line) <= width for line in lines)
    body = lines[4:7]
    assert [re.findall(r"\d\.\d{3}", line)[:1] for line in body] == [["0.500"], ["0.250"], []]
    assert all("…" not in number for line in body for number in line.split() if number[:1] == "0")
    assert {"run", "calls", "score"} <= set(lines[2].split())


def test_what_gives_way_in_a_narrow_terminal() -> None:
    headers = {width: table([row(run="x" * 20)], width)[2].split() for width in (120, 80, 60)}
    assert headers[120][-1] == "note"
    assert headers[80][-1] == "plan"
    assert headers[60][:3] == ["run", "calls", "score"]
    assert "plan" not in headers[60]


def test_several_metrics_are_told_apart() -> None:
    lines = table([row(), row(Score("tool_use", 0.25))])
    assert lines[2].split()[:3] == ["run", "metric", "calls"]
    assert lines[4].split()[1] == "mcp_tool"
    assert lines[5].split()[1] == "tool_use"


@pytest.mark.parametrize("colour", [False, True])
def test_hostile_text_is_only_text(colour: bool) -> None:
    shown = [
        *table([row(Failed(HOSTILE, HOSTILE), run=HOSTILE)], 200, colour=colour),
        drawn(reason_text(row(run=HOSTILE, reason=HOSTILE, complaints=[HOSTILE])), colour=colour),
        drawn(label_lines(Counter({HOSTILE: 1}))[0], colour=colour),
        drawn(summary_lines([Tally(HOSTILE).to_dict()], threshold=None)[0], colour=colour),
    ]
    text = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(shown))
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    # In the table the run's name is cut before it comes to these.
    assert text.count("[red]x[/red]") == text.count(":smile:") == 6
    if not colour:
        assert "\x1b" not in "\n".join(shown)
    # Agents do not choose our colours: all that is left of theirs is text.
    assert text.count("\\x1b[31mred") == 7


def test_a_case_below_the_threshold_is_red() -> None:
    below, above = table([row(measured(0.5)), row(measured(0.9))], colour=True)[4:6]
    assert "\x1b[31m0.500" in below
    assert "\x1b[31m" not in above


NOTES = {
    "a finding": (row(), "A finding."),
    "a problem": (row(Failed("m", "crashed: KeyError: 'x'")), "crashed: KeyError: 'x'"),
    "nothing to measure": (row(Score("m", None)), "nothing to measure"),
    "a reason for nothing": (row(Score("m", None, "no calls")), "no calls"),
    "a doubt": (row(Score("m", 1.0, "The formula."), complaints=["odd"]), "odd"),
    "nothing to say": (row(Score("m", 1.0, "The formula.")), ""),
}


@pytest.mark.parametrize("name", NOTES)
def test_the_note_says_the_most_important_thing(name: str) -> None:
    found, note = NOTES[name]
    assert table([found])[4].endswith(note)


def test_a_column_that_tells_nothing_is_left_out() -> None:
    assert table([row(Score("m", 0.5, "f"))])[2].split() == ["run", "calls", "score", "note"]


def test_reasons_are_told_in_full() -> None:
    told = drawn(reason_text(row(complaints=["one", "two"])))
    assert told == "r\nThe formula.\nA finding.\nDoubtful: one\nDoubtful: two\n"
    assert drawn(reason_text(row(Failed("m", "crashed")))) == "r\ncrashed\n"
    assert drawn(reason_text(row(Score("m", 1.0)))) == "r\nno reason\n"


def test_a_summary_counts_what_happened() -> None:
    tally = Tally("m")
    for result in (Score("m", 1.0), Score("m", 0.5), Score("m", None), Failed("m", "x")):
        tally.add(result)
    (line,) = summary_lines([tally.to_dict() | {"below": 1}], threshold=0.7)
    assert line.plain == "m: 2 scored, mean 0.750, 1 below 0.7, 1 not measurable, 1 failed"
    many = tally.to_dict() | {"scored": 12_000, "below": 1_200, "not_measurable": 3_000}
    (line,) = summary_lines([many], threshold=0.7)
    assert line.plain.startswith("m: 12,000 scored, mean 0.750, 1,200 below 0.7, 3,000 not measur")
    (line,) = summary_lines([Tally("m").to_dict()], threshold=None)
    assert line.plain == "m: 0 scored, no score"


def test_labels_are_counted() -> None:
    lines = label_lines(Counter({"judged part only": 1, "measured part only": 3}))
    assert [line.plain for line in lines] == [
        "3 of these scores: measured part only",
        "1 of these scores: judged part only",
    ]


@pytest.mark.parametrize(
    ("known", "label"),
    [
        ({"run_id": "r", "task_id": "t"}, "r"),
        ({"task_id": "t"}, "t"),
        ({"task_id": "t", "attempt": 2}, "t #2"),
        ({"source": Source("runs.jsonl", position=7)}, "runs.jsonl:7"),
        ({"source": Source("run.json")}, "run.json"),
        ({}, "What is\\x1b the"),
    ],
)
def test_a_run_is_called_by_the_best_name_it_has(known: dict[str, Any], label: str) -> None:
    assert run_label(AgentTestCase("What is\x1b the", "a", **known)) == label


def test_a_row_has_no_columns_that_files_lack() -> None:
    only_in_json = {"tree", "complaints"}
    assert set(row(complaints=["odd"])) - only_in_json <= set(FILE_COLUMNS)


def test_a_score_that_is_missing_keeps_its_parts() -> None:
    found = Score("m", None, "no verdict", parts=(Score("grounding", 0.5),))
    kept = row(found)
    assert (kept["score"], kept["passed"], kept["reason"]) == (None, None, "no verdict")
    assert (kept["grounding"], kept["tree"]) == (0.5, found)


def test_an_item_that_was_not_read_is_a_row() -> None:
    found = unreadable_row(Unreadable("a.jsonl", "not JSON", 3))
    assert tuple(found) == FILE_COLUMNS
    assert {key: value for key, value in found.items() if value is not None} == {
        "run": "a.jsonl:3",
        "problem": "not read: not JSON",
        "source": "a.jsonl:3",
    }
