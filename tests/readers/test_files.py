"""Any container gives its values, in bounded memory, and reports what it could not read."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import socket
import subprocess
import sys
import tarfile
import zipfile
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb
import pytest
import zstandard
from tests.readers.databases import write_database

from assay.readers import documents
from assay.readers.documents import Document, Unreadable
from assay.readers.files.file import File
from assay.readers.files.sources import files_of, walk_files, would_read

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENT = {"question": "é", "calls": [{"tool": "look"}]}
TEXT = json.dumps(DOCUMENT, ensure_ascii=False)
LINES = '{"n": 1}\n{"n": 2}\n'
EACH = [{"n": 1}, {"n": 2}]


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(files: dict[str, bytes], mode: str = "w") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


def contents(path: Path) -> tuple[list[Any], list[Unreadable]]:
    """The values of all files at a path, and what was reported."""
    values: list[Any] = []
    problems: list[Unreadable] = []
    for file in files_of(path):
        if isinstance(file, Unreadable):
            problems.append(file)
            continue
        for item in file.documents():
            if isinstance(item, Document):
                values.append(item.value)
            else:
                problems.append(item)
        problems += file.notes
    return values, problems


def written(folder: Path, content: bytes, name: str = "file") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


# Every way to write the same: its bytes, and the values in them. No name tells what it is.
CONTAINERS: dict[str, tuple[bytes, list[Any]]] = {
    "a document": (TEXT.encode(), [DOCUMENT]),
    "one laid out for people": (json.dumps(DOCUMENT, indent=2).encode(), [DOCUMENT]),
    "with a mark of UTF-8": (b"\xef\xbb\xbf" + TEXT.encode(), [DOCUMENT]),
    "blank lines before it": (b"\n \n" + TEXT.encode(), [DOCUMENT]),
    "UTF-16": (TEXT.encode("utf-16"), [DOCUMENT]),
    "UTF-16 without a mark": (TEXT.encode("utf-16-le"), [DOCUMENT]),
    "UTF-16, the other way": (TEXT.encode("utf-16-be"), [DOCUMENT]),
    "UTF-32": (TEXT.encode("utf-32"), [DOCUMENT]),
    "lines of UTF-16": (LINES.encode("utf-16"), EACH),
    "lines": (LINES.encode(), EACH),
    "lines of Windows": (LINES.replace("\n", "\r\n").encode(), EACH),
    "lines without an end": (LINES.rstrip().encode(), EACH),
    "a list": (b'[{"n": 1}, {"n": 2}]', [EACH]),
    "objects one after the other": (b'{\n "n": 1\n}\n{\n "n": 2\n}\n', EACH),
    "objects without a break": (b'{"n":\n1}{"n":\n2}', EACH),
    "an event stream": (b'id: x\ndata: {"n": 1}\n\ndata: {"n":\ndata: 2}\n\ndata: [DONE]\n', EACH),
    "YAML": (b"---\nn: 1\n---\nn: 2\n", EACH),
    "YAML by its shape": (b"# runs\ncalls:\n  - tool: look\n", [{"calls": [{"tool": "look"}]}]),
    "CSV": (b'a,b,c\n1,"x, y","[{""n"": 1}]"\n', [{"a": "1", "b": "x, y", "c": [{"n": 1}]}]),
    "TSV": (b"id\tname\tcalls\n1\ta\tb\n", [{"id": "1", "name": "a", "calls": "b"}]),
    "gzip": (gzip.compress(LINES.encode()), EACH),
    "gzip in parts": (gzip.compress(b'{"n": 1}\n') + gzip.compress(b'{"n": 2}\n'), EACH),
    "bzip2": (bz2.compress(LINES.encode()), EACH),
    "xz": (lzma.compress(LINES.encode()), EACH),
    "zstd": (zstandard.compress(LINES.encode()), EACH),
    "zip": (zipped({"b/1.json": b'{"n": 1}', "b/2.json": b'{"n": 2}'}), EACH),
    "tar": (tarred({"1.json": b'{"n": 1}', "2.json": b'{"n": 2}'}), EACH),
    "tar.gz": (tarred({"1.json": b'{"n": 1}', "2.json": b'{"n": 2}'}, "w:gz"), EACH),
    "zip in zip": (zipped({"1.zip": zipped({"1.json": b'{"n": 1}'}), "2.json": b'{"n": 2}'}), EACH),
    "gz in tar in gz": (gzip.compress(tarred({"1.gz": gzip.compress(LINES.encode())})), EACH),
    "what a mac packs": (zipped({"a/1.json": b'{"n": 1}', "__MACOSX/._1.json": b"\0"}), EACH[:1]),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTAINERS)
def test_containers_are_known_by_their_content(name: str, tmp_path: Path) -> None:
    content, expected = CONTAINERS[name]
    values, problems = contents(written(tmp_path, content))
    assert values == expected
    assert problems == []


@pytest.mark.parametrize("name", ["gzip", "zip", "UTF-16", "lines"])
def test_the_same_through_a_pipe(name: str, tmp_path: Path) -> None:
    content, expected = CONTAINERS[name]
    code = (
        "from assay.readers.files.sources import files_of\n"
        "for f in files_of('-'):\n"
        "    f.head()\n"
        "    print([d.value for d in f.documents()])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=content, capture_output=True, check=True, timeout=60
    )
    found = "".join(done.stdout.decode().split("\n")).replace("][", ", ")
    assert found == str(expected)


def test_parquet_rows_are_objects_without_what_is_null(tmp_path: Path) -> None:
    duckdb.sql(
        "COPY (SELECT 1 AS id, '[{\"n\": 1}]' AS calls, {'x': 1, 'y': NULL} AS made,"
        f" NULL AS gone, 'a'::BLOB AS image) TO '{tmp_path}/t' (FORMAT parquet)"
    )
    values, problems = contents(tmp_path / "t")
    assert values == [{"id": 1, "calls": [{"n": 1}], "made": {"x": 1}}]
    assert [(p.problem, p.kind) for p in problems] == [
        ("binary columns were left out: image", "left_out")
    ]
    zip_path = written(tmp_path, zipped({"t.parquet": (tmp_path / "t").read_bytes()}), "z")
    assert contents(zip_path)[0] == values


def test_sessions_of_a_database_hold_the_rows_that_belong_to_them(tmp_path: Path) -> None:
    tables: dict[str, list[dict[str, Any]]] = {
        "session": [{"id": "s1", "title": "one"}, {"id": "s2", "title": "two"}],
        "message": [
            {"id": "m1", "session_id": "s1", "data": {"role": "user"}},
            {"id": "m2", "session_id": "s2", "data": {"role": "user"}},
        ],
        "part": [{"id": "p1", "message_id": "m1", "session_id": "s1", "data": [1]}],
    }
    values, problems = contents(write_database(tmp_path / "x", tables))
    part = {"id": "p1", "message_id": "m1", "session_id": "s1", "data": [1]}
    first = {"id": "m1", "session_id": "s1", "data": {"role": "user"}, "part": [part]}
    assert values[0] == {"#table": "session", "id": "s1", "title": "one", "message": [first]}
    assert [value["id"] for value in values] == ["s1", "s2"]
    assert problems == []


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        (
            {"points": [{"thread_id": "t", "step": 1}, {"thread_id": "t", "step": 2}]},
            {"thread_id": "t", "rows": [{"thread_id": "t", "step": n} for n in (1, 2)]},
        ),
        (
            {"kv": [{"key": "chat:c", "value": {"n": 1}}, {"key": "part:c:p", "value": 2}]},
            {"id": "c", "chat": {"n": 1}, "part": {"p": 2}},
        ),
        (
            {"runs": [{"runId": 1, "data": zstandard.compress(b'{"n": 1}')}]},
            {"runId": 1, "data": {"n": 1}},
        ),
    ],
)
def test_rows_without_a_parent(
    tables: dict[str, Any], expected: dict[str, Any], tmp_path: Path
) -> None:
    path = write_database(tmp_path / "x", tables)
    assert contents(path)[0] == [{"#table": next(iter(tables)), **expected}]


@pytest.mark.parametrize(
    "statement", ["CREATE VIEW v AS SELECT * FROM t", "CREATE INDEX i ON t(abs(a))"]
)
def test_nothing_a_database_says_is_executed(statement: str, tmp_path: Path) -> None:
    path = write_database(tmp_path / "x", {"t": [{"a": 1}]}, more=statement + ";")
    assert contents(path) == ([{"#table": "t", "a": 1}], [])


# --- Walking ------------------------------------------------------------------------------------


def test_a_folder_is_walked_whole_in_name_order(tmp_path: Path) -> None:
    for name in ("b.json", "a/z.txt", "a/.hidden", ".git/x.json", "c.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        written(tmp_path, b'{"n": 1}', name)
    (tmp_path / "loop").symlink_to(tmp_path)
    found = [Path(file).relative_to(tmp_path).as_posix() for file in walk_files(tmp_path)]
    assert found == ["a/z.txt", "b.json", "c.log"]
    assert would_read(tmp_path, tmp_path / "a" / "new.json")
    assert not would_read(tmp_path / "a", tmp_path / "b.json")


def test_a_glob_names_each_file_once(tmp_path: Path) -> None:
    written(tmp_path, b"{}", "a.json")
    (tmp_path / "b.json").symlink_to(tmp_path / "a.json")
    assert len(list(walk_files(str(tmp_path / "*.json")))) == 1


def special_files(folder: Path) -> Iterator[tuple[str, str]]:
    os.mkfifo(folder / "fifo")
    yield "fifo", "is a named pipe"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
    yield "socket", "is a device or a socket"
    (folder / "zero").symlink_to("/dev/zero")
    yield "zero", "is a device or a socket"
    (folder / "gone").symlink_to(folder / "nowhere")
    yield "gone", "No such file"
    (folder / "self").symlink_to(folder / "self")
    yield "self", "cannot be read"


def test_what_is_no_file_is_refused_and_named(tmp_path: Path) -> None:
    expected = dict(special_files(tmp_path))
    _, problems = contents(tmp_path)
    assert {Path(p.path).name for p in problems} == set(expected)
    for problem in problems:
        assert expected[Path(problem.path).name] in problem.problem
        assert problem.kind == "broken"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_listed_is_named(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    _, problems = contents(tmp_path)
    assert [Path(p.path).name for p in problems] == ["closed"]


def test_a_folder_that_cannot_be_listed_stands_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    scan = os.scandir

    def refusing(path: str) -> Any:
        if str(path) == str(closed):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    monkeypatch.setattr(os, "listdir", refusing)
    _, problems = contents(tmp_path)
    assert [str(p) for p in problems] == [f"{closed}: cannot be listed: Permission denied"]


# --- Damage -------------------------------------------------------------------------------------


ALIASES = range(98, 110)
# What is broken: its bytes, the values that are read all the same, and the reports.
BROKEN: dict[str, tuple[bytes, list[Any], list[str]]] = {
    "nothing": (b"", [], ["is empty"]),
    "a broken line": (b'{"n": 1}\n{bad\n{"n": 2}\n', EACH, ["not JSON"]),
    "a broken item": (b'[{"n": 1}, {"n": nul}, {"n": 2}]', EACH, ["not JSON"]),
    "a list that breaks off": (b'[{"n": 1}, {"n": 2}, {"n"', EACH, ["breaks off in this item"]),
    "one that breaks off between": (b'[{"n": 1}, {"n": 2}', EACH, ["after this item"]),
    "a comma too many": (b'[{"n": 1}, {"n": 2},]', EACH, ["a comma after the last item"]),
    "text behind a list": (b'[{"n": 1}, {"n": 2}]\nand more', [EACH], ["not JSON"]),
    "an object that breaks off": (b'{\n"n": 1}\n{\n"n": 2}\n{\n"n"', EACH, ["in this object"]),
    "a list of lists without end": (b"[" * 100_000, [], ["nested too deeply"]),
    "NaN": (b'{"n": NaN, "m": -Infinity}', [{"n": None, "m": None}], ["NaN, Infinity or"]),
    "half a character": (b'{"n": "\\ud83d"}', [{"n": "�"}], ["half a character"]),
    "Latin-1": (b'{"n": "caf\xe9"}', [{"n": "caf�"}], ["not UTF-8"]),
    "bytes behind gzip": (gzip.compress(LINES.encode()) + b"junk", EACH, ["bytes after the end"]),
    "gzip that breaks off": (gzip.compress(LINES.encode())[:-8], EACH, ["is damaged"]),
    "a tar that breaks off": (tarred({"1": b'{"n": 1}'})[:1024], EACH[:1], ["damaged archive"]),
    "a zip that breaks off": (zipped({"1": b'{"n": 1}'})[:-30], [], ["not a usable archive"]),
    "YAML of many aliases": (
        b"---\na: &a [x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"%c: &%c [%s]\n" % (n, n, b",".join([b"*%c" % (n - 1)] * 9)) for n in ALIASES),
        [], ["aliases stand for too much"],
    ),
    "YAML in YAML": (b"---\n" + b"[" * 5000, [], ["nested too deeply"]),
    "YAML that ends itself": (b"---\n&a [*a]", [], ["not defined before it"]),
    "an image": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", [], ["is binary"]),
    "7z": (b"7z\xbc\xaf\x27\x1c", [], ["unpack it first"]),
    "a pointer": (b"version https://git-lfs.github.com/spec/v1\n", [], ["git lfs pull"]),
    "a database that breaks off": (b"SQLite format 3\0" + bytes(200), [], ["SQLite database that"]),
    "Parquet without an end": (b"PAR1" + bytes(50), [], ["no usable Parquet"]),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_broken_is_reported_and_the_rest_read(name: str, tmp_path: Path) -> None:
    content, expected, reports = BROKEN[name]
    values, problems = contents(written(tmp_path, content))
    assert values == expected
    assert len(problems) == len(reports)
    for problem, report in zip(problems, reports, strict=True):
        assert report in problem.problem


BOMBS: dict[str, bytes] = {
    "a zip of much": zipped({"1.json": b" " * (200 << 20)}),
    "a gz of much": gzip.compress(b" " * (200 << 20)),
    "a zst of much": zstandard.compress(b"{" * (200 << 20)),
    "an xz of much": lzma.compress(bytes(100 << 20), preset=0),
    "archives in archives": zipped(
        {f"{n}.zip": zipped({f"{m}.json": b" " * (60 << 20) for m in range(1)}) for n in range(12)}
    ),
    "too many around each other": reduce(lambda data, _: gzip.compress(data), range(5), b"{}"),
}  # fmt: skip


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_are_refused(name: str, tmp_path: Path) -> None:
    values, problems = contents(written(tmp_path, BOMBS[name]))
    assert values == []
    assert any(
        word in problem.problem
        for problem in problems
        for word in ("refused", "times its size", "more than 4 archives", "is binary")
    )


# --- Large files --------------------------------------------------------------------------------


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(documents, "_LONGEST_WHOLE", 1000)
    monkeypatch.setattr(documents, "_LONGEST_HELD", 3000)
    monkeypatch.setattr(documents, "_PIECE", 64)


def run(number: int) -> dict[str, Any]:
    return {"id": number, "steps": [{"n": n, "text": 'a "]}, {'} for n in range(4)]}


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize("count", [10, 19, 60])
@pytest.mark.parametrize("indent", [None, 1])
def test_long_lists_are_read_item_by_item(count: int, indent: int | None, tmp_path: Path) -> None:
    runs = list(map(run, range(count)))
    path = written(tmp_path, json.dumps(runs, indent=indent).encode())
    assert contents(path) == (runs, [])


@pytest.mark.usefixtures("small_limits")
def test_large_objects_are_split_at_their_runs(tmp_path: Path) -> None:
    runs = list(map(run, range(9)))
    path = written(tmp_path, json.dumps({"info": 1, "all": {"by": 2, "runs": runs}}).encode())
    values, _ = contents(path)
    assert values == [{"info": 1, "all": {"by": 2, "runs": [one]}} for one in runs]


@pytest.mark.usefixtures("small_limits")
@pytest.mark.parametrize(
    "item",
    [
        {"role": "assistant", "tool_calls": [{"id": n} for n in range(9)]},
        {"span": 1, "attributes": [{"key": str(n), "value": n} for n in range(9)]},
        {"step": 1, "text": "x" * 90},
    ],
)
def test_messages_and_spans_of_one_run_stay_together(item: dict[str, Any], tmp_path: Path) -> None:
    whole = {"id": 1, "items": [item] * 20}
    assert contents(written(tmp_path, json.dumps(whole).encode()))[0] == [whole]


@pytest.mark.usefixtures("small_limits")
def test_a_document_beyond_the_limit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "LONGEST_DOCUMENT", 2000)
    text = b'{"n": "' + b"x" * 3000 + b'"}'
    assert "more than" in contents(written(tmp_path, text, "a"))[1][0].problem
    values, problems = contents(
        written(tmp_path, LINES.encode() + text + b"\n" + b'{"n": 3}\n', "b")
    )
    assert values == [*EACH, {"n": 3}]
    assert [p.position for p in problems] == [3]


# --- What formats ask of a file -----------------------------------------------------------------


def test_a_file_is_looked_at_and_read_any_number_of_times(tmp_path: Path) -> None:
    lines = b"".join(b'{"n": %d}\n' % n for n in range(50))
    (file,) = files_of(written(tmp_path, lines))
    assert isinstance(file, File)
    assert len(file.head()) == 20
    assert [len(list(file.documents())) for _ in range(3)] == [50, 50, 50]
    assert file.text() == lines


def test_neighbours_are_found_in_folders_and_archives(tmp_path: Path) -> None:
    tree = {
        "run/log.json": b'{"n": 1}',
        "run/sub/meta.json": b'{"n": 2}',
        "top.json": LINES.encode(),
    }
    for name, content in tree.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        written(tmp_path, content, name)
    written(tmp_path, zipped(tree), "packed.zip")
    for source in (tmp_path / "run" / "log.json", tmp_path / "packed.zip"):
        checked = 0
        for file in files_of(source):
            if isinstance(file, File) and file.path.name == "log.json":
                checked += 1
                assert file.beside("sub/meta.json") == {"n": 2}
                assert file.beside("top.json", above=1) == EACH
                assert file.beside("missing.json") is None
                assert file.beside("../top.json") is None
                assert file.beside("/etc/passwd") is None
                assert "log.json" in file.names_beside()
        assert checked == 1


def test_names_tell_where_a_file_lies(tmp_path: Path) -> None:
    cases = {
        "a.jsonl.gz": (gzip.compress(LINES.encode()), "a.jsonl"),
        "b.tgz": (tarred({"x/1.json": b"{}"}, "w:gz"), "b.tar!x/1.json"),
        "c.zip": (zipped({"in.zip": zipped({"1.json": b"{}"})}), "c.zip!in.zip!1.json"),
    }
    for name, (content, _) in cases.items():
        written(tmp_path, content, name)
    found = [f.name for f in files_of(tmp_path) if isinstance(f, File)]
    assert found == [f"{tmp_path}/{expected}" for _, expected in cases.values()]


def test_bytes_are_counted_as_they_are_read(tmp_path: Path) -> None:
    paths = [written(tmp_path, b'{"n": 1}\n' * count, f"{count}") for count in (3, 90_000)]
    for path in paths:
        seen: list[int] = []
        for file in files_of(path, on_bytes=seen.append):
            assert isinstance(file, File)
            file.head()
            assert len(list(file.documents())) > 2
        assert sum(seen) == path.stat().st_size


def test_a_broken_tar_gives_the_files_before_the_break(tmp_path: Path) -> None:
    files = {f"{n}.json": b'{"n": %d}' % n for n in range(9)}
    content = gzip.compress(tarred(files))
    values, problems = contents(written(tmp_path, content[: len(content) // 2]))
    assert values == [{"n": n} for n in range(len(values))]
    assert len(problems) == 1
