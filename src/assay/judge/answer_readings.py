"""What the end of a run says: was the task done, and is the answer backed?

Most looks can only find fault: that there is an answer, or that the last call worked, does not
show that the task was done, and gives no reading.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.evidence.atoms import atoms_in
from assay.evidence.claims import COUNTED_KINDS
from assay.evidence.effect_comparison import compare_effects
from assay.evidence.effect_reading import read_effects
from assay.evidence.effects import asks_for_write
from assay.evidence.grounding import MOSTLY_COPIED
from assay.evidence.measures import measures_in
from assay.evidence.words import phrase_of, words_of
from assay.expectation import Expectations
from assay.judge.looking import Reading, listed
from assay.score import Evidence

if TYPE_CHECKING:
    from assay.evidence.atoms import Atom
    from assay.evidence.claims import Claim
    from assay.evidence.findings import Finding, FindingKind
    from assay.evidence.measures import Measures
    from assay.judge.looking import ExaminedRun

COPIED_SHARE = 0.5
MOSTLY_REPEATED = 0.8
_LEAST_WORDS = 12
_LEAST_WORD = 4
_MOST_EVIDENCE = 10
_HALF = 0.5 + 1e-9
# Refusing may be right; whether it was cannot be told without a policy.
_REFUSES = re.compile(
    r"\b(?:can(?:not|['’]t)|could(?: not|n['’]t)|unable to|won['’]t be able|ineligible"
    r"|not (?:able|allowed|available|eligible|permitted|possible))\b"
    r"|无法|不能|不可以|不允许|不支持|不符合|没办法",
    re.IGNORECASE,
)


def usable_end(run: ExaminedRun) -> Reading | None:
    """No answer, a limit that was hit, no call where something was to be done."""
    finding = _finding(run, "no_usable_end")
    if finding is None or finding.severity != "high" or _only_refused(run):
        return None
    return _reading(0.0, finding)


def last_calls(run: ExaminedRun) -> Reading | None:
    """The last call failed, or the last three did."""
    return _by_failures(run, "failure_at_end")


def unresolved_failures(run: ExaminedRun) -> Reading | None:
    """Failed calls that nothing made good later."""
    return _by_failures(run, "unresolved_failures")


def asked_items(run: ExaminedRun) -> Reading | None:
    """How many of the things that the user named exactly reached a call that worked."""
    signal = run.examination.findings.signals["asked_items_missing"]
    if signal is None:
        return None
    finding = _finding(run, "asked_items_missing")
    if finding is not None:
        return _reading(1 - signal, finding)
    return Reading(1.0, "Everything the prompt names exactly is in the arguments of its calls.")


def expected_effects(run: ExaminedRun) -> Reading | None:
    """How well the run did what its case expects, leaf by leaf, where it states anything."""
    expected = _expected(run)
    if expected is None or not expected.states_anything or run.case.execution_data is None:
        return None
    found = compare_effects(read_effects(run.case), expected)
    if found.value is None:
        return None
    text = f"{found.reason[:1].upper()}{found.reason[1:]}."
    return Reading(found.value, text, found.evidence[:_MOST_EVIDENCE])


def asked_write(run: ExaminedRun) -> Reading | None:
    """Whether the change that was asked for was made; a refusal to try is not judged.

    Where the case says which changes are expected, words of the prompt decide nothing.
    """
    expected = _expected(run)
    if expected is not None and (expected.writes, expected.write_count) != (None, None):
        return None
    signal = run.examination.findings.signals["asked_write_missing"]
    finding = _finding(run, "asked_write_missing")
    if finding is not None:
        return None if not finding.calls and _refuses(run) else _reading(0.0, finding)
    if signal is None:
        return None
    done = tuple(
        Evidence(f"{known.call.tool} succeeded.", "write", known.position)
        for known in run.facts.calls
        if known.writes and not known.failed
    )
    return Reading(1.0, "A change was asked for, and one was made.", done[:_MOST_EVIDENCE])


def expected_output(run: ExaminedRun) -> Reading | None:
    """How much of what can be checked in the expected answer stands in the answer."""
    expected, answer = run.case.expected_output, run.case.actual_output
    if not expected or not expected.strip() or not answer:
        return None
    said = phrase_of(answer)
    if phrase_of(expected) in said:
        return Reading(1.0, "The answer holds the expected one word for word.")
    atoms = list({atom.phrase: atom for atom in atoms_in(expected)}.values())
    if not atoms:
        return None
    measures = measures_in(answer, words_of(answer))
    missing = [atom for atom in atoms if not _says(atom, said, measures)]
    text = f"{len(atoms) - len(missing)} of {len(atoms)} things in the expected answer are there"
    text += f"; missing: {listed(atom.text for atom in missing)}." if missing else "."
    evidence = (
        Evidence(f"{atom.text} is expected and not in the answer.", "expected_output")
        for atom in missing[:_MOST_EVIDENCE]
    )
    return Reading(1 - len(missing) / len(atoms), text, tuple(evidence))


def own_words(run: ExaminedRun) -> Reading | None:
    """An answer that is a copy of results, or of the question, is not much of one."""
    copied = run.examination.grounding.copied
    if copied is not None and copied >= MOSTLY_COPIED:
        text = f"{copied:.0%} of the answer is a copy of results, not an answer."
        return Reading(COPIED_SHARE, text, (Evidence(text, "copied_answer"),))
    repeated = _repeated_share(run)
    if repeated is None or repeated < MOSTLY_REPEATED:
        return None
    text = f"{repeated:.0%} of the answer's words are the question's, and none is from a result."
    return Reading(1 - repeated, text, (Evidence(text, "repeated_question"),))


def backed_claims(run: ExaminedRun) -> Reading | None:
    """How many of the answer's checkable claims are backed by results."""
    grounding = run.examination.grounding
    share = grounding.share
    if share is None:
        return None
    counted = [claim for claim in grounding.claims if claim.kind in COUNTED_KINDS]
    backed = [claim for claim in counted if claim.status in {"supported", "calculated"}]
    loose = [claim for claim in counted if claim.status in {"absent", "contradicted"}]
    checked = len(backed) + len(loose)
    text = f"{len(backed)} of {checked} checkable claims of the answer are backed by results"
    text += f"; not backed: {listed(claim.text for claim in loose)}." if loose else "."
    told = [*loose, *backed][:_MOST_EVIDENCE]
    return Reading(share, text, tuple([_claimed(claim) for claim in told]))


