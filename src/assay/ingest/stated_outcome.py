"""What a file says beside a run of how it ended, by the keys that usually hold it."""

from __future__ import annotations

from typing import Any

from assay.ingest.fields import decode_json_text, number_or_none, text_at
from assay.run import RunOutcome

VERDICT_KEYS = ("success", "passed", "resolved", "is_correct", "is_resolved")
# Of these a 1 or 0 is the verdict as well; elsewhere it may count, as of tests that passed.
COUNTED_KEYS = frozenset({"success", "resolved", "is_correct", "is_resolved"})
# What is a verdict only beside another column: a label of data is a target too.
VERDICTS_BESIDE = (("target", "exit_status"),)
SCORE_KEYS = ("reward", "score")
# What is a score only beside another column, as the trials of Harbor have it.
SCORES_BESIDE = (("result", "trial_name"),)
VERDICTS = {
    **dict.fromkeys(("true", "yes", "passed", "pass", "resolved", "success", "correct"), True),
    **dict.fromkeys(("false", "no", "failed", "fail", "unresolved", "failure", "incorrect"), False),
}
# States that say of a run that it failed; those of success say only that it ended.
FAILED = frozenset({"failure", "failed", "error", "errored"})
_LONGEST_NUMBER = 40
ERROR_KEYS = ("error_str", "error_message", "error")


def stated_outcome(
    around: dict[str, Any],
    verdict_keys: tuple[str, ...] = VERDICT_KEYS,
    score_keys: tuple[str, ...] = SCORE_KEYS,
) -> RunOutcome | None:
    """The verdict and the score that stand beside a run; None where neither does."""
    verdicts = _keys(around, verdict_keys, VERDICTS_BESIDE)
    verdict = next((key for key in verdicts if _verdict(key, around[key]) is not None), None)
    scores = _keys(around, score_keys, SCORES_BESIDE)
    scored = next((key for key in scores if _score(around[key]) is not None), None)
    if verdict is None and scored is None:
        return _stated_failure(around)
    return RunOutcome(
        success=_verdict(verdict, around[verdict]) if verdict else None,
        score=_score(around[scored]) if scored else None,
        decided_by=f"the file's {verdict or scored!r}",
    )


def _keys(
    around: dict[str, Any], alone: tuple[str, ...], beside: tuple[tuple[str, str], ...]
) -> list[str]:
    """The keys that are there and may be asked: by themselves, or for what stands beside them."""
    found = [key for key in alone if key in around]
    return [*found, *(key for key, other in beside if key in around and other in around)]


def _verdict(key: str, value: object) -> bool | None:
    if isinstance(value, str):
        return VERDICTS.get(value.strip().lower())
    if key in COUNTED_KEYS and not isinstance(value, bool) and value in (0, 1):
        return bool(value)
    return value if isinstance(value, bool) else None


def _stated_failure(around: dict[str, Any]) -> RunOutcome | None:
    """The failure that a run's state tells, with the reason where one stands beside it."""
    if text_at(around, "status") not in FAILED:
        return None
    reason = next((text for key in ERROR_KEYS if (text := text_at(around, key))), None)
    return RunOutcome(success=False, decided_by="the file's 'status'", reason=reason)


def _score(value: object) -> float | None:
    if isinstance(value, str) and len(value) <= _LONGEST_NUMBER:
        value = decode_json_text(value.strip())
    return None if isinstance(value, bool) else number_or_none(value)
