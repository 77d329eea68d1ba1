"""Aider's chat histories and analytics become runs."""

from __future__ import annotations

from time import process_time
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import problems, read, read_one, recording

from assay.ingest.aider import (
    AIDER_FORMAT,
    EVENTS,
    LEFT_ALONE,
    OWN_NOTICES,
    QUESTIONS,
    REFUSED,
    RESULTS,
)
from assay.ingest.aider_text import COUNTS, edits_in, model_in, session_cost, tokens_in
from assay.ingest.formats import pick_format
from assay.run import RunOutcome, Usage

if TYPE_CHECKING:
    from assay.ingest.recording import Recording

HEADER = """
# aider chat started at 2026-01-01 00:00:00

> /usr/bin/aider --model m1|
> Aider v0.86.1|
> Main model: m1 with diff edit format, 8k think tokens|
> Weak model: m0|
"""
QUESTION = """
#### /add a.py|
> Added a.py to the chat|

#### Rename f to g.|
#### Then run it.|
"""
REPLY = """
I rename it.

> a quotation of the model's own
#### and a heading

a.py
```python
<<<<<<< SEARCH
def f(): ...
=======
def g(): ...
>>>>>>> REPLACE
```

```
docs/b.md
<<<<<<< SEARCH
f
=======
>>>>>>> REPLACE
```

"""
APPLIED = """> Tokens: 9.9k sent, 1,319 received. Cost: $0.02 message, $0.02 session.|
> Applied edit to a.py|
> Applied edit to docs/b.md|
> Commit e7a6539 refactor: rename|
"""
RAN = """> python a.py
python b.py|
> Run shell commands? (Y)es/(N)o/(D)on't ask again [Yes]: y|
> Running python a.py|
> Running python b.py|
> Add command output to the chat? (Y)es/(N)o [Yes]: y|
> Added 3 lines of output to the chat.|
"""
NOT_MATCHED = """> The LLM did not conform to the edit format.|
> # 1 SEARCH/REPLACE block failed to match!|
>|
> ## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py|
> <<<<<<< SEARCH|
> def f(): ...|
> =======|
> def g(): ...|
> >>>>>>> REPLACE|
>|
> # The other 1 SEARCH/REPLACE block were applied successfully.|
> Only 3 reflections allowed, stopping.|
"""


def history(*parts: str, beside: dict[str, Any] | None = None) -> Recording:
    # Lines that Aider writes end in two blanks; here a bar stands for them.
    text = "".join(parts).replace("|\n", "  \n")
    return recording(text.encode(), ".aider.chat.history.md", beside)


def told(*parts: str) -> list[tuple[str, Any, Any, bool | None, int | None]]:
    run = read_one(AIDER_FORMAT, history(HEADER, QUESTION, *parts))
    return [(c.tool, c.parameters, c.result, c.reported_success, c.turn) for c in run.calls]


EDITS = [
    {"path": "a.py", "search": "def f(): ...", "replace": "def g(): ..."},
    {"path": "docs/b.md", "search": "f", "replace": ""},
]


def test_a_session_is_a_run() -> None:
    made_up = history(HEADER, QUESTION, REPLY, APPLIED, RAN, "\nDone.\n")
    assert pick_format(made_up) == (AIDER_FORMAT, 0.95)
    run = read_one(AIDER_FORMAT, made_up)
    assert (run.input, run.actual_output) == ("Rename f to g.\nThen run it.", "Done.")
    assert (run.model, run.framework, run.extra) == ("m1", "aider", {"version": "0.86.1"})
    assert (run.started_at, run.usage) == (1_767_225_600, Usage(9900, 1319, cost_usd=0.02))
    assert [(c.tool, c.parameters, c.result, c.reported_success, c.turn) for c in run.calls] == [
        ("edit", EDITS[0], "Applied edit to a.py", True, 1),
        ("edit", EDITS[1], "Applied edit to docs/b.md", True, 1),
        ("run_command", {"command": "python a.py"}, None, None, 2),
        ("run_command", {"command": "python b.py"}, None, None, 2),
    ]
    said = [(turn["role"], turn["content"][:12]) for turn in run.conversation_history or []]
    assert said[:4] == [
        ("system", "/add a.py"),
        ("user", "Rename f to "),
        ("assistant", "I rename it."),
        ("assistant", ""),
    ]


def test_an_edit_that_does_not_fit_has_failed() -> None:
    why = "the SEARCH block does not match lines in a.py"
    assert told(REPLY, NOT_MATCHED) == [
        ("edit", EDITS[0], why, False, 1),
        (
            *("edit", EDITS[1]),
            *("# The other 1 SEARCH/REPLACE block were applied successfully.", True, 1),
        ),
    ]
    run = read_one(AIDER_FORMAT, history(HEADER, QUESTION, REPLY, NOT_MATCHED))
    reason = "Only 3 reflections allowed, stopping."
    assert run.outcome == RunOutcome(success=False, decided_by="aider", reason=reason)


