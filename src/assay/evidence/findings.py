"""What looks wrong in a run: kinds of findings, what each means, and their sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct

if TYPE_CHECKING:
    from assay.verdict import Weight

FindingKind = Literal[
    "id_without_source",
    "name_without_source",
    "date_without_source",
    "near_miss",
    "other_field_value",
    "odd_in_slot",
    "answer_number",
    "answer_id",
    "last_call_failed",
    "last_change_failed",
    "failure_reported",
    "claim_without_call",
    "claim_without_change",
    "fact_without_call",
    "foreign_answer",
    "no_answer",
    "repeated_call",
    "empty_talk",
    "unasked_destruction",
    "other_record",
    "not_the_extreme",
    "not_the_part",
    "unused_quotation",
    "tool_not_called",
]
_LONGEST_VALUE = 120
FINDING_KINDS: tuple[FindingKind, ...] = get_args(FindingKind)

_WEIGHTS: dict[str, Weight] = {
    "failure_reported": "reported",
    "claim_without_call": "no_end",
    "fact_without_call": "no_end",
    "no_answer": "no_end",
    "repeated_call": "waste",
    "empty_talk": "score_only",
    "unasked_destruction": "score_only",
    "other_record": "score_only",
    "not_the_extreme": "score_only",
    "not_the_part": "score_only",
    "unused_quotation": "score_only",
    "tool_not_called": "score_only",
}
_NO_SOURCE = "{field} is '{value}', which neither the request nor an earlier result holds"
SENTENCES_OF_FINDINGS: dict[FindingKind, str] = {
    "id_without_source": f"{_NO_SOURCE}.",
    "name_without_source": f"{_NO_SOURCE}.",
    "date_without_source": f"{_NO_SOURCE}.",
    "near_miss": f"{_NO_SOURCE}; the request names '{{other}}', and no successful call uses it.",
    "other_field_value": f"{_NO_SOURCE}; results give this field values such as '{{other}}'.",
    "odd_in_slot": f"{_NO_SOURCE}; another call of the tool has '{{other}}' there.",
    "answer_number": "The answer states {value}: in no result, not in the request, not calculated.",
    "answer_id": "The answer states {value}; values of its kind are known, this one is not.",
    "last_call_failed": "The last call failed ({error}), and the answer does not say so.",
    "last_change_failed": "The last change tried failed ({error}), and the answer does not say so.",
    "failure_reported": "{tool} failed ({error}), and the answer says so.",
    "claim_without_call": "The answer claims '{value}', and no call was made.",
    "claim_without_change": "The answer claims '{value}'; no successful call could have done it.",
    "fact_without_call": "The answer states {value}, and no call was made.",
    "foreign_answer": "The answer shares few of its words with the request and the results.",
    "no_answer": "The run ends without an answer.",
    "repeated_call": "{tool} was called {count} times in a row with the same result.",
    "empty_talk": "The answer conveys nothing of the results.",
    "unasked_destruction": "{tool} was called, and the request asks for nothing like it.",
    "other_record": "'{value}' was taken; the request names '{other}', another record of the list.",
    "not_the_extreme": "'{value}' is not the {other} of the {count} records it was chosen from.",
    "not_the_part": "{value} is a plain figure of a result; the request asks for a part of one.",
    "unused_quotation": "'{value}' was sent; the request quotes '{other}', which no call uses.",
    "tool_not_called": "The request asks to '{value}', and {tool} was not called.",
}


class Finding(Struct, frozen=True, omit_defaults=True):
    """One thing that looks wrong: its kind, its call, and the values of its sentence."""

    kind: FindingKind
    call: int | None = None
    values: dict[str, Any] = {}

    @property
    def weight(self) -> Weight:
        """What the finding means for the run."""
        return weight_of(self.kind)

    @property
    def counts(self) -> bool:
        """Whether it makes the run suspect; the others lower the score alone."""
        return self.weight != "score_only"

    @property
    def template(self) -> str:
        """The English sentence, with names in braces for the values."""
        return SENTENCES_OF_FINDINGS[self.kind]

    @property
    def shown(self) -> dict[str, str]:
        """The values as text, long ones cut short."""
        return {name: _short(str(value)) for name, value in self.values.items()}

    @property
    def sentence(self) -> str:
        """The finding in one English sentence."""
        return self.template.format(**self.shown)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def weight_of(kind: str) -> Weight:
    """What a finding of that kind means for a run."""
    return _WEIGHTS.get(kind, "wrong")
