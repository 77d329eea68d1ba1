"""Packed recordings are read in place, bounded, and never written anywhere."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import zstandard

from assay.errors import InvalidRecord
from assay.ingest import archives
from assay.ingest.archives import PackedPlace, members
from assay.ingest.documents import Document, Unreadable
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace, Recording
from assay.ingest.sources import SUFFIXES, find_files, find_recordings, would_read
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable

LINES = b'{"n": 1}\n{"n": 2}\n'


def values(path: str | Path) -> list[object]:
    """The documents of everything found at a path, problems as their text."""
    found: list[object] = []
    for recording in find_recordings(path):
        items = [recording] if isinstance(recording, Unreadable) else recording.documents()
        found += [item.value if isinstance(item, Document) else str(item) for item in items]
    return found


def zipped(path: Path, files: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


PACKS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".zst": zstandard.ZstdCompressor().compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
}


@pytest.mark.parametrize("suffix", PACKS)
def test_a_packed_file_reads_like_the_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"runs.jsonl{suffix}"
    path.write_bytes(PACKS[suffix](LINES))
    assert values(path) == [{"n": 1}, {"n": 2}]
    assert values(tmp_path) == [{"n": 1}, {"n": 2}]  # found in a folder, too
    assert PackedPlace(FilePlace(path)).name.endswith("runs.jsonl")


@pytest.mark.parametrize("suffix", PACKS)
def test_what_was_packed_piece_by_piece_is_one_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"runs.jsonl{suffix}"
    path.write_bytes(PACKS[suffix](b'{"n": 1}\n') + PACKS[suffix](b'{"n": 2}\n'))
    assert values(path) == [{"n": 1}, {"n": 2}]


def test_zeros_between_the_streams_of_xz_are_nothing(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl.xz"
    path.write_bytes(lzma.compress(b'{"n": 1}\n') + bytes(100_000) + lzma.compress(b'{"n": 2}\n'))
    assert values(path) == [{"n": 1}, {"n": 2}]


def test_xz_that_asks_for_too_much_memory_is_refused(tmp_path: Path) -> None:
    large = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 30}]
    path = tmp_path / "runs.jsonl.xz"
    path.write_bytes(lzma.compress(LINES, filters=large))
    (problem,) = values(path)
    assert "is damaged: Memory usage limit exceeded" in str(problem)


@pytest.mark.parametrize(
    ("name", "start", "problem"),
    [
        ("runs.7z", b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it first"),
        ("runs.rar", b"Rar!\x1a\x07\0", "is a RAR archive; unpack it first"),
    ],
)
def test_what_cannot_be_unpacked_here_is_told_in_a_folder(
    tmp_path: Path, name: str, start: bytes, problem: str
) -> None:
    (tmp_path / name).write_bytes(start + RANDOM)
    (told,) = read_runs(tmp_path)
    assert told == Unreadable(str(tmp_path / name), problem)


def test_a_zip_is_read_in_name_order_and_leaves_other_files_alone(tmp_path: Path) -> None:
    files = {
        "b/two.json": b'{"n": 2}',
        "a/one.jsonl.gz": gzip.compress(b'{"n": 1}\n{"n": 0}\n'),
        "picture.png": b"\x89PNG",
        "../../escape.json": b'{"n": 3}',
    }
    path = zipped(tmp_path / "runs.zip", files)
    assert values(path) == [{"n": 3}, {"n": 1}, {"n": 0}, {"n": 2}]
    assert [file.name for file in tmp_path.iterdir()] == ["runs.zip"]


def test_what_is_hidden_in_a_zip_is_left_out_as_in_a_folder(tmp_path: Path) -> None:
    files = {
        "run.json": b'{"n": 1}',
        ".DS_Store": b"\0\0\0\1Bud1",
        "__MACOSX/._run.json": b"\0\5\x16\7",
        "a/.cache/b/old.json": b'{"n": 2}',
        "a/.old.json": b'{"n": 3}',
        "a/..run.json/x.json": b'{"n": 4}',
        "a/b.c/shown.json": b'{"n": 5}',
        "__MACOSX.json": b'{"n": 6}',
    }
    assert values(zipped(tmp_path / "runs.zip", files)) == [{"n": 6}, {"n": 5}, {"n": 1}]


@pytest.mark.parametrize("around", ["", "home/.claude/"])
def test_the_hidden_folder_that_was_packed_is_meant(tmp_path: Path, around: str) -> None:
    hidden = f"{around}.claude/projects"
    files = {
        f"{hidden}/a/one.jsonl": b'{"n": 1}\n',
        f"{hidden}/b/two.jsonl": b'{"n": 2}\n',
        f"{hidden}/b/.DS_Store": b"\0\0\0\1Bud1",
        "__MACOSX/._projects": b"\0\5\x16\7",
    }
    assert values(zipped(tmp_path / "runs.zip", files)) == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("around", ["", "home/ada/"])
def test_hidden_folders_are_meant_where_a_zip_holds_nothing_else(
    tmp_path: Path, around: str
) -> None:
    files = {
        f"{around}.claude/projects/one.jsonl": b'{"n": 1}\n',
        f"{around}.claude/.cache/old.jsonl": b'{"n": 0}\n',
        f"{around}.codex/sessions/two.jsonl": b'{"n": 2}\n',
        f"{around}.settings.json": b'{"n": 3}',
    }
    assert values(zipped(tmp_path / "runs.zip", files)) == [{"n": 1}, {"n": 2}]


@pytest.mark.parametrize("name", ["__MACOSX/._run.json", "notes.md", "a/picture.png"])
def test_a_zip_in_which_nothing_is_looked_into_is_passed_over(tmp_path: Path, name: str) -> None:
    path = zipped(tmp_path / "runs.zip", {name: b"\0"})
    (found,) = find_recordings(path)
    assert isinstance(found, Unreadable)
    assert str(found) == f"{path}: holds no file that would be looked into in a folder"
    assert found.kind == "passed_over"


def test_files_beside_each_other_are_found_inside_archives(tmp_path: Path) -> None:
    path = zipped(tmp_path / "runs.zip", {"a/messages.json": b"[]", "a/meta.json": b'{"k": 1}'})
    for member in members(FilePlace(path)):
        recording = Recording(member).beside("meta.json")
        assert recording is not None
        assert recording.sample == ({"k": 1},)
        assert Recording(member).beside("none.json") is None


def test_a_packed_neighbour_is_found(tmp_path: Path) -> None:
    (tmp_path / "meta.json.gz").write_bytes(gzip.compress(b'{"k": 2}'))
    (tmp_path / "messages.json.gz").write_bytes(gzip.compress(b"[]"))
    beside = Recording(PackedPlace(FilePlace(tmp_path / "messages.json.gz"))).beside("meta.json")
    assert beside is not None
    assert beside.sample == ({"k": 2},)


def test_truncated_archives_are_reported(tmp_path: Path) -> None:
    whole = zipped(tmp_path / "whole.zip", {"a.json": b'{"n": 1}'}).read_bytes()
    (tmp_path / "cut.zip").write_bytes(whole[:-30])
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(os.urandom(4000).hex().encode())[:900])
    (tmp_path / "cut.jsonl.zst").write_bytes(b"(\xb5/\xfd not zstd")
    assert "not a usable zip archive" in str(values(tmp_path / "cut.zip")[0])
    assert "damaged" in str(values(tmp_path / "cut.jsonl.gz")[-1])
    assert "damaged" in str(values(tmp_path / "cut.jsonl.zst")[-1])


RANDOM = os.urandom(4000).hex().encode()
DAMAGED = {
    "cut.gz": gzip.compress(RANDOM)[:900],
    "cut.db.gz": gzip.compress(RANDOM)[:900],
    "cut.yaml.gz": gzip.compress(b"note: " + RANDOM)[:900],
    "torn.zst": b"(\xb5/\xfd not zstd",
    "no-gzip.gz": b"plain",
    "wrong-sum.gz": gzip.compress(RANDOM)[:-8] + bytes(8),
    "cut.xz": lzma.compress(RANDOM)[:900],
    "cut.jsonl.xz": lzma.compress(RANDOM)[:-10],
    "no-xz.xz": b"plain",
    "none.xz": b"",
    "more.xz": lzma.compress(LINES) + b"and more",
    "cut.bz2": bz2.compress(RANDOM)[:900],
    "no-bzip2.bz2": b"plain",
    "more.bz2": bz2.compress(LINES) + b"and more",
    "settings-cut.gz": gzip.compress(b'{"colour": "red"}\n' + RANDOM)[:900],
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_told_whatever_the_archive_is_called(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(DAMAGED[name])
    (problem,) = read_runs(tmp_path)
    assert isinstance(problem, Unreadable)
    assert (problem.path, problem.kind) == (str(tmp_path / name), "broken")
    assert "is damaged" in problem.problem


def test_a_damaged_member_of_any_name_is_told(tmp_path: Path) -> None:
    path = zipped(tmp_path / "runs.zip", {"LICENSE": RANDOM})
    text = path.read_bytes()
    path.write_bytes(text[:200] + bytes(40) + text[240:])
    (problem,) = read_runs(tmp_path)
    assert isinstance(problem, Unreadable)
    assert (problem.path, problem.kind) == (f"{path}!LICENSE", "broken")


@pytest.mark.parametrize(
    ("name", "text"),
    [("LICENSE", b"Do as you like."), ("notes", b"\0\1"), ("deploy.yaml", b"kind: [")],
)
def test_what_is_whole_and_no_run_is_passed_over_packed_or_not(
    tmp_path: Path, name: str, text: bytes
) -> None:
    (tmp_path / name).write_bytes(text)
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text))
    zipped(tmp_path / "all.zip", {name: text})
    found = list(read_runs(tmp_path))
    assert [item.kind for item in found if isinstance(item, Unreadable)] == ["passed_over"] * 3


def test_what_stands_before_a_damage_is_read(tmp_path: Path) -> None:
    lines = b"".join(b'{"n": "%d %s"}\n' % (n, os.urandom(40).hex().encode()) for n in range(99))
    path = tmp_path / "cut.jsonl.gz"
    packed = gzip.compress(lines)
    path.write_bytes(packed[: len(packed) // 2])
    *read, problem = values(path)
    assert len(read) > 30
    assert "damaged" in str(problem)
    (told,) = (item for item in read_runs(path, format_name="assay") if "damaged" in str(item))
    assert str(told).startswith(f"{path}: cannot be read")


def test_what_stands_before_a_damage_in_a_log_is_read(tmp_path: Path) -> None:
    log = (
        b'10:00 sent {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "t"}}\n'
        b'10:01 got {"jsonrpc": "2.0", "id": 1, "result": {"content": []}}\n'
    )
    path = tmp_path / "mcp.log.gz"
    path.write_bytes(gzip.compress(log)[:-8] + bytes(8))  # its sum is wrong
    problem, run = read_runs(path)
    assert isinstance(run, AgentTestCase)
    assert [call.tool for call in run.calls] == ["t"]
    assert "is damaged" in str(problem)


def test_a_zip_inside_a_zip_is_reported(tmp_path: Path) -> None:
    inner = zipped(tmp_path / "inner.zip", {"a.json": b'{"n": 1}'}).read_bytes()
    outer = zipped(tmp_path / "outer.zip", {"b.json": b'{"n": 2}', "in/inner.zip": inner})
    assert values(outer) == [
        {"n": 2},
        f"{outer}!in/inner.zip: is an archive inside an archive; unpack the outer one first",
    ]


def test_an_encrypted_or_corrupt_member_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "runs.zip", {"a.json": b'{"n": 1}' * 1, "b.json": b'{"n": 2}'})
    text = bytearray(path.read_bytes())
    start = text.index(b"a.json") + len(b"a.json")
    text[start : start + 4] = b"\xff\xff\xff\xff"
    path.write_bytes(text)
    found = values(path)
    assert "damaged" in str(found[0])
    assert found[1] == {"n": 2}


def test_a_zip_whose_list_names_no_text_is_reported(tmp_path: Path) -> None:
    path = zipped(tmp_path / "runs.zip", {"ü.json": b'{"n": 1}'})
    path.write_bytes(path.read_bytes().replace("ü".encode(), b"\xff\xfe"))
    (problem,) = values(path)
    assert "not a usable zip archive" in str(problem)


def test_a_member_whose_own_name_is_no_text_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "runs.zip", {"ü.json": b'{"n": 1}', "a.json": b'{"n": 2}'})
    path.write_bytes(path.read_bytes().replace("ü".encode(), b"\xff\xfe", 1))
    read, problem = values(path)
    assert read == {"n": 2}
    assert "cannot be unpacked" in str(problem)


def test_a_member_that_lies_nowhere_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    path = zipped(tmp_path / "runs.zip", {"a.json": b'{"n": 1}', "b.json": b'{"n": 2}'})
    text = bytearray(path.read_bytes())
    text[-6:-2] = (int.from_bytes(text[-6:-2], "little") + 99).to_bytes(4, "little")
    path.write_bytes(text)  # the list of members is said to lie later than it does
    found = values(path)
    assert len(found) == 2
    assert "negative seek" in str(found[0])


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_damaged_member_is_reported_however_it_is_packed(tmp_path: Path, method: int) -> None:
    path = tmp_path / "runs.zip"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("a.jsonl", LINES + RANDOM)
        archive.writestr("b.jsonl", LINES)
    text = path.read_bytes()
    path.write_bytes(text[:500] + bytes(99) + text[599:])
    *_, problem, first, second = values(path)
    assert "damaged" in str(problem)
    assert [first, second] == [{"n": 1}, {"n": 2}]


def test_a_zip_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_HARMLESS_BYTES", 10_000)
    path = zipped(tmp_path / "bomb.zip", {"a.json": b" " * 50_000_000})
    with pytest.raises(InvalidRecord, match="would unpack from"):
        list(members(FilePlace(path)))


@pytest.mark.parametrize("suffix", PACKS)
def test_a_packed_bomb_stops_early(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    monkeypatch.setattr(archives, "_HARMLESS_BYTES", 10_000)
    monkeypatch.setattr(archives, "_LARGEST_EXPANSION", 10)
    path = tmp_path / f"bomb.jsonl{suffix}"
    path.write_bytes(PACKS[suffix](b'{"n": 1}\n' * 100_000))
    assert "times its size" in str(values(path)[-1])


def test_folders_globs_and_links(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "x.json").write_bytes(b"{}")
    (tmp_path / "b" / "two.json").write_bytes(b'{"n": 2}')
    (tmp_path / "a.json").write_bytes(b'{"n": 1}')
    (tmp_path / "notes.md").write_bytes(b"# notes")
    (tmp_path / "b" / "loop").symlink_to(tmp_path, target_is_directory=True)
    assert [file.name for file in find_files(tmp_path)] == ["a.json", "two.json"]
    assert [file.name for file in find_files(f"{tmp_path}/**/*.json")] == ["a.json", "two.json"]
    (tmp_path / "gone.json").symlink_to(tmp_path / "nowhere")
    assert "cannot be read" in str(values(tmp_path / "gone.json")[0])
    (tmp_path / "self.json").symlink_to(tmp_path / "self.json")
    assert "symbolic links" in str(values(f"{tmp_path}/s*.json")[0])
    assert would_read(tmp_path, tmp_path / "self.json")


def test_the_guide_names_every_suffix_that_is_looked_into() -> None:
    guide = Path(__file__).resolve().parents[2] / "docs" / "how-to" / "import.md"
    (told,) = (part for part in guide.read_text().split("\n\n") if "Looked into are" in part)
    listed = told.partition("those that hold no run")[0]
    assert set(re.findall(r"`(\.\w+)`", listed)) == SUFFIXES - {""}


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        buffer = io.BytesIO(LINES)

    monkeypatch.setattr("sys.stdin", Pipe())
    assert values("-") == [{"n": 1}, {"n": 2}]
