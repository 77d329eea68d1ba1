"""Scoring a case against deepeval's `evaluate()` with a metric that does nothing."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import time
from typing import Any

from assay import MCPToolMetric, score_cases
from bench.cases import cases
from bench.result import Result, Size, best_seconds


def run(size: Size) -> list[Result]:
    count, peer_count = (20_000, 500) if size == "full" else (500, 20)
    made = list(cases(count))
    metric = MCPToolMetric(model="none")

    def ours() -> None:
        for _ in score_cases(made, [metric]):
            pass

    seconds = best_seconds(ours) / count
    peer_seconds = _deepeval_seconds(peer_count) / peer_count
    ratio = peer_seconds / seconds
    return [
        Result(
            name=f"scoring a case, {count:,} cases of three calls",
            ours=seconds * 1e6,
            peer=peer_seconds * 1e6,
            unit="µs per case",
            peer_name="deepeval.evaluate(), no-op metric, no cache",
            ratio=ratio,
            goal="at least 20x faster",
            met=ratio >= 20,
            note="ours measures all five rates, judging off; the peer's metric returns 1",
        )
    ]


def _deepeval_seconds(count: int) -> float:
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        os.environ["DEEPEVAL_TELEMETRY_OPT_OUT"] = "1"
        from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
        from deepeval.metrics import BaseMetric
        from deepeval.test_case import LLMTestCase

        from deepeval import evaluate

        class NoOp(BaseMetric):  # type: ignore[misc]
            def __init__(self) -> None:
                self.threshold = 0.5

            def measure(self, test_case: Any, *_: Any, **__: Any) -> float:
                self.score, self.success, self.reason = 1.0, True, ""
                return 1.0

            async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float:
                return self.measure(test_case)

            def is_successful(self) -> bool:
                return True

            @property
            def __name__(self) -> str:
                return "no-op"

        made = [LLMTestCase(input=f"q{i}", actual_output="a") for i in range(count)]
        quiet = DisplayConfig(show_indicator=False, print_results=False)
        best = float("inf")
        for _ in range(2):
            for run_async in (True, False):
                began = time.perf_counter()
                with contextlib.redirect_stdout(io.StringIO()):
                    evaluate(
                        made,
                        [NoOp()],
                        async_config=AsyncConfig(run_async=run_async),
                        display_config=quiet,
                        cache_config=CacheConfig(write_cache=False),
                    )
                best = min(best, time.perf_counter() - began)
        return best
