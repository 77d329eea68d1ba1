-- Episodes of failure as the seed sees them: calls of one tool in a row, cut after each success.
-- Any success is a correction, and runs of a single call are left out.
WITH in_episodes AS (
    SELECT call_sides.*, repeats_last AND last_failed AS goes_on
    FROM call_sides
    WHERE (last_failed IS NOT NULL OR next_failed IS NOT NULL)
      AND (failed OR (repeats_last AND last_failed))
),
numbered AS (
    SELECT in_episodes.*,
           SUM(CASE WHEN goes_on THEN 0 ELSE 1 END)
               OVER (PARTITION BY run_key ORDER BY position
                     ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS episode
    FROM in_episodes
),
gathered AS (
    SELECT run_key, episode,
           MIN(model) AS model, MIN(task) AS task, MIN(task_id) AS task_id, MIN(attempt) AS attempt,
           MIN(server) AS server, MIN(tool) AS tool,
           MIN(position) AS position, MIN(place) AS place,
           MIN_BY(blame, CASE WHEN failed THEN position END) AS blame,
           MIN_BY(kind, CASE WHEN failed THEN position END) AS kind,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           COUNT(*) - 1 AS attempts,
           MAX(CASE WHEN failed THEN 0 ELSE 1 END) = 1 AS succeeded,
           MAX(CASE WHEN counted THEN 1 ELSE 0 END) = 1 AS counted
    FROM numbered
    GROUP BY run_key, episode
)
SELECT run_key, position, model, task, task_id, attempt, server, tool, blame, kind, failures,
       attempts, counted, place,
       CASE WHEN succeeded THEN 'changed'
            WHEN attempts > 0 THEN 'not corrected'
            ELSE 'not retried'
       END AS ending
FROM gathered
