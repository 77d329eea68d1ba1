"""Hold an agent's runs against a threshold inside a test; inert unless a test asks for it.

    @pytest.mark.assay(metric="tool_use", threshold=0.8, runs=3)
    def test_weather(assay):
        assay.run(ask_agent, "What should I wear in Oslo?")

`mcp_replay("calls.jsonl")` gives a test an MCP server that answers from a recording.

pytest loads this module in every project that has assay installed, so it imports nothing that
the first use of the fixture cannot import.
"""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from subprocess import Popen

    from assay.metrics import Metric
    from assay.score import Score
    from assay.stats import Estimate
    from assay.test_case import AgentTestCase

    GivenMetric = str | Metric | Sequence[str | Metric]

DEFAULT_METRIC = "mcp_tool"
_PREFIX = "assay."
# A mean of floats may miss the threshold by a hair.
_ROUNDING = 1e-9
_MARKER = (
    "assay(metric='mcp_tool', threshold=None, runs=1): what the fixture `assay` asks of an "
    "agent's runs: a metric or several, the least mean score, and how often to run the agent"
)
# What `assay mcp replay` exits with when something was asked that is not recorded.
_MISSED = 3
_OPTIONS = frozenset({"metric", "threshold", "runs"})


class _Kept(NamedTuple):
    """One run that a test showed us, and what the metrics said of it."""

    case: AgentTestCase
    scores: tuple[Score, ...]
    passed: bool | None


class Checked(NamedTuple):
    """What one metric said of the runs of a test: the mean with its interval, and each score."""

    metric: str
    mean: Estimate
    scores: tuple[Score, ...]


class AssayChecks:
    """The fixture: runs agents, scores runs, and fails the test when the mean is too low."""

    def __init__(self, node: pytest.Item, store: str | None) -> None:
        """Take the test, what its marker says, and where runs are kept."""
        self._node = node
        self._store = store
        self._marked = _marked_options(node)
        self._kept: list[_Kept] = []

    def run(self, agent: Callable[..., Any], *args: Any, **kwargs: Any) -> list[Checked]:
        """Call the agent as often as the marker's `runs` says, and check what comes back.

        The agent returns an AgentTestCase, or an awaitable of one.
        """
        times: int = self._marked.get("runs", 1)
        return self.check(*(_called(agent, args, kwargs) for _ in range(times)))

    def check(
        self,
        *cases: AgentTestCase,
        metric: GivenMetric | None = None,
        threshold: float | None = None,
    ) -> list[Checked]:
        """Score runs; fail when a metric's mean over them is below the threshold.

        What is not given here is taken from the marker. Runs that cannot be measured are no
        failures: when a metric can measure none, and no other fails, the test is skipped, with
        the reason.
        """
        __tracebackhide__ = True
        if not cases:
            _fail("there is no run to check: hand one to assay.check")
        for case in cases:
            _refuse_other_things(case)
        limit = self._marked.get("threshold") if threshold is None else threshold
        metrics = _metrics(metric or self._marked.get("metric", DEFAULT_METRIC))
        rows = list(_scored(cases, metrics))
        for case, scores in zip(cases, rows, strict=True):
            self._kept.append(_Kept(case, scores, _reaches(scores, limit)))
        checked = [
            _summed(metric.name, [row[i] for row in rows]) for i, metric in enumerate(metrics)
        ]
        self._record(checked, limit)
        for found in checked:
            _fail_below(found, limit)
        for found in checked:
            _skip_unmeasured(found)
        return checked

    def keep(self, *, passed: bool | None) -> None:
        """Write the runs and their scores into the store, if there is one."""
        if self._store is not None and self._kept:
            _write(self._store, self._node.nodeid, self._kept, passed=passed)

    @property
    def forgot_to_check(self) -> bool:
        """Whether the marker names a threshold that nothing was held against."""
        return not self._kept and self._marked.get("threshold") is not None

    def _record(self, checked: Sequence[Checked], limit: float | None) -> None:
        """Tell what was found as properties: they travel to --junitxml and from xdist's workers."""
        for found in checked:
            name, interval = f"{_PREFIX}{found.metric}", found.mean.interval
            facts = {
                name: found.mean.value,
                f"{name}.low": interval.low if interval else None,
                f"{name}.high": interval.high if interval else None,
                f"{name}.runs": len(found.scores),
                f"{name}.threshold": limit,
            }
            known = [(key, value) for key, value in facts.items() if value is not None]
            self._node.user_properties.extend(known)


_CHECKS = pytest.StashKey[AssayChecks]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Offer the option that keeps the runs."""
    group = parser.getgroup("assay", "agents' runs")
    group.addoption(
        "--assay-store",
        metavar="DIR",
        help="Keep the runs that tests check, and their scores, in this store.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known; a store means the same folder to every worker."""
    config.addinivalue_line("markers", _MARKER)
    if config.option.assay_store is not None:
        config.option.assay_store = str(Path(config.option.assay_store).absolute())


