"""A chart to a file; its suffix says how."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from assay.errors import UnknownName
from assay.extras import require

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_DOTS = 2.0


def chart_bytes(path: Path, document: dict[str, Any]) -> bytes:
    """The chart in the form that the file's name asks for."""
    return writer_for(path)(document)


def writer_for(path: Path) -> Callable[[dict[str, Any]], bytes]:
    """What writes a file of this name; an error that names the forms we know if nothing does."""
    name = path.name.lower()
    found = next((write for suffix, write in WRITERS.items() if name.endswith(suffix)), None)
    if found is None:
        raise UnknownName("form of a chart", path.suffix or path.name, WRITERS)
    return found


def _vega_lite(document: dict[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"


def _svg(document: dict[str, Any]) -> bytes:
    # No address is allowed: a chart has its data inside.
    converter = require("vl_convert", extra="plot")
    text: str = converter.vegalite_to_svg(document, allowed_base_urls=[])
    return text.encode()


def _png(document: dict[str, Any]) -> bytes:
    converter = require("vl_convert", extra="plot")
    found: bytes = converter.vegalite_to_png(document, scale=_DOTS, allowed_base_urls=[])
    return found


WRITERS: dict[str, Callable[[dict[str, Any]], bytes]] = {
    ".svg": _svg,
    ".png": _png,
    ".vl.json": _vega_lite,
}
