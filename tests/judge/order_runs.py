"""Good runs of a made-up shop, for judges to be tested on."""

from __future__ import annotations

from assay import AgentTestCase, MCPExecutionData, RunOutcome, ToolExecutionResult

_NAMES = ("Nora Lindqvist", "Omar Haddad", "Petra Novak", "Quentin Moreau", "Rosa Jimenez")


def order_run(number: int) -> AgentTestCase:
    """A customer has one thing of an order returned and refunded."""
    name = _NAMES[number % len(_NAMES)]
    order, item, card = f"#W{7310 + 37 * number}", f"ITM-{4821 + 53 * number}", 211700 + number
    amount, due = 120 + 7 * number, f"2026-03-{10 + number % 18}"
    details = {
        "order_id": order,
        "customer": name,
        "items": [
            {"item_id": item, "price": amount, "title": "desk lamp"},
            {"item_id": f"ITM-{9100 + 53 * number}", "price": 4310 + number, "title": "shelf"},
        ],
        "payment_id": f"card_{card}",
        "pickup": due,
    }
    refund = {"order_id": order, "item_id": item, "payment_id": f"card_{card}", "amount": amount}
    pickup = {"order_id": order, "date": due, "customer": name}
    calls = [
        ToolExecutionResult("get_order", {"order_id": order}, details, success=True),
        ToolExecutionResult("refund_item", refund, {"status": "refunded"} | refund, success=True),
        ToolExecutionResult("book_pickup", pickup, {"status": "booked"} | pickup, success=True),
    ]
    # Answers differ in their words, so that one can be taken for another.
    ending = " ".join(_WORDS[(7 * number + i) % len(_WORDS)] for i in range(14))
    return AgentTestCase(
        f"My name is {name}. Please return the desk lamp of my order {order} and refund it.",
        f"Order {order}: refunded {amount} dollars, pickup on {due}, {name}. {ending}.",
        execution_data=MCPExecutionData(calls),
        run_id=f"run-{number}",
        task_id=f"task-{number}",
        model=f"model-{number % 2}",
        outcome=RunOutcome(success=True, decided_by="checker"),
    )


_WORDS = """
thank please return parcel courier label print attach morning evening keep receipt safe until
money arrives within several working days write again whenever anything remains unclear about
packing scratches missing screws warranty cardboard bubble wrap tape doorbell neighbour ground
""".split()  # noqa: SIM905 - a list of words


def order_runs(count: int) -> list[AgentTestCase]:
    """So many of them, each of a task of its own."""
    return [order_run(number) for number in range(count)]
