"""What is wrong with an arena that goes on: told when it begins, and when it is over."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from assay.errors import AssayError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.arena.keeping import Keeper

    Tell = Callable[[str], None]

_log = logging.getLogger(__name__)
_STORE, _FULL, _HOUSE = "store", "full", "housekeeping"


def tell_nobody(_: str) -> None:
    """For arenas without a terminal: the log and the page say it."""


class Trouble:
    """The problems there are now by the part that has them; each is told once."""

    def __init__(self, keeper: Keeper, tell: Tell) -> None:
        """Begin with none; `tell` says it where somebody reads, like a terminal."""
        self._keeper = keeper
        self._tell = tell
        self._now: dict[str, str] = {}

    @property
    def words(self) -> str | None:
        """All of it, as a page shows it; None where nothing is wrong."""
        return " ".join(self._now.values()) or None

    def of_store(self, why: Exception) -> None:
        """The store could not be written."""
        self._begins(_STORE, self.unwritten(why), _crash(why))
        if self._keeper.is_full:
            self._begins(_FULL, f"No prompt is taken: {self.is_full}.")

    def of_housekeeping(self, why: Exception) -> None:
        """Something failed that is done every second; it is done again all the same."""
        named = f"{type(why).__name__}: {why}"
        self._begins(_HOUSE, f"housekeeping failed, a fault of assay: {named}. It goes on.", why)

    def store_is_well(self) -> None:
        """The store could be written."""
        self._is_over(_STORE, "The store can be written again; nothing was lost.")
        self._is_over(_FULL, "Prompts are taken again.")

    def housekeeping_is_well(self) -> None:
        """Nothing failed."""
        self._is_over(_HOUSE, "Housekeeping works again.")

    def unwritten(self, why: Exception) -> str:
        """Why turns wait, and how many."""
        crash = _crash(why)
        named = str(why) if crash is None else f"{type(why).__name__}: {why} (a fault of assay)"
        return f"the store cannot be written: {named}. {self._waiting} for it."

    @property
    def is_full(self) -> str:
        """Why no more turns can be taken."""
        return f"{self._waiting} to be written to the store, and no more can until it is mended"

    @property
    def _waiting(self) -> str:
        return (
            "1 turn waits" if self._keeper.in_hand == 1 else f"{self._keeper.in_hand:,} turns wait"
        )

    def _begins(self, part: str, words: str, crash: Exception | None = None) -> None:
        """Told once, however often it is found; a crash goes to the log with its traceback."""
        if part not in self._now:
            self._tell(words)
            _log.error("%s", words, exc_info=crash)
        self._now[part] = words

    def _is_over(self, part: str, words: str) -> None:
        if self._now.pop(part, None) is not None:
            self._tell(words)
            _log.info("%s", words)


def _crash(why: Exception) -> Exception | None:
    """What was raised, unless it is of the kind that a user can mend."""
    return None if isinstance(why, AssayError | OSError) else why
