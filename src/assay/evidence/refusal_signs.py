"""How a short answer shows that it refuses, where no opening of the grammar says so.

A verdict such as "does not match" stands in any prose. It tells of a failure where the text also
bears a sign that a program speaks to its caller: it begins in lower case, is about a thing that
tools handle, names an argument, or goes on to say what to do instead. What explains, narrates or
reports a success is left alone. A state ("has no sheets") is the reason why a tool that was to do
something did not, and the answer of one that was asked.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from msgspec import Struct

from assay.evidence.error_vocabulary import FIELD_NAMES, HANDLED_THINGS, VERBS
from assay.evidence.hindrances import ACTING_SIGNS, SAID_BY_WHO_IS_HINDERED, STOPPER_SIGNS, Sign
from assay.evidence.linear_search import in_letters, occurrence_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.evidence.hindrances import Verdict
    from assay.evidence.tool_kinds import ToolKind

_ENOUGH: dict[Verdict, frozenset[str]] = {
    "none": frozenset(),
    "demand": frozenset({"demand"}),
    "state": frozenset({"demand", "state"}),
    "hint": frozenset({"demand", "state", "hint"}),
}
_MOST_SENTENCES = 4
_SENTENCE_END = r"(?<=[\w)\]'\"`%][.!?])\s+(?=[A-Z`'\"(])|\n|;\s|\s[—–-]{1,2}\s"

_BAD = (
    r"(?:invalid|malformed|illegal|unsupported|unrecogni[sz]ed|unexpected|ambiguous|incompatible"
    r"|insufficient|duplicate|incorrect)"
)
_DONE = (
    r"(?:\w+ed|sent|found|set|available|valid|ready|running|open|given|known|written|possible"
    r"|built|run|made|held|bound|shown)"
)
_DEMAND = (
    r"(?:cannot (?:both )?be (?:empty|null|blank|negative|zero|used|combined|both|set|before|after"
    r"|in|the same)|must (?:also |only |either )?(?:be|have|not|contain|match|start|end|begin"
    r"|include|use|specify|point|exist|follow|come|differ|belong|refer)|(?:is|are) (?:required"
    r"|mandatory|missing|absent|invalid|unknown|unsupported|malformed|ambiguous"
    r"|mutually exclusive)|requires?|needs"
    r"|expects|expected|(?:is |are )?not (?:\w+ly )?(?:allowed|supported|permitted|recogni[sz]ed"
    r"|accepted|legal|provided|supplied|specified|given|registered|initiali[sz]ed|authori[sz]ed"
    r"|implemented|compatible|one of|an? (?:valid|known|supported|recogni[sz]ed)|valid \w+)"
    rf"|{_BAD}|unknown|exceeds?|too (?:many|few|large|long|short|small|big|deep|old)|beyond"
    r"|out of (?:range|bounds)|(?:does|do|did)(?: not|n't) (?:exist|accept|support|resolve|take"
    r"|allow|belong to you)|already (?:exists?|has|have)|match(?:ed|es) (?:multiple|several"
    r"|more than)|(?:does|do) not (?:match|conform to|satisfy) (?:the |its |any )?(?:\w+ ){0,2}"
    r"(?:schema|format|pattern|signature)|(?:has|have|contains?) (?:an? )?(?:unknown|invalid"
    r"|multiple|dangerous|illegal|forbidden|disallowed|unsafe|unsupported)|should (?:be|not)"
    r"|could not be (?:read|loaded|opened|parsed|reached)"
    r"|(?:can|may) (?:only )?(?:be|have|contain)(?: \w+ed)? (?:at most|a maximum|max(?:imum)?|up to"
    r"|no more)|may not (?:contain|include|exceed|start|end)"
    r"|refusing to \w+|(?:supports?|accepts?|allows?|takes?) (?:[\w-]+ ){1,6}only|only (?:supports?"
    r"|accepts?|allows?|takes?|works? with))\b"
)
_STATE = (
    r"(?:cannot \w+|unable to \w+|(?:is|are|was|were|has|have|does|do|did|would|will"
    rf"|can|could)(?: not|n't)\b|not (?:yet |currently |properly )?{_DONE}\b|not \w+ yet\b"
    r"|none of\b|neither\b|can only\b|no (?:reply|response|answer)\b|(?:is|are) in the past\b"
    r"|(?:larger|bigger|longer|higher|greater|older|heavier) than (?:the|its|our) [\w. ]{0,20}"
    r"(?:limit|maximum|allowance)\b"
    r"|(?:has|have|contains?|matched) no\b"
    r"|(?:unavailable|unreachable|out of stock|sold out|in use)\b)"
)
_HINT = (
    r"(?:(?:is|are) (?:currently )?(?:off|offline|gone|full|over|busy|locked|disabled|closed"
    r"|read-?only"
    r"|already|only|too)\b|no longer\b|already\b|still (?:has|have|active|open)\b"
    r"|(?:inaccessible|expired|forbidden|disallowed|unauthori[sz]ed|undefined|stale|rejected|refused|denied|blocked)\b"
    r"|failed\b|no (?:active|open|current|selected|running|valid|default|registered|configured"
    r"|suitable)\b|nothing to \w+\b|no (?:[\w-]+ ){1,4}(?:configured|provided|specified"
    r"|selected|supplied|given|connected|loaded|initiali[sz]ed|installed|attached|registered|enabled)\b)"
)
_ASKING = (
    r"(?:provide|specify|supply|give|pass|attach|add|set|create|configure|enter|choose|pick|select"
    r"|keep|limit|spend|buy|order|wait|pay|deposit|bet|invite|empty)"
)
_INSTEAD = (
    r"(?:use|run|call|set|provide|specify|pass|supply|create|choose|pick|select|enable|configure"
    r"|install|connect|launch|open|start|upload|add|include|read|check|ensure|make sure|verify"
    r"|give|try|remove|click|point|restart|reconnect|reload|refresh|upgrade|log in|sign in|correct"
    r"|rename|reduce|retry|must be|it (?:must|should)|expected)"
)
# What could have been given instead.
_CHOICE = r"(?:available|valid|allowed|supported|known|accepted)(?: [\w-]+){0,3}:"
_COURTESY = r"(?:contact|note|review|find|see|enjoy|wait|visit|try|call|reply|feel)"
_IDENTIFIER = (
    r"(?-i:\b[a-z]+_\w+|\b[a-z]+[A-Z]\w*|\b[A-Z]+_[A-Z_]+\b)|\w=\w|[\"'`][^\"'`\n]{1,60}[\"'`]"
    r"|</?\w+>|(?<![\s\S])--(?-i:[a-z])[\w-]+"
)
_WORD = r"[^\W\d][\w'/-]*"
_COPULA = r"(?:is|are|was|were|has|have|do|does|did|should|could|would|will|must)"


# Letters match in either case unless a wording says (?-i:...).
SIGNS: tuple[Sign, ...] = (
    Sign(
        "demand",
        (
            r"(?:please )?(?:(?:provide|specify|supply) (?:an?|one|at least|exactly|either|both|the"
            r"|your|only|all)|(?:give|pass|attach|enter) (?:an?|one|at least|exactly|either|both)"
            r"|enter an?) [^\n]{3,90}"
            r"\Z|(?:keep|limit) (?:the|your) [\w ]{2,30} (?:under|below|within|to|at) \d[^\n]{0,40}"
            r"\Z|(?:spend|add|buy|order|wait|pay|deposit|bet|invite) (?:at least|at most|no more"
            r" than|a minimum of) \S[^\n]{1,80}\Z"
            r"|(?:choose|pick|select) (?:[^\n.]{1,70} or |one of |between |an? |at least )"
            r"[^\n.]{1,40}[.!]?\s*\Z|(?:add|select|choose|set|create|configure) (?:an?|at least|one"
            r"|the|your) [^\n.]{2,60} (?:before \w+ing|first)[.!]?\s*\Z"
        ),
    ),
    Sign(
        "wrong_thing",
        (
            rf"(?:{_BAD}(?: {_WORD}){{1,4}}|(?-i:empty) (?:path|query|input|url|command|argument"
            r"|payload)"
            rf"|missing(?: {_WORD}){{1,2}}(?: (?:or|and) {_WORD})?"
            rf"|(?-i:unknown)(?: {_WORD})"
            r"{1,2}|incomplete (?:[\w-]+ ){1,3}(?:detected|given|provided|received|specified"
            r"|supplied)"
            r"|(?-i:[a-z])[\w/]*(?: [\w/]+){0,4} mismatch)[.!]?\s*\Z"
        ),
    ),
    # "Session is not a live session": what was named is of another kind than what was needed.
    Sign(
        "of_another_kind",
        r"(?:the |this |that )?(\w{3,30}) is not an? (?:[\w-]+ ){1,3}\1[.!]?\s*\Z",
        "state",
    ),
    # Who is sent elsewhere by the name of a tool or of an argument got nothing here.
    Sign(
        "instead",
        (
            rf"(?=[^\n]{{0,200}}(?:{_IDENTIFIER}))[^\n]{{3,200}}?[.;!—–] (?:please )?"
            r"(?:use|call|try|run|pass|see) [^\n.;!?]{2,80} instead[.!]?\s*\Z"
        ),
    ),
    Sign(
        "not_done",
        (
            r"(?!(?:no|nothing|none|it|this|he|she|they|why|i|we)\b"
            rf"|(?:[\w'\"./-]+ ){{1,4}}?{_COPULA} )(?:[\w'\"./-]+ ){{1,4}}not (?:yet )?{_DONE}"
            r"(?=\s*(?:\Z|[.:;,(!—–-])| (?:to|for|in|by|with|because|due|from)\b)"
        ),
    ),
    Sign("lower_case", r"(?-i:[a-z])(?!\S*: )\S* \S+ [^\n]*[^.!?\s]\Z", "hint", faint=True),
    Sign(
        "handled_thing",
        (
            rf"(?:the |an? |this |that |your |each )?(?:[\w-]+ ){{0,3}}?{HANDLED_THINGS}"
            r"(?: (?!that\b|which\b|to\b|of\b)[\"'`#(<]?[\w./@:#-]{1,40}[\"'`)>]?)?,? "
            rf"(?:is |are |was |were )?{_DEMAND}"
        ),
        "demand",
    ),
    Sign("refusing", r"[^\n]{0,160}\brefusing to \w+"),
    Sign(
        "therefore",
        rf"[^\n]{{3,160}}?[.!;,—–-] (?:so |i |we )?(?:cannot|can't|could not|couldn't|unable to)"
        rf" {VERBS}\b",
        "hint",
    ),
    Sign(
        "advice",
        (
            rf"[^\n]{{3,200}}?(?:[.!;:)'\"`\]]|\s[—–-]{{1,2}}|\n)\s*(?:please |instead,? |either )?"
            rf"(?:{_INSTEAD}\b(?! again)|{_CHOICE}|(?<=please )(?!{_COURTESY}\b)\w+)"
        ),
        "hint",
    ),
    Sign(
        "asked_for",
        (
            r"(?:the )?(?:specified|requested|given|provided|supplied|selected|configured|stored"
            r"|target|source) "
        ),
        "hint",
    ),
    # What cannot be done with it, or how it is too large; any story may go on with "that".
    Sign(
        "that",
        (
            r"that (?:[\w-]+ )?(?:is not an? (?:valid|known|supported|recogni[sz]ed|registered)\b"
            r"|(?:could not|couldn't|cannot|can't) be \w+ed\b"
            r"|(?:is|are) (?:in the past"
            r"|(?:larger|bigger|longer|higher|greater|older|heavier) than)\b)"
        ),
        "hint",
    ),
    Sign(
        "labelled",
        rf"(?!{FIELD_NAMES}\b)(?-i:[a-z][\w.-]{{2,30}}): (?:\S+ ){{3}}[^\n]*[^.!?\s]\Z",
        "state",
    ),
    Sign(
        "service",
        (
            r"(?:the |an? )?(?:[\w-]+ ){0,3}?(?:service|server|store|backend|database|api|endpoint"
            r"|provider|engine|feature|tool|gateway|broker|(?:data|knowledge) ?base|index"
            r"|catalog(?:ue)?) (?P<told>(?:is )?"
            r"(?:currently |temporarily )?(?:unavailable|unreachable|overloaded))\b"
        ),
    ),
    Sign("identifier", rf"[^\n]{{0,200}}?(?:{_IDENTIFIER})", "demand"),
)
# What stands before a verdict that is no refusal: a condition, an explanation, a success.
_DOUBTS_BEFORE = (
    r"\b(?:if|when|whenever|unless|returns?|raises?|means?|whether|indicates?|how|why|what|while"
    r"|where|until|used|because|since|(?<=\w )(?:that|which)|success\w*|created|deleted|saved"
    r"|updated|added|removed|completed|done|passed|found \d+|wrote|closed|opened|scheduled|playing"
    r"|resolved|fixed|(?:reply|comment|reminder)(?:[:!]| (?:set|sent|posted))"
    r"|(?:was|were|been) (?!not|rejected|denied|refused|blocked)\w+ed"
    r"|(?:is|are) (?:now )?(?!required|expected|needed)\w+ed|(?:set|changed"
    r"|switched) (?:to|from)"
    r"|(?:is|are) now)\b"
)
_DOUBTS_WITHIN = (
    r"\A(?!failed|rejected|refused|denied|blocked|expired|skipped|unsupported|need|undefined"
    r"|unauthori[sz]ed"
    r"|malformed|unexpected|unresolved|unrecogni[sz]ed)(?-i:[A-Z])\w+ed\b|\?|\b(?:he|she|they|his"
    r"|her|their"
    r"|him|who|said|my|our|us|(?<!\d )people|everyone|usually|often|always|never|generally|might"
    r"|may(?! not (?:contain|include|exceed|start|end)\b)"
    r"|sometimes|typically|(?<!at )most|many|by default|guaranteed|already installed)\b"
    r"|\bsome (?:[\w]+ ){1,5}(?:could not|were not|cannot)\b"
    r"|\b(?:was|were) (?:(?:stripped|skipped|ignored|dropped)|(?<!nothing was )(?:moved|sent|saved"
    r"|stored|added))\b"
)
# How a document, a list, a field or code opens, and a search that found nothing.
_DOUBTS_AT_FIRST = (
    r"(?-i:[A-Z][a-z]*s (?:must|are|require|need|cannot|do|have|can|should|may)\b)"
    r"|\d|(?:for|of|on|due|note|do not|don't|never|i|we)\b"
    r"|(?-i:(?:def|class|import|from|const|let|var|return|if|for|while|assert|try|git|note|status"
    r"|http)\b)"
    r"|(?:no|none|0|zero) (?:[\w'-]+ ){0,4}?(?:(?:was |were )?(?:found|match\w*|detected|returned"
    r"|available|yet|to|left|pending|scheduled)\b|\w+s\b(?! (?:are |were )?(?:configured|provided"
    r"|registered|specified|selected|supplied|connected|loaded|installed|enabled)))"
    r"|(?-i:[A-Z])[\w-]*(?: \w+)?: "
)
_DOUBTS_ANYWHERE = (
    r"\bit (?:was|has been) \w+ed\b|[{}]|=\s|\s=|\);|=>|::|\w\(\w*\):|[|#]|\*\*|```|\n\s*[-*\d]"
    r"|\[\w+="
)

# What is done in spite of what is said before.
_GOES_ON = re.compile(r"\b(?:anyway|proceeding|continuing with|using (?:the )?default)\b", re.I)

# Who was to mend, to merge or to update had nothing to do.
_ALL_WELL = re.compile(
    r"(?:there (?:are|were) )?no (?:[\w'-]+ ){0,2}?(?:duplicates?|conflicts?|errors?|issues?"
    r"|problems?|warnings?|violations?|updates?|upgrades?)\b(?: [\w'-]+){0,2}?"
    r" (?:found|detected|available|needed|remain(?:ing)?)\b"
    r"|no (?:further )?(?:reply|response|answer|action) (?:is )?(?:needed|required|necessary)\b",
    re.I,
)

# What bears these hinders the tool, beside what refuses whoever calls.
_HINDERING: dict[ToolKind, tuple[Sign, ...]] = {"acting": ACTING_SIGNS, "stopper": STOPPER_SIGNS}


class _Grammar(Struct, frozen=True):
    end: re.Pattern[str]
    verdict: re.Pattern[str]
    before: re.Pattern[str]
    within: re.Pattern[str]
    first: re.Pattern[str]
    anywhere: re.Pattern[str]


@cache
def _grammar() -> _Grammar:
    """The patterns, compiled when the first short text asks for them."""
    ignored = re.IGNORECASE
    return _Grammar(
        end=re.compile(_SENTENCE_END),
        verdict=re.compile(
            rf"\b(?:(?P<demand>{_DEMAND})|(?P<state>{_STATE})|(?P<hint>{_HINT}))", ignored
        ),
        before=re.compile(_DOUBTS_BEFORE, ignored),
        within=re.compile(_DOUBTS_WITHIN, ignored),
        first=re.compile(_DOUBTS_AT_FIRST, ignored),
        anywhere=re.compile(_DOUBTS_ANYWHERE),
    )


@cache
def _compiled(wording: str) -> re.Pattern[str]:
    """The wording of a sign, compiled when the first text may bear it."""
    return re.compile(wording, re.IGNORECASE)


@cache
def _may_refuse(*, hindered: bool) -> Callable[[str], bool]:
    """A quick look at a text in lower case: most short answers say nothing that could refuse."""
    more = SAID_BY_WHO_IS_HINDERED if hindered else r"overloaded\b"
    said = rf"\b(?:{_DEMAND}|{_STATE}|{_HINT}|{more}|missing\b|mismatch\b|instead\b|incomplete\b)"
    return occurrence_of(rf"{said}|\A(?:please )?{_ASKING}\b|\Ano ")


def sign_of_refusal(opening: str, *, tool: ToolKind = "other") -> Sign | None:
    """The sign by which a text of a line or two shows that it refuses, if it bears one.

    It depends on the tool: one that was asked for a state tells it, and refuses by demands only.
    """
    if not _may_refuse(hindered=tool in _HINDERING)(in_letters(opening.lower())):
        return None
    grammar = _grammar()
    sentences = grammar.end.split(opening.strip())
    first = sentences[0]
    if len(sentences) > _MOST_SENTENCES or grammar.within.search(first):
        return None
    if grammar.anywhere.search(opening) or _GOES_ON.search(opening) or _ALL_WELL.match(opening):
        return None
    hindered = _borne(grammar, _HINDERING.get(tool, ()), opening, first, tool)
    if hindered is not None:
        return hindered
    if grammar.first.match(opening):
        return None
    return _borne(grammar, SIGNS, opening, first, tool)


def _borne(
    grammar: _Grammar, signs: tuple[Sign, ...], opening: str, first: str, tool: ToolKind
) -> Sign | None:
    """The first of the signs that a text bears with the verdict it needs, and without a doubt."""
    for sign in signs:
        found = _compiled(sign.wording).match(opening)
        if found is None or _only_answers(grammar, sign, first, tool):
            continue
        place = _place_of(grammar, sign, found, first)
        if place is not None and grammar.before.search(first[:place]) is None:
            return sign
    return None


def _only_answers(grammar: _Grammar, sign: Sign, sentence: str, tool: ToolKind) -> bool:
    """Whether the tool was not to act, and tells a state before it demands anything."""
    if sign.verdict == "none" or not (tool == "asking" or (sign.faint and tool != "acting")):
        return False
    told = grammar.verdict.search(sentence)
    return told is not None and told.lastgroup != "demand"


def _place_of(grammar: _Grammar, sign: Sign, borne: re.Match[str], sentence: str) -> int | None:
    """Where a sentence says what a sign needs, or more than that."""
    if sign.verdict == "none":
        return borne.start("told") if "told" in borne.re.groupindex else len(sentence)
    told = grammar.verdict.finditer(sentence)
    enough = _ENOUGH[sign.verdict]
    return next((found.start() for found in told if found.lastgroup in enough), None)
