"""Judging by a model from the command line: resumed, paid for once, stopped by its budget."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.command_line import Assay, Done, in_this_process

pytest.importorskip("pydantic_ai", reason="asking a server needs assay[judge]")

from tests.judge.fault_server import GOOD, Answer, Request, chat, refusal, serving
from tests.store.runs import fill, runs

from assay.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from tests.judge.fault_server import FaultServer


GOOD_REPLY = chat(GOOD)


def judge_of(done: Done) -> dict[str, Any]:
    """What the summary tells of the judge."""
    found: dict[str, Any] = done.json["summary"]["judge"]
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("ASSAY_JUDGE", raising=False)
    return tmp_path


def start(*arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "assay", *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def assay(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Assay:
    """The command line in this process: loading the model's client takes seconds."""
    assert folder.exists()
    monkeypatch.setenv("COLUMNS", "120")
    return in_this_process(monkeypatch, capsys)


def write_cases(path: Path, count: int, **fields: object) -> Path:
    lines = [
        {"input": f"This is case number {i}.", "actual_output": "Done.", "run_id": f"r{i}"} | fields
        for i in range(count)
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def by(server: FaultServer, *more: object) -> tuple[object, ...]:
    return ("--judge", "openai:faulty", "--base-url", server.url, *more)


def total(server: FaultServer) -> int:
    return sum(server.asked.values())


def wait_for(server: FaultServer, asked: int) -> None:
    until = time.monotonic() + 120
    while total(server) < asked:
        assert time.monotonic() < until, "nothing was asked"
        time.sleep(0.01)


def test_a_store_is_judged_once(folder: Path, assay: Assay) -> None:
    store = Store.create(folder / "store")
    fill(store, runs(6))
    with serving(lambda _: GOOD_REPLY) as server:
        first = assay("score", "store", *by(server, "--no-cache", "--json"))
        second = assay("score", "store", *by(server, "--no-cache", "--json"))
        assert total(server) == 6
        assert (judge_of(first)["questions"], judge_of(first)["already_scored"]) == (6, 0)
        assert (judge_of(second)["questions"], judge_of(second)["already_scored"]) == (0, 6)
        assert json.loads(first.out)["cases"] == json.loads(second.out)["cases"]
        told = assay("score", "store", *by(server, "--no-cache"))
        assert "6 were scored already and taken from the store" in told.out
        # Other settings are other scores.
        assay("score", "store", *by(server, "--no-cache", "--lang", "zh"))
        assert total(server) == 12
        assay("score", "store", *by(server, "--no-cache", "--lang", "zh", "--again"))
        assert total(server) == 18
    rows = store.query(
        "SELECT DISTINCT run_key, judge, language FROM scores WHERE tree IS NOT NULL"
    )
    assert len(rows) == 6
    assert {row["language"] for row in rows} == {"zh"}
    assert {row["judge"] for row in rows} == {f"openai:faulty at {server.url}"}


def test_a_file_is_judged_once_by_way_of_the_cache(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 5)
    with serving(lambda _: GOOD_REPLY) as server:
        first = assay("score", cases, *by(server))
        assert "5 questions asked, 0 from the cache, 600 tokens, cost unknown" in first.out
        second = assay("score", cases, *by(server))
        assert "0 questions asked, 5 from the cache" in second.out
        assert json.loads(assay("cache", "info", "--json").out)["replies"] == 5
        assert "5 replies" in assay("cache", "clear").out
        assay("score", cases, *by(server, "--no-cache"))
        assert json.loads(assay("cache", "info", "--json").out)["replies"] == 0
    assert total(server) == 10


SLOW = GOOD_REPLY._replace(delay=0.05)


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "kill -9"])
@pytest.mark.parametrize("source", ["runs.jsonl", "store"])
def test_after_an_interruption_only_the_rest_is_asked(
    folder: Path, assay: Assay, kind: signal.Signals, source: str
) -> None:
    write_cases(folder / "runs.jsonl", 60)
    if source == "store":
        assert assay("import", "runs.jsonl", "--store", "store").code == 0
    with serving(lambda _: SLOW) as server:
        process = start("score", source, *by(server, "--concurrency", 4))
        wait_for(server, 20)
        process.send_signal(kind)
        process.communicate(timeout=120)
        done = assay("score", source, *by(server, "--concurrency", 4, "--json"))
    assert done.code == 0
    found = json.loads(done.out)
    assert [row["judged"] for row in found["cases"]] == [pytest.approx(0.7)] * 60
    assert len(server.asked) == 60
    # What was under way when it ended is all that may be asked twice.
    assert total(server) <= 60 + 4


