"""Tool calls an answer speaks of, where no trace recorded them.

Read are JSON objects that name a tool and its arguments, and bracket markers such as
`[调用工具: weather_query]`; whether a call worked is inferred from what follows it. The text
is hostile until proven otherwise: nothing is evaluated, and the time is bounded by its length.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.execution import INFERRED_FROM_TEXT, ToolExecutionResult
from assay.metrics.stated_calls import (
    LONGEST_ERROR,
    call_entries,
    decoded,
    end_of_json,
    stated_call,
    stated_success,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


MAX_CALLS = 1_000
_MAX_REPORT = 2_000
_MAX_RESULT = 20_000

MARKER_WORDS = (
    "调用工具",
    "工具调用",
    "使用工具",
    "正在调用工具",
    "已调用工具",
    "工具",
    "calling tool",
    "call tool",
    "called tool",
    "tool call",
    "tool use",
    "using tool",
    "used tool",
    "invoking tool",
    "tool",
)
NOT_TOOLS = ("none", "null", "n/a", "无", "没有")
ARGUMENT_WORDS = ("参数", "输入", "arguments", "args", "parameters", "params", "input", "with")
RESULT_WORDS = (
    "结果",
    "返回",
    "返回结果",
    "工具结果",
    "工具返回",
    "输出",
    "观察",
    "result",
    "output",
    "response",
    "observation",
    "returned",
    "tool result",
    "tool output",
)
RESULT_ARROWS = ("->", "=>", "→", "⇒")
# A call failed if one of these follows it, unless NOT_FAILURES takes the words back.
FAILURES = (
    r"失败",
    r"(?:错误|异常)\s{0,3}[:：]",
    r"[\[【［](?:错误|异常|(?i:error|exception))",
    r"出错|报错|(?:发生|出现|抛出)了?(?:错误|异常)",
    r"超时(?!时间|设置|\s{0,3}[:：=])",
    r"(?i:(?<![a-z_])error\s{0,3}[:：])",
    r"[a-z](?:Error|Exception)(?![A-Za-z])",
    r"(?i:(?<![a-z_])(?:failed|failure)(?![a-z_]))",
    r"(?i:(?<![a-z_])exception(?![a-z_]))",
    r"(?i:(?<![a-z])timed[ -]out(?![a-z]))",
    r"Traceback \(most recent call last\)",
    r"(?i:\"is_?error\"\s{0,3}:\s{0,3}true)",
    r"\"success\"\s{0,3}:\s{0,3}false",
    r"[\"']error[\"']\s{0,3}:\s{0,3}(?:\"[^\"]|'[^']|\{\s{0,9}[\"'])",
    r"(?i:\"status\"\s{0,3}:\s{0,3}\"(?:error|fail))",
    r"HTTP(?:/[\d.]{1,3})? [45]\d\d(?!\d)",
)
_TROUBLE = r"(?:errors?|failures?|exceptions?|failed)"
_WORD = r"(?: [a-z]{1,20})"
_NO_MORE = r"(?=\s{0,3}(?:[,，;；.。)）\]】}|\n]|$))"
NOT_FAILURES = (
    rf"(?i:(?<![a-z])(?:no|zero|without){_WORD}{{0,2}} {_TROUBLE})",
    rf"(?i:(?<![\d.,])0{_WORD}{{0,2}} {_TROUBLE})",
    rf"(?i:(?<![\d.,])0(?: of | out of |/)\d{{1,9}}{_WORD}? failed)",
    rf"(?i:{_TROUBLE}[\"']?\s{{0,3}}[:：=]\s{{0,3}}0(?![.,]?\d|%))",
    rf"(?i:{_TROUBLE}[\"']?\s{{0,3}}[:：=]\s{{0,3}}(?:none|null|no|false|n/a|\"\"|\[\])){_NO_MORE}",
    rf"(?i:(?:not|never|n't|n’t){_WORD}? (?:failed|timed out))",
    r"(?i:with (?:the |one |some )?(?:possible )?exceptions? of)",
    r"(?i:(?:exception|failure)s?[ -](?:handling|handler|rates?|modes?|analysis))",
    r"(?i:(?:standard|squared|absolute|relative|rounding|margin of) error)\s{0,3}[:：]?",
    rf"(?i:(?<![a-z])(?:if|unless|whether|in case){_WORD}{{0,5}} (?:failed|timed out))",
    r"(?:没有?|无|未|零)(?:有|任何|发生|出现|产生|发现|遇到|抛出|再|过){0,3}(?:失败|错误|异常|超时|出错|报错)[:：]?",
    r"(?<![\d.,])0\s{0,3}[个次项条处]?\s{0,3}(?:失败|错误|异常|超时)",
    r"(?:失败|错误|异常|超时|出错|报错)(?:数量?|次数)?\s{0,3}[:：=]\s{0,3}0(?![.,]?\d|%)",
    rf"(?:失败|错误|异常|超时|出错|报错)(?:信息)?\s{{0,3}}[:：=]\s{{0,3}}(?:无|没有|空){_NO_MORE}",
    r"(?:失败|错误|异常)(?:率|处理|概率)",
    r"(?:如果|若(?!干)|假如|一旦|万一|要是)[^，。,\n]{0,15}(?:失败|出错|报错|超时|异常)",
)
_FAILURE = re.compile("|".join(FAILURES))
_NOT_FAILURE = re.compile("|".join(NOT_FAILURES))


def calls_in_text(text: str) -> list[ToolExecutionResult]:
    """The tool calls a text speaks of, in text order; at most `MAX_CALLS` of them.

    Success is inferred: a call counts as failed when a failure is spoken of between it and
    the next call.
    """
    # A lone surrogate could be neither decoded as JSON nor written down later.
    answer = _Answer(text.encode("utf-8", "replace").decode())
    places = list(islice(answer.places(), MAX_CALLS))
    borders = [*(place.start for place in places[1:]), len(text)]
    for place, border in zip(places, borders, strict=False):
        end = min(border, place.end + _MAX_REPORT)
        _read_report(place.call, answer.text[place.end : end])
    return [place.call for place in places]


class _Place(NamedTuple):
    start: int
    end: int
    call: ToolExecutionResult


def _either(words: Iterable[str]) -> str:
    spelled = (re.escape(word).replace(r"\ ", r"[\s_-]{1,3}") for word in words)
    return f"(?i:{'|'.join(spelled)})"


_OPEN = r"[\[【［]"
_FENCE = r"```\w{0,20}+\s*+"
_LABEL = rf"(?:{_either(ARGUMENT_WORDS)}\s*+[:：]?\s*+(?=[{{(（`]|[\w.-]{{1,100}}+\s*+[=＝]))"
_GAP = r"(?:[\s\])】）］,，;；.。]|```|</tool_call>){0,20}+"

_START = re.compile(
    r'[\[【［{](?:(?<=\{)\s*+"[^"\\\n]{1,64}+"\s*+:'
    rf"|(?<!\{{)\s*+{_either(MARKER_WORDS)}\s*+[:：]\s*+)"
)
_NAME = re.compile(
    r"[`\"'“]?(?P<name>(?:\w[\w./ -]{0,99}[:：] ?){0,3}\w[\w./-]{0,149}+)[`\"'”]?"
    rf"(?=\s*+(?:[\]】］(（{{,，:：;；|]|{_LABEL}|[\w.-]{{1,100}}+\s*+[=＝]))"
)
_INSIDE = re.compile(rf"\s*+[,，:：;；|]?\s*+{_LABEL}?")
_BEHIND = re.compile(
    r"[^\S\n]{0,3}(?=[(（])"
    rf"|[^\S\n]{{0,20}}(?:\n[^\S\n]{{0,20}})?(?P<label>{_LABEL})?(?:{_FENCE})?(?=\{{)"
)
_BEFORE_OBJECT = re.compile(r"\s*+(?=\{)")
_KEY = re.compile(r"\s*+[\"'“]?(?P<key>[\w.-]{1,100}+)[\"'”]?\s*+[=＝:：](?!//)\s*+")
_QUOTED = re.compile(
    r'"(?P<double>[^"\\]*+(?:\\.[^"\\]*+)*+)"'
    r"|'(?P<single>[^'\\]*+(?:\\.[^'\\]*+)*+)'"
    r"|“(?P<curly>[^“”]*+)”|「(?P<corner>[^「」]*+)」",
    re.DOTALL,
)
_BARE = re.compile(r"[^,，;；()（）\[\]【】［］{}\n\"“”]{1,1000}+")
_SEPARATOR = re.compile(r"\s*+[,，;；]?+")
_RAW = re.compile(r"([^()（）\n]{1,500}+)[)）]")
_BROKEN_OBJECT = re.compile(r"\{[^\[\]【】［］\n]{0,500}+(?=[\]】］])")
_CLOSE_BRACKET = re.compile(r"\s*+[\]】］]")
_CLOSE_PAREN = re.compile(r"\s*+[)）]")
_RESULT = re.compile(
    rf"{_GAP}(?:(?P<bracket>{_OPEN}\s*+)?{_either(RESULT_WORDS)}\s*+[:：]"
    rf"|(?:{'|'.join(RESULT_ARROWS)})|(?P<tag><tool_response>))\s*+(?P<fence>{_FENCE})?"
)
_RESULT_ENDS = {
    "bracket": re.compile(r"[\]】］]"),
    "tag": re.compile("</tool_response>"),
    "fence": re.compile("```"),
    None: re.compile(r"\n"),
}
_LITERALS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}


class _Answer:
    """An answer's text, and how many characters of it may still be read in vain."""

    def __init__(self, text: str) -> None:
        self.text = text
        # Text that keeps opening arguments without ever closing them must not cost a square.
        self._patience = 2 * len(text) + 1_000_000

    def places(self) -> Iterator[_Place]:
        """Where the text speaks of a call, and which."""
        at = 0
        while start := _START.search(self.text, at):
            is_object = start[0][0] == "{"
            read = self._written(start.start()) if is_object else self._marked(start.end())
            if read is None:
                at = start.start() + 1
                continue
            calls, end = read
            at = self._past_result(calls, end)
            yield from (_Place(start.start(), end, call) for call in calls)

    def _written(self, start: int) -> tuple[list[ToolExecutionResult], int] | None:
        read = self._json_at(start)
        return read and ([stated_call(entry) for entry in call_entries(read[0])], read[1])

    def _marked(self, start: int) -> tuple[list[ToolExecutionResult], int] | None:
        name = _NAME.match(self.text, start)
        if name is None or name["name"].lower() in NOT_TOOLS:
            return None
        inside = self._arguments_inside(name.end())
        close = _CLOSE_BRACKET.match(self.text, inside[1] if inside else name.end())
        if close is None:
            return None
        found = inside or self._arguments_behind(close.end(), name["name"])
        parameters, end = found or ({}, close.end())
        call = ToolExecutionResult(
            name["name"], parameters, success=True, success_rule=INFERRED_FROM_TEXT
        )
        return [call], max(end, close.end())

    def _past_result(self, calls: list[ToolExecutionResult], end: int) -> int:
        """Keep a JSON result that follows, so that what it holds is not read as calls."""
        label = _RESULT.match(self.text, end) if calls else None
        if label is None or not self.text.startswith(("{", "["), label.end()):
            return end
        read = self._json_at(label.end())
        if read is None:
            return end
        value, past = read
        if calls[-1].result is None:
            longest = label.end() + _MAX_RESULT
            calls[-1].result = value if past <= longest else self.text[label.end() : longest]
        return past

    def _arguments_inside(self, start: int) -> tuple[Any, int] | None:
        before = _INSIDE.match(self.text, start)
        at = before.end() if before else start
        if self.text.startswith(("(", "（"), at):
            return self._parenthesised(at)
        if self.text.startswith("{", at):
            broken = _BROKEN_OBJECT.match(self.text, at)
            return self._json_at(at) or (broken and (broken[0], broken.end()))
        found = self._pairs(at, _CLOSE_BRACKET)
        return found if found and found[0] else None

    def _arguments_behind(self, start: int, tool: str) -> tuple[Any, int] | None:
        before = _BEHIND.match(self.text, start)
        if before is None:
            return None
        if not self.text.startswith("{", before.end()):
            found = self._parenthesised(before.end())
            return found if found and isinstance(found[0], dict) else None
        read = self._json_at(before.end())
        if read is None:
            return None
        spoken_of = [stated_call(entry) for entry in call_entries(read[0])]
        if not spoken_of:
            is_outcome = before["label"] is None and stated_success(read[0]) is not None
            return None if is_outcome else read
        announced = len(spoken_of) == 1 and spoken_of[0].tool == tool
        return (spoken_of[0].parameters, read[1]) if announced else None

    def _parenthesised(self, start: int) -> tuple[Any, int] | None:
        """Arguments in parentheses: an object, pairs, or else the text as it stands."""
        before = _BEFORE_OBJECT.match(self.text, start + 1)
        read = self._json_at(before.end()) if before else self._pairs(start + 1, _CLOSE_PAREN)
        close = _CLOSE_PAREN.match(self.text, read[1]) if read else None
        if read and close:
            return read[0], close.end()
        raw = _RAW.match(self.text, start + 1)
        if raw is None:
            return None
        text = raw[1].strip()
        quoted = _QUOTED.fullmatch(text)
        return _unquoted(quoted) if quoted else text, raw.end()

    def _pairs(self, start: int, close: re.Pattern[str]) -> tuple[dict[str, Any], int] | None:
        """Pairs such as `city="北京", days=3` up to what closes them."""
        found: dict[str, Any] = {}
        at = start
        while close.match(self.text, at) is None:
            key = _KEY.match(self.text, at)
            value = self._value(key.end()) if key and self._patience > 0 else None
            if key is None or value is None:
                self._patience -= at - start
                return None
            found[key["key"]], at = value
            separator = _SEPARATOR.match(self.text, at)
            at = separator.end() if separator else at
        return found, at

    def _value(self, start: int) -> tuple[Any, int] | None:
        if quoted := _QUOTED.match(self.text, start):
            return _unquoted(quoted), quoted.end()
        if self.text.startswith(("{", "["), start):
            return self._json_at(start)
        bare = _BARE.match(self.text, start)
        return (_literal(bare[0].strip()), bare.end()) if bare else None

    def _json_at(self, start: int) -> tuple[Any, int] | None:
        """The JSON object or list that starts here, and its end."""
        if self._patience <= 0:
            return None
        end, closed = end_of_json(self.text, start)
        value = decoded(self.text[start:end]) if closed else None
        if value is None:
            self._patience -= end - start
            return None
        return value, end


