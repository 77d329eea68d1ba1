"""How messages of up to a page tell of a failure.

These phrases may also open prose, so they speak for short texts only.
"""

from __future__ import annotations

from assay.evidence.error_access import ACCESS
from assay.evidence.error_openings import Opening
from assay.evidence.error_vocabulary import (
    CALLED,
    CHINESE,
    NAMED_THINGS,
    NAMING,
    NO_ERROR_OF,
    NO_TOPIC,
    SOME_WORDS,
    STOPS,
    VERBS,
    WORKS,
)

# First match wins.
PHRASES: tuple[Opening, ...] = (
    Opening(
        "error_of",
        "page",
        (
            (
                rf"(?!(?:{NO_ERROR_OF})\b|\d{{1,2}} )(?:[\w.'\"-]{{1,40}} ){{1,5}}(?:error"
                r"|exception)"
                r"(?: (?:with|from|for|on) [\w .-]{1,40})?(?:\s?\([^)\n]{0,60}\))?\s*[:：]"
            ),
            r"(?:uncaught|unhandled)\b[^\n:]{0,40}(?:error|exception|rejection)\b[^\n:]{0,40}:",
            r"(?:[\w.]{1,40}: )?(?-i:(?:net::)?ERR_[A-Z_]+)\b",
        ),
    ),
    Opening(
        "error_while",
        "page",
        (
            (
                r"(?:an?\s|the\s|some\s|there was an?\s|sorry,? an?\s)?(?:\w+\s){0,2}?"
                r"(?:error|exception)\s(?:has\s|had\s)?(?:occurr?ed|happened|encountered|caught"
                r"|while|when|during|trying|(?:response )?from|at (?:line|position|offset)"
                r"|in\s\S{1,80}:|in [a-z]{3,20}ing\b[^\n:]{0,60}:"
                r"|in (?:the )?(?:[\w-]{1,30} ){1,3}(?:operation|request|call|query|execution"
                r"|handler|tool|function|statement|transaction)\s?:"
                r"(?! (?:how|see|what|why|common|an? (?:\w+ )?(?:introduction|guide|overview))\b))"
            ),
            (
                r"(?:an?\s)?(?:(?:internal|unexpected|unknown|server|system) )?error"
                rf" {NO_TOPIC}[a-z]{{3,15}}ing\b"
            ),
            r"(?:\w+ ){1,4}returned (?:an? )?(?:\w+ )?error\b",
            (
                r"(?:[\w'-]+ ){1,5}(?:returned|sent|gave) (?:no (?:parse?able|valid|usable"
                r"|readable)|(?:an? )?(?:empty|invalid|unexpected|malformed|unparse?able"
                r"|unreadable|non-\w{2,10}|truncated|garbled|incomplete)"
                r" (?:response|results?|body|output|reply|answer|json|payload|data"
                r"|status|audio|video|image|frame|file|content|document|page|buffer|stream))\b"
            ),
            (
                r"(?:got |received )?(?:an? )?(?:empty|invalid|unexpected|malformed|unparse?able"
                r"|unreadable|truncated|garbled|incomplete)(?: [\w-]+)? (?:response|reply|answer"
                r"|body|payload)(?: format)? (?:was )?(?:received |returned )?(?:from|by) \w"
            ),
            r"you (?:are trying|were trying|tried|attempted|'re trying) to \w+",
            (
                rf"(?:i|we|the (?:{CALLED}|server|service|system)) (?:have |has )?(?:encountered"
                r"|got|hit|ran into|received|experienced) an? (?:\w+ ){0,2}(?:error|exception)\b"
            ),
            r"(?:execution|transaction) reverted\b",
            r"error in [\w.]{1,60}\([^\n]{0,120}\)\s?:",
            r"something went wrong",
            r"there (?:was|is|has been) an? (?:\w+ )?error[.!]?\s*\Z",
            (
                r"(?:the )?(?:[\w-]+ ){1,3}(?:raised|threw) (?:an? )?"
                r"(?-i:[A-Z]\w*(?:Error|Exception))\b"
            ),
            (
                r"there (?:is|was|has been|seems to be) (?:an?|some) (?:\w+ )?"
                r"(?:problem|issue|trouble) (?:\w+ing\b"
                r"|with (?:the|your|our) (?:\w+ )?(?:server|request|config\w*|connection|api|input"
                r"|service|database|system|network|query|login|credentials)\b)"
            ),
            (
                r"the (?:server|service|api|tool|system|request|operation) (?:has )?(?:encountered"
                r"|failed|was unable|is unable|could not)\b"
            ),
            r"(?:oops|uh[- ]oh)\b",
            rf"internal (?:server )?error{STOPS}",
            rf"server error{STOPS}",
            r"(?:i'?m |we'?re |i am |we are )?sorry,? (?:but )?(?:i|we|an|the|there|this|you|it)\b",
            r"sorry, (?!no\b)",
        ),
    ),
    Opening(
        "tool_missing",
        "page",
        (
            (
                rf"(?:unknown|no such|unrecogni[sz]ed|undefined|invalid) (?:tool"
                rf"|function|method){STOPS}"
            ),
            (
                r"(?:the )?(?:tool|function|method|server|mcp server|command) (?:name )?\S{0,80} ?"
                r"(?:is |was |could |does )?(?:not (?:found|available|registered|active|exist"
                r"|connected|running|configured|be (?:found|loaded|reached))|unknown|unavailable)\b"
            ),
            r"no tool (?:named|called)",
            (
                r"no (?:handler|implementation|executor) (?:is |was )?(?:registered|found|defined"
                r"|available) for (?:the )?(?:tool|function|method|action|command)\b"
            ),
            (
                r"(?:the )?(?:working|current) directory (?:\S{1,200} )?(?:(?:is |was )?not found"
                r"|does not exist|is not an? \w+)"
            ),
            r"tool result missing",
            r"model tried to call unavailable tool",
        ),
    ),
    *ACCESS,
    Opening(
        "broken_line",
        "page",
        (
            (
                r"(?:(?:\w+ ){0,3}?timed out|(?:(?:request|connection|operation|query|execution"
                r"|read|gateway|tool|response|connect|navigation|page|script|upstream|backend"
                r"|server|socket|proxy|idle|login) ){0,2}time-?out)"
                r"(?:\s(?:after|of \d|while|waiting|exceeded|expired|occurred|reached|before)"
                r"|[:.!]|\s*\Z)"
            ),
            r"deadline exceeded",
            (
                r"(?:the )?(?:command|process|script|execution|request|query|call|tool|operation"
                r"|job|task|\w+ call)(?: \S{1,40})? exceeded (?:the |its |a )?(?:\w+ )?(?:time-?out"
                r"|time limit|deadline|\d+(?:\.\d+)? ?(?:m?s|sec\w*|min\w*)\b)"
            ),
            (
                r"(?:the )?connection (?:(?:to|with|from) [^\n]{1,80}? )?(?:was |is |has been "
                r"|\w+ )?"
                r"(?:refused|reset|closed|aborted|lost|failed|error|timed out)\b"
            ),
            r"(?:all )?connection attempts? failed",
            r"network (?:error|is unreachable|unreachable)\b",
            (
                r"(?:host|server|service|endpoint) (?:is )?(?:unreachable|not reachable"
                r"|not responding)"
            ),
            (
                r"(?:[\w-]+ )?server (?:has )?(?:disconnected|crashed|exited|died|closed)\b"
                r"(?! (?:on|for|at)\b)"
            ),
            r"(?:[\w']+ ){1,5}?(?:closed|terminated|disconnected|exited|crashed) unexpectedly",
            r"socket hang up",
            (
                rf"{SOME_WORDS}(?:closed|disconnected|exited|terminated|died|crashed|stopped)"
                r" before [\w ]{0,40}\b(?:finished|completed?|responded|returned|answered"
                r"|was ready)\b"
            ),
            (
                r"(?:the )?(?:[\w'-]+ ){0,3}(?:server|api|run|request|query|model|service|endpoint"
                r"|call|response|tool|script|backend|provider|host|device) (?:did not|didn't|does"
                r" not|doesn't) (?:return|produce|send|contain|include|respond|answer|reply)\b"
            ),
            r"fetch failed",
            (
                r"no (?:response|reply|answer) (?:was |could be )?(?:generated|produced|received)"
                r"[.!]?\s*\Z"
            ),
            r"(?-i:E[A-Z]{3,15})(?::| -|\s*\Z)",
            # A call to the system, what it was to reach, and how that ended.
            (
                r"(?-i:(?:spawn|connect|read|write|open|stat|lstat|mkdir|rmdir|unlink|rename|access"
                r"|listen|bind|getaddrinfo|scandir|copyfile)(?:Sync)?(?: \S{1,200})?"
                r" E(?:CONN[A-Z]+|NOENT|NOTFOUND|ACCES|PERM|TIMEDOUT|PIPE|ADDRINUSE|HOSTUNREACH"
                r"|NETUNREACH|AI_[A-Z]+|XIST|NOTDIR|ISDIR|MFILE|NOSPC|BUSY))"
                r"(?: \S{1,100})?\s*(?:\Z|[\n,:;(])"
            ),
            r"could not resolve host",
            (
                rf"{SOME_WORDS}(?=d)(?:did not|didn't) (?:(?:[a-z]+ ){{1,4}}within|(?:respond"
                r"|answer|reply|appear|load|start|stop|connect|return|become \w+|come up"
                r"|show up) in) \d+(?:\.\d+)? ?(?:m?s|sec\w*|min\w*)\b(?! of (?!waiting))"
            ),
            r"lost connection to\b|(?-i:toomanyrequests|denied): ",
            (
                r"no (?:result|response|output|reply|answer) (?:was |were )?(?:returned|received)"
                r" (?:from|by) (?:the |your |remote )*(?:[\w-]+ )?(?:tool|server|api|model|service"
                r"|agent|client|device|backend|endpoint|host|extension|plugin|worker)\b"
            ),
            (
                r"(?:server|client|session|connection|database|engine|browser|page|driver) not"
                r" (?:initiali[sz]ed|connected|started|running|open|ready)\b"
            ),
            r"https?connectionpool\(|max retries exceeded\b",
            (
                rf"{SOME_WORDS}(?=c)(?:cannot|can't|could not|couldn't) be (?:read|loaded|fetched"
                r"|retrieved|reached|accessed|shown|processed|completed|sent|opened|saved|updated"
                r"|created|generated) (?:right now|at (?:the|this) (?:moment|time)|for now)\b"
                r"(?!, (?!please|try))"
            ),
            r"certificate verify failed",
            (
                r"(?:(?:[\w'./-]{1,60}|https?://\S{1,300}) ){0,4}?(?:returned|responded with"
                r"|answered with|got|received)"
                r"(?: (?:an?|the|status|http|error|code|response|invalid|unexpected):?)*"
                r" [45]\d\d\b(?! (?:\w+ )?(?!error)\w+s\b)"
            ),
        ),
    ),
    Opening(
        "stopped",
        "page",
        (
            (
                r"\[?(?:request|tool use|tool call|operation|action|execution|call|user)?\s?"
                r"(?:was\s)?(?:interrupted|cancell?ed|aborted|declined|rejected) by (?:the )?"
                r"(?:user|client|system|operator)"
            ),
            (
                r"(?:the )?user (?:doesn't want|does not want|rejected|declined|denied|cancell?ed"
                r"|aborted)"
            ),
            (
                r"(?:[\w,-]+ ){0,5}?(?:page|browser|context|session|connection|socket|stream"
                r"|channel|pool|client|transport|database|cursor|window|tab|file) (?:has been|is"
                r"|was|are)(?: already)? (?:closed|disposed|destroyed|terminated)[.!]?\s*\Z"
            ),
            (
                r"(?:cancell?ed|aborted|interrupted|killed|terminated|segmentation fault)"
                r"(?: \(core dumped\))?(?:[.!]?\s*\Z|\s*:)"
            ),
            (r"(?:cancell?ed|aborted|interrupted) (?:while|before|during) \w+ing\b"),
            (
                r"(?:the |your |this )?(?:[\w-]+ )?(?:agent|run|execution|request|query|script"
                r"|command|search|loop) (?:was |has been |has )?(?:stopped|terminated|aborted"
                r"|killed|interrupted) (?:due to|because of|after (?:reaching|exceeding))"
                r" (?:[\w-]+ ){0,3}"
                r"(?:limit|time-?out|error|failure|exception|budget|quota|memory)\b"
            ),
        ),
    ),
    Opening(
        "too_large",
        "page",
        (
            (
                rf"{SOME_WORDS}(?:exceeds|exceeded) (?:the |its )?(?:(?:maximum|max)(?: allowed)?"
                r" (?:size|length|tokens|number|limit|context|output)|(?:[\w.-]+ ){0,5}limit\b)"
            ),
            (
                r"(?:output|response|result|file|content|payload|input|message)s? (?:is |was "
                r"|are )?too (?:large|long|big)"
            ),
            r"(?:this model's )?maximum context length",
            (
                rf"{SOME_WORDS}(?:exceeds|(?:would )?exceed(?:ed)?) \d[\d,.]* ?(?:characters"
                r"|chars|bytes|[kmg]i?b|tokens|items|lines|rows|words|entries|pages)\b"
            ),
        ),
    ),
    Opening(
        "failed_to",
        "page",
        (
            (
                r"(?:(?:we|i|the \w+|it|\w+) )?(?:(?:was|were|am|are|is) )?(?:failed|unable"
                rf"|not able|failure) to {VERBS}\b"
            ),
            rf"(?:(?:we|i) )?(?:could not|couldn't|cannot|can't|can not)\s(?:be\s)?{VERBS}\b",
            r"failed\s+(?:with|because|due to|after|while|when|during)\b",
            r"failed\s*[:：]|failed to (?-i:[a-z]{2,20})(?: \S{1,40}){0,4}\s*[:：]",
            r"(?:failed|failure)[.!]?\s*\Z",
            r"failed to (?-i:[a-z]{3,20})\b(?=[^\n]{0,80}(?:[\"'`]\w|\w_\w|\d|\w/\w))",
        ),
    ),
    Opening(
        "work_failed",
        "page",
        (
            (
                r"(?!(?:subject|title|re|fwd|name|summary):|\S+:\d+:|no )"
                rf"(?:the )?(?:\S{{1,40}} ){{0,2}}{WORKS}"
                # In the same sentence, and neither "0 failed" nor "moved to Blocked".
                r"(?: (?!(?:0|no|moved|set|changed) )\S{1,60}(?<![a-z)][.!?])){0,3}? "
                r"(?:has )?(?:failed|errored|aborted|timed out|was (?:cancell?ed|aborted|rejected"
                r"|denied|interrupted|blocked|terminated|killed)|(?:is |has been )?(?:cancell?ed"
                r"|rejected|denied|declined|refused|blocked)"
                rf"|not (?:found|permitted|allowed))(?: \w+ly)?{STOPS}"
            ),
            (
                rf"(?!\d){SOME_WORDS}(?<!previously )failed"
                r"(?: (?:due to|because of|with)(?: \w+){0,3})?\s*[:：]"
            ),
            r"(?!no |\d)(?:[\w.'-]+ ){0,2}[\w.'-]*[^s\W] failed [—–-] (?!\d)\w",
            (
                r"(?:[\w.'-]+ ){1,5}exited with (?:(?:exit|status|error|return) )?(?:code|status)"
                r" (?!0\b)-?\d"
            ),
            rf"(?!\d){SOME_WORDS}failed with (?:an? )?(?:non-?zero )?(?:exit|error|status|code)\b",
            (
                r"(?:\S{1,40}\s){1,4}(?:rejected|refused|denied|blocked) (?:this|the|your)"
                r" (?:action|request|operation|call|command|connection)\b"
            ),
            (
                r"your (?:\w+ )?(?:edit|change|request|query|command|input|call|code)\b[^\n.]{0,40}"
                r"(?:errors?\b|error\(s\)|invalid|rejected|failed|could not)"
                r"|your (?:\w+ )?(?:reply|request|call|answer|input|arguments?|payload|json|output)"
                r" (?:had|has|have|contained|contains) no (?:valid \w|[\"'`])"
            ),
        ),
    ),
    Opening(
        "invalid_input",
        "page",
        (
            (
                r"(?:invalid|malformed|illegal|incorrect|wrong|bad)\s(?:or \w+\s)?(?:\w+\s){0,2}"
                rf"{NAMED_THINGS}{NAMING}"
            ),
            r"(?:invalid|malformed|illegal) (?:[\w-]{1,30} ){0,4}[\w-]{1,30}\s*[:：]",
            rf"missing\s(?:or \w+\s)?(?:a\s)?(?:required\s)?(?:\w+\s)?{NAMED_THINGS}{NAMING}",
            (
                rf"required\s(?:\w+\s)?{NAMED_THINGS}\b[^\n]{{0,60}}(?:missing|not (?:provided"
                r"|present|set|found|specified))"
            ),
            (
                r"(?:unknown|unrecogni[sz]ed|unexpected|unsupported|undefined)"
                rf"\s(?:or (?:\w+\s){{1,4}}?)?(?:keyword\s)?{NAMED_THINGS}{NAMING}"
            ),
            (
                r"(?:unknown|unrecogni[sz]ed|unsupported) (?:[\w-]+ )?(?:format|option|command"
                r"|argument|parameter|field|action|mode|unit|language|method|model|flag|property|column"
                r"|table) [\"'`]?[\w.-]{1,40}[\"'`]?[.!]?\s*\Z"
            ),
            rf"(?:input )?validation (?:error|failed){STOPS}",
            r"\d+ validation errors?(?: for|\s*:)",
            (
                r"no such (?:file|tool|command|function|method|host|user|container|object|key"
                r"|element|index|bucket|page|session|process|device|service|image|volume|network"
                r"|branch|record)\b"
            ),
            r"unexpected (?:end of|token)",
            r"expected (?:exactly |at least |at most )?\d+ [\w-]+,? but (?:found|got|received) \d",
            (
                r"(?:expected [^\n]{0,60}(?:'|\bname\b)|bad |unterminated |no number )[^\n]{0,60}"
                r" in JSON at (?:position|line) \d+"
            ),
            r"(?:[\w.]{1,80}\(\) )?(?:missing (?:\d+ )?required\b|got an unexpected \w+)",
            (
                r"[\w.]{1,80}\(\) takes (?:(?:from|exactly|at (?:least|most)) )?\w+ (?:to \d+ )?"
                r"(?:positional )?arguments? (?:but \d+ (?:was|were) given|\(\d+ given\))"
            ),
            r"[\w' ,-]{3,60}: line \d+ column \d+ \(char \d+\)",  # Python's reader of JSON
            (
                r"undefined (?:control sequence|variable|name|reference|symbol|identifier|index"
                r"|offset|array key)\b"
            ),
            r"attempt(?:ed|ing)? to \w+ (?:an?|the) (?:nil|null|undefined|non-|read-?only)",
            r"no \w+ matched (?:with )?(?:the|those|this|your)\b",
            (
                r"no such (?!luck|thing)(?:[\w-]+ ){0,2}[\w-]+(?:\s*[:：]|\s[\"'`(]|[.!]?\s*\Z"
                r"|[.;] (?=available|valid|known|use|try|see|allowed)\b)"
            ),
            (
                r"(?:unsupported|unrecogni[sz]ed|unresolved|ambiguous|mismatched|conflicting"
                r"|disallowed"
                r"|unterminated|unbalanced|corrupt(?:ed)?)"
                r" (?:[\w-]{1,30} ){0,3}[\w-]{1,30}(?:\s*[:：;]|\s[\"'`(])"
            ),
            (
                r"(?:duplicate|unknown|undefined|unexpected|invalid|bad"
                r"|wrong) (?:[\w-]{1,30} ){0,2}"
                r"[\w-]{1,30}(?::)? [\"'`]"
            ),
            r"no \w+ (?:was|were) (?:performed|executed|applied|written)\b",
            r"extra inputs are not permitted",
            (
                r"(?!no |what|still)(?:[\w'-]{1,30} ){0,3}[\w'-]{1,30}[^s\W] missing\s?[:：]"
                r"(?! ?\d+ \w|[^\n]{0,200}\n[^\n]{0,120} missing\s?[:：])"
            ),
        ),
    ),
    Opening("chinese_error", "page", CHINESE, beyond_ascii=True),
)
