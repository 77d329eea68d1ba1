"""Every layer around a result is undone, and what it said of success is kept."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.text.payload import MAX_LAYERS, Payload, reported_together, unwrap

TEXT_1_9 = (
    "meta=None content=[TextContent(type='text', text={text!r}, annotations=None)] isError={flag}"
)
TEXT_1_10 = (
    "meta=None content=[TextContent(type='text', text={text!r}, annotations=None, meta=None)] "
    "structuredContent=None isError={flag}"
)
TEXT_2 = (
    "meta=None content=[TextContent(type='text', text={text!r}, annotations=None, meta=None)] "
    "structured_content=None is_error={flag} result_type='complete'"
)
MCP = {
    "meta": None,
    "content": [{"type": "text", "text": "hi", "annotations": None}],
    "structuredContent": None,
    "isError": False,
}


@pytest.mark.parametrize(
    ("result", "value", "reported"),
    [
        ("hi", "hi", None),
        (None, None, None),
        ("", "", None),
        ("42", "42", None),
        (b"hi", "hi", None),
        ('{"a": 1}', {"a": 1}, None),
        ('\ufeff{"a": 1}', {"a": 1}, None),
        (json.dumps(json.dumps(json.dumps({"a": 1}))), {"a": 1}, None),
        ('```json\n{"a": 1}\n```', {"a": 1}, None),
        (MCP, "hi", True),
        (MCP | {"isError": True}, "hi", False),
        (json.dumps({"type": "text", "text": json.dumps(MCP), "annotations": None}), "hi", True),
        ({"content": [{"type": "text", "text": "x"}], "is_error": True}, "x", False),
        ({"content": [], "structuredContent": {"result": []}, "isError": False}, [], True),
        ({"content": [{"type": "text", "text": "[1]"}]}, [1], None),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb", None),
        ([{"text": '{"a": 1}'}, {"text": '{"a": 2}'}], [{"a": 1}, {"a": 2}], None),
        ([{"json": {"a": 1}}, {"text": "b"}], [{"a": 1}, "b"], None),
        ({"type": "tool_result", "tool_use_id": "1", "content": "x", "is_error": True}, "x", False),
        ({"toolUseId": "1", "status": "error", "content": [{"text": "x"}]}, "x", False),
        ({"role": "tool", "tool_call_id": "1", "content": "x", "status": "success"}, "x", True),
        ({"type": "function_call_output", "call_id": "1", "output": "x"}, "x", None),
        ([{"functionResponse": {"id": "1", "name": "f", "response": {"output": "x"}}}], "x", None),
        (
            {"lc": 1, "type": "constructor", "kwargs": {"content": "x", "tool_call_id": "1"}},
            "x",
            None,
        ),
        ({"jsonrpc": "2.0", "id": 1, "result": MCP}, "hi", True),
        ({"output": {"result": "x"}}, "x", None),
        ({"success": True, "data": [1], "error": None}, [1], True),
        ("content='x' name='f' tool_call_id='1' status='error'", "x", False),
        (
            SimpleNamespace(content=[SimpleNamespace(type="text", text="x")], isError=True),
            "x",
            False,
        ),
    ],
)
def test_layers(result: Any, value: Any, reported: bool | None) -> None:
    found = unwrap(result)
    assert found.value == value
    assert found.reported_success is reported


@pytest.mark.parametrize("picture", [TEXT_1_9, TEXT_1_10, TEXT_2])
@pytest.mark.parametrize(
    "text", ["plain", "it's", "both ' and \"", "two\nlines", "back\\slash", "中"]
)
@pytest.mark.parametrize("flag", [True, False])
def test_pictures_of_every_sdk(picture: str, text: str, flag: bool) -> None:
    found = unwrap(picture.format(text=text, flag=flag))
    assert found.value == text
    assert found.reported_success is not flag
    assert found.layers[0] == "python_repr"


@pytest.mark.parametrize(
    "result",
    [
        {"error": None},
        {"error": "x"},
        {"success": False, "error": "x"},
        {"success": True, "data": [1], "next_page": 2},
        {"data": [1], "total": 1},
        {"jsonrpc": "2.0", "error": {"code": -32602, "message": "x"}},
        [{"a": 1}],
        [{"type": "image", "data": "aGk=", "mimeType": "image/png"}],
        [],
        {},
        "content=3",
        "[1] is the first reference",
        "The result was CallToolResult(isError=True)",
        5,
        False,
    ],
)
def test_what_is_no_wrapping_is_left_alone(result: Any) -> None:
    assert unwrap(result) == Payload(result)


@example({"text": "null", "type": []})
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=20),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["content", "text", "type", "result", "output", "isError", "a", "json"]
                ),
                inner,
                max_size=3,
            )
            | inner.map(json.dumps)
            | inner.map(repr)
        ),
        max_leaves=10,
    )
)
def test_unwrapping_is_final(result: Any) -> None:
    found = unwrap(result)
    if len(found.layers) < MAX_LAYERS:
        assert unwrap(found.value).value == found.value
    assert isinstance(found.text, str)
    assert found.text.startswith(found.head(3))


def test_text_of_data_is_json() -> None:
    assert Payload({"a": [1]}).text == '{"a":[1]}'
    assert Payload(None).text == ""
    assert Payload("abc").head(2) == "ab"
    assert "object" in Payload(object()).text


def test_a_property_of_a_foreign_object_is_not_run() -> None:
    class Trap:
        @property
        def content(self) -> str:
            raise AssertionError("was run")

    trap = Trap()
    assert unwrap(trap).value is trap


def test_layers_are_bounded() -> None:
    result: Any = "x"
    for _ in range(MAX_LAYERS + 5):
        result = {"result": result}
    assert len(unwrap(result).layers) == MAX_LAYERS


@pytest.mark.parametrize(
    ("flags", "together"),
    [((None, True, False), False), ((None, True), True), ((None, None), None)],
)
def test_a_report_of_failure_stands(flags: tuple[bool | None, ...], together: bool | None) -> None:
    assert reported_together(*flags) is together


@pytest.mark.parametrize(
    "result",
    [
        "meta=None content=[TextContent(type='text', text='" + "x\\n" * 4_000_000,
        "[" * 10_000_000,
        '"' + '\\"' * 5_000_000,
        "```json\n" + "a" * 10_000_000,
        "meta=" + "[" * 1_000_000,
        json.dumps("y" * 10_000_000),
    ],
    ids=["cut picture", "deep", "open string", "open fence", "deep picture", "long string"],
)
def test_hostile_texts_take_bounded_time(result: str) -> None:
    started = time.process_time()
    unwrap(result)
    assert time.process_time() - started < 5


@pytest.mark.parametrize(
    ("kind", "reported"), [("json", None), ("text", None), ("error-text", False)]
)
def test_a_value_under_its_type_is_unwrapped(kind: str, reported: bool | None) -> None:
    found = unwrap({"type": kind, "value": "no room"})
    assert (found.value, found.reported_success) == ("no room", reported)


def test_a_record_with_a_type_and_a_value_stays() -> None:
    record = {"type": "temperature", "value": 21}
    assert unwrap(record).value == record