@pytest.fixture
def assay(request: pytest.FixtureRequest) -> AssayChecks:
    """Check the runs of an agent: `assay.run(agent, ...)` or `assay.check(case, ...)`."""
    checks = AssayChecks(request.node, request.config.option.assay_store)
    request.node.stash[_CHECKS] = checks
    return checks


class ReplayServer:
    """An MCP server that answers from a recording: by its command, or at its address."""

    def __init__(self, recording: Path, options: Sequence[str]) -> None:
        """Take the recording; nothing is started yet."""
        if not recording.is_file():
            _fail(f"there is no recording {recording}")
        assay = [sys.executable, "-m", "assay", "mcp", "replay"]
        self.command = [*assay, str(recording), *options]
        self._server: Popen[str] | None = None
        self._url = ""

    @property
    def url(self) -> str:
        """The address of the server, which is started when it is first asked for."""
        if self._server is None:
            subprocess = import_module("subprocess")
            pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
            self._server = subprocess.Popen([*self.command, "--port", "0"], **pipes)
            said = self._said()
            self._url = said.partition("listening at ")[2].partition(" ")[0]
            if not self._url:
                _fail(f"the recording is not replayed: {said}{self._server.communicate()[1]}")
        return self._url

    def stop(self) -> None:
        """End the server; a request that was not recorded fails the test."""
        if self._server is None:
            return
        self._server.terminate()
        words = self._server.communicate()[1]
        if self._server.returncode == _MISSED:
            _fail(words.strip())

    def _said(self) -> str:
        assert self._server is not None  # noqa: S101 - it was started
        assert self._server.stderr is not None  # noqa: S101
        return self._server.stderr.readline()


@pytest.fixture
def mcp_replay(request: pytest.FixtureRequest) -> Iterator[Callable[..., ReplayServer]]:
    """Replay recordings: `mcp_replay("calls.jsonl").command`, or `.url`; beside the test's file.

    Options are those of `assay mcp replay`: `match`, `ignore` (several) and `miss`.
    """
    started: list[ReplayServer] = []

    def replay(
        recording: str | Path,
        *,
        match: str = "arguments",
        ignore: Sequence[str] = (),
        miss: str = "error",
    ) -> ReplayServer:
        options = ["--match", match, "--miss", miss]
        options += [word for path in ignore for word in ("--ignore", path)]
        started.append(ReplayServer(request.path.parent / recording, options))
        return started[-1]

    yield replay
    for server in started:
        server.stop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Keep the runs of a test when it ends; a threshold that was never tried is no pass."""
    checks = item.stash.get(_CHECKS, None)
    if checks is None:
        if item.get_closest_marker("assay") is not None:
            _fail(
                "the marker `assay` does nothing without the fixture: take `assay` as an argument"
            )
        return (yield)
    passed: bool | None = False
    try:
        result = yield
        passed = True
    except pytest.skip.Exception:
        passed = None
        raise
    finally:
        checks.keep(passed=passed)
    if checks.forgot_to_check:
        _fail("the marker names a threshold, but no run was checked: call assay.check or assay.run")
    return result


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Show what the tests that used the fixture found."""
    lines = list(_summary(terminalreporter))
    if not lines:
        return
    terminalreporter.section("assay")
    for line in lines:
        terminalreporter.write_line(line)
    store = terminalreporter.config.option.assay_store
    if store is not None and Path(store).is_dir():
        terminalreporter.write_line(f"runs and scores are in {store}")


def _summary(reporter: pytest.TerminalReporter) -> Iterator[str]:
    for reports in reporter.stats.values():
        for report in reports:
            if getattr(report, "when", None) != "call":
                continue
            found = {k: v for k, v in report.user_properties if k.startswith(_PREFIX)}
            for name in (key.removesuffix(".runs") for key in found if key.endswith(".runs")):
                yield _line(report.nodeid, name, found)


def _line(nodeid: str, name: str, found: dict[str, Any]) -> str:
    mean, limit = found.get(name), found.get(f"{name}.threshold")
    value = "not measurable" if mean is None else f"{mean:.3f}"
    against = "" if limit is None else f", at least {limit:g}"
    runs = found[f"{name}.runs"]
    count = f"{runs} run" if runs == 1 else f"{runs} runs"
    return f"{nodeid}  {name.removeprefix(_PREFIX)} {value} ({count}{against})"


def _marked_options(node: pytest.Item) -> dict[str, Any]:
    """What the markers of a test say, the closest first; a marker that says nonsense is refused."""
    said: dict[str, Any] = {}
    for marker in node.iter_markers("assay"):
        if marker.args or marker.kwargs.keys() - _OPTIONS:
            odd = [*map(repr, marker.args), *sorted(marker.kwargs.keys() - _OPTIONS)]
            _fail(f"the marker `assay` takes metric, threshold and runs, not {', '.join(odd)}")
        said = {**marker.kwargs, **said}
    runs, threshold = said.get("runs", 1), said.get("threshold")
    if not isinstance(runs, int) or runs < 1:
        _fail(f"the marker `assay` got runs={runs!r}; expected a whole number from 1")
    if threshold is not None and not 0 <= threshold <= 1:
        _fail(f"the marker `assay` got threshold={threshold!r}; expected a number from 0 to 1")
    return said


