"""Calls that were written as text: ReAct, tagged blocks, code blocks, log lines."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from assay.readers.engine.objects import fields_of, short_text
from assay.readers.engine.packed import decode_at, decoded, parse_json
from assay.readers.engine.steps import bracketed_action
from assay.readers.engine.words import FINISHED, STRONG, key_of, split

if TYPE_CHECKING:
    from collections.abc import Iterator

_LABEL = re.compile(
    r"^[ \t>*]*(Thought|Action Input|Action|Observation|Final Answer|Question|Tool Input|Tool"
    r"|Input)(?:[ ]?\d{1,4})?[ \t*]*:[ \t]*",
    re.MULTILINE,
)
_LONGEST_TOOL = 80
# How the instructions for such text begin where an action should stand.
_EXAMPLES = ("the action", "one of", "your ", "[", "<", "{")
_END_OF_OBSERVATION = re.compile(r"\n(?:STATUS|Correct answer|\s*\n)")
_OBSERVED = re.compile(r"\s*Observation(?: \d{1,4})?:\s*")
_SPOKEN_BY_USER = re.compile(r"^\s*(?:Action|Observation)(?: \d{1,4})?:", re.MULTILINE)
_FENCE = "```"
# Languages of code blocks, the tool that runs them, and its argument.
_PROGRAMS = {
    **dict.fromkeys(("bash", "sh", "shell"), ("bash", "command")),
    **dict.fromkeys(("python", "py", "code"), ("python", "code")),
    "powershell": ("powershell", "command"),
}
_PRINTED = re.compile(
    r"\s*(?:<returncode>|<output>|observation|execution result|output:|exit ?code|\[exit"
    r"|<response>|command output|result:)",
    re.IGNORECASE,
)
_JSON_TAGS = ("tool_call", "function_call")
_INVOKE = re.compile(r'<(?:\w{1,20}:)?invoke name="([^"\n]{1,100})">')
_FUNCTION = re.compile(r"<function=([\w.-]{1,100})>")
_PARAMETER = re.compile(r'<(?:\w{1,20}:)?parameter name="([^"\n]{1,100})"[^>\n]{0,100}>')
_FUNCTION_PARAMETER = re.compile(r"<parameter=([\w.-]{1,100})>")
# Tags around tags: a tool and its arguments. The reply may be headed by the name of the tool.
_TAG = re.compile(r"<([A-Za-z]\w{0,60})>")
_HEADING = re.compile(r"^\[([A-Za-z]\w{0,60})(?: for [^\n]{0,2000}?)?\] Result:\s*", re.MULTILINE)
# So many kinds of tags without an end are no tags.
_MOST_OPEN = 50
_LOGGED_CALL = re.compile(
    r"(?<![\w.])(?:tool|function|calling|call)\s{1,4}([A-Za-z_][\w.\-/]{0,100})\((?=\{)"
)
_LOGGED_END = re.compile(r"\([^\n]{0,2000}\)\s{1,4}(success|succeeded|ok|failed|error)[^\n]*:?\n")
# A single name in capitals is that of a class: the text is then a value and no call.
_CALL_LIST = re.compile(r"\[\s{0,9}[A-Za-z_][\w.]{0,100}\(|(?:\w{1,50}\.){0,5}[a-z_]\w{0,50}\(")
_LONGEST_CODE = 20_000
# How far below a logged call its end and its result are looked for.
_FAR = 100_000


class Written(Struct):
    """A call written as text; its result is None where the text does not hold it."""

    tool: str
    arguments: Any
    result: Any = None
    sign: str = "ReAct text"
    failed: bool | None = None


def written_calls(text: str, speaker: str, reply: str = "") -> list[Written]:
    """The calls in what somebody said; a user is believed only where results stand there, too."""
    if speaker == "user":
        if not _SPOKEN_BY_USER.search(text):
            return []
        return [call for call in _react(text) if call.result is not None]
    if speaker != "assistant":
        return []
    calls = _react(text)
    if any(call.arguments is not None or call.result is not None for call in calls):
        return calls
    found = _tagged(text) or _nested_tags(text, reply)
    return found or _fenced_objects(text) or function_calls(text)


def document_calls(text: str) -> list[Written]:
    """The calls in a text that is no message but a whole file."""
    calls = [call for call in _react(text) if call.result is not None]
    for call in calls:
        call.result = _END_OF_OBSERVATION.split(call.result, maxsplit=1)[0].rstrip("\n")
    return calls or _tagged(text) or list(_logged(text))


def answer_to(calls: list[Written], text: str, speaker: str, reply: str) -> list[Written]:
    """The calls of a message with the reply to it as the result of the last one."""
    if speaker != "assistant" or not reply:
        return calls
    if not calls and _PRINTED.match(reply):
        blocks = list(_fenced(text))
        if len(blocks) == 1:
            language = next(filter(_PROGRAMS.get, split(blocks[0][0])), "bash")
            tool, argument = _PROGRAMS[language]
            calls = [Written(tool, {argument: blocks[0][1].strip()}, sign="code block")]
    if calls and not _take_headed(calls, reply) and calls[-1].result is None:
        calls[-1].result = _OBSERVED.sub("", reply, count=1) if _OBSERVED.match(reply) else reply
    return calls


# -- ReAct


def _react(text: str) -> list[Written]:
    if "Action" not in text:
        return []
    labels = list(_LABEL.finditer(text))
    calls: list[Written] = []
    current: Written | None = None
    for number, label in enumerate(labels):
        end = labels[number + 1].start() if number + 1 < len(labels) else len(text)
        body, name = text[label.end() : end], label.group(1)
        if name == "Action":
            current = _acted(body.strip())
            if current is not None:
                calls.append(current)
        elif current is None:
            continue
        elif name == "Action Input":
            current.arguments = decoded(body.strip())
        elif name == "Observation":
            current.result = body.strip()
            current = None
    return calls


def _acted(body: str) -> Written | None:
    structured = parse_json(body.strip("`").removeprefix("json")) if "{" in body[:20] else None
    if isinstance(structured, dict):
        return _call_of_object(structured, "ReAct text")
    line = body.split("\n", 1)[0].strip("`* ")
    tool, arguments = bracketed_action(body.strip("`*")) or (line, None)
    if not tool or len(tool) > _LONGEST_TOOL or tool.lower() in FINISHED:
        return None
    return None if body.lower().startswith(_EXAMPLES) else Written(tool, arguments)


# -- tags and fences


def _tagged(text: str) -> list[Written]:
    if "<" not in text:
        return []
    calls: list[Written] = []
    for tag in _JSON_TAGS:
        for body in _between(text, f"<{tag}>", f"</{tag}>"):
            value = parse_json(body.strip())
            call = _call_of_object(value, "tagged block") if isinstance(value, dict) else None
            if call is not None:
                calls.append(call)
    calls += _elements(text, _INVOKE, "invoke>", _PARAMETER, "parameter>")
    return calls + _elements(text, _FUNCTION, "</function>", _FUNCTION_PARAMETER, "</parameter>")


def _between(text: str, start: str, end: str) -> Iterator[str]:
    position = text.find(start)
    while position >= 0:
        stop = text.find(end, position)
        if stop < 0:
            return
        yield text[position + len(start) : stop]
        position = text.find(start, stop)


def _elements(
    text: str, start: re.Pattern[str], end: str, inner: re.Pattern[str], inner_end: str
) -> list[Written]:
    found, position = [], 0
    while (opening := start.search(text, position)) is not None:
        stop = text.find(end, opening.end())
        if stop < 0:
            break
        body, position = text[opening.end() : stop], stop + len(end)
        arguments: dict[str, str] = {}
        for parameter in inner.finditer(body):
            close = body.find(inner_end, parameter.end())
            value = body[parameter.end() : close] if close >= 0 else ""
            arguments[parameter.group(1)] = (
                value[: value.rfind("<")].strip() if (inner_end[0] != "<") else value.strip()
            )
        found.append(Written(opening.group(1), arguments, sign="tagged block"))
    return found


def _nested_tags(text: str, reply: str) -> list[Written]:
    """Calls such as `<read_file><path>a.py</path></read_file>`.

    Other texts are written in tags, too: those of calls end the message and have a name of
    several words, or the reply is headed by their name.
    """
    if "</" not in text:
        return []
    headed = {heading[1] for heading in _HEADING.finditer(reply)}
    length = len(text.rstrip())
    found = []
    for name, inside, end in _closed_tags(text):
        arguments = {key: _value_of_tag(key, value) for key, value, _ in _closed_tags(inside)}
        starts = _TAG.match(inside.lstrip())
        is_call = starts is not None and starts[1] in arguments
        if is_call and (name in headed or ("_" in name and end == length)):
            found.append(Written(name, arguments, sign="tagged block"))
    return found


def _closed_tags(text: str) -> Iterator[tuple[str, str, int]]:
    """The name, the inside and the end of each tag that is closed, outermost ones only."""
    never_closed: set[str] = set()
    position = 0
    while len(never_closed) <= _MOST_OPEN and (tag := _TAG.search(text, position)) is not None:
        name, position = tag[1], tag.end()
        close = -1 if name in never_closed else text.find(f"</{name}>", position)
        if close < 0:
            never_closed.add(name)
            continue
        inside, position = text[position:close], close + len(name) + 3
        yield name, inside, position


def _value_of_tag(name: str, text: str) -> Any:
    text = text.strip("\n")
    return decoded(text) if key_of(name).arguments == STRONG else text


def _take_headed(calls: list[Written], reply: str) -> bool:
    """Give calls the results that stand below their names in a reply; whether there were any."""
    headings = list(_HEADING.finditer(reply))
    ends = [*(heading.start() for heading in headings[1:]), len(reply)]
    taken = False
    for heading, end in zip(headings, ends, strict=False):
        waiting = (call for call in calls if call.tool == heading[1] and call.result is None)
        if (call := next(waiting, None)) is not None:
            call.result, taken = reply[heading.end() : end].strip("\n"), True
    return taken


def _fenced(text: str) -> Iterator[tuple[str, str]]:
    """The language and the text of each block of code."""
    parts = text.split(_FENCE)
    for block in parts[1:-1:2]:
        language, _, body = block.partition("\n")
        yield language.strip().split(" ")[0], body


def _fenced_objects(text: str) -> list[Written]:
    blocks = (parse_json(body) for _, body in _fenced(text) if body.lstrip()[:1] == "{")
    calls = (_call_of_object(block, "code block") for block in blocks if isinstance(block, dict))
    return [call for call in calls if call is not None]


def _call_of_object(value: dict[str, Any], sign: str) -> Written | None:
    found = fields_of(value)
    if not found.name or not found.has_arguments or not short_text(found.name):
        return None
    if sign == "code block" and found.name_strength < STRONG:
        return None
    if found.name.lower() in FINISHED:
        return None
    return Written(found.name, decoded(found.arguments), sign=sign)


# -- code


def function_calls(text: str) -> list[Written]:
    """The calls in a text that is nothing but `[search(query="x"), open(page=2)]`, or one call."""
    body = text.strip().strip("`")
    if not _CALL_LIST.match(body) or len(body) > _LONGEST_CODE:
        return []
    try:
        parsed = ast.parse(body, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    calls = [_function_call(item) for item in getattr(parsed, "elts", (parsed,))]
    found = [call for call in calls if call is not None]
    return found if len(found) == len(calls) else []


def _function_call(node: ast.expr) -> Written | None:
    """A call with named arguments, or with an object of them."""
    if not isinstance(node, ast.Call):
        return None
    arguments = {keyword.arg or "": _literal(keyword.value) for keyword in node.keywords}
    if node.args:
        first = _literal(node.args[0])
        if arguments or len(node.args) > 1 or not isinstance(first, dict):
            return None
        arguments = first
    return Written(ast.unparse(node.func), arguments, sign="function call in text")


def _literal(node: ast.expr) -> Any:
    """The value of an expression; its own text where it has none that JSON can hold."""
    try:
        value = ast.literal_eval(node)
        msgspec.json.encode(value)
    except (ValueError, TypeError, msgspec.MsgspecError):
        return ast.unparse(node)
    return list(value) if isinstance(value, tuple | set) else value


# -- logs


def _logged(text: str) -> Iterator[Written]:
    """Lines such as `tool server.search({"query": ...})`, with the result below its end."""
    for opening in _LOGGED_CALL.finditer(text):
        found = decode_at(text, opening.end())
        if found is None:
            continue
        call = Written(opening.group(1), found[0], sign="log line")
        at = text.find(opening.group(1) + "(", found[1], found[1] + _FAR)
        ended = _LOGGED_END.match(text, at + len(opening.group(1))) if at >= 0 else None
        if ended is not None:
            call.failed = ended.group(1) in {"failed", "error"}
            result = decode_at(text, ended.end())
            stop = text.find("\n[", ended.end(), ended.end() + _FAR)
            body = text[ended.end() : stop if stop >= 0 else ended.end() + _FAR]
            call.result = body if result is None else result[0]
        yield call
