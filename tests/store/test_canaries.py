"""Secrets in imported runs are in no byte of the store, leftovers included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import duckdb
import pytest
from tests.redaction.test_redaction import SECRETS as EXAMPLES
from tests.redaction.test_redaction import WRAPPINGS
from tests.store.runs import fill, run

from assay import MCPExecutionData, Source, ToolExecutionResult
from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from assay import AgentTestCase

CANARY = "canary7Quux42Zebra99Kestrel"
HOLDERS = {
    **{text[:40]: text for text, secret in EXAMPLES if len(secret) >= 16},
    "password": f"password={CANARY}",
    "field": json.dumps({"api_key": CANARY}),
    "header": f"Authorization: Bearer {CANARY}",
    "url": f"https://ada:{CANARY}@example.com/",
}
SECRETS = [secret for _, secret in EXAMPLES if len(secret) >= 16] + [CANARY]


def case_with(text: str) -> AgentTestCase:
    """A case that has the text wherever a text can stand."""
    calls = [
        ToolExecutionResult(
            "t",
            {"note": text, "nested": {"more": [text]}},
            result=wrap(text),
            error_message=text,
            server=text,
            call_id=text,
        )
        for wrap in WRAPPINGS.values()
    ]
    return run(
        1,
        execution_data=MCPExecutionData(calls, dependency_analysis=text),
        conversation_history=[{"role": "user", "content": text}],
        available_tools={"t": {"description": text}},
        model=text,
        task_id=text,
        extra={"env": text, text: 1},
        source=Source(f"/home/{text}/x.json", "assay", 1, {"url": text}),
    )


def all_values(folder: Path) -> str:
    """Every value of every column of every file, as one text."""
    found = []
    with duckdb.connect() as engine:
        for file in folder.rglob("*.parquet"):
            found += engine.execute("SELECT * FROM read_parquet($1)", [[str(file)]]).fetchall()
    return repr(found)


@pytest.mark.parametrize("kind", HOLDERS)
def test_no_canary_is_in_the_store(tmp_path: Path, kind: str) -> None:
    store = Store.create(tmp_path / "store")
    case = case_with(HOLDERS[kind])
    case.input, case.actual_output = HOLDERS[kind], HOLDERS[kind]
    with store.writer() as writer:
        writer.add(case)
    assert writer.redactions > 20
    shown = all_values(tmp_path / "store")
    raw = b"".join(f.read_bytes() for f in (tmp_path / "store").rglob("*") if f.is_file())
    names = " ".join(str(path) for path in (tmp_path / "store").rglob("*"))
    assert [secret for secret in SECRETS if secret in shown + names] == []
    assert [secret for secret in SECRETS if secret.encode() in raw] == []
    assert "[redacted]" in shown


def test_a_canary_that_one_call_tells_is_nowhere_in_the_store(tmp_path: Path) -> None:
    case = case_with(CANARY)
    case.source = None
    assert case.execution_data is not None
    login = ToolExecutionResult("login", {}, result=json.dumps({"access_token": CANARY}))
    case.execution_data.tool_executions.append(login)
    case.input = case.actual_output = f"It is {CANARY}."
    store = Store.create(tmp_path / "store")
    assert fill(store, [case]) == (1, 0)
    assert fill(store, [case]) == (0, 1)
    # What was exported is the same run.
    assert fill(store, store.cases()) == (0, 1)
    store.export(tmp_path / "store" / "exported.parquet", "calls")
    raw = b"".join(f.read_bytes() for f in (tmp_path / "store").rglob("*") if f.is_file())
    assert CANARY not in all_values(tmp_path / "store")
    assert CANARY.encode() not in raw
    assert CANARY not in "".join(case.to_json() for case in store.cases())


def test_no_canary_is_in_what_a_dead_writer_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store.create(tmp_path / "store")
    writer = store.writer()
    monkeypatch.setattr(writer, "_write_cases", lambda *_: (_ for _ in ()).throw(MemoryError))
    monkeypatch.setattr("assay.store.layout.NewBatch.abandon", lambda self: self.close())
    with pytest.raises(MemoryError), writer:
        writer.add(case_with(f"password={CANARY}"))
    left = [path for path in (tmp_path / "store" / "writing").rglob("*") if path.is_file()]
    assert left
    assert CANARY not in all_values(tmp_path / "store")
    assert not any(CANARY.encode() in path.read_bytes() for path in left)


def test_without_redaction_a_run_is_whole_and_still_the_same_run(tmp_path: Path) -> None:
    case = case_with(f"password={CANARY}")
    store = Store.create(tmp_path / "open")
    assert fill(store, [case], redact=False) == (1, 0)
    assert list(store.cases()) == [case]
    assert fill(store, [case]) == (0, 1)
    closed = Store.create(tmp_path / "closed")
    fill(closed, [case])
    key = "SELECT run_key FROM runs"
    assert store.query(key) == closed.query(key)


def test_redaction_changes_nothing_but_the_secret(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1, extra={"note": "user=ada password=hunter2"})])
    assert list(store.cases()) == [run(1, extra={"note": "user=ada password=[redacted]"})]


def test_mail_addresses_go_when_asked_for(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(1, extra={"to": "ada@example.com"})], emails=True)
    (case,) = store.cases()
    assert case.extra == {"to": "[redacted]"}


def test_every_example_that_is_told_goes_on_its_way_through_the_store(tmp_path: Path) -> None:
    store = Store.create(tmp_path / "store")
    fill(store, [run(i, extra={"log": text}) for i, (text, _) in enumerate(EXAMPLES)])
    for case, (_, secret) in zip(store.cases(), EXAMPLES, strict=True):
        assert secret not in str(case.extra["log"])
