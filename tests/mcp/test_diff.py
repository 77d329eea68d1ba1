"""What `assay mcp diff` makes of two contracts, and of recorded calls; what `compare` says."""

from __future__ import annotations

import copy
import json
import random
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from bench.mcp_contracts import HARMLESS, NARROWING, calls_of
from tests.command_line import in_this_process

from assay import Store, read_runs
from assay.mcp.contract import binding, compare_tools, contract_hash, covers
from assay.mcp.diff import Call, diff
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from tests.command_line import Assay

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "runs"
SERVER = [sys.executable, str(Path(__file__).with_name("flawed_server.py"))]
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
TEXT = {"type": "string"}
SAFE = 2**53 - 1


@pytest.fixture
def assay(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Assay:
    monkeypatch.setenv("COLUMNS", "160")
    return in_this_process(monkeypatch, capsys)


def takes(required: tuple[str, ...] = (), **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def tool(schema: Any, gives: Any = None, **more: Any) -> dict[str, Any]:
    given = {} if gives is None else {"outputSchema": gives}
    return {"name": "find", "inputSchema": schema, **given, **more}


def found(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [(each.level, each.place, each.what) for each in compare_tools([old], [new])]


LIST = {"type": "array", "items": takes(("id",), id=TEXT)}
# What a tool takes: the old schema, the new one, and the worst there is to say of the change.
INPUTS: list[tuple[str, Any, Any, str | None]] = [
    ("required argument added", takes(a=TEXT), takes(("b",), a=TEXT, b=TEXT), "breaking"),
    ("optional argument added", takes(a=TEXT), takes(a=TEXT, b=TEXT), "fine"),
    ("argument required", takes(a=TEXT), takes(("a",), a=TEXT), "breaking"),
    ("argument not required", takes(("a",), a=TEXT), takes(a=TEXT), "fine"),
    ("argument ignored", takes(a=TEXT, b=TEXT), takes(a=TEXT), "risky"),
    (
        "argument refused",
        takes(a=TEXT, b=TEXT),
        {**takes(a=TEXT), "additionalProperties": False},
        "breaking",
    ),
    (
        "argument taken as another",
        takes(a=TEXT, b=TEXT),
        {**takes(a=TEXT), "additionalProperties": {"type": "integer"}},
        "breaking",
    ),
    (
        "another named, and narrowed",
        {**takes(a=TEXT), "additionalProperties": TEXT},
        {**takes(a=TEXT, b={"type": "integer"}), "additionalProperties": TEXT},
        "breaking",
    ),
    ("required, defined later", takes(("a",)), takes(("a",), a={}), "fine"),
    ("others refused", takes(a=TEXT), {**takes(a=TEXT), "additionalProperties": False}, "unstated"),
    ("others allowed", {**takes(a=TEXT), "additionalProperties": False}, takes(a=TEXT), "fine"),
    ("type changed", takes(a=TEXT), takes(a={"type": "integer"}), "breaking"),
    ("type widened", takes(a={"type": "integer"}), takes(a={"type": "number"}), "fine"),
    ("type narrowed", takes(a={"type": "number"}), takes(a={"type": "integer"}), "breaking"),
    ("null allowed", takes(a=TEXT), takes(a={"type": ["string", "null"]}), "fine"),
    (
        "null written otherwise",
        takes(a={"type": ["string", "null"]}),
        takes(a={"anyOf": [TEXT, {"type": "null"}]}),
        None,
    ),
    ("enum narrowed", takes(a={"enum": ["x", "y"]}), takes(a={"enum": ["x"]}), "breaking"),
    ("enum widened", takes(a={"enum": ["x"]}), takes(a={"enum": ["x", "y"]}), "fine"),
    ("pattern", takes(a=TEXT), takes(a={**TEXT, "pattern": "^a"}), "breaking"),
    ("format", takes(a=TEXT), takes(a={**TEXT, "format": "date"}), "risky"),
    ("default", takes(a={**TEXT, "default": "x"}), takes(a={**TEXT, "default": "y"}), "risky"),
    ("words", takes(a=TEXT), takes(a={**TEXT, "title": "A", "description": "Any."}), None),
    (
        "safe integers",
        takes(a={"type": "integer"}),
        takes(a={"type": "integer", "minimum": -SAFE, "maximum": SAFE}),
        None,
    ),
    (
        "above zero, written twice",
        takes(a={"type": "integer", "exclusiveMinimum": 0}),
        takes(a={"type": "integer", "minimum": 1, "maximum": SAFE}),
        None,
    ),
    (
        "least number",
        takes(a={"type": "integer"}),
        takes(a={"type": "integer", "minimum": 1}),
        "breaking",
    ),
    (
        "in a list",
        takes(a=LIST),
        takes(a={"type": "array", "items": takes(("id", "to"), id=TEXT, to=TEXT)}),
        "breaking",
    ),
    (
        "by reference",
        takes(a=LIST),
        {**takes(a={"$ref": "#/$defs/L"}), "$defs": {"L": LIST}},
        None,
    ),
    (
        "definition narrowed",
        {**takes(a={"$ref": "#/$defs/D"}), "$defs": {"D": TEXT}},
        {**takes(a={"$ref": "#/$defs/D"}), "$defs": {"D": {**TEXT, "maxLength": 3}}},
        "breaking",
    ),
    ("said nothing", {"$schema": DRAFT_7}, takes(("a",), a=TEXT), "unstated"),
    ("says nothing", takes(("a",), a=TEXT), {}, "risky"),
    ("had no arguments", {"type": "object"}, takes(("a",), a=TEXT), "breaking"),
    ("type: object is understood", {"properties": {"a": TEXT}}, takes(a=TEXT), None),
    (
        "keys in another order",
        takes(("a", "b"), a=TEXT, b=TEXT),
        takes(("b", "a"), b=TEXT, a=TEXT),
        None,
    ),
]
# What it gives: to promise more is fine, to promise less is not.
OUTPUTS: list[tuple[str, Any, Any, str | None]] = [
    ("promised for the first time", None, takes(("a",), a=TEXT), "unstated"),
    ("promised no more", takes(("a",), a=TEXT), None, "breaking"),
    ("field added", takes(("a",), a=TEXT), takes(("a", "b"), a=TEXT, b=TEXT), "fine"),
    ("field dropped", takes(("a",), a=TEXT), takes(), "breaking"),
    ("optional field dropped", takes(a=TEXT), takes(), "risky"),
    ("field not required", takes(("a",), a=TEXT), takes(a=TEXT), "breaking"),
    ("enum widened", takes(a={"enum": ["x"]}), takes(a={"enum": ["x", "y"]}), "risky"),
    ("enum narrowed", takes(a={"enum": ["x", "y"]}), takes(a={"enum": ["x"]}), "fine"),
    ("type changed", takes(a=TEXT), takes(a={"type": "integer"}), "breaking"),
    ("others", takes(a=TEXT), {**takes(a=TEXT), "additionalProperties": False}, None),
]


@pytest.mark.parametrize(
    ("old", "new", "level"), [c[1:] for c in INPUTS], ids=[c[0] for c in INPUTS]
)
def test_what_a_tool_takes_may_grow_and_must_not_shrink(old: Any, new: Any, level: str) -> None:
    assert next((each[0] for each in found(tool(old), tool(new))), None) == level


@pytest.mark.parametrize(
    ("old", "new", "level"), [c[1:] for c in OUTPUTS], ids=[c[0] for c in OUTPUTS]
)
def test_what_a_tool_gives_may_shrink_and_must_not_grow(old: Any, new: Any, level: str) -> None:
    changes = found(tool(takes(), gives=old), tool(takes(), gives=new))
    assert next((each[0] for each in changes), None) == level


def test_a_change_says_where_and_what() -> None:
    narrower = {"type": "array", "items": takes(("id",), id={**TEXT, "maxLength": 5})}
    (change,) = compare_tools([tool(takes(a=LIST))], [tool(takes(a=narrower))])
    assert change.sentence() == (
        'find input.a[].id: takes less: {"maxLength":5,"type":"string"}, and was {"type":"string"}'
    )


def test_tools_come_and_go() -> None:
    other = {**tool(takes()), "name": "search"}
    assert [(c.tool, c.level) for c in compare_tools([tool(takes())], [other])] == [
        ("find", "breaking"),
        ("search", "fine"),
    ]


def test_hints_that_are_not_given_mean_the_worst() -> None:
    silent, reads = tool(takes()), tool(takes(), annotations={"readOnlyHint": True})
    said = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False}
    assert found(silent, tool(takes(), annotations=said)) == []
    # What only reads destroys nothing, whether it says so or not.
    both = {"readOnlyHint": True, "destructiveHint": False}
    assert found(reads, tool(takes(), annotations=both)) == []
    (worse,), (better,) = found(reads, silent), found(silent, reads)
    assert worse[0] == "risky"
    assert worse[2].startswith("readOnlyHint is false, and was true; destructiveHint is true")
    assert better[0] == "fine"


def test_the_hash_is_that_of_the_contract() -> None:
    old = [tool(takes(("a", "b"), a=TEXT, b=TEXT)), {**tool(takes()), "name": "other"}]
    same = [old[1], tool({"title": "T", **takes(("b", "a"), b={**TEXT, "title": "B"}, a=TEXT)})]
    assert contract_hash(old) == contract_hash(same)
    for changed in (old[:1], [old[0] | {"annotations": {"readOnlyHint": True}}, old[1]]):
        assert contract_hash(changed) != contract_hash(old)
    assert contract_hash([tool(takes(a={"const": 1}))]) != contract_hash([tool(takes())])


def test_a_property_may_be_called_as_a_keyword() -> None:
    schema = takes(title=TEXT, default={"type": "integer"}, examples=TEXT)
    assert set(binding(schema)["properties"]) == {"title", "default", "examples"}
    assert found(tool(schema), tool(takes(title=TEXT)))[0][0] == "risky"


def test_schemas_that_are_broken_or_endless_are_compared_in_bounded_time() -> None:
    node: dict[str, Any] = {
        "type": "object",
        "properties": {name: {"$ref": "#/$defs/N"} for name in "abcdefgh"},
    }
    tree: dict[str, Any] = {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/N"}},
        "$defs": {"N": node},
    }
    other = copy.deepcopy(tree)
    other["$defs"]["N"]["properties"]["i"] = {"type": "integer"}
    assert {level for level, _, _ in found(tool(tree), tool(other))} <= {"fine", "breaking"}
    assert found(tool(tree), tool(copy.deepcopy(tree))) == []
    assert (
        found(tool(takes(a={"type": "txt"})), tool(takes(a={"type": "text"})))[0][0] == "breaking"
    )
    assert not covers({"$ref": "https://example.invalid/a.json"}, {"$ref": "#/nowhere"})
    odd: Any
    for odd in (None, True, [], "x", {"properties": [], "required": 5, "items": 7}):
        compare_tools([{"name": "a", "inputSchema": odd}], [{"name": "a", "inputSchema": takes()}])


def test_recorded_calls_are_held_against_the_new_schemas() -> None:
    old, new = tool(takes(a=TEXT)), tool(takes(("a",), a={**TEXT, "maxLength": 3}))
    calls = [
        Call("line 1", "find", {"a": "abc"}),
        Call("line 2", "find", {"a": "abcd"}),
        Call("line 3", "find", {}),
        Call("line 4", "find", {"a": 7}),
        Call("line 5", "gone", {}),
        Call("line 6", "find", {"a": "[redacted:0a1b2c3d]"}),
    ]
    result = diff([old], [new], calls)
    assert [(each.place, each.why) for each in result.refused] == [
        ("line 2", 'a: "abcd" is longer than 3 characters'),
        ("line 3", '"a" is a required property'),
    ]
    # Calls that the old contract refused, or of tools that it did not have, say nothing.
    assert (result.calls, result.undecided, result.level) == (4, 1, "breaking")
    assert "2 of 4 recorded calls would be refused" in result.sentence()


def test_a_refused_call_breaks_where_the_old_contract_said_nothing() -> None:
    old, new = tool({}), tool(takes(("a",), a=TEXT))
    assert diff([old], [new]).level == "unstated"
    assert diff([old], [new], [Call("line 1", "find", {})]).level == "breaking"


@pytest.mark.parametrize("name", [*NARROWING, *HARMLESS])
def test_mutations_that_refuse_a_call_are_breaking_and_no_others(name: str) -> None:
    chance = random.Random(name)
    schema = takes(
        ("path", "mode"),
        path=TEXT,
        mode={"type": "string", "enum": ["r", "w", "a"]},
        count={"type": "integer"},
        least={"type": "integer", "minimum": 1, "maximum": 90},
        tags={"type": "array", "items": TEXT},
    )
    for _ in range(12):
        old = tool(copy.deepcopy(schema))
        new = copy.deepcopy(old)
        if not (NARROWING | HARMLESS)[name](new, chance):
            continue
        refused = diff([old], [new], calls_of(old, chance)).refused
        is_breaking = diff([old], [new]).level == "breaking"
        assert is_breaking == (name in NARROWING), new
        assert is_breaking or not refused, new


OF_TEXT = {"additionalProperties": TEXT}
PLAIN: tuple[dict[str, Any], ...] = (
    TEXT,
    {"type": "string", "maxLength": 4},
    {"type": "string", "pattern": "^[a-z/]"},
    {"enum": ["a", "UTC"]},
    {"const": "a"},
    {"type": "integer", "minimum": 1},
    {"type": "number", "maximum": 9},
    {"type": ["string", "null"]},
    {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    {"type": "boolean"},
    {},
)


def some_schema(chance: random.Random, depth: int) -> dict[str, Any]:
    kind = chance.choice(["plain", "plain", "array", "object"]) if depth else "plain"
    if kind == "plain":
        return copy.deepcopy(chance.choice(PLAIN))
    if kind == "array":
        bounds: dict[str, Any] = chance.choice([{}, {}, {"minItems": 1}, {"maxItems": 1}])
        return {"type": "array", "items": some_schema(chance, depth - 1), **bounds}
    return some_object(chance, depth - 1)


def some_object(chance: random.Random, depth: int) -> dict[str, Any]:
    names = chance.sample("abcd", chance.randint(0, 3))
    others: dict[str, Any] = chance.choice([{}, {}, {"additionalProperties": False}, OF_TEXT])
    required = [name for name in names if chance.random() < 0.4]
    properties = {name: some_schema(chance, depth) for name in names}
    return {"type": "object", "properties": properties, "required": required, **others}


def changed(schema: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The same with one place in it drawn anew."""
    new = copy.deepcopy(schema)
    inner = [*new.get("properties", {})]
    if inner and chance.random() < 0.7:
        name = chance.choice(inner)
        new["properties"][name] = changed(new["properties"][name], chance)
    elif isinstance(new.get("items"), dict) and chance.random() < 0.7:
        new["items"] = changed(new["items"], chance)
    elif new.get("type") == "object":
        key = chance.choice(["properties", "required", "additionalProperties"])
        new[key] = some_object(chance, 1).get(key, True)
    else:
        new = some_schema(chance, 1)
    return new


@pytest.mark.parametrize("seed", range(4))
def test_no_change_that_refuses_a_call_is_missed_in_schemas_nobody_wrote(seed: int) -> None:
    chance = random.Random(seed)
    refusing = 0
    for _ in range(150):
        schema = some_object(chance, 2)
        old, new = tool(schema), tool(changed(schema, chance))
        if diff([old], [new], calls_of(old, chance)).refused:
            refusing += 1
            assert diff([old], [new]).level == "breaking", (old, new)
    assert refusing > 30


def recording(path: Path, schema: Any, *calls: dict[str, Any]) -> Path:
    listed = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool(schema)]}}
    frames: list[tuple[str, Any]] = [
        ("client-to-server", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
        ("server-to-client", listed),
    ]
    for number, arguments in enumerate(calls, 2):
        params = {"name": "find", "arguments": arguments}
        asked = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}
        result = {"content": [{"type": "text", "text": "found"}]}
        frames += [
            ("client-to-server", asked),
            ("server-to-client", {"jsonrpc": "2.0", "id": number, "result": result}),
        ]
    lines = (
        {
            "timestamp": "2026-01-01T00:00:00+00:00",
            "direction": direction,
            "session_id": "s",
            "server": "finder",
            "message": message,
        }
        for direction, message in frames
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_command_compares_recordings_and_their_calls(assay: Assay, tmp_path: Path) -> None:
    old = recording(tmp_path / "old.jsonl", takes(a=TEXT), {"a": "x"}, {})
    new = recording(tmp_path / "new.jsonl", takes(("a",), a=TEXT))
    done = assay("mcp", "diff", old, new, "--calls", old)
    assert done.code == 1
    assert "find input.a: is required now" in done.out
    assert 'line 5, find: "a" is a required property' in done.out
    assert "1 of 2 recorded calls would be refused." in done.out
    again = assay("mcp", "diff", old, old, "--calls", old, "--json")
    assert (again.code, again.json["level"], again.json["calls"]) == (0, "fine", 2)
    store = tmp_path / "runs.assay"
    assay("import", old, "--store", store)
    stored = assay("mcp", "diff", old, new, "--calls", store, "--json").json
    assert (stored["calls"], len(stored["refused"])) == (2, 1)


def test_risky_changes_fail_only_where_that_was_asked(assay: Assay, tmp_path: Path) -> None:
    old = recording(tmp_path / "old.jsonl", takes(a=TEXT))
    new = recording(tmp_path / "new.jsonl", takes())
    assert assay("mcp", "diff", old, new).code == 0
    assert assay("mcp", "diff", old, new, "--fail-on", "risky").code == 1


def test_a_server_is_compared_with_what_it_was(assay: Assay, tmp_path: Path) -> None:
    old = recording(tmp_path / "old.jsonl", takes(a=TEXT))
    program = tmp_path / "serve"
    program.write_text(f"#!/bin/sh\nexec {' '.join(SERVER)}\n")
    program.chmod(0o755)
    for command in (" ".join(SERVER), program):
        done = assay("mcp", "diff", old, command)
        assert (done.code, "find: is gone" in done.out) == (1, True)
    assert assay("mcp", "diff", old, tmp_path / "missing.json").code == 2
    assert assay("mcp", "diff", old, "no-such-server").code == 3


def test_what_cannot_be_read_says_where(assay: Assay, tmp_path: Path) -> None:
    old = recording(tmp_path / "old.jsonl", takes(a=TEXT), {"a": "x"})
    broken = tmp_path / "broken.jsonl"
    broken.write_text(old.read_text() + "no json\n{}\n")
    for given in (("diff", broken, old), ("diff", old, old, "--calls", broken)):
        done = assay("mcp", *given)
        assert (done.code, "broken.jsonl, line 5" in done.err) == (2, True), done.err
    assert assay("mcp", "diff", old, old, "--calls", tmp_path / "missing").code == 2
    done = assay("mcp", "diff", "http://a/mcp", "http://b/mcp", "--header", "Authorization: x")
    assert (done.code, "both addresses" in done.err) == (2, True)


def cases(change: bool) -> list[AgentTestCase]:
    found = []
    for case in read_runs(EXAMPLES / "01-weather-and-clothes.json"):
        assert isinstance(case, AgentTestCase)
        schema = takes(("city",), city=TEXT) if change else takes(city=TEXT)
        found.append(replace(case, available_tools=[tool(schema, description="Any.")]))
    return found


@pytest.mark.parametrize("change", [True, False])
def test_compare_says_when_the_sides_ran_against_different_contracts(
    change: bool, assay: Assay, tmp_path: Path
) -> None:
    for name, changed in (("old", False), ("new", change)):
        with Store.create(tmp_path / f"{name}.assay").writer() as writer:
            for case in cases(changed):
                writer.add(case)
    done = assay("compare", tmp_path / "old.assay", tmp_path / "new.assay")
    said = "the sides ran against different contracts: other schemas or tools on offer (find)"
    assert (said in done.out) == change
    told = assay("compare", tmp_path / "old.assay", tmp_path / "new.assay", "--json").json
    assert told["contracts"] == (said if change else "")


def test_what_was_really_recorded_is_checked_and_compared(
    assay: Assay, request: pytest.FixtureRequest
) -> None:
    recorded = request.getfixturevalue("recording")
    server = f"{sys.executable} {Path(__file__).with_name('server.py')}"
    done = assay("mcp", "diff", recorded, server, "--calls", recorded, "--json").json
    assert (done["level"], done["changes"], done["refused"]) == ("fine", [], [])
    assert done["old_hash"] == done["new_hash"]
    assert done["calls"] > 1
    assert assay("mcp", "check", recorded, "--json").json["contract"] == done["old_hash"]