def _claimed(claim: Claim) -> Evidence:
    origin = claim.origin
    call = None if origin is None else origin.call
    where = "" if origin is None else f" ({origin.place})"
    if claim.status == "absent":
        text = f"{claim.text} is in no result and not in the prompt."
    elif claim.status == "contradicted":
        text = f"{claim.text} is said, but the result has {claim.instead}{where}."
    else:
        text = f"{claim.text} is {claim.status}{where}."
    return Evidence(text, f"{claim.status}_claim", call)


def _finding(run: ExaminedRun, kind: FindingKind) -> Finding | None:
    found = run.examination.findings.found
    return next((finding for finding in found if finding.kind == kind), None)


def _by_failures(run: ExaminedRun, kind: FindingKind) -> Reading | None:
    """What failures say of the task; nothing, where neither task nor answer was recorded."""
    finding = _finding(run, kind)
    if finding is None or run.facts.sources.holds_calls_alone:
        return None
    return _reading(1 - (run.examination.findings.signals[kind] or 0.0), finding)


def _reading(share: float, finding: Finding) -> Reading:
    places = finding.calls[:_MOST_EVIDENCE] or (None,)
    evidence = tuple(Evidence(finding.text, finding.kind, call) for call in places)
    return Reading(share, finding.text, evidence)


def _expected(run: ExaminedRun) -> Expectations | None:
    given: Any = run.case.expected_effects
    if given is None or isinstance(given, Expectations):
        return given
    return Expectations.from_dict(given)


def _only_refused(run: ExaminedRun) -> bool:
    return not run.facts.calls and _refuses(run)


def _refuses(run: ExaminedRun) -> bool:
    return bool(_REFUSES.search(run.case.actual_output or ""))


def _says(atom: Atom, said: str, measures: Measures) -> bool:
    if atom.phrase in said:
        return True
    if atom.quantity is not None:
        reach = _HALF * 10.0**-atom.quantity.decimals
        return any(abs(number - atom.quantity.size) <= reach for number in measures.numbers)
    if atom.minute is not None:
        return atom.minute in measures.minutes
    return not measures.days.isdisjoint(atom.days)


def _repeated_share(run: ExaminedRun) -> float | None:
    """Share of the answer's distinct words that stand in the prompt; None if that is no sign.

    It is none where something was to be done, where no result had anything to tell, or where
    the answer has a word that only a result said.
    """
    if asks_for_write(run.case.input):
        return None
    sources = run.facts.sources
    words = {word for word in words_of(run.case.actual_output or "") if _is_telling(word)}
    if any(map(sources.is_told_only_by_results, words)):
        return None
    if len(words) < _LEAST_WORDS or not any(_told_something(run)):
        return None
    prompt = sources.told[0].words
    return len(words & prompt) / len(words)


def _told_something(run: ExaminedRun) -> list[bool]:
    return [not (known.failed or known.is_empty or known.writes) for known in run.facts.calls]


def _is_telling(word: str) -> bool:
    return len(word) >= _LEAST_WORD or word.isdecimal() or not word.isascii()
