"""A run is called by what a person would call it, and cut where it tells least."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from assay.render.run_names import plain_name
from assay.render.safe_text import shortened_front

DIGEST = "2e111911621129d0e5dc7d75cf6f75c3"


@pytest.mark.parametrize(
    ("run_id", "path", "position", "name"),
    [
        ("return-17", "logs/a.json", None, "return-17"),
        (DIGEST, "traces/v1/A104.json", None, "A104.json"),
        (DIGEST, "all.jsonl", 3, "all.jsonl:3"),
        (None, "traces/A104.json", None, "A104.json"),
        (DIGEST, None, None, DIGEST),
        (None, None, 3, None),
    ],
)
def test_a_made_up_id_gives_way_to_a_file(
    run_id: str | None, path: str | None, position: int | None, name: str | None
) -> None:
    assert plain_name(run_id, path, position) == name


@pytest.mark.parametrize(
    ("place", "width", "shown"),
    [
        ("traces/v1/A104.json", 19, "traces/v1/A104.json"),
        ("traces/v1/A104.json", 18, "…/v1/A104.json"),
        ("traces/v1/A104.json", 13, "…/A104.json"),
        ("traces/v1/A104.json", 8, "…04.json"),
        ("07564931-edcf-6109.jsonl", 12, "…-6109.jsonl"),
        ("traces/天气预报.json", 20, "traces/天气预报.json"),
        ("traces/天气预报.json", 15, "…/天气预报.json"),
        ("traces/天气预报.json", 10, "…预报.json"),
    ],
)
def test_a_place_is_cut_where_places_are_alike(place: str, width: int, shown: str) -> None:
    assert shortened_front(place, width) == shown
    assert cell_len(shown) <= width
