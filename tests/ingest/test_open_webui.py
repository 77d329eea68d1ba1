"""Chats exported from Open WebUI, in every way they write a call."""

from __future__ import annotations

import json
from html import escape
from time import process_time
from typing import Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.details_blocks import CALLS, CODE, THOUGHTS, Thought, Words, shown_in
from assay.ingest.documents import Unreadable
from assay.ingest.formats import pick_format
from assay.ingest.message_trees import MOST_BRANCHES
from assay.ingest.open_webui import CODE_ITEM, OLLAMA_COUNTS, OPEN_WEBUI
from assay.run import RunOutcome, Usage

START = 1_767_225_600


def attribute(name: str, value: Any) -> str:
    return f'{name}="{escape(json.dumps(value))}"'


def shown(kind: str, attributes: str, body: str = "", summary: str = "Tool Executed") -> str:
    return f'<details type="{kind}" {attributes}>\n<summary>{summary}</summary>\n{body}\n</details>'


SENT = {"city": "Oslo", "note": 'a "b" <c> & d'}
ONE_CALL = shown(
    CALLS,
    f'done="true" id="c1" name="look" {attribute("arguments", json.dumps(SENT))} '
    f'{attribute("result", "rain > sun")} files="" embeds=""',
)
LISTED = [{"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}]
CAME = [{"tool_call_id": "c1", "content": "rain > sun"}]
OUTPUT: list[dict[str, Any]] = [
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": json.dumps(SENT)},
    {
        "type": "function_call_output",
        "call_id": "c1",
        "output": [{"type": "input_text", "text": "rain > sun"}],
    },
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Wet."}]},
]
SOURCES = [
    {"source": {"name": "a.pdf"}, "document": ["page"], "metadata": [{}]},
    {
        "source": {"name": "weather/look"},
        "document": ["rain > sun"],
        "metadata": [{"source": "weather/look", "parameters": SENT}],
        "tool_result": True,
    },
]


def message(own: str, parent: str | None, role: str, content: str, **more: Any) -> dict[str, Any]:
    at = START + int(own[1:])
    said = {"id": own, "parentId": parent, "role": role, "content": content, "timestamp": at}
    return {**said, "childrenIds": [], **more}


ASKED = message("m1", None, "user", "Rain?", models=["a"])


def chat(*messages: dict[str, Any], current: str | None = None, **more: Any) -> dict[str, Any]:
    by_id = {said["id"]: said for said in messages}
    history = {"messages": by_id, "currentId": current or messages[-1]["id"]}
    inner = {"title": "Rain", "models": ["a"], "history": history, "messages": [], **more}
    return {"id": "chat1", "user_id": "u", "title": "Rain", "chat": inner, "created_at": START}


def answered(content: str, **more: Any) -> dict[str, Any]:
    return chat(ASKED, message("m2", "m1", "assistant", content, model="a", done=True, **more))


REPLIES = {
    "attributes": answered(f"{ONE_CALL}\nWet."),
    "items": answered(f"{ONE_CALL}\nWet.", output=OUTPUT),
    "sources": answered("Wet.", sources=SOURCES),
    "body": answered(
        shown(
            CALLS,
            f'done="true" id="c1" name="look" {attribute("arguments", SENT)}',
            escape("rain > sun"),
        )
        + "\nWet."
    ),
}


@pytest.mark.parametrize("form", REPLIES)
def test_every_way_to_write_a_call_is_read(form: str) -> None:
    made_up = recording([REPLIES[form]])
    assert pick_format(made_up)[0] is OPEN_WEBUI
    run = read_one(OPEN_WEBUI, made_up)
    assert (run.input, run.actual_output, run.model) == ("Rain?", "Wet.", "a")
    (call,) = run.calls
    came = OUTPUT[2]["output"] if form == "items" else "rain > sun"
    assert (call.tool, call.parameters, call.result) == ("look", SENT, came)
    assert call.server == ("weather" if form == "sources" else None)
    assert (run.started_at, run.ended_at, run.session_id) == (START + 1, START + 2, "chat1")
    assert (run.task_id, run.extra) == (None, {"title": "Rain"})


def test_a_block_may_list_the_calls_of_one_reply() -> None:
    both = [*LISTED, {"id": "c2", "function": {"name": "listen", "arguments": '{"a": 1}'}}]
    block = shown(CALLS, f'done="true" {attribute("content", both)} {attribute("results", CAME)}')
    run = read_one(OPEN_WEBUI, recording(answered(f"{block}\nWet.")))
    assert [(c.tool, c.parameters, c.result, c.turn) for c in run.calls] == [
        ("look", {}, "rain > sun", 1),
        ("listen", {"a": 1}, None, 1),
    ]


def test_listed_calls_without_ids_have_results_in_order() -> None:
    named = [{"name": name} for name in ("look", "listen", "wait")]
    came = [{"content": "rain"}, {"content": "wind"}]
    block = shown(CALLS, f"{attribute('content', named)} {attribute('results', came)}")
    run = read_one(OPEN_WEBUI, recording(answered(block)))
    assert [(c.tool, c.result) for c in run.calls] == [
        ("look", "rain"),
        ("listen", "wind"),
        ("wait", None),
    ]


def test_thoughts_code_and_unfinished_calls() -> None:
    printed = attribute("output", {"stdout": "2"})
    pieces = "\n".join(
        [
            shown(THOUGHTS, 'done="true" duration="2"', escape("> so\n> be it"), "Thought"),
            "I try.",
            shown(CODE, f'done="true" {printed}', "```python\n1+1\n```"),
            shown(CALLS, f'done="false" id="c9" name="look" {attribute("arguments", "{}")}'),
        ]
    )
    run = read_one(OPEN_WEBUI, recording(answered(pieces)))
    code, look = run.calls
    assert (code.tool, code.result) == ("code_interpreter", {"stdout": "2"})
    assert code.parameters == {"code": "1+1", "language": "python"}
    assert (look.tool, look.parameters, look.result, run.actual_output) == ("look", {}, None, None)
    assert (run.conversation_history or [])[1]["reasoning"] == "so\nbe it"


def test_code_among_the_items() -> None:
    code = {"type": CODE_ITEM, "code": "1+1", "lang": "python", "output": {"stdout": "2"}}
    run = read_one(OPEN_WEBUI, recording(answered("", output=[code])))
    assert [(c.tool, c.result) for c in run.calls] == [("code_interpreter", {"stdout": "2"})]


def test_each_branch_is_an_attempt_and_each_call_counts_once() -> None:
    tree = chat(
        ASKED,
        message("m2", "m1", "assistant", f"{ONE_CALL}\nWet.", model="a"),
        message("m3", "m1", "assistant", "Dry.", model="b"),
        message("m4", "m2", "user", "Sure?"),
        message("m5", "m4", "assistant", "No.", model="a"),
        message("m6", "m4", "assistant", "Yes.", model="a"),
        current="m6",
    )
    runs = read(OPEN_WEBUI, recording([tree]))
    assert [(r.actual_output, r.model, len(r.calls), r.attempt) for r in runs] == [
        ("Yes.", "a", 1, 1),
        ("Dry.", "b", 0, 2),
        ("No.", "a", 0, 3),
    ]
    assert {run.task_id for run in runs} == {"chat1"}
    assert len({run.run_id for run in runs}) == 3
    shared = [said["content"] for said in runs[2].conversation_history or []]
    assert shared == ["Rain?", "Wet.", "Sure?", "No."]
    assert runs[2].extra["messages_of_another_branch"] == 3


def test_branches_are_bounded_and_loops_end() -> None:
    many = [message(f"m{i}", "m1", "assistant", "x") for i in range(2, MOST_BRANCHES + 12)]
    runs = read(OPEN_WEBUI, recording(chat(ASKED, *many)))
    assert (len(runs), runs[0].extra["branches_not_read"]) == (MOST_BRANCHES, 10)
    loop = chat(message("m1", "m2", "user", "a"), message("m2", "m1", "assistant", "b"))
    assert read_one(OPEN_WEBUI, recording(loop)).actual_output == "b"


@pytest.mark.parametrize(("theirs", "ours"), OLLAMA_COUNTS)
def test_ollama_counts_in_words_of_its_own(theirs: str, ours: str) -> None:
    run = read_one(OPEN_WEBUI, recording(answered("Wet.", usage={theirs: 7})))
    assert run.usage == Usage(**{ours: 7})  # type: ignore[arg-type]  # one of its counts


def test_tokens_are_summed_and_the_system_speaks_first() -> None:
    first = message("m2", "m1", "assistant", "Wet.", usage={"prompt_tokens": 3})
    second = message("m3", "m2", "assistant", "x", usage={"prompt_tokens": 4, "cost": 1})
    run = read_one(OPEN_WEBUI, recording(chat(ASKED, first, second, params={"system": "Be brief"})))
    assert run.usage == Usage(7)
    assert (run.conversation_history or [])[0] == {"role": "system", "content": "Be brief"}


def test_the_tokens_of_a_shared_reply_count_once() -> None:
    tree = chat(
        ASKED,
        message("m2", "m1", "assistant", "Wet.", usage={"prompt_tokens": 100}),
        message("m3", "m2", "user", "Sure?"),
        message("m4", "m3", "assistant", "Yes.", usage={"prompt_tokens": 5}),
        message("m5", "m3", "assistant", "No.", usage={"prompt_tokens": 7}),
        message("m6", "m3", "assistant", "Well."),
        current="m4",
    )
    assert [run.usage for run in read(OPEN_WEBUI, recording(tree))] == [Usage(105), Usage(7), None]


OUTCOMES = [
    (
        {"error": {"content": "429"}},
        RunOutcome(success=False, decided_by="open-webui", reason="429"),
    ),
    ({"annotation": {"rating": 1}}, RunOutcome(success=True, decided_by="the user's rating")),
    (
        {"annotation": {"rating": -1, "reason": "wrong"}},
        RunOutcome(success=False, decided_by="the user's rating", reason="wrong"),
    ),
    ({"annotation": {"rating": 0}}, None),
]


@pytest.mark.parametrize(("told", "outcome"), OUTCOMES)
def test_how_it_ended(told: dict[str, Any], outcome: RunOutcome | None) -> None:
    assert read_one(OPEN_WEBUI, recording(answered("x", **told))).outcome == outcome


def test_what_is_no_chat_is_reported_and_not_claimed() -> None:
    assert problems(OPEN_WEBUI, recording([REPLIES["items"], {"a": 1}])) == [
        "log.json:2: expected a chat with messages, got dict {'a': 1}"
    ]
    new: dict[str, Any] = {"history": {"messages": {}, "currentId": None}}
    (empty,) = OPEN_WEBUI.read(recording([new]))
    assert isinstance(empty, Unreadable)
    assert empty.kind == "passed_over"
    plain = {"messages": [{"role": "user", "content": "x"}], "history": []}
    assert OPEN_WEBUI.recognise(recording(plain)) == 0.0


def test_words_about_blocks_stay_words() -> None:
    assert list(shown_in('see <details type="other">x</details>')) == [
        Words('see <details type="other">x</details>')
    ]
    assert list(shown_in('<details type="reasoning" done="false">\n> half')) == [Thought("half")]


@pytest.mark.parametrize(
    "text",
    [
        '<details type="reasoning" ' * 20_000,
        f'<details type="tool_calls" {"a" * 200_000}>',
        f'<details type="tool_calls" {"a=" * 200_000}>',
        '<details type="tool_calls" name="x">' * 20_000,
        '<details type="reasoning">' + "<summary>" * 100_000,
    ],
)
def test_hostile_blocks_cost_little(text: str) -> None:
    start = process_time()
    assert len(list(shown_in(text))) == 1
    assert process_time() - start < 5


def test_branches_whose_messages_have_no_ids_are_runs_of_their_own() -> None:
    several = chat(ASKED, *(message(f"m{i}", "m1", "assistant", f"{i}") for i in (2, 3)))
    for each in several["chat"]["history"]["messages"].values():
        del each["id"]
    runs = read(OPEN_WEBUI, recording(several))
    assert len({run.run_id for run in runs}) == len(runs) == 2
