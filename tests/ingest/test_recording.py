"""Opening recorded files: small and large ones, and those that are no plain files."""

from __future__ import annotations

import gc
import os
import threading
from pathlib import Path

import pytest
from tests.ingest.reading import recording

from assay.ingest.recording import FilePlace

SIZES = [0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000]


@pytest.mark.parametrize("size", SIZES)
def test_every_byte_is_read_whatever_the_size(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(os.urandom(size))
    heard: list[int] = []
    for place in (FilePlace(path), FilePlace(path, heard.append)):
        with place.open() as file:
            assert file.read(2_000_000) == path.read_bytes()
    assert sum(heard) == size


def test_a_named_pipe_is_read_as_it_comes(tmp_path: Path) -> None:
    path = tmp_path / "pipe.json"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"{}",))
    writer.start()
    with FilePlace(path).open() as file:
        assert file.read() == b"{}"
    writer.join()


def test_what_is_no_file_is_refused_and_leaves_nothing_open(tmp_path: Path) -> None:
    gc.collect()  # or what another test left open may be closed meanwhile
    opened = Path("/proc/self/fd")
    descriptors = len(list(opened.iterdir())) if opened.is_dir() else None
    for path in (tmp_path, tmp_path / "missing.json"):
        with pytest.raises(OSError, match="directory"):
            FilePlace(path).open()
    if descriptors is not None:
        assert len(list(opened.iterdir())) <= descriptors


def test_the_first_items_are_those_of_lists_and_lines() -> None:
    assert recording([1, 2, 3]).first_items(2) == [1, 2]
    assert recording(({"a": 1}, {"b": 2})).first_items(5) == [{"a": 1}, {"b": 2}]
    assert recording({"a": 1}).first_items(5) == [{"a": 1}]
