"""What the evidence judge looks at: each check gives the share that was right, or nothing.

Most checks can only find fault: that there is an answer, or that the last call worked, does not
show that the task was done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import Struct

from assay.evidence import UNSOURCED, Examination
from assay.records import cut
from assay.schema import SchemaFit, explain_misfits
from assay.score import Evidence
from assay.text.entities import ids_in, items_in, kind_of, names_in, quotations_in
from assay.text.words import tokens_of

if TYPE_CHECKING:
    from assay.evidence import ArgumentValue, Finding

_MOST_EVIDENCE = 10
_MOST_NAMED = 3
_LONGEST_NAME = 60
_LONGEST_PROBLEM = 200
_LEAST_UNRESOLVED = 2
_DATA_SIGNS = ("{", "[", "<")
_COPIED = 0.5
# What findings leave of a task's fulfilment.
_SHARES: dict[str, float] = {
    "no_answer": 0.0,
    "claim_without_call": 0.0,
    "fact_without_call": 0.0,
    "claim_without_change": 0.0,
    "foreign_answer": 0.0,
    "empty_talk": 0.0,
    "last_call_failed": 0.1,
    "last_change_failed": 0.1,
    "failure_reported": 0.4,
}


# What an agent may put in its own words.
_ADDRESSES = frozenset({"path", "url", "email", "ref"})
_OWN_WORDS = frozenset({"word", "phrase", "time"})


class Check(Struct, frozen=True):
    """The share that was right, 0 to 1, in one sentence, and the evidence behind it."""

    share: float
    text: str
    evidence: tuple[Evidence, ...] = ()


Checker: TypeAlias = Callable[[Examination], Check | None]


# ------------------------------------------------------------------ the task and the answer
def usable_end(found: Examination) -> Check | None:
    """What the end of the run says against it."""
    ends = [finding for finding in found.findings if finding.kind in _SHARES]
    if not ends:
        return None
    worst = min(ends, key=lambda finding: _SHARES[finding.kind])
    return Check(
        _SHARES[worst.kind], worst.sentence, tuple(map(as_evidence, ends[:_MOST_EVIDENCE]))
    )


def unresolved_failures(found: Examination) -> Check | None:
    """Failed calls after which the same tool never succeeded."""
    calls = found.run.calls
    last_success = {known.tool: known.position for known in calls if known.ok}
    failed = [k for k in calls if not k.ok and k.position > last_success.get(k.tool, -1)]
    if len(failed) < _LEAST_UNRESOLVED or not found.run.request:
        return None
    text = f"{len(failed)} of {len(calls)} calls failed and nothing made up for them."
    evidence = (
        Evidence(f"{known.tool} failed.", "unresolved_failure", known.position) for known in failed
    )
    return Check(1 - len(failed) / len(calls), text, tuple(evidence)[:_MOST_EVIDENCE])


def asked_items(found: Examination) -> Check | None:
    """How many of the things that the request names exactly reached a call that worked."""
    run = found.run
    addresses = (item for item in items_in(run.request) if kind_of(item) in _ADDRESSES)
    items = dict.fromkeys((*quotations_in(run.request), *ids_in(run.request), *addresses))
    named = [item for item in items if tokens_of(item)]
    if not named or not run.calls or run.is_dialogue:
        return None
    missing = [item for item in named if not run.used_tokens.issuperset(tokens_of(item))]
    if not missing:
        return Check(1.0, "Everything the request names exactly is in the arguments of its calls.")
    text = f"{len(missing)} of {len(named)} things that the request names are in no successful call"
    evidence = (
        Evidence(f"No successful call uses {cut(item, _LONGEST_NAME)!r}.", "unused_item")
        for item in missing
    )
    return Check(
        1 - len(missing) / len(named),
        f"{text}: {listed(missing)}.",
        tuple(evidence)[:_MOST_EVIDENCE],
    )


def expected_effects(found: Examination) -> Check | None:
    """How well the run did what its case expects."""
    compared = found.expected
    if compared is None or compared.value is None:
        return None
    text = f"{compared.reason[:1].upper()}{compared.reason[1:]}."
    return Check(compared.value, text, compared.evidence[:_MOST_EVIDENCE])


def expected_output(found: Examination) -> Check | None:
    """How much of what the expected answer states exactly stands in the answer."""
    expected, answer = found.run.case.expected_output, found.run.answer
    if not expected or not expected.strip() or not answer:
        return None
    stated = tokens_of(answer)
    wanted = tokens_of(expected)
    if f" {' '.join(wanted)} " in f" {' '.join(stated)} ":
        return Check(1.0, "The answer holds the expected one word for word.")
    named = (token for name in names_in(expected) for token in tokens_of(name))
    figures = (token for token in wanted if any(map(str.isdigit, token)))
    items = list(dict.fromkeys((*figures, *named)))
    if not items:
        return None
    missing = [item for item in items if item not in set(stated)]
    there = f"{len(items) - len(missing)} of {len(items)}"
    text = f"{there} figures and names of the expected answer are there"
    text += f"; missing: {listed(missing)}." if missing else "."
    evidence = (
        Evidence(f"{item} is expected and not in the answer.", "expected_output")
        for item in missing
    )
    return Check(1 - len(missing) / len(items), text, tuple(evidence)[:_MOST_EVIDENCE])


def own_words(found: Examination) -> Check | None:
    """An answer that is a copy of a result is not much of one."""
    answer = found.run.answer
    if answer[:1] not in _DATA_SIGNS:
        return None
    copied = f" {' '.join(tokens_of(answer))} "
    for known in found.run.calls:
        if copied in f" {' '.join(tokens_of(known.result))} ":
            text = "The answer is a copy of a result."
            return Check(_COPIED, text, (Evidence(text, "copied_answer", known.position),))
    return None


def backed_claims(found: Examination) -> Check | None:
    """How many of the answer's checkable claims are backed by results."""
    grounding = found.grounding
    share = grounding.share if found.run.calls else None
    if share is None:
        return None
    backed = grounding.with_status("supported", "calculated")
    absent = grounding.with_status("absent")
    share_text = f"{len(backed)} of {len(backed) + len(absent)}"
    text = f"{share_text} checkable claims of the answer are backed by results"
    text += f"; not backed: {listed(claim.text for claim in absent)}." if absent else "."
    evidence = [
        *(
            Evidence(f"{c.text} is in no result and not in the request.", "absent_claim")
            for c in absent
        ),
        *(Evidence(f"{c.text} is {c.status}.", f"{c.status}_claim", c.origin) for c in backed),
    ]
    return Check(share, text, tuple(evidence[:_MOST_EVIDENCE]))


