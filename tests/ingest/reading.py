"""Reading made-up files: what a test writes down, as a format's reader sees it."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct
from tests.conftest import shared_path

from assay.ingest.documents import Unreadable
from assay.ingest.recording import Recording
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from assay.ingest.recording import Format


class MadeUpPlace(Struct, frozen=True):
    """A file that exists only in a test, and the files beside it."""

    name: str
    files: dict[str, bytes]

    def open(self) -> BinaryIO:
        return io.BytesIO(self.files[PurePosixPath(self.name).name])

    def beside(self, name: str, *, above: int = 0) -> MadeUpPlace | None:
        if above or name not in self.files:
            return None
        return MadeUpPlace(str(PurePosixPath(self.name).parent / name), self.files)


def recording(
    value: Any, name: str = "log.json", beside: dict[str, Any] | None = None
) -> Recording:
    """A recording of a value, of lines of values (a tuple), or of bytes."""
    files = {other: _bytes(content) for other, content in (beside or {}).items()}
    return Recording(MadeUpPlace(name, {**files, PurePosixPath(name).name: _bytes(value)}))


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, tuple):
        return b"".join(json.dumps(line).encode() + b"\n" for line in value)
    return json.dumps(value).encode()


def read(found: Format, made_up: Recording) -> list[AgentTestCase]:
    """All runs of a recording; there must be nothing unreadable in it."""
    runs = list(found.read(made_up))
    assert [run for run in runs if isinstance(run, Unreadable)] == []
    return [run for run in runs if isinstance(run, AgentTestCase)]


def read_one(found: Format, made_up: Recording) -> AgentTestCase:
    """The one run of a recording."""
    (run,) = read(found, made_up)
    return run


def problems(found: Format, made_up: Recording) -> list[str]:
    """What a recording's reader could not read."""
    return [str(item) for item in found.read(made_up) if isinstance(item, Unreadable)]


def unpacked_ds200(folders: pytest.TempPathFactory) -> Path:
    """ToolGym's reference dataset; skips the test where there is none."""
    folder = folders.mktemp("toolgym")
    with tarfile.open(shared_path("oracle", "toolgym", "ds200.tar.gz")) as packed:
        packed.extractall(folder, filter="data")
    return folder / "ds200"
