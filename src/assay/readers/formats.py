"""The formats that can be read, in the order in which they are asked about a file.

Most are rows of the tables in `tables/`; a row with `code` names the object that reads what no
table can describe. Other packages add formats with entry points of the group `assay.readers`:
an object with `name`, `title`, `cannot`, `matches` and `read`, or the path of a file of tables.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.errors import UnknownName
from assay.readers.table import GENERIC, load_tables, table_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evaluation import Judged
    from assay.readers.documents import Unreadable
    from assay.readers.files.file import File
    from assay.test_case import AgentTestCase

ENTRY_POINTS = "assay.readers"
# Rows in which the format's own code has a part.
_CODE = "code"
_TABLES = Path(__file__).parent / "tables"
# Whose signs are rarest comes first; the shapes that many formats share come last.
_FAMILIES = (
    *("own", "benchmarks", "agents", "frameworks"),
    *("traffic", "spans", "applications", "chats"),
)


class Format(Protocol):
    """Something that knows its files by their content and reads the runs in them."""

    @property
    def name(self) -> str:
        """What `--format` calls it."""

    @property
    def title(self) -> str:
        """What it is, in one line."""

    @property
    def cannot(self) -> str:
        """What its files do not record."""

    def matches(self, file: File) -> bool:
        """Whether a file looks like one of its own."""

    def read(self, file: File) -> Iterator[AgentTestCase | Judged | Unreadable]:
        """The runs and evaluations of a file; what cannot be read stands in its place."""


@cache
def rows() -> dict[str, dict[str, Any]]:
    """The rows of all tables that belong to assay, in the order in which they are asked."""
    found: dict[str, dict[str, Any]] = {}
    for family in _FAMILIES:
        found |= load_tables(_TABLES / f"{family}.toml")
    return found


@cache
def _added() -> dict[str, Format]:
    """The formats that other packages add."""
    found: dict[str, Format] = {}
    for point in entry_points(group=ENTRY_POINTS):
        loaded = point.load()
        if isinstance(loaded, str | Path):
            found |= {name: table_of(name, row) for name, row in load_tables(Path(loaded)).items()}
        else:
            found[point.name] = loaded
    return found


@cache
def format_named(name: str) -> Format:
    """A format by its name."""
    if name in _added():
        return _added()[name]
    if name not in rows():
        raise UnknownName("format", name, format_names())
    row = rows()[name]
    if _CODE not in row:
        return table_of(name, row)
    module, _, constant = row[_CODE].partition(":")
    made: Format = getattr(import_module(f"assay.readers.{module}"), constant)
    return made


def format_names() -> tuple[str, ...]:
    """The names of all formats, sorted."""
    return tuple(sorted({*rows(), *_added()}))


def all_formats() -> list[Format]:
    """Every format, in the order of the names."""
    return [format_named(name) for name in format_names()]


def formats_in_file(path: str | Path) -> list[Format]:
    """The formats of a user's own file of tables."""
    return [table_of(name, row) for name, row in load_tables(Path(path)).items()]


def pick_format(file: File, *, likely: Format | None = None) -> Format | None:
    """The format of a file; None where it is none that is known.

    `likely` is asked first: the files of one folder are mostly of one format.
    """
    if likely is not None and likely.name != GENERIC and likely.matches(file):
        return likely
    found = (format_named(name) for name in (*_added(), *rows()))
    return next((one for one in found if one.matches(file)), None)


# What a format may record of a run, and the keys of its table that read it.
_RECORDED = {
    "task": ("task_id",),
    "attempt": ("attempt",),
    "model": ("model",),
    "session": ("session_id", "session"),
    "tokens": ("usage", "input_tokens", "output_tokens"),
    "cost": ("cost_usd",),
    "times": ("started_at", "ended_at", "times"),
    "outcome": ("success", "score", "failure"),
    "tools on offer": ("available_tools",),
    "expected calls": ("expected_tools",),
}


def recorded_by(name: str) -> list[str]:
    """The facts of a run that a format of ours records beside its calls and messages."""
    row = rows()[name]
    if "gives" in row:
        return list(row["gives"])
    keys = {key for part in (row, *row.get("layout", ())) for key in part}
    return [fact for fact, read_from in _RECORDED.items() if keys.intersection(read_from)]
