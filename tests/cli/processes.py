"""The program in a process of its own, also on a terminal."""

from __future__ import annotations

import os
import pty
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ASSAY = (sys.executable, "-m", "assay")
PLAIN = {"TERM": "xterm-256color", "COLUMNS": "80", "NO_COLOR": ""}


def on_a_terminal(
    arguments: list[str], env: dict[str, str], program: tuple[str, ...] = ASSAY
) -> tuple[int, str]:
    """Run on a pseudo-terminal of 80 columns and return the exit code and all that was drawn."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvpe(sys.executable, [*program, *arguments], os.environ | env)
    drawn = b"".join(_reads(terminal))
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status), drawn.decode()


def _reads(terminal: int) -> Iterator[bytes]:
    while True:
        try:
            found = os.read(terminal, 1 << 16)
        except OSError:  # how a terminal says that its program has ended
            return
        if not found:
            return
        yield found


def with_patience(seconds: int, before: str = "") -> tuple[str, ...]:
    """The program, with a bar for what takes longer than this: no clock decides."""
    code = f"from assay.cli import main, progress; progress._PATIENCE_SECONDS = {seconds}; main()"
    return (sys.executable, "-c", f"{before}; {code}" if before else code)
