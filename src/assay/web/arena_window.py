"""Which prompts of a session a page shows, and what it says of those that it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.arena.session import Prompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.arena.session import Session


class More(Struct, frozen=True):
    """Earlier prompts: how many, the number they come before, and the first that would follow."""

    left: int
    before: int
    next: int


class Window(Struct, frozen=True):
    """Prompts to show, the newest first; `gap` is how many are left out after the first."""

    prompts: list[Prompt]
    gap: int
    more: More | None


def window_of(session: Session, earlier: Sequence[Prompt] | None) -> Window:
    """The newest prompts; or the newest one, and some earlier ones in place of those after it."""
    latest = session.prompts[-1:]
    shown = session.shown() if earlier is None else [*latest, *earlier]
    prompts = list({prompt.number: prompt for prompt in shown}.values())
    gap = 0
    if len(prompts) > 1:
        first, second = prompts[0].number, prompts[1].number
        gap = sum(second < prompt.number < first for prompt in session.prompts)
    return Window(prompts, gap, more_before(session, prompts))


def more_before(session: Session, shown: Sequence[Prompt]) -> More | None:
    """What is left before the oldest prompt that is shown; None where nothing is."""
    oldest = min((prompt.number for prompt in shown), default=0)
    left = [prompt.number for prompt in session.prompts if prompt.number < oldest]
    return More(len(left), oldest, left[-1]) if left else None
