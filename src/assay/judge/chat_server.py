"""Asking a server of one's own in OpenAI's chat protocol: Ollama, vLLM, llama.cpp and others."""

from __future__ import annotations

import re
import time
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec
from msgspec import Struct

from assay.errors import InvalidJudge, JudgeUnavailable
from assay.judge.exchange import Reply
from assay.judge.model_names import PROVIDERS
from assay.judge.refusals import MOST_TOKENS, misread, told, unavailable, without_key
from assay.records import preview

if TYPE_CHECKING:
    from assay.judge.exchange import Question
    from assay.judge.http_line import Response
    from assay.judge.model_names import ModelAddress

_GOOD = range(200, 300)
_ELSEWHERE = range(300, 400)
_FILTERED = "content_filter"
# What a database can hold; NaN and infinity are no counts.
_MOST_COUNTED = 2**63
_HELD_BACK = "the reply was held back by a content filter"
# A name or number, a port, a path; what else an address may hold is for an SDK to understand.
_PLAIN_URL = re.compile(r"http://(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d+)?(?:/[\w.~/-]*)?", re.ASCII)


def is_plain_server(address: ModelAddress) -> bool:
    """Whether an address needs nothing but HTTP: no TLS, no password, no proxy on the way."""
    url = address.base_url or ""
    if PROVIDERS[address.provider].style != "openai" or not _PLAIN_URL.fullmatch(url):
        return False
    return not _has_proxy(urlsplit(url).hostname or "") and find_spec("httptools") is not None


def _has_proxy(host: str) -> bool:
    return not {"http", "all"}.isdisjoint(getproxies()) and not proxy_bypass(host)


class ChatServer:
    """One model of one server. Retries, limits and deadlines are for others to add."""

    takes_schema = True

    def __init__(self, address: ModelAddress) -> None:
        """Take an address that `is_plain_server`."""
        from assay.judge.http_line import Lines  # noqa: PLC0415 - an extra, loaded when it is used

        parts = urlsplit(address.base_url or "")
        self._address = address
        self._lines = Lines(parts.hostname or "", parts.port or 80)
        self._head = _head(address, parts.netloc, parts.path)
        self._written: tuple[dict[str, Any] | None, msgspec.Raw] | None = None

    async def reply(self, question: Question, *, plain: bool) -> Reply:
        """Ask once, `plain` without a schema; raises JudgeUnavailable."""
        body = msgspec.json.encode(self._asked(question, plain=plain))
        try:
            response = await self._lines.send(b"%s%d\r\n\r\n%s" % (self._head, len(body), body))
        except (OSError, UnicodeError) as exc:  # a name may be none for the network
            problem = told(self._address, f"Connection error: {exc}")
            raise JudgeUnavailable(problem, retryable=True) from exc
        if response.status not in _GOOD:
            raise self._refusal(response)
        return self._read(response.body)

    def _asked(self, question: Question, *, plain: bool) -> dict[str, Any]:
        asked: dict[str, Any] = {
            "model": self._address.model,
            "messages": [{"role": "user", "content": question.prompt}],
            "stream": False,
            "max_completion_tokens": MOST_TOKENS,
        }
        if question.seed is not None:
            asked["seed"] = question.seed + question.run
        elif not plain:
            asked["temperature"] = 0.0
        if not plain:
            asked["response_format"] = self._form(question.schema)
        return asked

    def _form(self, schema: dict[str, Any] | None) -> msgspec.Raw:
        """The form of a reply as it is sent; one schema serves case after case, and is kept."""
        written = self._written  # looked at once: another thread may ask by another schema
        if written is None or schema is not written[0]:
            form = {"name": "marks", "schema": schema, "strict": True}
            text = msgspec.json.encode({"type": "json_schema", "json_schema": form})
            written = self._written = schema, msgspec.Raw(text)
        return written[1]

    def _read(self, body: bytes) -> Reply:
        try:
            found = _COMPLETION.decode(body)
            choice = found.choices[0]
        except (*_NO_JSON, IndexError) as exc:
            raise misread(self._address, exc) from exc
        text = _text_of(choice.message.content)
        if choice.finish_reason == _FILTERED and not text:
            raise JudgeUnavailable(told(self._address, _HELD_BACK))
        asked, answered = _usage(found.usage)
        return Reply(text, found.model, asked, answered, finish_reason=choice.finish_reason)

    def _refusal(self, response: Response) -> JudgeUnavailable:
        # The key goes before anything is cut off: half a key would not be known again.
        said, codes = _complaint(without_key(self._address, response.body.decode(errors="replace")))
        if response.status in _ELSEWHERE:
            place = response.headers.get(b"location", b"").decode("latin-1")
            said = f"it sends us to {preview(place)}; name that as base_url if it is right"
        return unavailable(
            told(self._address, f"status {response.status}: {said}"),
            response.status,
            codes=codes,
            retry_after=_seconds(response.headers.get(b"retry-after", b"").decode("latin-1")),
        )


def _head(address: ModelAddress, host: str, path: str) -> bytes:
    key = address.key() or ""
    if not (key.isascii() and key.isprintable()):
        raise InvalidJudge(f"model: the key for {address.name} holds a character that no key has")
    lines = [
        f"POST {path.rstrip('/')}/chat/completions HTTP/1.1",
        f"Host: {host}",
        "User-Agent: assay",
        "Accept: application/json",
        "Accept-Encoding: identity",
        "Content-Type: application/json",
        *([f"Authorization: Bearer {key}"] if key else []),
        "Content-Length: ",
    ]
    return "\r\n".join(lines).encode()


class _Message(Struct):
    content: str | list[Any] | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Completion(Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: Any = None


_COMPLETION = msgspec.json.Decoder(_Completion)
# How reading what should be JSON fails.
_NO_JSON = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)


def _text_of(content: str | list[Any] | None) -> str:
    if not isinstance(content, list):
        return content or ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def _usage(usage: object) -> tuple[int | None, int | None]:
    """The tokens of the question and of the reply; None for both where neither is counted."""
    found = usage if isinstance(usage, dict) else {}
    asked, answered = _count(found.get("prompt_tokens")), _count(found.get("completion_tokens"))
    return (asked, answered) if asked or answered else (None, None)


def _count(tokens: object) -> int:
    """A reply is no worse for a count that is none."""
    return int(tokens) if isinstance(tokens, int | float) and 0 < tokens < _MOST_COUNTED else 0


def _complaint(body: str) -> tuple[str, set[object]]:
    """What a refusal says, and the codes it gives."""
    try:
        found = msgspec.json.decode(body)
    except _NO_JSON:
        return preview(body), set()
    error = found.get("error", found) if isinstance(found, dict) else found
    if not isinstance(error, dict):
        return preview(error), set()
    codes = {code for code in (error.get("code"), error.get("type")) if isinstance(code, str)}
    return preview(error.get("message", error)), set(codes)


def _seconds(retry_after: str) -> float | None:
    """Seconds to wait, given as such or as a date; None if it says neither."""
    try:
        return max(0.0, float(retry_after))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
