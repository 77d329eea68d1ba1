"""How a single line tells that a thing is not there, or what a call should have brought.

What is named is missing: an empty search names many things, or none. What is demanded is named as
a call names it: by an identifier, in quotes, with the value that came instead.
"""

from __future__ import annotations

from assay.evidence.error_openings import Opening
from assay.evidence.error_vocabulary import (
    CALLED,
    FIELD_NAMES,
    IDENTIFIERS,
    MANY_THINGS,
    NAMED_THINGS,
    SOME_WORDS,
)

_QUOTED = r"[\"'`][^\"'`\n]{1,80}[\"'`]"
# One thing, of which a call asked for just that one.
_ONE = (
    rf"(?!{MANY_THINGS}\b|(?:[\w-]+ ){{0,2}}[\w-]+[^s\s]s"
    r" (?:for|in|of|on|with|from|at|by|to|\w+ing)\b)"
    r"(?:[\w-]+ ){0,3}?[\w-]*[^s\s](?<!\bfound)"
)
# As code names things: preset_name, presetName, action=GET. Prose has no such words.
_NAME = r"(?-i:[\w.-]*[_=][\w.=-]*|[a-z]+[A-Z]\w*)"
_ARGUMENT_NOUN = (
    r"(?:arguments?|parameters?|params?|fields?|options?|propert(?:y|ies)|inputs?|arrays?|lists?"
    r"|objects?|flags?|keys?|values?|strings?)"
)
_FIRST_DO = (
    r"(?:connect|call|run|use|start|create|open|load|install|log ?in|sign ?in|select|set|add"
    r"|register|stop|close|switch|initiali[sz]e|configure|save|read|fetch|get|enable|authenticate"
    r"|poll|wait|check|finish|delete|remove)"
)

# What stands at the end of a chain of causes: "read state: open /x: permission denied".
_CAUSE = (
    r"(?:permission denied|access denied|no such (?:file or directory|host)|connection (?:refused"
    r"|reset|closed|aborted)|broken pipe|unexpected (?:eof|end of \w+|token)|eof|(?:context )?"
    r"(?:deadline exceeded|cancell?ed)|i/o timeout|timed out(?: after [\d.]+ ?\w+)?"
    r"|no route to host|network is"
    r" unreachable|not (?:found|authorized|permitted|allowed|supported|implemented)|does not exist"
    r"|received (?:null|none|undefined)|already exists|unauthorized|forbidden"
    r"|database is (?:locked|closed)|something went wrong"
    r"|(?:invalid|unsupported|unknown|malformed) [\w -]{2,40}|[\w.-]{2,40} not (?:installed|found)"
    r"|(?:[\w']+ ){1,3}(?:is|are) (?:empty|missing|required|invalid|too \w+|not (?:set|valid|found"
    r"|allowed|installed|supported|an? \w+)))"
)

