"""The words of failure in English, as patterns; a row of Chinese and the first words of others.

They are held against the start of a text only. Every pattern is compiled when it is first needed.
"""

from __future__ import annotations

import re
from functools import cache


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


# What stands in every sentence that reports a failure. Most results have none of it.
SIGNS = (
    *("rror", "fail", "not ", "n't", "no ", "annot", "unable", "nvalid", "enied", "xception"),
    *("nknown", "issing", "equire", "must ", "imeout", "timed out", "refus", "reject", "orbid"),
    *("author", "nothing", "nsupport", "nrecogn", "alformed", "expire", "xceed", "abort", "cancel"),
    *(
        "erminat",
        "killed",
        "lock",
        "isab",
        "rohibit",
        "estrict",
        "sufficient",
        "ndefined",
        "llegal",
    ),
    *("mbig", "ncorrect", "bad ", "orrupt", "nexpect", "ompatib", "onflict", "too ", "lready"),
    *("navailab", "nreach", "limit", "fatal", "raceback", "none", "only", "never", "lease", "rash"),
    *("fault", "losed", "isconnect", "you mean", "nterrupt", "http", "isallow", "err_", "not_"),
    *("instead", "uplicate", "outside", "odified", "takes ", "by zero", "status", "code", "net::"),
    *("exhaust", "offline", "in use", "nexist", "naccess", "rong", "no_", " non-", "out of"),
    *(
        "has no",
        ", but",
        "need",
        "errno",
        "evoked",
        "uspend",
        "banned",
        "panick",
        "err ",
        "30",
        "40",
    ),
    *(
        "50",
        "无",
        "错",
        "失败",
        "不",
        "缺",
        "未",
        "没有权限",
        "请",
        "超",
        "已过期",
        "無",
        "錯",
        "失敗",
    ),
    *(
        "エラー",
        "できません",
        "오류",
        "실패",
        "шибк",
        "удалось",
        "fehler",
        "erreur",
        "mpossible",
        "não ",
    ),
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
    "not cannot can't doesn't don't didn't isn't wasn't weren't hasn't haven't aren't couldn't won't"
    " shouldn't wouldn't mustn't fail fails failing unable no limit reached exceed exceeds already"
    " must too contained out error mean only supports outside disconnected connection zero takes"
    " unexpectedly requires approval disallow closed disabled locked offline full modified status"
    " refuse has unexpected but code http violates"
)
NOTHING = words("no zero none nothing could couldn't did didn't unable returned found")
DECLINING = words("user human operator denied rejected cancelled canceled declined granted")

