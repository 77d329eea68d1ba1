"""Text from strangers as text: what the eye would miss or be deceived by is made visible."""

from __future__ import annotations

from assay.json_values import without_surrogates
from assay.render.safe_text import UNSEEN

_PICTURES = 0x2400
_KEPT = frozenset({0x09, 0x0A})


def _picture(code: int) -> str:
    """An escape as ␛, a direction mark as ⟨U+202E⟩."""
    if code < 0x20:
        return chr(_PICTURES + code)
    return "␡" if code == 0x7F else f"⟨U+{code:04X}⟩"


_SHOWN = {code: _picture(code) for code in UNSEEN if code not in _KEPT}


def visible(text: object) -> str:
    """The text with its line breaks, and with hidden characters shown."""
    return without_surrogates(text if isinstance(text, str) else str(text)).translate(_SHOWN)
