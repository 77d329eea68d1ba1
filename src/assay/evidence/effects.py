"""Which calls change something, and whether the user asked for a change.

A call writes if its server's annotations say so, or else its tool's name; where the arguments
hold SQL, a command, code or an HTTP method, these decide instead.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from assay.evidence.json_leaves import leaves_of
from assay.evidence.literals import LONGEST_QUERY, holds_code, is_sql
from assay.evidence.tool_kinds import READ_VERBS, WRITE_VERBS, hands_over, kind_of_tool, name_writes
from assay.evidence.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.json_leaves import Leaf
    from assay.execution import ToolExecutionResult
    from assay.tools import ToolDefinition

_SQL_WRITE = re.compile(
    r"\b(?:insert\s+(?:or\s+\w+\s+)?into|update\s+[\w.\"]+\s+(?:as\s+)?(?:\w+\s+)?set|delete\s+from"
    r"|create\s+(?!.{0,20}temp)|alter\s+\w|drop\s+\w|truncate\b|merge\s+into|grant\s+\w|revoke\s+\w"
    r"|comment\s+on|refresh\s+materialized|replace\s+into|do\s+\$)",
    re.IGNORECASE,
)
_CODE_WRITE = re.compile(
    r"(?:^|[;&|(]|\bsudo\b)[ \t]{0,40}(?:rm|mv|cp|mkdir|rmdir|touch|tee|chmod|chown|ln|patch)\s"
    r"|\bgit\s+(?:commit|push|add|merge|rebase|tag|rm|mv|apply)\b|\bsed\s+-i|(?<![<>=-])>{1,2}\s*[\w./~\"']"
    r"|\b(?:npm|pip3?|apt(?:-get)?|yarn|cargo)\s+(?:install|add|remove|uninstall)\b"
    r"|\b(?:POST|PUT|PATCH|DELETE)\b|open\([^)\n]{0,200},\s*['\"][wax]|\.write(?:_text|_bytes)?\("
    r"|requests\.(?:post|put|patch|delete)\(|\.to_(?:csv|json|excel|parquet|sql)\("
    r"|os\.(?:remove|rename|makedirs?|mkdir|unlink)\(|shutil\.|\.(?:writeFile|unlink|mkdir)",
    re.MULTILINE,
)
_VERBS = READ_VERBS | WRITE_VERBS
_WRITE_METHODS = frozenset({"post", "put", "patch", "delete"})
_HTTP_METHODS = _WRITE_METHODS | {"get", "head", "options"}

_ASKED = frozenset(
    {"create", "add", "insert", "update", "modify", "change", "set", "delete", "remove", "drop"}
    | {"send", "email", "e-mail", "post", "write", "save", "store", "upload", "book", "reserve"}
    | {"cancel", "schedule", "assign", "move", "rename", "replace", "submit", "register", "publish"}
    | {
        "merge",
        "close",
        "refund",
        "start",
        "fix",
        "implement",
        "build",
        "archive",
        "share",
        "reply",
    }
    | {"invite", "apply"}
)
# What else is asked for is a change only where all tools that were called merely tell.
_DEEDS = frozenset(
    {"enable", "disable", "revert", "unlock", "subscribe", "unsubscribe", "renew", "mute", "notify"}
    | {"approve", "reject"}
)
# The same of words that name things too, "stop times" and "a pay rise", unless an object follows.
_DEEDS_TO_THINGS = frozenset(
    {"turn", "switch", "transfer", "pay", "buy", "purchase", "mark", "restart", "stop", "scale"}
    | {"deploy", "lock", "upgrade", "downgrade", "dim", "pause", "resume"}
)
_OBJECT = re.compile(
    r"\s{1,4}(?:(?:the|an?|my|our|your|his|her|their|its|this|that|these|those|it|them|him|us|all"
    r"|both|every|each|any|everything|off|on|up|down|back)\b|[$€£¥\"'`#@0-9])",
    re.IGNORECASE,
)
# Tools by which an agent says that it is done: one of these words, and nothing but the others.
_CLOSING = frozenset(
    {"submit", "finish", "finished", "complete", "completed", "completion", "done", "terminate"}
    | {"conclude", "final", "end", "respond", "exit"}
)
_OF_CLOSING = _CLOSING | frozenset(
    {"task", "mark", "attempt", "give", "the", "result", "results", "answer", "output", "run"}
    | {"session", "conversation", "is", "as", "work", "report"}
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ACTING = frozenset({"acting", "stopper"})
_TELLING = frozenset({"asking", "content", "checking", "log", "wording"})
_WORD = re.compile(r"[A-Za-z]++(?:-[A-Za-z]++)?")
# A verb asks for something at the start of a clause, or after a word that asks.
_ASKING = re.compile(
    r"(?:[.!?:;,\n][ \t]{0,8}(?:[-*•][ \t]{0,4}|[0-9]{1,3}[.)][ \t]{0,4})?"
    r"|\b(?:please|then|and|also|must|should|now|kindly|task\sis\sto|needs?\sto"
    r"|wants?\s(?:you\s)?to|like\s(?:you\s)?to|can\syou|could\syou|would\syou)\s{1,4}"
    r"(?:please\s|also\s)?)\Z",
    re.IGNORECASE,
)
_LOOKED_BACK = 32
_ASKS_CHINESE = re.compile(
    r"创建|新建|建立|添加|加到|加入|写入|保存|存到|发送|发给|发一封|删除|移除|更新|修改|改成|改为|预订|预定|取消|设置"
    r"|上传|提交|分配|插入|安排|登记|退货|退款|重命名|移动到"
)
# What makes a deed of a word the name of a thing: a number of commits, the time of an update.
_NO_DEED = re.compile(r"[数量次者率费号单了过的]|记录|历史|时间|日期|日志|情况|信息|列表|政策|状态")
_ASKS_CHINESE_DEED = re.compile(
    r"把[^，。；！？,;!?\n]{1,24}?(?:调[到成至高低]|打开|开启|设[为成]|换成|重启|转给|转到|标记|归档|合并"
    r"|关[掉闭上]|停[掉止用下]|锁[上定住]|[关停锁](?:[了吧]|(?=[，。！,.!\s]|\Z)))"
    r"|(?:请|帮我|帮忙|麻烦你?|并|然后|再)(?:直接|尽快|立即|给.{1,12}?)?"
    r"(?:预约|转账|下单|支付|付款|还款|邀请|发布|合并|指派|关闭|打开|开启|启动|重启|停止|转发|(?:通知|回复)(?!我))"
)
_LONGEST_PROMPT = 50_000


def is_write(
    call: ToolExecutionResult,
    leaves: list[Leaf] | None = None,
    tool: ToolDefinition | None = None,
) -> bool:
    """Whether a call changes something, as far as its arguments, its tool and its name tell."""
    runs_commands = kind_of_tool(call.tool) == "command"
    for leaf in leaves_of(call.parameters) if leaves is None else leaves:
        value = leaf.value
        if not isinstance(value, str):
            continue
        if is_sql(value):
            return bool(_SQL_WRITE.search(value[:LONGEST_QUERY]))
        if runs_commands:
            return bool(_CODE_WRITE.search(value[:LONGEST_QUERY]))
        if holds_code(leaf.field) and _is_command(call.tool, value):
            return _own_command_writes(call.tool, value)
        if leaf.field == "method" and value.lower() in _HTTP_METHODS:
            return value.lower() in _WRITE_METHODS
    if tool is not None and tool.read_only is not None:
        return not tool.read_only
    return name_writes(call.tool) and not hands_over(call.tool)


@lru_cache(maxsize=4_096)
def ends_run(tool: str) -> bool:
    """Whether a tool is there for an agent to end its run with, such as `submit`."""
    words = set(words_of(_CAMEL.sub(" ", tool)))
    return words <= _OF_CLOSING and not words.isdisjoint(_CLOSING)


@lru_cache(maxsize=4_096)
def acts(tool: str) -> bool:
    """Whether a tool does something rather than tells: it hands over, clicks, stops, ends."""
    return hands_over(tool) or ends_run(tool) or kind_of_tool(tool) in _ACTING


def _is_command(tool: str, value: str) -> bool:
    """Whether a text says what to do: one word of no known verb is a code of another kind."""
    word = value.strip()
    return len(word.split()) > 1 or word == tool or not _VERBS.isdisjoint(words_of(word))


def _own_command_writes(tool: str, value: str) -> bool:
    """Whether a command of a tool that is no shell writes: an editor takes "create" or "view"."""
    verb, _, rest = value.strip().partition(" ")
    if not rest or verb == tool:
        return name_writes(verb)
    return bool(_CODE_WRITE.search(value[:LONGEST_QUERY]))


@lru_cache(maxsize=512)
def asks_for_write(prompt: str) -> bool:
    """Whether a prompt asks to create, change, send or delete something."""
    text = prompt[:_LONGEST_PROMPT]
    return _asks_in_chinese(text, _ASKS_CHINESE) or any(_asked_of(text, _ASKED))


@lru_cache(maxsize=512)
def asks_for_deed(prompt: str) -> bool:
    """Whether a prompt asks for something to be done that is no plain write, such as to pay."""
    text = prompt[:_LONGEST_PROMPT]
    if _asks_in_chinese(text, _ASKS_CHINESE_DEED) or any(_asked_of(text, _DEEDS)):
        return True
    return any(_OBJECT.match(text, verb.end()) for verb in _asked_of(text, _DEEDS_TO_THINGS))


def _asks_in_chinese(text: str, deeds: re.Pattern[str]) -> bool:
    return not text.isascii() and any(
        not _NO_DEED.match(text, found.end()) for found in deeds.finditer(text)
    )


def _asked_of(text: str, verbs: frozenset[str]) -> Iterator[re.Match[str]]:
    """Where a text asks for one of these."""
    words = (word for word in _WORD.finditer(text) if word[0].lower() in verbs)
    return (word for word in words if _is_asked(text, word.start()))


@lru_cache(maxsize=4_096)
def merely_tells(tool: str) -> bool:
    """Whether a tool's name says that it only tells something."""
    return kind_of_tool(tool) in _TELLING


def _is_asked(text: str, place: int) -> bool:
    before = text[max(0, place - _LOOKED_BACK) : place]
    opens = place <= _LOOKED_BACK and not before.strip()
    return opens or bool(_ASKING.search(before))
