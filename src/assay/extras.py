"""Optional parts, asked for where they are needed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from assay.errors import MissingExtra

if TYPE_CHECKING:
    from types import ModuleType


def require(module: str, *, extra: str) -> ModuleType:
    """Import an optional module, or say how to install it."""
    try:
        return import_module(module)
    except ImportError as exc:
        raise MissingExtra(
            f"This needs {module!r}, which is not installed. "
            f"Install it with: pip install 'assay[{extra}]' (in a clone: pip install '.[{extra}]')"
        ) from exc
