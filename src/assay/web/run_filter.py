"""Which runs a list shows and in what order: read from an address, kept in one, asked in SQL."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

from msgspec import Struct, structs

from assay.store.tables import IS_MODEL, MODEL

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST = 500
OUTCOMES = {
    "ok": "outcome_success",
    "failed": "NOT outcome_success",
    "unknown": "outcome_success IS NULL",
}
BLAMES = ("model", "server", "environment", "unknown")
# What is asked of a run itself, and what of one of its calls: all of it of the same call.
_OF_RUNS = {
    "model": IS_MODEL,
    "framework": "framework = $framework",
    "task": "task_id = $task",
    "least": "score >= $least",
    "most": "score <= $most",
    "text": """(contains(lower(input), $words)
        OR contains(lower(COALESCE(actual_output, '')), $words)
        OR contains(lower(COALESCE(task_id, '')), $words)
        OR contains(lower(COALESCE(run_id, '')), $words) OR starts_with(run_key, $words))""",
}
_OF_CALLS = {
    "server": "server = $server",
    "tool": "tool = $tool",
    "kind": "kind = $kind",
}
_DISAGREE = """task_id IN (
    SELECT task_id FROM stored_runs GROUP BY task_id
    HAVING BOOL_OR(outcome_success) AND NOT BOOL_AND(outcome_success)
)"""


class Order(NamedTuple):
    """How a list is sorted: expressions without NULL, each with whether the largest is first."""

    words: str
    keys: tuple[tuple[str, bool], ...]


_PLACE = (("COALESCE(source_path, '')", False), ("COALESCE(source_position, -1)", False))
_NEVER = "1e300"
ORDERS = {
    "newest": Order("newest first", ((f"COALESCE(started_at, -{_NEVER})", True), *_PLACE)),
    "oldest": Order("oldest first", ((f"COALESCE(started_at, {_NEVER})", False), *_PLACE)),
    "task": Order(
        "by task",
        (
            ("COALESCE(task_id, '')", False),
            (f"COALESCE({MODEL}, '')", False),
            ("COALESCE(attempt, -1)", False),
        ),
    ),
    "score": Order("lowest score first", ((f"COALESCE(score, {_NEVER})", False),)),
    "failures": Order("most failed calls first", (("failed_calls", True),)),
    "calls": Order("most calls first", (("calls", True),)),
    "slowest": Order("slowest first", ((f"COALESCE(ended_at - started_at, -{_NEVER})", True),)),
}


class RunFilter(Struct, frozen=True):
    """What the reader asked for; empty fields ask for nothing."""

    text: str = ""
    outcome: tuple[str, ...] = ()
    model: str = ""
    server: str = ""
    tool: str = ""
    task: str = ""
    blame: tuple[str, ...] = ()
    kind: str = ""
    framework: str = ""
    least: float | None = None
    most: float | None = None
    disagree: bool = False
    sort: str = "newest"

    @classmethod
    def from_items(cls, items: Iterable[tuple[str, str]]) -> RunFilter:
        """Read the pairs of an address; what means nothing is passed over."""
        found: dict[str, list[str]] = {}
        for name, value in items:
            found.setdefault(name, []).append(value.strip()[:_LONGEST])
        last = {name: values[-1] for name, values in found.items()}
        plain = ("text", "model", "server", "tool", "task", "kind", "framework")
        return cls(
            **{name: last.get(name, "") for name in plain},
            outcome=tuple(name for name in OUTCOMES if name in found.get("outcome", ())),
            blame=tuple(name for name in BLAMES if name in found.get("blame", ())),
            least=_number(last.get("least")),
            most=_number(last.get("most")),
            disagree=bool(last.get("disagree")),
            sort=last["sort"] if last.get("sort") in ORDERS else "newest",
        )

    @property
    def query(self) -> str:
        """The same as the query of an address; empty when nothing is asked for."""
        return urlencode(list(self._items()))

    @property
    def is_narrow(self) -> bool:
        """Whether any run may be left out."""
        return self != RunFilter(sort=self.sort)

    @property
    def chosen(self) -> int:
        """How many questions are asked besides the text."""
        return sum(1 for name, _ in self._items() if name != "text")

    @property
    def has_more(self) -> bool:
        """Whether one of the rarer questions is asked."""
        rare = (self.tool, self.task, self.kind, self.framework, self.least, self.most)
        return any(value not in {"", None} for value in rare)

    @property
    def needs_score(self) -> bool:
        """Whether the score of every run has to be looked up."""
        return self.sort == "score" or self.least is not None or self.most is not None

    def _items(self) -> Iterator[tuple[str, str]]:
        for name, value in structs.asdict(self).items():
            if value in {"", (), None} or value is False or (name, value) == ("sort", "newest"):
                continue
            if isinstance(value, tuple):
                yield from ((name, part) for part in value)
            else:
                yield name, "1" if value is True else f"{value:g}" if name in _SCORES else value

    def condition(self) -> tuple[str, dict[str, Any]]:
        """The condition on `stored_runs`, and its parameters."""
        asked: dict[str, Any] = {
            name: value for name, value in structs.asdict(self).items() if value not in {"", None}
        }
        params = {name: asked[name] for name in (*_OF_RUNS, *_OF_CALLS) if name in asked}
        conditions = [sql for name, sql in _OF_RUNS.items() if name in params]
        if self.text:
            params["words"] = params.pop("text").lower()
        of_calls = [sql for name, sql in _OF_CALLS.items() if name in params]
        if self.outcome:
            conditions.append("(" + " OR ".join(OUTCOMES[name] for name in self.outcome) + ")")
        if self.blame:
            of_calls.append("blame IN (SELECT UNNEST($blame::VARCHAR[]))")
            params["blame"] = list(self.blame)
        if self.disagree:
            conditions.append(_DISAGREE)
        if of_calls:
            chosen = " AND ".join(of_calls)
            conditions.append(f"run_key IN (SELECT run_key FROM stored_calls WHERE {chosen})")  # noqa: S608 - from the table above
        return " AND ".join(conditions) or "true", params


_SCORES = frozenset({"least", "most"})


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) else None
