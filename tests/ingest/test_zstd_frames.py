"""What is packed with zstd and cut short is known to be, wherever the cut is."""

from __future__ import annotations

import io
import random
from typing import TYPE_CHECKING

import pytest
import zstandard

from assay.ingest.documents import Document, Unreadable
from assay.ingest.sources import find_recordings
from assay.ingest.zstd_frames import WatchedFrames

if TYPE_CHECKING:
    from pathlib import Path

SKIPPABLE = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
TEXTS = {
    "nothing": b"",
    "short": b'{"n": 1}\n',
    "repeated": bytes(300_000),
    "drawn": random.Random(7).randbytes(300_000),
}


def packed(text: bytes, *, checksum: bool, size: bool) -> bytes:
    parameters = zstandard.ZstdCompressionParameters.from_level(
        1, write_checksum=checksum, write_content_size=size
    )
    return zstandard.ZstdCompressor(compression_params=parameters).compress(text)


def are_whole(data: bytes, *, at_once: int) -> bool:
    frames = WatchedFrames(io.BytesIO(data))
    while frames.read(at_once):
        pass
    return frames.are_whole


@pytest.mark.parametrize("at_once", [1_000, 131_072])
@pytest.mark.parametrize("checksum", [True, False])
@pytest.mark.parametrize("size", [True, False])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_frames_are_whole_at_their_end_and_nowhere_else(
    text: bytes, at_once: int, *, checksum: bool, size: bool
) -> None:
    one = packed(text, checksum=checksum, size=size)
    data = one + SKIPPABLE + one
    borders = {0, len(one), len(one) + len(SKIPPABLE), len(data)}
    cuts = {*borders, *range(1, 30), len(one) - 1, len(one) + 5, len(data) - 1, len(data) // 3}
    for cut in sorted(cuts):
        assert are_whole(data[:cut], at_once=at_once) is (cut in borders), cut


def test_a_file_that_was_cut_short_is_reported_behind_what_it_holds(tmp_path: Path) -> None:
    lines = b"".join(b'{"n": %d, "drawn": "%s"}\n' % (i, b"x" * (i % 97)) for i in range(40_000))
    path = tmp_path / "runs.jsonl.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(lines)[:-2_000])
    (recording,) = find_recordings(path)
    assert not isinstance(recording, Unreadable)
    *documents, problem = recording.documents()
    assert documents
    assert all(isinstance(document, Document) for document in documents)
    assert isinstance(problem, Unreadable)
    assert "is damaged: it ends before its last frame does" in problem.problem
