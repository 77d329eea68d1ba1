-- What came after each failed call, as the seed sees it: the very next call, and nothing else.
WITH followed AS (
    SELECT run_key, position, model, task_id, server, tool, arguments_key, failed, blame, kind,
           counted, place,
           LEAD(server) OVER (PARTITION BY run_key ORDER BY position) AS next_server,
           LEAD(tool) OVER (PARTITION BY run_key ORDER BY position) AS next_tool,
           LEAD(failed) OVER (PARTITION BY run_key ORDER BY position) AS next_failed,
           LEAD(arguments_key) OVER (PARTITION BY run_key ORDER BY position) AS next_arguments
    FROM calls
),
failures AS (
    SELECT followed.*,
           COALESCE(next_server = server AND next_tool = tool, FALSE) AS retried,
           COALESCE(NOT next_failed, FALSE) AS next_succeeded
    FROM followed
    WHERE failed
)
SELECT run_key, position, model, task_id, server, tool, blame, kind, counted, place,
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
