"""What a process of ours does with Ctrl-C while it starts."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

from assay.own_process import hear_every_ctrl_c

_PROGRAM = """
import os, signal
from assay.own_process import nothing_to_lose
{before}
with nothing_to_lose():
    {within}
print("went on")
try:
    {after}
except KeyboardInterrupt:
    print("was told")
"""
_CTRL_C = "os.kill(os.getpid(), signal.SIGINT)"


@pytest.mark.parametrize(
    ("before", "within", "after", "said", "ended"),
    [
        pytest.param("", _CTRL_C, "", "", -signal.SIGINT, id="while it starts"),
        pytest.param("", "pass", _CTRL_C, "went on\nwas told\n", 0, id="once it runs"),
        pytest.param(
            "signal.signal(signal.SIGINT, signal.SIG_IGN)",
            _CTRL_C,
            _CTRL_C,
            "went on\n",
            0,
            id="where it is ignored",
        ),
    ],
)
def test_ctrl_c(before: str, within: str, after: str, said: str, ended: int) -> None:
    program = _PROGRAM.format(before=before, within=within, after=after or "pass")
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == (said, "", ended)


class _Raising:
    def __init__(self, error: type[BaseException]) -> None:
        self._error = error

    def __del__(self) -> None:
        raise self._error


def test_ctrl_c_that_comes_while_something_is_cleared_away_is_told_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    hear_every_ctrl_c()
    raising = _Raising(KeyboardInterrupt)
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it comes in the midst of something else
        del raising
        time.sleep(30)
    assert time.monotonic() - began < 25  # sleep was not slept out


def test_other_errors_there_are_told_as_ever(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    hear_every_ctrl_c()
    raising = _Raising(ZeroDivisionError)
    del raising
    assert "ZeroDivisionError" in capsys.readouterr().err
