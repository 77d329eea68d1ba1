,
-- How high are the scores? Their sums, and what intervals over tasks need besides.
grouped AS (
    SELECT judgements.*,
           CASE WHEN $by_judge THEN judge END AS group_judge,
           CASE WHEN $by_attempt THEN attempt END AS group_attempt
    FROM judgements
),
measured AS (
    SELECT experiment, model, group_judge, group_attempt, task, 'judged' AS measure,
           CASE WHEN COALESCE(score, step, success) IS NOT NULL THEN 1e0 END AS value
    FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'score', score FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'step', step FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'success', success FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'weighted', weighted FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'unweighted',
           CASE WHEN weighted IS NOT NULL THEN score END
    FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'penalised',
           CASE WHEN weighted IS NULL THEN NULL WHEN penalty IS NULL THEN 0e0 ELSE 1e0 END
    FROM grouped
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, task, 'real_tools',
           CASE WHEN weighted IS NOT NULL THEN CAST(real_tools AS DOUBLE) END
    FROM grouped
),
by_task AS (
    SELECT experiment, model, group_judge, group_attempt, measure, task,
           COUNT(*) AS asked, COUNT(value) AS n, COALESCE(SUM(value), 0e0) AS total,
           MIN(value) AS lowest, MAX(value) AS highest
    FROM measured
    GROUP BY experiment, model, group_judge, group_attempt, measure, task
)
SELECT experiment, model, group_judge AS judge, group_attempt AS attempt, measure,
       SUM(asked) AS asked,
       SUM(n) AS n,
       SUM(total) AS total,
       COUNT(CASE WHEN n > 0 THEN 1 END) AS clusters,
       SUM(CAST(n AS DOUBLE) * n) AS squares_n,
       SUM(total * total) AS squares_y,
       SUM(n * total) AS products,
       MIN(lowest) AS lowest,
       MAX(highest) AS highest
FROM by_task
GROUP BY experiment, model, group_judge, group_attempt, measure
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, attempt NULLS LAST, measure