def _called(agent: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    found = agent(*args, **kwargs)
    if not isawaitable(found):
        return found

    async def awaited() -> Any:
        return await found

    return import_module("assay.event_loop").run_to_end(awaited())


def _refuse_other_things(case: Any) -> None:
    if not isinstance(case, import_module("assay.test_case").AgentTestCase):
        _fail(
            f"an AgentTestCase was expected, got {type(case).__name__}: what did the agent return?"
        )


def _metrics(given: GivenMetric) -> list[Metric]:
    catalogue = import_module("assay.metrics.catalogue")
    each: list[Any] = list(given) if isinstance(given, list | tuple) else [given]
    return [catalogue.metric_named(one) if isinstance(one, str) else one for one in each]


def _scored(
    cases: Sequence[AgentTestCase], metrics: Sequence[Metric]
) -> Iterator[tuple[Score, ...]]:
    scoring = import_module("assay.scoring")
    for scored in scoring.score_cases(cases, metrics):
        for result in scored.results:
            if isinstance(result, scoring.Failed):
                _fail(f"the metric {result.name} could not do its work: {result.problem}")
        yield scored.results


def _summed(metric: str, scores: Sequence[Score]) -> Checked:
    by_run = {f"run {i}": [score.value] for i, score in enumerate(scores)}
    return Checked(metric, import_module("assay.stats").mean_over_tasks(by_run), tuple(scores))


def _reaches(scores: Sequence[Score], limit: float | None) -> bool | None:
    """Whether one run by itself is good enough; None where nobody can say."""
    values = [score.value for score in scores if score.value is not None]
    return None if limit is None or not values else min(values) >= limit - _ROUNDING


def _skip_unmeasured(found: Checked) -> None:
    __tracebackhide__ = True
    if found.mean.value is None:
        reason = next((score.reason for score in found.scores if score.reason), "")
        pytest.skip(_harmless(f"{found.metric} is not measurable: {reason}"))


def _fail_below(found: Checked, limit: float | None) -> None:
    __tracebackhide__ = True
    value = found.mean.value
    if value is not None and limit is not None and value < limit - _ROUNDING:
        runs = import_module("assay.records").counted(len(found.scores), "run")
        why = _why(min(found.scores, key=lambda each: 2.0 if each.value is None else each.value))
        _fail(f"{found.metric} is {value:.3f} over {runs}, below {limit:g}; the lowest: {why}")


def _why(score: Score) -> str:
    """Why a score is as it is: its reason, or its parts."""
    parts = (f"{part.name} {part.value:.3f}" for part in score.parts if part.value is not None)
    return score.reason or ", ".join(parts)


def _write(store: str, task: str, kept: Sequence[_Kept], *, passed: bool | None) -> None:
    room = import_module("assay.store")
    opened = room.Store.create(store)
    cases = [_named(one, task, attempt, passed) for attempt, one in enumerate(kept, start=1)]
    with opened.writer() as writer:
        for case in cases:
            writer.add(case)
    found = opened.query(
        "SELECT run_id, run_key FROM runs WHERE run_id IN (SELECT unnest($ids::VARCHAR[]))",
        ids=[case.run_id for case in cases],
    )
    keys = {row["run_id"]: row["run_key"] for row in found}
    with opened.score_writer() as scores:
        for case, one in zip(cases, kept, strict=True):
            for score in one.scores:
                scores.add(keys[case.run_id], score, room.Settings(score.name, _judge_of(score)))


def _named(
    kept: _Kept,
    task: str,
    attempt: int,
    passed: bool | None,  # noqa: FBT001 - a value
) -> AgentTestCase:
    """The run as it is kept: its task is the test, unless it has one, and so on."""
    run, dataclasses = import_module("assay.run"), import_module("dataclasses")
    case, success = kept.case, passed if kept.passed is None else kept.passed
    named: AgentTestCase = dataclasses.replace(
        case,
        run_id=case.run_id or import_module("uuid").uuid4().hex,
        task_id=case.task_id or task,
        attempt=attempt if case.attempt is None else case.attempt,
        outcome=case.outcome or run.RunOutcome(success=success, decided_by="pytest"),
    )
    return named


def _judge_of(score: Score) -> str:
    by = next((part.judged_by for part in score.walk() if part.judged_by), {})
    return str(by.get("judge", ""))


def _fail(problem: str) -> NoReturn:
    __tracebackhide__ = True
    pytest.fail(_harmless(problem), pytrace=False)


def _harmless(text: str) -> str:
    """What agents and servers wrote, as a terminal may see it."""
    shown: str = import_module("assay.render.safe_text").many_lines(text)
    return shown