# ------------------------------------------------------------------ the tools
def fitting_calls(found: Examination) -> Check | None:
    """Calls to tools on offer, not made before, of whose results something was used."""
    calls, offered = found.run.calls, found.run.tools
    decided = any(known.is_decided for known in calls)
    if not calls or not (decided or offered):
        return None
    wrong: dict[int, Evidence] = {}
    for known in calls if offered is not None else ():
        if known.tool not in (offered or {}):
            text = f"{cut(known.tool, _LONGEST_NAME)!r} is not on offer."
            wrong[known.position] = Evidence(text, "unknown_tool", known.position)
    for repeat in found.plan.needless:
        text = f"Repeats call {repeat.earlier + 1} with the same result."
        wrong.setdefault(repeat.call, Evidence(text, "repeated_call", repeat.call))
    for position in found.plan.unused:
        text = f"Nothing that {cut(calls[position].tool, _LONGEST_NAME)} returned was used."
        wrong.setdefault(position, Evidence(text, "unused_result", position))
    good = len(calls) - len(wrong)
    sides = [] if offered is None else ["to a tool on offer"]
    sides += ["new", "used"] if decided and found.run.request else ["new"]
    text = f"{good} of {len(calls)} calls were {' and '.join(sides)}{_kinds(wrong.values())}."
    return Check(good / len(calls), text, _first(wrong))


