"""A catalogue of hostile and broken input, each put between two good cases.

What is decided here, item by item, in one place:

* What is not JSON, or no case, is *not read*: one row with its place and a sentence, exit code 3.
* What is a case but odd (no rounds, two calls with one id) is scored *with a doubt*, unless a
  number in it cannot be one (a planning rate of 7): then the metric has *failed*, no score.
* Tools in no known form make the metric fail; a broken schema of a single tool is the server's
  fault: its calls do not comply, and the reason says why.
* Unknown keys are kept and are no error; of a key that stands twice the last counts.
* Empty lines are nothing at all. A list in a line of a JSONL file is so many cases.
* In every case the good ones are scored, the counts add up, and nothing is a traceback.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec
import pytest

from assay.cli import main
from assay.readers import Unreadable, read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Score = Callable[[Path], "Scored"]

Kind = Literal["not read", "doubt", "failed", "reason", "not measurable", "fine"]


class Item(NamedTuple):
    """One bad thing: its bytes, what becomes of it and words of what is said."""

    text: bytes | Callable[[], bytes]
    kind: Kind
    words: str = ""
    # Whether the item can stand in a list; "swallows": the list cannot be followed beyond it.
    in_list: Literal["same", "swallows", "no"] = "same"
    exit_code: int | None = None
    # What is said instead where it is a file of its own: an encoding is that of a whole file.
    alone: str = ""

    @property
    def bytes(self) -> bytes:
        return self.text if isinstance(self.text, bytes) else self.text()

    @property
    def code(self) -> int:
        if self.exit_code is not None:
            return self.exit_code
        return 3 if self.kind in {"not read", "failed"} else 0


CALL = {"tool": "t", "parameters": {}, "success": True}
SCHEMA = {"type": "object"}


def case(**fields: Any) -> bytes:
    """A good case with some of its fields replaced."""
    good = {
        "input": "q",
        "actual_output": "a",
        "available_tools": {"t": {"input_schema": SCHEMA}},
        "execution_data": {"tool_executions": [CALL]},
    }
    return msgspec.json.encode(good | fields)


def raw(**fields: bytes) -> bytes:
    """The same with values that no encoder would write."""
    inner = b", ".join(b'"%s": %s' % (key.encode(), value) for key, value in fields.items())
    return case()[:-1] + b", " + inner + b"}"


def run(**fields: Any) -> bytes:
    """A good case with some fields of its execution data replaced."""
    return case(execution_data={"tool_executions": [CALL]} | fields)


def call(**fields: Any) -> bytes:
    """A good case with some fields of its only call replaced."""
    return run(tool_executions=[CALL | fields])


def schema(found: Any, **parameters: Any) -> bytes:
    """A good case whose tool has that schema."""
    return case(
        available_tools=[{"name": "t", "inputSchema": found}],
        execution_data={"tool_executions": [CALL | {"parameters": parameters}]},
    )


def nested(depth: int, inside: bytes = b"1") -> bytes:
    return b'{"a":' * depth + inside + b"}" * depth


GOOD = case(run_id="good")
# What the standard library says of it, by version.
COMMA = "trailing comma" if sys.version_info >= (3, 13) else "Expecting property name"

NOT_JSON = {
    "cut in an object": Item(GOOD[:-1], "not read", "Expecting ',' delimiter", "swallows"),
    "cut in a string": Item(GOOD[:-3], "not read", "Unterminated string", "swallows"),
    "cut after a key": Item(b'{"input":', "not read", "Expecting value", "swallows"),
    "only an opening": Item(b"{ ", "not read", "Expecting property name", "swallows"),
    "a stray closing": Item(GOOD + b"}", "not read", "Extra data", "no"),
    "a comma too many": Item(GOOD[:-1] + b",}", "not read", COMMA),
    "a comma too few": Item(b'{"input": "q" "actual_output": "a"}', "not read", "Expecting ','"),
    "single quotes": Item(b"{'input': 'q'}", "not read", "double quotes"),
    "keys without quotes": Item(b'{input: "q"}', "not read", "double quotes"),
    "a comment": Item(GOOD + b" // good", "not read", "Extra data"),
    "a hash comment": Item(b"# a comment", "not read", "Expecting value"),
    "words of Python": Item(b'{"input": None}', "not read", "Expecting value"),
    "two objects": Item(GOOD + b" " + GOOD, "not read", "Extra data"),
    "NaN": Item(raw(started_at=b"NaN"), "not read", "NaN, Infinity or a number"),
    "Infinity": Item(raw(ended_at=b"Infinity"), "not read", "NaN, Infinity or a number"),
    "minus Infinity": Item(raw(x=b"[0, -Infinity]"), "not read", "NaN, Infinity or a number"),
    "1e999": Item(raw(started_at=b"1e999"), "not read", "NaN, Infinity or a number"),
    "a number of 5,000 digits": Item(raw(attempt=b"9" * 5000), "not read", "of 5000 digits"),
    "a hexadecimal number": Item(raw(attempt=b"0x1F"), "not read", "Expecting ',' delimiter"),
    "leading zeros": Item(raw(attempt=b"007"), "not read", "Expecting ',' delimiter"),
    "a log line": Item(b"2024-05-05 INFO started", "not read", "Extra data"),
    "a page": Item(b"<html><body>502</body></html>", "not read", "Expecting value"),
    "YAML": Item(b"input: q", "not read", "Expecting value"),
    "Latin-1": Item('{"input": "é"}'.encode("latin-1"), "not read", "bytes that are not UTF-8"),
    "UTF-16": Item(case().decode().encode("utf-16-le"), "not read", "Expecting", "no"),
    "overlong UTF-8": Item(b'{"input": "\xc0\xaf"}', "not read", "bytes that are not UTF-8"),
    "a raw surrogate": Item(b'{"input": "\xed\xa0\xbd"}', "not read", "bytes that are not UTF-8"),
    "a high surrogate": Item(b'{"input": "\\ud83d"}', "not read", "half a character"),
    "a low surrogate": Item(b'{"\\udc00": "q"}', "not read", "half a character"),
    "a NUL byte": Item(b'{"input": "\x00"}', "not read", "Invalid control character"),
    "only NUL bytes": Item(b"\x00" * 512, "not read", "Expecting value", alone="is binary"),
    "a bell": Item(b'{"input": "\x07"}', "not read", "Invalid control character"),
    "a bad escape": Item(b'{"input": "\\q"}', "not read", "Invalid \\escape"),
    "nested 20,000 deep": Item(raw(x=nested(20_000)), "not read", "nested too deeply"),
    "nested 100,000 deep": Item(lambda: nested(100_000), "not read", "nested too deeply"),
    "opened 100,000 times": Item(lambda: b"[" * 100_000, "not read", "too deeply", "swallows"),
    "50 MB without an end": Item(
        lambda: b'{"input": "' + b"x" * 50_000_000, "not read", "truncated", "no"
    ),
}

NO_CASE = {
    "a number": Item(b"42", "not read", "expected a case as an object, got int 42"),
    "a string": Item(b'"a case"', "not read", "as an object, got str 'a case'"),
    "null": Item(b"null", "not read", "as an object, got null"),
    "true": Item(b"true", "not read", "as an object, got bool True"),
    "a list of lists": Item(b"[[[]]]", "not read", "as an object, got list"),
    "an empty object": Item(b"{}", "not read", "missing required field input"),
    "no input": Item(b'{"actual_output": "a"}', "not read", "missing required field input"),
    "another format": Item(b'{"messages": []}', "not read", "missing required field input"),
    "version 0": Item(case(schema_version=0), "not read", "schema_version: expected 1 or more"),
    "version 99": Item(case(schema_version=99), "not read", "99 was written by a later assay"),
    "version '1'": Item(case(schema_version="1"), "not read", "schema_version: expected 1 or"),
    "version true": Item(case(schema_version=True), "not read", "got bool True"),
    "version null": Item(case(schema_version=None), "not read", "schema_version: expected 1 or"),
    "no tool executions": Item(
        case(execution_data={}),
        "not read",
        "execution_data: missing required field tool_executions",
    ),
    "tool executions null": Item(
        run(tool_executions=None), "not read", "expected a list, got null"
    ),
    "tool executions in a dict": Item(
        run(tool_executions={"t": CALL}), "not read", "tool_executions: expected a list, got dict"
    ),
    "a call that is null": Item(
        run(tool_executions=[CALL, None]), "not read", "tool_executions[1]: expected an object"
    ),
    "a call that is text": Item(
        run(tool_executions=["t()"]), "not read", "tool_executions[0]: expected an object, got str"
    ),
    "a call without a tool": Item(
        run(tool_executions=[{"parameters": {}}]),
        "not read",
        "execution_data.tool_executions[0]: missing required field tool",
    ),
    "success in words": Item(
        call(success="true"),
        "not read",
        "tool_executions[0].success: expected bool, got str 'true'",
    ),
    "success as a number": Item(call(success=1), "not read", "[0].success: expected bool, got int"),
    "planning in words": Item(
        run(planning_json_compliance="1"), "not read", "planning_json_compliance: expected float"
    ),
    "rounds and a half": Item(
        run(total_rounds=1.5), "not read", "total_rounds: expected int, got float 1.5"
    ),
    "a deep value of the wrong type": Item(
        raw(context=nested(900)), "not read", "context: expected array | null, got dict"
    ),
    "a large value of the wrong type": Item(
        lambda: case(context="x" * 5_000_000), "not read", "context: expected array | null, got str"
    ),
    "a turn that is text": Item(
        case(conversation_history=["hi"]), "not read", "conversation_history[0]: expected object"
    ),
}

ODD = {
    "no text at all": Item(case(input="", actual_output=""), "doubt", "Input cannot be empty"),
    "no answer": Item(case(actual_output=None), "doubt", "Actual output cannot be empty"),
    "no rounds": Item(run(total_rounds=0), "doubt", "total_rounds must be >= 1"),
    "fewer than no rounds": Item(run(total_rounds=-3), "doubt", "total_rounds must be >= 1"),
    "planning 7": Item(
        run(planning_json_compliance=7), "failed", "planning_json_compliance must be between 0 and"
    ),
    "planning -1": Item(
        run(planning_json_compliance=-1), "failed", "must be between 0 and 1, got -1.0"
    ),
    "a call that took less than no time": Item(
        call(execution_time=-0.5), "doubt", "execution_time cannot be negative, got -0.5"
    ),
    "a tool without a name": Item(call(tool=""), "doubt", "[0].tool cannot be empty"),
    "two calls with one id": Item(
        run(tool_executions=[CALL | {"call_id": "c"}] * 2), "doubt", "Call id 'c' occurs 2 times"
    ),
    "a parent nobody knows": Item(
        call(parent_id="gone"), "doubt", "Parent id 'gone' names no call"
    ),
    "a call that is its own parent": Item(
        call(call_id="c", parent_id="c"), "doubt", "Call id 'c' is its own parent"
    ),
    "no parameters": Item(call(parameters=None), "doubt", "parameters must be an object, got null"),
    "parameters in a list": Item(call(parameters=[1]), "doubt", "must be an object, got list [1]"),
    "parameters in a string": Item(call(parameters="{}"), "reason", "do not fit its schema"),
    "a turn without a role": Item(
        case(conversation_history=[{"content": "hi"}]), "doubt", "needs a role and a content"
    ),
    "an unknown tool": Item(call(tool="u"), "reason", "'u' is not on offer"),
    "tools as a number": Item(
        case(available_tools=7), "failed", "tools: expected a dict or a list"
    ),
    "tools as text": Item(case(available_tools="t"), "failed", "got str 't'"),
    "a tool that is a number": Item(case(available_tools=[7]), "failed", "a tool needs a name"),
    "a tool of nothing": Item(case(available_tools=[{}]), "failed", "a tool needs a name"),
    "a tool whose name is a number": Item(
        case(available_tools=[{"name": 7}]), "failed", "a tool needs a name"
    ),
}

LOOP = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}
TREE = {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"type": "number"}]}}}
SCHEMAS = {
    "a schema that is itself": Item(schema({"$ref": "#"}), "reason", "to itself without end"),
    "schemas that are each other": Item(schema(LOOP), "reason", "to itself without end"),
    "a schema on another machine": Item(
        schema({"$ref": "http://example.com/s.json"}), "reason", "remote schemas are never fetched"
    ),
    "a schema in a file": Item(schema({"$ref": "file:///etc/passwd"}), "reason", "never fetched"),
    "a schema that leads nowhere": Item(schema({"$ref": "#/no"}), "reason", "the server's fault"),
    "a pattern that is none": Item(
        schema({"properties": {"a": {"pattern": "("}}}, a="x"), "reason", "the server's fault"
    ),
    "a pattern that takes for ever": Item(
        schema({"properties": {"a": {"pattern": "^(a+)+$"}}}, a="a" * 60 + "!"),
        "reason",
        "do not fit its schema",
    ),
    "a pattern that looks back for ever": Item(
        schema({"properties": {"a": {"pattern": "(a|aa)*(?!b)c\\1"}}}, a="a" * 20_000),
        "reason",
        "do not fit its schema",
    ),
    "a schema that is text": Item(schema("object"), "reason", "a schema is an object or a boolean"),
    "a schema that is a list": Item(schema([]), "reason", "a schema is an object or a boolean"),
    "a schema that is a number": Item(schema(7), "reason", "a schema is an object or a boolean"),
    "a type that is none": Item(schema({"type": "strin"}), "reason", "the server's fault"),
    "a schema that forbids all": Item(schema(False), "reason", "do not fit its schema"),
    "a draft nobody knows": Item(schema({"$schema": "urn:own", "type": "object"}), "fine"),
    "a schema 900 levels deep": Item(
        schema(msgspec.json.decode(nested(900))), "reason", "the server's fault"
    ),
    "deep arguments, a schema that recurs": Item(
        schema(TREE, **msgspec.json.decode(nested(800))), "fine"
    ),
    "arguments of the wrong shape, deep down": Item(
        schema(TREE, **msgspec.json.decode(nested(200, b'"x"'))), "reason", "do not fit its schema"
    ),
    "10,000 tools": Item(
        lambda: case(
            available_tools=[{"name": "t", "inputSchema": SCHEMA}, *map(str, range(10**4))]
        ),
        "fine",
    ),
}

# Ten times as much where there is time; what is slower than linear shows with this already.
MUCH_TEXT = "x " * (25_000_000 if os.environ.get("ASSAY_SLOW") else 2_500_000)
LARGE_AND_HARMLESS = {
    "a number of 400 digits": Item(raw(attempt=b"9" * 400), "fine"),
    "a number beyond 64 bits": Item(raw(attempt=b"-" + b"9" * 30, x=b"9" * 30), "fine"),
    "numbers at the edge": Item(raw(started_at=b"1e308", ended_at=b"5e-324"), "fine"),
    "much text": Item(lambda: case(actual_output=MUCH_TEXT), "fine", in_list="no"),
    "much text and no record of calls": Item(
        lambda: case(actual_output=MUCH_TEXT, execution_data=None),
        "not measurable",
        "the agent made no calls",
        in_list="no",
    ),
    "a million keys": Item(
        lambda: raw(x=b"1, " + b", ".join(b'"k%d": 1' % i for i in range(10**6))),
        "fine",
        in_list="no",
    ),
    "900 levels of something": Item(raw(x=nested(900)), "fine"),
    "a NUL in text": Item(case(run_id="a\0b", input="\0"), "fine"),
    "keys that stand twice": Item(raw(actual_output=b'"last"'), "fine"),
    "a key that is empty": Item(raw(x=b'{"": 1}'), "fine"),
    "keys with dots and brackets": Item(case(**{"a.b[0]": 1, "$": 2}), "fine"),
    "a byte order mark": Item(b"\xef\xbb\xbf" + case(), "fine", in_list="no"),
    "a line that ends in CRLF": Item(case() + b"\r", "fine"),
    "spaces around": Item(b" \t " + case() + b" \t ", "fine"),
}

CATALOGUE = NOT_JSON | NO_CASE | ODD | SCHEMAS | LARGE_AND_HARMLESS


class Scored(NamedTuple):
    """What `assay score --json` said."""

    code: int
    rows: list[dict[str, Any]]
    summary: dict[str, Any]
    messages: str


@pytest.fixture
def score(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Score:
    """Run `assay score FILE --json` in this process."""

    def run_main(path: Path) -> Scored:
        monkeypatch.setattr(sys, "argv", ["assay", "score", str(path), "--json"])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        found = json.loads(out)
        assert isinstance(ended.value.code, int)
        return Scored(ended.value.code, found["cases"], found["summary"], err)

    return run_main


def assert_told(item: Item, row: dict[str, Any], *places: str) -> None:
    """The row says what the catalogue says it should."""
    match item.kind:
        case "not read":
            assert row["run"] in places
            assert row["problem"].startswith("not read: ")
            assert item.words in row["problem"]
            assert len(row["problem"]) < 400
        case "doubt":
            assert row["score"] is not None
            assert any(item.words in complaint for complaint in row["complaints"])
        case "failed":
            assert row["score"] is None
            assert item.words in row["problem"]
            assert row["complaints"]
        case "reason":
            assert row["score"] is not None
            assert item.words in row["reason"]
        case "not measurable":
            assert row["score"] is None
            assert item.words in row["reason"]
        case "fine":
            assert row["score"] == 1.0
            assert row["complaints"] == []
    assert "Traceback" not in json.dumps(row)


def assert_adds_up(found: Scored, item: Item, number: int) -> None:
    """Nothing was lost: what was scored and what was not read come to all there was."""
    unread = item.kind == "not read"
    assert len(found.rows) == number
    assert found.summary["not_read"] == (1 if unread else 0)
    assert found.summary["cases"] == number - found.summary["not_read"]
    tally = found.summary["metrics"][0]
    assert tally["failed"] == (1 if item.kind == "failed" else 0)
    assert tally["not_measurable"] == (1 if item.kind == "not measurable" else 0)
    told = tally["scored"] + tally["not_measurable"] + tally["failed"]
    assert told == found.summary["cases"]
    assert found.code == item.code
    assert "Traceback" not in found.messages


@pytest.mark.parametrize("name", CATALOGUE)
def test_one_bad_line(name: str, tmp_path: Path, score: Score) -> None:
    item = CATALOGUE[name]
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join([GOOD, item.bytes, GOOD]))
    found = score(path)
    assert_adds_up(found, item, 3)
    before, bad, after = found.rows
    assert before["score"] == after["score"] == 1.0
    assert_told(item, bad, f"{path}:2")
    if item.kind == "not read":
        assert f"not read: {path}:2: " in found.messages


LISTED = {name: item for name, item in CATALOGUE.items() if item.in_list != "no"}


@pytest.mark.parametrize("name", LISTED)
def test_one_bad_item_of_a_list(name: str, tmp_path: Path, score: Score) -> None:
    item = LISTED[name]
    path = tmp_path / "runs.json"
    path.write_bytes(b"[" + b",\n".join([GOOD, item.bytes, GOOD]) + b"]")
    found = score(path)
    if item.in_list == "swallows":
        assert "breaks off in this item" in found.rows[1]["problem"]
        assert [row["score"] for row in found.rows] == [1.0, None]
        assert found.code == 3
        return
    assert_adds_up(found, item, 3)
    assert found.rows[0]["score"] == found.rows[2]["score"] == 1.0
    assert_told(item, found.rows[1], f"{path}:2")


# Whole JSON with nothing of a case in it, repaired or not, may lie in a folder.
PASSED_OVER = (
    *("Latin-1", "overlong UTF-8", "a raw surrogate", "a high surrogate", "a low surrogate"),
    *("a number", "a string", "null", "true", "a list of lists", "an empty object"),
    "another format",
)
# Files in which there are cases: how many, and whether something is not read all the same.
HAS_CASES = {
    "a stray closing": (1, True),
    "a comment": (1, True),
    "two objects": (2, False),
    "UTF-16": (1, False),
}


def test_every_bad_thing_as_a_file_of_its_own(tmp_path: Path, score: Score) -> None:
    items = NOT_JSON | NO_CASE | ODD | SCHEMAS
    for i, item in enumerate(items.values()):
        (tmp_path / f"{i:03}-bad.json").write_bytes(item.bytes)
        (tmp_path / f"{i:03}-good.json").write_bytes(GOOD)
    found = score(tmp_path)
    assert found.code == 3
    assert found.summary["passed_over"] == len(PASSED_OVER)
    assert found.summary["cases"] + found.summary["not_read"] == len(found.rows)
    rows = iter(found.rows)
    for i, (name, item) in enumerate(items.items()):
        place = str(tmp_path / f"{i:03}-bad.json")
        if name in HAS_CASES:
            count, is_broken = HAS_CASES[name]
            scores = [next(rows)["score"] for _ in range(count + is_broken)]
            assert scores == [1.0] * count + [None] * is_broken
        elif name not in PASSED_OVER:
            # A file that is a list, however odd, has items.
            told = item._replace(words=item.alone or item.words)
            assert_told(told, next(rows), place, f"{place}:1")
        assert next(rows)["score"] == 1.0
    assert next(rows, None) is None


FILES = {
    "nothing": (b"", 0, ["is empty"]),
    "only white space": (b" \n\t\n", 0, ["is empty"]),
    "only a byte order mark": (b"\xef\xbb\xbf\n", 0, ["is empty"]),
    "an empty list": (b"[]", 0, []),
    "UTF-16": (GOOD.decode().encode("utf-16"), 1, []),
    "gzip": (b"\x1f\x8b\x08\x00\x00", 0, ["is damaged: it breaks off"]),
    "CRLF lines": (b"\r\n".join([GOOD, b"", GOOD, b""]), 2, []),
    "no newline at the end": (b"\n".join([GOOD, GOOD]), 2, []),
    "empty lines": (b"\n\n".join([b"", GOOD, b"  ", GOOD, b""]), 2, []),
    "a list in a line": (b"\n".join([GOOD, b"[%s, {}, %s]" % (GOOD, GOOD), GOOD]), 4, ["item 2: "]),
    "a list of cases": (b"[%s,%s,{}]" % (GOOD, GOOD), 2, ["missing required field input"]),
    "only bad lines": (b"{x\n" * 20_000, 0, ["not JSON"]),
}


@pytest.mark.parametrize("name", FILES)
def test_one_odd_file(name: str, tmp_path: Path, score: Score) -> None:
    text, good, problems = FILES[name]
    # A bare brace in the first line would be taken for a document laid out for people.
    path = tmp_path / "runs.jsonl"
    path.write_bytes(text if name != "only bad lines" else b"oops\n" + text[2:])
    found = score(path)
    assert found.summary["cases"] == good
    assert found.summary["not_read"] == len(problems)
    bad = [row["problem"] for row in found.rows if row["score"] is None]
    assert all(words in problem for words, problem in zip(problems, bad, strict=True))
    assert found.code == (3 if problems or not good else 0)
    assert len(found.messages) < 10_000


# Values of every kind, and for each field the kinds that are right.
KINDS = {
    "null": b"null",
    "bool": b"true",
    "int": b"7",
    "float": b"1.5",
    "text": b'"x"',
    "texts": b'["x"]',
    "numbers": b"[7]",
    "objects": b'[{"role": "user", "content": "x"}]',
    "object": b'{"a": 7}',
}
TEXT = {"text", "null"}
ANY_LIST = {"texts", "numbers", "objects", "null"}
NUMBER = {"int", "float", "null"}
COUNT = {"int", "null"}
OBJECT = {"object", "null"}
TEXTS = {"texts", "null"}
RIGHT_KINDS = {
    "": {
        "input": {"text"},
        **dict.fromkeys(
            ("actual_output", "expected_output", "comments", "agent_id", "session_id"), TEXT
        ),
        **dict.fromkeys(("planning_strategy", "execution_mode", "run_id", "task_id"), TEXT),
        **dict.fromkeys(("model", "framework"), TEXT),
        **dict.fromkeys(("context", "retrieval_context"), TEXTS),
        **dict.fromkeys(("tools_called", "expected_tools"), ANY_LIST),
        "additional_metadata": OBJECT,
        "conversation_history": {"objects", "null"},
        "attempt": COUNT,
        **dict.fromkeys(("started_at", "ended_at"), NUMBER),
        "available_tools": set(KINDS),
        **dict.fromkeys(("outcome", "usage", "source"), OBJECT),
        # An object needs the right fields in it.
        "execution_data": {"null"},
        "expected_effects": {"null"},
    },
    "outcome": {
        "success": {"bool", "null"},
        "score": NUMBER,
        **dict.fromkeys(("decided_by", "reason"), TEXT),
    },
    "usage": {
        **dict.fromkeys(("input_tokens", "output_tokens", "reasoning_tokens"), COUNT),
        **dict.fromkeys(("cache_read_tokens", "cache_write_tokens"), COUNT),
        "cost_usd": NUMBER,
    },
    "source": {**dict.fromkeys(("path", "format"), TEXT), "position": COUNT},
    "expected_effects": {
        **dict.fromkeys(("writes", "forbidden"), TEXTS),
        "write_count": COUNT,
        "answer": TEXTS,
        "extra_writes": set(),
    },
    "execution_data": {
        "total_rounds": {"int"},
        "planning_json_compliance": NUMBER,
        **dict.fromkeys(
            ("concrete_task_description", "dependency_analysis", "accumulated_information"), TEXT
        ),
    },
    "execution_data.tool_executions[0]": {
        "tool": {"text"},
        "parameters": set(KINDS),
        "result": set(KINDS),
        "success": {"bool"},
        **dict.fromkeys(("server", "error_message", "call_id"), TEXT),
        **dict.fromkeys(("success_rule", "parent_id"), TEXT),
        **dict.fromkeys(("blame", "failure_kind", "blame_rule"), TEXT),
        **dict.fromkeys(("execution_time", "started_at", "ended_at"), NUMBER),
        "turn": COUNT,
        "reported_success": {"bool", "null"},
    },
}
_REFUSED = (
    r": expected .*, got \w+|: missing required field|: no such field\."
    r"|: invalid enum value 'x', got str 'x'"
)
FIELDS = [(place, field) for place, fields in RIGHT_KINDS.items() for field in fields]


def with_value(place: str, field: str, value: bytes) -> bytes:
    """A case with that value in that field."""
    found = msgspec.Raw(value)
    if not place:
        return case(**{field: found})
    if place == "execution_data":
        return run(**{field: found})
    if place.startswith("execution_data"):
        return call(**{field: found})
    return case(**{place: {field: found}})


@pytest.mark.parametrize(("place", "field"), FIELDS)
def test_every_field_with_every_kind_of_value(place: str, field: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join(with_value(place, field, value) for value in KINDS.values()))
    right = RIGHT_KINDS[place][field]
    where = f"{place}.{field}" if place else field
    for line, (kind, item) in enumerate(zip(KINDS, read_runs(path), strict=True), start=1):
        if kind in right:
            assert isinstance(item, AgentTestCase), f"{where} may be {kind}: {item}"
        else:
            assert isinstance(item, Unreadable), f"{where} may not be {kind}"
            assert item.position == line
            assert item.problem.startswith(where)
            assert re.search(_REFUSED, item.problem)


def test_every_field_of_the_record_is_in_the_table() -> None:
    full = AgentTestCase.from_json(call(call_id="c"))
    assert full.execution_data is not None
    names = set(full.__dataclass_fields__) - {"extra"}
    assert names == set(RIGHT_KINDS[""])
    of_data = set(full.execution_data.__dataclass_fields__) - {"extra", "tool_executions"}
    assert of_data == set(RIGHT_KINDS["execution_data"])
    of_call = set(full.calls[0].__dataclass_fields__) - {"extra"}
    assert of_call == set(RIGHT_KINDS["execution_data.tool_executions[0]"])


def test_unknown_keys_are_kept_at_every_level(tmp_path: Path) -> None:
    more = {"my key": [1, {"a": None}], "extra": "not ours"}
    levels: dict[str, Any] = {name: dict(more) for name in ("outcome", "usage", "source")}
    data = {"tool_executions": [CALL | more], **more}
    path = tmp_path / "runs.jsonl"
    path.write_bytes(case(execution_data=data, **levels, **more))
    (found,) = read_runs(path)
    assert isinstance(found, AgentTestCase)
    written = found.to_dict()
    places = [written, *(written[name] for name in levels), written["execution_data"]]
    places.append(written["execution_data"]["tool_executions"][0])
    assert [{key: place[key] for key in more} for place in places] == [more] * 6


def test_the_whole_catalogue_at_once(tmp_path: Path) -> None:
    """In a process of its own, good and bad by turns: the counts add up and nothing is lost."""
    small = [item for item in CATALOGUE.values() if isinstance(item.text, bytes)]
    assert len(CATALOGUE) >= 100
    path = tmp_path / "runs.jsonl"
    path.write_bytes(b"\n".join(line for item in small for line in (item.bytes, GOOD)))
    done = subprocess.run(
        [sys.executable, "-m", "assay", "score", path, "-o", tmp_path / "scores.jsonl"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    unread = sum(item.kind == "not read" for item in small)
    failed = sum(item.kind == "failed" for item in small)
    assert done.returncode == 3
    assert "Traceback" not in done.stdout + done.stderr
    assert f"{unread} not read, {2 * len(small) - unread} read" in done.stderr
    assert f"{failed} failed" in done.stdout
    rows = [json.loads(line) for line in (tmp_path / "scores.jsonl").read_bytes().splitlines()]
    assert len(rows) == 2 * len(small)
    assert all(row["score"] == 1.0 for row in rows[1::2])
    for line, (item, row) in enumerate(zip(small, rows[::2], strict=True)):
        assert_told(item, row, f"{path}:{2 * line + 1}")
