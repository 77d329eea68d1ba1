,
-- The sums of the measures in `valued`, and what intervals over tasks need besides. What stands
-- between braces comes once for each measure.
by_task AS (
    SELECT experiment, model, group_judge, group_attempt, task,
           COUNT(*) AS asked{,
           COUNT(measure) AS measure_n, COALESCE(FSUM(measure), 0e0) AS measure_total,
           MIN(measure) AS measure_lowest, MAX(measure) AS measure_highest}
    FROM valued
    GROUP BY experiment, model, group_judge, group_attempt, task
)
SELECT experiment, model, group_judge AS judge, group_attempt AS attempt,
       SUM(asked) AS asked{,
       SUM(measure_n) AS measure_n, FSUM(measure_total) AS measure_total,
       COUNT(CASE WHEN measure_n > 0 THEN 1 END) AS measure_clusters,
       SUM(CAST(measure_n AS DOUBLE) * measure_n) AS measure_squares_n,
       FSUM(measure_total * measure_total) AS measure_squares_y,
       FSUM(measure_n * measure_total) AS measure_products,
       MIN(measure_lowest) AS measure_lowest, MAX(measure_highest) AS measure_highest}
FROM by_task
GROUP BY experiment, model, group_judge, group_attempt
ORDER BY experiment NULLS LAST, model NULLS LAST, judge NULLS LAST, attempt NULLS LAST
