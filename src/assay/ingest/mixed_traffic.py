"""Recorded traffic with the APIs of several vendors, taken apart by API."""

from __future__ import annotations

import io
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from assay.ingest.exchanges import archived
from assay.ingest.fields import dict_or_empty, text_at
from assay.ingest.openai_assistants import things_in
from assay.ingest.recording import Recording

# The formats that read what was said to the API of a model.
APIS = frozenset(
    {"openai-chat", "openai-responses", "anthropic-messages", "gemini-api", "bedrock", "generic"}
    | {"openai-assistants"}
)
# How an address, a request or a reply shows whose it is; the first that fits is taken.
ADDRESSES = (
    ("/chat/completions", "openai-chat"),
    ("/v1/messages", "anthropic-messages"),
    ("/responses", "openai-responses"),
    ("enerateContent", "gemini-api"),
)
ASKED = (("contents", "gemini-api"), ("input", "openai-responses"))
ANSWERED = (
    ("choices", "openai-chat"),
    ("content", "anthropic-messages"),
    ("output", "bedrock"),
    ("trace", "bedrock"),
)


class _Part(Struct, frozen=True):
    """The exchanges with one API, as a file of their own."""

    name: str
    items: bytes

    def open(self) -> BinaryIO:
        return io.BytesIO(self.items)

    def beside(self, name: str, *, above: int = 0) -> None:
        """Nothing lies beside a part."""


def parts_by_api(recording: Recording) -> list[Recording]:
    """The exchanges of a recording by API; none where all are with the same, or it has none."""
    sample = recording.sample
    items = archived(sample[0]) if len(sample) == 1 else []
    threads = list(things_in(sample[0])) if items else []
    found: dict[str, list[Any]] = {"openai-assistants": threads} if threads else {}
    apis = [api_of(item) for item in items]
    known = set(filter(None, apis))
    for item, api in zip(items, apis, strict=True):
        # What nothing shows the API of is a request without its reply: of the only one there is.
        found.setdefault(next(iter(known)) if len(known) == 1 else api, []).append(item)
    if len(found) < 2:
        return []
    return [Recording(_Part(recording.name, _lines(part))) for part in found.values()]


def _lines(items: list[Any]) -> bytes:
    return b"".join(msgspec.json.encode(item) + b"\n" for item in items)


def api_of(item: dict[str, Any]) -> str:
    """The API that an exchange was with; empty where nothing shows it."""
    url = text_at(item, "url") or ""
    request = dict_or_empty(item.get("request")) or item
    response = item if "trace" in item else dict_or_empty(item.get("response"))
    named = (api for sign, api in ADDRESSES if sign in url)
    asked = (api for key, api in ASKED if key in request)
    answered = (api for key, api in ANSWERED if key in response)
    return next((api for signs in (named, asked, answered) for api in signs), "")
