"""Tables: paths, expressions, rules for calls and messages, and what a user may get wrong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from assay.errors import AssayError
from assay.readers import read_runs
from assay.readers.facts import compile_expression, facts_of
from assay.readers.formats import formats_in_file
from assay.readers.paths import Scope, compile_path, without
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

RUN = {
    "id": 7,
    "steps": [
        {"kind": "say", "text": "hello", "at": "2026-01-01T00:00:02Z", "tokens": 3, "reply": "a"},
        {"kind": "do", "args": '{"city": "Oslo"}', "tokens": 4, "reply": "b"},
        {"kind": "do", "tokens": 9, "reply": "b"},
    ],
    "a.b": {"c": None, "d": 1},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("id", [7]),
        ("steps.[].kind", ["say", "do", "do"]),
        ("steps.[kind=do].tokens", [4, 9]),
        ("steps.[kind=do&args].tokens", [4]),
        ("steps.[!args].tokens", [3, 9]),
        ("steps.[kind!=do].text", ["hello"]),
        ("steps.[text~ell].kind", ["say"]),
        ("steps.[text!~ell].kind", ["do", "do"]),
        ("steps.[-1].tokens", [9]),
        ("steps.[1:].tokens", [4, 9]),
        ("steps.[].args.city", ["Oslo"]),
        ("nothing|steps.[0].text|id", ["hello"]),
        ("'a.b'.*", [1]),
        ("**.city", ["Oslo"]),
        ("^top", ["document"]),
        ("@top", ["beside"]),
        ("%name", ["from the path"]),
        ("steps.[tokens={^limit}].text", ["hello"]),
    ],
)
def test_a_path(path: str, found: list[Any]) -> None:
    scope = Scope(
        RUN, {"top": "document", "limit": 3}, {"top": "beside"}, {"name": "from the path"}
    )
    assert compile_path(path).all(scope) == found


@pytest.mark.parametrize(
    ("expression", "found"),
    [
        ("id +1", 8),
        ("sum steps.[].tokens", 16),
        ("sum steps.[].tokens by reply", 12),
        ("last steps.[].tokens *2", 18),
        ("max steps.[].tokens plus id", 16),
        ("count steps", 1),
        ("join steps.[].kind", "say\ndo\ndo"),
        ("key 'a.b'", "c"),
        ("id >= 7", True),
        ("steps.[].kind in do,say", True),
        ("steps.[].kind map say:1,do:0", "1"),
        ("steps.[].text match 'h(.)l'", "e"),
        ("steps.[].text means yes", "yes"),
        ("last steps at args", None),
        ("nothing else id", 7),
        ("= run {id} of {steps.[0].kind}", "run 7 of say"),
        ("= run {nothing}", None),
    ],
)
def test_an_expression(expression: str, found: Any) -> None:
    assert compile_expression(expression).value(Scope(RUN)) == found


def test_an_empty_list_of_expected_tools_is_a_statement() -> None:
    expressions = {"expected_tools": compile_expression("all runs.[].want.[] else runs.[].want")}
    rows = [({"want": []}, []), ({"want": ["a"]}, ["a"]), ({"want": None}, None)]
    for row, expected in rows:
        assert facts_of(expressions, Scope({"runs": [row]})).get("expected_tools") == expected


def test_keys_are_left_out_of_a_copy() -> None:
    left = without(RUN, "steps.[kind=do].tokens")
    assert [sorted(step) for step in left["steps"]][1:] == [
        ["args", "kind", "reply"],
        ["kind", "reply"],
    ]
    assert without(RUN, "steps")["id"] == 7
    assert "tokens" in RUN["steps"][1]  # type: ignore[index]  # a list of objects


@pytest.mark.parametrize("text", ["a..b", "a.[b", "'a", ""])
def test_what_is_no_path_is_an_error(text: str) -> None:
    with pytest.raises(AssayError):
        compile_expression(text)


TABLE = """
[mine]
title = "Logs of ours"
is = ["[kind].who"]
split = "session"
session_id = "[].session"
task_id = "[].task"
success = "last [kind=end].good"
input_tokens = "sum [].used.in"
say = { each = "[kind=said]", role = "who", text = "words", same = "turn" }
[[mine.call]]
each = "[kind=asked]"
call_id = "n"
tool = "what"
arguments = "with"
wrap = "text"
[[mine.call]]
each = "[kind=came]"
call_id = "n"
result = "back"
error_message = "bad"
reported_success = "bad means false else back means true"
"""
LINES = [
    {"kind": "said", "who": "user", "words": "Rain?", "session": "s", "task": "t"},
    {
        "kind": "asked",
        "who": "it",
        "n": 1,
        "what": "look",
        "with": {"city": "Oslo"},
        "session": "s",
    },
    {"kind": "asked", "who": "it", "n": 2, "what": "look", "with": "Rome", "session": "s"},
    {"kind": "came", "who": "it", "n": 2, "bad": "no Rome", "session": "s"},
    {"kind": "came", "who": "it", "n": 1, "back": "wet", "session": "s", "used": {"in": 5}},
    {"kind": "said", "who": "assistant", "words": "It ", "turn": 1, "session": "s"},
    {"kind": "said", "who": "assistant", "words": "rains.", "turn": 1, "session": "s"},
    {"kind": "said", "who": "user", "words": "Sun?", "session": "other"},
    {"kind": "end", "who": "it", "good": True, "session": "s"},
]


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(TABLE)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in LINES))
    found = list(read_runs(tmp_path / "log.jsonl", mapping=tmp_path / "mine.toml"))
    runs = [run for run in found if isinstance(run, AgentTestCase)]
    assert [run.session_id for run in runs] == ["s", "other"]
    run = runs[0]
    assert (run.input, run.actual_output, run.task_id) == ("Rain?", "It rains.", "t")
    assert run.outcome is not None
    assert (run.outcome.success, run.outcome.decided_by) == (True, "the file's 'good'")
    assert run.usage is not None
    assert run.usage.input_tokens == 5
    calls = [(c.tool, c.parameters, c.result, c.reported_success) for c in run.calls]
    assert calls == [
        ("look", {"city": "Oslo"}, "wet", True),
        ("look", {"text": "Rome"}, None, False),
    ]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("[mine]\nsesion_id = 'a'", "sesion_id"),
        ("[mine]\ntask_id = 'a..b'", "a..b"),
        ("[mine]\ntask_id = 'a bogus'", "bogus"),
        ("[mine]\ncall = [{ each = 'a', tol = 'b' }]", "tol"),
        ("[mine]\nlike = 'other'", "other"),
        ("mine = 1", "mine"),
        ("[mine", "mine.toml"),
    ],
)
def test_a_mistake_in_a_table_is_named(tmp_path: Path, table: str, problem: str) -> None:
    (tmp_path / "mine.toml").write_text(table)
    with pytest.raises(AssayError, match=problem):
        formats_in_file(tmp_path / "mine.toml")


def test_a_failure_that_cannot_be_read_is_no_success(tmp_path: Path) -> None:
    """BFCL: the head of a score file says how many failed, whatever can be read of them."""
    result, score = tmp_path / "result" / "m", tmp_path / "score" / "m"
    for folder in (result, score):
        folder.mkdir(parents=True)
    items = [{"id": f"simple_{n}", "result": f"f(a={n})"} for n in range(4)]
    (result / "BFCL_v3_simple_result.json").write_text("\n".join(map(json.dumps, items)))
    head = {"accuracy": 0.25, "correct_count": 1, "total_count": 4}
    failure = {"id": "simple_0", "valid": False, "error": {"error_type": "wrong"}}
    lines = [json.dumps(head), json.dumps(failure), '{"id": "simple_1", "valid": false, "error": [']
    file = score / "BFCL_v3_simple_score.json"

    def verdicts() -> list[bool | None]:
        runs = [r for r in read_runs(result) if isinstance(r, AgentTestCase)]
        return [None if run.outcome is None else run.outcome.success for run in runs]

    # The third failure is nowhere: nobody can tell which of the others it was.
    file.write_text("\n".join(lines))
    assert verdicts() == [False, False, None, None]
    file.write_text("\n".join([*lines, '{"id": "simple_3", "valid": false, "error": [']))
    assert verdicts() == [False, False, True, False]
