"""What a process that is all ours does otherwise than one that we are a guest in."""

from __future__ import annotations

import gc

_OBJECTS_PER_COLLECTION = 100_000


def collect_seldom() -> None:
    """Look for cycles a hundred times less often than Python does.

    Modules, rows and cases stay until they are dropped, and hardly any hold cycles: looking for
    them takes a tenth of a short command's time and finds nothing.
    """
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
