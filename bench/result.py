"""What a benchmark reports, and how it measures."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
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


# The kernel's own figure for a child may be its parent's peak; this one is of the child alone.
_MEASURED = """
from pathlib import Path
try:
    from assay.cli import main
    main()
finally:
    status = Path("/proc/self/status").read_text()
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    Path(NOTED).write_text(peak.split()[1])
"""


def peak_megabytes(arguments: list[str]) -> tuple[float, float]:
    """The most memory that `assay` with these arguments ever held, and the seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        noted = Path(folder) / "peak"
        script = Path(folder) / "measured.py"
        script.write_text(_MEASURED.replace("NOTED", repr(str(noted))))
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, script, *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
        seconds = time.perf_counter() - began
        return int(noted.read_text()) / 1024, seconds
