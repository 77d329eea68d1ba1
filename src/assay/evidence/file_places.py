"""In which folders a text has a file."""

from __future__ import annotations

import re

_MOST_PLACES = 8
_LONGEST_FOLDER = 80
_FOLDER = re.compile(r"(?<![\w.@+-])([\w.@+-]++)/\Z")


def is_elsewhere(path: str, text: str) -> bool:
    """Whether a text names a file only in other folders than the one a path has it in."""
    folder, name = ["", *path.rstrip("/").split("/")][-2:]
    place = text.find(name)
    elsewhere = False
    for _ in range(_MOST_PLACES):
        if place < 0:
            break
        named = _FOLDER.search(text[max(0, place - _LONGEST_FOLDER) : place])
        if named is None or named[1] in (folder, "."):
            return False
        elsewhere = True
        place = text.find(name, place + 1)
    return elsewhere
