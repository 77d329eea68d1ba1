"""The benchmarks run and report; how fast the machine is decides nothing here."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
NEEDS = {"tool_rates": "jsonschema", "score_case": "deepeval", "import_time": "deepeval"}


@pytest.mark.parametrize("name", ["tool_rates", "score_case", "import_time", "memory"])
def test_a_benchmark_reports_both_sides(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    peer = NEEDS.get(name)
    if peer and find_spec(peer) is None:
        pytest.skip(f"the peer {peer} lives in the benchmarks' own environment (make bench)")
    monkeypatch.syspath_prepend(str(PROJECT))
    monkeypatch.setenv("DEEPEVAL_TELEMETRY_OPT_OUT", "1")
    results = import_module(f"bench.{name}").run("small")
    assert "bench" in sys.modules
    for found in results:
        assert found.ours > 0
        assert found.peer > 0
        assert found.goal
