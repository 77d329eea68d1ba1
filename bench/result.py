"""What a benchmark reports, and how it measures."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

Size = Literal["small", "full"]


@dataclass(frozen=True)
class Result:
    """One figure: ours, the peer's, their ratio and the goal we hold ourselves to."""

    name: str
    ours: float
    peer: float
    unit: str
    peer_name: str
    ratio: float
    goal: str
    met: bool
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def best_seconds(work: Callable[[], object], *, repeats: int = 3) -> float:
    """The shortest of several runs: what the machine can do when nothing disturbs it."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return min(times)


def peak_megabytes(command: list[str]) -> tuple[float, float]:
    """The most memory a command ever held, and how many seconds it took."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ
    )
    _, status, usage = os.wait4(process.pid, 0)
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in {0, 1, 3}:
        sys.exit(f"{' '.join(command)} ended with {code}")
    return usage.ru_maxrss / 1024, time.perf_counter() - began
