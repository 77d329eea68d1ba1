"""Answers that a framework and the provider's SDK record in traces of their own count once."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
from tests.ingest.reading import read, recording

from assay.ingest import span_echoes
from assay.ingest.otel import OTEL

START = 1_767_225_600
QUESTION = {"role": "user", "content": "Rain?"}
SAID = {"role": "assistant", "content": "Yes."}
ASKED = {
    "role": "assistant",
    "tool_calls": [{"id": "c", "function": {"name": "rain", "arguments": "{}"}}],
}


def span(trace: str, name: str, at: float, took: float, **attributes: Any) -> dict[str, Any]:
    return {
        "trace_id": trace,
        "span_id": f"{trace}-{name}",
        "parent_span_id": None if name in {"agent", "sdk"} else f"{trace}-agent",
        "name": name,
        "start_time": START + at,
        "end_time": START + at + took,
        "scope": name,
        "attributes": {f"gen_ai.{key.replace('__', '.')}": v for key, v in attributes.items()},
    }


def chat(
    trace: str, name: str, at: float, took: float, *said: Any, tokens: int = 7
) -> dict[str, Any]:
    told = {"input__messages": [QUESTION], "output__messages": list(said)} if said else {}
    about = {"operation__name": "chat", "usage__output_tokens": tokens}
    return span(trace, name, at, took, **about, **told)


AGENT = span("t", "agent", 0, 9, operation__name="invoke_agent")
WITHIN = chat("t", "model", 1, 2, ASKED)


def ids(*spans: dict[str, Any]) -> list[str]:
    return sorted(str(run.run_id) for run in read(OTEL, recording(spans)))


@pytest.mark.parametrize("said", [(ASKED,), ()], ids=["same words", "no words"])
def test_an_echo_is_no_run_wherever_it_stands(said: tuple[Any, ...]) -> None:
    echo = chat("u", "sdk", 1.5, 1, *said)
    for spans in permutations((AGENT, WITHIN, echo)):
        assert ids(*spans) == ["t"]


@pytest.mark.parametrize(
    "other",
    [
        chat("u", "sdk", 1.5, 1, SAID),
        chat("u", "sdk", 1.5, 1, tokens=8),
        chat("u", "sdk", 2.5, 1, ASKED),
        chat("u", "sdk", 5, 1, ASKED),
        {**chat("u", "sdk", 1.5, 1, ASKED), "scope": "model"},
    ],
    ids=["other words", "other tokens", "longer", "later", "same writer"],
)
def test_other_answers_are_runs(other: dict[str, Any]) -> None:
    assert ids(AGENT, WITHIN, other) == ids(other, AGENT, WITHIN) == ["t", "u"]


def test_a_trace_with_more_than_an_answer_is_no_echo() -> None:
    work = (span("u", "agent", 1.5, 1, operation__name="invoke_agent"), chat("u", "m", 1.6, 0.5))
    assert ids(AGENT, WITHIN, *work) == ["t", "u"]


def test_of_two_lone_answers_the_inner_is_the_echo() -> None:
    outer, inner = chat("t", "sdk", 1, 2, SAID), chat("u", "sdk", 1.5, 1, SAID)
    inner["scope"] = "other"
    assert ids(outer, inner) == ids(inner, outer) == ["t"]


def test_of_two_lone_answers_that_took_the_same_time_one_is_a_run() -> None:
    one, other = chat("t", "sdk", 1, 2, SAID), chat("u", "sdk", 1, 2, SAID)
    other["scope"] = "other"
    assert ids(one, other) == ids(other, one) == ["u"]


@pytest.mark.parametrize("missing", ["times", "tokens"])
def test_what_does_not_say_when_or_what_is_no_echo(missing: str) -> None:
    one, other = chat("t", "sdk", 1, 2), chat("u", "sdk", 1.5, 1)
    other["scope"] = "other"
    for lone in (one, other):
        if missing == "tokens":
            del lone["attributes"]["gen_ai.usage.output_tokens"]
        else:
            lone["start_time"] = lone["end_time"] = None
    assert ids(one, other) == ["t", "u"]


def test_many_answers_of_one_second_take_no_longer_than_others() -> None:
    words = ({"role": "assistant", "content": str(i)} for i in range(3000))
    compared = 0

    def counted(self: Any, other: Any) -> bool:
        nonlocal compared
        compared += 1
        return False

    lone = [chat(f"u{i}", "sdk", 0, 0.5, said) for i, said in enumerate(words)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(span_echoes._Answer, "echoes", counted)
        assert len(ids(*lone)) == len(lone)
    assert compared < 2 * len(lone)


def test_so_many_are_held_back_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(span_echoes, "_MOST_HELD", 2)
    lone = [chat(f"u{i}", "sdk", i, 1, SAID) for i in range(5)]
    assert ids(*lone) == [f"u{i}" for i in range(5)]
    monkeypatch.setattr(span_echoes, "_MOST_KNOWN", 0)
    assert ids(AGENT, WITHIN, chat("u", "sdk", 1.5, 1, ASKED)) == ["t", "u"]
