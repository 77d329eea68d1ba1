"""Any agent that is a command: the turn goes to its standard input, the answer comes back."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
from contextlib import suppress
from typing import TYPE_CHECKING

from assay.agents.foreign_reply import read_reply, request_of
from assay.agents.protocol import Adapter
from assay.errors import AgentFailed, InvalidSettings

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, Emit, Turn

_LONGEST_COMPLAINT = 500
_LARGEST_REPLY = 10_000_000
_PIECE = 65_536
_LAST_SECONDS = 2.0


def make(line: str) -> Agent:
    """An agent that is run once a turn, without a shell.

    `{message}` in the command line stands for the message. OPENAI_BASE_URL, OPENAI_API_KEY and
    OPENAI_MODEL lead to the model by way of the tap.
    """
    words = _words(line)

    async def agent(turn: Turn, emit: Emit) -> str:
        process = await _start([word.replace("{message}", turn.message) for word in words], turn)
        try:
            out, err = await _talk(process, json.dumps(request_of(turn)).encode())
        finally:
            await _end(process)
        if process.returncode:
            told = err.decode(errors="replace").strip()[-_LONGEST_COMPLAINT:]
            raise AgentFailed(f"{words[0]} ended with {process.returncode}: {told}")
        return read_reply(out.decode(errors="replace"), emit)

    return agent


def _words(line: str) -> list[str]:
    try:
        words = shlex.split(line)
    except ValueError as exc:
        raise InvalidSettings(f"the command {line!r} cannot be read: {exc}") from exc
    if not words:
        raise InvalidSettings("the command is empty: expected something like command:./agent.sh")
    return words


async def _talk(process: asyncio.subprocess.Process, sent: bytes) -> tuple[bytes, bytes]:
    """Send the turn, and read what comes until the command has ended."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise AgentFailed("the command was started without pipes")
    out, err, _ = await asyncio.gather(
        _read(process, process.stdout),
        _read(process, process.stderr),
        _send(process.stdin, sent),
    )
    await process.wait()
    if max(len(out), len(err)) > _LARGEST_REPLY:
        raise AgentFailed(f"the command wrote more than {_LARGEST_REPLY:,} bytes")
    return out, err


async def _send(pipe: asyncio.StreamWriter, sent: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # it need not listen
        pipe.write(sent)
        await pipe.drain()
    pipe.close()


async def _read(process: asyncio.subprocess.Process, pipe: asyncio.StreamReader) -> bytes:
    """All of it; a command that writes more than a reply may hold is ended."""
    found = bytearray()
    while piece := await pipe.read(_PIECE):
        if len(found) > _LARGEST_REPLY:
            _kill(process)
        else:
            found += piece
    return bytes(found)


async def _start(words: list[str], turn: Turn) -> asyncio.subprocess.Process:
    model = turn.model
    environment = os.environ | {
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": model.api_key,
        "OPENAI_MODEL": model.name,
    }
    pipe = asyncio.subprocess.PIPE
    try:
        return await asyncio.create_subprocess_exec(
            *words, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
        )
    except OSError as exc:
        raise AgentFailed(f"{words[0]} cannot be run: {exc.strerror}") from exc


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the command and whatever it started, which may outlive it."""
    _kill(process)
    with suppress(TimeoutError):  # what left its group may hold the pipes as long as it likes
        async with asyncio.timeout(_LAST_SECONDS):
            await process.communicate()


def _kill(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def adapter(line: str) -> Adapter:
    """The adapter for one command line."""
    title = _words(line)[0]
    return Adapter(f"command:{line}", title, "agents", lambda: make(line), may_ask_others=True)