UNQUOTED = """> Tokens: 1k sent, 2 received.|
> # 1 SEARCH/REPLACE block failed to match!

## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in a.py
<<<<<<< SEARCH
def f(): ...
=======
def g(): ...
>>>>>>> REPLACE

The SEARCH section must exactly match an existing block of lines|
"""


def test_a_notice_goes_on_behind_an_empty_line() -> None:
    calls = told(REPLY, UNQUOTED, "\nI give up.\n")
    assert [success for *_, success, _ in calls].count(False) == 1
    assert len(calls) == len(EDITS)
    run = read_one(AIDER_FORMAT, history(HEADER, QUESTION, REPLY, UNQUOTED, "\nI give up.\n"))
    assert run.actual_output == "I give up."


@pytest.mark.parametrize("notice", LEFT_ALONE)
def test_a_file_left_alone_is_a_failure(notice: str) -> None:
    assert told(REPLY, f"> {notice}a.py  \n")[0][2:4] == (f"{notice}a.py", False)


def test_edits_in_other_forms_are_known_by_what_aider_says() -> None:
    assert told("\nI rewrite it.\n\n", "> Applied edit to c.py  \n") == [
        ("edit", {"path": "c.py"}, "Applied edit to c.py", True, 1)
    ]


@pytest.mark.parametrize("notice", ["", *(f"> {own}x  \n" for own in OWN_NOTICES)])
def test_a_command_that_the_user_refused_has_failed(notice: str) -> None:
    asked = "> rm a  \n> Run shell command? (Y)es/(N)o/(S)kip all [Yes]: n  \n> Running away  \n"
    calls = [call for call in told("\nI remove it.\n\n", notice, asked) if call[0] != "edit"]
    assert calls == [("run_command", {"command": "rm a"}, REFUSED, False, calls[0][4])]


@pytest.mark.parametrize("command", QUESTIONS)
def test_a_question_behind_a_command(command: str) -> None:
    run = read_one(AIDER_FORMAT, history(HEADER, f"\n#### {command} Why?  \n\nSo.\n"))
    assert (run.input, run.actual_output) == ("Why?", "So.")


THOUGHTS = [
    "<thinking-content-1f>\nhm\n</thinking-content-1f>\n\nSo.",
    "--------------\n► **THINKING**\n\nhm\n\n------------\n► **ANSWER**\n\nSo.",
]


@pytest.mark.parametrize("reply", THOUGHTS)
def test_thoughts_are_no_words(reply: str) -> None:
    run = read_one(AIDER_FORMAT, history(HEADER, QUESTION, f"\n{reply}\n"))
    assert (run.actual_output, (run.conversation_history or [])[2]["reasoning"]) == ("So.", "hm")


def test_sessions_without_a_reply_are_no_runs() -> None:
    empty = "\n# aider chat started at 2026-01-02 00:00:00\n\n#### <blank>  \n\n#### /exit  \n"
    runs = read(AIDER_FORMAT, history(HEADER, QUESTION, REPLY, empty, HEADER, QUESTION, "\nNo.\n"))
    assert [run.actual_output for run in runs][1:] == ["No."]
    assert len({run.run_id for run in runs}) == 2
    assert problems(AIDER_FORMAT, history(empty)) == [
        ".aider.chat.history.md: no message was sent to a model"
    ]


def test_json_in_a_history_does_not_make_it_json() -> None:
    made_up = history(HEADER, QUESTION, '\nPut this there:\n\n{"a": 1}\n{"b": 2}\n')
    assert pick_format(made_up)[0] is AIDER_FORMAT
    assert len(read(AIDER_FORMAT, made_up)) == 1


def test_blanks_at_the_end_of_lines_may_be_gone() -> None:
    stripped = f"{HEADER}{QUESTION}\nYes.\n".replace("|\n", "\n")
    assert read_one(AIDER_FORMAT, history(stripped)).actual_output == "Yes."


@pytest.mark.parametrize(
    ("outcomes", "success", "cost"), [([False, True], True, 0.5), ([False], False, 0.0)]
)
def test_the_benchmark_writes_its_verdict_beside(
    outcomes: list[bool], success: bool, cost: float
) -> None:
    results = {"testcase": "wordy", "model": "m2", "tests_outcomes": outcomes, "cost": cost}
    run = read_one(
        AIDER_FORMAT, history(HEADER, QUESTION, REPLY, APPLIED, beside={RESULTS: results})
    )
    assert run.outcome == RunOutcome(success=success, decided_by="the benchmark's tests")
    assert (run.task_id, run.usage and run.usage.cost_usd) == ("wordy", cost)


