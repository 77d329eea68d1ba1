"""What a run did against what was expected, worked out by hand."""

from __future__ import annotations

from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run

from assay.evidence.effect_comparison import best_comparison, compare_effects
from assay.evidence.effect_matching import KEY_WORDS, MOST_PAIRS, is_key
from assay.evidence.effect_reading import read_effects, tool_name
from assay.expectation import Expectations

REFUND = call("refund_order", {"order_id": "A1", "amount": 20, "note": None})


def against_golden(done: list[Any], golden: list[Any], **answers: str) -> Any:
    told = {name: answers.get(name, "Done.") for name in ("answer", "expected")}
    return compare_effects(
        read_effects(run("do it", *done, answer=told["answer"])),
        read_effects(run("do it", *golden, answer=told["expected"])),
    )


def against(expected: dict[str, Any], *calls: Any, answer: str = "Done.") -> Any:
    return compare_effects(
        read_effects(run("do it", *calls, answer=answer)), Expectations.from_dict(expected)
    )


@pytest.mark.parametrize(
    ("done", "value"),
    [
        pytest.param([REFUND], 1.0, id="the same"),
        pytest.param(
            [call("refund_order", {"order_id": " a1", "amount": "20.00"})], 1.0, id="spelled so"
        ),
        pytest.param(
            [call("mcp__shop__refundOrder", {"order_id": "A1", "amount": 20})], 1.0, id="a prefix"
        ),
        pytest.param(
            [call("refund_order", {"order_id": "A1", "amount": 25})], 0.5, id="one of two values"
        ),
        pytest.param(
            [call("refund_order", {"order_id": "A1"})], 2 / 3, id="one left out: 2 x 1 of 2 + 1"
        ),
        pytest.param(
            [call("refund_order", {"order_id": "B2", "amount": 20})], 0.0, id="another object"
        ),
        pytest.param([REFUND, REFUND], 2 / 3, id="twice: 2 x 1 of 1 + 2"),
        pytest.param([REFUND, call("delete_user", {"user": "x"})], 2 / 3, id="an extra one"),
        pytest.param([REFUND, call("get_user", {"user": "x"})], 1.0, id="reading costs nothing"),
        pytest.param([call("refund_order", {"order_id": "A1"}, failed=True)], 0.0, id="it failed"),
        pytest.param([], 0.0, id="nothing"),
    ],
)
def test_calls_against_a_golden_run(done: list[Any], value: float) -> None:
    assert against_golden(done, [REFUND]).value == pytest.approx(value)


def test_a_failed_write_is_told() -> None:
    found = against_golden([call("refund_order", {"order_id": "A1"}, failed=True)], [REFUND])
    (sentence,) = found.evidence
    assert sentence.text == (
        "refund_order(order_id='A1', amount=20) was expected and not made; "
        "it was tried and failed (call 1)"
    )


def test_every_difference_is_told_with_its_call() -> None:
    done = [
        call("get_user", {"user": "x"}),
        call("refund_order", {"order_id": "A1", "amount": 25}),
        call("delete_user", {"user": "x"}),
    ]
    golden = [REFUND, call("send_email", {"to": "ada"})]
    found = against_golden(done, golden)
    assert [(one.kind, one.call, one.text) for one in found.evidence] == [
        (
            "different",
            1,
            "refund_order(order_id='A1', amount=20) was made, but amount=25, expected 20",
        ),
        ("missing", None, "send_email(to='ada') was expected and not made"),
        ("extra", 2, "delete_user(user='x') was made and not expected"),
    ]
    assert found.value == pytest.approx(2 * 0.5 / 4)
    assert found.reason == (
        "0 of 2 expected writes made as expected, 1 made with other values, 1 made and not expected"
    )


def sql(text: str, result: Any = None) -> Any:
    return call("execute_sql", {"sql": text}, result)


