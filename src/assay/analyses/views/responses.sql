-- What came after each failed call: one row a failure.
-- Calls of one turn were made together, so none of them answers another.
WITH steps AS (
    SELECT run_key, position, model, task, server, tool, arguments_key, failed, blame, kind,
           counted, place,
           COALESCE(turn, -1 - position) AS step
    FROM calls
    WHERE run_key IN (SELECT run_key FROM calls WHERE failed AND counted)
),
ranked AS (
    SELECT run_key, position, server, tool, arguments_key, failed, step,
           ROW_NUMBER() OVER (PARTITION BY run_key, step ORDER BY position) AS in_step,
           ROW_NUMBER() OVER (PARTITION BY run_key, server, tool, step ORDER BY position)
               AS in_tool_step
    FROM steps
),
next_steps AS (
    SELECT run_key, step,
           LEAD(server) OVER (PARTITION BY run_key ORDER BY position) AS next_server,
           LEAD(tool) OVER (PARTITION BY run_key ORDER BY position) AS next_tool,
           LEAD(failed) OVER (PARTITION BY run_key ORDER BY position) AS next_failed
    FROM ranked
    WHERE in_step = 1
),
next_of_tool AS (
    SELECT run_key, server, tool, step,
           LEAD(arguments_key) OVER (PARTITION BY run_key, server, tool ORDER BY position)
               AS again_arguments,
           LEAD(failed) OVER (PARTITION BY run_key, server, tool ORDER BY position)
               AS again_failed
    FROM ranked
    WHERE in_tool_step = 1
),
answered AS (
    SELECT run_key FROM runs WHERE TRIM(actual_output) <> ''
),
followed AS (
    SELECT steps.run_key, steps.position, model, task, steps.server, steps.tool, blame, kind,
           counted, place, arguments_key, again_arguments, again_failed, next_failed,
           next_failed IS NOT NULL AS has_next,
           COALESCE(next_server = steps.server AND next_tool = steps.tool, FALSE) AS next_is_same,
           again_failed IS NOT NULL AS retried,
           answered.run_key IS NULL AS unanswered
    FROM steps
    LEFT JOIN answered ON answered.run_key = steps.run_key
    JOIN next_steps ON next_steps.run_key = steps.run_key AND next_steps.step = steps.step
    JOIN next_of_tool
      ON next_of_tool.run_key = steps.run_key AND next_of_tool.step = steps.step
     AND next_of_tool.server = steps.server AND next_of_tool.tool = steps.tool
    WHERE failed
)
SELECT run_key, position, model, task, server, tool, blame, kind, counted, place,
       retried,
       retried AND again_arguments = arguments_key AS retried_identical,
       retried AND again_arguments <> arguments_key AS retried_changed,
       retried AND next_is_same AS retried_at_once,
       retried AND NOT again_failed AS retry_succeeded,
       NOT retried AND has_next AS switched,
       NOT retried AND has_next AND NOT next_failed AS switch_succeeded,
       NOT has_next AND NOT unanswered AS gave_up,
       NOT has_next AND unanswered AS cut_off
FROM followed
