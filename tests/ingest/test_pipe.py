"""Standard input: lines are read as they come, anything else is kept aside first."""

from __future__ import annotations

import io
import json
import os
import zipfile
from threading import Thread
from typing import TYPE_CHECKING, Any, BinaryIO

import pytest

from assay.ingest import pipe as pipe_module
from assay.ingest.documents import Unreadable
from assay.ingest.pipe import Pipe
from assay.ingest.reading import RunReader, read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Stdin:
    """What takes the place of standard input; `writer` is its other end."""

    def __init__(self) -> None:
        reading, writing = os.pipe()
        self.buffer = os.fdopen(reading, "rb")
        self.writer: BinaryIO = os.fdopen(writing, "wb", buffering=0)

    def send(self, data: bytes) -> None:
        """Write all of it from another thread, then close."""

        def work() -> None:
            with self.writer:
                self.writer.write(data)

        Thread(target=work, daemon=True).start()


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stdin]:
    made = Stdin()
    monkeypatch.setattr("sys.stdin", made)
    yield made
    made.writer.close()
    made.buffer.close()


def chat(number: int, **more: Any) -> bytes:
    messages = [
        {"role": "user", "content": f"question {number}"},
        {"role": "assistant", "content": f"answer {number}"},
    ]
    return json.dumps({"messages": messages, **more}).encode() + b"\n"


def questions(items: list[Any]) -> list[str]:
    assert [item for item in items if isinstance(item, Unreadable)] == []
    return [item.input for item in items if isinstance(item, AgentTestCase)]


def test_a_run_is_there_before_the_pipe_ends(stdin: Stdin) -> None:
    runs = read_runs("-")
    for number in range(3):
        stdin.writer.write(chat(number))
        assert questions([next(runs)]) == [f"question {number}"]
    stdin.writer.close()
    assert list(runs) == []


def test_who_waits_is_told_so(stdin: Stdin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipe_module, "_WAIT_SECONDS", 0.01)
    stdin.writer.write(chat(0))
    runs = RunReader().source("-", on_wait=stdin.writer.close)
    assert questions(list(runs)) == ["question 0"]
    assert stdin.writer.closed


def test_only_what_is_looked_at_is_kept(stdin: Stdin) -> None:
    count = 400
    stdin.send(b"".join(chat(number, padding="x" * 20_000) for number in range(count)))
    reader = RunReader()
    kept: list[int] = []
    for item in reader.source("-", on_bytes=kept.append):
        assert isinstance(item, AgentTestCase)
    assert sum(kept) > count * 20_000


def test_a_pipe_keeps_nothing_once_it_is_told_so(stdin: Stdin) -> None:
    pipe = Pipe(stdin.buffer.raw, "<stdin>")
    stdin.send(chat(0) * 10_000)
    file = pipe.open()
    first = file.readline()
    pipe.stop_keeping()
    kept = pipe.size
    assert first == chat(0)
    assert sum(1 for _ in file) == 10_000 - 1
    assert pipe.size == kept < len(chat(0)) * 10_000
    pipe.forget()


@pytest.mark.parametrize("format_name", [None, "otel"], ids=["looked at", "named"])
def test_looking_closely_loses_nothing(stdin: Stdin, format_name: str | None) -> None:
    """Spans are looked at beyond the sample, and then read from the start."""
    stdin.send(b"".join(json.dumps(span(number)).encode() + b"\n" for number in range(300)))
    found = list(RunReader(format_name).source("-"))
    runs = [run for run in found if isinstance(run, AgentTestCase)]
    assert [run.session_id for run in runs] == [f"s{number}" for number in range(300)]


def span(number: int) -> dict[str, Any]:
    attributes = {"gen_ai.operation.name": "invoke_agent", "gen_ai.conversation.id": f"s{number}"}
    listed = [{"key": key, "value": {"stringValue": text}} for key, text in attributes.items()]
    told = {"traceId": f"t{number}", "spanId": f"a{number}", "name": "invoke_agent x"}
    times = {"startTimeUnixNano": "1", "endTimeUnixNano": "2"}
    spans = [{**told, **times, "attributes": listed}]
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    os.mkfifo(path)

    def work() -> None:
        path.write_bytes(chat(0) + chat(1))

    Thread(target=work, daemon=True).start()
    assert questions(list(read_runs(path))) == ["question 0", "question 1"]


