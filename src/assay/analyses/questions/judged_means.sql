,
-- How high are the scores? Their sums, and what intervals over tasks need besides.
valued AS (
    SELECT experiment, model, task, score, step, success,
           CASE WHEN $by_judge THEN judge END AS group_judge,
           CASE WHEN $by_attempt THEN attempt END AS group_attempt,
           CASE WHEN COALESCE(score, step, success) IS NOT NULL THEN 1e0 END AS judged
    FROM judgements
),
by_task AS (
    SELECT experiment, model, group_judge, group_attempt, task,
           COUNT(*) AS asked,
           COUNT(judged) AS judged_n, COALESCE(FSUM(judged), 0e0) AS judged_total,
           MIN(judged) AS judged_lowest, MAX(judged) AS judged_highest,
           COUNT(score) AS score_n, COALESCE(FSUM(score), 0e0) AS score_total,
           MIN(score) AS score_lowest, MAX(score) AS score_highest,
           COUNT(step) AS step_n, COALESCE(FSUM(step), 0e0) AS step_total,
           MIN(step) AS step_lowest, MAX(step) AS step_highest,
           COUNT(success) AS success_n, COALESCE(FSUM(success), 0e0) AS success_total,
           MIN(success) AS success_lowest, MAX(success) AS success_highest
    FROM valued
    GROUP BY experiment, model, group_judge, group_attempt, task
)
SELECT experiment, model, group_judge AS judge, group_attempt AS attempt,
       SUM(asked) AS asked,
       SUM(judged_n) AS judged_n, FSUM(judged_total) AS judged_total,
       COUNT(CASE WHEN judged_n > 0 THEN 1 END) AS judged_clusters,
       SUM(CAST(judged_n AS DOUBLE) * judged_n) AS judged_squares_n,
       FSUM(judged_total * judged_total) AS judged_squares_y,
       FSUM(judged_n * judged_total) AS judged_products,
       MIN(judged_lowest) AS judged_lowest, MAX(judged_highest) AS judged_highest,
       SUM(score_n) AS score_n, FSUM(score_total) AS score_total,
       COUNT(CASE WHEN score_n > 0 THEN 1 END) AS score_clusters,
       SUM(CAST(score_n AS DOUBLE) * score_n) AS score_squares_n,
       FSUM(score_total * score_total) AS score_squares_y,
       FSUM(score_n * score_total) AS score_products,
       MIN(score_lowest) AS score_lowest, MAX(score_highest) AS score_highest,
       SUM(step_n) AS step_n, FSUM(step_total) AS step_total,
       COUNT(CASE WHEN step_n > 0 THEN 1 END) AS step_clusters,
       SUM(CAST(step_n AS DOUBLE) * step_n) AS step_squares_n,
       FSUM(step_total * step_total) AS step_squares_y,
       FSUM(step_n * step_total) AS step_products,
       MIN(step_lowest) AS step_lowest, MAX(step_highest) AS step_highest,
       SUM(success_n) AS success_n, FSUM(success_total) AS success_total,
       COUNT(CASE WHEN success_n > 0 THEN 1 END) AS success_clusters,
       SUM(CAST(success_n AS DOUBLE) * success_n) AS success_squares_n,
       FSUM(success_total * success_total) AS success_squares_y,
       FSUM(success_n * success_total) AS success_products,
       MIN(success_lowest) AS success_lowest, MAX(success_highest) AS success_highest
FROM by_task
GROUP BY experiment, model, group_judge, group_attempt
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, attempt NULLS LAST
