"""The container of Inspect's `.eval` logs: a zip with one member, or one folder, a sample.

Members may be packed with zstd, which zipfile reads only since Python 3.14.
"""

from __future__ import annotations

import io
import json
import struct
import zipfile
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

from msgspec import Struct

from assay.errors import AssayError, InvalidRecord
from assay.ingest.archives import OPENING_ERRORS
from assay.ingest.documents import LONGEST_DOCUMENT, Unreadable, decode_json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.ingest.recording import Recording

_MAGIC = b"PK\x03\x04"
_ZSTD = 93
_READS_ZSTD = hasattr(zipfile, "ZIP_ZSTANDARD")
_LOCAL_HEADER = struct.Struct("<26xHH")
_HEADERS = ("header.json", "_journal/start.json")
_SAMPLES = "samples/"
_SHELL = "/sample.json"
_NO_LOG: tuple[type[Exception], ...] = (*OPENING_ERRORS, AssayError)


class LoggedSample(Struct):
    """One sample and the header of its log."""

    sample: Any
    header: dict[str, Any]


def is_archive(recording: Recording) -> bool:
    """Whether the bytes begin as a zip does."""
    try:
        with recording.open() as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def looks_like_log(recording: Recording) -> bool:
    """Whether the zip holds what an Inspect log holds."""
    try:
        with recording.open() as file, zipfile.ZipFile(_seekable(file)) as archive:
            return any(name in archive.NameToInfo for name in _HEADERS)
    except _NO_LOG:
        return False


def read_archive(recording: Recording) -> Iterator[LoggedSample | Unreadable]:
    """All samples in the order of the zip; what cannot be read is reported in its place."""
    try:
        with recording.open() as file:
            yield from _samples(_seekable(file), recording.name)
    except _NO_LOG as exc:
        yield Unreadable(recording.name, f"is no readable Inspect log: {exc}")


def _seekable(file: BinaryIO) -> BinaryIO:
    """The file itself; what comes through a pipe is read to its end first."""
    if file.seekable():
        return file
    data = file.read(LONGEST_DOCUMENT + 1)
    if len(data) > LONGEST_DOCUMENT:
        raise InvalidRecord("too large to read from a pipe; give the file's path")
    return io.BytesIO(data)


def _samples(file: BinaryIO, name: str) -> Iterator[LoggedSample | Unreadable]:
    with zipfile.ZipFile(file) as archive:
        present = next((n for n in _HEADERS if n in archive.NameToInfo), None)
        header = _member(archive, file, present) if present else {}
        for member in _sample_names(archive):
            try:
                sample = _sample(archive, file, member)
            except AssayError as exc:
                yield Unreadable(name, f"{member}: {exc}")
            else:
                yield LoggedSample(sample, header if isinstance(header, dict) else {})


def _sample_names(archive: zipfile.ZipFile) -> list[str]:
    """Each sample once: an edited log holds its samples again."""
    whole = (
        name
        for name in archive.namelist()
        if name.startswith(_SAMPLES)
        and name.endswith(".json")
        and (name.count("/") == 1 or name.endswith(_SHELL))
    )
    return list(dict.fromkeys(whole))


def _sample(archive: zipfile.ZipFile, file: BinaryIO, member: str) -> Any:
    sample = _member(archive, file, member)
    if not member.endswith(_SHELL) or not isinstance(sample, dict):
        return sample
    folder = member.removesuffix("sample.json")
    attachments = _sequence(archive, file, f"{folder}attachments/")
    pool = _sequence(archive, file, f"{folder}messages/")
    refs = ranges_in(sample.get("message_refs"))
    sample["messages"] = [message for start, end in refs for message in pool[start:end]]
    sample["events"] = _sequence(archive, file, f"{folder}events/")
    sample["attachments"] = {str(i): text for i, text in enumerate(attachments)}
    return sample


def ranges_in(refs: object) -> list[tuple[int, int]]:
    """Ranges into a pool, each from a start up to but not including an end."""
    pairs = refs if isinstance(refs, list) else []
    return [
        (pair[0], pair[1])
        for pair in pairs
        if isinstance(pair, list) and len(pair) == 2 and all(type(n) is int for n in pair)
    ]


def _sequence(archive: zipfile.ZipFile, file: BinaryIO, folder: str) -> list[Any]:
    """A list that is spread over members, each named by the index of its first item."""
    starts = sorted(
        int(stem)
        for name in archive.namelist()
        if name.startswith(folder) and (stem := name[len(folder) :].removesuffix(".json")).isdigit()
    )
    return [item for s in starts for item in _member(archive, file, f"{folder}{s}.json")]


def _member(archive: zipfile.ZipFile, file: BinaryIO, name: str) -> Any:
    info = archive.getinfo(name)
    if info.file_size > LONGEST_DOCUMENT:
        raise InvalidRecord(f"unpacks to {info.file_size:,} bytes, more than can be read at once")
    try:
        if info.compress_type == _ZSTD and not _READS_ZSTD:
            data = _unpacked_zstd(file, info)
        else:
            data = archive.read(info)
    except OPENING_ERRORS as exc:
        raise InvalidRecord(f"cannot be unpacked: {exc}") from exc
    return _decoded(data)


def _unpacked_zstd(file: BinaryIO, info: zipfile.ZipInfo) -> bytes:
    zstandard = import_module("zstandard")
    file.seek(info.header_offset)
    header = file.read(_LOCAL_HEADER.size)
    if len(header) < _LOCAL_HEADER.size:
        raise EOFError("the file ends before this does")
    name_size, extra_size = _LOCAL_HEADER.unpack(header)
    file.seek(name_size + extra_size, io.SEEK_CUR)
    packed = file.read(info.compress_size)
    reader = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    try:
        return bytes(reader.read(info.file_size))
    except zstandard.ZstdError as exc:
        raise zipfile.BadZipFile(str(exc)) from exc


def _decoded(data: bytes) -> Any:
    try:
        return decode_json(data)
    except InvalidRecord:
        # A sample that could not be scored has the score NaN, which JSON does not know.
        if b"NaN" not in data and b"Infinity" not in data:
            raise
    try:
        return json.loads(data, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as exc:
        raise InvalidRecord(f"not JSON: {exc}") from exc
