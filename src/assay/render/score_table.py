"""Scores in the terminal: a table of cases, and what they come to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.render.safe_text import many_lines, one_line, shortened

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping, Sequence

    from assay.render.row_files import Row

# Column header to the row's key; a column that tells nothing is not shown.
_COLUMNS = {
    "score": "score",
    "judged": "judged",
    "tools": "tool_use",
    "schema": "input_schema_compliance",
    "names": "valid_tool_name_rate",
    "success": "execution_success_rate",
    "failure*": "valid_call_failure_rate",
    "plan": "planning_json_compliance",
}
_LEGEND = "* lower is better    – does not apply"
_LONGEST_NOTE = 100
_LONGEST_RUN = 40
# Without these a long note would squeeze the numbers out of a narrow terminal.
_RUN_WIDTH = 20
_NUMBER_WIDTH = 5


def score_table(rows: Sequence[Row], *, title: str) -> Table:
    """The rows as a table; a dash is a value that does not apply."""
    table = Table(title=title, caption=_LEGEND, box=SIMPLE_HEAD, pad_edge=False)
    table.title_justify = table.caption_justify = "left"
    several = len({row.get("metric") for row in rows}) > 1
    shown = [key for key in _COLUMNS.values() if _tells_something(key, rows)]
    table.add_column("run", no_wrap=True, min_width=_RUN_WIDTH)
    if several:
        table.add_column("metric", no_wrap=True)
    table.add_column("calls", justify="right", min_width=_NUMBER_WIDTH)
    for header, key in _COLUMNS.items():
        if key in shown:
            table.add_column(header, justify="right", min_width=_NUMBER_WIDTH)
    table.add_column("note", no_wrap=True, overflow="ellipsis")
    for row in rows:
        run = Text(shortened(one_line(str(row["run"])), _LONGEST_RUN))
        metric = [Text(one_line(str(row["metric"])))] if several else []
        numbers = [_number(row.get(key), failed=_failed(key, row)) for key in shown]
        table.add_row(run, *metric, Text(str(row["calls"])), *numbers, _note(row))
    return table


def summary_lines(tallies: Iterable[Mapping[str, Any]], *, threshold: float | None) -> list[Text]:
    """One line a metric: how many, how good, and what could not be scored."""
    lines = []
    for tally in tallies:
        found = tally["means"].get(tally["metric"], {"mean": None})
        average = "no score" if found["mean"] is None else f"mean {found['mean']:.3f}"
        parts = [f"{tally['metric']}: {tally['scored']} scored, {average}"]
        if threshold is not None:
            parts.append(f"{tally['below']} below {threshold:g}")
        parts += [
            f"{tally[key]} {word}"
            for key, word in (("not_measurable", "not measurable"), ("failed", "failed"))
            if tally[key]
        ]
        lines.append(Text(", ".join(parts), style="bold"))
    return lines


def label_lines(labels: Counter[str]) -> list[Text]:
    """What the scores stand on, where that is less than their name promises."""
    return [
        Text(f"{count} of them stand on the {label}", style="yellow")
        for label, count in labels.most_common()
    ]


def reason_text(row: Row) -> Text:
    """Why a case scored as it did, for `--verbose`."""
    text = Text(f"{one_line(str(row['run']))}\n", style="bold")
    text.append(many_lines(row["reason"] or row["problem"] or "no reason"), style="not bold")
    for complaint in row.get("complaints", ()):
        text.append(f"\nDoubtful: {many_lines(complaint)}", style="not bold yellow")
    return text


def _tells_something(key: str, rows: Sequence[Row]) -> bool:
    """Whether a column has a value, and one that the score does not show already."""
    values = [row.get(key) for row in rows]
    if key == "tool_use" and values == [row["score"] for row in rows]:
        return False
    return any(value is not None for value in values)


def _failed(key: str, row: Row) -> bool:
    return key == "score" and row["passed"] is False


def _number(value: object, *, failed: bool) -> Text:
    if not isinstance(value, int | float):
        return Text("–", style="dim")
    return Text(f"{value:.3f}", style="red" if failed else "")


def _note(row: Row) -> Text:
    if row["problem"]:
        return Text(shortened(one_line(row["problem"]), _LONGEST_NOTE), style="red")
    lines = row["reason"].splitlines()
    if row["score"] is not None:
        lines = lines[1:]  # the first line is the formula; the columns show it
    note = next(iter([*lines, *row.get("complaints", ())]), "")
    return Text(shortened(one_line(note), _LONGEST_NOTE), style="dim")
