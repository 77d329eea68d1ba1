"""The words of failure in English, as patterns; a row of Chinese and the first words of others.

They are held against the start of a text only. Every pattern is compiled when it is first needed.
"""

from __future__ import annotations

import re
from functools import cache


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def rows(table: str) -> list[tuple[str, str]]:
    """The named patterns of a table; a line that is indented goes on, and `#` opens a comment."""
    found: list[tuple[str, str]] = []
    for line in table.strip().splitlines():
        if line[0] == " ":
            name, words_so_far = found.pop()
            found.append((name, words_so_far + line[2:]))
        elif line[0] != "#":
            name, _, text = line.partition(":")
            found.append((name, text[1:]))
    return found


# What stands in every ASCII sentence that reports a failure. Most results have none of it.
SIGNS = (
    *("error", "fail", "not ", "n't", "no ", "annot", "unable", "nvalid", "enied", "xception"),
    *("nknown", "issing", "equire", "must ", "imeout", "timed out", "refus", "reject", "orbid"),
    *("author", "nothing", "nsupport", "nrecogn", "malform", "expire", "exceed", "abort", "cancel"),
    *(
        "erminat",
        "killed",
        "lock",
        "isab",
        "rohibit",
        "estrict",
        "sufficient",
        "undefin",
        "illegal",
    ),
    *("mbig", "ncorrect", "bad ", "orrupt", "nexpect", "ompatib", "onflict", "too ", "lready"),
    *("navailab", "nreach", "limit", "fatal", "traceb", "none", "only", "never", "please", "crash"),
    *("fault", "closed", "isconnect", "you mean", "nterrupt", "http", "isallow", "err_", "not_"),
    *(
        "duplicate",
        "outside",
        "odified",
        "takes ",
        "by zero",
        "status",
        "net::",
        "exhaust",
        "offline",
    ),
    *(
        "in use",
        "nexist",
        "naccess",
        "wrong",
        " non-",
        "out of",
        "has no",
        ", but",
        "need",
        "errno",
    ),
    *("evoked", "uspend", "banned", "panick", "err ", "[40", "(40", "50", "erreur", "fehler"),
    *("impossible", "errore", "erro ", "no se "),
)
NOUNS = ("error", "exception", "failure", "fatal", "fault", "fehler", "erreur", "impossible")

_FAILED = (
    r"failed|refused|denied|rejected|aborted|timed out|errored|crashed|blocked|prevented"
    r"|cancell?ed|disallowed|interrupted|terminated|killed|expired|exceeded|forbidden|prohibited"
    r"|panicked|suspended|banned|revoked"
)
_STATES = (
    r"restricted|unauthori[sz]ed|unauthenticated|unavailable|unreachable|unsupported"
    r"|unrecogni[sz]ed|unknown|undefined|missing|invalid|illegal|malformed|incorrect|insufficient"
    r"|ambiguous|incompatible|corrupt(?:ed)?|exhausted|required|mandatory|nonexistent|inaccessible"
)
# The same as words, to see quickly that none is there.
STATES = words(re.sub(r"[(){}?:\[\]|]|timed out", " ", _FAILED + "|" + _STATES)) | words(
    "timed cancelled canceled unauthorized unauthorised unrecognized unrecognised corrupted"
)
DENYING = STATES | words(
    "not cannot can't doesn't don't didn't isn't wasn't weren't hasn't haven't aren't"
    " couldn't won't"
    " shouldn't wouldn't mustn't fail fails failing unable no limit reached exceed exceeds already"
    " must too contained out error mean only supports outside disconnected connection zero takes"
    " unexpectedly requires approval disallow closed disabled locked offline full modified status"
    " refuse has unexpected but code http violates"
)
NOTHING = words("no zero none nothing could couldn't did didn't unable returned found")
DECLINING = words("user human operator denied rejected cancelled canceled declined granted")

