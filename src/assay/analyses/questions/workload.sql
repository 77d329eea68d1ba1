-- Which tasks take the most calls, and which the fewest? Both ends at once: a report asks for both.
WITH of_runs AS (
    SELECT runs.task_id, runs.model, runs.place,
           CASE WHEN runs.calls > 0 OR total_rounds IS NOT NULL OR $unrecorded_is_none
                THEN COALESCE(run_counts.calls, 0) END AS calls
    FROM runs
    LEFT JOIN run_counts ON run_counts.run_key = runs.run_key
    WHERE runs.task_id <> ''
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
),
numbered AS (
    SELECT by_task.*,
           ROW_NUMBER() OVER (ORDER BY mean_calls DESC NULLS LAST, place NULLS LAST, task_id)
               AS from_most,
           ROW_NUMBER() OVER (ORDER BY CASE WHEN mean_calls > 0 THEN mean_calls END NULLS LAST,
                                       place NULLS LAST, task_id) AS from_fewest
    FROM by_task
)
SELECT task_id, runs, unrecorded, models, mean_calls, fewest_calls, most_calls,
       from_most,
       CASE WHEN mean_calls > 0 THEN from_fewest END AS from_fewest
FROM numbered
WHERE from_most <= $limit OR from_fewest <= $limit
ORDER BY from_most NULLS LAST
