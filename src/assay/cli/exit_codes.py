"""What the shell is told."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """0 all is well, 1 the verdict is bad, 2 wrong usage, 3 something could not be done.

    A bad verdict wins over an incomplete run: what is missing cannot make it good again.
    """

    OK = 0
    BELOW_THRESHOLD = 1
    USAGE = 2
    INCOMPLETE = 3
