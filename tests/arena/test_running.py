"""A suite held with several agents: kept, scored, resumed, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import re
import sys
import threading
from contextlib import AsyncExitStack
from datetime import date
from typing import TYPE_CHECKING

import pytest
from tests.arena import live_server

from assay.agents.harness import Conduct, Event
from assay.agents.protocol import Adapter, ModelEndpoint, Remembering
from assay.agents.scripted.server import ScriptedModel
from assay.agents.weather.source import BundledWeather
from assay.arena.conversation import _kept
from assay.arena.entrants import Entrant, entrants
from assay.arena.planning import plan
from assay.arena.running import SuiteSettings, made_agents, run_arena
from assay.arena.suite import Suite, Task
from assay.arena.warming import WARM_UP
from assay.errors import AgentFailed, AssayError, InvalidSettings, UnknownName
from assay.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from assay.agents.protocol import Emit, Turn
    from assay.arena.running import Held

SUITE = Suite(
    "small",
    [
        Task("oslo", ["What's the weather in Oslo?"]),
        Task("later", ["What's the weather in Paris?", "And tomorrow?"]),
        Task("nowhere", ["What's the weather in Atlantis?"]),
    ],
    tools="weather",
)
HEARD: list[str] = []


async def listens(turn: Turn, emit: Emit) -> str:
    HEARD.append(turn.message)
    return await live_server.echo(turn, emit)


@pytest.fixture(scope="module")
def model() -> Iterator[ScriptedModel]:
    with ScriptedModel() as served:
        yield served


def entered(model: ScriptedModel, *names: str) -> list[Entrant]:
    return entrants(names, model=None, base_url=None, scripted_url=model.base_url)


def held(
    store: Store,
    who: list[Entrant],
    *,
    most: int | None = None,
    deadline: float = 120.0,
    suite: Suite = SUITE,
    warm_up: bool = False,
) -> list[Held]:
    """Hold a suite, or so many conversations of it and then break off."""
    weather = BundledWeather(date(2026, 11, 16))
    # Kept at the end alone, so that no clock decides how many batches there are.
    settings = SuiteSettings(Conduct(deadline), warm_up, weather, keep_every=3_600)
    planned = plan(suite, [entrant.label for entrant in who], repeat=1, seed=3)

    async def hold() -> list[Held]:
        found: list[Held] = []
        conversations = run_arena(suite, who, planned, store, settings)
        async for conversation in conversations:
            found.append(conversation)
            if len(found) == most:
                break
        await conversations.aclose()  # type: ignore[attr-defined]  # a generator, called an iterator
        return found

    return asyncio.run(hold())


def test_only_what_is_missing_is_held_again(tmp_path: Path, model: ScriptedModel) -> None:
    store = Store.create(tmp_path / "store")
    who = entered(model, "plain", "plain=scripted-ungrounded")
    first = held(store, who, most=2)
    assert store.count() == sum(len(conversation.records) for conversation in first)
    second = held(store, who)
    assert len(second) == 4
    assert store.count() == 8
    assert held(store, who) == []
    done = {(c.conversation.task.id, c.conversation.entrant) for c in [*first, *second]}
    assert len(done) == 6
    scored = store.query("SELECT COUNT(*) AS n FROM scores WHERE path = 'chatbot'")
    assert scored == [{"n": 8}]
    tasks = {row["task_id"] for row in store.query("SELECT task_id FROM runs")}
    assert tasks == {"oslo", "later.1", "later.2", "nowhere"}
    assert len(store.batches()) == 4  # runs and scores, of what was held twice


LETS_ONE_IN = [
    "http://ada:swordfish@127.0.0.1:9/chat?token=swordfish",
    "http://127.0.0.1:9/chat?token=sesame",
    "http://127.0.0.1:9/chat?agent=desk&code=sesame",
    f"command:{sys.executable} -c 'print(1)' --password swordfish",
]


@pytest.mark.parametrize("name", LETS_ONE_IN)
def test_what_lets_one_in_with_an_agent_is_not_kept(
    tmp_path: Path, model: ScriptedModel, name: str
) -> None:
    store = Store.create(tmp_path / "store")
    who = entered(model, name)
    assert len(held(store, who)) == 3
    assert held(store, who) == []
    rows = store.query("SELECT * FROM runs")
    assert len(rows) == 4
    told = f"{who[0].label} {rows} {[c.to_json() for c in store.cases()]}"
    assert [word for word in ("swordfish", "sesame") if word in told] == []


def test_an_agent_whose_name_is_no_text_is_kept_by_its_escapes(
    tmp_path: Path, model: ScriptedModel
) -> None:
    store = Store.create(tmp_path / "store")
    (who,) = entered(model, "command:./agent\udcff.sh")
    assert len(held(store, [who])) == 3
    frameworks = {row["framework"] for row in store.query("SELECT framework FROM runs")}
    assert frameworks == {who.label} == {"command:./agent\\udcff.sh"}


def test_the_warm_up_is_not_kept(tmp_path: Path, model: ScriptedModel) -> None:
    HEARD.clear()
    sys.modules.setdefault("arena_listeners", sys.modules[__name__])
    store = Store.create(tmp_path / "store")
    held(store, entered(model, "arena_listeners:listens"), warm_up=True)
    assert HEARD[0] == WARM_UP
    assert HEARD.count(WARM_UP) == 1
    assert store.count() == 4
    assert store.query("SELECT 1 AS found FROM runs WHERE input = $said", said=WARM_UP) == []
    held(store, entered(model, "arena_listeners:listens"), warm_up=True)
    assert HEARD.count(WARM_UP) == 1  # nothing to do, nobody to warm up


def test_who_was_warmed_up_forgets_it(tmp_path: Path, model: ScriptedModel) -> None:
    forgotten: list[str] = []

    async def forget(session_id: str) -> None:
        forgotten.append(session_id)

    adapter = Adapter("keeps", "keeps", "agents", lambda: Remembering(live_server.echo, forget))
    who = [Entrant("keeps", adapter, ModelEndpoint(model.base_url, "scripted-good"))]
    held(Store.create(tmp_path / "store"), who, warm_up=True)
    assert forgotten[0].startswith("warm-up-")


def test_a_store_that_cannot_be_written_ends_the_run_with_a_word(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "store"
    store = Store.create(path)

    async def breaks(turn: Turn, emit: Emit) -> str:
        if path.is_dir():
            path.rename(tmp_path / "away")
            path.write_text("a full disk, as far as the store can tell")
        return await live_server.echo(turn, emit)

    monkeypatch.setattr("tests.arena.live_server.breaks", breaks, raising=False)
    with pytest.raises(AssayError, match=r"cannot be written: .*\. Not kept: 4 turns; when"):
        held(store, entered(model, "tests.arena.live_server:breaks"))


def test_a_turn_ends_at_its_deadline(tmp_path: Path, model: ScriptedModel) -> None:
    store = Store.create(tmp_path / "store")
    suite = Suite("slow", [Task("hang", ["[hang] weather?", "What's the weather in Oslo?"])])
    (found,) = held(store, entered(model, "plain"), deadline=8.0, suite=suite)
    assert found.errors == ["no answer within 8 s"]
    assert found.records[1].case.actual_output is not None
    (row,) = store.query("SELECT actual_output FROM runs WHERE task_id = 'hang.1'")
    assert row["actual_output"] is None


def test_an_agent_that_holds_its_thread_ends_at_its_deadline(
    tmp_path: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "own_agents", live_server)
    who = entered(model, "own_agents:blocks", "own_agents:dies")
    suite = Suite("blocking", [Task("one", ["please block"]), Task("two", ["hello"])])
    found = held(Store.create(tmp_path / "a"), who, deadline=5.0, suite=suite)
    errors = {(c.conversation.entrant, c.conversation.task.id): c.errors for c in found}
    assert errors["own_agents:blocks", "one"] == ["no answer within 5 s"]
    assert errors["own_agents:blocks", "two"] == []
    (died,) = errors["own_agents:dies", "two"]
    assert "tried to end the program" in died


def test_what_was_said_before_the_end_is_kept(tmp_path: Path, model: ScriptedModel) -> None:
    store = Store.create(tmp_path / "store")
    suite = Suite("cut", [Task("cut", ["hello"])])
    name = "tests.arena.live_server:waits"
    (found,) = held(store, entered(model, name), deadline=5.0, suite=suite)
    (case,) = store.cases()
    assert case.extra["error"] == found.errors[0] == "no answer within 5 s"
    assert case.extra["partial_answer"] == "Well, let me think"


@pytest.mark.parametrize(
    ("name", "agent", "asked"),
    [
        ("plain", "plain", "scripted-good"),
        ("plain=scripted-sloppy", "plain", "scripted-sloppy"),
        ("command:env A=1 ./agent.sh", "command:env A=1 ./agent.sh", "scripted-good"),
        ("http://127.0.0.1:1/a?b=c", "http://127.0.0.1:1/a", "scripted-good"),
        ("http://127.0.0.1:1/a=scripted-sloppy", "http://127.0.0.1:1/a", "scripted-sloppy"),
    ],
)
def test_an_agent_may_have_a_model_of_its_own(
    name: str, agent: str, asked: str, model: ScriptedModel
) -> None:
    (found,) = entered(model, name)
    assert (found.label, found.model.name) == (name, asked)
    assert found.adapter.name in {agent, f"http:{agent}"}


@pytest.mark.parametrize(
    ("names", "told"),
    [
        ([], "expected at least one"),
        (["plain", "plain"], "each may enter once"),
        (["plain=gpt-5-mini"], "needs an endpoint: set OPENAI_API_KEY"),
    ],
)
def test_entrants_that_cannot_be(
    names: list[str], told: str, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(InvalidSettings, match=re.escape(told)):
        entered(model, *names)


def test_a_module_that_ends_the_program_is_no_agent(
    model: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ends_at_once.py").write_text("raise SystemExit(0)")
    monkeypatch.syspath_prepend(tmp_path)
    told = r"'ends_at_once' cannot be imported: .* it tried to end the program: SystemExit\(0\)"
    with pytest.raises(InvalidSettings, match=told):
        entered(model, "ends_at_once:agent")


def test_an_unknown_agent_is_named(model: ScriptedModel) -> None:
    with pytest.raises(UnknownName, match="plan"):
        entered(model, "plan")


def test_turns_that_were_kept_without_their_scores_get_them(
    tmp_path: Path, model: ScriptedModel
) -> None:
    whole, killed = Store.create(tmp_path / "whole"), Store.create(tmp_path / "killed")
    who = entered(model, "plain")
    held(whole, who)
    with killed.writer() as writer:  # as being killed before the scores leaves it
        for case in whole.cases():
            writer.add(case)
    assert held(killed, who) == []
    values = "SELECT run_id, value FROM scores JOIN runs USING (run_key) WHERE path = 'chatbot'"
    assert len(killed.query(values)) == 4
    assert sorted(killed.query(values), key=str) == sorted(whole.query(values), key=str)
    batches = len(killed.batches())
    held(killed, who)
    assert len(killed.batches()) == batches  # nothing is left to score


def test_long_data_of_events_is_kept_in_short() -> None:
    found = {"rows": ["x" * 100] * 100}
    short = _kept(Event(0.5, "tool_result", {"tool": "look", "error": None, "result": found}))
    assert short["data"]["tool"] == "look"
    assert short["data"]["error"] is None
    assert short["data"]["result"].startswith('{"rows": ["xxx')
    assert short["data"]["result"].endswith(" … (10,410 letters)")
    assert len(short["data"]["result"]) < 4_100
    small = {"city": "Oslo"}
    assert _kept(Event(0.5, "tool_call", {"arguments": small}))["data"] == {"arguments": small}


def test_an_agent_is_closed_where_the_next_cannot_be_made() -> None:
    closed = threading.Event()

    async def forget(_: str) -> None:
        """Nothing is kept."""

    async def close() -> None:
        closed.set()

    def fails() -> Remembering:
        raise RuntimeError("no licence")

    def entrant(name: str, make: Callable[[], Remembering]) -> Entrant:
        endpoint = ModelEndpoint("http://127.0.0.1:9/v1", "m")
        return Entrant(name, Adapter(name, name, "agents", make), endpoint)

    async def make_both() -> None:
        first = entrant("first", lambda: Remembering(live_server.echo, forget, close))
        async with AsyncExitStack() as stack:
            made_agents(stack, [first, entrant("second", fails)])

    with pytest.raises(AgentFailed, match="'second' cannot be made: RuntimeError: no licence"):
        asyncio.run(make_both())
    assert closed.wait(120)


ASKS = """
import json, os, urllib.request

body = {"model": os.environ["OPENAI_MODEL"], "messages": [{"role": "user", "content": "Oslo?"}]}
request = urllib.request.Request(
    os.environ["OPENAI_BASE_URL"] + "/chat/completions",
    json.dumps(body).encode(),
    {"Content-Type": "application/json"},
)
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"] or "Well.")
"""


@pytest.mark.parametrize(
    ("written", "recorded"), [("print('4 degrees')", None), (ASKS, "scripted-good")]
)
def test_a_run_of_a_command_names_a_model_only_where_it_was_asked(
    written: str, recorded: str | None, tmp_path: Path, model: ScriptedModel
) -> None:
    script = tmp_path / "agent.py"
    script.write_text(written)
    store = Store.create(tmp_path / "store")
    (who,) = entered(model, f"command:{sys.executable} {script}")
    (found,) = held(store, [who], suite=Suite("one", [Task("oslo", ["Oslo?"])]))
    assert found.errors == []
    assert store.query("SELECT model FROM runs") == [{"model": recorded}]
    assert (who.sure_model, who.is_scripted, who.may_ask_script) == (None, False, True)
    assert all(who.is_named(who.label, name) for name in ("", "scripted-good"))
    assert not who.is_named("command:another", "")
