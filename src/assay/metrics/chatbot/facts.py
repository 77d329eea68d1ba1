"""Is what the answer states true, and did a tool return it: accuracy and groundedness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from assay.metrics.chatbot.outlook import distances_from_outlook, has_outlook
from assay.metrics.chatbot.quantities import (
    conditions_in,
    leaves_of,
    mentions,
    number_at,
    value_at,
    values_in,
)
from assay.metrics.chatbot.text import read_text
from assay.metrics.chatbot.turn import Tally, Turn, Verdict, not_applicable, rounded
from assay.score import share

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.metrics.chatbot.domain import Domain, Quantity

_CLOSE_COSTS = -0.1
_FAR_COSTS = -0.3
_CONDITION_COSTS = -0.2
_OUTLOOK_COSTS = -0.2
_INVENTED_COSTS = 0.3


def accuracy(turn: Turn, domain: Domain) -> Verdict:
    """Does the answer agree with the data? Without data there is nothing to compare."""
    turn = replace(turn, data=next(iter(turn.truth), turn.data))
    if turn.data is None:
        return not_applicable("no data to compare with", {"factual_errors": []})
    tally = Tally(1.0)
    agreed = [
        quantity.name
        for quantity in domain.file.quantities
        if _quantity_agrees(tally, turn, quantity, domain)
    ]
    if _condition_agrees(tally, turn, domain):
        agreed.append("condition")
    outlook = domain.terms("outlook")
    if (
        has_outlook(turn.data, domain)
        and outlook.in_(turn.query)
        and not outlook.in_(turn.response)
    ):
        tally.add(_OUTLOOK_COSTS, "the outlook that was asked for is not addressed")
    return tally.verdict(compared(tally.issues, agreed), {"factual_errors": tally.issues})


def compared(issues: list[str], agreed: list[str]) -> str:
    """What accuracy has to say: what is wrong, else what was found to be right."""
    clauses = issues or [f"{name} agrees with the data" for name in agreed]
    return "; ".join(clauses) or "the answer states nothing to compare with the data"


def _quantity_agrees(tally: Tally, turn: Turn, quantity: Quantity, domain: Domain) -> bool:
    actual = number_at(turn.data, quantity.at)
    stated = mentions(turn.response, quantity, domain)
    if actual is None:
        distance = max(distances_from_outlook(turn, quantity, stated, domain), default=None)
        told = f"{quantity.name} is off the outlook by"
    else:
        apart = [abs(mention.value - actual) for mention in stated if not mention.other]
        distance = min(apart, default=None)
        told = f"{quantity.name} is {actual:g}, the answer is off by"
    if distance is not None and distance > quantity.exact:
        cost = _CLOSE_COSTS if distance <= quantity.close else _FAR_COSTS
        tally.add(cost, f"{told} {distance:g}")
    return distance is not None and distance <= quantity.exact


def _condition_agrees(tally: Tally, turn: Turn, domain: Domain) -> bool:
    actual = value_at(turn.data, domain.file.conditions.at)
    true = conditions_in(read_text(actual), domain) if isinstance(actual, str) else []
    if not true:
        return False
    is_mentioned = bool(set(true) & set(conditions_in(turn.response, domain)))
    if not is_mentioned:
        tally.add(_CONDITION_COSTS, f"the condition {actual[:60]!r} is not mentioned")
    return is_mentioned


class Claim(Struct, frozen=True):
    """Something the answer states that can be checked, and what came nearest to it."""

    what: str
    distance: float | None
    """How far the nearest returned value is; None when nothing of the kind was returned."""
    exact: float
    close: float
    written: float | None = None
    """The figure as the answer writes it; None for what is no figure."""

    @property
    def supported(self) -> bool:
        """Whether a tool returned it."""
        return self.distance is not None and self.distance <= self.exact


def claims_of(turn: Turn, evidence: list[Any], domain: Domain) -> list[Claim]:
    """The figures and conditions of the answer, each held against what was returned."""
    found = leaves_of(evidence)
    claims: list[Claim] = []
    for quantity in domain.file.quantities:
        returned = values_in(found, quantity, domain)
        claims.extend(_figures(turn, quantity, returned, domain))
    texts = [read_text(leaf.value) for leaf in found if isinstance(leaf.value, str)]
    true = {name for text in texts for name in conditions_in(text, domain)}
    stated = conditions_in(turn.response, domain)
    conditions = (Claim(name, 0.0 if name in true else None, 0.0, 0.0) for name in stated)
    return [*claims, *conditions]


def _figures(
    turn: Turn, quantity: Quantity, returned: list[float], domain: Domain
) -> Iterator[Claim]:
    for mention in mentions(turn.response, quantity, domain):
        nearest = min((abs(mention.value - value) for value in returned), default=None)
        what = f"{quantity.name} {mention.value:g}"
        yield Claim(what, nearest, quantity.exact, quantity.close, mention.written)


def groundedness(turn: Turn, domain: Domain) -> Verdict:
    """Which claims of the answer did a tool return? Unknown results cannot be held against it."""
    evidence = turn.evidence
    if evidence is None:
        return not_applicable("what the tools returned is not known")
    claims = claims_of(turn, evidence, domain)
    value = share(claim.supported for claim in claims)
    if value is None:
        return _without_claims(turn, domain)
    if turn.tools_failed and not evidence:
        value -= _INVENTED_COSTS
    unsupported = [claim.what for claim in claims if not claim.supported]
    return Verdict(
        rounded(value),
        f"{len(claims) - len(unsupported)} of {len(claims)} claims were returned by a tool",
        extras={"claims": len(claims), "unsupported": unsupported},
    )


def _without_claims(turn: Turn, domain: Domain) -> Verdict:
    honest = ("missing_data", "clarifying", "asking_entity")
    if any(domain.terms(group).in_(turn.response) for group in honest):
        return Verdict(1.0, "claims nothing and says what is missing", extras={"claims": 0})
    return not_applicable("the answer states nothing that can be checked", {"claims": 0})
