"""What hinders a tool that was to do something.

A state ("The room is full") is an answer to who asked for it, and the reason why who was to act did
not. What was done may be told as a state too: "The lamp has been disabled" is a deed, "The lamp is
disabled" a hindrance, and "The lamp is now disabled" is neither.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

# What a first sentence must say: nothing, what a call should have brought, any state that may
# hinder it, or whatever may be meant so.
Verdict = Literal["none", "demand", "state", "hint"]


class Sign(Struct, frozen=True):
    """One sign of a refusal: how the text opens, and which verdict its first sentence needs.

    A state is no refusal behind a `faint` sign, unless the tool was to act. Where the wording has a
    group `told`, only what stands before it can speak against the sign.
    """

    name: str
    wording: str
    verdict: Verdict = "none"
    faint: bool = False


# What is said of a thing that lets nobody do anything with it.
_HINDERING = (
    r"(?:offline|full|(?:fully )?booked|occupied|sold out|out of (?:stock|order|service|paper)"
    r"|unavailable|unreachable|unresponsive|busy|taken|empty|frozen|expired|inactive|overloaded"
    r"|down|in use|read[- ]?only|under maintenance|bankrupt|off limits|not yours"
    r"|over (?:the|its|your) (?:limit|quota|budget)|too (?:\w+ )?(?:soon|late|early|far|old|low"
    r"|high|big|small|heavy|full|hot|cold|weak|many|few))"
)
# The same, but what a tool brought about may be told in these words: "was closed".
_BROUGHT_ABOUT = (
    r"(?:closed|locked|suspended|disabled|blocked|cancell?ed|archived|deleted|banned|revoked"
    r"|deactivated|disconnected|paused|void)"
)
_REFUSED = r"(?:declined|rejected|refused|denied|blocked|vetoed)"
_UNDONE = (
    r"not (?:been )?(?:updated|saved|sent|created|changed|written|deleted|removed|added|stored"
    r"|performed|executed|confirmed|applied|modified|submitted|published|moved|processed|placed"
    r"|booked|posted|delivered|completed|started|uploaded|registered|charged|restarted|scheduled)"
)
_SUBJECT = r"(?:[\w'\"#/,-]+(?:\.\w+)* ){1,6}?"
_FOR_NOW = r"(?: (?:currently|temporarily|completely|still|already|all|to be))*"
_STOP = r"(?:[.!,;:—–(]|\s*\Z| [^\n]{1,80})"
_BY_NOW = r"(?: already| still| currently)"
_UNDER_WAY = r"(?:in progress|running|pending|under way|active|open)"
_CHOOSE = r"(?:choose|pick|use|try|select|enter|give|pass|specify|provide)"
_BETTER = r"(?:earlier|later|smaller|larger|shorter|longer|lower|higher|valid)"
_ANOTHER = r"(?:another|a different)"
_IN_THE_WAY = r"(?:overlaps?|conflicts?|clash(?:es)?|collides?)"
_LEFT = r"(?:has|have) (?:opted out|unsubscribed|blocked you|muted you)"

# One of these stands in whatever bears a sign of those below.
SAID_BY_WHO_IS_HINDERED = (
    rf"(?:{_HINDERING}|{_BROUGHT_ABOUT}|{_REFUSED}|{_UNDONE}|nothing|skipped|unfortunately|you|only"
    rf"|not \w+ing|please|is{_BY_NOW}? {_UNDER_WAY}"
    rf"|{_CHOOSE} (?:an? |some )?(?:{_BETTER}|{_ANOTHER})"
    rf"|out of|{_LEFT}|{_IN_THE_WAY}|before \w+ing|first|there (?:is|was|are|were) no)\b"
)

# Where there is none of these, all is well: who was to update or to mend had nothing to do.
_BETTER_NONE = (
    r"(?:[\w'-]+ ){0,3}?(?:updates?|upgrades?|changes?|duplicates?|conflicts?|errors?|issues?"
    r"|problems?|warnings?|violations?|differences?|findings?|need(?:s|ed)?|required|action|reason"
    r"|charge|fees?|costs?|tax(?:es)?|limits?|downtime|rush|risk|comment|effect|reply|new"
    r"|old|stale|unused|orphan\w*|expired|pending|leftovers?)\b"
)
_NONE_THERE = Sign(
    "none_there",
    (
        r"no (?:[\w'-]+ ){0,3}?[\w'-]*[^s\s] (?:is |was )?(?:found|open|active|selected|set"
        r"|connected|matched|matches|exists|returned|received|generated|produced)\b"
        r"|no (?:active|open|current|selected|running"
        r"|default|connected) (?:[\w-]+ )?[\w-]*[^s\s.:!](?:[.:!]|\s*\Z)|no (?:[\w-]+ ){1,3}"
        r"(?:configured|defined|registered|specified|provided|selected|connected|loaded"
        r"|installed|enabled)\b|no (?:[\w-]+ ){1,3}(?:changed|updated|modified|saved|sent"
        r"|staged|added|queued)\b[^\n.!]{0,20}[.!]"
        r" (?:please )?(?:pass|provide|specify|set|give|supply|use) \w"
        # Nothing of it is left for who was to have some.
        rf"|no (?!{_BETTER_NONE}|[\w ]{{0,40}}(?:information|info|data|details|documentation)\b)"
        r"(?:[\w'-]+ ){1,4}(?:available|left|free|remaining)\b"
        rf"|there (?:is|was|are|were) no (?!{_BETTER_NONE})(?:[\w'-]+ ){{1,3}}to \w+"
        rf"|there is no (?!{_BETTER_NONE})(?:[\w'-]+ ){{0,3}}?[\w'-]*[^s\s](?:[.!]?\s*\Z"
        r"| (?:for|in|on|at|with|of) [^\n]{1,60}\Z)"
        # None of what the call named, and none of what waits in a place: nothing to act on.
        rf"|no (?!{_BETTER_NONE})(?:[\w'-]+ ){{1,6}}(?:(?<=found )for"
        r"|for(?= [\"'`#]|(?: [\w-]+){0,2} \S{0,20}\d)|matching"
        r"|named|called|with (?:the )?(?:id|name|title|number|[\w-]{2,20}(?= [\"'`#]|"
        r" [\w-]{0,20}\d))|like) [\"'`#]?\w[^\n]{0,80}\Z"
        rf"|no (?!{_BETTER_NONE})(?:[\w'-]+ ){{0,2}}?[\w'-]*[^s\s] (?:in|on) (?:the |this |your )?"
        r"[\w-]+[.!]?\s*\Z"
    ),
)
# First match wins. Letters match in either case unless a wording says (?-i:...).
ACTING_SIGNS: tuple[Sign, ...] = (
    _NONE_THERE,
    Sign("lacking", r"you (?P<told>do not|don't) (?:have|own|seem to (?:have|own))\b"),
    Sign("hindered", r"[^\n]{1,240}\Z", "state"),
    Sign(
        "closed_to_all",
        (
            rf"(?:{_SUBJECT}(?:is|are|was|were|has been|seems|appears|ist|sind|est|está|è)"
            r"|(?:that|this|it)'s)"
            rf"{_FOR_NOW} (?P<told>{_HINDERING})(?! to\b){_STOP}"
        ),
    ),
    Sign("kept_shut", rf"{_SUBJECT}(?:is|are){_FOR_NOW} (?P<told>{_BROUGHT_ABOUT}){_STOP}"),
    Sign(
        "done_before",
        (
            rf"{_SUBJECT}(?:is|are|was|were|has been|have been|has|have) (?P<told>already)"
            r" (?:been )?(?:an? \w+|\w{3,}(?:ed|ing)\b(?! again)|given|taken|sent|made|set up"
            r"|available|present|there|bound|built|held|sold|paid|run|lent|spent|gone|active"
            r"|open|full|in progress)\b"
        ),
    ),
    Sign(
        "turned_down",
        (
            rf"(?:[\w'-]+ ){{1,3}}?(?:was |were |has been |is )?(?P<told>{_REFUSED})"
            r"(?:[.!(]|\s*\Z| (?:by|for|due|because|or)\b)|(?:declined|rejected|refused|denied"
            r"|blocked)[.!:] "
        ),
    ),
    Sign("refused_it", rf"(?:[\w'-]+ ){{1,3}}?{_REFUSED} (?:the|your|this|that|our) \w+"),
    Sign(
        "undone",
        (
            rf"[^\n]{{3,160}}\b(?:is |was |were |has |have )?{_UNDONE}[.!]?\s*\Z"
            r"|[^\n]{3,160}[,;—-] not \w+ing (?:\w+ )?\w+[.!]?\s*\Z"
        ),
    ),
    Sign(
        "skipped",
        r"skipped\s?[:|(—-][^\n]{0,100}\b(?:no|not|missing|without|invalid|cannot|denied)\b",
    ),
    Sign("for_others", r"only (?:[\w<>'-]+ ){1,8}(?P<told>can|may|is|are) (?:be )?\w+"),
    Sign(
        "under_way",
        (
            # "A job is running" may be the one that was to start.
            r"already (?P<told>\w+ing)[.!]?\s*\Z"
            rf"|(?:another (?:[\w'-]+ ){{1,3}}?is{_BY_NOW}?|an? (?:[\w'-]+ ){{1,3}}?is{_BY_NOW})"
            rf" {_UNDER_WAY}\b"
        ),
    ),
    Sign(
        "first_do",
        (
            r"(?:connect|open|save|start|install|enable|finish|close|load|run|stop|pause|unlock"
            r"|upload|complete|verify|log in to|sign in to) (?:an?|the|your|this|that|it|any|all)\b"
            r"[^\n.]{0,60} (?:before \w+ing|first)\b[^\n.,]{0,30}[.!]?\s*\Z"
        ),
    ),
    # "It closes at ten; choose an earlier hour."
    Sign(
        "another",
        (
            r"(?![^\n.;!]{0,60}\b(?:sent|made|set|done|ready|thanks|(?!closed|used|reserved|occupied"
            r"|locked|blocked|failed|expired|declined|denied|refused)[a-z]+ed)\b)"
            rf"[^\n]{{3,200}}?[.;!,—–] (?:please )?{_CHOOSE} (?:an? |some )?(?:{_BETTER}\b"
            # With more behind it, it is an idea for who is done: "Try another song any time!"
            rf"|{_ANOTHER}(?: [\w-]+){{0,2}}[.!]?\s*\Z)"
        ),
    ),
    Sign(
        "run_out",
        (
            r"(?!(?:logged|signed|checked|opted|zoomed|rolled|moved|taken) )(?:the )?[\w'-]+"
            r"(?: [\w'-]+)? (?:is |are |has |ran |run )?(?<!ed )(?<!made )(?<!built )(?<!cut )"
            r"(?<!went )(?<!came )(?<!got )out of (?:[\w-]+ )?(?:[\w-]+[^s\W]s"
            r"|paper|ink|toner|space|fuel|power|battery|stock|rope|money)[.!]?\s*\Z"
            rf"|(?!you )[^\n]{{2,80}} {_LEFT}\b"
        ),
    ),
    Sign("regret", r"unfortunately,? (?:it|the|this|that|there|we|i|your|no|all)\b"),
    Sign("in_the_way", rf"[^\n.;:!]{{2,120}}? (?<!no )(?<!without )(?P<told>{_IN_THE_WAY}) with\b"),
    Sign("idle", r"nothing (?P<told>is|was|has been) (?:\w+ing|\w+ed|open|sent|done)\b"),
    Sign(
        "sent_back",
        (
            r"(?P<told>you (?:must|need to|have to)|please(?! (?:note|find|see|enjoy|wait|allow"
            r"|remember|contact|visit|review|feel|be|keep|do|arrive|bring|collect|pick up|show"
            r"|expect|check your (?:e-?mail|inbox|phone|messages))\b)) \w+"
        ),
    ),
)
# Who was to stop or undo something told by a state that it is so.
STOPPER_SIGNS: tuple[Sign, ...] = (
    *(
        sign
        for sign in ACTING_SIGNS
        if sign.name in {"none_there", "lacking", "sent_back", "for_others"}
    ),
    Sign(
        "not_to_be_stopped",
        (
            r"[^\n.;,]{2,160}? (?P<told>(?:cannot|can't|could not) be (?:cancell?ed|stopped|closed"
            r"|aborted|killed|terminated|revoked|rejected|declined)|does not match)\b"
        ),
    ),
)
