"""What sounds like a failure and is the very answer that a tool was asked for.

A checker tells what is wrong, a lookup brings the record of something that failed, and who was to
lock a door says that it is locked. None of these calls failed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.evidence.checker_reports import lists_findings, runs_checks
from assay.evidence.code_values import is_count, whole
from assay.evidence.error_grammar import failing_opening
from assay.evidence.foreign_deeds import is_deed_abroad
from assay.evidence.json_leaves import leaves_of
from assay.evidence.shown_texts import shows_or_states
from assay.evidence.tool_kinds import (
    checks_for,
    is_about,
    kind_of_tool,
    searches,
    tells_its_deed,
    words_of,
)

if TYPE_CHECKING:
    from assay.evidence.error_bodies import Reading
    from assay.text.payload import Payload
    from assay.execution import ToolExecutionResult

# What is told by the grammar of a sentence alone.
SENTENCES = frozenset({"refused_sentence", "short_refusal", "demand"})
# What is told of a work.
WORKS = frozenset({"work_failed", "stopped"})
# What may only say that the tool did its work: "The user is blocked", of who was to block them.
_DEEDS = SENTENCES | WORKS | {"not_let_in", "error_message_field"}
_ABROAD = frozenset({"foreign_error", "foreign_state"})
_OF_BODIES = frozenset({"error_body", "status_word"})
_TELLING = frozenset({"checking", "asking"})

# What a call asked about, where it is not there or was not given.
OF_AN_ARGUMENT = re.compile(
    r"(?:please|enter|provide|specify|give) |(?-i:[a-z]\w* must |the )|[^\n]{0,120}\b(?:not found"
    r"|no such|no (?:[\w-]+ ){1,3}(?:provided|supplied|specified|given|selected)"
    r"|(?:does not|doesn't) exist|(?:is|are) (?:required|missing(?! (?:in|from) ))"
    r"|not (?:provided|supplied|specified|given|configured|authori[sz]ed)|not enabled\. "
    r"|unknown \w|unauthori[sz]ed|not (?:yet )?implemented|cannot be empty|authenticated"
    r"|permission)",
    re.IGNORECASE,
)
_OF_A_STATE_IN_CHINESE = re.compile(
    r"(?![^\n]{0,20}(?:令牌|登[录錄]|凭[证据]|会话|密钥|授[权權]|验证码|token|cookie|session))"
    r"[^\n，,:：]{1,40}(?:已(?:[满滿]|售[罄完]|下架|[过過]期|失效)了?"
    r"|(?:没有|尚未|未)(?:绑定|设置|指定)\w{1,4})[。!！]?\s*\Z"
    r"|[^\n，,:：]{0,20}没有已\w{2}的\w{1,10}[。!！]?\s*\Z",
    re.IGNORECASE,
)
# What has a term or is a secret, and may be checked as such: it lets nobody in, or is just told of.
_OF_A_TERM = re.compile(
    r"(?:(?:the|your|this) )?(?:[\w.-]+ )?(?:certificate|licen[sc]e|subscription|membership)\b"
    r"[^\n]{0,60}\b(?:expired|suspended|disabled|revoked)\b"
    r"|(?:(?:the|your) )?(?:password|passcode|passphrase|pin|otp) (?:is|was) ",
    re.IGNORECASE,
)
# A checker's own certificate is told to have expired, never when.
_WHEN_IT_ENDED = re.compile(r"\b(?:expired|revoked|suspended)\b[^\n]{0,20}\d", re.IGNORECASE)
# Who asks for whose approval is needed is told so.
_ABOUT_APPROVAL = frozenset({"approval", "approvals", "approvers", "rules", "requirements"})
_OF_APPROVAL = re.compile(r"(?:[\w':-]{1,20} ){0,4}approval\b", re.IGNORECASE)
# Who asks whether somebody is let in is told so, unless it is the caller who is not.
_ABOUT_ACCESS = frozenset(
    {"access", "permission", "permissions", "role", "roles", "policy", "authorization", "acl"}
    | {"rules", "terms", "policies", "guidelines"}
    | {"allowed", "scope", "entitlement", "privilege", "privileges", "rights", "authorize"}
)
_OF_THE_CALLER = re.compile(
    r"\b(?:you|your|tokens?|api.?keys?|credentials?|log ?in|logged|sign(?:ed)?.in"
    r"|(?:un)?authenticat\w+|session|password|40[13])\b|['\"]@['\"]",
    re.IGNORECASE,
)
# A work in a body: whose id it is, and how it ended.
_WORK_KINDS = frozenset(
    {"task", "job", "run", "build", "deployment", "execution", "operation", "workflow", "pipeline"}
    | {"batch", "crawl", "backup", "migration", "export", "import", "payment", "order", "refund"}
    | {"transaction", "transfer", "shipment", "upload", "sync", "scan", "test", "request", "step"}
)
_WORK_ID = re.compile(rf"({'|'.join(sorted(_WORK_KINDS))})_?id\Z", re.IGNORECASE)
_WORK_ENDED = re.compile(
    r"(?:failed|failure|errored|cancell?ed|aborted|timed[ _-]?out|rejected|declined|expired)\Z",
    re.IGNORECASE,
)
# "Error" is how an answer goes wrong, and a state only where the answer is known to be good.
_ENDED_IN_ERROR = re.compile(r"error\Z", re.IGNORECASE)
_STATES_ASKED_FOR = frozenset({"status", "state", "progress", "health"})
# What keeps a checker from checking.
_OF_A_CIRCUMSTANCE = re.compile(
    r"\b(?:time[ds]? ?out|connections?|connect|unavailable|rate.limit\w*|quota|network|api.?key"
    r"|unauthori[sz]ed|internal error|overloaded)\b",
    re.IGNORECASE,
)
_RECORDS = ("data", "result", "payload")
# What a probe looks at, and by which rules its answer reads like a failure.
_PROBED = frozenset({"url", "host", "hostname", "site", "domain", "endpoint", "link"})
_OF_PROBES = frozenset({"success_flag", "http_status", "all_items_failed"})
_STATUS_OF_IT = re.compile(
    r"\s?(?:→|->|=>|—|–|-|:|is|returned|returns|gave|answered|responded with)(?: status| http)*"
    r" [45]\d\d\b",
    re.IGNORECASE,
)
# "Invalid input", and not what is wrong with the call itself.
_BARE_VERDICT = re.compile(
    r"(?:invalid|malformed|incorrect|wrong) (?!arg|param|request|json|api|credential|token|session)"
    r"[\w -]{2,30}[.!]?\Z",
    re.IGNORECASE,
)
_STATE_TOLD = re.compile(
    r"(?:\b(?:is|are|was|were|been)|\A(?:[\w'-]+ ){0,2}[\w'-]+) (?:now |currently |already )?"
    r"([a-z]{3,20})[.!]?\s*\Z",
    re.IGNORECASE,
)
_LEAST_STEM = 3
# "cancel" and "cancelled", "deny" and "denied", not "time" and "timed out".
_LONGEST_ENDING = 3
# What a call says that is to be done: "deny", "reject-order", not a remark.
_FEW_WORDS = 3
_LONGEST_DEED = 80
_DEED_SENT = re.compile(r"[a-z]+")
# What a call says of how to fail, and not of what to bring about: `if_exists="fail"`.
_TO_FAIL = frozenset({"error", "fail"})
# What a validator of calls found, whatever the tool itself was to validate.
_OF_A_VALIDATOR = re.compile(
    r"\d+ validation errors? for (?:call\[|\w+Arguments\b)"
    r"|[\w.]{1,80}\(\) (?:missing|takes|got)\b"
)
# What a checker cannot look at at all.
_UNFIT_FOR_A_CHECK = re.compile(
    r"unsupported \w|missing (?:a )?(?:required )?(?:parameter|argument)\b", re.IGNORECASE
)
# Who prints what the call itself sent: `echo "Error: disk full"`.
_PRINTING = frozenset({"command", "wording", "other"})
_LONGEST_ECHO = 1_000
# What a search found: a title, and in a line of its own the address; or both as a link.
_FOUND = re.compile(
    r"(?!.{0,300}https?://)[^\n]{1,300}\n\s{0,9}(?:[-*•] )?(?:\**(?:url|link|source|href)\**\s?:"
    r"\**\s?)?<?https?://\S+[^\S\n]{0,9}(?:\n|\Z)"
    r"|[-*•\d.) ]{0,6}\[[^\[\]\n]{1,300}\]\(<?https?://",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_ID = re.compile(r"[\w.:-]+")
_DEED_TOLD = re.compile(
    r"(?:\w+ ){0,3}(?!(?:fail|err|reject|refus|den|block|declin|unsupport|skipp|ignor)\w*: )"
    r"(?:\w+ed|sent|said|set|put): ",
    re.IGNORECASE,
)
# In which state a checker finds what it looks at.
_UNWELL = re.compile(
    r"(?:un(?:healthy|reachable|responsive)|down|offline|degraded|critical|dead|stopped"
    r"|disconnected|not[ _-](?:healthy|ready|reachable|running|serving|connected)|invalid"
    r"|undeliverable|mismatch)\Z",
    re.IGNORECASE,
)
_WELL = (
    *("healthy", "is_healthy", "reachable", "alive", "online"),
    *("connected", "available", "accessible", "exists", "valid"),
)
_OF_UNWELL = _OF_BODIES | {"error_message_field", "undone"}
# By which rules a count of what was found reads like a failure.
_OF_COUNTS = frozenset({"success_flag", "failure_flag", "status_word"})
_QUERY_WORDS = re.compile(r"\s*(?:select|with)\s", re.IGNORECASE)
_COLUMN = re.compile(r"\w+")
_LONGEST_QUERY = 10_000
_ROWS_LOOKED_AT = 20


def is_what_was_wanted(call: ToolExecutionResult, payload: Payload, reading: Reading) -> bool:
    """Whether what reads like a failure is what the call was to bring, to tell or to do."""
    told = (reading.message or "").strip()
    if reading.rule == "invalid_input" and kind_of_tool(call.tool) == "checking":
        of_the_call = _OF_A_VALIDATOR.match(told) or _UNFIT_FOR_A_CHECK.match(told)
        found = checks_for(call.tool, told) and of_the_call is None
        return found or _BARE_VERDICT.match(told) is not None
    if _is_a_state_to_tell(call.tool, reading.rule, told) or _is_of_a_probe(call, payload, reading):
        return True
    if _is_its_deed(call, reading.rule, told):
        return True
    if reading.rule in SENTENCES and _was_asked_for(call.parameters, told):
        return True
    return (
        (reading.rule == "status_word" and _is_the_end_wanted(call, payload.value))
        or shows_or_states(call, payload.value, reading.rule)
        or _is_echo(call, payload.value)
        or _is_found(call.tool, payload.value)
        or _is_said_otherwise(call, payload.value)
        or _is_unwell(call.tool, payload.value, reading)
        or _is_selected(call, payload.value)
        or _is_of_a_work(call.tool, payload, reading)
        or _are_records(call, payload.value, reading)
    )


def _is_its_deed(call: ToolExecutionResult, rule: str, told: str) -> bool:
    """Whether a text only tells that what the tool was to do is done."""
    if rule in _ABROAD:
        return is_deed_abroad(call.tool, told)
    return rule in _DEEDS and (
        tells_its_deed(call.tool, told) or _repeats_what_was_sent(call, told)
    )


def counts_findings(tool: str, value: Any, reading: Reading) -> bool:
    """Whether a bad flag or list only sums up what a checker found, or tests that it saw fail."""
    if not isinstance(value, dict) or not runs_checks(tool):
        return False
    if reading.rule == "error_body":
        return isinstance(value.get("errors"), list) and isinstance(value.get("warnings"), list)
    if reading.rule not in _OF_COUNTS:
        return False
    counts = [value.get(key) for key in ("passed", "failed")]
    if all(is_count(count) for count in counts) and any(counts):
        return True
    return reading.message is None and lists_findings(value)


def _is_found(tool: str, value: Any) -> bool:
    """Whether a search brought the title of a page about an error."""
    return isinstance(value, str) and searches(tool) and _FOUND.match(value.lstrip()) is not None


def _is_said_otherwise(call: ToolExecutionResult, value: Any) -> bool:
    """Whether a translator was given an error message, and says it in other words."""
    if not isinstance(value, str) or kind_of_tool(call.tool) != "wording":
        return False
    if not isinstance(call.parameters, dict) or _OF_A_CIRCUMSTANCE.search(value[:_LONGEST_ECHO]):
        return False
    numbers = set(_NUMBER.findall(value[:_LONGEST_ECHO]))
    return any(
        numbers <= set(_NUMBER.findall(sent[:_LONGEST_ECHO])) and failing_opening(sent) is not None
        for sent in call.parameters.values()
        if isinstance(sent, str)
    )


def _is_unwell(tool: str, value: Any, reading: Reading) -> bool:
    """Whether a checker tells that what it looked at is not well, and why."""
    if reading.rule not in _OF_UNWELL or not isinstance(value, dict):
        return False
    if kind_of_tool(tool) != "checking":
        return False
    if reading.rule == "undone":
        return True
    states = (value.get(key) for key in ("status", "state", "health"))
    told = [state.strip().lower() for state in states if isinstance(state, str)]
    if "invalid" in told and _OF_A_CIRCUMSTANCE.search(reading.message or ""):
        return False
    return any(map(_UNWELL.match, told)) or any(value.get(key) is False for key in _WELL)


def _is_the_end_wanted(call: ToolExecutionResult, value: Any) -> bool:
    """Whether a state is the one that the call, or the name of its tool, was to bring about."""
    ends = [value.get(key) for key in ("status", "state")] if isinstance(value, dict) else []
    told = [end.strip().lower() for end in ends if isinstance(end, str)]
    given = list(call.parameters.values()) if isinstance(call.parameters, dict) else []
    given += [deep for item in given if isinstance(item, dict) for deep in item.values()]
    sent = {deed for item in given if isinstance(item, str) for deed in _deeds_sent(item)}
    wanted = (sent | words_of(call.tool)) - _TO_FAIL
    stems = [item.rstrip("e").removesuffix("y") for item in wanted if len(item) > _LEAST_STEM]
    return any(
        end.startswith(stem) and len(end) - len(stem) <= _LONGEST_ENDING
        for end in told
        for stem in stems
    )


def _deeds_sent(value: str) -> list[str]:
    """A value that a call sent and, of few words, the first: what to do, before to what."""
    sent = value.strip().lower()
    words = _DEED_SENT.findall(sent) if len(sent) <= _LONGEST_DEED else []
    return [sent, words[0]] if 1 < len(words) <= _FEW_WORDS else [sent]


def _is_echo(call: ToolExecutionResult, value: Any) -> bool:
    """Whether a text of several words only repeats what the call had sent, word for word."""
    if not isinstance(value, str) or kind_of_tool(call.tool) not in _PRINTING:
        return False
    told = value.strip() if len(value) <= _LONGEST_ECHO else ""
    if " " not in told or not isinstance(call.parameters, dict):
        return False
    # One by one, since every failure comes here: a list holds the words of a command.
    return any(isinstance(sent, str | list) and told in sent for sent in call.parameters.values())


def _repeats_what_was_sent(call: ToolExecutionResult, told: str) -> bool:
    """Whether a deed is told with what was sent for it: "Sent: I cannot come"."""
    deed = _DEED_TOLD.match(told)
    if deed is None or not isinstance(call.parameters, dict):
        return False
    sent = told[deed.end() :].strip("\"'` ")
    return " " in sent and sent in call.parameters.values()


def _is_selected(call: ToolExecutionResult, value: Any) -> bool:
    """Whether a query names each column of the rows that came, one of which is called an error."""
    if not isinstance(value, list) or not isinstance(call.parameters, dict):
        return False
    rows = [row for row in value[:_ROWS_LOOKED_AT] if isinstance(row, dict)]
    columns = {str(key).lower() for row in rows for key in row}
    if not columns or len(rows) < min(len(value), _ROWS_LOOKED_AT):
        return False
    queries = (text for text in call.parameters.values() if isinstance(text, str))
    return any(
        _QUERY_WORDS.match(text) and columns <= set(_COLUMN.findall(text[:_LONGEST_QUERY].lower()))
        for text in queries
    )


def _is_of_a_probe(call: ToolExecutionResult, payload: Payload, reading: Reading) -> bool:
    """Whether a checker tells, without a word of its own, which status another site answered."""
    body = payload.value
    checks = kind_of_tool(call.tool) == "checking" or runs_checks(call.tool)
    if checks and isinstance(body, str):
        return _tells_the_status_of(call.parameters, body)
    if reading.rule not in _OF_PROBES or not checks:
        return False
    if reading.rule == "all_items_failed":  # one for each name that was looked at
        return isinstance(body, dict) and all(isinstance(item, dict) for item in body.values())
    wordless = reading.message is None or reading.message.startswith("HTTP ")
    return wordless and isinstance(body, dict) and bool(_PROBED & body.keys())


def _tells_the_status_of(arguments: Any, text: str) -> bool:
    """Whether a text names what was probed and, behind it, the status that it answered."""
    given = arguments.values() if isinstance(arguments, dict) else ()
    probed = (sent for sent in given if isinstance(sent, str) and len(sent) > _LEAST_STEM)
    return any(
        text.startswith(sent) and _STATUS_OF_IT.match(text, len(sent)) is not None
        for sent in probed
    )


def _is_a_state_to_tell(tool: str, rule: str, told: str) -> bool:
    """Whether who was to tell how a thing is tells just that, in words that refuse elsewhere."""
    kind = kind_of_tool(tool)
    if kind not in _TELLING:
        return False
    if rule == "chinese_error":
        return _OF_A_STATE_IN_CHINESE.match(told) is not None
    if rule != "not_let_in":
        return False
    if _OF_A_TERM.match(told) and (
        checks_for(tool, told) or (kind == "checking" and _WHEN_IT_ENDED.search(told))
    ):
        return True
    if _OF_APPROVAL.match(told) and (kind == "checking" or is_about(tool, _ABOUT_APPROVAL)):
        return True
    about_access = kind == "checking" and is_about(tool, _ABOUT_ACCESS)
    return about_access and _OF_THE_CALLER.search(told) is None


def _is_of_a_work(tool: str, payload: Payload, reading: Reading) -> bool:
    """Whether a body tells how a work went that the tool was to look after."""
    if reading.rule not in _OF_BODIES or kind_of_tool(tool) not in _TELLING:
        return False
    if not isinstance(payload.value, dict) or OF_AN_ARGUMENT.match(reading.message or ""):
        return False
    record = _record_in(payload.value)
    enveloped = record is not payload.value or _is_enveloped(payload)
    answered = enveloped or (reading.rule == "status_word" and _asks_how_it_went(tool, reading))
    ends = [end for key in ("status", "state") if isinstance(end := record.get(key), str)]
    if enveloped and any(_ENDED_IN_ERROR.match(end) for end in ends):
        return True
    return any(_WORK_ENDED.match(end) for end in ends) and (
        answered or _is_asked_by_id(tool, record)
    )


def _are_records(call: ToolExecutionResult, value: Any, reading: Reading) -> bool:
    """Whether rows with a bad status are records that were looked up, and no batch of requests."""
    if reading.rule != "all_items_failed" or kind_of_tool(call.tool) != "asking":
        return False
    rows = value if isinstance(value, list) else []
    ids = [row.get("id") if isinstance(row, dict) and "status" in row else None for row in rows]
    if not ids or None in ids or not isinstance(call.parameters, dict):
        return False
    sent = {word for leaf in leaves_of(call.parameters) for word in _ID.findall(str(leaf.value))}
    return not sent.issuperset(map(str, ids))


def _asks_how_it_went(tool: str, reading: Reading) -> bool:
    """Whether a bad status is what a checker found, or the state that was asked for."""
    if is_about(tool, _STATES_ASKED_FOR):
        return True
    hindered = _OF_A_CIRCUMSTANCE.search(reading.message or "") is not None
    return kind_of_tool(tool) == "checking" and not hindered


def _record_in(value: dict[Any, Any]) -> dict[Any, Any]:
    """The record inside an answer whose code says that it is a good one, or the answer itself."""
    code = whole(value.get("code", value.get("status_code")))
    if code is None or (code != 0 and not 200 <= code <= 299):
        return value
    records = (value.get(key) for key in _RECORDS)
    return next((record for record in records if isinstance(record, dict)), value)


def _is_enveloped(payload: Payload) -> bool:
    """Whether the server itself said that the answer around the record is a good one."""
    return payload.reported_success is True and "wrapper" in payload.layers


def _is_asked_by_id(tool: str, record: dict[Any, Any]) -> bool:
    if "id" in record and is_about(tool, _WORK_KINDS):
        return True
    works = (_WORK_ID.match(key) for key in record if isinstance(key, str))
    return any(
        work is not None and is_about(tool, {work[1].lower(), "status", "progress"})
        for work in works
    )


def _was_asked_for(arguments: Any, told: str) -> bool:
    """Whether what is said of a thing is what the call was to make of it.

    "The ticket is closed" refuses a comment, and not a change of its state to "closed".
    """
    found = _STATE_TOLD.search(told)
    if found is None or not isinstance(arguments, dict):
        return False
    state = found[1].lower()
    wanted = (value.lower() for value in arguments.values() if isinstance(value, str))
    return any(
        len(value) >= _LEAST_STEM and state.startswith(value.rstrip("e")) for value in wanted
    )
