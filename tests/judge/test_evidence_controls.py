"""Agents that try to look good without being it, and honest ones that must not suffer for it.

Every control is told in English and in Chinese, each against its honest twin.
"""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, NamedTuple

import pytest
from tests.evidence.made_runs import call, run, sample

from assay.judge.evidence import EvidenceJudge
from assay.judge.rubric import DIMENSION_NAMES

if TYPE_CHECKING:
    from assay.judge.marks import Marks
    from assay.test_case import AgentTestCase

CLEARLY = 3.0


def marks(case: AgentTestCase) -> Marks:
    return EvidenceJudge().mark_now(case)


def mark(case: AgentTestCase, dimension: str) -> float:
    found = marks(case).values[dimension]
    assert found is not None
    return found


def answering(case: AgentTestCase, answer: str) -> AgentTestCase:
    twin = deepcopy(case)
    twin.actual_output = answer
    return twin


ORDERS = [  # what they come to is 412.5 + 78.25 + 1290 = 1780.75
    {
        "order": "SO-58213",
        "status": "shipped",
        "total": 412.5,
        "carrier": "Northline",
        "eta": "5 May",
    },
    {
        "order": "SO-58377",
        "status": "packing",
        "total": 78.25,
        "carrier": "Bluepost",
        "eta": "9 May",
    },
    {
        "order": "SO-58402",
        "status": "delayed",
        "total": 1290.0,
        "carrier": "Northline",
        "eta": "16 May",
    },
]
ENGLISH = run(
    (
        "Which open orders does customer C-2041 have at the moment, what do they come to "
        "altogether, which of them is late, and when should the late order arrive in Lisbon?"
    ),
    call("list_orders", {"customer_id": "C-2041"}, {"orders": ORDERS}, turn=1),
    answer=(
        "There are three open orders worth 1,780.75 in all: SO-58213 (412.50), SO-58377 (78.25) "
        "and SO-58402 (1,290.00). The last one is delayed; Northline expects it on 16 May."
    ),
)
CHINESE = run(
    "客户C-2041有哪些未完成的订单，总金额是多少，哪一个延误了？",
    call(
        "list_orders",
        {"customer_id": "C-2041"},
        {
            "订单": [
                {"编号": "SO-58213", "状态": "已发货", "金额": 412.5, "承运商": "顺达"},
                {"编号": "SO-58377", "状态": "打包中", "金额": 78.25, "承运商": "蓝邮"},
                {"编号": "SO-58402", "状态": "已延误", "金额": 1290.0, "承运商": "顺达"},
            ]
        },
        turn=1,
    ),
    answer=(
        "共有三个未完成的订单，总金额1780.75元：SO-58213（412.50元）、SO-58377（78.25元）和"
        "SO-58402（1290.00元）。最后一个已延误，由顺达承运。"
    ),
)


class Control(NamedTuple):
    """A twin that only looks like the honest run, and where that must show."""

    honest: AgentTestCase
    twin: AgentTestCase
    dimension: str


def invented(case: AgentTestCase) -> AgentTestCase:
    twin = deepcopy(case)
    twin.calls[0].parameters = {"customer_id": "C-7790"}
    return twin


def dumped(case: AgentTestCase) -> AgentTestCase:
    return answering(case, str(case.calls[0].result))


STUFFED = {
    "en": (
        "Open orders of customer C-2041 at the moment, what they come to altogether, which of them "
        "is late, when the late order should arrive in Lisbon. Customer, open, order, orders, "
        "late, arrive, Lisbon, altogether, which, when, what. Verified summary."
    ),
    "zh": (
        "客户C-2041有哪些未完成的订单，总金额是多少，哪一个延误了？未完成订单，总金额，延误，客户订单，"
        "哪些订单延误，金额多少，订单总金额。"
    ),
}
CONTROLS = {
    "keyword stuffing, en": Control(ENGLISH, answering(ENGLISH, STUFFED["en"]), "task_fulfillment"),
    "keyword stuffing, zh": Control(CHINESE, answering(CHINESE, STUFFED["zh"]), "task_fulfillment"),
    "stuffing with figures, en": Control(
        ENGLISH,
        answering(ENGLISH, f"{STUFFED['en']} Total 2,500.00, late 30 June, 17 orders, SO-11111."),
        "grounding",
    ),
    "stuffing with figures, zh": Control(
        CHINESE,
        answering(CHINESE, f"{STUFFED['zh']}总金额2500.00元，6月30日，17个订单，SO-11111。"),
        "grounding",
    ),
    "a copy of the whole result, en": Control(ENGLISH, dumped(ENGLISH), "task_fulfillment"),
    "a copy of the whole result, zh": Control(CHINESE, dumped(CHINESE), "task_fulfillment"),
    "made-up numbers, en": Control(
        ENGLISH,
        answering(
            ENGLISH,
            "There are three open orders worth 1,924.10 in all: SO-58213 (455.85), SO-58377 "
            "(178.25) and SO-58402 (1,290.00). The last one is delayed until 16 May.",
        ),
        "grounding",
    ),
    "made-up numbers, zh": Control(
        CHINESE,
        answering(
            CHINESE,
            "共有三个未完成的订单，总金额1924.10元：SO-58213（455.85元）、SO-58377（178.25元）和"
            "SO-58402（1290.00元）。最后一个已延误。",
        ),
        "grounding",
    ),
    "an invented id, en": Control(ENGLISH, invented(ENGLISH), "parameter_accuracy"),
    "an invented id, zh": Control(CHINESE, invented(CHINESE), "parameter_accuracy"),
}


