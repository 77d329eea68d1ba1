"""Sentences of the evidence, known again by their wording, so that they have a translation too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.evidence import SENTENCES_OF_FINDINGS
from assay.judge.rubric import DIMENSIONS
from assay.render.pages import chatbot_wordings as chatbot
from assay.render.pages.said import Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_WAITED = "{n} of {total} calls that needed an earlier result waited for it and used it"
_TRACED = "{n} of {total} checkable argument values have a source"
_NONE_TRACED = "There was no argument value to trace"
_MISFIT = "{misfits} of {calls} calls do not fit their schema"
# `{n}` and `{total}` are counts, `{what}` is of any length.
SENTENCES = (
    *SENTENCES_OF_FINDINGS.values(),
    # What the evidence judge says of a dimension.
    "{n} of {total} calls failed.",
    "{n} of {total} calls failed and nothing made up for them.",
    "{tool} failed.",
    "{n} of {total} things that the request names are in no successful call: {what}.",
    "No successful call uses '{what}'.",
    "Everything the request names exactly is in the arguments of its calls.",
    "Neither request nor answer was recorded.",
    "The answer holds the expected one word for word.",
    "The answer is a copy of a result.",
    "{n} of {total} checkable claims of the answer are backed by results.",
    "{n} of {total} checkable claims of the answer are backed by results; not backed: {what}.",
    "{what} is in no result and not in the request.",
    "{what} is supported.",
    "{what} is calculated.",
    _WAITED + ".",
    _WAITED + " ({kinds}).",
    "{n} of {total} expected tools were called.",
    "{n} of {total} expected tools were called; missing: {what}.",
    "{tool} was expected and not called.",
    "No tool was expected, and none called.",
    "{n} turn was taken, {total} would have been enough.",
    "{n} turns were taken, {total} would have been enough.",
    "{n} of {total} figures and names of the expected answer are there.",
    "{n} of {total} figures and names of the expected answer are there; missing: {what}.",
    "{what} is expected and not in the answer.",
    "{n} of {total} calls repeat an earlier one.",
    "No repeated calls.",
    "The same as call {n}.",
    "{n} of {total} calls were to a tool on offer and new and used.",
    "{n} of {total} calls were to a tool on offer and new and used ({kinds}).",
    "{n} of {total} calls were to a tool on offer and new.",
    "{n} of {total} calls were to a tool on offer and new ({kinds}).",
    "{n} of {total} calls were new and used.",
    "{n} of {total} calls were new and used ({kinds}).",
    "{n} of {total} calls were new.",
    "{n} of {total} calls were new ({kinds}).",
    "Repeats call {n} with the same result.",
    "Nothing that {tool} returned was used.",
    _NONE_TRACED + "; {n} of {total} calls fit their schema.",
    _NONE_TRACED + "; " + _MISFIT + ".",
    _TRACED + ".",
    _TRACED + "; " + _MISFIT + ".",
    _TRACED + "; without: {what}; " + _MISFIT + ".",
    _TRACED + "; without: {what}.",
    "{what} was first returned by call {n}.",
    "{what} has no source.",
    "{what} was a guess, and the call failed.",
    "The arguments of {tool} do not fit its schema: {what}",
    "Could have been issued in an earlier turn.",
    # What is measured of the calls, and why not.
    "{what} is not on offer.",
    "{what} is not on offer",
    "the arguments of {tool} do not fit its schema: {what}",
    "the arguments of {tool} cannot be checked: {what}",
    "{tool} failed: {what}",
    "the agent made no calls",
    "the tools on offer are not known",
    "no call named a tool on offer",
    "the text states no arguments",
    "judged by evidence, {n} of {total} dimensions",
    "judged by evidence",
    "judged by {who}, {n} of {total} dimensions",
    "judged by {who}",
    # What is held against expected calls and changes.
    "{tool} was expected and not called",
    "{tool} was called, but not where it was expected",
    "{tool} was called and not expected",
    "{what} was expected and not made",
    "{what} was expected and not made; it was tried and failed (call {n})",
    "{what} was made as expected",
    "{what} was made and not expected",
    "{what} is forbidden and was made",
    "never seen in a result: {what}",
    "the answer does not state: {what}",
    "nothing is known to be expected; give the case expected_tools",
    "nothing is expected: the case has no expectations, its task no golden run",
    "this is the only golden run of its task",
    "no calls were recorded",
    "no calls were expected",
    "no calls were made",
)
# Why there is no figure, or what it cannot tell.
REASONS = (
    "one task says nothing about others",
    "all tasks scored the same, on a scale of unknown ends",
    "no task has 1 run",
    "no task has {n} runs",
    "all ratings are equal",
    "no unit was rated twice",
    "most resamples have equal ratings only",
    "fewer than two scores",
    "with one task the spread between tasks is not known",
    "each task was run once, so runs cannot be told from tasks",
    "each run was judged once, so judgements cannot be told from runs",
    "the task part came out negative ({negative}) and counts as 0",
    "the run part came out negative ({negative}) and counts as 0",
    "the judge part came out negative ({negative}) and counts as 0",
    "no tool was used but the search for tools",
    "no steps were recorded",
)
# Lines of a reason: what stands in them is told in turn.
LINES = (
    "{weight} x {score} ({how}) + {other_weight} x {other_score} (measured: {terms}).",
    "Judged part only (nothing could be measured): {score} ({how}).",
    "Measured part only (judging is off): {terms}.",
    "Measured part only (the judge gave no marks): {terms}.",
    "Not scored: judging is off and nothing could be measured.",
    "Not scored: the judge gave no marks and nothing could be measured.",
    "Strict mode: anything below 1 counts as 0.",
    "{n} opinions judged from {low} to {high}.",
    "Unstable: alone, some of them would pass the threshold and others not.",
    "{n} of {total} jurors answered.",
    "{verdict} ({basis})",
    "{verdict} ({basis}).",
    "{verdict} ({basis}): {findings}",
    "Unknown.",
    "The evidence shows: {findings}",
    "Held at {score}: the verdict is {verdict}.",
    "The calls were inferred from text; their success is a guess.",
    "{n} call(s) met a broken server schema: the server's fault.",
    "Call {n}: {said}",
    "({n} more findings.)",
    "Not everything applies: {said}.",
    "{dimension} {mark}: {said}",
    "{dimension} {mark} ({low} to {high}): {said}",
    "{dimension} not judged: {said}",
)
# Of these a reason is made, with semicolons between them.
_PLAIN_CLAUSES = (
    "{n} of 1 expected write made as expected",
    "{n} of {total} expected writes made as expected",
    "{n} of 1 expected write made as expected, {rest}",
    "{n} of {total} expected writes made as expected, {rest}",
    "no write expected, none made",
    "no write expected, {rest}",
    "no write is expected, and others are ignored",
    "nothing forbidden was done",
    "1 forbidden write made: worth nothing",
    "{n} forbidden writes made: worth nothing",
    "1 write made, {total} expected",
    "{n} writes made, {total} expected",
    "{n} of {total} facts of the golden run seen",
    "the golden run was told no numbers or dates",
    "{n} of {total} expected parts missing from the answer",
    "the expected answer has no checkable part",
    "the golden run called nothing and said nothing",
    "nothing is expected",
    "against golden run {what}",
    "{n} of {total} expected calls made",
    "{n} with wrong arguments",
    "{n} extra",
    "order: {order}",
    "reference {n} of {total} fits best",
    "{n} failed calls left out",
    "no calls are expected",
    "no calls are expected, and extra ones are ignored",
)
# The first of them may begin a sentence.
CLAUSES = tuple(dict.fromkeys(k[:1].upper() + k[1:] for k in _PLAIN_CLAUSES))
CLAUSES += tuple(clause for clause in _PLAIN_CLAUSES if clause not in CLAUSES)
_RESTS = (
    "{n} made with other values, {more} made and not expected",
    "{n} made with other values",
    "{n} made and not expected",
)
# How a figure may be written that is more than one number.
FIGURES = ("{a} of {b}", "{least} to {most}")
TERMS = ("schema", "names", "ok", "1 - fail", "plan")
KINDS = ("unknown tool", "repeated call", "unused result", "wrong guess")
_COUNTS = ("n", "total", "more", "misfits", "calls")
_NUMBERS = ("weight", "score", "other_weight", "other_score", "low", "high", "mark")
# A pattern has one part of any length, so that no text takes long to be held against it.
_PARTS = dict.fromkeys(_COUNTS, "[0-9,]+") | dict.fromkeys(_NUMBERS, "[0-9.]+")
_PARTS |= dict.fromkeys(("what", "said", "findings"), ".+")
_PARTS |= {"field": "[^ ]{1,130}", "count": "[0-9]+"}
_PARTS |= dict.fromkeys(("value", "other", "error"), ".{0,130}")
_PARTS |= {"verdict": "(?i:passed|failed|suspect|no problem found)"}
_PARTS |= {"basis": "outcome|expectation|judge|evidence"}
_PARTS |= dict.fromkeys(("place", "how", "terms"), "[^()]+")
_PARTS |= {"tool": "[^ ,]+", "share": "[0-9]+%", "instead": "[^()]{1,200}", "kinds": "[a-z, ]+"}
_PARTS |= {"negative": "[-0-9.e]+"}
_PARTS |= dict.fromkeys(("a", "b"), "[0-9.,]+")
_PARTS |= dict.fromkeys(("least", "most"), "[^ ]+(?: [^ ]+)?")
_PARTS |= {"who": "[^,]{1,200}", "order": "[a-z_ ]+", "rest": "[a-z0-9, ]+"}
_PARTS |= {"dimension": "|".join(re.escape(dimension.label) for dimension in DIMENSIONS)}
_PARTS |= dict.fromkeys(("check", "clauses"), ".+")
_PARTS |= dict.fromkeys(("level", "grade", "setup", "code", "packages"), "[a-z0-9, ]+")
_PARTS |= dict.fromkeys(("amount", "distance"), "[-+0-9.e]+")
_PARTS |= {"name": "[a-z_]{1,40}", "counted": "[^()]+"}
_PLACE = re.compile(r"\{(\w+)\}")
_TERM = re.compile(r"(?P<name>[a-z0-9 -]+) (?P<n>[0-9.]+)")
_TOTAL = re.compile(r"(?P<n>[0-9.]+)(?: = mean of (?P<terms>.+))?")
# A longer text is nobody's sentence of ours.
_LONGEST = 20_000


def _pattern(sentence: str) -> re.Pattern[str]:
    pieces = _PLACE.split(sentence)
    names = pieces[1::2]
    parts = [f"(?P<{name}>{_PARTS[name]})" for name in names]
    texts = [re.escape(piece) for piece in pieces[::2]]
    joined = "".join(text + part for text, part in zip(texts, [*parts, ""], strict=True))
    return re.compile(joined, re.DOTALL)


class _Table:
    """Sentences that a text may be; the first that fits is it."""

    def __init__(
        self, sentences: Iterable[str], within: dict[str, Callable[[str], Said]] | None = None
    ) -> None:
        self._patterns = tuple((sentence, _pattern(sentence)) for sentence in sentences)
        self._within = within or {}

    def find(self, text: str) -> Said | None:
        for sentence, pattern in self._patterns:
            found = pattern.fullmatch(text)
            if found is not None:
                return Said(sentence, {k: self._told(k, v) for k, v in found.groupdict().items()})
        return None

    def _told(self, name: str, text: str) -> str | Said:
        return self._within[name](text) if name in self._within else text


def retold(text: str) -> Said:
    """The sentence as words and values; what is worded in no known way stays as it is."""
    if len(text) > _LONGEST:
        return Said(text)
    return _SENTENCES.find(text) or _ORIGINS.find(text) or _clauses(text) or Said(text)


def retold_reason(text: str) -> Said:
    """A reason of several lines, each told by itself."""
    if len(text) > _LONGEST:
        return Said(text)
    return _joined([_LINES.find(line) or retold(line) for line in text.split("\n")], "\n")


def retold_figure(text: str) -> Said:
    """A figure as it is written: a count of another, two ends, or a number that stays as it is."""
    return _FIGURES.find(text) or Said(text)


def retold_words(text: str) -> Said:
    """Words or reasons of ours with semicolons between them."""
    parts = text.split("; ")
    return _joined([_REASONS.find(part) or _word(part) for part in parts], "; ")


def _word(text: str) -> Said:
    """A name of ours, which has underscores where its translation has spaces."""
    return Said(text.replace("_", " "))


def each_said(text: str) -> Said:
    """Words of ours with commas between them."""
    return _joined([Said(word) for word in text.split(", ")], ", ")


def _joined(parts: Sequence[Said], between: str) -> Said:
    if len(parts) == 1:
        return parts[0]
    names = [f"part{number}" for number in range(len(parts))]
    words = "{between}".join(f"{{{name}}}" for name in names)
    return Said(words, {"between": Said(between)} | dict(zip(names, parts, strict=True)))


def _findings(text: str) -> Said:
    """Findings one after another; what begins no known sentence belongs to the one before."""
    if not text.endswith("."):
        return Said(text)
    sentences: list[str] = []
    for piece in text.removesuffix(".").split(". "):
        if sentences and _SENTENCES.find(f"{piece}.") is None:
            sentences[-1] += f". {piece}"
        else:
            sentences.append(piece)
    return _joined([retold(f"{sentence}.") for sentence in sentences], " ")


def _terms(text: str) -> Said:
    """The measured part as it was computed: `0.833 = mean of schema 1.00, names 0.67`."""
    found = _TOTAL.fullmatch(text)
    if found is None or found["terms"] is None:
        return Said(text)
    terms = [_TERM.fullmatch(term) for term in found["terms"].split(", ")]
    told = [Said("{name} {n}", {"name": Said(t["name"]), "n": t["n"]}) for t in terms if t]
    if len(told) < len(terms):
        return Said(text)
    return Said("{n} = mean of {terms}", {"n": found["n"], "terms": _joined(told, ", ")})


def _clauses(text: str) -> Said | None:
    """Clauses of ours with semicolons between them; None unless all of them are known."""
    found = [_CLAUSES.find(clause) for clause in text.removesuffix(".").split("; ")]
    told = [clause for clause in found if clause is not None]
    if len(told) < len(found):
        return None
    joined = _joined(told, "; ")
    return Said("{said}.", {"said": joined}) if text.endswith(".") else joined


_RESTS_OF_CLAUSES = _Table(_RESTS)
_FIGURES = _Table(FIGURES)
_REASONS = _Table(REASONS)
_SENTENCES = _Table(SENTENCES, {"kinds": each_said})
_PACKAGES = _Table(chatbot.PACKAGES)
_COUNTED = _Table(chatbot.COUNTED, {"packages": lambda text: _PACKAGES.find(text) or Said(text)})
_ORIGINS = _Table(
    chatbot.ORIGINS,
    {
        "clauses": lambda text: _clauses(text) or Said(text),
        "counted": lambda text: _COUNTED.find(text) or Said(text),
    },
)
_CLAUSES = _Table(
    (*CLAUSES, *chatbot.CLAUSES),
    {"rest": lambda text: _RESTS_OF_CLAUSES.find(text) or Said(text)}
    | dict.fromkeys(("name", "check", "level", "grade", "setup", "code"), Said),
)
_LINES = _Table(
    LINES,
    {
        "said": retold,
        "findings": _findings,
        "how": retold,
        "terms": _terms,
        "dimension": Said,
        "verdict": Said,
        "basis": Said,
    },
)
WORDINGS = (*SENTENCES, *LINES, *CLAUSES, *_RESTS, *REASONS, *FIGURES)
WORDINGS += (*chatbot.CLAUSES, *chatbot.ORIGINS, *chatbot.COUNTED, *chatbot.PACKAGES)