def test_a_budget_that_is_spent_is_said(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 50)
    with serving(lambda _: GOOD_REPLY) as server:
        done = assay("score", cases, *by(server, "--max-tokens", 4000))
        assert done.code == 3
        assert "the budget is spent: run it again with a larger one" in done.out
        assert "not scored: not asked: the next question does not fit into the budget" in done.err
        rest = assay("score", cases, *by(server, "--json"))
    assert rest.code == 0
    assert total(server) == 50


def test_money_without_a_price_is_wrong_usage(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 1)
    with serving(lambda _: GOOD_REPLY) as server:
        done = assay("score", cases, *by(server, "--max-cost", 2))
    assert done.code == 2
    assert "--max-cost: nobody knows what openai:faulty" in done.err
    assert "Limit the tokens by --max-tokens" in " ".join(done.err.split())
    assert total(server) == 0


def test_what_cannot_be_scored_is_counted_with_its_reason(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 3)
    with serving(lambda _: refusal(401)) as server:
        done = assay("score", cases, *by(server))
    assert done.code == 3
    assert "3 not scored: openai:faulty" in done.err
    assert "0 scored, no score, 3 failed" in done.out


def opinionated(request: Request) -> Answer:
    """Two models that agree about every case but the last."""
    mark = 3 + request.case % 6
    if request.body["model"] == "strict" and request.case == 7:
        mark = 1
    return chat(json.dumps(dict.fromkeys(json.loads(GOOD), mark)))


def test_a_jury_says_how_far_it_agrees(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 8)
    with serving(opinionated) as server:
        done = assay(
            "score", cases, "--jury", "openai:mild,openai:strict", "--base-url", server.url
        )
        # They differ by 3 on 6 of 48 units: 1 - 1.125 / 7.887, worked out from the squares.
        assert "jury: alpha (interval) is 0.857 (95 % interval" in done.out
        found = assay(
            "score",
            cases,
            "--jury",
            "openai:mild,openai:strict",
            "--base-url",
            server.url,
            "--json",
        )
    assert judge_of(found)["agreement"]["units"] == 48
    # One case of eight: a third of all samples of cases lack it and are of one mind.
    assert judge_of(found)["agreement"]["high"] == 1.0
    assert judge_of(found)["agreement"]["low"] < 0.5
    assert judge_of(found)["judge"].startswith("jury of openai:mild")
    assert total(server) == 16


def test_a_juror_that_was_lost_is_asked_again(folder: Path, assay: Assay) -> None:
    write_cases(folder / "runs.jsonl", 4)
    assert assay("import", "runs.jsonl", "--store", "store").code == 0
    broken = True

    def script(request: Request) -> Answer:
        lost = broken and request.body["model"] == "strict" and request.case == 2
        return refusal(401) if lost else GOOD_REPLY

    with serving(script) as server:
        jury = ("--jury", "openai:mild,openai:strict", "--base-url", server.url)
        first = assay("score", "store", *jury)
        assert first.code == 3
        assert "1 judged by an incomplete jury, and not kept so: run it again" in first.out
        assert len(Store(folder / "store").query("SELECT DISTINCT run_key FROM scores")) == 3
        broken = False
        asked = total(server)
        second = assay("score", "store", *jury, "--json")
        assert total(server) - asked == 1
    assert second.code == 0
    assert judge_of(second)["incomplete_juries"] == 0
    assert judge_of(second)["already_scored"] == 3
    assert len(Store(folder / "store").query("SELECT DISTINCT run_key FROM scores")) == 4


