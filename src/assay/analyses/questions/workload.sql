-- Which tasks take the most calls, and which the fewest?
WITH counts AS (
    SELECT run_key, COUNT(*) AS calls
    FROM calls
    WHERE counted
    GROUP BY run_key
),
by_task AS (
    SELECT task_id,
           COUNT(*) AS runs,
           COUNT(DISTINCT model) AS models,
           CAST(SUM(COALESCE(counts.calls, 0)) AS DOUBLE) / COUNT(*) AS mean_calls,
           MIN(COALESCE(counts.calls, 0)) AS fewest_calls,
           MAX(COALESCE(counts.calls, 0)) AS most_calls,
           MIN(place) AS place
    FROM runs
    LEFT JOIN counts ON counts.run_key = runs.run_key
    WHERE task_id <> ''
    GROUP BY task_id
)
SELECT task_id, runs, models, mean_calls, fewest_calls, most_calls
FROM by_task
WHERE $order = 'most' OR mean_calls > 0
ORDER BY CASE WHEN $order = 'most' THEN -mean_calls ELSE mean_calls END NULLS LAST,
         place NULLS LAST, task_id NULLS LAST
LIMIT $limit
