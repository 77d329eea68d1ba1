"""Words that failures of many kinds share: they name one only where nothing better is said."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

_ARGUMENTS = r"(?:arguments?|args|param(?:eter)?s?|(?:tool|function) (?:call|input|arg\w*)s?)"
# The first wording found names the kind.
COMMON_WORDINGS: tuple[tuple[Kind, str], ...] = (
    (
        "conflict",
        (
            r"\balready\b|\bexists\W*$|\boverlaps?\b|\boccupied\b|\bin use\b"
            r"|belongs? to (?:a )?(?:different|another)|\bmay refer to\b|changed (?:by"
            r"|in another)\b|\bmay be open in\b|\bopen in another\b"
        ),
    ),
    ("permission", r"\brestricted\b|^\W*blocked\b|\bblocked\W*$|\bunsafe\b|^\W*refus(?:ed|ing)\b"),
    (
        "missing_required_field",
        (
            r"\bmissing\b|\b(?:name|path|query|input|body|text|message|id|url|command"
            r"|content) empty\b|\bempty (?:query|string|input|path|message|body|prompt|name)\b"
            r"|\brequired \((?:e\.g|for example|one of|either|like|format)"
            r"|\brequires? (?:both|either|at least one)\b"
            r"|\bneeds (?:an?|either|both|one|something)\b"
            r"|^\W*required:|^\W*empty \w|\bno (?:\w+ ){1,4}(?:provided|supplied|given|specified"
            r"|passed)\b"
        ),
    ),
    (
        "validation_error",
        (
            r"\bmust be\b|\bincorrect\b|^\W*bad (?!gateway)\w|\binvalid\b|not valid"
            r"|\billegal (?!state)(?!conn)\w|not (?:meet|satisfy)\b|\bwrong (?:format|value|length"
            r"|order|unit|date|id|path|argument|parameter|input)\b|\bis a directory\b"
            r"|\btoo (?:many|few|big|high|low|early|late|deep|wide)\b|\b(?:ends?"
            r"|start) (?:is )?(?:before|after)\b"
        ),
    ),
    (
        "rule_violation",
        (
            r"\bcan(?:not|'t) (?!connect|reach|read|load|fetch|get|retrieve|open|access|process"
            r"|resolve)[a-z]|\bnot in (?:this|the|an?|your) \w|(?<!please )\bfirst[.!]?\s*$|请先"
            r"|^\W*no \w+ to \w|has not \w+ yet|\bonly your own\b|\bonly allowed\b"
            r"|do(?:es)? not (?:match|apply)|has no \w|none of\b|over the .{1,20}(?:cap|limit)\b"
            r"|at least \w|violates|constraint|(?:not|n't have) enough|insufficient|exceed"
            r"|cannot (?:be|use)"
            r"|\bno (?:\w+ ){0,3}(?:slots?|seats?|rooms?|tables?|tickets?|flights?|appointments?"
            r"|items?|places?|berths?) (?:\w+ ){0,2}?(?:available|left|remaining|free)\b"
            r"|out of (?:range|stock)|\b(?:slots?|seats?|rooms?|items?|products?|sizes?|tickets?"
            r"|dates?|appointments?|flights?|tables?|names?|domains?"
            r"|times?)\b[^\n]{0,30} not (?:currently )?available|not (?:currently )?eligible"
            r"|not empty\b|\byou (?:cannot|can't) \w|does not add up|minimum|maximum|is closed"
            r"|sold out|售罄|已满|expired|no longer|at (?:least|most) \d|inconsistent"
            r"|not[ _]in[ _](?:the )?(?:channel|group|list|room)|not an? (?:member|participant)"
            r"|need to (?:have|be)\b|fast.forward|must (?:have|not)|not (?:yet )?(?:mergeable"
            r"|approved|editable|ready|active|applicable|possible)|business (?:rule|validation)"
            r"|first\b.{0,40}before|you (?:need|have|must)\b.{1,60} before"
            r"|no (?:\w+ ){1,3}(?:active|running|open|selected|loaded)\b|\brequires?\b|\bneeds\b"
            r"|\bcan only\b|\btoo (?:far|soon|young|close|weak)\b|opted out|unsubscribed"
            r"|at most \d|不足|最多|只有|没有(?:加载|打开|选中|选择|连接)"
            r"|you (?:do not|don't) (?:have|own) (?:that|this|an?y?|the|one)\b"
            r"|not linked\b|\b(?:call|run|use|start|stop|open|close|connect|create|switch|log ?in"
            r"|select|enable)\b[^\n.]{0,40} first\b|超出|超过|不得|不合法|已过期|已失效|过近|过远"
            r"|过短"
        ),
    ),
    (
        "unavailable",
        (
            r"^\W*no (?:\w+ ){1,3}(?:connected|attached|paired)\b|\b(?:is|are) down\b"
            r"|try again (?:shortly|in (?:a|\d))|available\. (?:please )?try again later"
            r"|\bno (?:\w+ ){1,3}(?:available|received)\b"
            r"|\bunavailable\b|not (?:\w+ )?(?:available|loaded|ready)\b|\bnot (?:running"
            r"|connected|online)\b|not (?:properly )?initiali[sz]ed"
            r"|(?:service|manager|daemon|engine"
            r"|worker|runtime) (?:is )?not (?:running|started|ready)"
        ),
    ),
    # Whoever could not read the arguments was not sent readable ones.
    (
        "malformed_call",
        (
            rf"\b{_ARGUMENTS}(?: \w+)? (?:pars(?:e|ing)|decod(?:e|ing)|(?:de)?seriali[sz]ation"
            r"|(?:un)?marshall?ing|conversion|coercion|binding) (?:has |have )?(?:fail|error)"
            r"|(?:pars(?:e|ing)|decod(?:e|ing)|deseriali[sz](?:e|ing|ation)|convert(?:ing)?"
            r"|bind(?:ing)?) (?:of )?(?:the |your |its |all )?(?:[\w']+ ){0,2}?"
            rf"{_ARGUMENTS}\b(?! (?:from|of|in) (?:\w+ ){{0,2}}(?:response|server|config|file))"
            rf"|\b{_ARGUMENTS}:? (?:is |are |was |were )?(?:unparsable|unreadable|undecodable)"
        ),
    ),
    (
        "execution_error",
        (
            r"could not \w|couldn't \w|cannot \w|having trouble|失败|失敗|(?:daemon|worker|engine"
            r"|backend) error|^\W*error \w+ing\b|stream error|call error|error (?:calling"
            r"|executing|running|in|while|getting|fetching|retrieving|occurred)|traceback"
            r"|exception|RuntimeError|internal (?:server )?error|panic|segmentation fault"
            r"|exit(?:ed)?(?: with)? (?:code|status)|crash|stack trace|unexpected error|\bfail"
            r"|unable to|(?:could not|can't) (?:fetch|retrieve|load|get)|内部错误|服务器错误|出错"
            r"|(?:database|db|storage|cache|queue|server|api|system) error\W*$|code = (?:internal"
            r"|unknown|dataloss)|异常|无法|未能"
        ),
    ),
    # What tells its caller what to do was asked for something else.
    (
        "rule_violation",
        (
            r"^\W*(?:you )?must \w|^\W*only (?:[\w-]+ ){1,6}(?:can|may) \w"
            r"|^\W*(?:connect|navigate|wait|finish|send|reload"
            r"|refresh|select|add|choose|pass|use|provide|give|enter"
            r"|specify|call|open|create|remove|reduce|shorten|split|switch|confirm) \S"
            r"|[\w.:;!)] (?:please )?(?:use|set|call|run|read|choose|pass|provide|specify|give"
            r"|upload|answer|reduce|remove) [\w'\"`]|^\W*no (?:active|open|current|selected"
            r"|pending)\b|\b(?:is|are) (?:archived|deleted|suspended|deactivated|inactive|frozen"
            r"|paused)\b|over the \d|^\W*no \w+ (?:in|with|for|at|on)\b|limit is \d"
        ),
    ),
)
