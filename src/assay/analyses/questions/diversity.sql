,
-- Do runs that use more different tools, or servers, score better?
binned AS (
    SELECT experiment, model, task, score, 'tools' AS used,
           CASE WHEN tools = 0 THEN 0 WHEN tools <= 2 THEN 1 WHEN tools <= 4 THEN 3
                WHEN tools <= 6 THEN 5 ELSE 7 END AS from_number
    FROM run_facts
    WHERE tools IS NOT NULL
    UNION ALL
    SELECT experiment, model, task, score, 'servers',
           CASE WHEN servers <= 3 THEN servers ELSE 4 END
    FROM run_facts
    WHERE servers IS NOT NULL
),
by_task AS (
    SELECT experiment, model, used, from_number, task,
           COUNT(*) AS asked, COUNT(score) AS n, COALESCE(FSUM(score), 0e0) AS total,
           MIN(score) AS lowest, MAX(score) AS highest
    FROM binned
    GROUP BY experiment, model, used, from_number, task
)
SELECT experiment, model, used, from_number,
       {mean_sums}
FROM by_task
GROUP BY experiment, model, used, from_number
ORDER BY experiment NULLS LAST, model NULLS LAST, used DESC, from_number
