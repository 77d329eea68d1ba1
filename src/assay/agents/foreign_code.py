"""The one place where somebody else's code may raise anything: agents, and the tools they use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

LONGEST_ERROR = 2_000


class Attempt(Struct, frozen=True):
    """What came of it: a value, or what was raised."""

    value: Any = None
    raised: Exception | None = None

    @property
    def error(self) -> str | None:
        """What was raised, in one line; None when nothing was."""
        if self.raised is None:
            return None
        return f"{type(self.raised).__name__}: {self.raised}"[:LONGEST_ERROR]


async def attempt(work: Awaitable[Any]) -> Attempt:
    """Wait for somebody else's code; being cancelled is no failure of theirs."""
    try:
        return Attempt(await work)
    except Exception as exc:  # noqa: BLE001 - foreign code raises what it likes; the run goes on
        return Attempt(raised=exc)


def attempt_now(work: Callable[[], Any]) -> Attempt:
    """Run somebody else's code that is not waited for, like a module as it is imported."""
    try:
        return Attempt(work())
    except SystemExit as exc:  # of a script that was written to be run
        return Attempt(raised=RuntimeError(f"it tried to end the program: {exc!r}"))
    except Exception as exc:  # noqa: BLE001 - foreign code raises what it likes; it is told
        return Attempt(raised=exc)
