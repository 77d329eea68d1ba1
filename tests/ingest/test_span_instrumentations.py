"""What instrumentations write that the conventions do not foresee, each in small."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.ingest.reading import read_one, recording

from assay.ingest.formats import pick_format
from assay.ingest.openinference import OPENINFERENCE
from assay.ingest.otel import OTEL
from assay.ingest.traceloop import TRACELOOP
from assay.run import Usage

if TYPE_CHECKING:
    from assay.execution import ToolExecutionResult
    from assay.test_case import AgentTestCase

START = 1_767_225_600
QUESTION = {"role": "user", "content": "Rain in Oslo?"}
CALL = {"id": "c", "type": "function", "function": {"name": "rain", "arguments": '{"city":"Oslo"}'}}
ASKED = {"role": "assistant", "tool_calls": [CALL]}
GIVEN = {"role": "tool", "tool_call_id": "c", "content": "yes"}
SAID = {"role": "assistant", "content": "Yes."}


def span(span_id: str, at: float, took: float = 1, **facts: Any) -> dict[str, Any]:
    """A span of one trace; `attributes` and whatever else is said of it."""
    return {
        "trace_id": "t",
        "span_id": span_id,
        "name": span_id,
        "start_time": START + at,
        "end_time": START + at + took,
        "attributes": {},
        **facts,
    }


def chat(span_id: str, at: float, told: list[Any], said: Any, **more: Any) -> dict[str, Any]:
    attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": told,
        "gen_ai.output.messages": [said],
        **more.pop("attributes", {}),
    }
    return span(span_id, at, attributes=attributes, **more)


def calls(run: AgentTestCase) -> list[ToolExecutionResult]:
    assert run.execution_data is not None
    return run.execution_data.tool_executions


def event(name: str, **attributes: Any) -> dict[str, Any]:
    return {"name": name, "attributes": attributes}


def test_messages_on_a_span_and_as_its_events_were_said_once() -> None:
    details = event(
        "gen_ai.client.inference.operation.details",
        **{"gen_ai.input.messages": [QUESTION], "gen_ai.output.messages": [ASKED]},
    )
    run = read_one(OTEL, recording((chat("a", 0, [QUESTION], ASKED, events=[details]),)))
    assert [call.tool for call in calls(run)] == ["rain"]
    assert run.conversation_history == [
        {"role": "user", "content": "Rain in Oslo?"},
        {"role": "assistant", "content": ""},
    ]


@pytest.mark.parametrize("last", [{"message": SAID, "event.name": "gen_ai.choice"}, SAID])
def test_a_model_said_only_what_comes_after_all_it_was_told(last: dict[str, Any]) -> None:
    """Pydantic AI and Logfire list the messages of a request and the answer in one attribute."""

    def request(span_id: str, at: int, *listed: Any) -> dict[str, Any]:
        facts = {"gen_ai.operation.name": "chat", "events": list(listed)}
        return span(span_id, at, attributes=facts)

    first = request("a", 0, QUESTION, {"message": ASKED, "event.name": "gen_ai.choice"})
    run = read_one(OTEL, recording((first, request("b", 2, QUESTION, ASKED, GIVEN, last))))
    (call,) = calls(run)
    assert (call.tool, call.result, call.turn) == ("rain", "yes", 1)
    assert run.actual_output == "Yes."


def test_functions_that_logfire_saw_the_agents_sdk_call() -> None:
    tool = {"type": "function", "name": "rain", "parameters": {"type": "object"}}
    answer = {
        "gen_ai.operation.name": "chat",
        "events": [QUESTION, ASKED],
        "response": {"id": "r", "tools": [tool]},
    }
    function = {"name": "rain", "input": '{"city": "Oslo"}', "output": "wet", "mcp_data": "null"}
    failed = {"code": "ERROR", "message": "no gauge"}
    spans = (
        span("a", 0, attributes=answer),
        span("Function: {name}", 2, attributes={"gen_ai.system": "x", **function}, status=failed),
    )
    run = read_one(OTEL, recording(spans))
    (call,) = calls(run)
    assert (call.tool, call.call_id, call.result) == ("rain", "c", "wet")
    assert (call.reported_success, call.error_message) == (False, "no gauge")
    assert run.available_tools == [tool]


def response(call_id: str, city: str) -> dict[str, Any]:
    arguments = {"city": city}
    return {"type": "tool_call", "id": call_id, "name": "rain", "arguments": arguments}


def test_results_under_other_ids_belong_to_calls_by_their_order() -> None:
    asked = {"role": "assistant", "parts": [response("fc_1", "Oslo"), response("fc_2", "Rome")]}
    given = [
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": own, "response": words}]}
        for own, words in (("call_1", "yes"), ("call_2", "no"))
    ]
    spans = (
        chat("a", 0, [QUESTION], asked),
        chat("b", 2, [QUESTION, asked, *given], SAID),
    )
    found = calls(read_one(OTEL, recording(spans)))
    assert [(call.call_id, call.result) for call in found] == [("fc_1", "yes"), ("fc_2", "no")]
    # With one result missing nobody knows whose the other is.
    spans = (chat("a", 0, [QUESTION], asked), chat("b", 2, [QUESTION, asked, given[0]], SAID))
    assert [call.result for call in calls(read_one(OTEL, recording(spans)))] == [None, None]


def counted(tokens: int, **more: Any) -> dict[str, Any]:
    return {"gen_ai.usage.input_tokens": tokens, "gen_ai.usage.output_tokens": 1, **more}


@pytest.mark.parametrize(
    ("own_id", "other_id", "at", "tokens"),
    [
        ("r1", "r1", 0.2, 5),
        ("r1", "r2", 0.2, 12),
        # A server may give every answer the same id.
        ("r1", "r1", 3, 12),
        # Without an id, a span that says nothing tells of the answer it lies beside.
        (None, "r1", 0.2, 5),
        (None, "r1", 0.9, 12),
    ],
)
def test_an_answer_that_two_instrumentations_saw_counts_once(
    own_id: str | None, other_id: str, at: float, tokens: int
) -> None:
    framework = chat(
        "a",
        0,
        [QUESTION],
        SAID,
        scope="framework",
        attributes={**counted(5), "gen_ai.response.id": own_id},
    )
    silent = {"gen_ai.operation.name": "chat", "gen_ai.response.id": other_id, **counted(7)}
    sdk = span("b", at, 0.5, scope="provider.sdk", attributes=silent)
    # The SDK's console exporter does not say who wrote a span; their names differ, too.
    for spans in ((framework, sdk), ({**framework, "scope": ""}, {**sdk, "scope": ""})):
        run = read_one(OTEL, recording(spans))
        assert run.usage is not None
        assert run.usage.input_tokens == tokens


def test_a_count_that_only_the_second_report_has_is_taken() -> None:
    own = {"gen_ai.usage.output_tokens": 3, "gen_ai.response.id": "r"}
    spans = (
        chat("a", 0, [QUESTION], SAID, scope="framework", attributes=own),
        chat("b", 0.1, [], SAID, took=0.5, attributes={**counted(9), "gen_ai.response.id": "r"}),
    )
    assert read_one(OTEL, recording(spans)).usage == Usage(input_tokens=9, output_tokens=3)


def test_a_count_of_nothing_is_unknown() -> None:
    none = {"gen_ai.usage.input_tokens": 0, "gen_ai.usage.output_tokens": 0}
    run = read_one(OTEL, recording((chat("a", 0, [QUESTION], SAID, attributes=none),)))
    assert run.usage is None


def test_the_protocol_below_a_tool_of_traceloop_is_the_same_call() -> None:
    tool = {
        "traceloop.span.kind": "tool",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "rain",
        "gen_ai.tool.call.arguments": '{"city": "Oslo"}',
        "gen_ai.tool.call.result": "yes",
    }
    spans = (
        span("rain.tool", 0, attributes=tool),
        {
            **span("wire", 0.1, 0.5, attributes={"mcp.method.name": "tools/call"}),
            "name": "MCP send tools/call rain",
            "parent_span_id": "rain.tool",
        },
    )
    found = calls(read_one(TRACELOOP, recording(spans)))
    assert [(call.tool, call.result) for call in found] == [("rain", "yes")]


def test_a_result_in_langchains_message_below_its_type() -> None:
    message = {"content": "no gauge", "name": "rain", "tool_call_id": "c", "status": "error"}
    tool = {
        "openinference.span.kind": "TOOL",
        "input.value": '{"city": "Oslo"}',
        "output.value": {"type": "tool", "data": {**message, "type": "tool"}},
    }
    (call,) = calls(read_one(OPENINFERENCE, recording((span("rain", 0, attributes=tool),))))
    assert (call.tool, call.call_id, call.result) == ("rain", "c", "no gauge")
    assert call.reported_success is False


def test_a_streamed_reply_may_be_a_whole_response() -> None:
    item = {"type": "function_call", "call_id": "c", "name": "rain", "arguments": "{}"}
    whole = {"object": "response", "text": {"format": {"type": "text"}}, "output": [item]}
    llm = {"openinference.span.kind": "LLM", "input.value": [QUESTION], "output.value": [whole]}
    (call,) = calls(read_one(OPENINFERENCE, recording((span("a", 0, attributes=llm),))))
    assert (call.tool, call.call_id) == ("rain", "c")


@pytest.mark.parametrize(
    ("sent", "model"),
    [('{"model": "m"}', "m"), ('{"temperature": 0}', "m-2026-01"), ("odd", "m-2026-01")],
)
def test_the_model_that_was_asked_for_comes_first(sent: str, model: str) -> None:
    llm = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "m-2026-01",
        "llm.invocation_parameters": sent,
    }
    assert read_one(OPENINFERENCE, recording((span("a", 0, attributes=llm),))).model == model


def test_tools_on_offer_by_the_other_convention() -> None:
    tool = {"type": "function", "name": "rain"}
    llm = {"openinference.span.kind": "LLM", "gen_ai.tool.definitions": [tool]}
    run = read_one(OPENINFERENCE, recording((span("a", 0, attributes=llm),)))
    assert run.available_tools == [tool]


def test_a_framework_may_have_many_instruments() -> None:
    scope = "semantic_kernel.utils.telemetry.model_diagnostics.decorators"
    run = read_one(OTEL, recording((chat("a", 0, [QUESTION], SAID, scope=scope),)))
    assert run.framework == "semantic-kernel"


def test_what_a_model_said_may_be_known_only_from_what_the_next_was_shown() -> None:
    """Another agent may have gone on, with other instructions."""
    first = {"role": "system", "content": "You hand over."}
    then = {"role": "system", "content": "You know the weather."}
    spans = (
        chat("a", 0, [first, QUESTION], {"role": "assistant", "parts": []}),
        chat("b", 2, [then, QUESTION, ASKED, GIVEN], SAID),
    )
    run = read_one(OTEL, recording(spans))
    (call,) = calls(run)
    assert (call.tool, call.call_id, call.result, call.turn) == ("rain", "c", "yes", 1)
    assert run.actual_output == "Yes."
    other = {"role": "user", "content": "Snow?"}
    spans = (spans[0], chat("b", 2, [then, other, ASKED, GIVEN], SAID))
    assert calls(read_one(OTEL, recording(spans))) == []


def test_a_generation_that_logfire_saw() -> None:
    facts = {"gen_ai.system": "x", "model_config": {}, "input": [QUESTION], "output": [SAID]}
    run = read_one(OTEL, recording((span("a", 0, attributes=facts),)))
    assert (run.input, run.actual_output) == ("Rain in Oslo?", "Yes.")


def test_how_a_message_prints_is_no_question() -> None:
    printed = "id='6d' source='user' models_usage=None content='Rain in Oslo?' type='TextMessage'"
    agent = {"openinference.span.kind": "AGENT", "input.value": {"messages": [printed]}}
    llm = {"openinference.span.kind": "LLM", "input.value": [QUESTION]}
    spans = (span("a", 0, attributes=agent), span("b", 0, parent_id="a", attributes=llm))
    assert read_one(OPENINFERENCE, recording(spans)).input == "Rain in Oslo?"


def test_what_mlflow_sends_is_read_as_what_it_exports() -> None:
    def sent(span_id: str, kind: str, at: int, **facts: Any) -> dict[str, Any]:
        named = {"mlflow.spanType": kind, **{f"mlflow.span{key}": v for key, v in facts.items()}}
        return {
            "traceId": "t",
            "spanId": span_id,
            "parentSpanId": "" if span_id == "helper" else "helper",
            "name": span_id,
            "startTimeUnixNano": str((START + at) * 10**9),
            "endTimeUnixNano": str((START + at + 1) * 10**9),
            "attributes": [
                {"key": key, "value": {"stringValue": json.dumps(value)}}
                for key, value in named.items()
            ],
        }

    spans = [
        sent("helper", "AGENT", 0, Inputs={"question": "Rain in Oslo?"}, Outputs="Yes."),
        sent("chat", "CHAT_MODEL", 1, Inputs={"messages": [QUESTION]}, Outputs={"message": ASKED}),
        sent("rain", "TOOL", 2, Inputs={"city": "Oslo"}, Outputs="yes"),
    ]
    whole = recording({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
    assert pick_format(whole)[0] is OPENINFERENCE
    run = read_one(OPENINFERENCE, whole)
    (call,) = calls(run)
    assert (call.tool, call.call_id, call.result) == ("rain", "c", "yes")
    assert (run.input, run.actual_output) == ("Rain in Oslo?", "Yes.")


def test_two_models_asked_at_once_are_two_answers_by_their_tokens() -> None:
    def asked(own_id: str, tokens: int, begun: int, ended: int) -> dict[str, Any]:
        return {
            "trace_id": "t",
            "span_id": own_id,
            "parent_span_id": "agent",
            "name": f"chat {own_id}",
            "start_time": START + begun,
            "end_time": START + ended,
            "attributes": {
                "gen_ai.operation.name": "chat",
                "gen_ai.usage.output_tokens": tokens,
            },
        }

    run = read_one(OTEL, recording((asked("large", 7, 1, 6), asked("small", 30, 2, 3))))
    assert run.usage == Usage(output_tokens=37)


def test_a_request_whose_answer_stands_beside_it_says_nothing_more() -> None:
    """Logfire writes what was streamed in a span of its own; a request may be made again."""
    nothing = {"role": "assistant", "parts": []}
    spans = (
        chat("a", 0, [QUESTION], nothing),
        chat("b", 2, [QUESTION], ASKED),
        chat("c", 4, [QUESTION, ASKED, GIVEN], SAID),
    )
    assert [call.call_id for call in calls(read_one(OTEL, recording(spans)))] == ["c"]


def test_spring_ais_own_spans() -> None:
    own = {"gen_ai.operation.name": "framework", "gen_ai.system": "spring_ai"}
    used = {
        **own,
        "spring.ai.kind": "tool_call",
        "spring.ai.tool.definition.name": "rain",
        "spring.ai.tool.call.id": "c",
        "spring.ai.tool.call.arguments": '{"city": "Oslo"}',
        "spring.ai.tool.call.result": "yes",
    }
    around = {**own, "spring.ai.kind": "chat_client"}
    asked = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    advised = {**own, "spring.ai.kind": "advisor"}
    spans = (
        span("client", 0, 9, attributes=around),
        span("advice", 0, 9, attributes=advised, parent_id="client"),
        span("chat", 1, 5, attributes=asked, parent_id="advice"),
        span("tool", 2, attributes=used, parent_id="chat"),
    )
    run = read_one(OTEL, recording(spans))
    (call,) = calls(run)
    assert (call.tool, call.parameters, call.result) == ("rain", {"city": "Oslo"}, "yes")
    assert (call.call_id, call.turn, run.model) == ("c", 1, "m")
