"""Recordings of any framework as `AgentTestCase`s: files, formats, and an engine for the rest.

`read_runs` is all that most need. Each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOMES = {
    "Document": "assay.readers.documents",
    "File": "assay.readers.files.file",
    "Format": "assay.readers.formats",
    "RunReader": "assay.readers.reading",
    "STDIN": "assay.readers.files.pipe",
    "Unreadable": "assay.readers.documents",
    "all_formats": "assay.readers.formats",
    "decode_json": "assay.readers.documents",
    "format_named": "assay.readers.formats",
    "format_names": "assay.readers.formats",
    "formats_in_file": "assay.readers.formats",
    "is_pipe": "assay.readers.files.sources",
    "is_store": "assay.readers.files.sources",
    "read_expectations": "assay.readers.expectations",
    "read_runs": "assay.readers.reading",
    "served_name": "assay.readers.names",
    "small_file": "assay.readers.files.file",
    "walk_files": "assay.readers.files.sources",
    "why_no_source": "assay.readers.files.sources",
    "with_expectations": "assay.readers.expectations",
    "would_read": "assay.readers.files.sources",
}

if TYPE_CHECKING:
    from assay.readers.documents import Document as Document
    from assay.readers.documents import Unreadable as Unreadable
    from assay.readers.documents import decode_json as decode_json
    from assay.readers.expectations import read_expectations as read_expectations
    from assay.readers.expectations import with_expectations as with_expectations
    from assay.readers.files.file import File as File
    from assay.readers.files.file import small_file as small_file
    from assay.readers.files.pipe import STDIN as STDIN
    from assay.readers.files.sources import is_pipe as is_pipe
    from assay.readers.files.sources import is_store as is_store
    from assay.readers.files.sources import walk_files as walk_files
    from assay.readers.files.sources import why_no_source as why_no_source
    from assay.readers.files.sources import would_read as would_read
    from assay.readers.formats import Format as Format
    from assay.readers.formats import all_formats as all_formats
    from assay.readers.formats import format_named as format_named
    from assay.readers.formats import format_names as format_names
    from assay.readers.formats import formats_in_file as formats_in_file
    from assay.readers.names import served_name as served_name
    from assay.readers.reading import RunReader as RunReader
    from assay.readers.reading import read_runs as read_runs

__all__ = sorted(_HOMES)  # noqa: PLE0605 - one list of names, not two


if not TYPE_CHECKING:  # or a type checker would believe any name

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module 'assay.readers' has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return list(__all__)
