"""Does the agent remember: context retention, adaptation and repeatability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.metrics.chatbot.entities import entities_in, mentioned, session_entities
from assay.metrics.chatbot.quantities import MAX_DEPTH
from assay.metrics.chatbot.text import Terms, Text, topic_words
from assay.metrics.chatbot.turn import Tally, Turn, Verdict, not_applicable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.metrics.chatbot.domain import Adaptation, Domain
    from assay.metrics.chatbot.turn import Exchange

LEARNED = "learned_from_conversations"
NOTHING_IN_BOTH = "nothing that was looked for stands in both answers"
_SIMILAR_FROM = 2
_SHORT = 30
_LONG = 1000


def context_retention(turn: Turn, domain: Domain) -> Verdict:
    """Does the answer take up what was said before? Without a past there is nothing to."""
    if not turn.history:
        return not_applicable("no earlier turns", {"retained_items": []})
    tally = Tally(0.5)
    entities = session_entities(turn, domain)
    kinds = _preferred(turn, domain)
    days = [day for past in turn.history for day in domain.terms("day").found(past.user)]
    _weigh_entities(tally, entities, turn, domain)
    if kinds and domain.terms("acknowledging").in_(turn.response):
        taken_up = [name for name, words in kinds.items() if words.in_(turn.response)]
        if taken_up:
            tally.add(0.15, f"preference: {', '.join(taken_up)}")
    named_days = Terms(days).found(turn.response)
    if named_days:
        tally.add(0.15, f"day: {', '.join(named_days)}")
    anything = bool(entities or kinds or days)
    details = "" if anything else "the earlier turns hold nothing to remember"
    return tally.verdict(details, {"retained_items": tally.strengths}, applicable=anything)


def _weigh_entities(tally: Tally, entities: list[str], turn: Turn, domain: Domain) -> None:
    named = mentioned(entities, turn.response)
    if named:
        tally.add(0.2, f"entity: {', '.join(named)}")
        return
    ignored = set(entities_in(turn.query, domain)) & set(entities)
    if ignored:
        tally.add(-0.1, f"ignores {', '.join(sorted(ignored))}")


def _preferred(turn: Turn, domain: Domain) -> dict[str, Terms]:
    """The kinds of preference that the user spoke of, with their words."""
    preferring = domain.terms("preferring")
    spoken = [past.user for past in turn.history if preferring.in_(past.user)]
    kinds = {kind.name: Terms([*kind.en, *kind.zh]) for kind in domain.file.preferences}
    return {name: words for name, words in kinds.items() if any(words.in_(s) for s in spoken)}


def adaptation_quality(turn: Turn, domain: Domain) -> Verdict:
    """Does the answer follow what was learned of the user? Nothing learned, nothing to follow."""
    flags = learned_flags(turn.preferences)
    if not flags:
        return not_applicable("nothing was learned of the user", {"adaptations_detected": []})
    tally = Tally(0.5)
    for row in domain.file.adaptations:
        if is_due(row, flags) and follows(row, turn.response):
            tally.add(row.worth, row.flag)
    if domain.terms("awareness").in_(turn.response):
        tally.add(0.1, "speaks of preferences")
    return tally.verdict(extras={"adaptations_detected": tally.strengths})


def is_due(row: Adaptation, flags: frozenset[str]) -> bool:
    """Whether the preference is known, and no other one stands before it."""
    return row.flag in flags and row.unless not in flags


def follows(row: Adaptation, response: Text) -> bool:
    """Whether the answer shows what the row asks for."""
    return all(Terms(words).in_(response) for words in row.all) and not Terms(row.none).in_(
        response
    )


def learned_flags(preferences: Mapping[str, Any] | None) -> frozenset[str]:
    """The flags that are set, wherever a store keeps them; none while its counter says 0."""
    stored = list(stored_items(preferences or {}))
    if any(key == LEARNED and not n for key, n in stored):
        return frozenset()
    return frozenset(key for key, value in stored if value is True)


def stored_items(store: Mapping[str, Any], depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Keys and values of stored preferences, whatever groups a store keeps them in."""
    for key, value in store.items():
        if isinstance(value, dict) and depth < MAX_DEPTH:
            yield from stored_items(value, depth + 1)
        else:
            yield str(key), value


def repeatability(turn: Turn, domain: Domain) -> Verdict:
    """Does the same question get the same kind of answer? It must have been asked before."""
    tally = Tally(0.7)
    similar = [past.assistant for past in similar_exchanges(turn)]
    if similar:
        _weigh_consistency(tally, turn, similar, domain)
    elif domain.terms("on_topic").in_(turn.response):
        tally.add(0.1, "keeps to the topic")
    if domain.terms("uncertain").in_(turn.response):
        tally.add(-0.1, "wavers")
    if len(turn.response) < _SHORT:
        tally.add(-0.1, "very short")
    elif len(turn.response) > _LONG:
        tally.add(-0.05, "very long")
    details = "" if similar else "no similar question was asked before"
    return tally.verdict(details, tally.reasons(), applicable=bool(similar))


def similar_exchanges(turn: Turn) -> list[Exchange]:
    """The earlier turns whose questions share at least two topic words with this one."""
    asked = topic_words(turn.query)
    return [past for past in turn.history if len(asked & topic_words(past.user)) >= _SIMILAR_FROM]


def _weigh_consistency(tally: Tally, turn: Turn, similar: list[Text], domain: Domain) -> None:
    shared = []
    for row in domain.file.consistency:
        words = Terms([*row.en, *row.zh])
        if words.in_(turn.response) and any(words.in_(past) for past in similar):
            shared.append(row)
    for row in shared:
        tally.add(row.worth, in_both(row.name))
    if not shared:
        tally.add(-0.2, NOTHING_IN_BOTH)


def in_both(name: str) -> str:
    """What repeatability found: both answers speak of it, whatever they say of it."""
    article = "an" if name[:1].lower() in "aeiou" else "a"
    return f"{article} {name} in both answers"
