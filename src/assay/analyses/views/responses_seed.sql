-- What came after each failed call, as the seed sees it: the very next call, and nothing else.
WITH failures AS (
    SELECT call_sides.*,
           COALESCE(next_server = server AND next_tool = tool, FALSE) AS retried,
           COALESCE(NOT next_failed, FALSE) AS next_succeeded
    FROM call_sides
    WHERE failed
)
SELECT run_key, position, model, task, server, tool, blame, kind, counted, place,
       retried,
       retried AND next_arguments = arguments_key AS retried_identical,
       retried AND next_arguments <> arguments_key AS retried_changed,
       retried AS retried_at_once,
       retried AND next_succeeded AS retry_succeeded,
       NOT retried AND next_failed IS NOT NULL AS switched,
       NOT retried AND next_succeeded AS switch_succeeded,
       next_failed IS NULL AS gave_up,
       FALSE AS cut_off
FROM failures
