"""The binary streams of AWS: events in frames, each with a few headers and a JSON body."""

from __future__ import annotations

import struct
from base64 import b64decode
from typing import Any

from assay.ingest.fields import decode_json_text, dict_or_empty

_PRELUDE = struct.Struct(">III")
_CHECKSUM = 4
_EVENT_TYPE = b":event-type"
_TEXT_HEADER = 7
# An event that only carries another API's, as base64.
_CARRIER = "bytes"


def framed_events(stream: bytes) -> list[Any]:
    """The events of a stream, each under its name; those that were carried stand for themselves.

    A stream that breaks off, or is none, gives what came before.
    """
    found: list[Any] = []
    place = 0
    while len(stream) - place > _PRELUDE.size + _CHECKSUM:
        size, headers, _ = _PRELUDE.unpack_from(stream, place)
        begin, end = place + _PRELUDE.size, place + size - _CHECKSUM
        if size <= _PRELUDE.size + _CHECKSUM or place + size > len(stream) or begin + headers > end:
            break
        body = dict_or_empty(decode_json_text(stream[begin + headers : end]))
        found.append(_event(_name(stream[begin : begin + headers]), body))
        place += size
    return found


def _event(name: str, body: dict[str, Any]) -> Any:
    carried = body.get(_CARRIER)
    if isinstance(carried, str):
        try:
            return decode_json_text(b64decode(carried))
        except ValueError:
            return None
    return {name: {key: value for key, value in body.items() if key != "p"}}


def _name(headers: bytes) -> str:
    """The event's type: length and text of a header's name, then its kind, length and value."""
    before, _, after = headers.partition(_EVENT_TYPE)
    if not before.endswith(bytes([len(_EVENT_TYPE)])) or after[:1] != bytes([_TEXT_HEADER]):
        return ""
    size = int.from_bytes(after[1:3])
    return after[3 : 3 + size].decode(errors="replace")
