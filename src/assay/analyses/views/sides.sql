-- Calls that failed, or that repeat the tool of the call before: with what stood beside them.
SELECT *
FROM (
    SELECT run_key, position, model, task, task_id, attempt, server, tool, failed, blame, kind,
           counted, place,
           ROW_NUMBER() OVER (PARTITION BY run_key ORDER BY position) AS number,
           LAG(failed) OVER (PARTITION BY run_key ORDER BY position) AS last_failed,
           COALESCE(LAG(server) OVER (PARTITION BY run_key ORDER BY position) = server
                    AND LAG(tool) OVER (PARTITION BY run_key ORDER BY position) = tool, FALSE)
               AS repeats_last,
           LEAD(failed) OVER (PARTITION BY run_key ORDER BY position) AS next_failed,
           COALESCE(LEAD(server) OVER (PARTITION BY run_key ORDER BY position) = server
                    AND LEAD(tool) OVER (PARTITION BY run_key ORDER BY position) = tool, FALSE)
               AS next_repeats,
           LEAD(arguments_key) OVER (PARTITION BY run_key ORDER BY position) = arguments_key
               AS next_is_identical
    FROM calls
) AS sides
WHERE failed OR repeats_last
