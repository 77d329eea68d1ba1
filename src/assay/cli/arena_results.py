"""What `assay arena run` tells at its end: who left what unanswered, the means, the comparison."""

from __future__ import annotations

from collections import Counter
from importlib import import_module
from string import ascii_uppercase
from typing import TYPE_CHECKING

from assay.cli.console import Terminal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.arena.entrants import Entrant
    from assay.arena.planning import Conversation
    from assay.arena.results import Unanswered
    from assay.comparing import RunSet
    from assay.stats import Estimate
    from assay.store import Store

_SCORE = "chatbot"
_MOST_FAILURES = 10
# What the table of the means takes: the longest metric, a figure with its n, and the space beside.
_FIRST_COLUMN, _OTHER_COLUMN, _BETWEEN = 22, 11, 3
_LEGEND = (
    "means over tasks, n runs; chatbot counts a turn without an answer as 0, the rest are of "
    "answers alone, by the recorded run where that tells"
)


def tell_scripts(entered: Sequence[Entrant]) -> None:
    """Say for whom no model was asked; of agents that are not ours only what they were given."""
    messages = Terminal(stderr=True)
    if ours := [each.label for each in entered if each.is_scripted]:
        messages.tell(f"A script plays the model of {', '.join(ours)}: no model was asked")
    if others := [each.label for each in entered if each.may_ask_script]:
        messages.tell(
            f"A script is the model that {', '.join(others)} can ask; runs in which it was not "
            "asked name no model, for which one answered is not known"
        )


def tell_failures(failed: Sequence[Unanswered], planned: Sequence[Conversation]) -> None:
    """Say which turns have no answer, and how many of each agent's."""
    messages = Terminal(stderr=True)
    for turn in failed[:_MOST_FAILURES]:
        messages.tell(f"failed: {turn.entrant}, {turn.task_id}: {turn.error}", "red")
    if len(failed) > _MOST_FAILURES:
        messages.tell(f"... and {len(failed) - _MOST_FAILURES} more failed", "red")
    if not failed:
        return
    missing = Counter(turn.entrant for turn in failed)
    turns: Counter[str] = Counter()
    for each in planned:
        turns[each.entrant] += len(each.task.turns)
    told = ", ".join(f"{name} {missing[name]} of {count}" for name, count in turns.items())
    messages.tell(f"Turns without an answer, each with the score 0: {told}", "yellow")
    messages.tell("To hold the failed conversations again: the same command with --again")


def tell_scores(store: Store, suite: str, labels: Sequence[str]) -> None:
    """Show each agent's means, and with several how they compare."""
    found: list[RunSet] = import_module("assay.arena.results").sides_of(store, suite, labels)
    sides = [side for side in found if side.runs]
    if not sides:
        return
    shown = Terminal()
    _show_means(sides, shown)
    if 1 < len(sides) == len(labels):
        _compare(sides, shown)


def _show_means(sides: Sequence[RunSet], shown: Terminal) -> None:
    text_table = import_module("assay.render.comparison_table").text_table
    rows = import_module("assay.arena.results").means_of(sides)
    names = [side.name for side in sides]
    if not _fit(names, shown.width):
        for letter, name in zip(ascii_uppercase, names, strict=False):
            shown.tell(f"{letter}  {name}")
        names = list(ascii_uppercase[: len(names)])
    headers = ("metric", *names)
    cells = ([row.name, *map(_cell, row.means)] for row in rows)
    shown.print(text_table("", headers, cells))
    shown.tell(_LEGEND, "dim")


def _fit(names: Sequence[str], width: int) -> bool:
    """Whether a table with these columns stays whole in a terminal of that width."""
    columns = (_FIRST_COLUMN, *(max(len(name), _OTHER_COLUMN) for name in names))
    taken = sum(columns) + _BETWEEN * len(names)
    return taken <= width or len(names) > len(ascii_uppercase)


def _cell(mean: Estimate) -> str:
    return "–" if mean.value is None else f"{mean.value:.3f}  n={mean.n}"


def _compare(sides: Sequence[RunSet], shown: Terminal) -> None:
    scored = all(side.recorded()[_SCORE] for side in sides)
    compared = import_module("assay.cli.compare").compared
    found, form = compared(sides, quantity=_SCORE if scored else None)
    form.print(found, shown)
