"""Sources: what an agent was told, by whom and when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run

from assay.evidence.measures import measures_in
from assay.evidence.moments import days_in
from assay.evidence.run_facts import RunFacts
from assay.evidence.source import Source
from assay.evidence.sources import BEFORE_ALL, Sources, steps_of
from assay.evidence.words import joined, phrase_of, words_of

if TYPE_CHECKING:
    from assay.test_case import AgentTestCase


def sources_of(case: AgentTestCase) -> Sources:
    return RunFacts(case).sources


@pytest.mark.parametrize(
    ("turns", "steps"),
    [
        ([1, 2, 2, 5], [0, 1, 1, 2]),
        ([None, None], [0, 1]),
        ([1, None, 2], [0, 1, 2]),
        ([3, 1], [0, 1]),
        ([], []),
    ],
)
def test_steps_follow_recorded_turns_where_they_make_sense(
    turns: list[int | None], steps: list[int]
) -> None:
    assert steps_of([call("a", {}, turn=turn) for turn in turns]) == steps


def test_the_earliest_source_is_found() -> None:
    case = run(
        "Find order SO-58213",
        call("get", {"a": 1}, {"order": "SO-58213", "line": "L-7788"}),
        call("get", {"a": 2}, {"line": "L-7788"}),
        answer="L-7788 of SO-58213",
    )
    sources = sources_of(case)
    first = sources.first(phrase_of("SO-58213"))
    assert first is not None
    assert (first.kind, first.place) == ("prompt", "input")
    line = sources.first(phrase_of("L-7788"))
    assert line is not None
    assert (line.kind, line.call) == ("result", 0)
    assert line.leaf_with("L-7788", phrase_of("L-7788")).path == "$.line"


def test_a_result_is_no_source_for_what_its_own_call_sent() -> None:
    case = run(
        "Find my order",
        call("get", {"id": "SO-12345"}, {"error": "no order SO-12345"}, failed=True),
        call("list", {}, ["SO-12345"]),
        call("get", {"id": "SO-12345"}, {"id": "SO-12345"}),
    )
    sources = sources_of(case)
    found = sources.first(phrase_of("SO-12345"))
    assert found is not None
    assert found.call == 1
    echo = sources.first(phrase_of("SO-12345"), echoes=True)
    assert echo is not None
    assert echo.call == 0


def test_what_the_user_says_later_is_known_later() -> None:
    history: list[dict[str, Any]] = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": "", "turn": 1},
        {"role": "user", "content": "It is JMO1MG"},
        {"role": "assistant", "content": "My guess is XX99YY"},
        {"role": "assistant", "content": "", "turn": 2},
    ]
    case = run(
        "Hello",
        call("a", {"id": "JMO1MG"}, turn=1),
        call("a", {"id": "JMO1MG", "other": "XX99YY"}, turn=2),
        conversation_history=history,
    )
    sources = sources_of(case)
    told = sources.first(phrase_of("JMO1MG"))
    assert told is not None
    assert (told.kind, told.place, told.step) == ("conversation", "conversation_history[2]", 0)
    assert sources.first(phrase_of("XX99YY")) is None  # its own words are no source
    assert [source.step for source in sources.told] == [BEFORE_ALL, 0]


def test_a_later_message_does_not_hide_an_earlier_result() -> None:
    case = run(
        "Hello",
        call("user", {}, {"reservations": ["FDZ0T5"]}, turn=1),
        call("get", {"id": "FDZ0T5"}, turn=2),
        conversation_history=[
            {"role": "assistant", "content": "", "turn": 1},
            {"role": "assistant", "content": "", "turn": 2},
            {"role": "user", "content": "Cancel FDZ0T5"},
        ],
    )
    found = sources_of(case).first(phrase_of("FDZ0T5"))
    assert found is not None
    assert found.call == 0


def test_retrieved_context_is_a_source() -> None:
    case = run("Hello", call("a", {"id": "DOC-4711"}), retrieval_context=["see DOC-4711"])
    found = sources_of(case).first(phrase_of("DOC-4711"))
    assert found is not None
    assert found.place == "retrieval_context[0]"


def test_an_error_message_is_part_of_the_result() -> None:
    case = run(
        "Hello",
        call("a", {}, None, failed=True, error="did you mean TABLE_77?"),
        call("b", {}, {"code": 3}, failed=True, error="see TABLE_88"),
        answer="TABLE_77 TABLE_88",
    )
    results = sources_of(case).results
    assert results[0].value == "did you mean TABLE_77?"
    assert results[1].leaf_with("TABLE_88", phrase_of("TABLE_88")).path == "$.error_message"


def test_wrapped_results_are_unwrapped_when_nobody_did_it_yet() -> None:
    plain = call("a", {}, {"content": [{"type": "text", "text": '{"id": "X-1001"}'}]})
    plain.success_rule = None
    case = run("Hello", plain, answer="X-1001")
    (result,) = sources_of(case).results
    assert result.leaf_with("X-1001", phrase_of("X-1001")).path == "$.id"
    assert isinstance(plain.result, dict)  # the case itself is left alone
    assert "content" in plain.result


def test_measures_of_a_text() -> None:
    text = '{"at": "2026-02-24T18:42:10Z", "total": 1,234.50, "id": "SO-58213", "on": "20260301"}'
    numbers, days, minutes = measures_in(text, words_of(text))
    assert numbers == {1234.5, 20260301.0}
    assert days == {(2026, 2, 24), (2026, 3, 1)}
    assert minutes == {18 * 60 + 42}


@settings(deadline=None)
@given(
    st.lists(
        st.lists(
            st.sampled_from(["12,345", "345", "64.90", "2026-03-24", "14:30", "10-20", "SO-30"])
            | st.integers(0, 40).map(str)
            | st.floats(0, 50).map(lambda size: f"{size:.1f}"),
            max_size=6,
        ).map(" and ".join),
        min_size=1,
        max_size=4,
    )
)
def test_a_number_is_found_alike_with_and_without_an_index(texts: list[str]) -> None:
    case = run("x", *(call("a", {}, text) for text in texts))
    indexed = sources_of(case).everything.numbers
    for size in (345.0, 24.0, 30.0, 64.9, 12345.0, *(n / 10 for n in range(0, 400, 5))):
        found = sources_of(case).with_number(size, echoes=True)
        known = indexed.get(size)
        assert (found and found.call) == (known and known.call), size


def test_measures_of_dates_in_other_forms() -> None:
    text = "from 24 March 2026, 9 am"
    assert measures_in(text, words_of(text)).days == days_in(text) == {(2026, 3, 24)}
    assert measures_in(text, words_of(text)).minutes == {540}


def test_leaves_are_found_by_what_they_say() -> None:
    data = {
        "a": "paid 64.90 on 24 March 2026",
        "b": {"c": 12.5, "d": "2026-04-01T09:30:00"},
        "mail@example.com": 3,
    }
    case = run("x", call("a", {}, data), answer="mail@example.com paid")
    (source,) = sources_of(case).results
    assert source.leaf_with_number(12.5).path == "$.b.c"
    assert source.leaf_with_number(64.9).path == "$.a"
    assert source.leaf_with_day((2026, 3, 24)).path == "$.a"
    assert source.leaf_with_day((0, 4, 1)).path == "$.b.d"
    assert source.leaf_with_minute(570).path == "$.b.d"
    assert source.leaf_with("paid", phrase_of("paid")).path == "$.a"
    mail = source.leaf_with("mail@example.com", phrase_of("mail@example.com"))
    assert mail.path == "$['mail@example.com']"
    assert source.leaf_with_number(99).path == "$"


def test_large_results_are_searched_by_an_index_of_their_words() -> None:
    data = [{"text": f"parcel PK-{10_000 + n} was sent on {n} March 2026"} for n in range(1, 301)]
    case = run("x", call("a", {}, data), answer="PK-10300 was sent")
    (source,) = sources_of(case).results
    assert source.leaf_with("PK-10300", phrase_of("PK-10300")).path == "$[299].text"
    assert source.leaf_with("text", phrase_of("text")).path == "$[0].text"
    assert source.leaf_with_day((2026, 3, 31)).path == "$[30].text"
    assert source.leaf_with("PK-99999", phrase_of("PK-99999")).path == "$"


def test_leaves_are_read_in_order_however_they_are_asked_for() -> None:
    data = [{"text": text} for text in ("at 10:20", "no number", "seen 41 and 10:20", "41 again")]
    case = run("x", call("a", {}, data))
    (source,) = sources_of(case).results
    assert source.leaf_with_number(41.0).path == "$[2].text"
    assert source.leaf_with_minute(620).path == "$[0].text"
    assert source.leaf_with_number(42.0).path == "$"
    assert source.leaf_with_number(41.0).path == "$[2].text"


def test_which_words_are_held_by_results() -> None:
    case = run("a lamp", call("a", {"q": "lamp"}, {"price": 3}), answer="the price of a lamp")
    assert sources_of(case).hold(["the", "price", "of", "lamp"]) == [False, True, False, False]


@given(st.lists(st.sampled_from(["so", "10007", "lamp", "10008"]), min_size=1, max_size=4))
def test_a_long_text_is_asked_like_a_short_one(words: list[str]) -> None:
    said = "SO-10007: lamp, 10008; so lamp 10008"
    short = Source("result", said, place="$", step=0)
    long = Source("result", said + "\n" + "and nothing else " * 500, place="$", step=0)
    asked = {"so", "10007", "lamp", "10008"}
    assert long.holds(joined(words), asked) is short.holds(joined(words), asked)
