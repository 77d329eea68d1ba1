"""Whatever agents, models and tools hand over can be recorded."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.agents.test_harness import told

from assay.agents.foreign_values import recordable
from assay.json_values import json_value

if TYPE_CHECKING:
    from assay.agents.model_tap import ModelTap
    from assay.agents.protocol import Emit, Turn


class _Mute:
    def __str__(self) -> str:
        raise ValueError("no words")

    def __repr__(self) -> str:
        return "_Mute()"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (10**30, 10**30),
        (0.5, 0.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        ("caf\udce9 😀", "caf\\udce9 😀"),
        ({"\ud800": (1, 2)}, {"\\ud800": [1, 2]}),
        ({1: {2}}, {"1": "{2}"}),
        (date(2026, 11, 16), "2026-11-16"),
        (_Mute(), "_Mute _Mute()"),
    ],
)
def test_what_json_cannot_hold_becomes_text(value: object, expected: object) -> None:
    assert recordable(value) == expected


def test_what_contains_itself_comes_to_an_end() -> None:
    own: dict[str, Any] = {}
    own["again"] = [own]
    assert json.dumps(recordable(own)).count("again") > 50


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, width=32),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
_ANY = st.recursive(
    st.floats() | st.text(st.characters(exclude_categories=())) | st.binary() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
)


@given(_JSON.filter(lambda value: "inf" not in str(value)))
def test_what_json_holds_stays_equal(value: object) -> None:
    assert recordable(value) == value


@given(_ANY)
def test_everything_can_be_written(value: object) -> None:
    assert json_value(recordable(value), "it") == recordable(value)


def test_a_turn_of_odd_values_is_recorded(tap: ModelTap) -> None:
    def odd() -> Any:
        """Return what JSON cannot hold."""
        return {"seen": {3}, "share": float("nan")}

    async def agent(turn: Turn, _: Emit) -> str:
        await turn.tools[0].function()
        return "half \ud83d"

    record = told(agent, tap, tools=(odd,))
    assert record.case.actual_output == "half \\ud83d"
    assert record.case.calls[0].result == {"seen": "{3}", "share": "nan"}
    assert record.events[-1].data == {"text": "half \\ud83d", "error": None}
    assert record.case.to_dict()["conversation_history"][-1]["content"] == "half \\ud83d"
