"""Provenance: where each argument value came from. All answers were worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.evidence.made_runs import call, run, sample

from assay.evidence.provenance import Origin, TracedValue, trace_arguments

USER = {
    "customer_id": "C-20417",
    "name": "Maren Holt",
    "address": "Laurel Lane 8, Oslo",
    "page": "https://shop.example.com/orders/SO-58213/invoice.pdf",
    "file": "src/export/csv_writer.py",
    "total": 1234.5,
    "seconds": 90,
    "placed_at": "2026-02-24T18:42:10Z",
    "meeting": "14:00",
    "release": "v2.4.0",
    "order_id": 3,
    "tags": ["brass", "Lamp Shade"],
}
PROMPT = (
    "I'm Maren, maren.holt@example.com: fifteen lamps of 3月20日, please. Use 'Oslo Nord'. "
    "Be there an hour before."
)


def trace(value: Any, *, field: str = "x", tools: Any = None, prompt: str = PROMPT) -> TracedValue:
    """Trace one value of a second call, after a first that returned USER."""
    case = run(
        prompt,
        call("find", {}, USER, turn=1),
        call("act", {field: value}, turn=2),
        call("later", {}, {"found": "Z-90210", "number": 31337, "login": "zoe"}, turn=3),
        available_tools=tools,
    )
    (traced,) = trace_arguments(case).values
    return traced


def from_result(path: str, step: str = "") -> tuple[Origin, ...]:
    return (Origin("result", path, 0, step),)


PROMPT_AS_IT_IS = (Origin("prompt", "input"),)

CASES: list[tuple[str, Any, str, tuple[Origin, ...]]] = [
    ("the prompt", "maren.holt@example.com", "traced", PROMPT_AS_IT_IS),
    ("a word of the prompt", "lamps", "traced", PROMPT_AS_IT_IS),
    ("a result", "C-20417", "traced", from_result("$.customer_id")),
    ("a number of a result", 1234.5, "traced", from_result("$.total")),
    ("an element of a list", "brass", "traced", from_result("$.tags[0]")),
    ("case", "oslo nord", "derived", (Origin("prompt", "input", step="case"),)),
    ("case, result", "LAMP SHADE", "derived", from_result("$.tags[1]", "case")),
    ("whitespace", "Lamp  Shade", "derived", from_result("$.tags[1]", "whitespace")),
    ("format", "lamp-shade", "derived", from_result("$.tags[1]", "format")),
    ("substring", "Laurel Lane", "derived", from_result("$.address", "substring")),
    ("substring of a name", "2.4.0", "derived", from_result("$", "substring")),
    ("part of a URL", "SO-58213", "derived", from_result("$.page", "url_part")),
    ("part of a path", "csv_writer.py", "derived", from_result("$.file", "path_part")),
    ("number format", "1,234.50", "derived", from_result("$.total", "number_format")),
    ("number word", 15, "derived", (Origin("prompt", "input", step="number_word"),)),
    ("unit", 1.5 * 3600, "derived", from_result("$.seconds", "unit")),
    ("date format", "2026-03-20", "derived", (Origin("prompt", "input", step="date_format"),)),
    ("date format, result", "24 Feb 2026", "derived", from_result("$.placed_at", "date_format")),
    ("date arithmetic", "2026-02-25", "derived", from_result("$.placed_at", "date_arithmetic")),
    ("time arithmetic", "13:00", "derived", from_result("$.meeting", "time_arithmetic")),
    ("true", True, "trivial", ()),
    ("null", None, "trivial", ()),
    ("a small integer", 7, "trivial", ()),
    ("nothing but signs", "*", "trivial", ()),
    ("free text", "Please look at it again", "unchecked", ()),
    ("a plain word", "ascending", "unchecked", ()),
    ("nowhere: id", "C-10001", "nowhere", ()),
    ("nowhere: number", 4711, "nowhere", ()),
    ("nowhere: mail", "anna@example.com", "nowhere", ()),
    ("nowhere: address", "https://evil.example.com/x9", "nowhere", ()),
    ("nowhere: date", "2019-05-17", "nowhere", ()),
    ("nowhere: a date some days away", "2026-02-27", "nowhere", ()),
    ("nowhere: a time that nobody spoke of", "13:30", "nowhere", ()),
    ("nowhere: version", "9.9.9", "nowhere", ()),
    ("ahead: id", "Z-90210", "ahead", (Origin("result", "$.found", 2),)),
    ("ahead: number", 31337, "ahead", (Origin("result", "$.number", 2),)),
]


@pytest.mark.parametrize(
    ("value", "status", "origins"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_where_a_value_came_from(value: Any, status: str, origins: tuple[Origin, ...]) -> None:
    traced = trace(value)
    assert (traced.status, traced.origins) == (status, origins)
    assert (traced.call, traced.path, traced.value) == (1, "$.x", value)


@pytest.mark.parametrize(("name", "value", "status"), [case[:3] for case in CASES])
def test_the_share_goes_with_the_status(name: str, value: Any, status: str) -> None:
    shares = {"traced": 1.0, "derived": 1.0, "nowhere": 0.0, "ahead": 0.0}
    assert trace(value).share == shares.get(status), name


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("limit", 50, "trivial"),
        ("per_page", 100, "trivial"),
        ("amount", 50, "nowhere"),
        ("temperature", 0.7, "trivial"),
        ("latitude", 7.25, "nowhere"),
        ("order_id", 3, "traced"),
        ("user_id", 7, "nowhere"),
        ("orderNumber", 7, "nowhere"),
        ("login", "zoe", "ahead"),
        ("login", "nobody", "nowhere"),
        ("sort", "nobody", "unchecked"),
    ],
)
def test_what_the_name_of_a_field_says(field: str, value: Any, status: str) -> None:
    assert trace(value, field=field).status == status


SCHEMA = {
    "act": {
        "input_schema": {
            "properties": {
                "x": {"enum": ["celsius", "brass"], "default": "K-1000", "examples": [4242]},
            }
        }
    }
}


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("celsius", Origin("schema", "enum")),
        ("K-1000", Origin("schema", "default")),
        (4242, Origin("schema", "example")),
        # What the schema offers need not wait for a result that says it too ...
        ("brass", Origin("schema", "enum")),
        # ... but what the user said comes first.
        ("lamps", Origin("prompt", "input")),
    ],
)
def test_values_that_the_schema_offers(value: Any, origin: Origin) -> None:
    assert trace(value, tools=SCHEMA).origins == (origin,)


@pytest.mark.parametrize(
    ("value", "holder", "status"),
    [
        ("7335", "train G7335", "derived"),
        ("2.4.0", "release v2.4.0 is out", "derived"),
        ("2.4.0", "2.4.0rc1", "derived"),
        ("7335", "order 173350", "nowhere"),
        ("7335", "A7335B", "nowhere"),
    ],
)
def test_the_number_of_a_longer_name(value: str, holder: str, status: str) -> None:
    case = run("x", call("find", {}, {"v": holder}), call("act", {"x": value}))
    assert trace_arguments(case).values[0].status == status


def test_tools_that_cannot_be_read_are_no_hindrance() -> None:
    assert trace("C-20417", tools=[3]).status == "traced"


@pytest.mark.parametrize("arguments", [None, "text", 3, [], {}, [[["C-20417"]]], {"a": {}}])
def test_arguments_of_any_shape(arguments: Any) -> None:
    case = run("x", call("find", {}, USER), call("act", arguments))
    assert all(value.call == 1 for value in trace_arguments(case).values)


def test_a_query_is_traced_by_its_literals_and_names() -> None:
    case = run(
        "Count only 'paid' orders of the third quarter of 2025.",
        call("list_tables", {}, ["orders", "regions"], turn=1),
        call("describe", {"table": "orders"}, [{"name": "status"}, {"name": "ordered_on"}], turn=2),
        call(
            "query",
            {
                "sql": "SELECT o.price FROM orders o WHERE o.status = 'paid' "
                "AND o.ordered_on >= '2025-07-01' AND o.code = 'XK-77'"
            },
            turn=3,
        ),
    )
    provenance = trace_arguments(case)
    query = provenance.values[-1]
    assert query.status == "partly"
    # The names that nobody told are right: the query worked.
    assert query.missing == ("XK-77",)
    assert query.share == 5 / 6
    assert set(query.origins) == {
        Origin("prompt", "input"),
        Origin("prompt", "input", step="date_arithmetic"),
        Origin("result", "$[0].name", 1),
        Origin("result", "$[1].name", 1),
    }
    assert provenance.needs == {2: {1}}


def test_a_command_is_traced_by_its_literals() -> None:
    case = run(
        "Count the lines of /srv/app/a.log",
        call(
            "bash", {"command": "wc -l /srv/app/a.log /srv/b.txt > /tmp/c.txt; x9=1"}, failed=True
        ),
    )
    (command,) = trace_arguments(case).values
    # What it writes to is its own to name.
    assert (command.status, command.missing) == ("partly", ("/srv/b.txt",))


def test_a_text_is_traced_by_what_can_be_checked_in_it() -> None:
    text = "Dear Maren, order C-20417 of 24 February 2026 is shipped as PK-5555."
    traced = trace(text)
    assert (traced.status, traced.missing, traced.share) == ("partly", ("PK-5555",), 2 / 3)


def test_calls_of_one_turn_cannot_know_of_each_other() -> None:
    case = run(
        "x",
        call("find", {}, {"customer_id": "C-20417"}, turn=1),
        call("list", {"customer_id": "C-20417"}, turn=1),
        call("list", {"customer_id": "C-20417"}, turn=2),
    )
    together, after = trace_arguments(case).values
    assert (together.status, together.origins) == ("ahead", from_result("$.customer_id"))
    assert (after.status, after.origins) == ("traced", from_result("$.customer_id"))
    assert trace_arguments(case).needs == {2: {0}}


def test_an_invented_id_does_not_become_true_by_being_looked_up() -> None:
    case = run(
        "Find my order",
        call("get", {"id": "SO-12345"}, "no order SO-12345", failed=True),
        call("get", {"id": "SO-12345"}, "no order SO-12345", failed=True),
    )
    assert [value.status for value in trace_arguments(case).values] == ["nowhere", "nowhere"]


def test_what_the_agent_introduced_with_success_is_its_own_afterwards() -> None:
    case = run(
        "Make a table",
        call("create_table", {"table_id": "tmp_8841"}, {"ok": True}),
        call("drop_table", {"table_id": "tmp_8841"}, {"ok": True}),
    )
    first, second = trace_arguments(case).values
    assert first.status == "nowhere"
    assert (second.status, second.share) == ("reused", None)
    assert second.origins == (Origin("call", "$.table_id", 0),)


def test_what_a_new_thing_is_called_is_for_the_agent_to_choose() -> None:
    case = run(
        "Tidy up",
        call("apply_migration", {"name": "tidy_up_v1", "version_id": "X-99"}, {"ok": True}),
        call("list_migrations", {}, ["tidy_up_v1", "X-99"]),
    )
    assert [value.status for value in trace_arguments(case).values] == ["unchecked", "nowhere"]


def test_nothing_to_trace_has_no_share() -> None:
    assert trace_arguments(run("x")).share is None
    assert trace_arguments(run("x", call("a", {"on": True}))).share is None


def test_sample_01_takes_both_arguments_from_the_first_result() -> None:
    values = trace_arguments(sample(1)).values
    assert [value.origins for value in values] == [
        PROMPT_AS_IT_IS,
        (Origin("schema", "enum"),),
        from_result("$.weather"),
        from_result("$.temperature"),
    ]


def test_sample_05_works_out_the_latest_arrival() -> None:
    arrival = next(v for v in trace_arguments(sample(5)).values if v.path == "$.arrive_before")
    assert arrival.origins == (Origin("result", "$.events[0].start", 0, "time_arithmetic"),)


def test_sample_12_invents_three_ids() -> None:
    provenance = trace_arguments(sample(12))
    invented = [value.value for value in provenance.with_status("nowhere")]
    assert invented == ["C-10001", "SO-12345", "SO-12346"]
    assert provenance.share == 0


def test_sample_16_guesses_two_columns_at_first() -> None:
    (guess,) = trace_arguments(sample(16)).with_status("partly")
    assert (guess.call, guess.missing, guess.share) == (0, ("amount_eur", "ordered_on"), 0.75)


@pytest.mark.parametrize("number", [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 17, 18, 19, 20])
def test_the_other_samples_invent_nothing(number: int) -> None:
    assert trace_arguments(sample(number)).share == 1


@settings(deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(max_size=30),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
        max_leaves=8,
    )
)
def test_any_arguments_and_results_can_be_traced(data: Any) -> None:
    case = run("x", call("a", {"v": data}, data), call("b", {"v": data}, [data]))
    for value in trace_arguments(case).values:
        assert value.share is None or 0 <= value.share <= 1
