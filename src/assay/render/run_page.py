"""One run for a reader: what was asked, every call with its verdict, the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct
from rich.text import Text

from assay.errors import AssayError
from assay.evidence import examine
from assay.execution import ToolExecutionResult
from assay.outcome import Blamed, blames_of
from assay.render.run_names import KEY_LENGTH, place_of
from assay.render.safe_text import many_lines, one_line, shortened
from assay.render.store_tables import outcome_word
from assay.schema import Misfit, misfits, schema_fit
from assay.store import Siblings
from assay.tools import read_tools

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from assay.run import RunOutcome
    from assay.test_case import AgentTestCase
    from assay.tools import ToolDefinition

_LONGEST_TEXT = 2_000
_NARROWEST_VALUE = 40
_INDENT = " " * 5
_LABEL_WIDTH = 10
_MOST_FINDINGS = 5
_WORDS = {True: "ok", False: "failed", None: "nothing"}


def state_of(call: ToolExecutionResult) -> str:
    """How a call went, as pages mark it: "ok", "fail", or "none" where that is unknown."""
    return {True: "ok", False: "fail", None: "none"}[call.succeeded]


class JudgedCall(Struct, frozen=True):
    """A call, whose fault it was if it failed, and how the same call went in other runs.

    `misfits` is what breaks the tool's schema in its arguments; none too where nobody knows one.
    """

    call: ToolExecutionResult
    blame: Blamed | None
    siblings: Siblings | None
    misfits: tuple[Misfit, ...] = ()


class _Guess(Struct, frozen=True):
    """What the generic reader tells of its reading."""

    confidence: float
    based_on: list[str] = []


def judged_calls(case: AgentTestCase, siblings: Mapping[int, Siblings]) -> list[JudgedCall]:
    """The calls of a run, each failure with its blame as a store keeps it.

    `siblings`, by the position of the call, say how the same call went elsewhere.
    """
    try:
        tools = read_tools(case.available_tools) or None
    except AssayError:
        tools = None
    blames = blames_of(case)
    return [
        JudgedCall(
            call,
            blames[position],
            siblings.get(position),
            _misfits(call, tools.get(call.tool) if tools else None),
        )
        for position, call in enumerate(case.calls)
    ]


def _misfits(call: ToolExecutionResult, tool: ToolDefinition | None) -> tuple[Misfit, ...]:
    schema = None if tool is None else tool.on(call.server).input_schema
    is_broken = call.arguments_recorded and schema_fit(schema, call.parameters) == "violates"
    return tuple(misfits(schema, call.parameters)) if is_broken else ()


def run_page(
    case: AgentTestCase, run_key: str, calls: Iterable[JudgedCall], *, width: int | None
) -> Text:
    """The page of a run, each fact on a line of that width; without a width nothing is cut."""
    page = Text(f"run {run_key if width is None else run_key[:KEY_LENGTH]}\n", style="bold")
    for line in (*_verdict_of_run(case), *_facts(case)):
        page.append(f"{_fitted(line, width, indent=len(_INDENT))}\n", style="not bold")
    _append_text(page, "asked", case.input or "(no question was recorded)", whole=width is None)
    failed = sum(call.failed for call in case.calls)
    page.append(f"\ncalls: {len(case.calls)}, {failed} failed\n", style="bold")
    for number, judged in enumerate(calls, start=1):
        _append_call(page, number, judged, width)
    answer = "(no answer was recorded)" if case.actual_output is None else case.actual_output
    _append_text(page, "answered", answer, whole=width is None)
    return page


def _verdict_of_run(case: AgentTestCase) -> Iterator[str]:
    """The verdict with its basis, and the first of what the evidence found."""
    found = examine(case)
    yield f"verdict: {found.decided}"
    for finding in found.findings[:_MOST_FINDINGS]:
        place = "" if finding.call is None else f" (call {finding.call + 1})"
        yield f"found: {finding.sentence}{place}"


def _facts(case: AgentTestCase) -> Iterator[str]:
    attempt = "" if case.attempt is None else f", attempt {case.attempt}"
    known = {
        "id": case.run_id,
        "task": None if case.task_id is None else f"{case.task_id}{attempt}",
        "model": case.model,
        "framework": case.framework,
        "outcome": _outcome(case.outcome),
        "error": _error(case),
        "tokens": _tokens(case),
        "source": _place(case),
        "reading": _guess(case),
    }
    return (f"{name}: {value}" for name, value in known.items() if value is not None)


def _error(case: AgentTestCase) -> str | None:
    """What ended a run without an answer, where its record says so."""
    found = case.extra.get("error")
    return None if found is None else _text(found)


def _outcome(outcome: RunOutcome | None) -> str | None:
    word = outcome_word(outcome.success, outcome.score) if outcome else None
    if outcome is None or word is None:
        return None
    score = "" if outcome.score is None or outcome.success is None else f", score {outcome.score:g}"
    told = "" if outcome.decided_by is None else f", says {outcome.decided_by}"
    reason = "" if outcome.reason is None else f": {outcome.reason}"
    return f"{word}{score}{told}{reason}"


def _tokens(case: AgentTestCase) -> str | None:
    usage = case.usage
    if usage is None or (usage.input_tokens is None and usage.output_tokens is None):
        return None
    counts = [
        f"{number:,} {name}"
        for number, name in ((usage.input_tokens, "in"), (usage.output_tokens, "out"))
        if number is not None
    ]
    cost = "" if usage.cost_usd is None else f", {usage.cost_usd:.4g} USD"
    return f"{', '.join(counts)}{cost}"


def _place(case: AgentTestCase) -> str | None:
    source = case.source
    if source is None or source.path is None:
        return None
    place = place_of(source.path, source.position)
    return f"{place} ({source.format or 'format unknown'})"


def _guess(case: AgentTestCase) -> str | None:
    """How sure the reader was that knows no format, and by what; None where another one read."""
    try:
        found = msgspec.convert(case.extra.get("generic_reader"), _Guess)
    except msgspec.ValidationError:
        return None
    signs = f": {'; '.join(found.based_on)}" if found.based_on else ""
    return f"a guess by its shape, {found.confidence:.0%} sure{signs}"


def _append_call(page: Text, number: int, judged: JudgedCall, width: int | None) -> None:
    call = judged.call
    name = f"{call.server}/{call.tool}" if call.server else call.tool
    page.append(f"{number:>3}. {_fitted(one_line(name), width)}  ", style="not bold")
    page.append(*_verdict(call))
    room = None if width is None else max(width - len(_INDENT) - _LABEL_WIDTH, _NARROWEST_VALUE)
    for label, told in _told_of(judged):
        page.append(f"\n{_INDENT}{label:<{_LABEL_WIDTH}}", style="not bold dim")
        page.append(_fitted(told, room, indent=len(_INDENT) + _LABEL_WIDTH), style="not bold dim")
    page.append("\n")


def _verdict(call: ToolExecutionResult) -> tuple[str, str]:
    """The verdict on a call in a word, and how it looks."""
    if call.succeeded is None:
        return "cannot tell", "yellow"
    return ("ok", "green") if call.success else ("FAILED", "bold red")


def _told_of(judged: JudgedCall) -> Iterator[tuple[str, str]]:
    """What there is to say of a call, each with its label."""
    call, found, others = judged.call, judged.blame, judged.siblings
    rule = "as recorded" if call.success_rule is None else f"by {call.success_rule}"
    found_out = call.succeeded
    yield (
        "verdict",
        f"reported {_WORDS[call.reported_success]}, found {_WORDS[found_out]} {rule}",
    )
    if call.turn is not None:
        yield "turn", str(call.turn)
    if call.execution_time is not None:
        yield "took", f"{call.execution_time:.3g} s"
    yield "arguments", _text(call.parameters) if call.arguments_recorded else "(not recorded)"
    if judged.misfits:
        problems = "; ".join(found.sentence() for found in judged.misfits)
        yield "schema", f"broken by the arguments: {problems}"
    if call.error_message:
        yield "error", call.error_message
    elif call.result is not None:
        yield "result", _text(call.result)
    if found is not None:
        yield (
            "blame",
            f"{found.blame}, {found.kind} by {found.rule}",
        )
    if others is not None:
        yield "elsewhere", f"the same call: {others.succeeded} succeeded, {others.failed} failed"


def _append_text(page: Text, title: str, text: str, *, whole: bool) -> None:
    shown = many_lines(text)
    left = 0 if whole else len(shown) - _LONGEST_TEXT
    if left > 0:
        shown = f"{shown[:_LONGEST_TEXT]}… ({left:,} more characters, --full shows them)"
    page.append(f"\n{title}\n", style="bold")
    page.append(f"{shown}\n", style="not bold")


def _fitted(text: str, width: int | None, *, indent: int = 0) -> str:
    """The text on one line of that width; without a width on its own lines, below each other."""
    if width is not None:
        return shortened(one_line(text), width)
    return many_lines(text.rstrip("\r\n").replace("\r\n", "\n")).replace("\n", f"\n{' ' * indent}")


def _text(value: object) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
