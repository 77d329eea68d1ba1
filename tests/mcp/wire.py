"""A client that speaks JSON-RPC in raw lines, so that tests see every byte."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

pytest.importorskip("mcp.server.mcpserver", reason="the server of these tests needs mcp 2")

ASSAY = [sys.executable, "-m", "assay", "mcp"]
SERVER = [sys.executable, str(Path(__file__).with_name("server.py"))]
OPEN = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"sampling": {}},
    "clientInfo": {"name": "raw", "version": "1"},
}
MODEL_SAYS = {
    "role": "assistant",
    "content": {"type": "text", "text": "yes"},
    "model": "none",
    "stopReason": "endTurn",
}


class Client:
    """One session with a command; `frames` are the lines that came, byte by byte."""

    def __init__(self, command: Sequence[str], *, initialized: bool = True) -> None:
        self.frames: list[bytes] = []
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONUNBUFFERED": ""},
        )
        self._ids = 0
        if initialized:
            self.request("initialize", OPEN)
            self.send({"method": "notifications/initialized"})

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method: str, params: dict[str, Any] | None = None) -> int:
        self._ids += 1
        self.send({"id": self._ids, "method": method, "params": params or {}})
        return self._ids

    def read(self) -> Any:
        """The next frame; None where the server is gone."""
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            return None
        self.frames.append(line)
        return json.loads(line)

    def request(self, method: str, params: dict[str, Any] | None = None) -> Any:
        """The answer; what the server asks meanwhile is answered."""
        asked = self.begin(method, params)
        while (frame := self.read()) is not None:
            if "method" in frame and "id" in frame:
                self.send({"id": frame["id"], "result": MODEL_SAYS})
            elif frame.get("id") == asked:
                return frame
        return None

    def call(self, tool: str, meta: dict[str, Any] | None = None, **arguments: Any) -> Any:
        params = {"name": tool, "arguments": arguments}
        return self.request("tools/call", params | ({"_meta": meta} if meta else {}))

    def text(self, tool: str, **arguments: Any) -> str:
        answer = self.call(tool, **arguments)
        return str(answer["result"]["content"][0]["text"])

    def end(self) -> tuple[int, str]:
        """Hang up; the exit code and what stands on standard error."""
        try:
            _, err = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, err.decode()


@contextmanager
def session(*command: str, initialized: bool = True) -> Iterator[Client]:
    client = Client(command, initialized=initialized)
    try:
        yield client
    finally:
        if client.process.poll() is None:
            client.end()
        for pipe in (client.process.stdin, client.process.stdout, client.process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


@contextmanager
def listening(*options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A command of ours at a port: its address and process."""
    command = [*ASSAY, *options, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            assert "listening at" in said, said + process.stderr.read()
            yield said.partition("listening at ")[2].split()[0], process
        finally:
            process.terminate()


def lines_of(recording: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in recording.read_text().splitlines()]


def steps(client: Client) -> None:
    """Something of everything: results, errors, progress, what the server asks, a refusal."""
    client.request("tools/list")
    client.text("add", a=1, b=2)
    client.call("count", {"progressToken": "t-1"}, steps=3)
    client.text("ask", question="well?")
    client.call("add", a="one")
    client.call("no_such_tool")
    client.request("ping")


def recorded(path: Path, work: Callable[[Client], object] = steps) -> list[bytes]:
    with session(*ASSAY, "record", "-o", str(path), "--", *SERVER) as client:
        work(client)
    return client.frames
