,
-- How high are the scores? Their sums, and what intervals over tasks need besides.
valued AS (
    SELECT experiment, model, task, score, step, success, weighted,
           CASE WHEN $by_judge THEN judge END AS group_judge,
           CASE WHEN $by_attempt THEN attempt END AS group_attempt,
           CASE WHEN COALESCE(score, step, success) IS NOT NULL THEN 1e0 END AS judged,
           CASE WHEN weighted IS NOT NULL THEN score END AS unweighted,
           CASE WHEN weighted IS NULL THEN NULL WHEN penalty IS NULL THEN 0e0 ELSE 1e0 END
               AS penalised,
           CASE WHEN weighted IS NOT NULL THEN CAST(real_tools AS DOUBLE) END AS real_tools
    FROM judgements
),
by_task AS (
    SELECT experiment, model, group_judge, group_attempt, task,
           COUNT(*) AS asked, COUNT(judged) AS judged_n,
           COUNT(score) AS score_n, SUM(score) AS score_total,
           MIN(score) AS score_lowest, MAX(score) AS score_highest,
           COUNT(step) AS step_n, SUM(step) AS step_total,
           MIN(step) AS step_lowest, MAX(step) AS step_highest,
           COUNT(success) AS success_n, SUM(success) AS success_total,
           MIN(success) AS success_lowest, MAX(success) AS success_highest,
           COUNT(weighted) AS weighted_n, SUM(weighted) AS weighted_total,
           MIN(weighted) AS weighted_lowest, MAX(weighted) AS weighted_highest,
           COUNT(unweighted) AS unweighted_n, SUM(unweighted) AS unweighted_total,
           MIN(unweighted) AS unweighted_lowest, MAX(unweighted) AS unweighted_highest,
           COUNT(penalised) AS penalised_n, SUM(penalised) AS penalised_total,
           MIN(penalised) AS penalised_lowest, MAX(penalised) AS penalised_highest,
           COUNT(real_tools) AS real_tools_n, SUM(real_tools) AS real_tools_total,
           MIN(real_tools) AS real_tools_lowest, MAX(real_tools) AS real_tools_highest
    FROM valued
    GROUP BY experiment, model, group_judge, group_attempt, task
),
measured AS (
    SELECT experiment, model, group_judge, group_attempt, 'judged' AS measure, asked,
           judged_n AS n, CAST(judged_n AS DOUBLE) AS total,
           CASE WHEN judged_n > 0 THEN 1e0 END AS lowest,
           CASE WHEN judged_n > 0 THEN 1e0 END AS highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'score', asked,
           score_n, COALESCE(score_total, 0e0), score_lowest, score_highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'step', asked,
           step_n, COALESCE(step_total, 0e0), step_lowest, step_highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'success', asked,
           success_n, COALESCE(success_total, 0e0), success_lowest, success_highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'weighted', asked,
           weighted_n, COALESCE(weighted_total, 0e0), weighted_lowest, weighted_highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'unweighted', asked,
           unweighted_n, COALESCE(unweighted_total, 0e0), unweighted_lowest, unweighted_highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'penalised', asked,
           penalised_n, COALESCE(penalised_total, 0e0), penalised_lowest, penalised_highest
    FROM by_task
    UNION ALL
    SELECT experiment, model, group_judge, group_attempt, 'real_tools', asked,
           real_tools_n, COALESCE(real_tools_total, 0e0), real_tools_lowest, real_tools_highest
    FROM by_task
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
FROM measured
GROUP BY experiment, model, group_judge, group_attempt, measure
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, attempt NULLS LAST, measure
