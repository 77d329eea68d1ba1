"""Stores for the tests of reports, and a reader of the file that comes out."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

from tests.web.sample_stores import HOSTILE, call, case_of

from assay import RunOutcome, Store
from assay.render.report.contents import Wanted, gather
from assay.render.report.masking import Mask
from assay.render.report.page import report_html
from assay.store import PooledStore

if TYPE_CHECKING:
    from pathlib import Path

    from assay import AgentTestCase

# Model and task to what its two attempts came to.
OUTCOMES = {
    ("ada", "t0"): (True, True),
    ("ada", "t1"): (True, False),
    ("ada", "t2"): (True, True),
    ("ada", "t3"): (False, False),
    ("bob", "t0"): (True, True),
    ("bob", "t1"): (True, True),
    ("bob", "t2"): (False, False),
    ("bob", "t3"): (False, None),
}
SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def runs_of_two_models(*, padding: int = 0, secret: str = "") -> list[AgentTestCase]:
    """Two attempts of two models at four tasks; the last task is worded by somebody hostile."""
    return [
        _run(model, task, attempt, success, padding, secret)
        for (model, task), outcomes in OUTCOMES.items()
        for attempt, success in enumerate(outcomes, start=1)
    ]


def _run(
    model: str,
    task: str,
    attempt: int,
    success: bool | None,
    padding: int,
    secret: str,
) -> AgentTestCase:
    is_hostile = task == "t3"
    result = {"total": 42, "rows": [{"id": i, "text": "x" * 60} for i in range(padding)]}
    calls = [
        call("find", result, parameters={"city": "Oslo"}, turn=1, reported_success=True),
        call(
            HOSTILE if is_hostile else "read",
            HOSTILE if is_hostile else {"note": secret or "fine"},
            turn=2,
            success=success is not False,
            reported_success=success is not False,
            error_message=None if success is not False else f"504 timed out {HOSTILE}",
        ),
    ]
    words = HOSTILE if is_hostile else f"What is the total of {task}?"
    return case_of(
        words,
        f"The total is 42, not 977. {HOSTILE if is_hostile else ''}",
        calls,
        model=model,
        task_id=task,
        attempt=attempt,
        run_id=f"{model}-{task}-{attempt}",
        outcome=None if success is None else RunOutcome(success=success, decided_by="checker"),
    )


def written(path: Path, runs: list[AgentTestCase]) -> PooledStore:
    """A store that was written without masking anything."""
    Store.create(path)
    store = PooledStore(path)
    with store.writer(redact=False) as writer:
        for run in runs:
            writer.add(run)
    return store


def html_of(store: Store, **wanted: Any) -> str:
    """The report on a store."""
    mask = Mask()
    return report_html(gather(store, Wanted("assay report x", **wanted), mask), mask)


class File(HTMLParser):
    """A report as it is read: its tables by id, ids, addresses, and everything that is text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._table: list[list[str]] | None = None
        self._silent = self._in_cell = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        self.tags.append((tag, known))
        self._silent = tag in {"style", "script"}
        if known.get("id"):
            self.ids.append(str(known["id"]))
        if tag == "a" and "href" in known:
            self.addresses.append(str(known["href"]))
        if tag == "table" and str(known.get("id", "")).startswith("t-"):
            self._table = self.tables.setdefault(str(known["id"]).removeprefix("t-"), [])
        if self._table is not None and tag == "tr":
            self._table.append([])
        if self._table is not None and tag in {"td", "th"}:
            self._table[-1].append("")
            self._in_cell = True

    def handle_endtag(self, tag: str) -> None:
        self._silent = False
        if tag in {"td", "th"}:
            self._in_cell = False
        if tag == "table":
            self._table = None

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.text += data
        if self._table is not None and self._in_cell:
            self._table[-1][-1] += data
