"""Secrets out of whatever leaves a process: stores, prompts, reports, outputs, recordings."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from assay.redaction.rules import rules_digest, strength_of
from assay.redaction.text import has_keyword, may_hold_secrets, secrets_in
from assay.redaction.values import is_random, is_secret, secrets_of_header

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.redaction.rules import Strength

__all__ = ["MASK", "redact_each", "redact_json", "redact_text", "rules_digest"]

MASK = "[redacted]"

_DEEPEST = 200
_MOST_SOUGHT = 64
_SHORTEST_SOUGHT = 8
_ADDRESS = re.compile(
    r"(?:(?<![\\\w.+%-])|(?<=\\[nrt]))[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,5}"
)
_DECODER = json.JSONDecoder()
_DOCUMENT = re.compile(r"\{\s*\"|\[\s*\"|\[\s*\{")
# No word goes on here, but an escape of JSON or of a terminal may end.
_BEGINS = r"(?<![A-Za-z0-9\\])|(?<=\\[nrt])|(?<=[0-9]m)|(?<=u[0-9a-fA-F]{4})"
_NUMBER = re.compile(r"[0-9eE.,+-]*|(?:true|false|null)\W?.*")
_NAMED_BY = ("name", "key", "label", "element", "field", "variable")
_VALUE_IN = ("value", "val", "text")
_ROWS_IN = ("rows", "data", "values", "records")


def redact_json(
    text: str, *, emails: bool = False, mask: Callable[[str], str] | None = None
) -> tuple[str, int]:
    """The JSON text with every secret masked, still JSON, and how many there were."""
    if not (may_hold_secrets(text) or (emails and "@" in text)):
        return text, 0
    redactor = _Redactor(emails=emails, mask=mask)
    value = redactor.value(msgspec.json.decode(text))
    if not redactor.count:
        return text, 0
    return redactor.elsewhere(msgspec.json.encode(value).decode()), redactor.count


def redact_text(text: str) -> str:
    """A plain text with every secret masked."""
    if not may_hold_secrets(text):
        return text
    redactor = _Redactor(emails=False)
    masked = redactor.text(text)
    return redactor.elsewhere(masked) if redactor.count else text


def redact_each(texts: Sequence[bytes], *, emails: bool = False) -> list[tuple[bytes, int]]:
    """Several short JSON texts, each as `redact_json` has it; one look at all often does."""
    together = b"\n".join(texts).decode()
    if not (may_hold_secrets(together) or (emails and "@" in together)):
        return [(text, 0) for text in texts]
    masked = [redact_json(text.decode(), emails=emails) if text else ("", 0) for text in texts]
    return [(text.encode(), count) for text, count in masked]


class _Redactor:
    """Masks the secrets of one document and remembers them."""

    def __init__(self, *, emails: bool, mask: Callable[[str], str] | None = None) -> None:
        self.count = 0
        self._mask = mask or (lambda _: MASK)
        self._emails = emails
        self._sought: dict[str, None] = {}

    def value(self, value: Any, depth: int = 0) -> Any:
        """The value, secrets masked wherever they lie."""
        if isinstance(value, str):
            return self.text(value, depth)
        if depth > _DEEPEST:
            return value
        if isinstance(value, list):
            return self._list(value, depth)
        if isinstance(value, dict):
            return self._dict(value, depth)
        return value

    def text(self, text: str, depth: int = 0) -> str:
        """The text, secrets masked; JSON in it stays JSON."""
        if len(text) < _SHORTEST_SOUGHT or not (self._emails or has_keyword(text)):
            return text
        if text.lstrip()[:1] in {"{", "[", '"'} and depth < _DEEPEST:
            try:
                inner = msgspec.json.decode(text)
            except (msgspec.DecodeError, RecursionError):
                pass
            else:
                before = self.count
                masked = self.value(inner, depth + 1)
                return text if self.count == before else msgspec.json.encode(masked).decode()
        text = self._documents_in(text, depth)
        parts, done = [], 0
        for span in secrets_in(text):
            self._found(text[span.start : span.end], sought=span.sought)
            parts += [text[done : span.start], self._mask(text[span.start : span.end])]
            done = span.end
        text = "".join([*parts, text[done:]]) if parts else text
        return _ADDRESS.sub(self._address, text) if self._emails and "@" in text else text

    def _documents_in(self, text: str, depth: int) -> str:
        """The text, secrets in the JSON that stands amid it masked."""
        parts, done = [], 0
        for begin in islice(_DOCUMENT.finditer(text), _MOST_SOUGHT):
            if begin.start() < done or depth >= _DEEPEST:
                continue
            try:
                inner, end = _DECODER.raw_decode(text, begin.start())
            except (ValueError, RecursionError):
                continue
            before = self.count
            masked = self.value(inner, depth + 1)
            if self.count > before:
                written = json.dumps(masked, ensure_ascii=False, separators=(", ", ": "))
                parts += [text[done : begin.start()], written]
                done = end
        return "".join([*parts, text[done:]]) if parts else text

    def elsewhere(self, text: str) -> str:
        """The text, with the secrets found so far masked wherever else they stand in it."""
        for secret in sorted(list(self._sought)[:_MOST_SOUGHT], key=len, reverse=True):
            if secret in text:
                bounded = rf"(?:{_BEGINS}){re.escape(secret)}(?![A-Za-z0-9])"
                text, again = re.subn(bounded, self._mask(secret), text)
                self.count += again
        return text

    def _address(self, address: re.Match[str]) -> str:
        self.count += 1
        return self._mask(address[0])

    def _found(self, secret: str, *, sought: bool) -> None:
        self.count += 1
        plain = len(secret) >= _SHORTEST_SOUGHT and secret.isprintable()
        if sought and plain and not ('"' in secret or "\\" in secret or _NUMBER.fullmatch(secret)):
            self._sought[secret] = None

    def _list(self, items: list[Any], depth: int) -> list[Any]:
        items = self._command(items)
        found, option = [], None
        for item in items:
            found.append(item if option is None else self._under(item, option, depth + 1))
            found[-1] = self.value(item, depth + 1) if option is None else found[-1]
            is_option = isinstance(item, str) and item[:1] == "-" and " " not in item
            option = strength_of(item) if is_option else None
        return found

    def _command(self, words: list[Any]) -> list[Any]:
        """The words of a command, secrets masked that only the command as a whole gives away."""
        is_command = any(isinstance(word, str) and word[:1] == "-" for word in words)
        if (
            not is_command
            or len(words) > _MOST_SOUGHT
            or not all(isinstance(w, str) for w in words)
        ):
            return words
        line = " ".join(words)
        for span in secrets_in(line) if has_keyword(line) else ():
            secret = line[span.start : span.end]
            words = [self._masked(w, secret) if w.endswith(secret) else w for w in words]
        return words

    def _dict(self, fields: dict[str, Any], depth: int) -> dict[str, Any]:
        columns = self._secret_columns(fields)
        command, args = fields.get("command"), fields.get("args")
        if isinstance(command, str) and isinstance(args, list):
            fields = fields | {"args": self._command([command, *args])[1:]}
        of_value = self._named(fields) if not fields.keys().isdisjoint(_VALUE_IN) else None
        found = {}
        for key, item in fields.items():
            strength = of_value if key in _VALUE_IN else strength_of(key)
            if columns and key in _ROWS_IN and isinstance(item, list):
                found[key] = [self._row(row, columns, depth) for row in item]
            elif strength is not None:
                found[key] = self._under(item, strength, depth + 1)
            else:
                found[key] = self.value(item, depth + 1)
        return {self.text(key): item for key, item in found.items()}

    def _named(self, fields: dict[str, Any]) -> Strength | None:
        """What `value` holds in `{"name": "DB_PASSWORD", "value": …}`."""
        named = next((fields[key] for key in _NAMED_BY if isinstance(fields.get(key), str)), "")
        return strength_of(named.removesuffix(" textbox").removesuffix(" field"))

    def _secret_columns(self, fields: dict[str, Any]) -> dict[int, Strength]:
        columns = fields.get("columns", fields.get("headers"))
        if columns is None and isinstance(rows := fields.get("values"), list) and rows:
            columns = rows[0]
        if not isinstance(columns, list):
            return {}
        names = [c.get("name", "") if isinstance(c, dict) else c for c in columns]
        found = (
            (n, strength_of(name) if isinstance(name, str) else None)
            for n, name in enumerate(names)
        )
        return {number: strength for number, strength in found if strength not in {None, "header"}}

    def _row(self, row: Any, columns: dict[int, Strength], depth: int) -> Any:
        if not isinstance(row, list):
            return self.value(row, depth + 2)
        return [
            self._under(cell, columns[number], depth + 2)
            if number in columns
            else self.value(cell, depth + 2)
            for number, cell in enumerate(row)
        ]

    def _under(self, item: Any, strength: Strength, depth: int) -> Any:
        """What stands under a name that gives a secret away."""
        if isinstance(item, list):
            return [self._under(each, strength, depth + 1) for each in item]
        if (
            isinstance(item, int | float)
            and not isinstance(item, bool)
            and strength in {"any", "word"}
        ):
            digits = str(item)
            return self._masked(digits, digits) if is_secret(digits, strength) else item
        if not isinstance(item, str):
            return self.value(item, depth)
        if strength == "header":
            masked = item
            for secret in secrets_of_header(item):
                masked = self._masked(masked, secret)
            return masked
        return (
            self._masked(item, item)
            if is_secret(item, strength, quoted=True)
            else self.text(item, depth)
        )

    def _masked(self, text: str, secret: str) -> str:
        self._found(secret, sought=is_random(secret))
        return text.replace(secret, self._mask(secret))