def test_statements_are_compared_by_what_they_change_however_they_are_cut() -> None:
    golden = [
        sql("INSERT INTO pay VALUES (9, 4.5), (10, 4.2)", "ok"),
        sql("SELECT 1", "a 42, b 43"),
    ]
    done = [
        call("apply_migration", {"query": "insert into PAY values (10, 4.20)"}, "ok"),
        call("apply_migration", {"query": "insert into pay values (9, 4.5)"}, "ok"),
        sql("SELECT 2", "42"),
    ]
    found = against_golden(done, golden)
    assert [part.value for part in found.parts] == [1.0, 0.5]
    assert found.value == 0.75
    assert found.evidence[-1].text == "never seen in a result: 43"


def test_two_tables_and_one_of_them_right() -> None:
    golden = [sql("UPDATE a SET x = 77"), sql("UPDATE b SET y = 88")]
    done = [sql("UPDATE a SET x = 77"), sql("UPDATE c SET y = 88")]
    assert against_golden(done, golden).value == 0.5  # no facts were told: the writes alone


def test_commands_are_compared_by_their_words() -> None:
    golden = [call("bash", {"command": "mkdir out"})]
    assert against_golden([call("shell", {"cmd": "mkdir out"})], golden).value == 1.0
    assert against_golden([call("bash", {"command": "mkdir in"})], golden).value == 0.5
    assert against_golden([call("bash", {"command": "rm x"})], golden).value == 0.0


@pytest.mark.parametrize(
    ("done", "answer", "value"),
    [
        pytest.param([call("get_rate", {}, "7.5 and 8")], "It is 7.5.", 1.0, id="all of it"),
        pytest.param([call("get_rate", {}, "7.5")], "It is 7.5.", (1 + 0.75) / 2, id="half told"),
        pytest.param([call("get_rate", {}, "7.5 and 8")], "It is 9.", (1 + 0.5) / 2, id="wrong"),
        pytest.param([REFUND], "It is 7.5.", (0 + 0.5) / 2, id="a write nobody wanted"),
    ],
)
def test_a_golden_run_that_changed_nothing(done: list[Any], answer: str, value: float) -> None:
    golden = [call("get_rate", {}, "7.5 and 8")]
    found = against_golden(done, golden, answer=answer, expected="The rate is 7.5.")
    assert found.value == pytest.approx(value)


def test_a_golden_run_that_did_nothing_at_all_says_nothing() -> None:
    found = against_golden([REFUND], [], expected="")
    assert (found.value, found.parts) == (None, ())


def test_the_best_of_several_golden_runs() -> None:
    done = read_effects(run("do it", REFUND))
    others = [[call("send_email", {"to": "ada"})], [REFUND], [REFUND]]
    best = best_comparison(done, [read_effects(run("do it", *calls)) for calls in others])
    assert best is not None
    assert (best[0], best[1].value) == (1, 1.0)
    assert best_comparison(done, []) is None


@pytest.mark.parametrize(
    ("expected", "value"),
    [
        pytest.param({"writes": ["refund_order"]}, 1.0, id="a tool"),
        pytest.param({"writes": ["refund_*"]}, 1.0, id="a pattern"),
        pytest.param({"writes": ["cancel_order"]}, 0.0, id="another tool"),
        pytest.param({"writes": []}, 0.0, id="nothing was to be changed"),
        pytest.param({"writes": [], "extra_writes": "ignore"}, None, id="others are ignored"),
        pytest.param(
            {"writes": [{"tool": "refund_order", "arguments": {"amount": 20}}]}, 1.0, id="a value"
        ),
        pytest.param(
            {"writes": [{"tool": "refund_order", "arguments": {"amount": 21, "order_id": "A1"}}]},
            0.5,
            id="one of two",
        ),
        pytest.param(
            {"writes": [{"arguments": {"amount": 21, "order_id": "A1"}, "key": ["amount"]}]},
            0.0,
            id="a key of its own",
        ),
        pytest.param({"writes": [{"values": ["a1", 20]}]}, 1.0, id="values anywhere"),
        pytest.param({"writes": [{"values": ["a1", 21]}]}, 0.5, id="one of the values"),
        pytest.param({"writes": [{"tool": "refund_order", "count": 2}]}, 2 / 3, id="once of twice"),
        pytest.param({"write_count": 1}, 1.0, id="the count"),
        pytest.param({"write_count": 4}, 0.25, id="one of four"),
        pytest.param({"write_count": 0}, 0.0, id="one too many"),
        pytest.param({"answer": ["20", "A1"]}, 0.5, id="half of the answer"),
        pytest.param({"answer": ["20"], "writes": ["cancel_order"]}, 0.5, id="a mean"),
        pytest.param({"forbidden": ["delete_*"]}, 1.0, id="nothing forbidden"),
        pytest.param({"forbidden": ["refund_order"]}, 0.0, id="forbidden"),
        pytest.param(
            {"forbidden": [{"tool": "refund_order", "arguments": {"amount": 99}}]},
            1.0,
            id="with other values",
        ),
        pytest.param({"forbidden": ["refund_*"], "answer": ["20"]}, 0.0, id="forbidden wins"),
        pytest.param({}, None, id="nothing expected"),
    ],
)
def test_expectations(expected: dict[str, Any], value: float | None) -> None:
    found = against(expected, REFUND, answer="You get 20 back.")
    assert found.value == pytest.approx(value)


