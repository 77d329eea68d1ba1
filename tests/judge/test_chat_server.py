"""A server of one's own, asked directly: what odd replies and refusals come to."""

from __future__ import annotations

import asyncio
import json

import pytest

pytest.importorskip("httptools", reason="needs the extra judge")

from tests.judge.fault_server import USAGE, Answer, chat, serving

from assay.errors import JudgeUnavailable
from assay.judge.exchange import Question, Reply
from assay.judge.model_asking import model_ask
from assay.judge.model_names import KEY_VARIABLE, address_of

KEY = "key-of-twenty-letters"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY_VARIABLE, KEY)


def asked_at(url: str) -> Reply:
    async def ask() -> Reply:
        return await model_ask(address_of("m", url))(Question("Why?"))

    return asyncio.run(ask())


def reply_to(answer: Answer) -> Reply:
    with serving(lambda _: answer) as server:
        return asked_at(server.url)


def refusal_of(answer: Answer) -> JudgeUnavailable:
    with pytest.raises(JudgeUnavailable) as found:
        reply_to(answer)
    return found.value


COUNTS = {
    "as they are": (USAGE, (100, 20)),
    "with a point": (USAGE | {"prompt_tokens": 100.0}, (100, 20)),
    "as words": (USAGE | {"prompt_tokens": "many"}, (0, 20)),
    "below nothing": (USAGE | {"prompt_tokens": -5}, (0, 20)),
    "beyond measure": (USAGE | {"prompt_tokens": 10**40}, (0, 20)),
    "of nothing": ({"prompt_tokens": 0, "completion_tokens": None}, (None, None)),
    "as a list": ([1, 2], (None, None)),
    "not at all": (None, (None, None)),
}


@pytest.mark.parametrize("kind", COUNTS)
def test_a_reply_is_read_however_its_tokens_are_counted(kind: str) -> None:
    usage, tokens = COUNTS[kind]
    reply = reply_to(chat("Because.", usage=usage))
    assert reply.content == "Because."
    assert (reply.input_tokens, reply.output_tokens) == tokens


def test_every_status_of_success_is_one() -> None:
    assert reply_to(chat("Because.")._replace(status=201)).content == "Because."


DEEP = b"[" * 100_000
MISREAD = {
    "nothing": b"",
    "no JSON": b"<html>",
    "no choices": b'{"choices": []}',
    "too deep": b'{"choices": ' + DEEP,
    "too deep beside it": chat("Because.").body[:-1] + b', "more": ' + DEEP,
}


@pytest.mark.parametrize("kind", MISREAD)
def test_a_reply_in_no_known_form_is_worth_another_try(kind: str) -> None:
    problem = refusal_of(Answer(MISREAD[kind]))
    assert problem.retryable
    assert "a reply in no known form" in str(problem)


def test_a_refusal_of_any_form_is_told() -> None:
    problem = refusal_of(Answer(DEEP, 400))
    assert "status 400: str '[[[[" in str(problem)
    assert not problem.retryable


WAITS = {
    "5": 5.0,
    "-5": 0.0,
    "1e999": float("inf"),
    "Mon, 16 Nov 1998 10:00:00 GMT": 0.0,
    "Mon, 16 Nov 1998 10:00:00 +99999999999999999999": None,
    "soon": None,
    "": None,
}


@pytest.mark.parametrize("asked_to", WAITS)
def test_how_long_to_wait_is_read_from_whatever_is_said(asked_to: str) -> None:
    problem = refusal_of(Answer(b"{}", 429, (f"Retry-After: {asked_to}",)))
    assert (problem.retryable, problem.retry_after) == (True, WAITS[asked_to])


def test_being_sent_elsewhere_says_where_to_ask() -> None:
    problem = refusal_of(Answer(b"", 308, ("Location: https://models.example/v1",)))
    assert "it sends us to str 'https://models.example/v1'" in str(problem)
    assert "base_url" in str(problem)


@pytest.mark.parametrize("before", range(20, 80, 6))
def test_no_part_of_a_key_is_told_where_a_long_refusal_is_cut(before: int) -> None:
    said = json.dumps({"error": {"message": "x" * before + KEY + "y" * 99}}).encode()
    assert "key-" not in str(refusal_of(Answer(said, 401)))


def test_an_address_that_no_network_knows_is_told_as_such() -> None:
    with pytest.raises(JudgeUnavailable, match="Connection error"):
        asked_at(f"http://{'long' * 20}.example/v1")
