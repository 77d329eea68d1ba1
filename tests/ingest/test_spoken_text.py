"""Conversations that are one text are told as messages."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import read, recording

from assay.ingest.formats import pick_format
from assay.ingest.generic import GENERIC
from assay.ingest.spoken_text import SPEAKERS, TEXT_KEYS, messages_in

CHAT = """USER: Rain in Oslo?


ASSISTANT: <functioncall> {"name": "look", "arguments": '{"city": "Oslo"}'} <|endoftext|>


FUNCTION RESPONSE: {"sky": "grey"}


ASSISTANT: Yes.
USER: is what you said. <|endoftext|>
"""


@pytest.mark.parametrize("key", TEXT_KEYS)
def test_a_text_with_speakers_is_a_run(key: str) -> None:
    made_up = recording(
        [{"system": "SYSTEM: Help.", key: CHAT}, {key: CHAT.replace("Oslo", "Rome")}]
    )
    assert pick_format(made_up)[0] is GENERIC
    runs = read(GENERIC, made_up)
    assert [run.input for run in runs] == ["Rain in Oslo?", "Rain in Rome?"]
    assert [(c.tool, c.parameters, c.result) for c in runs[0].calls] == [
        ("look", {"city": "Oslo"}, '{"sky": "grey"}')
    ]


@pytest.mark.parametrize("speaker", SPEAKERS)
def test_every_speaker_is_known(speaker: str) -> None:
    told = messages_in(f"USER: a\nASSISTANT: b <|endoftext|>\n{speaker}: c\nd")
    assert told[-1] == {"role": SPEAKERS[speaker], "content": "c\nd"}
    assert told[1] == {"role": "assistant", "content": "b"}


@pytest.mark.parametrize("text", [None, 1, "", "USER: alone", "a USER: b ASSISTANT: c", ["USER:"]])
def test_other_texts_are_no_conversation(text: Any) -> None:
    assert messages_in(text) == []


SAID = {
    "function-call": '{"name": "look", "arguments": \'{"city": "Oslo"}\'}',
    "tool-call": '{"name": "look", "arguments": {"city": "Oslo"}}',
}


@pytest.mark.parametrize("speaker", SAID)
@pytest.mark.parametrize("answer", ["function-response", "tool_response"])
def test_calls_and_results_have_speakers_of_their_own(speaker: str, answer: str) -> None:
    said = (("human", "Rain?"), (speaker, SAID[speaker]), (answer, "grey"), ("gpt", "Yes."))
    told = [{"from": who, "value": words} for who, words in said]
    (run,) = read(GENERIC, recording([{"conversations": told}]))
    assert [(c.tool, c.parameters, c.result) for c in run.calls] == [
        ("look", {"city": "Oslo"}, "grey")
    ]
