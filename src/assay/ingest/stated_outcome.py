"""What a file says beside a run of how it ended, by the keys that usually hold it."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import number_or_none, text_at
from assay.run import RunOutcome

VERDICT_KEYS = ("success", "passed", "resolved", "is_correct", "is_resolved")
SCORE_KEYS = ("reward", "score")
# States that say of a run that it failed; those of success say only that it ended.
FAILED = frozenset({"failure", "failed", "error", "errored"})
ERROR_KEYS = ("error_str", "error_message", "error")


def stated_outcome(around: dict[str, Any]) -> RunOutcome | None:
    """The verdict and the score that stand beside a run; None where neither does."""
    verdict = next((k for k in VERDICT_KEYS if isinstance(around.get(k), bool)), None)
    scored = next((k for k in SCORE_KEYS if _score(around.get(k)) is not None), None)
    if verdict is None and scored is None:
        return _stated_failure(around)
    return RunOutcome(
        success=around[verdict] if verdict else None,
        score=_score(around[scored]) if scored else None,
        decided_by=f"the file's {verdict or scored!r}",
    )


def _stated_failure(around: dict[str, Any]) -> RunOutcome | None:
    """The failure that a run's state tells, with the reason where one stands beside it."""
    if text_at(around, "status") not in FAILED:
        return None
    reason = next((text for key in ERROR_KEYS if (text := text_at(around, key))), None)
    return RunOutcome(success=False, decided_by="the file's 'status'", reason=reason)


def _score(value: object) -> float | None:
    return None if isinstance(value, bool) else number_or_none(value)
