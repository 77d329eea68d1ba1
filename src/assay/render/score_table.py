"""Scores in the terminal: a table of cases, and what they come to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from assay.render.safe_text import many_lines, one_line, shortened, shortened_front

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Mapping, Sequence

    from assay.render.row_files import Row

# Column header to the row's key; a column that tells nothing is not shown.
_COLUMNS = {
    "verdict": "verdict",
    "score": "score",
    "judged": "judged",
    "tools": "tool_use",
    "schema": "input_schema_compliance",
    "names": "valid_tool_name_rate",
    "ok": "execution_success_rate",
    "fail*": "valid_call_failure_rate",
    "plan": "planning_json_compliance",
}
_STAR = "*"
_STARRED = "* lower is better    "
_LEGEND = "– does not apply"
_NONE_FOUND = "\nnone found: no problem found; some values may be unsourced"
_WIDEST_RUN = 40
_NARROWEST_RUN = 12
# A name one can read is worth more than the last columns, but not than these first ones.
_READABLE_RUN = 20
_FIRST_COLUMNS = 4
_NARROWEST_NOTE = 16
_NUMBER_WIDTHS = {"calls": 5, "score": 5, "verdict": 21}
# Evidence finds problems, never success: the column says no more than that.
_CLEAR = "no problem found"
_VERDICTS = {
    "passed": ("passed", "green"),
    "failed": ("failed", "red"),
    "suspect": ("suspect", "yellow"),
    _CLEAR: ("none found", ""),
    "unknown": ("unknown", "dim"),
}
_BASES = {
    "outcome": "outcome", "expectation": "expected", "judge": "judge", "evidence": "evidence",
}  # fmt: skip
_SHOWN = "The evidence shows: "
_FORMULA = re.compile(r"[0-9.]+ x |Judged part only|Measured part only|Held at |Strict mode")
_OTHER_NUMBERS = 4
_GAP = 3


def score_table(rows: Sequence[Row], *, title: str, width: int) -> Table:
    """The rows as a table of that width; a dash is a value that does not apply.

    In a narrow terminal the note gives way first, then the last columns.
    """
    metrics = {one_line(str(row["metric"])) for row in rows}
    metric_width = max(map(len, metrics)) + _GAP if len(metrics) > 1 else 0
    shown = {h: key for h, key in _COLUMNS.items() if _tells_something(key, rows)}
    while (room := _room(width - metric_width, shown)) < _wanted_run(shown) and len(shown) > 1:
        shown.popitem()
    longest = max(cell_len(name) for name in ("run", *(one_line(str(r["run"])) for r in rows)))
    run_width = min(_WIDEST_RUN, max(_READABLE_RUN, room // 2), longest)
    note_width = room - run_width - _GAP
    if note_width < _NARROWEST_NOTE:
        run_width, note_width = min(_WIDEST_RUN, room, longest), 0
    is_clear = "verdict" in shown and any(row.get("verdict") == _CLEAR for row in rows)
    table = _empty_table(title, shown, (run_width, metric_width, note_width), is_clear=is_clear)
    for row in rows:
        run = Text(_run(row, run_width))
        metric = [Text(one_line(str(row["metric"])))] if metric_width else []
        numbers = [_number(key, row) for key in shown.values()]
        note = [_note(row, note_width)] if note_width else []
        table.add_row(run, *metric, Text(str(row["calls"])), *numbers, *note)
    return table


def _empty_table(
    title: str, shown: Mapping[str, str], widths: tuple[int, int, int], *, is_clear: bool
) -> Table:
    run_width, metric_width, note_width = widths
    starred = any(header.endswith(_STAR) for header in shown)
    caption = f"{_STARRED if starred else ''}{_LEGEND}"
    if is_clear:
        caption += _NONE_FOUND
    table = Table(title=title, caption=caption, box=SIMPLE_HEAD, pad_edge=False)
    table.title_justify = table.caption_justify = "left"
    table.add_column("run", no_wrap=True, width=run_width)
    if metric_width:
        table.add_column("metric", no_wrap=True)
    for header in ("calls", *shown):
        table.add_column(header, justify="right", no_wrap=True, width=_number_width(header))
    if note_width:
        table.add_column("note", no_wrap=True, width=note_width)
    return table


def _room(width: int, shown: Mapping[str, str]) -> int:
    """What the numbers leave for the run's name and the note."""
    return width - _GAP - sum(_number_width(header) + _GAP for header in ("calls", *shown))


