,
-- Which tasks are hard, and about which do models or judges disagree?
valued AS (
    SELECT experiment, task, model, attempt, recorded_run, query, place, success,
           COALESCE(combined, score, success) AS value
    FROM judgements
),
by_run AS (
    SELECT experiment, task, model, attempt,
           MIN(query) AS query,
           MIN(place) AS place,
           COUNT(*) AS asked,
           COUNT(value) AS n,
           COALESCE(FSUM(value), 0e0) AS total,
           MIN(value) AS lowest,
           MAX(value) AS highest,
           COUNT(success) AS verdicts,
           COALESCE(SUM(success), 0e0) AS passed
    FROM valued
    GROUP BY experiment, task, model, attempt, recorded_run
),
by_model AS (
    SELECT experiment, task, model, FSUM(total) / SUM(n) AS mean
    FROM by_run
    WHERE n > 0
    GROUP BY experiment, task, model
),
placed_models AS (
    SELECT experiment, task, model, mean,
           ROW_NUMBER() OVER (PARTITION BY experiment, task
                              ORDER BY ROUND(mean, 12) DESC, model NULLS LAST) AS from_best,
           ROW_NUMBER() OVER (PARTITION BY experiment, task
                              ORDER BY ROUND(mean, 12), model NULLS LAST) AS from_worst
    FROM by_model
),
model_ends AS (
    SELECT experiment, task,
           COUNT(*) AS models,
           MAX(mean) - MIN(mean) AS model_range,
           MAX(CASE WHEN from_best = 1 THEN model END) AS best_model,
           MAX(CASE WHEN from_worst = 1 THEN model END) AS worst_model
    FROM placed_models
    GROUP BY experiment, task
),
totals AS (
    SELECT experiment, task,
           MIN(query) AS query,
           MIN(place) AS place,
           {mean_sums},
           CASE WHEN MAX(n) > 1
                THEN FSUM(CASE WHEN n > 1 THEN highest - lowest END)
                     / COUNT(CASE WHEN n > 1 THEN 1 END) END AS judge_range,
           SUM(verdicts) AS verdicts,
           SUM(passed) AS passed
    FROM by_run
    GROUP BY experiment, task
)
SELECT totals.*,
       CASE WHEN verdicts > 0 THEN passed / verdicts END AS success_rate,
       COALESCE(models, 0) AS models,
       CASE WHEN models > 1 THEN model_range END AS model_range,
       CASE WHEN models > 1 THEN best_model END AS best_model,
       CASE WHEN models > 1 THEN worst_model END AS worst_model
FROM totals
LEFT JOIN model_ends
       ON totals.experiment IS NOT DISTINCT FROM model_ends.experiment
      AND totals.task = model_ends.task
ORDER BY totals.experiment NULLS LAST, place, totals.task
