"""The reference that the analyses by the seed's rules are held to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import shared_path, unpacked_ds200

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def oracle() -> dict[str, Any]:
    """What the reference makes of its own recordings."""
    text = shared_path("oracle", "toolgym", "oracle.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Those recordings: `trajectories/` and `evaluation/`."""
    return unpacked_ds200(tmp_path_factory)
