"""What we say about data: our words, which have a translation, and the values put into them."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Said(Struct, frozen=True):
    """A sentence of ours; `t` of a template puts it into the reader's language."""

    words: str
    values: dict[str, Any] = {}

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return bool(self.words)


NOTHING_SAID = Said("")
