"""YAML files, such as the cassettes of recorded HTTP traffic, read as the JSON they stand for."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from assay.ingest.documents import read_up_to
from assay.ingest.http_archives import CASSETTE_KEYS
from assay.ingest.yaml_values import yaml_values

if TYPE_CHECKING:
    from assay.ingest.recording import Place

SUFFIXES = (".yaml", ".yml")
_LARGEST = 64 * 1024 * 1024
_LOOKED_AT = 64 * 1024
# Keys that files have together on their own level which set something up: clusters, pipelines,
# descriptions of an API. To read them takes time, and they are many.
SETTINGS = (
    ("apiVersion", "kind"),
    ("on", "jobs"),
    ("openapi", "paths"),
    ("swagger", "paths"),
    ("services", "volumes"),
    ("services", "networks"),
)
# How YAML begins, where no name tells that a text is some.
_BEGINNING = re.compile(rb"^(?:interactions|http_interactions|messages|conversations):\s*$", re.M)
_TOP_LEVEL = re.compile(rb"^([A-Za-z_]\w*+):", re.MULTILINE)
_CASSETTE = re.compile(rf"^(?:{'|'.join(CASSETTE_KEYS)}):".encode(), re.MULTILINE)


def begins_as_yaml(text: bytes) -> bool:
    """Whether a text without a name begins as a recording in YAML does."""
    return text.startswith(b"---") or _BEGINNING.search(text) is not None


def _sets_up(text: bytes) -> bool:
    """Whether the keys of a file say that it holds settings, and so no run."""
    keys = {key.decode() for key in _TOP_LEVEL.findall(text[:_LOOKED_AT])}
    return any(keys.issuperset(together) for together in SETTINGS)


class YamlPlace:
    """A file of YAML; what it says is opened as JSON, made once."""

    def __init__(self, inner: Place) -> None:
        """Take the place; nothing is read yet."""
        self.inner = inner
        self.is_cassette = False
        self._made: bytes | OSError | None = None

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.inner.name

    def open(self) -> BinaryIO:
        """The JSON, from the start: of several documents each on a line."""
        if self._made is None:
            try:
                self._made = self._json()
            except OSError as exc:  # a file is opened more than once, and may take long to refuse
                self._made = exc
        if isinstance(self._made, OSError):
            raise self._made
        return io.BytesIO(self._made)

    def beside(self, name: str, *, above: int = 0) -> Place | None:
        """The file of that name in the same folder, if there is one."""
        return self.inner.beside(name, above=above)

    def _json(self) -> bytes:
        with self.inner.open() as file:
            text = read_up_to(_LARGEST + 1, file)
        self.is_cassette = _CASSETTE.search(text) is not None
        if len(text) > _LARGEST:
            limit = _LARGEST // (1024 * 1024)
            raise OSError(f"YAML of more than {limit} MB; write it as JSON")
        if not self.is_cassette and _sets_up(text):
            return b"{}"
        try:
            return b"\n".join(map(msgspec.json.encode, yaml_values(text)))
        except RecursionError:  # aliases of aliases
            raise OSError("not usable YAML: nested too deeply") from None
        except ValueError as exc:
            raise OSError(f"not usable YAML: {exc}") from exc
