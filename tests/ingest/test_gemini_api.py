"""Contents of the Gemini API, and the session files of Qwen Code that are made of them."""

from __future__ import annotations

from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.claude_code import CLAUDE_CODE
from assay.ingest.formats import pick_format
from assay.ingest.gemini_api import CODE_OUTCOMES, GEMINI_API, MEDIA
from assay.ingest.gemini_cli import HARNESS_PREFIXES
from assay.ingest.qwen_code import API_ERROR, QWEN_CODE, STATUSES
from assay.run import Usage

SCHEMA = {"type": "OBJECT", "properties": {"type": {"type": "STRING"}}}
TOOLS = [{"functionDeclarations": [{"name": "rain", "parameters": SCHEMA}]}]


def called(city: str) -> dict[str, Any]:
    return {"functionCall": {"name": "rain", "args": {"city": city}}}


def gave(**response: Any) -> dict[str, Any]:
    return {"functionResponse": {"name": "rain", "response": response}}


ASKED = {"role": "user", "parts": [{"text": "Rain?"}]}
CALLED = {
    "role": "model",
    "parts": [{"text": "hm", "thought": True}, called("Oslo"), called("X")],
}
GIVEN = {"role": "user", "parts": [gave(output="yes"), gave(error="no X")]}
ANSWERED = {"role": "model", "parts": [{"text": "Yes.", "thoughtSignature": "s"}]}
CONTENTS = [ASKED, CALLED, GIVEN, ANSWERED]
COUNTS = {"promptTokenCount": 9, "candidatesTokenCount": 3, "thoughtsTokenCount": 2}
RESPONSE = {
    "candidates": [{"content": ANSWERED}],
    "usageMetadata": COUNTS,
    "modelVersion": "gemini-x",
}


def in_snake_case(content: dict[str, Any]) -> dict[str, Any]:
    """As Python's SDK writes it: other names, and everything that is missing as null."""
    renamed = {"functionCall": "function_call", "functionResponse": "function_response"}
    parts = [
        {"inline_data": None, "text": None} | {renamed.get(k, k): v for k, v in part.items()}
        for part in content["parts"]
    ]
    return {**content, "parts": parts}


