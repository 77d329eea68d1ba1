"""How failures look when they are told as data.

Every key is read by its value: `{"error": null}`, `failed: 0` and `errors: []` are good news.
What a record says of itself (a job with status "failed", a log entry with an error) is data,
not a failure of the call that fetched it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from assay.evidence.body_roles import Body, is_full, is_named, message_in, odd_rows
from assay.evidence.code_values import (
    is_bad_code,
    is_bad_status,
    is_count,
    is_telling_code,
    names_error,
    truth,
    whole,
)
from assay.evidence.error_grammar import failing_opening
from assay.evidence.error_values import is_error, is_report, is_tally

if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_DEPTH = 5
_MANY = 200
_SMALL = 5
# A number as large under "created" is no count.
_LEAST_MOMENT = 10**8


class Reading(Struct, frozen=True):
    """What a value or a text says of its call: failed or not, by which rule, in which words."""

    failed: bool
    rule: str
    message: str | None = None


_FAILED_WORD = re.compile(
    r"(?:[a-z]+[ _-]){0,3}(?:error|err|errored|fail|failed|failure|exception|timeout|denied|aborted"
    r"|unauthori[sz]ed|unauthenticated|forbidden|invalid|false|rejected|exceeded|unavailable"
    r"|exhausted|(?:invalid|unknown|missing|no_such)_[a-z_]{2,40}|not[ _-]?found"
    r"|not[ _-]?(?:ok|implemented|configured|authenticated|authori[sz]ed|allowed|supported)"
    r"|rate[ _-]?limited|refused"
    r"|query[ _]limit|timed[ _-]?out)\Z|失败\Z|错误\Z",
    re.IGNORECASE,
)
# No thing that was looked up is in such a state.
_NOT_THERE = re.compile(
    r"not[ _-]?found\Z|(?:invalid|unknown|missing|no_such)_[a-z_]{2,40}\Z", re.I
)
_ERROR_WORD = re.compile(r"(?:error|not[ _-]?ok|错误)\Z", re.IGNORECASE)
_BAD_END = re.compile(r"(?:error(?:ed)?|exception|fail(?:ed|ure)?)\Z", re.IGNORECASE)
_GOOD_WORD = re.compile(r"(?:ok|success|succeeded|successful|complete|completed|成功)\Z", re.I)
_ERROR_TYPE = re.compile(
    r"(?:\A|_)error\Z|[a-z]Error\Z|Exception\Z|\AError\Z|\A[A-Z]+(?:_[A-Z]+)+\Z"
)
_MESSAGE_KEYS = (
    *("message", "Message", "msg", "detail", "details"),
    *("mensagem", "mensaje", "nachricht", "messaggio", "сообщение", "消息", "メッセージ", "메시지"),
)
_TYPE_KEYS = ("__type", "type", "object", "kind", "__typename", "name")
# Where names of classes stand, and others as well: FULL_TIME.
_ERROR_CLASS = re.compile(r"(?:[a-z]Error|Exception)\Z")
_CLASS_KEYS = ("typeKey", "typeName", "exceptionType", "ExceptionType")
_LONGEST_NOTE = 1_000
_CALLS_PER_DAY = re.compile(
    r"\bapi\b[^\n]{0,200}\b\d[\d,]* (?:api )?(?:calls?|requests?) (?:per|a)"
    r" (?:second|minute|hour|day)\b",
    re.IGNORECASE,
)
_TO_THE_CALLER = re.compile(r"\bplease (?:visit|subscribe|upgrade|consider|contact)\b", re.I)
# All there is of an answer whose data tell, beside the word "fail", what was wrong with the call.
_ENVELOPE = frozenset({"status", "data", "message", "code"})
# Under which an answer tells of itself, where nothing else stands beside.
_HEADERS = frozenset({"meta", "header", "response_metadata", "responseMetadata"})
# Keys under which tools tell how it went; what stands under others is content.
_TOLD_TEXTS = ("output", "result", "response", "tool_result")
# A checker's answer: the errors beside it are what it found, not what befell it.
_JUDGEMENTS = frozenset({"valid", "is_valid", "isValid", "passed", "compliant", "matches"})
# What was printed elsewhere stands under these, line by line: no form has such fields.
_LINES = frozenset({"logs", "log", "lines", "entries", "events", "log_lines", "log_entries"})


def read_value(value: Any, depth: int = 0) -> Reading | None:
    """What data says of its call; None when it says nothing of failure or success."""
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, dict):
        body = Body(value)
        for rule in _RULES if body.telling else _OF_UNTOLD:
            if (reading := rule(body)) is not None:
                return reading
        if len(value) == 1 and not _HEADERS.isdisjoint(value):
            return read_value(next(iter(value.values())), depth + 1)
        return _read_inside(body, depth)
    return _read_list(value, depth) if isinstance(value, list) and value else None


def _protocol_error(body: Body) -> Reading | None:
    for error in (body.value.get("error"), body.value):
        code = error.get("code") if isinstance(error, dict) else None
        answered = "jsonrpc" in body.value and error is not body.value
        if isinstance(code, int) and (answered or -32_900 <= code <= -32_000):
            return Reading(failed=True, rule="protocol_error", message=message_in(error))
    return None


def _bad_flag(body: Body) -> Reading | None:
    raised = any(truth(flag) is True for flag in body.all("bad_flag"))
    if not raised or (body.is_record and body.message() is None):
        return None
    return Reading(failed=True, rule="failure_flag", message=_words_of_failure(body))


def _exit_code(body: Body) -> Reading | None:
    for code in body.all("exit"):
        number = whole(code)
        if number == 0 and True in body.all("error"):
            return None  # nothing was run
        if number is not None:
            said = body.value.get("stderr") or body.value.get("output") or body.value.get("stdout")
            words = message_in(said) or body.message() or f"exit code {number}"
            return Reading(number != 0, "exit_code", words if number else None)
    return None


def _good_flag(body: Body) -> Reading | None:
    told = [truth(flag) for flag in body.all("good_flag")]
    if False in told and not (body.is_record and body.message() is None):
        return Reading(failed=True, rule="success_flag", message=_words_of_failure(body))
    return Reading(failed=False, rule="success_flag") if True in told else None


def _words_of_failure(body: Body) -> str | None:
    """What a body says of the failure that its flag tells of: beside an answer, or in its place."""
    words = (item for item in body.all("payload") if isinstance(item, str))
    return body.message() or next((told for text in words if (told := message_in(text))), None)


def _undone(body: Body) -> Reading | None:
    """A deed that was not done, and nothing but words that say why."""
    if True in body.all("deed") or False not in body.all("deed") or not body.only_circumstance:
        return None
    why = body.message()
    if why is None or failing_opening(why, tool="acting") is None:
        return None
    return Reading(failed=True, rule="undone", message=why)


def _counts(body: Body) -> Reading | None:
    bad = [n for n in body.all("bad_count") if is_count(n)]
    good = [n for n in body.all("good_count") if is_count(n)]
    if not bad or not sum(bad) or not good:
        return None
    if sum(good):
        return Reading(failed=False, rule="some_items_failed")
    words = _words_of_items(body) or body.message()
    return Reading(failed=True, rule="all_items_failed", message=words)


def _words_of_items(body: Body) -> str | None:
    """The first error that an item of a batch tells."""
    rows = (row for rows in body.all("payload") if isinstance(rows, list) for row in rows[:_MANY])
    told = (message_in(Body(row).all("error", "errors")) for row in rows if isinstance(row, dict))
    return next((words for words in told if words), None)


def _error_value(body: Body) -> Reading | None:
    told = next((item for item in body.all("error") if is_error(item)), None)
    if told is None or body.is_record or _JUDGEMENTS & body.value.keys():
        return None
    if any(isinstance(item, list) and item for item in body.all("payload")):
        return Reading(failed=False, rule="partial_errors")
    return Reading(failed=True, rule="error_body", message=message_in(told) or body.message())


def _error_list(body: Body) -> Reading | None:
    told = next((item for item in body.all("errors") if is_error(item)), None)
    if told is None or is_tally(told) or is_report(told) or _JUDGEMENTS & body.value.keys():
        return None
    if told is True and (failed := _failed_operations(body)) is not None:
        return failed
    done = any(is_count(count) and 0 < count < _LEAST_MOMENT for count in body.all("deed"))
    if done or body.has_payload or any(_is_good_word(word) for word in body.all("status")):
        return Reading(failed=False, rule="partial_errors")
    words = message_in(told) or body.message()
    wordless = words is None and isinstance(told, list)
    if wordless or not body.only_circumstance or body.is_record:
        return None
    return Reading(failed=True, rule="error_body", message=words)


def _failed_operations(body: Body) -> Reading | None:
    """A batch each item of which, under the name of what was to be done, tells of a failure."""
    rows = next((item for item in body.all("payload") if isinstance(item, list) and item), [])
    items = [_lone_dict(row) for row in rows[:_MANY]]
    named = [item for item in items if item is not None]
    if not named or len(named) < len(items):
        return None
    reading = _read_odd(named, _MAX_DEPTH - 1, len(named))
    return reading if reading is not None and reading.failed else None


def _lone_dict(value: Any) -> dict[Any, Any] | None:
    """The only value of a dict, where that is a dict."""
    lone = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    return lone if isinstance(lone, dict) else None


def _status_word(body: Body) -> Reading | None:
    words = _words_of(body)
    if any(_is_good_word(word) for word in words) and not body.all("http"):
        return Reading(failed=False, rule="status_word")
    if body.is_record or not any(_FAILED_WORD.match(word) for word in words):
        return None
    plain = any(_ERROR_WORD.match(word) for word in words) or _is_told_as_result(body)
    missing = any(_NOT_THERE.match(word) for word in words) and body.only_echoes
    if plain or missing or body.only_circumstance:
        return Reading(failed=True, rule="status_word", message=_words_of_failure(body))
    if words == ["fail"] and body.value.keys() <= _ENVELOPE:
        return Reading(failed=True, rule="status_word", message=_first_words(body))
    return None


def _first_words(body: Body) -> str | None:
    """What stands first under the keys of a payload, as the fields of a form."""
    forms = (item for item in body.all("payload") if isinstance(item, dict))
    told = (message_in(value) for form in forms for value in form.values())
    return body.message() or next((words for words in told if words), None)


def told_undone(value: Any) -> Reading | None:
    """What a body says whose own status is a bad one, and that names the error, whatever else."""
    status = value.get("status") if isinstance(value, dict) else None
    if not isinstance(status, str) or not _FAILED_WORD.match(status.strip()):
        return None
    body = Body(value)
    if body.is_record:
        return None
    told = next((item for item in body.all("error", "errors") if is_error(item)), None)
    words = body.message() if told is None or is_count(told) else message_in(told) or status
    if words is None or (told is None and failing_opening(words) is None):
        return None
    return Reading(failed=True, rule="status_word", message=words)


def _words_of(body: Body) -> list[str]:
    """The words that tell how it went; how a trial or a game went is told as an outcome as well."""
    words = [word.strip() for word in body.all("status") if isinstance(word, str)]
    for word in body.all("outcome"):
        explained = isinstance(word, str) and _BAD_END.match(word) and body.message() is not None
        words += [word] if explained or _is_good_word(word) else []
    return [*words, body.value["result"].strip()] if _is_told_as_result(body) else words


def _is_told_as_result(body: Body) -> bool:
    """Whether a result is no payload but a bad word, and something else tells of an error."""
    word = body.value.get("result")
    if not isinstance(word, str) or _BAD_END.match(word.strip()) is None:
        return False
    named = [item for key, item in body.value.items() if "error" in str(key).lower()]
    if any(is_error(item) and not is_tally(item) for item in named):
        return True
    return any(
        isinstance(text, str) and failing_opening(text) is not None for text in body.all("message")
    )


def _http_status(body: Body) -> Reading | None:
    numbers = [whole(item) for item in body.all("http", "status")]
    if body.all("message", "error"):
        numbers += [whole(item) for item in body.all("code")]
    failing = next((n for n in numbers if n is not None and 400 <= n <= 599), None)
    if failing is None or (body.is_record and not body.all("http")):
        return None
    return Reading(failed=True, rule="http_status", message=body.message() or f"HTTP {failing}")


def _api_code(body: Body) -> Reading | None:
    own = [code for code in body.all("error_code") if is_bad_code(code)]
    own += [code for code in body.all("status") if body.all("message") and is_bad_status(code)]
    named = [code for code in body.all("code") if is_bad_code(code)]
    if not own and not (named and body.all("message") and names_error(named[0])):
        return None
    beside = body.has_payload or not body.only_circumstance
    if beside and not _tells_by_code(body, [*own, *named]):
        return None
    return Reading(
        failed=True, rule="api_code", message=body.message() or message_in((own or named)[0])
    )


def _tells_by_code(body: Body, codes: list[Any]) -> bool:
    """Whether a code and the words beside it both tell of a failure, whatever stands around."""
    if body.is_record or not any(is_telling_code(code) for code in codes):
        return False
    return any(
        isinstance(text, str) and failing_opening(text) is not None for text in body.all("message")
    )


def _known_shape(body: Body) -> Reading | None:
    value = body.value
    named = any(
        isinstance(kind := value.get(key), str) and names.search(kind)
        for keys, names in ((_TYPE_KEYS, _ERROR_TYPE), (_CLASS_KEYS, _ERROR_CLASS))
        for key in keys
    )
    documented = "documentation_url" in value or {"code", "details", "hint"} <= value.keys()
    fastapi = len(value) == 1 and isinstance(detail := value.get("detail"), str | list | dict)
    fastapi = fastapi and bool(message_in(detail))
    shaped = fastapi or ((named or documented) and body.all("message"))
    if not _is_named_an_error(body) and not (shaped and body.only_circumstance):
        return None
    return Reading(failed=True, rule="error_body", message=body.message())


def _is_named_an_error(body: Body) -> bool:
    """Whether a small body has an error's name in place of its id, and words that say so too."""
    if len(body.value) > _SMALL or body.has_payload:
        return False
    names = [name for key in ("id", "_class") if isinstance(name := body.value.get(key), str)]
    if not any(whole(name) is None and names_error(name) for name in names):
        return False
    told = (body.value.get(key) for key in _MESSAGE_KEYS)
    return any(isinstance(text, str) and failing_opening(text) is not None for text in told)


