"""Answers of ToolBench: chains, trees and converted ones tell the same calls."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.toolbench import GOOD_CODES, TOOLBENCH

FINISH = '{"return_type": "give_answer", "final_answer": "It rains."}'
TOOLS = [{"name": "rain", "description": "d", "parameters": {"type": "object", "properties": {}}}]
ANSWERED = {"query": "Rain?", "final_answer": FINISH, "function": TOOLS, "total_tokens": 9}


def node(kind: str, words: str, *children: Any, **more: Any) -> dict[str, Any]:
    return {"node_type": kind, "description": words, "children": [*children], **more}


def called(tool: str, sent: str, came: str, code: int, *children: Any) -> dict[str, Any]:
    done = node("Action Input", sent, *children, observation=came, observation_code=code)
    return node("Action", tool, done)


def flat(nodes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for n in nodes for part in (n, *flat(n["children"]))]


BROKEN = called("rain", '{"city": "X"}', '{"error": "down", "response": ""}', 12)
LAST = called("Finish", FINISH, "given", 3)
GOOD = called("rain", '{"city": "Oslo"}', '{"error": "", "response": "yes"}', 0, LAST)
TREE = node("Action Input", "", node("Thought", "I look.", BROKEN, GOOD))
CHAIN = [{k: v for k, v in n.items() if k != "children"} for n in flat(TREE["children"])]
RAW = {
    "chain": {"win": True, "trys": [{"chain": CHAIN}], "answer_generation": ANSWERED},
    "tree": {"win": True, "tree": {"size": 7, "tree": TREE}, "answer_generation": ANSWERED},
}


def detail(tool: str, sent: str, came: str, *following: Any) -> dict[str, Any]:
    told = {"name": tool, "arguments": sent, "response": came}
    return {"role": "tool", "message": told, "next": [*following]}


ENDED = detail("Finish", FINISH, "")
FOUND = detail("rain", '{"city": "Oslo"}', '{"error": "", "response": "yes"}', ENDED)
MISSED = detail("rain", '{"city": "X"}', '{"error": "down", "response": ""}', FOUND)
SAID = {"role": "assistant", "message": "I look.", "next": [MISSED]}
CONVERTED = {
    "query": "Rain?",
    "available_tools": TOOLS,
    "answer": {
        "method": "CoT@1",
        "final_answer": FINISH,
        "answer_details": [{"role": "system", "message": "", "next": [SAID]}],
    },
}


@pytest.mark.parametrize("told", [*RAW.values(), CONVERTED], ids=[*RAW, "converted"])
def test_an_answer_is_a_run(told: dict[str, Any]) -> None:
    assert pick_format(recording(told, "588_CoT@1.json")) == (TOOLBENCH, 0.95)
    run = read_one(TOOLBENCH, recording(told, "588_CoT@1.json"))
    first, second, third = run.calls
    assert (run.input, run.actual_output) == ("Rain?", "It rains.")
    assert (first.tool, first.parameters, first.reported_success) == ("rain", {"city": "X"}, False)
    assert (second.parameters, second.reported_success) == ({"city": "Oslo"}, True)
    assert (third.tool, run.available_tools) == ("Finish", TOOLS)


def test_a_file_names_its_task_and_method() -> None:
    run = read_one(TOOLBENCH, recording(RAW["tree"], "answers/588_DFS_woFilter_w2.json"))
    assert (run.task_id, run.extra["method"]) == ("588", "DFS_woFilter_w2")
    assert (run.extra["win"], run.outcome) == (True, None)


def test_each_chain_that_was_tried_is_an_attempt() -> None:
    tried = {**RAW["chain"], "trys": [{"chain": CHAIN[:3]}, {"chain": CHAIN}]}
    runs = read(TOOLBENCH, recording(tried))
    assert [(run.attempt, len(run.calls), run.actual_output) for run in runs] == [
        (1, 1, None),
        (2, 3, "It rains."),
    ]


def test_converted_answers_stand_by_their_tasks() -> None:
    runs = read(TOOLBENCH, recording({"1073": CONVERTED, "588": CONVERTED}))
    assert [run.task_id for run in runs] == ["1073", "588"]


@pytest.mark.parametrize("code", [*sorted(GOOD_CODES), 1, 12, None])
def test_every_code(code: int | None) -> None:
    chain = [node("Action", "f"), node("Action Input", "{}", observation="x")]
    chain[1]["observation_code"] = code
    run = read_one(TOOLBENCH, recording({**RAW["chain"], "trys": [{"chain": chain}]}))
    assert run.calls[0].reported_success is (None if code is None else code in GOOD_CODES)


def test_a_call_of_a_chain_may_have_no_input() -> None:
    chain = [node("Action", "f"), node("Action Input", "", observation="x")]
    run = read_one(TOOLBENCH, recording({**RAW["chain"], "trys": [{"chain": chain}]}))
    assert [(call.tool, call.parameters, call.result) for call in run.calls] == [("f", {}, "x")]


def test_other_documents_are_named_and_deep_trees_are_borne() -> None:
    assert TOOLBENCH.recognise(recording({"answer_generation": {"query": "x"}})) == 0.0
    assert len(problems(TOOLBENCH, recording((RAW["chain"], {"trys": []})))) == 1
    wide = node("Action", "f", *[node("Action Input", "{}")] * 20_000)
    begun = process_time()
    run = read_one(TOOLBENCH, recording({**RAW["tree"], "tree": {"tree": wide}}))
    assert len(run.calls) == 20_000
    assert process_time() - begun < 5
