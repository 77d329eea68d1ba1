"""Words that failures of many kinds share: they name one only where nothing better is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

# The first wording found names the kind.
COMMON_WORDINGS: tuple[tuple[Kind, str], ...] = (
    (
        "conflict",
        r"\balready\b|\bexists\W*$|\boverlaps?\b|\boccupied\b|\bmay refer to\b|changed by\b",
    ),
    ("permission", r"\brestricted\b|^\W*blocked\b|^\W*refus(?:ed|ing) to\b"),
    (
        "missing_required_field",
        (
            r"\bmissing\b|\b(?:name|path|query|input|body|text|message|id|url|command"
            r"|content) empty\b|\bempty (?:query|string|input|path|message|body|prompt|name)\b"
            r"|^\W*required:|^\W*empty \w|\bno (?:\w+ ){1,4}(?:provided|supplied|given|specified"
            r"|passed)\b"
        ),
    ),
    (
        "validation_error",
        (
            r"\bmust be\b|\bincorrect\b|^\W*bad (?!gateway)\w|\binvalid\b|not valid"
            r"|\billegal (?!state)\w"
            r"|not (?:meet|satisfy)\b"
            r"|\bwrong (?:format|value|length|order|unit|date|id|path|argument|parameter|input)\b"
            r"|\bis a directory\b|\btoo (?:many|few|big|high|low"
            r"|early|late|deep|wide)\b|\b(?:ends?|start) (?:is )?(?:before|after)\b"
        ),
    ),
    (
        "rule_violation",
        (
            r"\bcannot (?!connect|reach|read|load|fetch|get|retrieve|open|access|process"
            r"|resolve)[a-z]|\bnot in (?:this|the|an?|your) \w|(?<!please )\bfirst[.!]?\s*$|请先"
            r"|^\W*no \w+ to \w|has not \w+ yet|\bonly your own\b|\bonly allowed\b"
            r"|do(?:es)? not (?:match|apply)|has no \w|none of\b|over the .{1,20}(?:cap|limit)\b"
            r"|at least \w|violates|constraint|not enough|insufficient|exceed|cannot (?:be|use)"
            r"|out of (?:range|stock)|\b(?:slots?|seats?|rooms?|items?|products?|sizes?|tickets?"
            r"|dates?|appointments?|flights?|tables?|names?|domains?|times?) (?:(?:is"
            r"|are) )?not (?:currently )?available|not (?:currently )?eligible|not empty\b"
            r"|\byou (?:cannot"
            r"|can't) \w|does not add up|minimum|maximum|is closed|sold out|售罄|已满|expired"
            r"|no longer|at (?:least|most) \d|inconsistent|not[ _]in[ _](?:the )?(?:channel|group"
            r"|list|room)|not a member|fast.forward|must (?:have|not)|not (?:yet )?(?:mergeable"
            r"|approved|editable|ready|active|applicable|possible)|business (?:rule|validation)"
            r"|first\b.{0,40}before|you (?:need|have|must)\b.{1,60} before"
            r"|no (?:\w+ ){1,3}(?:active|running|open|selected|loaded)\b|\brequires\b|\bneeds\b"
            r"|\bcan only\b|at most \d|不足|最多|只有|没有(?:加载|打开|选中|选择|连接)"
            r"|not linked\b|\b(?:call|run|use|start|stop|open|close|connect|create"
            r"|switch|log ?in|select|enable)\b[^\n.]{0,40} first\b|超出|超过|不得|不合法|已过期"
            r"|已失效|过近|过远|过短"
        ),
    ),
    (
        "unavailable",
        (
            r"^\W*no (?:\w+ ){1,3}(?:connected|attached|paired)\b|\b(?:is|are) down\b"
            r"|try again (?:shortly|in (?:a|\d))|available\. (?:please )?try again later"
            r"|\bunavailable\b|not (?:\w+ )?(?:available|loaded|ready)\b|\bnot (?:running"
            r"|connected)\b"
            r"|not (?:properly )?initiali[sz]ed|(?:service|manager"
            r"|daemon|engine|worker|runtime) (?:is )?not (?:running|started|ready)"
        ),
    ),
    (
        "execution_error",
        (
            r"could not \w|couldn't \w|cannot \w|having trouble|失败|失敗|(?:daemon|worker|engine"
            r"|backend) error|^\W*error \w+ing\b|stream error|call error|error (?:calling"
            r"|executing"
            r"|running|in|while|getting|fetching|retrieving|occurred)|traceback|exception"
            r"|RuntimeError"
            r"|internal (?:server )?error|panic|segmentation fault|exit(?:ed)?(?: with)? (?:code"
            r"|status)|crash|stack trace|unexpected error|\bfail|unable to|(?:could not"
            r"|can't) (?:fetch|retrieve|load|get)|内部错误|错误|出错|(?:database|storage|cache"
            r"|queue|server|api) error\W*$|异常|无法|未能"
        ),
    ),
    # What tells its caller what to do was asked for something else.
    (
        "rule_violation",
        (
            r"[\w.:;!)] (?:please )?(?:use|set|call|run|read|choose|pass|provide|specify|give"
            r"|upload|answer|reduce|remove) [\w'\"`]|^\W*no (?:active|open|current|selected"
            r"|pending)\b"
            r"|\b(?:is|are) (?:archived|deleted|suspended|deactivated|inactive|frozen|paused)\b"
            r"|over the \d|^\W*no \w+ (?:in|with|for|at|on)\b|limit is \d"
        ),
    ),
)
