"""What each finding sees, and what excuses a run from it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from tests.evidence.made_runs import call, run, sample

from assay import AgentTestCase, MCPExecutionData, ToolExecutionResult
from assay.evidence import FINDING_KINDS, examine
from assay.evidence.findings import Finding

REQUEST = "Cancel order SO-58213 of Ada Berg (customer C-2041) on 2026-05-03."
ORDERS = {
    "orders": [
        {"order_id": "SO-58213", "name": "Ada Berg", "total": 412.5},
        {"order_id": "SO-58377", "name": "Ada Berg", "total": 78.25},
        {"order_id": "SO-58402", "name": "Ada Berg", "total": 1290.0},
    ]
}
ANSWER = "Order SO-58213 over 412.50 was cancelled."


def find_orders(customer: str = "C-2041") -> ToolExecutionResult:
    return call("find_orders", {"customer_id": customer}, ORDERS)


def cancel(order: str = "SO-58213", **known: Any) -> ToolExecutionResult:
    result = None if known.get("failed") else {"order_id": order, "status": "cancelled"}
    return call("cancel_order", {"order_id": order}, result, **known)


def kinds(case: AgentTestCase) -> set[str]:
    return {finding.kind for finding in examine(case).findings}


def test_a_good_run_has_no_finding() -> None:
    assert kinds(run(REQUEST, find_orders(), cancel(), answer=ANSWER)) == set()


@pytest.mark.parametrize(
    ("case", "kind"),
    [
        (run(REQUEST, find_orders(), cancel("SO-99999"), answer=ANSWER), "id_without_source"),
        (run(REQUEST, find_orders("C-7790"), cancel(), answer=ANSWER), "near_miss"),
        (run(REQUEST, find_orders(), cancel(), answer=f"{ANSWER} Fee: 64.30."), "answer_number"),
        (run(REQUEST, find_orders(), cancel(), answer=f"{ANSWER} See SO-11111."), "answer_id"),
        (run(REQUEST, find_orders(), cancel(), answer=f"{ANSWER} On 2026-06-09."), "answer_id"),
        (run(REQUEST, find_orders(), cancel(), answer=""), "no_answer"),
        (run(REQUEST, answer=ANSWER), "claim_without_call"),
        (run(REQUEST, find_orders(), answer=ANSWER), "claim_without_change"),
        (run(REQUEST, *[find_orders()] * 4, cancel(), answer=ANSWER), "repeated_call"),
        (
            run(REQUEST, find_orders(), cancel(failed=True, error="503"), answer=ANSWER),
            "last_call_failed",
        ),
        (
            run(
                REQUEST,
                find_orders(),
                cancel(failed=True, error="503 unavailable"),
                answer="I could not cancel order SO-58213: the service is unavailable.",
            ),
            "failure_reported",
        ),
        (
            run(
                REQUEST,
                cancel(failed=True, error="503 unavailable"),
                find_orders(),
                answer="Order SO-58213 is open over 412.50.",
            ),
            "last_change_failed",
        ),
        (
            run(
                "How many orders does customer C-2041 have, and what do they come to altogether?",
                find_orders(),
                answer=(
                    "Lisbon lies on the Tagus. Its trams climb steep hills beside tiled facades, "
                    "and pastries taste best early in the morning near Belem."
                ),
            ),
            "foreign_answer",
        ),
        (
            run(
                REQUEST,
                find_orders(),
                call("delete_customer", {"customer_id": "C-2041"}, {"ok": True}),
                answer="Customer C-2041 has three orders.",
            ),
            "unasked_destruction",
        ),
    ],
)
def test_what_looks_wrong_is_found(case: AgentTestCase, kind: str) -> None:
    assert kind in kinds(case)


@pytest.mark.parametrize(
    "case",
    [
        # Written without its separator, in another case, or in parts.
        run("Cancel order so58213.", find_orders(""), cancel("SO-58213"), answer="Done."),
        # A convention, a small number, a flag.
        run(
            "Fill the sheet.",
            call("write_range", {"range": "A1:B20", "bold": True, "size": 16}, {"ok": True}),
            answer="Done.",
        ),
        # A new name that a creating tool echoes.
        run(
            "Open a branch.",
            call("create_branch", {"branch_id": "fix-8f31c"}, {"branch_id": "fix-8f31c"}),
            answer="Done.",
        ),
        # A day near the one that relative words speak of.
        run(
            "Today is 2026-05-03. What is on next week?",
            call("list_events", {"date": "2026-05-11"}, {"events": []}),
            answer="Nothing.",
        ),
        # Rounded, in units, calculated from neighbours.
        run(
            "How far is it?",
            call(
                "route", {"to": "Lisbon"}, {"metres": 12400, "share": 0.125, "a": 118.4, "b": 89.9}
            ),
            answer="12.4 km, 12.5 % uphill; 118.40 against 89.90, that is 28.50 less.",
        ),
        # The last tool hands over: no words are needed.
        run("Help me.", call("transfer_to_human", {"summary": "x"}, "ok"), answer=""),
    ],
)
def test_what_is_excused(case: AgentTestCase) -> None:
    assert not examine(case).is_suspect


def test_without_a_recorded_request_nothing_is_missing_from_it() -> None:
    case = run("", call("list_events", {"date": "2026-05-11"}, {"events": []}), answer=None)
    assert kinds(case) == set()


def test_a_failure_without_a_message_has_none() -> None:
    case = run(REQUEST, find_orders(), cancel(failed=True, error=""), answer=ANSWER)
    (finding,) = [one for one in examine(case).findings if one.kind == "last_call_failed"]
    assert finding.values == {"tool": "cancel_order", "error": "no message"}


def test_literals_of_a_statement_are_traced() -> None:
    def ask(code: str) -> AgentTestCase:
        statement = f"SELECT * FROM orders WHERE id = '{code}'"
        return run(
            "Is order SO-58213 open?",
            call("query", {"sql": statement}, [{"id": code, "status": "open"}]),
            answer="It is open.",
        )

    assert not examine(ask("SO-58213")).is_suspect
    assert "near_miss" in kinds(ask("SO-99999"))


def test_every_finding_is_a_sentence_of_its_values() -> None:
    case = run(REQUEST, find_orders(), cancel("SO-99999"), answer=f"{ANSWER} Fee: 64.30.")
    for finding in examine(case).findings:
        assert finding.sentence.endswith(".")
        assert "{" not in finding.sentence
    values = dict.fromkeys(("field", "value", "other", "error", "tool", "count"), "x")
    for kind in FINDING_KINDS:
        assert Finding(kind, values=values).sentence


def test_provenance_names_the_call_that_a_value_came_from() -> None:
    found = examine(run("Cancel the open order of Ada.", find_orders("Ada"), cancel("SO-58377")))
    (order,) = [value for value in found.arguments if value.text == "SO-58377"]
    assert (order.source, order.origin, order.place) == ("result", 0, "$.order_id")
    assert found.plan.needs == {1: (0,)}


@pytest.mark.parametrize(
    ("result", "verdict"),
    [(None, "no problem found"), ("", "no problem found"), ('{"error": ', "unknown")],
)
def test_a_success_stated_by_hand_stands_where_nothing_came_back(
    result: str | None, verdict: str
) -> None:
    made = ToolExecutionResult("weather", {"city": "Oslo"}, result, success=True)
    case = AgentTestCase("Is it warm?", "Yes.", execution_data=MCPExecutionData([made]))
    assert examine(case).verdict == verdict


def test_the_case_is_not_changed_and_the_result_is_the_same() -> None:
    case = sample(2)
    before = deepcopy(case)
    assert examine(case).findings == examine(case).findings
    assert case == before


def test_hostile_texts_take_linear_time() -> None:
    for text in ("1," * 20_000, "a-" * 20_000, "'" * 40_000, "2026-" * 8_000, "INSERT " * 5_000):
        case = run(text, call("look", {"q": text}, text), answer=text)
        assert examine(case).findings is not None