# First match wins.
DEMANDS: tuple[Opening, ...] = (
    Opening(
        "no_such_thing",
        "line",
        (
            (
                rf"no {_ONE} (?:(?:was |is )?found (?:with|by|for|having)|with|having)"
                rf" (?:the |that |this )?(?:\w+ )?{IDENTIFIERS}(?! of)[\s:=#]+"
                r"(?:[\"'`(\[]|\S*[\d_@/-]|\S+[.!]?\s*\Z|\S+ (?:found|exists)\b"
                r"|\S+\. (?:use|call|run|see|try) \w)"
            ),
            (
                rf"no (?!(?:[\w-]+ ){{0,3}}(?:found|match(?:es|ed)?|available|detected|reported)\b)"
                rf"{_ONE} (?:matching |named |called |with \w+ )?{_QUOTED}"
            ),
            (
                rf"no {_ONE} found for [\"'`\w][^\n.]{{0,80}}\. (?:please )?(?:run|create"
                r"|configure|call|add|install|start) [^\n]{2}"
            ),
            # "No session found for PID 4411": an acronym and a number name one thing.
            rf"no {_ONE} (?:was |is )?(?:found )?(?:for|with|at|on) (?-i:[A-Z]{{2,5}})[ :#]+\S*\d",
            # What was asked for by its id: letters and digits, as no date has them.
            (
                rf"no {_ONE} (?:is |was )?(?:available|exists) (?:for|in|at|on) (?:[\w-]+ ){{0,2}}?"
                r"[\"'`]?(?=[\w./:-]*\d)(?=[\w./:-]*(?-i:[a-zA-Z]))[\w./:-]{5,}"
            ),
            rf"no {_ONE} (?=[\w-]*(?-i:[a-z]))(?=[\w-]*\d)[\w-]{{4,}}(?=[ .!]|\Z)",
            rf"{SOME_WORDS}has no \w+ {_QUOTED}",
            rf"there (?:is|was) no {_ONE} (?:named |called |with |for )?(?:{_QUOTED}|{_NAME})",
            (
                rf"there (?:is|was) no {_ONE} (?:at|in|on|for|with) (?:that|this|the (?:given"
                r"|specified|requested|current)) \w+"
            ),
            rf"no {_ONE} with (?:that|this|the given) (?:\w+ )?{IDENTIFIERS}\b",
            rf"no {_ONE} (?:named|called) \S+\s*\Z",
            (
                rf"there (?:is|was) no {_ONE} (?:selected|specified|provided|given|configured"
                r"|loaded|open|connected)\b"
            ),
            rf"no {_NAME} (?:in|on|for|from|found|provided|specified|set)\b",
            # In lower case, as no answer of a search is told.
            (
                rf"(?-i:(?:there (?:is|was) )?no) {_ONE}(?: (?:for|with|at|to|from|named|called) \S"
                r"|: \w| (?=\S*\d)\S)[^\n]*"
                r"[^.!?\s]\s*\Z"
            ),
            r"no [\w.-]{1,40} (?:property|field|key|attribute|column|header) (?:in|on)\b",
            # "Unknown region: mars", not "Unknown callers: 3" and not a song.
            (
                r"(?:unknown|unrecogni[sz]ed) (?!error|exception|reason)(?:[\w.-]{1,30} ){0,4}"
                r"[\w.-]{1,30}[^s\s]: (?!\d)[^\s,;]{1,80}(?:[.,;]?\s*\Z|[.,;] | \()"
            ),
            rf"(?:unknown|unrecogni[sz]ed) (?:\w+ )?{_NAME}(?:\s|[:.]|\Z)",
            (
                r"not an? (?!problem|issue|bug|error|big|bad|concern|joke)(?:[\w-]+ ){0,3}"
                r"[\w-]+\s*[:：]"
            ),
            r"there (?:is|are|was|were) no such (?!thing\b)\w",
            rf"there (?:is|was) no {_QUOTED} (?:here|in|on|at|to)\b",
            r"(?-i:not an?) [\w-]{2,30} \((?:got |found |it is )?\w{2,30}\)\s*\Z",
        ),
    ),
    Opening(
        "chain_of_causes",
        "line",
        (
            (
                rf"(?!{FIELD_NAMES}\b|\S+:\d)(?-i:[a-z])(?:[^\n:]|:(?! )){{1,80}}"
                rf"(?:: (?:[^\n:]|:(?! )){{1,120}}){{0,4}}?: {_CAUSE}(?=\s*(?:\Z|[:(\[{{,;.\"'`]))"
            ),
        ),
    ),
    Opening(
        "demand",
        "line",
        (
            (
                rf"(?:the )?[\"'`]?[\w.-]{{1,40}}[\"'`]? {_ARGUMENT_NOUN} (?:must|should|cannot"
                r"|can't|needs|(?:is|are) (?:required|missing|empty|invalid|not))\b"
            ),
            rf"missing {_QUOTED} {_ARGUMENT_NOUN}\b",
            (
                r"(?:at least|exactly|either|both|one of) [^\n]{1,80} (?:must|(?:is|are)"
                r" (?:required|needed))\b"
            ),
            (
                r"(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?: \w+){0,3} (?:must be set|(?:is |are )?(?:not"
                r" (?:set|configured|found|defined)|missing|required|undefined|unset|empty))\b"
            ),
            # In lower case from the start, as no sentence of prose is.
            (
                r"(?-i:[a-z][\w.-]{1,40}) must (?:be|not be|contain|have|include|match|use|start"
                r"|end)\b"
            ),
            (
                r"(?-i:[a-z][\w.-]{1,40}) (?:requires \S|(?:needs|expects) (?:an?|the|at|one"
                r"|either)\b)"
            ),
            r"(?-i:an?|the) \w+ cannot \w+",
            (
                r"(?-i:[a-z][\w-]{1,40})['\"`]?(?:(?:,| and| or) ['\"`]?\w+['\"`]?){0,3}"
                r" (?:is |are )?required (?:for|to|when|in)\b"
            ),
            (
                r"no (?:arguments?|parameters?|params|inputs?|fields|options|values|files?|query"
                r"|credentials) (?:was |were )?(?:provided|given|supplied|specified|passed)\b"
            ),
            r"no (?:[\w-]+ ){0,2}[\w-]+s (?:provided|supplied|passed)(?:,|[.!]?\s*\Z)",
            (
                r"(?:[\w'.-]+ ){1,4}must be (?:an? )?(?:valid |non-?empty |json )*(?:json|object"
                r"|array|string|number|integer|boolean|list|dict|dictionary|float|uuid)\b"
            ),
            r"does not match (?:the )?(?:pattern|format|regex|schema)\b",
            r"you need (?:at least|more|an? (?:valid|active|paid))\b",
            (
                rf"{SOME_WORDS}(?=[ian])(?:is not (?:in|on) (?:the|your|this) (?:\w+ )?list"
                r"|(?:is |are )?not (?:in|on) (?:the |your |this )?(?:\w+ )?(?:allow-?list"
                r"|whitelist))\b"
            ),
            rf"{_NAME}(?: \w+){{0,2}} (?:is )?required\b",
            r"--[\w-]{2,40} (?:(?:is|are) (?:required|missing)|must|requires|cannot)\b",
            r"(?:in order )?to \w+ [^\n,]{2,60}, you must [^\n.]{3,60} first[.!]?\s*\Z",
            rf"(?:an? |the )?(?:\w+ ){{0,2}}{NAMED_THINGS} (?:is|are) required\b",
            (
                rf"{_NAME}(?: \w+){{0,2}} (?:requires|needs|rejects|expects|accepts only"
                r"|supports only|is invalid|was rejected)\b"
            ),
            (
                rf"(?:the |this )?{CALLED} {_QUOTED} (?:requires|needs|expects|rejects|cannot|is"
                r" (?:not|disabled))\b"
            ),
            # Two words in lower case, as no sentence is.
            (
                r"(?!nothing|none|no )(?-i:[a-z])[\w.-]{2,40} (?:missing|required|denied|expired"
                r"|unavailable|unreachable|unauthorized|invalid)[.!]?\s*\Z"
            ),
            (
                r"(?:the )?(?:server|remote|peer|upstream|gateway|backend) (?:rejected|denied"
                r"|refused|declined)(?: (?:the|this|your)\b|[:.!]|\s*\Z)"
            ),
            r"(?:[\w'-]{1,30} ){1,4}(?:is |are )?misconfigured(?=\s*(?:[.:;,(—-]|\Z))",
            # What was not made ready before the call.
            (
                r"(?:[\w'\"-]+(?:\.\w+)? ){1,5}(?:is |are |was |has |have )?not (?:been |yet "
                r"|properly )?"
                r"(?:configured|initiali[sz]ed|installed|approved|set up|supported)"
                r"(?=\s*(?:[.:;,(—-]|\Z)| (?:yet|for|on|in|by|or)\b)"
            ),
            (
                r"(?:\w+ ){0,3}(?:service|server|manager|daemon|engine|client|database|backend"
                r"|worker|runtime|sdk|driver|plugin) not (?:running|started|loaded|ready"
                r"|available)\b"
            ),
            (
                r"(?:[\w.'-]+ ){1,4}not available[.:] (?:please |you can )?(?:install|check|run|set"
                r"|configure|enable|start|see)\b"
            ),
            # The value that came, beside what should have come.
            (
                r"[^\n]{3,160}[,;(] ?(?:but )?(?:got|received|was given) (?:-?\d|[\"'`]"
                r"|(?:none|null|nil|undefined|str|int|list|dict|string|number|object)\b)"
            ),
            (
                r"(?:provide|specify|supply|pass|give|include) (?:either|at least"
                r"|exactly|only one|one of|both)\b"
            ),
            r"(?-i:give|provide|specify|pass|supply|enter) (?:an?|the) \w+",
            # What is done only once it was confirmed; what was tried for once is told as such.
            (
                r"(?![^\n]{0,160}\b(?:dry[- ]run|preview|would)\b)(?![^\n.;:!]{0,80}\b(?:created"
                r"|set|saved|held|ready|booked|placed|sent|uploaded|finished|scheduled|added)\b)"
                r"[^\n]{3,200}[.;:!,—–-]"
                r" (?:please )?(?:set|pass|use|add|include|send|call (?:it |this )?again with"
                r"|re-?run with|repeat with) (?:\S{1,32}[=:]\S{1,16}|\S{2,40} (?:=|to) ?\S{1,8}"
                r"|(?:confirm|force)\w{0,12}) to (?:proceed|confirm|continue|go ahead)\b"
            ),
            (
                r"no (?:[\w-]+ ){1,4}(?:is |are |was |were )?(?:configured|set up|available|found)"
                r"[.:;,—–-]{1,2} (?:please )?(?:set|export|configure|add|define) (?:the )?"
                r"(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)"
            ),
            (
                rf"[^\n]{{3,160}}[.;,:—-] (?:please )?{_FIRST_DO}\b[^\n]{{0,80}}"
                r"\bfirst(?:[.!]|\s*\Z| with| before)"
            ),
            (
                r"\S{1,60} match(?:es|ed) (?:\d+|multiple|several|more than one) \w+[^\n]{0,120}"
                r"\b(?:pass|specify|use|provide|be more)\b"
            ),
            (
                r"found (?:\d+|multiple|several) (?:matches|occurrences)\b[^\n]{0,80}, but"
                rf" (?:expected\b|{_NAME})"
            ),
            r"(?:i|we) can only \w+",
            (
                rf"[^\n]{{3,160}}[.!] (?:this|the) {CALLED} is only (?:available|allowed|supported)"
                r" (?:after|before|when|while|if|once|for|in|with)\b"
            ),
            (
                r"(?:the )?(?:[\w./'-]+ ){0,4}(?:response|reply|answer|payload|body)"
                r" (?:is|was) (?:missing|lacking) (?:its|the|an?|any|required) \w"
            ),
            (
                rf"(?:(?:the |this )?{CALLED}|{_NAME})(?: \w{{1,40}})? (?:is|are|was|has been)"
                r" (?:disabled|blocked|prohibited|forbidden)(?=\s?[:(]| by\b| in read)"
            ),
            (
                rf"(?:(?:the |this )?{CALLED}|{_NAME})(?: \w{{1,40}})? (?:is|are) (?:only"
                r" (?:available|allowed|supported|permitted)|(?:available|allowed|supported"
                r"|permitted) only)\b"
            ),
            (
                r"[^\n]{3,80} (?:is|are) (?:disabled|turned off|not enabled) (?:in|by|via|for|on)"
                r" (?:the |your |this |our )*(?:[\w./-]+ ){0,2}?[\w./-]*(?:config|settings?|policy"
                r"|admin|server|workspace|environment|build|installation|organi[sz]ation|plan"
                r"|deployment|instance)\w*"
            ),
            (
                rf"(?:[\w'-]+ ){{0,4}}{NAMED_THINGS} (?:is )?required (?:for|to|when|in|by)"
                r" (?:[\"'`]|\w+_\w|(?:this|the) (?:action|operation|call|command|mode|tool"
                r"|request))"
            ),
            r"[^\n]{3,160}\b(?:may|might) not be (?:enabled|configured|installed|supported)\b",
            r"(?:[\w-]+ ){1,4}(?:is )?disabled[.:]? \(?(?:set|enable|turn on|use|run)\b",
        ),
    ),
)
