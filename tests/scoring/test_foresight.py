"""Working ahead in other processes: the same scores, and nothing lost when a process is."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from assay import AgentTestCase, MCPExecutionData, MCPToolMetric, ToolExecutionResult
from assay.judge.rubric import DIMENSION_NAMES
from assay.score import Score
from assay.scoring import Crew, Failed, foresight, score_cases, score_stream
from assay.scoring.foresight import _BATCH_CASES, _FEW_CASES
from assay.scoring.results import KnownCase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENOUGH = _FEW_CASES + 200
GOOD = json.dumps(dict.fromkeys(DIMENSION_NAMES, 7))
TOOLS = {"look": {"input_schema": {"type": "object", "properties": {"id": {"type": "integer"}}}}}


def cases(count: int) -> Iterator[AgentTestCase]:
    for i in range(count):
        calls = [ToolExecutionResult("look", {"id": i}, {"total": 3 * i}, success=i % 7 != 0)]
        yield AgentTestCase(
            f"What is the total of {i}?",
            f"It is {3 * i + i % 2}.",
            execution_data=MCPExecutionData(calls),
            available_tools=TOOLS if i % 3 else None,
        )


class Model:
    """A model that remembers what it was asked, and gives time to others before it answers."""

    def __init__(self, name: str = "a model") -> None:
        self.name = name
        self.asked: list[str] = []

    def get_model_name(self) -> str:
        return self.name

    async def a_generate(self, prompt: str) -> str:
        self.asked.append(prompt)
        await asyncio.sleep(0)
        return GOOD


def scored(metric: Any, crew: Crew | None, count: int = ENOUGH) -> list[Score | Failed]:
    found = list(score_cases(cases(count), [metric], crew=crew))
    assert [scores.case.input for scores in found] == [case.input for case in cases(count)]
    return [scores.results[0] for scores in found]


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the crew begin as soon as there are cases enough, however fast they are judged."""
    monkeypatch.setattr(foresight, "_FEW_SECONDS", 0.0)


@cache
def scored_alone(count: int = ENOUGH) -> list[Score | Failed]:
    """What the metric as it comes makes of so many cases."""
    return scored(MCPToolMetric(), None, count)


class Prepared:
    """A metric whose preparation gives what can be sent, but not read."""

    name = "prepared"

    def __init__(self) -> None:
        # An exception is made again of what stood before its first keyword.
        self.preparation = partial(subprocess.CalledProcessError, cmd="x")
        self.asked: list[tuple[str, object]] = []

    async def evaluate(self, case: AgentTestCase) -> Score:
        return await self.evaluate_prepared(case, None)

    async def evaluate_prepared(self, case: AgentTestCase, prepared: object) -> Score:
        await asyncio.sleep(0)
        self.asked.append((case.input, prepared))
        return Score(self.name, 0.5)


class CountingCrew(Crew):
    """A crew that knows how many cases its processes took, and is given its turn."""

    given = 0
    given_before: int | None = None

    def _offer(self, item: Any, lot: Any) -> foresight.Foreseen:
        """Wait until cases that the crew could take are taken: alone one is done too soon."""
        found = super()._offer(item, lot)
        until = time.monotonic() + 120
        with self._changed:
            while self.given == self.given_before and self._has_enough():
                assert time.monotonic() < until, "no process took a case"
                self._changed.wait(0.001)
        return found

    def _has_enough(self) -> bool:
        return sum(not each.is_settled for each in self._offered) >= _BATCH_CASES

    def _batch(self, *, wait: bool) -> list[foresight.Foreseen]:
        batch = super()._batch(wait=wait)
        self.given += len(batch)
        return batch


@contextmanager
def helping(hands: int) -> Iterator[Crew]:
    """A crew whose processes have loaded their code, and must have helped by the end."""
    until = time.monotonic() + 120
    with CountingCrew(hands) as crew:
        while not crew.given:
            assert time.monotonic() < until, "no process took a case"
            scored(Prepared(), crew)
        crew.given_before = crew.given
        yield crew
        assert crew.given > crew.given_before


def was_started(crew: Crew) -> bool:
    return bool(crew._hands)