def expected_tools(found: Examination) -> Check | None:
    """How many of the tools that were expected were called; other ways may lead there too."""
    expected = found.run.case.expected_tools
    if expected is None:
        return None
    names = list(dict.fromkeys(_names_of(expected)))
    called = {known.tool for known in found.run.calls}
    if not names:
        return None if called else Check(1.0, "No tool was expected, and none called.")
    missing = [name for name in names if name not in called]
    text = f"{len(names) - len(missing)} of {len(names)} expected tools were called"
    text += f"; missing: {listed(missing)}." if missing else "."
    evidence = (
        Evidence(f"{name} was expected and not called.", "expected_tool") for name in missing
    )
    return Check(1 - len(missing) / len(names), text, tuple(evidence)[:_MOST_EVIDENCE])


def _names_of(expected: list[Any]) -> Iterator[str]:
    for item in expected:
        name = item.get("name") or item.get("tool") if isinstance(item, Mapping) else item
        name = name if isinstance(name, str) else getattr(item, "name", None)
        if isinstance(name, str):
            yield name


# ------------------------------------------------------------------ the arguments
def right_arguments(found: Examination) -> Check | None:
    """The mean over calls: 0 for one that does not fit its schema, else the share with a source."""
    shares: dict[int, list[float]] = {}
    unsourced: list[ArgumentValue] = []
    for value in found.arguments:
        if value.source in ("unchecked", "convention"):
            continue
        lost = value.source in UNSOURCED
        if lost and value.kind in _OWN_WORDS:
            continue
        shares.setdefault(value.call, []).append(float(not lost))
        if lost:
            unsourced.append(value)
    fits, misfits = _fits(found)
    right = dict.fromkeys(fits, 1.0)
    right |= {position: sum(own) / len(own) for position, own in shares.items()}
    right |= dict.fromkeys(misfits, 0.0)
    if not right:
        return None
    checked = sum(map(len, shares.values()))
    parts = _sourced(checked, unsourced)
    if misfits:
        parts.append(f"{len(misfits)} of {len(found.run.calls)} calls do not fit their schema")
    elif not shares:
        parts.append(f"{len(fits)} of {len(found.run.calls)} calls fit their schema")
    evidence = [*misfits.values(), *map(_without_source, unsourced[:_MOST_EVIDENCE])]
    share = sum(right.values()) / len(right)
    return Check(share, f"{'; '.join(parts)}.", tuple(evidence[:_MOST_EVIDENCE]))


def _sourced(checked: int, unsourced: list[ArgumentValue]) -> list[str]:
    if not checked:
        return ["There was no argument value to trace"]
    known = f"{checked - len(unsourced)} of {checked} checkable argument values have a source"
    return [known] + ([f"without: {listed(v.text for v in unsourced)}"] if unsourced else [])


def _fits(found: Examination) -> tuple[list[int], dict[int, Evidence]]:
    """The calls that fit their schema, and what is wrong with those that do not."""
    fits: list[int] = []
    misfits: dict[int, Evidence] = {}
    tools = found.run.tools
    checks: dict[tuple[str, str | None], tuple[Any, SchemaFit]] = {}
    for known in found.run.calls if tools else ():
        call, position = known.call, known.position
        key = (known.tool, call.server)
        if key not in checks:
            tool = None if tools is None else tools.get(known.tool)
            declared = None if tool is None else tool.on(call.server).input_schema
            checks[key] = (declared, SchemaFit(declared))
        schema, check = checks[key]
        # A call that only a text speaks of was made with arguments, whatever they were.
        stated = call.arguments_recorded and (known.is_decided or call.parameters != {})
        fit = check.of(call.parameters) if schema and stated else None
        if fit == "fits":
            fits.append(position)
        elif fit == "violates":
            problem = cut(explain_misfits(schema, call.parameters), _LONGEST_PROBLEM)
            name = cut(known.tool, _LONGEST_NAME)
            text = f"The arguments of {name} do not fit its schema: {problem}"
            misfits[position] = Evidence(text, "schema_violation", position)
    return fits, misfits


