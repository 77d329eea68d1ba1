"""The zip around Inspect's samples: both packings, both shapes of a sample, and damage."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from importlib import import_module
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest import inspect_archive
from assay.ingest.inspect_log import INSPECT

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}}
SAMPLE = {
    "id": 1,
    "epoch": 1,
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "a", "function": "f"}]},
        {"role": "tool", "tool_call_id": "a", "content": "x"},
    ],
}
PROPER = {"header.json": HEADER, "samples/1_epoch_1.json": SAMPLE}


def zipped(files: dict[str, Any]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            archive.writestr(name, text)
    return buffer.getvalue()


def zipped_with_zstd(name: str, content: Any) -> bytes:
    """A zip of one member packed with zstd, written by hand: zipfile cannot before 3.14."""
    text = json.dumps(content).encode()
    packed: bytes = import_module("zstandard").ZstdCompressor().compress(text)
    common = (20, 0, 93, 0, 0, zlib.crc32(text), len(packed), len(text), len(name), 0)
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", *common) + name.encode() + packed
    central = struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, *common, 0, 0, 0, 0, 0)
    central += name.encode()
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def test_samples_of_a_zip() -> None:
    log = recording(zipped(PROPER), "log.eval")
    assert INSPECT.recognise(log) == 1.0
    case = read_one(INSPECT, log)
    assert (case.model, case.task_id, case.calls[0].result) == ("m", "t/1", "x")
    assert case.source is not None
    assert case.source.position == 1


def test_the_header_of_a_run_that_never_ended() -> None:
    log = recording(zipped({"_journal/start.json": HEADER, "samples/1_epoch_1.json": SAMPLE}))
    assert INSPECT.recognise(log) == 1.0
    assert read_one(INSPECT, log).model == "m"


def test_members_packed_with_zstd() -> None:
    case = read_one(INSPECT, recording(zipped_with_zstd("samples/1_epoch_1.json", SAMPLE)))
    assert (case.input, case.calls[0].result) == ("Hi", "x")


def test_a_damaged_zstd_member() -> None:
    damaged = bytearray(zipped_with_zstd("samples/1_epoch_1.json", SAMPLE))
    damaged[60:70] = b"\0" * 10
    (problem,) = problems(INSPECT, recording(bytes(damaged)))
    assert "samples/1_epoch_1.json: " in problem


def test_a_sample_spread_over_members() -> None:
    folder = "samples/1_epoch_1/"
    shell = {"id": 1, "epoch": 1, "message_refs": [[1, 2], [0, 1], [2, 4]]}
    assistant = {"role": "assistant", "content": "attachment://1"}
    assistant["tool_calls"] = [{"id": "a", "function": "f"}]  # type: ignore[assignment]
    log = recording(
        zipped(
            {
                "header.json": {**HEADER, "version": 3},
                f"{folder}sample.json": shell,
                f"{folder}messages/0.json": [{"role": "user", "content": "attachment://0"}],
                f"{folder}messages/1.json": [{"role": "system", "content": "Be"}, assistant],
                f"{folder}messages/3.json": [{"role": "tool", "tool_call_id": "a", "content": "x"}],
                f"{folder}attachments/0.json": ["long question", "long thought"],
                f"{folder}events/0.json": [{"event": "tool", "id": "a", "working_time": 2}],
                f"{folder}events/stats.json": {},
            }
        )
    )
    case: Any = read_one(INSPECT, log)
    assert (case.input, case.calls[0].result, case.calls[0].execution_time) == (
        "long question",
        "x",
        2.0,
    )
    assert case.conversation_history[0] == {"role": "system", "content": "Be"}
    assert case.conversation_history[2]["content"] == "long thought"


def test_a_score_that_is_no_number() -> None:
    text = b'{"id": 1, "epoch": 1, "messages": [], "scores": {"s": {"value": NaN}}}'
    case: Any = read_one(INSPECT, recording(zipped({**PROPER, "samples/1_epoch_1.json": text})))
    assert (case.outcome.success, case.outcome.score) == (None, None)


def test_one_broken_sample_costs_one_sample() -> None:
    files = {**PROPER, "samples/2_epoch_1.json": b"{broken", "samples/3_epoch_1.json": SAMPLE}
    log = recording(zipped(files), "log.eval")
    (problem,) = problems(INSPECT, log)
    assert problem.startswith("log.eval: samples/2_epoch_1.json: not JSON")
    positions = [getattr(item, "source", None) for item in INSPECT.read(log)]
    assert [source and source.position for source in positions] == [1, None, 3]


@pytest.mark.parametrize("keep", [4, 60, -30])
def test_a_truncated_zip_is_reported(keep: int) -> None:
    cut = recording(zipped(PROPER)[:keep], "log.eval")
    assert INSPECT.recognise(cut) == 0.0
    (problem,) = problems(INSPECT, cut)
    assert problem.startswith("log.eval: is no readable Inspect log: ")


def test_a_zip_whose_names_are_no_text_is_reported() -> None:
    name = "samples/é_epoch_1.json"  # which makes zipfile mark its name as UTF-8
    whole = zipped({"header.json": HEADER, name: SAMPLE})
    damaged = recording(whole.replace("é".encode(), b"\xff\xff"), "log.eval")
    (problem,) = map(str, INSPECT.read(damaged))
    assert problem.startswith("log.eval: is no readable Inspect log: ")


def test_a_zip_of_something_else_is_not_recognised() -> None:
    assert INSPECT.recognise(recording(zipped({"a.json": {}}))) == 0.0


def test_a_member_that_would_unpack_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect_archive, "LONGEST_DOCUMENT", 200)
    large = {**PROPER, "samples/1_epoch_1.json": b" " * 1000}
    (problem,) = problems(INSPECT, recording(zipped(large)))
    assert "unpacks to 1,000 bytes, more than can be read at once" in problem


def test_no_samples_no_runs() -> None:
    assert read(INSPECT, recording(zipped({"header.json": HEADER}))) == []
