"""Whether a text opens as an error message does.

Errors are reported at the start: an error noun with punctuation behind it, a failing verb, a
subject that failed, or a denial in the first sentence of a short text. What stands further down
is content. A text without any sign of failure in its first sentence costs a few substring tests.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from assay.outcome.roles import BRINGS_CONTENT, Role

_HEAD = 400
_LONG = 1_500
_SHORT = 600
_LONGEST_SENTENCE = 300
_MOST_LINES = 12


class Found(NamedTuple):
    """The rule that found a failure, and the message."""

    rule: str
    message: str


# One of these stands in every sentence that reports a failure.
_SIGNS = (
    *(
        "rror",
        "ail",
        "not ",
        "n't",
        "no ",
        "annot",
        "nable",
        "nvalid",
        "enied",
        "xception",
        "nknown",
    ),
    *(
        "issing",
        "equire",
        "ust ",
        "imeout",
        "imed out",
        "efus",
        "eject",
        "orbid",
        "uthor",
        "nothing",
    ),
    *("nsupport", "nrecogn", "alformed", "xpire", "xceed", "bort", "ancel", "erminat", "illed"),
    *("lock", "isab", "rohibit", "estrict", "sufficient", "ndefined", "llegal", "mbig", "ncorrect"),
    *("bad ", "orrupt", "nexpect", "ompatib", "onflict", "too ", "lready", "navailab", "nreach"),
    *("imit", "atal", "raceback", "none", "only", "never", "lease", "rash", "ault", "losed"),
    *("isconnect", "you mean", "nterrupt", "http", "isallow", "_err", "err_", "not_"),
    *("instead", "uplicate", "outside", "odified", "takes ", "by zero", "status", "code", "net::"),
    *(
        "exhaust",
        "offline",
        "in use",
        "nexist",
        "naccess",
        "rong",
        "no_",
        " non-",
        "out of",
        "has no",
        ", but",
    ),
    *(
        "无法",
        "错误",
        "失败",
        "無法",
        "錯誤",
        "失敗",
        "エラー",
        "できません",
        "오류",
        "실패",
        "шибк",
    ),
    *("удалось", "ehler", "rreur", "mpossible", "no se ", "não ", "不存在", "未找到"),
)
_NOUNS = ("error", "exception", "failure", "fatal", "fault", "fehler", "erreur", "impossible")
_WORD = re.compile(r"[a-z]+(?:['’][a-z]+)?")
_LEAD = re.compile(
    r"(?:\x1b\[[\d;]{0,9}m|[\s#*>_=~`\-–—•|:!.✗✘❌⚠️🚫⛔\ufeff\"']"
    r"|\[(?:\w{1,20}|\d[\d:. T-]{1,30})\]\s"
    r"|</?(?:error|result|output|message|text|response|content|details?|reason|stderr|stdout|p|b"
    r"|h[1-6]|html|body|pre|code)>|(?:tool )?(?:result|output|response|observation):?\s*\n)+",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(.{1,300}?)(?:[.!?](?=\s|$)|\n|$)", re.DOTALL)
# Participles and adjectives that say of a thing that it did not work, and of a state of the world,
# which is a failure only for who wanted to change it.
_FAILED = (
    r"(?:failed|refused|denied|rejected|aborted|timed out|errored|crashed|blocked|prevented"
    r"|cancell?ed|disallowed|interrupted|terminated|killed|expired|exceeded|forbidden|prohibited)"
)
_STATES = (
    r"(?:" + _FAILED[3:-1] + r"|restricted|unauthori[sz]ed|unauthenticated|unavailable|unreachable"
    r"|unsupported|unrecogni[sz]ed|unknown|undefined|missing|invalid|illegal|malformed|incorrect"
    r"|insufficient|ambiguous|incompatible|corrupt(?:ed)?|exhausted|required|mandatory|nonexistent"
    r"|inaccessible)"
)
_WORLD_STATES = r"(?:closed|disabled|locked|offline|full|in use|taken|occupied|inactive|read-only)"
STATE_WORDS = frozenset(
    "failed refused denied rejected aborted timed errored crashed blocked prevented cancelled"
    " canceled disallowed interrupted terminated killed expired exceeded forbidden prohibited"
    " restricted unauthorized unauthorised unauthenticated unavailable unreachable unsupported"
    " unrecognized unrecognised unknown undefined missing invalid illegal malformed incorrect"
    " insufficient ambiguous incompatible corrupt corrupted exhausted required mandatory"
    " nonexistent inaccessible".split()
)
# Without one of these nothing is denied, and nothing is said to be missing.
_DENYING = STATE_WORDS.union(
    "not cannot can't doesn't don't didn't isn't wasn't weren't hasn't haven't aren't couldn't won't"
    " shouldn't wouldn't mustn't fail fails failing unable no limit reached exceed exceeds already"
    " must too contained out error mean only supports outside disconnected connection zero takes"
    " unexpectedly requires approval disallow closed disabled locked offline full modified status"
    " refuse has unexpected but".split()
)
_NOTHING = frozenset(
    "no zero none nothing could couldn't did didn't unable returned found".split()
) | {"0"}
_DECLINING = frozenset(
    "user human operator denied rejected cancelled canceled declined granted".split()
)
_NOUN_ENDS = (
    r"(?: \w+){0,2}? ?(?:[:(!\[\-–—#=.,]|\d|\Z|\b(?:code|in|while|when|on|at|for|from|during|with"
    r"|occurr?ed|has occurr?ed|was|message)\b|(?!handling|logging|reporting|tracking|checking"
    r"|correcting|budgeting)\w+ing\b)"
)
_PATTERNS = {
    # The user or the harness stopped the call.
    "declined": r"(?:\b(?:user|human|operator)\b (?:has |have )?(?:rejected|declined|denied|chosen"
    r"|chose|cancell?ed|aborted|interrupted|does ?n[o']t want|did not approve)"
    r"|denied (?:the|this|tool) request|tool (?:call|use) (?:was )?(?:rejected|denied|cancell?ed)"
    r"|rejected (?:the|this) tool|interrupted by (?:the )?user|rejected by (?:the )?user"
    r"|have ?n[o']t granted)",
    # What is no failure although it opens with such words.
    "calm": r"errors?\W{1,4}(?:(?:none|null|nil|0|false|n/a|\(none\)|\[\]|\{\})(?:\W|$)|no\s*(?:\n|$))"
    r"|(?:failed|失败|失敗)\W{1,3}0\b|no errors?\b|0 (?:errors?|failed|failures)\b"
    r"|errors? (?:handling|codes?|logs?|reports?|messages?|types?|pages?|rates?|budgets?|reference"
    r"|analysis|tracking|boundar\w+)\b(?!:)"
    r"|(?:success|succeeded|successfully|ok\b|done\b|completed|created|updated|deleted|added"
    r"|found \d+\b(?![^.\n]{0,80}, but)|retrieved|here (?:is|are)|contents? of|the file .* has been (?:updated|created)"
    r"|process started|wrote|written|saved)|[^\n.:]{0,20}\btest(?: case)?s?\b|.{0,200}, but here\b",
    "error_noun": r"(?:.{0,12}(?:错误|失败|無法|无法|錯誤|失敗|エラー|できません|오류|실패|不存在|未找到)"
    r"|ошибка|не удалось|fehler|erreur|impossible de|errore|error al|no se (?:pudo|puede)"
    r"|não foi possível|erro\b"
    r"|(?:[\w'\"./@()-]+(?::\w+)? ){0,5}?(?:[a-z.]*(?:errors?|exception|failure)|fatal|fault)\b"
    + _NOUN_ENDS
    + r"|\[?(?:error|fatal)\]?[:\s])",
    "fail_verb": r"(?:sorry,? |oops\W+|unfortunately,? |(?:i|we)(?:'m| am|'re| are)? |the (?:tool"
    r"|server|request|operation|call|command|query|agent) |(?:tool|request|operation|command|query"
    r"|search|call) )?(?:failed\b|unable to\b|can ?n[o']t\b|could ?n[o']t\b|did ?n[o']t\b(?= find)"
    r"|not (?:found|allowed|permitted|authori[sz]ed|supported|implemented|available|enough|\w+ed)\b"
    r"|no such\b|invalid\b|unknown\b|unsupported\b|unrecogni[sz]ed\b|unauthori[sz]ed\b|unexpected\b"
    r"|missing\b|malformed\b|forbidden\b|(?:access|permission|request) (?:denied|refused)"
    r"|timed? ?out\b|rate limit|too many requests|bad (?:request|gateway|credentials|response)"
    r"|internal server error|internal_error|service unavailable|gateway time|traceback \("
    r"|(?:argument|input) validation|validation (?:error|failed)|aborted\b|cancell?ed\b|rejected\b"
    r"|refused\b|denied\b|must (?:provide|specify|be|have)\b"
    r"|you (?:must|need to|don't have|do not have|are not)\b|please (?:provide|specify|supply"
    r"|log ?in|sign ?in|authenticate|set)\b|required\b|nothing to (?:do|update|commit|change)"
    r"|no (?:update|changes?|parameters?|arguments?)\b.{0,80} (?:provided|specified|made)|MCP error"
    r"|HTTP (?:error|[45]\d\d)|(?:got|received|returned) (?:an? )?(?:http )?[45]\d\d\b"
    r"|payment required|no healthy upstream|upstream connect|connect E|getaddrinfo|net::ERR"
    r"|\w+\.\w+: net::|\(?[45]\d\d\)? (?:bad|un|forb|not|internal|too|service|gateway|method"
    r"|conflict|client|server)|terminated\b|killed\b|E[A-Z]{4,}: )",
    "subject_failed": r"(?!\d|all )(?:[\w'\"./@()-]+ ){1,6}?(?:has |was |is |have |were )?(?:been )?"
    + _FAILED
    + r"\b(?= ?(?:[:.(!,-]|\n|$|\b(?:to|with|because|due|for|in|on|at|after|by|while|when)\b))",
    "http_text": r"(?:\bstatus(?: code)?|\bHTTP(?: error)?|code)[:= ]+[45]\d\d\b",
    "denial": r"\b(?:(?:is|are|was|were|be|been|being|has|have|had|got|as)(?: \w+ly)?(?: an?)? "
    + _STATES
    + r"|(?:does|do|did|is|was|were|has|have|are|ca|could|wo|should|would|must)(?:n['o]t| not)\b"
    r"|can ?not\b|not (?:found|set|configured|installed|running|connected|ready|initiali[sz]ed"
    r"|allowed|permitted|supported|available|valid|recogni[sz]ed|implemented|logged|exist|been)"
    r"|invalid\b|fail(?:ed|ing|s)\b|timed out|unable to|no longer|no such|limit (?:exceeded|reached)"
    r"|reached (?:its|the|your) \w* ?limit|exceed(?:s|ed)?\b|already (?:exists|been|booked|in use)"
    r"|must (?:be|have|match|contain|start|specify|provide|identify|include)|required property"
    r"|too (?:long|large|many|short|quickly|small|few|big)|contained? a non-|out of (?:range|bounds)"
    r"|unavailable|errored|error occurred|encountered an error|did you mean|refused|expired"
    r"|only (?:supports?|know|accepts?|allowed)|denied (?:the|tool)|disallow|prohibited|insufficient"
    r"|unknown (?:column|table|tool|option|field|command|argument)|has been modified since"
    r"|has no \w+|unexpected \w+|, but [^.]{0,80}\b(?:false|not|no|only|without)\b"
    r"|no access to|is outside the|disconnected\b|connection (?:closed|lost|refused|reset)"
    r"|division by zero|takes \d+ positional|missing \d+|unexpectedly"
    r"|requires? (?:an? )?(?:premium|paid|api key|login|approval)|approval required)",
    # What a tool that brings content says of its own failure, and hardly any content says.
    "no_content": r"\b(?:not found|(?:does|do|did)(?:n['o]t| not) exist|no such|unable to|could not"
    r"|cannot be (?:found|read|opened|accessed|loaded|displayed)|fail(?:ed|s)\b|timed out|unavailable"
    r"|(?:invalid|unknown|unsupported|missing) \w+|access denied|permission denied|no longer exists"
    r"|not (?:available|accessible|configured|connected|authorized|recognized|readable|supported)"
    r"|(?:does|do)(?:n['o]t| not) (?:have|match)|is not a function|has no attribute|of undefined"
    r"|(?:token|session|key|link|credentials?)\b.{0,20}"
    r"(?:expired|revoked|invalid))\b",
    "world_state": r"(?:is|are|was|were|been|already) (?:already )?" + _WORLD_STATES + r"\b",
    "lack": r"no (?:\w+ ){0,3}(?:api key|keys?|tokens?|credentials?|permissions?|access|session"
    r"|connection|browser|kernel|cluster|license|subscription|(?:active|current|open|default|valid)"
    r" \w+|response|output returned)\b(?! (?:changes|issues|errors|problems))",
    "none_found": r"(?:sorry,? |there (?:are|is|were|was) )?(?:no|zero|0) (?:[\w'-]+[ -]){0,5}?"
    r"(?:results?|matche?s?|items?|records?|entries|rows?|files?|messages?|documents?|data|hits?"
    r"|found|events?|issues?|pages?|posts?|tasks?|users?|products?|papers?|articles?|nodes?|emails?"
    r"|answers?|tools?|differences?|changes?|\w+ (?:found|match(?:ed|ing)?|available|for|in|with))\b"
    r"|(?:nothing|none) found|found (?:0|no) |.{0,40}returned (?:0|no) "
    r"|(?:could not|couldn't|did not|didn't|unable to) find any"
    r"|no \w+ (?:are|is)? ?(?:currently )?(?:open|installed|running|registered|configured|scheduled)",
    "no_effect": r"(?:no|nothing|0|zero)\b.{0,60}\b(?:chang|updat|modif|delet|creat|insert|affect"
    r"|commit|provided|appl|replac)",
    "field_line": r"(?:[^\n]{0,80}\n){0,3}?(?:success|ok|succeeded): ?(?:false|no)\b"
    r"|(?:[^\n]{0,80}\n){0,2}?(?:status|state|outcome|result): ?[\"']?(?:error|failed|failure)\b",
    "symbol": r"\W{0,4}[a-z]+(?:[_-][a-z]+){0,6}?(?:not_?found|invalid|error|failed|denied"
    r"|unauthori[sz]ed|forbidden|not_(?:authori[sz]ed|allowed|supported|available|paired)"
    r"|no_session|timeout|unavailable)(?:_[a-z]+){0,4}\W{0,4}\Z",
    "markup": r"\s*(?:<!doctype[^>]{0,200}>\s*)?<html[\s\S]{0,400}?<title>[^<]{0,60}(?:\b[45]\d\d\b"
    r"|not found|error|denied|forbidden|just a moment|bad gateway|unavailable|sign in|log ?in)"
    r"|\s*(?:<\?xml[^>]{0,200}\?>\s*)?(?:<[\w:]{1,40}>\s*)?<(?:\w{1,20}:)?(?:errors?|fault"
    r"|exception)\b",
    "error_tag": r"\s*<[\w:-]{0,30}error[\w:-]{0,30}>",
    "tagged": r"\s*(?:<[\w:-]{1,40}(?: [^>]{0,200})?>\s*){0,3}?<(?:[\w:]{1,40}[_-])?error"
    r"(?:[_-]message)?(?: [^>]{0,200})?>\s*([\s\S]{3,2000}?)</",
    "cut_body": r"\s*[\[{]+\s*[\"']?(?:error|errors|err|exception|error_?message)[\"']?\s*[:=]\s*"
    r"(?!null|none|false|\"\"|''|\[\s*\]|\{\s*\}|\Z)|\s*\{[\s\S]{0,120}?[\"'](?:success|ok"
    r"|is_?success)[\"']\s*:\s*false|\s*\{[\s\S]{0,80}?[\"']status[\"']\s*:\s*[\"'](?:error|failed)"
    r"[\"']",
    "cut_off": r"\s*[\[{]+\s*[\"'](?:error|errors|exception|is_?error|success)[\"']?\s*:?\s*[\[{\"']*\s*\Z",
    "retry": r"\b(?:try|retry|call|run|send)\b[^.\n]{0,30}\bagain\b|\b(?:and|please) retry\b",
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
    r"|^(?:#+ |\W{0,3}(?:page )?title\W{1,3}).{0,60}?(?:\b40[134]\b\W*(?:$|not found|page|error|forbidden|unauth)|not found|access denied"
    r"|forbidden|just a moment|attention required|robot|captcha|security (?:check|verification)"
    r"|^#* ?(?:sign|log) ?in\b|: ?(?:sign|log) ?in\b|unavailable|server error)"
    r"|target url returned error|returned error [45]\d\d|warning: this page may(?:be)? (?:not|requir)",
}


@cache
def pattern(name: str) -> re.Pattern[str]:
    """One of the patterns, compiled when it is first needed."""
    return re.compile(_PATTERNS[name], re.IGNORECASE | re.MULTILINE)


def _starts(name: str, text: str) -> bool:
    return pattern(name).match(text) is not None


def _holds(name: str, text: str) -> bool:
    return pattern(name).search(text) is not None


def has_sign(text: str) -> bool:
    """Whether any word of failure stands there; most results have none."""
    low = text.lower()
    return any(sign in low for sign in _SIGNS)


def head_of(text: str) -> str:
    """The start of a text without the marks and labels in front of it."""
    head = text[: _HEAD + 200]
    lead = _LEAD.match(head)
    return head[lead.end() : lead.end() + _HEAD] if lead else head[:_HEAD]


def sentence_of(head: str) -> str:
    """The first sentence of a head."""
    found = _SENTENCE.match(head)
    return found[1] if found else head[:_LONGEST_SENTENCE]


def opening(text: str, role: Role, keys: Callable[[], list[str]] = list) -> Found | None:
    """The rule by which a text opens as an error; `keys` gives the exact keys of the arguments."""
    head = head_of(text)
    if not head:
        return None
    first = sentence_of(head)
    rule = _by_form(text, head, role)
    if rule is None:
        rule = _by_grammar(text, head, first, role, keys) if has_sign(first) else ""
        if not rule and _asks_to_retry(text, role):
            rule = "" if _starts("calm", head) else "retry"
    if not rule:
        return None
    if rule == "tagged":
        tagged = pattern("tagged").match(text[:3_000])
        return Found(rule, tagged[1] if tagged else text[:_SHORT])
    return Found(rule, text[: 2 * _SHORT])


_OPENS_DATA = frozenset(first + second for first in "{[" for second in "{[\"' \n\t0123456789}]")


def _asks_to_retry(text: str, role: Role) -> bool:
    """Whether a text asks the caller to repair the call and to make it again."""
    parts = [text[-60:] if len(text) < _SHORT else ""]
    if role not in BRINGS_CONTENT:
        parts.append(text[:_LONGEST_SENTENCE])
    return any(("again" in part or "retry" in part) and _holds("retry", part) for part in parts)


def _by_form(text: str, head: str, role: Role) -> str | None:
    """The rule by which a text is an error by its form; empty if its form says that it is none."""
    start = text[:40].lstrip()[:2]
    if start[:1] == "<" and _starts("error_tag", text):
        return "tagged"
    if start[:1] == "<":
        if _starts("markup", text[:1_000]):
            return "markup"
        if (
            "rror" in text[:200]
            and role not in ("read", "page")
            and _starts("tagged", text[:3_000])
        ):
            return "tagged"
    elif start in _OPENS_DATA:
        return "cut_body" if _starts("cut_body", text[:_HEAD]) else ""
    if len(text) < 60 and role not in BRINGS_CONTENT | {"command"} and _starts("symbol", text):
        return "symbol"
    if ":" in head and len(text) < _LONG and _starts("field_line", head):
        return "field_line"
    return None


def _by_grammar(text: str, head: str, first: str, role: Role, keys: Callable[[], list[str]]) -> str:
    """The rule by which the first sentence reports a failure."""
    low = first.lower()
    words = set(_WORD.findall(low))
    if not _DECLINING.isdisjoint(words) and len(text) < 3_000 and _holds("declined", first):
        return "declined"
    if _starts("calm", head) or _is_a_story(text, head, role):
        return ""
    if not _NOTHING.isdisjoint(words) or low[:1] == "0":
        short = len(text) < _SHORT
        if short and role != "search" and _starts("lack", first):
            return "lack"
        if _starts("none_found", first):
            return _of_nothing(text, head, first, role, keys) if short else ""
    if role in BRINGS_CONTENT or role == "check":
        return _in_content(text, head, first, low, role)
    if (not low.isascii() or any(noun in low for noun in _NOUNS)) and _starts("error_noun", head):
        return "error_noun"
    if role == "command" and _is_listing(text, role):
        return ""
    if _starts("fail_verb", head):
        return "fail_verb"
    if not STATE_WORDS.isdisjoint(words) and _starts("subject_failed", head):
        return "subject_failed"
    if _DENYING.isdisjoint(words) and "http" not in low and "code" not in words:
        return ""
    return _by_denial(text, first, role)


def _in_content(text: str, head: str, first: str, low: str, role: Role) -> str:
    """The same for a tool that brings content, which may speak of errors itself."""
    lines = text.count("\n", 0, _LONG)
    if len(text) > _LONG and not _is_headline(head, first):
        return ""
    if role in ("log", "ask", "check") and lines:
        return ""
    if (not low.isascii() or any(noun in low for noun in _NOUNS)) and _starts("error_noun", head):
        if role == "check" and not _holds("no_content", first):
            return ""
        return "error_noun" if _is_labelled(head) or lines < 3 else ""
    if role in ("check", "ask"):
        return ""
    for rule in ("fail_verb", "subject_failed"):
        if _starts(rule, head):
            return rule
    if len(text) >= 300 or _is_listing(text, role):
        return ""
    return "denial" if _holds("no_content", first) else ""


def _is_a_story(text: str, head: str, role: Role) -> bool:
    """Whether somebody speaks at length, as another model does that was asked."""
    told = role in ("page", "other") and len(text) > 200
    return told and re.match(r"(?:i|unfortunately|sorry)\b(?! encountered)", head, re.I) is not None


def _is_headline(head: str, first: str) -> bool:
    return len(first) < 80 and head[len(first) : len(first) + 1] == "\n"


def _is_labelled(head: str) -> bool:
    """Whether an error noun and a colon stand at the start: "Error searching for x: ..."."""
    return _LABEL.match(head) is not None


_LABEL = re.compile(
    r"[^\n:]{0,60}\b(?:[\w.]*error|exception|failure|traceback)s?\b[^\n:]{0,60}:", re.IGNORECASE
)


def _of_nothing(text: str, head: str, first: str, role: Role, keys: Callable[[], list[str]]) -> str:
    """What "no X found" means: nothing was done, or what was asked for by its key is not there."""
    if role == "action" and len(text) < 300 and _starts("no_effect", head):
        return "no_effect"
    by_key = role not in ("search", "page", "command")
    return "exact_key" if by_key and any(key in first for key in keys()) else ""


def _by_denial(text: str, first: str, role: Role) -> str:
    """The rule by which the first sentence of a short text denies what was asked."""
    if len(text) >= _SHORT and (len(text) >= 3_000 or "\n" in text.strip()):
        return ""
    if len(text) < _SHORT and _holds("http_text", text[:_HEAD]):
        return "http_text"
    first = _QUOTED.sub('""', first) if '"' in first else first
    denies = _holds("denial", first) or (role == "action" and _holds("world_state", first))
    return "denial" if denies and not _is_listing(text, role) else ""


# What is quoted at length is somebody else's sentence.
_QUOTED = re.compile(r'"[^"\n]*(?:"|\Z)')
_FIELD = re.compile(r"\s*[-*]?\s*[\w -]{1,30}: ")
_ROW = re.compile(r"\s*(?:\d+\s*[:|→\t]|[{\[|])")


def _is_listing(text: str, role: Role) -> bool:
    """Whether a text is rows or fields and no message."""
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > (2 if role == "command" else _MOST_LINES) or _ROW.match(text):
        return True
    return sum(_FIELD.match(line) is not None for line in lines) >= 2


def is_failed_page(text: str) -> bool:
    """Whether a page is a notice of an error, a login wall or a bot check."""
    start = text[: _SHORT + 100]
    if _holds("bad_heading", start):
        return True
    visible = re.sub(r"https?://\S+|\s+(?=\s)", "", text[: 2 * _LONG])
    return len(visible) < _LONG and _holds("bad_page", visible[: _SHORT + 100])


def is_unreadable(text: str) -> bool:
    """Whether a text opens as the record of an error and breaks off before it says which."""
    return text[:1] in ("{", "[") and len(text) < 200 and _starts("cut_off", text)


def is_placeholder(text: str) -> bool:
    """Whether a short text ends in what stands where content was to be."""
    return len(text) < 300 and _holds("placeholder", text)
