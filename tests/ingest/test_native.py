"""Our own format, from files, folders and standard input."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from assay.ingest.documents import Unreadable
from assay.ingest.native import NATIVE
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.sources import find_files
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

NOT_A_NUMBER = "nan is not a JSON number; use null (None) for a missing value"
GOOD = b'{"input": "q", "actual_output": "a"}'
MISSING = "missing required field input"


def case(question: str, **more: Any) -> bytes:
    return msgspec.json.encode({"input": question, "actual_output": "a", **more})


def read(path: Path) -> list[AgentTestCase | Unreadable]:
    return list(read_runs(path))


def places(items: list[AgentTestCase | Unreadable]) -> list[tuple[str, int | None]]:
    """What was asked, or what is wrong, and the position."""
    return [
        (item.problem, item.position)
        if isinstance(item, Unreadable)
        else (item.input, item.source.position if item.source else None)
        for item in items
    ]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("one.json", case("q"), [("q", None)]),
        ("list.json", b"[%s, {}, %s]" % (case("1"), case("3")), [("1", 1), (MISSING, 2), ("3", 3)]),
        (
            "lines.jsonl",
            b"%s\n{}\n\n%s" % (case("1"), case("4")),
            [("1", 1), (MISSING, 2), ("4", 4)],
        ),
        (
            "lists-in-lines.jsonl",
            b"%s\n[%s, {}]\n%s" % (case("1"), case("2"), case("3")),
            [("1", 1), ("2", 2), (f"item 2: {MISSING}", 2), ("3", 3)],
        ),
        (
            "broken-list.json",
            b'[%s, {"input": NaN}, %s]' % (case("1"), case("3")),
            [
                ("1", 1),
                (f"not JSON: input: {NOT_A_NUMBER}", 2),
                ("3", 3),
            ],
        ),
        ("empty-list.json", b"[]", []),
    ],
)
def test_cases_and_what_is_wrong_come_in_their_place(
    tmp_path: Path, name: str, text: bytes, expected: list[tuple[str, int | None]]
) -> None:
    path = tmp_path / name
    path.write_bytes(text)
    items = read(path)
    assert places(items) == expected
    assert {item.path for item in items if isinstance(item, Unreadable)} <= {str(path)}


def test_a_case_knows_where_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"%s\n%s\n" % (case("1"), case("2", source={"path": "first.log"})))
    first, second = read(path)
    assert isinstance(first, AgentTestCase)
    assert isinstance(second, AgentTestCase)
    assert first.source is not None
    assert (first.source.path, first.source.format, first.source.position) == (
        str(path),
        "assay",
        1,
    )
    # Who wrote the record knows better than we do where it came from.
    assert second.source is not None
    assert second.source.path == "first.log"


def test_a_folder_is_read_in_name_order(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "looks-like-a-file.json").mkdir()
    for name in ("b/2.JSONL", "b/3.ndjson", "a.json", "c.json"):
        (tmp_path / name).write_bytes(case(name))
    for name in ("b/notes.txt", "scores.csv", "README"):
        (tmp_path / name).write_text("not a case")
    names = [item.input for item in read_runs(tmp_path) if isinstance(item, AgentTestCase)]
    assert names == ["a.json", "b/2.JSONL", "b/3.ndjson", "c.json"]


def test_what_cannot_be_opened_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(GOOD)
    (tmp_path / "dangling.json").symlink_to(tmp_path / "gone.json")
    good, bad = read(tmp_path)
    assert isinstance(good, AgentTestCase)
    assert str(bad) == f"{tmp_path / 'dangling.json'}: cannot be read: No such file or directory"
    folder, *rest = read(tmp_path / "a.json" / "no-folder")
    assert "cannot be read: Not a directory" in str(folder)
    assert rest == []


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    assert find_files(tmp_path) == []
    assert read(tmp_path) == []


def test_bytes_are_counted_as_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"\n".join([GOOD] * 100))
    counts: list[int] = []
    assert len(list(read_runs(path, on_bytes=counts.append))) == 100
    assert sum(counts) == path.stat().st_size


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD + b"\noops\n")))
    good, bad = read_runs("-")
    assert isinstance(good, AgentTestCase)
    assert str(bad).startswith("<stdin>:2: not JSON: Expecting value")


def test_a_file_name_that_is_not_utf8_is_read(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    (tmp_path / name).write_bytes(GOOD)
    (only,) = read(tmp_path)
    assert isinstance(only, AgentTestCase)


@pytest.mark.parametrize(
    ("text", "sure"),
    [
        (b'{"schema_version": 1, "input": "q", "actual_output": "a"}', 1.0),
        (b'{"input": "q", "actual_output": null, "execution_data": null}', 1.0),
        (b'[{"input": "q", "actual_output": "a"}]', 0.6),
        (b'{"input": "q", "output": "a"}', 0.0),
        (b'{"actual_output": "a"}', 0.35),
        (b"[]", 0.35),
        (b"[[]]", 0.35),
        (b"[" * 900 + b"]" * 900, 0.0),
        (b"7", 0.0),
        (b"oops", 0.0),
        (b"", 0.0),
    ],
)
def test_our_own_format_is_recognised(tmp_path: Path, text: bytes, sure: float) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(text)
    assert NATIVE.recognise(Recording(FilePlace(path))) == sure


def test_files_beside_a_recording_are_found(tmp_path: Path) -> None:
    for name in ("a.json", "tools.json"):
        (tmp_path / name).write_bytes(GOOD)
    recording = Recording(FilePlace(tmp_path / "a.json"))
    beside = recording.beside("tools.json")
    assert beside is not None
    assert beside.name == str(tmp_path / "tools.json")
    assert recording.beside("nothing.json") is None
