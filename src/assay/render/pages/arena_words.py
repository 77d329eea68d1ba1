"""What can be said of the agents in a sentence: the claim, and what supports it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from assay.render.pages.figures import signed

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.arena.verdicts import Verdict
    from assay.comparing import Contest, Figure

    Translate = Callable[..., str]


class Sentence(Struct, frozen=True):
    """What can be said of the agents: the claim, and what supports it."""

    claim: str
    support: str = ""


def sentence(verdict: Verdict | None, t: Translate) -> Sentence:
    """What the prompts so far support, and no more."""
    if verdict is None or verdict.prompts == 0:
        return Sentence(t("The same prompt to every agent, side by side."))
    if verdict.contest is None:
        return Sentence(t("One agent: nothing to compare it with."))
    return contest_sentence(verdict.contest, t)


def blind_sentence(t: Translate) -> Sentence:
    """What is said while names are hidden."""
    return Sentence(
        t("Blind: judge the answers first."),
        t("Who is who, and what the metrics say, is shown once every prompt is judged."),
    )


def contest_sentence(contest: Contest, t: Translate) -> Sentence:
    """Who is better, where the interval says so; else what it would take."""
    if contest.quantity is None or not contest.pairs:
        return Sentence(t("Nothing to compare yet: an agent has no answer that can be scored."))
    if len(contest.pairs) == 1:
        return _of_pair(contest.pairs[0], t)
    return _of_many(contest, t)


def _of_pair(pair: Figure, t: Translate) -> Sentence:
    one, other = sorted(pair.names)
    turned = -1.0 if pair.names[0] == one else 1.0
    support = _support(pair, turned, t)
    if pair.verdict in {"better", "worse"}:
        ahead, behind = pair.names[::-1] if pair.verdict == "better" else pair.names
        return Sentence(
            t(
                "{ahead} is better than {behind} in the score of the answers.",
                ahead=ahead,
                behind=behind,
            ),
            support,
        )
    claim = t("Cannot tell {one} from {other} yet.", one=one, other=other)
    more = pair.needed.new_tasks
    if more is not None and pair.difference:
        text = "About 1 more prompt." if more == 1 else "About {n} more prompts."
        claim += " " + t(text, n=f"{more:,}")
    return Sentence(claim, support)


def _support(pair: Figure, turned: float, t: Translate) -> str:
    one, other = sorted(pair.names)
    if pair.difference is None:
        return ""
    figures = signed(turned * pair.difference)
    if pair.interval is not None:
        ends = sorted((turned * pair.interval.low, turned * pair.interval.high))
        figures += f" ({signed(ends[0])} to {signed(ends[1])})"
    return t(
        "{one} − {other}: {figures}, 1 prompt paired."
        if pair.tasks == 1
        else "{one} − {other}: {figures}, {n} prompts paired.",
        one=one,
        other=other,
        figures=figures,
        n=pair.tasks,
    )


def _of_many(contest: Contest, t: Translate) -> Sentence:
    told = [pair for pair in contest.pairs if pair.verdict in {"better", "worse"}]
    support = "; ".join(
        t("{ahead} is better than {behind}", ahead=ahead, behind=behind)
        for pair in told
        for ahead, behind in [pair.names[::-1] if pair.verdict == "better" else pair.names]
    )
    made = t(
        "1 prompt, {m} comparisons, Holm's correction."
        if contest.tasks == 1
        else "{n} prompts, {m} comparisons, Holm's correction.",
        n=contest.tasks,
        m=len(contest.pairs),
    )
    if contest.winner is not None:
        claim = t(
            "{ahead} is better than every other one in the score of the answers.",
            ahead=contest.winner,
        )
        return Sentence(claim, made)
    if not told:
        return Sentence(t("Cannot tell the agents apart yet."), made)
    return Sentence(f"{support}.", t("The rest cannot be told apart yet.") + " " + made)
