"""Parquet files: each row is read as a line of JSON would be, and what is none is told of."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from typing import TYPE_CHECKING, Any

import duckdb
import msgspec
import pytest

from assay.execution import MCPExecutionData
from assay.importing import ImportSettings, import_runs
from assay.ingest import parquet_files
from assay.ingest.documents import Document, Unreadable
from assay.ingest.parquet_files import ParquetPlace
from assay.ingest.parquet_rows import OWN_COLUMNS
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.sources import find_files
from assay.store import TABLES, Store
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path


def parquet(path: Path, sql: str, option: str = "COMPRESSION zstd") -> Path:
    """What a query finds, written as Parquet."""
    with duckdb.connect(config={"threads": 1}) as engine:
        engine.execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet, {option})")
    return path


def both(folder: Path, rows: list[Any]) -> tuple[Path, Path]:
    """Rows as JSON lines, and as a Parquet file with the keys of all rows in each."""
    lines = folder / "rows.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    sql = f"FROM read_json('{lines}', sample_size = -1, map_inference_threshold = -1)"
    return lines, parquet(folder / "rows.parquet", sql)


def values(file: Path) -> list[Any]:
    found = list(Recording(ParquetPlace(FilePlace(file))).documents())
    return [item.value if isinstance(item, Document) else str(item) for item in found]


def told(found: Any) -> Any:
    """A run as JSON values, without what the name of its file gives it."""
    value = json.loads(msgspec.json.encode(found))
    return {key: item for key, item in value.items() if key not in {"source", "run_id"}}


def call(number: int, name: str, arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"id": f"c{number}", "type": "function", "function": function}


def chat(*, as_text: bool) -> list[dict[str, Any]]:
    """A call that failed and one that did not, whose arguments have nothing in common."""
    sent = json.dumps if as_text else (lambda value: value)
    return [
        {"role": "user", "content": "How is the weather in Oslo?"},
        {"role": "assistant", "content": None, "tool_calls": [call(1, "now", sent({"at": "x"}))]},
        {"role": "tool", "tool_call_id": "c1", "content": "Error: no such city"},
        {"role": "assistant", "tool_calls": [call(2, "weather", sent({"city": "Oslo", "n": 2}))]},
        {"role": "tool", "tool_call_id": "c2", "content": "7 degrees"},
        {"role": "assistant", "content": "It has 7 degrees."},
    ]


TOOL = {"name": "weather", "description": "w", "parameters": {"city": {"type": "str"}}}
SPAN = {
    "name": "weather",
    "span_kind": "TOOL",
    "context.trace_id": "t",
    "context.span_id": "s",
    "start_time": "2026-01-02T03:04:05.5+00:00",
    "end_time": "2026-01-02T03:04:06+00:00",
    "status_code": "ERROR",
    "attributes.tool.name": "weather",
    "attributes.input.value": '{"city": "Oslo"}',
    "attributes.output.value": "no such city",
}
# Data sets as they are published, and spans as Phoenix exports them; the tools each run called.
PUBLISHED: dict[str, tuple[list[Any], list[str]]] = {
    "messages": ([{"messages": chat(as_text=True), "resolved": True}], ["now", "weather"]),
    "messages as text": (
        [{"instance_id": "i1", "messages": json.dumps(chat(as_text=True)), "resolved": False}],
        ["now", "weather"],
    ),
    "arguments as objects": ([{"messages": chat(as_text=False)}], ["now", "weather"]),
    "tau-bench": (
        [{"task_id": 1, "reward": 0.0, "info": {}, "traj": chat(as_text=True), "trial": 0}],
        ["now", "weather"],
    ),
    "xLAM": (
        [
            {
                "id": 7,
                "query": "Oslo?",
                "answers": json.dumps([{"name": "weather", "arguments": {"city": "Oslo"}}]),
                "tools": json.dumps([TOOL]),
            }
        ],
        ["weather"],
    ),
    "spans": (
        [{**SPAN, "span_kind": "AGENT", "name": "a", "context.span_id": "r"},
         {**SPAN, "parent_id": "r"}],
        ["weather"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_rows_are_read_as_the_same_lines_of_json_are(tmp_path: Path, name: str) -> None:
    rows, tools = PUBLISHED[name]
    lines, file = both(tmp_path, rows)
    (from_lines,) = read_runs(lines)
    (found,) = read_runs(file)
    assert isinstance(found, AgentTestCase)
    assert isinstance(from_lines, AgentTestCase)
    assert told(found) == told(from_lines)
    assert found.execution_data is not None
    assert [call.tool for call in found.execution_data.tool_executions] == tools
    assert found.source is not None
    assert from_lines.source is not None
    assert found.source.format == from_lines.source.format
    assert found.source.position == from_lines.source.position


def test_what_a_case_of_ours_did_not_measure_stays_unmeasured(tmp_path: Path) -> None:
    plans = [None, 0.5]
    measured = [MCPExecutionData([], planning_json_compliance=plan) for plan in plans]
    cases = [AgentTestCase("q", "a", execution_data=data).to_dict() for data in measured]
    for file in both(tmp_path, cases):
        runs = [run for run in read_runs(file) if isinstance(run, AgentTestCase)]
        found = [run.execution_data for run in runs if run.execution_data is not None]
        assert [data.planning_json_compliance for data in found] == plans


def test_a_field_that_only_other_rows_have_is_not_there(tmp_path: Path) -> None:
    _, file = both(tmp_path, [{"messages": chat(as_text=False)}])
    (run,) = read_runs(file)
    assert isinstance(run, AgentTestCase)
    assert run.execution_data is not None
    first, second = run.execution_data.tool_executions
    assert (first.parameters, first.success) == ({"at": "x"}, False)
    assert (second.parameters, second.success) == ({"city": "Oslo", "n": 2}, True)


TYPES = {
    "NULL::INTEGER": {},
    "[1, NULL]": {"x": [1, None]},
    "{'a': NULL::INTEGER, 'b': [{'c': NULL::VARCHAR}]}": {"x": {"b": [{}]}},
    "MAP {'a': 1, 'b': NULL}": {"x": {"a": 1, "b": None}},
    "TIMESTAMPTZ '2026-01-02 03:04:05.5+02'": {"x": "2026-01-02T01:04:05.5+00"},
    "[{'at': TIMESTAMP '2026-01-02 03:04:05'}]": {"x": [{"at": "2026-01-02T03:04:05"}]},
    "DATE '2026-01-02'": {"x": "2026-01-02"},
    "1.25::DECIMAL(9, 2)": {"x": 1.25},
    "'NaN'::DOUBLE": {"x": None},
    "18446744073709551615::UBIGINT": {"x": 18446744073709551615},
    "'[1]'": {"x": "[1]"},
    "'[1]'::JSON": {"x": [1]},
    "[{'a': '\"w\"'::JSON}]": {"x": [{"a": "w"}]},
    "'null'::JSON": {},
    "'01234567-89ab-cdef-0123-456789abcdef'::UUID": {"x": "01234567-89ab-cdef-0123-456789abcdef"},
    "'a'::BLOB": {},
    "{'bytes': 'a'::BLOB, 'path': 'p'}": {"x": {"path": "p"}},
    "{'say \"hi\"': INTERVAL 1 DAY}": {"x": {'say "hi"': "1 day"}},
}


def test_every_type_becomes_what_json_has(tmp_path: Path) -> None:
    found = {sql: values(parquet(tmp_path / "a.parquet", f"SELECT {sql} AS x")) for sql in TYPES}
    assert found == {sql: [value] for sql, value in TYPES.items()}


def test_what_is_binary_is_left_out_and_named(tmp_path: Path) -> None:
    lines, _ = both(tmp_path, [{"messages": chat(as_text=True)}])
    sql = f"SELECT *, 'a'::BLOB AS sound, [{{'bytes': 'a'::BLOB}}] AS image FROM '{lines}'"
    run, said = read_runs(parquet(tmp_path / "a.parquet", sql))
    assert isinstance(run, AgentTestCase)
    assert said == Unreadable(
        str(tmp_path / "a.parquet"), "without what is binary: sound, image.bytes", kind="left_out"
    )
    many = ", ".join(f"'a'::BLOB AS \"{number:02}\n{'x' * 200}\"" for number in range(14))
    said = list(read_runs(parquet(tmp_path / "b.parquet", f"SELECT *, {many} FROM '{lines}'")))[-1]
    assert isinstance(said, Unreadable)
    assert said.problem.startswith(f"without what is binary: 00 {'x' * 96}…, 01 ")
    assert said.problem.endswith("… and 2 more")


REFUSED = {
    "nothing": (b"", "it is empty"),
    "no Parquet": (b"{}", "no usable Parquet file"),
    "cut off": (b"PAR1" + bytes(100), "No magic bytes found at end of file"),
    "a footer that points nowhere": (b"PAR1" + b"\xff" * 60 + b"PAR1", "write or fetch it anew"),
    "encrypted": (b"PARE" + bytes(50) + b"PARE", "write it without encryption"),
    "not fetched": (b"version https://git-lfs.github.com/spec/v1\noid ...", "git lfs pull"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_says_why_and_costs_nobody_else(tmp_path: Path, name: str) -> None:
    damaged, why = REFUSED[name]
    lines, _ = both(tmp_path, [{"messages": chat(as_text=True)}])
    lines.unlink()
    (tmp_path / "bad.parquet").write_bytes(damaged)
    problem, run = read_runs(tmp_path)
    assert isinstance(problem, Unreadable)
    assert (problem.path, problem.kind) == (str(tmp_path / "bad.parquet"), "broken")
    assert why in problem.problem
    assert isinstance(run, AgentTestCase)


def test_what_would_unpack_to_far_more_than_it_weighs_is_not_begun_with(tmp_path: Path) -> None:
    many = parquet(tmp_path / "a.parquet", "SELECT NULL::VARCHAR AS x FROM range(1_100_000)")
    assert many.stat().st_size < 1_100_000
    (said,) = values(many)
    assert "1,100,000 rows" in said
    assert said.endswith("write it as JSON lines")


def test_a_name_is_a_name_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("~x.parquet", "a'; --.parquet", "[!a]*?.parquet", "file:x.parquet"):
        file = parquet(tmp_path / "made", "SELECT 1 AS x").rename(name)
        assert values(file) == [{"x": 1}]


def test_lists_in_lists_beyond_all_measure_are_refused(tmp_path: Path) -> None:
    for depth in (16, 17):
        nested = f"SELECT {'[' * depth}1{']' * depth} AS x"
        (found,) = values(parquet(tmp_path / "a.parquet", nested))
        assert isinstance(found, dict) is (depth == 16)
    assert found.endswith(
        "the column 'x' holds lists in lists, more than 16 deep; write it as JSON lines"
    )


def test_rows_well_before_the_damage_are_read(tmp_path: Path) -> None:
    eight_groups = f"SELECT i, md5(i::VARCHAR) AS text FROM range({8 * 2048}) AS t(i)"
    file = parquet(tmp_path / "a.parquet", eight_groups, "ROW_GROUP_SIZE 2048")
    whole = file.read_bytes()
    in_the_last = len(whole) * 15 // 16 - 7000
    file.write_bytes(whole[:in_the_last] + b"\xff" * 3000 + whole[in_the_last + 3000 :])
    *rows, said = values(file)
    # The engine reads ahead, and what it has read is lost with what it could not read.
    assert 4 * 2048 <= len(rows) <= 7 * 2048
    assert [row["i"] for row in rows] == list(range(len(rows)))
    assert f"it is damaged some way after row {len(rows)}" in said


def test_a_file_without_runs_is_told_of_as_any_other(tmp_path: Path) -> None:
    file = parquet(tmp_path / "a.parquet", "SELECT 1 AS a, 'x' AS b")
    (alone,) = read_runs(file)
    (among,) = read_runs(tmp_path)
    assert isinstance(alone, Unreadable)
    assert isinstance(among, Unreadable)
    assert (alone.kind, among.kind) == ("broken", "passed_over")
    (forced,) = read_runs(file, format_name="otel")
    assert isinstance(forced, Unreadable)
    assert "expected a span" in forced.problem


def test_packed_and_piped_files_are_put_aside_and_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, file = both(tmp_path, [{"messages": chat(as_text=True)}])
    whole = file.read_bytes()
    packed = tmp_path / "a.parquet.gz"
    packed.write_bytes(gzip.compress(whole))
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("b/c.parquet", whole)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(whole)))
    for source in (packed, tmp_path / "a.zip", "-"):
        (run,) = read_runs(source)
        assert isinstance(run, AgentTestCase)


def test_looking_at_a_file_opens_it_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, file = both(tmp_path, [{"messages": chat(as_text=True)}] * 3)
    place = ParquetPlace(FilePlace(file))
    opened = Recording(place)
    heard: list[tuple[int, int]] = []
    monkeypatch.setattr(FilePlace, "tell", lambda _, *read: heard.append(read))
    assert len(opened.sample) == 3
    size = file.stat().st_size
    thirds = [(0, size // 3), (size // 3, size * 2 // 3), (size * 2 // 3, size)]
    assert heard == thirds
    with place.open() as again:
        assert again.read(2) == b'{"'
    assert heard == thirds
    assert parquet_files.SUFFIXES == (".parquet", ".pq")


def test_our_own_stores_and_tables_are_never_read_as_rows(tmp_path: Path) -> None:
    _, file = both(tmp_path, [{"messages": chat(as_text=True)}])
    store = tmp_path / "own.assay"
    import_runs([str(file)], ImportSettings(str(store)))
    batches = store / "batches"
    own = sorted(batches.rglob("*.parquet"))
    assert own
    assert find_files(tmp_path) == [tmp_path / "rows.jsonl", file]
    assert find_files(batches) == find_files(store) == []
    for table in own:
        (said,) = read_runs(table)
        assert isinstance(said, Unreadable)
        assert f"is part of the store {store}" in said.problem
    out = tmp_path / "out"
    out.mkdir()
    for name in ("runs", "calls", "cases"):
        Store(store).export(out / f"{name}.parquet", name)
    passed = [item for item in read_runs(out) if isinstance(item, Unreadable)]
    assert [item.kind for item in passed] == ["passed_over"] * 3
    (said,) = read_runs(out / "runs.parquet")
    assert isinstance(said, Unreadable)
    assert said.problem.endswith(
        "it is a table of a store of ours; write the runs themselves with"
        " assay export STORE -o runs.jsonl, and import those"
    )


def test_our_own_tables_are_known_by_their_columns() -> None:
    for columns in TABLES.values():
        assert any(set(columns).issuperset(together) for together in OWN_COLUMNS)
