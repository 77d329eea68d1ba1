"""Two hundred malformed inputs: no error escapes, none takes long, and each leaves a word."""

from __future__ import annotations

import gzip
import json
import time
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.readers.test_files import BOMBS, BROKEN, zipped

from assay import AgentTestCase
from assay.readers import Unreadable, read_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LONGEST_SECONDS = 10.0
CALL = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"q": "x"}'}}
CHAT = [
    {"role": "user", "content": "a question"},
    {"role": "assistant", "content": None, "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"found": 1}'},
    {"role": "assistant", "content": "an answer"},
]
USE = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t", "content": "x"}
SESSION = [
    {"type": speaker, "uuid": str(n), "parentUuid": str(n - 1), "sessionId": "s"}
    | {"message": {"role": speaker, "content": content}}
    for n, (speaker, content) in enumerate(
        [("user", "a question"), ("assistant", [USE]), ("user", [RESULT])]
    )
]
NAMED = {"key": "gen_ai.tool.name", "value": {"stringValue": "look"}}
SPAN = {"traceId": "a", "spanId": "b", "name": "execute_tool look", "attributes": [NAMED]}
TIMES = {"startTimeUnixNano": "1", "endTimeUnixNano": "2"}
OWN_CALL = {"tool": "look", "parameters": {}, "result": 1, "success": True}
ASKED: dict[str, Any] = {"method": "tools/call", "params": {"name": "look", "arguments": {}}}
ANSWERED: dict[str, Any] = {"result": {}}


def lines(values: list[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


RECORDINGS: dict[str, bytes] = {
    "a chat": json.dumps({"messages": CHAT, "model": "m"}).encode(),
    "chats on lines": lines([{"messages": CHAT, "id": n} for n in range(3)]),
    "a list of chats": json.dumps([{"messages": CHAT}] * 3, indent=1).encode(),
    "our own case": json.dumps(
        {"input": "q", "actual_output": "a", "execution_data": {"tool_executions": [OWN_CALL]}}
    ).encode(),
    "a session": lines(SESSION),
    "spans": json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [SPAN | TIMES]}]}]}).encode(),
    "RPC": lines([{"jsonrpc": "2.0", "id": 1} | part for part in (ASKED, ANSWERED)]),
    "a table": b'id,name,messages\n1,x,"[{""role"": ""user"", ""content"": ""q""}]"\n',
}
ODD: list[Any] = [
    *(None, True, -1, 1e308, 10**30, "", "\0", "x" * 5000, [], {}, [[]], [None], {"": None}),
    *({"id": {}}, [{"role": []}], {"name": ["x"]}, {"content": {"content": {"content": 1}}}),
]


def cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randrange(len(data))]


def flipped(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(5):
        changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def shuffled(data: bytes, chance: Random) -> bytes:
    pieces = [data[at : at + 40] for at in range(0, len(data), 40)]
    chance.shuffle(pieces)
    return b"".join(pieces)


def with_odd_values(data: bytes, chance: Random) -> bytes:
    """Valid JSON in which one value in six is of another kind."""
    try:
        return json.dumps(changed(json.loads(data), chance)).encode()
    except json.JSONDecodeError:
        lines = [json.loads(line) for line in data.splitlines() if line.startswith(b"{")]
        return b"\n".join(json.dumps(changed(line, chance)).encode() for line in lines)


def changed(value: Any, chance: Random) -> Any:
    if chance.random() < 1 / 6:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: changed(item, chance) for key, item in value.items()}
    if isinstance(value, list):
        return [changed(item, chance) for item in value]
    return value


WAYS: list[Callable[[bytes, Random], bytes]] = [cut, flipped, shuffled, with_odd_values]


def malformed() -> Iterator[tuple[str, bytes]]:
    for name, data in RECORDINGS.items():
        for way in WAYS:
            for seed in range(5):
                yield f"{name}, {way.__name__} {seed}", way(data, Random(f"{name} {seed}"))
    for name, (content, _, _) in BROKEN.items():
        yield name, content
        yield f"{name} in a zip", zipped({"x.json": content})
    yield from BOMBS.items()
    deep = b'{"messages":' * 3000 + b"1" + b"}" * 3000
    yield "objects in objects", deep
    yield "strings in strings", json.dumps({"messages": nested(40)}).encode()
    yield "a long line", b'{"messages": [' + b'{"role": "user", "content": "x"},' * 20_000
    yield "quotes", b'{"a": "' + b'\\"' * 200_000
    yield (
        "ids that refer to each other",
        json.dumps(
            [
                {"id": str(n), "parent_id": str(n ^ 1), "name": "t", "arguments": {}}
                for n in range(200)
            ]
        ).encode(),
    )
    yield "many empty objects", b"{}\n" * 20_000
    yield "text that wants to be a call", b"Action: look\nAction Input: {" * 3000
    yield "tags that never end", b"<tool_call>" * 20_000
    yield "spaces before a colon", b"Thought" + b" " * 100_000 + b":"
    yield "a gz of a gz of nothing", gzip.compress(gzip.compress(b""))


def nested(depth: int) -> str:
    text = "[]"
    for _ in range(min(depth, 14)):
        text = json.dumps([text])
    return text


INPUTS = dict(malformed())


def test_there_are_enough_of_them() -> None:
    assert len(INPUTS) >= 200


@pytest.mark.parametrize("name", INPUTS)
def test_malformed_input_is_read_or_reported(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(INPUTS[name])
    started = time.monotonic()
    found = list(read_runs(path))
    assert time.monotonic() - started < LONGEST_SECONDS
    assert found
    for item in found:
        if isinstance(item, AgentTestCase):
            item.to_dict()
        else:
            assert isinstance(item, Unreadable)
            assert "cannot be read as" not in item.problem  # by a format that raised an error
