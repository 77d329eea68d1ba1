"""What stands below the first sentence of a report: counts, and nothing that they do not say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.render.pages.failing_calls import blame_parts, failed_text
from assay.render.pages.figures import count
from assay.render.pages.said import Said, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.analyses import ToolUse
    from assay.render.pages.overview_facts import OverviewFacts

_LONGEST_NAME = 80
_WHOSE = {
    "model": "{n} by the model's fault",
    "server": "{n} by a server's",
    "environment": "{n} by the environment's",
    "unknown": "{n} nobody knows why",
}


def summary_sentences(facts: OverviewFacts) -> list[Said]:
    """A few sentences about calls, whose fault their failures are, and where they are."""
    calls = facts.all_calls
    if calls is None or not calls.calls:
        return [words("There are no calls.")] if facts.counts.runs else []
    if not calls.failures:
        text = "The only call did not fail." if calls.calls == 1 else "None of {n} calls failed."
        return [words(text, n=count(calls.calls))]
    return [*_failures(calls), *_first_tool(facts.tools, calls)]


def _failures(calls: ToolUse) -> Iterator[Said]:
    rate, bounds = failed_text(calls)
    share = f", {rate}" if "%" in rate else ""  # few are counted, and that is said already
    yield words(
        "{n} of {total} calls failed{rate}:",
        n=count(calls.failures),
        total=count(calls.calls),
        rate=f"{share} ({bounds})" if bounds else "",
    )
    told = [words(_WHOSE[name], n=count(n)) for name, n in blame_parts(calls) if n]
    for place, said in enumerate(told):
        yield words("{said}." if place == len(told) - 1 else "{said},", said=said)


def _first_tool(tools: tuple[ToolUse, ...], calls: ToolUse) -> Iterator[Said]:
    first = max(tools, key=lambda row: row.failures, default=None)
    if first is None or len(tools) < 2:
        return
    rate, bounds = failed_text(first)
    yield words(
        "{tool} has {n} of the {all} failures: it fails {rate}{bounds} of its {total} calls.",
        tool=".".join(filter(None, (first.server, first.tool)))[:_LONGEST_NAME],
        n=count(first.failures),
        all=count(calls.failures),
        rate=rate if "%" in rate else count(first.failures),
        bounds=f" ({bounds})" if bounds else "",
        total=count(first.calls),
    )