def _without_source(value: ArgumentValue) -> Evidence:
    shown = cut(value.text, _LONGEST_NAME)
    if value.source == "later" and value.origin is not None:
        text = f"{value.place}: {shown} was first returned by call {value.origin + 1}."
    else:
        text = f"{value.place}: {shown} has no source."
    return Evidence(text, "value_without_source", value.call)


# ------------------------------------------------------------------ order and effort
def right_order(found: Examination) -> Check | None:
    """Calls that took a value from an earlier result, against those that did not wait for one."""
    wrong: dict[int, Evidence] = {}
    calls = found.run.calls
    for value in found.arguments:
        if value.source == "later":
            wrong.setdefault(value.call, _without_source(value))
        elif value.source in UNSOURCED and not calls[value.call].ok:
            text = (
                f"{value.place}: {cut(value.text, _LONGEST_NAME)} was a guess, and the call failed."
            )
            wrong.setdefault(value.call, Evidence(text, "wrong_guess", value.call))
    right = found.plan.needs.keys() - wrong.keys()
    steps = len(right) + len(wrong)
    if not steps:
        return None
    text = f"{len(right)} of {steps} calls that needed an earlier result waited for it and used it"
    return Check(len(right) / steps, f"{text}{_kinds(wrong.values())}.", _first(wrong))


def few_repeats(found: Examination) -> Check | None:
    """Calls that are no needless repeats of an earlier one."""
    calls = len(found.run.calls)
    if calls < 2:
        return None
    needless = found.plan.needless
    text = (
        f"{len(needless)} of {calls} calls repeat an earlier one."
        if needless
        else "No repeated calls."
    )
    evidence = (
        Evidence(f"The same as call {r.earlier + 1}.", "repeated_call", r.call) for r in needless
    )
    return Check(1 - len(needless) / calls, text, tuple(evidence)[:_MOST_EVIDENCE])


def few_turns(found: Examination) -> Check | None:
    """The turns that would have been enough, over those taken; None if turns are not recorded."""
    calls = found.run.calls
    if len(calls) < 2 or any(known.call.turn is None for known in calls):
        return None
    plan = found.plan
    taken = "1 turn was" if plan.turns == 1 else f"{plan.turns} turns were"
    text = f"{taken} taken, {plan.least_turns} would have been enough."
    evidence = (
        Evidence("Could have been issued in an earlier turn.", "early_call", call)
        for call in plan.early
    )
    return Check(min(plan.least_turns / plan.turns, 1.0), text, tuple(evidence)[:_MOST_EVIDENCE])


# ------------------------------------------------------------------ in words
def as_evidence(finding: Finding) -> Evidence:
    """A finding as the evidence of a score."""
    return Evidence(finding.sentence, finding.kind, finding.call)


def listed(names: Iterable[object]) -> str:
    """A few names and how many more there are; each cut short."""
    shown = [cut(" ".join(str(name)[: 4 * _LONGEST_NAME].split()), _LONGEST_NAME) for name in names]
    more = len(shown) - _MOST_NAMED
    return ", ".join(shown[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _kinds(evidence: Iterable[Evidence]) -> str:
    kinds = listed(dict.fromkeys(one.kind.replace("_", " ") for one in evidence))
    return f" ({kinds})" if kinds else ""


def _first(found: dict[int, Evidence]) -> tuple[Evidence, ...]:
    return tuple(found[call] for call in sorted(found)[:_MOST_EVIDENCE])