_MODAL = r"(?:does|do|did|is|was|were|has|have|are|ca|could|wo|should|would|must)(?:n['’o]t| not)\b"
_STOP = r"(?= ?(?:[:.(!,;—-]|\n|\Z|\b(?:to|with|because|due|for|in|on|at|after|by|while|when)\b))"
# What stands in the patterns for these.
_PARTS = {"<FAILED>": _FAILED, "<STATES>": _STATES, "<MODAL>": _MODAL, "<STOP>": _STOP}
_PATTERNS = dict(
    rows(r"""
# The user or the harness stopped the call.
declined: \b(?:user|human|operator)\b (?:has |have )?(?:rejected|declined|denied|chosen|chose
  |cancell?ed|aborted|interrupted|does ?n[o']t want|did not approve)|denied (?:the|this
  |tool) request|tool (?:call|use) (?:was )?(?:rejected|denied|cancell?ed)|rejected (?:the
  |this) tool|(?:interrupted|rejected|aborted) by (?:the )?user|have ?n[o']t granted
# What opens with such words and reports no failure: a count, a heading, code, good news.
calm: errors?\W{1,4}(?:(?:none|null|nil|0|false|n/a|\(none\)|\[\]|\{\})(?:\W|$))
  |errors\W{1,4}no\s*$|no errors?\b|0 (?:errors?|failed|failures)\b|(?:warning|note|info|hint):[ ]
  |(?:[\w-]+ ){0,3}errors?: ?-?(?:\d+\.\d|\d+ ?%)|(?![^\n:]*\b(?:error|status|code
  |http)\b)[^\n:]{1,60}: ?(?:none|\d[\d,.]*)(?: ?%| ?m?s\b| seconds| per\b| in\b|[,;(]|\s*$)
  |(?:class|def) \w+[(:]|raise \w+\(|throw new |select .{1,200}\bfrom\b|(?:success|succeeded
  |successfully|ok\b|done\b|completed|created|updated|deleted|added
  |found \d+\b(?![^.\n]{0,80}, but)|retrieved|here (?:is|are)|contents? of|process started
  |the file .{1,200} has been (?:updated|created)|wrote|written|saved)
  |[^\n.:]{0,20}\btest(?: case)?s?\b|.{0,200}, but here\b|.{0,12}(?:成功|没有错误|共 ?0)
error_noun: (?:[\w'\"./@()-]+(?::\w+)? ){0,5}?(?:[\w.:]*(?:error|exception|failure)s?|fatal
  |fault)\b ?(?:[:(!\[–—#=]|-(?!\w)|\d|\Z|(?:code|message|details|response|in|while|when|on|at|for
  |from|during|with|occurr?ed|has occurr?ed|was)\b|(?!handling|logging|reporting|tracking|checking
  |correcting|budgeting)\w+ing\b)|(?:[\w'-]+ ){0,3}?(?:error|exception|failure)[.,](?!\w)
  |\[(?:error|fatal)\]|(?-i:ERROR)\b[: ]|error\n|[^\n]{0,60}?(?-i:\b[\w.]*[a-z](?:Error|Exception)
  |\berror|\bError)(?:\[\w+\])?: |ошибка|не удалось|fehler\b|erreur|impossible de|errore|error al
  |no se (?:pudo|puede)|não foi possível|erro\b|.{0,12}(?:エラ
  ー|できません|오류|실패)|.{0,14}(?:失败|失敗|错误|錯誤
  |出错|超时|不足|不存在|有误|已过期|已失效|不可用|超限)(?:[：:，,。！!]|\s*$)|.{0,12}
  (?:无法(?!无天)|無法|不能为空|缺少|没有权限|未授权
  |未找到(?!匹配)|请(?:先|重新)登录)
fail_verb: (?:sorry,? |oops\W+|unfortunately,? |(?:i|we)(?:'m| am|'re| are)? |the (?:tool|server
  |request|operation|call|command|query|agent) |(?:tool|request|operation|command|query|search
  |call) )?(?:(?:failed|aborted|cancell?ed|rejected|refused|denied|terminated|killed|forbidden
  |unauthori[sz]ed|unavailable)\b<STOP>|fail(?:ed|ure) to\b|unable to\b|(?:can ?n[o']t|cannot
  |could ?n[o']t|could not)\b(?= (?-i:[a-z]))|did ?n[o']t\b(?= find)|not (?:found|allowed
  |permitted|authori[sz]ed|supported|implemented|available|enough|\w+ed)\b|no such\b|(?:invalid
  |unknown|unsupported|unrecogni[sz]ed|unexpected|missing|malformed|illegal|incorrect|ambiguous
  |insufficient|incompatible|undefined|duplicate)\b|refus(?:ing|ed) to|(?:access|permission
  |request) (?:denied|refused|restricted)(?! \w+s\b)|timed out<STOP>|time-?out\b(?= ?(?:[.!(]|\Z
  |\d|waiting|while|after|exceeded|error|occurred|reached|when|for))|rate limit(?! ?:)
  |too many requests|bad (?:request|gateway|credentials|response)|internal server error
  |service unavailable|gateway time|traceback \(|out of \w+|(?:argument|input) validation
  |validation (?:error|failed)|must (?:provide|specify|be|have)\b|you (?:must|need to|don't have
  |do not have|are not)\b|please (?:provide|specify|supply|log ?in|sign ?in|authenticate|set
  |enable)\b|nothing to (?:update|commit|change)|no (?:update|changes?|parameters?
  |arguments?)\b.{0,80} (?:provided|specified|made)|MCP error|HTTP (?:error|[45]\d\d)
  |payment required|no healthy upstream|upstream connect|connect E|getaddrinfo|net::ERR
  |\w+\.\w+: net::|[(\[]?[45]\d\d[)\]]? (?:bad|un|forb|not|internal|too|service|gateway|method
  |conflict|client|server)|E[A-Z]{4,}: |(?-i:ERR) )
subject_failed: (?!\d|all )(?:[\w'\"./@()-]+ ){1,6}?(?:has |was |is |have[ ]
  |were )?(?:been )?(?:<FAILED>)\b<STOP>
denial: \b(?:(?:is|are|was|were|be|been|being|has|have|had|got|as)(?: \w+ly)?(?: an?)? (?:<FAILED>
  |<STATES>|disabled)\b|<MODAL>|can ?not\b|not (?!only|just|necessarily|yet|sure)\w+|invalid\b
  |fail(?:ed|ing|s)\b|timed out|unable to|no longer|no such|limit (?:exceeded|reached)
  |reached (?:its|the|your) \w* ?limit|exceed(?:s|ed)?\b|already (?:exists|been|booked|in use
  |taken)|too (?:long|large|many|short|quickly|small|few|big)|must (?:be|have|match|contain|start
  |specify|provide|identify|include)|contained? a non-|out of (?:range|bounds)|unavailable
  |error occurred|did you mean|expired|only (?:supports?|know|accepts?|allowed)|only .{1,40} (?:is
  |are) (?:allowed|supported)|(?:denied|rejected|blocked|refused|prevented) (?:this|the|your|that
  |tool)\b|prohibited|insufficient|unknown (?:column|table|tool|option|field|command|argument)
  |violates?\b|has been modified since|no access to|is outside the|disconnected\b
  |connection (?:closed|lost|refused|reset)|by zero|takes \d+ positional|missing \d+|unexpectedly
  |has no \w+|unexpected \w+|requires? (?:an? )?(?:premium|paid|api key|login|approval)
  |approval required|required\W*\Z|, but [^.]{0,80}\b(?:false|not|no|only|without)\b)
# What a tool that brings content says of its own failure, and hardly any content says.
no_content: \b(?:not found|(?:does|do|did)(?:n['o]t| not) exist|no such|unable to|could not
  |cannot be (?:found|read|opened|accessed|loaded|displayed)|fail(?:ed|s)\b|timed out|unavailable
  |(?:invalid|unknown|unsupported|missing) \w+|access denied|permission denied|no longer exists
  |(?:connection|request|server)\b.{0,40}(?:refused|rejected)|exceed(?:s|ed)\b|need to \w+
  |not (?:a valid|available|accessible|configured|connected|authorized|recognized|readable
  |supported)|(?:does|do)(?:n['o]t| not) (?:have|match|provide)|has no attribute|is not a function
  |of undefined|only .{1,40} (?:is|are) (?:allowed|supported)|(?:token|session|key|link
  |credentials?)\b.{0,20}(?:expired|revoked|invalid))\b
# Something that the tool itself needs is not there.
lack: no (?:\w+ ){0,3}(?:api keys?|keys?|tokens?|credentials?|permissions?|access|sessions?
  |connections?|browser|kernel|cluster|license|subscription|pages?|tabs?|windows?|canvas
  |presentation|workspace|response|output returned)\b(?! (?:changes|issues|errors|found|match))
none_found: (?:sorry,? |there (?:are|is|were|was) )?(?:no|zero|0) (?:[\w'-]+[ -]){0,5}?(?:results?
  |matche?s?|items?|records?|entries|rows?|files?|messages?|documents?|data|hits?|found|events?
  |issues?|pages?|posts?|tasks?|users?|products?|papers?|articles?|nodes?|emails?|answers?|tools?
  |differences?|changes?|resources?|alerts?|\w+ (?:found|match(?:ed|ing)?|available|for|in
  |with))\b|(?:nothing|none) found|found (?:0|no) |.{0,40}returned (?:0|no) |(?:could not|couldn't
  |did not|didn't|unable to) find any|no \w+ (?:are|is)? ?(?:currently )?(?:open|installed|running
  |registered|configured|scheduled)
# Advice to repair the call.
retry: \b(?:try|retry|call|run|send)\b[^.\n]{0,30}\bagain\b|\b(?:and|please) retry\b|\b(?:use
  |call)\b[^.\n]{0,40}\binstead\b|\b(?:use|call|run|open|read|create
  |connect)\b[^.\n]{0,60}\bfirst\b[.!]?\s*\Z
# Forms, whatever the sentences are.
error_tag: \s*<[\w:-]{0,30}error[\w:-]{0,30}>
tagged:
  \s*(?:<[\w:-]{1,40}(?: [^>]{0,200})?>\s*){0,3}?<(?:[\w:]{1
  ,40}[_-])?error(?:[_-]message)?(?: [^>]{0,200})?>\s*([\s\S]{3,2000}?)</
cut_body: \s*[\[{]+\s*[\"']?(?:error|errors|err|exception|error_?message)[\"']?\s*[:=]\s*(?!null
  |none|false|\"\"|''|\[\s*\]|\{\s*\}|\Z)|\s*\{[\s\S]{0,120}?[\"'](?:success|ok
  |is_?success)[\"']\s*:\s*false|\s*\{[\s\S]{0,80}?[\"']status[\"']\s*:\s*[\"'](?:error
  |failed)[\"']
cut_off: \s*[\[{]+\s*[\"'](?:error|errors|exception|is_?error|success)[\"']?\s*:?\s*[\[{\"']*\s*\Z
placeholder: (?:^|\n)\s*(?:loading(?:\.\.\.|…)?|please wait(?:\.\.\.|…)?|\[object Object\]
  |undefined)\s*\Z
bad_page: <title>[^<]{0,60}(?:404|not found|error|denied|forbidden|just a moment|bad gateway
  |unavailable)|(?:page|document) (?:was )?not found|page (?:failed|does ?n[o']t exist|cannot be)
  |\b404\b.{0,30}(?:not found|error|page)|(?:not found|error).{0,12}\b404\b|just a moment
  |attention required|access (?:to this page has been )?denied|are you (?:a )?(?:human|robot)
  |verify (?:that )?you(?:'re| are) (?:a )?human|captcha|unusual traffic|checking your browser
  |enable javascript|sign in to continue|please (?:log|sign) in|robot check|security check
  |failed to be simplified|\bforbidden\b|this site can.t be reached|chrome-error
  |page isn.t available|50[23] (?:bad gateway|service)|err_[a-z_]{6,}
bad_heading: ^#* ?(?:\W{0,3}title\W{1,3})?(?:\d{3} )?(?:error|oops)\b(?:\W{0,3}\d{3,4})?\W*$
  |^(?:#+ |\W{0,3}(?:page )?title\W{1,3}).{0,60}?(?:\b40[134]\b\W*(?:$|not found|page|error
  |forbidden|unauth)|not found\W*$|access denied|forbidden|just a moment|attention required|robot
  |captcha|security (?:check|verification)|^#* ?(?:sign|log) ?in\b|: ?(?:sign|log) ?in\b
  |unavailable|server error)|target url returned error|returned error [45]\d\d
  |warning: this page may(?:be)? (?:not|requir)
# Somebody speaks at length, as another model does that was asked.
story: (?:i|unfortunately|sorry)\b(?! encountered)
# An error noun and a colon at the start: "Error searching for x: ...".
label: [^\n:]{0,60}\b(?:[\w.]*error|exception|failure|traceback)s?\b[^\n:]{0,60}:
""")
)


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the patterns, compiled when it is first needed."""
    text = _PATTERNS[name]
    for part, stands_for in _PARTS.items():
        text = text.replace(part, stands_for)
    return re.compile(text, re.IGNORECASE | re.MULTILINE)


def starts(name: str, text: str) -> bool:
    """Whether a text starts as the pattern says."""
    return pattern(name).match(text) is not None


def holds(name: str, text: str) -> bool:
    """Whether a text holds what the pattern says."""
    return pattern(name).search(text) is not None
