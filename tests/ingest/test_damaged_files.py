"""Damage of many kinds over several formats: nothing crashes, and whatever is lost is told."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.ingest.documents import Unreadable
from assay.ingest.reading import read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CITY = "Zürich ☂"
CALL = {"id": "c1", "type": "function", "function": {"name": "rain", "arguments": "{}"}}
CHAT = {
    "messages": [
        {"role": "user", "content": f"Rain in {CITY}?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": f"7 mm in {CITY}"},
    ]
}
SAID = {"sessionId": "s1", "timestamp": "2026-01-01T00:00:00Z"}
USED = [{"type": "tool_use", "id": "a", "name": "rain", "input": {"c": CITY}}]
CAME = [{"type": "tool_result", "tool_use_id": "a", "content": f"7 mm in {CITY}"}]
SESSION = (
    {**SAID, "uuid": "1", "type": "user", "message": {"role": "user", "content": CITY}},
    {**SAID, "uuid": "2", "type": "assistant", "message": {"role": "assistant", "content": USED}},
    {**SAID, "uuid": "3", "type": "user", "message": {"role": "user", "content": CAME}},
)
EVENTS = (
    {"ev": "call", "call_id": "c1", "tool": "rain", "args": {"city": CITY}},
    {"ev": "end", "call_id": "c1", "result": f"7 mm in {CITY}"},
)
SENT = {"name": "rain", "arguments": {"city": CITY}}
WIRE = (
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": SENT},
    {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": CITY}]}},
)
FILES: dict[str, tuple[Any, ...]] = {
    "chats": (CHAT, CHAT),
    "session": SESSION,
    "events": EVENTS,
    "wire": WIRE,
}


def text_of(lines: tuple[Any, ...]) -> bytes:
    return "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()


def cut(text: bytes) -> bytes:
    """The text as it breaks off in the middle of a character."""
    return text[: text.rindex("☂".encode()) + 1]


def with_end(more: bytes) -> Callable[[bytes], bytes]:
    return lambda text: text.rstrip(b"\n")[:-1] + b', "n": ' + more + b"}\n"


HARMLESS: dict[str, Callable[[bytes], bytes]] = {
    "a mark at the beginning": lambda text: b"\xef\xbb\xbf" + text,
    "a mark in each line": lambda text: b"".join(
        b"\xef\xbb\xbf" + line for line in text.splitlines(keepends=True)
    ),
    "line ends of Windows": lambda text: text.replace(b"\n", b"\r\n"),
    "no line end": lambda text: text.rstrip(b"\n"),
    "empty lines": lambda text: b"\n \n" + text.replace(b"\n", b"\n\n"),
    "a number of 300 digits": with_end(b"9" * 300),
}
HARMFUL: dict[str, Callable[[bytes], bytes]] = {
    "cut in a character": cut,
    "zeros amid a line": lambda text: text[:40] + b"\0\0" + text[40:],
    "a line of zeros": lambda text: text + b"\0" * 512 + b"\n",
    "nothing but zeros": lambda _: b"\0" * 4096,
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.decode().encode("utf-16-le"),
    "UTF-16, large end first": lambda text: text.decode().encode("utf-16-be"),
    "UTF-32": lambda text: text.decode().encode("utf-32"),
    "Latin-1": lambda text: text.decode().replace("☂", "").encode("latin-1"),
    "a number of 5,000 digits": with_end(b"9" * 5000),
    "no number": with_end(b"NaN"),
    "nested too deeply": lambda text: text + b'{"a":' * 3000 + b"1" + b"}" * 3000 + b"\n",
    "a comma behind a line": lambda text: text.rstrip(b"\n") + b",\n",
    "two in a line": lambda text: text.rstrip(b"\n") + text.splitlines()[0] + b"\n",
    "half a character of an escape": lambda text: text.replace("☂".encode(), b"\\ud800"),
    "a comment": lambda text: text + b"# the end\n",
}


def read(folder: Path, text: bytes) -> tuple[list[AgentTestCase], list[Unreadable]]:
    (folder / "log.jsonl").write_bytes(text)
    items: list[Any] = list(read_runs(folder))
    return (
        [item for item in items if isinstance(item, AgentTestCase)],
        [item for item in items if isinstance(item, Unreadable)],
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("change", HARMLESS.values(), ids=HARMLESS)
def test_what_is_harmless_changes_nothing(
    name: str, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    whole = text_of(FILES[name])
    runs, problems = read(tmp_path, change(whole))
    plain, _ = read(tmp_path, whole)
    told = [(call.tool, call.parameters, call.result) for run in runs for call in run.calls]
    assert told == [(call.tool, call.parameters, call.result) for r in plain for call in r.calls]
    assert (len(told), problems) == (len(FILES[name]) // 2 + (name == "chats"), [])


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("change", HARMFUL.values(), ids=HARMFUL)
def test_what_is_lost_is_told_with_its_place(
    name: str, change: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    _, problems = read(tmp_path, change(text_of(FILES[name])))
    lost = [problem for problem in problems if problem.kind in {"broken", "mended"}]
    assert lost
    assert all(problem.path == str(tmp_path / "log.jsonl") for problem in lost)


def test_a_broken_line_of_a_log_for_people_is_none_of_ours(tmp_path: Path) -> None:
    text = b'{"level": "info", "msg": "up"}\nplain words\n'
    (tmp_path / "app.log").write_bytes(text)
    (problem,) = read_runs(tmp_path)
    assert isinstance(problem, Unreadable)
    assert problem.kind == "passed_over"