def _wanted_run(shown: Mapping[str, str]) -> int:
    return _READABLE_RUN if len(shown) > _FIRST_COLUMNS else _NARROWEST_RUN


def _number_width(header: str) -> int:
    return max(len(header), _NUMBER_WIDTHS.get(header, _OTHER_NUMBERS))


def summary_lines(tallies: Iterable[Mapping[str, Any]], *, threshold: float | None) -> list[Text]:
    """One line a metric: how many, how good, and what could not be scored."""
    lines = []
    for tally in tallies:
        found = tally["means"].get(tally["metric"], {"mean": None})
        average = "no score" if found["mean"] is None else f"mean {found['mean']:.3f}"
        parts = [f"{one_line(tally['metric'])}: {tally['scored']:,} scored, {average}"]
        if threshold is not None:
            parts.append(f"{tally['below']:,} below {threshold:g}")
        parts += [
            f"{tally[key]:,} {word}"
            for key, word in (("not_measurable", "not measurable"), ("failed", "failed"))
            if tally[key]
        ]
        lines.append(Text(", ".join(parts), style="bold"))
    return lines


def label_lines(labels: Counter[str]) -> list[Text]:
    """What the scores stand on, where that is less than their name promises."""
    return [
        Text(f"{count:,} of these scores: {one_line(label)}", style="yellow")
        for label, count in labels.most_common()
    ]


def reason_text(row: Row) -> Text:
    """Why a case scored as it did, for `--verbose`."""
    text = Text(f"{one_line(str(row['run']))}\n", style="bold")
    text.append(many_lines(row["reason"] or row["problem"] or "no reason"), style="not bold")
    for complaint in row["complaints"]:
        text.append(f"\nDoubtful: {many_lines(complaint)}", style="not bold yellow")
    return text


def _tells_something(key: str, rows: Sequence[Row]) -> bool:
    """Whether a column has a value, and one that the score does not show already."""
    values = [row.get(key) for row in rows]
    if key == "tool_use" and values == [row["score"] for row in rows]:
        return False
    return any(value is not None for value in values)


def _run(row: Row, width: int) -> str:
    name = one_line(str(row["run"]))
    is_place = row["run"] == row.get("source")
    return shortened_front(name, width) if is_place else shortened(name, width)


def _number(key: str, row: Row) -> Text:
    value = row.get(key)
    if key == "verdict" and value in _VERDICTS:
        word, style = _VERDICTS[str(value)]
        basis = row.get("basis")
        return Text(
            word if basis in (None, "none") else f"{word} ({_BASES[str(basis)]})", style=style
        )
    if not isinstance(value, int | float):
        return Text("–", style="dim")
    if key != "score":
        return Text(f"{value:.2f}")
    return Text(f"{value:.3f}", style="red" if row["passed"] is False else "")


def _notes(row: Row) -> list[str]:
    """The lines of the reason that no column shows: no bare verdict, no formula."""
    lines: list[str] = row["reason"].splitlines()
    if row.get("verdict") is None:
        return lines[1:] if row["score"] is not None else lines
    head, *rest = lines or [""]
    found = head.partition(": ")[2]
    shown = [line.removeprefix(_SHOWN) for line in rest if not _FORMULA.match(line)]
    return [found, *shown] if found else shown


def _note(row: Row, width: int) -> Text:
    if row["problem"]:
        return Text(shortened(one_line(row["problem"]), width), style="red")
    note = next(iter([*_notes(row), *row["complaints"]]), "")
    if row["passed"] is False:
        return Text(shortened(one_line(f"BELOW. {note}"), width), style="red")
    return Text(shortened(one_line(note), width), style="dim")
