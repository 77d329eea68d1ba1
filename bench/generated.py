"""Trajectories and evaluations of any number, made by `oracle/toolgym/gen.py` of the shared folder.

It lies beside the project, or where ASSAY_SHARED says; without it a benchmark says so and reports
nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("ASSAY_SHARED", PROJECT.parent / "shared"))
_GENERATOR = SHARED / "oracle" / "toolgym" / "gen.py"
# What the reference was timed with: 20,000 trajectories and 60,000 evaluations are 1.24 GB.
_OF_THE_REFERENCE = ("--models", "10", "--seed", "9")


def can_generate() -> bool:
    """Whether there is a generator; if not, that is said."""
    if not _GENERATOR.exists():
        print(f"skipped: needs {_GENERATOR.name} of the shared folder", file=sys.stderr)
        return False
    return True


def generate(folder: Path | str, count: int) -> list[str]:
    """Make so many trajectories, and three evaluations of each; the two folders they lie in."""
    target, number = ("--out", str(folder)), ("--n", str(count))
    command = [sys.executable, str(_GENERATOR), *target, *number, *_OF_THE_REFERENCE]
    subprocess.run(command, check=True, capture_output=True)
    return [str(Path(folder) / name) for name in ("trajectories", "evaluation")]