FORMS: dict[str, Any] = {
    "a list": CONTENTS,
    "lines": tuple(CONTENTS),
    "a request": {"contents": CONTENTS, "tools": TOOLS},
    "a request with its response": {"contents": CONTENTS[:3], **RESPONSE},
    "a pair": {"request": {"contents": CONTENTS[:3]}, "response": RESPONSE},
    "a chat's history": {"model": "gemini-x", "history": CONTENTS},
    "Python's names": [in_snake_case(content) for content in CONTENTS],
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_tells_the_same_run(form: Any) -> None:
    made_up = recording(form, "c.jsonl" if isinstance(form, tuple) else "c.json")
    assert pick_format(made_up)[0] is GEMINI_API
    run = read_one(GEMINI_API, made_up)
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    assert [(c.parameters, c.turn, c.reported_success, c.error_message) for c in run.calls] == [
        ({"city": "Oslo"}, 1, None, None),
        ({"city": "X"}, 1, False, "no X"),
    ]
    assert run.conversation_history is not None
    assert run.conversation_history[1]["reasoning"] == "hm"
    assert "unread_parts" not in run.extra


@pytest.mark.parametrize("prefix", HARNESS_PREFIXES)
def test_what_gemini_cli_says_in_the_users_name_is_no_question(prefix: str) -> None:
    setup = {"role": "user", "parts": [{"text": f"{prefix} …"}]}
    run = read_one(GEMINI_API, recording([setup, *CONTENTS]))
    assert run.input == "Rain?"


def test_what_stands_beside_the_contents() -> None:
    whole = {"contents": CONTENTS, "tools": TOOLS, "systemInstruction": {"parts": [{"text": "Be"}]}}
    run = read_one(GEMINI_API, recording({**whole, **RESPONSE, "contents": CONTENTS[:3]}))
    assert run.usage == Usage(input_tokens=9, output_tokens=3, reasoning_tokens=2)
    assert run.model == "gemini-x"
    lower = {"type": "object", "properties": {"type": {"type": "string"}}}
    assert run.available_tools == [{"name": "rain", "parameters": lower}]
    assert run.conversation_history is not None
    assert run.conversation_history[0] == {"role": "system", "content": "Be"}


@pytest.mark.parametrize(("outcome", "meaning"), CODE_OUTCOMES.items())
def test_code_that_the_provider_ran_is_a_call(outcome: str, meaning: object) -> None:
    ran = {"executableCode": {"language": "PYTHON", "code": "1"}}
    done = {"codeExecutionResult": {"outcome": outcome, "output": "1"}}
    (call,) = read_one(
        GEMINI_API, recording([ASKED, {"role": "model", "parts": [ran, done]}])
    ).calls
    assert (call.tool, call.result, call.reported_success) == ("code_execution", "1", meaning)


@pytest.mark.parametrize("kind", MEDIA)
def test_every_medium_shows_that_it_was_there(kind: str) -> None:
    asked = {"role": "user", "parts": [{kind: {"data": "x"}}]}
    assert read_one(GEMINI_API, recording([asked, CALLED])).input == "[file]"


def test_unknown_parts_are_counted() -> None:
    odd = {"role": "model", "parts": [{"hologram": {}, "text": None}]}
    assert read_one(GEMINI_API, recording([ASKED, CALLED, odd])).extra == {
        "unread_parts": {"hologram": 1}
    }


def record(kind: str, second: int, message: Any, **facts: Any) -> dict[str, Any]:
    at = f"2026-01-01T00:00:0{second}.000Z"
    return {"sessionId": "s", "timestamp": at, "type": kind, "message": message, **facts}


def session(status: str = "error") -> tuple[dict[str, Any], ...]:
    asked = {"functionCall": {"id": "c", "name": "shell", "args": {"command": "ls"}}}
    given = {"functionResponse": {"id": "c", "name": "shell", "response": {"output": "no"}}}
    return (
        record("user", 0, ASKED),
        record(
            "assistant", 1, {"role": "model", "parts": [asked]}, usageMetadata=COUNTS, model="q"
        ),
        record(
            "tool_result", 3, {"role": "user", "parts": [given]}, toolCallResult={"status": status}
        ),
        {"sessionId": "s", "type": "system", "subtype": "ui_telemetry"},
        record("assistant", 4, ANSWERED, usageMetadata=COUNTS, model="q"),
    )


@pytest.mark.parametrize(("status", "meaning"), STATUSES.items())
def test_a_session_of_qwen_code(status: str, meaning: object) -> None:
    made_up = recording(session(status), "s.jsonl")
    assert pick_format(made_up)[0] is QWEN_CODE
    run = read_one(QWEN_CODE, made_up)
    (call,) = run.calls
    assert (call.tool, call.reported_success) == ("shell", meaning)
    assert call.started_at is not None
    assert call.ended_at == call.started_at + 2
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Yes.", "q")
    assert run.usage == Usage(input_tokens=18, output_tokens=6, reasoning_tokens=4)


def test_a_session_of_qwen_code_that_the_api_refused_has_failed() -> None:
    told = {"event.name": API_ERROR, "error_message": "too long"}
    refused = {**session()[-1], "type": "system", "systemPayload": {"uiEvent": told}}
    refused.pop("message")
    outcome = read_one(QWEN_CODE, recording((*session(), refused))).outcome
    assert outcome is not None
    assert (outcome.success, outcome.reason) == (False, "too long")
    assert read_one(QWEN_CODE, recording((refused, *session()))).outcome is None


def test_what_qwen_code_prints_is_its_own() -> None:
    used = {"type": "tool_use", "id": "t", "name": "shell", "input": {}}
    lines = (
        {"type": "system", "subtype": "init", "session_id": "s", "qwen_code_version": "0.5"},
        {
            "type": "assistant",
            "session_id": "s",
            "parent_tool_use_id": None,
            "message": {"id": "m", "role": "assistant", "content": [used]},
        },
    )
    run = read_one(CLAUDE_CODE, recording(lines))
    assert (run.framework, [c.tool for c in run.calls]) == ("qwen-code", ["shell"])


def test_strangers_are_reported() -> None:
    assert problems(QWEN_CODE, recording((*session(), {"x": 1}))) == [
        "log.json:6: expected a record of Qwen Code, got dict {'x': 1}"
    ]
    assert problems(GEMINI_API, recording((*CONTENTS, {"x": 1}))) == [
        "log.json:5: expected contents of the Gemini API, got dict {'x': 1}"
    ]


def pair(contents: list[Any], reply: Any) -> dict[str, Any]:
    response = {"candidates": [{"content": reply}], "usageMetadata": COUNTS}
    return {"request": {"contents": contents}, "response": response}


def test_requests_of_one_conversation_are_one_run() -> None:
    without_thought = {**CALLED, "parts": CALLED["parts"][1:]}
    later = pair([ASKED, without_thought, GIVEN], ANSWERED)
    run = read_one(GEMINI_API, recording((pair([ASKED], CALLED), later)))
    assert [c.reported_success for c in run.calls] == [None, False]
    assert run.actual_output == "Yes."
    assert run.usage == Usage(18, 6, reasoning_tokens=4)


def test_conversations_that_only_begin_alike_are_kept_apart() -> None:
    lines = ({"contents": [ASKED]}, {"contents": CONTENTS}, {"contents": CONTENTS})
    assert [len(run.calls) for run in read(GEMINI_API, recording(lines))] == [0, 2, 2]


def piece(*parts: Any, count: int, own_id: str | None = "x") -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": [*parts]}} if parts else {}
    usage = {"usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": count}}
    return {"candidates": [candidate], "responseId": own_id, "modelVersion": "gemini-x", **usage}


PIECES = [
    piece({"text": "I "}, count=1),
    piece({"text": "look."}, called("Oslo"), count=4),
    piece(count=5),
]


@pytest.mark.parametrize(
    "form",
    [PIECES, tuple(PIECES), {"request": {"contents": [ASKED]}, "response": PIECES}],
    ids=["a list", "lines", "a pair"],
)
def test_pieces_of_a_response_are_one(form: Any) -> None:
    made_up = recording(form, "p.jsonl" if isinstance(form, tuple) else "p.json")
    assert pick_format(made_up)[0] is GEMINI_API
    run = read_one(GEMINI_API, made_up)
    assert [c.parameters for c in run.calls] == [{"city": "Oslo"}]
    assert run.conversation_history is not None
    assert run.conversation_history[-1]["content"] == "I look."
    assert (run.model, run.usage) == ("gemini-x", Usage(9, 5))


def test_responses_are_told_apart_by_id_or_by_their_end() -> None:
    named = (PIECES[0], piece({"text": "b"}, count=1, own_id="y"))
    assert len(read(GEMINI_API, recording(named))) == 2
    last = piece({"text": "a"}, count=1, own_id=None)
    last["candidates"][0]["finishReason"] = "STOP"
    assert len(read(GEMINI_API, recording((last, last)))) == 2
