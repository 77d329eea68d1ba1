"""The SQL files beside the modules."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

_OTHER = re.compile(r"\{(\w+)\}")


@cache
def sql_text(folder: str, name: str) -> str:
    """The text of `FOLDER/NAME.sql`, where `{OTHER}` stands for the text of `FOLDER/OTHER.sql`."""
    text = (files("assay.analyses") / folder / f"{name}.sql").read_text(encoding="utf-8")
    return _OTHER.sub(lambda other: sql_text(folder, other[1]).strip(), text)
