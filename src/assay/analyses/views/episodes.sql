-- Episodes of failure: from a tool's first failed call to its next success, or to the end.
-- Calls of one turn were made together and are one attempt.
WITH answered AS (
    SELECT run_key AS answered_run FROM runs WHERE TRIM(actual_output) <> ''
),
steps AS (
    SELECT run_key, position, model, task, task_id, attempt, server, tool, arguments_key,
           failed, blame, kind, counted, place,
           COALESCE(turn, -1 - position) AS step,
           MAX(CASE WHEN failed THEN 1 ELSE 0 END) OVER (PARTITION BY run_key, server, tool)
               AS ever_failed
    FROM calls
    WHERE run_key IN (SELECT run_key FROM calls WHERE failed AND counted)
),
attempts AS (
    SELECT steps.*,
           MIN(CASE WHEN failed THEN 0 ELSE 1 END)
               OVER (PARTITION BY run_key, server, tool, step) AS worked,
           MIN(position) OVER (PARTITION BY run_key, server, tool, step) AS step_began
    FROM steps
    WHERE ever_failed = 1
),
numbered AS (
    SELECT attempts.*,
           SUM(CASE WHEN position = step_began THEN worked ELSE 0 END) OVER (
               PARTITION BY run_key, server, tool ORDER BY step_began NULLS LAST, position
               ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
           ) - worked AS episode
    FROM attempts
),
compared AS (
    SELECT numbered.*,
           MAX(CASE WHEN failed THEN 1 ELSE 0 END)
               OVER (PARTITION BY run_key, server, tool, episode, arguments_key)
               AS failed_before
    FROM numbered
),
gathered AS (
    SELECT run_key, server, tool,
           MIN(model) AS model, MIN(task) AS task, MIN(task_id) AS task_id, MIN(attempt) AS attempt,
           MIN(CASE WHEN failed THEN position END) AS position,
           MIN(place) AS place,
           MIN_BY(blame, CASE WHEN failed THEN position END) AS blame,
           MIN_BY(compared.kind, CASE WHEN failed THEN position END) AS kind,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           SUM(CASE WHEN position = step_began THEN 1 ELSE 0 END) - 1 AS attempts,
           MAX(worked) = 1 AS succeeded,
           MAX(CASE WHEN worked = 1 THEN failed_before ELSE 0 END) = 1 AS same_again,
           MAX(CASE WHEN failed AND transient THEN 1 ELSE 0 END) = 1 AS transient,
           MAX(CASE WHEN counted THEN 1 ELSE 0 END) = 1 AS counted
    FROM compared
    LEFT JOIN kinds ON kinds.kind = compared.kind
    GROUP BY run_key, server, tool, episode
    HAVING SUM(CASE WHEN failed THEN 1 ELSE 0 END) > 0
)
SELECT run_key, position, model, task, task_id, attempt, server, tool, blame, kind, failures,
       attempts, counted, place,
       CASE WHEN succeeded AND NOT same_again THEN 'changed'
            WHEN succeeded AND transient THEN 'waited'
            WHEN succeeded THEN 'unexplained'
            WHEN answered_run IS NULL THEN 'cut off'
            WHEN attempts > 0 THEN 'not corrected'
            ELSE 'not retried'
       END AS ending
FROM gathered
LEFT JOIN answered ON answered_run = run_key
