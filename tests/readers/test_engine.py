"""The shape engine: what it finds does not depend on how a recording is written."""

from __future__ import annotations

import json
import random
import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.readers.engine import FoundCall, find_runs, to_case

if TYPE_CHECKING:
    from collections.abc import Callable

Shape = Any

NAMES = st.sampled_from(["search_rooms", "book_room", "cancelBooking", "mail.send"])
VALUES = st.one_of(st.integers(0, 99), st.text("abcdef ", min_size=1, max_size=12), st.booleans())
ARGUMENTS = st.dictionaries(st.sampled_from(["room", "guest", "nights"]), VALUES, max_size=3)
RESULTS = st.text("ghijkl ", min_size=1, max_size=20).map(lambda text: f"R {text}")
CALLS = st.lists(st.tuples(NAMES, ARGUMENTS, RESULTS), min_size=1, max_size=4)


def calls_in(value: object) -> list[FoundCall]:
    return [call for run in find_runs(value) for call in run.calls]


def found_in(value: object) -> list[tuple[str, Any, Any]]:
    return [(call.tool, call.arguments, call.result) for call in calls_in(value)]


# -- shapes of recordings; each takes (tool, arguments, result) and writes them its own way


def chat(calls: list[tuple[str, Any, Any]]) -> Shape:
    messages: list[Any] = [{"role": "user", "content": "a room please"}]
    for number, (tool, arguments, result) in enumerate(calls):
        function = {"name": tool, "arguments": json.dumps(arguments)}
        called = {"id": f"c{number}", "type": "function", "function": function}
        messages += [
            {"role": "assistant", "content": None, "tool_calls": [called]},
            {"role": "tool", "tool_call_id": f"c{number}", "content": result},
        ]
    return {"messages": [*messages, {"role": "assistant", "content": "done"}]}


def blocks(calls: list[tuple[str, Any, Any]]) -> Shape:
    messages: list[Any] = [{"role": "user", "content": "a room please"}]
    for number, (tool, arguments, result) in enumerate(calls):
        use = {"type": "tool_use", "id": f"c{number}", "name": tool, "input": arguments}
        came = {"type": "tool_result", "tool_use_id": f"c{number}", "content": result}
        messages += [{"role": "assistant", "content": [use]}, {"role": "user", "content": [came]}]
    return {"messages": messages}


def rows(calls: list[tuple[str, Any, Any]]) -> Shape:
    return {
        "steps": [
            {"tool_name": tool, "arguments": arguments, "tool_output": result}
            for tool, arguments, result in calls
        ]
    }


def events(calls: list[tuple[str, Any, Any]]) -> Shape:
    found = []
    for number, (tool, arguments, result) in enumerate(calls):
        found += [
            {"type": "tool_call", "call_id": f"c{number}", "tool": tool, "args": arguments},
            {"type": "tool_call_end", "call_id": f"c{number}", "output": result},
        ]
    return {"events": found}


def side_by_side(calls: list[tuple[str, Any, Any]]) -> Shape:
    done = [{"name": tool, "arguments": arguments} for tool, arguments, _ in calls]
    return {"tool_calls": done, "observations": [result for _, _, result in calls]}


def protocol(calls: list[tuple[str, Any, Any]]) -> Shape:
    frames = []
    for number, (tool, arguments, result) in enumerate(calls):
        params = {"name": tool, "arguments": arguments}
        frames += [
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params},
            {"jsonrpc": "2.0", "id": number, "result": result},
        ]
    return {"frames": frames}


SHAPES = (chat, blocks, rows, events, side_by_side, protocol)
every_shape = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)


@every_shape
@given(calls=CALLS)
def test_each_call_is_found_with_its_result(shape: Any, calls: list[tuple[str, Any, Any]]) -> None:
    assert found_in(shape(calls)) == calls


# -- what changes nothing


def shuffled(value: Any, order: random.Random) -> Any:
    if isinstance(value, list):
        return [shuffled(item, order) for item in value]
    if not isinstance(value, dict):
        return value
    items = [(key, shuffled(inner, order)) for key, inner in value.items()]
    order.shuffle(items)
    return dict(items)


def camel(text: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found.group(1).upper(), text)


