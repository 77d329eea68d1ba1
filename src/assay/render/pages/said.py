"""What we say about data: our words, which have a translation, and the values put into them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable


class Said(Struct, frozen=True):
    """A sentence of ours; `t` of a template puts it into the reader's language."""

    words: str
    values: dict[str, Any] = {}

    def __bool__(self) -> bool:
        """Whether anything is said."""
        return bool(self.words)

    def said(self, translate: Callable[..., str]) -> str:
        """The sentence in the reader's language, sentences within it too."""
        values = {
            name: value.said(translate) if isinstance(value, Said) else value
            for name, value in self.values.items()
        }
        return translate(self.words, **values)


NOTHING_SAID = Said("")


def words(text: str, **values: str | Said) -> Said:
    """A sentence with its values."""
    return Said(text, values)
