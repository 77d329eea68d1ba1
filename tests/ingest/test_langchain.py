"""LangChain messages in every form people save them in."""

from __future__ import annotations

import json
from time import process_time
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.graph_states import ROLES, STATE_KEYS
from assay.ingest.graph_streams import put_together
from assay.ingest.graph_updates import OTHER_MODES
from assay.ingest.langchain import LANGCHAIN
from assay.ingest.served_blocks import STATUSES
from assay.records import preview
from assay.run import Usage

HUMAN = {"type": "human", "content": "Weather?", "id": "h1"}
AI: dict[str, Any] = {
    "type": "ai",
    "content": [
        {"type": "thinking", "thinking": "two cities"},
        {"type": "text", "text": "Looking."},
    ],
    "tool_calls": [{"name": "get", "args": {"c": "Oslo"}, "id": "a", "type": "tool_call"}],
    "invalid_tool_calls": [{"name": "get", "args": "{bad", "id": "b", "error": "no JSON"}],
    "usage_metadata": {
        "input_tokens": 10,
        "output_tokens": 2,
        "input_token_details": {"cache_read": 4, "cache_creation": 1},
        "output_token_details": {"reasoning": 1},
    },
    "response_metadata": {"model_name": "gpt-x"},
}
TOOL = {"type": "tool", "content": "Error: 404", "tool_call_id": "a", "status": "error"}
LAST = {"type": "ai", "content": "No weather.", "tool_calls": []}
MESSAGES = [HUMAN, AI, TOOL, LAST]
CLASSES = {"human": "HumanMessage", "ai": "AIMessage", "tool": "ToolMessage"}


def body(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "type"}


def data(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"], "data": body(message)}


def constructor(message: dict[str, Any]) -> dict[str, Any]:
    path = ["langchain", "schema", "messages", CLASSES[message["type"]]]
    return {"lc": 1, "type": "constructor", "id": path, "kwargs": body(message)}


def event(kind: str, run: str = "root", **data: Any) -> dict[str, Any]:
    return {"event": kind, "name": "x", "run_id": run, "data": data, "parent_ids": []}


BEGUN = event("on_chain_start", input={"messages": [constructor(HUMAN)]})
INNER = (
    event("on_chain_start", "inner", input={"messages": [HUMAN]}),
    event("on_chat_model_end", "model", input=[[HUMAN]], output=constructor(AI)),
    event("on_chain_end", "inner", output={"messages": [constructor(AI)]}),
    event("on_tool_end", "tool", input={"c": "Oslo"}, output=constructor(TOOL)),
)
SAID = event("on_chat_model_end", "model", output=constructor(LAST))
ENDED = event("on_chain_end", output={"messages": [constructor(each) for each in MESSAGES]})
FORMS = {
    "events": (BEGUN, *INNER, SAID, ENDED),
    "a list of events": [BEGUN, *INNER, SAID, ENDED],
    "events without an end": (BEGUN, *INNER, SAID),
    "model_dump": MESSAGES,
    "messages_to_dict": [data(message) for message in MESSAGES],
    "dumpd": [constructor(message) for message in MESSAGES],
    "batch": [MESSAGES],
    "state": {"messages": MESSAGES},
    "lines": tuple(MESSAGES),
    **{f"{key} of a snapshot": {key: {"messages": MESSAGES}} for key in STATE_KEYS},
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_alike(form: str) -> None:
    made_up = recording(FORMS[form])
    assert LANGCHAIN.recognise(made_up) == 1.0
    case: Any = read_one(LANGCHAIN, made_up)
    assert (case.input, case.actual_output, case.model) == ("Weather?", "No weather.", "gpt-x")
    first, second = case.calls
    assert (first.tool, first.parameters, first.turn) == ("get", {"c": "Oslo"}, 1)
    assert (first.reported_success, first.error_message) == (False, "Error: 404")
    assert (second.parameters, second.turn, second.result) == ("{bad", 1, None)
    assert second.extra == {"parse_error": "no JSON"}
    assert case.usage == Usage(
        input_tokens=10,
        output_tokens=2,
        cache_read_tokens=4,
        cache_write_tokens=1,
        reasoning_tokens=1,
    )
    assert case.conversation_history[1]["reasoning"] == "two cities"


@pytest.mark.parametrize(("status", "success"), [*STATUSES.items(), (None, None)])
def test_every_status(status: str | None, *, success: bool | None) -> None:
    answered = {**TOOL, "status": status}
    case = read_one(LANGCHAIN, recording([HUMAN, AI, answered]))
    assert case.calls[0].reported_success is success


@pytest.mark.parametrize(("kind", "role"), ROLES.items())
def test_every_kind_of_message(kind: str, role: str) -> None:
    case: Any = read_one(LANGCHAIN, recording([{"type": kind, "content": "x"}]))
    history = case.conversation_history or []
    assert [turn["role"] for turn in history] == ([] if role == "tool" else [role])


def test_a_snapshot_of_a_thread() -> None:
    snapshot = {
        "values": {"messages": MESSAGES},
        "config": {"configurable": {"thread_id": "t1"}},
        "created_at": "2026-01-01T00:00:00Z",
    }
    case = read_one(LANGCHAIN, recording(snapshot))
    assert (case.session_id, case.ended_at) == ("t1", 1767225600.0)


@pytest.mark.parametrize(
    "raw",
    [
        {"tool_calls": [{"id": "a", "function": {"name": "get", "arguments": '{"c": 1}'}}]},
        {"function_call": {"name": "get", "arguments": '{"c": 1}'}},
    ],
)
def test_calls_that_stand_only_in_what_the_provider_sent(raw: dict[str, Any]) -> None:
    message = {"type": "ai", "content": "", "additional_kwargs": raw}
    call = read_one(LANGCHAIN, recording([HUMAN, message])).calls[0]
    assert (call.tool, call.parameters) == ("get", {"c": 1})


def test_tokens_as_the_provider_reports_them() -> None:
    usage = {"token_usage": {"prompt_tokens": 3, "completion_tokens": 1}}
    message = {"type": "ai", "content": "x", "response_metadata": usage}
    case = read_one(LANGCHAIN, recording([message]))
    assert case.usage == Usage(input_tokens=3, output_tokens=1)


def test_messages_without_a_mark_of_their_own_are_less_sure() -> None:
    assert LANGCHAIN.recognise(recording([HUMAN, {"type": "ai", "content": "x"}])) == 0.8


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "x"}],
        {"messages": [{"type": "gemini", "content": "x"}]},
        [],
        {},
        [HUMAN, {"a": 1}, {"b": 2}],
    ],
)
def test_what_is_not_langchains_is_left_alone(value: Any) -> None:
    assert LANGCHAIN.recognise(recording(value)) == 0.0
    assert problems(LANGCHAIN, recording(value)) == [
        f"log.json: expected LangChain messages, or a state that holds them, got {preview(value)}"
    ]


