"""What judging costs beside the model: many cases at once against the time the model takes."""

from __future__ import annotations

import asyncio
import gc
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
from assay.judge.asking import AskedJudge, as_judge
from assay.judge.budget import Budget
from assay.judge.exchange import Question, Reply
from assay.judge.limits import Limiter, Limits
from assay.judge.marks import marks_from_mapping
from assay.judge.model_asking import ask_with_schema
from assay.judge.model_names import address_of
from assay.judge.prompt import judge_prompt, reply_schema
from assay.judge.rubric import DIMENSION_NAMES
from assay.own_process import collect_seldom
from assay.score import Score
from assay.scoring import Crew, score_cases
from bench.cases import cases
from bench.result import Result, Size

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.judge.marks import Judge, Marks
    from assay.test_case import AgentTestCase

AT_ONCE = 100
LATENCY = 0.02
GOOD = json.dumps(dict.fromkeys(DIMENSION_NAMES, 7))
# In a process of its own, so that it does not share our core's turn.
SERVER = Path(__file__).with_name("model_server.py")


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
    before = gc.get_threshold()
    collect_seldom()  # as the command does
    try:
        with Crew() as crew:
            return _results(5_000, crew, rounds=5) if size == "full" else _results(500, crew)
    finally:
        gc.set_threshold(*before)


def _results(count: int, crew: Crew, *, rounds: int = 1) -> list[Result]:
    some = list(cases(count))
    limits = Limits(at_once=AT_ONCE)

    def median(judge: Judge | None) -> _Taken:
        # What else the machine does meets one round or the other.
        return sorted(_taken(some, judge, crew) for _ in range(rounds))[rounds // 2]

    machinery = median(_Plain())
    in_process = median(as_judge(_Scripted(), around=Limiter(limits)))
    results = [
        _result(f"{count:,} cases, machinery alone, {AT_ONCE} at once", machinery, count),
        _result(f"{count:,} cases judged in process, {AT_ONCE} at once", in_process, count),
    ]
    if find_spec("pydantic_ai") is None:  # assay[judge] asks by HTTP
        return results
    with _server() as url:
        bare = _taken_by_the_client(url, [judge_prompt(case) for case in some])
        asked = as_judge("openai:m", base_url=url, around=Limiter(limits))
        direct = median(asked)
        by_sdk = _taken(some, _asked_by_sdk(url, limits), crew)
    over_http = f"{count:,} cases judged over HTTP, {AT_ONCE} at once"
    through = f"{over_http}, through Pydantic AI"
    return [
        *results,
        _result(over_http, direct, count),
        _result(through, by_sdk, count),
        _beside_the_client(through, by_sdk, bare),
    ]


def _asked_by_sdk(url: str, limits: Limits) -> Judge:
    """A judge that is asked as a provider's model is, though the server is one of our own."""
    from assay.judge.client import SdkModel

    address = address_of("openai:m", url)
    ask = Limiter(limits)(ask_with_schema(SdkModel(address)), address.name)
    return AskedJudge(address.name, ask)


def _beside_the_client(name: str, ours: _Taken, bare: _Taken) -> Result:
    ratio = ours.processor / bare.processor
    return Result(
        name=f"{name}, beside the client alone",
        ours=ours.processor,
        peer=bare.processor,
        unit="s of the processor",
        peer_name="Pydantic AI asking the same questions, and nothing of ours",
        ratio=ratio,
        goal="within 1.5x",
        met=ratio <= 1.5,
        note="evidence, prompt, limits, reading the reply and scoring included",
    )


def _taken_by_the_client(url: str, prompts: list[str]) -> _Taken:
    """What the same questions take with the client as it is, so many at once."""
    from pydantic_ai import ModelRequest
    from pydantic_ai.direct import model_request
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.output import OutputObjectDefinition
    from pydantic_ai.providers.openai import OpenAIProvider

    wanted = OutputObjectDefinition(reply_schema(DIMENSION_NAMES), name="marks", strict=True)
    parameters = ModelRequestParameters(output_mode="native", output_object=wanted)

    async def ask_all(asked: list[str]) -> None:
        model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="none"))
        left = iter(asked)

        async def ask_some() -> None:
            for prompt in left:
                messages = [ModelRequest.user_text_prompt(prompt)]
                reply = await model_request(model, messages, model_request_parameters=parameters)
                assert reply.text == GOOD

        async with model:
            await asyncio.gather(*(ask_some() for _ in range(AT_ONCE)))

    asyncio.run(ask_all(prompts[:10]))  # whatever is loaded at first use
    return _spent(lambda: asyncio.run(ask_all(prompts)))


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


def _taken(some: list[AgentTestCase], judge: Judge | None, crew: Crew) -> _Taken:
    """As `assay score` judges: with what it reads ahead prepared by the other cores."""
    metric = MCPToolMetric(model=judge)
    list(score_cases(some[:1_000], [metric], crew=crew))  # whatever is loaded at first use

    def score_all() -> None:
        stream = score_cases(some, [metric], concurrency=AT_ONCE, ahead=AT_ONCE, crew=crew)
        for scores in stream:
            (found,) = scores.results
            assert isinstance(found, Score), found

    return _spent(score_all)


def _spent(work: Callable[[], object]) -> _Taken:
    memory, began, processor = _megabytes(), time.perf_counter(), time.process_time()
    work()
    seconds, processor = time.perf_counter() - began, time.process_time() - processor
    return _Taken(seconds, processor, _megabytes() - memory)


def _megabytes() -> float:
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@contextmanager
def _server() -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, str(SERVER), GOOD, str(LATENCY)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
