"""What tests of live arenas share."""

from __future__ import annotations

import pytest


@pytest.fixture
def by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is written or let go before the test says so, however long it takes to get there."""
    monkeypatch.setattr("assay.arena.live._KEEP_SECONDS", 3_600.0)