@pytest.mark.parametrize("tools", [None, TOOLS], ids=["own tools", "tools of the metric"])
def test_the_scores_are_the_same_with_a_crew(tools: Any) -> None:
    metric = MCPToolMetric(available_tools=tools)
    alone = scored(metric, None) if tools else scored_alone()
    with helping(2) as crew:
        assert scored(metric, crew) == alone
        assert scored(metric, crew) == alone


ASKED: dict[str, Callable[[Model], MCPToolMetric]] = {
    "once": lambda model: MCPToolMetric(model=model),
    "in Chinese": lambda model: MCPToolMetric(model=model, lang="zh"),
}


@pytest.mark.parametrize("how", ASKED)
def test_a_model_is_asked_the_same_with_a_crew(how: str) -> None:
    models = Model(), Model()
    alone = scored(ASKED[how](models[0]), None)
    with helping(1) as crew:
        assert scored(ASKED[how](models[1]), crew) == alone
    assert sorted(models[0].asked) == sorted(models[1].asked)


def test_few_cases_need_no_crew() -> None:
    with Crew(1) as crew:
        scored(MCPToolMetric(), crew, _FEW_CASES - 1)
        assert not was_started(crew)


def test_work_that_is_soon_done_needs_no_crew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "_FEW_SECONDS", 3_600.0)
    with Crew(1) as crew:
        scored(MCPToolMetric(), crew)
        assert not was_started(crew)


CORES = {
    "one core": (1, 0, 0),
    "two cores": (2, 2, 1),
    "eight cores": (8, 8, 7),
}


