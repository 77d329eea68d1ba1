"""Wordings that leave no doubt: they name the kind, whatever else a message says.

Most of them tell whose words or values are meant. What a server answered with is the server's
making, and what was read from the arguments of a call is the model's, although a validator or a
parser complains of both in the same words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.evidence.hosting_wordings import HOSTING, MISSING_PROGRAM

if TYPE_CHECKING:
    from assay.evidence.failure_kinds import Kind

_ANSWER = r"(?:response|reply|answer|response body|structured ?content)"
_ARGUMENTS = r"(?:arguments?|args|parameters?|params|tool (?:call|input)|request body)"
_NOT_JSON = (
    r"(?:json|expecting (?:value|property|\S{1,4} delimiter)|unexpected (?:end|token|char)"
    r"|unterminated string|invalid character|looking for)"
)
_QUOTE = r"[`'\"]?"

# The first kind of which a wording is found.
SURE_WORDINGS: tuple[tuple[Kind, tuple[str, ...]], ...] = (
    (
        "malformed_call",
        (
            (
                rf"(?:pars(?:e|ing)|decod(?:e|ing)|load(?:ing)?|json in"
                rf"|malformed) (?:\w+ ){{0,4}}?"
                rf"{_ARGUMENTS}\b[^\n]{{0,80}}{_NOT_JSON}"
            ),
            rf"{_ARGUMENTS} (?:is |are |was |were )?(?:not|invalid|malformed) (?:valid )?json",
        ),
    ),
    (
        "data_processing_error",
        (
            (
                r"(?:cannot|can't|could not|couldn't|unable to|failed to) (?:parse|decode)"
                r" (?:the )?(?:\w+ )?response\b"
            ),
            (
                r"(?:invalid|malformed|unexpected|unparsable|truncated|incomplete|unrecogni[sz]ed"
                r"|bad(?! gateway)"
                rf"|empty|non-json) (?:[\w/.'-]+ ){{0,3}}{_ANSWER}\b"
            ),
            r"invalid tools?/call result|structured_?content must be\b",
            r"(?:output|response) ?validation|output ?schema",
            (
                rf"{_ANSWER} (?:\w+ ){{0,3}}?(?:is |was )?(?:missing|empty|truncated|malformed"
                r"|lacks|not (?:valid )?json)\b"
            ),
            rf"{_ANSWER} (?:\w+ ){{0,3}}?(?:had|has|contained|contains|with) no ",
            rf"{_ANSWER} (?:\w+ ){{0,3}}?(?:did|does) not (?:contain|include|match|have)",
            rf"{_ANSWER} (?:\w+ ){{0,3}}?could not be (?:parsed|decoded|read)",
            r"unexpected token '?<|<!doctype|instead of json",
            (
                r"(?:invalid|bad|unexpected|no) (?:\w+ )?output from\b|returned (?:unstructured"
                r"|garbled)"
            ),
            (
                r"(?:upstream|api|server|backend|service|provider) (?:sent|returned|gave"
                r"|responded with)"
                r" (?:an? )?(?:\w+ )?(?:invalid|malformed|empty|unexpected|garbled"
                r"|bad(?! gateway))"
            ),
            r"\b(?:field|key|property|value)\b[^\n]{0,30} in (?:the )?(?:\w+ )?response",
            r"\bin (?:the |an? )?(?:upstream|server|backend|provider)(?:'s)? (?:answer|reply)\b",
            r"line 1 column 1 \(char 0\)",
            rf"(?:result|body|output|{_ANSWER})\b[^\n]{{0,60}}looking for",
            (
                r"(?:failed to|cannot|could not) (?:encode|seriali[sz]e"
                r"|marshal) (?:the )?(?!arg)(?!par)"
                r"(?!req)(?!inp)\w"
            ),
            r"not (?:json )?seriali[sz]able|circular structure",
            r"values to unpack|can't multiply sequence",
            (
                r"(?:get|fetch|load|retrieve|download|receive)\w* [^\n:]{1,60}: (?:\w+ )?"
                r"pars(?:e|ing) (?:error|failed)"
            ),
        ),
    ),
    (
        "null_reference",
        (
            r"is not a (?:function|constructor)\b",
            r"\(reading '|destructure property|as it is (?:undefined|null)|is not an object \(",
            r"\bnil map\b|dereference|reference not set",
            r"because [^\n]{1,60} is null\b",
            r"\b(?:NameError|ReferenceError|UnboundLocalError)\b|referenced before assignment",
        ),
    ),
    (
        "execution_error",
        (
            r"maximum (?:recursion|call stack)|stack overflow",
            r"\b(?:unhandled|uncaught)\b(?![^\n]{0,20}\berr=)",
            r"(?:out of|insufficient) memory|OutOfMemory|heap limit|memory limit|\bOOM\b",
            r"\bdeadlock\b|poisoned|event loop|on our (?:end|side)\b",
            r"\bis an? (?:\w+ )?bug\b|\binternal (?:bug|inconsistency|failure)|something broke",
            r"unexpected condition|\bfatal error\b|core dumped|OOMKilled|^\W*killed\W*$",
            r"(?:page|context|browser|tab)\b[^\n]{0,20} closed\b",
        ),
    ),
    ("output_too_large", (r"\boutput (?:has |was )?exceed(?:s|ed)\b",)),
    ("invalid_arguments", (r"unmarshal (?:the )?(?:arg|param|request|input|tool)",)),
    (
        "missing_required_field",
        (
            (
                r"expected [\w |`'\"]{1,40}, (?:received|got) "
                rf"{_QUOTE}(?:undefined|null|none|nothing|nan)\b"
            ),
            r"must have required propert|^\W*(?:please )?provide (?:one of|either|at least one)\b",
        ),
    ),
    (
        "wrong_type",
        (
            (
                rf"expected {_QUOTE}\w{{1,30}}{_QUOTE}, (?:received|got|found) "
                rf"{_QUOTE}(?:str|int|float|bool|dict|list|obj|arr|num|tuple|map|seq)"
            ),
            (
                r"must be (?:an? )?(?:integer|string|number|boolean|array|object|float|list|dict"
                r"|dictionary|mapping|tuple)s?\b"
            ),
        ),
    ),
    (
        "unsupported",
        (
            r"(?:detect|determine|infer) (?:the )?(?:file )?(?:language|format|type) (?:of|for)\b",
            (
                r"(?:cannot|can't) (?:read|open|load|parse|decode)"
                r" (?![^\n]{0,80}\b(?:response|reply|answer|output|body)\b)"
                r"[^\n]{1,80} as (?:an? )?[a-z]+\b"
            ),
            (
                r"\bnot available for this (?!time|moment|(?:\w+ )?(?:account|plan|region"
                r"|subscription|tier|organi[sz]ation|workspace|user|key|country|location)\b)\w"
            ),
            r"(?:cannot|can't) (?:read|open|edit|show|parse) (?:an? )?binary\b",
        ),
    ),
    (
        "validation_error",
        (
            (
                r"must be (?:strictly )?(?:between|at (?:least|most)|within \d|>|<"
                r"|in (?:the )?range|(?:greater|less|larger|smaller|more|fewer|higher|lower) than)"
            ),
            r"must be an? (?:positive|multiple)",
            r"cannot divide by|division by zero is",
            r"input should be ['\"]|does not match ['\"/^]",
            r"\binvalid[ _]url\b|\bformula\b|circular reference",
            r"must (?:precede|come before|be before|be after|point to an?|refer to an?)\b",
            (
                r"(?:latitude|longitude|coordinates?|value|page|row|column|line|offset|cell"
                r"|temperature"
                r"|parameter) (?:\S+ ){0,3}(?:is )?out of (?:bounds|range)|beyond (?:the )?end of"
            ),
            (
                r"(?:may|must|can|should)(?:not| not) (?:contain|start with|end with)"
                r"|contains? (?:an? )?(?:dangerous|illegal|forbidden|disallowed|unsafe) char"
            ),
        ),
    ),
    (
        "invalid_arguments",
        (
            r"^\W*(?:\w+Error: )?['\"`][\w.-]{1,60}['\"`] is not allowed\b",
            r"\bnot both\b|\b(?:exactly|only) one of\b|\bare the same\b",
            r"expected (?:exactly |at least )?(?:\d+|one|two|three|four|no) (?:\w+ )?arguments?",
        ),
    ),
    ("timeout", (r"\b(?:upstream|backend|origin) (?:\w+ ){0,2}tim(?:e[ds]?|ing)[ -]?out\b",)),
    (
        "unavailable",
        (
            r"failed to (?:launch|spawn|boot)\b|\bmaintenance\b|still being \w+(?:ed|lt)\b",
            (
                r"\b(?:upstream|backend|origin)\b (?:\w+ ){0,2}(?:connect|request|failed"
                r"|failure|error)"
            ),
            (
                r"(?:process|worker|server|kernel|container|instance|service) (?:has |is "
                r"|was )?(?:died"
                r"|crashed|shutting down|killed|exited unexpectedly|stopped responding)"
            ),
            r"pool (?:is |was )?exhausted|\bno available (?:api|node|server|worker|instance)s?\b",
            r"\bno (?:healthy |free )?(?:node|worker|instance|backend|broker)s? available",
            (
                r"(?:failed to|cannot|can't|could not|unable to) (?:start|initiali[sz]e|create) "
                r"(?:\S+ ){0,4}?(?:shell|server|process|browser|cli|engine|container|kernel|client"
                r"|sandbox"
                r"|session|worker|runtime|daemon)\b"
                # What hindered it says more.
                r"(?!: [^\n]{0,60}(?:api[ _-]?key|credential|token|password|denied|not set))"
            ),
            (
                r"max(?:imum)? retries reached|not responding\b|transport closed|capacity (?:is "
                r"|was )?(?:exceeded|exhausted)|queue (?:is )?full|\bno (?:\w+ ){0,2}capacity\b"
                r"|(?:out of|insufficient|not enough) capacity(?:[.!:;,]|\s*$| (?:to|in|at|right|on"
                r"|available)\b)"
            ),
            r"\bis (?:currently |still )?(?:loading|booting|warming up|initiali[sz]ing|syncing)\b",
            (
                r"\b(?:manager|service|client|engine|bridge|plugin|backend|database|pool|driver|store"
                r"|runtime) (?:is |was |has )?not (?:yet |been )?initiali[sz]ed\b"
            ),
            (
                r"\bno (?:\w+ ){0,2}(?:client|device|service|server|database|connection|worker"
                r"|backend"
                r"|browser|kernel|engine|provider)s? (?:is |are )?(?:connected|available|attached"
                r"|online|reachable|responding)"
            ),
            r"\bno \w+(?: \w+)? in (?:the )?context\W*$|\bcontext (?:was )?not found\b",
            (
                r"(?:daemon|runtime|engine|kernel|executor|interpreter) (?:is |was )?(?:not found"
                r"|required)"
            ),
            r"\b(?:api|http|db|database|llm|mcp) (?:client|connection) is required",
            (
                r"(?:requires?|needs?) (?:\w+ ){0,2}(?:daemon|engine|runtime|kernel)\b"
                r"|\bat capacity\b|high load"
            ),
            r"(?:connection|session|server|service|endpoint) (?:is |are )?no longer available",
        ),
    ),
    (
        "syntax_error",
        (
            r"error in (?:the |your )?(?:\w+ )?(?:query|expression|filter|syntax)\b|from-clause",
            r"\bsyntax error[:,] unexpected\b",
            (
                r"\bpars(?:e|ing) (?:the |your )?(?:query|expression|filter|statement|formula)\b"
                r"(?! (?:results?|responses?|reply|output|answer)\b)"
            ),
            (
                r"\b(?:missing|no|unmatched|unbalanced|unterminated) (?:closing |opening )?"
                r"(?:parenthes[ie]s|brackets?|braces?|quot(?:e|ation)s?)\b|\bincomplete input\b"
            ),
        ),
    ),
    (
        "not_found",
        (
            r"is not recogni[sz]ed as (?:an? |the )(?:\w+ ){0,4}(?:command|name)",
            r"no such (?:column|table|field|function|file|index|key)\b|\bstale element|geocod",
            r"does not have an? (?:column|field|property|key|attribute|member|sheet)\b",
            # What may be hidden was asked for all the same.
            (
                r"does not exist,? or (?:(?:you|it|the \w+) (?:do|does|is|are)(?: not|n't)\b"
                r"|(?:is )?not (?:authori[sz]ed|accessible|visible)\b)"
            ),
            r"invalid (?:object|column|table) name\b",
            r"\bno active session(?: found)?(?:: \S| (?:for|with) (?:\w+ )?\S*\d)",
        ),
    ),
    (
        "cancelled",
        (
            r"^\W*(?:error\W+)?cancell?ed:",
            (
                r"\b(?:user|client) (?:has )?cancell?ed|\buser aborted|(?:prompt"
                r"|confirmation) (?:was )?(?:declined|rejected|dismissed)"
            ),
        ),
    ),
    (
        "permission",
        (
            (
                r"\b(?:you|user|caller|agent|account|role|client)\b[^\n]{0,40} (?:are"
                r"|is) not (?:allowed"
                r"|permitted|authori[sz]ed) to"
            ),
            (
                r"outside (?:of )?(?:the |its |your |allowed )?(?:\S+ ){0,2}(?:scope|project"
                r"|sandbox"
                r"|workspace)\b"
            ),
            r"(?:does|do) not belong to|must be (?:a )?member of",
            r"lacks? (?:the )?(?:\w+ ){0,2}(?:permission|access|right|privilege|scope)s?\b",
            r"\bscopes? (?:is|are|was|were) (?:required|missing|not granted)",
            r"\btool not accessible\b|\b[a-z_-]+ role (?:is )?(?:required|needed)\b",
            (
                r"only (?:\w+ ){0,2}(?:owner|admin|administrator|member|moderator"
                r"|maintainer)s? (?:can"
                r"|may)\b"
            ),
            (
                r"\bip (?:address )?(?:is )?not allowed|not available in your|\bgeo-?(?:restricted"
                r"|blocked)"
            ),
            (
                r"(?:blocked|denied|prevented) by\b|(?:not|un)[ -]?trusted\b"
                r"|bot detect"
            ),
            (
                r"blocking (?:requests|access)|policy (?:\w+ )?(?:rejected|denie[ds]|forbids|blocks"
                r"|prohibits|disallows)|for (?:safety|security) reasons|\bdangerous (?:command"
                r"|pattern|operation|action)|\bprotected[ _](?:path|branch|file|resource)"
                r"|\bblock-?list|(?:safety|security)[ _](?:\w+[ _])?(?:rejected|blocked|denied)"
                r"|approval (?:is |was )?(?:required|needed|pending)"
                r"|(?:awaiting"
                r"|pending) (?:\w+ )?approval"
            ),
            r"requires? (?:an? )?(?:admin|owner|root|sudo|elevated)\b",
            r"requires? (?:[\w'-]+ ){0,2}approval\b",
            r"(?:path|domain|host|command|tool)(?: \w{1,40})? (?:is |was )?not allowed\b",
            r"not allowed to (?:write|read|access|modify|create|delete|use|call|run)\b",
            r"(?:does|do) not permit\b|not allowed by\b|--read-?only",
            r"you need (?:\w+ ){0,2}(?:rights|role|permission|access)\b",
            r"account (?:is |has been |was )?(?:suspended|locked|banned|deactivated|blocked)",
            r"access (?:is |was |has been )?disabled",
        ),
    ),
    (
        "auth",
        (
            r"credentials? (?:was|were|is|are|could) not",
            r"rejected (?:the |your )?(?:credential|token|key)s?\b",
            r"\bauth error\b|\bno cookies? (?:for|found)\b",
            (
                r"\btoken (?:\w+ ){0,4}?(?:not valid|invalid(?:ated)?|expired|revoked|rejected"
                r"|missing"
                r"|required)\b"
            ),
            (
                r"(?:cookie|session|token|credential)s? (?:has |have |is |are )?(?:expired"
                r"|no longer valid"
                r"|timed out|timeout)"
            ),
            r"requires? (?:an? )?(?:\w+ ){0,2}(?:grant|login|consent|credentials?|token)\b",
            r"\b(?:2fa|mfa|otp|two-?factor)\b|\boauth\b",
            (
                r"\bre-?(?:connect your|auth)|signature (?:mismatch|invalid|verification"
                r"|does not match)"
            ),
        ),
    ),
    ("configuration", HOSTING),
    ("configuration", (MISSING_PROGRAM,)),
    (
        "network_error",
        (
            r"closed (?:the )?(?:connection|stream)\b|without sending a|no listener",
            r"incomplete (?:chunked )?read|connection (?:was )?dropped",
            (
                r"\bdns\b|no (?:internet|network) (?:connection|access)|network (?:is )?(?:down"
                r"|unavailable)"
            ),
            (
                r"no such host|^\W*disconnected from\b|fail\w* connecting|network request failed"
                r"|handshake|proxy error|refused connection"
            ),
            r"(?-i:E(?:HOST|NET)UNREACH|EPIPE)|connect(?:ing)? to (?:the )?proxy",
        ),
    ),
    (
        "server_unavailable",
        (
            r"(?:^\W*|: )session (?:was )?not found\W*$|no valid session",
            r"^\W*(?:not connected|connection closed)\W*$|(?:stdout|stdin|pipe) (?:was )?closed\b",
        ),
    ),
    (
        "rate_limit",
        (
            r"\brate (?:\w+ )?exceeded|too many (?:\w+ )?attempts|\bflood\b",
            r"(?:wait|retry after|retry in) \d+",
        ),
    ),
    (
        "quota_exceeded",
        (
            r"reached (?:your|the) (?:\w+ )?limit|(?:plan|tier|subscription) does not include",
            r"\bpaid (?:plan|tier|subscription)|(?:storage|mailbox|drive|inbox) (?:is )?full\b",
            r"(?:premium|subscription|paid plan|upgrade|enterprise plan) (?:is )?required",
            r"requires? (?:an? )?(?:active )?(?:premium|pro|paid|enterprise|subscription)\b",
            (
                r"(?:free|trial|basic|starter) (?:tier|plan)\b|trial (?:has |period )?(?:expired"
                r"|ended)"
            ),
            r"\blicen[cs]e (?:key )?(?:is |has )?(?:expired|invalid|required|not )",
            (
                r"(?:add a |no )payment method|payment method (?:is )?(?:required|needed)"
                r"|concurren\w+ (?:\w+ )?(?:limit"
                r"|reached)"
            ),
            r"(?:on|in|for|by) your (?:current )?(?:plan|tier|subscription)\b|upgrade your",
        ),
    ),
    (
        "timeout",
        (
            r"no (?:reply|response|answer) (?:with)?in \d",
            r"exceeded \d+(?:\.\d+)? ?(?:m?s(?:ec\w*)?|min\w*)\b",
            (
                r"time limit|deadline (?:was )?exhausted|not (?:answer|respond|reply|finish"
                r"|complete)\w* in time\b"
            ),
        ),
    ),
    (
        "conflict",
        (
            r"would be overwritten|newer version exists",
            r"\banother [\w/() -]{1,60} (?:is )?(?:already )?(?:in progress|running|under way)\b",
            r"\bprecondition (?:check )?failed|condition(?:al)? ?(?:request|check) ?failed",
            r"(?:has|have) been modified|changed since|value changed|\bout of date\b",
            r"resolve dependency",
        ),
    ),
    (
        "rule_violation",
        (
            r"transaction is aborted|commands ignored",
            (
                r"(?:cannot|can't|could not|may not) be (?:cancell?ed|deleted|modified|changed"
                r"|edited"
                r"|removed|updated|refunded|undone|moved|reopened)"
            ),
            (
                r"\b(?:element|button|field|input|option)(?: \S{1,40})? is (?:disabled|hidden"
                r"|covered|obscured)"
            ),
            r"not (?:visible|clickable|interactable|focusable)\b",
            r"\bnot your turn\b|nothing (?:to|added)\b",
            (
                r"\bnot (?:assigned|attached|linked|subscribed|enrolled|bound) to\b|\b(?:process"
                r"|job|task|timer|recording|run) (?:is |was )?not (?:started|running)\b"
            ),
            r"\bonly available (?:after|when|once|while|if)\b",
            (
                r"\bflagged (?:for|as|by)\b|content (?:policy|filter|moderation)|safety (?:system"
                r"|filter)"
            ),
        ),
    ),
)
