"""How a single line tells of a failure: a sentence that refuses, or a symbol.

Such a sentence may also open prose, so it speaks only for a text that is hardly more than itself.
"""

from __future__ import annotations

from assay.evidence.error_openings import Opening
from assay.evidence.error_vocabulary import ARGUMENT, NAMED_THINGS, SOME_WORDS, VERBS
from assay.evidence.foreign_errors import FOREIGN, FOREIGN_BEYOND
from assay.evidence.foreign_refusals import LATIN_STATES, STATES_BEYOND

# First match wins.
SENTENCES: tuple[Opening, ...] = (
    Opening("foreign_error", "line", FOREIGN),
    Opening("foreign_error", "line", FOREIGN_BEYOND, beyond_ascii=True),
    Opening("foreign_state", "line", LATIN_STATES),
    Opening("foreign_state", "line", STATES_BEYOND, beyond_ascii=True),
    Opening(
        "error_symbol",
        "line",
        (
            (
                r"(?:invalid|missing|unsupported|bad|no_such|unknown|falha|erro|fallo|fehler|echec)"
                r"_[a-z_]{2,60}\s*(?:\Z|: )"
            ),
            (
                r"[a-z_]{2,60}_(?:not_found|denied|exceeded|exhausted|failed|expired|mismatch"
                r"|required|exists|unavailable|invalid|unauthorized|forbidden|unsupported|refused"
                r"|not_allowed|ambiguity|invalid[oa])\s*(?:\Z|: )"
            ),
        ),
    ),
    Opening(
        "state_symbol",
        "line",
        (
            (
                r"[a-z_]{2,60}_(?:disabled|rejected|missing|timeout|conflict|not_[a-z]{3,20}|busy"
                r"|locked|full|closed|offline|banned|blocked|taken|absent|stale|revoked|paused"
                r"|limit_reached|cooldown|too_[a-z]{3,10}"
                r"|n(?:ao|o)_[a-z]{4,20}d[oa])\s*(?:\Z|: )"
            ),
            (
                r"(?-i:no)_(?!changes?\b|data|results?\b|errors?\b|action|issues?\b|op\b|conflicts?\b"
                r"|updates?\b|match|diff|content|reply|one\b)[a-z_]{3,40}\s*\Z"
            ),
            r"(?-i:not)_(?:allowed|authenticated|authori[sz]ed|logged_in|permitted|supported)\s*\Z",
        ),
    ),
    Opening(
        "refused_sentence",
        "line",
        (
            (
                rf"(?!no ){SOME_WORDS}(?=[acdhinrsw])(?:not (?:found|defined|enough|accessible"
                r"|recogni[sz]ed|responding|reachable|enabled for)|(?:does not|doesn't) exists?"
                r"(?! yet)|(?:do|does|did)(?: not|n't) (?:match any|apply to|understand|support"
                r"|provide|allow|accept|permit|handle|recogni[sz]e)"
                r"|already (?:exists|registered|in use|been \w+ed|taken"
                r"|reserved|booked|assigned|claimed|redeemed|used|a member)"
                r"|(?:is|are) (?:not (?:(?:currently |yet )?available"
                r"|allowed|supported|permitted|implemented|valid for|operational|ready"
                r"|connected|online|registered|eligible"
                r"|initiali[sz]ed|installed|authenticated|accessible|writable|mounted"
                r"|logged in|signed in"
                r"|a member of|part of this)|no longer (?:available|valid|supported|attached"
                r"|open)|invalid|ambiguous|corrupt(?:ed)?|malformed|empty(?=:)"
                r"|out of (?:range|bounds)|closed and|restricted"
                r"|outside the (?:allowed|permitted)|an? \w+, not an? \w+"
                r"|(?:str|string|int|integer|float|bool|boolean|list|dict|null|none), not an? \w+)"
                r"|index out of (?:range|bounds)|could not be \w+ed(?=\s*:)"
                r"|(?:cannot|can't) be (?:after|before|empty|null|negative)"
                r"|(?:should not|shouldn't) be (?:empty|null|blank|negative)"
                r"|(?:is|are|was|were)"
                r" (?:above|below|over|larger than|greater than|smaller than) the (?:maximum"
                r"|minimum|limit|allowed|permitted)|insufficient (?:balance|credits?|funds"
                r"|inventory|memory|permissions?|privileges?|quota|rights|space|stock)"
                r"|(?:is|are) unavailable(?=:| (?:for|to|in) (?:this|your))|is not possible"
                r"|(?:has|have) (?:expired|reached (?:its|the|your) (?:\w+ ){0,2}(?:limit|maximum))"
                r"|(?:has|have) only \d+ \w+[^\n]{0,20}\bbut|requires? (?:authentication"
                r"|authori[sz]ation|permission|login|either|at least|exactly|a valid|an active"
                r"|one of))\b"
            ),
            # A thing that a call needs, not a list that is empty: one of it.
            (
                r"no (?!(?:[\w-]+ ){0,3}(?:found|match(?:es|ed)?|available)\b)"
                r"(?:[\w-]+ ){0,3}(?!are\b|were\b)[\w-]*[^s\s] (?:(?:is|was"
                r"|has been) )?(?:provided|specified"
                r"|selected|configured|supplied|given|connected|loaded|initiali[sz]ed|installed"
                r"|attached|passed|mounted|uploaded|open|running)\b"
            ),
            (
                r"you (?:can(?:not|'t| only)|are not|aren't|already"
                r"|have (?:already|not(?! \w+ any\b)"
                r"|no (?!\w+s\b))"
                r"|may not) \w+"
            ),
            (
                r"too (?:many|few|long|short|large|deep) \w+(?: \w+)?(?:\s*[:：(,.]|\s*\Z| for| in"
                r"|\s\d)"
            ),
            r"too (?:many|few) (?:\w+ )?(?:arg|argument|parameter|input)s (?:to|provided|given)\b",
            r"(?:refusing|refused) to \w+",
            (
                r"[^\n]{1,160} exists[.!;] (?:please )?(?:use|set|pass)"
                r" (?:\w+(?:=|: (?:true|yes)\b)|-|(?:another|an? (?:different|new))"
                r" (?:[\w-]+ )?(?:name|title|path|id|key|one|file|folder|directory"
                r"|destination|target|email|slug|label|tag)\b"
                r"|the \w+ (?:flag|option|parameter|argument)\b(?! of\b))"
            ),
            r"(?-i:[a-z][\w-]{0,30}) is not an? (?:directory|folder|file|valid|known)[\w -]{0,30}:",
            r"(?:the )?(?:path|target|source|destination) is an? (?:directory|folder|file)[;,:]",
            r"you can [^\n]{3,80} only[.!]?\s*\Z",
            (
                r"(?:this|the|that|your) (?:\w+ )?(?:file|image|document|pdf|archive|video|audio)"
                r" (?:looks|seems|appears|is|seems to be|appears to be) (?:damaged|corrupt(?:ed)?"
                r"|broken|unreadable|encrypted|password[- ]protected|malformed)\b"
            ),
            r"(?!(?:no|none|never|tests?|checks?|jobs?) )(?-i:[A-Z])[\w-]{2,30} failed[.!]?\s*\Z",
            r"(?:aborting|giving up|rejected|refused|disallowed|forbidden)\s*[:：]",
            (
                r"(?:blocked|denied)\s*[:：]\s(?!\d|none\b|no\b|yes\b|true\b|false\b|a?waiting\b)"
                r"(?-i:[a-z'\"`/])[^\n]*\Z"
            ),
            # One thing and why, not a count of many.
            (
                r"(?!no )(?:\w{1,20} ){0,3}\w{1,20}[^s\s] (?:declined|rejected|refused|denied"
                r"|blocked)(?: (?:in|by|for|under) [\w -]{1,30})?"
                r"\s*[:：]"
                r"\s*(?!\d|no\b|none\b|n/a|[\[{-])\w"
            ),
            # What asks for another try did not do it.
            (
                r"[^\n]{1,160}\b(?:(?:please |then )?(?:try|run it|call it|call this tool"
                r"|run this tool) again|please retry)(?: (?:later|shortly|in (?:a|\d)"
                r"|after)|[.!]?\s*\Z)"
            ),
            (
                r"(?:permission|access|request|consent|authori[sz]ation|payment|transaction|call"
                r"|connection|operation)\b[^\n.;]{0,50}? (?:has been|was|is|were) (?:denied"
                r"|rejected|refused|blocked|declined)\b"
            ),
            r"(?!not|never|far|way|all|just)(?:\w+ ){1,2}too (?:small|large|long|short|big)\b",
            (
                r"(?=[^\n]{0,80}(?:[\d'\"`_/]|\w\.\w))"
                rf"{SOME_WORDS}(?=c)(?:cannot be (?:\w+ly )?\w+ed|could not be \w+)\b"
            ),
            (
                rf"(?:[\w.-]+ ){{1,2}}(?:could not|was unable to) {VERBS}\b"
                r"(?=\s*:|[^\n]{0,60}(?:[\"'`]\S|\w_\w|\w/|request\b))"
            ),
            r"[A-Za-z]+ (?:file|table|row|record|page|data) cannot be \w+ed\b",
            # With its reason behind a colon, as no story tells it.
            (
                r"(?!(?:i|we|you|he|she|they|it|nobody|people|everyone)\b)(?:the |this |your )?"
                r"(?:[\w.'-]{1,30} ){1,4}(?:could not|couldn't|(?:was|is) unable to)"
                r" (?!agree|believe|help|imagine)(?-i:[a-z]{3,20})"
                r"(?: [^\n:.;,]{1,60})?: (?-i:[a-z\d\[({'\"])[^\n]*[^.!?\s]\s*\Z"
            ),
            # What a call should have brought with it.
            (
                r"(?:[\w'-]{1,30} ){1,4}missing (?:in|from) (?:the |your )?(?:\w+ )?(?:token"
                r"|request|headers?|body|payload|input|arguments?|call|query|url|session|environment"
                r"|config\w*)\b"
            ),
            (
                r"(?:[\w'-]{1,30} ){1,3}required \((?:e\.g\.|for example|one of|either|got|like"
                r"|format)"
            ),
            (
                rf"{ARGUMENT} (?:must|should|needs to|has to|(?:is|are) (?:required|missing|empty"
                r"|invalid|not (?:set|valid|an?|one of))|cannot|can't|does not match)\b"
            ),
            r"(?-i:[a-z][\w-]{1,40}) (?:is required|must be (?:provided|set|specified|an?))\b",
            (
                r"(?:\w{1,30} ){0,2}\w{1,30}[^s\s] must (?:be (?:between|less|greater|at least"
                r"|at most|one of|positive|different|unique|longer|shorter|valid)|not be (?:empty"
                r"|null"
                r"|blank|negative|zero|set|before|after|in|longer|greater|less|more|the)|match"
                r"|contain|start with|end with)\b"
            ),
            (
                r"(?:(?:i|we) )?(?:cannot|can't|could not|couldn't|unable to) (?!is\b)"
                r"(?-i:[a-z]{2,})\b"
            ),
            (
                rf"(?:the |this |your )?(?:{NAMED_THINGS}|\S{{0,60}}[\d'\"`_/]\S{{0,60}}) is not"
                r" an? (?:valid|recogni[sz]ed|supported)\b"
            ),
            r"this field (?:is required|may not|must|cannot|should)\b",
            r"(?:enter|provide|specify|select) (?:an? )?(?:valid|different)\b",
            r"only (?:[\w-]+ ){1,8}(?:can|may) \w+ (?:this|that)\b",
            (
                r"only (?:authenticated|authori[sz]ed|registered|logged[- ]in) (?:\w+ )?(?:can"
                r"|may) \w+"
            ),
            (
                rf"{SOME_WORDS}must be (?:strictly )?(?:greater than|less than|more than|between \d"
                r"|positive|non-)"
            ),
            (
                r"(?:only|exactly|at most) [^\n]{1,80} (?:is|are) (?:allowed|supported|permitted"
                r"|accepted)\b"
                r"|only (?:[\w-]+ ){1,3}(?:allowed|supported|permitted|accepted)"
                r"(?: (?:in|by|for|on|with) this [\w -]{2,30})?[.!]?\s*\Z"
            ),
            (
                r"(?:this|that|the|your) (?:\w+ )?(?:action|change|request|update|operation|edit"
                r"|booking|event|slot|name) conflicts with\b"
            ),
            r"you (?:do not|don't) have (?:enough|sufficient)\b",
            (
                r"(?:the )?(?:specified|given|provided|supplied|configured"
                r"|requested) (?:[\w'\"./-]{1,40} ){1,4}"
                r"(?:could not|cannot|(?:is|are|was|were) (?:empty|invalid|missing|malformed"
                r"|unknown|unavailable|in the (?:future|past)|out of"
                r"|too|not|\d[\d.,]* ?[^\n]{0,20}[;,(—–-] ?(?:but )?(?:the |your )?(?:[\w-]+ ){0,2}"
                r"(?:limit|maximum|max|minimum|min|cap) (?:is|of)))\b"
            ),
            r"(?!(?:no|none|not|nothing)\b)(?:[\w'-]{1,30} ){1,4}required[.!]?\s*\Z",
            (
                r"you (?:must|need to|have to|should) (?:first )?(?:connect|log ?in|authenticate"
                r"|initiali[sz]e|start|open|create|configure|call|select|choose|enable|install"
                r"|set)\b"
                r"[^\n]{1,100}\b(?:first|before)\b"
            ),
            r"expected [^\n]{1,80}\b(?:got|received|found|but)\b",
            (
                r"you (?:must|need to|have to|should|cannot|can't|can only) (?:first )?(?:specify"
                r"|provide|set|pass|use|supply|give|add|include|choose|select|confirm|define)\b"
            ),
            r"you (?:supplied|provided|passed|gave|sent|specified) an? (?:empty|invalid|unknown)\b",
            r"must (?:specify|provide|supply|be (?:an?|one|less|greater|between))\b",
            (
                r"please (?:provide|select|choose|enter an?|specify|supply|configure|try again|run "
                r"|install|set |retry"
                r"|reconnect|re-?authenticate|grant|upgrade|reduce|use an? (?:valid|different)"
                r"|(?:check|verify|ensure|make sure) (?:that |the |your (?!e-?mail|inbox|phone"
                r"|mes)))"
            ),
            r"please \w+ [^\n]{1,80} first[.!]?\s*\Z",
            r"'?(?:NoneType|\w{1,30})' object (?:is not|has no|does not)\b",
            r"(?:integer |float )?division by zero",
            r"undefined is not\b",
        ),
    ),
)
