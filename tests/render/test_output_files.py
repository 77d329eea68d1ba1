"""A file is written whole or not at all, and what is no plain file is written to as it is."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from assay.errors import WriteFailed
from assay.render.output_files import append_text, write_bytes, write_text

if TYPE_CHECKING:
    from pathlib import Path


def test_an_older_file_stays_where_the_newer_one_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.html"
    write_text(path, "older")

    def full(part: Path, data: bytes) -> int:
        with part.open("wb") as file:
            file.write(data[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.write_bytes", full)
    with pytest.raises(WriteFailed, match=r"report\.html cannot be written: No space left"):
        write_bytes(path, b"newer")
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]


def test_who_may_read_a_file_stays_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_text(path, "older")
    path.chmod(0o600)
    write_text(path, "newer")
    assert (path.stat().st_mode & 0o777, path.read_text()) == (0o600, "newer")


def test_what_a_link_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "latest.html").symlink_to(tmp_path / "one.html")
    write_text(tmp_path / "latest.html", "é")
    assert (tmp_path / "latest.html").is_symlink()
    assert (tmp_path / "one.html").read_bytes() == "é".encode()


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "through")
        assert os.read(reading, 100) == b"through"
    finally:
        os.close(reading)


def test_a_text_is_added_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "new" / "summary.md"
    append_text(path, "one\n")
    append_text(path, "two\n")
    assert path.read_text() == "one\ntwo\n"
