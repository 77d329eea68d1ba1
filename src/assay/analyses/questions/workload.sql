-- Which tasks take the most calls, and which the fewest?
WITH counts AS (
    SELECT run_key, COUNT(*) AS calls
    FROM calls
    WHERE counted
    GROUP BY run_key
),
of_runs AS (
    SELECT task_id, model, place,
           CASE WHEN runs.calls > 0 OR total_rounds IS NOT NULL OR $unrecorded_is_none
                THEN COALESCE(counts.calls, 0) END AS calls
    FROM runs
    LEFT JOIN counts ON counts.run_key = runs.run_key
    WHERE task_id <> ''
),
by_task AS (
    SELECT task_id,
           COUNT(*) AS runs,
           COUNT(*) - COUNT(calls) AS unrecorded,
           COUNT(DISTINCT model) AS models,
           CASE WHEN COUNT(calls) > 0
                THEN CAST(SUM(calls) AS DOUBLE) / COUNT(calls) END AS mean_calls,
           MIN(calls) AS fewest_calls,
           MAX(calls) AS most_calls,
           MIN(place) AS place
    FROM of_runs
    GROUP BY task_id
)
SELECT task_id, runs, unrecorded, models, mean_calls, fewest_calls, most_calls
FROM by_task
WHERE $order = 'most' OR mean_calls > 0
ORDER BY CASE WHEN $order = 'most' THEN -mean_calls ELSE mean_calls END NULLS LAST,
         place NULLS LAST, task_id NULLS LAST
LIMIT $limit
