-- Which runs made the most calls?
WITH longest AS (
    SELECT *
    FROM run_counts
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
