-- Which runs made the most calls?
WITH counts AS (
    SELECT run_key, model, task_id, attempt,
           COUNT(*) AS calls,
           SUM(CASE WHEN failed THEN 1 ELSE 0 END) AS failures,
           MIN(place) AS place
    FROM calls
    WHERE counted
    GROUP BY run_key, model, task_id, attempt
),
longest AS (
    SELECT *
    FROM counts
    ORDER BY calls DESC NULLS LAST, place NULLS LAST, model NULLS LAST, task_id NULLS LAST,
             attempt NULLS LAST, run_key
    LIMIT $limit
),
used AS (
    SELECT run_key AS used_in, COUNT(DISTINCT server || CHR(1) || tool) AS tools
    FROM calls
    WHERE counted AND run_key IN (SELECT run_key FROM longest)
    GROUP BY run_key
)
SELECT model, task_id, attempt, run_key, calls, tools, failures
FROM longest
JOIN used ON used_in = run_key
ORDER BY calls DESC NULLS LAST, place NULLS LAST, model NULLS LAST, task_id NULLS LAST,
         attempt NULLS LAST, run_key
