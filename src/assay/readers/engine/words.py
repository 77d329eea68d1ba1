"""What a key means: it is split into words, and the words tell its role.

The tables are the whole vocabulary of the engine. They are English; `TRANSLATIONS` has one row
per further language, which maps its words to the English ones.
"""

from __future__ import annotations

import re
from typing import Literal

from msgspec import Struct

TRANSLATIONS: dict[str, dict[str, str]] = {
    "zh": {
        "工具": "tool",
        "函数": "function",
        "名称": "name",
        "名": "name",
        "调用": "call",
        "动作": "action",
        "行动": "action",
        "参数": "arguments",
        "输入": "input",
        "输出": "output",
        "结果": "result",
        "返回": "return",
        "观察": "observation",
        "响应": "response",
        "类型": "type",
        "状态": "status",
        "错误": "error",
        "成功": "success",
        "消息": "messages",
        "内容": "content",
        "角色": "role",
    },
}
_TRANSLATED = {word: english for row in TRANSLATIONS.values() for word, english in row.items()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# -- words of the roles
TOOL = _words("tool tools function functions func fn")
ONE_TOOL = TOOL - {"tools", "functions"}
CALL = _words(
    "call calls invocation invocations use uses action actions step exec execution request"
    " requests invoke invoked command commands cmd start started begin"
)
RESULT = _words(
    "result results output outputs observation observations response responses return returned"
    " returns reply obs"
)
ENDED = RESULT | _words("end ended complete completed finish finished done after")
ARGUMENTS = _words("arguments args arg argument kwargs parameters params param")
INPUT = _words("input inputs request payload query in")
IDENTITY = _words("id ids uuid")
# Words of a key that holds something about a call, and not its arguments or result.
ABOUT = _words(
    "type schema schemas format token tokens size count counts length len chars path mime expected"
    " max min usage model metadata ms duration seconds role index idx definitions definition"
    " description version url choice hash timestamp at num number rate cost truncated file mode"
    " stop reason details score scores rules parser class"
)
# Words that may stand beside a role's word without changing it.
BESIDE = _words(
    "preview summary text content json str string raw data display value full body llm to model"
    " delta message state chunk user tool call function item blob payload exec execution mcp shell"
    " command agent final formatted inner action 0 b64"
)
_BESIDE_RESULT = (
    BESIDE
    | TOOL
    | CALL
    | _words(
        "gen ai value entity df next environment env all web search aggregated combined std total"
    )
)
# What a tool is or should have done, never what it did.
EXCLUDED = _words(
    "expected reference golden gold groundtruth gt target criteria checks check available"
    " definitions schema schemas tooldefs examples evaluation reward rewards fewshot few shot"
    " rubric ideal offered"
)
_NO_NAME = _words(
    "definitions definition description schema count choice list names type version result output"
    " response agent"
)
_WEAK_NAMES = _words(
    "name action entity_name title api span_name display_name recipient path command_type"
    " action_name step_name event_name run_name"
)
_STRONG_NAMES = _words("api_name skill tool_name recipient_name command_name")
_NO_ARGUMENTS = _words(
    "schema count definitions result results response output model generation llm sampling"
)
_WEAK_ARGUMENTS = _words(
    "command cmd code query queries sql url action_input question instruction arguments_json"
)
BODIES = _words("content text data value body contents contexts payload")
_KINDS = _words(
    "operation_name gen_ai_operation_name op action_type ev event_name step_type run_type role"
    " part_kind sender source_type method object span_attributes_kind"
)
_FAILURES = _words(
    "failed errored timed_out timedout error errors exception tool_error err error_message"
    " error_text error_type"
)
_WRAPPERS = _words(
    "state data payload function call invocation item detail details request response result"
    " params metadata event attributes tool use output msg content action extra update"
)
_MESSAGES = _words("messages message history conversation trajectory turns dialog")

Flag = Literal["", "failure", "success", "code", "status"]
Channel = Literal["", "in", "out"]
Kind = Literal["", "call", "result"]

# How strong a sign a key is.
NONE, BODY, WEAK, STRONG = 0, 1, 2, 3


class Key(Struct, frozen=True, eq=False):
    """A key and its role; `name`, `arguments` and `result` are NONE, BODY, WEAK or STRONG."""

    text: str
    words: tuple[str, ...] = ()
    name: int = NONE
    arguments: int = NONE
    result: int = NONE
    is_call_id: bool = False
    is_own_id: bool = False
    refers: bool = False
    is_parent: bool = False
    is_kind: bool = False
    is_server: bool = False
    flag: Flag = ""
    of_call: bool = False
    of_result: bool = False
    is_excluded: bool = False
    channel: Channel = ""
    is_wrapper: bool = False
    lists_tools: bool = False
    holds_messages: bool = False
    time: Literal["", "start", "end", "at"] = ""
    of_duration: bool = False
    fact: Literal["", "model", "session", "usage"] = ""


_SPLIT = re.compile(
    "|".join(sorted(map(re.escape, _TRANSLATED), key=len, reverse=True))
    + r"|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\x00-\x7f]"
)
_LONGEST_KEY = 80
_MOST_KEYS = 20_000
_keys: dict[str, Key] = {}


def split(text: str) -> tuple[str, ...]:
    """The words of a key or a kind, in small letters and in English."""
    found = _SPLIT.findall(text[:_LONGEST_KEY])
    return tuple(_TRANSLATED.get(word) or word.lower() for word in found)


def key_of(text: object) -> Key:
    """What a key means; remembered for as many keys as one recording has."""
    found = _keys.get(text)  # type: ignore[call-overload]  # any key may be asked for
    if found is None:
        if len(_keys) >= _MOST_KEYS:
            _keys.clear()
        found = _keys[text] = _classified(str(text))  # type: ignore[index]
    return found  # type: ignore[no-any-return]


def _classified(text: str) -> Key:
    words = split(text)
    if not words:
        return Key(text)
    among, joined = frozenset(words), "_".join(words)
    is_id = bool(among & IDENTITY) and "parent" not in among
    return Key(
        text,
        words,
        name=NONE if is_id else _name_strength(words, among, joined),
        arguments=NONE if is_id else _arguments_strength(words, among, joined),
        result=NONE if is_id else _result_strength(among, joined),
        is_call_id=is_id and _names_a_call(words, among),
        is_own_id=joined in {"id", "uuid", "span_id", "event_id", "record_id"},
        refers=words[-1] in {"id", "cause", "ref", "for"} or joined == "cause",
        is_parent="parent" in among,
        is_kind=words[-1] in {"type", "kind", "event", "typ"} or joined in _KINDS,
        is_server=among <= {"server", "mcp", "name", "tool", "label"} and "server" in among,
        flag=_flag(words, among, joined),
        of_call=not is_id and _is_of_call(words, among, joined),
        of_result=_is_of_result(among),
        is_excluded=bool(among & EXCLUDED) or bool(among & TOOL and "choice" in among),
        channel=_channel(among),
        is_wrapper=bool(among & _WRAPPERS),
        holds_messages=bool(among & _MESSAGES),
        time=_time(among, joined),
        of_duration=bool(among & {"duration", "latency", "elapsed"}),
        fact=_FACTS.get(joined, ""),
        lists_tools=words[-1] in {"tools", "functions"},
    )


def _name_strength(words: tuple[str, ...], among: frozenset[str], joined: str) -> int:
    if among & _NO_NAME:
        return NONE
    if among & TOOL and words[-1] in ONE_TOOL | {"name", "key", "used", "slug"}:
        return STRONG
    if joined in _STRONG_NAMES:
        return STRONG
    return WEAK if joined in _WEAK_NAMES else NONE


def _arguments_strength(words: tuple[str, ...], among: frozenset[str], joined: str) -> int:
    if among & _NO_ARGUMENTS:
        return NONE
    is_plain = among <= ARGUMENTS | TOOL | CALL | BESIDE | {"gen", "ai"}
    if words[-1] in ARGUMENTS or (among & ARGUMENTS and is_plain):
        return STRONG
    if among & INPUT and among & (TOOL | CALL | {"raw"}) and not among & (ABOUT | ENDED):
        return STRONG
    if among & INPUT and among <= INPUT | {"value", "entity", "text", "json", "data", "user"}:
        return WEAK
    return WEAK if joined in _WEAK_ARGUMENTS else NONE


def _result_strength(among: frozenset[str], joined: str) -> int:
    if not among & RESULT or among & (ABOUT - {"url"}) or among & EXCLUDED:
        return BODY if joined in BODIES else WEAK if joined == "stdout" else NONE
    rest = among - RESULT
    if rest - _BESIDE_RESULT:
        return NONE
    if rest & (TOOL | CALL | {"raw", "preview"}):
        return STRONG
    is_plain = joined in {"observation", "observations", "result", "results", "obs"}
    return STRONG if is_plain else WEAK


def _names_a_call(words: tuple[str, ...], among: frozenset[str]) -> bool:
    if words[-1] not in {"id", "uuid"} or among & {"mcp", "server", "model"}:
        return False
    return bool(among & (TOOL | {"call", "use"}))


def _flag(words: tuple[str, ...], among: frozenset[str], joined: str) -> Flag:
    if "details" in among or ("message" in among and "error" not in among):
        return ""
    if joined in _FAILURES or ("is" in among and among & {"error", "failure", "failed"}):
        return "failure"
    if among & {"success", "succeeded", "successful", "ok", "valid"}:
        return "" if among & {"rate", "count", "criteria", "message"} else "success"
    if joined in {"exitcode", "returncode", "rc"}:
        return "code"
    if words[-1] in {"code", "status"} and among & {"exit", "return"}:
        return "code"
    is_status = words[-1] in {"status", "state", "outcome"}
    beside = {"status", "state", "outcome", "tool", "call", "execution", "otel"}
    return "status" if is_status and among <= beside else ""


def _is_of_call(words: tuple[str, ...], among: frozenset[str], joined: str) -> bool:
    if among & ENDED or among & {"choice", "definitions", "server", "servers", "config"}:
        return False
    if among & {"call", "calls", "invocation", "invocations", "uses"} or words[-1] in ONE_TOOL:
        return True
    return joined in {"actions", "action", "steps_taken", "tool_use"}


def _is_of_result(among: frozenset[str]) -> bool:
    about_calls = TOOL | {"call", "exec", "execution", "command", "use", "action"}
    if among & {"observation", "observations"}:
        return True
    return bool(among & (RESULT | {"end", "complete", "completed", "finished"}) & ENDED) and bool(
        among & about_calls
    )


def _channel(among: frozenset[str]) -> Channel:
    sent = {"request", "input", "inputs", "prompt", "prompts", "body", "params", "kwargs", "query"}
    if among & sent and "tool" not in among:
        return "in"
    received = {"response", "output", "outputs", "choices", "completion", "generations"}
    of_model = bool(among & {"model", "llm"}) and bool(among & {"result", "results"})
    return "out" if of_model or among & received or "candidates" in among else ""


def _time(among: frozenset[str], joined: str) -> Literal["", "start", "end", "at"]:
    of_time = among & {"time", "at", "timestamp", "ts", "date", "unix", "nano", "ms"}
    if joined in {"timestamp", "ts", "time", "created_at", "created"}:
        return "at"
    if not of_time and joined not in {"start", "end"}:
        return ""
    if among <= {"start", "started", "time", "at", "timestamp", "unix", "nano", "ms", "date"}:
        return "start" if among & {"start", "started"} else ""
    ends = {"end", "ended", "finished", "completed", "stop", "stopped"}
    is_end = bool(among & ends) and among <= ends | of_time
    return "end" if is_end else ""


# Facts of a run, by the words of the keys that cannot mean anything else.
_FACTS: dict[str, Literal["", "model", "session", "usage"]] = {
    **dict.fromkeys(("model", "model_name", "model_id", "llm_model", "llm"), "model"),
    **dict.fromkeys(
        (
            *("session_id", "conversation_id", "thread_id", "chat_id", "run_id", "episode_id"),
            *("session", "conversation"),
        ),
        "session",
    ),
    **dict.fromkeys(("usage", "token_usage", "usage_metadata"), "usage"),
}

# -- words of the values

_SPEAKERS = {
    **dict.fromkeys(("user", "human", "humanmessage"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "model", "agent", "bot", "gpt", "aimessage", "aimessagechunk"),
        "assistant",
    ),
    **dict.fromkeys(("system", "developer", "systemmessage"), "system"),
    **dict.fromkeys(
        (
            *("tool", "function", "toolresult", "tool_result", "environment", "observation"),
            *("tool_response", "toolmessage", "ipython", "function_response"),
        ),
        "tool",
    ),
}
SPEAKER_KEYS = (
    *("role", "from", "author", "sender", "type", "source", "speaker", "who", "message_type"),
    "kind",
)
_LONGEST_KIND = 60
_MOST_KINDS = 5_000
_kinds: dict[str, Kind] = {}
_EXECUTED = _words("exec execute execution command mcp shell action call calls use invocation")
_NO_KIND = _words("delta arguments args added parameters")
_DEFINED = _words("definition definitions list choice config description input")
SUCCEEDED = _words(
    "success succeeded ok completed complete done finished passed output-available true"
)
FAILED = _words(
    "error failed failure errored cancelled canceled timeout output-error denied rejected"
    " incomplete exception invalid declined"
)
# What an agent writes where a tool's name stands to say that it has finished.
FINISHED = frozenset(
    {"finish", "submit", "skip", "final_answer", "final answer", "terminate", "done", "none"}
    | {"answer"}
)


def kind_of(value: object) -> Kind:
    """Whether a value such as "tool_use" or "exec_command_end" names a call or a result."""
    if not isinstance(value, str) or len(value) > _LONGEST_KIND:
        return ""
    found = _kinds.get(value)
    if found is None:
        if len(_kinds) >= _MOST_KINDS:
            _kinds.clear()
        found = _kinds[value] = _kind(frozenset(split(value)))
    return found


def _kind(among: frozenset[str]) -> Kind:
    if among & _NO_KIND or (among & _DEFINED and not among & RESULT):
        return ""
    if among and among <= {"observation", "observations", "environment"}:
        return "result"
    is_tools = bool(among & TOOL)
    if not is_tools and (not among & _EXECUTED or among & {"llm", "model", "chat", "agent"}):
        return ""
    if among & ENDED:
        return "result"
    is_call = is_tools or among & {"call", "use", "invocation", "execution", "begin"}
    return "call" if is_call and "error" not in among else ""


def speaker_of(value: object) -> str | None:
    """user, assistant, system or tool, for a value that names who speaks."""
    return _SPEAKERS.get(value.lower()) if isinstance(value, str) else None
