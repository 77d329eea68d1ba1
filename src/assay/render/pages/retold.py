"""Sentences of the evidence, known again by their wording, so that they have a translation too."""

from __future__ import annotations

import re

from assay.render.pages.said import Said

_NO_CHANGE = "The prompt asks for a change, and no call that changes something succeeded"
_UNASKED = "{n} of {total} things the prompt names are in the arguments of no call that succeeded"
# `{n}` and `{total}` are counts, `{what}` is of any length.
SENTENCES = (
    "{n} of {total} calls failed.",
    "{n} of {total} calls failed, and {more} brought nothing.",
    "The last three calls failed, the last with: {what}",
    "The last call, {tool}, failed: {what}",
    "{n} failed calls were never made good by a similar one: {what}.",
    "The run was cut off: {what}.",
    "There is no answer after the last call.",
    "There is no answer.",
    "No tool was called although tools were on offer.",
    "No tool was called although tools were on offer, and something was to be done.",
    _UNASKED + ": {what}.",
    _NO_CHANGE + ": all attempts ({n}) failed.",
    _NO_CHANGE + ": none was tried.",
    "{n} of {total} numbers in the answer are in no result and not in the prompt: {what}.",
    "The same failure came {n} times: {what}",
    "{n} of {total} calls repeat an earlier one word for word.",
    "No problem found.",
    "Everything the prompt names exactly is in the arguments of its calls.",
    "{n} of {total} checkable claims of the answer are backed by results.",
    "{n} of {total} checkable claims of the answer are backed by results; not backed: {what}.",
    "{what} is in no result and not in the prompt.",
    "{what} is supported ({place}).",
    "{n} of {total} calls that needed an earlier result waited for it and used it.",
    "{n} of {total} expected tools were called.",
    "{n} turns were taken, {total} would have been enough.",
    "{n} of {total} things in the expected answer are there.",
    "{n} of {total} things in the expected answer are there; missing: {what}.",
    "{n} of {total} calls repeat an earlier one in vain.",
    "{n} of {total} calls were to a tool on offer and new and used.",
    "{n} of {total} checkable argument values can be traced.",
    "{what} is expected and not in the answer.",
    "Could have been issued in an earlier turn.",
    "{tool} succeeded.",
)
# A pattern has one part of any length, so that no text takes long to be held against it.
_PARTS = {"n": "[0-9,]+", "total": "[0-9,]+", "more": "[0-9,]+", "tool": "[^ ,]+"}
_PARTS |= {"place": "[^()]+", "what": ".+"}
_PLACE = re.compile(r"\{(\w+)\}")


def _pattern(sentence: str) -> re.Pattern[str]:
    pieces = _PLACE.split(sentence)
    names = pieces[1::2]
    parts = [f"(?P<{name}>{_PARTS[name]})" for name in names]
    texts = [re.escape(piece) for piece in pieces[::2]]
    joined = "".join(text + part for text, part in zip(texts, [*parts, ""], strict=True))
    return re.compile(joined, re.DOTALL)


_PATTERNS = tuple((sentence, _pattern(sentence)) for sentence in SENTENCES)


def retold(text: str) -> Said:
    """The sentence as words and values; what is worded in no known way stays as it is."""
    for sentence, pattern in _PATTERNS:
        found = pattern.fullmatch(text)
        if found is not None:
            return Said(sentence, found.groupdict())
    return Said(text)