@pytest.mark.parametrize(
    ("part", "answer", "value"),
    [
        ("342", "There are 1,342.", 0.0),
        ("1342", "There are 1,342 of them.", 1.0),
        ("-5", "It fell by 5 degrees.", 1.0),
        ("$20", "You get 20.00 back.", 1.0),
        ("2026-03-01", "It leaves on March 1, 2026.", 1.0),
        ("2026-03-01", "It leaves on March 2, 2026.", 0.0),
        ("Anna Berg", "ask anna  berg", 1.0),
        ("Anna", "ask Annabel", 0.0),
    ],
)
def test_what_an_answer_says(part: str, answer: str, value: float) -> None:
    assert against({"answer": [part]}, answer=answer).value == value


def test_the_rows_of_a_table_can_be_expected() -> None:
    expected = {"writes": [{"target": "Staff", "values": ["Sarah", 9]}]}
    assert against(expected, sql("INSERT INTO staff VALUES (9, 'Sarah')")).value == 1.0
    assert against(expected, sql("INSERT INTO staff VALUES (9, 'Mike')")).value == 0.5
    assert against(expected, sql("INSERT INTO other VALUES (9, 'Sarah')")).value == 0.0


@pytest.mark.parametrize("word", sorted(KEY_WORDS))
def test_every_word_that_makes_a_key(word: str) -> None:
    assert is_key(f"$.{word}")
    assert is_key(f"$.order_{word}")
    assert is_key(f"$.order{word.title()}")
    assert not is_key(f"$.{word}_count")


@pytest.mark.parametrize("path", ["$.paid", "$.amount", "$.grid", "$", ""])
def test_what_is_no_key(path: str) -> None:
    assert not is_key(path)


@pytest.mark.parametrize(
    "name",
    ["update_event", "updateEvent", "mcp__cal__update_event", "cal.update_event", "x/UpdateEvent"],
)
def test_spellings_of_one_tool(name: str) -> None:
    assert tool_name(name) == "update event"


arguments = st.dictionaries(
    st.sampled_from(["order_id", "amount", "note", "items"]),
    st.none() | st.integers(0, 3) | st.text("ab 1", max_size=70) | st.lists(st.integers(0, 2)),
)
tools = st.sampled_from(["refund_order", "send_email", "get_user", "execute_sql", "bash"])
calls = st.lists(st.builds(call, tools, arguments, st.text("ab12. ", max_size=5)), max_size=4)


@given(calls, calls)
def test_a_value_lies_between_none_and_all_and_a_run_matches_itself(
    done: list[Any], golden: list[Any]
) -> None:
    found = against_golden(done, golden).value
    assert found is None or 0 <= found <= 1
    assert against_golden(golden, golden).value in (1.0, None)


def test_long_runs_take_bounded_time() -> None:
    done = [call("send_email", {"to": f"a{i}", "n": i}) for i in range(MOST_PAIRS // 5)]
    golden = [call("send_email", {"to": f"a{i}", "n": i + 1}) for i in range(MOST_PAIRS // 5)]
    started = process_time()
    found = against_golden(done, golden)
    assert process_time() - started < 10
    assert found.value == 0.5
