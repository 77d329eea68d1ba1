"""What judging costs beside the model: many cases at once against the time the model takes."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay import MCPToolMetric
from assay.judge.asking import as_judge
from assay.judge.budget import Budget
from assay.judge.exchange import Question, Reply
from assay.judge.limits import Limiter, Limits
from assay.judge.marks import marks_from_mapping
from assay.judge.rubric import DIMENSION_NAMES
from assay.score import Score
from assay.scoring import score_cases
from bench.cases import cases
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.judge.marks import Judge, Marks
    from assay.test_case import AgentTestCase

AT_ONCE = 100
LATENCY = 0.02
GOOD = json.dumps(dict.fromkeys(DIMENSION_NAMES, 7))
# A server in a process of its own, so that it does not share our core's turn.
SERVER = """
import asyncio, json, re, sys
content = sys.argv[1]
body = json.dumps({"id": "1", "object": "chat.completion", "created": 1, "model": "m",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": content}}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}}).encode()
head = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"
async def connection(reader, writer):
    try:
        while True:
            asked = await reader.readuntil(b"\\r\\n\\r\\n")
            await reader.readexactly(int(re.search(rb"content-length: (\\d+)", asked, re.I)[1]))
            await asyncio.sleep(float(sys.argv[2]))
            writer.write(head % len(body) + body)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(connection, "127.0.0.1", 0, limit=1 << 20)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class _Scripted:
    """A model in our own process that takes its time and nothing else."""

    def get_model_name(self) -> str:
        return "in process"

    async def a_generate(self, prompt: str) -> str:
        await asyncio.sleep(LATENCY)
        return GOOD


class _Plain:
    """A judge without evidence or prompt: what is left is the machinery around any judge."""

    name = "plain"

    def __init__(self) -> None:
        self._ask = Budget()(Limiter(Limits(at_once=AT_ONCE))(self._reply, self.name), self.name)

    async def mark(self, case: AgentTestCase) -> Marks:
        reply = await self._ask(Question("Judge."))
        return marks_from_mapping(self.name, json.loads(str(reply.content)))

    async def _reply(self, question: Question) -> Reply:
        await asyncio.sleep(LATENCY)
        return Reply(GOOD)


class _Taken(NamedTuple):
    """What judging took: seconds on the clock, of the processor, and megabytes more than before."""

    seconds: float
    processor: float
    megabytes: float


def run(size: Size) -> list[Result]:
    count = 5_000 if size == "full" else 500
    some = list(cases(count))
    limits = Limits(at_once=AT_ONCE)
    machinery = _taken(some, _Plain())
    in_process = _taken(some, as_judge(_Scripted(), around=Limiter(limits)))
    results = [
        _result(f"{count:,} cases, machinery alone, {AT_ONCE} at once", machinery, count),
        _result(f"{count:,} cases judged in process, {AT_ONCE} at once", in_process, count),
    ]
    if find_spec("pydantic_ai") is None:  # assay[judge] asks by HTTP
        return results
    with _server() as url:
        named = as_judge("openai:m", base_url=url, around=Limiter(limits))
        over_http = _taken(some, named)
    name = f"{count:,} cases judged over HTTP, {AT_ONCE} at once"
    return [*results, _result(name, over_http, count)]


def _result(name: str, taken: _Taken, count: int) -> Result:
    ideal = count * LATENCY / AT_ONCE
    return Result(
        name=name,
        ours=taken.seconds,
        peer=ideal,
        unit="s",
        peer_name=f"the model's own time at {LATENCY * 1000:.0f} ms each",
        ratio=taken.seconds / ideal,
        goal="within 1.5x",
        met=taken.seconds / ideal <= 1.5,
        note=(
            f"{taken.processor / count * 1000:.2f} ms of the processor a case; "
            f"{taken.megabytes:.0f} MB more than before"
        ),
    )


def _taken(some: list[AgentTestCase], judge: Judge | None) -> _Taken:
    metric = MCPToolMetric(model=judge)
    list(score_cases(some[:10], [metric]))  # whatever is loaded at first use
    memory, began, processor = _megabytes(), time.perf_counter(), time.process_time()
    for scores in score_cases(some, [metric], concurrency=AT_ONCE):
        (found,) = scores.results
        assert isinstance(found, Score), found
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    return _Taken(seconds, processor, _megabytes() - memory)


def _megabytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@contextmanager
def _server() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER, GOOD, str(LATENCY)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