def in_camel_case(value: Any) -> Any:
    if isinstance(value, list):
        return [in_camel_case(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = ("arguments", "args", "input")
    return {
        camel(key): inner if key in kept else in_camel_case(inner) for key, inner in value.items()
    }


@every_shape
@given(calls=CALLS, seed=st.integers(0, 1_000))
def test_order_of_keys_changes_nothing(
    shape: Any, calls: list[tuple[str, Any, Any]], seed: int
) -> None:
    order = random.Random(seed)
    written = {key: shuffled(value, order) for key, value in shape(calls).items()}
    assert found_in(written) == calls


@every_shape
@given(calls=CALLS)
def test_wrapping_changes_nothing(shape: Any, calls: list[tuple[str, Any, Any]]) -> None:
    written = shape(calls)
    for wrapped in ({"data": written}, {"run": {"id": "r1", **written}}, [written]):
        assert found_in(wrapped) == calls


@every_shape
@given(calls=CALLS)
def test_camel_case_changes_nothing(shape: Any, calls: list[tuple[str, Any, Any]]) -> None:
    assert found_in(in_camel_case(shape(calls))) == calls


@pytest.mark.parametrize("shape", [chat, blocks, rows, events, protocol])
@given(calls=CALLS)
def test_splitting_into_lines_changes_nothing(
    shape: Any, calls: list[tuple[str, Any, Any]]
) -> None:
    (lines,) = shape(calls).values()
    assert found_in(lines) == calls


@every_shape
@given(calls=CALLS)
def test_json_inside_a_text_is_read(shape: Any, calls: list[tuple[str, Any, Any]]) -> None:
    assert found_in([{"payload": json.dumps(shape(calls))}]) == calls


@given(
    value=st.recursive(VALUES | st.none(), lambda v: st.lists(v) | st.dictionaries(st.text(), v))
)
def test_nothing_raises(value: object) -> None:
    for run in find_runs(value):
        to_case(run)


# -- one mechanism each

CALL = {"tool": "search", "args": {"q": "x"}, "result": "3 hits"}


def test_calls_with_one_sign_only_are_none() -> None:
    assert not calls_in([{"name": "x", "value": 1}, {"tool": "hammer"}, {"args": [1, 2]}])


def test_definitions_and_expectations_are_no_calls() -> None:
    offered = {"name": "search", "description": "Finds.", "parameters": {"properties": {}}}
    expected = [{"name": "search", "arguments": {"q": "x"}}]
    value = {"tools": [offered], "expected_tool_calls": expected, "calls": [CALL]}
    (run,) = find_runs(value)
    assert [call.result for call in run.calls] == ["3 hits"]
    assert run.offered == [offered]


def test_planned_calls_are_none() -> None:
    assert not calls_in({"setup": [{"func_name": "create_user", "arguments": {"id": 1}}]})


def test_weak_sign_needs_a_result() -> None:
    use = {"toolUse": {"toolUseId": "1", "name": "search", "input": {"q": "x"}}}
    came = {"toolResult": {"toolUseId": "1", "content": [{"text": "3 hits"}]}}
    messages = [
        {"role": "user", "content": [{"text": "?"}]},
        {"role": "assistant", "content": [use]},
    ]
    assert found_in([*messages, {"role": "user", "content": [came]}])[0][0] == "search"


def test_approval_is_no_result() -> None:
    events = [
        {"type": "tool_use", "id": "e1", "name": "search", "input": {}},
        {"type": "tool_confirmation", "tool_use_id": "e1", "result": "allow"},
        {"type": "tool_result", "tool_use_id": "e1", "content": "3 hits"},
    ]
    assert found_in(events) == [("search", {}, "3 hits")]


def test_id_shared_by_different_calls_is_none() -> None:
    value: list[Any] = [
        {"tool_call_id": "same", "tool": tool, "arguments": {}, "result": tool.upper()}
        for tool in ("read", "write")
    ]
    assert [result for *_, result in found_in(value)] == ["READ", "WRITE"]


def test_requests_repeat_what_was_said_before() -> None:
    exchanges = []
    messages: list[Any] = [{"role": "user", "content": "?"}]
    for number in range(3):
        function = {"name": "search", "arguments": json.dumps({"page": number})}
        reply = {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": function}]}
        exchanges.append(
            {
                "request": {"body": {"messages": list(messages)}},
                "response": {"choices": [{"message": reply}]},
            }
        )
        messages += [reply, {"role": "tool", "tool_call_id": f"c{number}", "content": str(number)}]
    exchanges.append({"request": {"body": {"messages": messages}}})
    assert [result for *_, result in found_in(exchanges)] == ["0", "1", "2"]


def test_spans_repeat_the_calls_of_messages() -> None:
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "search"}
    attributes |= {"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": "3 hits"}
    said = [
        {"role": "assistant", "tool_calls": [{"id": "c1", "name": "search", "arguments": "{}"}]}
    ]
    spans = [
        {"span_id": "1", "attributes": {"gen_ai.output.messages": json.dumps(said)}},
        {"span_id": "2", "name": "execute_tool search", "attributes": attributes},
    ]
    assert found_in(spans) == [("search", {}, "3 hits")]


def test_each_list_of_messages_is_a_run() -> None:
    runs = find_runs([chat([("a", {}, "1")]), chat([("b", {}, "2")])])
    assert [[call.tool for call in run.calls] for run in runs] == [["a"], ["b"]]


def test_rows_are_separated_by_the_run_they_name() -> None:
    rows = [{"run_id": name, **CALL} for name in "abab"]
    runs = find_runs(rows)
    assert [(run.session_id, len(run.calls)) for run in runs] == [("a", 2), ("b", 2)]


def test_streamed_pieces_are_joined() -> None:
    pieces = ['{"q', '": "x', '"}']
    first = {"index": 0, "id": "c1", "function": {"name": "search", "arguments": ""}}
    chunks = [{"choices": [{"delta": {"tool_calls": [first]}}]}] + [
        {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}}]}
        for piece in pieces
    ]
    assert [(call.tool, call.arguments) for call in calls_in(chunks)] == [("search", {"q": "x"})]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('Thought: look\nAction: search\nAction Input: {"q": "x"}', ("search", {"q": "x"})),
        ("Thought: look\nAction: search[x]", ("search", "x")),
        (
            '<tool_call>{"name": "search", "arguments": {"q": "x"}}</tool_call>',
            ("search", {"q": "x"}),
        ),
        ("<function=search><parameter=q>x</parameter></function>", ("search", {"q": "x"})),
        ('```json\n{"tool": "search", "args": {"q": "x"}}\n```', ("search", {"q": "x"})),
        ('[search(q="x")]', ("search", {"q": "x"})),
    ],
)
def test_calls_written_as_text(said: str, expected: tuple[str, Any]) -> None:
    messages = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": said},
        {"role": "user", "content": "Observation: 3 hits"},
    ]
    assert found_in(messages) == [(*expected, "3 hits")]