def test_a_named_pipe_in_a_folder_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "link.json").symlink_to(tmp_path / "pipe.json")
    (tmp_path / "lost.json").symlink_to(tmp_path / "nowhere.json")
    (tmp_path / "run.json").write_bytes(chat(0))
    found = list(read_runs(tmp_path))
    assert [item.input for item in found if isinstance(item, AgentTestCase)] == ["question 0"]
    (lost,) = (item for item in found if isinstance(item, Unreadable))
    assert lost.path.endswith("lost.json")
    assert "cannot be read" in lost.problem


def test_one_document_is_kept_as_a_whole(stdin: Stdin) -> None:
    runs = [json.loads(chat(number)) for number in range(3)]
    stdin.send(json.dumps(runs, indent=1).encode())
    assert questions(list(read_runs("-"))) == ["question 0", "question 1", "question 2"]


def test_an_object_laid_out_for_people(stdin: Stdin) -> None:
    stdin.send(json.dumps(json.loads(chat(7)), indent=2).encode())
    assert questions(list(read_runs("-"))) == ["question 7"]


def test_a_log_in_a_zip(stdin: Stdin) -> None:
    packed = io.BytesIO()
    messages = [{"role": "user", "content": "in a zip"}]
    sample = {"id": "a", "epoch": 1, "input": "in a zip", "messages": messages, "scores": {}}
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("header.json", json.dumps({"eval": {"model": "m", "task": "t"}}))
        archive.writestr("samples/a_epoch_1.json", json.dumps(sample))
    stdin.send(packed.getvalue())
    (run,) = list(read_runs("-"))
    assert isinstance(run, AgentTestCase)
    assert run.source is not None
    assert (run.input, run.source.format) == ("in a zip", "inspect")


UNPACK = "unpack it first ({} | assay import -), or name the file in place of -"


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08rest", f"is packed with gzip; {UNPACK.format('gunzip -c file.gz')}"),
        (b"\x28\xb5\x2f\xfdrest", f"is packed with zstd; {UNPACK.format('zstd -dc file.zst')}"),
        (b"BZh91AY", f"is packed with bzip2; {UNPACK.format('bunzip2 -c file.bz2')}"),
        (b"\xfd7zXZ\0rest", f"is packed with xz; {UNPACK.format('xz -dc file.xz')}"),
        (b"PK\x03\x04rest", "is a zip archive; name the file in place of -"),
        (b"x.jsonl".ljust(257, b"\0") + b"ustar", "is a tar archive; name the file in place of -"),
        (b"7z\xbc\xaf\x27\x1c", "is a 7z archive; unpack it first"),
        (b"Rar!\x1a\x07\x01\0", "is a RAR archive; unpack it first"),
        (b"hello\n", "not JSON"),
        (b'{"input": "cut he', "not JSON"),
    ],
    ids=[
        "nothing",
        "gzip",
        "zstd",
        "bzip2",
        "xz",
        "zip",
        "tar",
        "7z",
        "rar",
        "prose",
        "cut off",
    ],
)
def test_what_cannot_be_read_is_reported(stdin: Stdin, data: bytes, problem: str) -> None:
    stdin.send(data)
    (found,) = list(read_runs("-"))
    assert isinstance(found, Unreadable)
    assert found.path == "<stdin>"
    assert problem in found.problem


def test_a_broken_line_costs_itself_alone(stdin: Stdin) -> None:
    stdin.send(chat(0) + b'{"messages": [\n' + chat(2))
    found = list(read_runs("-"))
    assert [item.input for item in found if isinstance(item, AgentTestCase)] == [
        "question 0",
        "question 2",
    ]
    assert [item.position for item in found if isinstance(item, Unreadable)] == [2]


def test_a_tape_in_yaml(stdin: Stdin) -> None:
    sent = json.dumps({"messages": [{"role": "user", "content": "on tape"}]})
    came = json.dumps({"choices": [{"message": {"role": "assistant", "content": "Yes."}}]})
    stdin.send(
        f"interactions:\n- request: {{body: '{sent}'}}\n  response: {{body: '{came}'}}\n".encode()
    )
    assert questions(list(read_runs("-"))) == ["on tape"]
