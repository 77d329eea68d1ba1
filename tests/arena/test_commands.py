"""`assay arena` as it is typed: run, broken off, run again, compared; served and ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from assay.store import Store

SUITE = """
name: small
tools: weather
tasks:
  - {id: oslo, turns: ["What's the weather in Oslo?"]}
  - {id: madrid, turns: ["What's the weather in Madrid?"]}
  - {id: later, turns: ["What's the weather in Paris?", "And tomorrow?"]}
"""
ENVIRONMENT = os.environ | {
    "COLUMNS": "160",
    "ASSAY_WEATHER_DATE": "2026-11-16",
    "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
}
TWO = "weather-adk,weather-agent-framework"


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    file = tmp_path / "suite.yaml"
    file.write_text(SUITE)
    return file


def assay(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "assay", "arena", *map(str, arguments)],
        cwd=cwd,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )


def test_a_suite_with_both_frameworks(suite: Path, tmp_path: Path) -> None:
    done = assay("run", suite, "--agents", TWO, "--store", "s", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "6 of 6 conversations held" in done.stderr
    assert f"A script plays the model of {TWO.replace(',', ', ')}: no model" in done.stderr
    assert "weather-agent-framework" in done.stdout
    assert "chatbot" in done.stdout
    assert "over 4 tasks" in done.stdout
    store = Store(tmp_path / "s")
    assert store.count() == 8
    again = assay("run", suite, "--agents", TWO, "--store", "s", "--repeat", 2, cwd=tmp_path)
    assert "6 of 12 conversations held, 6 were there already" in again.stderr
    assert store.count() == 16
    assert store.query("SELECT DISTINCT framework FROM runs ORDER BY 1") == [
        {"framework": name} for name in TWO.split(",")
    ]


# Both go on until something is kept, and then wait, for the test to see it.
HALTING = """
import asyncio
from pathlib import Path

async def steady(turn, emit):
    while any(Path("s/batches").glob("*")) and not Path("killed").exists():
        await asyncio.sleep(0.05)
    await asyncio.sleep(0 if Path("killed").exists() else 1)
    return "It is 4 degrees."

async def failing(turn, emit):
    await steady(turn, emit)
    raise ValueError("no map")
"""


def test_a_run_that_was_killed_goes_on(suite: Path, tmp_path: Path) -> None:
    (tmp_path / "halting_agents.py").write_text(HALTING)
    agents = "halting_agents:steady,halting_agents:failing"
    command = ["run", suite, "--agents", agents, "--store", "s", "--deadline", "200"]
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "arena", *map(str, command)],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as killed:
        while not any((tmp_path / "s" / "batches").glob("*")) and killed.poll() is None:
            time.sleep(0.02)
        killed.send_signal(signal.SIGKILL)
    store = Store(tmp_path / "s")
    before = {row["run_id"] for row in store.query("SELECT run_id FROM runs")}
    assert 0 < len(before) < 8
    (tmp_path / "killed").touch()
    done = assay(*command, cwd=tmp_path)
    assert done.returncode == 3
    assert "ValueError: no map" in done.stderr
    after = {row["run_id"] for row in store.query("SELECT run_id FROM runs")}
    assert before < after
    assert len(after) == store.count() == 8


FLAKY = """
from pathlib import Path

async def agent(turn, emit):
    if "Oslo" in turn.message and not Path("repaired").exists():
        FAIL
    return "It is 4 degrees."
"""


@pytest.mark.parametrize(
    ("fail", "told"),
    [
        ('raise ValueError("no map")', "ValueError: no map"),
        ('return " \\u00a0"', "the answer is empty"),
        ("return None", "the agent returned None"),
    ],
)
def test_a_failure_is_told_until_it_is_held_again(
    suite: Path, tmp_path: Path, fail: str, told: str
) -> None:
    (tmp_path / "flaky_agent.py").write_text(FLAKY.replace("FAIL", fail))
    command = ["run", suite, "--agents", "flaky_agent:agent", "--store", "s"]
    first = assay(*command, cwd=tmp_path)
    second = assay(*command, cwd=tmp_path)
    for done in (first, second):
        assert done.returncode == 3
        assert f"failed: flaky_agent:agent, oslo: {told}" in done.stderr
        assert "each with the score 0: flaky_agent:agent 1 of 4" in done.stderr
        assert "is the model that flaky_agent:agent can ask" in done.stderr
        assert "no model was asked" not in done.stderr
        assert "task_completion" in done.stdout
    assert "0 of 3 conversations held, 3 were there already" in second.stderr
    (tmp_path / "repaired").touch()
    third = assay(*command, "--again", cwd=tmp_path)
    assert third.returncode == 0, third.stderr
    assert "1 of 3 conversations held, 2 were there already" in third.stderr
    assert "failed" not in third.stderr
    assert Store(tmp_path / "s").count() == 5


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "nowhere.yaml"], "No suite or file named 'nowhere.yaml'. Known: weather."),
        (["run", "weather", "--agents", "adkk"], "Did you mean 'adk'"),
        (["serve", "weather", "--agents", "plain,plain"], "each may enter once"),
        (["serve", "weather", "--agents", "a:b,c:d"], "there is no module 'a'"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(arguments: list[str], told: str, tmp_path: Path) -> None:
    done = assay(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []  # no empty store is left behind


@pytest.mark.parametrize("command", ["run", "serve"])
def test_a_server_that_does_not_start_leaves_no_empty_store_behind(
    command: str, tmp_path: Path
) -> None:
    servers = {"mcpServers": {"gone": {"command": "false"}}}
    (tmp_path / "servers.json").write_text(json.dumps(servers))
    asked = {"name": "own", "mcp_servers": "servers.json", "tasks": [{"id": "a", "turns": ["Hi"]}]}
    (tmp_path / "own.json").write_text(json.dumps(asked))
    done = assay(command, "own.json", "--agents", "plain", "--store", "s", cwd=tmp_path)
    assert done.returncode == 2
    assert "the MCP server 'gone' did not start" in done.stderr
    assert not (tmp_path / "s").exists()
    Store.create(tmp_path / "s")
    assay(command, "own.json", "--agents", "plain", "--store", "s", cwd=tmp_path)
    assert Store(tmp_path / "s").count() == 0  # one that was there stays


@pytest.mark.parametrize(
    ("ending", "agent"),
    [(signal.SIGINT, "plain"), (signal.SIGTERM, "tests.arena.live_server:echo")],
)
def test_the_page_is_served_until_it_is_ended(
    tmp_path: Path, ending: signal.Signals, agent: str
) -> None:
    command = ["serve", "none", "--agents", agent, "--port", "0", "--no-open", "--store", "s"]
    with subprocess.Popen(
        [sys.executable, "-m", "assay", "arena", *command],
        cwd=tmp_path,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as served:
        assert served.stdout is not None
        address = served.stdout.readline().split(" at ")[1].split()[0]
        begun = httpx.post(address, data={"prompt": "Hello there."}, timeout=120)
        assert begun.status_code == 303
        name = begun.headers["location"].split("/")[-1]
        with httpx.stream("GET", f"{address}/{name}/events", timeout=120) as news:
            assert any('"kind": "done"' in line for line in news.iter_lines())
        served.send_signal(ending)
        assert served.wait(120) == 0
        assert served.stderr is not None
        assert "Traceback" not in served.stderr.read()
    assert Store(tmp_path / "s").count() == 1
