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
# An alias repeats what it stands for: a few lines may mean more than fits into memory.
_MOST_VALUES = 2_000_000
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
            _refuse_depth(yaml, text, loader)
            value = yaml.load(text, loader)
            return msgspec.json.encode(_Plain().value(value))
        except (yaml.YAMLError, ValueError, OverflowError) as exc:
            raise OSError(f"not usable YAML: {_in_one_line(exc)}") from exc


def _refuse_depth(yaml: Any, text: bytes, loader: Any) -> None:
    """Refuse what is nested deeper than the loader, which counts no levels, can stand."""
    depth = 0
    for event in yaml.parse(text, loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > _DEEPEST:
            raise OSError("not usable YAML: nested too deeply")


def _in_one_line(error: Exception) -> str:
    return " ".join(str(error).split())


class _Plain:
    """Makes values of YAML those of JSON, as many as an honest file holds."""

    def __init__(self) -> None:
        self._left = _MOST_VALUES

    def value(self, value: Any, depth: int = 0) -> Any:
        self._left -= 1
        if self._left < 0 or depth > _DEEPEST:
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
