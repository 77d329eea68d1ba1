"""What a store holds, in the terminal: models, formats and runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from assay.render.run_names import KEY_LENGTH, name_of_row
from assay.render.safe_text import one_line, shortened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.render.row_files import Row

_WIDEST_CELL = 40
_NOTHING = "–"

# Column header to the row's key; numbers stand on the right.
MODEL_COLUMNS = {
    "model": "model",
    "runs": "runs",
    "tasks": "tasks",
    "succeeded": "succeeded",
    "calls": "calls",
    "failed": "failed_calls",
}
FRAMEWORK_COLUMNS = {
    "framework": "framework",
    "runs": "runs",
    "tasks": "tasks",
    "answered": "answered",
    "calls": "calls",
    "failed": "failed_calls",
}
FORMAT_COLUMNS = {"format": "format", "files": "files", "runs": "runs"}
RUN_COLUMNS = {
    "key": "run_key",
    "run": "run",
    "model": "model",
    "calls": "calls",
    "failed": "failed_calls",
    "outcome": "outcome",
}
_NUMBERS = frozenset({"runs", "tasks", "calls", "failed", "files"})


def rows_table(rows: Sequence[Row], columns: Mapping[str, str], *, title: str) -> Table:
    """The rows as a table, a line each; a dash is a value that nobody recorded."""
    table = Table(title=title, box=SIMPLE_HEAD, pad_edge=False, title_justify="left")
    for header in columns:
        is_number = header in _NUMBERS
        table.add_column(
            header,
            justify="right" if is_number else "left",
            # Only what may wrap gives way in a narrow terminal; its cells are cut all the same.
            no_wrap=is_number or header == "key",
            # What identifies a row, and its numbers, are of no use when cut.
            min_width=KEY_LENGTH if header == "key" else len(header),
            max_width=_WIDEST_CELL,
        )
    for row in rows:
        table.add_row(*(_cell(row.get(key)) for key in columns.values()))
    return table


def run_cells(row: Row) -> Row:
    """A row of `runs` as the table shows it."""
    return {
        "run_key": row["run_key"][:KEY_LENGTH],
        "run": _run_name(row),
        "model": row["model"],
        "framework": row.get("framework"),
        "calls": row["calls"],
        "failed_calls": row["failed_calls"],
        "outcome": outcome_word(row["outcome_success"], row["outcome_score"]),
    }


def run_columns(rows: Sequence[Row]) -> dict[str, str]:
    """The columns for these rows of `run_cells`: frameworks where some are known."""
    if all(row["framework"] is None for row in rows):
        return RUN_COLUMNS
    columns = list(RUN_COLUMNS.items())
    after = list(RUN_COLUMNS).index("model") + 1
    return dict([*columns[:after], ("framework", "framework"), *columns[after:]])


def _run_name(row: Row) -> str | None:
    """Task and attempt, the id the recording gave the run, or the file it was read from."""
    task: str | None = row["task_id"]
    if task is None:
        return name_of_row(row)
    return task if row["attempt"] is None else f"{task} #{row['attempt']}"


def outcome_word(success: bool | None, score: float | None) -> str | None:  # noqa: FBT001 - a value
    """How a run ended, in a word."""
    if success is None:
        return None if score is None else f"score {score:.3g}"
    return "succeeded" if success else "failed"


def share_of(part: int, whole: int) -> str | None:
    """`3 of 7`; None when there is nothing to count."""
    return f"{part:,} of {whole:,}" if whole else None


def _cell(value: Any) -> Text:
    if value is None:
        return Text(_NOTHING, style="dim")
    if isinstance(value, int):
        return Text(f"{value:,}")
    return Text(shortened(one_line(str(value)), _WIDEST_CELL), no_wrap=True, overflow="ellipsis")