def test_the_median_of_a_jury_is_another_score(folder: Path, assay: Assay) -> None:
    write_cases(folder / "runs.jsonl", 1)
    assert assay("import", "runs.jsonl", "--store", "store").code == 0

    def script(request: Request) -> Answer:
        mark = {"a": 2, "b": 8, "c": 8}[request.body["model"]]
        return chat(json.dumps(dict.fromkeys(json.loads(GOOD), mark)))

    with serving(script) as server:
        jury = ("--jury", "openai:a,openai:b,openai:c", "--base-url", server.url, "--json")
        middle = assay("score", "store", *jury)
        median = assay("score", "store", *jury, "--jury-verdict", "median")
    assert json.loads(middle.out)["cases"][0]["judged"] == pytest.approx(0.6)
    assert json.loads(median.out)["cases"][0]["judged"] == pytest.approx(0.8)


def test_a_judge_of_the_same_family_is_warned_of(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 3, model="gpt-5-mini")
    with serving(lambda _: chat(GOOD, model="gpt-4o")) as server:
        done = assay("score", cases, "--judge", "openai:gpt-4o", "--base-url", server.url)
    assert done.err.count("warning: The judge (gpt-4o) and the agent's model (gpt-5-mini)") == 1


def test_show_prints_what_is_asked(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 2)
    asked: list[str] = []

    def listen(request: Request) -> Answer:
        asked.append(request.body["messages"][0]["content"])
        return GOOD_REPLY

    with serving(listen) as server:
        assay("score", cases, *by(server, "--concurrency", 1))
    assert assay("judge", "show", cases, "--run", "r1").out == asked[1] + "\n"
    assert assay("judge", "show", cases).out == asked[0] + "\n"
    shown = json.loads(assay("judge", "show", cases, "--judge-runs", 3, "--json").out)
    assert [question["run"] for question in shown["questions"]] == [0, 1, 2]
    assert assay("judge", "show", cases, "--lang", "zh").out != asked[0] + "\n"
    assert "No run named 'r9'. Known: r0, r1." in assay("judge", "show", cases, "--run", "r9").err


def test_without_a_model_nobody_is_paid(folder: Path, assay: Assay) -> None:
    cases = write_cases(folder / "runs.jsonl", 2)
    done = assay("score", cases, "--json")
    assert (judge_of(done)["judge"], judge_of(done)["questions"]) == ("evidence", 0)
    assert not (folder / "cache").exists()
    none = assay("score", cases, "--judge", "none", "--json")
    assert judge_of(none)["judge"] is None
    wrong = assay("score", cases, "--judge", "nobody:knows")
    assert wrong.code == 2
    assert "No model provider named 'nobody'" in wrong.err


def test_a_store_that_cannot_be_written_is_still_scored(folder: Path, assay: Assay) -> None:
    store = Store.create(folder / "store")
    fill(store, runs(2))
    (folder / "store" / "writing").rename(folder / "elsewhere")
    (folder / "store" / "writing").write_text("")
    done = assay("score", "store")
    assert "2 scored" in done.out
    assert "the last scores are not kept: Not a directory" in done.err
    assert done.code == 3


def test_a_file_says_what_tasks_expect(folder: Path, assay: Assay) -> None:
    write_cases(folder / "runs.jsonl", 2, task_id="t", actual_output="It costs 42 euros.")
    assert assay("import", "runs.jsonl", "--store", "store").code == 0
    expected = folder / "expect.json"
    scores = []
    for price in ("43", "42"):
        expected.write_text(json.dumps({"t": {"answer": [price]}}))
        arguments = ("--metric", "effect_match", "--expect", expected, "--json")
        for source in ("runs.jsonl", "store", "store"):
            done = assay("score", source, *arguments)
            scores.append([row["score"] for row in json.loads(done.out)["cases"]])
    assert scores == [[0.0, 0.0]] * 3 + [[1.0, 1.0]] * 3
    assert judge_of(done)["already_scored"] == 2