def test_states_as_lines_are_a_run_each() -> None:
    states = ({"messages": MESSAGES}, {"messages": [HUMAN, LAST]})
    first, second = read(LANGCHAIN, recording(states, "s.jsonl"))
    assert (len(first.calls), len(second.calls)) == (2, 0)
    assert first.run_id != second.run_id


def test_the_states_of_a_stream_are_one_run() -> None:
    asked = {"type": "human", "content": "Rain?", "id": "h1"}
    call = {"name": "look", "args": {"city": "Oslo"}, "id": "c1", "type": "tool_call"}
    called = {"type": "ai", "content": "", "id": "a1", "tool_calls": [call]}
    seen = {"type": "tool", "content": "rain", "id": "t1", "tool_call_id": "c1"}
    said = {"type": "ai", "content": "Yes.", "id": "a2", "tool_calls": []}
    told = [asked, called, seen, said]
    states: list[Any] = [{"messages": told[:count]} for count in range(1, 5)]
    data = [{"run_id": "r", "attempt": 1}, *states, None]
    stream = "".join(f"event: values\ndata: {json.dumps(value)}\n\n" for value in data)
    run = read_one(LANGCHAIN, recording(stream.encode(), "states.sse"))
    assert [(c.tool, c.result) for c in run.calls] == [("look", "rain")]
    assert (run.input, run.actual_output) == ("Rain?", "Yes.")
    other = {"messages": [{**asked, "id": "h2"}, {**said, "id": "a3"}]}
    assert len(read(LANGCHAIN, recording((*states, other)))) == 2