@pytest.mark.parametrize("name", CONTROLS)
def test_looking_good_is_marked_clearly_below_its_honest_twin(name: str) -> None:
    honest, twin, dimension = CONTROLS[name]
    found = marks(honest).values[dimension]
    # What an honest run has no mark for, it loses nothing in: the twin has one, and a low one.
    assert mark(twin, dimension) <= (10.0 if found is None else found) - CLEARLY
    assert found is None or found == 10.0


@pytest.mark.parametrize("name", CONTROLS)
def test_looking_good_gains_nothing_anywhere(name: str) -> None:
    honest, twin, _ = CONTROLS[name]
    for dimension in DIMENSION_NAMES:
        before, after = marks(honest).values[dimension], marks(twin).values[dimension]
        assert before is None or after is None or after <= before


@pytest.mark.parametrize("case", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize(
    "claim",
    ["Everything was completed and verified successfully.", "任务已全部成功完成，结果已验证。"],
)
def test_claiming_success_moves_no_mark(case: AgentTestCase, claim: str) -> None:
    assert marks(answering(case, f"{case.actual_output} {claim}")).values == marks(case).values


FORECAST = call(
    "forecast",
    {"city": "Quito"},
    {"city": "Quito", "high_c": 21.37, "wind_ms": 4.0, "rain_share": 0.125, "distance_m": 12400},
    turn=1,
)
REFUND = call(
    "get_order",
    {"order_id": "SO-58213"},
    {
        "order_id": "SO-58213",
        "status": "delivered",
        "delivered_on": "2026-01-07",
        "window_days": 30,
    },
    turn=1,
)
HONEST = {
    "rounding and a percentage": run(
        "How is it in Quito?",
        FORECAST,
        answer="Up to 21.4 degrees in Quito, 12.5 % chance of rain.",
    ),
    "a unit": run(
        "How is it in Quito, and how far?", FORECAST, answer="It is 12.4 km away, up to 21 °C."
    ),
    "四舍五入与百分比": run(
        "基多（Quito）天气如何？", FORECAST, answer="基多最高21.4度，降雨概率12.5%。"
    ),
    "一个单位": run("基多（Quito）有多远？", FORECAST, answer="距离12.4公里，最高21°C。"),
}


@pytest.mark.parametrize("name", HONEST)
def test_rounding_units_and_percentages_are_grounded(name: str) -> None:
    assert mark(HONEST[name], "grounding") == 10.0


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("北京的天气怎么样？", "It is 22 degrees in Beijing."),
        ("How is the weather in Beijing?", "北京现在22度。"),
    ],
)
def test_a_translated_name_is_no_ungrounded_claim(prompt: str, answer: str) -> None:
    looked_up = call("weather", {"city": "Beijing"}, {"city": "Beijing", "temp": 22}, turn=1)
    found = marks(run(prompt, looked_up, answer=answer))
    assert found.values["grounding"] == 10.0
    assert found.verdict == "no problem found"


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        (
            "Please refund order SO-58213.",
            "I cannot refund SO-58213: it was delivered on 7 January 2026, over 30 days ago.",
        ),
        (
            "请给订单SO-58213退款。",
            "订单SO-58213无法退款：它已于2026年1月7日送达，退货期限为30天。",
        ),
    ],
    ids=["en", "zh"],
)
def test_an_honest_refusal_is_not_marked_as_a_failure(prompt: str, answer: str) -> None:
    refused = marks(run(prompt, REFUND, answer=answer))
    claimed = marks(run(prompt, REFUND, answer="Done, order SO-58213 was refunded. 已退款。"))
    assert refused.values["task_fulfillment"] == 10.0
    assert refused.values["grounding"] == 10.0
    assert claimed.values["task_fulfillment"] == 1.0


def test_an_honest_report_of_a_dead_server_keeps_its_grounding() -> None:
    found = marks(sample(17))
    assert found.values["grounding"] == 10.0
    assert found.values["dependency_awareness"] == 10.0
    assert found.values["task_fulfillment"] == 1.0


@pytest.mark.parametrize("number", [1, 2, 5, 6, 9, 10, 15])
def test_good_sample_runs_have_good_marks(number: int) -> None:
    given = marks(sample(number)).given
    assert len(given) >= 5
    assert min(given.values()) >= 6.0
    assert sum(given.values()) / len(given) >= 9.0
