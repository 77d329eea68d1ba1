-- Which runs made the most calls?
WITH counts AS (
    SELECT run_key, model, task_id, attempt,
           COUNT(*) AS calls,
           COUNT(DISTINCT server || CHR(1) || tool) AS tools,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           MIN(place) AS place
    FROM calls
    WHERE counted
    GROUP BY run_key, model, task_id, attempt
)
SELECT model, task_id, attempt, run_key, calls, tools, failures
FROM counts
ORDER BY calls DESC NULLS LAST, place NULLS LAST, model NULLS LAST, task_id NULLS LAST,
         attempt NULLS LAST, run_key
LIMIT $limit