STEPS: tuple[tuple[str, dict[str, Any]], ...] = (("agent", AI), ("tools", TOOL), ("agent", LAST))
UPDATES = [{node: {"messages": [constructor(message)]}} for node, message in STEPS]
# What a stream of updates may look like; all tell the same.
STREAMS: dict[str, list[Any]] = {
    "lines": UPDATES,
    "a message alone": [{node: {"messages": message}} for node, message in STEPS],
    "nodes that say nothing": [
        {"plan": None},
        {"plan": {"steps": 2}},
        *UPDATES,
        {"__interrupt__": [{"value": "sure?"}]},
    ],
    "several updates at once": [UPDATES[0], {"tools": [{"messages": [TOOL]}]}, UPDATES[2]],
    "what a cache gave": [*UPDATES[:2], {**UPDATES[2], "__metadata__": {"cached": True}}],
    "with the mode": [["updates", update] for update in UPDATES],
    "with the graph": [[["inner:1"], update] for update in UPDATES],
    "beside other modes": [
        *([mode, {"messages": [HUMAN]}] for mode in sorted(OTHER_MODES)),
        *(["updates", update] for update in UPDATES),
    ],
    "with graph and mode": [[[], "updates", update] for update in UPDATES],
}


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("together", [tuple, list])
def test_the_updates_of_a_graph_are_one_run(together: Any, stream: str) -> None:
    made_up = recording(together(STREAMS[stream]))
    assert LANGCHAIN.recognise(made_up) == 1.0
    case: Any = read_one(LANGCHAIN, made_up)
    asked = "Weather?" if stream == "beside other modes" else ""
    assert (case.input, case.actual_output, case.model) == (asked, "No weather.", "gpt-x")
    assert [(call.tool, call.reported_success) for call in case.calls] == [
        ("get", False),
        ("get", None),
    ]


