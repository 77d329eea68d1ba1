"""`assay view` as people start and end it."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import httpx
import pytest

from assay import AgentTestCase
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_COMMAND = (sys.executable, "-m", "assay", "view")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    with Store.create(tmp_path / "store").writer() as writer:
        writer.add(AgentTestCase(input="Why?", actual_output="So."))
    return tmp_path / "store"


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[str]]]:
    running: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [*_COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        running.append(process)
        return process

    yield start
    for process in running:
        process.kill()
        process.wait()
        if process.stdout:
            process.stdout.close()


def _address(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What is said up to the address, and the address."""
    assert process.stdout is not None
    said = ""
    while not (found := re.search(r"http://127\.0\.0\.1:\d+/", said)):
        line = process.stdout.readline()
        assert line, said
        said += line
    return said, found[0]


def _reply(address: str) -> httpx.Response:
    """The port is bound before it is said, so the first request waits until it is served."""
    return httpx.get(address, timeout=120)


def test_says_where_it_is_and_ends_with_ctrl_c(
    store: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    process = started(str(store), "--port", "0", "--no-open")
    _, address = _address(process)
    assert "1 of 1 shown" in _reply(f"{address}runs").text
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=120) == 0
    assert process.stdout is not None
    assert "Traceback" not in process.stdout.read()


def test_a_taken_port_is_said_and_the_next_is_used(
    store: Path, started: Callable[..., subprocess.Popen[str]]
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said, address = _address(started(str(store), "--port", str(port), "--no-open"))
        assert f"Port {port} is taken" in said
        assert _reply(f"{address}changes").json()["runs"] == 1


def test_no_store_is_an_error_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run(
        [*_COMMAND, str(tmp_path / "nowhere"), "--no-open"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "is not a store" in done.stderr
    assert "Traceback" not in done.stderr