def _field_errors(body: Body) -> Reading | None:
    """A form sent back: under the name of each field, what is wrong with it."""
    told = list(body.value.values())
    if not told or len(told) > _MANY or _LINES & body.value.keys():
        return None
    if not all(isinstance(item, list) and item and isinstance(item[0], str) for item in told):
        return None
    if any(failing_opening(item[0]) is None for item in told):
        return None
    return Reading(failed=True, rule="field_errors", message=told[0][0])


def _errors_of_a_deed(body: Body) -> Reading | None:
    """The answer to one request by its name, which holds a list of errors and nothing else."""
    lone = _lone_dict(body.value)
    errors = [] if lone is None else Body(lone).all("errors")
    told = errors[0] if len(errors) == 1 and isinstance(errors[0], list) else None
    words = message_in(told) if told else None
    if lone is None or words is None or is_report(told):
        return None
    beside = [item for item in lone.values() if item is not told]
    # A report that lists warnings or nothing else as well tells of what was looked at.
    undone = None in beside or "userErrors" in lone
    if not undone or any(map(is_full, beside)):
        return None
    return Reading(failed=True, rule="error_body", message=words)


def _named_items(body: Body) -> Reading | None:
    """A batch by the names of its items, each of which says that its result is an error."""
    items = body.value.values()
    first = next(iter(items), None)
    if not isinstance(first, dict) or "result" not in first or len(items) > _MANY:
        return None
    whys = [_why_an_item_failed(item) for item in items]
    if None in whys:
        return None
    return Reading(failed=True, rule="all_items_failed", message=whys[0])


