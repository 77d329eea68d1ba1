"""Tar archives, packed or not: read in place as folders are, and what is damaged is told."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import tracemalloc
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any

import pytest
import zstandard

from assay.errors import InvalidRecord
from assay.ingest import archives
from assay.ingest.archives import members
from assay.ingest.documents import Document, Unreadable
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace
from assay.ingest.sources import find_recordings
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    ".tar": lambda tar: tar,
    ".tar.gz": gzip.compress,
    ".tgz": gzip.compress,
    ".tar.zst": zstandard.ZstdCompressor().compress,
    ".tar.xz": lzma.compress,
    ".txz": lzma.compress,
    ".tar.bz2": bz2.compress,
    ".tbz2": bz2.compress,
    ".tbz": bz2.compress,
}


def tarred(files: dict[str, Any], *others: tarfile.TarInfo) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            text = json.dumps(content).encode()
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
        for other in others:
            archive.addfile(other)
    return packed.getvalue()


def values(path: Path) -> list[Any]:
    """The values of all documents of all recordings, and problems as text."""
    found: list[Any] = []
    for recording in find_recordings(path):
        if isinstance(recording, Unreadable):
            found.append(str(recording))
        else:
            items = recording.documents()
            found += [item.value if isinstance(item, Document) else str(item) for item in items]
    return found


PACKINGS |= {suffix.upper(): pack for suffix, pack in PACKINGS.items()}


@pytest.mark.parametrize("suffix", PACKINGS)
def test_each_file_is_read_in_name_order(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"logs{suffix}"
    tar = tarred({"./b/two.json": 2, "./a.jsonl": {"n": 1}, "./b/notes.md": "x", "./.git/x": 3})
    path.write_bytes(PACKINGS[suffix](tar))
    assert values(path) == [{"n": 1}, 2]
    assert values(tmp_path) == [{"n": 1}, 2]  # found in a folder, too
    names = [member.name for member in members(FilePlace(path))]
    assert names == [f"{path}!a.jsonl", f"{path}!b/notes.md", f"{path}!b/two.json"]


def test_runs_are_those_of_the_folder_that_was_packed(tmp_path: Path) -> None:
    case = {"input": "q", "actual_output": "a", "model": "m"}
    (tmp_path / "runs.tar.gz").write_bytes(gzip.compress(tarred({"runs/one.json": case})))
    (run,) = read_runs(tmp_path / "runs.tar.gz")
    assert isinstance(run, AgentTestCase)
    assert (run.input, run.model) == ("q", "m")
    assert run.source is not None
    assert run.source.path == f"{tmp_path}/runs.tar.gz!runs/one.json"


def test_a_file_beside_another(tmp_path: Path) -> None:
    path = tmp_path / "runs.tar"
    path.write_bytes(tarred({"./a/messages.json": [], "./a/meta.json": {"k": 1}, "./up.json": 0}))
    packed = members(FilePlace(path))  # open as long as they are asked for
    messages = next(packed)
    meta = messages.beside("meta.json")
    assert meta is not None
    assert json.load(meta.open()) == {"k": 1}
    assert messages.beside("../up.json") is None
    assert [member.member for member in packed] == ["a/meta.json", "up.json"]


def test_what_lies_in_it_twice_is_there_as_packed_last(tmp_path: Path) -> None:
    first, last = tarred({"a.json": 1}), tarred({"a.json": 2})
    # A header, a block with the file, and, as `tar -r` appends it, the next archive.
    (tmp_path / "x.tar").write_bytes(first[:1024] + last)
    assert values(tmp_path / "x.tar") == [2]


def test_links_and_devices_are_passed_over_and_no_name_leads_out(tmp_path: Path) -> None:
    link, device = tarfile.TarInfo("link.json"), tarfile.TarInfo("device.json")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
    device.type = tarfile.CHRTYPE
    (tmp_path / "outside.json").write_text("1")
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "x.tar"
    path.write_bytes(tarred({"../outside.json": 2}, link, device))
    assert values(path) == [2]
    assert (tmp_path / "outside.json").read_text() == "1"


WHOLE = tarred({f"{n}.json": {"n": n} for n in range(4)})
BROKEN: dict[str, tuple[str, bytes, list[int]]] = {
    "cut in a file": ("x.tar", WHOLE[: 512 * 5 + 3], [0, 1]),
    "cut after a file": ("x.tar", WHOLE[: 512 * 4], [0, 1]),
    "a header of noise": ("x.tar", WHOLE[: 512 * 4] + b"noise" + WHOLE[512 * 4 + 5 :], [0, 1]),
    "no tar": ("x.tar", b"plain text", []),
    "empty": ("x.tar", b"", []),
    "no gzip": ("x.tgz", b"plain text", []),
    "a wrong sum": ("x.tar.gz", gzip.compress(WHOLE)[:-8] + bytes(8), [0, 1, 2, 3]),
}


def with_pax(**headers: str) -> tuple[str, bytes, list[int]]:
    """A whole file, then one of which headers tell what they should not."""
    member = tarfile.TarInfo("9.json")
    member.pax_headers = {name.replace("_", "."): value for name, value in headers.items()}
    return ("x.tar", WHOLE[: 512 * 2] + tarred({}, member), [0])


def with_size(size: int) -> tuple[str, bytes, list[int]]:
    """A whole file, then one that is said to have that size, as GNU writes large numbers."""
    head = bytearray(tarfile.TarInfo("9.json").tobuf(tarfile.USTAR_FORMAT))
    head[124:136] = size.to_bytes(12, "big", signed=size < 0)
    head[124] |= 0x80
    head[148:156] = b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return ("x.tar", WHOLE[: 512 * 2] + bytes(head) + bytes(1024), [0])


BROKEN |= {
    "a size that leads back to its own header": with_size(-512),
    "a size that leads before the archive": with_size(-(1 << 40)),
    "a size beyond all files": with_size(1 << 90),
    "holes that are no numbers": with_pax(GNU_sparse_map="0,abc", GNU_sparse_size="10"),
    "headers of headers": (
        "x.tar",
        WHOLE[: 512 * 2] + tarfile.TarInfo.create_pax_global_header({"a": "b"}) * 2000,
        [0],
    ),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_damage_is_told_and_what_stands_before_it_is_read(tmp_path: Path, damage: str) -> None:
    name, content, before = BROKEN[damage]
    path = tmp_path / name
    path.write_bytes(content)
    found = values(path)
    problem = found.pop()
    told = "damaged tar archive, in which " if before else "not a usable tar archive: "
    assert problem.startswith(f"{path}: {told}")
    assert problem.count(str(path)) == 1
    assert [item["n"] for item in found if isinstance(item, dict)] == before


def test_what_could_be_found_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    for blocks, files in ((4, "2 files"), (2, "1 file")):
        path.write_bytes(WHOLE[: 512 * blocks])
        told = f"damaged tar archive, in which {files} could be found: it breaks off"
        assert values(path)[-1].startswith(f"{path}: {told}")


def test_an_archive_inside_another_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "outer.tar"
    path.write_bytes(tarred({"a.json": 1, "in.tar.gz": "any"}))
    nested = "is an archive inside an archive; unpack the outer one first"
    assert values(path) == [1, f"{path}!in.tar.gz: {nested}"]


def test_no_room_to_unpack_is_no_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "TemporaryFile", lambda: io.FileIO("/dev/full", "w+"))
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(WHOLE))
    (problem,) = values(path)
    assert problem.startswith(f"{path}: cannot be unpacked in {gettempdir()}: No space left")
    assert problem.endswith("or name a folder with more room in TMPDIR")


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_HARMLESS_BYTES", 10_000)
    monkeypatch.setattr(archives, "_LARGEST_EXPANSION", 10)
    path = tmp_path / "x.tar.gz"
    path.write_bytes(gzip.compress(tarred({"a.json": " " * 1_000_000})))
    assert "unpacks to more than 10 times its size" in values(path)[-1]


def test_a_file_of_holes_is_as_large_as_what_is_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "_HARMLESS_BYTES", 10_000)
    member = tarfile.TarInfo("a.json")
    member.pax_headers = {"GNU.sparse.map": "0,1", "GNU.sparse.size": str(1 << 60)}
    path = tmp_path / "x.tar"
    path.write_bytes(tarred({}, member))
    assert "unpacks to more than 1000 times its size" in values(path)[-1]


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_MEMBERS", 3)
    path = tmp_path / "x.tar"
    path.write_bytes(WHOLE)
    problem = "holds more than 3 files; unpack it and name the folder"
    with pytest.raises(InvalidRecord, match=problem):
        list(members(FilePlace(path)))


def test_no_more_than_its_files_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "_MOST_MEMBERS", 3)
    folder = tarfile.TarInfo("folder")
    folder.type = tarfile.DIRTYPE
    path = tmp_path / "x.tar"
    path.write_bytes(tarred({"a.json": 1}, *[folder] * 20_000))
    tracemalloc.start()
    assert [member.member for member in members(FilePlace(path))] == ["a.json"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000  # all of them would be some 30 MB