def event(name: str, time: int, **properties: Any) -> dict[str, Any]:
    return {"event": name, "properties": properties, "user_id": "u", "time": time}


def sent(time: int, **more: Any) -> dict[str, Any]:
    about = {"main_model": "m1", "edit_format": "diff", **more}
    return event("message_send", time, prompt_tokens=10, completion_tokens=2, cost=0.25, **about)


def test_a_launch_in_the_analytics_is_a_run() -> None:
    log = (
        *(event("launched", 1_767_225_600), sent(1_767_225_601), sent(1_767_225_602)),
        *(event("launched", 1_767_225_700), event("exit", 1_767_225_701)),
    )
    made_up = recording(log, "analytics.jsonl")
    assert pick_format(made_up) == (AIDER_FORMAT, 0.9)
    run = read_one(AIDER_FORMAT, made_up)
    assert (run.model, run.usage, run.calls) == ("m1", Usage(20, 4, cost_usd=0.5), [])
    assert (run.started_at, run.ended_at) == (1_767_225_600, 1_767_225_602)
    assert run.extra == {"events": {"launched": 1, "message_send": 2}, "edit_format": "diff"}


@pytest.mark.parametrize("name", sorted(EVENTS))
def test_every_event_is_known(name: str) -> None:
    assert AIDER_FORMAT.recognise(recording((event(name, 1),))) == 0.9


def test_events_of_others_are_left_alone() -> None:
    assert AIDER_FORMAT.recognise(recording((event("$ai_trace", 1),))) == 0.0
    assert AIDER_FORMAT.recognise(recording(({"event": "launched"},))) == 0.0
    assert problems(AIDER_FORMAT, recording((sent(1), 3))) == [
        "log.json:2: expected an event of Aider's analytics, got int 3"
    ]


@pytest.mark.parametrize(("word", "field"), COUNTS.items())
def test_every_count(word: str, field: str) -> None:
    assert tokens_in(f"Tokens: 1.5k {word}, 2M else.") == {field: 1500}
    assert tokens_in(f"Tokens: 1.2.3k {word}.") == {}


@pytest.mark.parametrize(
    ("line", "model"),
    [
        ("Main model: a/b with diff edit format", "a/b"),
        ("Model: a with whole edit format", "a"),
        ("Models: gpt-4o, weak model x", None),
        ("Models: gpt-4o with diff edit format, weak model x", "gpt-4o"),
        ("Weak model: c", None),
    ],
)
def test_models(line: str, model: str | None) -> None:
    assert model_in(line) == model


def test_costs_and_half_edits() -> None:
    assert session_cost("Cost: $0.02 message, $1,000.50 session.") == 1000.5
    assert session_cost("Cost: $0.02 message.") is None
    assert edits_in("<<<<<<< SEARCH\na\n=======\nb") == []
    once = "<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n"
    assert [edit.path for edit in edits_in(f"x.py\n{once}\n{once}")] == ["x.py", "x.py"]


@pytest.mark.parametrize(
    "notices",
    [
        f"> Tokens: {'1' * 300_000} sent, 5 received.  \n",
        f"> Tokens: {'1.' * 100_000} sent, 5 received. Cost: ${'1' * 400} session.  \n",
        "> Tokens: 5 received.  \n" + "> hi  \n\n" * 20_000,
    ],
)
def test_hostile_notices_cost_little(notices: str) -> None:
    edit = "a.py\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n" * 20_000
    start = process_time()
    run = read_one(AIDER_FORMAT, history(HEADER, QUESTION, f"\n{edit}\n", notices))
    assert (run.usage, len(run.calls)) == (Usage(output_tokens=5), 20_000)
    assert process_time() - start < 10


def test_what_came_of_edits_may_be_told_bit_by_bit() -> None:
    once = "<<<<<<< SEARCH\n{}\n=======\nb\n>>>>>>> REPLACE\n"
    reply = f"\na.py\n{once.format(1)}\nb.py\n{once.format(2)}\n"
    first, then = "> Applied edit to b.py|\n\n", "> Skipping edits to a.py|\n"
    assert [call[3] for call in told(reply, first)] == [None, True]
    assert [call[3] for call in told(reply, first, then)] == [False, True]


def test_a_history_without_a_time_or_too_long_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    made_up = recording(b"# aider chat started at noon\n\n#### Hi  \n\nYes.\n", "a.md")
    assert problems(AIDER_FORMAT, made_up) == ["a.md: no message was sent to a model"]
    monkeypatch.setattr("assay.ingest.recording._LARGEST_TEXT", 100)
    assert problems(AIDER_FORMAT, history(HEADER, QUESTION, REPLY)) == [
        ".aider.chat.history.md: is too long for a chat history; split it by sessions"
    ]
