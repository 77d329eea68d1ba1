"""OpenCode's sessions, whether exported, listed or sent as events."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read_one, recording

from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.opencode import OPENCODE, SIDE_PARTS
from assay.ingest.reading import read_runs
from assay.ingest.recording import FilePlace, Recording
from assay.run import Usage
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

START = 1_767_225_600


def part(own_id: str, kind: str, message: str = "m2", **facts: Any) -> dict[str, Any]:
    return {"id": own_id, "sessionID": "s", "messageID": message, "type": kind, **facts}


def tool(own_id: str, name: str, **state: Any) -> dict[str, Any]:
    times = {"start": (START + 1) * 1000, "end": (START + 3) * 1000}
    told = {"input": {"a": 1}, "time": times, **state}
    return part(own_id, "tool", callID=own_id, tool=name, state=told)


def tokens(count: int) -> dict[str, Any]:
    return {"input": count, "output": 1, "reasoning": 0, "cache": {"read": 2, "write": 3}}


ASKED = [
    part("p1", "text", "m1", text="List"),
    part("p2", "text", "m1", text="Mind the rules.", synthetic=True),
]
DONE = [
    part("p3", "step-start"),
    part("p4", "reasoning", text="hm"),
    part("p5", "text", text="I look."),
    tool("c1", "bash", status="completed", output="no", metadata={"exit": 2}),
    tool("c2", "read", status="error", error="gone"),
    tool("c3", "glob", status="completed", output="a.py"),
    part("p6", "step-finish", cost=0.25, tokens=tokens(10)),
    part("p7", "step-start"),
    part("p8", "text", text="One file."),
    part("p9", "step-finish", cost=0.5, tokens=tokens(20)),
]
INFOS = [
    {"id": "m1", "sessionID": "s", "role": "user", "model": {"modelID": "m"}},
    {"id": "m2", "sessionID": "s", "role": "assistant", "modelID": "m", "tokens": tokens(30)},
]
MESSAGES = [{"info": INFOS[0], "parts": ASKED}, {"info": INFOS[1], "parts": DONE}]
ABOUT = {
    "id": "s",
    "title": "List",
    "directory": "/w",
    "time": {"created": START * 1000, "updated": (START + 9) * 1000},
}
SENT = [
    {"type": "session.updated", "properties": {"info": ABOUT}},
    *({"type": "message.updated", "properties": {"info": info}} for info in INFOS),
    *(
        {"type": "message.part.updated", "properties": {"part": told}}
        for told in (*ASKED, *DONE[:3], {**DONE[3], "state": {"status": "running"}}, *DONE[3:])
    ),
]
FORMS: dict[str, Any] = {
    "an export": {"info": ABOUT, "messages": MESSAGES},
    "the messages": MESSAGES,
    "the server's events": tuple(SENT),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_tells_the_same_run(form: Any) -> None:
    made_up = recording(form, "s.jsonl" if isinstance(form, tuple) else "s.json")
    assert pick_format(made_up)[0] is OPENCODE
    run = read_one(OPENCODE, made_up)
    assert (run.input, run.actual_output) == ("List", "One file.")
    assert (run.model, run.session_id) == ("m", "s")
    assert sorted((c.tool, c.turn, c.reported_success, c.error_message) for c in run.calls) == [
        ("bash", 1, False, "no"),
        ("glob", 1, True, None),
        ("read", 1, False, "gone"),
    ]
    assert {(c.started_at, c.execution_time) for c in run.calls} == {(START + 1, 2)}
    assert run.usage == Usage(30, 2, 4, 6, 0, 0.75)


def test_a_call_that_was_refused_has_the_name_that_the_model_gave() -> None:
    sent = {"tool": "fetch", "error": "no such tool"}
    refused = tool("c1", "invalid", status="completed", input=sent, output="Invalid: no such tool")
    run = read_one(OPENCODE, recording([{"info": INFOS[1], "parts": [refused]}]))
    (call,) = run.calls
    assert (call.tool, call.parameters, call.reported_success) == ("fetch", {}, False)
    assert call.error_message == "Invalid: no such tool"


def test_what_a_run_printed_has_no_question() -> None:
    names = {"tool": "tool_use", "step-start": "step_start", "step-finish": "step_finish"}
    lines = tuple(
        {"type": names.get(p["type"], p["type"]), "sessionID": "s", "part": p} for p in DONE
    )
    error = {"type": "error", "sessionID": "s", "error": {"name": "E", "data": {"message": "full"}}}
    made_up = recording((*lines, error), "run.jsonl")
    assert pick_format(made_up)[0] is OPENCODE
    run = read_one(OPENCODE, made_up)
    assert (run.input, run.actual_output, len(run.calls)) == ("", "One file.", 3)
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.reason) == (False, "full")


def test_a_call_that_is_not_over_has_no_result() -> None:
    message = {"info": INFOS[1], "parts": [tool("c1", "bash", status="running")]}
    (call,) = read_one(OPENCODE, recording([message])).calls
    assert (call.result, call.reported_success) == (None, None)


@pytest.mark.parametrize("kind", [*sorted(SIDE_PARTS), "hologram"])
def test_parts_that_nobody_knows_are_counted(kind: str) -> None:
    message = {"info": INFOS[1], "parts": [*DONE, part("x", kind)]}
    extra = read_one(OPENCODE, recording([message])).extra
    assert extra.get("unread_parts") == (None if kind in SIDE_PARTS else {kind: 1})


def stored(root: Path) -> Path:
    """The session as its storage folder keeps it; the path of the file that tells of it."""
    files = {
        "session/p/s.json": {**ABOUT, "version": "1.0"},
        **{f"message/s/{info['id']}.json": info for info in INFOS},
        **{f"part/{p['messageID']}/{p['id']}.json": p for p in (*ASKED, DONE[0], *DONE[3:6])},
    }
    for name, value in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    return root / "session/p/s.json"


def test_a_storage_folder_is_read_by_its_session(tmp_path: Path) -> None:
    stored(tmp_path)
    found = list(read_runs(tmp_path))
    (run,) = [item for item in found if isinstance(item, AgentTestCase)]
    assert (run.input, len(run.calls), run.model) == ("List", 3, "m")
    told = {item.kind for item in found if isinstance(item, Unreadable)}
    assert (len(found), told) == (1 + 2 + 6, {"read_beside"})
    (tmp_path / "session/p/s.json").unlink()
    assert {getattr(item, "kind", None) for item in read_runs(tmp_path)} == {"passed_over"}


def test_a_session_that_names_a_foreign_folder_is_none(tmp_path: Path) -> None:
    path = stored(tmp_path / "a" / "b")
    path.write_text(json.dumps({**ABOUT, "version": "1.0", "id": "../../message/s"}))
    assert OPENCODE.recognise(Recording(FilePlace(path))) == 0


def test_strangers_are_reported() -> None:
    assert problems(OPENCODE, recording((*SENT, {"x": 1}))) == [
        f"log.json:{len(SENT) + 1}: expected a session of OpenCode, got dict {{'x': 1}}"
    ]


def test_what_a_run_printed_tells_when_it_was() -> None:
    times = {DONE[0]["id"]: START * 1000, DONE[-1]["id"]: (START + 9) * 1000}
    lines = tuple(
        {"type": "text", "sessionID": "s", "part": p, "timestamp": times.get(p["id"])} for p in DONE
    )
    run = read_one(OPENCODE, recording(lines))
    assert (run.started_at, run.ended_at) == (START, START + 9)
