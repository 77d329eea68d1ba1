"""The terminal, or whatever stands in its place: a pipe, a file, a reader that has gone away."""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import NoReturn

from rich.console import Console
from rich.text import Text

from assay.render.safe_text import many_lines


class Terminal(Console):
    """A console for text from anywhere: no markup, no emoji codes, no control characters."""

    def __init__(self, *, stderr: bool = False) -> None:
        """Speak on standard output, or on standard error."""
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def tell(self, message: str, style: str = "") -> None:
        """Print one message; a long one is not broken where nobody asked for it."""
        self.print(Text(many_lines(message), style=style), soft_wrap=True)

    def on_broken_pipe(self) -> NoReturn:
        """Let it be known; exiting with 1, as the base class does, would be a verdict."""
        raise BrokenPipeError

    @property
    def is_watched(self) -> bool:
        """Whether a person sits there, whatever the environment says about colours."""
        return self.is_terminal and self.file.isatty()


def accept_any_text() -> None:
    """Show what the terminal's encoding has no letter for as an escape, not as an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def data_to_standard_output() -> None:
    """Machines read what follows: JSON is UTF-8, whatever the terminal speaks."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")


def fall_silent() -> None:
    """The reader of our output has seen enough; the interpreter must not complain at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # as it is where the shell closed it
            os.dup2(nowhere, stream.fileno())