def _unquoted(quoted: re.Match[str]) -> str:
    body = quoted[quoted.lastgroup or 0].replace("\\'", "'")
    text = decoded(f'"{body}"')
    return text if isinstance(text, str) else body


def _literal(text: str) -> Any:
    if text in _LITERALS:
        return _LITERALS[text]
    number = decoded(text)
    return number if isinstance(number, int | float) else text


def _read_report(call: ToolExecutionResult, report: str) -> None:
    """Take the result and the failure from what follows a call."""
    label = _RESULT.match(report)
    if label and call.result is None:
        end = _RESULT_ENDS[label.lastgroup].search(report, label.end())
        call.result = report[label.end() : end.start() if end else None].strip() or None
    if (failure := spoken_failure(report)) is not None:
        call.success = False
        call.error_message = call.error_message or failure


def spoken_failure(text: str) -> str | None:
    """The line in which a text speaks of a failure; None where it does not."""
    spoken = _NOT_FAILURE.sub(lambda calm: " " * len(calm[0]), text)
    failure = _FAILURE.search(spoken)
    return _line_around(text, *failure.span()) if failure else None


def _line_around(text: str, start: int, end: int) -> str:
    first = max(text.rfind("\n", 0, start) + 1, start - 200)
    last = text.find("\n", end)
    return text[first : last if last >= 0 else None].strip()[:LONGEST_ERROR]
