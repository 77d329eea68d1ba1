"""YAML files, such as the cassettes of recorded HTTP traffic, read as the JSON they stand for."""

from __future__ import annotations

import io
from base64 import b64encode
from datetime import date
from importlib import import_module
from typing import TYPE_CHECKING, Any, BinaryIO

import msgspec

from assay.ingest.documents import read_up_to

if TYPE_CHECKING:
    from assay.ingest.recording import Place

SUFFIXES = (".yaml", ".yml")
# Where bytes stand that are no text; JSON has no word for them.
BASE64 = "base64"
_LARGEST = 64 * 1024 * 1024
# An alias repeats what it stands for: a few lines may mean more than fits into memory. Honest ones
# stand for a header or two.
_MOST_REPEATED = 10
_MOST_VALUES = 5_000_000
_HARMLESS = 10_000
_DEEPEST = 100


class YamlPlace:
    """A file of YAML; what it says is opened as JSON, made once."""

    def __init__(self, inner: Place) -> None:
        """Take the place; nothing is read yet."""
        self.inner = inner
        self._made: bytes | OSError | None = None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.inner.name

    def open(self) -> BinaryIO:
        """The JSON, from the start."""
        if self._made is None:
            try:
                self._made = self._json()
            except OSError as exc:  # a file is opened more than once, and may take long to refuse
                self._made = exc
        if isinstance(self._made, OSError):
            raise self._made
        return io.BytesIO(self._made)

    def beside(self, name: str) -> Place | None:
        """The file of that name in the same folder, if there is one."""
        return self.inner.beside(name)

    def _json(self) -> bytes:
        with self.inner.open() as file:
            text = read_up_to(_LARGEST + 1, file)
        if len(text) > _LARGEST:
            limit = _LARGEST // (1024 * 1024)
            raise OSError(f"YAML of more than {limit} MB; write it as JSON")
        yaml = import_module("yaml")
        try:
            loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
            written = _written_values(yaml, text, loader)
            value = yaml.load(text, loader)
            return msgspec.json.encode(_Plain(written, len(text)).value(value))
        except (yaml.YAMLError, ValueError, OverflowError) as exc:
            raise OSError(f"not usable YAML: {_in_one_line(exc)}") from exc


def _written_values(yaml: Any, text: bytes, loader: Any) -> int:
    """How many values a text has at most; one that the loader, which counts no levels, cannot
    stand is refused.
    """
    count = depth = 0
    for event in yaml.parse(text, loader):
        count += 1
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise OSError("not usable YAML: nested too deeply")
    return count


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())


class _Plain:
    """Makes values of YAML those of JSON, as many as an honest file holds."""

    def __init__(self, written: int, size: int) -> None:
        self._values_left = min(_MOST_REPEATED * written + _HARMLESS, _MOST_VALUES)
        self._text_left = _MOST_REPEATED * size + _HARMLESS

    def value(self, value: Any, depth: int = 0) -> Any:
        self._values_left -= 1
        self._text_left -= len(value) if isinstance(value, str | bytes) else 0
        if self._values_left < 0 or self._text_left < 0 or depth > _DEEPEST:
            raise OSError("not usable YAML: its aliases stand for too much")
        if isinstance(value, dict):
            return {str(key): self.value(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, bytes):
            return _text_or_base64(value)
        return value.isoformat() if isinstance(value, date) else value


def _text_or_base64(value: bytes) -> str | dict[str, str]:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {BASE64: b64encode(value).decode()}
