"""What the calls of a run say: the right tools, the right arguments, in the right order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.judge.looking import Reading, listed
from assay.outcome import blame_of
from assay.records import cut
from assay.schema import SchemaFit, explain_misfits
from assay.score import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.evidence.call_facts import CallFacts
    from assay.evidence.plan import Repeat
    from assay.evidence.provenance import TracedValue
    from assay.judge.looking import ExaminedRun

_MOST_EVIDENCE = 10
_LONGEST_NAME = 80
_LONGEST_PROBLEM = 200
_UNTRACED = frozenset({"nowhere", "ahead", "partly"})
_GUESSED = frozenset({"nowhere", "partly"})


def fitting_calls(run: ExaminedRun) -> Reading | None:
    """Calls to tools on offer, not made before, of whose results something was used.

    Where the tools on offer, how any call went, or what was made of it, are not known, nothing is
    said of them.
    """
    calls, offered = run.facts.calls, run.facts.tools
    decided = any(known.decided for known in calls)
    if not calls or not (decided or offered):
        return None
    found: dict[int, Evidence] = {}
    for known in calls if offered is not None else ():
        if known.call.tool not in (offered or {}):
            text = f"{cut(known.call.tool, _LONGEST_NAME)!r} is not on offer."
            found[known.position] = Evidence(text, "unknown_tool", known.position)
    for repeat in _needless(run):
        text = f"Repeats call {repeat.earlier + 1} with the same result."
        found.setdefault(repeat.call, Evidence(text, "repeated_call", repeat.call))
    for position in run.examination.plan.unused:
        text = f"Nothing of what {cut(calls[position].call.tool, _LONGEST_NAME)} brought was used."
        found.setdefault(position, Evidence(text, "unused_result", position))
    good = len(calls) - len(found)
    sides = [] if offered is None else ["to a tool on offer"]
    alone = run.facts.sources.holds_calls_alone
    sides += ["new", "used"] if decided and not alone else ["new"]
    text = f"{good} of {len(calls)} calls were {' and '.join(sides)}{_why(found.values())}."
    return Reading(good / len(calls), text, _first(found))


def expected_tools(run: ExaminedRun) -> Reading | None:
    """How many of the tools that were expected were called; other ways may lead there too."""
    expected = run.case.expected_tools
    if expected is None:
        return None
    names = list(dict.fromkeys(_names_of(expected)))
    if not names:
        return (
            Reading(1.0, "No tool was expected, and none called.") if not run.case.calls else None
        )
    called = {known.call.tool for known in run.facts.calls}
    missing = [name for name in names if name not in called]
    text = f"{len(names) - len(missing)} of {len(names)} expected tools were called"
    text += f"; missing: {listed(missing)}." if missing else "."
    evidence = (
        Evidence(f"{name} was expected and not called.", "expected_tool") for name in missing
    )
    return Reading(1 - len(missing) / len(names), text, tuple(evidence)[:_MOST_EVIDENCE])


def _names_of(expected: list[Any]) -> Iterator[str]:
    for item in expected:
        name = item.get("name") or item.get("tool") if isinstance(item, Mapping) else item
        name = name if isinstance(name, str) else getattr(item, "name", None)
        if isinstance(name, str):
            yield name


def right_arguments(run: ExaminedRun) -> Reading | None:
    """The mean over calls: 0 for one that does not fit its schema, else the share traced.

    A call that fits its schema and has no value to trace counts as right.
    """
    shares: dict[int, list[float]] = {}
    untraced: list[TracedValue] = []
    for value in run.examination.provenance.values:
        if value.share is not None:
            shares.setdefault(value.call, []).append(value.share)
            if value.status in _UNTRACED:
                untraced.append(value)
    fits, misfits = _fits(run)
    right = dict.fromkeys(fits, 1.0)
    right |= {position: sum(found) / len(found) for position, found in shares.items()}
    right |= dict.fromkeys(misfits, 0.0)
    if not right:
        return None
    calls = len(run.facts.calls)
    parts = _traced(sum(map(len, shares.values())), untraced)
    if misfits:
        parts.append(f"{len(misfits)} of {calls} calls do not fit their schema")
    elif not shares:
        parts.append(f"{len(fits)} of {calls} calls fit their schema")
    evidence = [*misfits.values(), *map(_untraced, untraced[:_MOST_EVIDENCE])]
    share = sum(right.values()) / len(right)
    return Reading(share, f"{'; '.join(parts)}.", tuple(evidence[:_MOST_EVIDENCE]))


def _traced(checked: int, untraced: list[TracedValue]) -> list[str]:
    """How many of the values that were checked can be traced, and which cannot."""
    if not checked:
        return ["There was no argument value to trace"]
    said = [f"{checked - len(untraced)} of {checked} checkable argument values can be traced"]
    return said + ([f"from nowhere: {listed(_untraced_parts(untraced))}"] if untraced else [])


def _fits(run: ExaminedRun) -> tuple[list[int], dict[int, Evidence]]:
    """The calls that fit their schema, and what is wrong with those that do not."""
    fits: list[int] = []
    misfits: dict[int, Evidence] = {}
    tools = run.facts.tools
    checks: dict[tuple[str, str | None], tuple[Any, SchemaFit]] = {}
    for known in run.facts.calls if tools else ():
        call, position = known.call, known.position
        key = (call.tool, call.server)
        if key not in checks:
            tool = None if tools is None else tools.get(call.tool)
            declared = None if tool is None else tool.on(call.server).input_schema
            checks[key] = (declared, SchemaFit(declared))
        schema, check = checks[key]
        # A call that was only spoken of was made with arguments, whatever they were.
        stated = call.arguments_recorded and (known.decided or call.parameters != {})
        fit = check.of(call.parameters) if schema and stated else None
        if fit == "fits":
            fits.append(position)
        elif fit == "violates":
            problem = cut(explain_misfits(schema, call.parameters), _LONGEST_PROBLEM)
            text = (
                f"The arguments of {cut(call.tool, _LONGEST_NAME)} do not fit its schema: {problem}"
            )
            misfits[position] = Evidence(text, "schema_violation", position)
    return fits, misfits


def _untraced_parts(values: list[TracedValue]) -> Iterator[object]:
    for value in values:
        yield from value.missing or (value.value,)


def _untraced(value: TracedValue) -> Evidence:
    parts = listed(value.missing or (value.value,))
    if value.status == "ahead" and value.origins and value.origins[0].call is not None:
        text = f"{value.path}: {parts} was told only by call {value.origins[0].call + 1}."
    else:
        text = f"{value.path}: {parts} comes from nowhere."
    return Evidence(text, f"{value.status}_value", value.call)


def right_order(run: ExaminedRun) -> Reading | None:
    """Calls that took a value from an earlier result, against those that did not wait for one.

    Not to wait is to use a value before a result told it, or to guess one and be refused or
    get nothing.
    """
    wrong: dict[int, Evidence] = {}
    calls = run.facts.calls
    for value in run.examination.provenance.values:
        if value.status == "ahead":
            wrong.setdefault(value.call, _untraced(value))
        elif value.status in _GUESSED and _did_not_hold(calls[value.call]):
            parts = listed(value.missing or (value.value,))
            text = f"{value.path}: {parts} was a guess that did not hold."
            wrong.setdefault(value.call, Evidence(text, "wrong_guess", value.call))
    right = run.examination.plan.needs.keys() - wrong.keys()
    steps = len(right) + len(wrong)
    if not steps:
        return None
    text = f"{len(right)} of {steps} calls that needed an earlier result waited for it and used it"
    return Reading(len(right) / steps, f"{text}{_why(wrong.values())}.", _first(wrong))


def _did_not_hold(known: CallFacts) -> bool:
    if not known.failed:
        return known.is_empty
    return blame_of(known.call).blame == "model"


def few_repeats(run: ExaminedRun) -> Reading | None:
    """Calls that are no needless repeats of an earlier one."""
    calls = run.facts.calls
    if len(calls) < 2:
        return None
    needless = _needless(run)
    text = f"{len(needless)} of {len(calls)} calls repeat an earlier one in vain."
    evidence = (
        Evidence(f"The same as call {repeat.earlier + 1}.", "repeated_call", repeat.call)
        for repeat in needless[:_MOST_EVIDENCE]
    )
    return Reading(1 - len(needless) / len(calls), text, tuple(evidence))


def few_turns(run: ExaminedRun) -> Reading | None:
    """The turns that would have been enough, over those taken; None if turns are not recorded."""
    calls = run.facts.calls
    if len(calls) < 2 or any(known.call.turn is None for known in calls):
        return None
    plan = run.examination.plan
    taken = "1 turn was" if plan.turns == 1 else f"{plan.turns} turns were"
    text = f"{taken} taken, {plan.least_turns} would have been enough."
    evidence = (
        Evidence("Could have been issued in an earlier turn.", "early_call", call)
        for call in plan.early[:_MOST_EVIDENCE]
    )
    return Reading(min(plan.least_turns / plan.turns, 1.0), text, tuple(evidence))


def _needless(run: ExaminedRun) -> list[Repeat]:
    """Identical calls with identical results, between which nothing was changed."""
    return [
        repeat
        for repeat in run.examination.plan.repeats
        if repeat.kind == "identical" and repeat.same_result and not repeat.after_write
    ]


def _why(found: Any) -> str:
    kinds = listed(dict.fromkeys(evidence.kind.replace("_", " ") for evidence in found))
    return f" ({kinds})" if kinds else ""


def _first(found: dict[int, Evidence]) -> tuple[Evidence, ...]:
    return tuple(found[call] for call in sorted(found)[:_MOST_EVIDENCE])