def _why_an_item_failed(item: Any) -> str | None:
    result = item.get("result") if isinstance(item, dict) else None
    if not isinstance(result, str) or _ERROR_WORD.match(result.strip()) is None:
        return None
    return message_in(item.get("reason")) or Body(item).message()


def _note_of_a_limit(body: Body) -> Reading | None:
    """A lone note in place of an answer: how many calls one has, and what more of them cost."""
    note = next(iter(body.value.values())) if len(body.value) == 1 else None
    if not isinstance(note, str) or len(note) > _LONGEST_NOTE:
        return None
    if _CALLS_PER_DAY.search(note) is None or _TO_THE_CALLER.search(note) is None:
        return None
    return Reading(failed=True, rule="error_message_field", message=note)


def _lone_message(body: Body) -> Reading | None:
    if True in body.all("deed"):
        return None
    told = [body.value.get(key) for key in _MESSAGE_KEYS]
    if isinstance(told[0], dict) and body.only_circumstance:
        return _field_errors(Body(told[0]))
    firsts = [item[0] if isinstance(item, list) and item else item for item in told]
    texts = [text for text in firsts if isinstance(text, str)]
    if not texts or not body.only_circumstance or failing_opening(texts[0]) is None:
        return None
    return Reading(failed=True, rule="error_message_field", message=texts[0])