@pytest.mark.parametrize(
    ("flag", "reported"),
    [
        ({"is_error": True}, False),
        ({"ok": False}, False),
        ({"success": True}, True),
        ({"exit_code": 2}, False),
        ({"status": "failed"}, False),
        ({"error": {"message": "no such room"}}, False),
        ({"error": None}, None),
        ({"error": ""}, None),
    ],
)
def test_flags_are_kept_as_recorded(flag: dict[str, Any], reported: bool | None) -> None:
    (call,) = calls_in([{**CALL, **flag}])
    assert call.reported_success is reported


def test_chinese_keys() -> None:
    row = {"工具名称": "search", "参数": {"q": "x"}, "返回结果": "3 hits"}
    assert found_in([row]) == [("search", {"q": "x"}, "3 hits")]


def test_story_of_a_run() -> None:
    calls: list[tuple[str, Any, Any]] = [("search", {}, "1"), ("book", {}, "2")]
    (run,) = find_runs(chat(calls))
    assert run.question == "a room please"
    assert run.answer == "done"
    assert [call.turn for call in run.calls] == [1, 2]
    case = to_case(run, task_id="t1")
    assert case.task_id == "t1"
    assert case.actual_output == "done"
    assert [call.tool for call in case.calls] == ["search", "book"]


def test_results_without_calls_are_kept() -> None:
    named = {"type": "tool_result", "tool_name": "search", "tool_use_id": "1", "content": "x"}
    (run,) = find_runs([named, {"type": "tool_result", "tool_use_id": "2", "content": "y"}])
    assert [(call.tool, call.arguments_recorded) for call in run.calls] == [("search", False)]
    assert run.unmatched == [{"call_id": "2", "result": "y"}]


