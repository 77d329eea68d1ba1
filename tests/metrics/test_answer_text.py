"""The grammar of tool calls in an answer's text, row by row and by hand."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.execution import ToolExecutionResult
from assay.metrics import answer_text, stated_calls
from assay.metrics.answer_text import calls_in_text
from assay.metrics.stated_calls import calls_named

W = "weather_query"

# text -> the calls it speaks of, as (tool, parameters)
TEXTS: list[tuple[str, list[tuple[str, Any]]]] = [
    # bracket markers
    ("[调用工具: weather_query] ...", [(W, {})]),
    ("先查天气。[调用工具：weather_query]", [(W, {})]),
    ("【调用工具：weather_query】", [(W, {})]),
    ("［调用工具：weather_query］", [(W, {})]),
    ("[ 调用工具 : weather_query ]", [(W, {})]),
    ("[CALLING TOOL: weather_query]", [(W, {})]),
    ("[tool_call: weather_query]", [(W, {})]),
    ("[tool: `weather_query`]", [(W, {})]),
    ("[工具调用: 天气查询]", [("天气查询", {})]),
    ("[tool: Weather Data:get_current_weather]", [("Weather Data:get_current_weather", {})]),
    ("[tool: github.issues/list-all]", [("github.issues/list-all", {})]),
    ("[tool: a] [tool: a]", [("a", {}), ("a", {})]),
    # their arguments
    ('[调用工具: weather_query(city="北京", days=3)]', [(W, {"city": "北京", "days": 3})]),
    ("[调用工具：weather_query（city=“北京”，days=3）]", [(W, {"city": "北京", "days": 3})]),
    ("[tool: a(x='it\\'s', y=-1.5, z=None)]", [("a", {"x": "it's", "y": -1.5, "z": None})]),
    ("[tool: a(on=true, off=False, id=007)]", [("a", {"on": True, "off": False, "id": "007"})]),
    ('[tool: a(tags=["x", "y"], box={"n": 1})]', [("a", {"tags": ["x", "y"], "box": {"n": 1}})]),
    ("[tool: a(q=new york, n=2,)]", [("a", {"q": "new york", "n": 2})]),
    ('[tool: a(q="x" n=2)]', [("a", {"q": "x", "n": 2})]),
    ('[tool: a(q="say \\"hi\\"\\n")]', [("a", {"q": 'say "hi"\n'})]),
    ("[tool: a(q=「北京」)]", [("a", {"q": "北京"})]),
    ('[tool: a({"q": 1})]', [("a", {"q": 1})]),
    ('[tool: a {"q": 1}]', [("a", {"q": 1})]),
    ('[tool: a {"q": oops}]', [("a", '{"q": oops}')]),
    ("[tool: a(q=[1, 2)]", [("a", "q=[1, 2")]),
    ('[Calling tool: a with {"q": 1}]', [("a", {"q": 1})]),
    ("[tool: a, q=1, input=x]", [("a", {"q": 1, "input": "x"})]),
    ("[调用工具: a: q=1]", [("a", {"q": 1})]),
    ("[tool: a()]", [("a", {})]),
    ("[tool: a(北京)]", [("a", "北京")]),
    ('[tool: a("北京")]', [("a", "北京")]),
    ('[tool: a](q="x")', [("a", {"q": "x"})]),
    ('[tool: a] {"q": 1}', [("a", {"q": 1})]),
    ('[tool: a]\n参数：{"q": 1}', [("a", {"q": 1})]),
    ('[tool: a]\n```json\n{"q": 1}\n```', [("a", {"q": 1})]),
    ('[tool: a]\n\n\n{"final": "answer"}', [("a", {})]),
    ('[tool: a] {"status": "ok"}', [("a", {})]),
    ('[tool: a] args: {"status": "ok"}', [("a", {"status": "ok"})]),
    ("[tool: a](https://example.org/a)", [("a", {})]),
    ("[tool: a] (just a remark)", [("a", {})]),
    ('[tool: a] {"name": "a", "arguments": {"q": 1}}', [("a", {"q": 1})]),
    ('[tool: a] {"name": "b", "arguments": {"q": 1}}', [("a", {}), ("b", {"q": 1})]),
    # brackets that call nothing
    ("[tool: the thing you want]", []),
    ("[tool: ...]", []),
    ("[tool: a", []),
    ("[tools: a] [1] [note: a] [工具结果: 晴]", []),
    ("[tool: a, b]", []),
    # JSON
    ('{"name": "a", "arguments": {"q": 1}}', [("a", {"q": 1})]),
    ('{"name": "a", "arguments": "{\\"q\\": 1}"}', [("a", {"q": 1})]),
    ('{"name": "a", "arguments": "{broken"}', [("a", "{broken")]),
    ('{"name": "a", "arguments": ""}', [("a", {})]),
    ('{"name": "a", "arguments": null}', [("a", {})]),
    ('{"tool": "a", "input": "Paris"}', [("a", "Paris")]),
    ('{"type": "tool_use", "name": "a", "input": {"q": 1}}', [("a", {"q": 1})]),
    ('{"thought": "hm", "tool": "a", "args": {"q": 1}}', [("a", {"q": 1})]),
    ('I call ```json\n{"tool": "a", "parameters": {}}\n``` now', [("a", {})]),
    ('<tool_call>\n{"name": "a", "arguments": {}}\n</tool_call>', [("a", {})]),
    ('[{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]', [("a", {}), ("b", {})]),
    ('{"tool_calls": [{"function": {"name": "a", "arguments": "{}"}}]}', [("a", {})]),
    ('{"type": "function", "function": {"name": "a", "arguments": {}}}', [("a", {})]),
    ('{"tool_calls": [{"name": "a", "arguments": {}}, {"name": "b", "argu', [("a", {})]),
    ('{"name": "a", "arguments": {"q": "two\nlines"}}', [("a", {"q": "two\nlines"})]),
    ('{"tool": "a", "args": {}} [tool: b]', [("a", {}), ("b", {})]),
    ('text } ] { { {"tool": "a", "args": {}}', [("a", {})]),
    # JSON that calls nothing
    ('{"name": "Bob", "age": 3}', []),
    ('{"name": "Free will", "arguments": ["for", "against"]}', []),
    ('{"name": "Bob", "input": "hello"}', []),
    ('{"name": "", "arguments": {}}', []),
    ('{"name": "two\\nlines", "arguments": {}}', []),
    ('{"name": "a", "parameters": {"type": "object", "properties": {}}}', []),
    ('{"planned_tools": [{"tool": "a", "parameters": {}}]}', []),
    ('{"answer": "[tool: a]"}', []),
    ('{"name": "a", "arguments": {"q": NaN}}', []),
    ("{'name': 'a', 'arguments': {}}", []),
    ("", []),
    ("No tool was needed.", []),
]

# what follows a call -> (result, whether it worked, the error)
REPORTS: list[tuple[str, tuple[Any, bool, str | None]]] = [
    ("", (None, True, None)),
    (" ...", (None, True, None)),
    ("\n结果: 晴天 22°C\n所以带伞不必。", ("晴天 22°C", True, None)),
    (" Result: sunny", ("sunny", True, None)),
    ('\nResult: {"t": 22}\nFine.', ({"t": 22}, True, None)),
    (" -> [1, 2]", ([1, 2], True, None)),
    ("\n[工具结果: 晴天] 好", ("晴天", True, None)),
    ("\n<tool_response>\nsunny\n</tool_response>", ("sunny", True, None)),
    ("\nOutput:\n```\na\nb\n```\nDone.", ("a\nb", True, None)),
    (" 结果: ", (None, True, None)),
    ("\nThe result: sunny", (None, True, None)),
    (' 结果: {"name": "b", "arguments": {}}', ({"name": "b", "arguments": {}}, True, None)),
    (" [调用失败]", (None, False, "[调用失败]")),
    ("\n抱歉，\n调用失败，请重试。\n再见", (None, False, "调用失败，请重试。")),
    (
        " Result: Error: no such city\n",
        ("Error: no such city", False, "Result: Error: no such city"),
    ),
    (' -> {"error": "boom"}', ({"error": "boom"}, False, '-> {"error": "boom"}')),
    (' -> {"error": null, "failed": 0}', ({"error": None, "failed": 0}, True, None)),
    (" " * 3000 + "failed", (None, True, None)),
]

FAILURES = [
    "调用失败",
    "错误：城市不存在",
    "[error] no city",
    "查询时发生了错误",
    "请求超时",
    "error: no city",
    "ValueError was raised",
    "the request failed",
    "an exception was thrown",
    "the request timed out",
    "Traceback (most recent call last)",
    '{"isError": true}',
    '{"success": false}',
    '{"error": "boom"}',
    '{"status": "error"}',
    "HTTP 503",
]
NOT_FAILURES = [
    "no requests failed",
    "12 passed, 0 failed",
    "0 of 12 failed",
    "failed: 0",
    "Error: none",
    "it has not failed",
    "all of them, with the exception of Rome",
    "exception handling is in place",
    "standard error: 0.3",
    "I would retry if the request failed",
    "没有错误：一切正常",
    "0 个失败",
    "失败次数: 0",
    "错误：无",
    "失败率 3%",
    "如果调用失败，请重试",
]
STILL_FAILURES = [
    "Error: No such file",
    "错误：无法连接",
    "未知错误：E42",
    "10 failed",
    "failed: 3",
    "errors: 0, failed: 2",
    "0 passed, 5 failed",
    "若干请求失败",
    "没有权限，调用失败",
    "no luck. It failed",
    "调用failed",
    "User not found. Error: 404",
]

HOSTILE = [
    "[调用工具: ",
    "{",
    "[",
    '{"a":',
    '{"a":[',
    '{"name": "',
    '{"a":"\n',
    "[tool: a(b=“",
    '[tool: a(b="',
    "[tool: a(b='",
    '[tool: a(b={"a":',
    """[tool: a(q='",x="",y=1', r=\"""",
    '[tool: a] -> {"a":',
    "[tool: a] 0 failed ",
    '{"name": "a", "arguments": {}} ',
    "\\",
    " ",
]


def _seen(text: str) -> list[tuple[str, Any]]:
    return [(call.tool, call.parameters) for call in calls_in_text(text)]


def _call_before(report: str) -> ToolExecutionResult:
    (call,) = calls_in_text(f"[tool: a]{report}")
    return call


@pytest.mark.parametrize(("text", "calls"), TEXTS)
def test_finds_exactly_the_calls(text: str, calls: list[tuple[str, Any]]) -> None:
    assert _seen(text) == calls


@pytest.mark.parametrize(("report", "expected"), REPORTS)
def test_reads_what_follows_a_call(report: str, expected: tuple[Any, bool, str | None]) -> None:
    call = _call_before(report)
    assert (call.result, call.success, call.error_message) == expected


@pytest.mark.parametrize("word", answer_text.MARKER_WORDS)
def test_every_marker_word_announces_a_call(word: str) -> None:
    assert _seen(f"[{word}: a] 【{word.title()}：b】") == [("a", {}), ("b", {})]


@pytest.mark.parametrize("word", answer_text.NOT_TOOLS)
def test_no_tool_is_no_call(word: str) -> None:
    assert _seen(f"[tool: {word}] [调用工具：{word.upper()}]") == []


@pytest.mark.parametrize("word", answer_text.ARGUMENT_WORDS)
def test_every_argument_word_leads_to_arguments(word: str) -> None:
    assert _seen(f'[tool: a] {word}: {{"q": 1}}') == [("a", {"q": 1})]
    assert _seen(f"[tool: a, {word}: q=1]") == [("a", {"q": 1})]


@pytest.mark.parametrize("word", answer_text.RESULT_WORDS)
def test_every_result_word_leads_to_a_result(word: str) -> None:
    assert _call_before(f" {word}: sunny\nand so on").result == "sunny"
    assert _call_before(f"\n【{word.title()}：sunny】").result == "sunny"


@pytest.mark.parametrize("arrow", answer_text.RESULT_ARROWS)
def test_every_arrow_leads_to_a_result(arrow: str) -> None:
    assert _call_before(f" {arrow} sunny").result == "sunny"
    assert [call.result for call in calls_in_text(f"[tool: a] {arrow} [tool: b]")] == [None, None]


@pytest.mark.parametrize("name_key", stated_calls.NAME_KEYS)
@pytest.mark.parametrize("argument_key", stated_calls.ARGUMENT_KEYS)
def test_every_pair_of_keys_makes_a_call(name_key: str, argument_key: str) -> None:
    assert _seen(f'{{"{name_key}": "a", "{argument_key}": {{"q": 1}}}}') == [("a", {"q": 1})]
    (named,) = calls_named([{name_key: "a", argument_key: {"q": 1}}])
    assert (named.tool, named.parameters) == ("a", {"q": 1})


@pytest.mark.parametrize("key", stated_calls.WRAPPERS)
def test_every_wrapper_is_opened(key: str) -> None:
    assert _seen(f'{{"{key}": {{"name": "a", "arguments": {{}}}}}}') == [("a", {})]


@pytest.mark.parametrize("key", stated_calls.RESULT_KEYS)
def test_every_result_key_is_read(key: str) -> None:
    (call,) = calls_in_text(f'{{"tool": "a", "args": {{}}, "{key}": 22}} -> 23')
    assert call.result == 22


@pytest.mark.parametrize("key", stated_calls.ERROR_KEYS)
def test_every_error_key_is_a_failure(key: str) -> None:
    for call in [
        *calls_in_text(f'{{"tool": "a", "args": {{}}, "{key}": "boom"}}'),
        *calls_named([{"tool": "a", key: "boom"}]),
    ]:
        assert (call.success, call.error_message) == (False, "boom")


@pytest.mark.parametrize("key", stated_calls.ID_KEYS)
def test_every_id_key_is_read(key: str) -> None:
    (call,) = calls_in_text(f'{{"tool": "a", "args": {{}}, "{key}": "c1", "server": "s"}}')
    assert (call.call_id, call.server) == ("c1", "s")


@pytest.mark.parametrize(("key", "said", "meaning"), stated_calls.STATED_SUCCESS)
def test_what_an_entry_states_is_reported(key: str, said: object, *, meaning: bool) -> None:
    (call,) = calls_named([{"tool": "a", key: said}])
    assert (call.success, call.reported_success, call.success_rule) == (meaning, meaning, None)


@pytest.mark.parametrize(("row", "example"), [*zip(answer_text.FAILURES, FAILURES, strict=True)])
def test_every_failure_row_fails_the_call_before_it(row: str, example: str) -> None:
    assert re.search(row, example)
    first, second = calls_in_text(f"[tool: a] {example}\n[tool: b] fine")
    assert (first.success, first.error_message) == (False, example)
    assert second.success


@pytest.mark.parametrize(
    ("row", "example"), [*zip(answer_text.NOT_FAILURES, NOT_FAILURES, strict=True)]
)
def test_every_row_of_harmless_words_is_needed_and_harmless(row: str, example: str) -> None:
    assert re.search(row, example)
    assert any(re.search(failure, example) for failure in answer_text.FAILURES)
    assert _call_before(f" {example}").success


@pytest.mark.parametrize("report", STILL_FAILURES)
def test_near_misses_of_harmless_words_are_failures(report: str) -> None:
    call = _call_before(f"\n{report}")
    assert (call.success, call.error_message) == (False, report)


def test_success_is_marked_as_inferred() -> None:
    for call in calls_in_text('[tool: a] failed {"tool": "b", "args": {}, "success": true}'):
        assert (call.reported_success, call.success_rule) == (None, "inferred from text")


def test_calls_of_one_object_share_its_report() -> None:
    calls = calls_in_text(
        '{"tool_calls": [{"name": "a", "arguments": {}}, {"name": "b", "arguments": {}}]} failed'
    )
    assert [call.success for call in calls] == [True, False]


def test_long_results_and_errors_are_cut() -> None:
    text_result = _call_before(f" -> {'x' * 10_000}")
    json_result = _call_before(f' -> ["{"x" * 30_000}"]')
    failed = _call_before(f" {'x' * 300} failed {'y' * 1_000}")
    assert len(text_result.result) < 2_001
    assert json_result.result == '["' + "x" * 19_998
    assert failed.error_message is not None
    assert len(failed.error_message) == 500
    assert "failed" in failed.error_message


def test_the_number_of_calls_is_capped() -> None:
    assert len(calls_in_text("[tool: a] " * 2_000)) == answer_text.MAX_CALLS


def test_deep_nesting_is_not_read() -> None:
    deep = "[" * 100_000
    assert _seen(f'{{"name": "a", "arguments": {deep}') == []
    ((_, sent),) = _seen(f'{{"name": "a", "arguments": "{deep}"}}')
    assert sent == deep
    closed = '{"q":' * 300 + "1" + "}" * 300
    assert _seen(f'{{"name": "a", "arguments": {closed}}}') == []


def test_a_lone_surrogate_leaves_the_calls_writable() -> None:
    (call,) = calls_in_text("[tool: a(q=\ud83d)] -> \ud83d")
    assert call.to_dict()["parameters"] == {"q": "?"}
    assert call.result == "?"


def test_tools_called_names_calls() -> None:
    entries = [
        W,
        {"name": "b", "input_parameters": {"q": 1}, "output": "sunny"},
        {"tool": "c", "arguments": '{"q": 2}', "server": "s", "id": "c1"},
        {"id": "c2", "type": "function", "function": {"name": "d", "arguments": "{}"}},
        SimpleNamespace(name="e", input_parameters=None, output=None),
    ]
    rule = "inferred from tools_called"
    assert calls_named(entries) == [
        ToolExecutionResult(W, {}, success=True, success_rule=rule),
        ToolExecutionResult("b", {"q": 1}, "sunny", success=True, success_rule=rule),
        ToolExecutionResult(
            "c", {"q": 2}, success=True, server="s", call_id="c1", success_rule=rule
        ),
        ToolExecutionResult("d", {}, success=True, call_id="c2", success_rule=rule),
        ToolExecutionResult("e", {}, success=True, success_rule=rule),
    ]


def test_a_recorded_call_is_taken_as_it_is() -> None:
    recorded = ToolExecutionResult("a", {}, success=False)
    assert calls_named([recorded]) == [recorded]


@pytest.mark.parametrize("entry", [7, None, "", {}, {"name": None}, {"function": {}}])
def test_an_entry_without_a_name_is_a_failed_call(entry: object) -> None:
    (call,) = calls_named([entry])
    assert (call.tool, call.success) == ("", False)


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_text_ends(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    assert len(calls_in_text(text)) <= answer_text.MAX_CALLS


_FRAGMENTS = st.sampled_from(
    [
        *"[]【】(){}:：,，=\"'\\\n ",
        *("调用工具", "tool", "name", "a", "1", "[tool: a", "->", "结果:", "failed", "```json"),
        *('{"name":', '"arguments":', '"a"', "\\ud800", "<tool_call>"),
    ]
)


@given(st.lists(st.one_of(_FRAGMENTS, st.text(max_size=5)), max_size=60).map("".join))
def test_any_text_gives_calls_that_can_be_written(text: str) -> None:
    for call in calls_in_text(text):
        assert ToolExecutionResult.from_dict(call.to_dict()) == call
        assert call.tool


_NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True).filter(
    lambda name: name not in answer_text.NOT_TOOLS
)
_SPOKEN = st.sampled_from(
    [
        "[调用工具: {}]",
        "【使用工具：{}（q=1）】",
        '[Calling tool: {}] {{"q": 1}}',
        '<tool_call>{{"name": "{}", "arguments": {{}}}}</tool_call>',
        '```json\n{{"tool": "{}", "args": {{}}}}\n```',
    ]
)
_PROSE = st.text(alphabet="ab 北京.,!\n0", max_size=20)


@given(st.lists(st.tuples(_NAMES, _SPOKEN, _PROSE), max_size=8, unique_by=lambda part: part[0]))
def test_calls_come_in_text_order(parts: list[tuple[str, str, str]]) -> None:
    text = "".join(spoken.format(name) + prose for name, spoken, prose in parts)
    assert [call.tool for call in calls_in_text(text)] == [name for name, _, _ in parts]
