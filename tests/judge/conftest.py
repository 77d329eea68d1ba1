"""What the tests of judges share."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(params=["directly", "by SDK"])
def each_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """A server of one's own is asked directly, and by the SDK where httptools is missing."""
    if request.param == "by SDK":
        monkeypatch.setitem(sys.modules, "httptools", None)
    return str(request.param)


@pytest.fixture
def by_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server of one's own is asked by the SDK."""
    monkeypatch.setitem(sys.modules, "httptools", None)
