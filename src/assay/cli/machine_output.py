"""What machines read from standard output."""

from __future__ import annotations

import sys

import msgspec

from assay.cli.console import data_to_standard_output


def write_data(text: str) -> None:
    """Write it as it is, in UTF-8."""
    data_to_standard_output()
    sys.stdout.write(text)


def write_json(document: object) -> None:
    """Write one JSON document, on a line of its own."""
    write_data(json_line(document))


def json_line(document: object) -> str:
    """One JSON document on a line of its own."""
    return msgspec.json.encode(document).decode() + "\n"
