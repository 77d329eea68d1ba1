"""Recorded HTTP traffic: archives of browsers and proxies (HAR), cassettes of tests (VCR)."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from typing import Any

from msgspec import Struct

from assay.ingest.fields import (
    amount_or_none,
    count_or_none,
    dict_or_empty,
    epoch_seconds,
    objects_in,
    text_at,
)

# Where the recorders of each language list what they recorded.
CASSETTE_KEYS = ("interactions", "http_interactions")
# Where a recorded message keeps its body, and a body its text; parsed by the recorder or not.
BODY_KEYS = ("parsed_body", "postData", "body", "content")
TEXT_KEYS = ("string", "text", "parsed_body")
BASE64_KEYS = ("base64", "base64_string")
URL_KEYS = ("url", "uri")
STATUS_KEYS = ("status", "code", "status_code")
_GZIP = b"\x1f\x8b"
# All bodies of an archive together are unpacked up to this; what is cut off cannot be read.
_MOST_UNPACKED = 128 * 1024 * 1024
# Who asks, and what follows the address: either may be a key.
_PRIVATE = re.compile(r"(?<=//)[^/?#@]*+@|[?#].*+", re.DOTALL)


class HttpExchange(Struct, frozen=True):
    """One request and its response: their bodies as text, as bytes, or parsed already.

    Of headers and of the address nothing is kept that may be a key.
    """

    sent: Any
    came: Any
    url: str | None = None
    status: int | None = None
    reason: str | None = None
    started_at: float | None = None
    ended_at: float | None = None


def http_exchanges(value: Any) -> list[HttpExchange]:
    """The exchanges of an archive or a cassette; none of any other value."""
    if not isinstance(value, dict):
        return []
    listed = (value.get(key) for key in CASSETTE_KEYS)
    recorded = [dict_or_empty(value.get("log")).get("entries"), *listed]
    entries = next(filter(None, map(objects_in, recorded)), [])
    unpacker = _Unpacker()
    if entries:
        return [_exchange(e, unpacker) for e in entries if isinstance(e.get("request"), dict)]
    requests, responses = objects_in(value.get("requests")), objects_in(value.get("responses"))
    if not requests or len(requests) != len(responses) or not any("uri" in r for r in requests):
        return []
    pairs = zip(requests, responses, strict=True)
    return [_exchange({"request": sent, "response": came}, unpacker) for sent, came in pairs]


class _Unpacker:
    """Unpacks one body after another, as long as there is room: a few bytes may hold gigabytes."""

    def __init__(self) -> None:
        self._left = _MOST_UNPACKED

    def unpacked(self, packed: str) -> str | bytes:
        """What a body says that was kept as base64: text, or bytes where it is none."""
        try:
            body = b64decode(packed)
            if body.startswith(_GZIP):
                # No room would mean any length to zlib.
                body = zlib.decompressobj(wbits=31).decompress(body, max(self._left, 1))
                self._left -= len(body)
            return body.decode()
        except UnicodeDecodeError:
            return body
        except (ValueError, zlib.error):
            return packed


def _exchange(entry: dict[str, Any], unpacker: _Unpacker) -> HttpExchange:
    request, response = (dict_or_empty(entry.get(key)) for key in ("request", "response"))
    at, took = epoch_seconds(entry.get("startedDateTime")), amount_or_none(entry.get("time"))
    told = dict_or_empty(response.get("status"))
    counts = (count_or_none(place.get(key)) for place in (response, told) for key in STATUS_KEYS)
    reasons = (text_at(response, "statusText"), text_at(told, "message"))
    url = next((url for key in URL_KEYS if (url := text_at(request, key))), None)
    return HttpExchange(
        sent=_body(request, unpacker),
        came=_body(response, unpacker),
        url=None if url is None else _PRIVATE.sub("", url),
        status=next((count for count in counts if count is not None), None),
        reason=next(filter(None, reasons), None),
        started_at=at,
        ended_at=at if at is None or took is None else at + took / 1e3,
    )


def _body(message: dict[str, Any], unpacker: _Unpacker) -> Any:
    body = next((message[key] for key in BODY_KEYS if message.get(key) is not None), None)
    if not isinstance(body, dict):
        return body
    packed = next((body[key] for key in BASE64_KEYS if isinstance(body.get(key), str)), None)
    inner = next((body[key] for key in TEXT_KEYS if key in body), packed or body)
    if packed is None and isinstance(inner, dict):
        packed = next((inner[key] for key in BASE64_KEYS if isinstance(inner.get(key), str)), None)
    if packed is None and body.get("encoding") == "base64" and isinstance(inner, str):
        packed = inner
    return inner if packed is None else unpacker.unpacked(packed)