def kept(number: int, values: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    place = {"configurable": {"thread_id": "t", "checkpoint_ns": namespace}}
    return {"values": values, "config": place, "metadata": {"source": "loop", "step": number}}


def debugged(number: int, values: dict[str, Any], namespace: str = "") -> dict[str, Any]:
    told = kept(number, values, namespace)
    at = f"2026-01-01T00:00:0{number}Z"
    return {"type": "checkpoint", "step": number, "timestamp": at, "payload": told}


def snapshot(number: int, values: dict[str, Any]) -> list[Any]:
    told = kept(number, values)
    at = f"2026-01-01T00:00:0{number}Z"
    return [values, [], told["config"], told["metadata"], at, None, []]


NAMED = [
    {**message, "id": name} for message, name in ((HUMAN, "h"), (AI, "a"), (TOOL, "t"), (LAST, "l"))
]
STATES = [{"messages": NAMED[:count]} for count in (1, 2, 3, 4)]
TASK = {"type": "task", "step": 1, "payload": {"id": "x", "name": "model", "input": STATES[0]}}
INNER_STATE = {"messages": [{**HUMAN, "id": "i"}, {**LAST, "id": "j"}]}
KEPT: dict[str, Any] = {
    "checkpoints of a debug stream": (
        debugged(0, {"messages": []}),
        *(debugged(number, state) for number, state in enumerate(STATES, start=1)),
        TASK,
        debugged(6, INNER_STATE, "tools:1"),
    ),
    "checkpoints with their mode": tuple(["checkpoints", kept(1, state)] for state in STATES),
    "values with their mode": tuple(["values", state] for state in STATES),
    "values with their graph": (
        *([[], "values", state] for state in STATES),
        [["tools:1"], "values", INNER_STATE],
    ),
    "a snapshot without names": snapshot(1, STATES[-1]),
    "a history, newest first": [snapshot(n, STATES[n - 1]) for n in (4, 3, 2, 1)],
    "a history as lines": tuple(snapshot(n, STATES[n - 1]) for n in (4, 3, 2, 1)),
}


@pytest.mark.parametrize("form", KEPT)
def test_the_states_that_were_kept_of_a_graph_are_one_run(form: str) -> None:
    made_up = recording(KEPT[form])
    assert pick_format(made_up)[0] is LANGCHAIN
    case: Any = read_one(LANGCHAIN, made_up)
    assert (case.input, case.actual_output, len(case.calls)) == ("Weather?", "No weather.", 2)
    assert case.session_id == (None if "values" in form else "t")
    assert not problems(LANGCHAIN, made_up)


def test_states_of_two_conversations_are_two_runs() -> None:
    other = debugged(9, INNER_STATE)
    first, second = read(LANGCHAIN, recording((debugged(1, STATES[-1]), other)))
    assert (len(first.calls), len(second.calls)) == (2, 0)


NODE = {"langgraph_node": "model", "thread_id": "t", "ls_model_name": "gpt-y"}


def piece(own_id: str, content: Any = "", **more: Any) -> list[Any]:
    return [{"type": "AIMessageChunk", "id": own_id, "content": content, **more}, NODE]


def chunk(index: int, args: str, **named: Any) -> dict[str, Any]:
    return {"name": None, "id": None, "args": args, "index": index, **named}


PIECES = (
    piece("a", "I "),
    piece("a", [{"type": "text", "text": "look.", "index": 0}]),
    piece("a", tool_call_chunks=[chunk(0, "", name="get", id="c1")]),
    piece("a", tool_call_chunks=[chunk(0, '{"city": '), chunk(1, "{}", name="get", id="c2")]),
    piece("a", tool_call_chunks=[chunk(0, '"Oslo"}')]),
    piece("a", usage_metadata={"input_tokens": 9, "output_tokens": 2}),
    [{"type": "tool", "content": [{"type": "text", "text": "rain"}], "tool_call_id": "c1"}, NODE],
    [{"type": "tool", "content": "no", "tool_call_id": "c2", "status": "error", "id": "t"}, NODE],
    piece("b", "It "),
    piece("b", "rains."),
)


@pytest.mark.parametrize("with_mode", [False, True])
def test_messages_in_pieces_are_put_together(*, with_mode: bool) -> None:
    lines: Any = tuple(["messages", told] for told in PIECES) if with_mode else PIECES
    made_up = recording(lines, "pieces.jsonl")
    assert pick_format(made_up)[0] is LANGCHAIN
    case: Any = read_one(LANGCHAIN, made_up)
    assert (case.actual_output, case.model, case.session_id) == ("It rains.", "gpt-y", "t")
    assert [(c.parameters, c.turn, c.reported_success) for c in case.calls] == [
        ({"city": "Oslo"}, 1, None),
        ({}, 1, False),
    ]
    assert case.conversation_history[0]["content"] == "I look."
    assert case.usage == Usage(input_tokens=9, output_tokens=2)


def test_pieces_of_parts_are_put_together_and_their_tokens_added() -> None:
    begun = {"input_tokens": 9, "output_tokens": 1, "input_token_details": {"cache_read": 4}}
    lines = (
        piece("a", [], usage_metadata=begun),
        piece("a", [{"type": "text", "text": "It ", "index": 0}]),
        piece("a", [{"type": "text", "text": "rains.", "index": 0}]),
        piece("a", [], usage_metadata={"input_tokens": 0, "output_tokens": 5}),
    )
    case: Any = read_one(LANGCHAIN, recording(lines))
    assert case.actual_output == "It rains."
    assert (case.usage.input_tokens, case.usage.output_tokens) == (9, 6)


def test_many_pieces_take_no_longer_than_they_are_long() -> None:
    told = piece("a", "word " * 20, tool_call_chunks=[chunk(0, "sent " * 20, name="f", id="c")])
    begun = process_time()
    (message,) = put_together((told[0], told[1]) for _ in range(60_000))
    assert process_time() - begun < 3
    assert len(message["content"]) == len(message["tool_calls"][0]["args"]) == 6_000_000


def test_what_a_graph_within_a_graph_said_is_told_once() -> None:
    inner = [{**message, "id": name} for message, name in ((HUMAN, "h"), (AI, "a"), (TOOL, "t"))]
    lines: list[Any] = [{"agent": {"messages": [each]}} for each in inner]
    whole = {"helper": {"messages": [*inner, {**LAST, "id": "l"}]}}
    case: Any = read_one(LANGCHAIN, recording((*lines, whole)))
    assert (case.input, len(case.calls), case.actual_output) == ("Weather?", 2, "No weather.")
    other = {"helper": {"messages": [{**HUMAN, "id": "h2"}, {**LAST, "id": "l2"}]}}
    found: Any = read(LANGCHAIN, recording((*lines, whole, other)))
    assert [len(case.calls) for case in found] == [2, 0]


@pytest.mark.parametrize("odd", [[], {}, 5, None, ["a"], "", True])
def test_ids_that_are_none_hide_no_message(odd: object) -> None:
    lines = [{"agent": {"messages": [{**message, "id": odd}]}} for message in (AI, LAST, LAST)]
    case: Any = read_one(LANGCHAIN, recording(tuple(lines)))
    assert len(case.conversation_history) == 3


def test_what_is_no_update_among_updates_is_reported() -> None:
    lines = (*UPDATES, *UPDATES, {"agent": {}, "tools": {}}, ["odd", {"agent": None}], {"a": 1}, 5)
    told = "expected an update by a node of a graph, got"
    assert problems(LANGCHAIN, recording(lines)) == [
        f"log.json:{number}: {told} {preview(line)}" for number, line in enumerate(lines[6:], 7)
    ]


def test_two_runs_in_one_stream_of_events_are_two() -> None:
    stream = (BEGUN, *INNER, ENDED, BEGUN, *INNER, ENDED)
    found: Any = read(LANGCHAIN, recording(stream))
    assert [(case.input, len(case.calls)) for case in found] == [("Weather?", 2), ("Weather?", 2)]


def test_runs_that_go_on_side_by_side_are_told_apart_by_their_parents() -> None:
    one, other = (
        [
            event("on_chain_start", root, input={"messages": [HUMAN]}),
            {**event("on_chat_model_end", f"m-{root}", output=AI), "parent_ids": [root]},
            {**event("on_tool_end", f"t-{root}", output=TOOL), "parent_ids": [root, "agent"]},
            event("on_chain_end", root, output={"messages": list(MESSAGES)}),
        ]
        for root in ("one", "other")
    )
    mixed = tuple(item for pair in zip(one, other, strict=True) for item in pair)
    found: Any = read(LANGCHAIN, recording(mixed))
    assert [(case.input, len(case.calls)) for case in found] == [("Weather?", 2), ("Weather?", 2)]


def test_events_of_models_and_tools_alone_are_a_run() -> None:
    """Whoever streams events may ask for some kinds only."""
    kept = tuple(item for item in (*INNER, SAID) if not item["event"].startswith("on_chain"))
    case = read_one(LANGCHAIN, recording(kept))
    assert (case.input, len(case.calls)) == ("Weather?", 2)
    assert case.actual_output == LAST["content"]


def test_what_is_no_event_among_events_is_reported() -> None:
    made_up = recording((BEGUN, *INNER, {"hello": "there"}, ENDED))
    assert problems(LANGCHAIN, made_up) == [
        "log.json:6: expected an event of a graph, got dict {'hello': 'there'}"
    ]


def served(*parts: Any, **more: Any) -> Any:
    """A run whose one reply holds what the provider ran itself."""
    said = {"type": "ai", "content": list(parts), "tool_calls": [], **more}
    asked = {"type": "human", "content": "Weather?"}
    return read_one(LANGCHAIN, recording([asked, said]))


def test_what_the_provider_ran_is_called_too() -> None:
    sent = {"type": "server_tool_call", "id": "s1", "name": "web_search", "args": {"query": "x"}}
    came = {"type": "server_tool_result", "tool_call_id": "s1", "status": "error", "output": "no"}
    more = {"tool_name": "list", "server_label": "gh", "arguments": "{"}
    remote = {"type": "server_tool_call", "id": "s2", "name": "remote_mcp", "extras": more}
    own = {"name": "look", "args": {}, "id": "t"}
    words = [{"type": "text", "text": "I look."}, "Found."]
    run = served(words[0], sent, came, remote, words[1], tool_calls=[own])
    assert [(c.tool, c.server, c.turn) for c in run.calls] == [
        ("web_search", None, 1),
        ("list", "gh", 2),
        ("look", None, 2),
    ]
    assert (run.calls[0].parameters, run.calls[0].result) == ({"query": "x"}, "no")
    assert (run.calls[0].reported_success, run.calls[0].error_message) == (False, "no")
    assert run.calls[1].parameters == "{"


@pytest.mark.parametrize(
    ("parts", "more"),
    [
        (
            [
                {"type": "mcp_tool_use", "id": "a", "name": "f", "server_name": "s", "input": {}},
                {"type": "mcp_tool_result", "tool_use_id": "a", "content": "x", "is_error": True},
            ],
            {},
        ),
        ([{"type": "mcp_call", "id": "a", "name": "f", "server_label": "s", "error": "x"}], {}),
        (
            [],
            {
                "additional_kwargs": {
                    "tool_outputs": [
                        {"type": "mcp_call", "id": "a", "name": "f", "server_label": "s"}
                        | {"output": "x", "status": "failed"}
                    ]
                }
            },
        ),
    ],
    ids=["anthropic", "openai", "openai-beside"],
)
def test_what_the_provider_ran_in_its_own_words(parts: list[Any], more: dict[str, Any]) -> None:
    run = served(*parts, {"type": "text", "text": "Sunny"}, **more)
    (call,) = run.calls
    assert (call.tool, call.server, call.result) == ("f", "s", "x")
    assert call.reported_success is False
    assert run.actual_output == "Sunny"
