"""How messages tell that the caller was not let in, or that there is no more of something."""

from __future__ import annotations

from assay.evidence.error_openings import Opening
from assay.evidence.error_vocabulary import CALLED, STOPS

# Who is to let a call pass.
_APPROVAL = (
    r"(?:action required: )?(?:(?:human|user|manual|admin(?:istrator)?|manager|supervisor|operator"
    r"|owner|explicit|prior|your|the user's) ){0,2}approval"
)

# First match wins.
ACCESS: tuple[Opening, ...] = (
    Opening(
        "not_let_in",
        "page",
        (
            rf"(?:unauthori[sz]ed|forbidden|bad credentials){STOPS}",
            (
                r"(?:login|subscription|payment|(?:re-?)?authentication|authori[sz]ation|upgrade"
                r"|premium)"
                rf" required{STOPS}"
            ),
            (
                r"(?:action required: )?(?:[\w-]+ ){0,2}(?:re-?)?(?:authentication"
                r"|authori[sz]ation|log ?in|sign[- ]?in) (?:is )?needed"
                r"(?:[.:!]?\s*\Z| (?:for|to|by|before)\b)"
            ),
            (
                r"(?:(?:this|your|the) )?(?:\w+ )?account (?:is |has been |was )?(?:suspended"
                r"|disabled|locked|blocked)\b"
            ),
            (
                r"you (?:have been|are|were)(?: being)? (?:blocked|banned|rate[ -]limited"
                r"|logged out)\b"
            ),
            # Of this call, and not by a rule of the house, which goes on for many lines.
            (
                r"(?=[^\n]{0,400}(?:\n[^\n]{0,400}){0,3}\Z)"
                rf"{_APPROVAL} (?:required|needed)(?:[.!]?\s*\Z|(?: for)?\s?[:：]\s?"
                r"(?!\d|no(?:ne)?\b|yes\b|true\b|false\b|n/?a\b)\S|\s?[;(—–-](?! ?\d))"
            ),
            (
                rf"{_APPROVAL} (?:is )?(?:required|needed) (?:to|for|before) (?:\w+ing )?"
                r"(?:(?:run|use|execute|call|perform|do) )?(?:this|that|your|it)"
                rf"(?: (?:\w+ )?{CALLED}\b"
                r"|(?: can| may)? (?:runs?|proceeds?|continues?|is|be)\b"
                r"|(?: [\w-]+){0,2}[.!]?\s*\Z)"
            ),
            r"(?:this|the) \w+ requires an? (?:premium|paid|pro|valid|higher|enterprise)\b",
            r"too many \w+ attempts\b",
            (
                r"(?:rejected|refused|blocked|denied): (?:the |this |your )?(?:command|request"
                r"|query|statement|operation|action|tool|call|url|host|path)(?: \S{1,60})?"
                r" (?:is|was|not|match\w*|contains?|exceeds?|must|needs|requires|uses|violates"
                r"|outside|would)\b"
            ),
            r"please enable (?:js|javascript|cookies)\b",
            r"just a moment\b[^\n]{0,20}\n",
            r"(?:enable|turn on) (?:js|javascript)(?: and cookies)? to \w+",
            r"(?:please )?(?:verify|confirm|prove) (?:that )?you are (?:a )?(?:human|not a robot)",
            rf"(?:access|permission)(?: is| was)? denied{STOPS}",
            rf"(?:request|access|operation)(?: is| was)? forbidden{STOPS}",
            r"access to \S{1,60}[^\n]{0,80}(?:blocked|denied|forbidden)\b",
            r"no (?:access|permission|authori[sz]ation)\b",
            (
                r"no (?:valid |stored )?(?:api key|credentials?|access token|auth token|licen[sc]e)"
                r" (?:for|found|set|provided|configured|available|stored)\b"
            ),
            (
                r"not (?:authori[sz]ed|authenticated|permitted|allowed|connected|logged in"
                rf"|configured){STOPS}"
            ),
            (
                r"insufficient (?:permissions?|privileges?|scopes?|quota|credits?|funds|balance)"
                rf"{STOPS}"
            ),
            rf"authentication (?:failed|error){STOPS}",
            (
                r"(?:\w+ ){0,3}?(?:api key|token|jwt|cookie|certificate|licen[sc]e|session"
                r"|credentials?|account|subscription) (?:has |have"
                r" |is |are |was )?(?:been )?(?:expired|invalid|missing|disabled|suspended|revoked"
                r"|not (?:found|set|configured|valid|enabled))\b(?! successfully)"
            ),
            (
                r"(?:you|i|we) (?:do not|don't) have (?:the |sufficient |enough |necessary )?"
                r"(?:permissions?|access|rights)\b"
            ),
            (
                r"(?:admin(?:istrator)?|member|owner|staff|moderator|manager|premium|pro)s?"
                r"(?: users?)? only[.!]?\s*\Z"
            ),
            (
                rf"(?:this|the) (?:\w+ )?{CALLED} (?:needs|requires) (?:an?|the|your|you to)"
                r" (?:[\w'-]+ ){0,4}(?:account|subscription|plan|key|token|log ?in|sign[ -]?in"
                r"|licen[sc]e|permissions?|scopes?|upgrade|connection|session)\b"
            ),
            (
                rf"(?:this |the |your )?{CALLED} contains? (?:an? )?(?:dangerous|forbidden"
                r"|disallowed|unsafe|illegal|restricted|blocked) \w"
            ),
            (
                r"(?:the )?(?:[\w./'\"`-]+ ){0,3}?(?:path|file|target|link|symlink"
                r"|director(?:y|ies)|folder)\b[^\n:]{0,80} (?:escapes"
                r"|(?:is|resolves) outside)(?: of)? (?:the |its |your |this )?(?:[\w-]+ ){0,3}"
                r"(?:root|workspace|project|sandbox|repo(?:sitory)?|boundary"
                r"|(?:allowed|permitted|working) director(?:y|ies))\b"
            ),
            r"(?:security|policy|access|permission|sandbox|guardrail) violation\s*[:：]",
            (
                r"you (?:(?:must|need to|have to) be|are not) (?:logged|signed|authori[sz]ed"
                r"|authenticated)\b"
            ),
            (
                r"(?:the |your )?(?:password|passcode|passphrase|pin|otp|credentials?)"
                r" (?:is|are|was|were) (?:not correct|incorrect|wrong|not accepted)\b"
            ),
            r"please (?:log|sign) in\b|you (?:need|have) to (?:log|sign) in\b",
        ),
    ),
    Opening(
        "overload",
        "page",
        (
            (
                r"(?:\w+ ){0,3}(?:rate[ -]?limit(?:s|ed)?|quota|usage (?:limit|cap)|cap)"
                r"(?: \w+){0,3} (?:exceeded|reached|hit)"
            ),
            (
                r"(?:you|i|we)(?: have|'ve)? (?:exceeded|reached|hit) (?:your|the|my|our) "
                r"|(?:your|this) (?:account|app|application|team|project|organi[sz]ation|workspace"
                r"|token|key)(?: has)? (?:exceeded|reached|hit) (?:your|the|its) "
                r"(?:[\w'-]+ ){0,4}(?:limits?|quotas?|caps?|allowance|budget|credits|maximum)\b"
            ),
            (
                r"you(?: have|'ve)? (?:exceeded|reached|hit|used up|exhausted) (?:[\w'-]+ ){1,6}"
                r"(?:limits?|quotas?|caps?|allowance|budget|credits)\b"
            ),
            (
                r"(?:\w+ ){1,3}(?:limit|length|quota|size|budget|depth|amount|capacity|attempts"
                r"|retries) (?:was )?exceeded"
            ),
            (
                r"(?:\w+ ){1,4}(?:limit|quota|cap) (?:of [$€£]?\d[\d.,]* ?[\w€£]{0,12} )?"
                r"(?:was |has been )?(?:exceeded|reached|hit|exhausted)\b"
            ),
            rf"out of (?:tokens|credits|disk space|space on){STOPS}",
            r"no (?:credits?|quota|tokens|funds)(?: left| remaining)?(?:[.!]|\s*\Z)",
            rf"(?:rate[ -]?limited|too many requests|resource[_ ]exhausted|out of memory){STOPS}",
            # What befell this call, not how many calls one has.
            (
                r"(?!(?:no|none|some|most|if|when|while|once|where|which|why|how|what|whether)\b)"
                r"(?:(?!that |which |who )[\w'/.-]+ ){1,5}?(?:is|are|was|were|has been|have been)"
                r" (?:(?:currently|temporarily|now|still|being) ){0,2}rate[ -]?limited"
                r"(?: (?:right now|now|currently|at (?:the|this) (?:moment|time)|until|temporarily"
                r"|for (?:the next|another|\d))\b|\s?[—–(](?! ?(?!429)\d)|:(?! ?\d)|[.!]?\s*\Z"
                r"|[.!,;] (?:please|try|retry|wait|slow|back ?off|come back)\b)"
            ),
            (
                r"(?:service|server)(?: is| was)?(?: temporarily| currently)?"
                r" (?:unavailable|overloaded|down)\b"
            ),
            (
                r"(?:our|the) (?:[\w-]+ )?(?:server|service|system|api)s? (?:is|are) (?:having"
                r"|experiencing) (?:\w+ )?(?:trouble|issues|problems|difficulties)\b"
            ),
        ),
    ),
)