_MODAL = r"(?:does|do|did|is|was|were|has|have|are|ca|could|wo|should|would|must)(?:n['’o]t| not)\b"
_STOP = r"(?= ?(?:[:.(!,;—-]|\n|\Z|\b(?:to|with|because|due|for|in|on|at|after|by|while|when)\b))"
_PATTERNS = {
    # The user or the harness stopped the call.
    "declined": r"\b(?:user|human|operator)\b (?:has |have )?(?:rejected|declined|denied|chosen|chose"
    r"|cancell?ed|aborted|interrupted|does ?n[o']t want|did not approve)"
    r"|denied (?:the|this|tool) request|tool (?:call|use) (?:was )?(?:rejected|denied|cancell?ed)"
    r"|rejected (?:the|this) tool|(?:interrupted|rejected|aborted) by (?:the )?user"
    r"|have ?n[o']t granted",
    # What opens with such words and reports no failure: a count, a heading, code, good news.
    "calm": r"errors?\W{1,4}(?:(?:none|null|nil|0|false|n/a|\(none\)|\[\]|\{\})(?:\W|$)|no\s*(?:\n|$))"
    r"|no errors?\b|0 (?:errors?|failed|failures)\b|(?:warning|note|info|hint): "
    r"|(?:[\w-]+ ){0,3}errors?: ?-?(?:\d+\.\d|\d+ ?%)"
    r"|(?![^\n:]*\b(?:error|status|code|http)\b)[^\n:]{1,60}: ?(?:none|\d[\d,.]*)"
    r"(?: ?%| ?m?s\b| seconds| per\b| in\b|[,;(]|\s*$)"
    r"|(?:class|def) \w+[(:]|raise \w+\(|throw new |select .{1,200}\bfrom\b"
    r"|(?:success|succeeded|successfully|ok\b|done\b|completed|created|updated|deleted|added"
    r"|found \d+\b(?![^.\n]{0,80}, but)|retrieved|here (?:is|are)|contents? of|process started"
    r"|the file .{1,200} has been (?:updated|created)|wrote|written|saved)"
    r"|[^\n.:]{0,20}\btest(?: case)?s?\b|.{0,200}, but here\b|.{0,12}(?:成功|没有错误|共 ?0)",
    "error_noun": r"(?:[\w'\"./@()-]+(?::\w+)? ){0,5}?(?:[\w.:]*(?:error|exception|failure)s?|fatal"
    r"|fault)\b ?(?:[:(!\[–—#=]|-(?!\w)|\d|\Z|(?:code|message|details|response|in|while|when|on|at"
    r"|for|from|during|with|occurr?ed|has occurr?ed|was)\b|(?!handling|logging|reporting|tracking"
    r"|checking|correcting|budgeting)\w+ing\b)|(?:[\w'-]+ ){0,3}?(?:error|exception|failure)[.,](?!\w)"
    r"|\[(?:error|fatal)\]|(?-i:ERROR)\b[: ]|error\n"
    r"|[^\n]{0,60}?(?-i:\b[\w.]*[a-z](?:Error|Exception)|\berror|\bError)(?:\[\w+\])?: "
    r"|ошибка|не удалось|fehler\b|erreur|impossible de|errore|error al|no se (?:pudo|puede)"
    r"|não foi possível|erro\b|.{0,12}(?:エラー|できません|오류|실패)"
    r"|.{0,14}(?:失败|失敗|错误|錯誤|出错|超时|不足|不存在|有误|已过期|已失效|不可用|超限)(?:[：:，,。！!]|\s*$)"
    r"|.{0,12}(?:无法(?!无天)|無法|不能为空|缺少|没有权限|未授权|未找到(?!匹配)|请(?:先|重新)登录)",
    "fail_verb": r"(?:sorry,? |oops\W+|unfortunately,? |(?:i|we)(?:'m| am|'re| are)? |the (?:tool"
    r"|server|request|operation|call|command|query|agent) |(?:tool|request|operation|command|query"
    r"|search|call) )?(?:(?:failed|aborted|cancell?ed|rejected|refused|denied|terminated|killed"
    r"|forbidden|unauthori[sz]ed|unavailable)\b" + _STOP + r"|fail(?:ed|ure) to\b|unable to\b"
    r"|(?:can ?n[o']t|cannot|could ?n[o']t|could not)\b(?= (?-i:[a-z]))|did ?n[o']t\b(?= find)"
    r"|not (?:found|allowed|permitted|authori[sz]ed|supported|implemented|available|enough|\w+ed)\b"
    r"|no such\b|(?:invalid|unknown|unsupported|unrecogni[sz]ed|unexpected|missing|malformed|illegal"
    r"|incorrect|ambiguous|insufficient|incompatible|undefined|duplicate)\b|refus(?:ing|ed) to"
    r"|(?:access|permission|request) (?:denied|refused|restricted)(?! \w+s\b)|timed out"
    + _STOP
    + r"|time-?out\b(?= ?(?:[.!(]|\Z|\d|waiting|while|after|exceeded|error|occurred|reached|when|for))"
    r"|rate limit(?! ?:)|too many requests|bad (?:request|gateway|credentials|response)"
    r"|internal server error|service unavailable|gateway time|traceback \(|out of \w+"
    r"|(?:argument|input) validation|validation (?:error|failed)|must (?:provide|specify|be|have)\b"
    r"|you (?:must|need to|don't have|do not have|are not)\b|please (?:provide|specify|supply"
    r"|log ?in|sign ?in|authenticate|set|enable)\b|nothing to (?:update|commit|change)"
    r"|no (?:update|changes?|parameters?|arguments?)\b.{0,80} (?:provided|specified|made)|MCP error"
    r"|HTTP (?:error|[45]\d\d)|payment required|no healthy upstream|upstream connect|connect E"
    r"|getaddrinfo|net::ERR|\w+\.\w+: net::|[(\[]?[45]\d\d[)\]]? (?:bad|un|forb|not|internal|too"
    r"|service|gateway|method|conflict|client|server)|E[A-Z]{4,}: |(?-i:ERR) )",
    "subject_failed": r"(?!\d|all )(?:[\w'\"./@()-]+ ){1,6}?(?:has |was |is |have |were )?(?:been )?"
    r"(?:" + _FAILED + r")\b" + _STOP,
    "denial": r"\b(?:(?:is|are|was|were|be|been|being|has|have|had|got|as)(?: \w+ly)?(?: an?)? (?:"
    + _FAILED
    + "|"
    + _STATES
    + r"|disabled)\b|"
    + _MODAL
    + r"|can ?not\b"
    r"|not (?!only|just|necessarily|yet|sure)\w+|invalid\b|fail(?:ed|ing|s)\b|timed out|unable to"
    r"|no longer|no such|limit (?:exceeded|reached)|reached (?:its|the|your) \w* ?limit"
    r"|exceed(?:s|ed)?\b|already (?:exists|been|booked|in use|taken)|too (?:long|large|many|short"
    r"|quickly|small|few|big)|must (?:be|have|match|contain|start|specify|provide|identify|include)"
    r"|contained? a non-|out of (?:range|bounds)|unavailable|error occurred|did you mean|expired"
    r"|only (?:supports?|know|accepts?|allowed)|only .{1,40} (?:is|are) (?:allowed|supported)"
    r"|(?:denied|rejected|blocked|refused|prevented) (?:this|the|your|that|tool)\b|prohibited"
    r"|insufficient|unknown (?:column|table|tool|option|field|command|argument)|violates?\b"
    r"|has been modified since|no access to|is outside the|disconnected\b|connection (?:closed|lost"
    r"|refused|reset)|by zero|takes \d+ positional|missing \d+|unexpectedly|has no \w+"
    r"|unexpected \w+|requires? (?:an? )?(?:premium|paid|api key|login|approval)|approval required"
    r"|required\W*\Z|, but [^.]{0,80}\b(?:false|not|no|only|without)\b)",
    # What a tool that brings content says of its own failure, and hardly any content says.
    "no_content": r"\b(?:not found|(?:does|do|did)(?:n['o]t| not) exist|no such|unable to|could not"
    r"|cannot be (?:found|read|opened|accessed|loaded|displayed)|fail(?:ed|s)\b|timed out|unavailable"
    r"|(?:invalid|unknown|unsupported|missing) \w+|access denied|permission denied|no longer exists"
    r"|(?:connection|request|server)\b.{0,40}(?:refused|rejected)|exceed(?:s|ed)\b|need to \w+"
    r"|not (?:a valid|available|accessible|configured|connected|authorized|recognized|readable"
    r"|supported)|(?:does|do)(?:n['o]t| not) (?:have|match|provide)|has no attribute"
    r"|is not a function|of undefined|only .{1,40} (?:is|are) (?:allowed|supported)|(?:token|session"
    r"|key|link|credentials?)\b.{0,20}(?:expired|revoked|invalid))\b",
    # Something that the tool itself needs is not there.
    "lack": r"no (?:\w+ ){0,3}(?:api keys?|keys?|tokens?|credentials?|permissions?|access|sessions?"
    r"|connections?|browser|kernel|cluster|license|subscription|pages?|tabs?|windows?|canvas"
    r"|presentation|workspace|response|output returned)\b(?! (?:changes|issues|errors|found|match))",
    "none_found": r"(?:sorry,? |there (?:are|is|were|was) )?(?:no|zero|0) (?:[\w'-]+[ -]){0,5}?"
    r"(?:results?|matche?s?|items?|records?|entries|rows?|files?|messages?|documents?|data|hits?"
    r"|found|events?|issues?|pages?|posts?|tasks?|users?|products?|papers?|articles?|nodes?|emails?"
    r"|answers?|tools?|differences?|changes?|resources?|alerts?|\w+ (?:found|match(?:ed|ing)?"
    r"|available|for|in|with))\b|(?:nothing|none) found|found (?:0|no) |.{0,40}returned (?:0|no) "
    r"|(?:could not|couldn't|did not|didn't|unable to) find any"
    r"|no \w+ (?:are|is)? ?(?:currently )?(?:open|installed|running|registered|configured|scheduled)",
    # Advice to repair the call.
    "retry": r"\b(?:try|retry|call|run|send)\b[^.\n]{0,30}\bagain\b|\b(?:and|please) retry\b"
    r"|\b(?:use|call)\b[^.\n]{0,40}\binstead\b"
    r"|\b(?:use|call|run|open|read|create|connect)\b[^.\n]{0,60}\bfirst\b[.!]?\s*\Z",
    # Forms, whatever the sentences are.
    "error_tag": r"\s*<[\w:-]{0,30}error[\w:-]{0,30}>",
    "tagged": r"\s*(?:<[\w:-]{1,40}(?: [^>]{0,200})?>\s*){0,3}?<(?:[\w:]{1,40}[_-])?error"
    r"(?:[_-]message)?(?: [^>]{0,200})?>\s*([\s\S]{3,2000}?)</",
    "cut_body": r"\s*[\[{]+\s*[\"']?(?:error|errors|err|exception|error_?message)[\"']?\s*[:=]\s*"
    r"(?!null|none|false|\"\"|''|\[\s*\]|\{\s*\}|\Z)|\s*\{[\s\S]{0,120}?[\"'](?:success|ok"
    r"|is_?success)[\"']\s*:\s*false|\s*\{[\s\S]{0,80}?[\"']status[\"']\s*:\s*[\"'](?:error|failed)"
    r"[\"']",
    "cut_off": r"\s*[\[{]+\s*[\"'](?:error|errors|exception|is_?error|success)[\"']?\s*:?\s*[\[{\"']*"
    r"\s*\Z",
    "placeholder": r"(?:^|\n)\s*(?:loading(?:\.\.\.|…)?|please wait(?:\.\.\.|…)?|\[object Object\]"
    r"|undefined)\s*\Z",
    "bad_page": r"<title>[^<]{0,60}(?:404|not found|error|denied|forbidden|just a moment|bad gateway"
    r"|unavailable)|(?:page|document) (?:was )?not found|page (?:failed|does ?n[o']t exist|cannot be)"
    r"|\b404\b.{0,30}(?:not found|error|page)|(?:not found|error).{0,12}\b404\b|just a moment"
    r"|attention required|access (?:to this page has been )?denied|are you (?:a )?(?:human|robot)"
    r"|verify (?:that )?you(?:'re| are) (?:a )?human|captcha|unusual traffic|checking your browser"
    r"|enable javascript|sign in to continue|please (?:log|sign) in|robot check|security check"
    r"|failed to be simplified|\bforbidden\b|this site can.t be reached|chrome-error"
    r"|page isn.t available|50[23] (?:bad gateway|service)|err_[a-z_]{6,}",
    "bad_heading": r"^#* ?(?:\W{0,3}title\W{1,3})?(?:\d{3} )?(?:error|oops)\b(?:\W{0,3}\d{3,4})?\W*$"
    r"|^(?:#+ |\W{0,3}(?:page )?title\W{1,3}).{0,60}?(?:\b40[134]\b\W*(?:$|not found|page|error"
    r"|forbidden|unauth)|not found\W*$|access denied|forbidden|just a moment|attention required"
    r"|robot|captcha|security (?:check|verification)|^#* ?(?:sign|log) ?in\b|: ?(?:sign|log) ?in\b"
    r"|unavailable|server error)|target url returned error|returned error [45]\d\d"
    r"|warning: this page may(?:be)? (?:not|requir)",
    # Somebody speaks at length, as another model does that was asked.
    "story": r"(?:i|unfortunately|sorry)\b(?! encountered)",
    # An error noun and a colon at the start: "Error searching for x: ...".
    "label": r"[^\n:]{0,60}\b(?:[\w.]*error|exception|failure|traceback)s?\b[^\n:]{0,60}:",
}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the patterns, compiled when it is first needed."""
    return re.compile(_PATTERNS[name], re.IGNORECASE | re.MULTILINE)


def starts(name: str, text: str) -> bool:
    """Whether a text starts as the pattern says."""
    return pattern(name).match(text) is not None


def holds(name: str, text: str) -> bool:
    """Whether a text holds what the pattern says."""
    return pattern(name).search(text) is not None
