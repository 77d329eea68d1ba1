"""What looks wrong in a run, and the three-way verdict: never "success" from evidence alone.

Eight findings, each with a severity, a place and a sentence, and each with a signal between 0
(nothing) and 1 (as bad as it gets), None where it does not apply. The signals weigh the same.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from assay.evidence.asked_items import asked_items, missing_from, never_reached
from assay.evidence.call_facts import are_alike
from assay.evidence.claims import NUMBER_KINDS
from assay.evidence.effects import asks_for_deed, asks_for_write, ends_run, merely_tells
from assay.evidence.grounding import ground_answer
from assay.evidence.run_facts import RunFacts
from assay.evidence.tool_kinds import kind_of_tool
from assay.evidence.words import phrase_of
from assay.score import mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from assay.evidence.call_facts import CallFacts
    from assay.evidence.claims import Grounding
    from assay.test_case import AgentTestCase

Severity = Literal["high", "medium", "low"]
Verdict = Literal["problem found", "no problem found", "not checkable"]
FindingKind = Literal[
    "failure_load",
    "failure_at_end",
    "unresolved_failures",
    "no_usable_end",
    "asked_items_missing",
    "asked_write_missing",
    "ungrounded_numbers",
    "repeats",
]

HALF_FAILED = 0.5
LIKE_ENOUGH = 0.3
UNGROUNDED = 0.3
LEAST_NUMBERS = 3
LEAST_UNRESOLVED = 2
LEAST_SAME_FAILURES = 3
MOSTLY_MISSING = 0.5
_LAST_CALLS = 3
_MOST_COMPARED = 64
_MOST_NAMED = 5
_LONGEST_QUOTED = 160
_LONGEST_SIGNATURE = 400
_DIGITS = re.compile(r"[0-9]+")
_QUOTED = re.compile(r"'[^'\n]{0,200}'|\"[^\"\n]{0,200}\"|`[^`\n]{0,200}`")
# How a prompt tells the command to end with.
_TO_END_WITH = re.compile(
    r"\b(?:to (?:finish|submit|end|complete|stop)|when (?:you are |you're )?(?:done|finished))\b"
    r"[^`\n]{0,80}`([^`\n]{4,120})`",
    re.IGNORECASE,
)
_LONGEST_PROMPT = 50_000
_END_KEYS = ("termination_reason", "stop_reason", "finish_reason", "end_reason", "exit_reason")
_LIMIT = re.compile(
    r"max|limit|length|exceed|budget|time_?out|timed|truncat|too_many", re.IGNORECASE
)


class Finding(Struct, frozen=True, omit_defaults=True, gc=False):
    """One thing that looks wrong: what, how bad, in one sentence, and at which calls."""

    kind: FindingKind
    severity: Severity
    text: str
    calls: tuple[int, ...] = ()


class Findings(Struct, frozen=True):
    """The findings of a run, its eight signals and its verdict.

    "No problem found" does not mean that the task was done: most failures leave no trace.
    """

    found: tuple[Finding, ...]
    signals: dict[FindingKind, float | None]
    verdict: Verdict

    @property
    def concern(self) -> float | None:
        """Mean of the signals that apply; None without any. Lower is better."""
        return mean(self.signals.values())


class _Judged(NamedTuple):
    signal: float | None
    finding: Finding | None = None


def find_problems(
    case: AgentTestCase, *, facts: RunFacts | None = None, grounding: Grounding | None = None
) -> Findings:
    """Look for all eight problems; what is known of the run already may be handed over."""
    facts = RunFacts(case) if facts is None else facts
    grounding = ground_answer(case, facts=facts) if grounding is None else grounding
    judged = {kind: look(facts, grounding) for kind, look in _LOOKS.items()}
    found = tuple(look.finding for look in judged.values() if look.finding is not None)
    return Findings(
        found, {kind: look.signal for kind, look in judged.items()}, _verdict(facts, found)
    )


def _verdict(facts: RunFacts, found: Sequence[Finding]) -> Verdict:
    if any(finding.severity != "low" for finding in found):
        return "problem found"
    decided = any(call.decided for call in facts.calls)
    return "no problem found" if decided else "not checkable"


def _failure_load(facts: RunFacts, _: Grounding) -> _Judged:
    calls = facts.calls
    if not calls:
        return _Judged(None)
    failed = [call for call in calls if call.failed]
    bad = [call for call in calls if call.failed or call.is_empty]
    tools = {call.call.tool for call in calls}
    signal = (len(bad) / len(calls) + len({call.call.tool for call in failed}) / len(tools)) / 2
    if len(failed) < HALF_FAILED * len(calls):
        return _Judged(signal)
    text = f"{len(failed)} of {len(calls)} calls failed{_and_empty(len(bad) - len(failed))}."
    return _Judged(signal, Finding("failure_load", "medium", text, _places(failed)))


def _and_empty(count: int) -> str:
    return f", and {count} brought nothing" if count else ""


def _failure_at_end(facts: RunFacts, _: Grounding) -> _Judged:
    calls = facts.calls
    if not calls:
        return _Judged(None)
    if not calls[-1].failed:
        return _Judged(0.0)
    last = calls[-_LAST_CALLS:]
    if len(last) == _LAST_CALLS and all(call.failed for call in last):
        text = f"The last three calls failed, the last with: {_quoted(last[-1])}"
        return _Judged(1.0, Finding("failure_at_end", "high", text, _places(last)))
    # One alone may be an attempt that was rightly refused, or a check that was meant to fail.
    text = f"The last call, {calls[-1].call.tool}, failed: {_quoted(calls[-1])}"
    return _Judged(0.5, Finding("failure_at_end", "medium", text, _places(calls[-1:])))


def _unresolved_failures(facts: RunFacts, _: Grounding) -> _Judged:
    if not facts.calls:
        return _Judged(None)
    unresolved = sorted(_unresolved(facts.calls), key=lambda call: call.position)
    if len(unresolved) < LEAST_UNRESOLVED:
        return _Judged(0.0)
    names = _listed(dict.fromkeys(call.call.tool for call in unresolved))
    text = f"{len(unresolved)} failed calls were never made good by a similar one: {names}."
    finding = Finding("unresolved_failures", "medium", text, _places(unresolved))
    return _Judged(len(unresolved) / len(facts.calls), finding)


def _unresolved(calls: Sequence[CallFacts]) -> Iterator[CallFacts]:
    """Failed calls with no later success of the same tool with similar arguments."""
    later: dict[str, list[CallFacts]] = {}
    for call in reversed(calls):
        successes = later.setdefault(call.call.tool, [])
        if not call.failed:
            successes.append(call)
        elif not any(
            are_alike(call.words, other.words, LIKE_ENOUGH) for other in successes[-_MOST_COMPARED:]
        ):
            yield call


def _no_usable_end(facts: RunFacts, _: Grounding) -> _Judged:
    """In a dialogue the other side may end the talk on a call: there only a limit counts."""
    case = facts.case
    limit = _limit_hit(case)
    if limit:
        text = f"The run was cut off: {limit}."
    elif not (case.actual_output or "").strip() and not _is_dialogue(case):
        if not _answers_are_recorded(facts):
            return _Judged(None)
        if facts.calls and _ended_itself(facts.calls[-1], case.input):
            return _Judged(0.0)
        text = "There is no answer after the last call." if facts.calls else "There is no answer."
    elif not facts.calls and facts.tools:
        asked = asks_for_write(case.input)
        text = "No tool was called although tools were on offer" + (
            ", and something was to be done." if asked else "."
        )
        severity: Severity = "high" if asked else "low"
        return _Judged(1.0 if asked else None, Finding("no_usable_end", severity, text))
    else:
        return _Judged(0.0)
    return _Judged(1.0, Finding("no_usable_end", "high", text))


def _answers_are_recorded(facts: RunFacts) -> bool:
    """Whether an answer would be there, had one been given: some recordings hold none."""
    if facts.calls and not any(call.decided for call in facts.calls):
        # What came of no call was recorded: then neither was what the agent made of it.
        return False
    return not facts.sources.holds_calls_alone


def _ended_itself(call: CallFacts, prompt: str) -> bool:
    """Whether the last call was one to end with: by its tool, or by the words of the prompt."""
    if call.failed:
        return False
    if ends_run(call.call.tool):
        return True
    told = (found[1] for found in _TO_END_WITH.finditer(prompt[:_LONGEST_PROMPT]))
    return any(command in call.arguments for command in told)


def _limit_hit(case: AgentTestCase) -> str:
    """What a recording says about a limit that ended the run."""
    for known in (case.extra, case.execution_data.extra if case.execution_data else {}):
        for key in _END_KEYS:
            reason = known.get(key)
            if isinstance(reason, str) and _LIMIT.search(reason):
                return f"{key} is {reason[:60]!r}"
    return ""


def _asked_items_missing(facts: RunFacts, _: Grounding) -> _Judged:
    items = asked_items(_user_texts(facts.case)) if facts.calls else []
    if not items:
        return _Judged(None)
    sent = facts.sources.argument_phrases
    done = [call for call in facts.calls if not call.failed]
    away = missing_from(items, (sent[call.position] for call in done))
    if not away:
        return _Judged(0.0)
    if not all(call.call.arguments_recorded for call in done):
        return _Judged(None)
    missing = never_reached(away, (phrase_of(c.call.tool) + sent[c.position] for c in done))
    count = len(items) - len(away) + len(missing)
    if not missing:
        return _Judged(0.0 if count else None)
    signal = len(missing) / count
    text = (
        f"{len(missing)} of {count} things the prompt names are in the arguments of no call "
        f"that succeeded: {_listed(item.atom.text for item in missing)}."
    )
    many = signal >= MOSTLY_MISSING and len(missing) > 1
    return _Judged(signal, Finding("asked_items_missing", "medium" if many else "low", text))


def _asked_write_missing(facts: RunFacts, _: Grounding) -> _Judged:
    """Off in dialogues: there a policy may be the reason, and refusing right."""
    case = facts.case
    if not facts.calls or _is_dialogue(case) or not _asks_for_change(facts):
        return _Judged(None)
    tried = [call for call in facts.calls if call.writes]
    if any(not call.failed for call in tried):
        return _Judged(0.0)
    if any(_may_write(call) for call in facts.calls):
        return _Judged(None)
    how = f"all attempts ({len(tried)}) failed" if tried else "none was tried"
    text = f"The prompt asks for a change, and no call that changes something succeeded: {how}."
    return _Judged(1.0, Finding("asked_write_missing", "high", text, _places(tried)))


def _may_write(call: CallFacts) -> bool:
    """Whether a command ran of which nobody recorded what it was to do."""
    hidden = not (call.failed or call.call.arguments_recorded)
    return hidden and kind_of_tool(call.call.tool) == "command"


def _asks_for_change(facts: RunFacts) -> bool:
    """Whether a change is asked for; some words do only where no call may have been one."""
    prompt = facts.case.input
    if asks_for_write(prompt):
        return True
    return asks_for_deed(prompt) and all(merely_tells(call.call.tool) for call in facts.calls)


def _ungrounded_numbers(facts: RunFacts, grounding: Grounding) -> _Judged:
    numbers = [claim for claim in grounding.claims if claim.kind in NUMBER_KINDS]
    if len(numbers) < LEAST_NUMBERS or not facts.sources.knows_request:
        return _Judged(None)
    absent = [claim for claim in numbers if claim.status in {"absent", "contradicted"}]
    signal = len(absent) / len(numbers)
    if signal < UNGROUNDED:
        return _Judged(signal)
    text = (
        f"{len(absent)} of {len(numbers)} numbers in the answer are in no result and not in the "
        f"prompt: {_listed(claim.text for claim in absent)}."
    )
    return _Judged(signal, Finding("ungrounded_numbers", "medium", text))


def _repeats(facts: RunFacts, _: Grounding) -> _Judged:
    calls = facts.calls
    if not calls:
        return _Judged(None)
    repeated = len(calls) - len({call.identity for call in calls})
    signal = repeated / len(calls)
    signatures = Counter([_signature(call) for call in calls if call.failed])
    stubborn = [text for text, count in signatures.items() if count >= LEAST_SAME_FAILURES]
    if stubborn:
        text = f"The same failure came {signatures[stubborn[0]]} times: {stubborn[0]}"
        return _Judged(max(signal, 0.5), Finding("repeats", "low", text))
    if not repeated:
        return _Judged(signal)
    seen = Counter([call.identity for call in calls])
    again = [call for call in calls if seen[call.identity] > 1]
    text = f"{repeated} of {len(calls)} calls repeat an earlier one word for word."
    return _Judged(signal, Finding("repeats", "low", text, _places(again)))


def _signature(call: CallFacts) -> str:
    """A failure's words with everything masked that differs from case to case."""
    message = call.message[:_LONGEST_SIGNATURE]
    masked = _QUOTED.sub("'…'", _DIGITS.sub("#", message))
    return f"{call.call.tool}: {_one_line(masked)}"


