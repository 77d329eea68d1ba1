"""What an answer says of the work: that something was done, or that something failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.text.words import STOP_WORDS, sentences_of, stem, words_of, words_of_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.evidence.index import IndexedCall

_DONE = (
    "created|updated|added|removed|deleted|sent|emailed|booked|rebooked|cancell?ed|refunded"
    "|scheduled"
    "|rescheduled|saved|written|uploaded|posted|published|moved|renamed|labell?ed|assigned"
    "|closed|merged"
    "|opened|submitted|changed|modified|inserted|purchased|ordered|paid|transferred|reserved|issued"
    "|registered|invited|shared|granted|applied|processed|fixed|generated|exchanged|returned"
    "|upgraded"
    "|downgraded|archived|committed|pushed|replaced|set up|configured|implemented|populated"
    "|migrated"
    "|approved|edited"
)
_ADVERBS = r"(?:\s(?:now|just|successfully|also|already|then|all|both|been)){0,3}"
_CLAIM = re.compile(
    rf"\b(?:is|are|am|'m|'re)(?:\snow)?\sbeing\s(?:{_DONE}|connected|routed|forwarded|escalated)\b"
    rf"|\b(?:i|we)(?:['’]ve|\shave)?{_ADVERBS}\s(?:{_DONE})\b"
    rf"|\b(?:has|have|was|were|is|are){_ADVERBS}\s(?:{_DONE})\b|\bsuccessfully\s(?:{_DONE})\b"
    r"|已(?:成功|经|为您)?(?:创建|更新|添加|删除|发送|预订|取消|保存|提交)"
    r"|成功(?:创建|更新|添加|删除|发送|预订|取消|保存|提交)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"\b(?:not|never|no|nothing|none|could|unable|fail(?:ed|s)?|would|if|once|until|will|should"
    r"|can|cannot"
    r"|without|unless|before|after|when|may|might|must|to be|whether|which|that)\b"
    r"|n['’]t\b|未|没有|无法",
    re.IGNORECASE,
)
# "was booked on 3 March" tells history, not what the agent did.
_HISTORY = re.compile(r"(?:was|were|is|are)\s\w+$", re.IGNORECASE)
_SINCE = re.compile(
    r"\s+(?:since|on|in|at|by|before|after|between|from|during|this|last|to|as|with)\b",
    re.IGNORECASE,
)
_TROUBLE = re.compile(
    r"\b(?:could(?: not|n['’]t)|can(?:not|['’]t| not)|unable|fail(?:ed|s|ure|ures|ing)?"
    r"|did(?: not|n['’]t)"
    r"|(?:was|were|is|are|has|have|does)(?: not|n['’]t)|refused|denied|rejected|unavailable"
    r"|unsuccessful\w*"
    r"|unfortunately|blocked|timed? ?-?out|timeout|locked|nothing was|errors?|forbidden"
    r"|unauthori[sz]ed"
    r"|missing|not (?:possible|available|able|found|completed|successful|been|supported"
    r"|permitted|allowed)"
    r"|(?:an?|some|technical|the) (?:issue|problem|difficult\w*)|incomplete|outage)\b"
    r"|失败|无法|未能|错误|抱歉",
    re.IGNORECASE,
)
_NO_TROUBLE = re.compile(
    r"\b(?:0|no|zero|without|any)\s(?:\w+\s)?(?:errors?|failures?|issues?|problems?)", re.IGNORECASE
)
# An action of a narrow meaning, with the verbs of tools that could have taken it.
_NARROW = {
    "communicate": (
        "sent emailed mailed messaged notified forwarded replied",
        "send mail email message notify post forward reply share publish invite comment transfer",
    ),
    "make": (
        "booked reserved purchased bought ordered scheduled rebooked",
        "book rebook reserve purchase buy order schedule create add insert place make exchange",
    ),
    "destroy": (
        "cancelled canceled deleted removed refunded",
        "cancel delete remove refund drop return void clear revoke close trash purge clean",
    ),
}
_NARROW_CLAIMS = tuple(
    (
        re.compile(
            rf"\bi(?:['’]ve|\shave)?{_ADVERBS}\s({'|'.join(claims.split())})\b", re.IGNORECASE
        ),
        frozenset(verbs.split()),
    )
    for claims, verbs in _NARROW.values()
)
_BEFORE = 50
_SHORT = 400
_LONGEST_MATTER = 2_000
_LONGEST_FAILURE = 500
_UNTELLING = STOP_WORDS | {"error", "failed", "with", "this", "that"}


def claimed_action(answer: str) -> str | None:
    """The first words by which an answer says that something was done; None if it does not."""
    for sentence in sentences_of(answer):
        for match in _CLAIM.finditer(sentence):
            if _HISTORY.match(match[0]) and _SINCE.match(sentence, match.end()):
                continue
            before = sentence[max(0, match.start() - _BEFORE) : match.start()]
            if not _NEGATED.search(before) and not _NEGATED.search(match[0]):
                return match[0]
    return None


def unmatched_action(answer: str, calls: Sequence[IndexedCall]) -> str | None:
    """An action of a narrow meaning that the answer claims and no tool that was called can take.

    A tool that runs statements or code, or whose name tells nothing, may have taken any.
    """
    acted = [known for known in calls if known.ok and known.effect != "read"]
    words = {word for known in acted for word in words_of_name(known.tool)}
    if any(known.effect == "unknown" or known.runs_code for known in acted):
        return None
    for pattern, verbs in _NARROW_CLAIMS:
        for match in pattern.finditer(answer):
            before = answer[max(0, match.start() - _BEFORE) : match.start()]
            if verbs.isdisjoint(words) and not _NEGATED.search(before.rpartition(".")[2]):
                return match[0]
    return None


def reports_trouble(answer: str) -> bool:
    """Whether an answer speaks of anything that went wrong."""
    return any(_tells_trouble(sentence) for sentence in sentences_of(answer))


def reports_failure(answer: str, known: IndexedCall) -> bool:
    """Whether an answer reports that this call failed.

    A short answer does with any sentence of trouble, a long one with a sentence that shares a word
    with the call.
    """
    if not _TROUBLE.search(answer):
        return False
    troubled = [sentence for sentence in sentences_of(answer) if _tells_trouble(sentence)]
    if not troubled or len(answer) < _SHORT:
        return bool(troubled)
    matter = _matter_of(known)
    return any(not matter.isdisjoint(map(stem, words_of(sentence))) for sentence in troubled)


def _tells_trouble(sentence: str) -> bool:
    return _TROUBLE.search(sentence) is not None and not _NO_TROUBLE.search(sentence)


def _matter_of(known: IndexedCall) -> set[str]:
    """The words that say what a call was about."""
    named = " ".join(words_of_name(known.tool))
    text = f"{named} {known.arguments[:_LONGEST_MATTER]} {known.failure[:_LONGEST_FAILURE]}"
    return {stem(word) for word in words_of(text) if len(word) > 3 and word not in _UNTELLING}