def lone_words(value: Any) -> str | None:
    """The words of which a body consists, circumstances aside."""
    body = Body(value) if isinstance(value, dict) else None
    if body is None or body.all("deed", "good_flag") or not body.only_circumstance:
        return None
    return next((told for key in _MESSAGE_KEYS if isinstance(told := value.get(key), str)), None)


_RULES: tuple[Callable[[Body], Reading | None], ...] = (
    _protocol_error,
    _bad_flag,
    _exit_code,
    _good_flag,
    _undone,
    _counts,
    _error_value,
    _error_list,
    _status_word,
    _http_status,
    _api_code,
    _known_shape,
    _field_errors,
    _lone_message,
)


# What may be told by a body none of whose keys tells anything.
_OF_UNTOLD = (_field_errors, _named_items, _errors_of_a_deed, _note_of_a_limit)


def _read_inside(body: Body, depth: int) -> Reading | None:
    """What the payload of a dict says, where the payload is all there is."""
    if not body.telling or not body.only_payload:
        return None
    for text in (body.value.get(key) for key in _TOLD_TEXTS):
        found = failing_opening(text) if isinstance(text, str) else None
        if found is not None:
            return Reading(failed=True, rule=found.rule, message=text)
    if isinstance(body.value.get("matches", body.value.get("hits")), dict):
        return None  # what was looked for, whatever it is called
    inner = [*body.all("payload", "status"), body.value.get("meta")]
    readings = (_told_by_one(item, depth) or read_value(item, depth + 1) for item in inner)
    return next((reading for reading in readings if reading is not None), None)


