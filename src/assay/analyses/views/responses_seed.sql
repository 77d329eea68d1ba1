-- What came after each failed call, as the seed sees it: the very next call, and nothing else.
SELECT run_key, position, model, task, server, tool, blame, kind, counted, place,
       next_repeats AS retried,
       next_repeats AND next_is_identical AS retried_identical,
       next_repeats AND NOT next_is_identical AS retried_changed,
       next_repeats AS retried_at_once,
       next_repeats AND NOT next_failed AS retry_succeeded,
       NOT next_repeats AND next_failed IS NOT NULL AS switched,
       NOT next_repeats AND COALESCE(NOT next_failed, FALSE) AS switch_succeeded,
       next_failed IS NULL AS gave_up,
       FALSE AS cut_off
FROM call_sides
WHERE failed
