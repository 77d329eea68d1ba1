"""The benchmarks run and report; how fast the machine is decides nothing here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from bench.report import BENCHMARKS, asked_for, times

PROJECT = Path(__file__).resolve().parents[1]
NEEDS = {"tool_rates": "jsonschema", "score_case": "deepeval", "import_time": "deepeval"}
# In a process of its own: the peers leave open what they should close.
CODE = """
import json, sys
from importlib import import_module
results = import_module(f"bench.{sys.argv[1]}").run("small")
print(json.dumps([found.to_dict() for found in results]))
"""


def test_benchmarks_are_chosen_by_name() -> None:
    everything = list(BENCHMARKS)
    assert {"analyses", "spark", "tool_rates"} <= set(everything)
    assert asked_for([]) == ("full", everything)
    assert asked_for(["small"]) == ("small", everything)
    assert asked_for(["analyses"]) == ("full", ["analyses"])
    assert asked_for(["small", "spark", "analyses"]) == ("small", ["spark", "analyses"])
    for wrong in (["analysis"], ["small", "full"]):
        with pytest.raises(SystemExit, match="there are: tool_rates"):
            asked_for(wrong)


def test_a_ratio_is_never_rounded_away() -> None:
    assert [times(ratio) for ratio in (1234.56, 1.0, 0.53, 0.0181)] == [
        "1,234.6x",
        "1.0x",
        "0.53x",
        "0.018x",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "tool_rates",
        "score_case",
        "import_time",
        "memory",
        "evidence_judge",
        "judge_overhead",
        "arena",
    ],
)
def test_a_benchmark_reports_both_sides(name: str) -> None:
    peer = NEEDS.get(name)
    if peer and find_spec(peer) is None:
        pytest.skip(f"the peer {peer} lives in the benchmarks' own environment (make bench)")
    done = subprocess.run(
        [sys.executable, "-c", CODE, name],
        cwd=PROJECT,
        env=os.environ | {"DEEPEVAL_TELEMETRY_OPT_OUT": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=240,
    )
    results = json.loads(done.stdout.splitlines()[-1])
    assert results
    for found in results:
        assert found["ours"] > 0
        assert found["peer"] > 0
        assert found["goal"]
