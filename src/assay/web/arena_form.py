"""What the forms of the arena's page say."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from msgspec import Struct
from starlette.exceptions import HTTPException

from assay.arena.live import LONGEST_PROMPT

if TYPE_CHECKING:
    from starlette.requests import Request

# A letter takes up to twelve bytes in a form: four, each as %XX.
_LARGEST_FORM = 12 * LONGEST_PROMPT + 1_000
_MOST_FIELDS = 20


class Asked(Struct, frozen=True):
    """What the form of a prompt says; from a form that offers no choice of agents all are meant."""

    prompt: str
    repeat: int
    agents: frozenset[str] | None
    blind: bool


class Refused(Struct, frozen=True):
    """A prompt that was not put to anybody: why, and what the form said."""

    why: str
    asked: Asked


async def read_asked(request: Request) -> Asked:
    """The form that a request brings."""
    fields = await fields_in(request)
    # A suggested prompt comes after the one that is being typed.
    text = fields.get("prompt", [""])[-1].replace("\r\n", "\n").strip()
    repeat = fields.get("repeat", ["1"])[-1]
    return Asked(
        text,
        int(repeat) if is_number(repeat) else 0,
        frozenset(fields.get("agents", ())) if fields.keys() & {"agents", "choose"} else None,
        "blind" in fields,
    )


async def fields_in(request: Request) -> dict[str, list[str]]:
    """The fields of a small form; anything larger is refused before it is read."""
    size = request.headers.get("content-length", "")
    if not is_number(size) or int(size) > _LARGEST_FORM:
        raise HTTPException(413, "The prompt is too long.")
    text = (await request.body()).decode(errors="replace")
    try:
        return parse_qs(text, max_num_fields=_MOST_FIELDS)
    except ValueError as exc:
        raise HTTPException(413, "The form has too many fields.") from exc


def is_number(text: str) -> bool:
    """Whether the text is a whole number of a reasonable size."""
    return text.isdecimal() and len(text) < 20
