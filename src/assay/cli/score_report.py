"""What `assay score` tells a person at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.cli.option_names import in_options
from assay.records import counted
from assay.render.score_table import label_lines, score_table, summary_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.cli.console import Terminal
    from assay.cli.score_book import ScoreBook

_SET_ASIDE = {
    "passed_over": "passed over: files that hold no run",
    "read_beside": "read with the case of another file",
    "mended": "mended: NaN was read as null",
    "left_out": "read without what is binary in the file",
}


def report(book: ScoreBook, shown: Terminal | None, messages: Terminal, *, told: bool) -> None:
    """The table and what it comes to, then what went wrong; `told` if reasons were shown."""
    if shown is not None and book.cases:
        shown.print(score_table(book.shown_rows(), title=book.title, width=shown.width))
        for line in summary_lines(book.summary()["metrics"], threshold=book.threshold):
            shown.print(line)
        for line in label_lines(book.labels):
            shown.print(line)
        for text in _judge_lines(book.judge_summary()):
            shown.tell(text)
    _report_problems(book, messages, told=told)
    for text in book.warnings:
        messages.tell(f"warning: {text}", "yellow")
    if book.doubtful:
        why = "" if told else ": --verbose says why"
        messages.tell(f"{book.doubtful:,} doubtful{why}", "yellow")
    if book.interrupted:
        messages.tell("Interrupted: everything scored so far was kept", "yellow")
    elif book.lacks_a_verdict and not book.unreadable_count:
        nothing = "Nothing could be scored" if book.cases else "No cases were found"
        messages.tell(f"{nothing}: there is no verdict", "yellow")


def _judge_lines(judge: dict[str, Any]) -> Iterator[str]:
    """Who judged, what it took, and how far several judges agree."""
    if judge["already_scored"]:
        yield f"{judge['already_scored']:,} were scored already and taken from the store"
    if judge["judge_runs"] is not None:
        runs = judge["judge_runs"]
        often = "" if runs == 1 else f", {runs} times each"
        yield f"judge: {judge['judge']}{often}; {spent_text(judge)}"
    if judge["calibration"] is not None:
        yield f"calibrated: {judge['calibration']}"
    if judge["refused_by_budget"]:
        yield "the budget is spent: run it again with a larger one, and only the rest is asked"
    if judge["incomplete_juries"]:
        yield (
            f"{judge['incomplete_juries']:,} judged by an incomplete jury, and not kept so: run it "
            "again, and only the jurors that are missing are asked"
        )
    if judge["agreement"] is not None:
        yield f"jury: {judge['agreement']['sentence']}"
    for effect in (judge["order_effects"] or {}).values():
        yield f"order: {effect['sentence']}"


def spent_text(judge: dict[str, Any]) -> str:
    """What judging took: questions, replies from the cache, tokens and dollars."""
    asked = counted(judge["questions"], "question", "questions")
    parts = [f"{asked} asked", f"{judge['recalled']:,} from the cache"]
    if judge["asked_again"]:
        parts.append(f"{judge['asked_again']:,} asked again")
    if judge["questions"]:
        tokens = judge["input_tokens"]
        parts.append(
            "tokens unknown" if tokens is None else f"{tokens + judge['output_tokens']:,} tokens"
        )
        unpriced = judge["questions_without_cost"]
        cost = judge["cost_usd"]
        partly = f" and {unpriced:,} of unknown cost" if unpriced else ""
        parts.append("cost unknown" if cost is None else f"${cost:.4f}{partly}")
    return ", ".join(parts)


def _report_problems(book: ScoreBook, messages: Terminal, *, told: bool) -> None:
    for item in book.unreadable:
        messages.tell(f"not read: {item}", "red")
    if book.unreadable_count > len(book.unreadable):
        messages.tell(f"... and {book.unreadable_count - len(book.unreadable):,} more not read")
    if book.unreadable_count:
        messages.tell(f"{book.unreadable_count:,} not read, {book.cases:,} read", "yellow")
    for problem, count in book.failures():
        messages.tell(f"{count:,} not scored: {in_options(problem)}", "red")
    if book.not_kept:
        messages.tell(book.not_kept, "red")
    for kind, why in _SET_ASIDE.items():
        if book.set_aside[kind]:
            messages.tell(f"{book.set_aside[kind]:,} {why}")
    if told:
        for name in book.set_aside_files:
            messages.tell(f"  {name}")
