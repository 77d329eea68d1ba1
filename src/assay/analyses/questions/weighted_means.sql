,
-- How high are they where runs that used no tools are marked down? The same sums.
valued AS (
    SELECT experiment, model, task, weighted,
           CASE WHEN $by_judge THEN judge END AS group_judge,
           CASE WHEN $by_attempt THEN attempt END AS group_attempt,
           CASE WHEN weighted IS NOT NULL THEN score END AS unweighted,
           CASE WHEN weighted IS NULL THEN NULL WHEN penalty IS NULL THEN 0e0 ELSE 1e0 END
               AS penalised,
           CASE WHEN weighted IS NOT NULL THEN CAST(real_tools AS DOUBLE) END AS real_tools
    FROM judgements
),
by_task AS (
    SELECT experiment, model, group_judge, group_attempt, task,
           COUNT(*) AS asked,
           COUNT(weighted) AS weighted_n, COALESCE(FSUM(weighted), 0e0) AS weighted_total,
           MIN(weighted) AS weighted_lowest, MAX(weighted) AS weighted_highest,
           COUNT(unweighted) AS unweighted_n, COALESCE(FSUM(unweighted), 0e0) AS unweighted_total,
           MIN(unweighted) AS unweighted_lowest, MAX(unweighted) AS unweighted_highest,
           COUNT(penalised) AS penalised_n, COALESCE(FSUM(penalised), 0e0) AS penalised_total,
           MIN(penalised) AS penalised_lowest, MAX(penalised) AS penalised_highest,
           COUNT(real_tools) AS real_tools_n, COALESCE(FSUM(real_tools), 0e0) AS real_tools_total,
           MIN(real_tools) AS real_tools_lowest, MAX(real_tools) AS real_tools_highest
    FROM valued
    GROUP BY experiment, model, group_judge, group_attempt, task
)
SELECT experiment, model, group_judge AS judge, group_attempt AS attempt,
       SUM(asked) AS asked,
       SUM(weighted_n) AS weighted_n, FSUM(weighted_total) AS weighted_total,
       COUNT(CASE WHEN weighted_n > 0 THEN 1 END) AS weighted_clusters,
       SUM(CAST(weighted_n AS DOUBLE) * weighted_n) AS weighted_squares_n,
       FSUM(weighted_total * weighted_total) AS weighted_squares_y,
       FSUM(weighted_n * weighted_total) AS weighted_products,
       MIN(weighted_lowest) AS weighted_lowest, MAX(weighted_highest) AS weighted_highest,
       SUM(unweighted_n) AS unweighted_n, FSUM(unweighted_total) AS unweighted_total,
       COUNT(CASE WHEN unweighted_n > 0 THEN 1 END) AS unweighted_clusters,
       SUM(CAST(unweighted_n AS DOUBLE) * unweighted_n) AS unweighted_squares_n,
       FSUM(unweighted_total * unweighted_total) AS unweighted_squares_y,
       FSUM(unweighted_n * unweighted_total) AS unweighted_products,
       MIN(unweighted_lowest) AS unweighted_lowest, MAX(unweighted_highest) AS unweighted_highest,
       SUM(penalised_n) AS penalised_n, FSUM(penalised_total) AS penalised_total,
       COUNT(CASE WHEN penalised_n > 0 THEN 1 END) AS penalised_clusters,
       SUM(CAST(penalised_n AS DOUBLE) * penalised_n) AS penalised_squares_n,
       FSUM(penalised_total * penalised_total) AS penalised_squares_y,
       FSUM(penalised_n * penalised_total) AS penalised_products,
       MIN(penalised_lowest) AS penalised_lowest, MAX(penalised_highest) AS penalised_highest,
       SUM(real_tools_n) AS real_tools_n, FSUM(real_tools_total) AS real_tools_total,
       COUNT(CASE WHEN real_tools_n > 0 THEN 1 END) AS real_tools_clusters,
       SUM(CAST(real_tools_n AS DOUBLE) * real_tools_n) AS real_tools_squares_n,
       FSUM(real_tools_total * real_tools_total) AS real_tools_squares_y,
       FSUM(real_tools_n * real_tools_total) AS real_tools_products,
       MIN(real_tools_lowest) AS real_tools_lowest, MAX(real_tools_highest) AS real_tools_highest
FROM by_task
GROUP BY experiment, model, group_judge, group_attempt
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, attempt NULLS LAST
