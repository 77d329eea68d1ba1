"""Failures that a text speaks of, in English and Chinese."""

from __future__ import annotations

import re

LONGEST_ERROR = 500

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


def spoken_failure(text: str) -> str | None:
    """The line in which a text speaks of a failure; None where it does not."""
    spoken = _NOT_FAILURE.sub(lambda calm: " " * len(calm[0]), text)
    failure = _FAILURE.search(spoken)
    return _line_around(text, *failure.span()) if failure else None


def _line_around(text: str, start: int, end: int) -> str:
    first = max(text.rfind("\n", 0, start) + 1, start - 200)
    last = text.find("\n", end)
    return text[first : last if last >= 0 else None].strip()[:LONGEST_ERROR]
