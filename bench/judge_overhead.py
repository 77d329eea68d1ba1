"""What judging costs beside the model: many cases at once against the time the model takes."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from assay import MCPToolMetric
from assay.judge import DIMENSION_NAMES, JudgeConfig, JudgeSession
from assay.own_process import collect_seldom
from assay.score import Score
from assay.scoring import Crew, score_cases
from bench.cases import cases
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

AT_ONCE = 100
LATENCY = 1.0
COUNTS = {"full": 2_000, "small": 300}
GOAL = 1.2
GOOD = json.dumps(dict.fromkeys(DIMENSION_NAMES, 7))
# In a process of its own, so that it does not share our core's turn.
SERVER = Path(__file__).with_name("model_server.py")


def run(size: Size) -> list[Result]:
    if find_spec("pydantic_ai") is None:
        return []
    before = gc.get_threshold()
    collect_seldom()  # as the command does
    try:
        with Crew() as crew, _server() as url:
            return [_asked(url, COUNTS[size], crew)]
    finally:
        gc.set_threshold(*before)


def _asked(url: str, count: int, crew: Crew) -> Result:
    """As `assay score` judges: with what it reads ahead prepared by the other cores."""
    config = JudgeConfig(judge="openai:m", base_url=url, at_once=AT_ONCE, remember=False)
    metric = MCPToolMetric(model=JudgeSession(config).judge)
    some = list(cases(count))
    list(score_cases(some[:50], [metric], crew=crew))  # whatever is loaded at first use
    began, processor = time.perf_counter(), time.process_time()
    for scores in score_cases(some, [metric], concurrency=AT_ONCE, ahead=AT_ONCE, crew=crew):
        (found,) = scores.results
        assert isinstance(found, Score), found
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    ideal = count * LATENCY / AT_ONCE
    return Result(
        name=f"{count:,} cases judged over HTTP, {AT_ONCE} at once",
        ours=seconds,
        peer=ideal,
        unit="s",
        peer_name=f"the model's own time at {LATENCY:g} s each",
        ratio=seconds / ideal,
        goal=f"within {GOAL}x",
        met=seconds / ideal <= GOAL,
        note=f"{processor / count * 1000:.2f} ms of the processor a case",
    )


@contextmanager
def _server() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, str(SERVER), GOOD, str(LATENCY)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