def _told_by_one(item: Any, depth: int) -> Reading | None:
    """What the only answer of several that might have come says, if it is nothing but errors."""
    lone = _lone_dict(item)
    if lone is None or not Body(lone).only_circumstance:
        return None
    reading = read_value(lone, depth + 1)
    return reading if reading is not None and reading.rule == "error_body" else None


def _read_list(items: list[Any], depth: int) -> Reading | None:
    if len(items) == 1 and isinstance(items[0], str):
        # A word alone is a value.
        found = None if items[0].isalpha() else failing_opening(items[0])
        return None if found is None else Reading(failed=True, rule=found.rule, message=items[0])
    if len(items) == 2 and items[0] is False and isinstance(items[1], str) and items[1].strip():
        return Reading(failed=True, rule="success_flag", message=items[1])  # a flag and its reason
    some = items[:_MANY]
    if _is_validation_issue(some[0]) and all(map(_is_validation_issue, some)):
        return Reading(failed=True, rule="validation_issues", message=message_in(items))
    # Most lists are rows of an answer, and need no closer look.
    odd = odd_rows(some)
    return _read_odd(odd, depth, len(items)) if odd else None


def _read_odd(odd: list[dict[Any, Any]], depth: int, count: int) -> Reading | None:
    """What those items of a list say that are no mere rows, of so many."""
    readings = [_read_item(item, depth) for item in odd]
    failed = [reading for reading in readings if reading is not None]
    if not failed:
        return None
    if len(failed) < count:
        return Reading(failed=False, rule="some_items_failed")
    return Reading(failed=True, rule="all_items_failed", message=failed[0].message)


def _read_item(item: dict[Any, Any], depth: int) -> Reading | None:
    """The failure of one item of a batch, which is no mere row of an answer."""
    reading = read_value(item, depth + 1)
    if reading is None or not reading.failed or reading.rule == "error_message_field":
        return None
    if reading.rule == "error_body" and not Body(item).all("error", "errors") and is_named(item):
        return None  # one of many things that are called errors
    # A thing with a bad status was found; only a reason makes it a failure of its own call.
    return None if reading.rule == "status_word" and not reading.message else reading


def _is_validation_issue(item: Any) -> bool:
    return (
        isinstance(item, dict)
        and ("message" in item or "msg" in item)
        and isinstance(item.get("path", item.get("loc")), list)
        and ("code" in item or "type" in item)
    )


def _is_good_word(word: Any) -> bool:
    return isinstance(word, str) and _GOOD_WORD.match(word.strip()) is not None
