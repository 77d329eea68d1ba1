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
from assay.errors import AgentFailed

if TYPE_CHECKING:
    from assay.agents.protocol import Agent, Emit, Turn

_LONGEST_COMPLAINT = 500


def make(line: str) -> Agent:
    """An agent that is run once a turn, without a shell.

    `{message}` in the command line stands for the message. OPENAI_BASE_URL, OPENAI_API_KEY and
    OPENAI_MODEL lead to the model by way of the tap.
    """
    words = shlex.split(line)
    if not words:
        raise AgentFailed("the command is empty: expected something like command:./agent.sh")

    async def agent(turn: Turn, emit: Emit) -> str:
        process = await _start([word.replace("{message}", turn.message) for word in words], turn)
        try:
            sent = json.dumps(request_of(turn)).encode()
            out, err = await process.communicate(sent)
        finally:
            await _end(process)
        if process.returncode:
            told = err.decode(errors="replace").strip()[-_LONGEST_COMPLAINT:]
            raise AgentFailed(f"{words[0]} ended with {process.returncode}: {told}")
        return read_reply(out.decode(errors="replace"), emit)

    return agent


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
    """End the command and whatever it started; a deadline must not leave it running."""
    if process.returncode is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.communicate()


def adapter(line: str) -> Adapter:
    """The adapter for one command line."""
    return Adapter(
        f"command:{line}", shlex.split(line)[0] if line else line, "agents", lambda: make(line)
    )