HOSTILE: dict[str, Callable[[], Any]] = {
    "nested": lambda: json.loads("[" * 900 + "]" * 900),
    "one id": lambda: [
        {"type": kind, "call_id": "same", "tool": "t", "args": {"n": n}, "output": "x"}
        for kind in ("tool_call", "tool_result")
        for n in range(2_000)
    ],
    "braces": lambda: '{"a":[{"' * 20_000,
    "labels": lambda: "Action: x\n" * 20_000,
    "tags": lambda: [{"role": "assistant", "content": '<tool_call>{<invoke name="a">' * 5_000}],
    "keys": lambda: [{f"tool_{n}_{m}": m for m in range(900)} for n in range(20)],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_input_takes_no_time(name: str) -> None:
    value = HOSTILE[name]()
    began = time.process_time()
    for run in find_runs(value):
        to_case(run)
    assert time.process_time() - began < 5


# -- meta-tools


def unfolded(tool: str, sent: Any) -> list[Any]:
    run = {"tool_calls": [{"tool_name": tool, "arguments": sent, "result": "R", "id": "c"}]}
    (found,) = find_runs(run)
    return to_case(found).calls


@pytest.mark.parametrize(
    ("tool", "sent"),
    [
        ("execute_tool", {"server": "db", "tool": "query", "args": '{"sql": "select 1"}'}),
        ("mcp-call-tool", {"tool_slug": "query", "arguments": {"sql": "select 1"}}),
        ("gateway", {"mcp_server": "db", "toolName": "query", "input": {"sql": "select 1"}}),
        (
            "multi_tool_use.parallel",
            {"tool_uses": [{"tool": "query", "args": {"sql": "select 1"}}]},
        ),
    ],
)
def test_a_meta_tool_shows_the_call_it_stands_for(tool: str, sent: Any) -> None:
    outer, inner = unfolded(tool, sent)
    assert (inner.tool, inner.parameters) == ("query", {"sql": "select 1"})
    assert (inner.call_id, inner.parent_id, inner.turn) == ("c/1", "c", outer.turn)
    assert inner.server == next((sent[key] for key in sent if "server" in key), None)
    assert inner.result == (None if tool.endswith("parallel") else outer.result)


@pytest.mark.parametrize(
    ("tool", "sent"),
    [
        ("create_user", {"name": "Ann", "parameters": {"a": 1}}),
        ("create_server", {"server": "s", "name": "Ann", "parameters": {"a": 1}}),
        ("execute_tool", {"tool": "t", "args": "no object"}),
        ("execute_sql", {"query": "select", "params": {}}),
        ("batch", {"calls": []}),
    ],
)
def test_ordinary_calls_stay_alone(tool: str, sent: Any) -> None:
    assert len(unfolded(tool, sent)) == 1


# -- results and ids


def test_the_id_in_a_wrapped_call_is_that_of_the_call() -> None:
    parts = [{"function_call": {"id": name, "name": "look", "args": {"at": name}}} for name in "ab"]
    replies = [
        {"functionResponse": {"id": name, "name": "look", "response": name * 2}} for name in "ba"
    ]
    said = [{"role": "model", "parts": parts}, {"role": "user", "parts": replies}]
    calls = calls_in([{"role": "user", "parts": [{"text": "look"}]}, *said])
    assert [(call.call_id, call.result) for call in calls] == [("a", "aa"), ("b", "bb")]


@pytest.mark.parametrize("extra", [{}, {"type": "tool_result"}])
def test_a_result_with_an_empty_list_is_kept_whole(extra: dict[str, str]) -> None:
    result = {**extra, "results": [], "query": "x", "total": 0}
    alone = {"tool_name": "look", "arguments": {"a": 1}, "output": result}
    parts = [{"functionCall": {"name": "look", "args": {"a": 1}}}]
    reply = {"functionResponse": {"name": "look", "response": result}}
    said = [{"role": "model", "parts": parts}, {"role": "user", "parts": [reply]}]
    for recorded in ({"calls": [alone]}, [{"role": "user", "parts": [{"text": "look"}]}, *said]):
        assert [call.result for call in calls_in(recorded)] == [result]


def test_what_is_nested_too_deeply_for_a_record_is_cut_off() -> None:
    deep: Any = "end"
    for _ in range(300):
        deep = {"below": deep}
    call = {"tool_name": "look", "arguments": {"a": deep}, "result": [deep]}
    (run,) = find_runs({"calls": [call]})
    text = to_case(run).to_json()
    assert text.count("below") > 300
    assert "end" not in json.loads(text)["execution_data"]["tool_executions"][0]["result"]


# -- calls as tags in what a model said


def said_in(*texts: str) -> list[dict[str, Any]]:
    roles = ("user", "assistant")
    return [{"role": roles[at % 2], "content": text} for at, text in enumerate(texts)]


def test_a_tag_around_tags_is_a_call() -> None:
    conversation = said_in(
        "read it",
        "<thinking>With <read_file><path>x</path></read_file></thinking>\n"
        "<read_file>\n<path>a.py</path>\n</read_file>\n<look>\n<at>b</at>\n</look>",
        "[read_file for 'a.py'] Result:\n\ndef f(): pass\n\n[look] Result:\nnothing",
        "<use_tool>\n<tool_name>rain</tool_name>\n"
        '<arguments>\n{"city": "Oslo"}\n</arguments></use_tool>',
        "denied",
    )
    assert found_in(conversation) == [
        ("read_file", {"path": "a.py"}, "def f(): pass"),
        ("look", {"at": "b"}, "nothing"),
        ("use_tool", {"tool_name": "rain", "arguments": {"city": "Oslo"}}, "denied"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "<ul><li>one</li></ul>",
        "<my_note>only words</my_note>",
        "<my_note><by>me</by></my_note> is how it is written.",
        "<a_b>" * 50_000 + "".join(f"<t{number}>" for number in range(20_000)) + "</x>",
    ],
)
def test_other_tags_are_no_calls(text: str) -> None:
    began = time.process_time()
    assert found_in(said_in("hello", text, "thanks")) == []
    assert time.process_time() - began < 2
