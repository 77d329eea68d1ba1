"""What spans say of a call beyond its own: in later requests, around its result, in its scope."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from assay.readers import read_runs
from assay.test_case import AgentTestCase

if TYPE_CHECKING:
    from pathlib import Path

CALL = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}
ASKED = {"role": "user", "content": "Where is it?"}


def span(number: int, **attributes: Any) -> dict[str, Any]:
    flat = {name.replace("__", "."): value for name, value in attributes.items()}
    return {
        "trace_id": "t1",
        "span_id": f"s{number}",
        "name": f"step {number}",
        "start_time": f"2026-01-01T00:00:0{number}Z",
        "end_time": f"2026-01-01T00:00:0{number + 1}Z",
        "attributes": flat,
    }


def run_of(tmp_path: Path, *spans: dict[str, Any]) -> AgentTestCase:
    path = tmp_path / "spans.json"
    path.write_text(json.dumps(spans))
    (run,) = read_runs(path)
    assert isinstance(run, AgentTestCase)
    return run


def model(number: int, shown: list[Any], said: dict[str, Any], **more: Any) -> dict[str, Any]:
    return span(
        number,
        gen_ai__operation__name="chat",
        gen_ai__input__messages=json.dumps(shown),
        gen_ai__output__messages=json.dumps([said]),
        **more,
    )


def test_a_result_that_only_a_later_request_shows(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    result = {"role": "tool", "tool_call_id": "c1", "content": "In the hall"}
    executed = span(
        2,
        gen_ai__operation__name="execute_tool",
        gen_ai__tool__name="find",
        gen_ai__tool__call__id="c1",
    )
    last = model(4, [ASKED, said, result], {"role": "assistant", "content": "In the hall."})
    (call,) = run_of(tmp_path, model(1, [ASKED], said), executed, last).calls
    assert (call.tool, call.result) == ("find", "In the hall")


def test_a_message_whose_role_is_the_tool(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "", "tool_calls": [CALL]}
    result = {"role": "find", "content": "In the hall"}
    last = model(4, [ASKED, said, result], {"role": "assistant", "content": "In the hall."})
    (call,) = run_of(tmp_path, model(1, [ASKED], said), last).calls
    assert call.result == "In the hall"


def test_a_framework_that_shares_an_instrumentation(tmp_path: Path) -> None:
    said = {"role": "assistant", "content": "Here."}
    run = run_of(tmp_path, model(1, [ASKED], said, gen_ai__provider__name="langgraph"))
    assert run.framework == "langgraph"
