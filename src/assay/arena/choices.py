"""Which answer a person preferred without knowing whose it was, as scores of the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.errors import InvalidRecord
from assay.score import Score
from assay.store.scores import Settings

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from assay.store import Store

METRIC = "preferred"
SAME, UNCLEAR = "same", "unclear"
_REASONS: dict[float | None, str] = {
    1.0: "a person who did not see the names preferred this answer",
    0.5: "a person who did not see the names found no difference",
    0.0: "a person who did not see the names preferred another answer",
    None: "a person who did not see the names could not tell",
}


def worths_of(choice: str, letters: Collection[str]) -> dict[str, float | None]:
    """What a choice says of each answer: 1 preferred, 0.5 no difference, None cannot be told."""
    if choice == SAME:
        return dict.fromkeys(letters, 0.5)
    if choice == UNCLEAR:
        return dict.fromkeys(letters, None)
    if choice not in letters:
        known = ", ".join([*letters, SAME, UNCLEAR])
        raise InvalidRecord(f"no answer {choice!r} to prefer: expected one of {known}")
    return {letter: float(letter == choice) for letter in letters}


def choice_in(worths: Mapping[str, float | None]) -> str | None:
    """The choice that these worths were written for; None where none was made."""
    if not worths:
        return None
    if all(worth is None for worth in worths.values()):
        return UNCLEAR
    return next((letter for letter, worth in worths.items() if worth == 1.0), SAME)


def keep_choice(
    store: Store, run_ids: Mapping[str, str], worths: Mapping[str, float | None]
) -> None:
    """Write a choice down: a score for each run, by the letter of its agent."""
    rows = store.query(
        "SELECT run_id, run_key FROM runs WHERE run_id IN (SELECT unnest($ids::VARCHAR[]))",
        ids=list(run_ids.values()),
    )
    keys = {row["run_id"]: row["run_key"] for row in rows}
    with store.score_writer() as scores:
        for letter, run_id in run_ids.items():
            if run_id in keys:
                worth = worths[letter]
                scores.add(keys[run_id], Score(METRIC, worth, _REASONS[worth]), Settings(METRIC))