@pytest.mark.parametrize("kind", CORES)
def test_a_core_is_left_to_whoever_asks(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cores, by_evidence, by_model = CORES[kind]
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    found = [
        0 if (lot := Crew()._lot([metric.preparation])) is None else lot.hands
        for metric in (MCPToolMetric(), MCPToolMetric(model=Model()))
    ]
    assert found == [by_evidence, by_model]


def test_metrics_without_preparation_need_no_crew() -> None:
    with Crew(1) as crew:
        scored(MCPToolMetric(model="none"), crew)
        assert not was_started(crew)


def test_what_is_known_is_not_prepared() -> None:
    metric = MCPToolMetric()
    known = Score(metric.name, 0.25)
    items = [KnownCase(case, str(i), {metric.name: known}) for i, case in enumerate(cases(ENOUGH))]
    with Crew(1) as crew:
        found = [scores.results[0] for scores in score_cases(items, [metric], crew=crew)]
        assert not was_started(crew)
    assert found == [known] * ENOUGH


def test_a_process_that_dies_costs_nothing() -> None:
    metric = MCPToolMetric()
    with helping(2) as crew:
        items = signalled(crew, signal.SIGKILL)
        found = [scores.results[0] for scores in score_cases(items, [metric], crew=crew)]
    assert found == scored_alone(3 * ENOUGH)


def signalled(crew: Crew, what: signal.Signals) -> Iterator[AgentTestCase]:
    """Many cases; the processes get a signal in the midst of them."""
    for i, case in enumerate(cases(3 * ENOUGH)):
        if i == 2 * ENOUGH:
            for hand in crew._hands:
                hand._process.send_signal(what)
        yield case


def test_a_process_that_stands_still_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(foresight, "_PATIENCE_SECONDS", 0.05)
    metric = MCPToolMetric()
    with helping(2) as crew:
        items = signalled(crew, signal.SIGSTOP)
        found = [scores.results[0] for scores in score_cases(items, [metric], crew=crew)]
    assert found == scored_alone(3 * ENOUGH)


class Locked:
    """What a user may put into a case: it cannot go to another process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


class Refusing:
    """A class that has its own view of pickling."""

    def __reduce__(self) -> Any:
        raise KeyError("not me")


@pytest.mark.parametrize("kind", [Locked, Refusing])
def test_a_case_that_cannot_travel_is_judged_at_home(kind: type[object]) -> None:
    def odd(count: int) -> Iterator[AgentTestCase]:
        for i, case in enumerate(cases(count)):
            if i % 50 == 0:
                case.extra["odd"] = kind()
            yield case

    metric = MCPToolMetric()
    alone = [scores.results[0] for scores in score_cases(odd(ENOUGH), [metric])]
    with helping(1) as crew:
        found = [scores.results[0] for scores in score_cases(odd(ENOUGH), [metric], crew=crew)]
        assert all(thread.is_alive() for thread in crew._threads)
    assert found == alone


def test_what_cannot_be_read_of_a_process_is_done_at_home() -> None:
    metric = Prepared()
    with helping(1) as crew:
        assert scored(metric, crew) == [Score("prepared", 0.5)] * ENOUGH
        assert all(thread.is_alive() for thread in crew._threads)
    asked = dict(metric.asked)
    assert asked.keys() == {case.input for case in cases(ENOUGH)}
    assert all(found is None or told_of(found) == name for name, found in asked.items())


def told_of(found: object) -> str:
    """The case that was prepared: at home it can be read."""
    assert isinstance(found, subprocess.CalledProcessError)
    (case,) = found.args
    assert isinstance(case, AgentTestCase)
    return case.input


class Strict(MCPToolMetric):
    """A user's own view of a score."""

    async def evaluate(self, case: AgentTestCase) -> Score:
        found = await super().evaluate(case)
        return Score(self.name, found.value and found.value / 2)


def test_a_metric_that_scores_in_its_own_way_is_asked_for_all_of_it() -> None:
    with Crew(1) as crew:
        assert scored(Strict(), crew) == scored(Strict(), None)
        assert not was_started(crew)


def test_two_metrics_of_one_name_get_what_is_their_own() -> None:
    def prompts(crew: Crew | None) -> list[list[str]]:
        models = Model(), Model()
        metrics = MCPToolMetric(model=models[0]), MCPToolMetric(model=models[1], lang="zh")
        list(score_cases(cases(ENOUGH), metrics, crew=crew))
        return [sorted(model.asked) for model in models]

    alone = prompts(None)
    with helping(1) as crew:
        assert prompts(crew) == alone


def test_nothing_is_left_running() -> None:
    with helping(2) as crew:
        scored(MCPToolMetric(), crew)
        pids = [hand._process.pid for hand in crew._hands]
    assert pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_an_abandoned_stream_lets_the_crew_go_on_with_another() -> None:
    metric = MCPToolMetric()
    with helping(1) as crew:
        stream = score_cases(cases(10 * ENOUGH), [metric], crew=crew)
        for _ in range(ENOUGH):
            next(stream)
        stream.close()
        assert scored(metric, crew) == scored_alone()


def test_two_lots_at_once_do_not_get_what_is_the_others() -> None:
    async def both(crew: Crew | None) -> list[list[Score | Failed]]:
        async def one(metric: Any) -> list[Score | Failed]:
            stream = score_stream(cases(ENOUGH), [metric], crew=crew)
            return [scores.results[0] async for scores in stream]

        metrics = MCPToolMetric(), MCPToolMetric(model=Model(), lang="zh")
        return list(await asyncio.gather(*map(one, metrics)))

    alone = asyncio.run(both(None))
    with helping(1) as crew:
        assert asyncio.run(both(crew)) == alone


SCRIPT = """
import time
from assay import AgentTestCase, MCPToolMetric
from assay.scoring import Crew, foresight, score_cases
print("once")
foresight._FEW_SECONDS = 0.0
cases = [AgentTestCase(f"Question {i}", "Answer") for i in range(500)]
taken = []
settle = Crew._settle
Crew._settle = lambda crew, batch, found: taken.extend(batch) or settle(crew, batch, found)
with Crew(1) as crew:
    while not taken:
        found = list(score_cases(cases, [MCPToolMetric()], crew=crew))
    print(len(found), *[hand._process.pid for hand in crew._hands], flush=True)
    time.sleep(%d)
"""


def test_a_script_is_not_run_twice() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT % 0], capture_output=True, text=True, timeout=120, check=True
    )
    assert re.fullmatch(r"once\n500 \d+\n", done.stdout)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_processes_end_with_their_parent_and_do_not_hear_ctrl_c(how: signal.Signals) -> None:
    script = subprocess.Popen(
        [sys.executable, "-c", SCRIPT % 600],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert script.stdout is not None
    with script:
        script.stdout.readline()
        pid = int(script.stdout.readline().split()[1])
        assert os.getpgid(pid) == pid
        os.killpg(script.pid, how)  # as a terminal does
        assert script.wait(120) == -how
    until = time.monotonic() + 120
    while Path(f"/proc/{pid}/fd/0").exists():  # what nobody has waited for has no files left
        assert time.monotonic() < until
        time.sleep(0.01)