def _user_texts(case: AgentTestCase) -> list[str]:
    """What the user said, the prompt first."""
    said = (
        message.get("content")
        for message in case.conversation_history or []
        if message.get("role") == "user"
    )
    texts = (text for text in said if isinstance(text, str) and text != case.input)
    return [case.input, *texts]


def _is_dialogue(case: AgentTestCase) -> bool:
    return len(_user_texts(case)) > 1


def _quoted(call: CallFacts) -> str:
    return _one_line(call.message) or "it gave no message."


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * _LONGEST_QUOTED].split())
    return line if len(line) <= _LONGEST_QUOTED else f"{line[: _LONGEST_QUOTED - 1]}…"


def _listed(names: Iterable[str]) -> str:
    """A few names and how many more there are; each cut short."""
    shown = [name if len(name) <= 60 else f"{name[:59]}…" for name in names]
    more = len(shown) - _MOST_NAMED
    return ", ".join(shown[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _places(calls: Sequence[CallFacts]) -> tuple[int, ...]:
    return tuple(call.position for call in calls)


_LOOKS: dict[FindingKind, Callable[[RunFacts, Grounding], _Judged]] = {
    "failure_load": _failure_load,
    "failure_at_end": _failure_at_end,
    "unresolved_failures": _unresolved_failures,
    "no_usable_end": _no_usable_end,
    "asked_items_missing": _asked_items_missing,
    "asked_write_missing": _asked_write_missing,
    "ungrounded_numbers": _ungrounded_numbers,
    "repeats": _repeats,
}
